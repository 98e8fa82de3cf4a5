//! What follows for a processor from all libraries together: by their roles, and what each of them does.

use super::answer::{Answer, LibraryVerdict};
use super::coverage::Coverage;
use crate::finding::evidence::Evidence;
use crate::scan::library_names::{self, Compiles, Role};

/// The verdict of a processor in one clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// Whether programs run.
    pub answer: Answer,
    /// It in words.
    pub text: String,
    /// How it is known, where that does not stand beside each library.
    pub evidence: Option<Evidence>,
}

/// Libraries that are named in it.
const NAMES: usize = 3;

/// What the headline says of the libraries that decide; nothing where none does.
pub(super) fn headline_of_libraries(libraries: &[LibraryVerdict<'_>]) -> Option<Headline> {
    let deciding = deciding(libraries);
    let all_optional = deciding.iter().all(|library| library.role == Role::Optional);
    // What callers do without stops no program.
    let is_spared = |library: &LibraryVerdict<'_>| {
        !all_optional && library.role == Role::Optional && library.answer > Answer::Compiles
    };
    let weight = |library: &&LibraryVerdict<'_>| {
        if is_spared(library) { Answer::Limits } else { library.answer }
    };
    let has = |answer: Answer| deciding.iter().any(|library| weight(library) == answer);
    // To compile is no limit: beside others that run it is as good as having the code.
    let order = [Answer::Not, Answer::Unknown, Answer::Limits, Answer::Runs, Answer::Compiles];
    let answer = order.into_iter().find(|answer| has(*answer))?;
    let of = |answer: Answer| deciding.iter().filter(move |library| library.answer == answer).copied();
    let text = match (&deciding[..], answer) {
        ([one], _) => words(one).to_owned(),
        (_, Answer::Runs) => match of(Answer::Compiles).count() {
            0 => "all libraries run".to_owned(),
            n => format!(
                "all libraries run; {} {} on the card",
                names(of(Answer::Compiles)),
                if n == 1 { "compiles its kernels" } else { "compile their kernels" }
            ),
        },
        (_, Answer::Compiles) => "all libraries compile their kernels on the card".to_owned(),
        (_, Answer::Limits) => {
            let limits: Vec<&LibraryVerdict<'_>> = of(Answer::Limits).collect();
            let slower = limits.iter().all(|library| library.coverage == Coverage::FallbackOnly);
            let spared = |answer: Answer| of(answer).filter(|library| is_spared(library));
            let mut text = match (limits.is_empty(), deciding.iter().any(|library| is_spared(library))) {
                (true, _) => "runs".to_owned(),
                (false, true) if slower => "runs, partly slower".to_owned(),
                (false, true) => "runs with limits".to_owned(),
                (false, false) if slower => "all libraries run, some slower, by fallback kernels".to_owned(),
                (false, false) => "all libraries run, some with limits".to_owned(),
            };
            if spared(Answer::Not).next().is_some() {
                let without = names(spared(Answer::Not));
                text.push_str(&format!(" without {without}, which callers do without"));
            }
            if spared(Answer::Unknown).next().is_some() {
                let unknown = names(spared(Answer::Unknown));
                text.push_str(&format!("; {unknown}, which callers do without: not known"));
            }
            text
        }
        (_, Answer::Unknown) => {
            let rest = deciding.iter().filter(|library| weight(library) != Answer::Unknown).count();
            match rest {
                0 => "not known".to_owned(),
                _ => format!("not known for {}; the others run", names(of(Answer::Unknown))),
            }
        }
        (all, Answer::Not) if all.iter().all(|library| library.answer == Answer::Not) => {
            "no library runs".to_owned()
        }
        (_, Answer::Not) => "some libraries do not run".to_owned(),
    };
    Some(Headline { answer, text, evidence: None })
}

/// The libraries that decide: those that programs need or try. If only others have code, these, but never the
/// runtime.
pub fn deciding<'v, 'a>(libraries: &'v [LibraryVerdict<'a>]) -> Vec<&'v LibraryVerdict<'a>> {
    let of = |wanted: &dyn Fn(Role) -> bool| -> Vec<&'v LibraryVerdict<'a>> {
        libraries.iter().filter(|library| wanted(library.role)).collect()
    };
    let first = of(&Role::decides);
    if first.is_empty() { of(&|role| matches!(role, Role::Loose | Role::Wrapper)) } else { first }
}

/// What one library does, in words.
fn words(library: &LibraryVerdict<'_>) -> &'static str {
    match library.answer {
        Answer::Runs => "runs",
        Answer::Limits if library.coverage == Coverage::FallbackOnly => "runs, slower",
        Answer::Limits if library.coverage == Coverage::Broken => "runs, but some calls fail",
        Answer::Limits if library_names::compiles(library.library) == Compiles::Most => {
            "compiles most of its kernels on the card, and parts of it have no code for it"
        }
        Answer::Limits => "runs with limits",
        Answer::Compiles if library_names::compiles(library.library) == Compiles::Most => {
            "compiles most of its kernels on the card"
        }
        Answer::Compiles => "compiles on the card",
        Answer::Unknown => "not known",
        Answer::Not => "does not run",
    }
}

/// Names of libraries, each once, in a clause.
fn names<'v>(libraries: impl Iterator<Item = &'v LibraryVerdict<'v>>) -> String {
    let mut names: Vec<&str> = libraries.map(|library| library.library).collect();
    names.dedup();
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let last = match more {
        0 if names.len() > 1 => names.pop().map(str::to_owned),
        0 => None,
        more => Some(format!("{more} more")),
    };
    let text = names.join(", ");
    match last {
        Some(last) => format!("{text} and {last}"),
        None => text,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    const ANSWERS: [Answer; 5] =
        [Answer::Runs, Answer::Limits, Answer::Compiles, Answer::Unknown, Answer::Not];
    const ROLES: [Role; 8] = [
        Role::Needed,
        Role::Optional,
        Role::Compiler,
        Role::Wrapper,
        Role::Runtime,
        Role::Tool,
        Role::Firmware,
        Role::Loose,
    ];

    fn library(role: Role, answer: Answer) -> LibraryVerdict<'static> {
        let coverage = match answer {
            Answer::Runs => Coverage::Native,
            Answer::Limits => Coverage::SomeFiles,
            Answer::Compiles => Coverage::RunTime,
            Answer::Unknown | Answer::Not => Coverage::Absent,
        };
        LibraryVerdict {
            library: "a library",
            role,
            place: None,
            answer,
            coverage,
            reason: String::new(),
            then: None,
            needs: Vec::new(),
            evidence: Evidence::Observed,
        }
    }

    /// How bad an answer is for who wants to run something.
    fn badness(answer: Answer) -> u8 {
        match answer {
            Answer::Runs | Answer::Compiles => 0,
            Answer::Limits => 1,
            Answer::Unknown => 2,
            Answer::Not => 3,
        }
    }

    /// Every set of up to three libraries, of all roles and answers.
    fn sets() -> Vec<Vec<LibraryVerdict<'static>>> {
        let kinds: Vec<(Role, Answer)> =
            ROLES.iter().flat_map(|role| ANSWERS.map(|answer| (*role, answer))).collect();
        let of =
            |kinds: &[(Role, Answer)]| kinds.iter().map(|(role, answer)| library(*role, *answer)).collect();
        let mut sets = vec![Vec::new()];
        for (number, first) in kinds.iter().enumerate() {
            sets.push(of(&[*first]));
            for (more, second) in kinds.iter().enumerate().skip(number) {
                sets.push(of(&[*first, *second]));
                sets.extend(kinds.iter().skip(more).map(|third| of(&[*first, *second, *third])));
            }
        }
        sets
    }

    #[test]
    fn it_is_as_bad_as_the_worst_library_that_programs_need_and_no_worse_but_by_a_limit() {
        for set in sets() {
            let said = set.iter().map(|one| (one.role, one.answer)).collect::<Vec<_>>();
            let needed = set.iter().filter(|one| one.role == Role::Needed).map(|one| one.answer);
            let Some(worst) = needed.max_by_key(|answer| badness(*answer)) else { continue };
            let found = headline_of_libraries(&set).unwrap();
            let optional = set.iter().any(|one| one.role == Role::Optional && badness(one.answer) > 0);
            let most = badness(worst).max(u8::from(optional));
            assert_eq!(badness(found.answer), most, "{said:?}: {found:?}");
        }
    }

    #[test]
    fn what_is_no_library_for_programs_says_nothing_where_one_is() {
        for set in sets() {
            let deciding: Vec<_> = set
                .iter()
                .filter(|one| one.role.decides())
                .map(|one| library(one.role, one.answer))
                .collect();
            if !deciding.is_empty() {
                assert_eq!(headline_of_libraries(&set), headline_of_libraries(&deciding));
            }
            if set.iter().all(|one| matches!(one.role, Role::Runtime | Role::Firmware | Role::Tool)) {
                assert_eq!(headline_of_libraries(&set), None, "the runtime alone is no answer");
            }
        }
    }

    #[test]
    fn the_words_are_those_of_the_lines_below() {
        for set in sets() {
            let Some(found) = headline_of_libraries(&set) else { continue };
            let lines: Vec<Answer> = deciding(&set).iter().map(|one| one.answer).collect();
            let said = format!("{found:?} above {lines:?}");
            let all = |wanted: &[Answer]| lines.iter().all(|answer| wanted.contains(answer));
            if found.text.starts_with("all libraries run") {
                assert!(all(&[Answer::Runs, Answer::Limits, Answer::Compiles]), "{said}");
            }
            if found.text.starts_with("no library runs") || found.text == "does not run" {
                assert!(all(&[Answer::Not]), "{said}");
            }
            if found.text.starts_with("all libraries compile") {
                assert!(all(&[Answer::Compiles]), "{said}");
            }
            assert_eq!(found.answer == Answer::Compiles, all(&[Answer::Compiles]), "{said}");
            assert!(!found.text.is_empty());
        }
    }

    #[test]
    fn names_stand_in_it_where_callers_do_without() {
        let found = headline_of_libraries(&[
            LibraryVerdict { library: "rocBLAS", ..library(Role::Needed, Answer::Runs) },
            LibraryVerdict { library: "hipBLASLt", ..library(Role::Optional, Answer::Not) },
        ]);
        assert_eq!(found.unwrap().text, "runs without hipBLASLt, which callers do without");
        let alone = headline_of_libraries(&[library(Role::Optional, Answer::Not)]).unwrap();
        assert_eq!((alone.answer, alone.text.as_str()), (Answer::Not, "does not run"));
        let slower =
            LibraryVerdict { coverage: Coverage::FallbackOnly, ..library(Role::Needed, Answer::Limits) };
        assert_eq!(headline_of_libraries(&[slower]).unwrap().text, "runs, slower");
    }
}
