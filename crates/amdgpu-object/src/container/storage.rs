//! How a bundle is stored in its file.

use super::{StorageKind, compressed};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

answer! {
    /// How a bundle is stored.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Storage {
        /// Kind of storage form.
        copy kind: StorageKind,
        /// Version of the storage form, if it has versions.
        copy version: Option<u32>,
        /// How to inflate it, if it is compressed.
        copy packed: Option<compressed::Header>,
    }
}

impl StorageKind {
    /// The form with its version and method, in a few words for reports: `plain`, `CCOB v3 zstd`.
    pub fn describe(self, version: Option<u32>, method: Option<&str>) -> String {
        let mut text = self.name().to_owned();
        if let Some(version) = version {
            text.push_str(&format!(" v{version}"));
        }
        if let Some(method) = method {
            text.push(' ');
            text.push_str(method);
        }
        text
    }
}

impl Storage {
    /// Uncompressed storage, in a form without versions.
    pub const fn uncompressed(kind: StorageKind) -> Self {
        Storage { kind, version: None, packed: None }
    }

    /// The compression method, if any: `zlib` or `zstd`.
    pub fn method(&self) -> Option<&'static str> {
        self.packed.map(|header| header.method.name())
    }

    /// A few words for reports: `plain`, `CCOB v3 zstd`.
    pub fn describe(&self) -> String {
        self.kind.describe(self.version, self.method())
    }

    /// Inflated size in bytes, if it is compressed.
    pub fn unpacked(&self) -> Option<u64> {
        self.packed.map(|header| header.unpacked)
    }
}
