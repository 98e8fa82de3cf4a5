//! From a log to the messages in it, the decisive first.

use super::clean::{LINE, Window};
use super::decode::Decoded;
use super::facts::{self, Reads};
use super::found::{PatternCapture, Stated, add_stated, ends_program, says_passed};
use super::pattern::{Pattern, Says};
use super::recognised::{Hit, Recognised};
use super::search::{DENSE, Rest, WindowMatches, processors, search};
use super::sieve::{self, BLOCK, Sieve};
use super::sign::{self, SIGNS, Scope};
use super::table::{Message, MessageOrigin, MessageSubject, Weight};
use super::waves;
use super::whose::{Signs, class};
use super::windows::{Cut, Windows};
use crate::target::{Processor, TargetId};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

/// Blocks of a log that are read, and windows that are searched, side by side.
const TOGETHER: usize = 16;
/// Different messages of a log that are kept.
const MOST_HITS: usize = 200;
/// Bytes between two readings of the same sentence, at most.
const SAME_PLACE: u64 = 240;
/// Different targets of a log that are kept.
const MOST_TARGETS: usize = 64;
/// How often a message is counted in a log that has all messages in each of its pages ([`DENSE`]).
const ENOUGH: u64 = 8;
/// How often a message is looked at with what stands around it. Further ones are counted only.
const OFTEN: u64 = 1000;
/// Bytes before and behind a message in which it is looked for whose device it is about.
pub(super) const AROUND: usize = 400;
/// The same for words that decide between causes.
pub(super) const NEAR: usize = 800;

/// The head of the list of files that rocBLAS prints behind its message, squeezed.
const LIST: &[u8] = b"listofavailabletensilelibraryfiles";

/// Reads a log of any size and encoding and says what is in it. Memory does not grow with it.
///
/// # Errors
/// Where it cannot be read.
pub fn read(log: impl BufRead) -> io::Result<Recognised> {
    let mut log = BufReader::with_capacity(BLOCK, Decoded::new(log)?);
    let (mut cutting, mut reading) = (LogCutting::default(), LogReading::default());
    let (mut last, mut waves) = (Vec::new(), Vec::new());
    let mut blocks = read_blocks(&mut log, &mut waves)?;
    while !blocks.is_empty() {
        // Fewer windows wait for others to be searched beside them.
        let ready = cutting.windows.cut.len() >= TOGETHER;
        let cuts = if ready { std::mem::take(&mut cutting.windows.cut) } else { Vec::new() };
        let next = if cuts.is_empty() {
            cutting.add(&blocks);
            read_blocks(&mut log, &mut waves)?
        } else {
            // What comes next is read meanwhile, by this thread: a log need not be one that others may read.
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| {
                    rayon::join(|| cutting.add(&blocks), || reading.look(&cuts));
                });
                read_blocks(&mut log, &mut waves)
            })?
        };
        last = std::mem::replace(&mut blocks, next).pop().unwrap_or_default();
    }
    cutting.windows.end(&last);
    reading.look(&cutting.windows.cut);
    (reading.said.waves, reading.said.lines) = (waves, cutting.windows.lines);
    reading.said.bytes = log.get_ref().taken();
    Ok(reading.end())
}

/// The next blocks of a log; none at its end. Lines of them that say where waves were are noted.
fn read_blocks(log: &mut impl BufRead, waves: &mut Vec<String>) -> io::Result<Vec<Vec<u8>>> {
    let mut blocks = Vec::new();
    while blocks.len() < TOGETHER {
        let mut block = Vec::with_capacity(BLOCK + LINE);
        log.take(BLOCK as u64).read_to_end(&mut block)?;
        // A block ends with a line, where that is not too long.
        log.take(LINE as u64).read_until(b'\n', &mut block)?;
        if block.is_empty() {
            break;
        }
        waves::note(&block, waves);
        blocks.push(block);
    }
    Ok(blocks)
}

/// Says what is in a text.
pub fn recognise(text: &[u8]) -> Recognised {
    // Reading from memory does not fail.
    read(text).unwrap_or_default()
}

/// What happens to a log before it is looked at.
#[derive(Default)]
struct LogCutting {
    windows: Windows,
    sieve: Sieve,
    /// Bytes of the log that were added.
    added: u64,
}

impl LogCutting {
    /// Adds blocks of the log. Of a long one, those that cannot matter are left out.
    fn add(&mut self, blocks: &[Vec<u8>]) {
        let mut heads = 0;
        for block in blocks {
            heads += usize::from(self.added < sieve::HEAD);
            self.added += block.len() as u64;
        }
        let (heads, rest) = blocks.split_at(heads);
        heads.iter().for_each(|block| self.windows.add(block, true));
        for (block, matters) in rest.iter().zip(self.sieve.let_through(rest)) {
            self.windows.add(block, matters);
        }
    }
}

/// What was seen in a log so far.
#[derive(Default)]
struct LogReading {
    said: Recognised,
    signs: Signs,
    /// Whether rocBLAS listed no files at all.
    empty_list: bool,
    /// Whether it listed some.
    full_list: bool,
    /// Whether the log ends with the head of that list.
    list_ends_log: bool,
    /// Which of [`SIGNS`] are anywhere in the log.
    far: BTreeSet<usize>,
    /// Messages that facts make, which count where no row has a message at their place.
    concluded: Vec<Hit>,
    /// Whether something that ends a program stands beside harmless lines.
    ended: bool,
    /// Whether a test runner says that a test passed.
    passed: bool,
    /// Whether a line says that a program failed, but for those in which a component only reports something.
    failed: bool,
    /// What is said in words that no row knows.
    stated: Option<Stated>,
}

impl LogReading {
    /// Looks at windows.
    fn look(&mut self, cuts: &[Cut]) {
        // What was found often before these windows was so before each of them.
        let has_enough = |pattern: &Pattern| !is_harmless(pattern.says) && self.has_enough(pattern);
        let found = search(cuts, &has_enough, &self.far);
        cuts.iter().zip(found).for_each(|(cut, found)| self.look_at(cut, found));
    }

    /// Takes the matches of a window that begin in its first part; all of them at the end of the log.
    fn look_at<'w>(&mut self, cut: &'w Cut, found: WindowMatches<'w>) {
        let window = &cut.window;
        let (mut harmless, mut reports) = (BTreeSet::new(), BTreeSet::new());
        // A harmless sentence is whole: what it is about, as a file that is not there, says nothing else.
        let mut sentences: Vec<Range<usize>> = Vec::new();
        let mut all = found.matches;
        all.sort_by_key(|(pattern, _)| !is_harmless(pattern.says));
        if found.candidates > DENSE {
            all.retain(|(pattern, _)| is_harmless(pattern.says) || !self.has_enough(pattern));
        }
        for (pattern, matches) in all {
            let is_first = is_harmless(pattern.says);
            for found in matches {
                let at = found.range();
                if is_first {
                    sentences.push(at.clone());
                } else if sentences.iter().any(|whole| whole.contains(&at.start) && at.end <= whole.end) {
                    continue;
                }
                if at.start >= cut.until() || facts::is_undeclared(&window.squeezed, &at) {
                    continue;
                }
                let found = PatternCapture { window, found: &found, before: cut.before };
                match pattern.says {
                    Says::Message(message) => {
                        if message.weight == Weight::Harmless {
                            harmless.extend(found.lines());
                        }
                        if message.weight >= Weight::Follow {
                            reports.extend(found.lines());
                        }
                        found.message(message, &mut self.said.hits);
                    }
                    Says::Fact(reads) => found.fact(reads, &mut self.said.facts, &mut self.concluded),
                }
            }
        }
        self.ended = self.ended || !harmless.is_empty() && ends_program(window, &harmless);
        self.passed = self.passed || says_passed(window);
        self.failed = self.failed || ends_program(window, &reports);
        self.look_for_statements(cut, &harmless);
        self.look_for_signs(cut, found.rest);
    }

    /// Looks at the window for what no row knows, while no row has said what is wrong: at the beginning of a
    /// log and at its end.
    fn look_for_statements(&mut self, cut: &Cut, harmless: &BTreeSet<u64>) {
        let says_what = |hit: &Hit| {
            let is_open = facts::says_little(hit.message) || hit.words != MessageOrigin::Own;
            hit.message.weight < Weight::Crash && !is_open
        };
        if self.said.hits.iter().any(says_what) || !cut.last && cut.before > sieve::HEAD {
            return;
        }
        let window = &cut.window;
        let Some(statement) = facts::said(&window.text, &window.places(harmless)) else { return };
        if self.stated.as_ref().is_none_or(|(known, ..)| statement.rank < known.rank) {
            let (line, quote) = window.line_at(statement.place);
            self.stated = Some((statement, line, quote));
        }
    }

    /// Looks at the window for what decides between the causes of the messages so far: signs, processors,
    /// lists of files.
    fn look_for_signs(&mut self, cut: &Cut, rest: Option<Rest>) {
        let window = &cut.window;
        // Of a log that is whole here, what none of its messages asks for is not looked for: compiling takes
        // longer than searching.
        let whole = cut.is_whole();
        let asks =
            |what: &dyn Fn(&Hit) -> bool| !whole || self.said.hits.iter().chain(&self.concluded).any(what);
        if asks(&|hit| hit.words != MessageOrigin::Own) {
            self.signs.add(&window.text);
        }
        let lists_files = asks(&|hit| hit.message.id == "rocblas-cannot-read");
        let has_signs = asks(&|hit| sign::is_asked_of_logs(hit.message.id));
        let Rest { processors, far } = rest.unwrap_or_else(|| Rest {
            processors: processors(&window.squeezed),
            far: if has_signs { sign::far(&window.squeezed, &self.far) } else { Vec::new() },
        });
        for name in processors {
            if self.said.processors.len() < MOST_TARGETS {
                self.said.processors.insert(name.to_owned());
            }
        }
        self.far.extend(far);
        if lists_files && let Some(head) = memchr::memmem::find(&window.squeezed, LIST) {
            let behind = window.squeezed.get(head + LIST.len()..).unwrap_or_default();
            // A list that the end of a paste cuts off says nothing.
            let files = behind.get(..behind.len().min(2000)).unwrap_or_default();
            // Who shortens a list writes three dots.
            let first = files.iter().position(|byte| !b":/| \n".contains(byte));
            let is_shortened =
                first.and_then(|first| files.get(first..)).is_some_and(|files| files.starts_with(b"..."));
            let names_some = is_shortened || memchr::memmem::find(files, b"tensilelibrary").is_some();
            self.empty_list |= behind.len() > 20 && !names_some;
            self.full_list |= names_some;
            self.list_ends_log = cut.last && behind.len() <= 1;
        }
        self.signs.rocm |= window.is_of_hip;
        self.signs.hardware |= !self.said.processors.is_empty();
    }

    /// Whether a pattern says nothing new: its message was found often, and it names no processor.
    fn has_enough(&self, pattern: &Pattern) -> bool {
        let (hits, message) = match pattern.says {
            Says::Message(message) => (&self.said.hits, message),
            Says::Fact(Reads::Status(message) | Reads::Sought(message) | Reads::Foreign(message)) => {
                (&self.concluded, message)
            }
            Says::Fact(_) => return false,
        };
        let is_often = |hit: &Hit| hit.message.id == message.id && hit.count >= ENOUGH;
        !pattern.captures_target() && hits.iter().any(is_often)
    }

    fn end(mut self) -> Recognised {
        let signs = self.signs;
        for hits in [&mut self.said.hits, &mut self.concluded] {
            hits.iter_mut()
                .for_each(|hit| hit.class = class(hit.words, hit.message.class, hit.around, signs));
            // What nothing in the log says to be of ROCm is another program's.
            hits.retain(|hit| hit.class != MessageSubject::Unknown);
        }
        self.add_concluded();
        add_stated(&mut self.said.hits, self.stated.take(), self.ended);
        facts::without_lesser(&mut self.said.hits);
        let folder_absent = self.said.hits.iter().any(|hit| hit.message.id == "tensile-folder-absent");
        for hit in &mut self.said.hits {
            if hit.class == MessageSubject::NotRocm && hit.message.class != MessageSubject::NotRocm {
                hit.causes = vec!["NOT-ROCM"];
                continue;
            }
            if hit.message.id == "rocblas-cannot-read" {
                if self.full_list && !self.empty_list {
                    hit.causes.retain(|cause| *cause != "RB-EMPTY");
                }
                // A paste that ends or goes on with other lines says nothing, but for a program's own folder:
                // packages of the system fill theirs.
                let of_system = |path: &String| path.starts_with("/opt/rocm") || path.starts_with("/usr");
                let is_own = |path: &String| path.contains(['/', '\\']) && !of_system(path);
                let is_empty = match &hit.path {
                    Some(path) => (self.empty_list || self.list_ends_log) && is_own(path),
                    None => self.empty_list,
                };
                let first = match (folder_absent, is_empty) {
                    (true, _) => "RB-PATH-WRONG",
                    (false, true) => "RB-EMPTY",
                    (false, false) => continue,
                };
                hit.put_first(first);
            } else {
                let of_log = || {
                    let mut all = self.far.iter().filter_map(|place| Some((*place, SIGNS.get(*place)?)));
                    let two_targets = self.said.processors.len() > 1;
                    all.find(|(_, sign)| {
                        sign.messages.contains(&hit.message.id)
                            && (sign.first != "SYS-MULTI-ARCH" || two_targets)
                    })
                    .map(|(place, _)| place)
                };
                let first = [hit.sign, of_log()].into_iter().flatten().min();
                if let Some(sign) = first.and_then(|place| SIGNS.get(place)) {
                    hit.put_first(sign.first);
                }
            }
        }
        for hit in &mut self.said.hits {
            facts::conclude(hit, &self.said.facts);
        }
        facts::by_stand_in(&mut self.said.hits);
        facts::crash_without_catalog(&mut self.said.hits);
        facts::fallen(&mut self.said.hits, self.ended);
        if self.passed && !self.failed {
            facts::passed(&mut self.said.hits);
        }
        self.said.hits.sort_by_key(|hit| (hit.message.weight, hit.place));
        self.said
    }

    /// Adds the messages that facts make, where no row knows the words at their place.
    fn add_concluded(&mut self) {
        let known: Vec<(u64, u64, &Message)> =
            self.said.hits.iter().map(|hit| (hit.place, hit.line, hit.message)).collect();
        for hit in std::mem::take(&mut self.concluded) {
            let near = |place: u64| place.abs_diff(hit.place) < SAME_PLACE;
            // RCCL passes a status of HIP on: what that means is what the collective failed of.
            let passed_on = |own: &&mut Hit| own.message.id == "rccl-status" && near(own.place);
            if let Some(own) = self.said.hits.iter_mut().find(passed_on).filter(|_| {
                // Its own status, in other words, says no more.
                hit.class != MessageSubject::NotRocm && hit.message.id != "rccl-status"
            }) {
                hit.causes.iter().rev().for_each(|cause| own.put_first(cause));
                own.class = hit.class;
                continue;
            }
            // Of HIP's trace each line is of a call of its own, and a line that says to follow from another
            // one does not stand for it.
            let is_of_trace = hit.quote.contains(facts::RETURNED);
            let is_status = hit.message.weight == Weight::Result;
            let stands_for = |own: &Message| !(is_of_trace || is_status && own.weight == Weight::Follow);
            let is_same = |(place, line, own): &(u64, u64, &Message)| {
                near(*place) && (*line == hit.line || stands_for(own)) || own.id == hit.message.id
            };
            if !known.iter().any(is_same) {
                keep_hit(&mut self.said.hits, hit);
            }
        }
    }
}

/// Whether what a pattern says is that nothing is wrong.
fn is_harmless(says: Says) -> bool {
    matches!(says, Says::Message(message) if message.weight == Weight::Harmless)
}

/// The first sign for a message near the bytes `from..to` of the squeezed form.
pub(super) fn sign_near(window: &Window, message: &Message, from: usize, to: usize) -> Option<usize> {
    let squeezed = window.squeezed.get(from.saturating_sub(NEAR)..(to + NEAR).min(window.squeezed.len()));
    let fits = |scope: Scope, words: &dyn Fn(&[u8]) -> bool| match scope {
        Scope::Near => words(squeezed.unwrap_or_default()),
        Scope::Text => words(window.around(from, to, NEAR)),
        Scope::Log => false,
    };
    SIGNS
        .iter()
        .enumerate()
        .find(|(place, sign)| {
            sign.messages.contains(&message.id) && fits(sign.scope, &|text| sign.is_in(*place, text))
        })
        .map(|(place, _)| place)
}

/// What belongs to a path behind the part that a pattern captures, which stops at a file's name that it
/// knows.
pub(super) fn rest_of_path(window: &Window, to: usize) -> String {
    let Some(last) = to.checked_sub(1) else { return String::new() };
    let rest = window.from(last, 200).iter().skip(1);
    let more = rest.take_while(|byte| byte.is_ascii_alphanumeric() || b"._-/\\".contains(byte));
    more.map(|byte| char::from(*byte)).collect()
}

/// The target that begins at a byte of the squeezed form. Where a line break is in it, the longest name that
/// is known.
pub(super) fn target(window: &Window, from: usize) -> Option<TargetId> {
    let text = window.from(from, 60);
    let token: String = text
        .iter()
        .map(|byte| char::from(*byte).to_ascii_lowercase())
        .take_while(|c| c.is_ascii_alphanumeric() || ":+-".contains(*c))
        .collect();
    let whole = TargetId::parse(token.trim_end_matches(':')).filter(|target| target.known().is_some());
    let bare = || {
        let name: String = token.chars().take_while(char::is_ascii_alphanumeric).collect();
        Processor::by_name(&name)
    };
    let longest = || {
        let rest = window.squeezed.get(from..).unwrap_or_default();
        let rest: String = rest.iter().take(20).map(|byte| char::from(*byte)).collect();
        Processor::longest_prefix(&rest).map(|(processor, _)| processor)
    };
    whole.or_else(|| bare().or_else(longest).map(|processor| TargetId::bare(processor.name())))
}

/// Counts a message that the log has so often already that nothing new is learnt from what stands around it.
pub(super) fn is_old(hits: &mut [Hit], id: &str, target: Option<&TargetId>) -> bool {
    let same =
        |known: &&mut Hit| known.message.id == id && known.count >= OFTEN && known.target.as_ref() == target;
    let Some(known) = hits.iter_mut().find(same) else { return false };
    known.count += 1;
    true
}

/// Whether what is known and what was found are the same message.
fn is_same(known: &Hit, id: &str, target: Option<&TargetId>) -> bool {
    let same_target = known.target.as_ref() == target || known.target.is_none() || target.is_none();
    known.message.id == id && same_target
}

/// Whether the path of a message would be kept: of one that is known, only where its target was not.
pub(super) fn keeps_path(hits: &[Hit], id: &str, target: Option<&TargetId>) -> bool {
    let known = hits.iter().find(|known| is_same(known, id, target));
    known.is_none_or(|known| known.target.is_none() && target.is_some())
}

/// Adds a message; one that is there already is counted, and takes over what the new one knows better.
pub(super) fn keep_hit(hits: &mut Vec<Hit>, hit: Hit) {
    let same = |known: &&mut Hit| is_same(known, hit.message.id, hit.target.as_ref());
    // Several patterns of a row match at the same place.
    if let Some(known) = hits.iter_mut().find(same) {
        known.count += u64::from(known.place != hit.place && known.line != hit.line);
        known.around.rocm |= hit.around.rocm;
        known.around.hardware |= hit.around.hardware;
        known.sign = known.sign.into_iter().chain(hit.sign).min();
        if known.target.is_none() && hit.target.is_some() {
            known.target = hit.target;
            known.path = hit.path.or(known.path.take());
        }
        if hit.place < known.place {
            (known.place, known.line, known.quote) = (hit.place, hit.line, hit.quote);
        }
    } else if hits.len() < MOST_HITS {
        hits.push(hit);
    }
}
