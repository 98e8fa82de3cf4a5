//! What a cause is: what is wrong behind a message, what to do, and how the files of a tree decide whether it is there.

use super::files::FilesFor;
use crate::finding::rule::Rule;

pub use super::causes::{CAUSES, FACTS};

/// Whether bytes of files can show that a cause is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// They show it.
    Yes,
    /// They show a part of it, or exclude it.
    Partly,
    /// They do not: it lies in a device, a driver, a permission, a setting or a run.
    No,
}

impl Shown {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Yes => "yes",
            Shown::Partly => "partly",
            Shown::No => "no",
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
    pub shown: Shown,
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

/// The cause of a name, in either case of letters.
pub fn of_id(id: &str) -> Option<&'static Cause> {
    CAUSES.iter().copied().find(|cause| cause.id.eq_ignore_ascii_case(id))
}

/// The fact of a name, in either case of letters.
pub fn fact(id: &str) -> Option<&'static Fact> {
    FACTS.iter().find(|fact| fact.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::messages::table::MESSAGES;

    #[test]
    fn ids_are_unique_and_rows_say_something() {
        let mut seen = std::collections::BTreeSet::new();
        for cause in CAUSES {
            assert!(seen.insert(cause.id), "{} twice", cause.id);
            assert!(cause.tell.ends_with('.') && cause.advice.ends_with('.'), "{}", cause.id);
            assert!(!cause.what.ends_with('.'), "{}", cause.id);
            assert!(!cause.rules.is_empty() || !cause.otherwise.is_empty(), "{} says nothing", cause.id);
        }
        for fact in FACTS {
            assert!(seen.insert(fact.id), "{} twice", fact.id);
            assert!(!fact.rules.is_empty() || !fact.otherwise.is_empty(), "{} says nothing", fact.id);
        }
        assert_eq!(of_id("fb-arch-missing").unwrap().id, "FB-ARCH-MISSING");
        assert!(of_id("FB-ARCH").is_none());
        assert!(of_id("RB-ARCH-MISSING").is_some() && of_id("SZ-DUPLICATE").is_none());
        assert!(fact("SZ-DUPLICATE").is_some());
    }

    #[test]
    fn every_cause_is_of_a_message() {
        // CUDA's own messages have theirs from the lines around them.
        let of_messages = |cause: &Cause| MESSAGES.iter().any(|message| message.causes.contains(&cause.id));
        let of_signs = |cause: &Cause| crate::messages::sign::SIGNS.iter().any(|sign| sign.first == cause.id);
        for cause in CAUSES {
            assert!(of_messages(cause) || of_signs(cause), "{}: no message has it", cause.id);
        }
        for id in MESSAGES.iter().flat_map(|message| message.causes) {
            assert!(of_id(id).is_some(), "no cause {id}");
        }
    }
}
