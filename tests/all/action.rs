//! Tests of the action and the hook: runs their own scripts.
#![cfg(unix)]

use crate::common::program::{PROGRAM, run};
use rocm_audit::format::{FORMATS, Support};
use rocm_audit::scan::SCANNERS;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

fn yaml(file: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

/// Runs the action's step `audit` with these inputs; returns its output, its summary and its outputs.
fn step(inputs: &[(&str, &str)]) -> (Output, String, String) {
    let action = yaml("action.yml");
    let step = action["runs"]["steps"].as_array().unwrap().iter().find(|step| step["id"] == "audit").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [summary, outputs] = ["summary", "outputs"].map(|name| folder.path().join(name));
    let bin = Path::new(PROGRAM).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut command = Command::new("bash");
    // Runs the script like a step with `shell: bash`.
    command
        .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env("PATH", path.unwrap()).env("GITHUB_STEP_SUMMARY", &summary).env("GITHUB_OUTPUT", &outputs);
    for (variable, source) in step["env"].as_object().unwrap() {
        // `${{ inputs.fail-on }}`
        let name = source.as_str().unwrap().trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        assert!(action["inputs"][name].is_object(), "{name} is no input");
        let value = inputs.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value);
        command.env(variable, value);
    }
    let output = command.output().unwrap();
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let texts = (read(&summary), read(&outputs));
    (output, texts.0, texts.1)
}

#[test]
fn the_action_gates_reports_and_compares() {
    let (output, summary, outputs) =
        step(&[("path", "fixtures/ggml/plain\n"), ("require", "gfx900,gfx1201"), ("args", "--per-file\n")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text.contains("::error file=fixtures/ggml/plain,title=requirement-not-met::gfx1201"), "{text}");
    assert!(summary.contains("gfx1201") && outputs == "status=1\n", "{summary}\n{outputs}");

    let (output, summary, outputs) = step(&[("path", "fixtures/ggml/plain"), ("require", "gfx900")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(summary.contains("✅") && outputs == "status=0\n", "{summary}\n{outputs}");

    let (output, summary, _) = step(&[
        ("path", "fixtures/rocm/lib/rocblas"),
        ("baseline", "fixtures/rocm"),
        ("fail-on", "lost-target"),
    ]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(summary.contains("lost"), "{summary}");

    let folder = tempfile::tempdir().unwrap();
    let manifests = folder.path().join("manifests");
    let (output, ..) = step(&[
        ("path", "fixtures/ggml/plain"),
        ("require", "gfx1201"),
        ("manifests", manifests.to_str().unwrap()),
    ]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(manifests.join("plain.rocm.json").is_file());

    let (output, _, outputs) = step(&[("path", "no such file")]);
    assert_eq!((output.status.code(), &*outputs), (Some(2), "status=2\n"), "{output:?}");
}

#[test]
fn the_action_reads_every_path_and_refuses_what_it_would_ignore() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rocm/lib/codeobject/v4_gfx906.hsaco");
    let bytes = std::fs::read(&whole).unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(place("a b.hsaco"), &bytes).unwrap();
    std::fs::write(place("c.hsaco"), &bytes[..bytes.len() / 2]).unwrap();
    let (one, all) = (place("a b.hsaco"), place("*.hsaco"));
    let both = format!("{one}\n{}\n", place("c.hsaco"));

    let run = |inputs: &[(&str, &str)]| {
        let (output, _, outputs) = step(inputs);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(outputs, format!("status={}\n", output.status.code().unwrap()), "{output:?}");
        (output.status.code().unwrap(), text)
    };
    assert_eq!(run(&[("path", &one)]).0, 0);
    for path in [&both, &all] {
        let (status, text) = run(&[("path", path)]);
        assert!(status == 1 && text.contains("c.hsaco"), "{path}: {status} {text}");
    }
    for (inputs, why) in [
        (&[("path", &*both), ("baseline", &*one)][..], "path names 2"),
        (&[("path", &*all), ("baseline", &*one)], "path names 2"),
        (&[("path", &*one), ("baseline", &*one), ("require", "gfx900")], "two gates"),
    ] {
        let (status, text) = run(inputs);
        assert!(status == 2 && text.starts_with("::error ") && text.contains(why), "{text}");
    }
    assert_eq!(run(&[("path", &one), ("baseline", &one)]).0, 0);
    assert_eq!(run(&[("path", "fixtures/ggml/plain"), ("require", "gfx900, gfx1100")]).0, 0);
}

/// macOS has bash 3.2, and its tools are not GNU's.
#[test]
fn the_action_runs_where_bash_is_old() {
    let action = yaml("action.yml");
    for step in action["runs"]["steps"].as_array().unwrap() {
        let script = step["run"].as_str().unwrap();
        for newer in [
            "mapfile",
            "readarray",
            "declare -A",
            "local -n",
            "declare -n",
            "coproc",
            "|&",
            "&>>",
            "^^}",
            ",,}",
            "@Q}",
            "wait -n",
            "--bytes",
            "--algorithm",
            "--check",
            "sed -i",
            "readlink -f",
            "realpath",
            "grep -P",
            "date -d",
        ] {
            assert!(!script.contains(newer), "{newer}: {script}");
        }
        let checked = Command::new("bash").args(["--posix", "-n", "-c", script]).output().unwrap();
        assert!(checked.status.success(), "{checked:?}");
    }
}

/// Scanners whose files are plain texts about releases, which cannot be incomplete.
const OF_TEXTS: [&str; 4] = ["version", "package-list", "package-statement", "triton-cache"];

/// The hook's pattern, derived from the program's tables: extensions of the formats that are read, and the
/// names that scanners state in parentheses.
fn pattern() -> String {
    let read = FORMATS.iter().filter(|row| matches!(row.support, Support::Yes | Support::Members));
    let mut endings: BTreeSet<String> =
        read.flat_map(|row| row.format.endings()).map(|ending| (*ending).to_owned()).collect();
    // Library names end in versions, and 7z volumes in numbers.
    assert!(endings.remove("so") && endings.remove("7z"));
    endings.extend([r"7z(\.[0-9]+)?", r"so(\.[0-9.]+)?", "dat"].map(str::to_owned));
    let mut names = BTreeSet::new();
    for scanner in SCANNERS.iter().filter(|scanner| !OF_TEXTS.contains(&scanner.id)) {
        let said =
            scanner.finds.split(['(', ')', ',', ' ']).filter(|word| word.contains('.') && word.len() > 1);
        for name in said.map(|word| word.trim_end_matches(':')) {
            match name.strip_prefix("*.") {
                Some(ending) => endings.insert(regex::escape(ending)),
                None => {
                    names.insert(regex::escape(name).replace(r"\*", "[^/]*").replace("PROCESSOR", "gfx[^/]*"))
                }
            };
        }
    }
    names.insert(r"TensileLibrary[^/]*\.yaml".to_owned());
    let list = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join("|");
    format!(r"(\.({})|(^|/)({}))$", list(&endings), list(&names))
}

#[test]
fn the_hook_takes_the_files_of_the_field() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    // The second hook differs only in how it gets the program.
    for key in ["entry", "files", "types_or"] {
        assert_eq!(hooks[0][key], hooks[1][key], "{key}");
    }
    assert_eq!([&hooks[0]["language"], &hooks[1]["language"]], ["rust", "system"]);
    assert_eq!(
        hooks[0]["files"],
        pattern(),
        ".pre-commit-hooks.yaml has another pattern than the tables give"
    );
    let files = regex::Regex::new(&pattern()).unwrap();
    for name in [
        "libfoo.so.4.1",
        "k.hsaco",
        "TensileLibrary_lazy_gfx900.dat",
        "gfx90878.HIP.fdb.txt",
        "x.tar.zst",
        "x.db.txt",
        "gfx900_56.HIP.2_20_0.ufdb.txt",
        "a/gfx900_56.HIP.2_20_0.udb",
        "x.udb.txt",
        "x.ukdb",
        "gfx908.tn.model",
        "x.aks2",
        "lib/aotriton.images",
        "x.tgz",
        "x.conda",
        "x.7z",
        "x.7z.001",
        "m.pyd",
    ] {
        assert!(files.is_match(name), "{name}");
    }
    assert!(
        !["main.rs", "README.md", "notes.txt", "model.json", "also", "a.c"]
            .iter()
            .any(|name| files.is_match(name))
    );
    // The hook accepts all fixtures with something to report, except for these names, on which an audit
    // reports nothing.
    let nothing_said = regex::Regex::new(
        r"(\.(bin|img|out|h|mxr)|/(image-directory|layout|llamafile|py-installer|version|\.info/.*|[a-z0-9-]+))$",
    )
    .unwrap();
    let mut taken = 0;
    for folder in ["rocm", "miopen", "tensile", "forms", "containers", "hipblaslt", "ggml"] {
        let output = run(&[&format!("fixtures/{folder}"), "-f", "json", "--allow-incomplete"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        for artifact in report["artifacts"].as_array().unwrap() {
            let path = artifact["path"].as_str().unwrap().split('!').next().unwrap();
            let path = format!("{folder}/{path}");
            assert!(files.is_match(&path) || nothing_said.is_match(&path), "{path}");
            taken += usize::from(files.is_match(&path));
        }
    }
    assert!(taken > 200, "{taken}");
    let entry: Vec<&str> = hooks[0]["entry"].as_str().unwrap().split(' ').collect();
    let whole = "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco";
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.hsaco");
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(whole)).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    for (file, status) in [(Path::new(whole), 0), (&cut, 1)] {
        let output = Command::new(PROGRAM)
            .args(&entry[1..])
            .arg(file)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
    }
}

/// Runs the action's step `install` with the releases in `folder`, for this kind of runner; `cargo` is a stub
/// that records its call. Returns the output and the additions to PATH.
fn install(folder: &Path, from: &str, runner: (&str, &str)) -> (Output, String) {
    let action = yaml("action.yml");
    let step =
        action["runs"]["steps"].as_array().unwrap().iter().find(|step| step["id"] == "install").unwrap();
    let run = tempfile::tempdir().unwrap();
    let tools = run.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    for tool in ["sed", "head", "curl", "sha256sum", "grep", "tar", "gzip"] {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|at| at.join(tool))
            .find(|at| at.exists());
        std::os::unix::fs::symlink(found.unwrap_or_else(|| panic!("no {tool}")), tools.join(tool)).unwrap();
    }
    std::fs::write(tools.join("cargo"), "#!/bin/sh\necho cargo \"$@\"\n").unwrap();
    std::fs::set_permissions(tools.join("cargo"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let added = run.path().join("path");
    std::fs::write(&added, "").unwrap();
    let shell = if Path::new("/bin/bash").exists() { "/bin/bash" } else { "bash" };
    let output = Command::new(shell)
        .args(["-e", "-c", step["run"].as_str().unwrap()])
        .env("PATH", &tools)
        .env("SOURCE", env!("CARGO_MANIFEST_DIR"))
        .env("RELEASES", format!("file://{}", folder.display()))
        .env("FROM", from)
        .env("RUNNER_OS", runner.0)
        .env("RUNNER_ARCH", runner.1)
        .env("RUNNER_TEMP", run.path())
        .env("GITHUB_PATH", &added)
        .output()
        .unwrap();
    (output, std::fs::read_to_string(&added).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn the_action_takes_a_release_that_is_what_its_checksums_say() {
    let releases = tempfile::tempdir().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let stem = format!("rocm-audit-{version}-x86_64-unknown-linux-musl");
    let folder = releases.path().join(format!("v{version}"));
    std::fs::create_dir_all(folder.join(&stem)).unwrap();
    std::fs::write(folder.join(&stem).join("rocm-audit"), "#!/bin/sh\n").unwrap();
    let archive = format!("{stem}.tar.gz");
    let shell = |script: &str| {
        assert!(Command::new("sh").args(["-ec", script]).current_dir(&folder).status().unwrap().success());
    };
    shell(&format!(
        "tar -czf {archive} {stem} && sha256sum {archive} > SHA256SUMS && echo 00  other >> SHA256SUMS"
    ));

    let linux = ("Linux", "X64");
    let (output, added) = install(releases.path(), "release", linux);
    assert!(output.status.success(), "{output:?}");
    assert!(added.trim_end().ends_with(&stem), "{added}");

    // No archive for this version, none for this runner, or a build from source is requested.
    let none = tempfile::tempdir().unwrap();
    for (place, from, runner) in [
        (none.path(), "release", linux),
        (releases.path(), "release", ("Linux", "RISCV64")),
        (releases.path(), "source", linux),
    ] {
        let (output, added) = install(place, from, runner);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && added.is_empty(), "{output:?}");
        assert!(text.contains("cargo install --quiet --locked --path"), "{text}");
        assert_eq!(text.contains("::notice::"), from == "release", "{text}");
    }

    // The archive was modified in transit.
    shell(&format!("echo more >> {archive}"));
    let (output, added) = install(releases.path(), "release", linux);
    assert!(!output.status.success() && added.is_empty(), "{output:?}");
    let (output, _) = install(releases.path(), "elsewhere", linux);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// Runs the page's jq recipes on documents made as the page says. Without jq the test does nothing, but with
/// the variable CI it fails.
#[test]
fn the_recipes_of_the_page_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let audit = |words: &[&str]| {
        let output = run(words);
        assert_ne!(output.status.code(), Some(2), "{output:?}");
    };
    audit(&["fixtures/rocm", "-q", "-o", &at("report.json")]);
    audit(&["diff", "fixtures/ggml/plain", "fixtures/rocm", "-o", &at("plain.json")]);
    audit(&["diff", "fixtures/rocm", "fixtures/tensile", "--gpu", "MI50", "-o", &at("cards.json")]);
    let library = "fixtures/rocm/lib/codeobject/v5_gfx90a_heavy.hsaco";
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(library), at("lib.so")).unwrap();
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md")).unwrap();
    let block =
        page.split("## jq\n").nth(1).unwrap().split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let recipes: Vec<&str> =
        block.split("\n# ").filter_map(|recipe| Some(recipe.split_once('\n')?.1)).collect();
    assert!(recipes.len() > 6, "{recipes:?}");
    let bin = Path::new(PROGRAM).parent().unwrap().to_owned();
    let paths = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&paths))).unwrap();
    if Command::new("jq").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "jq is not here");
        return;
    }
    let mut answers = 0;
    for diff in ["plain.json", "cards.json"] {
        std::fs::copy(at(diff), at("diff.json")).unwrap();
        for recipe in &recipes {
            let mut command = Command::new("bash");
            command
                .args(["-e", "-o", "pipefail", "-c", recipe])
                .current_dir(folder.path())
                .env("PATH", &path);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{diff}: {recipe}\n{}", String::from_utf8_lossy(&output.stderr));
            answers += usize::from(!output.stdout.is_empty());
        }
    }
    assert!(answers > recipes.len(), "{answers} of twice {}", recipes.len());
}
