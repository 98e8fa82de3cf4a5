//! Recognises containers, packages and images that need more than one magic; each function names its source.

use crate::bytes::le::LeBytes;
use crate::bytes::le::range;
use crate::limits::HEAD_BYTES;

/// A core dump: `ET_CORE` in either byte order. A GPU core dump has AMD's machine number, but is not a code
/// object.
pub(super) fn is_core_dump(bytes: &[u8]) -> bool {
    const CORE: [u8; 2] = [4, 0];
    let kind = bytes.get(16..18);
    bytes.starts_with(b"\x7fELF")
        && match bytes.get(5) {
            Some(1) => kind == Some(&CORE),
            Some(2) => kind == Some(&[0, 4]),
            _ => false,
        }
}

/// A program packed by UPX, which writes its name after the headers (`l_info`) or in section names.
pub(super) fn is_upx(bytes: &[u8]) -> bool {
    let near = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
    let has = |what: &[u8]| memchr::memmem::find(near, what).is_some();
    near.starts_with(b"\x7fELF") && has(b"UPX!") || near.starts_with(b"MZ") && has(b"UPX0\0\0\0\0")
}

/// cpio of System V, with and without checksums, of POSIX, and RPM's form for files beyond 4 GiB.
///
/// A few letters among the digits are damage; it is still a header.
pub(super) fn is_cpio(bytes: &[u8]) -> bool {
    let digits = |range: core::ops::Range<usize>| {
        let others = |field: &[u8]| field.iter().filter(|byte| !byte.is_ascii_hexdigit()).count();
        bytes.get(range.clone()).is_some_and(|field| others(field) * 12 <= range.len())
    };
    match bytes.get(..6) {
        Some(b"070701" | b"070702") => digits(6..110),
        Some(b"070707") => digits(6..76),
        Some(b"07070X") => digits(6..14),
        _ => false,
    }
}

/// The oldest cpio: a 16-bit magic in either byte order, a valid file mode, and a terminated name.
pub(super) fn is_binary_cpio(bytes: &[u8]) -> bool {
    let half = |at: usize| {
        let field = LeBytes(bytes).u16(at);
        if bytes.starts_with(&[0xc7, 0x71]) { field } else { field.swap_bytes() }
    };
    let magic = bytes.starts_with(&[0xc7, 0x71]) || bytes.starts_with(&[0x71, 0xc7]);
    let (mode, name) = (half(6), usize::from(half(20)));
    magic && matches!(mode >> 12, 1 | 2 | 4 | 6 | 8 | 10 | 12) && bytes.get(26 + name.max(1) - 1) == Some(&0)
}

/// ARJ: its magic has two bytes; header size, minimum version and the type of the archive header follow.
pub(super) fn is_arj(bytes: &[u8]) -> bool {
    let size = LeBytes(bytes).u16(2);
    bytes.starts_with(&[0x60, 0xea]) && (30..=2600).contains(&size) && bytes.get(10) == Some(&2)
}

/// The marker of an OCI image layout: `{"imageLayoutVersion": "1.0.0"}` (image-spec, image-layout.md).
pub(super) fn is_oci_layout(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(HEAD_BYTES)).unwrap_or_default();
    head.first() == Some(&b'{')
        && bytes.len() <= HEAD_BYTES
        && memchr::memmem::find(head, b"\"imageLayoutVersion\"").is_some()
}

/// A content object of an OSTree archive: the length of a variant, zeros, and in it, big-endian, size, owner,
/// group, the mode of a regular file and no device (ostree, `zlib file header`).
pub(super) fn is_ostree_file(bytes: &[u8]) -> bool {
    let word = |at: usize| LeBytes(bytes).u32(at).swap_bytes();
    bytes.len() >= 40
        && (32..=65_535).contains(&word(0))
        && word(4) == 0
        && word(8) >> 16 == 0
        && word(24) >> 12 == 0o10
        && word(28) == 0
}

/// A single-file bundle of Flatpak (shared-mime-info).
pub(super) fn is_flatpak(bytes: &[u8]) -> bool {
    bytes.starts_with(b"flatpak\0\x01\0\x89\xe5") || bytes.starts_with(b"xdg-app\0\x01\0\x89\xe5")
}

/// A FlatBuffer of IREE (a module, or a HIP executable inside one), with and without its size in front.
pub(super) fn is_iree(bytes: &[u8]) -> bool {
    let is = |identifier: Option<&[u8]>| matches!(identifier, Some(b"IREE" | b"HIP1"));
    (is(bytes.get(4..8)) || is(bytes.get(8..12))) && LeBytes(bytes).u32(0) > 0
}

/// Frames of lz4, and the older form that the Linux kernel reads.
pub(super) fn is_lz4(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x04, 0x22, 0x4d, 0x18]) || bytes.starts_with(&[0x02, 0x21, 0x4c, 0x18])
}

/// An .lzma file has no magic: this requires valid properties, a dictionary size of a power of two, one and a
/// half times that, or the maximum, a size that is unknown or plausible, and the zero at the beginning of
/// every range coder (LZMA SDK, `lzma-specification.txt`).
pub(super) fn is_lzma(bytes: &[u8]) -> bool {
    let dictionary = u64::from(LeBytes(bytes).u32(1));
    let (power, half) = (dictionary.is_power_of_two(), (dictionary / 3 * 2).is_power_of_two());
    let size = LeBytes(bytes).u64(5);
    bytes.len() > 18
        && bytes.first().is_some_and(|properties| is_lzma_properties(*properties))
        && dictionary >= 4096
        && (power || dictionary.is_multiple_of(3) && half || dictionary == u64::from(u32::MAX))
        && (size == u64::MAX || (1..1 << 40).contains(&size))
        && bytes.get(13) == Some(&0)
}

/// `(pb * 5 + lp) * 9 + lc`; liblzma accepts values with `lc + lp` up to 4.
fn is_lzma_properties(properties: u8) -> bool {
    let (lc, rest) = (properties % 9, properties / 9);
    let (lp, pb) = (rest % 5, rest / 5);
    pb <= 4 && lc + lp <= 4
}

/// How much of a script to search for an appended archive, in bytes: Anaconda's begins with 20 KB of text.
const SCRIPT_LEAD: usize = 1 << 20;

/// Whether a packed stream or a tar begins at a line of a text.
pub(super) fn has_stream_at_line(bytes: &[u8]) -> bool {
    const MAGICS: [&[u8]; 6] = [
        &[0x1f, 0x8b, 8],
        b"\xfd7zXZ\0",
        b"\x28\xb5\x2f\xfd",
        b"BZh91AY&SY",
        b"7z\xbc\xaf\x27\x1c",
        b"LZIP\x01",
    ];
    let lead = bytes.get(..bytes.len().min(SCRIPT_LEAD)).unwrap_or_default();
    memchr::memchr_iter(b'\n', lead).any(|at| {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        MAGICS.iter().any(|magic| rest.starts_with(magic)) || range(rest, 257, 5) == Some(b"ustar")
    })
}

/// Files from OpenSSL, age and GnuPG, which cannot be read without a key.
pub(super) fn is_encrypted(bytes: &[u8]) -> bool {
    bytes.starts_with(b"Salted__")
        || bytes.starts_with(b"age-encryption.org/v1\n")
        || bytes.starts_with(b"-----BEGIN PGP MESSAGE-----")
        || bytes.starts_with(b"LUKS\xba\xbe")
}

/// ISO 9660: `CD001` after the first 16 sectors.
pub(super) fn is_iso(bytes: &[u8]) -> bool {
    range(bytes, 32_769, 5) == Some(b"CD001")
}

/// EROFS: its superblock begins at 1024.
pub(super) fn is_erofs(bytes: &[u8]) -> bool {
    may_be_image(bytes) && range(bytes, 1024, 4) == Some(&[0xe2, 0xe1, 0xf5, 0xe0])
}

/// XFS, cramfs and romfs begin with their names; ext2 to ext4 and Btrfs have them after the space for a boot
/// loader.
pub(super) fn is_file_system(bytes: &[u8]) -> bool {
    let begins = [&b"XFSB\0\0"[..], &[0x45, 0x3d, 0xcd, 0x28], b"-rom1fs-"];
    let ext = || range(bytes, 1080, 2) == Some(&[0x53, 0xef]) && range(bytes, 1100, 4).is_some_and(is_small);
    let btrfs = || range(bytes, 65_600, 8) == Some(b"_BHRfS_M");
    begins.iter().any(|magic| bytes.starts_with(magic)) || may_be_image(bytes) && (ext() || btrfs())
}

/// The revision in ext's superblock must be 0 or 1, since its magic has only two bytes.
fn is_small(field: &[u8]) -> bool {
    LeBytes(field).u32(0) <= 1
}

/// Disk images: of virtual machines, and of disks with a partition table.
pub(super) fn is_disk_image(bytes: &[u8]) -> bool {
    let begins = [&b"QFI\xfb"[..], b"KDMV", b"vhdxfile", b"conectix", b"<<< Oracle VM VirtualBox Disk Image"];
    let partitions = || {
        let entries = bytes.get(446..510).unwrap_or_default();
        let sound = entries.chunks(16).all(|entry| matches!(entry.first(), Some(0 | 0x80)));
        let used = entries.chunks(16).any(|entry| entry.get(4).is_some_and(|kind| *kind != 0));
        sound && used && bytes.get(510..512) == Some(&[0x55, 0xaa])
    };
    begins.iter().any(|magic| bytes.starts_with(magic)) || partitions()
}

/// Whether a file begins like an image of a disk or file system: with zeros, or a boot sector.
pub(super) fn may_be_image(head: &[u8]) -> bool {
    let head = head.get(..head.len().min(HEAD_BYTES)).unwrap_or_default();
    head.len() == HEAD_BYTES && (head.iter().all(|b| *b == 0) || head.ends_with(&[0x55, 0xaa]))
}
