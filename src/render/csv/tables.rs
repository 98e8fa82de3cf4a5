//! The tables of a report: its lists of objects, at any depth. Each row includes the values of the rows that
//! contain it.

use super::shape::{RowsEnded, Shape, tell};
use erased_serde::Serialize;
use std::borrow::Cow;

/// Deepest nesting of lists that are tables.
const DEEPEST: usize = 4;

/// A row: columns with their values, in order.
pub(super) type Row = Vec<(String, String)>;

/// Receives the rows of a report in order.
pub(super) trait Rows {
    /// Whether to show the rows of a table, or of tables within it.
    fn wants(&self, table: &str) -> bool;

    /// Whether to show the values of a table's rows, rather than just their existence.
    fn wants_values(&self, table: &str) -> bool;

    /// Receives a row of a table; without values if they are not wanted.
    ///
    /// # Errors
    ///
    /// Ends the traversal.
    fn row(&mut self, table: &str, row: &Row) -> Result<(), RowsEnded>;
}

/// Traverses the rows of a report.
///
/// # Errors
///
/// What `rows` returned to end the traversal.
pub(super) fn walk(report: &dyn Serialize, rows: &mut dyn Rows) -> Result<(), RowsEnded> {
    tell(report, &mut Walk { name: "", above: &Row::new(), depth: 0, rows })
}

/// Finds the tables of an object.
struct Walk<'w> {
    /// Name of the table whose row the object is; then a prefix for objects within it.
    name: &'w str,
    /// Values of the row that contains it.
    above: &'w Row,
    depth: usize,
    rows: &'w mut dyn Rows,
}

impl Shape for Walk<'_> {
    fn scalar(&mut self, _: Cow<'_, str>) {}

    fn element(&mut self, _: &dyn Serialize) -> Result<(), RowsEnded> {
        Ok(())
    }

    fn field(&mut self, name: &str, value: &dyn Serialize) -> Result<(), RowsEnded> {
        let own = if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) };
        if !self.rows.wants(&own) {
            return Ok(());
        }
        let (above, depth) = (self.above, self.depth);
        tell(value, &mut Field { table: &own, name, above, depth, rows: self.rows })
    }
}

/// Shows the rows of a field if it is a table, or of the tables inside it if it is an object.
struct Field<'w> {
    table: &'w str,
    /// Last component of the table's name.
    name: &'w str,
    above: &'w Row,
    depth: usize,
    rows: &'w mut dyn Rows,
}

impl Shape for Field<'_> {
    fn scalar(&mut self, _: Cow<'_, str>) {}

    fn element(&mut self, value: &dyn Serialize) -> Result<(), RowsEnded> {
        if self.depth >= DEEPEST || !is_object(value)? {
            return Ok(());
        }
        let mut row = Row::new();
        if self.rows.wants_values(self.table) {
            row.clone_from(self.above);
            tell(value, &mut Flat { before: "", row: &mut row })?;
        }
        self.rows.row(self.table, &row)?;
        // Values of a containing row get its name as a prefix.
        for (column, _) in &mut row {
            if !self.above.iter().any(|(known, _)| known == column) {
                *column = format!("{}.{column}", self.name);
            }
        }
        tell(value, &mut Walk { name: self.table, above: &row, depth: self.depth + 1, rows: self.rows })
    }

    fn field(&mut self, name: &str, value: &dyn Serialize) -> Result<(), RowsEnded> {
        let (above, depth) = (self.above, self.depth);
        Walk { name: self.table, above, depth, rows: self.rows }.field(name, value)
    }
}

/// Adds an object's values, except tables, to a row; columns of nested objects get the object's name as a
/// prefix.
struct Flat<'f> {
    before: &'f str,
    row: &'f mut Row,
}

impl Shape for Flat<'_> {
    fn scalar(&mut self, _: Cow<'_, str>) {}

    fn element(&mut self, _: &dyn Serialize) -> Result<(), RowsEnded> {
        Ok(())
    }

    fn field(&mut self, name: &str, value: &dyn Serialize) -> Result<(), RowsEnded> {
        let name = if self.before.is_empty() { name.to_owned() } else { format!("{}.{name}", self.before) };
        let mut cell = Value { name: &name, row: self.row, list: None, is_table: false };
        tell(value, &mut cell)
    }
}

/// A value that goes to a row.
struct Value<'f> {
    name: &'f str,
    row: &'f mut Row,
    /// The texts of a list.
    list: Option<Vec<String>>,
    /// Whether the list is a table.
    is_table: bool,
}

impl Shape for Value<'_> {
    fn scalar(&mut self, text: Cow<'_, str>) {
        self.row.push((self.name.to_owned(), text.into_owned()));
    }

    fn list(&mut self) {
        self.list = Some(Vec::new());
    }

    fn element(&mut self, value: &dyn Serialize) -> Result<(), RowsEnded> {
        // One object is enough to decide.
        if self.is_table {
            return Ok(());
        }
        let mut element = Element::default();
        tell(value, &mut element)?;
        self.is_table |= element.is_object;
        self.list.get_or_insert_default().push(element.text);
        Ok(())
    }

    fn end_list(&mut self) {
        if let (Some(texts), false) = (self.list.take(), self.is_table) {
            self.row.push((self.name.to_owned(), texts.join(" ")));
        }
    }

    fn field(&mut self, name: &str, value: &dyn Serialize) -> Result<(), RowsEnded> {
        Flat { before: self.name, row: self.row }.field(name, value)
    }
}

/// An element of a list: its text, if it is a scalar.
#[derive(Default)]
struct Element {
    text: String,
    is_object: bool,
}

impl Shape for Element {
    fn scalar(&mut self, text: Cow<'_, str>) {
        self.text = text.into_owned();
    }

    fn element(&mut self, _: &dyn Serialize) -> Result<(), RowsEnded> {
        Ok(())
    }

    fn object(&mut self) {
        self.is_object = true;
    }

    fn field(&mut self, _: &str, _: &dyn Serialize) -> Result<(), RowsEnded> {
        Ok(())
    }
}

fn is_object(value: &dyn Serialize) -> Result<bool, RowsEnded> {
    let mut element = Element::default();
    tell(value, &mut element)?;
    Ok(element.is_object)
}
