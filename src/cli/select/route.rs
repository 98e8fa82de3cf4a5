//! What the two operations of llama.cpp share: their options, and files of problems.

use super::problems::{self, Wrong};
use crate::answers::{self, NamedRoutes};
use crate::cli::global::GlobalArgs;
use crate::cli::must_exist;
use crate::engines::ggml;
use crate::engines::ggml::presence::Library;
use crate::engines::ggml::types::{self, Type};
use crate::engines::ggml::{Query, Version};
use crate::error::{AuditError, NotUnderstood};
use crate::finding::Finding;
use crate::render::style::Style;
use crate::render::{Drawn, Format};
use std::path::{Path, PathBuf};

/// What both operations have.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct RouteArgs {
    /// The version of ggml whose rules are asked [default: as the library says]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub version: Option<Version>,
    /// Answer the problems of FILE instead: tab-separated lines with the columns arch and query
    #[arg(long, value_name = "FILE")]
    pub problems: Option<PathBuf>,
    /// ggml's library for HIP, or a folder below which it is
    pub library: PathBuf,
}

pub(super) fn ty(text: &str) -> Result<Type, NotUnderstood> {
    types::named(text).map_err(|error| error.to_string().into())
}

pub(super) fn version(text: &str) -> Result<Version, NotUnderstood> {
    let known = ggml::rules::rules().map(ggml::rules::RouteRules::known).unwrap_or_default();
    text.parse().map_err(|error| format!("{error}; known are those of {known}").into())
}

/// A dimension: ggml's own 32-bit numbers end there.
pub(super) fn size() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=i32::MAX as u64)
}

/// Opens ggml's library: the file, or the one of its name below a folder or in a package.
pub(super) fn open(path: &Path) -> Result<Library, AuditError> {
    must_exist(path)?;
    answers::open_ggml(path)
}

/// Writes a report to every output.
pub(super) fn write<'r>(
    global: &GlobalArgs,
    draw: impl Fn(Format, &Style) -> Drawn<'r>,
) -> Result<(), AuditError> {
    global.write_each(&|format, style| match format {
        Format::Jsonl => {
            let what = "select: lines of JSON are answers to --problems of gemm; use -f json here";
            Err(AuditError::Usage(what.into()))
        }
        _ => draw(format, style),
    })
}

/// Answers the problems of a file in their order: target, problem, route, mangled name of the main kernel. A line that is none is
/// answered with `error` and a sentence. Gives what could not be read.
pub(super) fn answer_all(
    file: &Path,
    library: &Library,
    version: Option<Version>,
    global: &GlobalArgs,
) -> Result<Vec<Finding>, AuditError> {
    let text = std::fs::read_to_string(file).map_err(|e| AuditError::io("read", file, e))?;
    let mut lines = text.lines().enumerate().map(|(number, line)| (number as u64 + 1, line));
    let header: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    let column = |name: &str| header.iter().position(|title| *title == name);
    let (Some(arch_at), Some(query_at)) = (column("arch"), column("query")) else {
        let what = "a header with the columns arch and query is expected, separated by tabs";
        return Err(AuditError::Usage(format!("{}, line 1: {what}", file.display())));
    };
    let mut routes = NamedRoutes::from_library(library, version)?;
    let mut answers = vec!["arch\tquery\troute\tmain_kernel_mangled\n".to_owned()];
    let mut unread = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (arch, text) = (fields.get(arch_at).copied(), fields.get(query_at).copied());
        let answered = match (arch, text) {
            (Some(arch), Some(text)) => text
                .parse()
                .map_err(|e: ggml::query::BadQuery| e.to_string().into())
                .and_then(|query: Query| routes.answer(arch, &query)),
            _ => Err("it has too few columns".into()),
        };
        let (route, symbol) = match answered {
            Ok((route, symbol)) => (route.to_string(), symbol.unwrap_or_default().to_owned()),
            Err(what) => {
                let wrong = Wrong::new(file, number, what);
                unread.push(wrong.finding());
                ("error".to_owned(), wrong.what().to_owned())
            }
        };
        let (arch, text) = (arch.unwrap_or_default(), text.unwrap_or_default());
        answers.push(format!("{arch}\t{text}\t{route}\t{symbol}\n"));
    }
    if !unread.is_empty() && unread.len() + 1 == answers.len() {
        let first = unread.first().map(ToString::to_string).unwrap_or_default();
        return Err(AuditError::Usage(format!("no line is a problem; the first: {first}")));
    }
    problems::write(global, |out| answers.iter().try_for_each(|answer| out(answer)))?;
    Ok(unread)
}
