//! `observed.json` of the oracle: capability instructions per library and target, compared with our decoder.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use super::tally::{Code, histogram};
use super::truth::Compared;

/// The groups that are counted, and with which names: those that begin so. A pair counts once, by its first
/// name.
const GROUPS: &[(&str, &str)] = &[
    ("all", ""),
    ("glob_atomic", "global_atomic"),
    ("s_code_end", "s_code_end"),
    ("scratch", "scratch_"),
    ("v_dot2", "v_dot2"),
    ("v_dot4", "v_dot4"),
    ("v_dual", "v_dual_"),
    ("v_fma_", "v_fma_"),
    ("v_fma_mix", "v_fma_mix"),
    ("v_fmac", "v_fmac"),
    ("v_mac", "v_mac_"),
    ("v_mad_mix", "v_mad_mix"),
    ("v_mfma", "v_mfma"),
    ("v_pk_fma", "v_pk_fma"),
    ("v_wmma", "v_wmma"),
];

/// What one library has for one processor: distinct code objects, and by group how many instructions in how
/// many of them.
#[derive(Debug, Default)]
struct ObservedRow {
    objects: u64,
    groups: BTreeMap<&'static str, [u64; 2]>,
}

/// The rows of the oracle, and ours as they grow. A key is library and processor.
#[derive(Debug)]
pub struct Observed {
    theirs: Value,
    ours: BTreeMap<String, ObservedRow>,
}

impl Observed {
    /// Reads the oracle's file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Ok(Observed { theirs: serde_json::from_str(&text)?, ours: BTreeMap::new() })
    }

    /// Whether the oracle has anything of a library.
    pub fn has(&self, library: &str) -> bool {
        let keys = self.theirs.as_object().into_iter().flat_map(serde_json::Map::keys);
        keys.filter_map(|key| key.split_once(' ')).any(|(own, _)| own == library)
    }

    /// Adds what [`groups`] gives for a code object.
    pub fn add(&mut self, library: &str, processor: &str, groups: &[u64]) {
        let row = self.ours.entry(format!("{library} {processor}")).or_default();
        row.objects += 1;
        for ((name, _), count) in GROUPS.iter().zip(groups).filter(|(_, count)| **count > 0) {
            let sum = row.groups.entry(name).or_default();
            *sum = [sum[0] + count, sum[1] + 1];
        }
    }

    /// Compares all numbers with the oracle's.
    pub fn compare(&self) -> Result<Compared> {
        let rows = self.theirs.as_object().ok_or_else(|| anyhow!("observed.json is no object"))?;
        let (mut total, mut wrong) = (0, 0);
        let mut compare = |key: &str, what: String, ours: u64, theirs: u64| {
            total += 1;
            if ours != theirs {
                wrong += 1;
                println!("observed {key} {what}: ours {ours}, oracle {theirs}");
            }
        };
        let nothing = ObservedRow::default();
        for (key, theirs) in rows {
            let ours = self.ours.get(key).unwrap_or(&nothing);
            let number = |value: &Value| value.as_u64().unwrap_or(0);
            compare(key, "objects".to_owned(), ours.objects, number(&theirs["objects"]));
            for (name, _) in GROUPS {
                let [count, with] = ours.groups.get(name).copied().unwrap_or_default();
                compare(key, (*name).to_owned(), count, number(&theirs["counts"][name]));
                if *name != "all" {
                    compare(key, format!("objects with {name}"), with, number(&theirs["objects_with"][name]));
                }
            }
        }
        for key in self.ours.keys().filter(|key| !rows.contains_key(*key)) {
            compare(key, "objects".to_owned(), 1, 0);
        }
        Ok((total, wrong))
    }
}

/// How many instructions of each group a code object has.
pub fn groups(code: &Code<'_>) -> Result<Vec<u64>> {
    let histogram = histogram(&code.count()?);
    let count =
        |prefix: &str| histogram.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, n)| n).sum();
    Ok(GROUPS.iter().map(|(_, prefix)| count(prefix)).collect())
}
