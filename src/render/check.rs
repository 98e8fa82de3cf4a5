//! The document of `check` in blocks: failures come first.

use super::block::{Block, ListLine};
use super::coverage::{name_of, words};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::{Drawn, Format, drawn, findings};
use crate::finding::rules::waste::SIZE_OVER_BUDGET;
use crate::locator::file_name;
use crate::report::v1::{CheckReport, Coverage, Requirement};
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// Shortens places that differ only in a part to that part, for example a wheel's version or platform. The
/// roots above are shown in full.
fn distinct<'r>(places: &[&'r str], style: &Style) -> KeyMap<&'r str, String> {
    let parts: Vec<Vec<&str>> = places.iter().map(|place| file_name(place).split('-').collect()).collect();
    let columns = parts.first().map_or(0, Vec::len);
    if parts.len() < 2 || parts.iter().any(|own| own.len() != columns) {
        return KeyMap::new();
    }
    let differs = |column: &usize| {
        parts.iter().any(|own| own.get(*column) != parts.first().and_then(|first| first.get(*column)))
    };
    let mut chosen: Vec<usize> = Vec::new();
    let named = |chosen: &[usize]| -> Vec<String> {
        let name = |own: &Vec<&str>| {
            chosen.iter().filter_map(|column| own.get(*column).copied()).collect::<Vec<_>>().join("-")
        };
        parts.iter().map(name).collect()
    };
    for column in (0..columns).filter(differs) {
        chosen.push(column);
        let names = named(&chosen);
        if names.iter().collect::<BTreeSet<_>>().len() == names.len() {
            let rest = |name: String| {
                let before = if chosen.first() == Some(&0) { "" } else { style.pick("…", "...") };
                let behind =
                    if chosen.last() == Some(&(columns - 1)) { "" } else { style.pick("…", "...") };
                format!("{before}{name}{behind}")
            };
            return places.iter().copied().zip(names.into_iter().map(rest)).collect();
        }
    }
    KeyMap::new()
}

impl Document for CheckReport {
    fn judged(&self) -> Judged<'_> {
        Judged { check: Some(self), ..Judged::new(self.complete, &self.findings).about(&self.roots) }
    }
}

impl Draw for CheckReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &CheckReport, style: &Style) -> Vec<Block> {
    let is_failed = |row: &&Requirement| !row.is_met && row.ignored.is_none();
    let (failed, met): (Vec<&Requirement>, Vec<&Requirement>) =
        report.requirements.iter().partition(is_failed);
    let (tone, verdict) = verdict(report, failed.len());
    let mut asked = report.required.clone();
    asked.extend(report.baseline.as_ref().map(|path| format!("nothing worse than in {path}")));
    asked.extend(report.size_budgets.iter().map(|size| match size.split_once('=') {
        Some((target, size)) => format!("at most {size} of {target}"),
        None => format!("at most {size}"),
    }));
    let asked = format!("requires: {}", asked.join(", "));
    let mut blocks = vec![Block::Title(report.roots.join(", "), asked), Block::Text(tone, verdict)];
    let places: BTreeSet<&str> = report.requirements.iter().filter_map(|row| row.place.as_deref()).collect();
    let short = distinct(&places.into_iter().collect::<Vec<_>>(), style);
    let rows =
        |rows: Vec<&Requirement>| rows.into_iter().map(|row| item(row, report, &short, style)).collect();
    for items in [super::audit::inputs(&report.inputs), rows(failed), over(report, style), rows(met)] {
        if !items.is_empty() {
            blocks.extend([Block::Space, Block::Items(items)]);
        }
    }
    blocks.extend(remarks(report));
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}

/// A sentence that says whether it passed; `failed` is the number of failed requirements.
fn verdict(report: &CheckReport, failed: usize) -> (Tone, String) {
    let all = report.requirements.len() as u64;
    let requirements = plural(all, "requirement", "requirements");
    let text = match (report.passed, failed) {
        (true, _) if all == 0 && report.baseline.is_none() => {
            "passed: nothing is larger than it may be".to_owned()
        }
        (true, _) if all == 0 => "passed: no library has less for a target than before".to_owned(),
        (true, _) => format!("passed: {requirements}"),
        (false, 0) if all == 0 && report.baseline.is_none() && report.size_budgets.is_empty() => match report
            .complete
        {
            true => "failed: no library here carries device code".to_owned(),
            false => "failed: no library with device code could be read, so that it is not known".to_owned(),
        },
        (false, 0) if !report.complete => "failed: not all could be read, so that it is not known".to_owned(),
        (false, 0) => format!("failed because of {}", report.failed_because.join(", ")),
        (false, failed) => format!("failed: {failed} of {requirements} not met"),
    };
    (if report.passed { Tone::Good } else { Tone::Bad }, text)
}

/// What is larger than it may be, and does count.
fn over(report: &CheckReport, style: &Style) -> Vec<ListLine> {
    let id = SIZE_OVER_BUDGET.id;
    let over = report.findings.iter().filter(|finding| finding.id == id);
    let over = over.filter(|_| !report.not_counted.iter().any(|own| own == id));
    let several = report.roots.len() > 1;
    over.flat_map(|finding| finding.locations.iter().map(move |place| (finding, place)))
        .map(|(finding, place)| {
            let of = finding.target.as_ref().map_or(String::new(), |target| format!(" of {target}"));
            let at = if several { format!(", {}", place.path) } else { String::new() };
            let label = format!("{} size{of}{at}", style.pick("✗", "x"));
            ListLine { tone: Tone::Bad, label, text: place.what.clone() }
        })
        .collect()
}

/// One requirement: what exists, and why that is not enough. `short` has shortened names of places.
fn item(row: &Requirement, report: &CheckReport, short: &KeyMap<&str, String>, style: &Style) -> ListLine {
    let place = row.place.as_deref().map(|place| short.get(place).map_or(place, String::as_str));
    let name = name_of(&row.library, row.tensile, place);
    let mut text = row.coverage.map_or("not here".to_owned(), |coverage| words(coverage).to_owned());
    if let Some(code) = &row.code {
        let objects = plural(code.code_objects, "code object", "code objects");
        text.push_str(&format!(": {objects}, {}", plural(code.kernels, "kernel", "kernels")));
        if let Some(first) = code.first.as_ref().filter(|_| style.verbose > 0) {
            text.push_str(&format!(", the first in {}", below_place(row, first)));
        }
    }
    if let Some(why) = &row.why {
        text.push_str(&format!(", and {why}"));
    }
    if row.coverage == Some(Coverage::Absent) && !report.complete {
        text.push_str(" in what could be read");
    }
    if row.is_met && matches!(row.coverage, Some(Coverage::SomeFiles | Coverage::Partial)) {
        text.push_str(style.hint(" (--per-file asks for all)"));
    }
    if let Some(before) = row.before {
        text.push_str(&format!("; it was {}", words(before)));
    }
    if let Some(reason) = &row.ignored {
        text.push_str(&format!("; ignored: {reason}"));
    }
    if !row.lacking.is_empty() {
        let lacking: Vec<String> = row.lacking.iter().map(|path| below_place(row, path)).collect();
        text.push_str(&format!("; not in {}", lacking.join(", ")));
    }
    let (glyph, tone) = match (row.is_met, row.coverage) {
        (false, _) if row.ignored.is_none() => (style.pick("✗", "x"), Tone::Bad),
        (true, Some(Coverage::Native | Coverage::Generic | Coverage::RunTime)) => {
            (style.pick("✓", "+"), Tone::Good)
        }
        _ => ("~", Tone::Partial),
    };
    ListLine { tone, label: format!("{glyph} {} {name}", row.processor), text }
}

/// A path below the one place of a requirement, which its row or the title names.
fn below_place(row: &Requirement, path: &str) -> String {
    let below = match &row.places[..] {
        [place] => path.strip_prefix(place.as_str()).and_then(|rest| rest.strip_prefix(['/', '!'])),
        _ => None,
    };
    below.map_or(path, |rest| rest.trim_start_matches('/')).to_owned()
}

/// Further remarks: roots without code, exceptions without an effect, findings that do not count.
fn remarks(report: &CheckReport) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !report.roots_without_code.is_empty() {
        let text = format!(
            "No library carries device code in {}: nothing is required of it.",
            report.roots_without_code.join(", ")
        );
        blocks.extend([Block::Space, Block::Text(Tone::Partial, text)]);
    }
    let unused = report.unused_ignores.iter().map(|ignore| ListLine {
        tone: Tone::Partial,
        label: "unused ignore".into(),
        text: format!("{}: nothing matches it any more ({})", ignore.what, ignore.reason),
    });
    let unused: Vec<ListLine> = unused.collect();
    if !unused.is_empty() {
        blocks.extend([Block::Space, Block::Items(unused)]);
    }
    if !report.not_counted.is_empty() {
        let text = format!(
            "Not counted, as the baseline has them or they are ignored: {}.",
            report.not_counted.join(", ")
        );
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text)]);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_by_what_tells_them_apart() {
        let style = Style::default();
        let names = |places: &[&str]| distinct(places, &style).into_values().collect::<Vec<_>>();
        let [old, new] = ["dist/my-1.0-py3-none-linux_x86_64.whl", "dist/my-1.1-py3-none-win_amd64.whl"];
        assert_eq!(names(&[old, new]), ["…1.0…", "…1.1…"]);
        let both = [old, new, "dist/my-1.1-py3-none-linux_x86_64.whl"];
        let [first, second, third] =
            [0, 1, 2].map(|at: usize| distinct(&both, &style).get(both[at]).cloned());
        assert_eq!(first.as_deref(), Some("…1.0-linux_x86_64.whl"));
        assert_eq!(second.as_deref(), Some("…1.1-win_amd64.whl"));
        assert_eq!(third.as_deref(), Some("…1.1-linux_x86_64.whl"));
        // Folders with equal names and names that differ elsewhere stay as they are.
        assert!(
            names(&["a/lib", "b/lib"]).is_empty()
                && names(&["a-1", "b"]).is_empty()
                && names(&["a-1"]).is_empty()
        );
    }
}
