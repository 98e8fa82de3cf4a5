//! The files that questions to libraries may need, by name.

use crate::engines::miopen::folder::Database;
use crate::engines::tensile::name::Name;
use crate::locator::file_name;

/// Whether an answer can depend on a file with this path.
pub fn is_wanted(path: &str) -> bool {
    let name = file_name(path);
    Name::role_of(name).is_some()
        || Database::of_name(name, false).is_some()
        || name.ends_with(".tn.model")
        || name.starts_with("libMIOpen.so")
        || name.starts_with("librocblas.so")
        || name.starts_with("libhipblaslt.so")
        || name.starts_with("libggml-") && name.contains(".so")
        || is_miopen_header(path)
}

/// Whether a file with this path belongs to no target, or can serve this processor.
pub fn is_of(path: &str, processor: &str) -> bool {
    let name = file_name(path);
    let target = Name::parse(name).filter(|name| name.code).and_then(|name| name.target);
    target.is_none_or(|target| target.processor == processor)
}

/// Whether a file is the header that states MIOpen's version.
pub fn is_miopen_header(path: &str) -> bool {
    path == "miopen/version.h" || path.ends_with("/miopen/version.h")
}
