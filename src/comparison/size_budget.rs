//! How large artifacts may be: whole, or what is in them for one target.

use crate::error::NotUnderstood;
use crate::finding::Finding;
use crate::finding::amount::thousands;
use crate::finding::location::Location;
use crate::finding::rules::waste::SIZE_OVER_BUDGET;
use crate::input::disk_size::bytes_on_disk;
use crate::inventory::Inventory;
use crate::target::TargetId;
use std::path::Path;

/// Units of sizes, in bytes: those of disks, and those of memory.
const UNITS: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1000),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("B", 1),
    ("", 1),
];

/// The most bytes of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeBudget {
    /// The target whose code objects count, as they are inflated; none where the artifact counts as it is
    /// published: a file as it is, a folder with all files in it.
    pub target: Option<TargetId>,
    /// The most bytes.
    pub most: u64,
    /// The size as the user wrote it.
    pub written: String,
}

impl SizeBudget {
    /// Reads `500MiB` or `gfx906=120 MB`.
    ///
    /// # Errors
    /// What is expected, where the text is something else.
    pub fn parse(
        text: &str,
        target: impl Fn(&str) -> Result<TargetId, NotUnderstood>,
    ) -> Result<Self, NotUnderstood> {
        let (named, size) = match text.split_once('=') {
            Some((named, size)) => (Some(target(named.trim())?), size.trim()),
            None => (None, text.trim()),
        };
        let end = size.find(|c: char| c.is_ascii_alphabetic() || c == ' ').unwrap_or(size.len());
        let (number, unit) = size.split_at(end);
        let unit = UNITS.iter().find(|(name, _)| *name == unit.trim()).map(|(_, bytes)| *bytes);
        let number = number.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let (Some(number), Some(unit)) = (number, unit) else {
            return Err(format!(
                "{size:?} is no size: bytes are expected, or a number with kB, MB, GB, KiB, MiB or GiB, as in 500MiB or gfx906=120MB"
            )
            .into());
        };
        Ok(SizeBudget { target: named, most: (number * unit as f64) as u64, written: size.to_owned() })
    }
}

impl std::fmt::Display for SizeBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.target {
            Some(target) => write!(f, "{target}={}", self.written),
            None => f.write_str(&self.written),
        }
    }
}

/// What is larger than its budgets: each root by itself.
pub fn over_budget(inventory: &Inventory, budgets: &[SizeBudget]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, root) in inventory.roots.iter().enumerate() {
        for budget in budgets {
            let bytes = match &budget.target {
                Some(target) => bytes_of_target(inventory, number, target),
                None => bytes_on_disk(Path::new(root)),
            };
            if bytes > budget.most {
                let what = format!("{} bytes; {} are allowed", thousands(bytes), budget.written);
                let mut over = Finding::at(&SIZE_OVER_BUDGET, Location::file(root, &what));
                over.target = budget.target.as_ref().map(ToString::to_string);
                over.detail = what;
                found.push(over);
            }
        }
    }
    found
}

/// Bytes of a root's code objects for a target, inflated; a processor counts with all its features.
fn bytes_of_target(inventory: &Inventory, root: usize, target: &TargetId) -> u64 {
    let own = inventory.artifacts.iter().filter(|one| one.root == root && one.link_to.is_none());
    let targets = own.filter_map(|one| one.device.as_ref()).flat_map(|device| &device.targets);
    let is_it = |id: &TargetId| {
        id == target || (target.to_string() == target.processor && id.processor == target.processor)
    };
    targets.filter(|(id, _)| is_it(id)).map(|(_, code)| code.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let target = |text: &str| TargetId::parse(text).ok_or_else(|| NotUnderstood::from(text.to_owned()));
        let read = |text: &str| SizeBudget::parse(text, target).map(|own| (own.target, own.most));
        for (text, most) in
            [("0", 0), ("1500", 1500), ("1.5 kB", 1500), ("2MiB", 2 << 20), ("1 GB", 1_000_000_000)]
        {
            assert_eq!(read(text).ok(), Some((None, most)), "{text}");
        }
        assert_eq!(read("gfx906=1KiB").ok(), Some((Some(TargetId::bare("gfx906")), 1024)));
        for text in ["", "MB", "-1", "1 MiBs", "nan", "inf", "gfx906=", "1.2.3", "banana=1"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
