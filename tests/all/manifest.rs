//! `manifest`, what reads it (`check`, `diff`, `choose`), and manifests and lists that lie.

use crate::common::fixture;
use crate::common::packages::{self, member};
use crate::common::program::{run, said};
use crate::common::seen::folder;
use rocm_audit::report::v1::Manifest;
use rocm_audit::target::{PROCESSORS, TargetId};
use rocm_audit::{AuditQuestion, Card, ManifestQuestion, Question, Trees};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Artifacts of every kind that libraries with code come in.
const ARTIFACTS: [&str; 8] =
    ["rocm", "ggml/plain", "ggml/older", "tensile", "hipblaslt", "miopen", "containers", "forms/docker.tar"];

fn manifest(path: &Path) -> Manifest {
    ManifestQuestion::default().ask(&Trees::at([path])).unwrap()
}

fn asked(words: &[&str]) -> Value {
    let output = run(&[words, &["-f", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// A wheel with ggml's library of the fixtures, and a copy without code.
fn wheels() -> tempfile::TempDir {
    let library = |folder: &str| {
        let path = fixture(folder);
        let file = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let file = file.into_iter().find(|path| path.to_string_lossy().contains(".so")).unwrap();
        fs::read(file).unwrap()
    };
    let wheel = |library: Vec<u8>| packages::zip(&[member("lib/libggml-hip.so", library)]);
    let (good, other) = (wheel(library("ggml/plain")), wheel(library("ggml/older")));
    folder(&[
        ("good-1-py3-none-manylinux_2_28_x86_64.whl", &good),
        ("other-2-py3-none-win_amd64.whl", &other),
    ])
}

/// What a manifest says of a processor is what an audit that is asked for it alone says.
#[test]
fn a_manifest_says_what_audits_say() {
    let mut compared = 0;
    for artifact in ARTIFACTS {
        let path = fixture(artifact);
        let manifest = manifest(&path);
        let known: Vec<&str> =
            manifest.cards.iter().flat_map(|cards| &cards.processors).map(String::as_str).collect();
        for processor in PROCESSORS.iter().map(|processor| processor.name()) {
            assert_eq!(known.iter().filter(|own| **own == processor).count(), 1, "{artifact}: {processor}");
        }
        for processor in ["gfx803", "gfx900", "gfx906", "gfx90a", "gfx1030", "gfx1032", "gfx1100", "gfx1201"]
        {
            let card = Card::unnamed(TargetId::bare(processor));
            let report = AuditQuestion::about([card]).ask(&Trees::at([&path])).unwrap();
            let [verdict] = &report.verdicts[..] else { panic!("{artifact}: {processor}") };
            let cards = manifest.of_processor(processor).unwrap();
            assert_eq!(cards.answer, verdict.answer, "{artifact}: {processor}");
            assert_eq!(cards.headline, verdict.headline, "{artifact}: {processor}");
            let of_audit: Vec<_> =
                verdict.libraries.iter().map(|own| (&own.library, own.answer, &own.reason)).collect();
            let of_manifest: Vec<_> =
                cards.libraries.iter().map(|own| (&own.library, own.answer, &own.reason)).collect();
            assert_eq!(of_manifest, of_audit, "{artifact}: {processor}");
            compared += of_audit.len();
        }
    }
    assert!(compared > 80, "{compared}");
}

/// `check` answers of a manifest what it answers of the artifact.
#[test]
fn a_manifest_is_checked_as_its_artifact_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.json");
    let require = "gfx803,gfx900,gfx906,gfx90a,gfx1030,gfx1100";
    let mut rows = 0;
    for artifact in ARTIFACTS {
        let path = fixture(artifact);
        let path = path.to_str().unwrap();
        let wrote = run(&["manifest", "-q", "-o", file.to_str().unwrap(), path]);
        assert!(file.is_file(), "{artifact}: {}", said(&wrote));
        for more in [&[][..], &["--per-file"]] {
            let checked = |path: &str| asked(&[&["check", "--require", require, path], more].concat());
            let (of_file, of_manifest) = (checked(path), checked(file.to_str().unwrap()));
            let answers = |report: &Value| -> Vec<String> {
                let rows = report["requirements"].as_array().unwrap().iter();
                let mut rows: Vec<String> = rows
                    .map(|row| {
                        format!(
                            "{} {} {} {} {} {}",
                            row["processor"],
                            row["library"],
                            row["tensile"],
                            row["is_met"],
                            row["coverage"],
                            row["why"]
                        )
                    })
                    .collect();
                rows.sort();
                rows
            };
            assert_eq!(answers(&of_manifest), answers(&of_file), "{artifact} {more:?}");
            assert_eq!(of_manifest["passed"], of_file["passed"], "{artifact} {more:?}");
            rows += answers(&of_file).len();
        }
    }
    assert!(rows > 80, "{rows}");
    // Features are no matter of manifests.
    let output = run(&["check", "--require", "gfx90a:xnack+", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("name the file itself"), "{}", said(&output));
}

#[test]
fn one_document_for_each_artifact_is_written_into_a_folder() {
    let tree = wheels();
    let into = tree.path().join("manifests");
    let dist = tree.path().to_str().unwrap();
    let output = run(&["manifest", "--into", into.to_str().unwrap(), dist]);
    assert!(output.status.success(), "{}", said(&output));
    let mut names: Vec<String> =
        fs::read_dir(&into).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(
        names,
        ["good-1-py3-none-manylinux_2_28_x86_64.whl.rocm.json", "other-2-py3-none-win_amd64.whl.rocm.json"]
    );
    let text = fs::read_to_string(into.join(&names[0])).unwrap();
    // Nothing of the machine stands in it.
    assert!(!text.contains(dist), "{text}");
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(written["schema"], "rocm-audit/manifest");
    let refused = run(&["manifest", dist]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("--into FOLDER"), "{}", said(&refused));
    let refused = run(&["manifest", "--into", into.to_str().unwrap(), "-f", "json", dist]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    let refused = run(&["manifest", "--gpu", "gfx900", dist]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
}

#[test]
fn the_digest_is_that_of_other_tools() {
    use sha2::{Digest as _, Sha256};
    let path = fixture("forms/docker.tar");
    let digest: String =
        Sha256::digest(fs::read(&path).unwrap()).iter().map(|b| format!("{b:02x}")).collect();
    let artifact = manifest(&path).artifact;
    assert_eq!(
        (artifact.sha256.as_deref(), artifact.bytes),
        (Some(digest.as_str()), fs::metadata(&path).unwrap().len())
    );
    let tree = manifest(&fixture("ggml/plain")).artifact;
    assert_eq!((tree.sha256, tree.name.as_str()), (None, "plain"));
}

/// The names of the candidates in order, each with answer and source.
fn candidates(report: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = report["candidates"].as_array().unwrap().iter();
    all.map(|one| (text(&one["name"]), text(&one["answer"]), text(&one["known_by"]))).collect()
}

#[test]
fn what_runs_comes_first_by_files_and_by_manifests_alike() {
    let tree = wheels();
    let into = tree.path().join("manifests");
    let dist = tree.path().to_str().unwrap();
    assert!(run(&["manifest", "--into", into.to_str().unwrap(), dist]).status.success());
    for gpu in ["gfx900", "gfx1100", "gfx1032", "gfx906"] {
        let by_files = asked(&["choose", "--gpu", gpu, dist]);
        let by_manifests = asked(&["choose", "--gpu", gpu, into.to_str().unwrap()]);
        let plain = |report: &Value| -> Vec<(String, String)> {
            candidates(report).into_iter().map(|(name, answer, _)| (name, answer)).collect()
        };
        assert_eq!(plain(&by_files), plain(&by_manifests), "{gpu}");
        assert!(candidates(&by_files).iter().all(|(.., source)| source == "file"));
        assert!(candidates(&by_manifests).iter().all(|(.., source)| source == "manifest"));
        for (name, answer) in plain(&by_files) {
            // The same that the verdict on the file alone is.
            let report = asked(&["--gpu", gpu, tree.path().join(name).to_str().unwrap()]);
            assert_eq!(report["verdicts"][0]["answer"], answer.as_str(), "{gpu}");
        }
    }
    let linux = asked(&["choose", "--gpu", "gfx900", "--os", "linux", dist]);
    assert_eq!(candidates(&linux).len(), 1);
    let first = &linux["candidates"][0];
    assert_eq!(first["answer"], "runs");
    assert!(first["install"].as_str().unwrap().starts_with("pip install /"), "{first}");
    // Nothing runs: status 1.
    let output = run(&["choose", "--gpu", "gfx803", dist]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for refused in
        [&["choose", dist][..], &["choose", "--gpu", "gfx900,gfx906", dist], &["choose", "--gpu", "gfx900"]]
    {
        assert_eq!(run(refused).status.code(), Some(2), "{refused:?}");
    }
}

/// Calls a processor otherwise.
fn rename(manifest: &mut Value, from: &str, to: &str) {
    let rows = manifest["cards"].as_array_mut().unwrap().iter_mut();
    for name in rows.flat_map(|row| row["processors"].as_array_mut().unwrap()) {
        if name == from {
            *name = to.into();
        }
    }
}

#[test]
fn manifests_and_lists_that_lie_are_found_out() {
    let tree = wheels();
    let name = "good-1-py3-none-manylinux_2_28_x86_64.whl";
    let wheel = tree.path().join(name);
    let beside = tree.path().join("good.rocm.json");
    let wrote = run(&["manifest", "-q", "-o", beside.to_str().unwrap(), wheel.to_str().unwrap()]);
    assert!(wrote.status.success(), "{}", said(&wrote));
    let honest: Value = serde_json::from_slice(&fs::read(&beside).unwrap()).unwrap();
    let chosen = |gpu: &str| -> Value {
        let report = asked(&["choose", "--gpu", gpu, wheel.to_str().unwrap(), beside.to_str().unwrap()]);
        assert_eq!(report["candidates"].as_array().unwrap().len(), 1);
        assert_eq!(report["candidates"][0]["known_by"], "file");
        report
    };
    assert_eq!(
        (&chosen("gfx900")["findings"], &chosen("gfx900")["failed_because"]),
        (&json!([]), &json!([]))
    );
    type Lie = (&'static str, fn(&mut Value), &'static str);
    let lies: [Lie; 9] = [
        (
            "an answer",
            |m| m["cards"].as_array_mut().unwrap().iter_mut().for_each(|row| row["answer"] = "limits".into()),
            "its answer is one thing",
        ),
        ("a digest", |m| m["artifact"]["sha256"] = "00".repeat(32).into(), "SHA-256 00"),
        ("a size beside a true digest", |m| m["artifact"]["bytes"] = 7.into(), "bytes: 7"),
        ("a number of kernels", |m| m["targets"][0]["kernels"] = 12345.into(), "with 12345 kernels"),
        ("a target", |m| m["targets"][0]["target_id"] = "gfx1201".into(), "gfx1201: "),
        ("a processor renamed", |m| rename(m, "gfx900", "gfx900x"), "does not name gfx900"),
        ("a processor twice", |m| rename(m, "gfx906", "gfx900"), "two rows are of gfx900"),
        (
            "a release",
            |m| m["releases"] = json!([{"component": "libamdhip64", "version": "99", "linked": true}]),
            "libamdhip64 99",
        ),
        ("a file", |m| m["files"][0]["path"] = "lib/other.so".into(), "lib/other.so"),
    ];
    for (what, lie, expected) in lies {
        let mut changed = honest.clone();
        lie(&mut changed);
        assert_ne!(changed, honest, "{what}");
        fs::write(&beside, changed.to_string()).unwrap();
        let report = chosen("gfx900");
        // The file decides, and the lie makes the run fail.
        assert_eq!(report["candidates"][0]["answer"], "runs", "{what}");
        assert_eq!(report["failed_because"], json!(["manifest-differs"]), "{what}");
        let said = report["findings"][0]["locations"][0]["what"].as_str().unwrap();
        assert!(said.contains(expected), "{what}: {said}");
    }

    // A list with another digest than the file has, and one that names what is not here.
    let list = tree.path().join("report.json");
    let item = |name: &str, digest: &str| {
        format!(
            r#"{{"download_info":{{"url":"https://example.invalid/{name}","archive_info":{{"hashes":{{"sha256":"{digest}"}}}}}}}}"#
        )
    };
    let text = format!(
        r#"{{"version":"1","install":[{},{}]}}"#,
        item(name, "ff"),
        item("gone-1-py3-none-any.whl", "aa")
    );
    fs::write(&list, text).unwrap();
    let report = asked(&["choose", "--gpu", "gfx900", list.to_str().unwrap()]);
    let all = candidates(&report);
    assert_eq!(all[0].0, name);
    assert_eq!(all[1], ("gone-1-py3-none-any.whl".into(), "unknown".into(), "nothing".into()));
    assert!(
        report["candidates"][0]["remarks"].to_string().contains("the list means another file"),
        "{report}"
    );
}

#[test]
fn what_is_no_manifest_is_refused_with_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.json");
    let path = file.to_str().unwrap();
    let honest = serde_json::to_value(manifest(&fixture("ggml/plain"))).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut manifest = honest.clone();
        change(&mut manifest);
        manifest.to_string()
    };
    for (text, expected) in [
        ("{".to_owned(), "no JSON"),
        ("{}".to_owned(), "no list of artifacts"),
        ("[1, 2]".to_owned(), "no list of artifacts"),
        (changed(&|m| m["schema_version"] = "2.0.0".into()), "expected rocm-audit/manifest 1"),
        (changed(&|m| m["cards"] = 3.into()), "not the document of a manifest"),
        (changed(&|m| m["artifact"] = Value::Null), "not the document of a manifest"),
    ] {
        fs::write(&file, &text).unwrap();
        let output = run(&["choose", "--gpu", "gfx900", path]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(said(&output).contains(expected), "{expected}: {}", said(&output));
    }
    // Words of a later release are not known, and no reason to refuse the rest.
    let later = changed(&|m| {
        m["schema_version"] = "1.9.0".into();
        m["cards"][0]["answer"] = "flies".into();
        m["cards"][0]["libraries"][0]["kernels"] = "woven".into();
    });
    fs::write(&file, later).unwrap();
    let processor = honest["cards"][0]["processors"][0].as_str().unwrap();
    let report = asked(&["choose", "--gpu", processor, path]);
    assert_eq!(report["candidates"][0]["answer"], "unknown");
    // Neither names lead out of the folder, nor do cards without end.
    let out = changed(&|m| m["artifact"]["name"] = "../../../etc/passwd".into());
    fs::write(&file, out).unwrap();
    let report = asked(&["choose", "--gpu", "gfx900", path]);
    assert_eq!(report["candidates"][0]["path"], Value::Null);
}

#[test]
fn two_manifests_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let wrote = |name: &str, artifact: &str| -> PathBuf {
        let file = folder.path().join(name);
        run(&["manifest", "-q", "-o", file.to_str().unwrap(), fixture(artifact).to_str().unwrap()]);
        file
    };
    let (old, new) = (wrote("old.json", "rocm"), wrote("new.json", "tensile"));
    let of = |report: &Value| -> Vec<String> {
        let rows = report["coverage"].as_array().unwrap().iter();
        rows.map(|row| format!("{} {} {} {}", row["library"], row["processor"], row["before"], row["after"]))
            .collect()
    };
    let by_manifests = asked(&["diff", old.to_str().unwrap(), new.to_str().unwrap()]);
    let by_trees = asked(&["diff", fixture("rocm").to_str().unwrap(), fixture("tensile").to_str().unwrap()]);
    assert!(!of(&by_trees).is_empty(), "{by_trees}");
    for row in of(&by_trees) {
        assert!(of(&by_manifests).contains(&row), "{row} of {:?}", of(&by_manifests));
    }
    let same = asked(&["diff", old.to_str().unwrap(), old.to_str().unwrap()]);
    assert!(of(&same).is_empty(), "{same}");
    let mixed = run(&["diff", old.to_str().unwrap(), fixture("rocm").to_str().unwrap()]);
    assert_eq!(mixed.status.code(), Some(2), "{}", said(&mixed));
}

/// Commands that read files with code refuse documents of this program.
#[test]
fn documents_are_not_read_as_files_with_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (document, report) = (path("m.json"), path("r.json"));
    let library = fixture("ggml/plain");
    run(&["manifest", "-q", "-o", &document, library.to_str().unwrap()]);
    run(&["-q", "-o", &report, library.to_str().unwrap()]);
    for words in [
        &["--gpu", "gfx900", &document][..],
        &["survey", "gfx900", &document],
        &["manifest", &document],
        &["--gpu", "gfx900", library.to_str().unwrap(), &document],
        &["check", "--require", "gfx900", &report],
        &["slim", "--keep", "gfx900", &document],
        &["needs", &document],
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", said(&output));
        assert!(said(&output).contains("no file with code"), "{words:?}: {}", said(&output));
    }
}

/// Lists that lie in a folder are read as if they were named.
#[test]
fn lists_in_folders_are_read() {
    let tree = wheels();
    let dist = tree.path().to_str().unwrap();
    let item = r#"{"download_info":{"url":"https://example.invalid/gone-1-py3-none-any.whl"}}"#;
    fs::write(tree.path().join("report.json"), format!(r#"{{"version":"1","install":[{item}]}}"#)).unwrap();
    fs::write(tree.path().join("package.json"), "{\"name\":\"x\"}").unwrap();
    let lock = "version = 1\n[[package]]\nname = \"a\"\nwheels = [{ url = \"https://example.invalid/locked-1-py3-none-any.whl\" }]\n";
    fs::write(tree.path().join("uv.lock"), lock).unwrap();
    fs::write(tree.path().join("settings.toml"), "a = 1\n").unwrap();
    let names: Vec<String> =
        candidates(&asked(&["choose", "--gpu", "gfx900", dist])).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("gone-")), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("locked-")), "{names:?}");
}

/// Two manifests of one package differ by what it lost.
#[test]
fn what_a_package_lost_stands_in_its_manifest() {
    let tree = folder(&[]);
    let library = fs::read(fixture("ggml/plain/libggml-hip.so")).unwrap();
    let wrote = |name: &str, members: &[&'static str]| -> String {
        let members: Vec<_> = members.iter().map(|name| member(name, library.clone())).collect();
        let wheel = tree.path().join(format!("{name}.whl"));
        fs::write(&wheel, packages::zip(&members)).unwrap();
        let document = tree.path().join(format!("{name}.json")).to_str().unwrap().to_owned();
        run(&["manifest", "-q", "-o", &document, wheel.to_str().unwrap()]);
        document
    };
    let old = wrote("a-1", &["a/libx_rocm62.so", "a/libx_rocm63.so"]);
    let new = wrote("a-2", &["a/libx_rocm63.so"]);
    let report = asked(&["diff", &old, &new]);
    assert!(report["files"]["lost"].to_string().contains("libx_rocm62.so"), "{}", report["files"]);
    assert!(!report["files"]["lost"].to_string().contains("libx_rocm63.so"), "{}", report["files"]);
}
