//! Whether the files of a tree are the cause of a message.

use super::v1::{Evidence, ExplainLibrary, ExplainTree, TreeVerdict};
use crate::capability::Capability;
use crate::capability::coverage::{Coverage, LibraryRow};
use crate::capability::variants;
use crate::capability::verdict::RUNTIMES;
use crate::finding::Finding;
use crate::inventory::linkage::{hash, stem};
use crate::inventory::{Artifact, ArtifactKind, Inventory};
use crate::messages::catalog;
use crate::messages::cause::{self, Shown};
use crate::messages::recognise::Hit;
use crate::messages::table::Class;
use crate::scan::library_names;
use crate::target::{GfxVersion, TargetId, product};

/// A tree that a message is asked of.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// Its facts.
    pub inventory: &'a Inventory,
    /// What they mean. Must have been asked for the targets.
    pub capability: &'a Capability<'a>,
    /// What was found besides, in library folders.
    pub findings: &'a [Finding],
}

/// What a tree says.
pub(super) struct Decided {
    /// The verdict.
    pub tree: ExplainTree,
    /// The cause that is shown, where it is not the first one.
    pub cause: Option<&'static str>,
    /// The target that is refused, where several were asked.
    pub refused: Option<TargetId>,
    /// What to do with this tree, in sentences, before what the cause says.
    pub advice: Vec<String>,
}

impl Decided {
    fn new(verdict: TreeVerdict, because: impl Into<String>) -> Self {
        let tree = ExplainTree {
            roots: Vec::new(),
            verdict,
            because: because.into(),
            known: Evidence::Observed,
            lacking: Vec::new(),
            serving: Vec::new(),
        };
        Decided { tree, cause: None, refused: None, advice: Vec::new() }
    }

    fn not_decided(because: impl Into<String>) -> Self {
        Decided::new(TreeVerdict::NotDecided, because)
    }

    fn of(self, cause: &'static str) -> Self {
        Decided { cause: Some(cause), ..self }
    }

    fn is(&self, verdict: TreeVerdict) -> bool {
        self.tree.verdict == verdict
    }
}

/// Decides a message, for these targets, on a tree.
pub(super) fn decide(hit: Option<&Hit>, targets: &[&TargetId], tree: Tree<'_>) -> Decided {
    let mut decided = without_roots(hit, targets, tree);
    if let Some(hit) = hit.filter(|_| decided.is(TreeVerdict::Confirmed)) {
        decided.advice = advice(hit, &decided, targets, tree);
    }
    decided.tree.roots.clone_from(&tree.inventory.roots);
    decided
}

fn without_roots(hit: Option<&Hit>, targets: &[&TargetId], tree: Tree<'_>) -> Decided {
    let Some(hit) = hit else {
        return Decided::not_decided(
            "The message is not known, so nothing is decided; `rocm-audit --arch TARGET PATH` says what the tree has.",
        );
    };
    if let Some(decided) = by_name(hit, tree) {
        return decided;
    }
    let plain = by_targets(hit, targets, tree);
    if plain.is(TreeVerdict::Confirmed) {
        return plain;
    }
    by_findings(hit, targets, tree).unwrap_or(plain)
}

/// Causes that another GPU or the code of a neighbour helps with.
const OF_TARGET: [&str; 4] = ["FB-ARCH-MISSING", "RB-ARCH-MISSING", "SYS-MULTI-ARCH", "DIFF-ARCH-DROPPED"];

/// What can be done for a target that libraries of the tree lack: hiding its GPU, an override.
fn advice(hit: &Hit, decided: &Decided, targets: &[&TargetId], tree: Tree<'_>) -> Vec<String> {
    let cause = decided.cause.or(hit.causes.first().copied()).unwrap_or_default();
    if !OF_TARGET.contains(&cause) || decided.tree.lacking.is_empty() {
        return Vec::new();
    }
    let lacking = |target: &&&TargetId| of_target(hit, target, tree).is(TreeVerdict::Confirmed);
    let mut sentences = Vec::new();
    for target in targets.iter().filter(lacking) {
        let processor = target.processor.as_str();
        let beside: Vec<&str> =
            targets.iter().filter(|other| !lacking(other)).map(|other| other.processor.as_str()).collect();
        let hide = "HIP_VISIBLE_DEVICES, on Linux also ROCR_VISIBLE_DEVICES, takes the numbers of the others";
        let verdict = tree.capability.verdicts.iter().find(|verdict| verdict.processor == processor);
        let serves_cards =
            || verdict.is_some_and(|verdict| verdict.here.iter().any(|p| !product::is_of_apus(p)));
        match (product::is_of_apus(processor), &beside[..]) {
            (true, []) if !serves_cards() => {}
            (true, []) => sentences.push(format!(
                "{processor} is the GPU of an APU: where a card is in the machine too, hide it; {hide}."
            )),
            (true, _) => sentences.push(format!(
                "Hide {processor}, the GPU of an APU, and leave {}: {hide}.",
                beside.join(", ")
            )),
            (false, []) => {}
            (false, _) => {
                sentences.push(format!("Hide {processor}, and leave {}: {hide}.", beside.join(", ")))
            }
        }
        if verdict.is_some_and(|verdict| beside.is_empty() && !has_relatives(processor, &verdict.here)) {
            sentences
                .push(format!("{NO_OVERRIDE}: no code here is for another GPU of {processor}'s generation."));
        }
        if let Some(best) =
            verdict.and_then(|verdict| verdict.overrides.first()).filter(|_| beside.is_empty())
        {
            let (value, other) = (&best.value, &best.processor);
            let judged = super::verdict::safety(best.judgement.safety).sentence(&best.judgement.because);
            let mut text = format!(
                "On Linux, HSA_OVERRIDE_GFX_VERSION={value} loads the {other} code that is here. {judged}"
            );
            if !best.is_legal() {
                text.push_str(&format!(
                    " `rocm-audit override {value} --gpu {processor} PATH` decodes the code."
                ));
            }
            sentences.push(text);
        }
    }
    sentences
}

/// What a sentence begins with that says so.
pub(super) const NO_OVERRIDE: &str = "No override helps";

/// Whether there is code for another processor of the same generation.
fn has_relatives(processor: &str, here: &[&str]) -> bool {
    let major = |name: &str| GfxVersion::of(name).map(|version| version.major);
    here.iter().any(|other| *other != processor && major(other) == major(processor))
}

/// Rules whose findings say what is so and prove no cause.
const NO_PROOF: [&str; 5] = [
    "several-targets",
    "xnack-states-differ",
    "target-without-code",
    "register-spills",
    "much-private-memory",
];

/// A cause of the message that a finding shows.
fn by_findings(hit: &Hit, targets: &[&TargetId], tree: Tree<'_>) -> Option<Decided> {
    let of_target = |finding: &Finding| {
        let processor = finding.target.as_deref().map(|target| target.split(':').next().unwrap_or_default());
        targets.is_empty() || processor.is_none_or(|own| targets.iter().any(|target| target.processor == own))
    };
    let shows = |cause: &'static str| {
        let rules = catalog::rules_of(cause);
        let mut all = tree.capability.findings.iter().chain(tree.findings);
        all.find(|one| rules.contains(&one.rule.id) && !NO_PROOF.contains(&one.rule.id) && of_target(one))
            .map(|finding| (cause, finding))
    };
    let (cause, finding) = hit.causes.iter().find_map(|cause| shows(cause))?;
    let place = finding.locations.first().map(|place| format!(": {place}")).unwrap_or_default();
    let detail = if finding.detail.is_empty() { String::new() } else { format!("; {}", finding.detail) };
    let because = format!("{}{place}{detail} ({}).", finding.rule.what, finding.rule.id);
    Some(Decided::new(TreeVerdict::Confirmed, because).of(cause))
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

fn file(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Messages that name the very file or symbol.
fn by_name(hit: &Hit, tree: Tree<'_>) -> Option<Decided> {
    let linkage = &tree.inventory.linkage;
    let shown = |artifact: &Artifact| artifact.shown.clone();
    let all_files = || {
        let libraries = linkage.iter().map(|library| library.shown.clone());
        let without = tree.inventory.libraries_without_code.iter().map(|(_, path)| path.clone());
        tree.inventory.artifacts.iter().map(shown).chain(libraries).chain(without)
    };
    match hit.message.id {
        "needed-missing" | "miopen-ck" => {
            let name = library_in(&hit.quote)?;
            let named = linkage.iter().find(|library| library.name() == name || file(&library.shown) == name);
            let here = named.map(|library| library.shown.clone());
            if let Some(path) = here.or_else(|| all_files().find(|path| file(path) == name)) {
                let because = format!(
                    "{name} is in this tree, as {path}: its folder is not searched, or another tree is used."
                );
                return Some(Decided::new(TreeVerdict::NotTheFiles, because));
            }
            let other = linkage
                .iter()
                .find(|library| library.stem() == stem(name))
                .map(|library| library.shown.clone());
            let other = other.or_else(|| all_files().find(|path| stem(file(path)) == stem(name)));
            let (because, cause) = match &other {
                Some(path) => {
                    let cause =
                        if name.ends_with(".so") { "LINK-UNVERSIONED-MISSING" } else { "ELF-NEEDED-MISSING" };
                    (
                        format!("{name} is not in this tree, and {path} is: another name of the library."),
                        cause,
                    )
                }
                None if hit.message.id == "miopen-ck" => return None,
                None => (format!("{name} is not in this tree."), "ELF-NEEDED-MISSING"),
            };
            Some(Decided::new(TreeVerdict::Confirmed, because).of(cause))
        }
        "configured-binary" => {
            let asked =
                hit.path.as_deref().map(file).filter(|name| name.contains("rocm") || name.contains("hip"))?;
            let stem = asked.split("_rocm").next().unwrap_or(asked);
            let mut variants: Vec<String> = all_files()
                .map(|path| file(&path).to_owned())
                .filter(|name| name.starts_with(stem))
                .collect();
            variants.sort();
            variants.dedup();
            let is_variant = |name: &String| name.contains("_rocm") || name.contains("_hip");
            let decided = if variants.iter().any(|name| name == asked) {
                Decided::new(
                    TreeVerdict::NotTheFiles,
                    format!("{asked} is in this tree: another one is used."),
                )
            } else if variants.iter().any(is_variant) {
                let here: Vec<&str> =
                    variants.iter().filter(|name| is_variant(name)).map(String::as_str).collect();
                let because = format!("{asked} is not in this tree; here are {}.", here.join(", "));
                Decided::new(TreeVerdict::Confirmed, because).of("PKG-VARIANT-MISSING")
            } else {
                let because = format!("{asked} is not in this tree, and no other variant for ROCm is.");
                Decided::new(TreeVerdict::Confirmed, because).of("PKG-NO-HIP")
            };
            Some(decided)
        }
        "undefined-symbol" => {
            let (name, version) = symbol_in(&hit.quote)?;
            let symbol = hash(name.as_bytes(), version.map(str::as_bytes));
            if let Some(library) = linkage.iter().find(|library| library.exports.contains(&symbol)) {
                let because =
                    format!("{} exports {name}: the process loads another file of this name.", library.shown);
                return Some(Decided::new(TreeVerdict::NotTheFiles, because).of("RT-MIX"));
            }
            let asks = linkage.iter().find_map(|library| {
                let asked = library.asks.iter().find(|asked| asked.name == name)?;
                let other = linkage
                    .iter()
                    .find(|other| other.stem() == stem(&asked.library) && !other.exports.is_empty())?;
                Some((library, other))
            });
            let (library, other) = asks?;
            let because =
                format!("{} asks for {name}, and {} does not export it.", library.shown, other.shown);
            Some(Decided::new(TreeVerdict::Confirmed, because).of("ELF-SYMBOL-UNRESOLVED"))
        }
        "miopen-kdb" => {
            let asked =
                hit.path.as_deref().map(file).filter(|name| name.ends_with(".kdb")).map(str::to_owned);
            let asked = asked.or_else(|| {
                let mut words = hit.quote.split(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)));
                words.find(|word| word.ends_with(".kdb")).map(str::to_owned)
            })?;
            let decided = match all_files().find(|path| file(path) == asked) {
                Some(path) => Decided::new(
                    TreeVerdict::NotTheFiles,
                    format!("{path} is here: MIOpen of another tree asks, or cannot read it."),
                )
                .of("MI-DB-OTHER-TREE"),
                None => Decided::new(TreeVerdict::Confirmed, format!("this tree has no {asked}.")),
            };
            Some(decided)
        }
        _ => None,
    }
}

/// The verdict for the targets together: where one is served and another is not, that is the cause.
fn by_targets(hit: &Hit, targets: &[&TargetId], tree: Tree<'_>) -> Decided {
    let first = hit.causes.first().copied().unwrap_or_default();
    let has_code = |artifact: &Artifact| artifact.device.is_some();
    if tree.capability.matrix.is_empty() && !tree.inventory.artifacts.iter().any(has_code) {
        let because = "The tree has no device code of AMD GPUs at all.";
        // A package for the processor only is as much without it as one for CUDA.
        let for_cuda = tree.capability.findings.iter().any(|finding| finding.rule.id == "built-for-cuda");
        if first == "PKG-CUDA-ONLY" && !for_cuda && hit.causes.contains(&"PKG-NO-HIP") {
            return Decided::new(TreeVerdict::Confirmed, because).of("PKG-NO-HIP");
        }
        let has_miopen = tree.inventory.libraries_without_code.iter().any(|(library, _)| library == "MIOpen");
        if first == "MI-CK-MISSING" && has_miopen {
            let because = "MIOpen is in this tree, and no library of grouped convolutions for any target.";
            return Decided::new(TreeVerdict::Confirmed, because);
        }
        return match (first.starts_with("PKG-"), hit.causes.contains(&"PKG-NO-HIP")) {
            (true, _) => Decided::new(TreeVerdict::Confirmed, because),
            (false, true) => Decided::new(TreeVerdict::Confirmed, because).of("PKG-NO-HIP"),
            (false, false) => Decided::not_decided(because),
        };
    }
    if hit.class == Class::NotRocm {
        let because =
            "The tree has ROCm device code, so it is no CUDA-only build; the message is of other software.";
        return Decided::new(TreeVerdict::NotTheFiles, because);
    }
    let mut each: Vec<(&str, Decided)> =
        targets.iter().map(|target| (target.processor.as_str(), of_target(hit, target, tree))).collect();
    let lacks = each.iter().position(|(_, decided)| decided.is(TreeVerdict::Confirmed));
    let serves = each.iter().position(|(_, decided)| decided.is(TreeVerdict::NotTheFiles));
    match (lacks, serves) {
        (Some(lacks), Some(serves)) => {
            let served = each.get(serves).map(|(name, _)| *name).unwrap_or_default();
            let (_, mut decided) = each.swap_remove(lacks);
            decided.refused = targets.get(lacks).map(|target| (*target).clone());
            decided.tree.because.push_str(&format!(" {served} is served: one GPU of the two is the cause."));
            decided.of("SYS-MULTI-ARCH")
        }
        (Some(at), None) => each.swap_remove(at).1,
        (None, _) if each.is_empty() => {
            Decided::not_decided("The message names no target: name that of the GPU with --arch or --gpu.")
        }
        (None, _) => each.swap_remove(0).1,
    }
}

/// Files without which a program does not serve a target, where those are files of their own: whose, whether a file is of
/// them, and their names.
struct FilesFor {
    library: &'static str,
    is_of: fn(&Artifact) -> bool,
    names: Vec<String>,
}

fn files_for(cause: &str, processor: &str) -> Option<FilesFor> {
    let catalogs = || {
        ["lazy_", ""]
            .iter()
            .flat_map(|lazy| ["dat", "yaml"].map(|end| format!("TensileLibrary_{lazy}{processor}.{end}")))
    };
    match cause {
        "RB-ARCH-MISSING" | "RB-EMPTY" | "RB-PATH-WRONG" => Some(FilesFor {
            library: "rocBLAS",
            is_of: |artifact| artifact.library == "rocBLAS",
            names: catalogs().collect(),
        }),
        "LT-ARCH-MISSING" | "LT-PROBE-HARMLESS" => Some(FilesFor {
            library: "hipBLASLt",
            is_of: |artifact| artifact.library == "hipBLASLt",
            names: catalogs().collect(),
        }),
        "MI-CK-MISSING" => Some(FilesFor {
            library: "MIOpen",
            is_of: |artifact| artifact.library == "MIOpen",
            names: vec![format!("libMIOpenCKGroupedConv_{processor}.so")],
        }),
        "BL-ARCH-MISSING" => Some(FilesFor {
            library: "Blender",
            is_of: |artifact| artifact.shown.contains("kernel_gfx"),
            names: ["fatbin", "fatbin.zst", "hipfb"].map(|end| format!("kernel_{processor}.{end}")).to_vec(),
        }),
        _ => None,
    }
}

/// Libraries that a program can do without: what they lack is not why it stops.
const SPARE: [&str; 3] = ["hipBLASLt", "hipSPARSELt", "firmware"];

fn of_target(hit: &Hit, target: &TargetId, tree: Tree<'_>) -> Decided {
    let first = hit.causes.first().copied().unwrap_or_default();
    let processor = target.processor.as_str();
    if let Some(files) = files_for(first, processor) {
        return of_files(first, processor, &files, tree);
    }
    if !is_about_code(first) {
        return match (catalog::rules_of(first), cause::of_id(first).map(|cause| cause.shown)) {
            ([_, ..], Some(Shown::Yes)) => Decided::new(
                TreeVerdict::NotTheFiles,
                format!("no rule that shows {first} found anything in this tree."),
            ),
            _ => Decided::not_decided(format!("No rule of this program decides {first} on a tree.")),
        };
    }
    of_code(hit, first, target, tree)
}

fn is_about_code(cause: &str) -> bool {
    let about_code = [
        "FB-", "OV-", "ISA-", "SYS-", "KP-", "DEV-", "APP-", "RT-", "DIFF-", "VGPR", "FW-", "CO-", "AT-",
        "STUB-",
    ];
    about_code.iter().any(|prefix| cause.starts_with(prefix))
}

/// How a library is named beside a verdict: a library folder by its path, which has files of other targets too.
fn place(library: &str, tensile: bool, path: Option<&str>) -> ExplainLibrary {
    let folder = |path: &str| path.rsplit_once('/').map_or(path, |(folder, _)| folder).to_owned();
    let path = path.map(|path| if tensile { folder(path) } else { path.to_owned() });
    ExplainLibrary { library: library.to_owned(), tensile, path }
}

fn incomplete(tree: Tree<'_>) -> &'static str {
    if tree.capability.complete { "" } else { " Some files could not be read." }
}

fn of_files(cause: &str, processor: &str, files: &FilesFor, tree: Tree<'_>) -> Decided {
    let incomplete = incomplete(tree);
    let library = files.library;
    let of_library = || tree.inventory.artifacts.iter().filter(|artifact| (files.is_of)(artifact));
    let name_of = |artifact: &Artifact| file(&artifact.shown.replace('!', "/")).to_owned();
    let found = of_library().find(|artifact| {
        let name = name_of(artifact);
        files.names.contains(&name)
            || artifact.shown.split('/').any(|part| files.names.iter().any(|n| n == part))
    });
    // One catalog of everything, as releases before ROCm 5.6 had it, has a row for each processor.
    let serves_all = || {
        of_library().find(|artifact| match &artifact.kind {
            ArtifactKind::Tensile(_, facts) => {
                facts.of_processors.iter().any(|(name, count)| name == processor && *count > 0)
            }
            _ => false,
        })
    };
    let is_tensile = |artifact: &&Artifact| matches!(artifact.kind, ArtifactKind::Tensile(..));
    let tensile = !matches!(cause, "MI-CK-MISSING" | "BL-ARCH-MISSING");
    let Some(any) = of_library().next() else {
        return Decided::not_decided(format!(
            "{library} is not in this tree; name the tree that the program uses."
        ));
    };
    if tensile && !of_library().any(|artifact| is_tensile(&artifact)) {
        let mut decided = Decided::new(
            TreeVerdict::Confirmed,
            format!("{library} of this tree has no library folder: no catalog for any GPU.{incomplete}"),
        );
        decided.tree.lacking.push(place(library, false, Some(&any.shown)));
        return if library == "rocBLAS" { decided.of("RB-EMPTY") } else { decided };
    }
    match found.or_else(serves_all) {
        Some(artifact) => {
            let because = format!(
                "{library} of this tree has {} for {processor}: not the cause, if this is the folder that the program \
                 reads. Look at its path, its release, and overrides.{incomplete}",
                name_of(artifact)
            );
            let mut decided = Decided::new(TreeVerdict::NotTheFiles, because);
            decided.tree.serving.push(place(library, false, Some(&artifact.shown)));
            decided
        }
        None => {
            let name = files.names.first().map_or("", String::as_str);
            let because = format!("{library} of this tree has no {name}.{incomplete}");
            let mut decided = Decided::new(TreeVerdict::Confirmed, because);
            let example = of_library().find(is_tensile).unwrap_or(any);
            decided.tree.lacking.push(place(library, tensile, Some(&example.shown)));
            if cause == "RB-EMPTY" || cause == "RB-PATH-WRONG" {
                return decided.of("RB-ARCH-MISSING");
            }
            decided
        }
    }
}

/// Words of a line that only one library prints, and which. Source: `GGML_CUDA_NAME` in ggml's `ggml-cuda.h`;
/// bitsandbytes' `csrc/ops.hip`.
const SPEAKERS: [(&str, &str); 4] =
    [("ROCm error: ", "ggml"), ("ggml", "ggml"), ("csrc/ops", "bitsandbytes"), ("/ops.hip", "bitsandbytes")];

fn of_code(hit: &Hit, first: &'static str, target: &TargetId, tree: Tree<'_>) -> Decided {
    let incomplete = incomplete(tree);
    let processor = target.processor.as_str();
    let capability = tree.capability;
    let row_of = |name: &str| capability.matrix.iter().any(|row| row.part.library == name);
    let named = match first.starts_with("AT-") {
        true => Some("AOTriton".to_owned()),
        false => hit.path.as_deref().map(|path| library_names::of(&path.replace('\\', "/"))),
    };
    // A library that the message names decides, and no other in its place.
    let is_library = |path: &&str| library_names::of_shared_library(&path.replace('\\', "/")).is_some();
    if let Some(named) =
        named.as_ref().filter(|name| !row_of(name) && hit.path.as_deref().filter(is_library).is_some())
        && !RUNTIMES.contains(&named.as_str())
    {
        return Decided::not_decided(format!(
            "The message names {named}, and this tree has no device code of it; name the tree that the program uses."
        ));
    }
    let speaker =
        || SPEAKERS.iter().find(|(words, _)| hit.quote.contains(words)).map(|(_, name)| (*name).to_owned());
    let named = named.filter(|name| row_of(name)).or_else(|| speaker().filter(|name| row_of(name)));
    let asked = |row: &&LibraryRow<'_>| match &named {
        Some(name) => row.part.library == name,
        None => !SPARE.contains(&row.part.library),
    };
    let at = capability.targets.iter().position(|known| known.processor == processor);
    // Where the message names the very file of a library, no other one of it decides.
    let is_named = |path: &&str| {
        let named = hit.path.as_deref().map(file).unwrap_or_default();
        !named.is_empty() && file(path) == named
    };
    let (mut lacking, mut serving) = (Vec::new(), Vec::new());
    let (mut all, mut wholly, mut in_part) = (0, 0, Vec::new());
    for row in capability.matrix.iter().filter(asked) {
        let Some(cell) = at.and_then(|at| row.cells.get(at)) else { continue };
        let lacks = matches!(cell.coverage, Coverage::Absent | Coverage::NoKernels);
        let mut share = cell.files.clone().unwrap_or_default();
        if share.with.iter().chain(&share.without).any(is_named) {
            share.with.retain(|path| is_named(path));
            share.without.retain(|path| is_named(path));
        }
        all += 1;
        // The library itself is not its folder.
        let with_code = |a: &&Artifact| {
            a.library == row.part.library
                && matches!(a.kind, ArtifactKind::Tensile(..)) == row.part.tensile
                && a.device.as_ref().is_some_and(|d| !d.targets.is_empty())
        };
        let any = tree.inventory.artifacts.iter().find(with_code).map(|artifact| artifact.shown.as_str());
        let library = |path: Option<&str>| place(row.part.library, row.part.tensile, path);
        if lacks {
            wholly += 1;
            lacking.push(library(any));
            continue;
        }
        lacking.extend(share.without.iter().map(|path| library(Some(path))));
        serving.extend(share.with.iter().map(|path| library(Some(path))));
        match (share.with.len(), share.without.len()) {
            (0, 0) => serving.push(library(any)),
            (_, 0) => {}
            (0, _) => {
                in_part.push(format!("{} has no code for {processor}", variants::names(&share.without)))
            }
            (with, without) => in_part.push(format!(
                "{} has code for {processor} in {with} of its {} files ({}) and none in {without} ({})",
                row.part.library,
                with + without,
                variants::words(&share.with),
                variants::words(&share.without)
            )),
        }
    }
    let mut counted = Vec::new();
    if wholly > 0 || in_part.is_empty() {
        counted.push(format!("{wholly} of {all} libraries looked at have no code for {processor}"));
    }
    counted.extend(in_part);
    let counted = counted.join("; ");
    let by_files = cause::of_id(first).is_some_and(|cause| cause.shown == Shown::Yes);
    // Another cause of the message is that code is missing.
    let missing = ["FB-ARCH-MISSING", "AT-IMAGES-MISSING"].into_iter().find(|id| hit.causes.contains(id));
    let mut decided = match (lacking.is_empty(), by_files || missing.is_some()) {
        _ if all == 0 => {
            Decided::not_decided("No library of the tree that the message could mean has device code.")
        }
        (true, _) => Decided::new(
            TreeVerdict::NotTheFiles,
            format!(
                "all libraries that were looked at ({all}) have code for {processor}. Look at the device, the driver, \
                 permissions, overrides and the path.{incomplete}"
            ),
        ),
        (false, true) => {
            let because = format!("{counted}; those that the program loads are the cause.{incomplete}");
            let decided = Decided::new(TreeVerdict::Confirmed, because);
            // Archives and versions are beside the point where there is no code at all.
            match missing.filter(|_| !["KP-", "LT-", "RB-"].iter().any(|own| first.starts_with(own))) {
                Some(missing) if missing != first => decided.of(missing),
                _ => decided,
            }
        }
        (false, false) => {
            Decided::not_decided(format!("{counted}; that is another message's cause, though.{incomplete}"))
        }
    };
    decided.tree.lacking = lacking;
    decided.tree.serving = serving;
    decided
}

#[cfg(test)]
mod tests {
    use super::*;

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
