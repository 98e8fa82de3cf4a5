//! Every bound that this crate puts on what it reads, in one place, each with its reason.
//!
//! A file beyond a bound is reported as malformed with the offset of the number that broke it; it never makes the
//! reader allocate, loop or recurse further.

/// Longest bundle entry id in bytes. Real ones have at most 51 (`hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`).
pub const BUNDLE_ID_BYTES: u64 = 256;

/// Most entries in one bundle. Real ones have at most 28; every target LLVM knows, with features, is below 200.
pub const BUNDLE_ENTRIES: u64 = 4096;

/// Most bundles and lone code objects in one file. TensorFlow's largest library has 1,390 bundles, gcc's offload
/// archives 28,206 code objects.
pub const BUNDLES: usize = 1 << 17;

/// Most bundle entries in one file, over all its bundles. TensorFlow's largest library has 9,730.
pub const ENTRIES_PER_FILE: usize = 1 << 18;

/// Bundles whose code objects are read before what they say is summed up, so that memory stays bounded.
pub const BUNDLES_AT_ONCE: usize = 256;

/// Inflated bytes of bundles that are read at once where a kernel inventory is written, which is held until then: up to
/// a byte for each of these.
pub const INVENTORY_AT_ONCE: u64 = 48 << 20;

/// Most zero bytes between two bundles. Real gaps end at the next page; a sparse file has as many as it likes.
pub const ZERO_BYTES: usize = 16 << 20;

/// Largest file of no known format that is searched for device code without being named as one that has some, in bytes.
pub const SEARCHED_BYTES: usize = 64 << 20;

/// Longest section name, archive member name or target text that is kept, in bytes.
pub const NAME_BYTES: usize = 256;

/// Longest name of an archive's member that is looked at, in bytes. In a thin archive it is a path.
pub const ARCHIVE_NAME_BYTES: usize = 1024;

/// Longest symbol name that is looked at, in bytes. The longest real kernel names have about 4,000.
pub const SYMBOL_BYTES: usize = 16 << 10;

/// Fewest bytes of metadata that a kernel takes; more kernels than fit are not believed. Real ones take 150 and more.
pub const KERNEL_METADATA_BYTES: u64 = 48;

/// Steps that may be spent on finding out what a file is made of, whatever its size. A step is a byte that is inflated for
/// that only and not kept.
pub const WORK_STEPS: u64 = 16 << 20;

/// Steps likewise, for each byte of the file. A real bundle of 500 KB takes 4,096 for its table of entries.
pub const WORK_STEPS_PER_BYTE: u64 = 16;

/// Inflated bytes that may be spent on finding the ends of version 1 zlib bundles in one file: only they do not say
/// where they end. At most this, and at most [`MEASURED_RATIO`] for each byte of the file.
pub const MEASURED_BYTES: u64 = 2 << 30;

/// Inflated bytes likewise by byte of the file; real bundles inflate to less than 100.
pub const MEASURED_RATIO: u64 = 128;

/// Largest inflated size of one compressed bundle in bytes. The largest real ratio is 83 (29 MB to 2.4 GB, in 45
/// bundles); one bundle of 16 GiB is beyond what the HIP runtime can map.
pub const UNPACKED_BYTES: u64 = 16 << 30;

/// Largest ratio of inflated to stored size that is believed. zlib ends at 1032, zstd's run-length blocks go far beyond;
/// real bundles stay below 100.
pub const UNPACKED_RATIO: u64 = 2_000;

/// Largest inflated size of a compressed bundle that is written to a temporary file to have its machine code decoded. The
/// largest in hipBLASLt is 190 MB.
pub const SPOOLED_BYTES: u64 = 2 << 30;

/// How much of one inflated entry is kept in memory whole. Larger entries are read as a beginning and an end.
pub const UNPACKED_WHOLE: u64 = 48 << 20;

/// How much of the end of a large inflated entry is kept: section headers and their names lie there.
pub const UNPACKED_TAIL: u64 = 2 << 20;

/// Largest zstd window, as a power of two: 128 MiB, zstd's own default limit and what long-distance matching writes.
pub const ZSTD_WINDOW_LOG: u32 = 27;

/// Most bytes of a member or bundle that are put aside in memory, where the system has no files: WebAssembly, whose memory has 4 GiB.
pub const ASIDE_IN_MEMORY: u64 = 1 << 30;

/// Memory that members of packages which are looked at may take together before further ones are put aside in files, in bytes.
pub const MEMBERS_IN_MEMORY: u64 = 48 << 20;

/// Anonymous memory that all inflating threads together may hold, in bytes.
pub const UNPACKING_MEMORY: u64 = 136 << 20;

/// Largest note (kernel metadata) of one code object in bytes; a merged rocBLAS 5.5 library has 60 MB.
pub const NOTE_BYTES: u64 = 512 << 20;

/// Largest V2 (YAML) metadata of one kernel in bytes: the YAML reader builds it in memory, 60 bytes for each of these
/// and more. Real kernels take 2,000 to 10,000.
pub const KERNEL_YAML_BYTES: usize = 64 << 10;

/// Most brackets in the V2 (YAML) metadata of one kernel: for each token the YAML reader looks at every open one. Real
/// kernels have three lists of numbers.
pub const KERNEL_YAML_BRACKETS: usize = 64;

/// Depth of nested MessagePack arrays and maps. Kernel metadata needs 5, Tensile catalogs at most 30.
pub const MSGPACK_DEPTH: usize = 128;

/// Most section or program headers of one host ELF file.
pub const ELF_HEADERS: usize = 65_536;

/// Most section or program headers of one code object: LLVM writes about 20, with debug information 30.
pub const CODE_OBJECT_HEADERS: usize = 2048;

/// Most members of one archive. gcc's offload archives hold 28,206.
pub const ARCHIVE_MEMBERS: usize = 1 << 20;

/// Longest symbol that is demangled, in bytes; longer ones are shown mangled. Demangling is not linear in time.
pub const DEMANGLED_BYTES: usize = 16 << 10;

/// Longest demangled form that is kept: substitutions can grow without end.
pub const DEMANGLED_OUTPUT_BYTES: usize = 64 << 10;

/// Dynamic symbols of a file that are looked at; libtorch_hip.so has about 120,000.
pub const LINKED_SYMBOLS: usize = 1 << 19;

/// Bytes of all names that one kind of entry of a dynamic section gives; the most seen are 2,500.
pub const DYNAMIC_TEXT_BYTES: usize = 64 << 10;

/// Folders in which a file may have its libraries looked for; the most seen are 12.
pub const SEARCH_FOLDERS: usize = 256;

/// Libraries that a file may say it is linked with; the largest program seen names 92.
pub const NEEDED_LIBRARIES: usize = 1024;

/// Problems kept for one file; further ones are counted.
pub const PROBLEMS_PER_FILE: usize = 32;

/// Kernels of one code object that are kept with their own counts of instructions. A merged rocBLAS 5.5 library has 18,000.
pub const KERNEL_HISTOGRAMS: usize = 1 << 17;
