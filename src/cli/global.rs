//! Options that every subcommand has: format, outputs, colours, threads.

use super::completions::Completed;
use super::destination::{self, Destination};
use super::exit::{self, FailOn};
use super::gpu::{self, Gpu};
use super::made_by;
use super::output;
use super::sandbox::{Sandbox, Write};
pub(super) use super::stderr::{complain, note, remark, stderr_is_terminal};
use crate::error::{AuditError, NotUnderstood};
#[cfg(feature = "engines")]
use crate::finding::severity::Severity;
use crate::limits::HASHING_THREADS;
use crate::render::style::Style;
use crate::render::{Draw, Drawn, Format};
use crate::target::TargetId;
use clap::builder::BoolishValueParser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::Arc;

/// Narrowest and widest page that is drawn.
const WIDTHS: (u16, u16) = (60, 240);

/// Most threads of a run: each has its stack.
const MOST_THREADS: usize = 1024;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(super) struct GlobalArgs {
    /// Format of standard output
    #[arg(
        short,
        long,
        global = true,
        default_value = "table",
        env = "ROCM_AUDIT_FORMAT",
        value_name = "FORMAT",
        value_parser = formats()
    )]
    format: Format,
    /// Also write to FILE, in the format of its extension, as in report.md or report.json, or in one that
    /// stands before a colon, as in gitlab:quality.json; repeatable
    #[arg(short, long, global = true, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// The table whose rows CSV holds, by its name in the JSON of the report, such as targets or
    /// matrix.cells; of parquet, one of `rocm-audit list tables` [default there: kernels]
    #[arg(long, global = true, hide_short_help = true, value_name = "TABLE", value_parser = kept)]
    pub rows: Option<&'static str>,
    /// Only what loads on this target: a processor (gfx90a), a target ID (gfx90a:xnack+) or a card;
    /// repeatable, or with commas
    #[arg(long, global = true, value_name = "TARGET", env = "ROCM_AUDIT_ARCH", value_delimiter = ',', value_parser = Completed::new(gpu::target, gpu::targets), hide_possible_values = true)]
    pub arch: Vec<TargetId>,
    /// Only what loads on the processor of this card: by its name (`RX 6600`, 780m, MI250X), a PCI id
    /// (0x73ff) or a processor; repeatable, or with commas (`rocm-audit list gpus`)
    #[arg(long, global = true, value_name = "GPU", env = "ROCM_AUDIT_GPU", value_delimiter = ',', value_parser = Completed::new(gpu::gpu, gpu::gpus), hide_possible_values = true, conflicts_with = "arch")]
    pub gpu: Vec<Gpu>,
    /// All tables of the report beside the verdict
    #[arg(long, global = true)]
    pub full: bool,
    /// Exit with 1 where something of this is found: never, damage, error, warning, note, or the id of a rule
    /// (`rocm-audit list rules`), which counts beside damage; repeatable, or with commas [default: error for
    /// verify, else damage]
    #[arg(long, global = true, value_name = "WHAT", env = "ROCM_AUDIT_FAIL_ON", value_delimiter = ',', value_parser = Completed::new(FailOn::parse, || FailOn::words().collect()), hide_possible_values = true)]
    pub fail_on: Vec<FailOn>,
    /// Do not exit with 1 because something could not be read; what follows from the rest still counts
    #[arg(long, global = true, hide_short_help = true, env = "ROCM_AUDIT_ALLOW_INCOMPLETE", value_parser = BoolishValueParser::new())]
    pub allow_incomplete: bool,
    /// Show the evidence: path and offset behind the numbers; twice, every file
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Print nothing to standard output; for use with -o
    #[arg(short, long, global = true, hide_short_help = true)]
    quiet: bool,
    /// When to use colours
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_enum,
        default_value_t,
        env = "ROCM_AUDIT_COLOR",
        value_name = "WHEN"
    )]
    color: ColorArg,
    /// Draw with ASCII only
    #[arg(long, global = true, hide_short_help = true, env = "ROCM_AUDIT_ASCII", value_parser = BoolishValueParser::new())]
    ascii: bool,
    /// Do not show reports of --full a page at a time on a terminal, which $ROCM_AUDIT_PAGER, $PAGER or less
    /// does
    #[arg(long, global = true, hide_short_help = true, env = "ROCM_AUDIT_NO_PAGER", value_parser = BoolishValueParser::new())]
    no_pager: bool,
    /// Takes what goes to standard output, where a pager runs.
    #[arg(skip)]
    pub pager: Option<Arc<ChildStdin>>,
    /// Show no progress
    #[arg(long, global = true, hide_short_help = true, env = "ROCM_AUDIT_NO_PROGRESS", value_parser = BoolishValueParser::new())]
    pub no_progress: bool,
    /// Whether the program takes rights from itself first: no network, no other programs, no writing but to
    /// outputs
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_enum,
        default_value_t,
        env = "ROCM_AUDIT_SANDBOX",
        value_name = "WHEN"
    )]
    pub sandbox: Sandbox,
    /// Number of threads [default: one for each core]
    #[arg(short, long, global = true, hide_short_help = true, value_name = "N", env = "ROCM_AUDIT_JOBS")]
    jobs: Option<usize>,
}

/// The options that commands refuse, by the ids of their arguments: they are not in the help of these.
pub(super) const REFUSED: &[(&str, &[&str])] = &[
    ("check", &["arch", "gpu"]),
    ("manifest", &["arch", "gpu"]),
    ("needs", &["arch", "gpu"]),
    ("slim", &["arch", "gpu"]),
    ("survey", &["arch", "gpu"]),
    ("tables", &["format", "output", "rows", "quiet", "arch", "gpu", "cache"]),
    ("generate", LISTED),
    ("list", &["fail_on", "cache"]),
    ("mcp", LISTED),
];

/// Those of a command that asks about no targets and finds nothing.
const LISTED: &[&str] = &["format", "output", "rows", "quiet", "arch", "gpu", "fail_on", "cache"];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ColorArg {
    #[default]
    Auto,
    Always,
    Never,
}

/// The formats by their names.
fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::names()).map(|name| Format::of_name(&name).unwrap_or_default())
}

/// The file of `-o`, and the format that it names before a colon: `gitlab:quality.json`.
fn file_and_format(named: &Path) -> (PathBuf, Option<Format>) {
    let stated = named.to_str().and_then(|text| text.split_once(':'));
    match stated.and_then(|(name, file)| Some((file, Format::of_name(name)?))) {
        Some((file, format)) if !file.is_empty() => (PathBuf::from(file), Some(format)),
        _ => (named.to_path_buf(), None),
    }
}

/// A word that is kept for the whole run: it is named once.
fn kept(word: &str) -> Result<&'static str, NotUnderstood> {
    Ok(word.to_owned().leak())
}

impl GlobalArgs {
    /// Makes the pool of threads, where it is not one for each core. `hashes` says whether compressed bundles are
    /// hashed: several are then hashed at once, while others wait, unless `--jobs` or Rayon's variable says how many
    /// threads there are.
    ///
    /// # Errors
    /// For a number of threads that is not possible.
    pub fn use_threads(&self, hashes: bool) -> Result<(), AuditError> {
        // Rayon has a variable of its own, which nothing bounds.
        let stated = || std::env::var("RAYON_NUM_THREADS").ok()?.parse::<usize>().ok();
        let jobs = self.jobs.or_else(|| stated().filter(|jobs| *jobs > MOST_THREADS).map(|_| MOST_THREADS));
        match jobs {
            Some(0) => Err(AuditError::Usage("--jobs 0: at least one thread is needed".into())),
            Some(jobs) if jobs > MOST_THREADS => {
                let what =
                    format!("--jobs {jobs}: at most {MOST_THREADS}; more than cores make nothing faster");
                Err(AuditError::Usage(what))
            }
            Some(jobs) => rayon::ThreadPoolBuilder::new()
                .num_threads(jobs)
                .build_global()
                .map_err(|e| AuditError::Usage(format!("--jobs {jobs}: {e}"))),
            None if hashes && stated().is_none() => {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                let threads = (cores + HASHING_THREADS).min(MOST_THREADS);
                // Without them bundles are hashed one by one.
                let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether the report is to be shown a page at a time: a full one, on a terminal.
    pub fn pages(&self) -> bool {
        let full = self.full && self.format == Format::Table && !self.quiet && !self.no_pager;
        full && std::io::stdout().is_terminal()
    }

    /// Begins what `-o` writes, and says what rights it takes: to give names to files, and to make those that
    /// get theirs when they are whole.
    pub fn begin_outputs(&self) -> Vec<Write> {
        let begun = |named: &PathBuf| {
            let (file, stated) = file_and_format(named);
            let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let format = stated.or_else(|| Format::of_extension(extension))?;
            if format.is_of_tables() {
                let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
                return Some(Write::Folder { path: folder.to_owned(), folders: false });
            }
            output::begin(&file)
        };
        // Of those that cannot be, none is begun: the call is refused.
        if self.outputs().is_err() { Vec::new() } else { self.output.iter().filter_map(begun).collect() }
    }

    /// Refuses what only an audit writes.
    pub fn is_no_audit(&self) -> Result<(), AuditError> {
        let outputs = self.outputs()?;
        match outputs.iter().find(|(_, format)| format.is_of_audits()) {
            None => Ok(()),
            Some((_, Format::Verdict)) => Err(AuditError::Usage(
                "verdict: only an audit has verdicts: `rocm-audit -f verdict --gpu GPU PATH`; use -f json here".to_owned(),
            )),
            Some(_) => Err(AuditError::Usage(
                "parquet: only an audit writes it: `rocm-audit -o kernels.parquet PATH`, with --rows for another table of `rocm-audit \
                 list tables`, or `rocm-audit tables --into FOLDER PATH...` for all tables of many artifacts"
                    .to_owned(),
            )),
        }
    }

    /// The files of `-o`.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.output.iter().map(|named| file_and_format(named).0)
    }

    /// Where to write what: standard output, and every `-o`.
    pub fn outputs(&self) -> Result<Vec<(Destination, Format)>, AuditError> {
        let mut all = Vec::new();
        if !self.quiet {
            let pager = self.pager.as_ref().map(|pager| Destination::Pager(Arc::clone(pager)));
            all.push((pager.unwrap_or(Destination::Stdout), self.stdout_format()));
        }
        for named in &self.output {
            let (path, stated) = file_and_format(named);
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                return Err(AuditError::Usage(format!("-o {}: the folder does not exist", path.display())));
            }
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let format = stated.or_else(|| Format::of_extension(extension)).ok_or_else(|| {
                let known: Vec<_> = Format::extensions().map(|extension| format!(".{extension}")).collect();
                AuditError::Usage(format!(
                    "-o {}: the format is taken from the extension; known are {}, or one before a colon, as in gitlab:{}",
                    path.display(),
                    known.join(" "),
                    path.display()
                ))
            })?;
            let there = |other: &(Destination, Format)| match &other.0 {
                Destination::File(other) => output::place(other) == output::place(&path),
                _ => false,
            };
            if all.iter().any(there) {
                let what = "it is named by two -o, and one output would be lost";
                return Err(AuditError::Usage(format!("-o {}: {what}", path.display())));
            }
            all.push((Destination::File(path), format));
        }
        if let (Some(rows), true) = (self.rows, !all.iter().any(|(_, format)| format.holds_one_table())) {
            return Err(AuditError::Usage(format!(
                "--rows {rows}: it names the table of -f csv or -o FILE.csv, or of parquet, and none is written"
            )));
        }
        Ok(all)
    }

    /// Writes a document to every output. `lines` are those of `-f jsonl`, where the document has any.
    ///
    /// # Errors
    /// Where lines are asked for that it has not, or an output cannot be written.
    pub fn write_document(
        &self,
        command: &str,
        document: &dyn Draw,
        lines: Option<&dyn Fn() -> String>,
    ) -> Result<(), AuditError> {
        if lines.is_none() {
            self.has_no_lines(command)?;
        }
        self.write_each(&|format, style| match (format, lines) {
            (Format::Jsonl, Some(lines)) => Ok(lines().into()),
            _ => document.draw(format, style),
        })
    }

    /// Writes a document without lines of a command that fails on errors, where the caller names nothing
    /// else.
    ///
    /// # Errors
    /// As [`GlobalArgs::write_document`].
    #[cfg(feature = "engines")]
    pub fn write_verification(&self, command: &str, document: &dyn Draw) -> Result<(), AuditError> {
        self.has_no_lines(command)?;
        let fails = exit::gate(self, FailOn::Severity(Severity::Error));
        self.write_each(&|format, style| document.draw(format, &Style { fails, ..*style }))
    }

    /// Refuses lines of JSON for what has none.
    pub fn has_no_lines(&self, command: &str) -> Result<(), AuditError> {
        match self.outputs()?.iter().any(|(_, format)| *format == Format::Jsonl) {
            true => Err(AuditError::Usage(format!("{command}: it has no lines of JSON; use -f json"))),
            false => Ok(()),
        }
    }

    /// Draws a report for every output, and writes it there.
    pub fn write_each<'r>(&self, draw: &dyn Fn(Format, &Style) -> Drawn<'r>) -> Result<(), AuditError> {
        for (destination, format) in self.outputs()? {
            destination::write(&destination, &draw(format, &self.style(&destination))?)?;
        }
        Ok(())
    }

    /// Refuses the formats of findings for what has none.
    pub fn has_no_findings(&self, command: &str) -> Result<(), AuditError> {
        match self.outputs()?.iter().find(|(_, format)| format.is_of_findings()) {
            None => Ok(()),
            Some((_, format)) => Err(AuditError::Usage(format!(
                "{command}: {} is a form of findings, and there are none here; use table, md or json",
                format.name()
            ))),
        }
    }

    /// Whether the evidence is asked for.
    #[cfg(feature = "engines")]
    pub fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    pub fn stdout_format(&self) -> Format {
        self.format
    }

    /// The format in which standard output says why a run failed.
    pub fn failure_format(&self) -> Option<Format> {
        Some(self.format).filter(|_| !self.quiet)
    }

    /// Whether standard output is a terminal that takes colours.
    pub fn style(&self, destination: &Destination) -> Style {
        let paged = matches!(destination, Destination::Pager(_));
        let stdout = paged || matches!(destination, Destination::Stdout);
        let color = stdout
            && match self.color {
                ColorArg::Always => true,
                ColorArg::Never => false,
                ColorArg::Auto => {
                    // NO_COLOR wins over the variables that force colours, as it does elsewhere.
                    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                    let is_forced = std::env::var_os("FORCE_COLOR")
                        .is_some_and(|value| !value.is_empty() && value != "0");
                    is_forced && !is_set("NO_COLOR")
                        || anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
                }
            };
        let full = self.full || self.verbose > 0 || !stdout;
        Style {
            width: width(stdout),
            color,
            ascii: self.ascii || (stdout && self.format == Format::Table && !locale_is_unicode()),
            verbose: self.verbose,
            full,
            // A pager begins at the top, and nothing scrolls away.
            height: if stdout && !paged { height() } else { None },
            shared: false,
            page: false,
            rows: self.rows,
            made_by: Some(made_by::sentence),
            fails: exit::gate(self, FailOn::Damage),
        }
    }

    /// Refuses what a command that only prints a text would have to ignore. [`REFUSED`] has the same options.
    pub fn prints_a_list(&self, command: &str) -> Result<(), AuditError> {
        let ignored = [
            (self.format != Format::Table, "-f"),
            (!self.output.is_empty(), "-o"),
            (!self.arch.is_empty(), "--arch"),
            (self.quiet, "-q"),
        ];
        match ignored.into_iter().find(|(given, _)| *given) {
            Some((_, option)) => Err(AuditError::Usage(format!(
                "{command}: it prints plain text to standard output, so {option} has no meaning here"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses `--arch` for a command that takes its target as a word.
    pub fn has_its_target(&self, command: &str) -> Result<(), AuditError> {
        let what = format!("{command}: its target is the word behind it, so --arch has no meaning here");
        if self.arch.is_empty() { Ok(()) } else { Err(AuditError::Usage(what)) }
    }

    /// Refuses `--fail-on` for a command that has no findings.
    pub fn finds_nothing(&self, command: &str) -> Result<(), AuditError> {
        let what = format!("{command}: this command finds nothing, so --fail-on has no meaning here");
        // A variable of the environment is set for all commands.
        let asked = std::env::args_os().any(|word| word.to_string_lossy().starts_with("--fail-on"));
        if asked { Err(AuditError::Usage(what)) } else { Ok(()) }
    }

    /// The cards that are asked about: those of `--gpu`, else the targets of `--arch`.
    pub fn cards(&self) -> Vec<Gpu> {
        match self.gpu.is_empty() {
            true => self.arch.iter().cloned().map(Gpu::unnamed).collect(),
            false => self.gpu.clone(),
        }
    }

    /// Whether a code object's target is wanted: all are where none is asked for.
    pub fn wants(&self, target: &TargetId) -> bool {
        target.is_wanted_by(&self.arch)
    }
}

/// Columns of the terminal; `COLUMNS` where it is set, 100 where neither is known.
fn width(stdout: bool) -> u16 {
    let stated = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    let width = if stdout { stated.or_else(terminal) } else { None };
    width.unwrap_or(100).clamp(WIDTHS.0, WIDTHS.1)
}

/// Rows of the terminal, where standard output is one.
fn height() -> Option<u16> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(_, height)| height.0)
}

/// Whether the locale has more letters than ASCII. Where none is set, as in containers, terminals take UTF-8
/// all the same.
fn locale_is_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    set.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
