//! Rows by column in Arrow's layout: the unit that is written to a file or handed to a consumer.

use super::artifact::Origin;
use super::column::{ColumnType, Table};
use std::borrow::Cow;

/// Some rows of a table.
#[derive(Debug)]
pub struct Batch {
    /// The table.
    pub table: &'static Table,
    /// The values of each column; all columns have as many as there are rows.
    pub columns: Vec<Values>,
    rows: usize,
    bytes: usize,
}

/// The values of a column, and for each row whether it has one.
#[derive(Debug)]
pub enum Values {
    /// Values of a text column.
    Text(Texts),
    /// Values of a number column; zero for rows without one.
    Number(Vec<i64>, Vec<bool>),
    /// Values of a boolean column; false for rows without one.
    Truth(Vec<bool>, Vec<bool>),
}

/// Concatenated texts.
#[derive(Debug)]
pub struct Texts {
    /// The bytes of all texts.
    pub bytes: Vec<u8>,
    /// Offset of each text, and at last the end of the final one.
    pub offsets: Vec<i32>,
    /// Whether each row has a text.
    pub known: Vec<bool>,
}

impl Texts {
    fn push(&mut self, text: Option<&str>) {
        // A batch is handed on long before its texts are this long; a single text that long is left out.
        let end = self.bytes.len() + text.map_or(0, str::len);
        let (text, end) = match i32::try_from(end) {
            Ok(end) => (text, end),
            Err(_) => (None, self.offsets.last().copied().unwrap_or(0)),
        };
        self.bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
        self.offsets.push(end);
        self.known.push(text.is_some());
    }

    /// The texts, in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let ranges = self.offsets.iter().zip(self.offsets.iter().skip(1)).zip(&self.known);
        ranges.map(|((from, to), known)| {
            let range = usize::try_from(*from).ok()?..usize::try_from(*to).ok()?;
            self.bytes.get(range).filter(|_| *known)
        })
    }
}

/// A value for one cell.
#[derive(Debug)]
pub(super) enum CellValue<'a> {
    Nothing,
    Text(Cow<'a, str>),
    Number(u64),
    Truth(bool),
}

impl<'a> From<&'a str> for CellValue<'a> {
    fn from(text: &'a str) -> Self {
        CellValue::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for CellValue<'a> {
    fn from(text: &'a String) -> Self {
        CellValue::Text(Cow::Borrowed(text))
    }
}

impl From<String> for CellValue<'_> {
    fn from(text: String) -> Self {
        CellValue::Text(Cow::Owned(text))
    }
}

impl From<u64> for CellValue<'_> {
    fn from(number: u64) -> Self {
        CellValue::Number(number)
    }
}

impl From<bool> for CellValue<'_> {
    fn from(truth: bool) -> Self {
        CellValue::Truth(truth)
    }
}

impl<'a, T: Into<CellValue<'a>>> From<Option<T>> for CellValue<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(CellValue::Nothing, Into::into)
    }
}

impl Batch {
    /// No rows.
    pub fn new(table: &'static Table) -> Self {
        let values = |kind| match kind {
            ColumnType::Text => {
                Values::Text(Texts { bytes: Vec::new(), offsets: vec![0], known: Vec::new() })
            }
            ColumnType::Number => Values::Number(Vec::new(), Vec::new()),
            ColumnType::Truth => Values::Truth(Vec::new(), Vec::new()),
        };
        Batch {
            table,
            columns: table.columns().map(|column| values(column.kind)).collect(),
            rows: 0,
            bytes: 0,
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many bytes its texts have.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Begins a row with the artifact's columns.
    pub(super) fn row<'b>(&'b mut self, origin: &Origin) -> RowBuilder<'b> {
        self.rows += 1;
        let mut row = RowBuilder { bytes: &mut self.bytes, rest: self.columns.iter_mut() };
        for cell in origin.cells() {
            row.put(cell);
        }
        row
    }
}

/// A row to be filled column by column.
pub(super) struct RowBuilder<'b> {
    bytes: &'b mut usize,
    rest: std::slice::IterMut<'b, Values>,
}

impl RowBuilder<'_> {
    /// Sets the next column. A number beyond 63 bits, which only damaged metadata states, becomes unknown.
    pub fn put<'a>(&mut self, cell: impl Into<CellValue<'a>>) {
        let cell = cell.into();
        match self.rest.next() {
            Some(Values::Text(texts)) => {
                let text = if let CellValue::Text(text) = &cell { Some(&**text) } else { None };
                *self.bytes += text.map_or(0, str::len);
                texts.push(text);
            }
            Some(Values::Number(numbers, known)) => {
                let number =
                    if let CellValue::Number(number) = cell { i64::try_from(number).ok() } else { None };
                numbers.push(number.unwrap_or(0));
                known.push(number.is_some());
            }
            Some(Values::Truth(truths, known)) => {
                let truth = if let CellValue::Truth(truth) = cell { Some(truth) } else { None };
                truths.push(truth.unwrap_or(false));
                known.push(truth.is_some());
            }
            None => {}
        }
    }
}
