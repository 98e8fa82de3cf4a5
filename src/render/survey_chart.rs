//! The four layers of a processor as a flow chart: what is built, what is selected, what stands in, what is
//! shipped, and where the way is blocked.

use super::block::{EdgeKind, Map, MapNode};
use super::style::{Style, Tone};
use super::verdict::{first_product, sign};
use crate::report::v1::{Answer, SurveyLayer, SurveyReport, SurveySide};

/// The chart of one processor, or of two below a common root.
pub(super) fn chart(report: &SurveyReport, style: &Style) -> Map {
    let root = match &report.sides[..] {
        [one] => of_side(one, style),
        sides => MapNode {
            children: sides.iter().map(|side| of_side(side, style)).collect(),
            ..MapNode::new(report.roots.join(", "), Tone::Plain)
        },
    };
    Map { title: "The four layers".to_owned(), root }
}

/// The layers hang on each other, each on the one before; what blocks calls hangs on the last.
fn of_side(side: &SurveySide, style: &Style) -> MapNode {
    let (_, words, tone) = sign(side.answer, style);
    let blocked = side.blocked.iter().map(|blocked| MapNode {
        lines: vec![format!("[{}]", blocked.evidence.name())],
        edge: EdgeKind::Blocked,
        ..MapNode::new(&blocked.text, Tone::Bad)
    });
    let mut below: Vec<MapNode> = blocked.collect();
    for layer in side.layers.iter().rev() {
        below = vec![MapNode { children: below, ..of_layer(layer) }];
    }
    let products = first_product(&side.products);
    MapNode {
        lines: vec![words.to_owned()],
        children: below,
        ..MapNode::new(format!("{}{products}", side.processor), tone)
    }
}

fn of_layer(layer: &SurveyLayer) -> MapNode {
    let (tone, edge) = match layer.answer {
        Answer::Runs | Answer::Compiles => (Tone::Good, EdgeKind::Taken),
        Answer::Limits | Answer::Unknown => (Tone::Partial, EdgeKind::Instead),
        Answer::Not => (Tone::Bad, EdgeKind::Blocked),
    };
    let numbers = layer.numbers.iter().map(|number| format!("{} {}", number.number, number.what));
    let known = match layer.conclusion.ends_with(']') {
        true => layer.conclusion.clone(),
        false => format!("{} [{}]", layer.conclusion, layer.evidence.name()),
    };
    MapNode {
        lines: std::iter::once(known).chain(numbers).collect(),
        edge,
        ..MapNode::new(layer.layer.name(), tone)
    }
}
