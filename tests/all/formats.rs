//! The formats in which build servers accept findings, each validated by its schema or by an independent
//! parser.
#![cfg(unix)]

use crate::common::program::run;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(words: &[&str]) -> String {
    let output = run(words);
    assert_ne!(output.status.code(), Some(2), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&text(words)).unwrap_or_else(|error| panic!("{words:?}: {error}"))
}

/// A tree with names that would be markup, commands or field ends, and with damage.
fn hostile(folder: &Path) -> PathBuf {
    let tree = folder.join("tree");
    fs::create_dir(&tree).unwrap();
    let code = fs::read(root().join("fixtures/instructions/kernels_gfx900.co")).unwrap();
    for name in [
        "a<b>&\"'.hsaco",
        "]]>\n::error::x%0A.hsaco",
        "a:b,c%.hsaco",
        "\u{1b}[31m\u{202e}.hsaco",
        "\u{ffff}\u{1}.hsaco",
        "ünïcode.hsaco",
    ] {
        fs::write(tree.join(name), &code[..code.len() / 2]).unwrap();
    }
    tree
}

/// Calls whose reports contain findings, requirements and regressions.
fn calls(tree: &str) -> Vec<Vec<String>> {
    let calls = [
        tree.to_owned(),
        format!("check {tree} --require gfx900,gfx1200"),
        "check fixtures/ggml/plain --require gfx900,gfx1200".to_owned(),
        format!("diff fixtures/rocm {tree}"),
        format!("fatbin {tree}"),
        "fixtures/rocm".to_owned(),
        "verify fixtures/tensile/library".to_owned(),
        "verify fixtures/miopen".to_owned(),
    ];
    calls.iter().map(|call| call.split(' ').map(str::to_owned).collect()).collect()
}

fn each(check: &dyn Fn(&[&str])) {
    let folder = tempfile::tempdir().unwrap();
    let tree = hostile(folder.path());
    for call in calls(tree.to_str().unwrap()) {
        let words: Vec<&str> = call.iter().map(String::as_str).collect();
        check(&words);
    }
}

fn schema(name: &str) -> jsonschema::Validator {
    let path = root().join("fixtures/formats").join(name);
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn must_fit(validator: &jsonschema::Validator, value: &Value, of: &[&str]) {
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).take(5).collect();
    assert!(wrong.is_empty(), "{of:?}: {wrong:#?}");
}

#[test]
fn sarif_is_what_its_schema_says_and_has_every_finding() {
    let validator = schema("sarif-2.1.0.schema.json");
    let mut seen = 0;
    let seen = std::cell::RefCell::new(&mut seen);
    each(&|words| {
        let log = json(&[words, &["-f", "sarif"]].concat());
        must_fit(&validator, &log, words);
        let run = &log["runs"][0];
        let (rules, results) =
            (run["tool"]["driver"]["rules"].as_array().unwrap(), run["results"].as_array().unwrap());
        for result in results {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(!result["locations"].as_array().unwrap().is_empty(), "{result}");
            for location in result["locations"].as_array().into_iter().flatten() {
                let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
                assert!(uri.is_ascii() && !uri.contains([' ', '<', '"', '\n']), "{uri}");
            }
        }
        if words.len() == 1 {
            let report = json(&[words, &["-f", "json"]].concat());
            assert_eq!(results.len(), report["findings"].as_array().unwrap().len(), "{words:?}");
        }
        **seen.borrow_mut() += results.len();
    });
    assert!(*seen.into_inner() > 20);
}

#[test]
fn fingerprints_do_not_change_with_a_version_and_differ_between_findings() {
    let folder = tempfile::tempdir().unwrap();
    let code = fs::read(root().join("fixtures/instructions/kernels_gfx900.co")).unwrap();
    let print = |name: &str| {
        let tree = folder.path().join(name);
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(format!("{name}.hsaco")), &code[..code.len() / 2]).unwrap();
        let log = json(&[tree.to_str().unwrap(), "-f", "sarif"]);
        log["runs"][0]["results"][0]["partialFingerprints"]["rocmAudit/v1"].as_str().unwrap().to_owned()
    };
    let (old, new, other) = (print("a-1.2"), print("a-1.3"), print("b-1.2"));
    assert_eq!(old, new);
    assert_ne!(old, other);
}

#[test]
fn junit_is_well_formed_and_counts_what_failed() {
    each(&|words| {
        let xml = text(&[words, &["-f", "junit"]].concat());
        let document = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        let suite = document.root_element().first_element_child().unwrap();
        assert_eq!(
            (document.root_element().tag_name().name(), suite.tag_name().name()),
            ("testsuites", "testsuite")
        );
        let number = |name: &str| suite.attribute(name).unwrap().parse::<usize>().unwrap();
        let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
        let failed =
            cases.iter().filter(|case| case.children().any(|node| node.has_tag_name("failure"))).count();
        assert_eq!((number("tests"), number("failures")), (cases.len(), failed), "{words:?}");
        assert!(!cases.is_empty());
        for case in &cases {
            assert!(case.attribute("classname").is_some() && case.attribute("name").is_some());
        }
    });
    let xml = text(&["check", "fixtures/ggml/plain", "--require", "gfx900,gfx1200", "-f", "junit"]);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let names: Vec<(&str, bool)> = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"))
        .map(|case| {
            (case.attribute("name").unwrap(), case.children().any(|node| node.has_tag_name("failure")))
        })
        .collect();
    assert!(
        names.contains(&("gfx1200 in ggml", true)) && names.contains(&("gfx900 in ggml", false)),
        "{names:?}"
    );
}

/// What makes a run end with 1 is a failure in the formats for servers.
#[test]
fn what_fails_a_run_is_a_failure() {
    let call = ["fixtures/rocm", "-f", "junit"];
    let failures = |words: &[&str]| {
        let xml = text(&[&call[..], words].concat());
        let document = roxmltree::Document::parse(&xml).unwrap();
        let failed = document.descendants().filter(|node| node.has_tag_name("failure"));
        failed
            .map(|node| node.parent().unwrap().attribute("classname").unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(failures(&[]), [""; 0]);
    assert_eq!(failures(&["--fail-on", "uncompressed-bundles"]), ["uncompressed-bundles"]);
    let sarif = json(&["fixtures/rocm", "-f", "sarif", "--fail-on", "uncompressed-bundles"]);
    let level = |row: &&Value| row["ruleId"] == "uncompressed-bundles" && row["level"] == "error";
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().iter().filter(level).count(), 1);

    let because = |words: &[&str]| json(&[words, &["-f", "json"]].concat())["failed_because"].clone();
    assert_eq!(because(&["fixtures/rocm"]), serde_json::json!([]));
    assert_eq!(
        because(&["fixtures/rocm", "--fail-on", "uncompressed-bundles"]),
        serde_json::json!(["uncompressed-bundles"])
    );
    let cut = tempfile::tempdir().unwrap();
    let whole = fs::read("fixtures/rocm/lib/codeobject/v4_gfx906.hsaco").unwrap();
    for (name, bytes) in [("whole", &whole[..]), ("cut", &whole[..whole.len() - 500])] {
        fs::create_dir(cut.path().join(name)).unwrap();
        fs::write(cut.path().join(name).join("x.hsaco"), bytes).unwrap();
    }
    let [whole, cut] = ["whole", "cut"].map(|name| cut.path().join(name).to_str().unwrap().to_owned());
    let damage = because(&[&cut]);
    assert!(damage.as_array().unwrap().len() == 1 && because(&["needs", &cut]) == damage, "{damage}");
    assert_eq!(because(&["needs", &whole]), serde_json::json!([]));
    assert_eq!(because(&["diff", &whole, &cut]), damage);
    assert_eq!(because(&["diff", &cut, &cut, "--fail-on", "never"]), serde_json::json!([]));
    let lost = because(&["diff", "fixtures/ggml/plain", &whole, "--fail-on", "lost-target"]);
    assert_eq!(lost, serde_json::json!(["lost-target"]));

    let nothing =
        text(&["check", "fixtures/containers/decoy/plain.so", "--require", "gfx900", "-f", "junit"]);
    assert!(
        nothing.contains("failures=\"1\"") && nothing.contains("no library here carries device code"),
        "{nothing}"
    );
    let both = ["check", "fixtures/ggml/plain", "fixtures/containers/decoy/plain.so", "--require", "gfx900"];
    let report = json(&[&both[..], &["-f", "json"]].concat());
    assert_eq!(report["roots_without_code"], serde_json::json!(["fixtures/containers/decoy/plain.so"]));
    assert!(report["passed"] == true && report["failed_because"] == serde_json::json!([]));
    let failed = json(&[&both[..], &["-f", "json", "--fail-on", "uncompressed-bundles"]].concat());
    assert!(
        failed["passed"] == false && failed["failed_because"] == serde_json::json!(["uncompressed-bundles"]),
        "{failed}"
    );
}

#[test]
fn gitlab_takes_every_issue() {
    let validator = schema("gitlab-code-quality.schema.json");
    each(&|words| must_fit(&validator, &json(&[words, &["-f", "gitlab"]].concat()), words));
}

#[test]
fn annotations_are_one_line_each_and_no_more_than_a_step_shows() {
    each(&|words| {
        let lines = text(&[words, &["-f", "github"]].concat());
        for line in lines.lines() {
            let known = ["::error ", "::warning ", "::notice "];
            let rest = known.iter().find_map(|command| line.strip_prefix(command)).unwrap();
            let (properties, message) = rest.split_once("::").unwrap();
            assert!(!message.is_empty(), "{line}");
            for property in properties.split(',') {
                let (name, value) = property.split_once('=').unwrap();
                assert!(["file", "line", "title"].contains(&name), "{line}");
                assert!(!value.contains(':'), "{line}");
            }
        }
        for command in ["::error ", "::warning ", "::notice "] {
            assert!(lines.lines().filter(|line| line.starts_with(command)).count() <= 10);
        }
    });
}

#[test]
fn annotations_begin_with_the_verdict_and_name_no_padding() {
    let words = ["fixtures/rocm", "--gpu", "gfx900,gfx1200"];
    let lines = text(&[&words[..], &["-f", "github"]].concat());
    let document = json(&[&words[..], &["-f", "json"]].concat());
    let verdicts = document["verdicts"].as_array().unwrap();
    assert_eq!(verdicts.len(), 2);
    for (verdict, line) in verdicts.iter().zip(lines.lines()) {
        let (processor, headline) =
            (verdict["processor"].as_str().unwrap(), verdict["headline"].as_str().unwrap());
        assert!(line.starts_with("::notice file=fixtures/rocm,title=rocm-audit%2C "), "{line}");
        let (head, message) = line.rsplit_once("::").unwrap();
        assert!(head.ends_with(processor), "{line}");
        assert!(message.to_lowercase().starts_with(&headline.to_lowercase()), "{headline}: {line}");
    }
    assert!(!lines.contains("title=padding"), "{lines}");
}

#[test]
fn outputs_name_their_format_by_extension_or_before_a_colon() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (sarif, xml, quality) = (name("a.sarif"), name("a.xml"), name("quality.json"));
    let gitlab = format!("gitlab:{quality}");
    assert!(run(&["fixtures/ggml/plain", "-q", "-o", &sarif, "-o", &xml, "-o", &gitlab]).status.success());
    assert!(fs::read_to_string(sarif).unwrap().contains("2.1.0"));
    assert!(fs::read_to_string(xml).unwrap().starts_with("<?xml"));
    assert!(fs::read_to_string(quality).unwrap().starts_with('['));
    let output = run(&["fixtures/ggml/plain", "-o", &name("a.unknown")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("before a colon"));
}

#[test]
fn what_has_no_findings_refuses_their_formats() {
    for words in [
        &["explain", "gfx900", "--isa"][..],
        &["explain", "no-kernels"],
        &["fatbin", "--list", "fixtures/ggml/plain"],
        &["fatbin", "--kernels", "fixtures/ggml/plain"],
    ] {
        for format in ["sarif", "junit", "gitlab", "github"] {
            let output = run(&[words, &["-f", format]].concat());
            assert_eq!(output.status.code(), Some(2), "{words:?} {format}");
        }
    }
}

/// Rows of CSV, parsed by an independent reader.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn csv_has_the_rows_of_the_json() {
    let report = json(&["fixtures/rocm", "-f", "json"]);
    for (name, count) in [
        ("targets", report["targets"].as_array().unwrap().len()),
        (
            "matrix.cells",
            report["matrix"].as_array().unwrap().len() * report["targets"].as_array().unwrap().len(),
        ),
        ("findings", report["findings"].as_array().unwrap().len()),
    ] {
        let rows = rows(&text(&["fixtures/rocm", "-f", "csv", "--rows", name]));
        assert_eq!(rows.len(), count + 1, "{name}");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}");
    }
    let cells = rows(&text(&["fixtures/rocm", "-f", "csv", "--rows", "matrix.cells"]));
    let column = |name: &str| cells[0].iter().position(|own| own == name).unwrap();
    let kernels: u64 = cells[1..].iter().map(|row| row[column("kernels")].parse::<u64>().unwrap()).sum();
    let in_json =
        report["matrix"].as_array().unwrap().iter().flat_map(|row| row["cells"].as_array().unwrap());
    assert_eq!(kernels, in_json.map(|cell| cell["kernels"].as_u64().unwrap()).sum::<u64>());
    // Lists have as many rows as lines of JSON, with the same values.
    let lines = text(&["fatbin", "-k", "--isa", "fixtures/rocm", "-f", "jsonl"]);
    let listed = rows(&text(&["fatbin", "-k", "--isa", "fixtures/rocm", "-f", "csv"]));
    assert_eq!(listed.len(), lines.lines().count() + 1);
    for (line, row) in lines.lines().zip(&listed[1..]) {
        let line: Value = serde_json::from_str(line).unwrap();
        for (name, cell) in listed[0].iter().zip(row) {
            let shown = match &line[name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                Value::Array(words) => {
                    words.iter().map(|w| w.as_str().unwrap()).collect::<Vec<_>>().join(" ")
                }
                other => other.to_string(),
            };
            assert_eq!(&shown, cell, "{name}");
        }
    }
}

#[test]
fn tables_that_there_are_not_are_refused() {
    for (words, part) in [
        (&["fixtures/rocm", "-f", "csv"][..], "name it with --rows"),
        (&["fixtures/rocm", "-f", "csv", "--rows", "banana"], "it has verdicts ("),
        (&["fixtures/rocm", "--rows", "targets"], "none is written"),
        (&["fatbin", "-k", "fixtures/rocm", "-f", "csv", "--rows", "targets"], "a list is one table"),
        (&["fatbin", "-l", "fixtures/rocm", "-f", "sarif"], "a list is not written as sarif"),
    ] {
        let output = run(words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(error.contains(part), "{words:?}: {error}");
    }
}

#[test]
fn what_is_published_has_no_folders_of_the_builder_and_no_hints() {
    let folder = tempfile::tempdir().unwrap();
    let private = folder.path().join("home-of-somebody");
    fs::create_dir(&private).unwrap();
    let tree = private.join("stack");
    fs::create_dir(&tree).unwrap();
    for entry in fs::read_dir(root().join("fixtures/rocm/lib")).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_file() {
            fs::copy(&entry, tree.join(entry.file_name().unwrap())).unwrap();
        }
    }
    let tree = tree.to_str().unwrap();
    for format in ["md", "html"] {
        for words in [&[tree, "-f", format][..], &[tree, "-f", format, "--arch", "gfx900", "-vv"]] {
            let page = text(words);
            assert!(!page.contains("home-of-somebody"), "{words:?}");
            assert!(page.contains("stack/librocblas.so") || !words.contains(&"-vv"), "{words:?}");
            // The JSON embedded in a page is for programs.
            let seen = page.split("<script type=\"application/json\"").next().unwrap();
            for hint in ["--full", "Next:", "--verify", "--follow-links"] {
                assert!(!seen.contains(hint), "{words:?}: {hint}");
            }
        }
    }
    assert!(text(&[tree, "-f", "md"]).starts_with("# stack\n"));
}

/// A format's content for a run: rule, message and all locations.
type Told = Vec<(String, String, Vec<String>)>;

fn sarif_tells(words: &[&str]) -> Told {
    let log = json(&[words, &["-f", "sarif"]].concat());
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let places = |row: &Value| {
        let places = row["locations"].as_array().unwrap().iter();
        places.map(|at| word(&at["physicalLocation"]["artifactLocation"]["uri"])).collect()
    };
    let rows = log["runs"][0]["results"].as_array().unwrap().iter();
    rows.map(|row| (word(&row["ruleId"]), word(&row["message"]["text"]), places(row))).collect()
}

fn gitlab_tells(words: &[&str]) -> Told {
    let issues = json(&[words, &["-f", "gitlab"]].concat());
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = issues.as_array().unwrap().iter();
    rows.map(|row| {
        (word(&row["check_name"]), word(&row["description"]), vec![word(&row["location"]["path"])])
    })
    .collect()
}

fn github_tells(words: &[&str]) -> Told {
    let lines = text(&[words, &["-f", "github"]].concat());
    let one = |line: &str| {
        let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (_, properties) = head.split_once(' ').unwrap();
        let of = |name: &str| properties.split(',').find_map(|one| one.strip_prefix(name)).map(str::to_owned);
        (of("title=").unwrap(), message.to_owned(), of("file=").into_iter().collect())
    };
    lines.lines().map(one).collect()
}

fn junit_tells(words: &[&str]) -> Told {
    let xml = text(&[words, &["-f", "junit"]].concat());
    let document = roxmltree::Document::parse(&xml).unwrap();
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let said =
        cases.filter_map(|case| Some((case.attribute("classname")?, case.first_element_child()?.text()?)));
    let one = |(rule, text): (&str, &str)| {
        let mut lines = text.lines().map(str::to_owned);
        (rule.to_owned(), lines.next().unwrap(), lines.collect())
    };
    said.map(one).collect()
}

/// Every format points at the root that lacks a target, wherever it is in the call, and names it.
#[test]
fn forms_point_at_the_root_that_is_meant() {
    let (old, new) = (
        "fixtures/releases/demo_kernels-1.0-py3-none-manylinux_2_17_x86_64.whl",
        "fixtures/releases/demo_kernels-2.0-py3-none-manylinux_2_17_x86_64.whl",
    );
    let roots = ["fixtures/ggml/older", "fixtures/rocm", "fixtures/ggml/cuda"];
    // The libraries in each root are found in its folder.
    let lies_in = |message: &str| if message.contains("in ggml") { roots[0] } else { roots[1] };
    let tells = [sarif_tells, gitlab_tells, github_tells, junit_tells];
    for (order, require) in [([0, 1, 2], "gfx1200"), ([2, 1, 0], "gfx1200"), ([1, 2, 0], "gfx906")] {
        let mut words = vec!["check", "--require", require, "--library", "ggml,rocRAND"];
        words.extend(order.map(|at| roots[at]));
        for tell in tells {
            let told: Told =
                tell(&words).into_iter().filter(|(rule, ..)| rule == "requirement-not-met").collect();
            assert!(told.iter().any(|(_, message, _)| message.contains("in ggml")), "{words:?}: {told:?}");
            for (_, message, places) in told {
                let root = lies_in(&message);
                assert!(
                    places.iter().all(|place| place.starts_with(root)) && !places.is_empty(),
                    "{places:?}"
                );
                assert!(message.contains(root), "{message}");
            }
        }
    }
    // A library that exists nowhere is missing in each root; GitLab's issues and annotations have one
    // location.
    let words = ["check", roots[0], roots[1], "--require", "gfx900", "--library", "rocSPARSE"];
    for tell in tells {
        let places: Vec<String> = tell(&words)
            .into_iter()
            .filter(|(rule, ..)| rule == "requirement-not-met")
            .flat_map(|(_, message, places)| {
                assert!(message.contains(roots[0]) && message.contains(roots[1]), "{message}");
                places
            })
            .collect();
        assert_eq!(places, [roots[0], roots[1]]);
    }
    // Sums belong to the roots that contribute to them: a CUDA library has no padding between code objects.
    for tell in tells {
        let told = tell(&["--fail-on", "padding", roots[2], roots[0], roots[1]]);
        let padding = told.iter().filter(|(rule, ..)| rule == "padding").flat_map(|(.., places)| places);
        assert_eq!(padding.collect::<Vec<_>>(), [roots[0], roots[1]]);
    }
    // Regressions are located in the new root.
    for tell in tells {
        let told = tell(&["diff", old, new]);
        assert!(!told.is_empty());
        for (_, message, places) in told {
            assert_eq!(places, [new]);
            assert!(message.contains(old) && message.contains(new), "{message}");
        }
    }
}

/// Servers treat two findings with one fingerprint as one.
#[test]
fn fingerprints_of_a_run_differ() {
    for words in [
        &["check", "fixtures/ggml/older", "fixtures/ggml/plain", "--require", "gfx1200,gfx906"][..],
        &["fixtures/rocm", "fixtures/ggml/plain"],
        &["verify", "fixtures/miopen"],
    ] {
        let issues = json(&[words, &["-f", "gitlab"]].concat());
        let prints = issues.as_array().unwrap().iter().map(|row| row["fingerprint"].as_str().unwrap());
        let all: Vec<&str> = prints.collect();
        let mut own = all.clone();
        own.sort_unstable();
        own.dedup();
        assert!(own.len() == all.len() && all.len() > 2, "{words:?}: {all:?}");
    }
}
