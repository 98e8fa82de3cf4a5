//! Variants of a library: files of it that were built for one release of ROCm each.

use crate::locator::file_name;
use crate::scan::library_names::is_kernel_variant;
use std::collections::BTreeSet;

/// Files of a library in a few words: `variants for ROCm 6.4, 7.0`, or their names.
pub fn words(paths: &[&str]) -> String {
    match releases(paths) {
        Some(releases) if paths.len() == 1 => format!("variant for ROCm {releases}"),
        Some(releases) => format!("variants for ROCm {releases}"),
        None => names(paths),
    }
}

/// A release of ROCm that a variant is for: its first two numbers.
pub(super) type Release = (u32, u32);

/// The release of ROCm that a variant of a library is for, by its name, or by that of its folder: 6.4 of
/// `libx_rocm64.so` and of `torch29-cxx11-rocm64-x86_64-linux/_x.abi3.so`. Source: bitsandbytes'
/// `cextension.py`, huggingface/kernels' `docs/build-variants.md`.
pub(super) fn release(path: &str) -> Option<Release> {
    let of_file = || file_name(path).rsplit_once("_rocm").and_then(|(_, rest)| rest.split('.').next());
    let of_folder = || {
        let folder = path.rsplit('/').skip(1).find(|folder| is_kernel_variant(folder))?;
        folder.split_once("-rocm").and_then(|(_, rest)| rest.split('-').next())
    };
    let digits = of_file().or_else(of_folder)?;
    let (major, minor) = match digits.get(..2) {
        // ROCm 10 and later; no ROCm 1 has such variants.
        Some(two @ "10") => (two, digits.get(2..)?),
        _ => (digits.get(..1)?, digits.get(1..)?),
    };
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The releases of ROCm that variants of a library are for, by their names: `6.4, 7.0, 7.14` of
/// `libx_rocm64.so` and so on; none where a name says none.
pub(super) fn releases(paths: &[&str]) -> Option<String> {
    let all: Option<BTreeSet<Release>> = paths.iter().map(|path| release(path)).collect();
    let all = all.filter(|all| !all.is_empty())?;
    let names: Vec<String> = all.into_iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
    Some(names.join(", "))
}

/// The first of these files by their names, and how many there are beside them.
pub fn names(paths: &[&str]) -> String {
    let names: Vec<&str> = paths.iter().map(|path| file_name(path)).collect();
    match &names[..] {
        [] => String::new(),
        names if names.len() > MOST_NAMES => {
            format!(
                "{} and {} more",
                names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", "),
                names.len() - MOST_NAMES
            )
        }
        names => names.join(", "),
    }
}

/// Files that are named in a clause.
const MOST_NAMES: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_say_their_release() {
        let of = |paths: &[&str]| releases(paths);
        assert_eq!(of(&["x/libb_rocm72.so", "x/libb_rocm714.so"]).as_deref(), Some("7.2, 7.14"));
        assert_eq!(of(&["w.whl!/b/libb_rocm64.dll"]).as_deref(), Some("6.4"));
        assert_eq!(of(&["x/libb_rocm72.so", "x/libb_hip.so"]), None, "one of them is of no release");
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["x/libb_rocm.so"]), None);
        let hub = [
            "k/build/torch29-cxx11-rocm64-x86_64-linux/a/_a.so",
            "k/build/torch29-cxx11-rocm100-x86_64-linux/_a.so",
        ];
        assert_eq!(of(&hub).as_deref(), Some("6.4, 10.0"));
    }
}
