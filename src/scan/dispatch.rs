//! Looks at one entry of a tree: a file, with the scanner that claims it, or a package, member by member.

use crate::budget::InflateBudget;
use crate::finding::read_fault::{FaultKind, ReadFault};
use crate::format::{Format, Support};
use crate::input::package::{Content, Member, Opened, Package, is_package};
use crate::input::walk::{Entry, Kind};
use crate::inventory::Tally;
use crate::limits::{PACKAGE_DEPTH, PROBLEMS_PER_RUN};
use crate::locator::Locator;
use crate::scan::artifacts::firmware;
use crate::scan::run::{Options, Progress};
use crate::scan::{Candidate, Lines, SCANNERS, Scanned, Scanner, Settings};
use crate::source::{Access, SourceFile};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What looking at one entry gave.
pub(crate) enum EntryOutcome {
    File {
        bytes: u64,
        format: Format,
        scanner: Option<&'static str>,
        skipped: bool,
        scanned: Box<Scanned>,
    },
    Package(Members),
    /// A member that no scanner wants and that was therefore not unpacked.
    Passed {
        format: Format,
        bytes: u64,
    },
    /// A member that the user leaves out.
    Excluded,
    Link {
        leads: bool,
    },
    Special,
    /// What the system said, where it is not told with the package already.
    Unreadable {
        bytes: u64,
        what: Option<String>,
    },
}

/// What a package gave.
pub(crate) struct Members {
    pub format: Format,
    pub bytes: u64,
    /// Members with something to say.
    pub members: Vec<(Entry, EntryOutcome)>,
    /// Members that no scanner wants, by format.
    pub passed: BTreeMap<Format, Tally>,
    pub links: u64,
    pub excluded: u64,
    pub problems: Vec<ReadFault>,
}

impl Members {
    fn add(&mut self, member: Entry, examined: EntryOutcome, problems: Vec<ReadFault>) {
        let room = PROBLEMS_PER_RUN.saturating_sub(self.problems.len());
        self.problems.extend(problems.into_iter().take(room));
        match examined {
            EntryOutcome::Passed { format, bytes } if format.support() != Support::NotYet => {
                self.passed.entry(format).or_default().add(bytes);
            }
            EntryOutcome::Excluded => self.excluded += 1,
            EntryOutcome::Link { .. }
                if !firmware::is_firmware(&member.locator().shown(), &member.name()) =>
            {
                self.links += 1;
            }
            examined => self.members.push((member, examined)),
        }
    }
}

/// What files are counted under that a scanner would read and was told not to.
pub(crate) const SKIPPED: &str = "skipped by --only or --skip";

/// How entries are looked at in one run.
pub(crate) struct Dispatch<'a> {
    pub options: &'a Options,
    pub settings: Settings<'a>,
    pub progress: &'a dyn Progress,
}

impl Dispatch<'_> {
    /// Looks at an entry. Lines of the kernel inventory come in order.
    pub fn entry(&self, entry: &Entry, lines: &mut Lines<'_>) -> EntryOutcome {
        let bytes = match &entry.kind {
            Kind::File(bytes) => *bytes,
            Kind::Link(leads) => return EntryOutcome::Link { leads: *leads },
            Kind::Special => return EntryOutcome::Special,
            Kind::Unreadable(what) => return EntryOutcome::Unreadable { bytes: 0, what: Some(what.clone()) },
        };
        match SourceFile::open(&entry.path) {
            Ok(file) => self.file(entry, file, None, lines),
            Err(error) => {
                self.progress.advance(&entry.shown, bytes);
                EntryOutcome::Unreadable { bytes, what: Some(error.to_string()) }
            }
        }
    }

    /// Looks at a file; `outer` is what the package that it is a member of may still unpack, and how deep it lies.
    fn file(
        &self,
        entry: &Entry,
        file: SourceFile,
        outer: Option<(&InflateBudget, usize)>,
        lines: &mut Lines<'_>,
    ) -> EntryOutcome {
        let format = Format::identify(file.head());
        let name = entry.name();
        let path = entry.locator().shown();
        let claiming =
            claiming(&Candidate { path: &path, shown: &entry.shown, name: &name, format, file: &file });
        let depth = outer.map_or(0, |(_, depth)| depth);
        // The members of a thin archive are files beside it, which the walk comes to by itself.
        let package = claiming.is_none() && is_package(format) && format != Format::ThinArchive;
        if package && depth < PACKAGE_DEPTH {
            let own = InflateBudget::of(file.len());
            let allowance = outer.map_or(&own, |(allowance, _)| allowance);
            return self.package(entry, file, format, allowance, depth, lines);
        }
        let scanner = claiming.filter(|s| self.options.uses(s.id));
        file.expect(Access::Content);
        let candidate = Candidate { path: &path, shown: &entry.shown, name: &name, format, file: &file };
        let settings = Settings { allowance: outer.map(|(allowance, _)| allowance), ..self.settings };
        let mut scanned = scanner.map(|s| (s.scan)(&candidate, &settings, lines)).unwrap_or_default();
        if let Err(what) = file.check_unchanged() {
            scanned.problems.push(ReadFault::file(FaultKind::Changed, &entry.shown, what));
        }
        if package {
            let what = format!("lies in {PACKAGE_DEPTH} packages, one in the other, and is not opened");
            scanned.problems.push(ReadFault::file(FaultKind::Malformed, &entry.shown, what));
        }
        if outer.is_none() {
            self.progress.advance(&entry.shown, file.len());
        }
        EntryOutcome::File {
            bytes: file.len(),
            format,
            scanner: scanner.map(|s| s.id),
            skipped: claiming.is_some() && scanner.is_none(),
            scanned: Box::new(scanned),
        }
    }

    fn package(
        &self,
        entry: &Entry,
        file: SourceFile,
        format: Format,
        allowance: &InflateBudget,
        depth: usize,
        lines: &mut Lines<'_>,
    ) -> EntryOutcome {
        file.expect(Access::Content);
        let file = Arc::new(file);
        let package = Package::new(Arc::clone(&file), format, allowance);
        let wants = |locator: &Locator, head: &[u8]| self.wants(locator, head);
        let mut all = Members {
            format,
            bytes: file.len(),
            members: Vec::new(),
            passed: BTreeMap::new(),
            links: 0,
            excluded: 0,
            problems: Vec::new(),
        };
        let mut reported = 0;
        let walked = package.for_each_batch(&wants, &mut |batch| {
            let packed: u64 = batch.iter().map(|m| m.packed).sum();
            let look = |member: Member<'_>, lines: &mut Lines<'_>| {
                let found = entry.within(&member.name, Kind::File(member.size));
                if self.options.exclude.has_member(&member.name) {
                    return (found, EntryOutcome::Excluded, Vec::new());
                }
                let opened = member.open(&wants);
                self.member(entry, found, opened, (allowance, depth + 1), lines)
            };
            let mut found: Vec<(Entry, EntryOutcome, Vec<ReadFault>)> = Vec::with_capacity(batch.len());
            // Lines of a kernel inventory are written as they come: all of them can be more than the package.
            if batch.len() == 1 || self.settings.kernels.is_some() {
                found.extend(batch.into_iter().map(|member| look(member, lines)));
            } else {
                let looked = batch.into_par_iter().map(|member| {
                    let mut own = Vec::new();
                    let found = look(member, &mut |more| own.extend_from_slice(more));
                    (found, own)
                });
                for (one, own) in looked.collect::<Vec<_>>() {
                    lines(&own);
                    found.push(one);
                }
            }
            for (member, examined, problems) in found {
                all.add(member, examined, problems);
            }
            if depth == 0 {
                reported += packed;
                self.progress.advance(&entry.shown, packed);
            }
        });
        if depth == 0 {
            self.progress.advance(&entry.shown, file.len().saturating_sub(reported));
        }
        if walked.opaque {
            return EntryOutcome::Passed { format, bytes: file.len() };
        }
        all.problems.extend(ReadFault::all(&entry.shown, &walked.problems));
        if let Err(what) = file.check_unchanged() {
            all.problems.push(ReadFault::file(FaultKind::Changed, &entry.shown, what));
        }
        EntryOutcome::Package(all)
    }

    fn member(
        &self,
        package: &Entry,
        found: Entry,
        opened: Opened,
        outer: (&InflateBudget, usize),
        lines: &mut Lines<'_>,
    ) -> (Entry, EntryOutcome, Vec<ReadFault>) {
        let bytes = if let Kind::File(bytes) = found.kind { bytes } else { 0 };
        let problems = ReadFault::all(&package.shown, &opened.problems);
        let examined = match opened.content {
            Content::File(file) => self.file(&found, file, Some(outer), lines),
            Content::Passed(format) => EntryOutcome::Passed { format, bytes },
            Content::Link => EntryOutcome::Link { leads: true },
            Content::Special => EntryOutcome::Special,
            Content::Unread => EntryOutcome::Unreadable { bytes, what: None },
        };
        (found, examined, problems)
    }

    /// Whether a member is worth unpacking.
    fn wants(&self, locator: &Locator, head: &[u8]) -> bool {
        let format = Format::identify(head);
        let path = locator.shown();
        let name = path.rsplit('/').next().unwrap_or(&path);
        let file = SourceFile::in_memory(locator.clone(), head.to_vec());
        match claiming(&Candidate { path: &path, shown: &path, name, format, file: &file }) {
            Some(scanner) => self.options.uses(scanner.id),
            None => is_package(format),
        }
    }
}

/// The scanner that claims a file; it says so by path, name and first bytes.
fn claiming(candidate: &Candidate<'_>) -> Option<&'static Scanner> {
    SCANNERS.iter().find(|s| (s.claims)(candidate)).copied()
}
