//! The messages that are recognised: one row for each, with its patterns.
//!
//! A pattern is a regular expression on a log in small letters without blanks, line breaks, quotes, asterisks
//! and prefixes (`clean.rs`). Blanks in a pattern only make it readable. `<target>` is the name of a
//! processor, `<path>` a path or file, `<package>` the name of a package of ROCm, `<any>` up to 300 bytes of
//! anything. Every pattern has a literal part
//! outside of groups, by which a log is searched first.

macro_rules! messages {
    ($($id:literal $class:ident $weight:ident $words:ident $library:literal [$($pattern:literal)*] [$($cause:literal)+] $meaning:literal $bytes:literal)*) => {
        pub(super) static ROWS: &[$crate::messages::table::Message] = &[$($crate::messages::table::Message {
            id: $id,
            class: $crate::messages::table::MessageSubject::$class,
            weight: $crate::messages::table::Weight::$weight,
            words: $crate::messages::table::MessageOrigin::$words,
            library: $library,
            patterns: &[$($pattern),*],
            causes: &[$($cause),+],
            meaning: $meaning,
            bytes: $bytes,
        }),*];
    };
}

mod blas;
mod compilers;
mod device;
mod general;
mod installers;
mod miopen;
mod others;
mod packages;
mod programs;
mod runtime;

/// What kind of thing a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSubject {
    /// Files are missing or wrong: look into them.
    File,
    /// The program refuses by a list of its own.
    Application,
    /// Nothing is wrong; the program goes on.
    Harmless,
    /// The device, its driver, a permission, memory or a limit.
    Environment,
    /// Code is compiled or run, and that fails.
    Runtime,
    /// A build fails.
    Build,
    /// Other software than ROCm speaks.
    NotRocm,
    /// The words fit several causes of different kinds.
    Ambiguous,
    /// No row fits.
    Unknown,
}

impl MessageSubject {
    /// All of them.
    pub const ALL: [MessageSubject; 9] = [
        MessageSubject::File,
        MessageSubject::Application,
        MessageSubject::Harmless,
        MessageSubject::Environment,
        MessageSubject::Runtime,
        MessageSubject::Build,
        MessageSubject::NotRocm,
        MessageSubject::Ambiguous,
        MessageSubject::Unknown,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            MessageSubject::File => "file",
            MessageSubject::Application => "application",
            MessageSubject::Harmless => "harmless",
            MessageSubject::Environment => "environment",
            MessageSubject::Runtime => "runtime",
            MessageSubject::Build => "build",
            MessageSubject::NotRocm => "not-rocm",
            MessageSubject::Ambiguous => "ambiguous",
            MessageSubject::Unknown => "unknown",
        }
    }
}

/// How much a message decides where a log has several: the first of these that is there is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It says what is wrong.
    Reason,
    /// It is what a call returned.
    Result,
    /// It follows from another message, or the program prints it and goes on.
    Follow,
    /// The process ends, with no reason.
    Crash,
    /// Nothing is wrong.
    Harmless,
}

/// Whose words a message has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageOrigin {
    /// Those of ROCm, or of the software that the row names.
    Own,
    /// CUDA prints them too: the lines around decide.
    Shared,
    /// CUDA has them too and seldom prints them: only a sign of NVIDIA's makes them another's.
    Mostly,
    /// Those of a program for any maker's GPU, as NCCL, Triton and llama.cpp: the message counts only where
    /// the log says that it is ROCm's.
    Ported,
}

/// One message.
#[derive(Debug)]
pub struct Message {
    /// Its name.
    pub id: &'static str,
    /// What kind of thing it is about.
    pub class: MessageSubject,
    /// How much it decides.
    pub weight: Weight,
    /// Whose words it has.
    pub words: MessageOrigin,
    /// Who prints it.
    pub library: &'static str,
    /// How it is recognised; empty where it has no words of its own and is concluded.
    pub patterns: &'static [&'static str],
    /// What can be behind it, the most frequent first: ids of [`CAUSES`](crate::diagnosis::causes::CAUSES).
    pub causes: &'static [&'static str],
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// What bytes can decide and what they cannot, in a sentence.
    pub bytes: &'static str,
}

/// The message of a name.
pub fn of_id(id: &str) -> Option<&'static Message> {
    all_messages().find(|message| message.id == id)
}

/// The rows of all components. Where two rows match alike, the one that stands first counts.
static COMPONENTS: [&[Message]; 10] = [
    blas::ROWS,
    runtime::ROWS,
    device::ROWS,
    installers::ROWS,
    programs::ROWS,
    miopen::ROWS,
    compilers::ROWS,
    packages::ROWS,
    others::ROWS,
    general::ROWS,
];

/// All messages, by component.
pub fn all_messages() -> impl Iterator<Item = &'static Message> {
    COMPONENTS.iter().flat_map(|rows| rows.iter())
}
