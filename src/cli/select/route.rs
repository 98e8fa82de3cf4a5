//! What the two operations of llama.cpp share: their options, and files of problems.

use super::problems::{self, Wrong};
use crate::answers::{self, NamedRoutes};
use crate::cli::global::GlobalArgs;
use crate::cli::must_exist;
use crate::engines::ggml;
use crate::engines::ggml::presence::Library;
use crate::engines::ggml::types::{self, Type};
use crate::engines::ggml::{Query, Version};
use crate::engines::workload;
use crate::error::{AuditError, NotUnderstood};
use crate::finding::Finding;
use crate::render::style::Style;
use crate::render::{Drawn, Format};
use std::path::{Path, PathBuf};

// No doc comment, which would become the help of both: what both operations have.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct RouteArgs {
    /// The version of ggml whose rules are asked [default: as the library says]
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub version: Option<Version>,
    /// Answer the problems of FILE instead: tab-separated lines with the columns arch and query, or a list as
    /// `workload` reads it
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

/// Answers the problems of a file in their order: target, problem, route, mangled name of the main kernel. A
/// line that is none is answered with `error` and a sentence. Gives what could not be read.
pub(super) fn answer_all(
    file: &Path,
    library: &Library,
    version: Option<Version>,
    global: &GlobalArgs,
) -> Result<Vec<Finding>, AuditError> {
    let text = std::fs::read_to_string(file).map_err(|e| AuditError::io("read", file, e))?;
    let rows = if text.trim_start().starts_with('{') { listed(&text, global) } else { tabbed(&text, file)? };
    let mut routes = NamedRoutes::from_library(library, version)?;
    let mut answers = vec!["arch\tquery\troute\tmain_kernel_mangled\n".to_owned()];
    let mut unread = Vec::new();
    for AskedRow { line, arch, query } in &rows {
        let answered = match (arch, query) {
            (Ok(arch), Ok(text)) => text
                .parse()
                .map_err(|e: ggml::query::BadQuery| e.to_string().into())
                .and_then(|query: Query| routes.answer(arch, &query)),
            (Err(what), _) | (_, Err(what)) => Err(what.clone().into()),
        };
        let (route, symbol) = match answered {
            Ok((route, symbol)) => (route.to_string(), symbol.unwrap_or_default().to_owned()),
            Err(what) => {
                let wrong = Wrong::new(file, *line, what);
                unread.push(wrong.finding());
                ("error".to_owned(), wrong.what().to_owned())
            }
        };
        let shown = |field: &Result<String, NotUnderstood>| field.as_deref().unwrap_or_default().to_owned();
        answers.push(format!("{}\t{}\t{route}\t{symbol}\n", shown(arch), shown(query)));
    }
    if !unread.is_empty() && unread.len() + 1 == answers.len() {
        let first = unread.first().map(ToString::to_string).unwrap_or_default();
        return Err(AuditError::Usage(format!("no line is a problem; the first: {first}")));
    }
    problems::write(global, |out| answers.iter().try_for_each(|answer| out(answer)))?;
    Ok(unread)
}

/// A line of a file of problems.
struct AskedRow {
    /// Its number, from 1.
    line: u64,
    arch: Result<String, NotUnderstood>,
    query: Result<String, NotUnderstood>,
}

/// The rows of a table with tabs, whose header names the columns.
fn tabbed(text: &str, file: &Path) -> Result<Vec<AskedRow>, AuditError> {
    let mut lines = text.lines().enumerate().map(|(number, line)| (number as u64 + 1, line));
    let header: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    let column = |name: &str| header.iter().position(|title| *title == name);
    let (Some(arch_at), Some(query_at)) = (column("arch"), column("query")) else {
        let what =
            "a header with the columns arch and query is expected, separated by tabs, or lines of JSON";
        return Err(AuditError::Usage(format!("{}, line 1: {what}", file.display())));
    };
    let row = |(line, text): (u64, &str)| {
        let fields: Vec<&str> = text.split('\t').collect();
        let field = |at: usize| {
            fields
                .get(at)
                .map(ToString::to_string)
                .ok_or_else(|| NotUnderstood::from("it has too few columns"))
        };
        AskedRow { line, arch: field(arch_at), query: field(query_at) }
    };
    Ok(lines.filter(|(_, line)| !line.is_empty()).map(row).collect())
}

/// A line of JSON.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonLine {
    #[serde(default)]
    arch: Option<String>,
    #[serde(alias = "ggml")]
    query: String,
    /// Of lists for `workload`; a route does not depend on it.
    #[serde(default, rename = "weight")]
    _weight: u64,
}

/// The rows of lines of JSON. A line without a target has that of the call.
fn listed(text: &str, global: &GlobalArgs) -> Vec<AskedRow> {
    let of_call = || problems::target_of_call(global).map(|target| target.to_string());
    let row = |(number, text): (usize, &str)| {
        let (arch, query) = match serde_json::from_str::<JsonLine>(text) {
            Ok(line) => (line.arch.map_or_else(of_call, Ok), Ok(line.query)),
            Err(_) if workload::named(text).is_some_and(|problem| problem.is_ok()) => {
                (Ok(String::new()), Err(problems::other_library()))
            }
            Err(error) => (Ok(String::new()), Err(format!("not a problem: {error}").into())),
        };
        AskedRow { line: number as u64 + 1, arch, query }
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(row).collect()
}
