//! Messages that name the very file or symbol.

use super::causes::{
    ELF_NEEDED_MISSING, ELF_SYMBOL_UNRESOLVED, LINK_UNVERSIONED_MISSING, MI_DB_OTHER_TREE, PKG_NO_HIP,
    PKG_VARIANT_MISSING, RT_MIX,
};
use super::damage::Damage;
use super::decided::{Decision, Tree, TreeDecision};
use crate::inventory::linkage::{Linkage, hash, stem};
use crate::messages::recognised::Hit;

/// How a message is decided by what it names; none where it names nothing that decides.
type ByName = fn(&Hit, Tree<'_>) -> Option<TreeDecision>;

/// The messages that name what is missing.
const MESSAGES: [(&str, ByName); 6] = [
    ("needed-missing", library),
    ("miopen-ck", convolutions),
    ("configured-binary", variant),
    ("undefined-symbol", symbol),
    ("miopen-kdb", database),
    ("executable-stack", stack),
];

/// Decides a message by what it names.
pub(super) fn decide(hit: &Hit, tree: Tree<'_>) -> Option<TreeDecision> {
    let (_, by_name) = MESSAGES.iter().find(|(id, _)| *id == hit.message.id)?;
    by_name(hit, tree)
}

/// The first name of a library in a line: `libamdhip64.so.6`.
fn library_in(line: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let mut words = line.split(|c: char| !is_part(c)).map(|word| word.trim_end_matches('.'));
    words.find(|word| word.starts_with("lib") && word.contains(".so"))
}

/// The symbol that a line says is undefined, and its version.
fn symbol_in(line: &str) -> Option<(&str, Option<&str>)> {
    let at = line
        .find("undefined symbol")
        .map(|at| at + 16)
        .or_else(|| line.find("undefined reference").map(|at| at + 19))?;
    let rest = line.get(at..)?.trim_start_matches([':', ' ', '`', '\'']);
    let rest = rest.strip_prefix("to").unwrap_or(rest);
    let rest = rest.trim_start_matches([':', ' ', '`', '\'']);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '@')).unwrap_or(rest.len());
    let symbol = rest.get(..end).filter(|symbol| !symbol.is_empty())?;
    match symbol.split_once('@') {
        Some((name, version)) => Some((name, Some(version.trim_start_matches('@')))),
        None => {
            let version = rest.split_once("version ").map(|(_, rest)| rest);
            let end = |text: &str| text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.".contains(c)));
            Some((symbol, version.and_then(|text| text.get(..end(text).unwrap_or(text.len())))))
        }
    }
}

pub(super) fn file(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// All files of a tree that are known by their names.
fn all_files(tree: Tree<'_>) -> impl Iterator<Item = &str> {
    let inventory = tree.inventory;
    let artifacts = inventory.artifacts.iter().map(|artifact| artifact.shown.as_str());
    let libraries = inventory.linkage.iter().map(|library| library.shown.as_str());
    artifacts.chain(libraries).chain(inventory.libraries_without_code.iter().map(|(_, path)| path.as_str()))
}

/// That a name is not in the tree; not decided where something could not be read that may hold it.
fn absent(because: String, tree: Tree<'_>) -> TreeDecision {
    let damage = Damage::from_tree(tree);
    match damage.clause(&damage.hiding_names()) {
        Some(damaged) => TreeDecision::not_decided(format!("{damaged}; in what could be read: {because}")),
        None => TreeDecision::new(Decision::Confirmed, because),
    }
}

/// A library that the loader did not find.
fn library(hit: &Hit, tree: Tree<'_>) -> Option<TreeDecision> {
    let name = library_in(&hit.quote)?;
    let decided = named_library(name, tree);
    Some(decided.unwrap_or_else(|| {
        absent(format!("{name} is not in this tree."), tree).with_cause(&ELF_NEEDED_MISSING)
    }))
}

/// MIOpen's library of grouped convolutions; its other names are looked for elsewhere.
fn convolutions(hit: &Hit, tree: Tree<'_>) -> Option<TreeDecision> {
    named_library(library_in(&hit.quote)?, tree)
}

/// The library of a tree that has this name, by what it says of itself or by that of its file.
fn linked<'t>(name: &str, tree: Tree<'t>) -> Option<&'t Linkage> {
    let libraries = &tree.inventory.linkage;
    libraries.iter().find(|library| library.name() == name || file(&library.shown) == name)
}

/// What is said of a library that is here, under this name or another one.
fn named_library(name: &str, tree: Tree<'_>) -> Option<TreeDecision> {
    let linkage = &tree.inventory.linkage;
    let here = linked(name, tree).map(|library| library.shown.as_str());
    if let Some(path) = here.or_else(|| all_files(tree).find(|path| file(path) == name)) {
        let because = format!(
            "{name} is in this tree, as {path}: its folder is not searched, or another tree is used."
        );
        return Some(TreeDecision::new(Decision::NotTheFiles, because));
    }
    let other = linkage.iter().find(|library| library.stem() == stem(name));
    let other = other.map(|library| library.shown.as_str());
    let path = other.or_else(|| all_files(tree).find(|path| stem(file(path)) == stem(name)))?;
    let cause = if name.ends_with(".so") { &LINK_UNVERSIONED_MISSING } else { &ELF_NEEDED_MISSING };
    let because = format!("{name} is not in this tree, and {path} is: another name of the library.");
    Some(absent(because, tree).with_cause(cause))
}

/// A library that asks for a stack that can be executed.
fn stack(hit: &Hit, tree: Tree<'_>) -> Option<TreeDecision> {
    let Some(name) = library_in(&hit.quote) else {
        let asking = tree.inventory.linkage.iter().find(|library| library.executable_stack)?;
        let because = format!("{} asks for a stack that can be executed.", asking.shown);
        return Some(TreeDecision::new(Decision::Confirmed, because));
    };
    let Some(found) = linked(name, tree) else {
        return Some(TreeDecision::not_decided(format!("{name} is not in this tree.")));
    };
    let path = &found.shown;
    Some(match found.executable_stack {
        true => {
            let because = format!("{path} asks for it: `patchelf --clear-execstack {path}` clears that.");
            TreeDecision::new(Decision::Confirmed, because)
        }
        false => {
            let because = format!("{path} asks for no such stack: another tree is used.");
            TreeDecision::new(Decision::NotTheFiles, because)
        }
    })
}

/// A library that comes in a variant for each release of ROCm.
fn variant(hit: &Hit, tree: Tree<'_>) -> Option<TreeDecision> {
    let asked = hit.path.as_deref().map(file).filter(|name| name.contains("rocm") || name.contains("hip"))?;
    let stem = asked.split("_rocm").next().unwrap_or(asked);
    let mut variants: Vec<&str> = all_files(tree).map(file).filter(|name| name.starts_with(stem)).collect();
    variants.sort_unstable();
    variants.dedup();
    if variants.contains(&asked) {
        let because = format!("{asked} is in this tree: another one is used.");
        return Some(TreeDecision::new(Decision::NotTheFiles, because));
    }
    variants.retain(|name| name.contains("_rocm") || name.contains("_hip"));
    Some(match &variants[..] {
        [] => {
            let because = format!("{asked} is not in this tree, and no other variant for ROCm is.");
            absent(because, tree).with_cause(&PKG_NO_HIP)
        }
        here => {
            let because = format!("{asked} is not in this tree; here are {}.", here.join(", "));
            absent(because, tree).with_cause(&PKG_VARIANT_MISSING)
        }
    })
}

/// A symbol that no loaded library has.
fn symbol(hit: &Hit, tree: Tree<'_>) -> Option<TreeDecision> {
    let linkage = &tree.inventory.linkage;
    let (name, version) = symbol_in(&hit.quote)?;
    let symbol = hash(name.as_bytes(), version.map(str::as_bytes));
    if let Some(library) = linkage.iter().find(|library| library.exports.contains(&symbol)) {
        let because =
            format!("{} exports {name}: the process loads another file of this name.", library.shown);
        return Some(TreeDecision::new(Decision::NotTheFiles, because).with_cause(&RT_MIX));
    }
    let asks = linkage.iter().find_map(|library| {
        let asked = library.asks.iter().find(|asked| asked.name == name)?;
        let other =
            linkage.iter().find(|other| other.stem() == stem(&asked.library) && !other.exports.is_empty())?;
        Some((library, other))
    });
    let (library, other) = asks?;
    let damage = Damage::from_tree(tree);
    if damage.has(&other.shown)
        && let Some(damaged) = damage.clause(&[other.shown.as_str()])
    {
        return Some(TreeDecision::not_decided(format!("{} asks for {name}, and {damaged}.", library.shown)));
    }
    let because = format!("{} asks for {name}, and {} does not export it.", library.shown, other.shown);
    Some(TreeDecision::new(Decision::Confirmed, because).with_cause(&ELF_SYMBOL_UNRESOLVED))
}

/// A database of compiled kernels.
fn database(hit: &Hit, tree: Tree<'_>) -> Option<TreeDecision> {
    let asked = hit.path.as_deref().map(file).filter(|name| name.ends_with(".kdb"));
    let asked = asked.or_else(|| {
        let mut words = hit.quote.split(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)));
        words.find(|word| word.ends_with(".kdb"))
    })?;
    Some(match all_files(tree).find(|path| file(path) == asked) {
        Some(path) => {
            let because = format!("{path} is here: MIOpen of another tree asks, or cannot read it.");
            TreeDecision::new(Decision::NotTheFiles, because).with_cause(&MI_DB_OTHER_TREE)
        }
        None => absent(format!("this tree has no {asked}."), tree),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_of_the_table() {
        for (id, _) in MESSAGES {
            assert!(crate::messages::table::of_id(id).is_some(), "no message {id}");
        }
    }

    #[test]
    fn names_are_read_in_lines() {
        for (line, name) in [
            ("ImportError: libamdhip64.so.7: cannot open shared object file", Some("libamdhip64.so.7")),
            ("[x] 'libfoo.so' is needed by /opt/libbar.so.1.", Some("libfoo.so")),
            ("cannot open", None),
        ] {
            assert_eq!(library_in(line), name);
        }
        for (line, symbol) in [
            ("libx.so: undefined symbol: hsa_a, version ROCR_1", Some(("hsa_a", Some("ROCR_1")))),
            ("undefined reference tohsa_amd_vmem_map@ROCR_1'", Some(("hsa_amd_vmem_map", Some("ROCR_1")))),
            ("undefined reference to `rocblas_sgemm'", Some(("rocblas_sgemm", None))),
            ("undefined symbol:", None),
        ] {
            assert_eq!(symbol_in(line), symbol);
        }
    }
}
