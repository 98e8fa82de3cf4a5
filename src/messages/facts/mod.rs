//! Facts: what a log says, read by small grammars of the components' own formats.
//!
//! The rows of the [table](super::table) are what a text means. Facts are what it *says*: a call and its
//! status (`status`), a file that was looked for (`sought`), a target that was refused (`refusal`), the
//! devices of the machine, the one in use, an override, and processors that are only listed ([`device`]). A
//! grammar reads one of these in any sentence; what follows from them is concluded in `conclude`, so that
//! another wording, target, path or order does not matter.

mod behind_word;
mod compiling;
mod conclude;
pub mod device;
mod named;
mod queue;
mod refusal;
mod said;
mod sought;
mod status;
pub mod trace;

use super::table::{Message, of_id};
pub(super) use behind_word::{FileBehindWord, FilePlace};
use compiling::CompileTime;
pub(super) use conclude::{
    RETURNED, by_stand_in, conclude, crash_without_catalog, fallen, no_code_under_override, passed,
    without_lesser,
};
pub(super) use device::is_tried;
use queue::WorkQueue;
pub(super) use refusal::message as of_refusal;
pub(super) use said::{Statement, said, says_little};
pub(super) use status::is_undeclared;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use trace::Release;

/// Devices and overrides of a log that are kept.
const MOST: usize = 32;

/// What a production of a grammar reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reads {
    /// A message that is known by its status.
    Status(&'static Message),
    /// The same in the words of CUDA, which has them for its own statuses.
    Foreign(&'static Message),
    /// A status by its number: of HSA or of HIP.
    Number {
        /// Whether it is of HSA.
        is_hsa: bool,
    },
    /// A file that was not to be had, and the message that it is.
    Sought(&'static Message),
    /// A refused target.
    Refusal,
    /// A device.
    Device,
    /// The number of the device in use.
    Current,
    /// The name of a card, as `Radeon RX 6600`.
    Card,
    /// A value of an override.
    Override,
    /// The head of a list of processors.
    List,
    /// A frame of a back trace.
    Frame,
    /// A release of ROCm.
    Release,
    /// When a compiler ran.
    Compiled(CompileTime),
    /// Whose work the driver names.
    Queue(WorkQueue),
}

/// One production: a pattern, as those of the table, and what it reads.
pub(super) struct Production {
    pub(super) pattern: String,
    pub(super) reads: Reads,
    /// The name of a file that it has behind a word: it is then read without the pattern.
    pub(super) behind_word: Option<String>,
}

/// The productions of files of a kind: behind a word that says that they were not to be had, and before one.
fn of_file(name: &str, message: &'static Message) -> [Production; 2] {
    let [behind_word, before_word] = sought::patterns(name);
    let reads = Reads::Sought(message);
    [
        Production { pattern: behind_word, reads, behind_word: Some(name.to_owned()) },
        Production { pattern: before_word, reads, behind_word: None },
    ]
}

/// All productions.
pub(super) static PRODUCTIONS: LazyLock<Vec<Production>> = LazyLock::new(|| {
    let mut all = Vec::new();
    let mut add = |production| all.push(production);
    let plain = |pattern: String, reads| Production { pattern, reads, behind_word: None };
    for (id, pattern) in status::patterns() {
        if let Some(message) = of_id(id) {
            add(plain(pattern, Reads::Status(message)));
        }
    }
    for (id, pattern) in status::foreign() {
        if let Some(message) = of_id(id) {
            add(plain(pattern, Reads::Foreign(message)));
        }
    }
    for (is_hsa, pattern) in status::NUMBERS {
        add(plain(pattern.to_owned(), Reads::Number { is_hsa }));
    }
    for kind in sought::KINDS {
        if let Some(message) = of_id(kind.message) {
            of_file(kind.name, message).into_iter().for_each(&mut add);
        }
    }
    if let Some(message) = of_id(sought::LIBRARY_ABSENT) {
        for name in sought::LIBRARIES.iter().flat_map(|library| sought::names_of(library)) {
            of_file(&name, message).into_iter().for_each(&mut add);
            add(plain(format!("{}(?P<file>{name}):", sought::LOADING), Reads::Sought(message)));
        }
    }
    for pattern in refusal::REFUSALS.iter().chain(refusal::CLOSED) {
        add(plain((*pattern).to_owned(), Reads::Refusal));
    }
    let numbered = |pattern: &str| pattern.replace("<n>", "(?P<number>[0-9]{1,2})");
    device::DEVICES.iter().for_each(|pattern| add(plain(numbered(pattern), Reads::Device)));
    device::CARDS.iter().for_each(|pattern| add(plain((*pattern).to_owned(), Reads::Card)));
    device::CURRENT.iter().for_each(|pattern| add(plain(numbered(pattern), Reads::Current)));
    device::LISTS.iter().for_each(|pattern| add(plain((*pattern).to_owned(), Reads::List)));
    trace::FRAMES.iter().for_each(|pattern| add(plain((*pattern).to_owned(), Reads::Frame)));
    trace::RELEASES.iter().for_each(|pattern| add(plain((*pattern).to_owned(), Reads::Release)));
    compiling::TIMES.iter().for_each(|(time, pattern)| {
        add(plain((*pattern).to_owned(), Reads::Compiled(*time)));
    });
    queue::QUEUES.iter().for_each(|(queue, pattern)| {
        add(plain((*pattern).to_owned(), Reads::Queue(*queue)));
    });
    add(plain(device::OVERRIDE.to_owned(), Reads::Override));
    all
});

/// The message of a status by its number.
pub(super) fn of_number(is_hsa: bool, number: &str) -> Option<&'static Message> {
    status::of_number(is_hsa, number).and_then(of_id)
}

/// A device that a log names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its number, where the text has one.
    pub number: Option<u32>,
    /// Its processor.
    pub processor: String,
}

/// What a log says besides its messages.
#[derive(Debug, Clone, Default)]
pub struct LogFacts {
    /// The devices of the machine, in the order of the text.
    pub devices: Vec<Device>,
    /// Processors of the cards that the text calls by name.
    pub(super) cards: BTreeSet<&'static str>,
    /// The number of the device in use.
    pub current: Option<u32>,
    /// Values of `HSA_OVERRIDE_GFX_VERSION`.
    pub overrides: BTreeSet<String>,
    /// Those of them with which the errors came, and not only tried besides.
    pub in_force: BTreeSet<String>,
    /// Processors that stand in lists: of supported targets, of code objects, of files.
    pub listed: BTreeSet<String>,
    /// Libraries of the frames of back traces, the innermost first: their stems.
    pub frames: Vec<String>,
    /// Releases of ROCm that the text names.
    pub releases: BTreeSet<Release>,
    /// Whether a program says that it compiles while it runs.
    pub compiles_at_run: bool,
    /// Whether a build's tools speak.
    pub builds: bool,
    /// Whether the driver's work of a program that draws has hung.
    pub graphics_hung: bool,
    /// Whether a program that computes, or its queues, are named.
    pub computes: bool,
}

impl LogFacts {
    /// Adds a device, once.
    pub(super) fn add_device(&mut self, number: Option<u32>, processor: String) {
        if let Some(known) = self.devices.iter_mut().find(|known| {
            known.processor == processor
                && (known.number == number || known.number.is_none() || number.is_none())
        }) {
            known.number = known.number.or(number);
        } else if self.devices.len() < MOST {
            self.devices.push(Device { number, processor });
        }
    }

    /// Adds the card with whose name a text begins, where all of that name have the same processor.
    pub(super) fn add_card(&mut self, text: &str) {
        if let Some(processor) = device::of_card(text) {
            self.cards.insert(processor);
        }
    }

    /// The processor of the only card that the text calls by name.
    pub(super) fn named_card(&self) -> Option<&'static str> {
        self.cards.first().copied().filter(|_| self.cards.len() == 1)
    }

    /// Adds a frame.
    pub(super) fn add_frame(&mut self, stem: String) {
        if self.frames.len() < MOST && self.frames.last() != Some(&stem) {
            self.frames.push(stem);
        }
    }

    /// Adds a release.
    pub(super) fn add_release(&mut self, release: Release) {
        if self.releases.len() < MOST {
            self.releases.insert(release);
        }
    }

    /// Adds when a compiler ran.
    pub(super) fn add_compiled(&mut self, time: CompileTime) {
        match time {
            CompileTime::Run => self.compiles_at_run = true,
            CompileTime::Build => self.builds = true,
        }
    }

    /// Adds whose work the driver names.
    pub(super) fn add_queue(&mut self, queue: WorkQueue) {
        match queue {
            WorkQueue::Graphics => self.graphics_hung = true,
            WorkQueue::Compute => self.computes = true,
        }
    }

    /// Adds a value of an override, which may only have been `tried`.
    pub(super) fn add_override(&mut self, value: String, tried: bool) {
        if self.overrides.len() < MOST {
            if !tried {
                self.in_force.insert(value.clone());
            }
            self.overrides.insert(value);
        }
    }

    /// The processors that overrides name.
    pub fn overridden(&self) -> BTreeSet<String> {
        self.overrides.iter().filter_map(|value| device::of_override(value)).collect()
    }

    /// The processor of the device that the log is about: the one in use, or the only one.
    pub fn device(&self) -> Option<&str> {
        let in_use = || {
            let current = self.current?;
            self.devices.iter().find(|device| device.number == Some(current))
        };
        let mut names: Vec<&str> = self.devices.iter().map(|device| device.processor.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        // What an override made of the card is its name for the runtime; the other one is the card.
        let overridden = self.overridden();
        if names.len() > 1 {
            names.retain(|name| !overridden.contains(*name));
        }
        let only = || match names[..] {
            [only] => Some(only),
            _ => None,
        };
        in_use().map(|device| device.processor.as_str()).or_else(only)
    }
}
