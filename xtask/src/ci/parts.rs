//! The job `parts`: the library for C and WebAssembly in `bindings/c`, by the commands of docs/embedding.md.
//! Its examples run over every fixture with device code; their answers are compared with each other, with
//! what LLVM lists in the fixtures, and with the program.

use crate::command::{Output, cargo, is_here, output, program, project, stdout};
use crate::job::{Ended, Wishes};
use crate::toolchain::{TARGET, has_target};
use crate::workspace::built_program;
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// A language with an example.
struct Language {
    /// Its heading on the page.
    name: &'static str,
    /// What it needs.
    tool: &'static str,
    /// How that says its version.
    version: &'static str,
    /// Whether it runs the module.
    module: bool,
}

const LANGUAGES: [Language; 4] = [
    Language { name: "C", tool: "cc", version: "--version", module: false },
    Language { name: "Go", tool: "go", version: "version", module: false },
    Language { name: "Node", tool: "node", version: "--version", module: true },
    Language { name: "Python", tool: "python3", version: "--version", module: false },
];

/// The cards that all fixtures are asked for: one with code of its own, one of a generic target, a state of
/// XNACK, none.
const CARDS: [&str; 4] = ["gfx906", "gfx1032", "gfx90a:xnack-", "gfx1310"];

/// The module, as cargo makes it.
const MODULE: &str = "target/parts/wasm32-unknown-unknown/release/amdgpu_object_c.wasm";

/// The largest module in bytes: as it is built, and after `wasm-opt -Oz`.
const MOST_BUILT: u64 = 299_999;
const MOST_OPTIMISED: u64 = 270_000;

/// The most bytes of the example in C. With Rust's standard library it would have twice as many: the printer of
/// backtraces that comes with it, and tables of unwinding.
const MOST_PROGRAM: u64 = 299_999;

/// What the module uses of WebAssembly, which `wasm-opt` has to be told.
const MODULE_FEATURES: &str = "--enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int --enable-multivalue --enable-reference-types";

pub(super) fn run(wishes: Wishes) -> Result<Ended> {
    if !cfg!(target_os = "linux") {
        return Ok(Ended::Skipped("its commands are for Linux".to_owned()));
    }
    let page = std::fs::read_to_string(project().join("docs/embedding.md"))?;
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--locked", "--manifest-path", "bindings/c/Cargo.toml"]);
    tests.args(["--target-dir", "target/parts"]).env("CARGO_PROFILE_DEV_DEBUG", "0");
    let tested = output(tests)?;
    if !tested.success {
        return Ok(tested.failure());
    }
    let (mut answers, mut missing, mut notes) = (BTreeMap::new(), Vec::new(), Vec::new());
    let fixtures = Fixtures::read()?;
    for language in &LANGUAGES {
        if let Some(what) = language.missing(wishes)? {
            missing.push(format!("{}: {what}", language.name));
            continue;
        }
        let commands = Section::of(&page, language.name)?;
        let shown = output(shell(&commands.all))?;
        if !shown.success {
            return Ok(shown.failure());
        }
        ensure!(
            shown.text.contains(expected_line(&page)?),
            "{}: not as shown:\n{}",
            language.name,
            shown.text
        );
        let said = fixtures.asked_by(&commands.example)?;
        if let Some((first, known)) = answers.first_key_value().filter(|(_, known)| **known != said) {
            return Ok(Ended::Failed(differing((first, known), (language.name, &said))));
        }
        answers.insert(language.name, said);
        if language.module {
            notes.push(module_size(&fixtures, &commands.example, answers.get(language.name))?);
        }
        if language.tool == "cc" {
            notes.push(program_size()?);
        }
    }
    let Some((_, said)) = answers.first_key_value() else { return Ok(Ended::Skipped(missing.join(", "))) };
    fixtures.compare_with_llvm(said)?;
    if let Err(built) = fixtures.compare_with_program(said)? {
        return Ok(built.failure());
    }
    if wishes.no_skip && !missing.is_empty() {
        return Ok(Ended::Failed(missing.join(", ")));
    }
    let (languages, files) = (answers.keys().copied().collect::<Vec<_>>().join(", "), fixtures.files.len());
    notes.insert(0, format!("{languages} agree on {files} files"));
    notes.extend(missing.iter().map(|what| format!("left out {what}")));
    Ok(Ended::Passed(notes.join("; ")))
}

impl Language {
    /// Why its example is left out, if it is.
    fn missing(&self, wishes: Wishes) -> Result<Option<String>> {
        let mut command = program(self.tool);
        command.arg(self.version);
        if !output(command).is_ok_and(|said| said.success) {
            return Ok(Some(format!("{} is not installed", self.tool)));
        }
        if self.module && !has_target()? && wishes.install {
            let mut command = program("rustup");
            command.args(["target", "add", TARGET]);
            output(command)?;
        }
        Ok((self.module && !has_target()?).then(|| format!("the target {TARGET} is not installed")))
    }
}

/// The commands of a section of the page.
struct Section {
    /// All of them.
    all: String,
    /// The last one, which runs the example, without the card and the file.
    example: String,
}

impl Section {
    fn of(page: &str, name: &str) -> Result<Section> {
        let section = page.split_once(&format!("\n## {name}\n")).map(|(_, rest)| rest);
        let block = section.and_then(|rest| rest.split_once("```sh\n")?.1.split_once("```"));
        let (all, _) = block.with_context(|| format!("docs/embedding.md has no commands for {name}"))?;
        let last = all.trim_end().lines().last().unwrap_or_default();
        let words: Vec<&str> = last.rsplitn(3, ' ').collect();
        let [_, _, example] = words[..] else { anyhow::bail!("{name}: {last} names no card and no file") };
        Ok(Section { all: all.to_owned(), example: example.to_owned() })
    }
}

/// The line that the page says every example prints.
fn expected_line(page: &str) -> Result<&str> {
    let block = page.split_once("```text\n").and_then(|(_, rest)| rest.split_once("\n```"));
    Ok(block.context("docs/embedding.md shows no answer")?.0)
}

fn shell(commands: &str) -> Command {
    let mut command = program("sh");
    command.args(["-euc", commands]);
    command
}

/// The first line in which two languages differ.
fn differing(first: (&&str, &String), second: (&str, &String)) -> String {
    let mut lines = first.1.lines().zip(second.1.lines());
    let (one, other) = lines.find(|(one, other)| one != other).unwrap_or(("(more lines)", "(more lines)"));
    format!("{} and {} differ:\n{one}\n{other}", first.0, second.0)
}

/// The fixtures with device code, and what LLVM lists in them.
struct Fixtures {
    files: BTreeMap<String, Value>,
}

/// Kinds of files with device code in `expected.json`.
const KINDS: [&str; 4] = ["amdgpu-elf", "compressed-bundle", "host-elf", "plain-bundle"];

impl Fixtures {
    fn read() -> Result<Fixtures> {
        let text = std::fs::read(project().join("fixtures/expected.json"))?;
        let expected: Value = serde_json::from_slice(&text)?;
        let all = expected["files"].as_object().context("expected.json has no files")?;
        let has_code = |file: &Value| file["kind"].as_str().is_some_and(|kind| KINDS.contains(&kind));
        let files = all.iter().filter(|(_, file)| has_code(file));
        let files: BTreeMap<_, _> =
            files.map(|(path, file)| (format!("fixtures/rocm/{path}"), file.clone())).collect();
        ensure!(files.len() > 50, "expected.json has {} files with device code", files.len());
        Ok(Fixtures { files })
    }

    /// What an example says of all of them, for each card.
    fn asked_by(&self, example: &str) -> Result<String> {
        let files: Vec<String> = self.files.keys().map(|path| format!("'{path}'")).collect();
        let ask = |card: &&str| stdout(shell(&format!("{example} {card} {}", files.join(" "))));
        CARDS.iter().map(ask).collect()
    }

    /// The documents of the first card.
    fn documents(&self, said: &str) -> Result<BTreeMap<&str, Value>> {
        let lines: Vec<&str> = said.lines().skip(1).step_by(2).take(self.files.len()).collect();
        ensure!(lines.len() == self.files.len(), "{} documents for {} files", lines.len(), self.files.len());
        let parsed = lines.into_iter().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        Ok(self.files.keys().map(String::as_str).zip(parsed).collect())
    }

    /// Names of kernels, as LLVM's tools list them.
    fn compare_with_llvm(&self, said: &str) -> Result<()> {
        let mut compared = 0;
        for (path, document) in self.documents(said)? {
            // Metadata of V2 are not read, which the document says.
            if document["complete"] == false {
                ensure!(path.contains("/v2_"), "{path}: {}", document["problems"]);
                continue;
            }
            let mut wanted = Vec::new();
            llvm_kernels(&self.files[path], &mut wanted);
            let listed = document["kernels"].as_array().into_iter().flatten();
            let mut names: Vec<&str> = listed.filter_map(|kernel| kernel["name"].as_str()).collect();
            wanted.sort_unstable();
            names.sort_unstable();
            ensure!(names == wanted, "{path}: {names:?}, and LLVM lists {wanted:?}");
            compared += names.len();
        }
        ensure!(compared > 200, "{compared} kernels were compared with LLVM");
        Ok(())
    }

    /// Code objects and kernels of each target, as `fatbin -f json` counts them.
    fn compare_with_program(&self, said: &str) -> Result<Result<(), Output>> {
        let tool = match built_program()? {
            Ok(tool) => tool,
            Err(built) => return Ok(Err(built)),
        };
        let mut command = program(tool);
        command.args(["fatbin", "-f", "json", "--allow-incomplete"]).args(self.files.keys());
        let whole: Value = serde_json::from_str(&stdout(command)?)?;
        let documents = self.documents(said)?;
        let files = whole["files"].as_array().context("the program lists no files")?;
        ensure!(files.len() == documents.len(), "the program lists {} files", files.len());
        for file in files {
            let path = file["path"].as_str().unwrap_or_default();
            let document = documents.get(path).with_context(|| format!("{path} was not asked for"))?;
            if document["complete"] == true {
                let (own, other) = (counts(document, "target"), counts(file, "target_id"));
                ensure!(own == other, "{path}: {own:?}, and the program has {other:?}");
            }
        }
        Ok(Ok(()))
    }
}

/// Kernels of all code objects in a part of `expected.json`.
fn llvm_kernels<'a>(part: &'a Value, names: &mut Vec<&'a str>) {
    match part {
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value.as_array()) {
                    ("kernels", Some(kernels)) => {
                        names.extend(kernels.iter().filter_map(|kernel| kernel["name"].as_str()));
                    }
                    _ => llvm_kernels(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| llvm_kernels(item, names)),
        _ => {}
    }
}

/// Code objects and kernels by target.
fn counts<'a>(document: &'a Value, target: &str) -> BTreeMap<&'a str, (u64, u64)> {
    let mut all = BTreeMap::new();
    for row in document["targets"].as_array().into_iter().flatten() {
        let sums: &mut (u64, u64) = all.entry(row[target].as_str().unwrap_or_default()).or_default();
        sums.0 += row["code_objects"].as_u64().unwrap_or(0);
        sums.1 += row["kernels"].as_u64().unwrap_or(0);
    }
    all
}

/// The size of the module in words, with Binaryen's optimiser where it is here: then the smaller one has to
/// say the same.
fn module_size(fixtures: &Fixtures, example: &str, said: Option<&String>) -> Result<String> {
    let built = size("the module", Path::new(MODULE), MOST_BUILT)?;
    if !is_here(program("wasm-opt")) {
        return Ok(format!("the module has {built} bytes, wasm-opt is not here to make it smaller"));
    }
    let small = MODULE.replace(".wasm", "_small.wasm");
    let mut optimiser = program("wasm-opt");
    optimiser.arg("-Oz").args(MODULE_FEATURES.split(' ')).args([MODULE, "-o", &small]);
    stdout(optimiser)?;
    let optimised = size("the module after wasm-opt", Path::new(&small), MOST_OPTIMISED)?;
    let same = Some(&fixtures.asked_by(&example.replace(MODULE, &small))?) == said;
    ensure!(same, "the module says something else after wasm-opt");
    Ok(format!("the module has {optimised} bytes, {built} before wasm-opt"))
}

/// The size of the example in C in words, and what it has more than a program that does nothing.
fn program_size() -> Result<String> {
    let nothing = "echo 'int main(void) { return 0; }' > target/parts/nothing.c && cc -Os -s target/parts/nothing.c -o target/parts/nothing";
    stdout(shell(nothing))?;
    let without = size("a program", Path::new("target/parts/nothing"), u64::MAX)?;
    let with = size("the example in C", Path::new("target/parts/serves"), MOST_PROGRAM)?;
    Ok(format!("the example in C has {with} bytes, {without} without the library"))
}

fn size(what: &str, path: &Path, most: u64) -> Result<u64> {
    let bytes = std::fs::metadata(project().join(path))?.len();
    ensure!(bytes <= most, "{what} has {bytes} bytes; at most {most} are wanted");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_commands_for_every_language_and_an_answer() {
        let page = std::fs::read_to_string(project().join("docs/embedding.md")).unwrap();
        for language in &LANGUAGES {
            let section = Section::of(&page, language.name).unwrap();
            assert!(section.all.starts_with("cargo build --release --locked "), "{}", section.all);
            assert!(section.example.starts_with("target/parts/") || section.example.contains(" bindings/c/"));
            assert_eq!(section.example.contains(MODULE), language.module);
        }
        assert!(expected_line(&page).unwrap().contains(": yes: "));
        assert!(Section::of(&page, "Fortran").is_err());
    }

    #[test]
    fn kernels_are_found_at_any_depth_of_a_listing() {
        let listing = serde_json::json!({"bundles": [{"entries": [{"code_object": {"kernels": [{"name": "a"}]}}, {}]}]});
        let mut names = Vec::new();
        llvm_kernels(&listing, &mut names);
        assert_eq!(names, ["a"]);
    }
}
