//! Writes the table of the targets that releases of libraries build for by default, from public repositories.
//!
//! What a library's `CMakeLists.txt` makes of `GPU_TARGETS` or `AMDGPU_TARGETS` where a user sets neither. The
//! few commands that lead there are run: `set`, `list(APPEND)`, `option`, `if`, and `rocm_check_target_ids`,
//! whose compiler is taken to know all targets that it is asked about.

use crate::history::repository;
use anyhow::{Context as _, Result, bail};
use rocm_audit::target::Processor;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Libraries with their repositories, in the order of the table.
const LIBRARIES: [(&str, &str); 9] = [
    ("rocBLAS", "ROCm/rocBLAS"),
    ("hipBLASLt", "ROCm/hipBLASLt"),
    ("rocSPARSE", "ROCm/rocSPARSE"),
    ("rocSOLVER", "ROCm/rocSOLVER"),
    ("rocFFT", "ROCm/rocFFT"),
    ("rocRAND", "ROCm/rocRAND"),
    ("rocALUTION", "ROCm/rocALUTION"),
    ("RCCL", "ROCm/rccl"),
    ("hipTensor", "ROCm/hipTensor"),
];

/// Where the targets stand.
const FILE: &str = "CMakeLists.txt";
/// The first release of the table: before it, targets were named in several ways.
const FIRST: [u32; 3] = [4, 5, 0];

const HEAD: &str = "# Written by `cargo oracle build-targets`; do not edit. For which targets releases of libraries are built by default. Columns:
# library, first and last release with this list, repository, commit of the first, file and line, targets.
";

/// Releases that follow each other and build for the same targets.
struct Span {
    first: String,
    last: String,
    commit: String,
    line: usize,
    targets: Vec<String>,
}

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else {
        bail!("build-targets SOURCES: a folder of git repositories, named owner+name")
    };
    let mut table = HEAD.to_owned();
    for (library, name) in LIBRARIES {
        let repository = repository(Path::new(folder), name)?;
        let git = |arguments: &[&str]| -> Result<String> {
            let output = Command::new("git").arg("-C").arg(&repository).args(arguments).output();
            Ok(String::from_utf8_lossy(&output.context("git cannot be run")?.stdout).into_owned())
        };
        let tags = git(&["tag", "--list", "rocm-[0-9]*"])?;
        let mut releases: Vec<([u32; 3], &str)> =
            tags.lines().filter_map(|tag| Some((release(tag)?, tag))).collect();
        releases.retain(|(release, _)| *release >= FIRST);
        releases.sort_unstable();
        let mut spans: Vec<Span> = Vec::new();
        for ([major, minor, patch], tag) in releases {
            let release = format!("{major}.{minor}.{patch}");
            let (targets, line) = defaults(&git(&["show", &format!("{tag}:{FILE}")])?);
            if targets.is_empty() {
                println!("{library} {release}: no targets in {FILE}");
                continue;
            }
            match spans.last_mut() {
                Some(span) if span.targets == targets => span.last = release,
                _ => {
                    let commit = git(&["rev-parse", "--short=12", &format!("{tag}^{{commit}}")])?;
                    let (first, commit) = (release.clone(), commit.trim().to_owned());
                    spans.push(Span { first, last: release, commit, line, targets });
                }
            }
        }
        println!("{library}: {} lists", spans.len());
        for Span { first, last, commit, line, targets } in spans {
            let row = [library, &first, &last, name, &commit, &format!("{FILE}:{line}"), &targets.join(" ")];
            table.push_str(&row.join("\t"));
            table.push('\n');
        }
    }
    std::fs::write("crates/rocm-audit-engines/src/build_targets.tsv", table)?;
    Ok(())
}

/// The release of a tag such as `rocm-6.2.0`; none of those with two numbers, which stand for the first patch.
fn release(tag: &str) -> Option<[u32; 3]> {
    let numbers: Vec<u32> =
        tag.strip_prefix("rocm-")?.split('.').map_while(|part| part.parse().ok()).collect();
    let release: [u32; 3] = numbers.try_into().ok()?;
    (tag.matches('.').count() == 2).then_some(release)
}

/// The words of a variable, each with the line that it stands in.
type Words = Vec<(String, usize)>;

/// A CMake script while it is run.
#[derive(Default)]
struct Script {
    variables: BTreeMap<String, Words>,
    /// For each `if` that is open: whether its lines are run, and whether one of its branches was.
    open: Vec<(bool, bool)>,
}

/// The targets that a script builds for by default, and the line of the first.
fn defaults(source: &str) -> (Vec<String>, usize) {
    let mut script = Script::default();
    for (name, arguments) in commands(source) {
        script.command(&name.to_ascii_lowercase(), arguments);
    }
    let of = |name: &str| script.variables.get(name).cloned().unwrap_or_default();
    let is_target = |word: &str| {
        let name = word.split(':').next().unwrap_or_default();
        Processor::by_name(name).is_some()
    };
    let targets = [of("GPU_TARGETS"), of("AMDGPU_TARGETS")].into_iter();
    let targets =
        targets.map(|words| words.into_iter().filter(|(word, _)| is_target(word)).collect::<Words>());
    let targets = targets.into_iter().find(|targets| !targets.is_empty()).unwrap_or_default();
    let line = targets.iter().map(|(_, line)| *line).min().unwrap_or_default();
    (targets.into_iter().map(|(word, _)| word).collect(), line)
}

/// The commands of a script, with their arguments, quotes taken off and lines counted.
fn commands(source: &str) -> Vec<(String, Words)> {
    let mut all = Vec::new();
    let (mut name, mut word, mut arguments) = (String::new(), String::new(), Words::new());
    let (mut depth, mut is_quoted, mut is_comment) = (0_usize, false, false);
    let mut line = 1;
    for letter in source.chars() {
        let ends_word = !is_quoted && (letter.is_whitespace() || matches!(letter, '(' | ')' | '#'));
        if depth > 0 && !is_comment && (ends_word || letter == ';') && !word.is_empty() {
            arguments.push((std::mem::take(&mut word), line));
        }
        match letter {
            '\n' if is_comment => is_comment = false,
            _ if is_comment => {}
            '"' if depth > 0 => is_quoted = !is_quoted,
            '#' if !is_quoted => is_comment = true,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted && depth == 1 => {
                depth = 0;
                all.push((std::mem::take(&mut name), std::mem::take(&mut arguments)));
            }
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            ';' if depth > 0 => {}
            _ if depth > 0 && !ends_word => word.push(letter),
            _ if depth == 0 && !letter.is_whitespace() => name.push(letter),
            _ => {}
        }
        line += usize::from(letter == '\n');
    }
    all
}

impl Script {
    fn command(&mut self, name: &str, arguments: Words) {
        let runs = self.open.iter().all(|(runs, _)| *runs);
        let within = self
            .open
            .len()
            .checked_sub(1)
            .is_none_or(|last| self.open.iter().take(last).all(|(runs, _)| *runs));
        match name {
            "if" => {
                let holds = runs && self.holds(&arguments);
                self.open.push((holds, holds));
            }
            "elseif" | "else" => {
                let holds = within && (name == "else" || self.holds(&arguments));
                if let Some((runs, any)) = self.open.last_mut() {
                    *runs = holds && !*any;
                    *any |= *runs;
                }
            }
            "endif" => drop(self.open.pop()),
            _ if !runs => {}
            "set" => self.set(&arguments),
            "list" => {
                if let [(what, _), (variable, _), words @ ..] = &arguments[..]
                    && what == "APPEND"
                {
                    let words = self.written_out(words);
                    self.variables.entry(variable.clone()).or_default().extend(words);
                }
            }
            "rocm_check_target_ids" => {
                if let [(variable, _), (what, _), words @ ..] = &arguments[..]
                    && what == "TARGETS"
                {
                    let words = self.written_out(words);
                    self.variables.insert(variable.clone(), words);
                }
            }
            "option" => {
                if let (Some((variable, _)), Some((value, line))) = (arguments.first(), arguments.last())
                    && value == "ON"
                {
                    self.variables.entry(variable.clone()).or_insert_with(|| vec![(value.clone(), *line)]);
                }
            }
            _ => {}
        }
    }

    /// Sets a variable; one of the cache keeps its value, unless it is forced.
    fn set(&mut self, arguments: &[(String, usize)]) {
        let Some(((variable, _), words)) = arguments.split_first() else { return };
        let cache = words.iter().position(|(word, _)| word == "CACHE");
        let is_forced = words.last().is_some_and(|(word, _)| word == "FORCE");
        if cache.is_some() && !is_forced && self.variables.contains_key(variable) {
            return;
        }
        let until = cache.unwrap_or(words.len());
        let value = self.written_out(words.get(..until).unwrap_or_default());
        self.variables.insert(variable.clone(), value);
    }

    fn written_out(&self, words: &[(String, usize)]) -> Words {
        let mut all = Words::new();
        for (word, line) in words {
            match word.strip_prefix("${").and_then(|word| word.strip_suffix('}')) {
                Some(variable) => all.extend(self.variables.get(variable).cloned().unwrap_or_default()),
                None => all.push((word.clone(), *line)),
            }
        }
        all
    }

    /// Whether a condition holds. `OR` binds last, as in CMake; a comparison that is not known does not hold.
    fn holds(&self, words: &[(String, usize)]) -> bool {
        let words: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        let all = |words: &[&str]| words.split(|word| *word == "AND").all(|part| self.is_true(part));
        words.split(|word| *word == "OR").any(all)
    }

    fn is_true(&self, words: &[&str]) -> bool {
        let value = |word: &str| {
            let name = word.trim_start_matches("${").trim_end_matches('}');
            let words = self.variables.get(name);
            words.map(|words| words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(";"))
        };
        match words {
            ["NOT", rest @ ..] => !self.is_true(rest),
            ["COMMAND", name] => name.starts_with("rocm_"),
            ["DEFINED", name] => self.variables.contains_key(*name),
            [left, "STREQUAL", right] => value(left).unwrap_or_else(|| (*left).to_owned()) == *right,
            [left, "STREQUAL"] => value(left).unwrap_or_default().is_empty(),
            [one] => {
                value(one).is_some_and(|value| !matches!(value.as_str(), "" | "OFF" | "FALSE" | "0" | "NO"))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_without_a_word_is_found() {
        let script = "set( AMDGPU_TARGETS \"all\" CACHE STRING \"x\")\n\
            if(COMMAND rocm_check_target_ids) # (\n  if(BUILD_ADDRESS_SANITIZER)\n    rocm_check_target_ids(D TARGETS \"gfx942:xnack+\")\n  else()\n\
            rocm_check_target_ids(D\n TARGETS \"gfx900;gfx906:xnack-\"\n)\n endif()\nelse()\n set(D \"gfx803\")\nendif()\n\
            if(AMDGPU_TARGETS STREQUAL \"all\")\n set(AMDGPU_TARGETS \"${D}\" CACHE STRING \"x\" FORCE)\nendif()\n";
        assert_eq!(defaults(script), (vec!["gfx900".to_owned(), "gfx906:xnack-".to_owned()], 7));
        let script = "set(DEFAULT_GPUS\n gfx900\n gfx1030)\nlist(APPEND DEFAULT_GPUS gfx1100)\n\
            set(GPU_TARGETS \"${DEFAULT_GPUS}\" CACHE STRING \"x\")";
        assert_eq!(defaults(script), (["gfx900", "gfx1030", "gfx1100"].map(str::to_owned).to_vec(), 2));
    }

    #[test]
    fn releases_have_three_numbers() {
        assert_eq!(release("rocm-6.2.1"), Some([6, 2, 1]));
        assert_eq!(release("rocm-5.4"), None);
        assert_eq!(release("rocm-test-09212024"), None);
    }
}
