//! Which releases of libraries are read, and by whose rules each is answered: rows made of the tables that
//! answer.

use crate::ggml;
use crate::miopen::solver::{SolverRules, Version};
use crate::tensile::{backend, lite, version};

/// How an answer for a release stands to the library of that release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseEvidence {
    /// The library of that release was run, and its answers compared.
    Exact,
    /// By rules that were read in the source of that release, and compared with no library.
    Source,
    /// By the rules of the nearest release that has some; the answer says so.
    Neighbour,
    /// Files are read, and no choice is answered.
    NotKnown,
}

impl ReleaseEvidence {
    /// In words of a table.
    pub fn words(self) -> &'static str {
        match self {
            ReleaseEvidence::Exact => "exact: compared with the library",
            ReleaseEvidence::Source => "by its source, compared with no library",
            ReleaseEvidence::Neighbour => "by the rules of a neighbour, which the answer names",
            ReleaseEvidence::NotKnown => "not known",
        }
    }
}

/// A release, or a range of them, of one library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseRow {
    /// The library.
    pub library: &'static str,
    /// The release as the library counts, with the ROCm that it came with where that is known.
    pub release: String,
    /// How its answers are known.
    pub standing: ReleaseEvidence,
    /// Whose rules answer, or what else is worth knowing.
    pub rules: String,
}

/// All rows, by library, the oldest first.
pub fn rows() -> Vec<ReleaseRow> {
    let mut rows = rocblas();
    rows.extend(hipblaslt());
    rows.extend(miopen());
    rows.extend(ggml());
    rows
}

fn row(library: &'static str, release: String, standing: ReleaseEvidence, rules: String) -> ReleaseRow {
    ReleaseRow { library, release, standing, rules }
}

/// Releases of rocBLAS whose library was run and compared: 4.4 with ROCm 6.4, 5.2 with ROCm 7.2.
const ROCBLAS_COMPARED: [version::Version; 2] = [version::Version::new(4, 4), version::Version::new(5, 2)];

/// Which library takes a product is a question of its own, with rules of more releases.
const ROCBLAS_TAKER: &str = "rocBLAS: which library takes a product";

fn rocblas() -> Vec<ReleaseRow> {
    let mut rows: Vec<ReleaseRow> = ROCBLAS_COMPARED
        .iter()
        .map(|own| {
            let rules = "its own: choice, kernel, grid and file".to_owned();
            row("rocBLAS", format!("{}.{}", own.major, own.minor), ReleaseEvidence::Exact, rules)
        })
        .collect();
    rows.extend(backend::ASKING.iter().map(|asking| {
        let rules = "its own; the choice in catalogs is that of the nearest compared release";
        row(ROCBLAS_TAKER, asking.release.to_owned(), ReleaseEvidence::Source, rules.to_owned())
    }));
    rows
}

fn hipblaslt() -> Vec<ReleaseRow> {
    let known = lite::release::KNOWN.iter().map(|(own, rocm)| {
        let rules = lite::release::ChoiceRules::for_version(*own);
        let standing = match lite::release::ChoiceRules::are_of(*own) {
            true => ReleaseEvidence::Exact,
            false if rules.rocm() == *rocm => ReleaseEvidence::Source,
            false => ReleaseEvidence::Neighbour,
        };
        let release = format!("{}.{} (ROCm {rocm})", own.major, own.minor);
        row("hipBLASLt", release, standing, rules.release().to_owned())
    });
    known.collect()
}

fn miopen() -> Vec<ReleaseRow> {
    let Ok(rules) = SolverRules::miopen() else { return Vec::new() };
    let releases = rules.releases();
    let read = releases.answering(Version(0, 0, 0)).read;
    let own = row(
        "MIOpen",
        read.to_string(),
        ReleaseEvidence::Source,
        "its own: all solvers with rules".to_owned(),
    );
    let compared = releases.compared().iter().map(|release| {
        row("MIOpen", release.to_string(), ReleaseEvidence::Exact, format!("those of {read}"))
    });
    // Each row is for the releases up to the next one, and has the changes of those before it.
    let all = releases.later();
    let later = all.iter().enumerate().map(|(number, later)| {
        let release = match all.get(number + 1) {
            Some(next) => format!("{}, before {}", later.since, next.since),
            None => format!("{} and later", later.since),
        };
        let changes: Vec<&str> = all.iter().take(number + 1).map(|one| one.what).collect();
        row(
            "MIOpen",
            release,
            ReleaseEvidence::Neighbour,
            format!("those of {read}, and {}", changes.join("; ")),
        )
    });
    std::iter::once(own).chain(compared).chain(later).collect()
}

fn ggml() -> Vec<ReleaseRow> {
    let Ok(rules) = ggml::rules::rules() else { return Vec::new() };
    let (first, read_to) = rules.read_from_source();
    let mut rows =
        vec![row("ggml", format!("{first} to {read_to}"), ReleaseEvidence::Source, "its own".to_owned())];
    rows.extend(
        rules
            .observed()
            .iter()
            .map(|own| row("ggml", (*own).to_owned(), ReleaseEvidence::Exact, "its own".to_owned())),
    );
    let others = format!("other than {}", rules.known());
    rows.push(row("ggml", others, ReleaseEvidence::Neighbour, "those of the nearest of these".to_owned()));
    rows
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_library_that_is_answered_for_has_a_release_that_was_compared() {
        let rows = rows();
        for library in ["rocBLAS", "hipBLASLt", "MIOpen", "ggml"] {
            let own = || rows.iter().filter(move |row| row.library == library);
            assert!(own().any(|row| row.standing == ReleaseEvidence::Exact), "{library}");
            assert!(own().all(|row| !row.release.is_empty() && !row.rules.is_empty()), "{library}");
        }
    }

    #[test]
    fn rows_are_those_of_the_tables_that_answer() {
        let of = |release: &str| {
            rows().into_iter().find(|row| row.library == "hipBLASLt" && row.release.starts_with(release))
        };
        assert_eq!(of("1.1").unwrap().standing, ReleaseEvidence::Exact);
        assert_eq!(of("1.2").unwrap().standing, ReleaseEvidence::Exact);
        assert_eq!(of("1.4").unwrap().standing, ReleaseEvidence::Source);
        assert_eq!(of("1.5").unwrap().standing, ReleaseEvidence::Neighbour);
        assert_eq!(
            rows().iter().filter(|row| row.library == "hipBLASLt").count(),
            lite::release::KNOWN.len()
        );
        let nearest = ggml::rules::rules().unwrap().nearest("1.3.0".parse().unwrap()).to_string();
        assert!(rows().iter().any(|row| row.library == "ggml" && row.release == nearest));
    }
}
