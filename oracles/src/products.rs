//! `cargo oracle products SOURCES`: writes the table of products from the lists of others.
//!
//! SOURCES is a folder with four files as their authors publish them: `specs.rst` (ROCm's hardware table:
//! model, target, compute units), `topology.c` (libhsakmt: PCI device id to target), `amdgpu.ids` (libdrm:
//! PCI device and revision id to name) and `therock_amdgpu_targets.cmake` (TheRock: target to name, and
//! whether it is an APU). Facts are taken, not text: each row says which of them it comes from.

use anyhow::{Context, Result};
use rocm_audit::target::{PROCESSORS, Processor};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const TABLE: &str = "crates/amdgpu-object/src/target/products.tsv";

/// ROCm's hardware table after the one that the others were taken from.
const ROCM: &str = "https://github.com/ROCm/ROCm/blob/089d7513c55f/docs/reference/gpu-arch-specs.rst";

/// Compute units, by hand, of products for which the four lists have none: name, target, number, letter and
/// where it is said.
const UNITS: &[(&str, &str, u32, char, &str)] = &[
    ("MI350X", "gfx950", 256, 'S', ROCM),
    ("MI355X", "gfx950", 256, 'S', ROCM),
    ("Radeon RX 9060 XT", "gfx1200", 32, 'S', ROCM),
    ("Radeon RX 9070", "gfx1201", 56, 'S', ROCM),
    ("Radeon RX 9070 GRE", "gfx1201", 48, 'S', ROCM),
    ("Radeon RX 9070 XT", "gfx1201", 64, 'S', ROCM),
    ("Radeon Instinct MI25", "gfx900", 64, 'S', ROCM),
    ("Instinct MI60", "gfx906", 64, 'S', ROCM),
    ("Instinct MI100", "gfx908", 120, 'S', ROCM),
    ("Instinct MI210", "gfx90a", 104, 'S', ROCM),
    ("Instinct MI250X", "gfx90a", 110, 'S', ROCM),
    ("Radeon RX Vega 56", "gfx900", 56, 'P', "https://www.techpowerup.com/review/amd-radeon-rx-vega-56/"),
    ("Radeon RX Vega 64", "gfx900", 64, 'P', "https://www.techpowerup.com/review/amd-radeon-rx-vega-56/"),
    ("Radeon RX 5500", "gfx1012", 22, 'P', "https://www.techpowerup.com/news-tags/Radeon%20RX%205300M"),
    (
        "Radeon RX 5500M",
        "gfx1012",
        22,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-rx-580-2048sp-vs-amd-radeon-rx-5500m",
    ),
    (
        "Radeon RX 580 2048SP",
        "gfx803",
        32,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-rx-580-2048sp-vs-amd-radeon-rx-5500m",
    ),
    (
        "Radeon RX 5600 XT",
        "gfx1010",
        36,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-rx-5600-xt-vs-amd-radeon-rx-7600-xt",
    ),
    (
        "Radeon RX 5700 XT",
        "gfx1010",
        40,
        'P',
        "https://www.thegamingpcguide.com/2020/04/rx-5700-series-video-card-specification.html",
    ),
    (
        "Radeon RX 7600 XT",
        "gfx1102",
        32,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-rx-5600-xt-vs-amd-radeon-rx-7600-xt",
    ),
    (
        "Radeon RX 6500M",
        "gfx1034",
        16,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-rx-9070-xt-vs-amd-radeon-rx-6500m",
    ),
    (
        "Radeon RX Vega M GH",
        "gfx803",
        24,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-rx-vega-m-gh-vs-amd-radeon-680m",
    ),
    (
        "Radeon 680M",
        "gfx1035",
        12,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-rx-vega-m-gh-vs-amd-radeon-680m",
    ),
    (
        "Radeon AI Pro R9700",
        "gfx1201",
        64,
        'P',
        "https://www.amd.com/en/products/graphics/workstations/radeon-ai-pro/ai-9000-series/amd-radeon-ai-pro-r9700.html",
    ),
    ("Radeon 760M", "gfx1103", 8, 'P', "https://fpsbench.com/compare/gpu/amd-radeon-760m-vs-amd-radeon-780m"),
    (
        "Radeon 780M",
        "gfx1103",
        12,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-760m-vs-amd-radeon-780m",
    ),
    (
        "Radeon 880M",
        "gfx1150",
        12,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-8060s-vs-amd-radeon-880m",
    ),
    (
        "Radeon 890M",
        "gfx1150",
        16,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-8060s-vs-amd-radeon-890m",
    ),
    (
        "Radeon 8050S",
        "gfx1151",
        32,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-8060s-vs-amd-radeon-8050s",
    ),
    (
        "Radeon 8060S",
        "gfx1151",
        40,
        'P',
        "https://fpsbench.com/compare/gpu/amd-radeon-8060s-vs-amd-radeon-8050s",
    ),
];

/// Memory in GiB of one device, by hand, of products that ROCm's table has under another name, or whose name
/// says it.
const MEMORY: &[(&str, &str, u32)] = &[
    ("Radeon Instinct MI25", "gfx900", 16),
    ("Instinct MI60", "gfx906", 32),
    ("Instinct MI100", "gfx908", 32),
    ("Instinct MI210", "gfx90a", 64),
    ("Instinct MI250X", "gfx90a", 64),
    ("MI350X", "gfx950", 288),
    ("MI355X", "gfx950", 288),
    ("Radeon RX 6750 GRE 12GB", "gfx1031", 12),
    ("Radeon RX 6750 GRE 10GB", "gfx1032", 10),
    ("Radeon RX 9060 XT", "gfx1200", 16),
    ("Radeon RX 9070", "gfx1201", 16),
    ("Radeon RX 9070 GRE", "gfx1201", 16),
    ("Radeon RX 9070 XT", "gfx1201", 16),
    ("Radeon AI Pro R9700", "gfx1201", 32),
];

/// A product that no list has: name, target, compute units, memory in GiB, PCI ids, and the source of the ids and of
/// the rest.
type Unlisted = (&'static str, &'static str, u32, u32, &'static [&'static str], &'static str);

/// Products that no list has.
const UNLISTED: &[Unlisted] = &[(
    "MI308X",
    "gfx942",
    80,
    192,
    &["74a2:00", "74a8:00"],
    "https://github.com/amd/MxGPU-Virtualization (the cards of its SMI library); published runs on the card: gfx942, 80 compute units, 192 GiB",
)];

/// What is known of a product.
#[derive(Default)]
struct ProductRow {
    compute_units: Option<u32>,
    memory_gib: Option<u32>,
    /// Device and revision, `73ff:c1`.
    ids: BTreeSet<String>,
    sources: BTreeSet<char>,
}

type Products = BTreeMap<(usize, String), (&'static str, ProductRow)>;

pub fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else { anyhow::bail!("name the folder with the sources") };
    let read = |name: &str| {
        let path = Path::new(folder).join(name);
        std::fs::read_to_string(&path).with_context(|| path.display().to_string())
    };
    let mut products = Products::new();
    let mut apus: BTreeSet<&str> = BTreeSet::new();
    for p in PROCESSORS {
        for name in own_names(p.devices()) {
            add(&mut products, p, &name, 'L');
        }
    }
    for Spec { model, target, units, memory_gib } in specs(&read("specs.rst")?) {
        if let Some(row) = add(&mut products, target, &model, 'S') {
            row.compute_units = Some(units);
            row.memory_gib = memory_gib;
        }
    }
    for (target, name, apu) in therock(&read("therock_amdgpu_targets.cmake")?) {
        for name in alternatives(&name) {
            add(&mut products, target, &name, 'R');
        }
        apus.extend(apu.then_some(target.name()));
    }
    ids(&mut products, &read("topology.c")?, &read("amdgpu.ids")?);
    for (name, target, units, letter, source) in UNITS {
        let key = (Processor::rank(target), (*name).to_owned());
        let (_, row) = products.get_mut(&key).with_context(|| format!("{name} of {source} is in no list"))?;
        anyhow::ensure!(
            row.compute_units.is_none_or(|own| own == *units),
            "{name}: a list has another number"
        );
        row.compute_units = Some(*units);
        row.sources.insert(*letter);
    }
    for (name, target, gib) in MEMORY {
        let key = (Processor::rank(target), (*name).to_owned());
        let (_, row) = products.get_mut(&key).with_context(|| format!("{name} is in no list"))?;
        row.memory_gib = Some(*gib);
    }
    for (name, target, units, gib, ids, _) in UNLISTED {
        let target = PROCESSORS.iter().find(|p| p.name() == *target).context("a target")?;
        if let Some(row) = add(&mut products, target, name, 'P') {
            (row.compute_units, row.memory_gib) = (Some(*units), Some(*gib));
            row.ids.extend(ids.iter().map(|id| (*id).to_owned()));
        }
    }
    let mut text = String::from(
        "# Written by `cargo oracle products`; do not edit. Columns: name, target, compute units, GiB of memory, APU, PCI device and revision ids, sources.\n\
         # Sources: S ROCm's hardware table (docs/reference/gpu-arch-specs.rst), T libhsakmt's topology.c with libdrm's amdgpu.ids,\n\
         # N libdrm's amdgpu.ids by a device id that another source names, R TheRock's therock_amdgpu_targets.cmake, L LLVM's AMDGPUUsage,\n\
         # P a published page, by hand: the list in oracles/src/products.rs.\n",
    );
    for ((_, name), (target, row)) in &products {
        let units = row.compute_units.map_or("-".into(), |units| units.to_string());
        let memory = row.memory_gib.map_or("-".into(), |gib| gib.to_string());
        let apu = if apus.contains(target) { "apu" } else { "-" };
        let ids: Vec<&str> = row.ids.iter().map(String::as_str).collect();
        let ids = if ids.is_empty() { "-".to_owned() } else { ids.join(" ") };
        let sources: String = row.sources.iter().collect();
        text.push_str(&format!("{name}\t{target}\t{units}\t{memory}\t{apu}\t{ids}\t{sources}\n"));
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
) -> Option<&'p mut ProductRow> {
    let name = plain(name);
    // Names that were given to several chips name none of them, and a number alone names nothing.
    let is_number = name.bytes().all(|byte| !byte.is_ascii_alphabetic());
    if is_number || name.split(' ').all(|word| ["Radeon", "RX", "Pro", "WX", "Series", ""].contains(&word)) {
        return None;
    }
    let (_, row) = products
        .entry((Processor::rank(target.name()), name))
        .or_insert((target.name(), ProductRow::default()));
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

/// A row of ROCm's hardware table, for one device: of two dies on a card, each is one.
struct Spec {
    model: String,
    target: &'static Processor,
    units: u32,
    memory_gib: Option<u32>,
}

fn specs(text: &str) -> Vec<Spec> {
    let mut rows = Vec::new();
    let mut cells: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim).chain(["*"]) {
        if line == "*" {
            if let [model, _, target, memory, units, ..] = cells[..]
                && let Some(target) = Processor::by_name(target)
                && let Some(own) = units_of_device(units)
            {
                // The memory of a card is shared by its dies.
                let of_card = units.split(' ').next().and_then(|all| all.parse::<u32>().ok()).unwrap_or(own);
                let memory = memory.parse::<u32>().ok().map(|gib| gib * own / of_card.max(1));
                rows.push(Spec { model: model.to_owned(), target, units: own, memory_gib: memory });
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

#[cfg(test)]
mod tests {
    use super::*;
    use rocm_audit::target::product::products;

    #[test]
    fn what_is_known_by_hand_is_in_the_table_with_its_source() {
        for (name, target, units, letter, source) in UNITS {
            let row = products().iter().find(|row| row.name() == *name && row.processor() == *target);
            let row = row.unwrap_or_else(|| panic!("{name}"));
            assert_eq!(row.compute_units(), Some(*units), "{name}");
            assert!(row.sources().contains(*letter) && source.starts_with("https://"), "{name}: {source}");
        }
        for (name, target, gib) in MEMORY {
            let row = products().iter().find(|row| row.name() == *name && row.processor() == *target);
            assert_eq!(row.and_then(|row| row.memory_gib()), Some(*gib), "{name}");
        }
        let head = include_str!("../../crates/amdgpu-object/src/target/products.tsv").lines();
        let head: String = head.take_while(|line| line.starts_with('#')).collect();
        assert!(UNITS.iter().all(|(_, _, _, letter, _)| head.contains(&format!(" {letter} "))), "{head}");
    }
}
