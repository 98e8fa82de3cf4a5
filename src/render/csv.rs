//! CSV: the rows of one table of a report. Tables are the arrays of objects in its JSON, so that every document has them in the
//! same way.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// Deepest nesting of arrays that are tables.
const DEEPEST: usize = 4;

/// Draws the table of a name out of a report in JSON: its columns in the first line, then a line for each row. Columns are in the
/// order of the report's fields.
///
/// # Errors
/// The tables that there are, where none is named or there is none of this name.
pub(super) fn draw(report: &str, name: Option<&str>) -> Result<String, String> {
    let mut tables = Tables::default();
    let report: Node = serde_json::from_str(report).map_err(|error| error.to_string())?;
    tables.read(&report, "", &Row::default(), 0);
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

/// A value of JSON whose fields are in their order.
enum Node {
    Scalar(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    fn fields(&self) -> Option<&[(String, Node)]> {
        if let Node::Object(fields) = self { Some(fields) } else { None }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

/// A scalar of JSON as it is shown.
macro_rules! scalars {
    ($($visit:ident $type:ty),*) => {
        $(fn $visit<E>(self, value: $type) -> Result<Node, E> {
            Ok(Node::Scalar(value.to_string()))
        })*
    };
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    scalars!(visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Object(fields))
    }
}

#[derive(Default)]
struct Tables {
    /// Names in the order of the report.
    order: Vec<String>,
    rows: HashMap<String, Vec<Row>>,
}

impl Tables {
    /// Reads the tables of an object. `above` is the row that it stands in, `name` the table of that.
    fn read(&mut self, object: &Node, name: &str, above: &Row, depth: usize) {
        for (field, value) in object.fields().unwrap_or_default() {
            let own = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
            match value {
                Node::Object(_) => self.read(value, &own, above, depth),
                Node::List(list) if depth < DEEPEST && is_table(list) => {
                    if !self.rows.contains_key(&own) {
                        self.order.push(own.clone());
                    }
                    for element in list {
                        let Some(fields) = element.fields() else { continue };
                        let mut row = above.clone();
                        flatten(fields, "", &mut row);
                        // What is in a row tells of which row it is.
                        let named = |(column, value): &(String, String)| {
                            (prefix(field, column, above), value.clone())
                        };
                        let prefixed: Row = row.iter().map(named).collect();
                        self.rows.entry(own.clone()).or_default().push(row);
                        self.read(element, &own, &prefixed, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_table(list: &[Node]) -> bool {
    list.iter().any(|element| element.fields().is_some())
}

/// The name of a column in the tables within a row: columns of rows further out have theirs already.
fn prefix(field: &str, column: &str, above: &Row) -> String {
    match above.iter().any(|(known, _)| known == column) {
        true => column.to_owned(),
        false => format!("{field}.{column}"),
    }
}

/// Adds the values of an object that are no tables; objects within it with their names before their columns.
fn flatten(fields: &[(String, Node)], before: &str, row: &mut Row) {
    for (field, value) in fields {
        let name = if before.is_empty() { field.clone() } else { format!("{before}.{field}") };
        match value {
            Node::Object(inner) => flatten(inner, &name, row),
            Node::List(list) if is_table(list) => {}
            Node::List(list) => row.push((name, list.iter().map(scalar).collect::<Vec<_>>().join(" "))),
            Node::Scalar(text) => row.push((name, text.clone())),
        }
    }
}

fn scalar(node: &Node) -> &str {
    if let Node::Scalar(text) = node { text } else { "" }
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

    #[test]
    fn rows_of_rows_carry_what_they_are_in() {
        let report = r#"{
            "summary": {"files": 2},
            "matrix": [
                {"library": "a", "names": ["x", "y"], "cells": [{"target": "gfx900", "size": {"bytes": 5}}]},
                {"library": "b,\"c\"", "names": [], "cells": [{"target": "=1+1", "size": {"bytes": -7}, "more": null}]}
            ]
        }"#;
        assert_eq!(draw(report, Some("matrix")).unwrap(), "library,names\na,x y\n\"b,\"\"c\"\"\",\n");
        assert_eq!(
            draw(report, Some("matrix.cells")).unwrap(),
            "matrix.library,matrix.names,target,size.bytes,more\na,x y,gfx900,5,\n\"b,\"\"c\"\"\",,'=1+1,-7,\n"
        );
        assert!(draw(report, None).unwrap_err().contains("matrix (2), matrix.cells (2)"));
        assert!(draw(report, Some("banana")).unwrap_err().contains("matrix (2)"));
    }
}
