//! Lists from this program's tables.

use super::block::{Block, Column, Table, TableCell};
use super::documents::{Document, Draw, Judged};
use super::style::Style;
use super::{Drawn, Format, drawn};
use crate::report::v1::ListReport;
use serde_json::Value;

impl Document for ListReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

impl Draw for ListReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        drawn(self, format, style, &|_| blocks(self))
    }
}

fn blocks(report: &ListReport) -> Vec<Block> {
    let mut table = Table::new(report.columns.iter().map(Column::left));
    for row in &report.rows {
        let value = |column: &String| row.get(column).unwrap_or(&Value::Null);
        table.row(report.columns.iter().map(|column| TableCell::new(text(column, value(column)))));
    }
    vec![Block::Title(report.list.clone(), String::new()), Block::Table(table)]
}

/// A value of a column in words. True is shown as the column's name.
pub fn text(column: &str, value: &Value) -> String {
    match value {
        Value::Null => "?".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(is_so) => {
            if *is_so {
                column.to_uppercase()
            } else {
                String::new()
            }
        }
        Value::Array(values) => values.iter().map(|value| text(column, value)).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}
