//! One case: a broken file with an intact one beside it, read in all ways and judged.

use super::base::Base;
use super::facts::{self, NEIGHBOUR, TortureFacts};
use super::judge::{Judge, Outcome};
use super::mutation::{self, Broken};
use super::surroundings::Surroundings;
use super::{program, unknowable};
use amdgpu_samples::Random;
use anyhow::{Context, Result};
use rocm_audit::capability::Capability;
use rocm_audit::codeobject::disassembly::DecodeOptions;
use rocm_audit::finding::Finding;
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::render::style::Style;
use rocm_audit::render::{self, Drawing, Format};
use rocm_audit::report;
use rocm_audit::report::v1::{FatbinReport, Report};
use rocm_audit::scan::device_file::{self, FileOptions};
use rocm_audit::scan::run::{Options, Silent, audit};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where cases are made and read; what intact files have is kept.
pub struct Bench {
    bases: Vec<Base>,
    neighbour: Vec<u8>,
    folder: tempfile::TempDir,
    program: Option<PathBuf>,
    pools: [rayon::ThreadPool; 2],
    intact: RefCell<HashMap<usize, Rc<Intact>>>,
}

/// What an intact file has.
struct Intact {
    facts: TortureFacts,
    complete: bool,
    bundles: BTreeMap<u64, String>,
}

impl Bench {
    /// With the files below `corpus` and the fixtures; `program`, if given, is run too.
    pub fn new(corpus: &Path, program: Option<PathBuf>) -> Result<Self> {
        let bases = super::base::all(corpus)?;
        let good = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../fixtures/rocm/lib/codeobject/v5_gfx90a_heavy.hsaco");
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Bench {
            bases,
            neighbour: std::fs::read(&good).context("the intact neighbour")?,
            folder: tempfile::tempdir()?,
            program,
            pools: [pool(1)?, pool(3)?],
            intact: RefCell::default(),
        })
    }

    /// How many files there are to break.
    pub fn bases(&self) -> usize {
        self.bases.len()
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("in")
    }

    /// Makes the tree of a file, packed or not, with its neighbours and what else lies around it.
    fn write(&self, name: &str, bytes: &[u8], packing: &[Packing], around: &Surroundings) -> Result<PathBuf> {
        let root = self.root();
        if root.exists() {
            std::fs::remove_dir_all(&root)?;
        }
        std::fs::create_dir(&root)?;
        std::fs::write(root.join(NEIGHBOUR), &self.neighbour)?;
        let (mut name, mut bytes) = (name.to_owned(), bytes.to_vec());
        for packing in packing {
            (name, bytes) = packing.pack(&name, &bytes, &self.neighbour)?;
        }
        let path = around.make(&root, &name)?;
        std::fs::write(&path, &bytes)?;
        Ok(path)
    }

    fn intact(&self, number: usize, base: &Base) -> Result<Rc<Intact>> {
        if let Some(known) = self.intact.borrow().get(&number) {
            return Ok(Rc::clone(known));
        }
        let path = self.write(&base.name, &base.bytes, &[], &Surroundings::default())?;
        let options = Options::default();
        let report =
            audit_of(&self.root(), &options, |report| (TortureFacts::from_report(report), report.complete))?;
        let bundles = facts::bundles(&fatbin_of(&path, false)?);
        let intact = Rc::new(Intact { facts: report.0, complete: report.1, bundles });
        self.intact.borrow_mut().insert(number, Rc::clone(&intact));
        Ok(intact)
    }

    /// What a case is, in words.
    pub fn describe(&self, seed: u64, case: u64) -> Option<(String, Broken)> {
        let mut random = Random::new(seed.rotate_left(32) ^ case);
        let number = random.below(self.bases.len());
        let base = self.bases.get(number)?;
        let broken = mutation::broken(base, &self.bases, &mut random);
        Some((format!("{} ({}); {}", base.from, broken.name.escape_debug(), broken.how.join("; ")), broken))
    }

    /// Makes a case, and runs and judges it.
    pub fn run(&self, seed: u64, case: u64) -> Result<Outcome> {
        let mut random = Random::new(seed.rotate_left(32) ^ case);
        let number = random.below(self.bases.len());
        let Some(base) = self.bases.get(number) else { return Ok(Outcome::default()) };
        let broken = mutation::broken(base, &self.bases, &mut random);
        let intact = self.intact(number, base)?;
        // A longer name does not fit into the header of a tar.
        let packing = Packing::some(&mut random);
        let packing = if broken.name.len() < 100 { packing } else { Vec::new() };
        let around = Surroundings::some(&mut random);
        let path = self.write(&broken.name, &broken.bytes, &packing, &around)?;
        let size = std::fs::metadata(&path)?.len() + self.neighbour.len() as u64;
        let mut judge = Judge { outcome: Outcome::default(), size };
        let options =
            Options { verify: random.one_in(4), instructions: random.one_in(12), ..Options::default() };
        let format = random.pick(&[Format::Table, Format::Md]).copied().unwrap_or_default();
        let root = self.root();
        let [one, three] = &self.pools;
        let first = judge.run("audit", || one.install(|| seen(&root, &options, format)));
        if let Some(first) = first {
            judge_losses(&mut judge, &first, base, &broken, &intact, &packing);
            judge.text("audit", &first.drawn, false);
            judge.text("audit -f json", &first.json, true);
            if random.one_in(3) {
                let again = judge.run("audit -j 3", || three.install(|| seen(&root, &options, format)));
                if again.is_some_and(|again| again.json != first.json || again.drawn != first.drawn) {
                    judge.problem("threads", "another report with 3 threads".into());
                }
            }
        }
        let isa = random.one_in(8);
        let read = judge.run("fatbin", || {
            three.install(|| {
                let report = fatbin_of(&path, isa)?;
                let style = Style { verbose: random.below(3) as u8, ..Style::default() };
                let drawn =
                    render::fatbin(&report, format, &style).map(Drawing::into_text).unwrap_or_default();
                let json =
                    render::fatbin(&report, Format::Json, &style).map(Drawing::into_text).unwrap_or_default();
                Ok((facts::bundles(&report), drawn, json))
            })
        });
        if let Some((bundles, drawn, json)) = read {
            judge.text("fatbin", &drawn, false);
            judge.text("fatbin -f json", &json, true);
            if packing.is_empty() && broken.name == base.name {
                judge_bundles(&mut judge, base, &broken, &intact, &bundles);
            }
        }
        if let (Some(program), true) = (&self.program, random.one_in(3)) {
            let (root, folder) = (self.root(), self.folder.path());
            let place = program::CaseFolder { program, root: &root, file: &path, folder };
            program::run(&place, &mut random, &mut judge)?;
        }
        Ok(judge.outcome)
    }
}

/// What is fewer than it was, and not said.
fn judge_losses(
    judge: &mut Judge,
    seen: &AuditOutcome,
    base: &Base,
    broken: &Broken,
    intact: &Intact,
    packing: &[Packing],
) {
    let beside = 1 + packing.len().min(4);
    if seen.neighbours.len() < beside
        || seen.neighbours.iter().any(|other| Some(other) != seen.neighbours.first())
    {
        let what = format!("{} of {beside} neighbours: {:?}", seen.neighbours.len(), seen.neighbours);
        judge.problem("neighbour lost", what);
    }
    let lost = seen.facts.lost(&intact.facts);
    if lost.is_empty() {
        return;
    }
    judge.outcome.lost += 1;
    if !seen.complete || !intact.complete || seen.not_examined && packing.len() > 3 {
        return;
    }
    match unknowable::why(base, broken) {
        Some(why) => *judge.outcome.unknowable.entry(why).or_default() += 1,
        None => judge.problem("silent loss", lost),
    }
}

/// Bundles without a changed byte must be reported as before, if only the bodies of others were changed.
fn judge_bundles(
    judge: &mut Judge,
    base: &Base,
    broken: &Broken,
    intact: &Intact,
    bundles: &BTreeMap<u64, String>,
) {
    let Some(touched) = broken.touched.as_ref().filter(|touched| !touched.is_empty()) else { return };
    if broken.bytes.len() != base.bytes.len() {
        return;
    }
    let hit = |range: &std::ops::Range<usize>, body: usize| {
        touched.iter().all(|t| body <= t.start && t.end <= range.end)
    };
    let Some((own, _)) = base.bundles.iter().find(|(range, body)| hit(range, *body)) else { return };
    for (offset, said) in intact.bundles.iter().filter(|(offset, _)| **offset != own.start as u64) {
        if bundles.get(offset) != Some(said) {
            let now = bundles.get(offset).map_or("nothing", String::as_str);
            judge.problem("bundle lost", format!("at {offset}, where {own:?} was touched: {now}"));
            return;
        }
    }
}

/// What an audit says.
struct AuditOutcome {
    facts: TortureFacts,
    neighbours: Vec<String>,
    complete: bool,
    not_examined: bool,
    drawn: String,
    json: String,
}

/// An audit, drawn too.
fn seen(root: &Path, options: &Options, format: Format) -> Result<AuditOutcome> {
    audit_of(root, options, |report| AuditOutcome {
        facts: TortureFacts::from_report(report),
        neighbours: facts::neighbours(report),
        complete: report.complete,
        not_examined: !report.not_examined.is_empty(),
        drawn: render::report(report, format, &Style::default()).map(Drawing::into_text).unwrap_or_default(),
        json: render::report(report, Format::Json, &Style::default())
            .map(Drawing::into_text)
            .unwrap_or_default(),
    })
}

fn audit_of<T>(root: &Path, options: &Options, look: impl FnOnce(&Report) -> T) -> Result<T> {
    let inventory = audit(&[root.to_owned()], options, &Silent, None)?;
    Ok(look(&report::audit(&inventory, &Capability::from_inventory(&inventory, &[]))))
}

fn fatbin_of(path: &Path, isa: bool) -> Result<FatbinReport> {
    let instructions = isa.then(DecodeOptions::default);
    let options = FileOptions { instructions, ..FileOptions::default() };
    let mut files = Vec::new();
    let mut faults: Vec<Finding> = Vec::new();
    let mut each = |open: DeviceFile| {
        files.push(report::fatbin::file(&device_file::read(&open, &options, &mut |_| {}), &[]));
    };
    DeviceFile::open_each(path, &mut each, &mut |fault| faults.push(fault))?;
    Ok(report::fatbin::report(files, &faults))
}

/// A package around a file, and a neighbour in it.
#[derive(Debug, Clone, Copy)]
enum Packing {
    Tar,
    TarZst,
    TarBz2,
}

impl Packing {
    fn some(random: &mut Random) -> Vec<Packing> {
        if !random.one_in(4) {
            return Vec::new();
        }
        let depth = if random.one_in(6) { 2 + random.below(4) } else { 1 };
        let all = [Packing::Tar, Packing::TarZst, Packing::TarBz2];
        (0..depth).filter_map(|_| random.pick(&all).copied()).collect()
    }

    fn pack(self, name: &str, bytes: &[u8], neighbour: &[u8]) -> Result<(String, Vec<u8>)> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, content) in [(name, bytes), (NEIGHBOUR, neighbour)] {
            let mut header = tar::Header::new_ustar();
            header.set_path(name)?;
            header.set_mode(0o644);
            header.set_size(content.len() as u64);
            header.set_cksum();
            archive.append(&header, content)?;
        }
        let tar = archive.into_inner()?;
        Ok(match self {
            Packing::Tar => ("p.tar".into(), tar),
            Packing::TarZst => ("p.tar.zst".into(), zstd::encode_all(&tar[..], 1)?),
            Packing::TarBz2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                std::io::Write::write_all(&mut out, &tar)?;
                ("p.tar.bz2".into(), out.finish()?)
            }
        })
    }
}
