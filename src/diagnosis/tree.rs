//! Whether the files of a tree are the cause of a message.

use super::cause::{Cause, DecidedBy, Mark, Visibility};
use super::causes::{self, MI_CK_MISSING, PKG_CUDA_ONLY, PKG_NO_HIP, SYS_MULTI_ARCH};
use super::damage::Damage;
use super::decided::{Decision, OpenOverride, Tree, TreeDecision};
use super::{by_name, code, files, looked};
use crate::capability::overriding::{Safety, sentence};
use crate::finding::Finding;
use crate::finding::rule::Rule;
use crate::finding::rules;
use crate::inventory::Artifact;
use crate::messages::recognised::Hit;
use crate::messages::table::MessageSubject;
use crate::target::{GfxVersion, TargetId, product};

/// Decides a message, for these targets, on a tree.
pub(super) fn decide(hit: Option<&Hit>, targets: &[&TargetId], tree: Tree<'_>) -> TreeDecision {
    let mut decided = without_roots(hit, targets, tree);
    if let Some(hit) = hit.filter(|_| decided.is(Decision::Confirmed)) {
        (decided.advice, decided.open_override) = advice(hit, &decided, targets, tree);
    }
    decided.roots.clone_from(&tree.inventory.roots);
    decided
}

fn without_roots(hit: Option<&Hit>, targets: &[&TargetId], tree: Tree<'_>) -> TreeDecision {
    let Some(hit) = hit else {
        return TreeDecision::not_decided(
            "The message is not known, so nothing is decided; `rocm-audit --arch TARGET PATH` says what the tree has.",
        );
    };
    if let Some(decided) = by_name::decide(hit, tree) {
        return decided;
    }
    let plain = by_targets(hit, targets, tree);
    if plain.is(Decision::Confirmed) {
        return plain;
    }
    let decided = by_findings(hit, targets, &plain, tree).unwrap_or(plain);
    match looked::open_questions(hit, targets, tree) {
        open if !open.is_empty() && decided.is(Decision::NotTheFiles) => TreeDecision {
            decision: Decision::NotDecided,
            because: format!("{} Not looked at: {}.", decided.because, open.join("; ")),
            ..decided
        },
        _ => decided,
    }
}

/// What can be done for a target that libraries of the tree lack: hiding its GPU, an override. Beside it the
/// override that only decoding decides.
fn advice(
    hit: &Hit,
    decided: &TreeDecision,
    targets: &[&TargetId],
    tree: Tree<'_>,
) -> (Vec<String>, Option<OpenOverride>) {
    let cause = decided.cause.or_else(|| causes::causes_of_hit(hit).first().copied());
    if !cause.is_some_and(|cause| cause.is(Mark::OfTarget)) || decided.lacking.is_empty() {
        return Default::default();
    }
    let mut open = None;
    let lacking = |target: &&&TargetId| of_target(hit, target, tree).is(Decision::Confirmed);
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
            let safety = best.judgement.safety;
            let judged = sentence(safety.words(), safety.is_legal(), &best.judgement.because);
            let text = override_sentence(value, other, safety.is_legal(), safety == Safety::Illegal, &judged);
            if !safety.is_legal() {
                let claimed = TargetId::bare(other);
                let card = (*target).clone();
                open = Some(OpenOverride { value: value.clone(), claimed, card, sentence: text.clone() });
            }
            sentences.push(text);
        }
    }
    (sentences, open)
}

/// What is said of an override, as it was `judged`.
pub(super) fn override_sentence(
    value: &str,
    claimed: &str,
    is_legal: bool,
    is_unsafe: bool,
    judged: &str,
) -> String {
    let variable = format!("HSA_OVERRIDE_GFX_VERSION={value}");
    match (is_legal, is_unsafe) {
        (true, _) => format!("On Linux, {variable} loads the {claimed} code that is here. {judged}"),
        (false, true) => format!("{NO_OVERRIDE}: {variable} would load the {claimed} code (Linux). {judged}"),
        (false, false) => format!("{variable} would load the {claimed} code that is here (Linux). {judged}"),
    }
}

/// What a sentence begins with that says so.
pub(super) const NO_OVERRIDE: &str = "No override helps";

/// Whether there is code for another processor of the same generation.
fn has_relatives(processor: &str, here: &[&str]) -> bool {
    let major = |name: &str| GfxVersion::from_name(name).map(|version| version.major);
    here.iter().any(|other| *other != processor && major(other) == major(processor))
}

/// Rules whose findings say what is so and prove no cause.
static NO_PROOF: [&Rule; 5] = [
    &rules::tensile::SEVERAL_TARGETS,
    &rules::code::XNACK_STATES_DIFFER,
    &rules::answer::TARGET_WITHOUT_CODE,
    &rules::answer::REGISTER_SPILLS,
    &rules::code::MUCH_PRIVATE_MEMORY,
];

/// Rules whose findings say that one folder lacks a target. Another folder of the same tree may have it.
static OF_ONE_FOLDER: [&Rule; 2] = [&rules::tensile::TARGET_NOT_SERVED, &rules::tensile::MASTER_MISSING];

/// A cause of the message that a finding shows. `plain` is what the target's own files say.
fn by_findings(
    hit: &Hit,
    targets: &[&TargetId],
    plain: &TreeDecision,
    tree: Tree<'_>,
) -> Option<TreeDecision> {
    let is_no_proof =
        |rule: &&Rule| NO_PROOF.contains(rule) || OF_ONE_FOLDER.contains(rule) && !plain.serving.is_empty();
    let of_target = |finding: &Finding| {
        let processor = finding.target.as_deref().map(|target| target.split(':').next().unwrap_or_default());
        targets.is_empty() || processor.is_none_or(|own| targets.iter().any(|target| target.processor == own))
    };
    let shows = |cause: &'static Cause| {
        let mut all = tree.capability.findings.iter().chain(tree.findings);
        all.find(|one| cause.rules.contains(&one.rule) && !is_no_proof(&one.rule) && of_target(one))
            .map(|finding| (cause, finding))
    };
    let (cause, finding) = causes::causes_of_hit(hit).into_iter().find_map(shows)?;
    let place = finding.locations.first().map(|place| format!(": {place}")).unwrap_or_default();
    let detail = if finding.detail.is_empty() { String::new() } else { format!("; {}", finding.detail) };
    let because = format!("{}{place}{detail} ({}).", finding.rule.what, finding.rule.id);
    Some(TreeDecision::new(Decision::Confirmed, because).with_cause(cause))
}

/// The decision for the targets together: where one is served and another is not, that is the cause.
fn by_targets(hit: &Hit, targets: &[&TargetId], tree: Tree<'_>) -> TreeDecision {
    let has_code = |artifact: &Artifact| artifact.device.is_some();
    if tree.capability.matrix.is_empty() && !tree.inventory.artifacts.iter().any(has_code) {
        return without_code(hit, tree);
    }
    if hit.class == MessageSubject::NotRocm {
        let because =
            "The tree has ROCm device code, so it is no CUDA-only build; the message is of other software.";
        return TreeDecision::new(Decision::NotTheFiles, because);
    }
    let mut each: Vec<(&str, TreeDecision)> =
        targets.iter().map(|target| (target.processor.as_str(), of_target(hit, target, tree))).collect();
    let lacks = each.iter().position(|(_, decided)| decided.is(Decision::Confirmed));
    let serves = each.iter().position(|(_, decided)| decided.is(Decision::NotTheFiles));
    match (lacks, serves) {
        (Some(lacks), Some(serves)) => {
            let served = each.get(serves).map(|(name, _)| *name).unwrap_or_default();
            let (_, mut decided) = each.swap_remove(lacks);
            decided.refused = targets.get(lacks).map(|target| (*target).clone());
            decided.because.push_str(&format!(" {served} is served: one GPU of the two is the cause."));
            decided.with_cause(&SYS_MULTI_ARCH)
        }
        (Some(at), None) => each.swap_remove(at).1,
        (None, _) if each.is_empty() => TreeDecision::not_decided(
            "The message names no target: name that of the GPU with --arch or --gpu.",
        ),
        (None, _) => each.swap_remove(0).1,
    }
}

/// The decision where a tree has no device code.
fn without_code(hit: &Hit, tree: Tree<'_>) -> TreeDecision {
    let damage = Damage::from_tree(tree);
    if let Some(damaged) = damage.clause(&damage.all()) {
        return TreeDecision::not_decided(format!(
            "{damaged}, and the rest of the tree has no device code of AMD GPUs."
        ));
    }
    let causes = causes::causes_of_hit(hit);
    let because = "The tree has no device code of AMD GPUs at all.";
    let Some(first) = causes.first().copied() else { return TreeDecision::not_decided(because) };
    // A package for the processor only is as much without it as one for CUDA.
    let for_cuda =
        tree.capability.findings.iter().any(|finding| finding.rule == &rules::linking::BUILT_FOR_CUDA);
    if *first == PKG_CUDA_ONLY && !for_cuda && causes.contains(&&PKG_NO_HIP) {
        return TreeDecision::new(Decision::Confirmed, because).with_cause(&PKG_NO_HIP);
    }
    let has_miopen = tree.inventory.libraries_without_code.iter().any(|(library, _)| library == "MIOpen");
    if *first == MI_CK_MISSING && has_miopen {
        let because = "MIOpen is in this tree, and no library of grouped convolutions for any target.";
        return TreeDecision::new(Decision::Confirmed, because);
    }
    match (first.decided_by == DecidedBy::Package, causes.contains(&&PKG_NO_HIP)) {
        (true, _) => TreeDecision::new(Decision::Confirmed, because),
        (false, true) => TreeDecision::new(Decision::Confirmed, because).with_cause(&PKG_NO_HIP),
        (false, false) => TreeDecision::not_decided(because),
    }
}

fn of_target(hit: &Hit, target: &TargetId, tree: Tree<'_>) -> TreeDecision {
    let Some(first) = causes::causes_of_hit(hit).first().copied() else {
        return TreeDecision::not_decided("The message has no cause that a tree could show.");
    };
    match first.decided_by {
        DecidedBy::Files(files) => files::decide(first, &target.processor, files, tree),
        DecidedBy::Code | DecidedBy::CodeOf(_) | DecidedBy::Archives => {
            code::decide(hit, first, target, tree)
        }
        DecidedBy::Package | DecidedBy::Rules => by_rules(first, tree),
    }
}

/// The decision where rules alone show a cause, and none of them found anything.
fn by_rules(cause: &'static Cause, tree: Tree<'_>) -> TreeDecision {
    let id = cause.id;
    if cause.rules.is_empty() || cause.shown != Visibility::Yes {
        return TreeDecision::not_decided(format!("No rule of this program decides {id} on a tree."));
    }
    let damage = Damage::from_tree(tree);
    match damage.clause(&damage.all()) {
        Some(damaged) => TreeDecision::not_decided(format!(
            "{damaged}; in what could be read, no rule that shows {id} found anything."
        )),
        None => TreeDecision::new(
            Decision::NotTheFiles,
            format!("no rule that shows {id} found anything in this tree."),
        ),
    }
}
