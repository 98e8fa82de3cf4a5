//! Figures of a page: verdicts as cards, bars, and areas whose sizes are bytes.

use super::{escape, word};
use crate::render::block::{Areas, Bars, Card};
use crate::render::style::{iec, thousands};
use std::fmt::Write as _;

/// Cards beside each other.
pub(super) fn cards(list: &[Card]) -> String {
    let mut out = String::from("<ul class=\"cards\">\n");
    for card in list {
        let _ = write!(out, "<li class=\"{}\"><b>{}</b>", word(card.tone), escape(&card.title));
        for line in &card.lines {
            let _ = write!(out, "<span>{}</span>", escape(line));
        }
        if !card.note.is_empty() {
            let _ = write!(out, "<span class=\"dim\">{}</span>", escape(&card.note));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
    out
}

/// Bars below each other, with their numbers. Where there is nothing, the bar is striped.
pub(in crate::render) fn bars(found: &Bars) -> String {
    let most = found.rows.iter().map(|row| row.value).max().unwrap_or(0).max(1);
    let mut out = format!("<figure><figcaption>{}</figcaption>\n<dl class=\"bars\">\n", escape(&found.title));
    for row in &found.rows {
        let chosen = if row.chosen { " chosen" } else { "" };
        let percent = row.value as f64 / most as f64 * 100.0;
        let inner =
            if row.value == 0 { String::new() } else { format!("<i style=\"width:{percent:.2}%\"></i>") };
        let none = if row.value == 0 { " none" } else { "" };
        let _ = writeln!(
            out,
            "<dt class=\"{chosen}\">{}</dt><div class=\"{chosen}{none}\" aria-hidden=\"true\">{inner}</div><dd class=\"r{chosen}\">{}</dd>",
            escape(&row.name),
            thousands(row.value)
        );
    }
    out.push_str("</dl></figure>\n");
    out
}

/// A rectangle in percent of the figure.
#[derive(Debug, Clone, Copy)]
struct Rectangle {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Colours of areas, by group.
const COLOURS: [&str; 10] = [
    "#2a63cb", "#197564", "#7f57c9", "#955d00", "#b0365a", "#4f7a28", "#586573", "#9a4fb0", "#1b6c96",
    "#8c4a2f",
];

/// Areas in proportion to bytes: groups, and in each group its parts.
pub(super) fn areas(found: &Areas) -> String {
    let sum = |parts: &[(String, u64)]| parts.iter().map(|(_, bytes)| bytes).sum::<u64>();
    let sizes: Vec<f64> = found.groups.iter().map(|group| sum(&group.parts) as f64).collect();
    let all = sizes.iter().sum::<f64>();
    let whole = Rectangle { x: 0.0, y: 0.0, width: 100.0, height: 100.0 };
    let mut out = format!(
        "<figure><figcaption>{}</figcaption>\n<div class=\"areas\" role=\"img\" aria-label=\"{}\">\n",
        escape(&found.title),
        escape(&found.title)
    );
    let mut legend = String::from("<ul class=\"legend\">");
    for ((place, group), area) in found.groups.iter().enumerate().zip(squares(&sizes, whole)) {
        let colour = COLOURS.get(place % COLOURS.len()).unwrap_or(&"#586573");
        let parts: Vec<f64> = group.parts.iter().map(|(_, bytes)| *bytes as f64).collect();
        for ((name, bytes), part) in group.parts.iter().zip(squares(&parts, area)) {
            let said = escape(&format!("{}, {name}: {}", group.name, iec(*bytes)));
            // There is no room for words in a small one.
            let text = if part.width > 4.0 && part.height > 5.0 { escape(name) } else { String::new() };
            let _ = writeln!(
                out,
                "<div style=\"left:{:.3}%;top:{:.3}%;width:{:.3}%;height:{:.3}%;background:{colour}\" title=\"{said}\">{text}</div>",
                part.x, part.y, part.width, part.height
            );
        }
        let _ = write!(
            legend,
            "<li><i style=\"background:{colour}\"></i>{} {} ({:.0} %)</li>",
            escape(&group.name),
            iec(sum(&group.parts)),
            sizes.get(place).unwrap_or(&0.0) / all.max(1.0) * 100.0
        );
    }
    let _ = write!(out, "</div>\n{legend}</ul></figure>\n");
    out
}

/// Divides a rectangle among sizes, which are in falling order, into parts that are as square as they can be made one row after
/// the other (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000).
fn squares(sizes: &[f64], whole: Rectangle) -> Vec<Rectangle> {
    let sum: f64 = sizes.iter().sum();
    let mut out = Vec::with_capacity(sizes.len());
    let scale = if sum > 0.0 { whole.width * whole.height / sum } else { 0.0 };
    let mut left = whole;
    let mut rest = sizes;
    while !rest.is_empty() {
        let side = left.width.min(left.height);
        // A row takes one more as long as its worst part becomes more square by that.
        let worst = |count: usize| {
            let row = rest.get(..count).unwrap_or_default();
            let area: f64 = row.iter().sum::<f64>() * scale;
            let (most, least) = (row.first().unwrap_or(&0.0) * scale, row.last().unwrap_or(&0.0) * scale);
            let square = side * side;
            (square * most / (area * area)).max(area * area / (square * least.max(f64::MIN_POSITIVE)))
        };
        let mut count = 1;
        while count < rest.len() && worst(count + 1) <= worst(count) {
            count += 1;
        }
        let (row, behind) = rest.split_at(count);
        let area: f64 = row.iter().sum::<f64>() * scale;
        let upright = left.width >= left.height;
        let thick = if side > 0.0 { area / side } else { 0.0 };
        let mut along = 0.0;
        for size in row {
            let long = if thick > 0.0 { size * scale / thick } else { 0.0 };
            out.push(match upright {
                true => Rectangle { x: left.x, y: left.y + along, width: thick, height: long },
                false => Rectangle { x: left.x + along, y: left.y, width: long, height: thick },
            });
            along += long;
        }
        match upright {
            true => (left.x, left.width) = (left.x + thick, (left.width - thick).max(0.0)),
            false => (left.y, left.height) = (left.y + thick, (left.height - thick).max(0.0)),
        }
        rest = behind;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_and_fill_the_whole() {
        // The example of the paper: 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4.
        let whole = Rectangle { x: 0.0, y: 0.0, width: 6.0, height: 4.0 };
        let parts = squares(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], whole);
        let area = |part: &Rectangle| part.width * part.height;
        for (part, size) in parts.iter().zip([6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0]) {
            assert!((area(part) - size).abs() < 1e-9, "{part:?}");
        }
        // The first two stand above each other, 3 wide and 2 high, as in the paper.
        assert!(parts[0].width == 3.0 && parts[0].height == 2.0 && parts[1].y == 2.0, "{parts:?}");
        assert!(squares(&[0.0, 0.0], whole).iter().all(|part| area(part) == 0.0));
    }
}
