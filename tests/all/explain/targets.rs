//! `explain gfx900`: what public packages have for a processor, when sources of libraries named
//! it, and in which releases they build for it.

use rocm_audit::diagnosis::packages::PUBLIC;
use serde_json::Value;
use std::collections::BTreeSet;

/// The table in the program says what the stored answers in docs/packages say.
#[test]
fn public_packages_are_those_of_the_docs() {
    let mut titles = BTreeSet::new();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/packages")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let stored: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let title = stored["title"].as_str().unwrap().to_owned();
        let own = PUBLIC.iter().find(|package| package.title == title);
        let own = own.unwrap_or_else(|| panic!("src/diagnosis/packages.tsv lacks {title}"));
        let processors = |answers: &[&str]| -> BTreeSet<String> {
            let of = stored["answers"].as_array().unwrap().iter();
            let of = of.filter(|answer| answers.contains(&answer["answer"].as_str().unwrap()));
            of.flat_map(|answer| answer["processors"].as_array().unwrap())
                .map(|name| name.as_str().unwrap().to_owned())
                .collect()
        };
        let set =
            |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        assert_eq!(set(&own.runs), processors(&["runs", "compiles"]), "{title}");
        assert_eq!(set(&own.limits), processors(&["limits"]), "{title}");
        assert_eq!(own.read, stored["read"], "{title}");
        titles.insert(title);
    }
    assert_eq!(
        titles.len(),
        PUBLIC.len(),
        "src/diagnosis/packages.tsv has packages that docs/packages lacks"
    );
}

/// From the public histories: Composable Kernel took gfx900 out of its defaults with pull request 1351, and TheRock
/// took it in with 3564.
#[cfg(feature = "engines")]
#[test]
fn a_processor_has_its_history_and_its_packages() {
    let report = rocm_audit::explain_word("gfx900").unwrap();
    let target = report.target.unwrap();
    let of = |library: &str| target.history.iter().find(|row| row.library == library).unwrap();
    let kernels = of("Composable Kernel");
    assert!(kernels.is_taken_out);
    assert_eq!(kernels.last.as_ref().map(|commit| commit.date.as_str()), Some("2024-06-19"));
    let rock = of("TheRock");
    assert!(!rock.is_taken_out);
    assert_eq!(rock.first.as_ref().map(|commit| commit.date.as_str()), Some("2026-03-11"));
    assert!(rock.last.is_none());
    let unknown = rocm_audit::explain_word("gfx1310").unwrap().target.unwrap();
    assert!(unknown.history.iter().all(|row| row.library != "MIOpen"), "no file of MIOpen named it");
}

/// From the CMakeLists.txt of the releases: `TARGET_LIST_ROCM_6.0` of rocBLAS has no gfx803, rocSOLVER left gfx900
/// out of three releases, and hipBLASLt 5.7 named XNACK for gfx942.
#[cfg(feature = "engines")]
#[test]
fn a_processor_has_the_releases_that_are_built_for_it() {
    let releases = |processor: &str, library: &str| -> Vec<(String, String)> {
        let target = rocm_audit::explain_word(processor).unwrap().target.unwrap();
        let of = target.builds.iter().find(|row| row.library == library).unwrap();
        of.releases.iter().map(|one| (one.first.clone(), one.last.clone())).collect()
    };
    let span = |first: &str, last: &str| (first.to_owned(), last.to_owned());
    assert_eq!(releases("gfx803", "rocBLAS"), [span("4.5.0", "5.7.1")]);
    assert_eq!(releases("gfx900", "rocSOLVER"), [span("4.5.0", "6.0.2"), span("6.2.0", "6.2.2")]);
    assert_eq!(releases("gfx900", "hipBLASLt"), []);
    assert_eq!(releases("gfx942", "hipBLASLt"), [span("5.7.0", "5.7.1"), span("6.0.0", "6.2.2")]);
    let target = rocm_audit::explain_word("gfx942").unwrap().target.unwrap();
    let lt = target.builds.iter().find(|row| row.library == "hipBLASLt").unwrap();
    assert_eq!(lt.releases[0].targets, ["gfx942:xnack+", "gfx942:xnack-"]);
    assert_eq!((&*lt.examined_first, &*lt.examined_last), ("5.5.0", "6.2.2"));
    assert!(lt.releases[0].source.starts_with("ROCm/hipBLASLt "), "{}", lt.releases[0].source);
}
