//! What tables and their columns are.

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Its name, and that of the folder that its files stand in.
    pub name: &'static str,
    /// What one of its rows is.
    pub about: &'static str,
    /// Its own columns, behind those of every table.
    pub own: &'static [Column],
}

impl Table {
    /// All its columns, in order.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> {
        COMMON.iter().chain(self.own)
    }
}

/// Tables are listed once.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// What it says.
    pub about: &'static str,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// A number from 0, in 64 bits with a sign, which every engine has.
    Number,
    /// True or false.
    Truth,
}

impl Kind {
    /// Its name, as in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Number => "bigint",
            Kind::Truth => "boolean",
        }
    }
}

/// The columns that every table begins with.
pub static COMMON: &[Column] = &[
    Column { name: "artifact", kind: Kind::Text, about: "the name of the file or folder that was read" },
    Column { name: "version", kind: Kind::Text, about: "its version, as its file name states it" },
    Column {
        name: "digest",
        kind: Kind::Text,
        about: "its SHA-256 in hexadecimal, where it is a file that was read whole",
    },
    Column { name: "source", kind: Kind::Text, about: "where it came from: the path or URL that named it" },
    Column { name: "tool", kind: Kind::Text, about: "who read it" },
];
