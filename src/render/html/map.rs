//! Routes on a page: a tree as nested lists, so that screen readers read the steps in order, and bands that
//! show the route for each number of columns.

use super::{Colours, escape, word};
use crate::render::block::{Bands, EdgeKind, Map, MapNode};
use std::fmt::Write as _;

/// Draws a tree from its root.
pub(super) fn map(found: &Map) -> String {
    let mut out = format!(
        "<figure class=\"wide\"><figcaption>{}</figcaption>\n<ul class=\"map\">",
        escape(&found.title)
    );
    node(&found.root, &mut out);
    out.push_str("</ul></figure>\n");
    out
}

fn node(found: &MapNode, out: &mut String) {
    let edge = match found.edge {
        EdgeKind::Taken => "",
        EdgeKind::Instead => " instead",
        EdgeKind::Blocked => " blocked",
    };
    let _ = write!(out, "<li class=\"{}{edge}\">", word(found.tone));
    if !found.by.is_empty() {
        let _ = write!(out, "<em>{}</em>", escape(&found.by));
    }
    let _ = write!(out, "<div><b>{}</b>", escape(&found.label));
    for line in &found.lines {
        let _ = write!(out, "<span>{}</span>", escape(line));
    }
    out.push_str("</div>");
    if !found.children.is_empty() {
        out.push_str("\n<ul>");
        found.children.iter().for_each(|child| node(child, out));
        out.push_str("</ul>");
    }
    out.push_str("</li>\n");
}

/// Bands one below the other; the width of a part is the difference between the binary logarithms of its
/// ends.
pub(super) fn bands(found: &Bands, colours: &Colours<'_>) -> String {
    let mut out = format!(
        "<figure class=\"wide\"><figcaption>{}</figcaption>\n<dl class=\"bands\">\n",
        escape(&found.title)
    );
    let log = |number: u64| (number.max(1) as f64).log2();
    for row in &found.rows {
        let _ = write!(out, "<dt>{}</dt><dd>", escape(&row.name));
        for part in &row.parts {
            let name = found.ways.get(part.way).map_or("", |(name, _)| name.as_str());
            let said = escape(&format!("{}: {name}", part.name));
            let wide = (log(part.to.saturating_add(1)) - log(part.from)).max(0.5);
            let _ = write!(
                out,
                "<i style=\"{};flex:{wide:.3}\" title=\"{said}\"><span><b>{}</b> {}</span></i>",
                colours.get(name),
                escape(&part.name),
                escape(name)
            );
        }
        out.push_str("</dd>\n");
    }
    out.push_str("</dl>\n<ul class=\"legend\">");
    for (name, _) in &found.ways {
        let _ = write!(out, "<li><i style=\"{}\"></i>{}</li>", colours.get(name), escape(name));
    }
    out.push_str("</ul></figure>\n");
    out
}
