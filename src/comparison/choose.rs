//! Makes the document of `choose`: what each candidate does on a card, best first.

use super::candidates::ArtifactCandidate;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::report::v1::{
    Answer, Candidate, CandidateSource, CandidateSystem, Manifest, ManifestTarget, Tool,
};
use crate::source::given;
use std::cmp::Reverse;

/// What is known of a candidate.
#[derive(Debug)]
pub struct KnownCandidate {
    /// The candidate.
    pub candidate: ArtifactCandidate,
    /// What its file says; without the file what a manifest of it says.
    pub manifest: Option<Manifest>,
    /// Which of both it is.
    pub source: CandidateSource,
    /// What the manifest says in two ways that cannot both be true.
    pub contradiction: Option<String>,
    /// What does not fit together.
    pub remarks: Vec<String>,
}

/// The row of a candidate for a processor.
pub fn row(known: KnownCandidate, processor: &str) -> Candidate {
    let KnownCandidate { candidate, manifest, source, contradiction, mut remarks } = known;
    let cards = manifest.as_ref().and_then(|manifest| manifest.of_processor(processor));
    let cards = cards.filter(|_| contradiction.is_none());
    let (answer, headline) = match (&manifest, cards, contradiction) {
        (_, _, Some(what)) => {
            (Answer::Unknown, format!("not known: its manifest contradicts itself: {what}"))
        }
        (_, Some(cards), None)
            if cards.answer == Answer::Unknown && !cards.headline.starts_with("not known") =>
        {
            (Answer::Unknown, format!("not known: {}", cards.headline))
        }
        (_, Some(cards), None) => (cards.answer, cards.headline.clone()),
        (Some(manifest), None, None) => {
            (Answer::Unknown, format!("not known: {}", manifest.why_silent_about(processor)))
        }
        (None, None, None) => {
            (Answer::Unknown, "not known: neither the file nor a manifest of it is here".to_owned())
        }
    };
    if answer != Answer::Unknown && manifest.as_ref().is_some_and(|manifest| !manifest.complete) {
        remarks.push("it could not be read whole".to_owned());
    }
    let override_value =
        cards.and_then(|cards| cards.override_value.clone()).filter(|_| answer == Answer::Not);
    let named = candidate.path.as_ref().map(|path| path.to_string_lossy().into_owned());
    let (path, url) = match source {
        CandidateSource::Address => (None, named),
        _ => (named, candidate.url),
    };
    let place = path.clone().or_else(|| url.clone());
    let mut row = Candidate {
        system: system(&candidate.name),
        path,
        url,
        known_by: source,
        answer,
        headline,
        libraries: cards.map(|cards| cards.libraries.clone()).unwrap_or_default(),
        override_value,
        targets: manifest.iter().flat_map(|m| &m.targets).map(|target| target.target_id.clone()).collect(),
        bytes: manifest.as_ref().map(|manifest| manifest.artifact.bytes),
        fetched: candidate.path.as_deref().and_then(given::fetched),
        install: None,
        remarks,
        name: candidate.name,
    };
    if row.runs() || row.runs_with_override() {
        row.install = place.and_then(|place| install(&row.name, &place));
    }
    row
}

/// Puts candidates in order, best first.
pub fn in_order(candidates: &mut [Candidate]) {
    candidates.sort_by_cached_key(|candidate| {
        let tuned: usize = candidate.libraries.iter().map(|library| library.tuned.len()).sum();
        let bytes = candidate.bytes.unwrap_or(u64::MAX);
        let is_foreign = !matches!(candidate.system, None | Some(CandidateSystem::Linux));
        (rank(candidate), is_foreign, Reverse(tuned), bytes, candidate.name.clone(), candidate.path.clone())
    });
}

fn rank(candidate: &Candidate) -> u8 {
    match candidate.answer {
        Answer::Runs => 0,
        Answer::Limits => 1,
        Answer::Compiles => 2,
        Answer::Not if candidate.runs_with_override() => 3,
        Answer::Unknown => 4,
        Answer::Not => 5,
    }
}

/// In what a manifest differs from what its file says of itself, each in a clause. `file` must be about the processor.
/// A manifest comes with its contradiction.
pub fn differences(
    (stated, contradiction): (&Manifest, Option<&String>),
    file: &Manifest,
    processor: &str,
) -> Vec<String> {
    let mut found: Vec<String> = contradiction.into_iter().cloned().collect();
    let mut differs = |what: &str, stated: String, own: String| {
        if stated != own {
            found.push(format!("{what} {stated}, and the file has {own}"));
        }
    };
    let (a, b) = (&stated.artifact, &file.artifact);
    if let (Some(stated), Some(own)) = (&a.sha256, &b.sha256) {
        differs("SHA-256", stated.to_ascii_lowercase(), own.clone());
    }
    differs("bytes:", a.bytes.to_string(), b.bytes.to_string());
    let identity = |own: &Option<String>| own.clone().unwrap_or_else(|| "none".to_owned());
    differs("package:", identity(&a.identity), identity(&b.identity));
    let (a, b) = (&stated.targets, &file.targets);
    for target in
        a.iter().chain(b.iter().filter(|own| !a.iter().any(|known| known.target_id == own.target_id)))
    {
        let counts = |all: &[ManifestTarget]| match all.iter().find(|own| own.target_id == target.target_id) {
            None => "no code".to_owned(),
            Some(own) => format!("{} code objects with {} kernels", own.code_objects, own.kernels),
        };
        differs(&format!("{}:", target.target_id), counts(a), counts(b));
    }
    let releases = |all: &Manifest| {
        all.releases.iter().map(|own| format!("{} {}", own.component, own.version)).collect()
    };
    let libraries = |all: &Manifest| all.libraries.iter().map(|own| own.library.clone()).collect();
    let files =
        |all: &Manifest| all.files.iter().map(|own| format!("{} ({} bytes)", own.path, own.bytes)).collect();
    let list = |all: Vec<String>| if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    differs("releases:", list(releases(stated)), list(releases(file)));
    differs("libraries:", list(libraries(stated)), list(libraries(file)));
    differs("binaries:", list(files(stated)), list(files(file)));
    let complete = |own: &Manifest| if own.complete { "whole" } else { "not read whole" }.to_owned();
    differs("it was", complete(stated), complete(file));
    let Some(own) = file.of_processor(processor) else { return found };
    match stated.of_processor(processor) {
        None => found.push(stated.why_silent_about(processor)),
        Some(stated) if stated.headline != own.headline || stated.answer != own.answer => {
            found.push(format!("{processor}: {}; and by the file: {}", stated.headline, own.headline))
        }
        Some(stated)
            if (&stated.libraries, &stated.override_value) != (&own.libraries, &own.override_value) =>
        {
            found.push(format!("{processor}: what it says of single libraries is not what the file says"));
        }
        Some(_) => {}
    }
    found
}

/// The finding for a manifest that differs from its file.
pub fn manifest_differs(from: &str, stated: &Manifest, differences: &[String]) -> Option<Finding> {
    let first = differences.first()?;
    let more = match differences.len() - 1 {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let tool = &stated.header.tool;
    let by = match tool.version == Tool::default().version {
        true => String::new(),
        false => format!(" (written by {} {})", tool.name, tool.version),
    };
    Some(Finding {
        count: differences.len() as u64,
        ..Finding::of_file(&read::MANIFEST_DIFFERS, from, format!("says{by}: {first}{more}"))
    })
}

/// The system in the name of a wheel or package.
fn system(name: &str) -> Option<CandidateSystem> {
    let name = name.to_ascii_lowercase();
    if let Some(stem) = name.strip_suffix(".whl") {
        let platform = stem.rsplit('-').next().unwrap_or_default();
        return match platform {
            own if own.starts_with("win") => Some(CandidateSystem::Windows),
            own if own.contains("linux") => Some(CandidateSystem::Linux),
            own if own.starts_with("macosx") => Some(CandidateSystem::Macos),
            _ => None,
        };
    }
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if name.ends_with(".deb") || name.ends_with(".rpm") || name.ends_with(".apk") => {
            Some(CandidateSystem::Linux)
        }
        () if has(&["windows", "win_amd64", "win64", "win-x64", "-win-"]) => Some(CandidateSystem::Windows),
        () if has(&["linux", "ubuntu", "debian", "fedora"]) => Some(CandidateSystem::Linux),
        () if has(&["macos", "darwin"]) => Some(CandidateSystem::Macos),
        () => None,
    }
}

/// The command that installs an artifact of this name from a path or address.
fn install(name: &str, place: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let is_address = place.contains("://");
    let local =
        if is_address || place.starts_with(['/', '.']) { place.to_owned() } else { format!("./{place}") };
    let quoted = quoted(&local);
    match lower.rsplit('.').next().unwrap_or_default() {
        "whl" => Some(format!("pip install {quoted}")),
        "deb" if !is_address => Some(format!("apt install {quoted}")),
        "rpm" => Some(format!("dnf install {quoted}")),
        "conda" => Some(format!("conda install {quoted}")),
        _ => None,
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%=,~".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_system_and_the_installer() {
        for (name, expected, command) in [
            (
                "a-1-py3-none-win_amd64.whl",
                Some(CandidateSystem::Windows),
                Some("pip install ./d/a-1-py3-none-win_amd64.whl"),
            ),
            ("a-1-cp312-cp312-manylinux_2_28_x86_64.whl", Some(CandidateSystem::Linux), None),
            ("a-1-py3-none-any.whl", None, None),
            (
                "librocblas4_6.4_amd64.deb",
                Some(CandidateSystem::Linux),
                Some("apt install ./d/librocblas4_6.4_amd64.deb"),
            ),
            ("llama-b6000-bin-ubuntu-rocm-x64.zip", Some(CandidateSystem::Linux), None),
        ] {
            assert_eq!(system(name), expected, "{name}");
            if let Some(command) = command {
                assert_eq!(install(name, &format!("d/{name}")).as_deref(), Some(command));
            }
        }
        assert_eq!(install("a b.whl", "/x/a b.whl").as_deref(), Some("pip install '/x/a b.whl'"));
        assert_eq!(install("x.zip", "x.zip"), None);
        assert_eq!(
            install("a;rm.whl", "https://example.invalid/a;rm.whl").as_deref(),
            Some("pip install 'https://example.invalid/a;rm.whl'")
        );
    }
}
