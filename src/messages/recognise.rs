//! From a log to the messages in it, the decisive first.

use super::clean::{LINE, Window};
use super::decode::Decoded;
use super::pattern::{Pattern, candidates};
use super::sign::{self, SIGNS, Scope};
use super::table::{Class, Message, Weight, Words};
use crate::target::{Processor, TargetId};
use regex::bytes::{Captures, Regex};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::LazyLock;

/// Bytes of the squeezed log that are looked at together.
const WINDOW: usize = 1 << 16;
/// Bytes that two windows share: no match is longer.
pub(super) const OVERLAP: usize = 1 << 12;
/// Different messages of a log that are kept.
const MOST_HITS: usize = 200;
/// Different targets of a log that are kept.
const MOST_TARGETS: usize = 64;
/// How often a message is looked at with what stands around it. Further ones are counted only.
const OFTEN: u64 = 1000;
/// Bytes before and behind a message in which it is looked for whose device it is about.
const AROUND: usize = 400;
/// The same for words that decide between causes.
const NEAR: usize = 800;

/// A message that a log has.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Which.
    pub message: &'static Message,
    /// What kind of thing it is about here: that of the message, or what the lines around make of it.
    pub class: Class,
    /// The causes, the most probable first.
    pub causes: Vec<&'static str>,
    /// The target that it names.
    pub target: Option<TargetId>,
    /// The path that it names.
    pub path: Option<String>,
    /// The line in which it first stands, from 1.
    pub line: u64,
    /// That line, cut to some hundred characters.
    pub quote: String,
    /// How often it stands in the log.
    pub count: u64,
    /// Where it first stands in the squeezed log.
    place: u64,
    /// What the lines around say of the device.
    around: Signs,
    /// The place in [`SIGNS`] of the first sign near it.
    sign: Option<usize>,
}

/// What a log says.
#[derive(Debug, Clone, Default)]
pub struct Recognised {
    /// Its messages, the decisive first. Empty where none is known.
    pub hits: Vec<Hit>,
    /// The processors that it names anywhere.
    pub processors: BTreeSet<String>,
    /// Number of its lines, once it is UTF-8.
    pub lines: u64,
    /// Number of its bytes, in its own encoding.
    pub bytes: u64,
}

impl Recognised {
    /// The message that decides.
    pub fn first(&self) -> Option<&Hit> {
        self.hits.first()
    }

    /// What kind of thing the log is about.
    pub fn class(&self) -> Class {
        self.first().map_or(Class::Unknown, |hit| hit.class)
    }

    /// The target that it is about: that of the message which decides, else of another, else the only one that is named.
    pub fn target(&self) -> Option<TargetId> {
        let of_first = self.first().and_then(|hit| hit.target.clone());
        let only = || match self.processors.len() {
            1 => self.processors.first().map(TargetId::bare),
            _ => None,
        };
        let of_others = || {
            let weight = self.first()?.message.weight;
            self.hits
                .iter()
                .filter(|hit| hit.message.weight <= weight.max(Weight::Follow))
                .find_map(|hit| hit.target.clone())
        };
        of_first.or_else(of_others).or_else(only)
    }
}

/// Whose device a text is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Signs {
    rocm: bool,
    nvidia: bool,
    cuda: bool,
}

/// Words that only ROCm's software prints.
static ROCM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)hiperror|\bhip (error|function|kernel|runtime|out of)|\brocm(_| )?(error|hip|device|0)|rocm devices|hip_dsa|hipassert|\bhip error|hipmodule|hip_launch|rocblas|hipblas|miopen|libamdhip|amdgpu|amdgcn|radeon|amd instinct|\+rocm[0-9]|/opt/rocm|_rocm[0-9_]|hiprtc|\bhsa_|gfx[0-9][0-9a-f]{2}|\.hip\b|_hip\b|ggml-hip|ggml_hip",
    )
    .ok()
});
/// Words that only software of NVIDIA's devices prints.
static NVIDIA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)geforce|nvidia (rtx|gtx|a[0-9]+|h[12]00|l[0-9]+|tesla|titan|quadro|t4|v100|p[0-9]+|jetson|graphics)|\bquadro\b|\btesla [kpvtm][0-9]|\b[rg]tx ?[0-9]{4}|cuda capability|\bsm_[0-9]{2}|rtl\.cuda|docs\.nvidia|nvidia-smi|cudaerror[a-z]{6}|found [0-9]+ cuda devices|\bops\.cu\b|\bnvcc\b|libcudart|\bptx\b|compute capability [0-9]|transformers[/\\]+cuda[/\\]",
    )
    .ok()
});
static CUDA: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\bcuda").ok());
static PROCESSOR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)gfx[0-9][0-9a-f]{2,3}").ok());
/// The list of files that rocBLAS prints behind its message.
static LIST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)list of available tensilelibrary files ?:").ok());

impl Signs {
    fn of(text: &[u8]) -> Self {
        let has = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
        Signs { rocm: has(&ROCM), nvidia: has(&NVIDIA), cuda: has(&CUDA) }
    }

    fn add(&mut self, text: &[u8]) {
        let has = |known: bool, regex: &LazyLock<Option<Regex>>| {
            known || regex.as_ref().is_some_and(|regex| regex.is_match(text))
        };
        self.rocm = has(self.rocm, &ROCM);
        self.nvidia = has(self.nvidia, &NVIDIA);
        self.cuda = has(self.cuda, &CUDA);
    }
}

/// Reads a log of any size and encoding and says what is in it. Memory does not grow with it.
///
/// # Errors
/// Where it cannot be read.
pub fn read(log: impl BufRead) -> io::Result<Recognised> {
    let mut log = BufReader::new(Decoded::new(log)?);
    let mut reading = Reading::default();
    let (mut line, mut begins) = (Vec::new(), true);
    loop {
        line.clear();
        let read = (&mut log).take(LINE as u64).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        let ends = line.last() == Some(&b'\n');
        if ends {
            line.pop();
        }
        reading.said.lines += u64::from(begins);
        reading.window.push(&line, reading.said.lines, begins);
        if ends {
            reading.window.end_line();
        }
        begins = ends;
        // Lines of blanks only fill the text, not what is squeezed.
        if reading.window.squeezed.len() >= WINDOW + OVERLAP || reading.window.text.len() >= 8 * WINDOW {
            reading.look(false);
        }
    }
    reading.look(true);
    reading.said.bytes = log.get_ref().taken();
    Ok(reading.end())
}

/// Says what is in a text.
pub fn recognise(text: &[u8]) -> Recognised {
    // Reading from memory does not fail.
    read(text).unwrap_or_default()
}

#[derive(Default)]
struct Reading {
    window: Window,
    /// Bytes of the squeezed log before the window.
    before: u64,
    said: Recognised,
    signs: Signs,
    /// Whether rocBLAS listed no files at all.
    empty_list: bool,
    /// Whether the log ends with the head of that list.
    list_ends_log: bool,
    /// Which of [`SIGNS`] are anywhere in the log.
    far: BTreeSet<usize>,
}

impl Reading {
    /// Takes the matches of the window that begin in its first part; all of them at the end of the log.
    fn look(&mut self, last: bool) {
        let window = &self.window;
        let keep = if last { 0 } else { OVERLAP };
        let until = window.squeezed.len().saturating_sub(keep);
        for (pattern, stretches) in candidates(&window.squeezed) {
            let Some(regex) = pattern.regex() else { continue };
            for stretch in stretches {
                let first = stretch.start;
                for captures in regex.captures_iter(window.squeezed.get(stretch).unwrap_or_default()) {
                    let Some(all) = captures.get(0) else { continue };
                    let from = first + all.start();
                    if from < until && !is_old(&mut self.said.hits, window, pattern, &captures, first) {
                        let hit = hit(window, pattern, &captures, first, self.before);
                        keep_hit(&mut self.said.hits, hit);
                    }
                }
            }
        }
        // Of a log that is whole here, what none of its messages asks for is not looked for: compiling takes longer than searching.
        let whole = last && self.before == 0;
        let asks = |what: &dyn Fn(&Hit) -> bool| !whole || self.said.hits.iter().any(what);
        if asks(&|hit| hit.message.words == Words::Shared) {
            self.signs.add(&window.text);
        }
        let lists_files = asks(&|hit| hit.message.id == "rocblas-cannot-read");
        let has_signs = asks(&|hit| sign::is_asked_of_logs(hit.message.id));
        if let Some(processor) = PROCESSOR.as_ref() {
            for found in processor.find_iter(&window.text) {
                let name = String::from_utf8_lossy(found.as_bytes()).to_ascii_lowercase();
                if let Some((known, _)) = Processor::longest_prefix(&name)
                    && self.said.processors.len() < MOST_TARGETS
                {
                    self.said.processors.insert(known.name().to_owned());
                }
            }
        }
        if lists_files && let Some(found) = LIST.as_ref().and_then(|list| list.find(&window.text)) {
            let behind = window.text.get(found.end()..).unwrap_or_default();
            let said = behind.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
            // A list that the end of a paste cuts off says nothing.
            let files = behind.get(..behind.len().min(2000)).unwrap_or_default();
            self.empty_list |= said > 20 && memchr::memmem::find(files, b"TensileLibrary").is_none();
            self.list_ends_log = last && said == 0;
        }
        if has_signs {
            self.far.extend(sign::far(&window.squeezed));
        }
        self.before += self.window.keep(keep) as u64;
    }

    fn end(mut self) -> Recognised {
        let folder_absent = self.said.hits.iter().any(|hit| hit.message.id == "tensile-folder-absent");
        for hit in &mut self.said.hits {
            hit.class = class(hit, self.signs);
            if hit.class == Class::NotRocm && hit.message.class != Class::NotRocm {
                hit.causes = vec!["NOT-ROCM"];
            }
            if hit.message.id == "rocblas-cannot-read" {
                // A paste that ends or goes on with other lines says nothing, but for a program's own folder: packages of the
                // system fill theirs.
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
            } else if hit.class != Class::NotRocm {
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
        self.said.hits.sort_by_key(|hit| (hit.message.weight, hit.place));
        self.said
    }
}

/// What kind of thing a message is about, by the lines around it and, where these do not say, by the whole log.
fn class(hit: &Hit, log: Signs) -> Class {
    let own = hit.message.class;
    if hit.message.words == Words::Own {
        return own;
    }
    let (near, far) = (hit.around, log);
    match (near.rocm, near.nvidia, far.rocm, far.nvidia) {
        (true, false, ..) => own,
        (false, true, ..) => Class::NotRocm,
        (true, true, ..) => Class::Ambiguous,
        (_, _, true, false) => own,
        (_, _, false, true) => Class::NotRocm,
        (_, _, true, true) => Class::Ambiguous,
        _ if near.cuda && own == Class::File => Class::Ambiguous,
        _ => own,
    }
}

impl Hit {
    /// Puts a cause before the others.
    fn put_first(&mut self, cause: &'static str) {
        self.causes.retain(|known| *known != cause);
        self.causes.insert(0, cause);
    }
}

/// What a pattern captured in the window behind its byte `first`, `before` which so many bytes of the log stand.
fn hit(window: &Window, pattern: &Pattern, captures: &Captures<'_>, first: usize, before: u64) -> Hit {
    let (from, to) = captures.get(0).map_or((0, 0), |all| (first + all.start(), first + all.end()));
    let (line, quote) = window.line(from);
    let target = captures.name("target").and_then(|found| target(window, first + found.start()));
    let path = captures.name("path").map(|found| {
        let (from, to) = (first + found.start(), first + found.end());
        window.original(from, to) + &rest_of_path(window, to)
    });
    let path =
        path.map(|path| path.trim_matches(['"', '\'', '`', ':', ',', '[', ']', '(', ')', ' ']).to_owned());
    Hit {
        message: pattern.message,
        class: pattern.message.class,
        causes: pattern.message.causes.to_vec(),
        target,
        path: path.filter(|path| !path.is_empty()),
        line,
        quote,
        count: 1,
        place: before + from as u64,
        around: match pattern.message.words {
            Words::Own => Signs::default(),
            Words::Shared => Signs::of(window.around(from, to, AROUND)),
        },
        sign: sign_near(window, pattern.message, from, to),
    }
}

/// The first sign for a message near the bytes `from..to` of the squeezed form.
fn sign_near(window: &Window, message: &Message, from: usize, to: usize) -> Option<usize> {
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

/// What belongs to a path behind the part that a pattern captures, which stops at a file's name that it knows.
fn rest_of_path(window: &Window, to: usize) -> String {
    let Some(last) = to.checked_sub(1) else { return String::new() };
    let rest = window.from(last, 200).iter().skip(1);
    let more = rest.take_while(|byte| byte.is_ascii_alphanumeric() || b"._-/\\".contains(byte));
    more.map(|byte| char::from(*byte)).collect()
}

/// The target that begins at a byte of the squeezed form. Where a line break is in it, the longest name that is known.
fn target(window: &Window, from: usize) -> Option<TargetId> {
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
fn is_old(
    hits: &mut [Hit],
    window: &Window,
    pattern: &Pattern,
    captures: &Captures<'_>,
    first: usize,
) -> bool {
    let same = |known: &&mut Hit| known.message.id == pattern.message.id && known.count >= OFTEN;
    if !hits.iter_mut().any(|known| same(&known)) {
        return false;
    }
    let target = captures.name("target").and_then(|found| target(window, first + found.start()));
    let Some(known) = hits.iter_mut().find(|known| same(known) && known.target == target) else {
        return false;
    };
    known.count += 1;
    true
}

/// Adds a message; one that is there already is counted, and takes over what the new one knows better.
fn keep_hit(hits: &mut Vec<Hit>, hit: Hit) {
    let same = |known: &&mut Hit| {
        known.message.id == hit.message.id
            && (known.target == hit.target || known.target.is_none() || hit.target.is_none())
    };
    // Several patterns of a row match at the same place.
    if let Some(known) = hits.iter_mut().find(same) {
        known.count += u64::from(known.place != hit.place && known.line != hit.line);
        known.around.rocm |= hit.around.rocm;
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
