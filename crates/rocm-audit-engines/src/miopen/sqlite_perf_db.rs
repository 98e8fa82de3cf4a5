//! SQLite perf-dbs.

use super::perf_db::{Config, NUMBERS, PerfDbRow, Refused, TunedSolver};
use amdgpu_object::source::SourceFile;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::input::sqlite::{self, Database};
use rusqlite::{OptionalExtension as _, params_from_iter, types::Value};
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

    /// The finding where it lacks columns that MIOpen looks for.
    pub fn missing_columns(&self, file: &str) -> Option<Finding> {
        sqlite::missing_columns(&self.database, file, Self::COLUMNS)
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
        let question = format!("SELECT id FROM config WHERE {}", columns.join(" AND "));
        let texts =
            [config.layout.to_owned(), config.data_type.to_owned(), config.direction.letter().to_string()];
        let numbers = config.numbers().map(|number| Value::Integer(i64::from(number)));
        let values = numbers.into_iter().chain(texts.map(Value::Text));
        let cannot = |e: rusqlite::Error| Refused::from(format!("SQLite cannot find a configuration: {e}"));
        let id = self.database.query_row(&question, params_from_iter(values), |row| row.get::<_, i64>(0));
        let Some(id) = id.optional().map_err(cannot)? else { return Ok(Vec::new()) };
        self.by_index(id).or_else(|_| self.by_rows(id)).map_err(cannot)
    }

    /// The rows of a configuration by MIOpen's index, which has the solver first: from solver to solver, then
    /// the configuration of each. A database of 86,000 rows has about thirty solvers. It fails without the
    /// index.
    fn by_index(&self, config: i64) -> rusqlite::Result<Vec<TunedSolver<'static>>> {
        let row = "SELECT id, params FROM perf_db INDEXED BY idx_perf_db WHERE solver = ? AND config = ?";
        let next = "SELECT MIN(solver) FROM perf_db INDEXED BY idx_perf_db WHERE solver > ?";
        let (mut row, mut next) = (self.database.prepare(row)?, self.database.prepare(next)?);
        let mut found: BTreeMap<i64, TunedSolver<'static>> = BTreeMap::new();
        let mut solver = Some(String::new());
        while let Some(name) = solver {
            for tuned in row.query_map((&name, config), |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))? {
                let (id, parameters) = tuned?;
                let tuned = TunedSolver { solver: name.clone().into(), parameters: parameters.into() };
                found.insert(id, tuned);
            }
            solver = next.query_row([&name], |row| row.get(0))?;
        }
        Ok(found.into_values().collect())
    }

    /// The same among all rows.
    fn by_rows(&self, config: i64) -> rusqlite::Result<Vec<TunedSolver<'static>>> {
        let question = "SELECT solver, params FROM perf_db WHERE config = ? ORDER BY id";
        let mut statement = self.database.prepare(question)?;
        let rows = statement.query_map([config], |row| {
            let (solver, parameters) = (row.get::<_, String>(0)?, row.get::<_, String>(1)?);
            Ok(TunedSolver { solver: solver.into(), parameters: parameters.into() })
        })?;
        rows.collect()
    }
}

/// An SQL expression that joins a configuration's columns to the key of its line.
fn key_column() -> String {
    let columns: Vec<String> =
        NUMBERS.iter().chain(&TEXTS).map(|column| format!("config.{column}")).collect();
    columns.join(" || 'x' || ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miopen::problem::ConvolutionProblem;

    const KEY: &str = "64-56-56-3x3-64-56-56-16-1x1-1x1-1x1-0-NCHW-FP32-F";
    const OTHER: &str = "32-56-56-3x3-64-56-56-16-1x1-1x1-1x1-0-NCHW-FP32-F";

    /// A database of these configurations, each with one row for each solver, in the given order.
    fn database(path: &std::path::Path, keys: &[&str], solvers: &[&str], index: &str) {
        let made = rusqlite::Connection::open(path).unwrap();
        let columns = NUMBERS.iter().map(|name| format!("{name} INT NOT NULL"));
        let columns: Vec<String> =
            columns.chain(TEXTS.iter().map(|name| format!("{name} TEXT NOT NULL"))).collect();
        made.execute_batch(&format!(
            "CREATE TABLE config (id INTEGER PRIMARY KEY ASC, {});
             CREATE TABLE perf_db (id INTEGER PRIMARY KEY ASC, solver TEXT NOT NULL, config INTEGER NOT NULL,
             params TEXT NOT NULL); {index}",
            columns.join(", ")
        ))
        .unwrap();
        for (id, key) in (1..).zip(keys) {
            let problem = ConvolutionProblem::parse(key).unwrap();
            let config = Config::from_problem(&problem);
            let numbers = config.numbers().map(|number| number.to_string()).join(", ");
            let texts =
                format!("'{}', '{}', '{}'", config.layout, config.data_type, config.direction.letter());
            made.execute(&format!("INSERT INTO config VALUES ({id}, {numbers}, {texts})"), []).unwrap();
            for solver in solvers {
                let row = format!("INSERT INTO perf_db VALUES (NULL, '{solver}', {id}, '{solver}{id}')");
                made.execute(&row, []).unwrap();
            }
        }
    }

    #[test]
    fn rows_are_those_of_a_scan_in_the_order_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let index = "CREATE UNIQUE INDEX idx_perf_db ON perf_db(solver, config);";
        let solvers = ["ConvB", "ConvA", "", "ConvC"];
        for index in [index, ""] {
            let path = folder.path().join(format!("gfx900_{}.db", index.len()));
            database(&path, &[OTHER, KEY], &solvers, index);
            let file = SourceFile::open(&path).unwrap();
            let open = SqlitePerfDb::open(&file).unwrap();
            assert_eq!(open.by_index(2).is_ok(), !index.is_empty());
            let problem = ConvolutionProblem::parse(KEY).unwrap();
            let found = open.find(&Config::from_problem(&problem)).unwrap();
            let found: Vec<_> = found.iter().map(|row| (&*row.solver, &*row.parameters)).collect();
            assert_eq!(found, [("ConvB", "ConvB2"), ("ConvA", "ConvA2"), ("", "2"), ("ConvC", "ConvC2")]);
        }
    }
}
