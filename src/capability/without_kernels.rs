//! What is said of a processor where no library with kernels is here: what there is instead decides nothing,
//! or compiles.

use super::answer::{Answer, LibraryVerdict};
use super::coverage::Coverage;
use super::from_sources;
use super::headline::{Headline, deciding};
use super::package_sets;
use super::run_time;
use crate::finding::amount::plural;
use crate::finding::evidence::Evidence;
use crate::inventory::linkage::Linkage;
use crate::inventory::run_time_compiler::{CompilerFound, CompilerRelation};
use crate::inventory::{ArtifactKind, Inventory};
use crate::locator::file_name;
use crate::scan::library_names::{self, Compiles, Role};
use crate::scan::linkage::is_rocm;
use std::collections::{BTreeMap, BTreeSet};

/// Names in one clause.
const NAMES: usize = 3;

/// The headline if none of `libraries`, those of the matrix, decides.
pub(super) fn headline_without_kernels(
    inventory: &Inventory,
    processor: &str,
    libraries: &[LibraryVerdict<'_>],
    damaged: &BTreeMap<&str, &str>,
) -> Headline {
    let of = |answer, text: String, evidence| Headline { answer, text, evidence: Some(evidence) };
    if !damaged.is_empty() {
        let text = "not known: what is here could not be read";
        return Headline { answer: Answer::Unknown, text: text.to_owned(), evidence: None };
    }
    if let Some((who, evidence)) = compiling(inventory) {
        let text = format!("no GPU code is shipped here; {who}");
        return match run_time::knows(inventory, processor) {
            Ok(()) => of(Answer::Compiles, format!("compiles on the card: {text}"), evidence),
            Err(why) => of(Answer::Unknown, format!("not known: {text}, but {why}"), evidence),
        };
    }
    if let Some(text) = databases(inventory, processor) {
        return of(Answer::Unknown, text, Evidence::Observed);
    }
    if let Some(runtime) = libraries.iter().find(|library| library.role == Role::Runtime) {
        let text = match runtime.answer {
            Answer::Not => format!("not known: only the runtime is here, and it has no code for {processor}"),
            _ => "not known: only the runtime is here, and what runs on it is not: name that as well"
                .to_owned(),
        };
        return of(Answer::Unknown, text, Evidence::Observed);
    }
    if let Some(text) = from_sources::sources(inventory) {
        return of(Answer::Unknown, text, Evidence::Inferred);
    }
    if let Some(tool) = libraries.iter().find(|library| library.role == Role::Tool) {
        let has = if tool.answer == Answer::Not { "no code for it" } else { "code for it" };
        let text = format!(
            "not known: only {} is here ({has}), which is linked into programs: name these as well",
            tool.library
        );
        return of(Answer::Unknown, text, Evidence::Observed);
    }
    if let Some(text) = linked(inventory) {
        return of(Answer::Unknown, text, Evidence::Observed);
    }
    if inventory.run_time_compilers.of_binaries().next().is_some() {
        let text = "not known: no GPU code is here, only bitcode that compilers link into kernels: name what they compile as well";
        return of(Answer::Unknown, text.to_owned(), Evidence::Inferred);
    }
    if let Some(text) = package_sets::needing(inventory) {
        let text = format!("not known: no GPU code is here; {text}");
        return of(Answer::Unknown, text, Evidence::Observed);
    }
    if let Some(text) = from_sources::opened(inventory) {
        return of(Answer::Unknown, text, Evidence::Inferred);
    }
    if let Some(text) = firmware(inventory, processor) {
        return of(Answer::Unknown, text, Evidence::Observed);
    }
    of(Answer::Not, "no GPU code is here".to_owned(), Evidence::Observed)
}

/// What the driver's firmware says where it is all that is here: what runs on a card is decided by other
/// files.
fn firmware(inventory: &Inventory, processor: &str) -> Option<String> {
    let all = || inventory.artifacts.iter().filter(|one| matches!(one.kind, ArtifactKind::Firmware { .. }));
    all().next()?;
    let own = all().filter(|artifact| {
        let is_file = matches!(artifact.kind, ArtifactKind::Firmware { alias: false, .. });
        is_file && artifact.named_target.as_ref().is_some_and(|target| target.processor == processor)
    });
    let has = match own.count() as u64 {
        0 => format!("none for {processor}"),
        n => format!("{} for {processor}", plural(n, "file", "files")),
    };
    Some(format!("not known: no GPU code is here, only the driver's firmware ({has})"))
}

/// The libraries that ship no kernels and compile them at run time, beside `libraries` that decide: programs need
/// them as well.
pub(super) fn compiling_beside<'a>(
    inventory: &'a Inventory,
    processor: &str,
    libraries: &[LibraryVerdict<'a>],
) -> Vec<LibraryVerdict<'a>> {
    if deciding(libraries).is_empty() {
        return Vec::new();
    }
    let names = without_code_but_compiling(inventory);
    let beside = names.into_iter().filter(|name| libraries.iter().all(|library| library.library != *name));
    let judged = |library: &'a str| {
        let compiles = "ships no kernels and compiles them at run time";
        let (answer, reason) = match run_time::knows(inventory, processor) {
            Ok(()) => (Answer::Compiles, compiles.to_owned()),
            Err(why) => (Answer::Unknown, format!("{compiles}, but {why}")),
        };
        LibraryVerdict {
            library,
            role: library_names::role(library),
            place: None,
            answer,
            coverage: Coverage::Absent,
            reason,
            then: None,
            needs: Vec::new(),
            evidence: Evidence::Code,
        }
    };
    beside.map(judged).collect()
}

/// Libraries that are here without code and that compile all kernels which they do not ship.
fn without_code_but_compiling(inventory: &Inventory) -> BTreeSet<&str> {
    let names = inventory.libraries_without_code.iter().map(|(library, _)| library.as_str());
    names.filter(|library| library_names::compiles(library) == Compiles::WhatIsLacking).collect()
}

/// Who compiles kernels here at run time, as a clause, and how that is known.
fn compiling(inventory: &Inventory) -> Option<(String, Evidence)> {
    let known = without_code_but_compiling(inventory);
    if !known.is_empty() {
        let names: Vec<&str> = known.iter().copied().collect();
        let what = if names.len() == 1 { "compiles its kernels" } else { "compile their kernels" };
        let text = format!("{} {what} at run time, for a GPU that the compiler knows", names.join(" and "));
        return Some((text, Evidence::Code));
    }
    let found: Vec<CompilerFound<'_>> =
        inventory.run_time_compilers.of_binaries().filter(|found| found.compiler.makes_kernels).collect();
    let of = |sign: CompilerRelation| found.iter().filter(move |one| one.sign == sign);
    // A program says more than the compiler beside it.
    for (sign, what, evidence) in [
        (CompilerRelation::IsLinked, "linked with", Evidence::Observed),
        (CompilerRelation::NamesFunction, "able to load", Evidence::Inferred),
    ] {
        if let Some(first) = of(sign).next() {
            let is_here = |name: &str| of(CompilerRelation::IsOfIt).any(|one| one.compiler.name == name);
            let names: Vec<String> = of(sign)
                .map(|one| one.compiler.name)
                .map(|name| if is_here(name) { name.to_owned() } else { format!("{name} (from elsewhere)") })
                .collect();
            let more = match first.files {
                1 => String::new(),
                files => format!(" and {} more", files - 1),
            };
            let text = format!(
                "{}{more} {} {what} {}, which compiles kernels for the GPU of the process",
                file_name(first.first),
                if first.files == 1 { "is" } else { "are" },
                names.join(" and ")
            );
            return Some((text, evidence));
        }
    }
    let names: BTreeSet<&str> = of(CompilerRelation::IsOfIt).map(|one| one.compiler.name).collect();
    if names.is_empty() {
        return None;
    }
    let names: Vec<&str> = names.into_iter().collect();
    let (what, whose) = if names.len() == 1 { ("compiles", "it knows") } else { ("compile", "they know") };
    let text = format!("{} {what} kernels at run time, for a GPU that {whose}", names.join(", "));
    Some((text, Evidence::Inferred))
}

/// What MIOpen's databases say where they are all that is here.
fn databases(inventory: &Inventory, processor: &str) -> Option<String> {
    let mut named: BTreeSet<&str> = BTreeSet::new();
    let mut files = 0;
    for artifact in &inventory.artifacts {
        let is_it = matches!(
            artifact.kind,
            ArtifactKind::FindDb(_)
                | ArtifactKind::PerfDb(_)
                | ArtifactKind::KernelDb(_)
                | ArtifactKind::Model(_)
        );
        if let Some(target) = artifact.named_target.as_ref().filter(|_| is_it) {
            named.insert(&target.processor);
            files += u64::from(target.processor == processor);
        }
    }
    let rest = "and the library that reads them is not";
    match files {
        _ if named.is_empty() => None,
        0 => {
            let names: Vec<&str> = named.into_iter().collect();
            Some(format!(
                "not known: MIOpen's databases for {} are here, none for it, {rest}",
                names.join(" ")
            ))
        }
        n => {
            let files = plural(n, "database", "databases");
            Some(format!(
                "not known: {files} of MIOpen for it {} here, {rest}",
                if n == 1 { "is" } else { "are" }
            ))
        }
    }
}

/// What is here of programs and libraries that are linked with ROCm, or are of it, without GPU code.
fn linked(inventory: &Inventory) -> Option<String> {
    let of_rocm = |one: &&Linkage| is_rocm(one.name()) || one.loads().any(is_rocm);
    let files: Vec<&Linkage> = inventory.linkage.iter().filter(of_rocm).collect();
    let first = files.first()?;
    let here: BTreeSet<&str> = files.iter().map(|one| one.name()).collect();
    let needed: BTreeSet<&str> = files
        .iter()
        .flat_map(|one| one.loads())
        .filter(|name| is_rocm(name) && !here.contains(name))
        .collect();
    let who = match files.len() {
        1 => file_name(&first.shown).to_owned(),
        n => format!("{} and {} more", file_name(&first.shown), n - 1),
    };
    let what = if files.len() == 1 { "needs" } else { "need" };
    let more = needed.len().saturating_sub(NAMES);
    let mut names: Vec<String> = needed.iter().take(NAMES).map(|name| (*name).to_owned()).collect();
    names.extend((more > 0).then(|| format!("{more} more")));
    let nothing =
        "not known: nothing here depends on the card, no GPU code is here: name what brings it as well";
    Some(match names.is_empty() {
        true => nothing.to_owned(),
        false => format!("{nothing}; {who} {what} {}", names.join(", ")),
    })
}
