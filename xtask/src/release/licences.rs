//! The licences of everything that is linked into the program, with their texts: what they ask of whoever passes it on.

use super::dependency::Dependency;
use anyhow::Result;
use std::collections::BTreeMap;

/// Beginnings of the names of files that are licences or belong to them.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "copyright"];

/// A list of all crates, then each text once with the crates that bring it.
///
/// # Errors
/// A folder cannot be read.
pub(super) fn text(dependencies: &[Dependency]) -> Result<String> {
    let mut list = String::from("What is linked into rocm-audit, and under which licences.\n\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for own in dependencies.iter().filter(|own| !own.is_ours && !own.is_macro) {
        let name = format!("{} {}", own.name, own.version);
        list += &format!("{name}: {}\n", own.licence.as_deref().unwrap_or("see its text"));
        for (part, version) in &own.native {
            list += &format!("  with {part} {version}\n");
        }
        let mut files: Vec<_> = std::fs::read_dir(&own.folder)?.filter_map(Result::ok).collect();
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let lower = file.file_name().to_string_lossy().to_lowercase();
            if !NAMES.iter().any(|name| lower.starts_with(name)) || !file.path().is_file() {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(file.path()) else { continue };
            let text: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
            let names = texts.entry(text.join("\n")).or_default();
            if names.last() != Some(&name) {
                names.push(name.clone());
            }
        }
    }
    let mut texts: Vec<(Vec<String>, String)> =
        texts.into_iter().map(|(text, names)| (names, text)).collect();
    texts.sort();
    for (names, text) in texts {
        list += &format!("\n{}\n{}\n\n{text}\n", "=".repeat(78), names.join(", "));
    }
    Ok(list)
}
