//! Caches: the entries that Triton wrote for our kernel (`fixtures/triton_cache.py`), stale and broken
//! entries, and the user's cache places.

use crate::common::fixture;
use crate::common::program::command;
use serde_json::Value;
use std::fs;

fn report(words: &[&str], variables: &[(&str, &str)]) -> Value {
    let output = command(words)
        .args(["-f", "json"])
        .env("HOME", "no-home")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// A copy of the cache next to an installed release of Triton.
fn with_installed(version: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture("triton")).unwrap().map(Result::unwrap) {
        let to = folder.path().join("cache").join(entry.file_name());
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(entry.path()).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    let installed = folder.path().join(format!("triton-{version}.dist-info"));
    fs::create_dir(&installed).unwrap();
    fs::write(installed.join("RECORD"), "triton/__init__.py,,\n").unwrap();
    folder
}

#[test]
fn a_cache_of_triton_says_compiler_targets_and_whether_it_is_taken() {
    for (version, stale) in
        [("3.9.0", Value::Null), ("3.9.0+rocm7.2", Value::Null), ("3.8.1", "3.8.1".into())]
    {
        let folder = with_installed(version);
        let found = report(&[folder.path().to_str().unwrap()], &[]);
        let [cache] = &found["caches"].as_array().unwrap()[..] else { panic!("{}", found["caches"]) };
        assert_eq!((&cache["of"], &cache["version"]), (&"Triton".into(), &"3.9.0".into()));
        assert_eq!(cache["targets"], serde_json::json!({ "gfx942": 1, "gfx1151": 1, "gfx1201": 1 }));
        assert_eq!((cache["entries"].as_u64(), &cache["broken"]), (Some(3), &serde_json::json!([])));
        assert_eq!(cache["stale_for"], stale, "{version}");
        assert_eq!(cache["folders"].as_array().unwrap().len(), 1, "the folder around the entries");
    }
}

#[test]
fn an_entry_without_its_code_object_or_with_anothers_is_broken() {
    let folder = with_installed("3.9.0");
    let objects: Vec<_> =
        fs::read_dir(folder.path().join("cache")).unwrap().map(|e| e.unwrap().path()).collect();
    let [one, two, three] = &objects[..] else { panic!() };
    fs::remove_file(one.join("add_kernel.hsaco")).unwrap();
    fs::copy(two.join("add_kernel.hsaco"), three.join("add_kernel.hsaco")).unwrap();
    let found = report(&[folder.path().to_str().unwrap()], &[]);
    let broken = found["caches"][0]["broken"].as_array().unwrap();
    let whats: Vec<&str> = broken.iter().map(|one| one["what"].as_str().unwrap()).collect();
    assert_eq!(whats.len(), 2, "{whats:?}");
    assert!(whats.iter().any(|what| what.ends_with("its code object is not there")), "{whats:?}");
    assert!(whats.iter().any(|what| what.ends_with("its code object is for another target")), "{whats:?}");
}

#[test]
fn the_places_of_the_user_are_named_whether_they_are_there_or_not() {
    let folder = with_installed("3.9.0");
    let cache = folder.path().join("cache");
    let found = report(&["--caches"], &[("TRITON_CACHE_DIR", cache.to_str().unwrap())]);
    let places = found["user_places"].as_array().unwrap();
    let there: Vec<&Value> = places.iter().filter(|place| place["is_there"] == true).collect();
    assert_eq!(there.len(), 1);
    assert_eq!((&there[0]["of"], &there[0]["variable"]), (&"Triton".into(), &"TRITON_CACHE_DIR".into()));
    assert_eq!(found["caches"][0]["entries"], 3);
    let said = found["not_shown"]
        .as_array()
        .unwrap()
        .iter()
        .any(|said| said.as_str().unwrap().contains("were not read"));
    assert!(!said, "they were read");
    // For a card without cache entries, the kernel is compiled on demand.
    let found = report(&["--arch", "gfx1030", cache.to_str().unwrap()], &[]);
    let library = &found["verdicts"][0]["libraries"][0];
    assert_eq!(
        (&library["library"], &library["answer"]),
        (&"Triton".into(), &"compiles".into()),
        "{library}"
    );
    // Missing caches are reported too.
    let found = report(&["--caches"], &[]);
    assert!(found["user_places"].as_array().unwrap().iter().all(|place| place["is_there"] == false));
    assert_eq!(found["roots"], serde_json::json!([]));
}

#[test]
fn metadata_of_other_backends_and_of_no_kernel_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let entry = folder.path().join("A".repeat(52));
    fs::create_dir(&entry).unwrap();
    for (name, text) in [
        ("cuda.json", r#"{"target":{"backend":"cuda","arch":90},"name":"k"}"#),
        ("cut.json", r#"{"target":{"backend":"hip","arch":"gfx90"#),
        ("odd.json", r#"{"target":{"backend":"hip","arch":"sm_90"},"name":"k"}"#),
        ("list.json", r#"{"target":["hip","gfx90a",64],"num_warps":4}"#),
    ] {
        fs::write(entry.join(name), text).unwrap();
    }
    let found = report(&[folder.path().to_str().unwrap()], &[]);
    let [cache] = &found["caches"].as_array().unwrap()[..] else { panic!("{}", found["caches"]) };
    assert_eq!(cache["targets"], serde_json::json!({ "gfx90a": 1 }), "Triton 2.1 wrote a list");
    assert_eq!(cache["version"], Value::Null);
}
