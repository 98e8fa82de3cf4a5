//! `rocm-audit fatbin FILE...`.

use super::global::{self, Destination, GlobalArgs};
use super::must_exist;
use crate::codeobject::Kernel;
use crate::error::AuditError;
use crate::extract;
use crate::fatbin::{OpenFile, report};
use crate::render::{self, Format, kernels};
use crate::scan::code_objects::Place;
use crate::walk;
use regex::Regex;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Files with device code: libraries, programs, .co, .hsaco, archives; or folders of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// List every bundle entry: size, id, and its place as a URI. Reads nothing but headers
    #[arg(short, long)]
    list: bool,
    /// List kernels with their registers, or those whose name matches REGEX
    #[arg(short, long, value_name = "REGEX", num_args = 0..=1, default_missing_value = "", conflicts_with = "list")]
    kernels: Option<String>,
    /// Write the code objects, inflated, into this new or empty folder
    #[arg(short, long, value_name = "DIR", conflicts_with_all = ["list", "kernels"])]
    extract: Option<PathBuf>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let outputs = global.outputs()?;
    let files = files(args)?;
    if args.list {
        return each(&outputs, |out, format, _| list(&files, global, out, format));
    }
    if let Some(pattern) = &args.kernels {
        let pattern = match pattern.as_str() {
            "" => None,
            text => Some(Regex::new(text).map_err(|e| AuditError::Usage(format!("--kernels: {e}")))?),
        };
        return each(&outputs, |out, format, destination| {
            let style = global.style(destination);
            list_kernels(&files, global, pattern.as_ref(), out, format, &style)
        });
    }
    if let Some(folder) = &args.extract {
        let written = extract::all(&files, folder, &|target| global.wants(target))?;
        return each(&outputs, |out, _, _| {
            written.iter().try_for_each(|path| writeln!(out, "{}", path.display()))
        });
    }
    if outputs.iter().all(|(_, format)| *format == Format::Jsonl) {
        return each(&outputs, |out, format, destination| {
            list_kernels(&files, global, None, out, format, &global.style(destination))
        });
    }
    let mut reports = Vec::new();
    for path in &files {
        let (mut file, _) = OpenFile::open(path)?.read(None);
        if !global.arch.is_empty() {
            file.targets.retain(|t| global.wants(&t.target_id));
        }
        reports.push(file);
    }
    let report = report(reports);
    for (destination, format) in &outputs {
        if *format == Format::Jsonl {
            let style = global.style(destination);
            each_one(destination, |out| list_kernels(&files, global, None, out, *format, &style))?;
        } else {
            global::write(destination, &render::fatbin(&report, *format, &global.style(destination)))?;
        }
    }
    Ok(())
}

/// The files of the call; folders are replaced by the files in them.
fn files(args: &Args) -> Result<Vec<PathBuf>, AuditError> {
    let mut files = Vec::new();
    for path in &args.files {
        must_exist(path)?;
        if path.is_dir() {
            let entries = walk::walk(std::slice::from_ref(path), &walk::Options::default());
            files.extend(
                entries.into_iter().filter(|e| matches!(e.kind, walk::Kind::File(_))).map(|e| e.path),
            );
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn each(
    outputs: &[(Destination, Format)],
    mut write: impl FnMut(&mut dyn Write, Format, &Destination) -> std::io::Result<()>,
) -> Result<(), AuditError> {
    outputs
        .iter()
        .try_for_each(|(destination, format)| each_one(destination, |out| write(out, *format, destination)))
}

fn each_one(
    destination: &Destination,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), AuditError> {
    let mut out = global::open(destination)?;
    write(&mut out).and_then(|()| out.flush()).map_err(|e| AuditError::io("write", destination.path(), e))
}

/// The entries of all files, in the manner of `roc-obj-ls`: one line each. Files that cannot be read are named on
/// standard error and do not end the list.
fn list(files: &[PathBuf], global: &GlobalArgs, out: &mut dyn Write, format: Format) -> std::io::Result<()> {
    let mut any = false;
    for path in files {
        let file = match OpenFile::open(path) {
            Ok(file) => file,
            Err(error) => {
                global::complain(&error.to_string());
                continue;
            }
        };
        for problem in &file.container.problems {
            global::complain(&format!("{}: {problem}", path.display()));
        }
        let mut result = Ok(());
        file.for_each_entry(|bundle, entry, uri| {
            let id = entry.id.as_ref().map_or("code-object", |id| id.as_str());
            let target = entry.id.as_ref().and_then(|id| id.target()).map(ToString::to_string);
            if result.is_err() || !(global.arch.is_empty() || target.is_some_and(|t| global.wants(&t))) {
                return;
            }
            any = true;
            result = match format {
                Format::Json | Format::Jsonl => {
                    let line = serde_json::json!({
                        "type": "entry", "path": path.to_string_lossy(), "id": entry.id.as_ref().map(|i| i.as_str()),
                        "bytes": entry.size, "uri": uri, "stored_as": bundle.storage.describe(), "member": bundle.member,
                    });
                    writeln!(out, "{line}")
                }
                Format::Md => writeln!(out, "- {} bytes `{id}` <{uri}>", entry.size),
                Format::Table => writeln!(out, "{:>12}  {id:<45}  {uri}", entry.size),
            };
        });
        result?;
    }
    if !any && format == Format::Table {
        writeln!(out, "No AMD GPU code in {} file(s).", files.len())?;
    }
    Ok(())
}

fn list_kernels(
    files: &[PathBuf],
    global: &GlobalArgs,
    pattern: Option<&Regex>,
    out: &mut dyn Write,
    format: Format,
    style: &render::style::Style,
) -> std::io::Result<()> {
    let write = |lines: &mut Vec<u8>, place: &Place<'_>, kernel: &Kernel<'_>| {
        if global.wants(&place.target.to_string()) {
            match format {
                Format::Json | Format::Jsonl => kernels::line(lines, place, kernel, pattern),
                Format::Md => kernels::markdown_row(lines, place, kernel, pattern),
                Format::Table => kernels::row(lines, place, kernel, pattern, style),
            }
        }
    };
    out.write_all(kernels::header(format, style).as_bytes())?;
    for path in files {
        match OpenFile::open(path) {
            Ok(file) => {
                let (report, lines) = file.read(Some(&write));
                out.write_all(&lines)?;
                for problem in &report.problems {
                    global::complain(&format!("{}: {}", problem.path, problem.what));
                }
            }
            Err(error) => global::complain(&error.to_string()),
        }
    }
    Ok(())
}
