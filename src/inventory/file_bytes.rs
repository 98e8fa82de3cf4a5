//! The bytes of a file with device code, by class.

use super::file_code::{EntryFacts, FileCode};
use crate::codeobject::{SectionByteClass, SectionBytes};
use crate::container::bundle_reader::Payload;

/// The bytes of a file, by class.
#[derive(Debug, Default)]
pub struct FileBytes {
    /// Classes of the file's bytes; they sum to its size.
    pub file: Vec<ClassBytes>,
    /// Classes of the inflated bytes of its compressed bundles; they sum to that size. Empty if it has none.
    pub unpacked: Vec<ClassBytes>,
}

/// Bytes of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassBytes {
    /// The class.
    pub class: FileClass,
    /// Number of bytes; never zero.
    pub bytes: u64,
}

/// Classes of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileClass {
    /// A class within code objects.
    CodeObject(SectionByteClass),
    /// Code objects whose section headers were not read.
    CodeObjectUnread,
    /// Entries that are not code objects.
    OtherContent,
    /// Compressed bundles in their stored form.
    CompressedBundles,
    /// Headers and tables of bundles, in the file.
    BundleHeaders,
    /// Bytes between code objects in the file.
    Padding,
    /// Bytes of device sections in which nothing was recognised.
    NotUnderstood,
    /// Everything else of the file.
    Host,
    /// Headers of inflated bundles, and bytes between their entries.
    UnpackedHeadersAndPadding,
}

impl FileClass {
    /// Id in documents, in kebab-case.
    pub fn id(self) -> String {
        match self {
            FileClass::CodeObject(class) => format!("device-{}", class.id()),
            FileClass::CodeObjectUnread => "device-unread".to_owned(),
            FileClass::OtherContent => "device-other".to_owned(),
            FileClass::CompressedBundles => "compressed-bundles".to_owned(),
            FileClass::BundleHeaders => "bundle-headers".to_owned(),
            FileClass::Padding => "padding".to_owned(),
            FileClass::NotUnderstood => "not-understood".to_owned(),
            FileClass::Host => "host".to_owned(),
            FileClass::UnpackedHeadersAndPadding => "unpacked-headers-and-padding".to_owned(),
        }
    }

    /// Name in reports.
    pub fn name(self) -> String {
        match self {
            FileClass::CodeObject(class) => format!("device {}", class.name()),
            FileClass::CodeObjectUnread => "device code objects, sections not read".to_owned(),
            FileClass::OtherContent => "device content of other kinds".to_owned(),
            FileClass::CompressedBundles => "compressed bundles".to_owned(),
            FileClass::BundleHeaders => "headers and tables of bundles".to_owned(),
            FileClass::Padding => "padding between code objects".to_owned(),
            FileClass::NotUnderstood => "not understood, in device sections".to_owned(),
            FileClass::Host => "host code and data".to_owned(),
            FileClass::UnpackedHeadersAndPadding => "bundle headers and padding".to_owned(),
        }
    }
}

impl FileBytes {
    pub(super) fn from_file(file: &FileCode) -> Self {
        let (mut stored, mut unpacked) = (Contents::default(), Contents::default());
        let (mut bundled, mut compressed, mut unpacked_total, mut headers) = (0, 0, 0, 0);
        for bundle in &file.details.bundles {
            bundled += bundle.span;
            let contents = match bundle.storage.unpacked() {
                Some(bytes) => {
                    compressed += bundle.span;
                    unpacked_total += bytes;
                    &mut unpacked
                }
                None => {
                    headers += bundle.header_size;
                    &mut stored
                }
            };
            bundle.entries.iter().for_each(|entry| contents.add(entry));
        }
        let (gaps, between_entries) = (file.code.gaps, file.code.between_entries);
        let mut rows = stored.rows();
        // Overlapping entries are counted twice; then no bytes are left for the host, and the sum shows it.
        let host = file.bytes.saturating_sub(bundled + gaps.total());
        rows.extend([
            ClassBytes { class: FileClass::CompressedBundles, bytes: compressed },
            ClassBytes { class: FileClass::BundleHeaders, bytes: headers + gaps.headers() },
            ClassBytes { class: FileClass::Padding, bytes: between_entries + gaps.padding() },
            ClassBytes { class: FileClass::NotUnderstood, bytes: gaps.unknown() },
            ClassBytes { class: FileClass::Host, bytes: host },
        ]);
        let mut inside = unpacked.rows();
        let rest = unpacked_total.saturating_sub(unpacked.total());
        inside.push(ClassBytes { class: FileClass::UnpackedHeadersAndPadding, bytes: rest });
        rows.retain(|row| row.bytes > 0);
        inside.retain(|row| row.bytes > 0);
        FileBytes { file: rows, unpacked: inside }
    }
}

/// The contents of entries.
#[derive(Default)]
struct Contents {
    sections: SectionBytes,
    unread: u64,
    other: u64,
}

impl Contents {
    fn add(&mut self, entry: &EntryFacts) {
        match &entry.payload {
            Payload::CodeObject(object) => match &object.bytes() {
                Some(bytes) => self.sections.merge(bytes),
                None => self.unread += entry.bytes,
            },
            _ => self.other += entry.bytes,
        }
    }

    fn total(&self) -> u64 {
        self.sections.total() + self.unread + self.other
    }

    fn rows(&self) -> Vec<ClassBytes> {
        let of_class = |(class, _, bytes)| ClassBytes { class: FileClass::CodeObject(class), bytes };
        let mut rows: Vec<ClassBytes> = self.sections.iter().map(of_class).collect();
        rows.push(ClassBytes { class: FileClass::CodeObjectUnread, bytes: self.unread });
        rows.push(ClassBytes { class: FileClass::OtherContent, bytes: self.other });
        rows
    }
}
