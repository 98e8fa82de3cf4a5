//! Compares what the library reads in real packages with the results of an independent extractor, file by
//! file.

use crate::facts::{ComparedFacts, digest};
use crate::files::all_files;
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use rocm_audit::capability::Capability;
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::report::fatbin;
use rocm_audit::scan::device_file::{self, FileOptions};
use rocm_audit::scan::run::{Options, Silent, audit};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub fn run(arguments: &[String]) -> Result<()> {
    let [dest, expected] = arguments else { bail!("containers PACKAGES EXPECTED") };
    let (dest, expected) = (Path::new(dest), Path::new(expected));
    let mut differences = 0;
    let mut compared = 0;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(expected)
        .with_context(|| format!("{}", expected.display()))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .collect();
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let truth: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        if name == "tree-counts" {
            differences += tree_counts(&truth, dest)?;
            continue;
        }
        let Some(root) = package(dest, &name) else {
            println!("{name}: not fetched");
            continue;
        };
        let (files, found) = compare(&truth, &root)?;
        compared += 1;
        differences += found.len();
        println!("{name}: {files} files, {} differences", found.len());
        found.iter().take(20).for_each(|difference| println!("    {difference}"));
        for packed in packed(dest, &name, &root) {
            let (members, found) = compare_packed(&truth, &packed)?;
            compared += 1;
            differences += found.len();
            println!("{name}: not unpacked, {members} members with device code, {} differences", found.len());
            found.iter().take(20).for_each(|difference| println!("    {difference}"));
        }
    }
    println!("{compared} packages compared, {differences} differences");
    if differences > 0 { bail!("{differences} differences") } else { Ok(()) }
}

/// The package folder for an oracle file: `deb-NAME` or `pypi-NAME-VERSION-…`.
fn package(dest: &Path, oracle: &str) -> Option<PathBuf> {
    if let Some(name) = oracle.strip_prefix("deb-") {
        return Some(dest.join("deb").join(name)).filter(|p| p.is_dir());
    }
    let name = oracle.strip_prefix("pypi-")?;
    let words: Vec<&str> = name.split('-').collect();
    let folders = std::fs::read_dir(dest.join("whl")).ok()?.filter_map(|e| e.ok().map(|e| e.path()));
    let windows = name.ends_with("-win");
    let stem = words
        .iter()
        .take_while(|w| !matches!(**w, "linux" | "win") && !w.starts_with("cp3"))
        .copied()
        .collect::<Vec<_>>()
        .join("-");
    folders
        .filter(|p| {
            let folder = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
            folder.starts_with(&format!("{stem}-")) && folder.contains("win_amd64") == windows
        })
        .min()
}

/// The package files of an unpacked package, where they were kept: `wheels/` has those of `whl/`, `debs/` of
/// `deb/`.
fn packed(dest: &Path, oracle: &str, root: &Path) -> Vec<PathBuf> {
    let folder = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let debian = oracle.starts_with("deb-");
    let matches = |name: &str| {
        if debian {
            return name.starts_with(&format!("{folder}_")) && name.ends_with(".deb");
        }
        // bitsandbytes-0.50.0-win_amd64 for bitsandbytes-0.50.0-py3-none-win_amd64.whl
        let words: Vec<&str> = folder.split('-').collect();
        let (platform, stem) = words.split_last().unwrap_or((&"", &[]));
        let (version, name_words) = stem.split_last().unwrap_or((&"", &[]));
        name.starts_with(&format!("{}-{version}-", name_words.join("_")))
            && name.ends_with(&format!("{platform}.whl"))
    };
    let folder = dest.join(if debian { "debs" } else { "wheels" });
    let files = std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path()));
    files.filter(|p| matches(&p.file_name().unwrap_or_default().to_string_lossy())).collect()
}

/// The same comparison with the original package; only members with device code are opened.
fn compare_packed(truth: &Value, package: &Path) -> Result<(usize, Vec<String>)> {
    let files = truth["files"].as_object().context("files")?;
    let mut seen = Vec::new();
    let mut all = Vec::new();
    let mut wrong = Vec::new();
    let mut each = |open: DeviceFile| {
        let member = open.file.locator().member.clone().unwrap_or_default();
        match (ComparedFacts::read(&open), files.get(&member)) {
            (Ok(facts), Some(expected)) => {
                all.extend(
                    differences(&facts, &open, expected).into_iter().map(|d| format!("{member}: {d}")),
                );
            }
            (Ok(facts), None) if facts.objects > 0 => {
                all.push(format!("{member}: device code, and the oracle has none"));
            }
            (Ok(_), None) => {}
            (Err(error), _) => all.push(format!("{member}: {error:#}")),
        }
        seen.push(member);
    };
    DeviceFile::open_each(package, &mut each, &mut |problem| wrong.push(problem.to_string()))
        .map_err(|e| anyhow::anyhow!("{e}"))?;
    all.extend(wrong);
    let has_code = |truth: &Value| truth["code_objects"].as_u64().is_some_and(|n| n > 0);
    // A hard link is not a copy.
    let linked = |truth: &Value| {
        files
            .iter()
            .any(|(path, other)| seen.contains(path) && other["co_sha_digest"] == truth["co_sha_digest"])
    };
    for (path, truth) in files {
        if has_code(truth) && !seen.contains(path) && !linked(truth) {
            all.push(format!("{path}: in the oracle, not found in the package"));
        }
    }
    Ok((seen.len(), all))
}

fn compare(truth: &Value, root: &Path) -> Result<(usize, Vec<String>)> {
    let files = truth["files"].as_object().context("files")?;
    // The library lists a file with several names once; the oracle lists every name.
    let mut entries = Vec::new();
    all_files(root, root, &mut entries)?;
    let found: Vec<Vec<String>> = entries
        .par_iter()
        .map(|entry| {
            let check = || -> Result<Vec<String>> {
                let open = DeviceFile::open(&entry.1).map_err(|e| anyhow::anyhow!("{e}"))?;
                let facts = ComparedFacts::read(&open)?;
                Ok(match files.get(&entry.0) {
                    Some(expected) => differences(&facts, &open, expected),
                    None if facts.objects > 0 => vec!["device code, and the oracle has none".to_owned()],
                    None => Vec::new(),
                })
            };
            match check() {
                Ok(list) => list.into_iter().map(|d| format!("{}: {d}", entry.0)).collect(),
                Err(error) => vec![format!("{}: {error:#}", entry.0)],
            }
        })
        .collect();
    let mut all: Vec<String> = found.into_iter().flatten().collect();
    for path in files.keys().filter(|path| !entries.iter().any(|e| e.0 == **path)) {
        all.push(format!("{path}: in the oracle, not in the package"));
    }
    Ok((entries.len(), all))
}

fn differences(facts: &ComparedFacts, open: &DeviceFile, truth: &Value) -> Vec<String> {
    let mut found = Differences { all: Vec::new(), truth };
    found.check("problems", facts.problems.join("; "), String::new());
    found.check("wrong hashes", facts.hashes_wrong.to_string(), "0".into());
    found.containers(facts);
    found.sections(open);
    found.wrappers(open);
    found.waste(open);
    found.code_objects(facts);
    found.digests(facts);
    found.all
}

/// What differs from what the oracle says of a file.
struct Differences<'t> {
    all: Vec<String>,
    truth: &'t Value,
}

impl Differences<'_> {
    fn check(&mut self, what: &str, ours: String, theirs: String) {
        if ours != theirs {
            self.all.push(format!("{what}: {ours}, oracle {theirs}"));
        }
    }

    fn containers(&mut self, facts: &ComparedFacts) {
        let truth = self.truth;
        let containers = |kind: &str| {
            let places = ["fatbin", "outside_fatbin", "pe", "file"];
            places.iter().filter_map(|p| truth[p]["containers"][kind].as_u64()).sum::<u64>()
        };
        self.check("bundles", facts.bundles.to_string(), containers("bundle").to_string());
        self.check("compressed bundles", facts.compressed.to_string(), containers("ccob").to_string());
        let alone = u64::from(truth["kind"] == "amdgpu-elf");
        self.check("code objects alone", facts.bare.to_string(), (containers("elf") + alone).to_string());
    }

    fn sections(&mut self, open: &DeviceFile) {
        for (name, section) in
            self.truth["sections"].as_object().into_iter().flatten().filter(|(n, _)| *n == ".hip_fatbin")
        {
            let ours = open.container.sections().iter().find(|s| s.name() == *name);
            let ours = ours.map(|s| format!("{} {} {}", s.offset(), s.size(), s.align())).unwrap_or_default();
            self.check(name, ours, format!("{} {} {}", section["off"], section["size"], section["align"]));
        }
    }

    fn wrappers(&mut self, open: &DeviceFile) {
        let theirs = &self.truth["wrappers"];
        let Some(count) = theirs["count"].as_u64() else { return };
        let ours = open.container.wrappers().cloned().unwrap_or_default();
        self.check("wrappers", ours.count().to_string(), count.to_string());
        self.check("wrapper places", ours.distinct().to_string(), theirs["distinct_pointers"].to_string());
        let fit = ours.dangling().is_empty() && ours.unreferenced().is_empty();
        self.check("wrappers fit", fit.to_string(), theirs["all_point_at_a_bundle"].to_string());
    }

    fn waste(&mut self, open: &DeviceFile) {
        let truth = self.truth;
        let waste = fatbin::file(&device_file::read(open, &FileOptions::default(), &mut |_| {}), &[]).waste;
        let copies = truth["duplicated_identical"]["extra"].as_u64().unwrap_or(0);
        self.check(
            "identical code objects",
            waste.identical_code_objects.extra.to_string(),
            copies.to_string(),
        );
        let shared = truth["text_shared_by_several_tids"].as_u64().unwrap_or(0);
        self.check(
            "machine code of several targets",
            waste.shared_machine_code.groups.to_string(),
            shared.to_string(),
        );
    }

    fn code_objects(&mut self, facts: &ComparedFacts) {
        let truth = self.truth;
        let entries: BTreeMap<String, (u64, u64, u64)> = truth["targets"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(id, t)| {
                let number = |key: &str| t[key].as_u64().unwrap_or(0);
                (id.clone(), (number("entries"), number("empty"), number("bytes")))
            })
            .collect();
        self.check("entries", format!("{:?}", facts.entries), format!("{entries:?}"));
        let number = |key: &str| truth[key].as_u64().unwrap_or(0).to_string();
        self.check("code objects", facts.objects.to_string(), number("code_objects"));
        self.check("kernels", facts.kernels.to_string(), number("kernels"));
        let without = number("code_objects_without_metadata");
        self.check("without metadata", facts.without_metadata.to_string(), without);
        if truth["etypes"].as_object().is_some_and(|e| e.keys().all(|k| k == "3")) {
            let ours = facts.descriptors.map_or_else(|| "not read".to_owned(), |n| n.to_string());
            self.check("kernel descriptors", ours, number("kd_symbols"));
        }
        let counts = |key: &str| -> BTreeMap<String, u64> {
            let pairs = truth[key].as_object().into_iter().flatten();
            pairs.map(|(k, v)| (k.clone(), v.as_u64().unwrap_or(0))).collect()
        };
        self.check("target ids", format!("{:?}", facts.by_tid), format!("{:?}", counts("co_by_tid")));
        let versions = format!("{:?}", counts("co_versions"));
        self.check("code object versions", format!("{:?}", facts.versions), versions);
    }

    fn digests(&mut self, facts: &ComparedFacts) {
        for (what, lines, key) in [
            ("register digest", &facts.lines, "digest"),
            ("extended register digest", &facts.extended, "digest_ext"),
            ("content digest", &facts.content, "co_sha_digest"),
        ] {
            if let Some(theirs) = self.truth[key].as_str() {
                self.check(what, digest(lines), theirs.to_owned());
            }
        }
    }
}

/// Files, code objects, kernels and solutions in Tensile folders, by the target in the file names.
fn tree_counts(truth: &Value, dest: &Path) -> Result<usize> {
    let mut differences = 0;
    for (package, counts) in truth.as_object().context("tree-counts")? {
        let root = dest.join("deb").join(package);
        if !root.is_dir() {
            continue;
        }
        let inventory =
            audit(&[root], &Options::default(), &Silent, None).map_err(|e| anyhow::anyhow!("{e}"))?;
        let report = rocm_audit::report::audit(&inventory, &Capability::from_inventory(&inventory, &[]));
        let mut expected: BTreeMap<String, [u64; 4]> = BTreeMap::new();
        for (arch, row) in counts["per_arch"].as_object().into_iter().flatten() {
            let number = |key: &str| row[key].as_u64().unwrap_or(0);
            let processor = arch.split("-xnack").next().unwrap_or(arch).to_owned();
            let files = [
                "Kernels_hsaco",
                "fallback_hsaco",
                "co",
                "hsaco",
                "dat",
                "lazy_dat",
                "fallback_dat",
                "extop_co",
            ];
            let sum = expected.entry(processor).or_default();
            let row = [
                files.iter().map(|k| number(k)).sum(),
                number("code_objects"),
                number("solutions_in_dat"),
                number("bytes"),
            ];
            sum.iter_mut().zip(row).for_each(|(all, one)| *all += one);
        }
        for row in &report.tensile {
            let name = row.processor.clone().unwrap_or_else(|| "(no arch in name)".to_owned());
            let ours = [row.files, row.code_files, row.solutions, row.bytes];
            let theirs = expected.remove(&name).unwrap_or_default();
            if ours != theirs {
                differences += 1;
                println!(
                    "tree-counts {package} {name}: files, code, solutions, bytes {ours:?}, oracle {theirs:?}"
                );
            }
        }
        differences += expected.len();
        for (name, row) in expected {
            println!("tree-counts {package} {name}: missing, oracle {row:?}");
        }
    }
    println!("tree-counts: {differences} differences");
    Ok(differences)
}
