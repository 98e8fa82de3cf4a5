//! Results of auditing one path: its code objects and damage.

use rocm_audit::inventory::Inventory;
use rocm_audit::scan::run::{Options, Silent, audit};
use std::path::{Path, PathBuf};

/// The folder with a sample of each form.
pub fn forms() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/forms")
}

/// The inventory of a path.
pub fn look(path: &Path) -> Inventory {
    audit(&[path.to_owned()], &Options::default(), &Silent, None).unwrap()
}

/// Number of its code objects.
pub fn objects(inventory: &Inventory) -> u64 {
    let devices = inventory.artifacts.iter().filter_map(|artifact| artifact.device.as_ref());
    devices.flat_map(|device| device.targets.values()).map(|target| target.objects).sum()
}

/// Parts that could not be read in full.
pub fn damage(inventory: &Inventory) -> Vec<String> {
    inventory.findings.iter().filter(|finding| finding.is_damage()).map(ToString::to_string).collect()
}

pub fn found(bytes: &[u8]) -> (u64, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("package");
    std::fs::write(&path, bytes).unwrap();
    let inventory = look(&path);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is written beside the package");
    (objects(&inventory), damage(&inventory).join("\n"))
}
