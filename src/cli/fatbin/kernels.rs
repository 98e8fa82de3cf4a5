//! `fatbin --kernels`: every kernel with its registers.

use super::Args;
use super::files::open_all;
use crate::cli::global::{self, GlobalArgs};
use crate::codeobject::disassembly::DecodeOptions;
use crate::error::NotUnderstood;
use crate::finding::{self, Finding};
use crate::isa::InstructionPattern;
use crate::isa::class::CLASSES;
use crate::isa::processor::Isa;
use crate::render::Format;
use crate::render::kernels::KernelList;
use crate::render::style::{Style, plural, thousands};
use crate::report;
use crate::scan::device_file::{self, FileOptions};
use crate::scan::kernel_order::Ordered;
use crate::scan::kernel_sink::{KernelAsk, KernelFilter, KernelSink};
use regex::Regex;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

/// What is listed, and how.
pub(super) struct KernelsArgs<'a> {
    pub files: &'a [PathBuf],
    /// The kernels to list, by name; without it, all.
    pub pattern: Option<&'a Regex>,
    /// Whether machine code is decoded.
    pub decoded: bool,
    /// What else they are chosen and ordered by.
    pub choice: Option<&'a Args>,
    pub format: Format,
    pub style: &'a Style,
}

/// Lists the kernels of all files. Files that cannot be read are named on standard error and do not end the
/// list.
pub(super) fn write(
    args: &KernelsArgs<'_>,
    global: &GlobalArgs,
    unread: &mut Vec<Finding>,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let uses = args.choice.map_or(&[][..], |choice| &choice.uses);
    let instructions = args.decoded.then(|| DecodeOptions {
        kernels: true,
        uses,
        targets: &global.arch,
        ..DecodeOptions::default()
    });
    let condition = args.choice.and_then(|choice| choice.condition.clone());
    let asked = KernelAsk { condition, uses: uses.len(), undecided: AtomicU64::new(0) };
    let filter =
        KernelFilter { targets: &global.arch, name: args.pattern, asked: Some(&asked), as_it_stands: false };
    let kernels = Some(filter);
    // Machine code is inflated where it is decoded only: its bytes and the decoder's window would be most of
    // the memory.
    let metadata_alone = instructions.is_none();
    let options = FileOptions { kernels, metadata_alone, trap_stubs: false, instructions, waits: None };
    let mut list = KernelList::begin(out, args.format, args.decoded, args.style)?;
    let order = args.choice.and_then(|choice| choice.sort);
    let limit = args.choice.and_then(|choice| choice.limit).map(|limit| limit as usize);
    let mut ordered = Ordered::new(&mut list, order, limit);
    open_all(args.files, unread, |file, unread| {
        let mut written = Ok(());
        let read = device_file::read(&file, &options, &mut |rows| {
            if written.is_ok() {
                written = ordered.rows(rows);
            }
        });
        written?;
        for finding in read.findings {
            global::complain(&finding.to_string());
            unread.push(finding);
        }
        Ok(())
    })?;
    let found = ordered.finish()?;
    let written = list.end(&report::found(&finding::merged(unread.iter().cloned())))?;
    if written == 0 {
        let what = match (args.pattern, asked.condition.is_some() || !uses.is_empty()) {
            (None, false) => String::new(),
            (Some(pattern), false) => format!(" matches {pattern}"),
            (None, true) => " is of this kind".to_owned(),
            (Some(pattern), true) => format!(" that matches {pattern} is of this kind"),
        };
        let files = plural(args.files.len() as u64, "file", "files");
        global::complain(&format!("no kernel{what} in {files}"));
        for target in global.arch.iter().filter(|target| lacks_all(&target.processor, uses)) {
            global::note(&format!("{} has no such instruction, by LLVM's tables", target.processor));
        }
    }
    if found > written {
        global::note(&format!("{} of {} kernels are listed (--limit)", thousands(written), thousands(found)));
    }
    match asked.undecided.into_inner() {
        0 => {}
        n => global::note(&format!(
            "{} left out, because their metadata does not state what was asked for, or their code was not decoded",
            plural(n, "kernel is", "kernels are")
        )),
    }
    Ok(written)
}

/// Whether a processor has none of the instructions of some pattern. One that the tables lack is not known to.
fn lacks_all(processor: &str, uses: &[InstructionPattern]) -> bool {
    let Some(isa) = Isa::by_name(processor) else { return false };
    let own = isa.mnemonics();
    uses.iter().any(|pattern| own.iter().all(|mnemonic| !pattern.has_mnemonic(*mnemonic)))
}

/// The instructions of a class or pattern.
pub(super) fn mnemonics(text: &str) -> Result<InstructionPattern, NotUnderstood> {
    let text = text.trim();
    InstructionPattern::from_text(text).ok_or_else(|| {
        let known = CLASSES.iter().map(|class| class.id);
        let tip = crate::cli::meant(&crate::cli::similar(text, known));
        format!("no class and no mnemonic is called so{tip}; `rocm-audit list classes` has the classes, `rocm-audit explain TARGET --isa` the mnemonics").into()
    })
}
