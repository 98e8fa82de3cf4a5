//! The document of `choose` in blocks.

use super::block::{Block, ListLine};
use super::documents::{Document, Draw, Judged};
use super::manifest::with_override;
use super::style::{Style, Tone, plural};
use super::verdict::sign;
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{Answer, Candidate, CandidateSource, CandidateSystem, ChooseReport};

/// Targets of an artifact that does not run, shown at most.
const TARGETS: usize = 12;
/// The reason that says no more than the answer.
const COMPILES: &str = "compiles its kernels at run time";
/// Candidates shown without `-v`.
const MOST: usize = 20;

impl Document for ChooseReport {
    fn judged(&self) -> Judged<'_> {
        let paths = self.candidates.iter().filter_map(|candidate| candidate.path.as_ref());
        Judged::new(self.complete, &self.findings).naming(paths)
    }
}

impl Draw for ChooseReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|style| blocks(self, style))
    }
}

fn blocks(report: &ChooseReport, style: &Style) -> Vec<Block> {
    let card = match report.products.first() {
        Some(product) => format!("{} ({product})", report.processor),
        None => report.processor.clone(),
    };
    let all = report.candidates.len() as u64;
    let mut blocks = vec![Block::Title(card, plural(all, "artifact", "artifacts"))];
    blocks.extend([Block::Space, verdict(report)]);
    let most = if style.verbose > 0 || style.full { usize::MAX } else { MOST };
    let rows = report.candidates.iter().take(most).map(|candidate| row(candidate, style));
    blocks.extend([Block::Space, Block::Items(rows.collect())]);
    if let Some(more @ 1..) = report.candidates.len().checked_sub(most) {
        let text = format!("{more} more{}", style.hint(": -v shows them"));
        blocks.push(Block::Text(Tone::Dim, text));
    }
    let by_manifest =
        report.candidates.iter().filter(|one| one.known_by == CandidateSource::Manifest).count();
    if by_manifest > 0 {
        let whose = match by_manifest == report.candidates.len() {
            true => "All answers are".to_owned(),
            false => format!("{} taken", plural(by_manifest as u64, "answer is", "answers are")),
        };
        let text =
            format!("{whose} from manifests: those files are not here, and what they hold was not checked.");
        blocks.extend([Block::Space, Block::Text(Tone::Dim, text)]);
    }
    blocks.extend(fetched(report, style));
    if let Some(command) = report.candidates.first().and_then(|best| best.install.as_ref()) {
        blocks.extend([Block::Heading("Install".to_owned()), Block::Lines(vec![command.clone()])]);
    }
    blocks.extend(findings::section_without_waste(&report.findings, style));
    blocks
}

/// How much of the files behind addresses was read.
fn fetched(report: &ChooseReport, style: &Style) -> Vec<Block> {
    let known = report.candidates.iter().filter_map(|one| one.fetched.zip(one.bytes));
    let (fetched, all) = known.fold((0, 0), |(fetched, all), (own, bytes)| (fetched + own, all + bytes));
    if all == 0 {
        return Vec::new();
    }
    let text = format!("From addresses {} of {} were read.", style.size(fetched), style.size(all));
    vec![Block::Space, Block::Text(Tone::Dim, text)]
}

fn verdict(report: &ChooseReport) -> Block {
    let Some(best) = report.candidates.first() else {
        return Block::Text(Tone::Bad, "Nothing to choose from.".to_owned());
    };
    let runs = report.candidates.iter().filter(|candidate| candidate.runs()).count();
    let unknown = report.candidates.iter().filter(|candidate| candidate.answer == Answer::Unknown).count();
    let others = [
        (report.candidates.len() - runs - unknown, "does not", "do not"),
        (unknown, "is not known", "are not known"),
    ];
    let clauses = others
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several)| format!("; {count} {}", if count == 1 { one } else { several }));
    let rest: String = clauses.collect();
    match (runs, best.answer) {
        (1, _) => Block::Text(Tone::Good, format!("{} runs{rest}.", best.name)),
        (2.., _) => {
            let mut running = report.candidates.iter().filter(|candidate| candidate.runs());
            let is_one = running.all(|candidate| candidate.package() == best.package());
            let what = match is_one {
                true => format!("{} is the best of {runs} that run", best.name),
                false => format!("{runs} run, of several packages; {} is listed first", best.name),
            };
            Block::Text(Tone::Good, format!("{what}{rest}."))
        }
        (0, Answer::Unknown) => Block::Text(Tone::Partial, "Nothing here is known to run on it.".to_owned()),
        (0, _) => match &best.override_value {
            Some(value) if best.runs_with_override() => Block::Text(
                Tone::Partial,
                format!("Nothing runs as it is; {} does {}.", best.name, with_override(value)),
            ),
            _ => Block::Text(Tone::Bad, "Nothing here runs on it.".to_owned()),
        },
    }
}

fn row(candidate: &Candidate, style: &Style) -> ListLine {
    let (glyph, words, tone) = sign(candidate.answer, style);
    let mut text = candidate.name.clone();
    if let Some(system) = candidate.system.filter(|own| *own != CandidateSystem::Linux) {
        text.push_str(&format!(" (for {})", system.name()));
    }
    let why: Vec<&str> = match candidate.answer {
        Answer::Runs => Vec::new(),
        _ => reasons(candidate),
    };
    let more = candidate.headline.strip_prefix(words).unwrap_or(&candidate.headline);
    let mut more = more.trim_start_matches([':', ',', ';', ' ']);
    if candidate.override_value.is_some() {
        more =
            more.strip_prefix("without an override").unwrap_or(more).trim_start_matches([':', ',', ';', ' ']);
    }
    let is_said =
        |why: &&str| candidate.answer == Answer::Compiles && (*why == COMPILES || more.contains(*why));
    let why: Vec<&str> = why.into_iter().filter(|why| !is_said(why) && *why != more).collect();
    if !more.is_empty() {
        text.push_str(&format!(": {more}"));
    }
    if !why.is_empty() {
        text.push_str(&format!(" ({})", why.join("; ")));
    }
    if let Some(value) = &candidate.override_value {
        text.push_str(&format!("; {}", with_override(value)));
    }
    if candidate.answer == Answer::Not && !candidate.targets.is_empty() && !text.contains("it has gfx") {
        let (shown, more) = candidate.targets.split_at(candidate.targets.len().min(TARGETS));
        text.push_str(&format!("; it has code for {}", shown.join(" ")));
        if !more.is_empty() {
            text.push_str(&format!(" and {} more", more.len()));
        }
    }
    for remark in &candidate.remarks {
        text.push_str(&format!(". Note: {remark}"));
    }
    ListLine { tone, label: format!("{glyph} {words}"), text }
}

/// Why it does not run, or not wholly: of the worst libraries.
fn reasons(candidate: &Candidate) -> Vec<&str> {
    let mut reasons: Vec<&str> = Vec::new();
    let worst = candidate.libraries.iter().filter(|library| library.answer == candidate.answer);
    for library in worst {
        if !reasons.contains(&library.reason.as_str()) && reasons.len() < 2 {
            reasons.push(&library.reason);
        }
    }
    reasons
}
