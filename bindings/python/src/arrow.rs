//! Batches of tables in Arrow's form: buffers are passed on, not copied.

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use rocm_audit::tables::{Batch, ColumnType, Table, VERSION, Values};
use std::collections::HashMap;
use std::sync::Arc;

/// The schema of a table. Each field has its description under `comment`.
pub fn schema(table: &Table) -> SchemaRef {
    let field = |column: &rocm_audit::tables::Column| {
        let kind = match column.kind {
            ColumnType::Text => DataType::Utf8,
            ColumnType::Number => DataType::Int64,
            ColumnType::Truth => DataType::Boolean,
        };
        let about = HashMap::from([("comment".to_owned(), column.about.to_owned())]);
        Field::new(column.name, kind, true).with_metadata(about)
    };
    let said = HashMap::from([
        ("rocm-audit.table".to_owned(), table.name.to_owned()),
        ("rocm-audit.tables".to_owned(), VERSION.to_owned()),
    ]);
    let fields: Vec<Field> = table.columns().map(field).collect();
    Arc::new(Schema::new(fields).with_metadata(said))
}

/// The rows of a batch.
///
/// # Errors
///
/// If Arrow rejects them, which is a bug.
pub fn record_batch(schema: SchemaRef, batch: Batch) -> Result<RecordBatch, ArrowError> {
    let columns: Result<Vec<ArrayRef>, ArrowError> = batch.columns.into_iter().map(array).collect();
    RecordBatch::try_new(schema, columns?)
}

fn array(values: Values) -> Result<ArrayRef, ArrowError> {
    Ok(match values {
        Values::Text(texts) => {
            let offsets = OffsetBuffer::new(ScalarBuffer::from(texts.offsets));
            Arc::new(StringArray::try_new(
                offsets,
                Buffer::from_vec(texts.bytes),
                Some(NullBuffer::from(texts.known)),
            )?)
        }
        Values::Number(numbers, known) => {
            Arc::new(Int64Array::try_new(ScalarBuffer::from(numbers), Some(NullBuffer::from(known)))?)
        }
        Values::Truth(truths, known) => {
            Arc::new(BooleanArray::new(truths.into(), Some(NullBuffer::from(known))))
        }
    })
}
