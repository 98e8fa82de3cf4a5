//! The document of `manifest` in blocks.

use super::block::{Block, ListLine};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone, plural};
use super::verdict::sign;
use super::{Drawing, Drawn, Format, drawn, json};
use crate::report::v1::{Manifest, ManifestCards, ManifestOverride};

impl Document for Manifest {
    fn judged(&self) -> Judged<'_> {
        Judged::new(self.complete, &[])
    }
}

impl Draw for Manifest {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        if format == Format::Json {
            return Ok(Drawing::Written(Box::new(move |out| json::write_folded(self, out))));
        }
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(manifest: &Manifest, style: &Style) -> Vec<Block> {
    let artifact = &manifest.artifact;
    let kernels = manifest.targets.iter().map(|target| target.kernels).sum();
    let about = [
        style.size(artifact.bytes),
        plural(manifest.targets.len() as u64, "target", "targets"),
        plural(kernels, "kernel", "kernels"),
        if manifest.complete { "complete" } else { "incomplete" }.to_owned(),
    ];
    let mut blocks = vec![Block::Title(artifact.name.clone(), about.join(style.dot()))];
    let mut facts = Vec::new();
    let mut fact = |label: &str, text: String| {
        facts.push(ListLine { tone: Tone::Dim, label: label.to_owned(), text });
    };
    if let Some(sha256) = &artifact.sha256 {
        fact("SHA-256", sha256.clone());
    }
    if let Some(identity) = &artifact.identity {
        fact("package", identity.clone());
    }
    if !manifest.releases.is_empty() {
        let releases = manifest.releases.iter().map(|own| format!("{} {}", own.component, own.version));
        fact("releases", releases.collect::<Vec<_>>().join(", "));
    }
    if !facts.is_empty() {
        blocks.extend([Block::Space, Block::Items(facts)]);
    }
    let rows: Vec<ListLine> = manifest.cards.iter().map(|cards| row(cards, style)).collect();
    blocks.extend([Block::Space, Block::Items(rows)]);
    let hint = style.hint("-f json is the manifest, to be published beside the artifact.");
    if !hint.is_empty() {
        blocks.extend([Block::Space, Block::Text(Tone::Dim, hint.to_owned())]);
    }
    blocks
}

fn row(cards: &ManifestCards, style: &Style) -> ListLine {
    let (glyph, words, tone) = sign(cards.answer, style);
    let more = match &cards.override_value {
        Some(value) => format!(" ({})", with_override(value)),
        None if cards.headline == words => String::new(),
        None => format!(" ({})", cards.headline),
    };
    ListLine {
        tone,
        label: format!("{glyph} {words}"),
        text: format!("{}{more}", cards.processors.join(" ")),
    }
}

/// What an override would do, in a clause.
pub(super) fn with_override(value: &ManifestOverride) -> String {
    let ManifestOverride { value, processor, answer, without } = value;
    use crate::report::v1::OverrideAnswer::{Legal, LegalWithDifferences, NotDecoded};
    match answer {
        Legal | LegalWithDifferences if !without.is_empty() => format!(
            "in part with HSA_OVERRIDE_GFX_VERSION={value} by code for {processor}, without {}",
            without.join(", ")
        ),
        Legal | LegalWithDifferences => {
            format!("with HSA_OVERRIDE_GFX_VERSION={value} by code for {processor}")
        }
        NotDecoded => {
            format!("perhaps with HSA_OVERRIDE_GFX_VERSION={value}, by code for {processor}; not decided")
        }
        _ => format!("HSA_OVERRIDE_GFX_VERSION={value} is not safe"),
    }
}
