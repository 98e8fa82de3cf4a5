//! Rows of perf-dbs that MIOpen never looks up.

use super::{DatabasePosition, Defect};
use crate::miopen::perf_db;
use crate::miopen::perf_db::{Config, SqlitePerfDb};
use crate::miopen::problem::Direction;
use crate::miopen::text;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::rules::miopen as rules;
use std::collections::BTreeMap;

/// Why a solver's rows are dead, if they are. Sources, MIOpen 3.3.0: `src/solver/conv/conv_bin_winoRxS.cpp`
/// (issue 1681: problems without groups went to `ConvBinWinogradRxSf2x3g1`), `src/solver.cpp` (the fusion
/// id).
fn dead(config: &Config<'_>, solver: &str) -> Option<&'static str> {
    let data_or_forward = config.direction != Direction::BackwardWeights;
    match solver {
        "ConvBinWinogradRxSf2x3" if config.groups == 1 && data_or_forward => {
            Some("ConvBinWinogradRxSf2x3 without groups, forward or backward data")
        }
        "ConvOclDirectFwdFused" => Some("ConvOclDirectFwdFused, which is no solver of convolutions"),
        _ => None,
    }
}

/// A 3D configuration with the 2D layout.
fn is_unmatchable(config: &Config<'_>) -> bool {
    config.dimensions == 3 && config.layout == "NCHW"
}

struct Dead {
    rows: Defect,
    layout: Defect,
    malformed: Defect,
    reasons: BTreeMap<&'static str, u64>,
}

impl Dead {
    fn new(file: &str) -> Dead {
        let new = |class| Defect::new(class, file);
        Dead {
            rows: new(&rules::DEAD_PERF_ROW),
            layout: new(&rules::LAYOUT_OF_FEWER_DIMENSIONS),
            malformed: new(&rules::MALFORMED_KEY),
            reasons: BTreeMap::new(),
        }
    }

    fn row(&mut self, at: DatabasePosition, config: &Config<'_>, key: &str, solver: &str) {
        if let Some(reason) = dead(config, solver) {
            *self.reasons.entry(reason).or_default() += 1;
            self.rows.add(at, || format!("{key}: {solver}"));
        }
    }

    fn found(mut self) -> Vec<Finding> {
        let reasons: Vec<String> =
            self.reasons.iter().map(|(why, count)| format!("{why}: {count}")).collect();
        self.rows.finding.detail = reasons.join(", ");
        [self.rows, self.layout, self.malformed].into_iter().filter_map(Defect::finish).collect()
    }
}

/// The defects of a text perf-db.
pub fn of_text(file: &str, bytes: &[u8]) -> Vec<Finding> {
    let mut dead = Dead::new(file);
    let mut ill_formed = Defect::new(&rules::ILL_FORMED_RECORD, file);
    for record in text::records(bytes) {
        let record = match record {
            Ok(record) => record,
            Err(e) => {
                ill_formed.add(DatabasePosition::Line(e.line), || e.unplaced());
                continue;
            }
        };
        let key = super::shown(&record);
        let config = match perf_db::config(&record) {
            Ok(config) => config,
            Err(e) => {
                dead.malformed.add(DatabasePosition::Line(e.line), || key);
                continue;
            }
        };
        if is_unmatchable(&config) {
            dead.layout.add(DatabasePosition::Line(record.line), || key.clone());
        }
        for item in perf_db::items(&record) {
            match item {
                Ok(tuned) => dead.row(DatabasePosition::Line(record.line), &config, &key, &tuned.solver),
                Err(e) => ill_formed.add(DatabasePosition::Line(e.line), || e.unplaced()),
            }
        }
    }
    let mut found = dead.found();
    found.extend(ill_formed.finish());
    found
}

/// The defects of a SQLite perf-db. Examples give row numbers, in `perf_db` for dead rows, otherwise in
/// `config`.
///
/// # Errors
///
/// As SQLite reports them.
pub fn of_sqlite(file: &str, database: &SqlitePerfDb<'_>) -> Result<Vec<Finding>, perf_db::Refused> {
    let mut dead = Dead::new(file);
    let number = |id| DatabasePosition::Row(u64::try_from(id).unwrap_or(0));
    database.each_config(|id, key| match Config::parse(&key) {
        Ok(config) if is_unmatchable(&config) => dead.layout.add(number(id), || key),
        Ok(_) => {}
        Err(_) => dead.malformed.add(number(id), || key),
    })?;
    database.each_row(|row| {
        if let Ok(config) = Config::parse(&row.key) {
            dead.row(number(row.id), &config, &row.key, &row.tuned.solver);
        }
    })?;
    Ok(dead.found())
}
