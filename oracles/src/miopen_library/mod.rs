//! Compares answers of the real libMIOpen, run without a GPU, with the rules of its solvers.
//!
//! A file of vectors is named `<processor>-<compute units>-<mode>.jsonl.zst`; each line has one question and
//! the library's answer. The questions of one device, and one in six of the others, are held back: their
//! disagreements are counted but never shown, so that no rule can be fitted to them.

mod immediate;
mod row;
mod searched;
mod tally;

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;
use rocm_audit::engines::miopen::solver::convolution::AskedFiles;
use rocm_audit::engines::miopen::solver::tunanet::{ModelFiles, files_of};
use rocm_audit::engines::miopen::solver::tunanet_model::TunaNet;
use rocm_audit::engines::miopen::solver::{Bound, BuildPart, Context, SolverRules, Version};
use row::VectorRow;
use std::collections::BTreeMap;
use std::io::{BufRead as _, Read as _};
use std::path::{Path, PathBuf};
use tally::DeviceTally;

/// The device whose questions are all held back.
const HELD_BACK: &str = "gfx90a-110";

/// Release of the library that gave the answers.
const VERSION: Version = Version(3, 4, 0);

/// Variables set only for the harness, which do not affect MIOpen's choice.
const HARNESS: [&str; 2] = ["MIOPEN_EXPERIMENTAL_GCN_ASM_PATH", "NO_SYSDB"];

/// The databases and models next to the library: the lines of each find-db by key.
pub struct Data {
    find_dbs: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    pub models: Models,
}

/// The models that the library had, except that of gfx942, which did not match its release.
#[derive(Debug)]
pub struct Models(Vec<(String, TunaNet)>);

impl AskedFiles for Models {
    fn model(&self, processor: &'static str) -> ModelFiles<'_> {
        let found = self.0.iter().find(|(name, _)| name == processor);
        found.map_or(ModelFiles::Missing, |(_, net)| ModelFiles::Here(net))
    }
}

pub fn run(arguments: &[String]) -> Result<()> {
    let (held, arguments) = match arguments {
        [flag, rest @ ..] if flag == "--held" => (true, rest),
        all => (false, all),
    };
    let [vectors, data, only @ ..] = arguments else {
        bail!("miopen-library [--held] VECTORS_FOLDER DATA_FOLDER [PART_OF_A_NAME…]")
    };
    let data = Data::open(Path::new(data))?;
    let mut all = DeviceTally::default();
    for file in files(Path::new(vectors), only)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (device, _) = name.rsplit_once(".jsonl").unwrap_or((&name, ""));
        let device: Vec<&str> = device.splitn(3, '-').take(2).collect();
        all = all.plus(compare(&file, &device.join("-"), &data).with_context(|| name.clone())?);
    }
    all.print(held);
    Ok(())
}

fn files(folder: &Path, only: &[String]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let vectors = name.starts_with("gfx") && name.ends_with(".jsonl.zst");
        if vectors && (only.is_empty() || only.iter().any(|part| name.contains(part.as_str()))) {
            all.push(path.clone());
        }
    }
    all.sort();
    Ok(all)
}

fn compare(file: &Path, device: &str, data: &Data) -> Result<DeviceTally> {
    let rules = SolverRules::miopen().map_err(|error| anyhow::anyhow!("{error}"))?;
    let reader = std::io::BufReader::new(zstd::Decoder::new(std::fs::File::open(file)?)?);
    let mut by_context: BTreeMap<String, (Context, Vec<VectorRow>)> = BTreeMap::new();
    for line in reader.lines() {
        let row: VectorRow = serde_json::from_str(&line?)?;
        let context = context(&row);
        let key = format!("{context:?}");
        by_context.entry(key).or_insert_with(|| (context, Vec::new())).1.push(row);
    }
    let mut all = DeviceTally::default();
    for (context, rows) in by_context.values() {
        let bound = rules.for_context(context);
        let one = |row: &VectorRow| {
            let mut tally = DeviceTally::for_device(device, held_back(device, &row.key));
            judge(&mut tally, rules, &bound, row, data);
            tally
        };
        all = all.plus(rows.par_iter().map(one).reduce(DeviceTally::default, DeviceTally::plus));
    }
    Ok(all)
}

fn judge(tally: &mut DeviceTally, rules: &SolverRules, bound: &Bound<'_>, row: &VectorRow, data: &Data) {
    match row.mode.as_str() {
        "imm" | "imm-wti" | "imm-noasm" | "imm-debian" => immediate::compare(tally, rules, bound, row, data),
        mode if mode.starts_with("mode-") && mode != "mode-NORMAL" => {
            immediate::compare_mode(tally, rules, bound, row, data);
        }
        _ => searched::compare(tally, bound, row),
    }
}

/// Whether a question's disagreements must not be shown.
fn held_back(device: &str, key: &str) -> bool {
    // FNV-1a, since it is the same on every machine.
    let hash =
        key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    device == HELD_BACK || (hash >> 17).is_multiple_of(6)
}

/// The device that the harness reported to the library, and the parts of its build.
fn context(row: &VectorRow) -> Context {
    let mut context = Context::new(&row.arch, row.cus);
    context.version = VERSION;
    context.xnack = row.target.contains(":xnack").then(|| row.target.contains(":xnack+"));
    context.without = vec![BuildPart::ComposableKernel, BuildPart::Mlir];
    if matches!(row.mode.as_str(), "find-noasm" | "imm-noasm" | "imm-debian") {
        context.without.push(BuildPart::Assembly);
    }
    if row.mode == "find-noktn" {
        context.without.push(BuildPart::TuningModels);
    }
    context.environment = row.env.clone();
    if row.mode.starts_with("find") {
        context.environment.insert("MIOPEN_FIND_MODE".to_owned(), "NORMAL".to_owned());
    }
    context.environment.retain(|name, _| !HARNESS.contains(&name.as_str()));
    context
}

impl Data {
    fn open(folder: &Path) -> Result<Data> {
        let mut find_dbs = BTreeMap::new();
        for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".bz2").filter(|name| name.ends_with(".HIP.fdb.txt")) else {
                continue;
            };
            let mut text = String::new();
            bzip2::read::MultiBzDecoder::new(std::fs::File::open(&path)?).read_to_string(&mut text)?;
            let mut lines = BTreeMap::new();
            for line in text.lines() {
                let key = line.split_once('=').map_or(line, |(key, _)| key);
                lines.entry(key.to_owned()).or_insert_with(|| format!("{line}\n").into_bytes());
            }
            find_dbs.insert(name.to_owned(), lines);
        }
        let mut models = Vec::new();
        for processor in ["gfx908", "gfx90a"] {
            let [layers, metadata] = files_of(processor).map(|file| std::fs::read(folder.join(file)));
            let net = TunaNet::read(processor, &layers?, &metadata?).map_err(anyhow::Error::msg)?;
            println!("{processor}: largest error of the vectors in the file {:?}", net.largest_test_error());
            models.push((processor.to_owned(), net));
        }
        Ok(Data { find_dbs, models: Models(models) })
    }

    /// The find-db that the library had for a row, reduced to the record of its key; `None` if the file is
    /// missing.
    pub fn find_db(&self, row: &VectorRow) -> Option<&[u8]> {
        Some(self.find_dbs.get(row.find_db.as_ref()?)?.get(&row.key).map_or(&[], Vec::as_slice))
    }
}
