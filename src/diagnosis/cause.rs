//! What a cause is: what is wrong behind a message, what to do, and how the files of a tree decide whether it
//! is there.

use super::files_for::FilesFor;
use crate::finding::rule::Rule;

/// Whether bytes of files can show that a cause is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// They show it.
    Yes,
    /// They show a part of it, or exclude it.
    Partly,
    /// They do not: it lies in a device, a driver, a permission, a setting or a run.
    No,
}

impl Visibility {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Visibility::Yes => "yes",
            Visibility::Partly => "partly",
            Visibility::No => "no",
        }
    }
}

/// What in a tree decides whether a cause is there, besides findings of its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// Device code for the target, in the libraries that the message can mean.
    Code,
    /// The same in one library, whatever the message names.
    CodeOf(&'static str),
    /// Device code that lies in kpack archives.
    Archives,
    /// Files of the target's own, by their names.
    Files(FilesFor),
    /// What the package is: one without any device code shows it.
    Package,
    /// Findings of its rules alone.
    Rules,
}

/// What else is known of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Where the files serve the target, it is excluded.
    ExcludedByCode,
    /// Another GPU, or the code of a neighbour, helps with it.
    OfTarget,
    /// It can lie in the library folders of rocBLAS and hipBLASLt, which are looked through for it.
    InLibraryFolders,
}

/// One cause.
#[derive(Debug)]
pub struct Cause {
    /// Its name, in capitals. Messages name their causes by it.
    pub id: &'static str,
    /// What is wrong, in a clause.
    pub what: &'static str,
    /// What distinguishes it from other causes of the same message, in a sentence.
    pub tell: &'static str,
    /// What to do, in a sentence.
    pub advice: &'static str,
    /// Whether bytes of files can show it.
    pub shown: Visibility,
    /// What in a tree decides it.
    pub decided_by: DecidedBy,
    /// What else is known of it.
    pub marks: &'static [Mark],
    /// The rules that show it; one finding of them is enough. Empty where no rule does.
    pub rules: &'static [&'static Rule],
    /// What else shows it, or why nothing does. Markdown.
    pub otherwise: &'static str,
}

impl Cause {
    /// Whether a mark is known of it.
    pub fn is(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// A fact about files that rules show, and that no message has as its cause.
#[derive(Debug)]
pub struct Fact {
    /// Its name, in capitals.
    pub id: &'static str,
    /// The rules that show it.
    pub rules: &'static [&'static Rule],
    /// What else shows it. Markdown.
    pub otherwise: &'static str,
}
