//! What an answer about a convolution rests on, each sentence with how it is known.

use crate::report::v1::{Evidence, Statement};
use crate::stack::{ConvolutionAnswer, Decided};

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
    if !s.is_hit() && !s.estimates.is_empty() {
        let text = "FAST and immediate mode take the first by these estimates instead of measuring; TunaNet, where it is \
                    built in and has a model for the problem, comes before them and is not computed here";
        all.push(say("estimates", text.to_owned(), Evidence::Code));
    }
    all.extend(of_another_release(c));
    let known = "rules of applicability are read in MIOpen 3.3.0, each with its place; later releases drop and add solvers. \
                 Predicted, not observed on a GPU";
    all.push(say("known", known.to_owned(), Evidence::Code));
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
