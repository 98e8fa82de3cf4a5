//! Definitions of tables and their columns.

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Name of the table, and of the folder with its files.
    pub name: &'static str,
    /// What one row stands for.
    pub about: &'static str,
    /// Its own columns, which follow those of every table.
    pub own: &'static [Column],
}

impl Table {
    /// All columns, in order.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> {
        COMMON.iter().chain(self.own)
    }
}

/// Each table exists once, so comparing names is enough.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Name of the column.
    pub name: &'static str,
    /// Type of its values.
    pub kind: ColumnType,
    /// Meaning of its values.
    pub about: &'static str,
}

/// Types of values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8.
    Text,
    /// A non-negative number in signed 64 bits, which every query engine supports.
    Number,
    /// True or false.
    Truth,
}

impl ColumnType {
    /// The type's name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Text => "text",
            ColumnType::Number => "bigint",
            ColumnType::Truth => "boolean",
        }
    }
}

/// The columns at the beginning of every table.
pub static COMMON: &[Column] = &[
    Column {
        name: "artifact",
        kind: ColumnType::Text,
        about: "the name of the file or folder that was read",
    },
    Column { name: "version", kind: ColumnType::Text, about: "its version, as its file name states it" },
    Column {
        name: "digest",
        kind: ColumnType::Text,
        about: "its SHA-256 in hexadecimal, where it is a file that was read whole",
    },
    Column {
        name: "source",
        kind: ColumnType::Text,
        about: "where it came from: the path or URL that named it",
    },
    Column { name: "tool", kind: ColumnType::Text, about: "who read it" },
];
