//! All limits of this crate on its input, each with its reason.
//!
//! A file beyond a limit is reported as malformed, with the offset of the offending number; it never makes
//! the reader allocate, loop or recurse further.

/// Bytes at the beginning of a file by which its format is recognised: tar's magic ends at 262.
pub const HEAD_BYTES: usize = 512;

/// Longest bundle entry id in bytes. Real ones have at most 51
/// (`hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`).
pub const BUNDLE_ID_BYTES: u64 = 256;

/// Most entries in one bundle. Real ones have at most 28; all targets known to LLVM, with features, are below
/// 200.
pub const BUNDLE_ENTRIES: u64 = 4096;

/// Most bundles and lone code objects in one file. TensorFlow's largest library has 1,390 bundles, gcc's
/// offload archives 28,206 code objects.
pub const BUNDLES: usize = 1 << 17;

/// Most bundle entries in one file, over all its bundles. TensorFlow's largest library has 9,730.
pub const ENTRIES_PER_FILE: usize = 1 << 18;

/// Memory for the names in the table of a kpack archive, in bytes: each row has that of its binary and of its
/// target. A binary of 10,000 bundles for 20 targets takes 8 MB.
pub const KPACK_NAMES_BYTES: usize = 16 << 20;

/// Bundles whose code objects are read before their facts are summed up, so that memory stays bounded.
pub const BUNDLES_AT_ONCE: usize = 256;

/// Inflated bytes of bundles read at once for a kernel inventory, which is kept until they are done: up to
/// one byte for each of these.
pub const INVENTORY_AT_ONCE: u64 = 48 << 20;

/// Most zero bytes between two bundles. Real gaps end at the next page; a sparse file can have any number.
pub const ZERO_BYTES: usize = 16 << 20;

/// Largest file of unknown format, in bytes, that is searched for device code without a name that suggests
/// it.
pub const SEARCHED_BYTES: usize = 64 << 20;

/// Longest section name, archive member name or target text that is kept, in bytes.
pub const NAME_BYTES: usize = 256;

/// Longest name of an archive member that is read, in bytes. In a thin archive it is a path.
pub const ARCHIVE_NAME_BYTES: usize = 1024;

/// Longest symbol name that is read, in bytes. The longest real kernel names have about 4,000.
pub const SYMBOL_BYTES: usize = 16 << 10;

/// Fewest metadata bytes for a kernel; more kernels than that allows are rejected. Real ones take 150 or
/// more.
pub const KERNEL_METADATA_BYTES: u64 = 48;

/// Steps that may be spent on determining the structure of a file, whatever its size. A step is a byte that
/// is inflated for that purpose only and not kept.
pub const WORK_STEPS: u64 = 16 << 20;

/// Additional steps for each byte of the file. A real bundle of 500 KB takes 4,096 for its table of entries.
pub const WORK_STEPS_PER_BYTE: u64 = 16;

/// Inflated bytes that may be spent on finding the ends of version 1 zlib bundles in one file, since only
/// these do not state their end. At most this, and at most [`MEASURED_RATIO`] for each byte of the file.
pub const MEASURED_BYTES: u64 = 2 << 30;

/// Such inflated bytes for each byte of the file; real bundles inflate to less than 100.
pub const MEASURED_RATIO: u64 = 128;

/// Largest inflated size of one compressed bundle in bytes. The largest real ratio is 83 (29 MB to 2.4 GB, in
/// 45 bundles); one bundle of 16 GiB is beyond what the HIP runtime can map.
pub const UNPACKED_BYTES: u64 = 16 << 30;

/// Largest accepted ratio of inflated to stored size. zlib reaches 1032, zstd's run-length blocks far more;
/// real bundles stay below 100.
pub const UNPACKED_RATIO: u64 = 2_000;

/// Largest inflated size of a compressed bundle that is written to a temporary file to decode its machine
/// code. The largest in hipBLASLt is 190 MB.
pub const SPOOLED_BYTES: u64 = 2 << 30;

/// Largest inflated entry that is kept in memory whole. Larger entries are read as a beginning and an end.
pub const UNPACKED_WHOLE: u64 = 48 << 20;

/// Kept size of the end of a large inflated entry, which contains section headers and their names.
pub const UNPACKED_TAIL: u64 = 2 << 20;

/// Largest zstd window, as a power of two: 128 MiB, zstd's own default limit and what long-distance matching
/// writes.
pub const ZSTD_WINDOW_LOG: u32 = 27;

/// Most bytes of a member or bundle that are kept in memory if the system has no files: WebAssembly, whose
/// memory has 4 GiB.
pub const ASIDE_IN_MEMORY: u64 = 1 << 30;

/// Memory that members being examined may use together, in bytes; further ones go to files.
pub const MEMBERS_IN_MEMORY: u64 = 48 << 20;

/// Anonymous memory that all inflating threads together may hold, in bytes; without the feature `std` each of them.
pub const UNPACKING_MEMORY: u64 = 136 << 20;

/// The same for contents of compressed bundles that wait to be hashed together.
pub const HASHING_MEMORY: u64 = 384 << 20;

/// Threads beyond the cores that let some contents wait to be hashed while others are inflated and hashed.
pub const HASHING_THREADS: usize = 8;

/// Largest note (kernel metadata) of one code object in bytes; a merged rocBLAS 5.5 library has 60 MB.
pub const NOTE_BYTES: u64 = 512 << 20;

/// Largest V2 (YAML) metadata of one kernel in bytes: the YAML reader builds it in memory, 60 or more bytes
/// for each of these. Real kernels take 2,000 to 10,000.
pub const KERNEL_YAML_BYTES: usize = 64 << 10;

/// Most brackets in the V2 (YAML) metadata of one kernel: for each token the YAML reader looks at every open
/// one. Real kernels have three lists of numbers.
pub const KERNEL_YAML_BRACKETS: usize = 64;

/// Depth of nested MessagePack arrays and maps. Kernel metadata needs 5, Tensile catalogs at most 30.
pub const MSGPACK_DEPTH: usize = 128;

/// Most section or program headers of one host ELF file.
pub const ELF_HEADERS: usize = 65_536;

/// Most section or program headers of one code object: LLVM writes about 20, with debug information 30.
pub const CODE_OBJECT_HEADERS: usize = 2048;

/// Most members of one archive. gcc's offload archives hold 28,206.
pub const ARCHIVE_MEMBERS: usize = 1 << 20;

/// Longest symbol that is demangled, in bytes; longer ones are shown mangled. Demangling is not linear in
/// time.
pub const DEMANGLED_BYTES: usize = 16 << 10;

/// Longest demangled form that is kept: substitutions can grow without end.
pub const DEMANGLED_OUTPUT_BYTES: usize = 64 << 10;

/// Most dynamic symbols of a file that are read; libtorch_hip.so has about 120,000.
pub const LINKED_SYMBOLS: usize = 1 << 19;

/// Most bytes of all names in dynamic section entries of one kind; the largest seen is 2,500.
pub const DYNAMIC_TEXT_BYTES: usize = 64 << 10;

/// Most folders in a file's search paths; the largest number seen is 12.
pub const SEARCH_FOLDERS: usize = 256;

/// Most libraries that a file may need; the largest program seen names 92.
pub const NEEDED_LIBRARIES: usize = 1024;

/// Problems kept for one file; further ones are counted.
pub const PROBLEMS_PER_FILE: usize = 32;

/// Most kernels of one code object that are kept with separate instruction counts. A merged rocBLAS 5.5
/// library has 18,000.
pub const KERNEL_HISTOGRAMS: usize = 1 << 17;
