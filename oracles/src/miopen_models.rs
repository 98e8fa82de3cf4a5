//! MIOpen's models: the test vectors in their files, and how often their first guess is what a database
//! recorded as the fastest.

use anyhow::{Context as _, Result, bail};
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::solver::convolution::{self, AskedFiles, FindDbs};
use rocm_audit::engines::miopen::solver::tunanet::{ModelFiles, files_of};
use rocm_audit::engines::miopen::solver::tunanet_model::TunaNet;
use rocm_audit::engines::miopen::solver::tuning_model::TuningModel;
use rocm_audit::engines::miopen::solver::{BuildPart, Context, SolverRules, Version};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Most records of a database that are asked about, taken at equal distances.
const RECORDS: usize = 4000;

/// The models of a folder.
#[derive(Debug)]
struct Models(Vec<(String, TunaNet)>);

impl AskedFiles for Models {
    fn model(&self, processor: &'static str) -> ModelFiles<'_> {
        let found = self.0.iter().find(|(name, _)| name == processor);
        found.map_or(ModelFiles::Missing, |(_, net)| ModelFiles::Here(net))
    }
}

pub fn run(arguments: &[String]) -> Result<()> {
    let [models, databases @ ..] = arguments else { bail!("miopen-models MODELS_FOLDER [DATA_FOLDER]") };
    let folder = Path::new(models);
    let mut nets = Vec::new();
    for name in names(folder, "_metadata.tn.model")? {
        let [layers, metadata] = files_of(&name).map(|file| std::fs::read(folder.join(file)));
        match TunaNet::read(&name, &layers?, &metadata?) {
            Ok(net) => {
                println!("{name}: largest error {:?}", net.largest_test_error());
                nets.push((name, net));
            }
            Err(why) => println!("{name}: no model: {why}"),
        }
    }
    for name in names(folder, "_metadata.ktn.model")? {
        let read = |part: &str| std::fs::read(folder.join(format!("{name}_{part}.ktn.model")));
        let (Ok(encoder), Ok(decoder)) = (read("encoder"), read("decoder")) else {
            println!("{name}: encoder or decoder is not there");
            continue;
        };
        match TuningModel::read(&read("metadata")?, &encoder, &decoder) {
            Ok(model) => println!("{name}: largest error {:?}", model.largest_test_error()),
            Err(why) => println!("{name}: no model: {why}"),
        }
    }
    let models = Models(nets);
    for folder in databases {
        for file in find_dbs(Path::new(folder))? {
            guesses(&file, &models).with_context(|| file.display().to_string())?;
        }
    }
    Ok(())
}

/// What stands before an ending in the names of files.
fn names(folder: &Path, ending: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        all.extend(name.strip_suffix(ending).map(str::to_owned));
    }
    all.sort();
    Ok(all)
}

fn find_dbs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = names(folder, ".HIP.fdb.txt.bz2")?
        .into_iter()
        .map(|name| folder.join(format!("{name}.HIP.fdb.txt.bz2")))
        .collect();
    all.sort();
    Ok(all)
}

/// How often the first solution without the record is the record's.
fn guesses(file: &Path, models: &Models) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let device = name.split('.').next().unwrap_or_default();
    // gfx900_56 in decimal, gfx942130 in hexadecimal.
    let (processor, units) = match device.split_once('_') {
        Some((processor, units)) => (processor, units.parse()?),
        None => (device.get(..6).unwrap_or(device), u32::from_str_radix(device.get(6..).unwrap_or("0"), 16)?),
    };
    let mut text = String::new();
    bzip2::read::MultiBzDecoder::new(std::fs::File::open(file)?).read_to_string(&mut text)?;
    let lines: Vec<&str> = text.lines().collect();
    let rules = SolverRules::miopen().map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut context = Context::new(processor, units);
    context.version = Version(3, 3, 0);
    context.without = vec![BuildPart::ComposableKernel, BuildPart::Mlir];
    let bound = rules.for_context(&context);
    let mut counts = [[0usize; 2]; 2];
    for line in lines.iter().step_by((lines.len() / RECORDS).max(1)) {
        let Some((key, _)) = line.split_once('=') else { continue };
        let Ok(problem) = ConvolutionProblem::parse(key) else { continue };
        let record = format!("{line}\n");
        let hit = FindDbs { system: Some(record.as_bytes()), ..FindDbs::default() };
        let hit = convolution::select(rules, &bound, key, &problem, hit, None);
        let Some(best) = hit.pick.and_then(|at| hit.recorded.get(at)).map(|r| r.item.solver) else {
            continue;
        };
        let miss = FindDbs { model: Some(models), ..FindDbs::default() };
        let miss = convolution::select(rules, &bound, key, &problem, miss, None);
        let Some(first) = miss.first_at_once() else { continue };
        let by = usize::from(miss.estimates_decide());
        counts[by][1] += 1;
        counts[by][0] += usize::from(first.name == best);
    }
    let [net, wti] = counts
        .map(|[equal, of]| format!("{equal} of {of} ({:.1} %)", 100.0 * equal as f64 / of.max(1) as f64));
    println!("{device}: first guess is the recorded best: TunaNet {net}, estimates {wti}");
    Ok(())
}
