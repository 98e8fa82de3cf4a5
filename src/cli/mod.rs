//! The command line: one file for each subcommand, and here what they share.

mod address;
mod audit;
mod check;
mod check_file;
mod choose;
mod claim;
mod completions;
mod destination;
mod diff;
mod error_document;
mod exclude;
mod exit;
mod explain;
mod fatbin;
mod generate;
mod global;
mod gpu;
mod isa;
mod kept_answers;
mod list;
mod made_by;
mod manifest;
mod mcp;
#[cfg(feature = "engines")]
mod miopen_environment;
#[cfg(feature = "engines")]
mod model;
#[cfg(feature = "engines")]
mod multiprocessors;
mod needs;
mod output;
mod pager;
mod progress;
mod roots;
mod sandbox;
mod schema;
#[cfg(feature = "engines")]
mod select;
mod short_help;
mod slim;
mod stderr;
#[cfg(feature = "engines")]
mod survey;
#[cfg(feature = "parquet")]
mod table_file;
#[cfg(feature = "parquet")]
mod tables;
mod user_caches;
#[cfg(feature = "engines")]
mod verify;
#[cfg(feature = "engines")]
mod workload;

use crate::asked::words::{distance, meant, similar};
use crate::error::AuditError;
use crate::limits::PIPED_BYTES;
use crate::report;
use crate::source::given;
use crate::target::product::{Meant, Product};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use exit::Status;
use global::GlobalArgs;
use pager::Pager;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Reads an AMD ROCm install, bundle or library from its bytes alone; says which GPU targets it has code for,
/// through which kernels, catalogs and databases, and what is missing.
///
/// No GPU, driver or ROCm is needed. Nothing that is read is executed, and nothing is written beside it.
#[derive(Debug, Parser)]
#[command(
    name = "rocm-audit",
    version,
    override_usage = "rocm-audit [OPTIONS] [PATH]...\n       rocm-audit [OPTIONS] <COMMAND>",
    after_help = concat!(
        exit::help!("Without PATH: $ROCM_PATH, else /opt/rocm*. `-` is standard input; pipes are read too."),
        "\n\nExamples:\n  \
         rocm-audit /opt/rocm\n  \
         rocm-audit -o report.md -o report.json /opt/rocm ~/venv/lib\n  \
         rocm-audit fatbin libggml-hip.so\n  \
         rocm-audit fatbin --kernels 'mul_mat_q' --arch gfx906 libggml-hip.so"
    )
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    audit: audit::Args,
    #[command(flatten)]
    global: GlobalArgs,
}

// The options of a command are made when it is asked for: those of all take longer than a list does.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Report what a tree has for each target; the same as naming the path alone.
    Audit(audit::Args),
    /// Check that libraries have kernels for the targets that are required of them.
    Check(check::Args),
    /// Say which of several wheels, packages or libraries runs on a card, best first. Needs --gpu
    Choose(choose::Args),
    /// Say what changed between two trees, packages or saved reports, what got worse first.
    Diff(diff::Args),
    /// Look into single files: bundles, code objects, kernels, where the bytes are.
    Fatbin(fatbin::Args),
    /// Say what libraries need from others: what is here and found, what comes from elsewhere, and how new
    /// the runtime has to be
    Needs(needs::Args),
    /// List the files of a tree that no GPU needs of those named by --keep. Nothing is deleted
    Slim(slim::Args),
    /// Say why a card works with a tree, or does not, layer by layer; and what libraries choose on it.
    #[cfg(feature = "engines")]
    Survey(survey::Args),
    /// Say which kernels a library chooses for an operation, by its own catalogs.
    #[cfg(feature = "engines")]
    Select(select::Args),
    /// Say which kernels a model takes on a card: of ggml, of rocBLAS, or none. Needs --gpu
    #[cfg(feature = "engines")]
    Model(Box<model::Args>),
    /// Say what libraries choose for a list of operations, such as a log of them. Needs --gpu
    #[cfg(feature = "engines")]
    Workload(workload::Args),
    /// Write what an artifact can do on each processor: one small document, to be published beside it
    Manifest(manifest::Args),
    /// Write what audits say of many artifacts to Parquet files: a file for each table and artifact. Needs
    /// --into
    #[cfg(feature = "parquet")]
    Tables(tables::Args),
    /// Check that library folders and MIOpen's databases are whole; say what a device opens of them, and check
    /// tuning files against them.
    #[cfg(feature = "engines")]
    Verify(verify::Args),
    /// Say what a message means and what to do; explain a rule, a target and its instructions, a solver, or
    /// an override of a card.
    Explain(explain::Args),
    /// Print a JSON Schema, completions for a shell, or a manual page.
    Generate(generate::Args),
    /// Answer agents on standard input and output, by the Model Context Protocol
    Mcp(mcp::Args),
    /// List what this program knows: targets, scanners, formats, classes of instructions.
    List(list::Args),
}

/// Values that an error lists at most.
const LISTED_VALUES: usize = 24;

/// An error of a missing value without the hundreds of cards and targets that could stand there.
fn with_few_values(mut error: clap::Error) -> clap::Error {
    let many =
        |value: &ContextValue| matches!(value, ContextValue::Strings(all) if all.len() > LISTED_VALUES);
    if error.get(ContextKind::ValidValue).is_some_and(many) {
        error.remove(ContextKind::ValidValue);
        let tip = "a card, as \"RX 6600\", or a target, as gfx1032; `rocm-audit list gpus` has their names";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Parses the arguments, runs, and gives the exit code.
pub fn main() -> ExitCode {
    #[cfg(feature = "addresses")]
    if let Some(code) = address::main_of_fetcher() {
        return code;
    }
    #[cfg(unix)]
    crate::source::outlive_file_limit();
    let asked = match kept_answers::CacheRequest::from_words(std::env::args_os().skip(1)) {
        Ok(asked) => asked,
        Err(error) => return exit_code(Err(error), None),
    };
    let cli = match parse(&asked.words) {
        Ok(cli) => cli,
        Err(error) => {
            let error = match error.kind() {
                ErrorKind::DisplayHelp => help(error),
                ErrorKind::InvalidValue => with_few_values(error),
                _ => error,
            };
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            if error.use_stderr() {
                if let Some(format) = error_document::asked_for() {
                    error_document::write(&report::error_of_text(&error.to_string()), format);
                }
                return ExitCode::from(report::UNUSABLE);
            }
            // Help and version are no failures, where they could be written.
            let printed = printed.map_err(|e| AuditError::io("write", "standard output", e));
            return exit_code(printed.map(|()| Status::Done), None);
        }
    };
    if let Some(code) = asked.answer(&cli.global) {
        return code;
    }
    let format = cli.global.failure_format();
    exit_code(run(cli), format)
}

fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    // The program ends soon: what it would take to free the tree of commands is saved.
    let mut command = std::mem::ManuallyDrop::new(Cli::command());
    let program = std::env::args_os().next();
    let mut matches = command.try_get_matches_from_mut(program.iter().chain(words))?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// The help that was asked for: without the options that its command refuses, and short where `-h` asked.
fn help(asked: clap::Error) -> clap::Error {
    // `help COMMAND` is as long as `--help`.
    let long = |word: OsString| word == "--help" || word == "help";
    let whole = command();
    let shown = if std::env::args_os().any(long) { whole } else { short_help::shorten_help(whole) };
    shown.try_get_matches_from(std::env::args_os()).err().unwrap_or(asked)
}

/// The command line with its help as it is shown.
fn command() -> clap::Command {
    let mut command = Cli::command().arg(kept_answers::CacheRequest::argument());
    // Until then the commands have no options.
    command.build();
    for own in command.get_subcommands_mut() {
        let refused = global::REFUSED.iter().find(|(name, _)| *name == own.get_name());
        let refused = refused.map(|(_, ids)| *ids).unwrap_or_default();
        let hidden = |command: clap::Command| {
            command.mut_args(|argument| match refused.contains(&argument.get_id().as_str()) {
                true => argument.hide(true),
                false => argument,
            })
        };
        *own = hidden(std::mem::take(own)).mut_subcommands(hidden);
    }
    command
}

/// How a run ends; in a format that programs read, an error is a document on standard output, too.
fn exit_code(ended: Result<Status, AuditError>, format: Option<crate::render::Format>) -> ExitCode {
    match ended {
        Ok(status) => status.into(),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            global::complain(&error.to_string());
            if let Some(format) = format {
                error_document::write(&report::error(&error), format);
            }
            ExitCode::from(report::UNUSABLE)
        }
    }
}

fn run(cli: Cli) -> Result<Status, AuditError> {
    let mut global = cli.global;
    global.arch.extend(global.gpu.iter().map(|gpu| gpu.target.clone()));
    let mut writes = global.begin_outputs();
    #[cfg(feature = "parquet")]
    if let Some(Command::Tables(args)) = &cli.command {
        writes.push(sandbox::Write::Folder { path: args.into.clone(), folders: true });
    }
    if let Some(Command::Fatbin(args)) = &cli.command {
        writes.extend(args.writes());
    }
    if let Some(Command::Manifest(manifest::Args { into: Some(into), .. })) = &cli.command {
        writes.push(sandbox::Write::Folder { path: into.clone(), folders: true });
    }
    // It is a program of its own, which cannot be started any more when rights were taken.
    let pager = if global.pages() && cli.command.as_ref().is_none_or(Command::reports) {
        Pager::start()
    } else {
        None
    };
    global.pager = pager.as_ref().and_then(Pager::input);
    #[cfg(feature = "addresses")]
    if cli.command.as_ref().is_none_or(Command::reads_addresses) {
        address::start(global.sandbox)?;
    }
    // Threads have the rights of the one that starts them.
    let hashes = cli.command.as_ref().map_or(cli.audit.hashes_bundles(), Command::hashes_bundles);
    let reads = cli.command.as_ref().is_none_or(Command::reads);
    let entered = global.sandbox.enter(&writes, reads).and_then(|()| global.use_threads(hashes));
    let ended = entered.and_then(|()| dispatch(cli.command, &cli.audit, &global));
    drop(global);
    if let Some(pager) = pager {
        pager.wait();
    }
    ended
}

impl Command {
    /// Whether its paths may be addresses.
    #[cfg(feature = "addresses")]
    fn reads_addresses(&self) -> bool {
        #[cfg(feature = "parquet")]
        if matches!(self, Command::Tables(_)) {
            return true;
        }
        matches!(
            self,
            Command::Audit(_)
                | Command::Check(_)
                | Command::Choose(_)
                | Command::Fatbin(_)
                | Command::Manifest(_)
                | Command::Needs(_)
        )
    }

    /// Whether it reads anything but its arguments.
    fn reads(&self) -> bool {
        !matches!(self, Command::Generate(_) | Command::List(_))
    }

    /// Whether it compares the hashes of compressed bundles with their contents.
    fn hashes_bundles(&self) -> bool {
        match self {
            Command::Audit(args) => args.hashes_bundles(),
            Command::Check(args) => args.verify,
            Command::Fatbin(args) => args.hashes_bundles(),
            Command::Manifest(args) => args.verify,
            _ => false,
        }
    }

    /// Whether it makes a report, which can be longer than a screen.
    fn reports(&self) -> bool {
        !matches!(self, Command::Generate(_) | Command::List(_) | Command::Mcp(_))
    }
}

fn dispatch(command: Option<Command>, own: &audit::Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    if !matches!(command, None | Some(Command::Audit(_))) {
        global.is_no_audit()?;
    }
    match command {
        None => audit::run(own, global),
        Some(_) if *own != audit::Args::default() => {
            let what = "a path or audit option before a subcommand is not understood; put it behind";
            let error = Cli::command().error(ErrorKind::ArgumentConflict, what);
            Err(AuditError::Usage(error.to_string().trim().trim_start_matches("error: ").to_owned()))
        }
        Some(Command::Audit(args)) => audit::run(&args, global),
        Some(Command::Check(args)) => check::run(&args, global),
        Some(Command::Choose(args)) => choose::run(&args, global),
        Some(Command::Manifest(args)) => manifest::run(&args, global),
        Some(Command::Diff(args)) => diff::run(&args, global),
        Some(Command::Fatbin(args)) => fatbin::run(&args, global),
        #[cfg(feature = "engines")]
        Some(Command::Select(args)) => select::run(&args, global),
        Some(Command::Needs(args)) => needs::run(&args, global),
        Some(Command::Slim(args)) => slim::run(&args, global),
        #[cfg(feature = "engines")]
        Some(Command::Survey(args)) => survey::run(&args, global),
        #[cfg(feature = "engines")]
        Some(Command::Model(args)) => model::run(&args, global),
        #[cfg(feature = "engines")]
        Some(Command::Workload(args)) => workload::run(&args, global),
        #[cfg(feature = "parquet")]
        Some(Command::Tables(args)) => tables::run(&args, global),
        #[cfg(feature = "engines")]
        Some(Command::Verify(args)) => verify::run(&args, global),
        Some(Command::Explain(args)) => explain::run(&args, global),
        Some(Command::Generate(args)) => generate::run(&args, global),
        Some(Command::Mcp(args)) => mcp::run(&args, global),
        Some(Command::List(args)) => list::run(&args, global),
    }
}

/// Makes sure that there is something to read at a path: `-` is standard input. What comes through a pipe is
/// read here, to a temporary file.
fn must_be_there(path: &Path) -> Result<(), AuditError> {
    is_folder_there(path).map(|_| ())
}

/// The same, and whether it is a folder.
fn is_folder_there(path: &Path) -> Result<bool, AuditError> {
    if address::is_address(path) && !path.exists() {
        return address::open(path).map(|()| false);
    }
    let metadata = std::fs::metadata(path);
    let told = |error: std::io::Error| {
        let name = if path == Path::new(STDIN) { "standard input".into() } else { path.to_string_lossy() };
        AuditError::Usage(format!("{name}: {error}; TMPDIR names the folder that it is written to"))
    };
    let read = if path == Path::new(STDIN) {
        if std::io::stdin().is_terminal() {
            let what =
                "-: standard input is a terminal; pipe a file into it: `docker save IMAGE | rocm-audit -`";
            return Err(AuditError::Usage(what.to_owned()));
        }
        given::read(path, &mut std::io::stdin().lock(), PIPED_BYTES).map_err(told)?
    } else if metadata.as_ref().is_ok_and(is_fifo) {
        let mut pipe = std::fs::File::open(path).map_err(|error| AuditError::io("read", path, error))?;
        given::read(path, &mut pipe, PIPED_BYTES).map_err(told)?
    } else {
        return must_be_read(path, metadata);
    };
    if read == 0 {
        let what =
            format!("{}: nothing came through it: what should write to it may have failed", path.display());
        return Err(AuditError::Usage(what));
    }
    Ok(false)
}

/// The path that means standard input.
const STDIN: &str = "-";

#[cfg(unix)]
fn is_fifo(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_fifo(_: &Metadata) -> bool {
    false
}

/// Makes sure that a path exists; a word that looks like a mistyped subcommand is answered with that.
fn must_exist(path: &Path) -> Result<(), AuditError> {
    must_be_read(path, std::fs::metadata(path)).map(|_| ())
}

/// Makes sure that what the system says of a path is that of a file or a folder; says whether it is a folder.
fn must_be_read(path: &Path, metadata: std::io::Result<Metadata>) -> Result<bool, AuditError> {
    if let Some(scheme) = address::other_scheme(path).filter(|_| !path.exists()) {
        let what = format!(
            "addresses of {scheme}: are not read, only those of https: and http:; save the file and name it"
        );
        return Err(AuditError::Path { path: path.to_owned(), what });
    }
    match metadata {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => Err(AuditError::Path {
            path: path.to_owned(),
            what: "is a pipe, socket or device, which is not read: write its bytes to a file, or pipe them into `rocm-audit -`"
                .to_owned(),
        }),
        Ok(metadata) => {
            output::is_input(path);
            Ok(metadata.is_dir())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let word = path.to_string_lossy();
            let mut what = "no such file or directory".to_owned();
            if matches!(Product::meant(&word), Meant::Products(_)) && word.len() > 3 {
                what.push_str(&format!("\n  tip: a card goes behind --gpu: rocm-audit --gpu {word:?} PATH"));
            }
            if crate::target::TargetId::parse(&word.to_ascii_lowercase()).is_some_and(|t| t.known().is_some())
            {
                what.push_str(&format!(
                    "\n  tip: a target goes behind --arch: rocm-audit --arch {word} PATH"
                ));
            }
            match similar_subcommand(&word) {
                Some(command) if command == word => {
                    what.push_str(&format!("\n  tip: a subcommand goes first: rocm-audit {command} ..."));
                }
                Some(command) => what.push_str(&format!("\n  tip: a similar subcommand exists: '{command}'")),
                None => {}
            }
            Err(AuditError::Path { path: path.to_owned(), what })
        }
        Err(error) => Err(AuditError::io("read", path, error)),
    }
}

fn similar_subcommand(word: &str) -> Option<String> {
    let names = Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect::<Vec<_>>();
    names.into_iter().find(|name| name == word || distance(name, word) <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_mistyped_subcommand_is_known() {
        assert_eq!(similar_subcommand("fatbn").as_deref(), Some("fatbin"));
        assert_eq!(similar_subcommand("/opt/rocm"), None);
    }
}
