//! Makes JSON of the rule files, which are written in YAML: the program reads it many times faster, and needs
//! no reader of YAML. A file that is no YAML ends the build with its name.

use serde_json::Value;
use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What is converted, below `src`: folders of rule files, and one file.
const RULES: [&str; 4] = ["ggml/rules", "miopen/solver/rules", "model/rules", "library_claims.yaml"];

/// Cases that tests judge rules by. The program has no use for them.
const EXAMPLES: &str = "examples";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?);
    for rules in RULES {
        let path = Path::new("src").join(rules);
        println!("cargo::rerun-if-changed={}", path.display());
        match path.is_dir() {
            false => convert(&path, &out)?,
            true => {
                for file in std::fs::read_dir(&path)? {
                    convert(&file?.path(), &out)?;
                }
            }
        }
    }
    Ok(())
}

/// Writes the JSON of one file below `out`, at the place that the file has below `src`.
fn convert(file: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    if file.extension() != Some(OsStr::new("yaml")) {
        return Ok(());
    }
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let mut rules: Value =
        serde_yaml::from_str(&std::fs::read_to_string(file)?).map_err(|error| wrong(&error))?;
    if let Some(map) = rules.as_object_mut() {
        map.remove(EXAMPLES);
    }
    let to = out.join(file.strip_prefix("src")?).with_extension("json");
    std::fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
    std::fs::write(to, serde_json::to_vec(&rules).map_err(|error| wrong(&error))?)?;
    Ok(())
}
