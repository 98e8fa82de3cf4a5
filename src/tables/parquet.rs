//! A table as a Parquet file: one row group for each batch, its columns encoded on all cores, so that a table
//! of any length needs the memory of one batch.

use super::batch::{Batch, Values};
use super::column::{ColumnType, Table};
use crate::error::AuditError;
use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{FooterTail, KeyValue, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, Type};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// Metadata key for the table and the version of the tables' columns.
pub(super) const TABLE: &str = "rocm-audit.table";
pub(super) const VERSION: &str = "rocm-audit.tables";

/// Size limit for a column's dictionary in bytes. Names of kernels are long and occur for each target.
const DICTIONARY: usize = 4 << 20;

/// A file being written.
pub struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    rows: u64,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins the file of a table.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn begin(out: W, table: &Table) -> io::Result<Self> {
        let start = || -> Result<_> {
            let level = ZstdLevel::try_new(1)?;
            let said = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(level))
                .set_dictionary_page_size_limit(DICTIONARY)
                .set_created_by(super::tool())
                .set_key_value_metadata(Some(vec![said(TABLE, table.name), said(VERSION, super::VERSION)]));
            SerializedFileWriter::new(out, Arc::new(schema(table)?), Arc::new(properties.build()))
        };
        Ok(ParquetFile { writer: start().map_err(failed)?, rows: 0 })
    }

    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&mut self, batch: Batch) -> io::Result<()> {
        self.rows += batch.rows() as u64;
        let properties = Arc::clone(self.writer.properties());
        let columns = self.writer.schema_descr().columns().to_vec();
        let encoded: Result<Vec<Encoded>> = columns
            .into_par_iter()
            .zip(batch.columns)
            .map(|(column, values)| encode(column, values, &properties))
            .collect();
        let write = || -> Result<()> {
            let mut group = self.writer.next_row_group()?;
            for (bytes, close) in encoded? {
                group.append_column(&bytes, close)?;
            }
            group.close()?;
            Ok(())
        };
        write().map_err(failed)
    }

    /// Adds a key to the file's metadata.
    pub fn say(&mut self, key: &str, value: String) {
        self.writer.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Completes the file; returns the writer and the number of rows.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn end(self) -> io::Result<(W, u64)> {
        let rows = self.rows;
        Ok((self.writer.into_inner().map_err(failed)?, rows))
    }
}

/// An encoded column of a row group.
type Encoded = (Bytes, ColumnCloseResult);

fn encode(column: ColumnDescPtr, values: Values, properties: &WriterPropertiesPtr) -> Result<Encoded> {
    let mut out = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut out));
    let mut writer = get_column_writer(column, Arc::clone(properties), pages);
    match (&mut writer, values) {
        (ColumnWriter::ByteArrayColumnWriter(column), Values::Text(texts)) => {
            let all = Bytes::from(texts.bytes);
            let ranges = texts.offsets.iter().zip(texts.offsets.iter().skip(1)).zip(&texts.known);
            let known = ranges.filter(|(_, known)| **known).filter_map(|((from, to), _)| {
                let range = usize::try_from(*from).ok()?..usize::try_from(*to).ok()?;
                Some(ByteArray::from(all.slice(range)))
            });
            column.write_batch(&known.collect::<Vec<_>>(), Some(&levels(&texts.known)), None)?;
        }
        (ColumnWriter::Int64ColumnWriter(column), Values::Number(numbers, known)) => {
            let stated = numbers.into_iter().zip(&known).filter(|(_, known)| **known);
            let stated: Vec<i64> = stated.map(|(number, _)| number).collect();
            column.write_batch(&stated, Some(&levels(&known)), None)?;
        }
        (ColumnWriter::BoolColumnWriter(column), Values::Truth(truths, known)) => {
            let stated = truths.into_iter().zip(&known).filter(|(_, known)| **known);
            let stated: Vec<bool> = stated.map(|(truth, _)| truth).collect();
            column.write_batch(&stated, Some(&levels(&known)), None)?;
        }
        _ => return Err(ParquetError::General("a column has values of another kind".to_owned())),
    }
    let close = writer.close()?;
    Ok((Bytes::from(out.into_inner()?), close))
}

/// Definition levels: 1 for each row with a value.
fn levels(known: &[bool]) -> Vec<i16> {
    known.iter().map(|known| i16::from(*known)).collect()
}

/// The schema of a table. Every column is nullable.
fn schema(table: &Table) -> Result<Type> {
    let column = |column: &super::Column| {
        let (physical, logical) = match column.kind {
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Number => (Physical::INT64, None),
            ColumnType::Truth => (Physical::BOOLEAN, None),
        };
        let made = Type::primitive_type_builder(column.name, physical)
            .with_logical_type(logical)
            .with_repetition(Repetition::OPTIONAL);
        made.build().map(Arc::new)
    };
    let columns: Result<Vec<_>> = table.columns().map(column).collect();
    Type::group_type_builder(table.name).with_fields(columns?).build()
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        // Keeps the system's error, so that a full device is reported as such.
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// What a file name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileNameTarget {
    /// No file.
    Nothing,
    /// Not a complete Parquet file.
    Broken,
    /// A complete file, with its metadata by key.
    Whole(BTreeMap<String, String>),
}

/// Examines the file with this name.
///
/// # Errors
///
/// If the system cannot tell.
pub fn said(path: &Path) -> std::result::Result<FileNameTarget, AuditError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileNameTarget::Nothing),
        Err(error) => return Err(AuditError::io("read", path, error)),
    };
    // A file without a Parquet footer is incomplete.
    let Some(metadata) = metadata(file) else { return Ok(FileNameTarget::Broken) };
    let pairs = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    Ok(FileNameTarget::Whole(
        pairs.filter_map(|pair| Some((pair.key.clone(), pair.value.clone()?))).collect(),
    ))
}

/// The metadata at the end of a file, without what the crate has for reading columns.
fn metadata(mut file: File) -> Option<ParquetMetaData> {
    let size = file.metadata().ok()?.len();
    let mut tail = [0; FOOTER_SIZE];
    file.seek(SeekFrom::Start(size.checked_sub(FOOTER_SIZE as u64)?)).ok()?;
    file.read_exact(&mut tail).ok()?;
    let length = FooterTail::try_new(&tail).ok()?.metadata_length();
    file.seek(SeekFrom::Start(size.checked_sub(FOOTER_SIZE as u64 + length as u64)?)).ok()?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes).ok()?;
    ParquetMetaDataReader::decode_metadata(&bytes).ok()
}
