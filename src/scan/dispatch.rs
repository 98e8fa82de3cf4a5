//! Looks at one entry of a tree: a file, with the scanner that claims it, or a package, member by member.

mod beside;
mod holes;
mod looked_at;

use super::artifacts::searched;
use super::entry_lost::{link, lost};
use super::kernel_sink::OnRows;
use super::options::{Options, Progress};
use super::{Candidate, Identity, SCANNERS, Scanned, Scanner, Settings, claim, library_names};
use crate::budget::{InFlight, InflateBudget, RunResults};
use crate::error::ParseError;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::format::{Format, Support, hidden, promise};
use crate::input::keeper::Keeper;
use crate::input::package::visit::{self, Nesting, Selection, Visited};
use crate::input::package::{self, Head, MemberContent, MemberFile, is_package};
use crate::input::walk::{Entry, PathKind};
use crate::inventory::DeviceCode;
use crate::inventory::outcome::{EntryOutcome, FileOutcome, PackageOutcome};
use crate::limits::PACKAGE_MEMORY_EACH;
use crate::locator::file_name;
use crate::source::{Access, SourceFile, return_free_memory};
pub(crate) use beside::{Beside, DeferReason};
use looked_at::LookedAt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// How entries are looked at in one run.
pub(crate) struct Dispatch<'a> {
    pub options: &'a Options,
    pub settings: Settings<'a>,
    pub progress: &'a dyn Progress,
    /// Keeps members of packages for questions that come later, where any will.
    pub keeper: Option<&'a Keeper<'a>>,
    /// Memory of what was found and was not counted yet.
    pub flight: &'a InFlight,
    /// Where others are looked at beside it.
    pub beside: Option<&'a Beside>,
    /// Whether more is in the entry's package than is unpacked: then it is looked at member by member at once.
    pub in_order: bool,
}

impl Dispatch<'_> {
    /// Looks at an entry. Rows of the kernel inventory come in order.
    pub fn entry(&self, entry: &Entry, rows: &mut OnRows<'_>) -> EntryOutcome {
        match self.open(entry) {
            Ok(opened) => self.timed(entry, opened, rows),
            Err(outcome) => outcome,
        }
    }

    /// Looks at an entry that was put off, with nothing beside it.
    pub fn entry_alone(&self, entry: &Entry, why: &DeferReason, rows: &mut OnRows<'_>) -> EntryOutcome {
        Dispatch { in_order: matches!(why, DeferReason::Refused), ..*self }.entry(entry, rows)
    }

    /// The same beside others, but for a package whose stream takes much memory to inflate, or what is found
    /// in it.
    ///
    /// # Errors
    /// For such a package.
    pub fn entry_unless_large(
        &self,
        entry: &Entry,
        rows: &mut OnRows<'_>,
    ) -> Result<EntryOutcome, DeferReason> {
        match self.open(entry) {
            Ok(opened) => match package::memory(&opened) {
                memory if memory > PACKAGE_MEMORY_EACH => Err(DeferReason::Stream(memory)),
                _ => self.beside(|own| own.timed(entry, opened, rows)),
            },
            Err(outcome) => Ok(outcome),
        }
    }

    /// The same, however much memory its stream takes.
    ///
    /// # Errors
    /// Where what is found takes too much.
    pub fn entry_beside(&self, entry: &Entry, rows: &mut OnRows<'_>) -> Result<EntryOutcome, DeferReason> {
        self.beside(|own| own.entry(entry, rows))
    }

    fn beside(&self, look: impl FnOnce(&Dispatch<'_>) -> EntryOutcome) -> Result<EntryOutcome, DeferReason> {
        let beside = Beside::default();
        let outcome = look(&Dispatch { beside: Some(&beside), ..*self });
        beside.reason().map_or(Ok(outcome), Err)
    }

    fn open(&self, entry: &Entry) -> Result<MemberFile, EntryOutcome> {
        // The run has ended: what is read now is not seen.
        if self.options.stop.is_stopped() {
            return Err(EntryOutcome::Excluded);
        }
        let bytes = match &entry.kind {
            PathKind::File(bytes) => *bytes,
            PathKind::Link(_) => return Err(link(entry, lost(entry))),
            PathKind::OtherName => return Err(EntryOutcome::OtherName),
            PathKind::Special(_) => return Err(EntryOutcome::Special(lost(entry))),
            PathKind::Unreadable(_) | PathKind::LinkLoop(_) => {
                return Err(EntryOutcome::Unreadable { bytes: 0, found: lost(entry) });
            }
        };
        if let Some(what) = holes::fault(&entry.path, bytes) {
            self.progress.advance(&entry.shown, bytes);
            let found = Finding::of_file(&read::WORK_LIMIT, &entry.shown, what);
            return Err(EntryOutcome::Unreadable { bytes, found: Some(found) });
        }
        SourceFile::open(&entry.path).map(MemberFile::from_file).map_err(|error| {
            self.progress.advance(&entry.shown, bytes);
            let found = Finding::of_file(&read::UNREADABLE_FILE, &entry.shown, error.to_string());
            EntryOutcome::Unreadable { bytes, found: Some(found) }
        })
    }

    fn timed(&self, entry: &Entry, opened: MemberFile, rows: &mut OnRows<'_>) -> EntryOutcome {
        let deadline = self.options.time_per_file.and_then(|time| Instant::now().checked_add(time));
        let settings = Settings { deadline, ..self.settings };
        let timed = Dispatch { settings, ..*self };
        timed.file(entry, opened, None, rows)
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
            None => SCANNERS.get(claim_by_head(&identity, opened.file.head())).copied(),
        };
        // The members of a thin archive are files beside it, which the walk finds by itself.
        if claiming.is_none() && is_package(opened.format) && opened.format != Format::ThinArchive {
            let Some(nesting) = outer else { return self.outermost(entry, opened, rows) };
            if let Err(what) = nesting.check() {
                return self.unopened(entry, &opened, what.into());
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
        if outer.is_none() && self.is_better_alone() {
            return EntryOutcome::Excluded;
        }
        let Identity { path, name, format } = *identity;
        let is_unknown = claiming.is_none() && format == Format::Other;
        let claiming =
            if is_unknown && searched::has_code(&file) { Some(&searched::SCANNER) } else { claiming };
        let scanner = claiming.filter(|s| self.options.uses(s.id));
        file.expect(Access::Content);
        let candidate = Candidate { path, shown: &entry.shown, name, format, file: &file };
        let settings = Settings {
            allowance: outer.map(Nesting::budget),
            too_large_beside: self.noted_as_too_large(outer.map(Nesting::budget)),
            ..self.settings
        };
        let mut scanned = scanner.map(|s| (s.scan)(&candidate, &settings, rows)).unwrap_or_default();
        if outer.is_none() && self.beside.is_some_and(Beside::is_put_off) {
            return EntryOutcome::Excluded;
        }
        // What is claimed by its name may be of another form than that promises; what is of none, its scanner
        // says.
        if (is_unknown || claiming.is_none() || format != Format::Other)
            && let Some(what) = promise::broken_in(name, file.bytes())
        {
            scanned.findings.push(Finding::of_file(&read::MALFORMED_BYTES, &entry.shown, what));
        }
        scanned.findings.extend(hidden_code(&entry.shown, &candidate, claiming));
        scanned.findings.extend(without_code(&candidate, &scanned, scanner));
        if let Err(change) = file.check_unchanged() {
            scanned.findings.push(Finding::of_file(
                &read::CHANGED_WHILE_READ,
                &entry.shown,
                change.to_string(),
            ));
        }
        let library = match scanned.kind {
            Some(_) => Some(library_names::library_name(path)),
            None if format == Format::HostElf => library_names::with_kernels(&entry.shown).map(str::to_owned),
            None => None,
        };
        let bytes = file.len();
        if let (Some(keeper), Some(member)) = (self.keeper.filter(|keeper| keeper.wants(path)), &entry.member)
        {
            keeper.keep(&entry.path, member, file);
        }
        // Most sources say nothing of kernels, and are members like those that nothing claims.
        let is_source = scanner.is_some_and(|s| s.of_text);
        if is_source && outer.is_some() && scanned.text.is_none() && scanned.findings.is_empty() {
            return EntryOutcome::Passed { format, bytes };
        }
        let outcome = FileOutcome {
            bytes,
            format,
            scanner: scanner.map(|s| s.id),
            skipped: claiming.is_some() && scanner.is_none(),
            library,
            scanned,
            in_flight: 0,
        };
        if outer.is_none() { self.loose(entry, outcome) } else { EntryOutcome::File(Box::new(outcome)) }
    }

    /// Counts what was found in a file that lies in no package among what is in flight.
    fn loose(&self, entry: &Entry, mut file: FileOutcome) -> EntryOutcome {
        file.in_flight = RunResults::unusual_of_file(file.bytes, file.memory());
        self.flight.add(file.in_flight);
        if file.in_flight > 0 && self.is_better_alone() {
            self.flight.give_back(file.in_flight);
            return EntryOutcome::Excluded;
        }
        self.progress.advance(&entry.shown, file.bytes);
        EntryOutcome::File(Box::new(file))
    }

    /// Counts a package that is not opened as the file that it is.
    fn unopened(&self, entry: &Entry, opened: &MemberFile, what: String) -> EntryOutcome {
        let mut file = FileOutcome::unclaimed(opened.format, opened.file.len());
        if let Err(change) = opened.file.check_unchanged() {
            let change = change.to_string();
            file.scanned.findings.push(Finding::of_file(&read::CHANGED_WHILE_READ, &entry.shown, change));
        }
        file.scanned.findings.push(Finding::of_file(&read::NESTED_TOO_DEEP, &entry.shown, what));
        EntryOutcome::File(Box::new(file))
    }

    /// Looks at a package that lies in none. Where more is in it than is unpacked, what is left out must not
    /// depend on threads: then it is looked at again, member by member.
    fn outermost(&self, entry: &Entry, opened: MemberFile, rows: &mut OnRows<'_>) -> EntryOutcome {
        if self.is_better_alone() {
            return EntryOutcome::Excluded;
        }
        if !self.in_order {
            let budget = InflateBudget::for_package(package::stored_bytes(&opened.file));
            let outcome = self.with_budget(entry, opened, &budget, rows);
            if !self.is_in_vain(&budget) {
                return outcome;
            }
            drop(outcome);
            return_free_memory();
            self.flight.give_back(budget.unusual_results());
            if self.put_off() {
                return EntryOutcome::Excluded;
            }
        }
        let again = match self.open(entry) {
            Ok(again) => again,
            Err(outcome) => return outcome,
        };
        let budget = InflateBudget::in_order(package::stored_bytes(&again.file));
        let outcome = self.with_budget(entry, again, &budget, rows);
        if self.is_better_alone() {
            drop(outcome);
            self.flight.give_back(budget.unusual_results());
            return EntryOutcome::Excluded;
        }
        outcome
    }

    fn with_budget(
        &self,
        entry: &Entry,
        opened: MemberFile,
        budget: &InflateBudget,
        rows: &mut OnRows<'_>,
    ) -> EntryOutcome {
        if let Some(keeper) = self.keeper {
            keeper.open(&entry.path);
        }
        let mut outcome = self.package(entry, opened, self.nesting(budget), rows);
        match &mut outcome {
            EntryOutcome::Package(package) => {
                (package.kept, package.in_flight) = (budget.results(), budget.unusual_results());
            }
            _ => self.flight.give_back(budget.unusual_results()),
        }
        outcome
    }

    /// Whether nothing more of a package is looked at now, since it will be looked at alone. Rows of kernels
    /// were handed on already.
    fn is_better_alone(&self) -> bool {
        let Some(beside) = self.beside.filter(|_| self.settings.kernels.is_none()) else { return false };
        if self.flight.is_full() {
            beside.put_off();
        }
        beside.is_put_off()
    }

    /// Puts off a package that was refused in part, where others are looked at beside it.
    fn put_off(&self) -> bool {
        let Some(beside) = self.beside.filter(|_| self.settings.kernels.is_none()) else { return false };
        beside.put_off_as_refused();
        true
    }

    /// Where it is noted that a file is read again by itself, since others are read at the same time: rows of
    /// kernels are handed on as they come, and of what is read in order nothing else is read.
    fn noted_as_too_large<'s>(&'s self, package: Option<&'s InflateBudget>) -> Option<&'s AtomicBool> {
        if self.settings.kernels.is_some() {
            return None;
        }
        match (self.beside, package) {
            (Some(beside), _) => Some(beside.note()),
            (None, Some(package)) if rayon::current_num_threads() >= 2 => package.refusing(),
            (None, _) => None,
        }
    }

    /// Whether what is found in a package is not used: some of it was refused, and it will be looked at
    /// again. Members whose kernels have rows are looked at one after the other anyway.
    fn is_in_vain(&self, budget: &InflateBudget) -> bool {
        let in_order = budget.is_in_order() || self.settings.kernels.is_some();
        let refused = !in_order && budget.was_refused() && rayon::current_num_threads() >= 2;
        refused || self.is_better_alone()
    }

    /// Pays for what was found in a member; where no memory is left for it, it is left out.
    fn paid(&self, looked: LookedAt, budget: &InflateBudget) -> LookedAt {
        let bytes = looked.memory();
        match budget.take_results(bytes) {
            Ok(unusual) => {
                self.flight.add(unusual);
                looked
            }
            Err(what) => LookedAt { left_out: Some(what.into()), ..looked },
        }
    }

    fn nesting<'b>(&self, budget: &'b InflateBudget) -> Nesting<'b> {
        Nesting::outermost(budget).verifying(self.options.verify)
    }

    fn package(
        &self,
        entry: &Entry,
        opened: MemberFile,
        nesting: Nesting<'_>,
        rows: &mut OnRows<'_>,
    ) -> EntryOutcome {
        let (format, bytes) = (opened.format, package::stored_bytes(&opened.file));
        let wants = |head: &Head<'_>| nesting.budget().has_room().ok().and_then(|()| self.wants(head));
        let excludes = |name: &str| self.options.exclude.has_member(name);
        let selection = Selection { wants: &wants, excludes: &excludes };
        let mut all = PackageOutcome::before_members(format, bytes);
        // A package that is not the one its name promises is what is left of it.
        let promised = promise::broken(&entry.name(), opened.file.head());
        all.add_findings(
            promised
                .map(|what| Finding::of_file(&read::MALFORMED_BYTES, &entry.shown, what))
                .into_iter()
                .collect(),
        );
        let mut reported = 0;
        let budget = nesting.budget();
        let closed = visit::visit(opened, &entry.shown, nesting, selection, &mut |batch| {
            let packed = batch.packed();
            if self.is_in_vain(budget) {
                return budget.give_up();
            }
            if let Err(what) = budget.has_room() {
                return batch.sizes().for_each(|bytes| all.leave_out(bytes, what));
            }
            // Rows of a kernel inventory are handed on as they come: all of them can be more than the
            // package.
            if batch.len() == 1 || self.settings.kernels.is_some() || budget.is_in_order() {
                batch.each(|visited| self.paid(self.member(entry, visited, rows), budget).add_to(&mut all));
            } else {
                let looked = batch.each_at_once(|visited| {
                    let is_looked_at = !self.is_in_vain(budget);
                    is_looked_at.then(|| self.paid(self.member(entry, visited, &mut |_| {}), budget))
                });
                looked.into_iter().flatten().for_each(|member| member.add_to(&mut all));
            }
            if nesting.depth() == 0 {
                reported += packed;
                self.progress.advance(&entry.shown, packed);
            }
        });
        if nesting.depth() == 0 {
            self.progress.advance(&entry.shown, bytes.saturating_sub(reported));
        }
        if closed.opaque && closed.faults.is_empty() && all.findings.is_empty() {
            return EntryOutcome::Passed { format, bytes };
        }
        // What is left out is said once, by the package that it is of.
        if let Some(what) = all.left_out_since.take() {
            // Before what is wrong in members, of which only so much is kept.
            all.findings.insert(0, Finding::of_file(&read::TOO_MANY_PARTS, &entry.shown, what));
        }
        all.findings.extend(closed.faults);
        all.layers = closed.layers;
        all.identity = closed.identity.map(Arc::from);
        EntryOutcome::Package(Box::new(all))
    }

    fn member(&self, package: &Entry, visited: Visited<'_>, rows: &mut OnRows<'_>) -> LookedAt {
        let mut entry = package.within(&visited.name, PathKind::File(visited.size));
        entry.owner = visited.owner.clone().or(entry.owner);
        if let Err(what) = visited.nesting.budget().has_room() {
            let left_out = Some(what.to_owned());
            return LookedAt { entry, outcome: EntryOutcome::Excluded, faults: Vec::new(), left_out };
        }
        let late =
            self.settings.in_time().err().filter(|_| !matches!(visited.content, Some(MemberContent::Link)));
        let outcome = match visited.content {
            _ if late.is_some() => {
                let found = late.map(|what| Finding::of_file(&read::WORK_LIMIT, &entry.shown, what));
                EntryOutcome::Unreadable { bytes: visited.size, found }
            }
            Some(MemberContent::File(file)) => self.file(&entry, file, Some(visited.nesting), rows),
            Some(MemberContent::Passed(format)) => EntryOutcome::Passed { format, bytes: visited.size },
            Some(MemberContent::Link) => link(&entry, None),
            Some(MemberContent::Special) => EntryOutcome::Special(None),
            Some(MemberContent::Unread) => EntryOutcome::Unreadable { bytes: visited.size, found: None },
            None => EntryOutcome::Excluded,
        };
        LookedAt { entry, outcome, faults: visited.faults, left_out: None }
    }

    /// Whether a member is worth unpacking, and the scanner that claims it by its number.
    fn wants(&self, head: &Head<'_>) -> Option<usize> {
        self.settings.in_time().ok()?;
        let path = head.locator.shown();
        let name = file_name(&path);
        let claim = claim_by_head(&Identity { path: &path, name, format: head.format }, head.bytes);
        let wanted = match SCANNERS.get(claim) {
            Some(scanner) => self.options.uses(scanner.id),
            None => {
                self.keeper.is_some_and(|keeper| keeper.wants(&path))
                    || is_package(head.format)
                    || Format::is_open(head.bytes)
                    || promise::may_hide_code(name, head.bytes)
                    || promise::is_open(name, head.bytes)
            }
        };
        wanted.then_some(claim)
    }
}

/// The number of the scanner that claims a file. What is named like a source and is no text is none.
fn claim_by_head(identity: &Identity<'_>, head: &[u8]) -> usize {
    match claim(identity) {
        number if SCANNERS.get(number).is_some_and(|s| s.of_text) && !hidden::is_text(head) => SCANNERS.len(),
        number => number,
    }
}

/// What is left of device code in an object or library whose own header is gone.
fn hidden_code(
    shown: &str,
    candidate: &Candidate<'_>,
    claiming: Option<&'static Scanner>,
) -> Option<Finding> {
    if claiming.is_some() || !promise::may_hide_code(candidate.name, candidate.file.head()) {
        return None;
    }
    let (at, what) = hidden::mark(candidate.file.bytes())?;
    let what = format!("the file {what} and begins like no format that is known");
    Some(Finding::of_bytes(shown, ParseError::new(at, what)))
}

/// A file that is named for device code, was read without a fault, and has none.
fn without_code(
    candidate: &Candidate<'_>,
    scanned: &Scanned,
    scanner: Option<&'static Scanner>,
) -> Option<Finding> {
    let has = |code: &DeviceCode| !code.targets.is_empty() || code.bundles > 0 || !code.unread.is_empty();
    let lost = scanner.is_some()
        && promise::is_code(candidate.name)
        && candidate.format.support() == Support::Yes
        && !scanned.device.as_ref().is_some_and(has)
        && !scanned.findings.iter().any(Finding::is_damage);
    let what = "the name is that of a code object, and no device code is in the file";
    lost.then(|| Finding::of_file(&read::MALFORMED_BYTES, candidate.shown, what))
}
