//! `fatbin --kernels`: every kernel with its registers.

use super::files::open_all;
use crate::cli::global::{self, GlobalArgs};
use crate::codeobject::disassembly::DecodeOptions;
use crate::finding::Finding;
use crate::render::Format;
use crate::render::kernels::KernelList;
use crate::render::style::{Style, plural};
use crate::scan::device_file::{self, FileOptions};
use crate::scan::kernel_sink::{KernelFilter, KernelSink};
use regex::Regex;
use std::io::{self, Write};
use std::path::PathBuf;

/// What is listed, and how.
pub(super) struct KernelsArgs<'a> {
    pub files: &'a [PathBuf],
    /// The kernels that are listed, by name; all where there is none.
    pub pattern: Option<&'a Regex>,
    /// Whether machine code is decoded.
    pub decoded: bool,
    pub format: Format,
    pub style: &'a Style,
}

/// Lists the kernels of all files. Files that cannot be read are named on standard error and do not end the list.
pub(super) fn write(
    args: &KernelsArgs<'_>,
    global: &GlobalArgs,
    unread: &mut Vec<Finding>,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let instructions = args.decoded.then(|| DecodeOptions {
        kernels: true,
        targets: &global.arch,
        ..DecodeOptions::default()
    });
    let kernels = Some(KernelFilter { targets: &global.arch, name: args.pattern });
    let options = FileOptions { kernels, trap_stubs: false, instructions };
    let mut list = KernelList::begin(out, args.format, args.decoded, args.style)?;
    open_all(args.files, unread, |file, unread| {
        let mut written = Ok(());
        let read = device_file::read(&file, &options, &mut |rows| {
            if written.is_ok() {
                written = list.rows(rows);
            }
        });
        written?;
        for finding in read.findings {
            global::complain(&finding.to_string());
            unread.push(finding);
        }
        Ok(())
    })?;
    let written = list.end()?;
    if written == 0 {
        let what = args.pattern.map_or_else(String::new, |p| format!(" matches {p}"));
        let files = plural(args.files.len() as u64, "file", "files");
        global::complain(&format!("no kernel{what} in {files}"));
    }
    Ok(written)
}
