//! Compares ggml's selector with the answers of the real library, and the library's kernels with a recorded
//! table of stubs.

use anyhow::{Context, Result, bail};
use rocm_audit::engines::ggml;
use rocm_audit::engines::ggml::presence::{Index, Library, Presence};
use rocm_audit::engines::ggml::{Architecture, Query, binary, family, table};
use rocm_audit::target::TargetId;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Differences shown in full.
const SHOWN: usize = 10;

/// Numbers of real and of all kernels, by family and target, counted by an independent decoder in Debian's
/// 0.27.0-1.
const FAMILIES: [(&str, [u64; 4], u64); 9] = [
    ("mul_mat_vec_q", [271, 271, 271, 271], 271),
    ("mul_mat_vec_q_moe", [46, 46, 46, 46], 46),
    ("mul_mat_q", [272, 168, 264, 265], 768),
    ("mul_mat_f", [0, 768, 0, 512], 1536),
    ("mul_mat_f_ids", [0, 384, 0, 256], 768),
    ("mul_mat_vec_f", [352, 352, 352, 352], 352),
    ("flash_attn_tile", [250, 250, 250, 250], 376),
    ("flash_attn_ext_vec", [40, 40, 40, 40], 48),
    ("flash_attn_ext_f16", [0, 128, 0, 84], 268),
];

const COLUMNS: [&[&str]; 4] = [
    &["gfx803", "gfx900", "gfx906"],
    &["gfx908", "gfx90a"],
    &["gfx1010", "gfx1030"],
    &["gfx1100", "gfx1101", "gfx1102"],
];

pub fn run(arguments: &[String]) -> Result<()> {
    let [binary, routes, cases] = arguments else {
        bail!("ggml LIBRARY ROUTES CASES");
    };
    let begun = Instant::now();
    let library = Library::open(Path::new(binary))?;
    let targets = library.targets();
    println!("opened in {:?}: {} targets", begun.elapsed(), targets.len());
    let begun = Instant::now();
    let first = targets.first().and_then(|target| library.index(target));
    let index = first.context("no code object")?;
    println!("index of {} in {:?}", targets[0], begun.elapsed());
    let evidence = binary::version_of(&library);
    match &evidence {
        Some(evidence) => println!("version {}, by {}", evidence.versions, evidence.source),
        None => println!("version not known"),
    }
    let mut wrong = rows(&index, &text(Path::new(routes))?)?;
    wrong += self::cases(&library, &text(Path::new(cases))?)?;
    speed(&library)?;
    wrong += families(&library, &targets);
    if wrong > 0 {
        bail!("{wrong} differences");
    }
    Ok(())
}

fn text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let bytes = if path.extension().is_some_and(|e| e == "zst") { zstd::decode_all(&*bytes)? } else { bytes };
    Ok(String::from_utf8(bytes)?)
}

/// Compares route and symbol in every row.
fn rows(index: &Index<'_>, text: &str) -> Result<usize> {
    let begun = Instant::now();
    let (mut count, mut shown) = (0, 0);
    let mut by_route: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [arch, query, route, symbol] = fields[..] else { bail!("not a row: {line}") };
        let architecture = Architecture::parse(arch)?;
        let problem: Query = query.parse()?;
        let answer = ggml::route(&architecture, &problem, None).map_err(anyhow::Error::msg)?;
        let found = answer.kernel.as_ref().and_then(|kernel| index.symbol(kernel)).unwrap_or_default();
        count += 1;
        let tally = by_route.entry(route.split(':').next().unwrap_or_default()).or_default();
        tally.0 += 1;
        if answer.route.to_string() == route && found == symbol {
            tally.1 += 1;
            continue;
        }
        if shown < SHOWN {
            shown += 1;
            println!("{arch} {query}\n    expected {route} {symbol}\n    found    {} {found}", answer.route);
            println!("    kernel   {:?}", answer.kernel.map(|kernel| kernel.prefix()));
        }
    }
    let equal: usize = by_route.values().map(|(_, equal)| equal).sum();
    for (route, (all, equal)) in by_route {
        println!("{route:<12} {equal:>6} of {all:>6}");
    }
    println!("rows: {equal} of {count} agree in route and symbol, in {:?}", begun.elapsed());
    Ok(count - equal)
}

/// Compares the hand-written cases: route, kernel, presence, registers.
fn cases(library: &Library, text: &str) -> Result<usize> {
    let cases: Vec<Value> = serde_json::from_str(text)?;
    let mut indices: BTreeMap<String, Option<Index<'_>>> = BTreeMap::new();
    let mut wrong = 0;
    for case in &cases {
        let word = |field: &str| case[field].as_str();
        let number = |field: &str| case[field].as_u64();
        let arch = word("arch").context("a case without arch")?;
        let index = indices
            .entry(arch.to_owned())
            .or_insert_with(|| TargetId::parse(arch).and_then(|target| library.index(&target)));
        let mut bad = Vec::new();
        let presence = if word("op") == Some("kernel_presence") {
            let prefix = word("expected_kernel_mangled_prefix").context("a case without prefix")?;
            index.as_ref().map(|index| index.presence_of(prefix))
        } else {
            let (problem, version) = (query(case)?, version(word("version").unwrap_or_default()));
            let answer =
                ggml::route(&Architecture::parse(arch)?, &problem, version).map_err(anyhow::Error::msg)?;
            let (name, function) = (answer.route.name(), answer.route.to_string());
            let function = function.split_once(':').map(|(_, function)| function.to_owned());
            if Some(name) != word("expected_route") {
                bad.push(format!("route {name}"));
            }
            if word("blas_function").is_some_and(|expected| function.as_deref() != Some(expected)) {
                bad.push(format!("function {function:?}"));
            }
            if let Some(pattern) = word("expected_kernel_regex") {
                let plain = pattern.trim_start_matches("^(void )?").replace('\\', "");
                let kernel = answer.kernel.as_ref().map(|kernel| kernel.name()).unwrap_or_default();
                if !kernel.starts_with(plain.trim_end_matches([' ', ','])) {
                    bad.push(format!("kernel {kernel}, expected {plain}"));
                }
            }
            let prefix = answer.kernel.as_ref().map(|kernel| kernel.prefix()).unwrap_or_default();
            if word("expected_kernel_mangled_prefix").is_some_and(|expected| !prefix.starts_with(expected)) {
                bad.push(format!("prefix {prefix}"));
            }
            match (index, &answer.kernel) {
                (Some(index), Some(kernel)) => Some(index.presence(kernel)),
                _ => None,
            }
        };
        let found = presence.as_ref().and_then(Presence::found);
        if let Some(stub) = case["stub_in_debian"].as_bool()
            && presence.as_ref().map(|p| matches!(p, Presence::Stub(_))) != Some(stub)
        {
            bad.push(format!("presence {:?}", presence.as_ref().map(Presence::name)));
        }
        let resources = found.and_then(|found| found.resources);
        for (field, actual) in [("vgpr", resources.map(|r| r.vgprs)), ("sgpr", resources.map(|r| r.sgprs))] {
            if number(field).is_some() && number(field) != actual {
                bad.push(format!("{field} {actual:?}, expected {:?}", number(field)));
            }
        }
        if !bad.is_empty() {
            wrong += 1;
            println!("case {}: {}", case["id"], bad.join("; "));
        }
    }
    println!("cases: {} of {} hold", cases.len() - wrong, cases.len());
    Ok(wrong)
}

/// A case in the grammar of problems. Shapes that a case does not state are those of the other answers.
fn query(case: &Value) -> Result<Query> {
    let number = |field: &str, default: u64| case[field].as_u64().unwrap_or(default);
    let ty = case["type"].as_str().or(case["kv_type"].as_str()).context("a case without type")?;
    let text = match case["op"].as_str() {
        Some("mul_mat") => {
            let (k, n, columns) = (number("ne00", 4096), number("ne01", 4096), number("ne11", 1));
            format!("mm {ty} K{k} N{n} ne11={columns} prec=0")
        }
        Some("mul_mat_id") => {
            let (k, n, experts) = (number("ne00", 1024), number("ne01", 512), number("n_experts", 8));
            format!(
                "mmid {ty} K{k} N{n} ne={experts} used={} tok={}",
                number("n_used", 2),
                number("n_tokens", 1)
            )
        }
        Some("flash_attn") => {
            let (dk, dv, nq, nh) =
                (number("dk", 128), number("dv", 128), number("n_q", 1), number("n_head", 32));
            let (nkv, kv, mask) = (number("n_head_kv", 8), number("n_kv", 1024), case["mask"].as_bool());
            format!(
                "fa {ty} D{dk} DV{dv} nq={nq} nh={nh} nkv={nkv} kv={kv} mask={}",
                u8::from(mask != Some(false))
            )
        }
        other => bail!("a case of {other:?}"),
    };
    Ok(text.parse()?)
}

/// The first version that a text names.
fn version(text: &str) -> Option<ggml::Version> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .find_map(|word| word.trim_matches('.').parse().ok())
}

fn speed(library: &Library) -> Result<()> {
    let begun = Instant::now();
    let target = TargetId::parse("gfx900").context("gfx900")?;
    if let Some(index) = library.index(&target) {
        let problem: Query = "mm q4_K K4096 N4096 ne11=1 prec=0".parse()?;
        let answer =
            ggml::route(&Architecture::parse("gfx900")?, &problem, None).map_err(anyhow::Error::msg)?;
        if let Some(kernel) = &answer.kernel {
            println!("{}: {}", kernel.name(), index.presence(kernel).name());
        }
    }
    println!("one look-up in {:?}", begun.elapsed());
    let begun = Instant::now();
    let (mut kernels, mut real) = (0, 0);
    if let Some(index) = library.index(&target) {
        for row in table::route_table(&Architecture::parse("gfx900")?, None).map_err(anyhow::Error::msg)? {
            for range in &row.ranges {
                let presence = range.answer.kernel.as_ref().map(|kernel| index.presence(kernel));
                kernels += usize::from(presence.is_some());
                real += usize::from(matches!(presence, Some(Presence::Real(_))));
            }
        }
    }
    println!(
        "route table of gfx900 with presence of {kernels} kernels, {real} of them real, in {:?}",
        begun.elapsed()
    );
    Ok(())
}

/// Stubs by family and target, found by decoding every body.
fn families(library: &Library, targets: &[TargetId]) -> usize {
    let begun = Instant::now();
    let mut wrong = 0;
    println!(
        "{:<20} {}",
        "real/all",
        targets.iter().map(|t| format!("{:>10}", t.to_string())).collect::<String>()
    );
    let counts: Vec<family::Tallies> =
        family::count_all(library, &|_| true).into_iter().map(|(_, tallies)| tallies).collect();
    let judged = begun.elapsed();
    for row in &family::FAMILIES {
        let cells =
            counts.iter().map(|tallies| tallies.get(&Some(row.template)).copied().unwrap_or_default());
        let cells: Vec<_> = cells.collect();
        let shown: String =
            cells.iter().map(|t| format!("{:>10}", format!("{}/{}", t.real, t.all))).collect();
        println!("{:<20.20} {shown}", row.template);
        let Some((_, real, all)) = FAMILIES.iter().find(|(name, ..)| *name == row.template) else { continue };
        for (target, cell) in targets.iter().zip(&cells) {
            let name = target.to_string();
            let column = COLUMNS.iter().position(|targets| targets.contains(&name.as_str()));
            let expected = column.and_then(|column| real.get(column));
            if expected.is_some_and(|real| (cell.real, cell.all) != (*real, *all)) {
                wrong += 1;
                println!("    {name}: expected {expected:?} of {all}");
            }
        }
    }
    let all: u64 = counts.iter().flat_map(|tallies| tallies.values()).map(|tally| tally.all).sum();
    println!("{all} kernels judged in {judged:?}");
    wrong
}
