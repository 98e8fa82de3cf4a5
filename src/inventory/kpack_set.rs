//! Packages named together count as one install: a library's marker may lead to archives in another package,
//! as with a wheel of device code for the wheel of its host. Source: rocm-kpack's loader, which starts from
//! the folder of the library.

use super::{Artifact, Inventory};
use crate::container::kpack::Reference;
use crate::finding::Finding;
use crate::finding::rules::kpack::{ARCHIVE_MISSING, ARCHIVE_ORPHANED, VARIABLES_MISSING};
use crate::format::Format;
use crate::input::walk;
use crate::locator::{Locator, without_dots};
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl Inventory {
    /// The library for each archive in a package, by the archive's location: the packaged library whose
    /// marker leads there, if one exists or if all lie in one package.
    pub fn homes_of_archives(&self) -> KeyMap<&Locator, &Artifact> {
        let hosts: Vec<(String, &Reference, &Artifact)> = self
            .artifacts
            .iter()
            .filter_map(|host| Some((installed_path(host)?, host.device.as_ref()?.kpack.as_ref()?, host)))
            .collect();
        let mut homes = KeyMap::new();
        for archive in self.artifacts.iter().filter(|artifact| !hosts.is_empty() && is_archive(artifact)) {
            let Some(path) = installed_path(archive) else { continue };
            let mut leading =
                hosts.iter().filter(|(own, reference, _)| leads_to(own, reference, &path).is_some());
            let Some((_, _, first)) = leading.next() else { continue };
            if leading.all(|(_, _, other)| other.locator.path == first.locator.path) {
                homes.insert(&archive.locator, *first);
            }
        }
        homes
    }

    /// Archives of device code whose library is here, by location and library name, with the processors for
    /// which the library looks there: none if it looks elsewhere or for another name.
    pub fn asked_archives(&self) -> KeyMap<(&Locator, &str), BTreeSet<String>> {
        let mut hosts: KeyMap<&str, Vec<(KpackPlace, &Reference)>> = KeyMap::new();
        for host in &self.artifacts {
            if let Some(reference) = host.device.as_ref().and_then(|device| device.kpack.as_ref()) {
                hosts
                    .entry(&host.library)
                    .or_default()
                    .extend(KpackPlace::from_artifact(host).map(|place| (place, reference)));
            }
        }
        let asked = |archive: &'_ Artifact| -> Option<BTreeSet<String>> {
            let (place, hosts) = (KpackPlace::from_artifact(archive)?, hosts.get(archive.library.as_str())?);
            let mut beside = hosts.iter().filter(|(own, _)| own.is_like(&place)).peekable();
            beside.peek()?;
            Some(beside.filter_map(|(own, reference)| own.leads_to(reference, &place)).collect())
        };
        let archives = self.artifacts.iter().filter(|one| !hosts.is_empty() && is_archive(one));
        archives
            .filter_map(|archive| Some(((&archive.locator, archive.library.as_str()), asked(archive)?)))
            .collect()
    }

    /// Finds packaged libraries whose archives are in none of the packages read, and archives that no library
    /// looks for.
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
            let leads = archives.iter().any(|archive| leads_to(&own, reference, archive).is_some());
            let what = format!(
                "its code is in {}, and none of the packages that were read has that",
                reference.search_paths().join(" or ")
            );
            (!leads).then(|| Finding::of_file(&ARCHIVE_MISSING, &artifact.shown, what))
        };
        let mut found: Vec<Finding> = self.artifacts.iter().filter_map(missing).collect();
        let asked = self.asked_archives();
        let is_stray = |one: &&Artifact| {
            let Some(asked) = asked.get(&(&one.locator, one.library.as_str())) else { return false };
            let mut targets = one.device.iter().flat_map(|device| device.targets.keys()).peekable();
            targets.peek().is_some() && targets.all(|target| !asked.contains(&target.processor))
        };
        found.extend(self.artifacts.iter().filter(is_stray).map(|archive| {
            let what = format!("code of {}, which looks elsewhere or for another name", archive.library);
            Finding::of_file(&ARCHIVE_ORPHANED, &archive.shown, what)
        }));
        self.add_findings(found);
        self.tell_variables_from_kernels();
    }

    /// If a library registers only variables of its device code and no kernel, no launch fails without the
    /// archive.
    fn tell_variables_from_kernels(&mut self) {
        let only_variables = |path: &str| {
            let linkage = self.linkage.iter().find(|one| one.shown == path);
            linkage.is_some_and(|one| one.registers.variables && !one.registers.kernels)
        };
        for finding in self.findings.iter_mut().filter(|finding| finding.rule == &ARCHIVE_MISSING) {
            if finding.locations.iter().all(|place| only_variables(&place.path)) {
                finding.rule = &VARIABLES_MISSING;
            }
        }
    }
}

/// Where a library or archive lies: on disk, or where it will be once the packages are installed.
enum KpackPlace {
    OnDisk(PathBuf),
    Installed(String),
}

impl KpackPlace {
    fn from_artifact(artifact: &Artifact) -> Option<Self> {
        match artifact.locator.member {
            None => Some(KpackPlace::OnDisk(artifact.locator.path.clone())),
            Some(_) => installed_path(artifact).map(KpackPlace::Installed),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        matches!(self, KpackPlace::OnDisk(_)) == matches!(other, KpackPlace::OnDisk(_))
    }

    /// The processor for which this library's marker leads to an archive. On disk it follows links, as the
    /// loader does.
    fn leads_to(&self, reference: &Reference, archive: &Self) -> Option<String> {
        match (self, archive) {
            (KpackPlace::Installed(own), KpackPlace::Installed(archive)) => leads_to(own, reference, archive),
            (KpackPlace::OnDisk(own), KpackPlace::OnDisk(archive)) => {
                let name = archive.file_name()?.to_string_lossy();
                let folder =
                    |path: &Path| path.parent().unwrap_or(Path::new("")).join(".").canonicalize().ok();
                let (of_library, of_archive) = (folder(own), folder(archive));
                reference.search_paths().iter().find_map(|pattern| {
                    let (below, asked) = asked_as(pattern, &name);
                    let looked = of_library.as_ref()?.join(below).canonicalize().ok()?;
                    let target = reference.target_of(&asked).filter(|_| Some(&looked) == of_archive.as_ref());
                    target.map(|target| target.processor)
                })
            }
            _ => None,
        }
    }
}

fn is_archive(artifact: &Artifact) -> bool {
    artifact.device.as_ref().is_some_and(|device| device.format == Some(Format::Kpack))
}

/// Path of a package's member after installation, below the folder for its kind; `None` for a file on disk.
fn installed_path(artifact: &Artifact) -> Option<String> {
    let member = artifact.locator.member.as_deref()?;
    without_dots(walk::installed(Some(member), ""))
}

/// The folder of a search path, and the path by which an archive of this name is requested.
fn asked_as<'p>(pattern: &'p str, name: &str) -> (&'p str, String) {
    match pattern.rsplit_once('/') {
        Some((below, _)) => (below, format!("{below}/{name}")),
        None => ("", name.to_owned()),
    }
}

/// The processor for which the marker of the library at `own` leads to the archive at `archive`.
fn leads_to(own: &str, reference: &Reference, archive: &str) -> Option<String> {
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (place, name) = archive.rsplit_once('/').unwrap_or(("", archive));
    reference.search_paths().iter().find_map(|pattern| {
        let (below, asked) = asked_as(pattern, name);
        let is_there = without_dots(&format!("{folder}/{below}")).as_deref() == Some(place);
        reference.target_of(&asked).filter(|_| is_there).map(|target| target.processor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_lead_from_the_folder_of_the_library() {
        let reference = Reference::new("lib/libdemo.so", vec!["../.kpack/demo_@GFXARCH@.kpack".into()]);
        let leads = |own: &str, archive: &str| leads_to(own, &reference, archive);
        assert_eq!(
            leads("torch/lib/libdemo.so", "torch/.kpack/demo_gfx906.kpack").as_deref(),
            Some("gfx906")
        );
        assert_eq!(leads("torch/lib/libdemo.so", "other/.kpack/demo_gfx906.kpack"), None);
        assert_eq!(leads("torch/lib/libdemo.so", "torch/.kpack/other_gfx906.kpack"), None);
        assert_eq!(leads("libdemo.so", ".kpack/demo_gfx906.kpack"), None, "leads out of the install");
    }
}
