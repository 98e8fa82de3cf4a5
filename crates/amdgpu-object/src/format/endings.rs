//! Usual file extensions of each format, for tools that choose files by name before reading any byte, such as
//! version control hooks. This crate recognises nothing by name.

use super::Format;

impl Format {
    /// The extensions, without the dot; empty if the format is not read, contains no code, or has no
    /// extension.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Format::HostElf => &["so"],
            Format::CodeObject => &["co", "hsaco"],
            Format::OffloadBundle | Format::CompressedBundle | Format::OffloadBinary => &["hipfb"],
            Format::Archive | Format::ThinArchive => &["a", "lib"],
            Format::WindowsPe => &["dll", "exe", "pyd"],
            Format::CoffObject => &["o", "obj"],
            Format::Kpack => &["kpack"],
            Format::AotritonArchive => &["aks2"],
            Format::Zip => &["conda", "egg", "msix", "nupkg", "pt2", "whl", "zip"],
            Format::Deb => &["deb"],
            Format::Rpm => &["rpm"],
            Format::ProgramWithArchive => &["AppImage", "llamafile"],
            Format::ScriptWithArchive => &["pyz"],
            Format::SevenZip => &["7z"],
            Format::Squashfs => &["snap", "sqfs", "squashfs"],
            Format::Singularity => &["sif"],
            Format::Cpio => &["cpio"],
            Format::Nar => &["nar"],
            Format::Iree => &["vmfb"],
            Format::Tar => &["tar"],
            Format::Gzip => &["gz", "tgz"],
            Format::Bzip2 => &["bz2", "tbz2"],
            Format::Xz => &["txz", "xz"],
            Format::Zstd => &["tzst", "zst"],
            Format::Lz4 => &["lz4"],
            Format::Lzma => &["lzma"],
            Format::Lzip => &["lz"],
            Format::OciLayout | Format::ImageDirectory => &[],
            // Recognised, but not opened.
            Format::CoreDump
            | Format::Installer
            | Format::PackedProgram
            | Format::SelfExtracting
            | Format::SplitZip
            | Format::Rar
            | Format::Arj
            | Format::Cabinet
            | Format::InstallShield
            | Format::Wim
            | Format::Xar
            | Format::BigEndianSquashfs
            | Format::Erofs
            | Format::FileSystem
            | Format::Iso
            | Format::DiskImage
            | Format::BinaryCpio
            | Format::OstreeFile
            | Format::Flatpak
            | Format::Lzop
            | Format::Lrzip
            | Format::Compress
            | Format::Snappy
            | Format::Encrypted
            | Format::CompoundFile => &[],
            // No device code; scanners know the names of databases.
            Format::Sqlite | Format::LlvmBitcode | Format::SpirV | Format::LfsPointer | Format::Other => &[],
        }
    }
}
