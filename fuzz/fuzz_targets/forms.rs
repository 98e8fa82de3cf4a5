//! Packages in the formats of fixtures/forms, changed arbitrarily: cpio, RPM, 7z, squashfs, Singularity, Nix
//! archives, PyInstaller, programs with appended archives, container images, lz4 and lzma. Checksums that
//! would reject a change at once are corrected first. Every member is opened; names and numbers stay within
//! the promised bounds. tests/all/forms.rs checks that truncation is reported by the member or its package.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::budget::InflateBudget;
use rocm_audit::format::Format;
use rocm_audit::input::package::visit::{self, Nesting, Selection};
use rocm_audit::input::package::{Head, MemberContent, MemberFile, is_package};
use rocm_audit::limits::{MEMBER_PATH_BYTES, PACKAGE_MEMBERS};
use rocm_audit::locator::Locator;
use rocm_audit::source::SourceFile;

/// A 7z archive with corrected checksums.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if Format::identify(&bytes) != Format::SevenZip || bytes.len() < 32 {
        return bytes;
    }
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let (offset, size) = (number(12), number(20));
    let start = usize::try_from(offset.saturating_add(32)).unwrap_or(usize::MAX);
    let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
    if let Some(header) = bytes.get(start..end) {
        let crc = crc32fast::hash(header);
        bytes[28..32].copy_from_slice(&crc.to_le_bytes());
    }
    let crc = crc32fast::hash(&bytes[12..32]);
    bytes[8..12].copy_from_slice(&crc.to_le_bytes());
    bytes
}

fn nested(file: MemberFile, nesting: Nesting<'_>, members: &mut usize) {
    if nesting.check().is_err() || !is_package(file.format) || file.format == Format::ThinArchive {
        let _ = rocm_audit::container::open(file.file.bytes(), file.format);
        return;
    }
    // The marker files of images refer to files next to them.
    if matches!(file.format, Format::OciLayout | Format::ImageDirectory) {
        return;
    }
    let selection = Selection { wants: &|_: &Head<'_>| Some(0), excludes: &|_| false };
    let closed = visit::visit(file, "package", nesting, selection, &mut |batch| {
        batch.each(|visited| {
            *members += 1;
            assert!(visited.name.len() <= 8 * MEMBER_PATH_BYTES, "{} bytes of a name", visited.name.len());
            if let Some(MemberContent::File(file)) = visited.content {
                self::nested(file, visited.nesting, members);
            }
        });
    });
    assert!(closed.faults.len() <= 64, "{} faults", closed.faults.len());
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let file = MemberFile::from_file(SourceFile::in_memory(Locator::file("/package"), mended(bytes)));
    let budget = InflateBudget::for_package(0);
    let mut members = 0;
    nested(file, Nesting::outermost(&budget), &mut members);
    assert!(members <= 4 * PACKAGE_MEMBERS);
});
