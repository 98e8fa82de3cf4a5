//! Figures of a page: verdicts as cards, bars, and areas whose sizes are bytes.

use super::{escape, word};
use crate::render::block::{AreaGroup, AreaPart, Areas, Bars, Card};
use crate::render::style::{iec, thousands};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::fmt::Write as _;

/// Cards side by side.
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

/// Bars one below the other, with their numbers. A bar without data is striped.
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

/// Areas in proportion to bytes: groups, their parts, and in each part its classes as stripes, darker with
/// distance from code. A table below shows the same numbers.
pub(super) fn areas(found: &Areas) -> String {
    let sizes: Vec<f64> = found.groups.iter().map(|group| group.bytes() as f64).collect();
    let all = sizes.iter().sum::<f64>();
    let whole = Rectangle { x: 0.0, y: 0.0, width: 100.0, height: 100.0 };
    let mut out = format!(
        "<figure><figcaption>{}</figcaption>\n<div class=\"areas\" aria-hidden=\"true\">\n",
        escape(&found.title)
    );
    let mut legend = String::from("<ul class=\"legend\">");
    for ((place, group), area) in found.groups.iter().enumerate().zip(squares(&sizes, whole)) {
        let colour = COLOURS.get(place % COLOURS.len()).unwrap_or(&"#586573");
        let parts: Vec<f64> = group.parts.iter().map(|part| part.bytes as f64).collect();
        for (part, place) in group.parts.iter().zip(squares(&parts, area)) {
            let _ = write!(
                out,
                "<div style=\"left:{:.3}%;top:{:.3}%;width:{:.3}%;height:{:.3}%;background:{colour}\" title=\"{}\">{}",
                place.x,
                place.y,
                place.width,
                place.height,
                escape(&said(group, part)),
                stripes(part, place)
            );
            // A small area has no room for words.
            if place.width > 4.0 && place.height > 5.0 {
                let _ = write!(out, "<span>{}</span>", escape(&part.name));
            }
            out.push_str("</div>\n");
        }
        let _ = write!(
            legend,
            "<li><i style=\"background:{colour}\"></i>{} {} ({:.0} %)</li>",
            escape(&group.name),
            iec(group.bytes()),
            sizes.get(place).unwrap_or(&0.0) / all.max(1.0) * 100.0
        );
    }
    let classes = classes(found);
    let _ = write!(out, "</div>\n{legend}</ul>\n<ul class=\"legend shades\">");
    for (name, place) in &classes {
        let _ = write!(out, "<li><i class=\"c{place}\"></i>{}</li>", escape(name));
    }
    let _ = write!(out, "</ul>\n{}</figure>\n", in_numbers(found, &classes));
    out
}

/// The classes that occur, each with its index among all.
fn classes(found: &Areas) -> Vec<(&'static str, usize)> {
    let mut all: Vec<(&'static str, usize)> = Vec::new();
    for part in found.groups.iter().flat_map(|group| &group.parts) {
        for (place, (name, bytes)) in part.classes.iter().enumerate() {
            if *bytes > 0 && !all.contains(&(*name, place)) {
                all.push((name, place));
            }
        }
    }
    all.sort_rows_by_key(|(_, place)| *place);
    all
}

/// Describes an area in words.
fn said(group: &AreaGroup, part: &AreaPart) -> String {
    let classes = part.classes.iter().filter(|(_, bytes)| *bytes > 0);
    let classes: Vec<String> = classes.map(|(name, bytes)| format!("{name} {}", iec(*bytes))).collect();
    let of = if classes.is_empty() { String::new() } else { format!(" ({})", classes.join(", ")) };
    format!("{}, {}: {}{of}", group.name, part.name, iec(part.bytes))
}

/// The classes of a part as stripes along its longer side.
fn stripes(part: &AreaPart, place: Rectangle) -> String {
    let mut out = String::new();
    let across = place.width >= place.height;
    let mut from = 0.0;
    for (number, (_, bytes)) in part.classes.iter().enumerate() {
        let share = *bytes as f64 / part.bytes.max(1) as f64 * 100.0;
        // Leaves out stripes too thin to see. Code has the colour of the part itself.
        if share >= 0.5 && number > 0 {
            let _ = match across {
                true => {
                    write!(out, "<i class=\"c{number}\" style=\"left:{from:.2}%;width:{share:.2}%\"></i>")
                }
                false => write!(
                    out,
                    "<i class=\"c{number}\" style=\"top:{from:.2}%;height:{share:.2}%;width:100%\"></i>"
                ),
            };
        }
        from += share;
    }
    out
}

/// The numbers of the figure, for readers who cannot see it.
fn in_numbers(found: &Areas, classes: &[(&'static str, usize)]) -> String {
    let mut out = String::from(
        "<details><summary>The figure in numbers</summary>\n<div class=\"wide\"><table>\n<thead><tr>",
    );
    for title in ["library", "target"] {
        let _ = write!(out, "<th scope=\"col\">{title}</th>");
    }
    for title in std::iter::once("bytes").chain(classes.iter().map(|(name, _)| *name)) {
        let _ = write!(out, "<th scope=\"col\" class=\"r\">{}</th>", escape(title));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (group, part) in
        found.groups.iter().flat_map(|group| group.parts.iter().map(move |part| (group, part)))
    {
        let _ = write!(out, "<tr><td>{}</td><td>{}</td>", escape(&group.name), escape(&part.name));
        let of = |(_, place): &(&str, usize)| part.classes.get(*place).map_or(0, |(_, bytes)| *bytes);
        for bytes in std::iter::once(part.bytes).chain(classes.iter().map(of)) {
            let _ =
                write!(out, "<td class=\"r\">{}</td>", if bytes == 0 { String::new() } else { iec(bytes) });
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div></details>\n");
    out
}

/// Divides a rectangle into parts by the given sizes, which must be in descending order; parts are as square
/// as a row-by-row layout allows (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000).
fn squares(sizes: &[f64], whole: Rectangle) -> Vec<Rectangle> {
    let sum: f64 = sizes.iter().sum();
    let mut out = Vec::with_capacity(sizes.len());
    let scale = if sum > 0.0 { whole.width * whole.height / sum } else { 0.0 };
    let mut left = whole;
    let mut rest = sizes;
    while !rest.is_empty() {
        let side = left.width.min(left.height);
        // A row takes one more part as long as that makes its worst part more square.
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
        // As in the paper, the first two are one above the other, 3 wide and 2 high.
        assert!(parts[0].width == 3.0 && parts[0].height == 2.0 && parts[1].y == 2.0, "{parts:?}");
        assert!(squares(&[0.0, 0.0], whole).iter().all(|part| area(part) == 0.0));
    }
}
