//! MIOpen's release by the libraries that are here, and the users' databases that another release wrote.

use crate::engines::miopen::release_text::{Numbers, of_user_database};
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::miopen::OTHER_RELEASE;
use crate::inventory::Inventory;
use crate::locator::file_name;
use std::collections::BTreeSet;

/// What stands before ROCm's release in the name of AMD's library: `libMIOpen.so.1.0.60403` is of ROCm 6.4.3.
const LIBRARY: &str = "libMIOpen.so.1.0.";

/// MIOpen's release by ROCm's major and minor one, from its change log (rocm-libraries 5972d142469b).
const RELEASES: [((u32, u32), Numbers); 5] =
    [((6, 3), (3, 3, 0)), ((6, 4), (3, 4, 0)), ((7, 0), (3, 5, 0)), ((7, 1), (3, 5, 1)), ((7, 2), (3, 5, 1))];

/// The release that a library's name states.
fn named(file: &str) -> Option<Numbers> {
    let number: u32 = file.strip_prefix(LIBRARY)?.parse().ok()?;
    let rocm = (number / 10_000, number / 100 % 100);
    RELEASES.iter().find(|(of, _)| *of == rocm).map(|(_, release)| *release)
}

/// The releases of the libraries that are here: as their constants say, else their names.
pub(super) fn releases(inventory: &Inventory) -> BTreeSet<Numbers> {
    let stated: BTreeSet<Numbers> = inventory.linkage.iter().filter_map(|linked| linked.miopen).collect();
    if !stated.is_empty() {
        return stated;
    }
    let artifacts = inventory.artifacts.iter().map(|artifact| &artifact.shown);
    let linked = inventory.linkage.iter().map(|linked| &linked.shown);
    artifacts.chain(linked).filter_map(|shown| named(file_name(shown))).collect()
}

/// Users' databases that no library here opens, since another release wrote them: a finding for each.
pub(super) fn databases_of_others(inventory: &Inventory) -> Vec<Finding> {
    let releases = releases(inventory);
    let text = |(major, minor, patch): &Numbers| format!("{major}.{minor}.{patch}");
    let here = releases.iter().map(text).collect::<Vec<_>>().join(" and ");
    let of_others = |shown: &str| {
        let wrote = of_user_database(shown).filter(|wrote| !releases.contains(wrote))?;
        let what = format!("written by MIOpen {}, and {here} is here", text(&wrote));
        Some(Finding::at(&OTHER_RELEASE, Location::file(shown, what)))
    };
    if releases.is_empty() {
        return Vec::new();
    }
    let files = inventory.artifacts.iter().filter(|artifact| artifact.link_to.is_none());
    files.filter_map(|artifact| of_others(&artifact.shown)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::linkage::Linkage;

    #[test]
    fn a_librarys_name_states_its_release() {
        assert_eq!(named("libMIOpen.so.1.0.60403"), Some((3, 4, 0)));
        assert_eq!(named("libMIOpen.so.1.0.70200"), Some((3, 5, 1)));
        for other in ["libMIOpen.so.1.0", "libMIOpen.so.1", "libMIOpen.so.1.0.50700", "libMIOpen.so.1.0.x"] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn what_a_library_says_goes_before_its_name() {
        let linked = |shown: &str, miopen| Linkage { shown: shown.to_owned(), miopen, ..Linkage::default() };
        let of = |linkage: Vec<Linkage>| {
            let found = releases(&Inventory { linkage, ..Inventory::default() });
            found.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(of(vec![linked("lib/libMIOpen.so.1.0.60403", None)]), [(3, 4, 0)]);
        assert_eq!(of(vec![linked("lib/libMIOpen.so.1.0.60403", Some((3, 3, 0)))]), [(3, 3, 0)]);
        assert_eq!(of(vec![linked("libs/convolutions.so", Some((3, 5, 1)))]), [(3, 5, 1)]);
        assert_eq!(of(vec![linked("libs/convolutions.so", None)]), []);
    }
}
