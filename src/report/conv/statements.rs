//! What an answer about a convolution is based on; each sentence says how it is known.

use crate::answers::{ConvolutionAnswer, ValueSource};
use crate::engines::miopen::solver::find::FindMode;
use crate::engines::miopen::solver::tunanet::{self, ModelOutcome};
use crate::report::v1::{Evidence, Statement};

pub(super) fn say(about: &str, text: String, evidence: Evidence) -> Statement {
    Statement { about: about.to_owned(), text, evidence }
}

/// The statements behind the answer.
pub(super) fn convolution_statements(c: &ConvolutionAnswer<'_>) -> Vec<Statement> {
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

/// How the environment changes the find.
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
    if c.selection.candidates.refused_by_find {
        add(super::REFUSED_BY_FIND);
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
    let Some(model) = &s.model else {
        if !s.estimates.is_empty() {
            add("FAST and immediate mode take the first by these estimates; a variable turns TunaNet off"
                .to_owned());
        }
        return all;
    };
    let of = if model.model == c.context.target {
        "that of the device".to_owned()
    } else {
        format!("that of {}, which stands for every device without its own", model.model)
    };
    let refused = |why: &str| {
        format!(
            "FAST and immediate mode take the first by these estimates: TunaNet's model ({}) does not take the problem, {why}",
            model.model
        )
    };
    match &model.outcome {
        ModelOutcome::NotComputed => add(format!(
            "a build has TunaNet by default, and FAST and immediate mode ask its model first ({of}). The first by these \
             estimates is their answer only where the model names no solver that can be taken; its files are not known here, so \
             that what it names is not computed"
        )),
        ModelOutcome::Order(order) => match order.first() {
            Some(first) => add(format!(
                "FAST and immediate mode ask TunaNet's model first ({of}), and take {}, which it names first of the solvers that \
                 take the problem; the estimates are not asked",
                first.name
            )),
            None => add(format!(
                "FAST and immediate mode take the first by these estimates: TunaNet's model ({of}) names no solver that can be \
                 taken"
            )),
        },
        ModelOutcome::Refuses => add(refused(model.refuses.unwrap_or_default())),
        ModelOutcome::Missing { falls_back: true } => add(
            "FAST and immediate mode take the first by these estimates: the files of TunaNet's model are missing, which this \
             release only logs"
                .to_owned(),
        ),
        ModelOutcome::Missing { falls_back: false } | ModelOutcome::Fails(_) => {}
    }
    if matches!(model.outcome, ModelOutcome::Missing { .. }) {
        let text = format!("{} are not both in the folder of databases", model.files().join(" and "));
        all.push(say("model", text, Evidence::Observed));
    }
    all.extend(immediate_fails(c).map(|text| say("model", text, Evidence::Code)));
    all
}

/// Why FAST and immediate mode fail on a miss; `None` if they do not.
pub(super) fn immediate_fails(c: &ConvolutionAnswer<'_>) -> Option<String> {
    let s = &c.selection;
    match s.model.as_ref().filter(|_| !s.is_hit()).map(|model| &model.outcome)? {
        ModelOutcome::Missing { falls_back: false } => Some(format!(
            "without the files of TunaNet's model a build with TunaNet throws on a miss in FAST and immediate mode; from MIOpen {} \
             on it takes the estimates",
            tunanet::FALLS_BACK
        )),
        ModelOutcome::Fails(why) => {
            Some(format!("FAST and immediate mode fail on a miss: TunaNet's model cannot be used, {why}"))
        }
        _ => None,
    }
}

/// Says that the rules belong to another release than the one asked about; `None` if they do not.
fn of_another_release(c: &ConvolutionAnswer<'_>) -> Option<Statement> {
    let rules = &c.rules;
    if rules.is_compared {
        let text = format!(
            "the rules are read in MIOpen {}; the library of {}, run without a GPU, gave the same answers",
            rules.read, rules.asked
        );
        return Some(say("rules", text, Evidence::StandIn));
    }
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

/// What the tree states: MIOpen's version, and parts that its build lacks.
fn of_tree(c: &ConvolutionAnswer<'_>) -> Vec<Statement> {
    let mut all = Vec::new();
    if let ValueSource::Tree(stated) = &c.version {
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
