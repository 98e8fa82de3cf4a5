//! What the rules of this crate cite of public sources: one list for all of them, so that every citation can
//! be looked up.
//!
//! `cargo oracle check-citations SOURCES` does that. Rules of MIOpen cite a file with its lines and what
//! stands there. Those of ggml and models and the claims of libraries write it in one line, in this grammar;
//! parts that are none of it (`probe of 0.27.0`) cite no source:
//!
//! ```text
//! source  part {"; " part}
//! part    [REPOSITORY " "] REVISION " " PATH [":" LINE ["-" LINE]] " (" NAME ")"
//!         REVISION {" and " REVISION} [" of " DATE] [", tag " TAG]
//! ```

use super::ggml;
use super::library_claims;
use super::miopen::solver::clause::Source;
use super::miopen::solver::{LoadError, SolverRules};
use super::model;
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// The repository of citations that name none.
const GGML: &str = "ggml-org/ggml";

/// A citation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Citation {
    /// `ROCm/MIOpen`.
    pub repository: String,
    /// A commit, or a tag.
    pub revision: String,
    /// What of it.
    pub what: Cited,
    /// The first rule that cites it.
    pub by: String,
}

/// What is cited of a revision.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cited {
    /// A place in a file.
    Place {
        /// The file.
        path: String,
        /// Ranges of lines, counted from 1; none for the whole file.
        lines: Vec<(u32, u32)>,
        /// What stands there.
        name: String,
    },
    /// The commit itself.
    Commit {
        /// Its date in the repository, `2025-12-11`.
        date: Option<String>,
        /// The first tag that has it.
        tag: Option<String>,
    },
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.repository, self.revision)?;
        match &self.what {
            Cited::Place { path, lines, name } => {
                write!(f, " {path}")?;
                for (number, (first, last)) in lines.iter().enumerate() {
                    write!(f, "{}{first}-{last}", if number == 0 { ":" } else { ", " })?;
                }
                write!(f, " ({name})")?;
            }
            Cited::Commit { date, tag } => {
                if let Some(date) = date {
                    write!(f, " of {date}")?;
                }
                if let Some(tag) = tag {
                    write!(f, ", tag {tag}")?;
                }
            }
        }
        write!(f, ", by {}", self.by)
    }
}

/// Why there is no list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCitations(String);

impl fmt::Display for NoCitations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoCitations {}

impl From<&LoadError> for NoCitations {
    fn from(error: &LoadError) -> Self {
        NoCitations(error.to_string())
    }
}

impl From<&str> for NoCitations {
    fn from(error: &str) -> Self {
        NoCitations(error.to_owned())
    }
}

/// Every citation of the rules of MIOpen, ggml and models and of what libraries claim, each once.
///
/// # Errors
/// Where the crate's own rules are malformed, or a citation names a file and not what stands there.
pub fn all() -> Result<Vec<Citation>, NoCitations> {
    let mut found = Vec::new();
    for solver in SolverRules::miopen()?.solvers() {
        let mut add =
            |part: &str, source: &Source| found.push(of_place(&format!("{}, {part}", solver.name), source));
        add("rule", &solver.source);
        if let Some(workspace) = &solver.workspace {
            add("workspace", &workspace.source);
        }
        for clause in &solver.clauses {
            add(clause.id, &clause.source);
        }
    }
    for variable in SolverRules::miopen()?.environment() {
        found.push(of_place(variable.name, &variable.source));
    }
    for rule in ggml::rules::rules()?.all() {
        found.extend(of_text(&format!("ggml, {}", rule.id), rule.source)?);
    }
    for (by, text) in model::sources() {
        found.extend(of_text(&format!("models, {by}"), text)?);
    }
    for (by, text) in library_claims::sources() {
        found.extend(of_text(&by, &text)?);
    }
    let mut seen = BTreeSet::new();
    found.retain(|c| seen.insert((c.repository.clone(), c.revision.clone(), c.what.clone())));
    Ok(found)
}

fn of_place(by: &str, source: &Source) -> Citation {
    let range = |text: &str| {
        let (first, last) = text.trim().split_once('-').unwrap_or((text.trim(), text.trim()));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    let lines: Option<Vec<(u32, u32)>> = source.lines.split(',').map(range).collect();
    Citation {
        repository: source.repository.to_owned(),
        revision: source.commit.to_owned(),
        what: Cited::Place {
            path: source.path.to_owned(),
            lines: lines.unwrap_or_default(),
            name: source.name.clone().into_owned(),
        },
        by: by.to_owned(),
    }
}

/// The parts of the grammar.
struct Grammar {
    place: Regex,
    commits: Regex,
}

static GRAMMAR: LazyLock<Option<Grammar>> = LazyLock::new(|| {
    let revision = r"[0-9a-f]{7,40}|v\d+(?:\.\d+)+";
    let place = format!(
        r"^(?:(?<repository>\S+/\S+) )?(?<revision>{revision}) (?<path>[\w./-]+\.\w+)(?::(?<first>\d+)(?:-(?<last>\d+))?)?(?: \((?<name>[^)]+)\))?"
    );
    let commits = r"^(?<commits>[0-9a-f]{8}(?: and [0-9a-f]{8})*)(?: of (?<date>\d{4}-\d\d-\d\d))?(?:, tag (?<tag>v[\d.]+))?$";
    Some(Grammar { place: Regex::new(&place).ok()?, commits: Regex::new(commits).ok()? })
});

fn of_text(by: &str, text: &str) -> Result<Vec<Citation>, NoCitations> {
    let grammar = GRAMMAR.as_ref().ok_or("the grammar of citations")?;
    let mut found = Vec::new();
    for part in text.split("; ") {
        if let Some(place) = grammar.place.captures(part) {
            let of = |name: &str| place.name(name).map(|found| found.as_str().to_owned());
            let name = of("name").ok_or_else(|| NoCitations(format!("{by}: {part}: what stands there?")))?;
            let line = |name: &str| place.name(name).and_then(|line| line.as_str().parse::<u32>().ok());
            let first = line("first");
            found.push(Citation {
                repository: of("repository").unwrap_or_else(|| GGML.to_owned()),
                revision: of("revision").unwrap_or_default(),
                what: Cited::Place {
                    path: of("path").unwrap_or_default(),
                    lines: first.map(|first| (first, line("last").unwrap_or(first))).into_iter().collect(),
                    name,
                },
                by: by.to_owned(),
            });
        } else if let Some(commits) = grammar.commits.captures(part) {
            let of = |name: &str| commits.name(name).map(|found| found.as_str().to_owned());
            let what = Cited::Commit { date: of("date"), tag: of("tag") };
            found.extend(of("commits").unwrap_or_default().split(" and ").map(|commit| Citation {
                repository: GGML.to_owned(),
                revision: commit.to_owned(),
                what: what.clone(),
                by: by.to_owned(),
            }));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_in_one_line_are_taken_apart() {
        let text = "v0.9.4 src/ggml-cuda/mmf.cu:87 (should_use); 499b7971 and 54f76594 of 2025-12-11, tag v0.9.5; probe of 0.27.0; \
                    ROCm/Tensile a164ed70 Tensile/Common.py:2017-2090 (tryAssembler), probes";
        let found: Vec<String> = of_text("x", text).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "ggml-org/ggml v0.9.4 src/ggml-cuda/mmf.cu:87-87 (should_use), by x",
                "ggml-org/ggml 499b7971 of 2025-12-11, tag v0.9.5, by x",
                "ggml-org/ggml 54f76594 of 2025-12-11, tag v0.9.5, by x",
                "ROCm/Tensile a164ed70 Tensile/Common.py:2017-2090 (tryAssembler), by x",
            ]
        );
        assert!(of_text("x", "d99724f2 src/ggml-cuda/mmf.cu:133").is_err());
    }

    /// Each rule that can be looked up says where, and what stands there.
    #[test]
    fn every_rule_is_cited() {
        let all = all().unwrap();
        assert!(all.len() > 500, "{}", all.len());
        for repository in [
            "ROCm/MIOpen",
            "ROCm/rocm-libraries",
            "ROCm/Tensile",
            "ROCm/composable_kernel",
            "ggml-org/ggml",
            "ggml-org/llama.cpp",
        ] {
            assert!(all.iter().any(|citation| citation.repository == repository), "{repository}");
        }
        let unnamed = |c: &&Citation| matches!(&c.what, Cited::Place { name, .. } if name.trim().is_empty());
        assert_eq!(all.iter().find(unnamed), None);
    }
}
