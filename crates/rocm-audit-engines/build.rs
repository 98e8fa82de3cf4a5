//! Makes Rust expressions of the rule files, which are written in YAML: the program has all rules as constants.
//! A file that does not have the form of its type ends the build with its name.

use serde::Deserialize;
use serde_json::Value;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

// The types of the files, as the program compiles them: they read the files, and their `Debug` writes them.
#[allow(dead_code, unreachable_pub)]
#[path = "src/ggml/written.rs"]
mod ggml;
#[allow(dead_code, unreachable_pub)]
#[path = "src/library_claims/written.rs"]
mod library_claims;
#[allow(dead_code, unreachable_pub)]
#[path = "src/miopen/solver/written.rs"]
mod miopen;
#[allow(dead_code, unreachable_pub)]
#[path = "src/model/written.rs"]
mod model;
#[allow(dead_code, unreachable_pub)]
#[path = "src/rule_file.rs"]
mod rule_file;

/// Cases that tests judge rules by. The program has no use for them.
const EXAMPLES: &str = "examples";

/// Writes what was read of a file as the expression of a type.
type Write = fn(&'static Value) -> serde_json::Result<String>;

/// Rule files, or folders of them, below `src`; the module of the program that has their types, and its enums;
/// and the types, each with the files that have it. Those of `""` are all others of the folder.
type Rules = (&'static str, &'static str, &'static [(&'static str, Write)]);

const RULES: [Rules; 4] = [
    (
        "ggml/rules",
        "crate::ggml::written::{*, Operation::*, Precision::*}",
        &[("versions", expression::<ggml::KnownRules>), ("", expression::<ggml::StageFile>)],
    ),
    (
        "miopen/solver/rules",
        "crate::miopen::solver::written::{*, Condition::*, Effect::*, NoRuleReason::*}",
        &[
            ("blocks", expression::<rule_file::Named<miopen::BlockFile>>),
            ("registry", expression::<rule_file::List<miopen::OtherFile>>),
            ("environment", expression::<miopen::EnvironmentFile>),
            ("versions", expression::<miopen::ReleasesFile>),
            ("", expression::<miopen::RuleFile>),
        ],
    ),
    (
        "model/rules",
        "crate::model::written::{*, Adds::*, Becomes::*, GraphTrait::*, Makes::*}",
        &[
            ("conversion", expression::<model::Families>),
            ("graphs", expression::<model::TraitsFile>),
            ("", expression::<model::StageFile>),
        ],
    ),
    (
        "library_claims.yaml",
        "crate::library_claims::written::*",
        &[("", expression::<library_claims::ClaimFacts>)],
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?);
    for (rules, types, files) in RULES {
        let path = Path::new("src").join(rules);
        println!("cargo::rerun-if-changed={}", path.display());
        match path.is_dir() {
            false => convert(&path, types, files, &out)?,
            true => {
                for file in std::fs::read_dir(&path)? {
                    convert(&file?.path(), types, files, &out)?;
                }
            }
        }
    }
    Ok(())
}

fn expression<T: Deserialize<'static> + Debug>(rules: &'static Value) -> serde_json::Result<String> {
    T::deserialize(rules).map(|rules| format!("{rules:?}"))
}

/// Writes the expression of one file below `out`, at the place that the file has below `src`.
fn convert(file: &Path, types: &str, files: &[(&str, Write)], out: &Path) -> Result<(), Box<dyn Error>> {
    if file.extension() != Some(OsStr::new("yaml")) {
        return Ok(());
    }
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let mut rules: Value =
        serde_yaml::from_str(&std::fs::read_to_string(file)?).map_err(|error| wrong(&error))?;
    if let Some(map) = rules.as_object_mut() {
        map.remove(EXAMPLES);
    }
    let stem = file.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let known = files.iter().find(|(name, _)| name.is_empty() || *name == stem);
    let (_, write) = known.ok_or_else(|| wrong(&"has no type"))?;
    let value = write(Box::leak(Box::new(rules))).map_err(|error| wrong(&error))?;
    let to = out.join(file.strip_prefix("src")?).with_extension("rs");
    std::fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
    std::fs::write(
        to,
        format!("{{ #[allow(unused_imports)] use {{{types}, crate::rule_file::*}}; {value} }}"),
    )?;
    Ok(())
}
