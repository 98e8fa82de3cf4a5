//! Perf-dbs in SQLite.

use super::perf_db::{Config, NUMBERS, Refused, Row, Tuned};
use amdgpu_object::source::SourceFile;
use rocm_audit_files::input::sqlite;
use rusqlite::{Connection, params_from_iter, types::Value};
use std::collections::BTreeMap;

/// The columns behind the numbers.
const TEXTS: [&str; 3] = ["layout", "data_type", "direction"];

/// A perf-db in SQLite.
#[derive(Debug)]
pub struct SqlitePerfDb {
    database: Connection,
}

impl SqlitePerfDb {
    /// Opens one for reading; nothing is written beside it.
    ///
    /// # Errors
    /// What SQLite said, or the table that is missing.
    pub fn open(file: &SourceFile) -> Result<Self, Refused> {
        Ok(SqlitePerfDb { database: sqlite::open(file, Self::TABLES)? })
    }

    /// How many lines its text form has.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn lines(&self) -> Result<u64, Refused> {
        sqlite::count(&self.database, Self::LINES)
    }

    /// How many rows have a configuration: the items of all lines.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn rows(&self) -> Result<u64, Refused> {
        sqlite::count(&self.database, "SELECT COUNT(*) FROM perf_db WHERE config IN (SELECT id FROM config)")
    }

    /// Gives every configuration, also one without rows, to `each`: its number and its key.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn each_config(&self, mut each: impl FnMut(i64, String)) -> Result<(), Refused> {
        let cannot = |e: rusqlite::Error| format!("SQLite cannot read its configurations: {e}");
        let question = format!("SELECT id, {} FROM config", key_column());
        let mut statement = self.database.prepare(&question).map_err(cannot)?;
        let mut rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(cannot)?;
        rows.try_for_each(|row| row.map(|(id, key)| each(id, key)).map_err(cannot))
    }

    /// Gives every row that has a configuration to `each`, in the order of the file.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn each_row(&self, mut each: impl FnMut(Row)) -> Result<(), Refused> {
        let cannot = |e: rusqlite::Error| format!("SQLite cannot read its rows: {e}");
        let question = format!(
            "SELECT perf_db.id, {}, solver, params FROM perf_db INNER JOIN config ON perf_db.config = config.id",
            key_column()
        );
        let mut statement = self.database.prepare(&question).map_err(cannot)?;
        let rows = statement.query_map([], |row| {
            let (solver, parameters) = (row.get::<_, String>(2)?, row.get::<_, String>(3)?);
            let tuned = Tuned { solver: solver.into(), parameters: parameters.into() };
            Ok(Row { id: row.get(0)?, key: row.get(1)?, tuned })
        });
        rows.map_err(cannot)?.try_for_each(|row| row.map(&mut each).map_err(cannot))
    }

    /// All configurations with their solvers, by key.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn records(&self) -> Result<BTreeMap<String, Vec<Tuned<'static>>>, Refused> {
        let mut records: BTreeMap<String, Vec<Tuned<'static>>> = BTreeMap::new();
        self.each_row(|row| records.entry(row.key).or_default().push(row.tuned))?;
        Ok(records)
    }

    /// The solvers of one configuration; none where it has no row.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn find(&self, config: &Config<'_>) -> Result<Vec<Tuned<'static>>, Refused> {
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
        let cannot = |e: rusqlite::Error| format!("SQLite cannot find a configuration: {e}");
        let mut statement = self.database.prepare(&question).map_err(cannot)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let (solver, parameters) = (row.get::<_, String>(0)?, row.get::<_, String>(1)?);
            Ok(Tuned { solver: solver.into(), parameters: parameters.into() })
        });
        rows.map_err(cannot)?.collect::<Result<_, _>>().map_err(cannot)
    }
}

/// The columns of a configuration joined to the key of its line.
fn key_column() -> String {
    let columns: Vec<String> =
        NUMBERS.iter().chain(&TEXTS).map(|column| format!("config.{column}")).collect();
    columns.join(" || 'x' || ")
}
