//! Analyses all kernels of files: how long each step takes, and whether more registers are in use anywhere
//! than the kernel is given.

use anyhow::{Result, bail};
use rayon::prelude::*;
use rocm_audit::codeobject;
use rocm_audit::container;
use rocm_audit::format::Format;
use rocm_audit::kernel::{Graph, KernelObject, Liveness};
use rocm_audit::source::SourceFile;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

#[derive(Default)]
struct Sums {
    kernels: u64,
    instructions: u64,
    bytes: u64,
    blocks: u64,
    loops: u64,
    irreducible: u64,
    unknown: u64,
    beyond: u64,
    failures: Vec<String>,
}

impl Sums {
    fn and(mut self, other: Sums) -> Sums {
        self.kernels += other.kernels;
        self.instructions += other.instructions;
        self.bytes += other.bytes;
        self.blocks += other.blocks;
        self.loops += other.loops;
        self.irreducible += other.irreducible;
        self.unknown += other.unknown;
        self.beyond += other.beyond;
        self.failures.extend(other.failures);
        self
    }
}

/// Analyses all kernels of files and folders.
pub fn run(paths: &[&str]) -> Result<()> {
    let begun = Instant::now();
    let sums = Mutex::new(Sums::default());
    each_object(paths, &|opened, target| {
        let own = object(opened, target);
        if let Ok(mut sums) = sums.lock() {
            *sums = std::mem::take(&mut *sums).and(own);
        }
    })?;
    let sums = sums.into_inner().unwrap_or_default();
    let Sums { kernels, instructions, bytes, blocks, loops, irreducible, unknown, beyond, failures } = sums;
    println!(
        "{kernels} kernels, {bytes} bytes, {instructions} instructions, {blocks} blocks, {loops} loops, {irreducible} irreducible, \
         {unknown} unknown words, {beyond} with more in use than given; {:.2} s",
        begun.elapsed().as_secs_f64()
    );
    failures.iter().take(20).for_each(|failure| println!("{failure}"));
    if kernels == 0 { bail!("no kernels") } else { Ok(()) }
}

/// Hands each code object of files and folders to `visit`, with its target.
pub fn each_object(paths: &[&str], visit: &(impl Fn(&KernelObject<'_>, &str) + Sync)) -> Result<()> {
    let mut open: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if path.is_file() && !path.is_symlink() {
            file(&path, visit);
        }
    }
    Ok(())
}

fn file(path: &Path, visit: &(impl Fn(&KernelObject<'_>, &str) + Sync)) {
    let Ok(file) = SourceFile::open(path) else { return };
    let found = container::open(file.bytes(), Format::identify(file.head()));
    found.bundles().par_iter().filter_map(|bundle| bundle.open(file.bytes()).ok()).for_each(|open| {
        open.entries().filter(|entry| entry.is_code_object()).for_each(|entry| {
            let bytes = entry.bytes();
            let Ok(read) = codeobject::read(bytes, bytes.len() as u64, 0, &mut |_, _| {}) else { return };
            match KernelObject::read(bytes, &read.target().processor) {
                Ok(opened) => visit(&opened, &read.target().to_string()),
                Err(error) => eprintln!("{}: {error}", path.display()),
            }
        });
    });
}

fn object(opened: &KernelObject<'_>, target: &str) -> Sums {
    let mut sums = Sums::default();
    for kernel in opened.kernels() {
        let Some(code) = opened.code(kernel) else { continue };
        let graph = Graph::from_code(&code);
        let [strong, weak] = Liveness::by_both(&graph);
        sums.kernels += 1;
        sums.bytes += code.size() as u64;
        sums.instructions += graph.instructions() as u64;
        sums.blocks += graph.blocks().len() as u64;
        sums.loops += graph.loops().len() as u64;
        sums.irreducible += u64::from(!graph.irreducible().is_empty());
        sums.unknown += u64::from(graph.unknown_words());
        let Some((_, demand)) = opened.demand(kernel, None) else { continue };
        let (vgprs, agprs) = (weak.at().vgprs().count(), weak.at().agprs().count());
        let agprs_given = if demand.agpr_count() > 0 { demand.agpr_count() } else { demand.vgpr_count() };
        if u32::from(vgprs) > demand.vgpr_count() || u32::from(agprs) > agprs_given || strong.is_cut_off() {
            sums.beyond += 1;
            sums.failures.push(format!("{target} {}: {vgprs} {agprs} of {demand:?}", kernel.symbol()));
        }
    }
    sums
}
