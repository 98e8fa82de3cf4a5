//! `rocm-audit explain WORD`, `rocm-audit explain --error TEXT [PATH]...` and the same with `--log FILE`.

use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::isa::IsaArgs;
use super::progress::Bar;
use super::roots;
use super::{meant, must_exist, similar, stderr};
use crate::asked::override_value::{OverrideValue, value};
use crate::diagnosis::causes::{self, CAUSES};
use crate::error::AuditError;
use crate::finding::rules::RULES;
use crate::messages::table::all_messages;
use crate::question::{LogQuestion, OverrideQuestion, Question, Trees, explain_word};
use crate::report::explain;
use crate::target::PROCESSORS;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
#[command(
    override_usage = "rocm-audit explain [OPTIONS] <WORD|TEXT> [PATH]...\n       rocm-audit explain [OPTIONS] --error <TEXT> [PATH]...\n       rocm-audit explain [OPTIONS] --log <FILE> [PATH]...\n       rocm-audit explain [OPTIONS] --override <VALUE> --gpu <GPU> [PATH]...\n       rocm-audit explain [OPTIONS] <TARGET> --isa|--vs <TARGET>|--decode"
)]
pub(super) struct Args {
    /// A message, or a whole log: what it means, what can be behind it, what to do; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "log")]
    error: Option<String>,
    /// The same for a file: a log of any size and encoding
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// What this value of HSA_OVERRIDE_GFX_VERSION, such as 10.3.0, would make of the code of the trees: on
    /// the one card of --gpu; beside a message or log, that it was set when that was printed
    #[arg(long = "override", value_name = "VALUE", value_parser = value)]
    override_value: Option<OverrideValue>,
    #[command(flatten)]
    isa: IsaArgs,
    /// The id of a rule, cause or message, a target, a solver of MIOpen, a number, a known message in quotes, or `-`
    /// for standard input; behind a message, the tree that the program uses
    #[arg(value_name = "WORD|PATH", allow_negative_numbers = true)]
    words: Vec<String>,
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if let ([first, paths @ ..], None, None) = (&args.words[..], &args.error, &args.log)
        && first == "-"
    {
        let of_stdin = Args { error: Some("-".to_owned()), words: paths.to_vec(), ..args.clone() };
        return run(&of_stdin, global);
    }
    let of_message = args.error.is_some()
        || args.log.is_some()
        || args.words.first().is_some_and(|word| known_message(word).is_some());
    if let Some(value) = args.override_value.as_ref().filter(|_| !of_message) {
        return overriding(value, &args.words, global);
    }
    let set = args.override_value.as_ref();
    if args.isa.is_asked() {
        global.finds_nothing("explain")?;
        let [target] = &args.words[..] else {
            let what = "explain: --isa, --vs and --decode are of one target, and --decode reads its bytes from standard input: echo 000081bf | rocm-audit explain gfx900 --decode";
            return Err(AuditError::Usage(what.into()));
        };
        return args.isa.run(target, global).map(|()| Status::Done);
    }
    let asked = args.error.is_some() || args.log.is_some();
    let message = if asked { None } else { args.words.first().and_then(|word| known_message(word)) };
    let on_tree = if message.is_some() { args.words.len() > 1 } else { asked && !args.words.is_empty() };
    if !on_tree {
        global.finds_nothing("explain")?;
    }
    global.has_no_lines("explain")?;
    global.has_no_findings("explain")?;
    if let (Some(message), [_, paths @ ..]) = (message, &args.words[..]) {
        return messages(message, paths, set, global);
    }
    let log = match (&args.error, &args.log) {
        (Some(text), _) => Some(of_text(text)?),
        (None, Some(path)) => Some(of_file(path, global)?),
        (None, None) => None,
    };
    match (log, &args.words[..]) {
        (Some(log), paths) => messages(log, paths, set, global),
        (None, [one]) if is_log(one) => messages(of_file(Path::new(one), global)?, &[], set, global),
        (None, [one]) => word(one, global),
        (None, []) => Err(AuditError::Usage("explain: name a rule, a target or a solver, or give --error TEXT; `rocm-audit explain -` reads a log from standard input".into())),
        (None, [first, value, ..]) if first == "override" => Err(AuditError::Usage(format!(
            "explain: an override stands behind --override, with its card: rocm-audit explain --override {value} --gpu \"RX 6600\" [PATH]"
        ))),
        (None, _) => Err(AuditError::Usage(
            "explain: name one word; a message goes behind --error, in quotes: rocm-audit explain --error \"TEXT\" [PATH]"
                .into(),
        )),
    }
}

/// What an override would make of the trees' code on a card.
fn overriding(value: &OverrideValue, paths: &[String], global: &GlobalArgs) -> Result<Status, AuditError> {
    let [card] = &global.arch[..] else {
        let what =
            "explain --override: name the one card that it is for, with --gpu \"RX 6600\" or --arch gfx1032";
        return Err(AuditError::Usage(what.into()));
    };
    global.has_no_lines("explain --override")?;
    let judge = Judge::new(global, FailOn::Damage, exit::CODE)?;
    let roots = roots::resolve(&paths.iter().map(PathBuf::from).collect::<Vec<_>>())?;
    let question = OverrideQuestion { value: value.clone(), card: card.clone() };
    let report = question.ask(&Trees::at(roots))?;
    global.write_document("explain --override", &report, None)?;
    Ok(judge.report(&report.findings).overriding(report.answer.is_unsafe()).status())
}

fn of_text(text: &str) -> Result<LogQuestion, AuditError> {
    if text != "-" && !text.contains(['\n', ' ']) && Path::new(text).is_file() {
        return Err(AuditError::Usage(format!(
            "explain: {text} is a file, and --error takes a text; for what is in it: rocm-audit explain --log {text}"
        )));
    }
    if text.trim().is_empty() {
        return Err(AuditError::Usage("explain: --error is empty".into()));
    }
    match text {
        "-" => LogQuestion::of_reader(std::io::stdin().lock())
            .map_err(|source| AuditError::io("read", "standard input", source)),
        text => Ok(LogQuestion::of_text(text)),
    }
}

fn of_file(path: &Path, global: &GlobalArgs) -> Result<LogQuestion, AuditError> {
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let bar = (!global.no_progress && global::stderr_is_terminal()).then(|| Bar::of_file(bytes));
    let read = std::fs::File::open(path).and_then(|file| {
        let shown = path.display().to_string();
        LogQuestion::of_reader(BufReader::with_capacity(
            1 << 20,
            CountedRead { file, shown, bar: bar.as_ref() },
        ))
    });
    if let Some(bar) = &bar {
        bar.finish();
    }
    read.map_err(|source| AuditError::io("read", path, source))
}

/// What was given as a word, where it is a message that is known: a pasted one needs no `--error`.
fn known_message(word: &str) -> Option<LogQuestion> {
    let is_text = explain_word(word).is_none() && !Path::new(word).exists();
    is_text.then(|| LogQuestion::of_text(word)).filter(LogQuestion::has_message)
}

/// Whether a word that explains nothing by itself is the path of a text.
fn is_log(word: &str) -> bool {
    let path = Path::new(word);
    explain_word(word).is_none() && path.is_file() && is_text(path).unwrap_or(false)
}

/// Bytes of a file that show whether it is a text.
const HEAD: u64 = 1 << 16;

/// Whether a file begins as a text does: without a NUL, or with the mark of UTF-16.
fn is_text(path: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    std::fs::File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let is_utf16 = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    Ok(!head.is_empty() && (is_utf16 || memchr::memchr(0, &head).is_none()))
}

/// A file whose bytes a bar counts as they are read.
struct CountedRead<'a> {
    file: std::fs::File,
    shown: String,
    bar: Option<&'a Bar>,
}

impl Read for CountedRead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        if let Some(bar) = self.bar {
            bar.read(&self.shown, read as u64);
        }
        Ok(read)
    }
}

/// The explanation of a file that was given as a tree and is a log: whether there is one, which is then
/// written.
///
/// # Errors
/// Where the file cannot be read, or the explanation not be written.
pub(super) fn given_as_tree(path: &Path, global: &GlobalArgs) -> Result<bool, AuditError> {
    if !is_text(path).map_err(|source| AuditError::io("read", path, source))? {
        return Ok(false);
    }
    let log = of_file(path, global)?;
    if !log.has_message() {
        return Ok(false);
    }
    let report = log.about(global.arch.clone()).ask(&Trees::at(&[] as &[&Path]))?;
    global.write_document("explain", &report, None)?;
    stderr::remark(&format!(
        "{} is a log, and was explained; with the tree that the program uses: rocm-audit explain --log {} PATH",
        path.display(),
        path.display()
    ));
    Ok(true)
}

fn messages(
    log: LogQuestion,
    paths: &[String],
    set: Option<&OverrideValue>,
    global: &GlobalArgs,
) -> Result<Status, AuditError> {
    paths.iter().try_for_each(|path| must_exist(Path::new(path)))?;
    let judge = Judge::new(global, FailOn::Damage, exit::EXPLAIN)?;
    let log = log.about(global.arch.clone());
    let log = match set {
        Some(value) => log.under_override(value.clone()),
        None => log,
    };
    let report = log.ask(&Trees::at(paths))?;
    let judge = judge.report(&report.found.findings);
    global.write_document("explain", &report, None)?;
    Ok(judge.status())
}

fn word(word: &str, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !global.arch.is_empty() {
        let what = "explain: a word is explained for itself, so --arch has no meaning here";
        return Err(AuditError::Usage(what.into()));
    }
    let report = explain_word(word).ok_or_else(|| unknown(word))?;
    global.write_document("explain", &report, None)?;
    Ok(Status::Done)
}

/// Names that are suggested at most.
const MOST_NEAR: usize = 8;

fn unknown(word: &str) -> AuditError {
    let lower = word.to_ascii_lowercase();
    let rules = RULES.iter().map(|(_, rule)| rule.id.to_owned());
    let causes = CAUSES.iter().map(|cause| cause.id.to_owned());
    let messages = all_messages().map(|message| message.id.to_owned());
    let processors = PROCESSORS.iter().map(|processor| processor.name().to_owned());
    if let Some(row) = causes::fact(word) {
        let what = row.otherwise.replace('`', "");
        return AuditError::Usage(format!(
            "explain {word}: no rule and no message has it; it is shown by: {what}"
        ));
    }
    let known = rules.chain(causes).chain(messages).chain(processors).chain(explain::solver_names());
    let known: Vec<String> = known.collect();
    // Names are compared in small letters, and shown as they are written.
    let small: Vec<String> = known.iter().map(|name| name.to_ascii_lowercase()).collect();
    let near = similar(&lower, small.iter().map(String::as_str));
    let written = |near: &&str| known.iter().find(|name| name.eq_ignore_ascii_case(near)).map(String::as_str);
    let near: Vec<&str> = near.iter().filter_map(written).take(MOST_NEAR).collect();
    let tip = meant(&near);
    let path = if Path::new(word).exists() {
        format!("\n  tip: a path is read without a word before it: rocm-audit {word}")
    } else {
        String::new()
    };
    AuditError::Usage(format!(
        "explain {word}: no rule, cause, message, target or solver of this name{tip}; `rocm-audit list rules` and \
         `rocm-audit list arches` have those, and a message goes behind --error{path}"
    ))
}
