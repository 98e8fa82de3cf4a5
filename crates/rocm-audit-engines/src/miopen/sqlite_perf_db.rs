//! SQLite perf-dbs.

use super::perf_db::{Config, NUMBERS, PerfDbRow, Refused, TunedSolver};
use amdgpu_object::source::SourceFile;
use rocm_audit_files::input::sqlite::{self, Database};
use rusqlite::{params_from_iter, types::Value};
use std::collections::BTreeMap;

/// The columns after the numbers.
const TEXTS: [&str; 3] = ["layout", "data_type", "direction"];

/// A SQLite perf-db.
#[derive(Debug)]
pub struct SqlitePerfDb<'f> {
    database: Database<'f>,
}

impl<'f> SqlitePerfDb<'f> {
    /// Opens one for reading; writes nothing next to it.
    ///
    /// # Errors
    ///
    /// As SQLite reports them, or the missing table.
    pub fn open(file: &'f SourceFile) -> Result<Self, Refused> {
        Ok(SqlitePerfDb { database: sqlite::open(file, Self::TABLES)? })
    }

    /// Number of lines in its text form.
    ///
    /// # Errors
    ///
    /// As SQLite reports them.
    pub fn lines(&self) -> Result<u64, Refused> {
        sqlite::count(&self.database, Self::LINES)
    }

    /// Number of rows with a configuration: the items of all lines.
    ///
    /// # Errors
    ///
    /// As SQLite reports them.
    pub fn rows(&self) -> Result<u64, Refused> {
        sqlite::count(&self.database, "SELECT COUNT(*) FROM perf_db WHERE config IN (SELECT id FROM config)")
    }

    /// Calls `each` with the number and key of every configuration, including those without rows.
    ///
    /// # Errors
    ///
    /// As SQLite reports them.
    pub fn each_config(&self, mut each: impl FnMut(i64, String)) -> Result<(), Refused> {
        let cannot =
            |e: rusqlite::Error| Refused::from(format!("SQLite cannot read its configurations: {e}"));
        let question = format!("SELECT id, {} FROM config", key_column());
        let mut statement = self.database.prepare(&question).map_err(cannot)?;
        let mut rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(cannot)?;
        rows.try_for_each(|row| row.map(|(id, key)| each(id, key)).map_err(cannot))
    }

    /// Calls `each` with every row that has a configuration, in file order.
    ///
    /// # Errors
    ///
    /// As SQLite reports them.
    pub fn each_row(&self, mut each: impl FnMut(PerfDbRow)) -> Result<(), Refused> {
        let cannot = |e: rusqlite::Error| Refused::from(format!("SQLite cannot read its rows: {e}"));
        let question = format!(
            "SELECT perf_db.id, {}, solver, params FROM perf_db INNER JOIN config ON perf_db.config = config.id",
            key_column()
        );
        let mut statement = self.database.prepare(&question).map_err(cannot)?;
        let rows = statement.query_map([], |row| {
            let (solver, parameters) = (row.get::<_, String>(2)?, row.get::<_, String>(3)?);
            let tuned = TunedSolver { solver: solver.into(), parameters: parameters.into() };
            Ok(PerfDbRow { id: row.get(0)?, key: row.get(1)?, tuned })
        });
        rows.map_err(cannot)?.try_for_each(|row| row.map(&mut each).map_err(cannot))
    }

    /// All configurations with their solvers, by key.
    ///
    /// # Errors
    ///
    /// As SQLite reports them.
    pub fn records(&self) -> Result<BTreeMap<String, Vec<TunedSolver<'static>>>, Refused> {
        let mut records: BTreeMap<String, Vec<TunedSolver<'static>>> = BTreeMap::new();
        self.each_row(|row| records.entry(row.key).or_default().push(row.tuned))?;
        Ok(records)
    }

    /// The solvers of one configuration; empty if it has no rows.
    ///
    /// # Errors
    ///
    /// As SQLite reports them.
    pub fn find(&self, config: &Config<'_>) -> Result<Vec<TunedSolver<'static>>, Refused> {
        let columns: Vec<String> =
            NUMBERS.iter().chain(&TEXTS).map(|column| format!("{column} = ?")).collect();
        let question = format!(
            "SELECT solver, params FROM perf_db WHERE config = (SELECT id FROM config WHERE {}) ORDER BY id",
            columns.join(" AND ")
        );
        let texts =
            [config.layout.to_owned(), config.data_type.to_owned(), config.direction.letter().to_string()];
        let numbers = config.numbers().map(|number| Value::Integer(i64::from(number)));
        let values = numbers.into_iter().chain(texts.map(Value::Text));
        let cannot = |e: rusqlite::Error| Refused::from(format!("SQLite cannot find a configuration: {e}"));
        let mut statement = self.database.prepare(&question).map_err(cannot)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let (solver, parameters) = (row.get::<_, String>(0)?, row.get::<_, String>(1)?);
            Ok(TunedSolver { solver: solver.into(), parameters: parameters.into() })
        });
        rows.map_err(cannot)?.collect::<Result<_, _>>().map_err(cannot)
    }
}

/// An SQL expression that joins a configuration's columns to the key of its line.
fn key_column() -> String {
    let columns: Vec<String> =
        NUMBERS.iter().chain(&TEXTS).map(|column| format!("config.{column}")).collect();
    columns.join(" || 'x' || ")
}
