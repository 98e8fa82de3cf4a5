//! The licences of everything that is linked into the program, with their texts: what they ask of those who
//! pass it on.

use super::dependency::Dependency;
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;

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
        for part in &own.native {
            list += &format!("  with {} {}: {}\n", part.name, part.version, part.licence);
        }
        let mut files: Vec<PathBuf> = Vec::new();
        for file in std::fs::read_dir(&own.folder)? {
            let file = file?;
            let lower = file.file_name().to_string_lossy().to_lowercase();
            if NAMES.iter().any(|name| lower.starts_with(name)) && file.path().is_file() {
                files.push(file.path());
            }
        }
        files.extend(own.native.iter().filter_map(|part| Some(own.folder.join(part.text?))));
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::dependency::all;
    use crate::release::product::Product;

    #[test]
    fn every_crate_has_a_licence_and_what_asks_for_its_text_has_it() {
        let crates = all(&Product::read().unwrap(), "x86_64-unknown-linux-musl").unwrap();
        let text = text(&crates).unwrap();
        assert!(!text.contains("see its text"), "a crate without a licence");
        for words in [
            "Copyright (c) Meta Platforms",
            "zstd-sys 2",
            "Permission to use, copy, modify, and/or distribute this\nsoftware",
            "with SQLite ",
        ] {
            assert!(text.contains(words), "{words}");
        }
    }
}
