//! `diff`: what changed between two trees, packages and saved reports, and which changes fail a build.
#![cfg(unix)]

use crate::common::folders::copy;
use crate::common::program::{json, run, said};
use crate::common::seen;
use crate::common::trees::{kernels_without_waits, library_for};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A copy of the fixture tree without rocBLAS's files for gfx1030, and with another version of a library.
fn changed(folder: &Path) -> String {
    let tree = folder.join("new");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm"), &tree);
    let library = tree.join("lib/rocblas/library");
    for entry in fs::read_dir(&library).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("gfx1030") {
            fs::remove_file(path).unwrap();
        }
    }
    fs::rename(tree.join("lib/librocblas.so.4.4"), tree.join("lib/librocblas.so.4.5")).unwrap();
    tree.to_str().unwrap().to_owned()
}

const OLD: &str = "fixtures/rocm";

#[test]
fn a_lost_target_is_named_first_and_with_its_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let new = changed(folder.path());
    let report = json(&["diff", OLD, &new]);
    assert_eq!(report["regressions"][0]["kind"], "lost-target");
    assert!(report["regressions"][0]["what"].as_str().unwrap().contains("gfx1030"));
    let coverage = report["coverage"].as_array().unwrap();
    let folder_row =
        coverage.iter().find(|row| row["library"] == "rocBLAS" && row["tensile"] == true).unwrap();
    assert_eq!((&folder_row["processor"], &folder_row["after"]), (&"gfx1030".into(), &"absent".into()));
    let files = &report["files"];
    let lost: Vec<&str> =
        files["lost"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert!(!lost.is_empty() && lost.iter().all(|path| path.contains("gfx1030")), "{lost:?}");
    // Another version counts as the same file.
    assert_eq!(files["renamed"][0]["before"], "lib/librocblas.so.4.4");
    assert_eq!(files["renamed"][0]["after"], "lib/librocblas.so.4.5");
    assert_eq!(files["added"].as_array().unwrap().len(), 0);
    let target = |report: &Value, name: &str| {
        let targets = report["kernels"]["targets"].as_array().unwrap().clone();
        targets.into_iter().find(|row| row["target"] == name).unwrap()
    };
    let gfx1030 = target(&report, "gfx1030");
    assert_eq!(gfx1030["lost"], report["kernels"]["lost"].as_array().unwrap().len());
    assert_eq!(target(&report, "gfx900")["lost"], 0);
    // The reverse is not a loss.
    let back = json(&["diff", &new, OLD]);
    assert_eq!(back["regressions"].as_array().unwrap().len(), 0, "{}", back["regressions"]);
    assert_eq!(back["kernels"]["added"], report["kernels"]["lost"]);
    let text = String::from_utf8(run(&["diff", OLD, &new]).stdout).unwrap();
    assert!(text.lines().nth(1).unwrap().contains("lost target"), "{text}");
}

/// A finding in two files stays known when the first file is removed, but not when a third file has it.
#[test]
fn a_finding_is_new_in_a_file_that_did_not_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let kpack = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/containers/kpack");
    let (tree, old) = (folder.path().join("tree"), folder.path().join("old.json"));
    let archive = |name: &str| {
        fs::copy(kpack.join(".kpack/demo_gfx906.kpack"), tree.join(".kpack").join(name)).unwrap();
    };
    for place in ["lib", ".kpack"] {
        fs::create_dir_all(tree.join(place)).unwrap();
    }
    fs::copy(kpack.join("lib/libdemo.so"), tree.join("lib/libdemo.so")).unwrap();
    fs::copy(kpack.join(".kpack/demo_gfx1100.kpack"), tree.join(".kpack/demo_gfx1100.kpack")).unwrap();
    archive("a.kpack");
    archive("b.kpack");
    let (tree_name, old) = (tree.to_str().unwrap(), old.to_str().unwrap());
    assert_eq!(run(&["-q", "-o", old, tree_name]).status.code(), Some(0));
    let checked = || {
        let output = run(&["check", "--baseline", old, "--fail-on", "kpack-archive-orphaned", tree_name]);
        (output.status.code(), said(&output))
    };
    let new = || json(&["diff", old, tree_name])["finding_changes"]["new"].clone();
    fs::remove_file(tree.join(".kpack/a.kpack")).unwrap();
    assert_eq!((checked().0, new()), (Some(0), serde_json::json!([])), "{}", checked().1);
    archive("c.kpack");
    assert_eq!((checked().0, new()[0]["file"].as_str()), (Some(1), Some("c.kpack")), "{}", checked().1);
}

#[test]
fn the_words_of_fail_on_decide_the_status() {
    let folder = tempfile::tempdir().unwrap();
    let new = changed(folder.path());
    for (word, expected) in [
        ("lost-target", 1),
        ("lost-kernel", 1),
        ("new-finding", 1),
        ("lost-file", 1),
        ("more-spills", 0),
        ("lower-occupancy", 0),
        ("less-coverage", 0),
        ("bigger=0.1%", 0),
        ("never", 0),
    ] {
        let output = run(&["diff", OLD, &new, "-q", "--fail-on", word]);
        assert_eq!(output.status.code(), Some(expected), "{word}: {}", said(&output));
        assert_eq!(said(&output).contains(word), expected == 1, "{word}: {}", said(&output));
    }
    let output = run(&["diff", &new, OLD, "-q", "--fail-on", "bigger=0.1%"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    // Without a word in --fail-on, a difference is not a failure.
    assert_eq!(run(&["diff", OLD, &new, "-q"]).status.code(), Some(0));
    let elsewhere = run(&[OLD, "--fail-on", "lost-target"]);
    assert_eq!(elsewhere.status.code(), Some(2));
    assert!(said(&elsewhere).contains("rocm-audit diff"), "{}", said(&elsewhere));
}

#[test]
fn a_saved_report_is_compared_like_its_tree() {
    let folder = tempfile::tempdir().unwrap();
    let new = changed(folder.path());
    let saved = folder.path().join("old.json");
    let saved = saved.to_str().unwrap();
    assert!(run(&["-q", "-o", saved, OLD]).status.success());
    let (trees, reports) = (json(&["diff", OLD, &new]), json(&["diff", saved, &new]));
    for part in ["libraries", "coverage", "counts", "files", "device_bytes", "versions"] {
        assert_eq!(trees[part], reports[part], "{part}");
    }
    assert_eq!(reports["kernels"], Value::Null);
    // It fails if it cannot check the requested word.
    for word in ["lost-kernel", "more-spills", "lower-occupancy"] {
        let output = run(&["diff", saved, &new, "-q", "--fail-on", word]);
        assert_eq!(output.status.code(), Some(2), "{word}");
        assert!(said(&output).contains("saved report"), "{}", said(&output));
    }
    let same = json(&["diff", saved, OLD]);
    assert_eq!(same["regressions"].as_array().unwrap().len(), 0);
    let text = String::from_utf8(run(&["diff", saved, OLD]).stdout).unwrap();
    assert!(text.contains("the same"), "{text}");
}

#[test]
fn what_is_no_report_is_refused_with_where() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (path, expected) in [
        (write("cut.json", "{\"schema\": \"rocm-audit/report\",\n \"roots\": ["), "line 2"),
        (write("foreign.json", "{\"name\": 1}"), "has no \"schema\""),
        (write("list.json", "[]"), "has no \"schema\""),
        (
            write("other.json", "{\"schema\": \"rocm-audit/check\", \"schema_version\": \"2.0.0\"}"),
            "rocm-audit/check",
        ),
        (write("later.json", "{\"schema\": \"rocm-audit/report\", \"schema_version\": \"9.0.0\"}"), "9.0.0"),
        ("nowhere".to_owned(), "no such file"),
    ] {
        let output = run(&["diff", &path, OLD]);
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(said(&output).contains(expected), "{path}: {}", said(&output));
    }
}

#[test]
fn arguments_that_change_are_no_loss() {
    // The older library has the same templates with fewer arguments: these count as other kernels.
    let report = json(&["diff", "fixtures/ggml/older", "fixtures/ggml/plain"]);
    let gfx900 = &report["kernels"]["targets"][0];
    assert_eq!(gfx900["target"], "gfx900");
    let (lost, renamed) = (gfx900["lost"].as_u64().unwrap(), gfx900["renamed"].as_u64().unwrap());
    assert_eq!(gfx900["before"], lost + renamed);
}

#[test]
fn every_format_draws_it_and_names_stay_inert() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    for tree in [&old, &new] {
        fs::create_dir(tree).unwrap();
    }
    let code = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/instructions/kernels_gfx900.co");
    fs::copy(code, new.join("<img src=x>\u{1b}[31m|`.hsaco")).unwrap();
    let (old, new) = (old.to_str().unwrap(), new.to_str().unwrap());
    for format in ["table", "md", "json"] {
        let output = run(&["diff", old, new, "-v", "-f", format]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("hsaco"), "{format}: {text}");
        assert!(!text.contains('\u{1b}'), "{format}");
        // Paths are in code blocks, where markup has no meaning.
        let outside = text.split("```").step_by(2).collect::<String>();
        assert!(format != "md" || !outside.contains("<img"), "{text}");
    }
}

#[test]
fn two_targets_of_one_tree_are_compared() {
    let report =
        json(&["diff", "--targets", "gfx900,gfx906", "fixtures/rocm/lib/rocblas", "--fail-on", "never"]);
    let kernels = report["kernels"]["targets"].as_array().unwrap();
    let list = |arch: &str| -> std::collections::BTreeSet<String> {
        let output = run(&["fatbin", "-k", "--arch", arch, "fixtures/rocm/lib/rocblas", "-f", "jsonl"]);
        let lines = String::from_utf8(output.stdout).unwrap();
        let name =
            |line: &str| serde_json::from_str::<Value>(line).unwrap()["name"].as_str().unwrap().to_owned();
        // The only difference is the processor.
        lines
            .lines()
            .map(name)
            .map(|name| name.replace(&arch.replace("gfx", "ISA"), "ISA").replace(arch, ""))
            .collect()
    };
    let (old, new) = (list("gfx900"), list("gfx906"));
    assert!(!old.is_empty() && !new.is_empty());
    let sum = |field: &str| kernels.iter().map(|row| row[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("lost"), old.difference(&new).count() as u64, "{report:#}");
    assert_eq!(sum("added"), new.difference(&old).count() as u64, "{report:#}");
    for (words, part) in [
        (&["diff", "--targets", "gfx900", "fixtures/rocm"][..], "takes two"),
        (&["diff", "--targets", "gfx900,gfx906", "fixtures/rocm", "fixtures/rocm"], "cannot be used with"),
        (&["diff", "--targets", "gfx900,banana", "fixtures/rocm"], "no such target"),
        (&["diff", "fixtures/rocm"], "required"),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(said(&output).contains(part), "{words:?}: {}", said(&output));
    }
}

/// A card restricts the comparison, and what fails a build, to what its libraries load.
#[test]
fn a_card_is_compared_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let new = changed(folder.path());
    let old = "fixtures/rocm";
    let of = |arch: &str| json(&["diff", old, &new, "--arch", arch]);
    let lost = |report: &Value| {
        let kinds = report["regressions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["kind"].as_str().unwrap().to_owned());
        kinds.filter(|kind| kind.starts_with("lost-target") || kind.starts_with("lost-kernel")).count()
    };
    let (gone, kept) = (of("gfx1030"), of("gfx906"));
    assert!(lost(&gone) > 0, "{}", gone["regressions"]);
    assert_eq!(lost(&kept), 0, "{}", kept["regressions"]);
    for report in [&gone, &kept] {
        let arch = if std::ptr::eq(report, &gone) { "gfx1030" } else { "gfx906" };
        let targets = report["kernels"]["targets"].as_array().unwrap();
        // Generic targets can be loaded on the card too.
        let of_other = targets.iter().filter(|row| {
            let target = row["target"].as_str().unwrap();
            !target.starts_with(arch) && !target.contains("generic")
        });
        assert_eq!(of_other.count(), 0, "{targets:?}");
    }
    let names = |report: &Value, name: &str| report["files"]["lost"].to_string().contains(name);
    assert!(names(&gone, "gfx1030") && !names(&kept, "gfx1030"), "{}", kept["files"]);
    let status = |arch: &str| {
        run(&["diff", old, &new, "--arch", arch, "--fail-on", "lost-target,lost-kernel"]).status.code()
    };
    assert_eq!((status("gfx1030"), status("gfx906")), (Some(1), Some(0)));
}

/// The same machine code, in bundles that are compressed and in such that are not, is no change.
#[test]
fn what_a_card_does_on_both_sides_stands_first() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (format!("{OLD}/lib/rocblas"), format!("{}/lib/rocblas", changed(folder.path())));
    let report = json(&["diff", "--gpu", "gfx1030", "--gpu", "gfx900", &old, &new]);
    // The audits of the sides say the same.
    for (side, tree) in [("before", &old), ("after", &new)] {
        for verdict in report["verdicts"].as_array().unwrap() {
            let card = verdict["processor"].as_str().unwrap();
            let audit = json(&["--gpu", card, tree]);
            let own = &audit["verdicts"][0];
            assert_eq!(verdict[side]["answer"], own["answer"], "{card} {side}");
            assert_eq!(verdict[side]["headline"], own["headline"], "{card} {side}");
        }
    }
    let verdicts = &report["verdicts"];
    assert_eq!((&verdicts[0]["processor"], &verdicts[1]["processor"]), (&"gfx900".into(), &"gfx1030".into()));
    assert_eq!(verdicts[0]["before"], verdicts[0]["after"]);
    assert_ne!(verdicts[1]["before"]["answer"], verdicts[1]["after"]["answer"]);
    let text = String::from_utf8(run(&["diff", "--gpu", "gfx1030", &old, &new]).stdout).unwrap();
    let line = text.lines().nth(1).unwrap();
    assert!(line.contains("gfx1030") && line.contains("before: ") && line.contains("now: "), "{text}");
    // Without a card there is none.
    assert!(json(&["diff", &old, &new])["verdicts"].is_null());
}

#[test]
fn code_that_is_packed_otherwise_is_the_same() {
    let report = json(&["diff", "--kernels", "fixtures/ggml/plain", "fixtures/ggml/compressed"]);
    let targets = report["kernels"]["targets"].as_array().unwrap();
    assert!(targets.len() > 1, "{report}");
    for target in targets {
        let code = &target["code"];
        assert_eq!(code["same"], target["before"], "{target}");
        for way in ["addresses", "registers", "order", "instructions", "fewer_waits"] {
            assert_eq!(code[way], 0, "{target}");
        }
    }
    assert_eq!(report["kernels"]["changed"].as_array().unwrap().len(), 0);
    let without = json(&["diff", "fixtures/ggml/plain", "fixtures/ggml/compressed"]);
    assert_eq!(without["kernels"]["targets"][0]["code"], Value::Null);
}

/// Two kernels as they were compiled, and with one wait taken out of one of them.
#[test]
fn a_wait_that_is_gone_is_found_and_can_fail() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name).join("kernels.co");
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, bytes).unwrap();
        file.parent().unwrap().to_str().unwrap().to_owned()
    };
    let (old, new) = (
        file("old", &kernels_without_waits(|_| false)),
        file("new", &kernels_without_waits(|number| number == 1)),
    );
    let report = json(&["diff", "--kernels", &old, &new]);
    let code = &report["kernels"]["targets"][0]["code"];
    assert_eq!(
        (&code["same"], &code["instructions"], &code["fewer_waits"]),
        (&1.into(), &1.into(), &1.into())
    );
    let changed = report["kernels"]["changed"].as_array().unwrap();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0]["code"], "instructions");
    let waits =
        changed[0]["numbers"].as_array().unwrap().iter().find(|number| number["what"] == "waits").unwrap();
    assert_eq!(waits["before"].as_u64().unwrap(), waits["after"].as_u64().unwrap() + 1);
    let status = |words: &[&str]| {
        let output = run(words);
        (output.status.code(), said(&output))
    };
    assert_eq!(status(&["diff", "--kernels", &old, &new, "--fail-on", "fewer-waits"]).0, Some(1));
    assert_eq!(status(&["diff", "--kernels", &new, &old, "--fail-on", "fewer-waits"]).0, Some(0));
    let (code, text) = status(&["diff", &old, &new, "--fail-on", "fewer-waits"]);
    assert!(code == Some(2) && text.contains("add --kernels"), "{text}");
    let saved = folder.path().join("saved.json");
    run(&["-q", "-o", saved.to_str().unwrap(), &old]);
    let (code, text) = status(&["diff", "--kernels", saved.to_str().unwrap(), &new]);
    assert!(code == Some(2) && text.contains("has no machine code"), "{text}");
}

#[test]
fn where_files_are_lost_and_no_target_is_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("new");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tensile"), &tree);
    let library = tree.join("library");
    let name = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx900.co";
    fs::copy(library.join(name), library.join(name.replace("SS", "ZZ"))).unwrap();
    let text = |old: &str, new: &str| String::from_utf8(run(&["diff", old, new]).stdout).unwrap();
    let kept = text(tree.to_str().unwrap(), "fixtures/tensile");
    assert!(kept.contains("lost file") && kept.contains("no target was lost"), "{kept}");
    let gone = text(OLD, &changed(&folder.path().join("other")));
    assert!(gone.contains("lost target") && !gone.contains("no target was lost"), "{gone}");
}

#[test]
fn targets_stand_in_the_order_of_their_table() {
    let old = seen::folder(&[("libx.so", &library_for(&["gfx906"]))]);
    let new = seen::folder(&[("libx.so", &library_for(&["gfx906", "gfx1030", "gfx908", "gfx90a"]))]);
    let [old, new] = [old.path(), new.path()].map(|tree| tree.to_str().unwrap().to_owned());
    let report = json(&["diff", &old, &new]);
    let rows = report["coverage"].as_array().unwrap().iter();
    let named: Vec<&str> = rows.map(|row| row["processor"].as_str().unwrap()).collect();
    assert_eq!(named, ["gfx908", "gfx90a", "gfx1030"]);
}

/// Sums are located in a root, whose name changes with the next release, but the finding stays the same.
#[test]
fn sums_of_a_root_are_those_of_its_next_release() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["old", "new"] {
        fs::create_dir(at(name)).unwrap();
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ggml/plain/libggml-hip.so");
        fs::copy(library, folder.path().join(name).join("libggml-hip.so")).unwrap();
    }
    let (old, new, saved) = (at("old"), at("new"), at("old.json"));
    assert!(run(&[&old, "-q", "-o", &saved]).status.success());
    let report: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    let padding = report["findings"].as_array().unwrap().iter().find(|row| row["id"] == "padding").unwrap();
    assert_eq!(padding["locations"][0]["path"], *old);
    let checked = run(&["check", &new, "--baseline", &saved, "--fail-on", "padding"]);
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    let compared = json(&["diff", &saved, &new, "--fail-on", "new-finding"]);
    assert_eq!(compared["finding_changes"]["new"], serde_json::json!([]));
}

/// How often each mnemonic is in a listing of llvm-objdump.
fn listed(processor: &str) -> BTreeMap<String, u64> {
    let path =
        format!("{}/fixtures/instructions/kernels_{processor}.objdump.txt", env!("CARGO_MANIFEST_DIR"));
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(path).unwrap().lines().filter(|line| line.starts_with('\t')) {
        // Zeros that it does not decode.
        if line.trim() == "..." {
            continue;
        }
        // One of two halves has the names of both.
        let halves: Vec<&str> =
            line.split("::").map(|half| half.split_whitespace().next().unwrap()).collect();
        *counts.entry(halves.join(" :: ")).or_default() += 1;
    }
    assert!(counts.len() > 20, "{counts:?}");
    counts
}

/// The rows of a list of differences, by name.
fn differences(rows: &Value) -> BTreeMap<String, [u64; 2]> {
    let rows = rows.as_array().unwrap();
    let sizes: Vec<u64> =
        rows.iter().map(|row| number(row, "after").abs_diff(number(row, "before"))).collect();
    assert!(sizes.is_sorted_by(|one, other| one >= other), "the largest first: {sizes:?}");
    let named = |row: &Value| {
        (row["name"].as_str().unwrap().to_owned(), [number(row, "before"), number(row, "after")])
    };
    rows.iter().map(named).collect()
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap()
}

#[test]
fn instructions_are_compared_as_llvm_counts_them() {
    let folder = tempfile::tempdir().unwrap();
    let own = |processor: &str| format!("fixtures/instructions/kernels_{processor}.co");
    for processor in ["gfx900", "gfx1100"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(own(processor));
        fs::copy(file, folder.path().join(format!("{processor}.co"))).unwrap();
    }
    let tree = folder.path().to_str().unwrap();
    // A tree that has code for one processor more.
    let report = json(&["diff", "--isa", &own("gfx900"), tree]);
    let rows = report["instructions"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &rows[0]["processor"], &rows[1]["processor"]),
        (2, &"gfx900".into(), &"gfx1100".into())
    );
    let total = |processor: &str| listed(processor).values().sum::<u64>();
    assert_eq!(number(&rows[0]["before"], "instructions"), total("gfx900"));
    assert_eq!(rows[0]["mnemonics"], Value::Array(Vec::new()));
    assert!(rows[1]["before"].is_null() && rows[1]["mnemonics"] == Value::Array(Vec::new()));
    assert_eq!(number(&rows[1]["after"], "instructions"), total("gfx1100"));
    // The two processors beside each other.
    let report = json(&["diff", "--isa", "--targets", "gfx900,gfx1100", tree]);
    let rows = report["instructions"].as_array().unwrap();
    let mut expected: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (place, processor) in ["gfx900", "gfx1100"].into_iter().enumerate() {
        listed(processor)
            .into_iter()
            .for_each(|(name, count)| expected.entry(name).or_default()[place] = count);
    }
    expected.retain(|_, [before, after]| before != after);
    assert_eq!(differences(&rows[0]["mnemonics"]), expected);
    assert!(!differences(&rows[0]["classes"]).is_empty());
    // A second copy is counted, too.
    fs::copy(folder.path().join("gfx900.co"), folder.path().join("copy.co")).unwrap();
    let report = json(&["diff", "--isa", &own("gfx900"), tree]);
    let doubled = listed("gfx900").into_iter().map(|(name, count)| (name, [count, 2 * count])).collect();
    assert_eq!(differences(&report["instructions"][0]["mnemonics"]), doubled);
    // Without the option nothing is decoded.
    assert!(json(&["diff", &own("gfx900"), tree]).get("instructions").is_none());
}
