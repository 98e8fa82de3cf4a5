//! The document of `slim` in blocks, and the list of files for other programs.

use super::block::{Block, Column, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{SlimFile, SlimOverride, SlimReport};

impl Document for SlimReport {
    fn judged(&self) -> Judged<'_> {
        Judged::new(self.complete, &self.findings)
            .about(&self.roots)
            .naming(self.files.iter().map(|file| &file.path))
    }
}

impl Draw for SlimReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

/// The paths of all removable files, each followed by `end`. Paths that such a list cannot express are left
/// out: see [`left_out`].
pub fn paths(report: &SlimReport, end: char) -> String {
    let files = report.files.iter().filter(|file| !file.in_package && is_named(file, end));
    files.flat_map(|file| [file.path.as_str(), if end == '\0' { "\0" } else { "\n" }]).collect()
}

/// Whether a list with this `end` can express the file's path.
fn is_named(file: &SlimFile, end: char) -> bool {
    file.is_exact && (end == '\0' || !file.path.contains(['\n', '\r']))
}

/// What [`paths`] leaves out, one sentence for each reason.
pub fn left_out(report: &SlimReport, end: char) -> Vec<String> {
    let members = report.files.iter().filter(|file| file.in_package).count() as u64;
    let odd = report.files.iter().filter(|file| !file.in_package && !is_named(file, end)).count() as u64;
    let members = (members > 0).then(|| {
        format!(
            "not listed: {} in packages, which have to be made anew without them; -f json has their paths",
            plural(members, "file", "files")
        )
    });
    let odd = (odd > 0).then(|| {
        let instead = if end == '\0' { "" } else { "; --null takes those with a line feed" };
        format!("not listed: {} whose names no list of text can hold{instead}", plural(odd, "file", "files"))
    });
    let nothing = report.without_code.iter().map(|gpu| nothing_for(gpu));
    members.into_iter().chain(odd).chain(nothing).chain(report.overrides.iter().map(with_override)).collect()
}

fn nothing_for(gpu: &str) -> String {
    format!("nothing here is for {gpu}: no file stays because of it")
}

fn with_override(one: &SlimOverride) -> String {
    let has = match one.has_code {
        true => "has code of its own in some files and not in all",
        false => "has no code of its own here",
    };
    format!(
        "{} {has}. With HSA_OVERRIDE_GFX_VERSION={} it takes that for {}: --keep {} keeps it",
        one.gpu, one.value, one.processor, one.processor
    )
}

fn blocks(report: &SlimReport, style: &Style) -> Vec<Block> {
    let (all, gone) = (&report.all, &report.removable);
    let share = if all.bytes == 0 { 0.0 } else { gone.bytes as f64 * 100.0 / all.bytes as f64 };
    let title =
        format!("keeps {}{}{}", report.keep.join(", "), style.dot(), plural(all.count, "file", "files"));
    let mut blocks = vec![Block::Title(report.roots.join(", "), title)];
    let verdict = match gone.count {
        0 => "No whole file is for other targets only.".to_owned(),
        count => format!(
            "{} of {} ({share:.0} %) are in {} that no GPU that is kept loads.",
            style.size(gone.bytes),
            style.size(all.bytes),
            plural(count, "file", "files")
        ),
    };
    blocks.push(Block::Text(Tone::Plain, verdict));
    blocks.extend(
        report.without_code.iter().map(|gpu| Block::Text(Tone::Partial, format!("{}.", nothing_for(gpu)))),
    );
    blocks.extend(
        report.overrides.iter().map(|one| Block::Text(Tone::Partial, format!("{}.", with_override(one)))),
    );
    if !report.libraries.is_empty() {
        let mut table = Table::new([
            Column::left("library"),
            Column::right("whole files"),
            Column::right("bytes"),
            Column::right("code inside"),
            Column::right("bytes, inflated"),
        ]);
        for library in &report.libraries {
            let number = |count: u64| {
                if count == 0 { TableCell::new("·") } else { TableCell::new(style.number(count)) }
            };
            let size = |bytes: u64| {
                if bytes == 0 { TableCell::new("·") } else { TableCell::new(style.size(bytes)) }
            };
            let stored = if library.inside_compressed { ", stored compressed" } else { "" };
            let name = if library.library.is_empty() { "(other)" } else { &library.library };
            table.row([
                TableCell::new(name),
                number(library.removable.count),
                size(library.removable.bytes),
                number(library.inside.count),
                TableCell::new(match library.inside.bytes {
                    0 => "·".to_owned(),
                    bytes => format!("{}{stored}", style.size(bytes)),
                }),
            ]);
        }
        table.row([
            TableCell::new("TOTAL"),
            TableCell::new(style.number(gone.count)),
            TableCell::new(style.size(gone.bytes)),
            TableCell::new(style.number(report.inside.count)),
            TableCell::new(style.size(report.inside.bytes)),
        ]);
        table.total = true;
        blocks.extend([Block::Heading("What no GPU that is kept loads".into()), Block::Table(table)]);
        let text = "Code inside is in files that stay, and goes only where these are built anew. Fallback catalogs, mappings and \
                    manifests serve every target and stay, and so does what could not be read.";
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text.into())]);
    }
    if style.verbose > 0 {
        let lines = report.files.iter().map(|file| format!("{}  {}", file.path, file.targets.join(", ")));
        blocks.extend([Block::Heading("Files".into()), Block::Lines(lines.collect())]);
    }
    blocks.extend(findings::section(&report.findings, "", style));
    let text = match report.files.iter().any(|file| file.in_package) {
        _ if report.files.is_empty() => "Nothing was deleted, and no whole file can go.",
        true => "Nothing was deleted. Members of packages go where the package is made anew without them.",
        false => {
            "Nothing was deleted. --list writes the paths, --null with a zero behind each: rocm-audit slim --keep GPU --null PATH | xargs -0 rm"
        }
    };
    blocks.extend([Block::Space, Block::Text(Tone::Dim, text.into())]);
    blocks
}
