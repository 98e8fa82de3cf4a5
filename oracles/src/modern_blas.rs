//! Compares the answers on matrix products of ROCm 7.2.4 with the vectors of `../shared/oracle/modern-blas`:
//! the real hipBLASLt 1.2.2 and rocBLAS 5.2.0 on a stand-in for the HIP runtime.
//!
//! Each file of rocBLAS's vectors came from one process that loaded code objects in their order, so each file
//! is followed as one process. `--two-thirds` leaves out every third line, `--third` compares only those.

use anyhow::{Context, Result, bail};
use rocm_audit::engines::tensile::call::{GemmCall, Transpose};
use rocm_audit::engines::tensile::library::{Answer, Library};
use rocm_audit::engines::tensile::origami::device::Device;
use rocm_audit::engines::tensile::origami::element::Element;
use rocm_audit::engines::tensile::origami::rank::rank;
use rocm_audit::engines::tensile::origami::tile::{Config, Product};
use rocm_audit::engines::tensile::tuning::rocblas::{by_number, kernel, rows};
use rocm_audit::target::TargetId;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Differences shown in full.
const SHOWN: usize = 6;

const USAGE: &str = "modern-blas hipblaslt|rocblas|overrides LIBRARY_FOLDER ORACLE [--two-thirds | --third] [--only PART_OF_NAME], or \
                     modern-blas origami ORACLE";

/// Parameters of the comparison.
struct CompareOptions<'a> {
    oracle: &'a Path,
    /// Selects the lines to compare out of every three.
    lines: fn(usize) -> bool,
    /// A part of the names of files to compare.
    only: &'a str,
}

pub fn run(arguments: &[String]) -> Result<()> {
    let [set, rest @ ..] = arguments else { bail!(USAGE) };
    let mut paths: Vec<&Path> = Vec::new();
    let (mut lines, mut only): (fn(usize) -> bool, _) = (|_| true, "");
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--two-thirds" => lines = |at| at % 3 != 2,
            "--third" => lines = |at| at % 3 == 2,
            "--only" => only = words.next().context(USAGE)?,
            path => paths.push(Path::new(path)),
        }
    }
    match (set.as_str(), &*paths) {
        ("hipblaslt", [folder, oracle]) => hipblaslt(folder, &CompareOptions { oracle, lines, only }),
        ("origami", [oracle]) => origami(&CompareOptions { oracle, lines, only }),
        ("overrides", [folder, oracle]) => overrides(folder, oracle),
        ("rocblas", [folder, oracle]) => rocblas(folder, &CompareOptions { oracle, lines, only }),
        _ => bail!(USAGE),
    }
}

impl CompareOptions<'_> {
    /// The files in a set of vectors, with their lines.
    fn files(&self, set: &str) -> Result<Vec<(String, String)>> {
        let folder = self.oracle.join("dev");
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(&folder)?.map(|e| Ok(e?.path())).collect::<Result<_>>()?;
        paths.sort();
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.retain(|path| name(path).starts_with(set) && name(path).contains(self.only));
        paths.iter().map(|path| Ok((name(path), text(path)?))).collect()
    }
}

/// Text of a file, decompressed if necessary.
fn text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let bytes = if path.extension().is_some_and(|e| e == "zst") { zstd::decode_all(&*bytes)? } else { bytes };
    Ok(String::from_utf8(bytes)?)
}

/// Compares hipBLASLt; its vectors have the form of 7.1.1's, so the same function compares both.
fn hipblaslt(folder: &Path, asked: &CompareOptions<'_>) -> Result<()> {
    let own = tempfile::tempdir()?;
    let kernels = text(&asked.oracle.join("hipblaslt-7.2.4-kernels.txt.zst"))?;
    std::fs::write(own.path().join("kernels.txt"), kernels)?;
    for (name, text) in asked.files("hipblaslt-7.2.4_")? {
        let kept: Vec<&str> =
            text.lines().enumerate().filter(|(at, _)| (asked.lines)(*at)).map(|(_, line)| line).collect();
        std::fs::write(own.path().join(name.trim_end_matches(".zst")), kept.join("\n"))?;
    }
    let paths = [folder, own.path()].map(|path| path.to_string_lossy().into_owned());
    crate::hipblaslt::run(&paths)
}

fn rocblas(folder: &Path, asked: &CompareOptions<'_>) -> Result<()> {
    let kernels = text(&asked.oracle.join("rocblas-7.2.4-kernels.txt.zst"))?;
    let kernels: Vec<&str> = kernels.lines().collect();
    let (mut lines, mut equal, mut shown) = (0, 0, 0);
    println!("{:<40} {:>6} {:>6} {:>8}  differences", "file", "lines", "equal", "ms");
    for (name, text) in asked.files("rocblas-7.2.4_")? {
        let begun = Instant::now();
        let found = compare(folder, &text, &kernels, asked, &mut shown).with_context(|| name.clone())?;
        let differing: Vec<String> =
            found.parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
        let ms = begun.elapsed().as_millis();
        println!("{name:<40} {:>6} {:>6} {ms:>8}  {}", found.lines, found.equal, differing.join(", "));
        lines += found.lines;
        equal += found.equal;
    }
    println!("TOTAL {lines} lines, {equal} equal");
    if lines == 0 || lines != equal { bail!("{} of {lines} calls differ", lines - equal) } else { Ok(()) }
}

#[derive(Default)]
struct BlasTally {
    lines: usize,
    equal: usize,
    parts: BTreeMap<&'static str, usize>,
}

fn compare(
    folder: &Path,
    text: &str,
    kernels: &[&str],
    asked: &CompareOptions<'_>,
    shown: &mut usize,
) -> Result<BlasTally> {
    let mut tally = BlasTally::default();
    let Some(first) = text.lines().next() else { return Ok(tally) };
    let library = Library::open(folder, &serde_json::from_str::<GemmCall>(first)?.target);
    let mut process = library.as_ref().ok().map(Library::process);
    for (at, line) in text.lines().enumerate() {
        let call: GemmCall = serde_json::from_str(line)?;
        let expected: Value = serde_json::from_str(line)?;
        let answer = process.as_mut().and_then(|process| process.call(&call, None).ok());
        if !(asked.lines)(at) {
            continue;
        }
        tally.lines += 1;
        let differing = match &answer {
            Some(answer) => differences(answer, &expected, kernels),
            None => vec![("no answer", Value::Null)],
        };
        tally.equal += usize::from(differing.is_empty());
        if !differing.is_empty() && *shown < SHOWN {
            *shown += 1;
            println!("{line}\n    {differing:?}");
        }
        for (part, _) in differing {
            *tally.parts.entry(part).or_default() += 1;
        }
    }
    Ok(tally)
}

/// The parts of an answer that differ from the vector, with their values here.
fn differences(answer: &Answer<'_>, expected: &Value, kernels: &[&str]) -> Vec<(&'static str, Value)> {
    let launches = expected.get("launches").and_then(Value::as_array).cloned().unwrap_or_default();
    let column = |at: usize| -> Vec<Value> { launches.iter().map(|launch| launch[at].clone()).collect() };
    let names: Vec<Value> = column(0)
        .iter()
        .map(|number| json!(number.as_u64().and_then(|at| kernels.get(at as usize)).copied()))
        .collect();
    let of_catalogs = answer.status == 0 && !answer.quick_return && !answer.gemv;
    let own = || answer.launches.iter().filter(|_| of_catalogs);
    let launches = [
        ("kernel", json!(names), own().map(|l| json!(l.kernel)).collect::<Value>()),
        ("grid", json!(column(1)), own().map(|l| json!(l.work_items())).collect()),
        ("group", json!(column(2)), own().map(|l| json!(l.work_group)).collect()),
        ("file", json!(column(3)), own().map(|l| json!(l.file.as_deref())).collect()),
    ];
    let mut all = vec![("status", expected["status"].clone(), json!(answer.status))];
    all.extend(launches);
    all.push(("gemv", builtin(expected), json!(own_builtin(answer))));
    all.into_iter().filter(|(_, a, b)| a != b).map(|(part, _, own)| (part, own)).collect()
}

/// Launches of the library's built-in kernels, as `[[kernel, [x, y, z], [x, y, z]], …]`.
fn builtin(expected: &Value) -> Value {
    let sizes = |text: &Value| -> Vec<u64> {
        text.as_str().unwrap_or_default().split(',').filter_map(|size| size.parse().ok()).collect()
    };
    let launches = expected.get("builtin").and_then(Value::as_array).cloned().unwrap_or_default();
    launches.iter().map(|launch| json!([launch[0], sizes(&launch[1]), sizes(&launch[2])])).collect()
}

/// The same launches in an answer; kernels that the library lacks are left out.
fn own_builtin(answer: &Answer<'_>) -> Vec<Value> {
    let own = answer.launches.iter().filter(|launch| answer.gemv && launch.file.is_some());
    own.map(|l| json!([l.kernel, l.grid, l.work_group])).collect()
}

/// Compares order and cycles of the first ten solutions of each problem, bit for bit.
fn origami(asked: &CompareOptions<'_>) -> Result<()> {
    let (mut lines, mut equal, mut shown) = (0, 0, 0);
    let mut times = Vec::new();
    for (name, problems) in asked.files("origami-")? {
        let configs = name.replace("_all.jsonl", "-configs.json");
        let sets: Vec<Value> = serde_json::from_str(&text(&asked.oracle.join(configs))?)?;
        let sets: Vec<(Device, Vec<Config>)> = sets.iter().map(set).collect::<Result<_>>()?;
        for (_, line) in problems.lines().enumerate().filter(|(at, _)| (asked.lines)(*at)) {
            let expected: Value = serde_json::from_str(line)?;
            let number = |key: &str| expected[key].as_u64().unwrap_or_default();
            let word = |key: &str| expected[key].as_str().unwrap_or_default();
            let element = |key: &str| Element::by_name(word(key)).with_context(|| line.to_owned());
            let product = Product {
                sizes: ["m", "n", "k"].map(number),
                batch: number("batch"),
                transposed: ["ta", "tb"].map(|key| word(key) == "T"),
                types: [element("a")?, element("b")?, element("d")?],
                instruction: element("mi")?,
            };
            let (device, configs) = sets.get(number("set") as usize).context("a set")?;
            let begun = Instant::now();
            let ranked = rank(device, &product, configs);
            times.push((begun.elapsed().as_nanos() as f64 / 1e3, configs.len()));
            let top = expected["top"].as_array().cloned().unwrap_or_default();
            let top: Vec<(u64, f64)> =
                top.iter().map(|row| (row[0].as_u64().unwrap_or_default(), hexadecimal(&row[1]))).collect();
            let own: Vec<(u64, f64)> =
                ranked.iter().take(10).map(|(at, cycles)| (*at as u64, *cycles)).collect();
            lines += 1;
            if own == top && ranked.len() as u64 == number("ranked") {
                equal += 1;
            } else if shown < SHOWN {
                shown += 1;
                println!("{name} {line}\n    {own:?} of {}", ranked.len());
            }
        }
    }
    for (least, most) in [(0, 100), (100, 400), (400, usize::MAX)] {
        let mut own: Vec<f64> =
            times.iter().filter(|(_, count)| (least..most).contains(count)).map(|(time, _)| *time).collect();
        own.sort_by(f64::total_cmp);
        let at = |part: usize| own.get(own.len().saturating_sub(1) * part / 100).copied().unwrap_or_default();
        let counts = times.iter().map(|(_, count)| *count).filter(|count| (least..most).contains(count));
        let (count, of) = (own.len(), counts.max().unwrap_or_default());
        println!("{count} rankings of up to {of} solutions: p50 {:.0} us, p99 {:.0} us", at(50), at(99));
    }
    println!("TOTAL {lines} lines, {equal} equal");
    if lines == 0 || lines != equal { bail!("{} of {lines} problems differ", lines - equal) } else { Ok(()) }
}

/// A device and its solutions.
fn set(set: &Value) -> Result<(Device, Vec<Config>)> {
    let number = |key: &str| set[key].as_u64().unwrap_or_default();
    let clocks = ["core_ghz", "mem_ghz"].map(|key| set[key].as_f64().unwrap_or_default());
    let name = set["arch"].as_str().context("a target")?;
    let device = Device::new(name, number("cus"), number("lds"), number("l2"), clocks).context("a device")?;
    let limit = |key: &str| set[key].as_str().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let (workspace, workspace_per_element) = (limit("workspace"), limit("workspace_per_elem_c"));
    let config = |row: &Value| {
        let at = |place: usize| row[place].as_u64().unwrap_or_default();
        Config {
            tile: [at(0), at(1), at(2)],
            instruction: [at(3), at(4), at(5)],
            occupancy: at(6),
            hints: [at(8), at(9)],
            by_hand: at(10) != 0,
            workspace,
            workspace_per_element,
        }
    };
    Ok((device, set["configs"].as_array().context("configs")?.iter().map(config).collect()))
}

/// Parses a number in the format of C's `%a`.
fn hexadecimal(text: &Value) -> f64 {
    let text = text.as_str().unwrap_or_default().trim_start_matches("0x");
    let (digits, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{part}"), 16).unwrap_or_default();
    let exponent: i32 = exponent.parse().unwrap_or_default();
    mantissa as f64 * 2.0_f64.powi(exponent - 4 * part.len() as i32)
}

/// Compares override files and solution indices given to the library of 5.2.
fn overrides(folder: &Path, oracle: &Path) -> Result<()> {
    let cases: Value = serde_json::from_str(&text(&oracle.join("rocblas-7.2.4-override-cases.json"))?)?;
    let target = format!("{}:sramecc+:xnack-", cases["arch"].as_str().unwrap_or_default());
    let multiprocessors = cases["cus"].as_u64().unwrap_or_default() as u32;
    let library = Library::open(folder, &target)?;
    let (mut lines, mut equal) = (0, 0);
    for case in cases["cases"].as_array().context("cases")? {
        let call = words_of_a_call(case["call"].as_str().unwrap_or_default(), &target, multiprocessors)?;
        let (status, found) = match case["solution_index"].as_i64() {
            Some(number) => by_number(&library, &call, number),
            None => (0, kernel(&library, &rows(case["file"].as_str().unwrap_or_default()), &call)),
        };
        let expected = (case["status"].as_i64().unwrap_or(-1), case["kernel"].as_str());
        lines += 1;
        if (i64::from(status), found.as_deref()) == expected {
            equal += 1;
        } else {
            println!("{case}\n    {status} {found:?}");
        }
    }
    println!("TOTAL {lines} cases, {equal} equal");
    if lines == 0 || lines != equal { bail!("{} of {lines} cases differ", lines - equal) } else { Ok(()) }
}

/// Parses a call in the cases: `at=f16 ct=f16 xt=f32 ta=T tb=N m=4096 n=16 k=4096 b=1`.
fn words_of_a_call(words: &str, target: &str, multiprocessors: u32) -> Result<GemmCall> {
    let words: BTreeMap<&str, &str> = words.split(' ').filter_map(|word| word.split_once('=')).collect();
    let letter = |name: &str| words.get(name).and_then(|text| text.chars().next());
    let transpose = |name| letter(name).and_then(Transpose::of_letter).context("a transposition");
    let number = |name: &str, usual: u64| words.get(name).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let target = TargetId::parse(target).context("a target")?;
    let sizes = ["m", "n", "k"].map(|name| number(name, 0));
    let transposes = [transpose("ta")?, transpose("tb")?];
    let mut call = GemmCall::new(&target, multiprocessors, "HHS", transposes, sizes);
    (call.batch, call.det, call.c_eq_d) = (number("b", 1), true, number("inplace", 1) == 1);
    call.beta = number("beta", 0) as f64;
    let [lda, ..] = &mut call.ld;
    *lda = number("lda", *lda);
    call.pack_batch();
    if call.batch > 1 {
        call.set_api("gemm_strided_batched_ex");
    }
    Ok(call)
}
