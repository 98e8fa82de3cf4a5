//! Prints the targets of files with their kernels: `cargo run --release --example targets -- FILE…`. The
//! smallest program that answers "which GPUs has this library code for"; packages and folders are for
//! `rocm-audit`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use amdgpu_object::codeobject::disassembly::CodeAsk;
use amdgpu_object::container::bundle_reader::{self, Depth, Payload};
use amdgpu_object::{container, format::Format, source::SourceFile};
use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut is_whole = std::env::args_os().len() > 1;
    for path in std::env::args_os().skip(1) {
        let shown = path.display();
        let file = match SourceFile::open(path.as_ref()) {
            Ok(file) => file,
            Err(error) => {
                eprintln!("{shown}: {error}");
                is_whole = false;
                continue;
            }
        };
        let found = container::open(file.bytes(), Format::identify(file.head()));
        let mut problems: Vec<String> = found.problems().iter().map(ToString::to_string).collect();
        let mut kernels = BTreeMap::new();
        for bundle in found.bundles() {
            let read = bundle_reader::read(
                file.bytes(),
                bundle,
                Depth::Metadata,
                CodeAsk::Nothing,
                &mut |_, _, _| {},
            );
            problems.extend(read.problems().iter().map(ToString::to_string));
            for payload in read.payloads() {
                if let Payload::CodeObject(object) = payload {
                    *kernels.entry(object.target().to_string()).or_insert(0) += object.kernels().count();
                }
            }
        }
        for (target, count) in kernels {
            println!("{shown}\t{target}\t{count}");
        }
        // What could not be read is unknown, not absent.
        is_whole &= problems.is_empty();
        problems.iter().for_each(|problem| eprintln!("{shown}: {problem}"));
    }
    if is_whole { ExitCode::SUCCESS } else { ExitCode::from(2) }
}
