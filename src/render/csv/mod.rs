//! CSV: the rows of one table of a report. Tables are the lists of objects in its JSON, so all documents
//! support them in the same way. The report is traversed and never copied, so a table of any length needs the
//! memory of one row.

mod shape;
mod tables;

use erased_serde::Serialize;
use shape::RowsEnded;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use tables::{Row, Rows, walk};

/// One table of a report; its rows are made while they are written.
pub(super) struct Table<'r> {
    report: &'r dyn Serialize,
    name: String,
    columns: Vec<String>,
}

/// Why a report has no such table, with those that it has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoTable(String);

impl From<String> for NoTable {
    fn from(sentence: String) -> Self {
        NoTable(sentence)
    }
}

impl std::fmt::Display for NoTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'r> Table<'r> {
    /// Finds a table by name. Columns are in the order of the report's fields.
    ///
    /// # Errors
    ///
    /// The existing tables, if no name is given or no table has this name.
    pub fn find_table(report: &'r dyn Serialize, name: Option<&str>) -> Result<Self, NoTable> {
        if let Some(name) = name {
            let mut columns = Columns { table: name, ..Columns::default() };
            walk(report, &mut columns).map_err(|stop| stop.to_string())?;
            if columns.rows > 0 {
                return Ok(Table { report, name: name.to_owned(), columns: columns.names });
            }
        }
        let mut counts = Counts::default();
        walk(report, &mut counts).map_err(|stop| stop.to_string())?;
        let known: Vec<String> = counts.0.iter().map(|(name, rows)| format!("{name} ({rows})")).collect();
        let known = known.join(", ");
        let what = match name {
            None => format!("CSV holds the rows of one table: name it with --rows. This report has {known}"),
            Some(name) => format!("--rows {name}: this report has no such table; it has {known}"),
        };
        Err(what.into())
    }

    /// Writes the column names, then one line for each row.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut buffer = Vec::new();
        line(&mut buffer, self.columns.iter().map(|column| Cow::Borrowed(column.as_str())));
        out.write_all(&buffer)?;
        let places: HashMap<&str, usize> =
            self.columns.iter().enumerate().map(|(place, column)| (column.as_str(), place)).collect();
        let mut lines = Lines { table: &self.name, columns: &self.columns, places, buffer, out };
        walk(self.report, &mut lines).map_err(|RowsEnded(error)| error)
    }
}

/// Whether a table is the requested one or contains it.
fn leads_to(table: &str, asked: &str) -> bool {
    asked.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Collects the columns of a table.
#[derive(Default)]
struct Columns<'t> {
    table: &'t str,
    names: Vec<String>,
    rows: u64,
}

impl Rows for Columns<'_> {
    fn wants(&self, table: &str) -> bool {
        leads_to(table, self.table)
    }

    fn wants_values(&self, table: &str) -> bool {
        self.wants(table)
    }

    fn row(&mut self, table: &str, row: &Row) -> Result<(), RowsEnded> {
        if table == self.table {
            self.rows += 1;
            for (place, (column, _)) in row.iter().enumerate() {
                // Most rows have the same columns as the first.
                if self.names.get(place) != Some(column) && !self.names.contains(column) {
                    self.names.push(column.clone());
                }
            }
        }
        Ok(())
    }
}

/// Counts the rows of all tables, in the order of the report.
#[derive(Default)]
struct Counts(Vec<(String, u64)>);

impl Rows for Counts {
    fn wants(&self, _: &str) -> bool {
        true
    }

    fn wants_values(&self, _: &str) -> bool {
        false
    }

    fn row(&mut self, table: &str, _: &Row) -> Result<(), RowsEnded> {
        match self.0.iter_mut().find(|(known, _)| known == table) {
            Some((_, rows)) => *rows += 1,
            None => self.0.push((table.to_owned(), 1)),
        }
        Ok(())
    }
}

/// Writes the rows of a table.
struct Lines<'t> {
    table: &'t str,
    columns: &'t [String],
    places: HashMap<&'t str, usize>,
    buffer: Vec<u8>,
    out: &'t mut dyn Write,
}

impl Rows for Lines<'_> {
    fn wants(&self, table: &str) -> bool {
        leads_to(table, self.table)
    }

    fn wants_values(&self, table: &str) -> bool {
        self.wants(table)
    }

    fn row(&mut self, table: &str, row: &Row) -> Result<(), RowsEnded> {
        if table != self.table {
            return Ok(());
        }
        let mut cells = vec![Cow::Borrowed(""); self.columns.len()];
        for (place, (column, value)) in row.iter().enumerate() {
            let usual = self.columns.get(place).is_some_and(|name| name == column);
            let place = if usual { Some(place) } else { self.places.get(column.as_str()).copied() };
            if let Some(cell) = place.and_then(|place| cells.get_mut(place)) {
                *cell = Cow::Borrowed(value.as_str());
            }
        }
        self.buffer.clear();
        line(&mut self.buffer, cells.into_iter());
        self.out.write_all(&self.buffer).map_err(RowsEnded)
    }
}

/// Adds a line of cells.
pub(super) fn line<'a>(out: &mut Vec<u8>, cells: impl Iterator<Item = Cow<'a, str>>) {
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        let cell = inert(&cell);
        // Spreadsheets take an unquoted line break in a cell as the end of the row.
        if cell.contains([',', '"', '\n', '\r']) {
            out.push(b'"');
            out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        } else {
            out.extend_from_slice(cell.as_bytes());
        }
    }
    out.push(b'\n');
}

/// Text that no spreadsheet evaluates as a formula and no terminal obeys.
fn inert(text: &str) -> Cow<'_, str> {
    let clean = super::style::printable(text);
    let is_number = clean.parse::<f64>().is_ok();
    match clean.starts_with(['=', '+', '-', '@']) && !is_number {
        true => Cow::Owned(format!("'{clean}")),
        false => clean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    #[derive(Serialize)]
    struct Report {
        summary: Summary,
        matrix: Vec<Library>,
        nothing: Vec<Library>,
    }

    #[derive(Serialize)]
    struct Summary {
        files: u64,
        lost: Vec<Lost>,
    }

    #[derive(Serialize)]
    struct Lost {
        path: &'static str,
        kind: CsvColumnKind,
        share: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        more: Option<u8>,
        by_class: std::collections::BTreeMap<&'static str, u64>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    enum CsvColumnKind {
        NotThere,
        Code(u64),
    }

    #[derive(Serialize)]
    struct Library {
        cells: Vec<CsvCell>,
        library: &'static str,
        names: Vec<&'static str>,
    }

    #[derive(Serialize)]
    struct CsvCell {
        target: &'static str,
        size: Size,
        unknown: Option<u64>,
    }

    #[derive(Serialize)]
    struct Size {
        bytes: i64,
    }

    /// Draws this document as a CSV file.
    fn draw(name: Option<&str>) -> Result<String, NoTable> {
        let cell = |target, bytes| CsvCell { target, size: Size { bytes }, unknown: None };
        let lost = |path, kind, more| Lost { path, kind, share: 0.5, more, by_class: [("mfma", 3)].into() };
        let report = Report {
            summary: Summary {
                files: 2,
                lost: vec![
                    lost("x", CsvColumnKind::NotThere, None),
                    lost("y\nz", CsvColumnKind::Code(7), Some(1)),
                ],
            },
            matrix: vec![
                Library { library: "a", names: vec!["x", "y"], cells: vec![cell("gfx900", 5)] },
                Library { library: "b,\"c\"", names: vec![], cells: vec![cell("=1+1", -7)] },
            ],
            nothing: Vec::new(),
        };
        let mut out = Vec::new();
        Table::find_table(&report, name)?.write(&mut out).unwrap();
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn rows_of_rows_carry_what_they_are_in() {
        assert_eq!(draw(Some("matrix")).unwrap(), "library,names\na,x y\n\"b,\"\"c\"\"\",\n");
        assert_eq!(
            draw(Some("matrix.cells")).unwrap(),
            "matrix.library,matrix.names,target,size.bytes,unknown\na,x y,gfx900,5,\n\"b,\"\"c\"\"\",,'=1+1,-7,\n"
        );
    }

    #[test]
    fn a_table_within_an_object_has_the_columns_of_all_its_rows() {
        assert_eq!(
            draw(Some("summary.lost")).unwrap(),
            "path,kind,share,by_class.mfma,kind.code,more\nx,not-there,0.5,3,,\ny?z,,0.5,3,7,1\n"
        );
    }

    #[test]
    fn tables_that_are_not_there_are_answered_with_those_that_are() {
        for (name, expected) in [
            (None, "This report has summary.lost (2), matrix (2), matrix.cells (2)"),
            (Some("banana"), "no such table; it has summary.lost (2), matrix (2)"),
            (Some("summary"), "no such table"),
            (Some("nothing"), "no such table"),
            (Some("matrix.cel"), "no such table"),
        ] {
            let error = draw(name).unwrap_err();
            assert!(error.0.contains(expected), "{error}");
        }
    }
}
