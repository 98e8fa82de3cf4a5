//! Looks at one entry of a tree: a file, with the scanner that claims it, or a package, member by member.

use super::artifacts::firmware;
use super::kernel_sink::OnRows;
use super::options::{Options, Progress};
use super::{Candidate, Identity, SCANNERS, Scanner, Settings, library_names};
use crate::budget::InflateBudget;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::format::{Format, promise};
use crate::input::package::visit::{self, Nesting, Selection, Visited};
use crate::input::package::{Content, Head, MemberFile, is_package};
use crate::input::walk::{Entry, Kind};
use crate::inventory::outcome::{Alias, EntryOutcome, FileOutcome, PackageOutcome};
use crate::locator::file_name;
use crate::source::{Access, SourceFile};
use std::time::Instant;

/// How entries are looked at in one run.
pub(crate) struct Dispatch<'a> {
    pub options: &'a Options,
    pub settings: Settings<'a>,
    pub progress: &'a dyn Progress,
}

impl Dispatch<'_> {
    /// Looks at an entry. Rows of the kernel inventory come in order.
    pub fn entry(&self, entry: &Entry, rows: &mut OnRows<'_>) -> EntryOutcome {
        let deadline = self.options.time_per_file.and_then(|time| Instant::now().checked_add(time));
        let settings = Settings { deadline, ..self.settings };
        Dispatch { settings, options: self.options, progress: self.progress }.timed(entry, rows)
    }

    fn timed(&self, entry: &Entry, rows: &mut OnRows<'_>) -> EntryOutcome {
        let bytes = match &entry.kind {
            Kind::File(bytes) => *bytes,
            Kind::Link(leads) => return link(entry, *leads),
            Kind::Special => return EntryOutcome::Special,
            Kind::Unreadable(what) => {
                let found = Some(Finding::of_file(&read::UNREADABLE_FILE, &entry.shown, what));
                return EntryOutcome::Unreadable { bytes: 0, found };
            }
            Kind::LinkLoop(what) => {
                let found = Some(Finding::of_file(&read::LINK_LOOP, &entry.shown, what));
                return EntryOutcome::Unreadable { bytes: 0, found };
            }
        };
        match SourceFile::open(&entry.path) {
            Ok(file) => self.file(entry, MemberFile::of(file), None, rows),
            Err(error) => {
                self.progress.advance(&entry.shown, bytes);
                {
                    let found = Finding::of_file(&read::UNREADABLE_FILE, &entry.shown, error.to_string());
                    EntryOutcome::Unreadable { bytes, found: Some(found) }
                }
            }
        }
    }

    /// Looks at a file; `outer` says where it lies, where it is a member of a package.
    fn file(
        &self,
        entry: &Entry,
        opened: MemberFile,
        outer: Option<Nesting<'_>>,
        rows: &mut OnRows<'_>,
    ) -> EntryOutcome {
        let name = entry.name();
        let path = entry.locator().shown();
        let identity = Identity { path: &path, name: &name, format: opened.format };
        let claiming = match opened.claim {
            Some(claim) => SCANNERS.get(claim).copied(),
            None => SCANNERS.get(claim(&identity)).copied(),
        };
        // The members of a thin archive are files beside it, which the walk comes to by itself.
        if claiming.is_none() && is_package(opened.format) && opened.format != Format::ThinArchive {
            let own = InflateBudget::of(opened.file.len());
            let nesting = outer.unwrap_or(Nesting::outermost(&own));
            if let Err(what) = nesting.check() {
                return self.unopened(entry, &opened, what);
            }
            return self.package(entry, opened, nesting, rows);
        }
        self.scan(entry, &identity, opened.file, claiming, outer, rows)
    }

    /// Has a scanner read a file, where one claims it and is used.
    fn scan(
        &self,
        entry: &Entry,
        identity: &Identity<'_>,
        file: SourceFile,
        claiming: Option<&'static Scanner>,
        outer: Option<Nesting<'_>>,
        rows: &mut OnRows<'_>,
    ) -> EntryOutcome {
        let Identity { path, name, format } = *identity;
        let scanner = claiming.filter(|s| self.options.uses(s.id));
        file.expect(Access::Content);
        let candidate = Candidate { path, shown: &entry.shown, name, format, file: &file };
        let settings = Settings { allowance: outer.map(Nesting::budget), ..self.settings };
        let mut scanned = scanner.map(|s| (s.scan)(&candidate, &settings, rows)).unwrap_or_default();
        if claiming.is_none()
            && let Some(what) = promise::broken(name, file.head())
        {
            scanned.findings.push(Finding::of_file(&read::MALFORMED_BYTES, &entry.shown, what));
        }
        if let Err(what) = file.check_unchanged() {
            scanned.findings.push(Finding::of_file(&read::CHANGED_WHILE_READ, &entry.shown, what));
        }
        if outer.is_none() {
            self.progress.advance(&entry.shown, file.len());
        }
        let library = match scanned.kind {
            Some(_) => Some(library_names::of(path)),
            None if format == Format::HostElf => {
                library_names::of_shared_library(&entry.shown).map(str::to_owned)
            }
            None => None,
        };
        EntryOutcome::File(Box::new(FileOutcome {
            bytes: file.len(),
            format,
            scanner: scanner.map(|s| s.id),
            skipped: claiming.is_some() && scanner.is_none(),
            library,
            scanned,
        }))
    }

    /// Counts a package that is not opened as the file that it is.
    fn unopened(&self, entry: &Entry, opened: &MemberFile, what: String) -> EntryOutcome {
        let mut file = FileOutcome::unclaimed(opened.format, opened.file.len());
        if let Err(what) = opened.file.check_unchanged() {
            file.scanned.findings.push(Finding::of_file(&read::CHANGED_WHILE_READ, &entry.shown, what));
        }
        file.scanned.findings.push(Finding::of_file(&read::NESTED_TOO_DEEP, &entry.shown, what));
        EntryOutcome::File(Box::new(file))
    }

    fn package(
        &self,
        entry: &Entry,
        opened: MemberFile,
        nesting: Nesting<'_>,
        rows: &mut OnRows<'_>,
    ) -> EntryOutcome {
        let (format, bytes) = (opened.format, opened.file.len());
        let wants = |head: &Head<'_>| self.wants(head);
        let excludes = |name: &str| self.options.exclude.has_member(name);
        let selection = Selection { wants: &wants, excludes: &excludes };
        let mut all = PackageOutcome::of(format, bytes);
        let mut reported = 0;
        let closed = visit::visit(opened, &entry.shown, nesting, selection, &mut |batch| {
            let packed = batch.packed();
            // Rows of a kernel inventory are handed on as they come: all of them can be more than the package.
            if batch.len() == 1 || self.settings.kernels.is_some() {
                batch.each(|visited| self.member(entry, visited, rows).add_to(&mut all));
            } else {
                let looked = batch.each_at_once(|visited| self.member(entry, visited, &mut |_| {}));
                looked.into_iter().for_each(|member| member.add_to(&mut all));
            }
            if nesting.depth() == 0 {
                reported += packed;
                self.progress.advance(&entry.shown, packed);
            }
        });
        if nesting.depth() == 0 {
            self.progress.advance(&entry.shown, bytes.saturating_sub(reported));
        }
        if closed.opaque && closed.faults.is_empty() {
            return EntryOutcome::Passed { format, bytes };
        }
        all.findings.extend(closed.faults);
        EntryOutcome::Package(all)
    }

    fn member(&self, package: &Entry, visited: Visited<'_>, rows: &mut OnRows<'_>) -> LookedAt {
        let entry = package.within(&visited.name, Kind::File(visited.size));
        let late = self.settings.in_time().err().filter(|_| !matches!(visited.content, Some(Content::Link)));
        let outcome = match visited.content {
            _ if late.is_some() => {
                let found = late.map(|what| Finding::of_file(&read::WORK_LIMIT, &entry.shown, what));
                EntryOutcome::Unreadable { bytes: visited.size, found }
            }
            Some(Content::File(file)) => self.file(&entry, file, Some(visited.nesting), rows),
            Some(Content::Passed(format)) => EntryOutcome::Passed { format, bytes: visited.size },
            Some(Content::Link) => link(&entry, true),
            Some(Content::Special) => EntryOutcome::Special,
            Some(Content::Unread) => EntryOutcome::Unreadable { bytes: visited.size, found: None },
            None => EntryOutcome::Excluded,
        };
        LookedAt { entry, outcome, faults: visited.faults }
    }

    /// Whether a member is worth unpacking, and the scanner that claims it by its number.
    fn wants(&self, head: &Head<'_>) -> Option<usize> {
        self.settings.in_time().ok()?;
        let path = head.locator.shown();
        let name = file_name(&path);
        let claim = claim(&Identity { path: &path, name, format: head.format });
        let wanted = match SCANNERS.get(claim) {
            Some(scanner) => self.options.uses(scanner.id),
            None => is_package(head.format),
        };
        wanted.then_some(claim)
    }
}

/// A member of a package that was looked at.
struct LookedAt {
    entry: Entry,
    outcome: EntryOutcome,
    faults: Vec<Finding>,
}

impl LookedAt {
    fn add_to(self, package: &mut PackageOutcome) {
        package.add_findings(self.faults);
        package.add(self.entry, self.outcome);
    }
}

/// A symbolic link that was not followed. The driver's firmware has many, under names that are evidence of their own.
fn link(entry: &Entry, leads: bool) -> EntryOutcome {
    if !leads || !firmware::is_firmware(&entry.locator().shown(), &entry.name()) {
        return EntryOutcome::Link { leads };
    }
    let (kind, named_target) = firmware::describe(&entry.name(), true);
    EntryOutcome::Alias(Box::new(Alias {
        scanner: firmware::SCANNER.id,
        library: "firmware",
        kind,
        named_target,
    }))
}

/// The number of the scanner that claims a file, by path, name and first bytes; beyond all of them where none does.
fn claim(identity: &Identity<'_>) -> usize {
    SCANNERS.iter().position(|s| (s.claims)(identity)).unwrap_or(SCANNERS.len())
}
