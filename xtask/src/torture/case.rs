//! One case: a broken file with an intact one beside it, read in all ways and judged.

use super::base::Base;
use super::facts::{self, Facts, NEIGHBOUR};
use super::mutation::{self, Broken};
use super::process::Usage;
use super::{program, unknowable};
use crate::random::Random;
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
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

/// What is wrong: a kind, which is counted, and what a reader needs to see it again.
#[derive(Debug)]
pub struct Problem {
    /// Of what kind.
    pub kind: &'static str,
    /// In words.
    pub what: String,
}

/// What came of a case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Calls of the library or of the program.
    pub runs: u64,
    /// Runs in which something was lost.
    pub lost: u64,
    /// Losses that bytes cannot show, by reason.
    pub unknowable: BTreeMap<&'static str, u64>,
    /// Most memory that a run took beyond what was there, in bytes.
    pub memory: u64,
    /// The longest run in milliseconds.
    pub longest: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

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
    facts: Facts,
    complete: bool,
    bundles: BTreeMap<u64, String>,
}

/// What panicked since it was last asked.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Has panics kept instead of written.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
    }));
}

fn panics() -> Vec<String> {
    std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Bench {
    /// With the files below `corpus` and the fixtures; `program` is run too, where there is one.
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

    /// Makes the tree of a file, packed or not, with its neighbours.
    fn write(&self, name: &str, bytes: &[u8], packing: &[Packing]) -> Result<PathBuf> {
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
        let path = root.join(&name);
        std::fs::write(&path, &bytes)?;
        Ok(path)
    }

    fn intact(&self, number: usize, base: &Base) -> Result<Rc<Intact>> {
        if let Some(known) = self.intact.borrow().get(&number) {
            return Ok(Rc::clone(known));
        }
        let path = self.write(&base.name, &base.bytes, &[])?;
        let options = Options::default();
        let report = audit_of(&self.root(), &options, |report| (Facts::of(report), report.complete))?;
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
        let path = self.write(&broken.name, &broken.bytes, &packing)?;
        let size = std::fs::metadata(&path)?.len() + self.neighbour.len() as u64;
        let mut judge = Judge { outcome: Outcome::default(), size };
        let options =
            Options { verify: random.one_in(4), instructions: random.one_in(12), ..Options::default() };
        let format = random.of(&[Format::Table, Format::Md]).copied().unwrap_or_default();
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
            program::run(program, &self.root(), &path, self.folder.path(), &mut random, &mut judge)?;
        }
        Ok(judge.outcome)
    }
}

/// What is fewer than it was, and not said.
fn judge_losses(
    judge: &mut Judge,
    seen: &Seen,
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

/// Bundles of which no byte was touched must be there as they were, where others' bodies only were.
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
struct Seen {
    facts: Facts,
    neighbours: Vec<String>,
    complete: bool,
    not_examined: bool,
    drawn: String,
    json: String,
}

/// An audit, drawn too.
fn seen(root: &Path, options: &Options, format: Format) -> Result<Seen> {
    audit_of(root, options, |report| Seen {
        facts: Facts::of(report),
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
    Ok(look(&report::audit(&inventory, &Capability::of(&inventory, &[]))))
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

/// Judges runs.
pub struct Judge {
    /// What came of them.
    pub outcome: Outcome,
    /// Bytes of all that is read.
    pub size: u64,
}

impl Judge {
    /// Notes what is wrong.
    pub fn problem(&mut self, kind: &'static str, what: String) {
        self.outcome.problems.push(Problem { kind, what });
    }

    /// Runs something, and judges that it ends as it should, in time and memory.
    fn run<T>(&mut self, what: &str, run: impl FnOnce() -> Result<T>) -> Option<T> {
        let usage = Usage::begin();
        let result = std::panic::catch_unwind(AssertUnwindSafe(run));
        self.used(what, &usage.end());
        for panic in panics() {
            self.problem("panic", format!("{what}: {panic}"));
        }
        match result {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                self.problem("refused", format!("{what}: {error:#}"));
                None
            }
            Err(_) => None,
        }
    }

    /// Judges what a run took.
    pub fn used(&mut self, what: &str, used: &Usage) {
        self.outcome.runs += 1;
        self.outcome.longest = self.outcome.longest.max(used.milliseconds);
        self.outcome.memory = self.outcome.memory.max(used.memory);
        // 2 s, and 1 s for each 100 MB; on a machine that others use too, by processor time where wall time is more.
        let allowed = 2_000 + self.size / 100_000;
        if used.cpu_milliseconds > allowed || used.milliseconds > 10 * allowed {
            self.problem(
                "slow",
                format!("{what}: {} ms, {} ms of CPU", used.milliseconds, used.cpu_milliseconds),
            );
        }
        if used.memory > (256 << 20) + self.size {
            self.problem("memory", format!("{what}: {} MiB", used.memory >> 20));
        }
    }

    /// Judges text that goes to a terminal or a file.
    pub fn text(&mut self, what: &str, text: &str, json: bool) {
        if let Some(bad) = text.chars().find(|c| c.is_control() && *c != '\n') {
            self.problem("control character", format!("{what}: {bad:?}"));
        }
        if json && let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
            self.problem("JSON", format!("{what}: {error}"));
        }
    }
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
        (0..depth).filter_map(|_| random.of(&all).copied()).collect()
    }

    fn pack(self, name: &str, bytes: &[u8], neighbour: &[u8]) -> Result<(String, Vec<u8>)> {
        let mut tar = Vec::new();
        for (name, content) in [(name, bytes), (NEIGHBOUR, neighbour)] {
            tar.extend(header(name, content.len()));
            tar.extend(content);
            tar.resize(tar.len().next_multiple_of(512), 0);
        }
        tar.extend([0; 1024]);
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

/// The header of a tar's member.
fn header(name: &str, size: usize) -> [u8; 512] {
    let mut block = [0; 512];
    let mut put = |at: usize, text: &[u8]| {
        block.iter_mut().skip(at).zip(text).for_each(|(to, from)| *to = *from);
    };
    put(0, name.as_bytes().get(..99).unwrap_or(name.as_bytes()));
    put(100, b"0000644\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(148, b"        ");
    put(156, b"0ustar\0");
    put(156, b"0");
    put(257, b"ustar\x0000");
    put(157, &[0; 6]);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    block.iter_mut().skip(148).zip(sum.as_bytes()).for_each(|(to, from)| *to = *from);
    block
}
