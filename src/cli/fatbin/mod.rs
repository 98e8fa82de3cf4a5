//! `rocm-audit fatbin FILE...`.

mod files;
mod isa;
mod kernels;
mod list;
mod name_part;
mod places;
mod reported;

pub(super) use isa::decodable;

use super::completions::Completed;
use super::destination::{self, Destination};
use super::exit::{self, FailOn, Judge, Status};
use super::global::{self, GlobalArgs};
use super::gpu;
use super::sandbox;
use crate::error::AuditError;
use crate::finding::Finding;
use crate::input::device_file::DeviceFile;
use crate::isa::InstructionPattern;
use crate::isa::class::Class;
use crate::render::Format;
use crate::render::style::printable;
use crate::scan::code_place::{self, WantedPlace};
use crate::scan::extract::{self, Extracted};
use crate::scan::kernel_condition::KernelCondition;
use crate::scan::kernel_order::KernelOrder;
use crate::target::TargetId;
use isa::{Isa, class};
use kernels::KernelsArgs;
use regex::Regex;
use reported::ReportedFiles;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = super::exit::HELP)]
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
    /// Decode the machine code: instructions by class and mnemonic, and kernels that can only trap; or of
    /// each kernel whose name matches KERNEL
    ///
    /// For KERNEL in one file, a screen needs and reads the code objects of these kernels only: damage in others is not looked for. -f json
    /// and other documents read all.
    #[arg(long, value_name = "KERNEL", num_args = 0..=1, default_missing_value = "", conflicts_with = "list")]
    isa: Option<String>,
    /// With --isa KERNEL, also list its instructions in their order: address, bytes, mnemonic, and where
    /// branches lead
    #[arg(long, requires = "isa")]
    listing: bool,
    /// With --isa KERNEL, also look inside: occupancy and what limits it, blocks, loops with what they do,
    /// registers in use
    #[arg(long, requires = "isa", conflicts_with = "vs")]
    inside: bool,
    /// With --isa KERNEL and one target of --arch or --gpu: the same kernels of this target beside those,
    /// with what differs in registers, spills, bytes and classes of instructions; with --listing also
    /// instruction by instruction
    #[arg(long, value_name = "TARGET", requires = "isa", conflicts_with = "legal_on", value_parser = Completed::new(gpu::target, gpu::targets), hide_possible_values = true)]
    vs: Option<TargetId>,
    /// With --isa KERNEL and one file: the same kernels of this other file, such as those of another release,
    /// beside those, as for --vs. Targets of both files are compared, or that of --arch or --gpu
    #[arg(long, value_name = "FILE", requires = "isa", conflicts_with_all = ["vs", "legal_on", "inside"])]
    vs_file: Option<PathBuf>,
    /// Show only the mnemonics of these classes (`rocm-audit list classes`); repeatable, or with commas
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = class)]
    isa_class: Vec<&'static Class>,
    /// List the kernels that meet this condition: comparisons of sgprs, vgprs, agprs, spills, sgpr_spills,
    /// vgpr_spills, lds, scratch, kernarg, wavefront, max_workgroup, occupancy, instructions or code_bytes
    /// with numbers, joined by and, or, not
    #[arg(long = "where", value_name = "CONDITION", value_parser = KernelCondition::parse, conflicts_with_all = ["list", "extract"])]
    condition: Option<KernelCondition>,
    /// List the kernels that use an instruction of this class (`rocm-audit list classes`) or with this
    /// mnemonic, in which * stands for any text; behind it, or alone, operands as in 's_setreg
    /// hwreg(HW_REG_MODE)'; repeatable, or with commas: all of them
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = kernels::mnemonics, conflicts_with_all = ["list", "extract"])]
    uses: Vec<InstructionPattern>,
    /// List kernels sorted by such a number, the largest first, or the smallest with FIELD:asc; or by name
    #[arg(long, value_name = "FIELD", value_parser = KernelOrder::parse, conflicts_with_all = ["list", "extract"])]
    sort: Option<KernelOrder>,
    /// List only the first N kernels
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["list", "extract"])]
    limit: Option<u32>,
    /// Also count the instructions that this processor does not have
    #[arg(long, value_name = "TARGET", value_parser = decodable)]
    legal_on: Option<String>,
    /// Say what lies at PLACE: kernel, instruction, and source lines if the file has debug information. An
    /// offset in the file, as in 0x1f40, or in a kernel, as in mul_mat_q+0x40; or a line of ROCm's debug
    /// agent with pc= and kernel_code_entry=; repeatable
    #[arg(long, value_name = "PLACE", value_parser = WantedPlace::parse, conflicts_with_all = ["list", "kernels", "isa", "isa_class", "condition", "uses", "sort", "limit", "legal_on", "sources", "extract"])]
    at: Vec<WantedPlace>,
    /// Also say which source files, templates and kernels the bytes of device code are from
    #[arg(long, conflicts_with_all = ["list", "kernels", "isa", "isa_class", "condition", "uses", "sort", "limit", "extract"])]
    sources: bool,
    /// Also look for results of memory that kernels use where no wait covers them, and for instructions that are
    /// too close to each other (`s_nop`), in all kernels, or in those for the targets of --arch or --gpu
    #[arg(long, conflicts_with_all = ["list", "kernels", "isa", "isa_class", "condition", "uses", "sort", "limit", "extract", "at"])]
    waits: bool,
    /// Write the code objects, inflated, into this new or empty folder
    #[arg(short, long, value_name = "DIR", conflicts_with_all = ["list", "kernels", "isa"])]
    extract: Option<PathBuf>,
}

impl Args {
    /// Whether it compares the hashes of compressed bundles with their contents.
    pub fn hashes_bundles(&self) -> bool {
        !self.list
    }

    /// The folder that is written.
    pub fn writes(&self) -> Option<sandbox::Write> {
        self.extract.clone().map(|path| sandbox::Write::Folder { path, folders: true })
    }

    /// Whether kernels are chosen or ordered, which makes a list of them.
    fn chooses_kernels(&self) -> bool {
        self.condition.is_some() || !self.uses.is_empty() || self.sort.is_some() || self.limit.is_some()
    }

    /// Whether machine code has to be decoded to choose them.
    fn asks_code(&self) -> bool {
        self.condition.as_ref().is_some_and(KernelCondition::needs_code)
            || !self.uses.is_empty()
            || self.sort.is_some_and(KernelOrder::needs_code)
    }
}

pub(super) fn run(args: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    let mut outputs = global.outputs()?;
    if outputs.is_empty() {
        // The status is wanted all the same.
        outputs.push((Destination::Nowhere, Format::Table));
    }
    let topics = if args.waits { exit::CODE_AND_WAITS } else { exit::CODE };
    let judge = Judge::new(global, FailOn::Damage, topics)?;
    let mut unread = Vec::new();
    let (files, pattern) = files::named(args, &mut unread)?;
    let mut targets = global.arch.clone();
    targets.extend(args.vs.clone());
    let isa = isa::wanted(args, &files, &targets)?;
    let pair = isa::pair(args, isa.as_ref(), &files, global)?;
    refuse_together(args, pattern.is_some(), isa.as_ref())?;
    if !args.at.is_empty() {
        let look_up = |file: &DeviceFile| code_place::look_up(file, &args.at, &global.arch);
        let status = places::write(&files, global, &mut unread, &outputs, &look_up)?;
        let judged = judge.findings(&unread).status();
        return Ok(if judged == Status::Done { status } else { judged });
    }
    let decoded = isa.is_some() || args.asks_code();
    if args.list {
        refuse_others(&outputs, global)?;
        let walked = unread.clone();
        each(&outputs, |out, format, _| {
            unread.clone_from(&walked);
            list::write(&files, global, &mut unread, out, format)
        })?;
        return Ok(judge.findings(&unread).status());
    }
    if let Some(folder) = &args.extract {
        let written = extract_to(folder, &files, global, &mut unread, &outputs)?;
        let status = judge.findings(&unread).status();
        // As grep does where nothing matches.
        return Ok(if written == 0 { Status::Found } else { status });
    }
    if let Some(pattern) = &pattern {
        refuse_others(&outputs, global)?;
        let pattern = name_pattern(pattern)?;
        let asked = Kernels { files: &files, pattern: pattern.as_ref(), decoded, choice: Some(args) };
        let written = list_kernels(&asked, global, &mut unread, &outputs)?;
        let status = judge.findings(&unread).status();
        // As grep does where nothing matches.
        let chosen = asked.pattern.is_some() || args.condition.is_some() || !args.uses.is_empty();
        let nothing = chosen && written == 0;
        return Ok(if nothing { Status::Found } else { status });
    }
    let (lists, reports): (Vec<_>, Vec<_>) =
        outputs.into_iter().partition(|(_, format)| *format == Format::Jsonl);
    let mut found = Vec::new();
    if !reports.is_empty() {
        let asked = ReportedFiles { files: &files, walked: &unread, isa, pair, targets: &targets, args };
        found = asked.write(&reports, global)?;
    }
    let all = Kernels { files: &files, pattern: None, decoded, choice: None };
    list_kernels(&all, global, &mut unread, &lists)?;
    Ok(judge.report(&found).findings(&unread).status())
}

/// Refuses options that have no meaning together.
fn refuse_together(args: &Args, lists_kernels: bool, isa: Option<&Isa<'_>>) -> Result<(), AuditError> {
    let is_of_some = isa.is_some_and(|isa| isa.kernel.is_some());
    if !args.isa_class.is_empty() && (lists_kernels || is_of_some) {
        let what = "--isa-class chooses rows of the table of all instructions; it has no meaning with --kernels, or with --isa KERNEL";
        return Err(AuditError::Usage(what.into()));
    }
    if lists_kernels && is_of_some {
        let what = "--kernels lists kernels and --isa KERNEL shows instructions of some: name the kernels with --kernels=REGEX, \
                    and decode them with --isa without a word";
        return Err(AuditError::Usage(what.into()));
    }
    Ok(())
}

/// The names of kernels that are listed; `None` for all.
fn name_pattern(text: &str) -> Result<Option<Regex>, AuditError> {
    let wrong = |error| AuditError::Usage(format!("--kernels: {error}"));
    (!text.is_empty()).then(|| Regex::new(text)).transpose().map_err(wrong)
}

/// Refuses the formats that a list has none of, and the choice of a table: a list is one.
fn refuse_others(outputs: &[(Destination, Format)], global: &GlobalArgs) -> Result<(), AuditError> {
    if let Some(rows) = global.rows {
        let what = format!("fatbin: a list is one table, so --rows {rows} has no meaning here");
        return Err(AuditError::Usage(what));
    }
    match outputs.iter().find(|(_, format)| !format.takes_lists()) {
        Some((_, format)) => Err(AuditError::Usage(format!(
            "fatbin: a list is not written as {}; use table, md, html, csv, json or jsonl",
            format.name()
        ))),
        None => Ok(()),
    }
}

/// Which kernels are listed.
struct Kernels<'a> {
    files: &'a [PathBuf],
    pattern: Option<&'a Regex>,
    decoded: bool,
    choice: Option<&'a Args>,
}

fn list_kernels(
    asked: &Kernels<'_>,
    global: &GlobalArgs,
    unread: &mut Vec<Finding>,
    outputs: &[(Destination, Format)],
) -> Result<u64, AuditError> {
    let Kernels { files, pattern, decoded, choice } = *asked;
    let mut written = 0;
    // Each output is read for anew, and says what was found once.
    let walked = unread.clone();
    each(outputs, |out, format, destination| {
        unread.clone_from(&walked);
        let style = &global.style(destination);
        let arguments = KernelsArgs { files, pattern, decoded, choice, format, style };
        kernels::write(&arguments, global, unread, out).map(|count| written = count)
    })?;
    Ok(written)
}

/// Writes the code objects into a folder, and the names of their files to all outputs; says how many there
/// are. What is wrong with the files is named on standard error, and added to `unread`.
fn extract_to(
    folder: &Path,
    files: &[PathBuf],
    global: &GlobalArgs,
    unread: &mut Vec<Finding>,
    outputs: &[(Destination, Format)],
) -> Result<usize, AuditError> {
    // Names of files are no document of any other format.
    if let Some((_, format)) = outputs.iter().find(|(_, format)| *format != Format::Table) {
        let what =
            format!("--extract: it prints the names of the files, and is not for -f {}", format.name());
        return Err(AuditError::Usage(what));
    }
    let Extracted { written, findings } = extract::all(files, folder, &|target| global.wants(target))?;
    findings.iter().for_each(|finding| global::complain(&finding.to_string()));
    unread.extend(findings);
    if written.is_empty() {
        global::remark(
            "nothing was extracted: no code object that is wanted could be read; without -e the file is described",
        );
    }
    each(outputs, |out, _, _| {
        written.iter().try_for_each(|path| writeln!(out, "{}", printable(&path.to_string_lossy())))
    })?;
    Ok(written.len())
}

/// Writes to each output in turn.
fn each(
    outputs: &[(Destination, Format)],
    mut write: impl FnMut(&mut dyn Write, Format, &Destination) -> io::Result<()>,
) -> Result<(), AuditError> {
    outputs.iter().try_for_each(|(destination, format)| {
        let mut out = destination::open(destination)?;
        write(&mut out, *format, destination)
            .and_then(|()| out.finish())
            .map_err(|e| AuditError::io("write", destination.path(), e))
    })
}
