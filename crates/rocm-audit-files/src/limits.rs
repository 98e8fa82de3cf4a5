//! Every bound this program puts on what it reads, in one place, each with its reason.
//!
//! A file beyond a bound is reported as malformed with the offset of the number that broke it; it never makes
//! the program allocate, loop or recurse further.

pub use amdgpu_object::limits::*;

/// Different ways in which names of one file may disagree that are kept; further ones are counted with the
/// last.
pub const NAME_CONFLICTS_PER_FILE: usize = 64;

/// Most bytes of a version file or LFS pointer that are read.
pub const TEXT_BYTES: usize = 64 << 10;

/// Kernels of caches whose metadata is kept in one run. A folder of a year's autotuning has 100,000.
pub const COMPILED_KERNELS: usize = 1 << 18;

/// Tables of kernels that are kept in one run, and rows of each. AITER of 2026 has 120, the longest with 400
/// rows.
pub const KERNEL_MANIFESTS: usize = 4096;

/// Rows of one table of kernels that are kept.
pub const MANIFEST_ROWS: usize = 4096;

/// Rows of all tables of kernels of a run beyond which no further table is kept.
pub const MANIFEST_ROWS_KEPT: usize = 1 << 17;

/// Most bytes of a table of kernels that are read.
pub const MANIFEST_BYTES: usize = 4 << 20;

/// Largest part of a source file that is read, in bytes.
pub const SOURCE_BYTES: usize = 2 << 20;

/// Most packages for which a run keeps what their kernel sources say.
pub const SOURCE_GROUPS: usize = 4096;

/// Packages of ROCm's that one list or package may name; a lock file of TheRock's wheels has some forty.
pub const STATED_PACKAGES: usize = 1024;

/// Lists and packages that are kept in one run. A large environment has some hundred packages.
pub const PACKAGE_STATEMENTS: usize = 1 << 14;

/// Bytes read of a list of a package manager; dpkg's `status` of a large system has 5 MB.
pub const PACKAGE_LIST_BYTES: usize = 32 << 20;

/// Most SQLite virtual machine steps for one question to a database, in units of [`SQLITE_STEP_UNIT`].
/// gfx906_60.db, the largest known with 148,096 rows, needs about 1,500.
pub const SQLITE_STEPS: u64 = 20_000;

/// Most memory that SQLite may use for a database, in bytes.
pub const SQLITE_MEMORY: i64 = 64 << 20;

/// Longest value that SQLite may make, in bytes. The longest perf-db parameters have about 1,000.
pub const SQLITE_VALUE_BYTES: i32 = 1 << 20;

/// Longest statement that SQLite may parse, those of a file's own schema among them, in bytes. MIOpen's have
/// below 2,000.
pub const SQLITE_SQL_BYTES: i32 = 64 << 10;

/// Most columns of a table. MIOpen's widest has 30.
pub const SQLITE_COLUMNS: i32 = 128;

/// Virtual machine steps between two looks at the counter.
pub const SQLITE_STEP_UNIT: i32 = 10_000;

/// Fewest bytes that a row with a code object takes in a database; more rows than fit into its file are not
/// believed. MIOpen's hold an MD5 in text, rocFFT's a SHA-256.
pub const SQLITE_ROW_BYTES: u64 = 32;

/// Largest value of a database that is read as device code, as it is stored. A value is the code of one
/// kernel source.
pub const SQLITE_BLOB_BYTES: usize = 32 << 20;

/// Stored bytes of values of a database that are held at once to be read on all cores.
pub const SQLITE_BATCH_BYTES: usize = 4 << 20;

/// Values of a database that are held at once.
pub const SQLITE_BATCH_ROWS: usize = 256;

/// Inflated bytes of all code objects of a database by byte of its file. bzip2 makes the code objects of the
/// fixtures 3 times smaller.
pub const SQLITE_UNPACKED_RATIO: u64 = 64;

/// Inflated bytes of all code objects of a database that are allowed in any case: a small one is no danger.
pub const SQLITE_UNPACKED_BYTES: u64 = 64 << 20;

/// Memory in which bzip2 inflates its largest blocks, in bytes (bzip2 manual, "memory management": 3,700k).
pub const BZIP2_MEMORY: u64 = 4 << 20;

/// Largest directory of an AOTriton archive in bytes: at 200 for a kernel, 20,000 kernels. One archive is of
/// one function's variants.
pub const AOTRITON_DIRECTORY_BYTES: u64 = 4 << 20;

/// How much more one byte of an AOTriton archive may unpack to; real ones stay below 100.
pub const AOTRITON_RATIO: u64 = 400;

/// What an AOTriton archive may unpack to in any case.
pub const AOTRITON_FREE_BYTES: u64 = 64 << 20;

/// Memory in which an AOTriton archive must inflate, in bytes: its writer uses xz's preset 6, which takes 9
/// MiB.
pub const AOTRITON_XZ_MEMORY: u64 = 24 << 20;

/// Files held in flight at once by the audit, so that memory stays bounded and the order stays fixed; with a
/// kernel inventory, as many as have [`BATCH_BYTES`].
pub const BATCH_FILES: usize = 512;

/// Bytes of files held in flight at once where a kernel inventory is written: compressed ones have lines of
/// many times that.
pub const BATCH_BYTES: u64 = 6 << 20;

/// Memory in which the streams of packages that are looked at together may be inflated, in bytes; one that
/// takes more is looked at alone. With [`UNPACKING_MEMORY`] it stays below the 256 MiB that
/// docs/performance.md promises.
pub const PACKAGE_MEMORY: u64 = 96 << 20;

/// A package whose stream takes no more memory than this is looked at with any number of others, in bytes.
pub const PACKAGE_MEMORY_EACH: u64 = 4 << 20;

/// Least memory that a stream of a package may take, whatever its first header says: for files below
/// [`PACKAGE_SMALL`], and for others. Later headers can ask for more than the first.
pub const PACKAGE_MEMORY_LEAST: (u64, u64) = (9 << 20, 33 << 20);

/// Size below which a package is small, in bytes.
pub const PACKAGE_SMALL: u64 = 4 << 20;

/// Most bytes that are read through a pipe, which is written to a temporary file: twice the largest image of
/// a container known.
pub const PIPED_BYTES: u64 = 128 << 30;

/// Packages in packages that are opened: a wheel in a tar in a zip is 3.
pub const PACKAGE_DEPTH: usize = 4;

/// Most members of one package, with those of all packages in it. The largest real packages have about
/// 30,000.
pub const PACKAGE_MEMBERS: usize = 1 << 18;

/// Bytes that one package may unpack to, whatever its size; to this, [`PACKAGE_RATIO`] for each of its bytes
/// is added. As many packages as there are threads are unpacked at once, in part to temporary files: many
/// small ones must not fill a disk.
pub const PACKAGE_BYTES: u64 = 64 << 20;

/// Bundle entries of all members of one package, with those of all packages in it, that one report of
/// `fatbin` describes: each takes some hundred bytes of it. A wheel of PyTorch has some ten thousand.
pub const PACKAGE_ENTRIES: u64 = 1 << 18;

/// An entry of a report counts once more for each so many bytes of its place, which stands there three times
/// as long, and in each form.
pub const PACKAGE_ENTRY_BYTES: u64 = 64;

/// Memory for what is found in one package and all packages in it, in bytes, whatever its size; to this, one
/// for each
/// [`RESULTS_RATIO`] of its own is added. A package of rocBLAS takes 8 MB.
pub const PACKAGE_RESULTS: u64 = 24 << 20;

/// The same for all packages of a run together, and for what is out of proportion of files that lie in none.
pub const RUN_RESULTS: u64 = 64 << 20;

/// For each so many bytes of a package, one more byte of what is found in it is kept, beyond what is kept in
/// any case.
pub const RESULTS_RATIO: u64 = 16;

/// Memory for what is found in a file that lies in no package, in bytes, whatever its size; to this, one for
/// each [`RESULTS_RATIO`] of its own is added. What is beyond counts against [`RUN_RESULTS`]. A code object
/// takes some 3 KB.
pub const FILE_RESULTS: u64 = 4 << 10;

/// Entries that a file may have in any case to be read while others are: the tables of one take some 300
/// bytes for each. On fewer threads it may have more. TensorFlow's largest library has 9,730.
pub const ENTRIES_BESIDE: usize = 10_240;

/// Memory for what was found in packages and files that are looked at together and were not counted yet, in
/// bytes, beyond one for each
/// [`RESULTS_AT_ONCE_RATIO`] of theirs. Where more is taken, packages are looked at one after the other.
pub const RESULTS_AT_ONCE: u64 = 48 << 20;
/// See [`RESULTS_AT_ONCE`].
pub const RESULTS_AT_ONCE_RATIO: u64 = 4;

/// How much more one byte of a package may unpack to. Real packages stay below 15.
pub const PACKAGE_RATIO: u64 = 200;

/// Largest member that is unpacked to memory; larger ones go to an unnamed temporary file.
pub const MEMBER_IN_MEMORY: u64 = 2 << 20;

/// Bytes of members that are read from a tar stream before they are looked at together.
pub const MEMBERS_AT_ONCE: u64 = 4 << 20;

/// Longest path of a member that is kept, in bytes. Real ones have at most 300.
pub const MEMBER_PATH_BYTES: usize = 1024;

/// Largest extended header of a tar member in bytes; real ones have some hundred.
pub const TAR_EXTENSION_BYTES: u64 = 64 << 10;

/// Memory that the xz decoder of a member may take, in bytes: `xz -6` needs 9 MiB.
pub const XZ_SMALL_MEMORY: u64 = 32 << 20;

/// Largest zstd window of a member or of a package in a package, as a power of two: 32 MiB, what
/// zstd's level 20 takes. Debian's packages and zip writers use 8 MiB and less.
pub const ZSTD_SMALL_WINDOW_LOG: u32 = 25;

/// Memory in which lz4 inflates its largest blocks, in bytes: two of 8 MiB, of the older form, and what is
/// packed of one.
pub const LZ4_MEMORY: u64 = 26 << 20;

/// Largest manifest or configuration of a container's image in bytes: it is read into memory. Registries take
/// 4 MiB.
pub const IMAGE_DOCUMENT_BYTES: u64 = 4 << 20;

/// Most manifests, indexes and configurations that are read of one tar or folder, and most of their bytes:
/// each can name others again and again. A release for ten machines has 40.
pub const IMAGE_DOCUMENTS: usize = 1024;
/// See [`IMAGE_DOCUMENTS`].
pub const IMAGE_DOCUMENTS_BYTES: u64 = 64 << 20;

/// Indexes of a container's images in one another; real ones have two.
pub const IMAGE_INDEX_DEPTH: usize = 4;

/// Most layers of a container's image; Docker makes at most 127.
pub const IMAGE_LAYERS: usize = 1024;

/// Most images in one tar or folder.
pub const IMAGES: usize = 64;

/// Folders of a squashfs image in one another.
pub const SQUASHFS_DEPTH: usize = 128;

/// Largest list of a folder of a squashfs image, in bytes; 8 bytes and a name stand for each file.
pub const SQUASHFS_FOLDER_BYTES: u64 = 4 << 20;

/// Blocks of several files' ends that are kept of a squashfs image, of at most 1 MiB each.
pub const SQUASHFS_FRAGMENTS: usize = 8;

/// Longest path in a squashfs image that is gone on below, in bytes.
pub const SQUASHFS_PATH_BYTES: usize = 4 * MEMBER_PATH_BYTES;

/// Memory for the names in folders of a squashfs image that are open at one time, in bytes: so many and one
/// for each byte of the image, and at most so many. Real images have a byte of names for a hundred of theirs.
pub const SQUASHFS_NAMES_BYTES: (u64, u64) = (4 << 20, 32 << 20);

/// Folders of a Nix archive in one another; real paths have some ten.
pub const NAR_DEPTH: usize = 128;

/// Entries of a Singularity image's table; real ones have some ten.
pub const SIF_DESCRIPTORS: u64 = 1024;

/// Largest header of an RPM package in bytes, and most entries of its index; RPM refuses what is larger
/// (`headerVerifyInfo`).
pub const RPM_HEADER_BYTES: u64 = 256 << 20;
/// See [`RPM_HEADER_BYTES`].
pub const RPM_HEADER_TAGS: u64 = 0xffff;

/// Bytes of a Debian package's `control.tar` that are unpacked: its scripts and lists stand in there too.
pub const DEB_CONTROL_BYTES: u64 = 4 << 20;

/// Files whose package is kept; a system has 300,000.
pub const OWNED_FILES: usize = 1 << 20;

/// Entries of a cache that are named as broken; who has more removes the cache.
pub const BROKEN_CACHE_ENTRIES: usize = 10_000;

/// Folders that one cache names.
pub const CACHE_FOLDERS: usize = 16;

/// Largest header of a 7z archive in bytes, as it is inflated: it holds the names of all members, in UTF-16.
pub const SEVEN_ZIP_HEADER_BYTES: u64 = 64 << 20;

/// Most steps in one stream of a 7z archive; real ones have one to five.
pub const SEVEN_ZIP_CODERS: usize = 16;

/// Compressed streams without content that may follow each other.
pub const EMPTY_STREAMS: u32 = 1024;

/// Names of members that are kept of a package and all packages in it, in bytes.
pub const MEMBER_NAMES_BYTES: u64 = 64 << 20;

/// Problems kept for one run; further ones are counted.
pub const PROBLEMS_PER_RUN: usize = 10_000;

/// Memory that the xz decoder may take for one stream, in bytes: `xz -9` needs 65 MiB. With less than
/// the second number it uses several threads.
pub const XZ_MEMORY: (u64, u64) = (160 << 20, 80 << 20);

/// Kernels whose own instructions are listed for one file; further ones are counted. Each takes some KiB of a
/// report.
pub const KERNELS_LISTED: usize = 10_000;

/// Depth of nodes in a Tensile catalog, and of predicates in one another. Real catalogs need 9 and 2.
pub const TENSILE_DEPTH: usize = 32;

/// Largest Tensile catalog in bytes: places in it are kept in 32 bits. The largest of rocBLAS 6.4 has
/// 12.5 MB; rocBLAS 5.5 keeps everything in one of 117 MB.
pub const TENSILE_CATALOG_BYTES: u64 = u32::MAX as u64;

/// Largest catalog in bytes that a zlib stream may inflate to: the largest of hipBLASLt 7.2 has 32 MB. The
/// library itself stops at 16 GiB.
pub const TENSILE_INFLATED_BYTES: u64 = 1 << 30;

/// What a catalog may inflate to for each byte of its zlib stream, beyond [`TENSILE_INFLATED_FREE`]. Of
/// hipBLASLt 7.1's, packed as newer releases do, none reaches 55.
pub const TENSILE_INFLATED_RATIO: u64 = 256;

/// What any catalog may inflate to, in bytes, however small its zlib stream is.
pub const TENSILE_INFLATED_FREE: u64 = 32 << 20;

/// Candidates of a table that the account of one selection keeps; further ones are counted.
pub const TENSILE_WALK_STEPS: usize = 4096;

/// Largest Tensile catalog in YAML, in bytes: it is turned into MessagePack in memory, at most 2.5 bytes for
/// each of these. The largest catalog of rocBLAS 6.4 would have 60 MB.
pub const TENSILE_YAML_BYTES: u64 = 256 << 20;

/// What aliases of one YAML catalog may stand for in all, in bytes of MessagePack. Python's writer makes them
/// of predicates and types that several solutions share, 1 KB each.
pub const TENSILE_YAML_ALIASED_BYTES: u64 = 64 << 20;

/// Memory for the wanted members of all packages of an install, in bytes. Catalogs are small and many: those
/// of a large rocBLAS take 150 MB. What does not fit goes to a temporary file.
pub const INSTALL_MEMORY: u64 = 256 << 20;

/// Shared libraries that are kept by name and place, links among them. An install of ROCm has 300, a
/// container's image 5,000.
pub const SHARED_LIBRARIES: usize = 1 << 16;

/// Size in bytes from which a file is not read of whose bytes only one in [`SPARSE_RATIO`] is stored.
pub const SPARSE_BYTES: u64 = 256 << 20;
/// See [`SPARSE_BYTES`].
pub const SPARSE_RATIO: u64 = 64;

/// Links and hard links that are kept by name, of those that name files of library folders. A folder of
/// rocBLAS has 3,000 files.
pub const OTHER_NAMES: usize = 1 << 16;

/// Host libraries of the field whose symbols are kept in one run. The largest install seen has about 300.
pub const LINKED_LIBRARIES: usize = 1 << 13;

/// Bytes of names and hashes of symbols that are kept of all of these. ROCm 7 with PyTorch takes 6 MB.
pub const LINKED_BYTES: u64 = 64 << 20;

/// Symbols that one library asks of ROCm's libraries that are kept. libtorch_hip.so asks for about 1,200.
pub const ASKED_SYMBOLS: usize = 1 << 14;

/// Most nodes of an ONNX model that are read: each takes 2.5 KB until its question is answered. Exported
/// models of language have some ten thousand.
pub const ONNX_NODES: usize = 1 << 16;

/// Most tensors that are kept of a model, over all its files; the largest known have some 200,000.
pub const MODEL_TENSORS: usize = 1 << 18;

/// Memory for what is kept of a model over all its files, in bytes: metadata, names of tensors, nodes of a
/// graph and its constants. What a GGUF file of the largest models has takes 2 MB.
pub const MODEL_MEMORY: u64 = 96 << 20;

/// Longest name of a tensor, in bytes. ggml's names have at most 63, Hugging Face's some hundred.
pub const MODEL_NAME_BYTES: usize = 1024;
