//! Counts what was found: turns the outcomes of entries into an inventory.

use super::cache_file::HOTSWAP;
use super::compiled_kernel::CompiledKernel;
use super::distributions::{PackageStatement, Stated, is_of_rocm};
use super::kernel_manifest::KernelManifest;
use super::kernel_sources::SourceText;
use super::linkage::{Linkage, is_library_name};
use super::outcome::{Alias, EntryOutcome, FileOutcome, PackageOutcome, Scanned};
use super::{
    Artifact, ArtifactKind, CountAndBytes, DeviceCode, Inventory, NotExamined, PackageFacts, Uncounted,
    copies,
};
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::format::{Format, Support};
use crate::input::package;
use crate::input::package::not_opened;
use crate::input::walk::{self, Entry};
use crate::limits::{
    COMPILED_KERNELS, KERNEL_MANIFESTS, LINKED_BYTES, LINKED_LIBRARIES, MANIFEST_ROWS_KEPT,
    PACKAGE_STATEMENTS, PROBLEMS_PER_RUN, SHARED_LIBRARIES,
};
use crate::locator::{file_name, slashed};
use crate::target::TargetId;
use std::collections::HashSet;

impl Inventory {
    /// Counts one entry.
    pub(crate) fn add(&mut self, entry: &Entry, outcome: EntryOutcome) {
        if !matches!(outcome, EntryOutcome::Excluded) {
            self.note_library(&entry.name(), entry.installed());
        }
        if !matches!(outcome, EntryOutcome::Excluded | EntryOutcome::Link(_)) {
            self.run_time_compilers.note(&entry.shown);
        }
        match outcome {
            EntryOutcome::File(file) => self.add_file(entry, *file),
            EntryOutcome::Package(package) => self.add_package(entry, *package),
            EntryOutcome::Passed { format, bytes } => {
                self.files.add(bytes);
                self.add_remainder(entry, format, bytes);
            }
            EntryOutcome::Excluded => self.excluded += 1,
            EntryOutcome::Alias(alias) => self.add_alias(entry, *alias),
            EntryOutcome::OtherName => {
                self.other_names += 1;
                self.note_other_name(entry);
            }
            EntryOutcome::Link(found) => {
                self.links += 1;
                self.note_other_name(entry);
                self.add_findings(found.into_iter().collect());
            }
            EntryOutcome::Special(found) => {
                self.note_not_examined(entry, "FIFO, socket or device", 0);
                self.add_findings(found.into_iter().collect());
            }
            EntryOutcome::Unreadable { bytes, found } => {
                self.files.add(bytes);
                self.remainder.entry(Uncounted::Unreadable).or_default().add(bytes);
                self.add_findings(found.into_iter().collect());
            }
        }
    }

    /// Records the place of a shared library, or of a link to one, under its name.
    fn note_library(&mut self, name: &str, installed: &str) {
        if !is_library_name(name) {
            return;
        }
        if self.libraries_kept >= SHARED_LIBRARIES {
            self.libraries_more += 1;
            return;
        }
        let places = self.shared_libraries.entry(name.to_owned()).or_default();
        self.libraries_kept += usize::from(places.insert(installed.to_owned()));
    }

    /// Completes the inventory; call it after all entries were counted.
    pub(crate) fn finish(&mut self) {
        if self.libraries_more > 0 {
            let what = format!(
                "{} more shared libraries than are kept: what is linked with them is not known in full",
                self.libraries_more
            );
            self.findings.push(Finding::of_file(&read::TOO_MANY_PARTS, "", what));
        }
        if self.findings_more > 0 {
            let what = format!("{} more findings are not listed", self.findings_more);
            self.findings.push(Finding::of_file(&read::MALFORMED_BYTES, "", what));
        }
        self.add_other_names();
        for artifact in self.artifacts.iter_mut().filter(|artifact| artifact.package.is_none()) {
            let installed = walk::installed(artifact.locator.member.as_deref(), &artifact.relative);
            artifact.package = self.ownership.owner(artifact.root, installed);
        }
        let compiled: HashSet<String> = self.compiled.iter().map(CompiledKernel::code_object).collect();
        for artifact in self.artifacts.iter_mut().filter(|artifact| compiled.contains(&artifact.shown)) {
            "Triton".clone_into(&mut artifact.library);
        }
        // Entries of caches have hashes as names, which name no library.
        for artifact in &mut self.artifacts {
            if let Some((of @ ("comgr" | "JAX" | "CuPy" | "torchinductor" | HOTSWAP), _)) = artifact.cache() {
                of.clone_into(&mut artifact.library);
            }
        }
        for (compiler, files) in self.kernel_sources.callers() {
            self.run_time_compilers.add_callers(compiler, files.files, files.first);
        }
        self.judge_archives();
        self.compare_code_objects();
    }

    fn add_file(&mut self, entry: &Entry, file: FileOutcome) {
        let FileOutcome { bytes, format, scanner, skipped, library, scanned, in_flight: _ } = file;
        self.files.add(bytes);
        let Scanned {
            kind,
            named_target,
            device,
            others,
            findings,
            linkage,
            own_list,
            owned,
            compiled,
            manifest,
            packages,
            text,
            ..
        } = scanned;
        if self.compiled.len() < COMPILED_KERNELS {
            self.compiled.extend(compiled.map(|kernel| *kernel));
        }
        if let Some(stated) = packages {
            self.add_packages_stated(*stated);
        }
        if let Some(manifest) = manifest {
            self.add_manifest(entry, *manifest);
        }
        let is_source = text.is_some();
        if let Some(text) = text {
            self.add_text(entry, *text);
        }
        if let Some(owned) = owned {
            self.ownership.add(entry.root, entry.installed(), *owned);
        }
        if !own_list.is_empty() {
            self.own_lists.push((entry.shown.clone(), own_list));
        }
        if let Some(one) = linkage {
            one.compiled_by.iter().for_each(|compiled| self.run_time_compilers.add(*compiled, &entry.shown));
            self.linked_bytes = self.linked_bytes.saturating_add(one.memory());
            if self.linkage.len() < LINKED_LIBRARIES && self.linked_bytes <= LINKED_BYTES {
                let whole = || std::path::absolute(&entry.path).unwrap_or_else(|_| entry.path.clone());
                let on_disk = entry.member.is_none().then(|| slashed(&whole()));
                self.linkage.push(Linkage { installed: entry.installed().to_owned(), on_disk, ..*one });
            } else {
                self.libraries_more += 1;
            }
        }
        // A file that could not be read may still have code.
        let damaged = findings.iter().any(Finding::is_damage);
        self.add_findings(findings);
        for what in device.iter().flat_map(|device| &device.unread) {
            self.note_not_examined(entry, what, 0);
        }
        let (Some(kind), Some(scanner)) = (kind, scanner) else {
            if skipped {
                self.remainder.entry(Uncounted::Skipped).or_default().add(bytes);
                return;
            }
            if is_source {
                self.remainder.entry(Uncounted::Source).or_default().add(bytes);
                return;
            }
            self.add_remainder(entry, format, bytes);
            let library = library.filter(|_| !damaged);
            self.libraries_without_code.extend(library.map(|library| (library, entry.shown.clone())));
            return;
        };
        let found = SharedEntryFacts { entry, scanner, named_target, kind };
        let mut own = bytes;
        for (library, part, device) in others {
            own = own.saturating_sub(part);
            self.artifacts.push(found.artifact(library, part, Some(device)));
        }
        self.artifacts.push(found.artifact(library.unwrap_or_default(), own, device));
    }

    fn add_manifest(&mut self, entry: &Entry, manifest: KernelManifest) {
        let rows: usize = self.manifests.iter().map(|known| known.rows.len()).sum();
        if self.manifests.len() < KERNEL_MANIFESTS && rows < MANIFEST_ROWS_KEPT {
            self.manifests.push(manifest);
            return;
        }
        let what = "more tables of kernels than are kept: what this one names is not looked for";
        self.add_findings(vec![Finding::of_file(&read::TOO_MANY_PARTS, &entry.shown, what)]);
    }

    fn add_text(&mut self, entry: &Entry, text: SourceText) {
        if !self.kernel_sources.add(text, entry.root, &entry.shown, entry.installed()) {
            let what = "more packages have kernel sources than a run keeps: nothing is said of the sources of this one";
            self.add_findings(vec![Finding::of_file(&read::TOO_MANY_PARTS, &entry.shown, what)]);
        }
    }

    fn add_packages_stated(&mut self, stated: PackageStatement) {
        // Most packages of an environment need nothing of ROCm's and are nothing that it needs.
        let matters = match &stated.stated {
            Stated::Package(package) => is_of_rocm(&package.name) || !package.requires.is_empty(),
            Stated::List(_) => true,
        };
        if matters && self.packages_stated.len() < PACKAGE_STATEMENTS {
            self.packages_stated.push(stated);
        }
    }

    fn add_package(&mut self, entry: &Entry, package: PackageOutcome) {
        self.add_findings(package.findings);
        let before = self.files;
        for (format, tally) in package.passed {
            self.files.merge(tally);
            self.remainder.entry(Uncounted::Format(format)).or_default().merge(tally);
        }
        if package.left_out.count > 0 {
            self.files.merge(package.left_out);
            self.remainder.entry(Uncounted::Unreadable).or_default().merge(package.left_out);
        }
        self.run_time_compilers.merge(package.run_time_compilers);
        self.links += package.links;
        self.excluded += package.excluded;
        for installed in &package.linked {
            self.note_library(file_name(installed), installed);
        }
        for (mut member, outcome) in package.members {
            // For a package inside a package, the inner one names the identity.
            member.package = package.identity.clone().or_else(|| entry.package.clone());
            self.add(&member, outcome);
        }
        let members =
            CountAndBytes { count: self.files.count - before.count, bytes: self.files.bytes - before.bytes };
        if members.count == 0 {
            // Nothing inside it was read, so it counts as one file.
            self.files.add(package.bytes);
            self.remainder.entry(Uncounted::Format(package.format)).or_default().add(package.bytes);
            return;
        }
        let (shown, format, bytes) = (entry.shown.clone(), package.format, package.bytes);
        let (layers, identity) = (package.layers, package.identity);
        self.packages.push(PackageFacts { shown, format, bytes, members, layers, identity });
    }

    fn add_alias(&mut self, entry: &Entry, alias: Alias) {
        self.links += 1;
        let Alias { scanner, library, kind, named_target } = alias;
        self.artifacts.push(SharedEntryFacts { entry, scanner, named_target, kind }.artifact(
            library.to_owned(),
            0,
            None,
        ));
    }

    /// Counts a file in which nothing was found, and names it if it was not examined.
    fn add_remainder(&mut self, entry: &Entry, format: Format, bytes: u64) {
        self.remainder.entry(Uncounted::Format(format)).or_default().add(bytes);
        // A thin archive's members are files next to it. If the archive itself is a root, nothing reads them.
        let alone = format == Format::ThinArchive && self.is_root(entry);
        if format.support() == Support::NotYet || format == Format::ThinArchive {
            self.note_not_examined(entry, format.name(), bytes);
        }
        let refused = package::refusal(format);
        if format.support() == Support::NotYet || refused.is_some() || alone {
            let found = Finding::of_file(&read::CONTAINER_NOT_OPENED, &entry.shown, not_opened(format));
            self.add_findings(vec![found]);
        }
        if let Some(what) = refused {
            self.note_not_examined(entry, &what, bytes);
        }
    }

    /// Whether an entry is a root itself, not something inside one.
    fn is_root(&self, entry: &Entry) -> bool {
        entry.member.is_none()
            && self.roots.get(entry.root).is_some_and(|root| *root == entry.path.to_string_lossy())
    }

    fn note_not_examined(&mut self, entry: &Entry, what: &str, bytes: u64) {
        let (what, shown) = (what.to_owned(), entry.shown.clone());
        self.not_examined.push(NotExamined { what, shown, bytes });
    }

    /// Keeps findings up to a limit; one more finding says how many there were.
    pub(crate) fn add_findings(&mut self, findings: Vec<Finding>) {
        let room = PROBLEMS_PER_RUN.saturating_sub(self.findings.len());
        self.findings_more += findings.len().saturating_sub(room) as u64;
        self.findings.extend(findings.into_iter().take(room));
    }

    fn compare_code_objects(&mut self) {
        let parts = self.artifacts.iter_mut().filter_map(|a| {
            let parts = &mut a.device.as_mut()?.parts;
            (!parts.is_empty()).then_some((&a.locator, &mut parts[..]))
        });
        self.duplicates = copies::find(parts.collect());
        if !self.keep_code_objects {
            self.artifacts.iter_mut().filter_map(|a| a.device.as_mut()).for_each(|d| d.parts = Vec::new());
        }
    }
}

/// Facts that all artifacts of one entry share.
struct SharedEntryFacts<'a> {
    entry: &'a Entry,
    scanner: &'static str,
    named_target: Option<TargetId>,
    kind: ArtifactKind,
}

impl SharedEntryFacts<'_> {
    fn artifact(&self, library: String, bytes: u64, device: Option<DeviceCode>) -> Artifact {
        Artifact {
            shown: self.entry.shown.clone(),
            root: self.entry.root,
            relative: self.entry.relative.clone(),
            locator: self.entry.locator(),
            owner: self.entry.owner.clone(),
            package: self.entry.package.clone(),
            library,
            scanner: self.scanner,
            bytes,
            named_target: self.named_target.clone(),
            kind: self.kind.clone(),
            device,
            link_to: None,
        }
    }
}
