//! Opens ggml's library for HIP, or explains why a file is not one.

use super::presence::Library;
use amdgpu_object::bytes::elf::Elf;
use rocm_audit_files::error::AuditError;
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::limits::ELF_HEADERS;

/// Opens the library with this name in a folder.
///
/// # Errors
///
/// If the file cannot be opened, or contains no ggml kernels for AMD GPUs; the error says what it is instead.
pub fn open(folder: &Folder, name: &str) -> Result<Library, AuditError> {
    let library = Library::open_in(folder, name)?;
    let refused =
        |what: String| Err(AuditError::Usage(format!("{}: {what}", library.file().file.locator().shown())));
    let targets = library.targets();
    if targets.is_empty() {
        return refused(other_backend(&library));
    }
    match targets.iter().find_map(|target| library.index(target)) {
        Some(index) if index.is_ggml() || !index.has_names() => {}
        Some(_) => {
            let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
            return refused(format!(
                "it has device code for {}, and none of ggml's kernels",
                targets.join(", ")
            ));
        }
        None => {
            let stored: Vec<String> = library.not_examined().into_iter().collect();
            return refused(format!(
                "its code objects cannot be looked into (stored as {})",
                stored.join(", ")
            ));
        }
    }
    Ok(library)
}

/// Explains why a file without AMD device code is not ggml's library for HIP.
fn other_backend(library: &Library) -> String {
    let unread = library.file().not_examined();
    if let Some(marker) = library.file().container.kpack() {
        return format!("its device code was moved to kpack archives ({})", marker.search_paths().join(", "));
    }
    if !unread.is_empty() {
        return format!("no device code that can be read: {}", unread.join(", "));
    }
    let bytes = library.file().file.bytes();
    let sections = Elf::open(bytes, 0).ok().and_then(|elf| {
        let sections = elf.sections_up_to(ELF_HEADERS).ok()?;
        let names = sections.iter().find(|section| section.name == b".dynstr");
        let vulkan = names.and_then(|names| elf.section_bytes(names).ok());
        let vulkan = vulkan.is_some_and(|names| memchr::memmem::find(names, b"ggml_backend_vk").is_some());
        let cuda = sections.iter().any(|s| [&b".nv_fatbin"[..], b".nvFatBinSegment"].contains(&s.name));
        Some((cuda, vulkan))
    });
    match sections {
        Some((true, _)) => {
            "no AMD device code, but NVIDIA's: this is a build for CUDA, not for HIP".to_owned()
        }
        Some((_, true)) => "no AMD device code: this is ggml's backend for Vulkan, not for HIP".to_owned(),
        _ => "no AMD device code: this is no library of ggml's for HIP (libggml-hip.so)".to_owned(),
    }
}
