//! Draws blocks as one HTML page that loads nothing and follows the reader's light or dark setting. A script
//! sorts and filters tables; without it the page shows the same.

mod chart;
mod flow;
mod map;

pub(super) use chart::bars;

use super::block::{Align, Block, ListLine, Strip, Table};
use super::style::{Tone, title};
use rocm_audit_files::key_map::KeyMap;
use std::fmt::Write as _;

/// The style sheet. Colours of strips form a palette for each tone, in the order of their ways.
const STYLE: &str = include_str!("page.css");

/// The script that sorts and filters.
const SCRIPT: &str = include_str!("page.js");

/// SHA-256 of the script in Base64; browsers run no other script on this page.
const SCRIPT_HASH: &str = "mZgKIvi/SDGSnInyGNdVk0j9gwx1WMCFM0TiHpVzSR4=";

/// Largest report to embed in a page as JSON, in bytes.
const EMBEDDED: usize = 128 << 10;

/// Draws blocks one below the other. `json` is the report for programs, which the page embeds if it is not
/// too large.
pub(super) fn draw(blocks: &[Block], json: Option<&str>) -> String {
    let title = blocks.iter().find_map(|block| match block {
        Block::Title(left, _) => Some(left.as_str()),
        _ => None,
    });
    let mut out = head(title.unwrap_or(env!("CARGO_PKG_NAME")));
    let colours = Colours::from_blocks(blocks);
    let headings: Vec<&String> = blocks
        .iter()
        .filter_map(|block| if let Block::Heading(text) = block { Some(text) } else { None })
        .collect();
    let mut number = 0;
    for block in blocks {
        match block {
            Block::Heading(text) => {
                number += 1;
                let _ =
                    writeln!(out, "<h2 id=\"s{number}\"><a href=\"#s{number}\">{}</a></h2>", escape(text));
            }
            other => out.push_str(&drawn(other, &colours)),
        }
        // A page with many parts begins with a table of contents.
        if matches!(block, Block::Title(..)) && number == 0 && headings.len() > 3 {
            out.push_str("<nav aria-label=\"Parts\">");
            for (place, text) in headings.iter().enumerate() {
                let short = text.split([':', '[']).next().unwrap_or(text).trim();
                let _ = write!(out, "<a href=\"#s{}\">{}</a>", place + 1, escape(short));
            }
            out.push_str("</nav>\n");
        }
    }
    if let Some(json) = json.filter(|json| json.len() <= EMBEDDED) {
        let _ = writeln!(out, "<script type=\"application/json\" id=\"report\">{}</script>", embedded(json));
    }
    out.push_str(&foot());
    out
}

/// The beginning of a page.
pub(super) fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_HASH}'\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escape(title)
    )
}

/// The end of a page.
pub(super) fn foot() -> String {
    let made = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    format!("<footer>{made}</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")
}

/// JSON that cannot end the script element, whatever its texts contain.
fn embedded(json: &str) -> String {
    json.trim_end().replace('<', "\\u003c")
}

fn drawn(block: &Block, colours: &Colours<'_>) -> String {
    match block {
        Block::Title(left, right) => {
            format!("<header><h1>{}</h1><p>{}</p></header>\n", escape(&title(left)), escape(right))
        }
        Block::Cards(list) => chart::cards(list),
        Block::Bars(found) => chart::bars(found),
        Block::Areas(found) => chart::areas(found),
        Block::Heading(_) => String::new(),
        Block::Text(tone, text) => format!("<p{}>{}</p>\n", class(*tone), escape(text)),
        Block::Space => String::new(),
        Block::Map(found) => map::map(found),
        Block::Bands(found) => map::bands(found, colours),
        Block::Flow(found) => flow::flow(found),
        Block::Table(found) => table(found),
        Block::Lines(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
            format!("<pre>{}</pre>\n", lines.join("\n"))
        }
        Block::Listing(lines) => {
            let line = |(tone, line): &(Tone, String)| match class(*tone) {
                plain if plain.is_empty() => escape(line),
                toned => format!("<span{toned}>{}</span>", escape(line)),
            };
            format!("<pre>{}</pre>\n", lines.iter().map(line).collect::<Vec<_>>().join("\n"))
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

fn items(list: &[ListLine]) -> String {
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
            let right = table.columns.get(place).is_some_and(|column| column.align == Align::Right);
            out.push_str(&data(&escape(&cell.text), cell.tone, right));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// A cell of a table. `text` is already escaped.
pub(super) fn data(text: &str, tone: Tone, right: bool) -> String {
    let names: Vec<&str> = [(right, "r"), (tone != Tone::Plain, word(tone))]
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, name)| *name)
        .collect();
    match names.is_empty() {
        true => format!("<td>{text}</td>"),
        false => format!("<td class=\"{}\">{text}</td>", names.join(" ")),
    }
}

/// Colours of ways by tone, in the order in which the page names them; a palette is reused when it is
/// exhausted.
#[derive(Default)]
struct Colours<'a>(KeyMap<&'a str, String>);

impl<'a> Colours<'a> {
    fn from_blocks(blocks: &'a [Block]) -> Self {
        let mut used: KeyMap<char, usize> = KeyMap::new();
        let mut colours = Colours::default();
        for block in blocks {
            let ways = match block {
                Block::Strip(strip) => &strip.ways,
                Block::Bands(bands) => &bands.ways,
                _ => continue,
            };
            for (name, tone) in ways {
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

/// Escapes text for an element or an attribute.
pub(super) fn escape(text: &str) -> String {
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
    use super::super::block::{Column, StripCell, TableCell};
    use super::*;
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use sha2::{Digest as _, Sha256};

    #[test]
    fn the_script_is_the_one_that_the_page_allows() {
        assert_eq!(BASE64_STANDARD.encode(Sha256::digest(SCRIPT)), SCRIPT_HASH);
    }

    #[test]
    fn text_of_files_means_itself() {
        let mut table = Table::new([Column::left("<b>"), Column::right("n")]);
        table.row([TableCell::new("\"><script>"), TableCell::new("1")]);
        let strip = Strip {
            title: "x".into(),
            ways: vec![("a<b".into(), Tone::Good), ("c".into(), Tone::Good), ("d".into(), Tone::Bad)],
            cells: vec![StripCell {
                name: "block \"0\"".into(),
                apart: false,
                parts: vec![(0, 0.25), (2, 0.75)],
            }],
        };
        let blocks = [Block::Title("<i>".into(), "&".into()), Block::Table(table), Block::Strip(strip)];
        let page = draw(&blocks, Some("{\"a\": \"</script><!--<script>\"}"));
        // Our two scripts: the report, and the one that sorts.
        assert_eq!(page.matches("<script").count(), 2, "{page}");
        assert!(page.contains(r#"{"a": "\u003c/script>\u003c!--\u003cscript>"}"#), "{page}");
        assert!(!page.contains("<i>") && !page.contains("a<b"), "{page}");
        assert!(page.contains("title=\"block &quot;0&quot;: 25.0 % a&lt;b, 75.0 % d\""), "{page}");
        assert!(page.contains("var(--g0);flex:25.0000") && page.contains("var(--b0);flex:75.0000"));
        // The page loads nothing.
        let page = page.replace("http-equiv", "");
        assert!(!page.contains("http") && !page.contains("src=") && !page.contains("url("));
    }
}
