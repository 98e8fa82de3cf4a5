//! Files that carry device code and nothing else that is counted.

use crate::bytes::elf::named_section;
use crate::container::text_array::text_arrays;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::code::FUSED_TARGET_NAMES;
use crate::format::{Format, Support};
use crate::inventory::ArtifactKind;
use crate::limits::PROBLEMS_PER_FILE;
use crate::scan::device_code::read;
use crate::scan::kernel_sink::OnRows;
use crate::scan::library_names;
use crate::scan::{Candidate, Scanned, Scanner, Settings};
use crate::target::Processor;
use memchr::memmem;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "code-objects",
    of_text: false,
    finds: "offload bundles and AMDGPU code objects in host libraries, archives and files of their own",
    claims: |candidate| candidate.format.support() == Support::Yes,
    scan,
};

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let mut scanned = read(candidate, settings, None, rows);
    let list = own_list(candidate);
    scanned.findings.extend(list.fused);
    scanned.own_list = list.names.into_iter().collect();
    scanned.own_list.sort_rows_by_key(|name| Processor::rank(name));
    if scanned.device.is_some() {
        scanned.kind = Some(ArtifactKind::DeviceCode);
    }
    scanned
}

/// What a program that has a list of GPUs of its own says of them.
#[derive(Default)]
struct OwnList {
    /// Constants that are several names of processors in one word.
    fused: Vec<Finding>,
    /// All processors that its constants name, alone or joined.
    names: BTreeSet<&'static str>,
}

/// What a program says that uses an array of its own for this. Source: XLA's `IsDeviceSupported`, which
/// TensorFlow and JAX have, too.
const REFUSAL: &[u8] = b"The supported AMDGPU versions are";

/// The array of names behind relocated pointers that a program compares GPUs with: the longest, of those
/// without a name twice.
fn array_of_names(candidate: &Candidate<'_>) -> BTreeSet<&'static str> {
    let library = library_names::of_shared_library(candidate.name);
    if !matches!(library, Some("JAX" | "TensorFlow")) || candidate.format != Format::HostElf {
        return BTreeSet::new();
    }
    let bytes = candidate.file.bytes();
    let refuses = named_section(bytes, b".rodata").is_some_and(|text| memmem::find(text, REFUSAL).is_some());
    if !refuses {
        return BTreeSet::new();
    }
    let arrays = text_arrays(bytes, |text| Processor::by_name(text).map(|known| known.name()));
    let sets = arrays.into_iter().map(|names| (names.len(), names.into_iter().collect::<BTreeSet<_>>()));
    sets.filter(|(length, names)| *length == names.len())
        .max_by_key(|(length, _)| *length)
        .map_or_else(BTreeSet::new, |(_, names)| names)
}

fn own_list(candidate: &Candidate<'_>) -> OwnList {
    let mut list = OwnList { names: array_of_names(candidate), ..OwnList::default() };
    if !list.names.is_empty() {
        return list;
    }
    if !candidate.name.starts_with("libtensorflow_framework.so") || candidate.format != Format::HostElf {
        return list;
    }
    let bytes = candidate.file.bytes();
    for at in memmem::find_iter(bytes, b"\0gfx").map(|at| at + 1) {
        let word = bytes.get(at..).unwrap_or_default();
        let word = word.get(..WORD_BYTES.min(word.len())).unwrap_or_default();
        let Some(word) = memchr::memchr(0, word).and_then(|end| std::str::from_utf8(word.get(..end)?).ok())
        else {
            continue;
        };
        let known = |digits: &str| Processor::by_name(&format!("gfx{digits}")).map(|known| known.name());
        let Some(names) = word.split("gfx").skip(1).map(known).collect::<Option<Vec<_>>>() else { continue };
        list.names.extend(&names);
        if names.len() < 2 || list.fused.len() >= PROBLEMS_PER_FILE {
            continue;
        }
        for name in names {
            let what = format!("the constant {word:?}");
            let location = Location { offset: Some(at as u64), ..Location::file(candidate.shown, what) };
            let finding = Finding::at(&FUSED_TARGET_NAMES, location);
            list.fused.push(Finding { target: Some(name.to_owned()), ..finding });
        }
    }
    list
}

/// Most bytes of a constant that is looked at.
const WORD_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use crate::scan::tests::scan_file;

    #[test]
    fn several_names_in_one_word_are_found_and_lists_of_single_names_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libtensorflow_framework.so.2");
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(64, 0);
        file.extend_from_slice(b"gfx906\0gfx1030gfx1100\0gfx1030,gfx1100\0gfxgfx\0gfx90a\0");
        std::fs::write(&path, &file).unwrap();
        let found = scan_file(&path).0.findings;
        let fused = found.iter().filter(|finding| finding.rule.id == "fused-target-names");
        let targets: Vec<_> = fused.filter_map(|finding| finding.target.as_deref()).collect();
        assert_eq!(targets, ["gfx1030", "gfx1100"]);
    }
}
