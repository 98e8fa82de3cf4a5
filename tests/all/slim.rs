//! The list of `slim`: whole files for other targets, checked by file name, and nothing that a kept GPU
//! needs.

use crate::common::audited::look;
use crate::common::fixture;
use crate::common::folders::files;
use rocm_audit::inventory::Inventory;
use rocm_audit::report::slim;
use rocm_audit::target::TargetId;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn keep(words: &[&str]) -> Vec<TargetId> {
    words.iter().map(|word| TargetId::parse(word).unwrap()).collect()
}

/// The processor in a file name, as found by `ls | grep -o`.
fn named(name: &str) -> Option<String> {
    let at = name.find("gfx")?;
    let digits: String = name[at + 3..].chars().take_while(char::is_ascii_hexdigit).collect();
    (digits.len() >= 3).then(|| format!("gfx{digits}"))
}

#[test]
fn files_of_a_library_folder_go_by_the_targets_in_their_names() {
    let folder = fixture("rocm/lib/rocblas/library");
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(&folder).unwrap() {
        all.insert(entry.unwrap().file_name().into_string().unwrap());
    }
    assert!(all.len() > 20);
    for kept in ["gfx1030", "gfx906", "gfx90a"] {
        let expected: BTreeSet<String> =
            all.iter().filter(|name| named(name).is_some_and(|own| own != kept)).cloned().collect();
        let report = slim(&look(&folder), &keep(&[kept]));
        let found: BTreeSet<String> = report
            .files
            .iter()
            .map(|file| Path::new(&file.path).file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(found, expected, "{kept}");
        assert!(!expected.is_empty() && report.removable.count == expected.len() as u64);
        let bytes: u64 = expected.iter().map(|name| fs::metadata(folder.join(name)).unwrap().len()).sum();
        assert_eq!(report.removable.bytes, bytes, "{kept}");
    }
}

/// Without the listed files, the kept GPUs keep everything they had.
#[test]
fn what_is_kept_loses_nothing() {
    for kept in [&["gfx1030"][..], &["gfx906"], &["gfx906", "gfx1100"]] {
        let copy = tempfile::tempdir().unwrap();
        for entry in files(&fixture("rocm")) {
            let to = copy.path().join(entry.strip_prefix(fixture("rocm")).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&entry, to).unwrap();
        }
        let before = look(copy.path());
        let report = slim(&before, &keep(kept));
        assert!(!report.files.is_empty());
        report.files.iter().for_each(|file| fs::remove_file(&file.path).unwrap());
        let after = look(copy.path());
        let kernels = |inventory: &Inventory| -> u64 {
            let devices = inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref());
            let loads = |target: &TargetId| keep(kept).iter().any(|gpu| target.loads_on(gpu));
            devices
                .flat_map(|device| &device.targets)
                .filter(|(target, _)| loads(target))
                .map(|(_, code)| code.objects)
                .sum()
        };
        assert!(kernels(&before) > 0 && kernels(&before) == kernels(&after), "{kept:?}");
        assert_eq!(after.files.count, before.files.count - report.removable.count);
        assert_eq!(after.files.bytes, before.files.bytes - report.removable.bytes);
        assert!(slim(&after, &keep(kept)).files.is_empty(), "a second time there is nothing to lose");
    }
}

/// The content after a damaged part is unknown: a kept GPU may need it.
#[test]
fn what_was_not_read_in_full_stays() {
    let folder = tempfile::tempdir().unwrap();
    let name = "Kernels.so-000-gfx906.hsaco";
    let from = fixture("rocm/lib/rocblas/library").join(name);
    let bytes = fs::read(&from).unwrap();
    let path = folder.path().join(name);
    fs::write(&path, &bytes).unwrap();
    assert_eq!(slim(&look(folder.path()), &keep(&["gfx1030"])).removable.count, 1);
    fs::write(&path, &bytes[..bytes.len() - 40]).unwrap();
    let report = slim(&look(folder.path()), &keep(&["gfx1030"]));
    assert!(!report.complete && report.files.is_empty(), "{report:?}");
}

/// An archive for one target is a whole file, however many libraries' code it contains.
#[test]
fn archives_of_other_targets_are_whole_files() {
    let folder = fixture("containers/kpack");
    let report = slim(&look(&folder), &keep(&["gfx1100"]));
    let names: BTreeSet<&str> = report.files.iter().filter_map(|file| file.path.rsplit('/').next()).collect();
    let expected = ["demo_gfx906.kpack", "demo_gfx90a_xnack+.kpack", "overlay_gfx906.kpack"];
    assert_eq!(names, BTreeSet::from(expected));
    let bytes: u64 =
        expected.iter().map(|name| fs::metadata(folder.join(".kpack").join(name)).unwrap().len()).sum();
    assert_eq!(report.removable.bytes, bytes);
}

#[test]
fn a_gpu_that_nothing_is_for_is_said() {
    let report = slim(&look(&fixture("containers/kpack")), &keep(&["gfx1100", "gfx803"]));
    assert_eq!(report.without_code, ["gfx803"]);
}

/// Where no whole file can go, no command that deletes is advised.
#[test]
#[cfg(feature = "cli")]
fn nothing_is_advised_where_nothing_can_go() {
    let screen = |keep: &str| {
        let words = ["slim", "--keep", keep, "fixtures/rocm/lib/rocblas/library"];
        crate::common::program::text(&words)
    };
    assert!(screen("gfx906").contains("xargs -0 rm"));
    let all = "gfx803,gfx900,gfx906,gfx908,gfx90a,gfx942,gfx1010,gfx1030,gfx1100,gfx1101,gfx1102";
    let said = screen(all);
    assert!(said.contains("no whole file can go") && !said.contains("xargs"), "{said}");
}
