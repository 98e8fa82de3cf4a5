//! Packages that were named together are one install: the archives that a library's marker leads to may lie in another of them, as
//! a wheel of device code lies beside the wheel of its host. Source: rocm-kpack's loader, which looks from the folder of the library.

use super::{Artifact, Inventory};
use crate::container::kpack::Reference;
use crate::finding::Finding;
use crate::finding::rules::kpack::ARCHIVE_MISSING;
use crate::format::Format;
use crate::locator::{Locator, NESTED};
use std::collections::{BTreeMap, BTreeSet};

impl Inventory {
    /// For archives in packages, by their places: the library in a package whose marker leads there, where there is one, or where
    /// all lie in one package.
    pub fn homes_of_archives(&self) -> BTreeMap<&Locator, &Artifact> {
        let hosts: Vec<(String, &Reference, &Artifact)> = self
            .artifacts
            .iter()
            .filter_map(|host| Some((installed_path(host)?, host.device.as_ref()?.kpack.as_ref()?, host)))
            .collect();
        let mut homes = BTreeMap::new();
        for archive in self.artifacts.iter().filter(|artifact| !hosts.is_empty() && is_archive(artifact)) {
            let Some(path) = installed_path(archive) else { continue };
            let mut leading = hosts.iter().filter(|(own, reference, _)| leads_to(own, reference, &path));
            let Some((_, _, first)) = leading.next() else { continue };
            if leading.all(|(_, _, other)| other.locator.path == first.locator.path) {
                homes.insert(&archive.locator, *first);
            }
        }
        homes
    }

    /// Finds the libraries in packages whose archives are in none of the packages that were read.
    pub(super) fn judge_archives(&mut self) {
        let archives: BTreeSet<String> = self
            .artifacts
            .iter()
            .filter(|artifact| is_archive(artifact))
            .filter_map(installed_path)
            .collect();
        let missing = |artifact: &Artifact| {
            let reference = artifact.device.as_ref()?.kpack.as_ref()?;
            let own = installed_path(artifact)?;
            let leads = archives.iter().any(|archive| leads_to(&own, reference, archive));
            let what = format!(
                "its code is in {}, and none of the packages that were read has that",
                reference.search_paths.join(" or ")
            );
            (!leads).then(|| Finding::of_file(&ARCHIVE_MISSING, &artifact.shown, what))
        };
        let found: Vec<Finding> = self.artifacts.iter().filter_map(missing).collect();
        self.add_findings(found);
    }
}

fn is_archive(artifact: &Artifact) -> bool {
    artifact.device.as_ref().is_some_and(|device| device.format == Some(Format::Kpack))
}

/// Where the member of a package is installed, below the folder that its like are installed to; nothing of a file on disk.
fn installed_path(artifact: &Artifact) -> Option<String> {
    let member = artifact.locator.member.as_deref()?;
    let path = member.rsplit_once(NESTED).map_or(member, |(_, path)| path);
    // What a wheel has for other folders (binary distribution format, "The .data directory").
    let data = path.split_once(".data/").and_then(|(_, rest)| rest.split_once('/'));
    let path =
        data.filter(|(kind, _)| ["purelib", "platlib", "data"].contains(kind)).map_or(path, |(_, path)| path);
    normal(path)
}

/// A path without `.` and `..`; nothing for one that leads out.
fn normal(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether the marker of the library at `own` leads to the archive at `archive`, for some target.
fn leads_to(own: &str, reference: &Reference, archive: &str) -> bool {
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (place, name) = archive.rsplit_once('/').unwrap_or(("", archive));
    reference.search_paths.iter().any(|pattern| {
        let below = pattern.rsplit_once('/').map_or("", |(below, _)| below);
        let asked = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        normal(&format!("{folder}/{below}")).as_deref() == Some(place)
            && reference.target_of(&asked).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_lead_from_the_folder_of_the_library() {
        let reference = Reference {
            kernel_name: "lib/libdemo.so".into(),
            search_paths: vec!["../.kpack/demo_@GFXARCH@.kpack".into()],
        };
        assert!(leads_to("torch/lib/libdemo.so", &reference, "torch/.kpack/demo_gfx906.kpack"));
        assert!(!leads_to("torch/lib/libdemo.so", &reference, "other/.kpack/demo_gfx906.kpack"));
        assert!(!leads_to("torch/lib/libdemo.so", &reference, "torch/.kpack/other_gfx906.kpack"));
        assert!(!leads_to("libdemo.so", &reference, ".kpack/demo_gfx906.kpack"), "leads out of the install");
    }
}
