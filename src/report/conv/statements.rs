//! What an answer about a convolution rests on, each sentence with how it is known.

use crate::answers::{ConvolutionAnswer, Decided};
use crate::engines::miopen::folder::DatabaseFolder;
use crate::engines::miopen::solver::find::FindMode;
use crate::report::v1::{Evidence, Statement};

pub(super) fn say(about: &str, text: String, evidence: Evidence) -> Statement {
    Statement { about: about.to_owned(), text, evidence }
}

/// What the answer rests on.
pub(super) fn of(c: &ConvolutionAnswer<'_>) -> Vec<Statement> {
    let s = &c.selection;
    let mut all = Vec::new();
    all.extend(of_tree(c));
    if s.candidates.only_winograd {
        let text = "ConvBinWinograd3x3U takes the problem and the output channels are even and at least 16: a find searches Winograd alone";
        all.push(say("search", text.to_owned(), Evidence::Code));
    }
    all.extend(of_find(c));
    if !s.is_hit() {
        all.extend(of_immediate_mode(c));
    }
    all.extend(of_another_release(c));
    let known = "rules of applicability are read in MIOpen 3.3.0, each with its place; later releases drop and add solvers. \
                 Predicted, not observed on a GPU";
    all.push(say("known", known.to_owned(), Evidence::Code));
    all
}

/// What the environment changes of the way of a find.
fn of_find(c: &ConvolutionAnswer<'_>) -> Vec<Statement> {
    let find = &c.selection.candidates.find;
    let mut all = Vec::new();
    let mut add = |text: &str| all.push(say("find", text.to_owned(), Evidence::Code));
    match find.mode {
        FindMode::Normal if find.enforced => {
            add(
                "MIOPEN_FIND_ENFORCE makes the mode NORMAL: of records only the user's is taken, and every solver that takes the \
                 problem is measured",
            );
        }
        FindMode::Normal => {
            add(
                "the mode is NORMAL: of records only the user's is taken, and every solver that takes the problem is measured",
            );
        }
        FindMode::Fast => add("the mode is FAST: a record is taken, and on a miss nothing is measured"),
        FindMode::Hybrid => {
            add("the mode is HYBRID: on a miss every solver that takes the problem is measured")
        }
        FindMode::DynamicHybrid => {}
    }
    if find.only.is_some() {
        add("MIOPEN_DEBUG_FIND_ONLY_SOLVER limits what is measured; a record is taken as without it");
    }
    all
}

/// What FAST and immediate mode do on a miss.
fn of_immediate_mode(c: &ConvolutionAnswer<'_>) -> Vec<Statement> {
    let s = &c.selection;
    let mut all = Vec::new();
    let mut add = |text: String| all.push(say("estimates", text, Evidence::Code));
    let Some(model) = s.model else {
        if !s.estimates.is_empty() {
            add("FAST and immediate mode take the first by these estimates; a variable turns TunaNet off"
                .to_owned());
        }
        return all;
    };
    match model.refuses {
        None => {
            let of = if model.model == c.context.target {
                "that of the device".to_owned()
            } else {
                format!("that of {}, which stands for every device without its own", model.model)
            };
            add(format!(
                "a build has TunaNet by default, and FAST and immediate mode ask its model first ({of}). The first by these \
                 estimates is their answer only where the model names no solver that can be taken; what it names is not \
                 computed here"
            ));
        }
        Some(why) => add(format!(
            "FAST and immediate mode take the first by these estimates: TunaNet's model ({}) does not take the problem, {why}",
            model.model
        )),
    }
    let missing = |folder: &DatabaseFolder| !model.files().iter().all(|file| folder.place.has(file));
    if c.databases.as_ref().is_some_and(missing) {
        let text = format!("{} are not both in the folder of databases", model.files().join(" and "));
        all.push(say("model", text, Evidence::Observed));
        let text = "without them a build with TunaNet throws on a miss in these modes";
        all.push(say("model", text.to_owned(), Evidence::Code));
    }
    all
}

/// That the rules are of another release than the one that is asked, where they are.
fn of_another_release(c: &ConvolutionAnswer<'_>) -> Option<Statement> {
    let rules = &c.rules;
    if rules.is_exact() {
        return None;
    }
    let with = match rules.later.as_slice() {
        [] => ", and of no other release were checks read".to_owned(),
        later => {
            let each = later.iter().map(|l| format!("{} ({})", l.since, l.what)).collect::<Vec<_>>();
            format!(", with what was read of {}", each.join(" and of "))
        }
    };
    let text = format!("the rules of MIOpen {} answer instead of those of {}{with}", rules.read, rules.asked);
    Some(say("rules", text, Evidence::Inferred))
}

/// What was taken from the tree: MIOpen's version, and parts that its build lacks.
fn of_tree(c: &ConvolutionAnswer<'_>) -> Vec<Statement> {
    let mut all = Vec::new();
    if let Decided::Tree(stated) = &c.version {
        let text = format!("MIOpen {}, as {} states it: its solvers are asked", stated.version, stated.file);
        all.push(say("version", text, Evidence::Observed));
    }
    let file = c.library.as_ref().map_or("libMIOpen.so", |(file, _)| file.as_str());
    for lacking in &c.lacking {
        let text = format!("{file} was built without {}: {}", lacking.part.name(), lacking.because);
        let evidence = if lacking.observed { Evidence::Observed } else { Evidence::Inferred };
        all.push(say("build", text, evidence));
    }
    all
}
