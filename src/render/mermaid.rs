//! Trees in the Mermaid language, which Markdown hosts draw: taken steps in green, blocked ones in red,
//! replacements in yellow.

use super::block::{EdgeKind, Map, MapNode};
use super::style::Tone;

/// Class, tone, and colours of the box and its line.
const CLASSES: [(&str, Tone, &str, &str); 3] = [
    ("active", Tone::Good, "#c8e6c9", "#2e7d32"),
    ("blocked", Tone::Bad, "#ffcdd2", "#c62828"),
    ("fallback", Tone::Partial, "#fff9c4", "#f9a825"),
];

/// A flow chart from left to right.
pub(super) fn flow_chart(map: &Map) -> String {
    let mut chart = Chart { lines: vec!["flowchart LR".to_owned()], count: 0, classes: Vec::new() };
    chart.node(&map.root, None);
    for (class, _, fill, line) in CLASSES {
        let of_it = chart.classes.iter().filter(|(_, own)| *own == class);
        let ids: Vec<&str> = of_it.map(|(id, _)| id.as_str()).collect();
        chart.lines.push(format!("  classDef {class} fill:{fill},stroke:{line},color:#000"));
        if !ids.is_empty() {
            let line = format!("  class {} {class}", ids.join(","));
            chart.lines.push(line);
        }
    }
    chart.lines.join("\n")
}

struct Chart {
    lines: Vec<String>,
    count: usize,
    classes: Vec<(String, &'static str)>,
}

impl Chart {
    fn node(&mut self, node: &MapNode, above: Option<&str>) {
        let id = format!("n{}", self.count);
        self.count += 1;
        let texts: Vec<String> =
            std::iter::once(&node.label).chain(&node.lines).map(|text| plain(text)).collect();
        self.lines.push(format!("  {id}[\"{}\"]", texts.join("<br/>")));
        if let Some(above) = above {
            let by = if node.by.is_empty() { String::new() } else { format!("|{}|", plain(&node.by)) };
            let arrow = match node.edge {
                EdgeKind::Taken => "-->",
                EdgeKind::Instead => "-.->",
                EdgeKind::Blocked => "-.-x",
            };
            self.lines.push(format!("  {above} {arrow}{by} {id}"));
        }
        let class = CLASSES.iter().find(|(_, tone, ..)| *tone == node.tone);
        self.classes.extend(class.map(|(class, ..)| (id.clone(), *class)));
        node.children.iter().for_each(|child| self.node(child, Some(&id)));
    }
}

/// Text without Mermaid's special characters.
fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_control() || "\"`<>#;|".contains(c) { '_' } else { c };
    text.chars().map(plain).collect()
}
