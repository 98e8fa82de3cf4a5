//! The control flow of a kernel as a drawing, with its instructions beside it.

use super::{class, escape};
use crate::render::block::{Flow, FlowBlock};
use crate::render::style::{Tone, plural};
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::fmt::Write as _;

/// Blocks that are drawn, and instructions that are listed: a page with more of them is slow to scroll.
const BLOCKS: usize = 600;
const LINES: usize = 12_000;

/// Blocks outside of loops with more instructions are folded.
const OPEN_LINES: usize = 40;

/// Sizes of the drawing in its units, which are pixels.
const WIDTH: usize = 420;
const BOX_LEFT: usize = 76;
const BOX_RIGHT: usize = 314;
const INDENT: usize = 12;
const LANE: usize = 9;
const LEFT_LANES: usize = 7;
const RIGHT_LANES: usize = 10;

/// Kinds of instructions with their colours, in the order of their bars.
const KINDS: [(&str, &str); 9] = [
    ("matrix", "--b2"),
    ("dot", "--b1"),
    ("vector", "--g0"),
    ("memory", "--p0"),
    ("lds", "--g2"),
    ("scratch", "--b0"),
    ("wait", "--p3"),
    ("barrier", "--g5"),
    ("scalar", "--n1"),
];

/// Where a block is drawn: its upper and lower edge.
#[derive(Debug, Clone, Copy)]
struct Placed {
    top: usize,
    bottom: usize,
    left: usize,
}

/// An edge that goes around blocks.
#[derive(Debug, Clone, Copy)]
struct Detour {
    from: usize,
    to: usize,
    lane: usize,
}

/// The drawing and the listing, side by side.
pub(super) fn flow(found: &Flow) -> String {
    let mut out =
        format!("<section class=\"flow\" aria-label=\"{}\">\n<figure class=\"graph\">", escape(&found.title));
    let _ = write!(out, "<figcaption>{}</figcaption>\n{}", escape(&found.title), legend());
    out.push_str(&drawing(found));
    let more = found.blocks.len().saturating_sub(BLOCKS);
    if more > 0 {
        let _ = write!(
            out,
            "<p class=\"partial\">{} not drawn.</p>",
            plural(more as u64, "more block is", "more blocks are")
        );
    }
    out.push_str("</figure>\n<div class=\"code\">\n<table class=\"heads\"><tr><th>offset</th><th>instruction</th><th>VGPR in use</th><th>SGPR</th><th>source</th></tr></table>\n");
    let mut left = LINES;
    for block in &found.blocks {
        if left == 0 {
            break;
        }
        out.push_str(&listing(found, block, &mut left));
    }
    let lines: usize = found.blocks.iter().map(|block| block.lines.len()).sum();
    if lines > LINES {
        let what = plural((lines - LINES) as u64, "more instruction is", "more instructions are");
        let _ = writeln!(out, "<p class=\"partial\">{what} not listed here: -f json has them.</p>");
    }
    out.push_str("</div>\n</section>\n");
    out
}

fn legend() -> String {
    let mut out = String::from("<ul class=\"legend\">");
    for (kind, colour) in KINDS {
        let _ = write!(out, "<li><i style=\"background:var({colour})\"></i>{kind}</li>");
    }
    out.push_str("</ul>\n");
    out
}

fn drawing(found: &Flow) -> String {
    let blocks = found.blocks.get(..BLOCKS).unwrap_or(&found.blocks);
    let mut placed = Vec::with_capacity(blocks.len());
    let mut y = 6;
    for block in blocks {
        let height = 30 + block.lines.len().min(120) / 3;
        let left = BOX_LEFT + INDENT * block.depth.min(6) as usize;
        placed.push(Placed { top: y, bottom: y + height, left });
        y += height + 12;
    }
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {y}\" width=\"{WIDTH}\" height=\"{y}\" role=\"img\" aria-label=\"control flow\">\
         <defs><marker id=\"arrow{0}\" viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0L6 3L0 6z\"/></marker></defs>\n",
        found.number
    );
    out.push_str(&edges(found, blocks, &placed));
    for (block, at) in blocks.iter().zip(&placed) {
        out.push_str(&drawn(found, block, *at));
    }
    out.push_str("</svg>\n");
    out
}

/// All edges: the next block is below, forward ones go around on the right, and those that close loops on the
/// left.
fn edges(found: &Flow, blocks: &[FlowBlock], placed: &[Placed]) -> String {
    let (mut forward, mut back, mut out) = (Vec::new(), Vec::new(), String::new());
    let marker = format!("marker-end=\"url(#arrow{})\"", found.number);
    for (from, block) in blocks.iter().enumerate() {
        for to in block.successors.iter().copied().filter(|to| *to < blocks.len()) {
            match () {
                () if to == from + 1 => {
                    let (above, below) = (placed[from], placed[to]);
                    let x = above.left.max(below.left) + 24;
                    let _ = writeln!(
                        out,
                        "<path class=\"next\" d=\"M{x} {}V{}\" {marker}/>",
                        above.bottom,
                        below.top - 1
                    );
                }
                () if to > from => forward.push(Detour { from, to, lane: 0 }),
                () => back.push(Detour { from, to, lane: 0 }),
            }
        }
    }
    into_lanes(&mut forward, RIGHT_LANES);
    into_lanes(&mut back, LEFT_LANES);
    for edge in &forward {
        let (begin, end) = (placed[edge.from].bottom - 5, placed[edge.to].top + 6);
        let x = BOX_RIGHT + 12 + LANE * edge.lane;
        let _ = writeln!(
            out,
            "<path class=\"ahead\" d=\"M{BOX_RIGHT} {begin}H{x}V{end}H{}\" {marker}/>",
            BOX_RIGHT + 1
        );
    }
    for edge in &back {
        let (begin, end) = (placed[edge.from].bottom - 5, placed[edge.to].top + 6);
        let x = BOX_LEFT - 8 - LANE * edge.lane;
        let (from, to) = (placed[edge.from].left, placed[edge.to].left);
        let _ = writeln!(out, "<path class=\"back\" d=\"M{from} {begin}H{x}V{end}H{}\" {marker}/>", to - 1);
    }
    out
}

/// Puts edges side by side, short ones nearest to the blocks; the last lane takes what has no place.
fn into_lanes(edges: &mut [Detour], most: usize) {
    let ends = |edge: &Detour| (edge.from.min(edge.to), edge.from.max(edge.to));
    edges.sort_rows_by_key(|edge| {
        let (low, high) = ends(edge);
        (high - low, low)
    });
    let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
    for edge in edges {
        let (low, high) = ends(edge);
        let is_free = |lane: &Vec<(usize, usize)>| lane.iter().all(|(from, to)| high < *from || *to < low);
        edge.lane = lanes.iter().position(is_free).unwrap_or(lanes.len()).min(most - 1);
        match lanes.get_mut(edge.lane) {
            Some(lane) => lane.push((low, high)),
            None => lanes.push(vec![(low, high)]),
        }
    }
}

fn anchor(found: &Flow, block: &FlowBlock) -> String {
    format!("k{}-{}", found.number, block.name.trim_start_matches('+'))
}

/// A box: the fuller, the more registers are in use; its bar shows kinds of instructions.
fn drawn(found: &Flow, block: &FlowBlock, at: Placed) -> String {
    let (width, height) = (BOX_RIGHT - at.left, at.bottom - at.top);
    let share = f64::from(block.live) / f64::from(found.most.max(1));
    let kind = match block {
        _ if !block.is_reachable => " unreached",
        _ if block.is_header => " header",
        _ => "",
    };
    let said = format!(
        "{}: {}{}",
        block.name,
        block.about,
        if block.line.is_empty() { String::new() } else { format!(", {}", block.line) }
    );
    let mut out = format!(
        "<a href=\"#{}\"><g class=\"box{kind}\"><title>{}</title>",
        anchor(found, block),
        escape(&said)
    );
    let _ = write!(
        out,
        "<rect x=\"{0}\" y=\"{1}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>\
         <rect class=\"live\" x=\"{0}\" y=\"{1}\" width=\"{width}\" height=\"{height}\" rx=\"4\" opacity=\"{2:.2}\"/>\
         <text x=\"{3}\" y=\"{4}\"{7}><tspan class=\"name\">{5}</tspan> {6}</text>",
        at.left,
        at.top,
        share.clamp(0.0, 1.0) * 0.55,
        at.left + 7,
        at.top + 15,
        escape(&block.name),
        escape(&block.short),
        narrowed(block, width),
    );
    let (mut x, all) = (at.left as f64 + 7.0, block.lines.len().max(1) as f64);
    let room = (width - 14) as f64;
    for (kind, colour) in KINDS {
        let count = block.lines.iter().filter(|line| line.kind == kind).count() as f64;
        if count > 0.0 {
            let wide = count / all * room;
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"{}\" width=\"{wide:.1}\" height=\"5\" style=\"fill:var({colour})\" stroke=\"none\"/>",
                at.bottom - 10
            );
            x += wide;
        }
    }
    out.push_str("</g></a>\n");
    out
}

/// What makes a box's text fit into it: boxes of inner loops are narrower.
fn narrowed(block: &FlowBlock, width: usize) -> String {
    /// Width of a letter in hundredths.
    const LETTER: usize = 670;
    let (letters, room) =
        (block.name.chars().count() + 1 + block.short.chars().count(), width.saturating_sub(12));
    match letters * LETTER / 100 > room {
        true => format!(" textLength=\"{room}\" lengthAdjust=\"spacingAndGlyphs\""),
        false => String::new(),
    }
}

fn listing(found: &Flow, block: &FlowBlock, left: &mut usize) -> String {
    let open = if block.depth > 0 || block.lines.len() <= OPEN_LINES { " open" } else { "" };
    let tone = class(if block.is_reachable { Tone::Plain } else { Tone::Dim });
    let mut out = format!(
        "<details id=\"{}\" style=\"margin-left:{}px\"{open}><summary{tone}><b>{}</b> {}",
        anchor(found, block),
        block.depth.min(6) * 14,
        escape(&block.name),
        escape(&block.about),
    );
    if !block.line.is_empty() {
        let _ = write!(out, " <code>{}</code>", escape(&block.line));
    }
    out.push_str("</summary>\n<table>\n");
    let most = f64::from(found.most.max(1));
    let mut last = "";
    for line in block.lines.iter().take(*left) {
        let colour = KINDS.iter().find(|(kind, _)| *kind == line.kind).map_or("--line", |(_, colour)| colour);
        let percent = (f64::from(line.live) / most * 100.0).min(100.0);
        let place = if line.line == last { "" } else { &line.line };
        last = &line.line;
        let _ = writeln!(
            out,
            "<tr><td class=\"r\">{}</td><td style=\"border-left:3px solid var({colour})\"><code>{}</code></td>\
             <td class=\"vgpr\"><i style=\"width:{percent:.0}%\"></i><span>{}</span></td><td class=\"r\">{}</td><td class=\"dim\">{}</td></tr>",
            escape(&line.offset),
            escape(&line.text),
            line.live,
            line.live_scalars,
            escape(place),
        );
    }
    *left = left.saturating_sub(block.lines.len());
    out.push_str("</table></details>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_that_overlap_have_lanes_of_their_own() {
        let mut edges = [(0, 9), (1, 3), (2, 5), (4, 6)].map(|(from, to)| Detour { from, to, lane: 9 });
        into_lanes(&mut edges, 3);
        let lanes: Vec<_> = edges.iter().map(|edge| (edge.from, edge.lane)).collect();
        assert_eq!(lanes, [(1, 0), (4, 0), (2, 1), (0, 2)]);
        // There are never more than fit.
        let mut many: Vec<_> = (0..50).map(|at| Detour { from: at, to: 99 - at, lane: 0 }).collect();
        into_lanes(&mut many, 3);
        assert!(many.iter().all(|edge| edge.lane < 3));
    }
}
