//! `cargo xtask products SOURCES`: writes the table of products from the lists of others.
//!
//! SOURCES is a folder with four files as their authors publish them:
//! `specs.rst` (ROCm's hardware table: model, target, compute units), `topology.c` (libhsakmt: PCI device id to target),
//! `amdgpu.ids` (libdrm: PCI device and revision id to name) and `therock_amdgpu_targets.cmake` (TheRock: target to name,
//! and whether it is an APU). Facts are taken, not text: each row says which of them it comes from.

use anyhow::{Context, Result};
use rocm_audit::target::{PROCESSORS, Processor};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const TABLE: &str = "crates/amdgpu-object/src/target/products.tsv";

/// What is known of a product.
#[derive(Default)]
struct Row {
    compute_units: Option<u32>,
    /// Device and revision, `73ff:c1`.
    ids: BTreeSet<String>,
    sources: BTreeSet<char>,
}

type Products = BTreeMap<(usize, String), (&'static str, Row)>;

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else { anyhow::bail!("name the folder with the sources") };
    let read = |name: &str| {
        let path = Path::new(folder).join(name);
        std::fs::read_to_string(&path).with_context(|| path.display().to_string())
    };
    let mut products = Products::new();
    let mut apus: BTreeSet<&str> = BTreeSet::new();
    for p in PROCESSORS {
        for name in own_names(p.devices) {
            add(&mut products, p, &name, 'L');
        }
    }
    for (model, target, units) in specs(&read("specs.rst")?) {
        if let Some(row) = add(&mut products, target, &model, 'S') {
            row.compute_units = Some(units);
        }
    }
    for (target, name, apu) in therock(&read("therock_amdgpu_targets.cmake")?) {
        for name in alternatives(&name) {
            add(&mut products, target, &name, 'R');
        }
        apus.extend(apu.then_some(target.name));
    }
    ids(&mut products, &read("topology.c")?, &read("amdgpu.ids")?);
    let mut text = String::from(
        "# Written by `cargo xtask products`; do not edit. Columns: name, target, compute units, APU, PCI device and revision ids, sources.\n\
         # Sources: S ROCm's hardware table (docs/reference/gpu-arch-specs.rst), T libhsakmt's topology.c with libdrm's amdgpu.ids,\n\
         # N libdrm's amdgpu.ids by a device id that another source names, R TheRock's therock_amdgpu_targets.cmake, L LLVM's AMDGPUUsage.\n",
    );
    for ((_, name), (target, row)) in &products {
        let units = row.compute_units.map_or("-".into(), |units| units.to_string());
        let apu = if apus.contains(target) { "apu" } else { "-" };
        let ids: Vec<&str> = row.ids.iter().map(String::as_str).collect();
        let ids = if ids.is_empty() { "-".to_owned() } else { ids.join(" ") };
        let sources: String = row.sources.iter().collect();
        text.push_str(&format!("{name}\t{target}\t{units}\t{apu}\t{ids}\t{sources}\n"));
    }
    std::fs::write(TABLE, text)?;
    println!(
        "{} products of {} targets",
        products.len(),
        products.values().map(|(t, _)| t).collect::<BTreeSet<_>>().len()
    );
    Ok(())
}

/// The row of a product; `None` for a name that says nothing.
fn add<'p>(
    products: &'p mut Products,
    target: &'static Processor,
    name: &str,
    source: char,
) -> Option<&'p mut Row> {
    let name = plain(name);
    // Names that were given to several chips name none of them.
    if name.split(' ').all(|word| ["Radeon", "RX", "Pro", "WX", "Series", ""].contains(&word)) {
        return None;
    }
    let (_, row) =
        products.entry((Processor::rank(target.name), name)).or_insert((target.name, Row::default()));
    row.sources.insert(source);
    Some(row)
}

/// A product's name without the maker's and without words that all have.
fn plain(name: &str) -> String {
    let name = name.replace("(TM)", "").replace("™", "").replace("Laptop iGPU", "").replace("iGPU", "");
    let name = name.trim().strip_prefix("AMD ").unwrap_or(name.trim()).to_owned();
    let name =
        name.strip_suffix(" Graphics").unwrap_or(&name).trim_end_matches(" CDNA").replace(" PRO ", " Pro ");
    // Some lists leave the first word out.
    let name = if name.starts_with("RX ") { format!("Radeon {name}") } else { name };
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Names of the table of processors: `Radeon RX 6800, 6900 XT`, `Radeon 780M (Phoenix)`.
fn own_names(devices: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut front = String::new();
    for part in devices.split(", ") {
        let name = part.split(" (").next().unwrap_or(part);
        // What follows a comma leaves out the words in front of its number.
        let full = match name.chars().next() {
            Some(first) if first.is_ascii_digit() && !front.is_empty() => format!("{front} {name}"),
            _ => name.to_owned(),
        };
        let words: Vec<&str> = full.split(' ').collect();
        let digit = words.iter().position(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        front = digit.map(|at| words[..at].join(" ")).unwrap_or_default();
        if full != "XTX" && !full.contains("first silicon") {
            names.extend(alternatives(&full));
        }
        if let Some(code) = part.split(" (").nth(1) {
            names.push(code.trim_end_matches(')').to_owned());
        }
    }
    names.retain(|name| name != "first silicon" && name != "MI300");
    names
}

/// `RX 9070 / XT` is RX 9070 and RX 9070 XT; `MI210/250` is MI210 and MI250.
fn alternatives(name: &str) -> Vec<String> {
    let name = plain(name);
    let mut parts = name.split('/').map(str::trim);
    let first = parts.next().unwrap_or_default().to_owned();
    let mut all = vec![first.clone()];
    for part in parts {
        if part == "XT" || part == "XTX" {
            all.push(format!("{first} {part}"));
        } else if part.starts_with(|c: char| c.is_ascii_digit()) {
            let front = first.trim_end_matches(|c: char| c.is_ascii_digit());
            all.push(format!("{front}{part}"));
        } else {
            all.push(part.to_owned());
        }
    }
    all
}

/// Model, target and compute units of a device: of two dies on a card, each is one.
fn specs(text: &str) -> Vec<(String, &'static Processor, u32)> {
    let mut rows = Vec::new();
    let mut cells: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim).chain(["*"]) {
        if line == "*" {
            if let [model, _, target, _, units, ..] = cells[..]
                && let Some(target) = Processor::by_name(target)
                && let Some(units) = units_of_device(units)
            {
                rows.push((model.to_owned(), target, units));
            }
            cells.clear();
        } else if let Some(cell) = line.strip_prefix('-') {
            cells.push(cell.trim());
        }
    }
    rows
}

/// `220 (110 per GCD)` are two devices of 110, `304 (38 per XCD)` is one.
fn units_of_device(text: &str) -> Option<u32> {
    let (all, per) = text.split_once(" (").unwrap_or((text, ""));
    match per.strip_suffix(" per GCD)") {
        Some(units) => units.parse().ok(),
        None => all.parse().ok(),
    }
}

/// Target, product and whether it is an APU.
fn therock(text: &str) -> Vec<(&'static Processor, String, bool)> {
    let mut rows = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("therock_add_amdgpu_target(") else { continue };
        let mut quoted = rest.split('"');
        let (Some(target), Some(name), Some(families)) = (quoted.next(), quoted.next(), quoted.next()) else {
            continue;
        };
        if let Some(target) = Processor::by_name(target.trim()) {
            rows.push((target, name.to_owned(), families.contains("igpu")));
        }
    }
    rows
}

/// Adds PCI ids, and the names that libdrm has for them.
fn ids(products: &mut Products, topology: &str, ids: &str) {
    let mut of_device: BTreeMap<u16, (&'static Processor, char)> = BTreeMap::new();
    for line in topology.lines().map(str::trim) {
        let Some(rest) = line.strip_prefix("{ 0x") else { continue };
        let fields: Vec<&str> = rest.split(',').map(str::trim).collect();
        if let [id, major, minor, stepping, ..] = fields[..]
            && let (Ok(id), Ok(minor), Ok(stepping)) =
                (u16::from_str_radix(id, 16), minor.parse::<u8>(), stepping.parse::<u8>())
            && let Some(target) = Processor::by_name(&format!("gfx{major}{minor:x}{stepping:x}"))
        {
            of_device.insert(id, (target, 'T'));
        }
    }
    let rows: Vec<(u16, &str, String)> = ids.lines().filter_map(id_row).collect();
    // Of devices that the older list lacks, the name leads to the target, where another source has it.
    let known: BTreeMap<String, &'static str> =
        products.iter().map(|((_, name), (target, _))| (name.to_ascii_lowercase(), *target)).collect();
    for (device, _, name) in &rows {
        let name = plain(name).to_ascii_lowercase();
        let found = known.get(&name).or_else(|| known.get(name.trim_start_matches("radeon ")));
        if let Some(target) = found.and_then(|target| Processor::by_name(target)) {
            of_device.entry(*device).or_insert((target, 'N'));
        }
    }
    for (device, revision, name) in rows {
        let Some((target, source)) = of_device.get(&device) else { continue };
        for name in name.split(" / ") {
            if let Some(row) = add(products, target, name, *source) {
                row.ids.insert(format!("{device:04x}:{}", revision.to_ascii_lowercase()));
            }
        }
    }
}

fn id_row(line: &str) -> Option<(u16, &str, String)> {
    let mut fields = line.splitn(3, ',').map(str::trim);
    let device = u16::from_str_radix(fields.next()?, 16).ok()?;
    let revision = fields.next()?;
    Some((device, revision, fields.next()?.to_owned()))
}
