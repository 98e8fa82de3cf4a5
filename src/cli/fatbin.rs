//! `rocm-audit fatbin FILE...`.

use super::global::{self, Destination, GlobalArgs};
use super::must_exist;
use crate::codeobject::Kernel;
use crate::codeobject::disassembly::DecodeOptions;
use crate::error::AuditError;
use crate::finding::read_fault::ReadFault;
use crate::input::device_file::DeviceFile;
use crate::input::package::is_package;
use crate::input::walk;
use crate::isa;
use crate::isa::class::{CLASSES, Class};
use crate::limits::PROBLEMS_PER_RUN;
use crate::render::style::{plural, printable};
use crate::render::{self, Format, kernels};
use crate::report::fatbin::{self, report};
use crate::report::v1::{self, EntryLine};
use crate::scan::device_code::Place;
use crate::scan::extract;
use crate::target::TargetId;
use regex::Regex;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
pub(super) struct Args {
    /// Files with device code: libraries, programs, .co, .hsaco, archives; or folders of them
    #[arg(required_unless_present_any = ["kernels", "isa"])]
    files: Vec<PathBuf>,
    /// List every bundle entry: size, id, and its place as a URI. Reads nothing but headers
    #[arg(short, long)]
    list: bool,
    /// List kernels with their registers, or those whose name matches REGEX
    #[arg(short, long, value_name = "REGEX", num_args = 0..=1, default_missing_value = "", conflicts_with = "list")]
    kernels: Option<String>,
    /// Decode the machine code: instructions by class and mnemonic, and kernels that can only trap; or of each kernel whose
    /// name matches KERNEL
    #[arg(long, value_name = "KERNEL", num_args = 0..=1, default_missing_value = "", conflicts_with = "list")]
    isa: Option<String>,
    /// Show only the mnemonics of these classes (`rocm-audit list classes`); repeatable, or with commas
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = class)]
    isa_class: Vec<&'static Class>,
    /// Also count the instructions that this processor does not have
    #[arg(long, value_name = "TARGET", value_parser = decodable)]
    legal_on: Option<String>,
    /// Write the code objects, inflated, into this new or empty folder
    #[arg(short, long, value_name = "DIR", conflicts_with_all = ["list", "kernels", "isa"])]
    extract: Option<PathBuf>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<(), AuditError> {
    let outputs = global.outputs()?;
    let (files, pattern) = files(args)?;
    let isa = asks_isa(args, &files, &global.arch)?;
    if args.list {
        return each(&outputs, |out, format, _| list(&files, global, out, format));
    }
    if let Some(pattern) = &pattern {
        let pattern = match pattern.as_str() {
            "" => None,
            text => Some(Regex::new(text).map_err(|e| AuditError::Usage(format!("--kernels: {e}")))?),
        };
        return each(&outputs, |out, format, destination| {
            let style = global.style(destination);
            list_kernels(&files, global, (pattern.as_ref(), isa.is_some()), out, format, &style)
        });
    }
    if let Some(folder) = &args.extract {
        let written = extract::all(&files, folder, &|target| global.wants(target))?;
        return each(&outputs, |out, _, _| {
            written.iter().try_for_each(|path| writeln!(out, "{}", printable(&path.to_string_lossy())))
        });
    }
    if outputs.iter().all(|(_, format)| *format == Format::Jsonl) {
        return each(&outputs, |out, format, destination| {
            list_kernels(&files, global, (None, isa.is_some()), out, format, &global.style(destination))
        });
    }
    let mut reports = Vec::new();
    let mut wrong = Vec::new();
    for path in &files {
        let mut read = |open: DeviceFile| {
            let mut file = fatbin::read(&open, None, isa.as_ref().map(|isa| isa.ask()), &mut |_| {});
            if !global.arch.is_empty() {
                file.targets.retain(|t| TargetId::parse(&t.target_id).is_none_or(|t| global.wants(&t)));
                file.asked = global.arch.iter().map(ToString::to_string).collect();
            }
            reports.push(file);
        };
        match DeviceFile::open_each(path, &mut read, &mut |problem| keep(&mut wrong, problem)) {
            Ok(()) => {}
            // One unreadable file among several does not end the run.
            Err(error) if files.len() > 1 => global::complain(&error.to_string()),
            Err(error) => return Err(error),
        }
    }
    let report = report(reports, &wrong);
    for (destination, format) in &outputs {
        if *format == Format::Jsonl {
            let style = global.style(destination);
            each_one(destination, |out| {
                list_kernels(&files, global, (None, isa.is_some()), out, *format, &style)
            })?;
        } else {
            let style = global.style(destination);
            let text = match &isa {
                Some(isa) => {
                    render::fatbin_isa(&report, &args.isa_class, isa.kernel.is_some(), *format, &style)
                }
                None => render::fatbin(&report, *format, &style),
            };
            global::write(destination, &text)?;
        }
    }
    Ok(())
}

/// What is wanted of machine code.
struct Isa<'a> {
    targets: &'a [TargetId],
    kernel: Option<Regex>,
    legal_on: Option<&'a str>,
}

impl Isa<'_> {
    fn ask(&self) -> DecodeOptions<'_> {
        DecodeOptions {
            targets: self.targets,
            histograms: self.kernel.as_ref(),
            legal_on: self.legal_on,
            ..DecodeOptions::default()
        }
    }
}

/// Whether machine code is to be decoded, and of which kernels. What follows `--isa` is a file where no other is named.
fn asks_isa<'a>(
    args: &'a Args,
    files: &[PathBuf],
    targets: &'a [TargetId],
) -> Result<Option<Isa<'a>>, AuditError> {
    let legal_on = args.legal_on.as_deref();
    let Some(word) = &args.isa else {
        let wanted = legal_on.is_some() || !args.isa_class.is_empty();
        return Ok(wanted.then_some(Isa { targets, kernel: None, legal_on }));
    };
    let is_file = args.files.is_empty() && files.iter().any(|file| file.starts_with(word));
    let kernel = match word.as_str() {
        "" => None,
        _ if is_file => None,
        text => Some(Regex::new(text).map_err(|e| AuditError::Usage(format!("--isa: {e}")))?),
    };
    Ok(Some(Isa { targets, kernel, legal_on }))
}

/// A class of instructions by its name.
fn class(text: &str) -> Result<&'static Class, String> {
    let known = || CLASSES.iter().map(|class| class.id).collect::<Vec<_>>().join(", ");
    Class::by_id(text).map(|(_, class)| class).ok_or_else(|| format!("no such class; there are {}", known()))
}

/// A processor whose instructions are known.
pub(super) fn decodable(text: &str) -> Result<String, String> {
    let processor = TargetId::parse(text).map_or_else(|| text.to_owned(), |target| target.processor);
    match isa::processor::Isa::by_name(&processor) {
        Some(_) => Ok(processor),
        None => {
            let known: Vec<_> = isa::processor::all().iter().map(|isa| isa.name).collect();
            Err(format!("its instructions are not known; known are {}", known.join(", ")))
        }
    }
}

/// The files of the call, and the pattern of kernels. Folders are replaced by the files in them that hold device code.
/// What follows `--kernels` is a file where no other is named.
fn files(args: &Args) -> Result<(Vec<PathBuf>, Option<String>), AuditError> {
    let mut named = args.files.clone();
    let mut pattern = args.kernels.clone();
    if named.is_empty() && pattern.is_some() {
        named.extend(pattern.take().filter(|p| !p.is_empty()).map(PathBuf::from));
        pattern = Some(String::new());
    }
    if let (true, Some(word)) = (named.is_empty(), args.isa.as_ref().filter(|word| !word.is_empty())) {
        named.push(PathBuf::from(word));
    }
    if named.is_empty() {
        return Err(AuditError::Usage("fatbin: name a file".into()));
    }
    let mut files = Vec::new();
    for path in &named {
        must_exist(path)?;
        if path.is_dir() {
            let entries = walk::walk(std::slice::from_ref(path), &walk::Options::default()).entries;
            for entry in &entries {
                if let walk::Kind::Unreadable(what) = &entry.kind {
                    global::complain(&format!("{}: {what}", entry.shown));
                }
            }
            let inside =
                entries.into_iter().filter(|e| matches!(e.kind, walk::Kind::File(_))).map(|e| e.path);
            files.extend(inside.filter(|p| may_hold_device_code(p)));
        } else {
            files.push(path.clone());
        }
    }
    Ok((files, pattern))
}

/// Keeps problems up to a bound.
fn keep(problems: &mut Vec<ReadFault>, problem: ReadFault) {
    if problems.len() < PROBLEMS_PER_RUN {
        problems.push(problem);
    }
}

/// Whether a file of a folder is worth reading: it holds device code, or it is a package, which may.
fn may_hold_device_code(path: &Path) -> bool {
    DeviceFile::open(path).is_ok_and(|f| f.has_device_code() || is_package(f.format))
}

/// Opens each of the files, packages member by member, until `each` fails. Files and packages that cannot be read are
/// named on standard error.
fn open_all(
    files: &[PathBuf],
    mut each: impl FnMut(DeviceFile) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut result = Ok(());
    for path in files {
        let mut read = |open: DeviceFile| {
            if result.is_ok() {
                result = each(open);
            }
        };
        let mut wrong = |problem: ReadFault| global::complain(&problem.to_string());
        if let Err(error) = DeviceFile::open_each(path, &mut read, &mut wrong) {
            global::complain(&error.to_string());
        }
    }
    result
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
    let mut document = Document::begin(out, format, v1::document::ENTRIES, "entries")?;
    open_all(files, |file| {
        let path = file.file.locator().shown();
        for problem in file.container.problems.iter() {
            global::complain(&format!("{path}: {problem}"));
        }
        for what in file.not_examined() {
            global::complain(&format!("{path}: not examined: {what}"));
        }
        if let Some(marker) = &file.container.kpack {
            let paths = marker.search_paths.join(", ");
            global::complain(&format!("{path}: its device code was moved to kpack archives: {paths}"));
        }
        let mut result = Ok(());
        file.for_each_entry(|bundle, entry, uri| {
            let target = file.target_of(bundle, entry);
            if result.is_err()
                || !(global.arch.is_empty() || target.as_ref().is_some_and(|t| global.wants(t)))
            {
                return;
            }
            let bare = || target.as_ref().map_or("code-object".to_owned(), |t| format!("code-object {t}"));
            let id = entry.id.as_ref().map_or_else(bare, ToString::to_string);
            any = true;
            result = match format {
                Format::Json | Format::Jsonl => {
                    let line = EntryLine {
                        kind: "entry",
                        path: &path,
                        id: entry.id.as_ref().map(|i| i.as_str()),
                        target_id: target.as_ref().map(ToString::to_string),
                        bytes: entry.size,
                        uri: &uri.to_string(),
                        stored_as: bundle.storage.describe(),
                        member: bundle.member.as_deref(),
                    };
                    let line = serde_json::to_string(&line).map_err(std::io::Error::from);
                    line.and_then(|line| document.lines(out, format!("{line}\n").as_bytes()))
                }
                Format::Md => writeln!(out, "- {} bytes `{id}` <{uri}>", entry.size),
                Format::Table => writeln!(out, "{:>12}  {id:<45}  {uri}", entry.size),
            };
        });
        result?;
        if let Err(what) = file.file.check_unchanged() {
            global::complain(&format!("{path}: {what}"));
        }
        Ok(())
    })?;
    document.end(out)?;
    if !any && format == Format::Table {
        let asked: Vec<_> = global.arch.iter().map(ToString::to_string).collect();
        let what = if asked.is_empty() { String::new() } else { format!(" for {}", asked.join(", ")) };
        writeln!(out, "No entry{what} in {}.", plural(files.len() as u64, "file", "files"))?;
    }
    Ok(())
}

fn list_kernels(
    files: &[PathBuf],
    global: &GlobalArgs,
    (pattern, decoded): (Option<&Regex>, bool),
    out: &mut dyn Write,
    format: Format,
    style: &render::style::Style,
) -> std::io::Result<()> {
    let write = |lines: &mut Vec<u8>, place: &Place<'_>, kernel: &Kernel<'_>| {
        if global.wants(place.target) {
            match format {
                Format::Json | Format::Jsonl => kernels::line(lines, place, kernel, pattern),
                Format::Md => kernels::markdown_row(lines, place, kernel, pattern, decoded),
                Format::Table => kernels::row(lines, place, kernel, pattern, (decoded, style)),
            }
        }
    };
    out.write_all(kernels::header(format, decoded, style).as_bytes())?;
    let ask =
        decoded.then(|| DecodeOptions { kernels: true, targets: &global.arch, ..DecodeOptions::default() });
    let mut document = Document::begin(out, format, v1::document::KERNELS, "kernels")?;
    let mut any = false;
    open_all(files, |file| {
        let mut written = Ok(());
        let report = fatbin::read(&file, Some(&write), ask, &mut |lines| {
            any |= !lines.is_empty();
            if written.is_ok() {
                written = document.lines(out, lines);
            }
        });
        written?;
        for problem in &report.problems {
            global::complain(&format!("{}: {}", problem.path, problem.what));
        }
        Ok(())
    })?;
    document.end(out)?;
    if !any {
        let what = pattern.map_or_else(String::new, |p| format!(" matches {p}"));
        global::complain(&format!("no kernel{what} in {}", plural(files.len() as u64, "file", "files")));
    }
    Ok(())
}

/// Lines that are written as they come, or, for JSON, as the elements of one array in one document.
struct Document {
    json: bool,
    first: bool,
}

impl Document {
    fn begin(
        out: &mut dyn Write,
        format: Format,
        document: v1::Document,
        key: &str,
    ) -> std::io::Result<Self> {
        let json = format == Format::Json;
        if json {
            // The header as it stands in other documents, without its closing brace.
            let header = serde_json::to_string_pretty(&v1::Header::of(document))?;
            let header = header.strip_suffix("\n}").unwrap_or(&header);
            write!(out, "{header},\n  \"{key}\": [")?;
        }
        Ok(Document { json, first: true })
    }

    fn lines(&mut self, out: &mut dyn Write, lines: &[u8]) -> std::io::Result<()> {
        if !self.json {
            return out.write_all(lines);
        }
        for line in lines.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            out.write_all(if self.first { b"\n    " } else { b",\n    " })?;
            out.write_all(line)?;
            self.first = false;
        }
        Ok(())
    }

    fn end(self, out: &mut dyn Write) -> std::io::Result<()> {
        if self.json { out.write_all(b"\n  ]\n}\n") } else { Ok(()) }
    }
}
