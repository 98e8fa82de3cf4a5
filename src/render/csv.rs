//! CSV: the rows of one table of a report. Tables are the arrays of objects in its JSON, so that every document has them in the
//! same way.

use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

/// Deepest nesting of arrays that are tables.
const DEEPEST: usize = 4;

/// Draws the table of a name: its columns in the first line, then a line for each row.
///
/// # Errors
/// The tables that there are, where none is named or there is none of this name.
pub(super) fn draw(report: &Value, name: Option<&str>) -> Result<String, String> {
    let mut tables = Tables::default();
    tables.read(report, "", &Row::default(), 0);
    let has = || {
        let of = |(name, rows): (&String, usize)| format!("{name} ({rows})");
        let known = tables.order.iter().map(|name| (name, tables.rows.get(name).map_or(0, Vec::len)));
        known.map(of).collect::<Vec<_>>().join(", ")
    };
    let Some(name) = name else {
        return Err(format!(
            "CSV holds the rows of one table: name it with --rows. This report has {}",
            has()
        ));
    };
    match tables.rows.get(name) {
        Some(rows) => Ok(text(rows)),
        None => Err(format!("--rows {name}: this report has no such table; it has {}", has())),
    }
}

/// A row: columns with their values, in order.
type Row = Vec<(String, String)>;

#[derive(Default)]
struct Tables {
    /// Names in the order of the report.
    order: Vec<String>,
    rows: HashMap<String, Vec<Row>>,
}

impl Tables {
    /// Reads the tables of an object. `above` is the row that it stands in, `name` the table of that.
    fn read(&mut self, object: &Value, name: &str, above: &Row, depth: usize) {
        let Some(fields) = object.as_object() else { return };
        for (field, value) in fields {
            let own = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
            match value {
                Value::Object(_) => self.read(value, &own, above, depth),
                Value::Array(list) if depth < DEEPEST && list.iter().any(Value::is_object) => {
                    if !self.rows.contains_key(&own) {
                        self.order.push(own.clone());
                    }
                    for element in list.iter().filter_map(Value::as_object) {
                        let mut row = above.clone();
                        flatten(element, "", &mut row);
                        // What is in a row tells of which row it is.
                        let prefixed: Row =
                            row.iter().map(|(c, v)| (prefix(field, c, above), v.clone())).collect();
                        self.rows.entry(own.clone()).or_default().push(row);
                        self.read(&Value::Object(element.clone()), &own, &prefixed, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The name of a column in the tables within a row: columns of rows further out have theirs already.
fn prefix(field: &str, column: &str, above: &Row) -> String {
    match above.iter().any(|(known, _)| known == column) {
        true => column.to_owned(),
        false => format!("{field}.{column}"),
    }
}

/// Adds the values of an object that are no tables; objects within it with their names before their columns.
fn flatten(object: &Map<String, Value>, before: &str, row: &mut Row) {
    for (field, value) in object {
        let name = if before.is_empty() { field.clone() } else { format!("{before}.{field}") };
        match value {
            Value::Object(inner) => flatten(inner, &name, row),
            Value::Array(list) if list.iter().any(|element| element.is_object()) => {}
            Value::Array(list) => {
                row.push((name, list.iter().map(scalar).collect::<Vec<_>>().join(" ")));
            }
            _ => row.push((name, scalar(value))),
        }
    }
}

pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn text(rows: &[Row]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (column, _) in rows.iter().flatten() {
        places.entry(column).or_insert_with(|| {
            columns.push(column);
            columns.len() - 1
        });
    }
    let mut out = Vec::new();
    line(&mut out, columns.iter().map(|column| Cow::Borrowed(*column)));
    for row in rows {
        let mut cells = vec![Cow::Borrowed(""); columns.len()];
        for (column, value) in row {
            if let Some(cell) = places.get(column.as_str()).and_then(|place| cells.get_mut(*place)) {
                *cell = Cow::Borrowed(value.as_str());
            }
        }
        line(&mut out, cells.into_iter());
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Adds a line of cells.
pub(super) fn line<'a>(out: &mut Vec<u8>, cells: impl Iterator<Item = Cow<'a, str>>) {
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        let cell = inert(&cell);
        // Spreadsheets take a line break in a cell for the end of the row where it is not quoted.
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

/// Text that no spreadsheet takes for a formula, and no terminal obeys.
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
    use serde_json::json;

    #[test]
    fn rows_of_rows_carry_what_they_are_in() {
        let report = json!({
            "summary": {"files": 2},
            "matrix": [
                {"library": "a", "names": ["x", "y"], "cells": [{"target": "gfx900", "size": {"bytes": 5}}]},
                {"library": "b,\"c\"", "names": [], "cells": [{"target": "=1+1", "size": {"bytes": -7}, "more": null}]},
            ],
        });
        assert_eq!(draw(&report, Some("matrix")).unwrap(), "library,names\na,x y\n\"b,\"\"c\"\"\",\n");
        assert_eq!(
            draw(&report, Some("matrix.cells")).unwrap(),
            "matrix.library,matrix.names,size.bytes,target,more\na,x y,5,gfx900,\n\"b,\"\"c\"\"\",,-7,'=1+1,\n"
        );
        assert!(draw(&report, None).unwrap_err().contains("matrix (2), matrix.cells (2)"));
        assert!(draw(&report, Some("banana")).unwrap_err().contains("matrix (2)"));
    }
}
