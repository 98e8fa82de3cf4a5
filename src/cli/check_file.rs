//! `rocm-audit.toml`: what a project requires, so that it need not stand in every call.

use super::exit::FailOn;
use super::gpu;
use crate::capability::requirement::Ignore;
use crate::comparison::size_budget::SizeBudget;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::rules;
use crate::target::TargetId;
use globset::Glob;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The name that is looked for in the current folder.
pub(super) const NAME: &str = "rocm-audit.toml";

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenCheckFile {
    #[serde(default)]
    require: Vec<String>,
    #[serde(default)]
    library: Vec<String>,
    #[serde(default)]
    per_file: bool,
    #[serde(default)]
    max_size: Vec<String>,
    #[serde(default)]
    fail_on: Vec<String>,
    baseline: Option<PathBuf>,
    #[serde(default)]
    ignore: Vec<WrittenIgnore>,
}

/// One `[[ignore]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenIgnore {
    rule: Option<String>,
    target: Option<String>,
    library: Option<String>,
    path: Option<String>,
    reason: String,
}

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct CheckFile {
    pub require: Vec<TargetId>,
    pub library: Vec<String>,
    pub per_file: bool,
    pub max_size: Vec<SizeBudget>,
    pub fail_on: Vec<FailOn>,
    /// From the folder of the file.
    pub baseline: Option<PathBuf>,
    pub ignores: Vec<Ignore>,
}

impl CheckFile {
    /// The file that is named, else the one in the current folder, else nothing.
    ///
    /// # Errors
    /// Where it cannot be read, is no TOML (with line and column), or says what is not understood.
    pub fn find(named: Option<&Path>) -> Result<(Option<PathBuf>, CheckFile), AuditError> {
        let path = match named {
            Some(path) => path.to_owned(),
            None if Path::new(NAME).is_file() => PathBuf::from(NAME),
            None => return Ok((None, CheckFile::default())),
        };
        let text = std::fs::read_to_string(&path).map_err(|error| AuditError::io("read", &path, error))?;
        let wrong = |what: String| AuditError::Usage(format!("{}: {what}", path.display()));
        let written: WrittenCheckFile =
            toml::from_str(&text).map_err(|error| wrong(message(&error, &text)))?;
        let target = |text: &String| gpu::target(text).map_err(|what| wrong(format!("{text}: {what}")));
        let budget = |text: &String| {
            SizeBudget::parse(text, gpu::target).map_err(|what| wrong(format!("max-size {text}: {what}")))
        };
        let fail_on =
            |word: &String| FailOn::parse(word).map_err(|what| wrong(format!("fail-on {word}: {what}")));
        let folder = path.parent().unwrap_or(Path::new(""));
        let found = CheckFile {
            require: written.require.iter().map(target).collect::<Result<_, _>>()?,
            library: written.library,
            per_file: written.per_file,
            max_size: written.max_size.iter().map(budget).collect::<Result<_, _>>()?,
            fail_on: written.fail_on.iter().map(fail_on).collect::<Result<_, _>>()?,
            baseline: written.baseline.map(|baseline| folder.join(baseline)),
            ignores: written
                .ignore
                .into_iter()
                .map(|own| ignore(own).map_err(|what| wrong(what.into())))
                .collect::<Result<_, _>>()?,
        };
        Ok((Some(path), found))
    }
}

/// An error of the parser with line and column, in one line.
fn message(error: &toml::de::Error, text: &str) -> String {
    let at = error.span().map_or(0, |span| span.start);
    let before = text.get(..at).unwrap_or_default();
    let (line, column) =
        (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
    format!("line {line}, column {column}: {}", error.message())
}

fn ignore(own: WrittenIgnore) -> Result<Ignore, NotUnderstood> {
    if own.reason.trim().is_empty() {
        return Err("an [[ignore]] has an empty reason: say why it is ignored".into());
    }
    if own.rule.is_none() && own.target.is_none() && own.library.is_none() {
        return Err(format!(
            "the [[ignore]] with the reason {:?} names no rule, target or library",
            own.reason
        )
        .into());
    }
    if let Some(rule) = own.rule.as_ref().filter(|rule| rules::of_id(rule).is_none()) {
        return Err(format!("[[ignore]]: no rule is called {rule}; `rocm-audit list rules` has them").into());
    }
    let glob = |text: &String| {
        Glob::new(text)
            .map(|glob| glob.compile_matcher())
            .map_err(|error| NotUnderstood::from(format!("[[ignore]] path: {error}")))
    };
    let target = own.target.map(|text| gpu::target(&text)).transpose()?;
    Ok(Ignore {
        rule: own.rule,
        processor: target.map(|target| target.processor),
        library: own.library,
        path: own.path.as_ref().map(glob).transpose()?,
        reason: own.reason,
    })
}
