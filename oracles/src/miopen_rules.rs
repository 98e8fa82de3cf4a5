//! Compares the rules of MIOpen's solvers with the records of its find-dbs, and with expectations from a
//! file.
//!
//! A record names solvers that were measured, so a rule that refuses one is wrong, or stricter than the
//! version that measured it. In form 1.0 a record has one solver for every applicable algorithm: the
//! predicted set of algorithms must match exactly, which detects rules that accept too much.

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::solver::{Algorithm, Bound, BuildPart, Context, Derived, SolverRules, wti};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

/// Assumptions about a file: beginning of its name, whether it swapped height and width, and parts its build
/// lacked. Found by trial; see the notes on the databases.
const ASSUMED: &[(&str, bool, &[BuildPart])] = &[
    ("gfx803_36.HIP", false, &[BuildPart::Naive]),
    ("gfx803_64.HIP", true, &[BuildPart::Naive]),
    ("gfx803_36.OpenCL", true, &[]),
    ("gfx803_64.OpenCL", true, &[]),
    ("gfx900_56.HIP", false, &[]),
    ("gfx900_64.HIP", true, &[BuildPart::Naive]),
    ("gfx900_56.OpenCL", true, &[]),
    ("gfx900_64.OpenCL", true, &[]),
    ("gfx906_64.HIP", true, &[BuildPart::Mlir, BuildPart::Naive]),
    ("gfx1030_36.HIP", false, &[BuildPart::Mlir]),
];

pub fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [flag, file] if flag == "--expectations" => expectations(Path::new(file)),
        [folder] => databases(Path::new(folder)),
        _ => bail!("DATA_FOLDER, or --expectations FILE"),
    }
}

fn rules() -> Result<&'static SolverRules> {
    SolverRules::miopen().map_err(|error| anyhow::anyhow!("{error}"))
}

fn databases(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok().filter(|n| n.ends_with(".fdb.txt.bz2")));
    }
    names.sort();
    for name in names {
        let mut text = String::new();
        bzip2::read::MultiBzDecoder::new(std::fs::File::open(folder.join(&name))?)
            .read_to_string(&mut text)
            .with_context(|| name.clone())?;
        let base = name.trim_end_matches(".fdb.txt.bz2");
        let (_, swapped, without) =
            ASSUMED.iter().find(|(start, ..)| base.starts_with(start)).unwrap_or(&("", false, &[]));
        let context = Context { without: without.to_vec(), ..device(base) };
        let bound = rules()?.for_context(&context);
        let told: Vec<&str> = without.iter().map(|part| part.name()).collect();
        println!("{base}: {} with {} CU", context.target, context.compute_units);
        println!(
            "  assumed: H/W {}, without: {}",
            if *swapped { "undone" } else { "as is" },
            told.join(", ")
        );
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        lines
            .par_iter()
            .map(|line| RuleTally::for_line(line, &bound, *swapped))
            .reduce(RuleTally::default, RuleTally::plus)
            .print();
    }
    Ok(())
}

/// `gfx900_56.HIP`, or `gfx90a68.HIP` with the number in hexadecimal; `gfx942130` could be either.
fn device(base: &str) -> Context {
    let stem = base.split('.').next().unwrap_or(base);
    let (target, units) = match stem.split_once('_') {
        Some((target, units)) => (target, units.parse()),
        None => {
            let (target, units) = stem.split_at(stem.len().min(6));
            (target, u32::from_str_radix(units, 16))
        }
    };
    Context::new(target, units.unwrap_or(64))
}

/// Solvers in a record, with the algorithm that form 1.0 writes before them.
fn items(record: &str) -> Vec<(Option<Algorithm>, &str)> {
    let item = |item| {
        let (id, rest): (&str, &str) = str::split_once(item, ':')?;
        let directional = ["Fwd", "BwdData", "BwdWeights"].iter().find_map(|direction| {
            id.strip_prefix("miopenConvolution")?.strip_prefix(direction)?.strip_prefix("Algo")
        });
        Some(match directional.and_then(Algorithm::of_name) {
            Some(algorithm) => (Some(algorithm), rest.split(',').next()?),
            None => (None, id),
        })
    };
    record.split(';').filter_map(item).collect()
}

/// Solvers in a record with their workspaces, in both forms: `algorithm:solver,time,workspace,…` and
/// `solver:time,workspace,…`.
fn workspaces(record: &str) -> Vec<(&str, u64)> {
    let item = |item| {
        let (id, rest): (&str, &str) = str::split_once(item, ':')?;
        let mut values = rest.split(',');
        let name = if id.starts_with("miopenConvolution") { values.next()? } else { id };
        Some((name, values.nth(1)?.parse().ok()?))
    };
    record.split(';').filter_map(item).collect()
}

#[derive(Default)]
struct RuleTally {
    records: usize,
    malformed: usize,
    /// Pairs with an invalid key, which no problem ever matches.
    unmatchable: usize,
    pairs: usize,
    accepted: usize,
    candidates: usize,
    searched: usize,
    judged: usize,
    /// Number of records in form 1.0, and of those whose set of algorithms matches.
    sets: usize,
    exact: usize,
    more: usize,
    refused: BTreeMap<String, usize>,
    /// For entries whose solver accepts the problem: number of recorded workspaces that match the rule,
    /// number that differ, and an example of those.
    workspaces: BTreeMap<String, (usize, usize, String)>,
}

impl RuleTally {
    fn for_line(line: &str, bound: &Bound<'_>, swapped: bool) -> RuleTally {
        let mut tally = RuleTally { records: 1, ..RuleTally::default() };
        let Some((key, record)) = line.split_once('=') else {
            tally.malformed = 1;
            return tally;
        };
        let items = items(record);
        tally.pairs = items.len();
        let problem = match ConvolutionProblem::parse(key) {
            Ok(problem) if swapped => problem.transposed(),
            Ok(problem) => problem,
            Err(_) => {
                tally.malformed = 1;
                tally.unmatchable = std::mem::take(&mut tally.pairs);
                return tally;
            }
        };
        let candidates = bound.candidates(&problem);
        tally.judged = 1;
        tally.candidates = candidates.applicable.len();
        tally.searched = candidates.searched().count();
        let derived = Derived::from(&problem);
        for (name, recorded) in workspaces(record) {
            let Some(solver) = candidates.applicable.iter().find(|solver| solver.name == name) else {
                continue;
            };
            let Some(bytes) = solver.workspace_for(&derived) else { continue };
            let of = tally.workspaces.entry(name.to_owned()).or_default();
            if bytes == recorded {
                of.0 += 1;
            } else {
                of.1 += 1;
                of.2 = format!("{key}: {recorded} recorded, {bytes} by the rule");
            }
        }
        for (_, name) in &items {
            if candidates.applicable.iter().any(|solver| solver.name == *name) {
                tally.accepted += 1;
            } else {
                let rejection = candidates.rejected.iter().find(|r| r.solver.name == *name);
                let clause = rejection.map_or("no rule", |r| r.clause.id);
                *tally.refused.entry(format!("{name}: {clause}")).or_default() += 1;
            }
        }
        let recorded: Option<BTreeSet<Algorithm>> = items.iter().map(|(algorithm, _)| *algorithm).collect();
        if let Some(recorded) = recorded {
            let predicted = candidates.algorithms();
            tally.sets = 1;
            tally.exact = usize::from(predicted == recorded);
            tally.more = usize::from(!predicted.is_subset(&recorded));
        }
        tally
    }

    fn plus(mut self, other: RuleTally) -> RuleTally {
        self.records += other.records;
        self.malformed += other.malformed;
        self.unmatchable += other.unmatchable;
        self.pairs += other.pairs;
        self.accepted += other.accepted;
        self.candidates += other.candidates;
        self.searched += other.searched;
        self.judged += other.judged;
        self.sets += other.sets;
        self.exact += other.exact;
        self.more += other.more;
        for (name, count) in other.refused {
            *self.refused.entry(name).or_default() += count;
        }
        for (name, (equal, different, one)) in other.workspaces {
            let of = self.workspaces.entry(name).or_default();
            of.0 += equal;
            of.1 += different;
            if of.2.is_empty() {
                of.2 = one;
            }
        }
        self
    }

    fn print(&self) {
        let percent = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        println!(
            "  records {}, keys that are none {} with {} pairs",
            self.records, self.malformed, self.unmatchable
        );
        println!("  recall {} / {} = {:.3} %", self.accepted, self.pairs, percent(self.accepted, self.pairs));
        println!(
            "  exact algorithm set {} / {} = {:.3} %, with more than recorded {}",
            self.exact,
            self.sets,
            percent(self.exact, self.sets),
            self.more
        );
        let per_problem = |count: usize| count as f64 / self.judged.max(1) as f64;
        println!(
            "  per problem {:.2} applicable, {:.2} searched",
            per_problem(self.candidates),
            per_problem(self.searched)
        );
        let mut refused: Vec<_> = self.refused.iter().collect();
        refused.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (name, count) in refused {
            println!("    refused {count:>6}  {name}");
        }
        let equal: usize = self.workspaces.values().map(|(equal, ..)| equal).sum();
        let different: usize = self.workspaces.values().map(|(_, different, _)| different).sum();
        println!("  workspace {equal} / {} = {:.3} %", equal + different, percent(equal, equal + different));
        for (name, (equal, different, one)) in self.workspaces.iter().filter(|(_, of)| of.1 > 0) {
            println!("    {name}: {equal} as the rule says, {different} not: {one}");
        }
    }
}

/// Compares the static part of every case: applicable and dynamic solvers, the shortcut, and the order of
/// estimates.
fn expectations(file: &Path) -> Result<()> {
    let all: serde_json::Value = serde_json::from_slice(&std::fs::read(file)?)?;
    let rules = rules()?;
    let (mut held, mut differing, mut without) = (0, 0, 0);
    for case in all["cases"].as_array().context("no cases")? {
        let id = case["id"].as_str().unwrap_or_default();
        let (Some(key), Some(wanted)) = (case["find_db_key"].as_str(), case["static"].as_object()) else {
            without += 1;
            continue;
        };
        let units = u32::try_from(case["cu"].as_u64().context("no cu")?)?;
        let context = Context::new(case["arch"].as_str().context("no arch")?, units);
        let bound = rules.for_context(&context);
        let problem = ConvolutionProblem::parse(key).map_err(|error| anyhow::anyhow!("{id}: {error}"))?;
        let candidates = bound.candidates(&problem);
        let applicable: Vec<&str> = candidates.applicable.iter().map(|s| s.name).collect();
        let dynamic: Vec<&str> = candidates.dynamic().map(|s| s.name).collect();
        let order: Vec<serde_json::Value> = wti::order(&candidates, &problem, &context)
            .iter()
            .map(|e| serde_json::json!({"solver": e.solver.name, "wti": (e.wti * 1e4).round() / 1e4}))
            .collect();
        let got = [
            ("applicable_snapshot", serde_json::json!(applicable)),
            ("dynamic", serde_json::json!(dynamic)),
            ("winograd3x3_shortcut", serde_json::json!(candidates.only_winograd)),
            ("wti_order", serde_json::json!(order)),
        ];
        let mut same = true;
        for (name, value) in got {
            if wanted.get(name).is_some_and(|wanted| *wanted != value) {
                println!("{id}: {name}: {value}, expected {}", wanted[name]);
                same = false;
            }
        }
        if let Some(solver) = case["static_prediction"]["solver"].as_str().and_then(|s| rules.index_of(s)) {
            match bound.judge(solver, &Derived::from(&problem)) {
                Err(rejection) => println!("{id}: {rejection} [{}]", rejection.clause.source),
                Ok(()) => {
                    println!("{id}: is not refused");
                    same = false;
                }
            }
        }
        held += usize::from(same);
        differing += usize::from(!same);
    }
    println!("{held} cases come out, {differing} differ, {without} have no static part");
    if differing == 0 { Ok(()) } else { bail!("{differing} cases differ") }
}
