//! Wheels as sets: which of the packages that a package or a list of packages asks for are not here.

use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::linking::PACKAGE_NOT_HERE;
use crate::inventory::Inventory;
use crate::inventory::distributions::{Distribution, PackageStatement, Requirement, Stated};
use rocm_audit_files::key_map::KeyMap;

/// Places of a finding that are kept.
const MOST_PLACES: usize = 20;

/// One finding for each package or list that asks for what is not here. A list alone asks nothing of a tree
/// without packages.
pub(super) fn package_set_findings(inventory: &Inventory) -> Vec<Finding> {
    let packages = || inventory.packages_stated.iter().filter_map(package);
    let here: KeyMap<&str, &str> = packages().map(|one| (one.name.as_str(), one.version.as_str())).collect();
    if here.is_empty() {
        return Vec::new();
    }
    inventory.packages_stated.iter().filter_map(|statement| missing(statement, &here)).collect()
}

fn package(statement: &PackageStatement) -> Option<&Distribution> {
    match &statement.stated {
        Stated::Package(package) => Some(package),
        Stated::List(_) => None,
    }
}

fn missing(statement: &PackageStatement, here: &KeyMap<&str, &str>) -> Option<Finding> {
    let (who, asked) = match &statement.stated {
        Stated::Package(package) => {
            (format!("{} {} needs", package.name, package.version), &package.requires)
        }
        Stated::List(asked) => ("names".to_owned(), asked),
    };
    let place = |one: &Requirement| {
        let wanted = one.version.as_ref().map_or(String::new(), |version| format!(" {version}"));
        let what = match here.get(one.name.as_str()) {
            None => format!("{who} {}{wanted}, which is not here", one.name),
            Some(own) if one.version.as_deref().is_some_and(|wanted| !is_same(wanted, own)) => {
                format!("{who} {}{wanted}, and {own} is here", one.name)
            }
            Some(_) => return None,
        };
        Some(Location { offset: Some(one.offset), ..Location::file(&statement.shown, what) })
    };
    let places: Vec<Location> = asked.iter().filter_map(place).collect();
    let count = places.len() as u64;
    let locations = places.into_iter().take(MOST_PLACES).collect();
    (count > 0).then(|| Finding { count, locations, ..Finding::new(&PACKAGE_NOT_HERE) })
}

/// Whether two versions are one: a local part that only one of them has says who built it.
fn is_same(wanted: &str, own: &str) -> bool {
    let public = |version: &str| version.split('+').next().unwrap_or(version).to_owned();
    wanted == own || !wanted.contains('+') && wanted == public(own)
}

/// The first package that needs another one of ROCm's which is not here, as a clause.
pub(super) fn needing(inventory: &Inventory) -> Option<String> {
    let here = |name: &str| inventory.packages_stated.iter().filter_map(package).any(|one| one.name == name);
    inventory.packages_stated.iter().filter_map(package).find_map(|one| {
        let lacking = one.requires.iter().find(|needed| !here(&needed.name))?;
        Some(format!("{} {} needs {}, which is not here", one.name, one.version, lacking.name))
    })
}

/// The list that names a package, where one does.
pub(super) fn list_with<'i>(inventory: &'i Inventory, name: &str) -> Option<&'i str> {
    inventory.packages_stated.iter().find_map(|statement| match &statement.stated {
        Stated::List(all) if all.iter().any(|one| one.name == name) => Some(statement.shown.as_str()),
        _ => None,
    })
}
