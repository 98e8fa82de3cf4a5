//! Blocks drawn as one HTML page: no script, nothing loaded, light or dark as the reader's system is.

use super::block::{Align, Block, Item, Strip, Table};
use super::style::Tone;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What the page looks like. Colours of strips are a palette for each tone, in the order of their ways.
const STYLE: &str = "\
:root{color-scheme:light dark;--fg:#1d2125;--dim:#626b75;--bg:#fff;--line:#d8dde2;--head:#f3f5f7;--good:#1a7f37;--partial:#9a6700;--bad:#cf222e;\
--g0:#2f6fde;--g1:#6a9cf0;--g2:#1f9e89;--g3:#70c8b8;--g4:#8a63d2;--g5:#b79cec;--p0:#e08a00;--p1:#f2b456;--p2:#b8860b;--p3:#f7d08a;\
--b0:#cf222e;--b1:#ef7078;--b2:#8c1d3f;--b3:#f7b8bc;--b4:#5a0f2a;--n0:#8d96a0;--n1:#b8bfc6}\
@media(prefers-color-scheme:dark){:root{--fg:#e3e7eb;--dim:#9aa4ae;--bg:#14171a;--line:#343a41;--head:#1e2327;--good:#4ac26b;--partial:#d9a53a;--bad:#ff7b72;\
--g0:#4d8bf5;--g1:#2d5aa8;--g2:#2bb5a0;--g3:#1b6f63;--g4:#a483ec;--g5:#64479b;--p0:#e6a23c;--p1:#9a6a1c;--p2:#c9b037;--p3:#6f5b14;\
--b0:#f85149;--b1:#9c2b2b;--b2:#d15b85;--b3:#ffc2c0;--b4:#5e1722;--n0:#7d8790;--n1:#4d555c}}\
*{box-sizing:border-box}body{margin:0 auto;max-width:78rem;padding:1.5rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}\
header{display:flex;flex-wrap:wrap;gap:.2rem 1.5rem;justify-content:space-between;align-items:baseline;margin:1.6rem 0 .6rem;border-bottom:1px solid var(--line)}\
header:first-child{margin-top:0}h1{font-size:1.35rem;margin:0}header p{margin:0;color:var(--dim)}h2{font-size:1.05rem;margin:1.6rem 0 .5rem}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.2rem;margin:.5rem 0}dt{white-space:nowrap;color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\
.good{color:var(--good)}.partial{color:var(--partial)}.bad{color:var(--bad)}.dim{color:var(--dim)}.strong{font-weight:600}\
.wide{overflow-x:auto;margin:.5rem 0}table{border-collapse:collapse;font-size:13px}th,td{padding:.2rem .7rem .2rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\
th{background:var(--head);white-space:nowrap;padding-left:.3rem}td{padding-left:.3rem;max-width:34rem;overflow-wrap:anywhere}.r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\
tr.total td{font-weight:600}pre{overflow-x:auto;background:var(--head);padding:.6rem;font-size:13px}\
figure{margin:.8rem 0}figcaption{color:var(--dim);font-size:13px;margin-bottom:.25rem}.strip{display:flex;gap:2px;height:3.4rem}\
.strip>div{flex:1 1 0;min-width:0;display:flex;flex-direction:column;border-radius:2px;overflow:hidden}.strip>div.apart{margin-left:6px;flex-grow:2}\
.strip i{display:block;min-height:0}ul.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.35rem 0 0;font-size:13px}\
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em;vertical-align:-.05em}";

/// Draws blocks one below the other.
pub(super) fn draw(blocks: &[Block]) -> String {
    let title = blocks.iter().find_map(|block| match block {
        Block::Title(left, _) => Some(left.as_str()),
        _ => None,
    });
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        escape(title.unwrap_or(env!("CARGO_PKG_NAME")))
    );
    let colours = Colours::of(blocks);
    for block in blocks {
        out.push_str(&drawn(block, &colours));
    }
    let made = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, "<p class=\"dim\">{made}</p>\n</body>\n</html>");
    out
}

fn drawn(block: &Block, colours: &Colours<'_>) -> String {
    match block {
        Block::Title(left, right) => {
            format!("<header><h1>{}</h1><p>{}</p></header>\n", escape(left), escape(right))
        }
        Block::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
        Block::Text(tone, text) => format!("<p{}>{}</p>\n", class(*tone), escape(text)),
        Block::Space | Block::Diagram(_) => String::new(),
        Block::Table(found) => table(found),
        Block::Lines(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
            format!("<pre>{}</pre>\n", lines.join("\n"))
        }
        Block::Items(list) => items(list),
        Block::Strip(found) => strip(found, colours),
    }
}

fn class(tone: Tone) -> String {
    match tone {
        Tone::Plain => String::new(),
        other => format!(" class=\"{}\"", word(other)),
    }
}

fn word(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Good => "good",
        Tone::Partial => "partial",
        Tone::Bad => "bad",
        Tone::Dim => "dim",
        Tone::Strong => "strong",
    }
}

fn items(list: &[Item]) -> String {
    let mut out = String::from("<dl>\n");
    for item in list {
        let (label, text) = (escape(item.label.trim()), escape(&item.text));
        let _ = writeln!(out, "<dt{}>{label}</dt><dd>{text}</dd>", class(item.tone));
    }
    out.push_str("</dl>\n");
    out
}

fn table(table: &Table) -> String {
    let mut out = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    let mut group: Option<&String> = None;
    let right = |column: Option<&super::block::Column>| {
        if column.is_some_and(|column| column.align == Align::Right) { " class=\"r\"" } else { "" }
    };
    for column in &table.columns {
        group = column.group.as_ref().filter(|g| !g.is_empty()).or(group);
        let title = match group {
            Some(name) if column.group.is_some() => format!("{name}: {}", column.title),
            _ => column.title.clone(),
        };
        let _ = write!(out, "<th scope=\"col\"{}>{}</th>", right(Some(column)), escape(&title));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (index, row) in table.rows.iter().enumerate() {
        let total = table.total && index + 1 == table.rows.len();
        out.push_str(if total { "<tr class=\"total\">" } else { "<tr>" });
        for (place, cell) in row.iter().enumerate() {
            let text = escape(&cell.text);
            let text = match cell.tone {
                Tone::Plain => text,
                tone => format!("<span{}>{text}</span>", class(tone)),
            };
            let _ = write!(out, "<td{}>{text}</td>", right(table.columns.get(place)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// Colours of ways: by their tones, in the order in which the page names them; a palette begins again where it ends.
#[derive(Default)]
struct Colours<'a>(BTreeMap<&'a str, String>);

impl<'a> Colours<'a> {
    fn of(blocks: &'a [Block]) -> Self {
        let mut used: BTreeMap<char, usize> = BTreeMap::new();
        let mut colours = Colours::default();
        for block in blocks {
            let Block::Strip(strip) = block else { continue };
            for (name, tone) in &strip.ways {
                let (letter, count) = match tone {
                    Tone::Good => ('g', 6),
                    Tone::Partial => ('p', 4),
                    Tone::Bad => ('b', 5),
                    Tone::Plain | Tone::Dim | Tone::Strong => ('n', 2),
                };
                colours.0.entry(name).or_insert_with(|| {
                    let used = used.entry(letter).or_default();
                    *used += 1;
                    format!("background:var(--{letter}{})", (*used - 1) % count)
                });
            }
        }
        colours
    }

    fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

fn strip(strip: &Strip, colours: &Colours<'_>) -> String {
    let name = |way: usize| strip.ways.get(way).map_or("", |(name, _)| name.as_str());
    let mut out = format!("<figure><figcaption>{}</figcaption><div class=\"strip\">", escape(&strip.title));
    for cell in &strip.cells {
        let sum: f64 = cell.parts.iter().map(|(_, share)| share).sum();
        let percent = |share: f64| if sum > 0.0 { share / sum * 100.0 } else { 0.0 };
        let parts: Vec<String> = cell
            .parts
            .iter()
            .map(|(way, share)| format!("{:.1} % {}", percent(*share), name(*way)))
            .collect();
        let said = escape(&format!("{}: {}", cell.name, parts.join(", ")));
        let apart = if cell.apart { " class=\"apart\"" } else { "" };
        let _ = write!(out, "<div{apart} role=\"img\" aria-label=\"{said}\" title=\"{said}\">");
        for (way, share) in &cell.parts {
            let _ = write!(out, "<i style=\"{};flex:{:.4}\"></i>", colours.get(name(*way)), percent(*share));
        }
        out.push_str("</div>");
    }
    out.push_str("</div>\n<ul class=\"legend\">");
    for (name, _) in &strip.ways {
        let _ = write!(out, "<li><i style=\"{}\"></i>{}</li>", colours.get(name), escape(name));
    }
    out.push_str("</ul></figure>\n");
    out
}

/// Makes text that stands in an element or an attribute mean itself.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::block::{Cell, Column, StripCell};
    use super::*;

    #[test]
    fn text_of_files_means_itself() {
        let mut table = Table::new([Column::left("<b>"), Column::right("n")]);
        table.row([Cell::new("\"><script>"), Cell::new("1")]);
        let strip = Strip {
            title: "x".into(),
            ways: vec![("a<b".into(), Tone::Good), ("c".into(), Tone::Good), ("d".into(), Tone::Bad)],
            cells: vec![StripCell {
                name: "block \"0\"".into(),
                apart: false,
                parts: vec![(0, 0.25), (2, 0.75)],
            }],
        };
        let page = draw(&[Block::Title("<i>".into(), "&".into()), Block::Table(table), Block::Strip(strip)]);
        assert!(!page.contains("<script") && !page.contains("<i>") && !page.contains("a<b"), "{page}");
        assert!(page.contains("title=\"block &quot;0&quot;: 25.0 % a&lt;b, 75.0 % d\""), "{page}");
        assert!(page.contains("var(--g0);flex:25.0000") && page.contains("var(--b0);flex:75.0000"));
        // Nothing is loaded.
        assert!(!page.contains("http") && !page.contains("src=") && !page.contains("url("));
    }
}
