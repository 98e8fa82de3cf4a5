//! Every rule of findings with an input in which it is found and a close look-alike in which it is not, and what the registry
//! promises of files, ids and pages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::bundles::bundle;
use common::elf;
use common::fixture;
use common::packages::{Member, code_object, gzip, member, tar, zip};
use common::seen::{Seen, by_command, folder, in_files, in_tree};
use common::tensile::{Folder, SS, bump, clear_tables, get, hipblaslt, hipblaslt_and};
use common::trees::{self, GFX90A};
use rmpv::Value;
use rocm_audit::engines::miopen::check;
use rocm_audit::engines::tensile::consistency::{self, Owner};
use rocm_audit::finding::rules::{RULES, TOPICS};
use rocm_audit::input::device_file::DeviceFile;
use rocm_audit::input::install::Install;
use rocm_audit::limits::{BUNDLE_ENTRIES, PACKAGE_DEPTH};
use rocm_audit::report::fatbin;
use rocm_audit::scan::device_file::{self, FileOptions};
use rocm_audit::scan::run::Options;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

/// A rule, an input in which it is found, and the same input with that one fault mended.
type Row = (&'static str, fn() -> Vec<Seen>, fn() -> Vec<Seen>);

/// The library folder of hipBLASLt.
const HIPBLASLT: &str = "fixtures/hipblaslt";

/// Sums over all that was read: copies may lie in several roots, and the sum of them has neither place nor target.
const SUMS: [&str; 1] = ["duplicate-code-objects"];

/// Rules whose inputs need symbolic links.
const LINKS: [&str; 5] =
    ["link-loop", "unreadable-file", "dangling-link", "link-not-followed", "special-file"];

const ROWS: &[Row] = &[
    // read
    ("malformed-bytes", || database(|bytes| bytes[100..4096].fill(0xff)), || database(|_| {})),
    ("cut-end", || transform(|bytes| bytes.truncate(bytes.len() - 100)), || transform(|_| {})),
    ("overlapping-parts", || in_package(&overlapping(true)), || in_package(&overlapping(false))),
    ("wrong-size", || in_zip(|m| m.size = Some(m.content.len() as u32 + 1)), || in_zip(|_| {})),
    ("wrong-hash", || in_zip(|m| m.crc = Some(7)), || in_zip(|_| {})),
    ("inflates-too-far", || states_to_inflate_to(1 << 60), || states_to_inflate_to(0)),
    ("too-many-parts", || entries(BUNDLE_ENTRIES as usize + 1), || entries(BUNDLE_ENTRIES as usize)),
    ("work-limit", || large_tables(20), || large_tables(2)),
    ("doubled-name", || in_package(&twice("a.co", "a.co")), || in_package(&twice("a.co", "A.co"))),
    ("unsafe-path", || in_zip(|m| m.name = "a/../../b.co"), || in_zip(|m| m.name = "a/..b/b.co")),
    ("link-loop", || linked("b/link", "..", true), || linked("b/link", "../a", true)),
    ("unknown-method", || in_package(&packed_by(99)), || in_package(&packed_by(8))),
    ("encrypted-member", || in_zip(|m| m.flags = 1), || in_zip(|m| m.flags = 2)),
    ("nested-too-deep", || in_package(&nested(PACKAGE_DEPTH + 1)), || in_package(&nested(PACKAGE_DEPTH))),
    (
        "container-not-opened",
        || in_files(&[("x.rar", b"Rar!\x1a\x07\x01\0")]),
        || in_files(&[("x.rar", b"Rar?\x1a\x07\x01\0")]),
    ),
    ("link-not-followed", || linked_out("v4_gfx906.hsaco"), || linked_out("text.txt")),
    ("special-file", || in_special("mkfifo"), || in_special("touch")),
    // Whoever may read everything still cannot follow a link that leads to itself.
    ("unreadable-file", || linked("b/link", "link", true), || linked("b/link", "../a/file", true)),
    ("changed-while-read", || read_while(true), || read_while(false)),
    ("dangling-link", || linked("b/link", "nowhere", false), || linked("b/link", "../a/file", false)),
    (
        "line-not-understood",
        || by_command(&["workload", "--arch", "gfx900", "fixtures/workload/program.log"]),
        || by_command(&["workload", "--arch", "gfx900", "fixtures/workload/calls.jsonl"]),
    ),
    // code
    (
        "names-disagree",
        || in_files(&[("Kernels.so-000-gfx900.hsaco", &code_object())]),
        || in_files(&[("Kernels.so-000-gfx906.hsaco", &code_object())]),
    ),
    (
        "fused-target-names",
        || in_files(&[("libtensorflow_framework.so.2", b"\x7fELF\x02\0gfx1030gfx1100\0")]),
        || in_files(&[("libtensorflow_framework.so.2", b"\x7fELF\x02\0gfx1030\0gfx1100\0")]),
    ),
    (
        "found-by-search",
        || in_files(&[("x.mxr", &[b"\x81\xa4code", &code_object()[..]].concat())]),
        || in_files(&[("x.mxr", &[b"\x81\xa4code", &code_object()[4..]].concat())]),
    ),
    ("cache-entry-broken", || trees::triton_cache(false, "3.9.0"), || trees::triton_cache(true, "3.9.0")),
    ("cache-stale", || trees::triton_cache(true, "3.8.1"), || trees::triton_cache(true, "3.9.0")),
    ("target-not-listed", || trees::tensorflow_lists("gfx1030"), || trees::tensorflow_lists("gfx906")),
    (
        "xnack-states-differ",
        || trees::two_states(GFX90A[0], GFX90A[1]),
        || trees::two_states(GFX90A[2], GFX90A[2]),
    ),
    ("xnack-fixed-for-apu", || trees::gfx90c(0x200), || trees::gfx90c(0x100)),
    ("variants-differ", || trees::two_variants(0x41), || trees::two_variants(0x36)),
    (
        "convolutions-unversioned-missing",
        || trees::convolutions("libMIOpenCKGroupedConv_gfx906.so.1.0"),
        || trees::convolutions("libMIOpenCKGroupedConv_gfx906.so"),
    ),
    ("firmware-with-fault", || trees::firmware(0x83), || trees::firmware(0x92)),
    ("registers-beyond-work-group", || trees::vector_registers(129), || trees::vector_registers(128)),
    ("much-private-memory", || trees::private_memory(32 << 10), || trees::private_memory((32 << 10) - 16)),
    // gfx906 has no matrix instructions.
    ("words-of-no-instruction", || trees::decoded_as(0x2f), || trees::decoded_as(0x4c)),
    ("magic-in-compressed-bytes", || trees::skipped_bytes(b"CCOB"), || trees::skipped_bytes(b"CCOC")),
    ("database-without-code", || trees::database_for("gfx908"), || trees::database_for("gfx906")),
    // linking
    (
        "needed-of-another-release",
        || trees::program_beside("libamdhip64.so.7"),
        || trees::program_beside("libamdhip64.so.6"),
    ),
    ("symbol-unresolved", || trees::hsa_exports("hsa_init"), || trees::hsa_exports("hsa_amd_vmem_map")),
    ("device-stub-undefined", || trees::stub(false), || trees::stub(true)),
    (
        "runtimes-of-two-releases",
        || trees::two_runtimes("libamdhip64.so.7"),
        || trees::two_runtimes("libamdhip64.so.6"),
    ),
    ("path-with-blank", || trees::library_in("my venv/lib"), || trees::library_in("my-venv/lib")),
    (
        "code-objects-too-new",
        || trees::version_six_beside("libamdhip64.so.6.2.41134"),
        || trees::version_six_beside("libamdhip64.so.6.3.42131"),
    ),
    ("runtime-without-target", || trees::hsa_names("gfx908"), || trees::hsa_names("gfx906")),
    ("built-for-cuda", || trees::linked_with_cuda(true), || trees::linked_with_cuda(false)),
    (
        "needed-not-here",
        || trees::rocblas_beside("libhipblas.so.2"),
        || trees::rocblas_beside("librocblas.so.4"),
    ),
    ("runpath-absolute", || trees::looks_in("/opt/rocm-7.2.4/lib"), || trees::looks_in("$ORIGIN/../lib")),
    ("images-judged-together", || trees::images(2), || trees::images(1)),
    // kpack
    ("kpack-archive-missing", || trees::archived(&[]), || trees::archived(&["demo_gfx906"])),
    (
        "kpack-variables-missing",
        || trees::moved_and_registers("__hipRegisterVar"),
        || trees::moved_and_registers("__hipRegisterFunction"),
    ),
    (
        "kpack-archive-without-code",
        || by_command(&["fixtures/containers/kpack/bin"]),
        || trees::archived(&["demo_gfx906"]),
    ),
    (
        "kpack-archive-hidden",
        || trees::archived(&["demo_gfx906", "overlay_gfx906"]),
        || trees::archived(&["demo_gfx906"]),
    ),
    (
        "kpack-archive-orphaned",
        || trees::archived_as(&[("demo_gfx1100", "demo_gfx1100"), ("demo_gfx906", "demo906")]),
        || trees::archived(&["demo_gfx1100", "demo_gfx906"]),
    ),
    // waste
    ("duplicate-code-objects", || two_objects("v4_gfx906"), || two_objects("v3_gfx906")),
    ("debug-information", || with_section(".debug_x"), || with_section(".comment")),
    ("uncompressed-bundles", || compressed(false), || compressed(true)),
    ("padding", || bodies_at(4096), || bodies_at(1)),
    // tensile
    ("master-catalog-missing", || rocblas(|f| f.remove(MASTER)), || rocblas(|_| {})),
    ("master-catalog-unreadable", || rocblas(|f| f.truncate(MASTER)), || rocblas(|_| {})),
    ("catalog-missing", || rocblas(|f| f.remove(&own("dat"))), || rocblas(|_| {})),
    (
        "catalog-unreadable",
        || rocblas(|f| f.replace(&own("dat"), "Euclidean", "Euclideon")),
        || rocblas(|_| {}),
    ),
    (
        "catalog-nested",
        || rocblas(|f| f.copy(MASTER, &own("dat"))),
        || rocblas(|f| f.copy(&own("dat"), &own("dat.old"))),
    ),
    ("code-object-missing", || rocblas(|f| f.remove(&own("co"))), || rocblas(|_| {})),
    (
        "code-object-refused",
        || rocblas(|f| f.copy(&format!("{SS}_gfx90a.co"), &own("co"))),
        || rocblas(|_| {}),
    ),
    ("code-object-unreadable", || rocblas(|f| f.truncate(&own("co"))), || rocblas(|_| {})),
    (
        "kernel-missing",
        || rocblas(|f| f.replace(&own("co"), "Cijk_Ailk_Bljk", "Dijk_Ailk_Bljk")),
        || rocblas(|_| {}),
    ),
    ("helper-missing", || rocblas(|f| f.remove(HELPERS)), || rocblas(|_| {})),
    ("helper-kernel-missing", || rocblas(|f| f.replace(HELPERS, "Cijk_S", "Dijk_S")), || rocblas(|_| {})),
    (
        "solution-index-twice",
        || rocblas(|f| index_of_other(f, 0)),
        || rocblas(|f| index_of_other(f, 1 << 12)),
    ),
    (
        "solution-index-of-another-target",
        || rocblas(|f| indices_of(f, 0x906)),
        || rocblas(|f| indices_of(f, 0x900)),
    ),
    (
        "mapping-wrong",
        || hipblaslt_with(|name, v| map_from(name, v, 11)),
        || hipblaslt_with(|name, v| map_from(name, v, 10)),
    ),
    ("ext-op-missing", || hipblaslt_with(rename_softmax), || hipblaslt_with(|_, value| value)),
    ("transform-missing", || with_transform("v5_gfx1030"), || with_transform("v5_gfx90a_heavy")),
    ("answer-depends-on-history", || of_target("gfx90a", |_| {}), || of_target("gfx90a", without_beta)),
    (
        "catalog-orphaned",
        || rocblas(|f| f.copy(&own("dat"), &other("dat"))),
        || rocblas(|f| f.copy(&own("dat"), "notes.dat")),
    ),
    (
        "code-object-orphaned",
        || rocblas(|f| f.copy(&own("co"), &other("co"))),
        || rocblas(|f| f.copy(&own("co"), "notes.co")),
    ),
    (
        "target-not-served",
        || by_command(&["tensile", "--arch", "gfx1201", "fixtures/tensile/library"]),
        || by_command(&["tensile", "--arch", "gfx900", "fixtures/tensile/library"]),
    ),
    ("several-targets", || rocblas(|_| {}), || rocblas(|f| f.keep(&["gfx900", "fallback.dat"]))),
    ("no-native-catalogs", || of_target("gfx1010", |_| {}), || of_target("gfx900", |_| {})),
    ("folder-of-another-release", || library_over("librocblas.so.4.4"), || library_over("librocblas.so.0.1")),
    ("table-empty", || rocblas(|f| f.edit(&second(), empty_tables)), || rocblas(|_| {})),
    ("solution-unreachable", || rocblas(|f| f.edit(&second(), empty_tables)), || rocblas(|_| {})),
    (
        "kernel-twins",
        || of_target("gfx900", |f| f.copy(&own("co"), &second().replace(".dat", ".co"))),
        || of_target("gfx900", |_| {}),
    ),
    (
        "kernel-orphaned",
        || rocblas(|f| f.replace(&own("co"), "Cijk_Ailk_Bljk", "Dijk_Ailk_Bljk")),
        || rocblas(|_| {}),
    ),
    (
        "node-unknown",
        || hipblaslt_with(|n, v| node(n, v, "Prediction")),
        || hipblaslt_with(|n, v| node(n, v, "Matching")),
    ),
    (
        "library-folder-missing",
        || trees::rocblas_with_folder(None),
        || trees::rocblas_with_folder(Some("gfx906")),
    ),
    (
        "catalogs-without-own-code",
        || trees::rocblas_with_folder(Some("gfx900")),
        || trees::rocblas_with_folder(Some("gfx906")),
    ),
    (
        "catalog-of-another-target",
        || rocblas(|f| f.copy(MASTER, "TensileLibrary_lazy_gfx1010.dat")),
        || rocblas(|f| f.copy(MASTER, "notes.dat")),
    ),
    (
        "manifest-file-missing",
        || rocblas(|f| f.write("TensileManifest.txt", "library/TensileLibrary_lazy_gfx803.dat\n")),
        || rocblas(|f| f.write("TensileManifest.txt", "library/TensileLibrary_lazy_gfx900.dat\n")),
    ),
    (
        "revision-folder-missing",
        || trees::revision_beside("gfx1250v1"),
        || trees::revision_beside("gfx1250v0"),
    ),
    // miopen
    ("miopen-swapped-height-width", || vega64("gfx900_64"), || vega64("gfx803_36")),
    ("miopen-copied-measurements", || polaris_beside("gfx900_64"), || polaris_beside("gfx900_56")),
    (
        "miopen-zero-time",
        || find_db(&[&line(1, "GemmFwd1x1_0_1:0")]),
        || find_db(&[&line(1, "GemmFwd1x1_0_1:0.01")]),
    ),
    ("miopen-malformed-key", || three_dimensional("0x0", "NCDHW"), || three_dimensional("0x0x0", "NCDHW")),
    ("miopen-3d-layout", || three_dimensional("0x0x0", "NCHW"), || three_dimensional("0x0x0", "NCDHW")),
    (
        "miopen-ill-formed-record",
        || find_db(&[&line(1, FAST).replace('=', " ")]),
        || find_db(&[&line(1, FAST), "", ""]),
    ),
    (
        "miopen-duplicate-key",
        || find_db(&[&line(1, FAST), &line(1, FAST)]),
        || find_db(&[&line(1, FAST), &line(2, FAST)]),
    ),
    (
        "miopen-retired-solver",
        || find_db(&[&line(1, "ConvOclDirectFwd3x3:1")]),
        || find_db(&[&line(1, "ConvOclDirectFwd:1")]),
    ),
    ("miopen-dead-perf-row", || perf_db("1"), || perf_db("4")),
    ("miopen-impossible-name", || find_db_named("gfx110136"), || find_db_named("gfx1101_54")),
    ("miopen-no-perf-db", || vega64_with("gfx900_56.db.txt"), || vega64_with("gfx900_64.db.txt")),
    (
        "miopen-lfs-pointer",
        || kernel_db("miopen/gfx900.kdb"),
        || kernel_db("rocm/share/miopen/db/gfx900.kdb"),
    ),
    // answer
    (
        "xf32-computed-in-float",
        || gemm(&["-m", "64", "-n", "64", "-k", "64", "--xf32"]),
        || gemm(&["-m", "64", "-n", "64", "-k", "64"]),
    ),
    ("launch-grid-cut", || gemm(&batch("4194304")), || gemm(&batch("4194303"))),
    ("solution-without-kernel", || gemm_in(|f| f.remove(&own("co"))), || gemm_in(|_| {})),
    ("operation-refused", || attention(&["--dk", "100"]), || attention(&["--dk", "96"])),
    ("experts-by-host", || product("gfx900", "iq1_m", &EXPERTS), || product("gfx900", "q4_K", &EXPERTS)),
    (
        "model-part-missing",
        || by_command(&["model", "--arch", "gfx900", "fixtures/model/alone-00001-of-00002.gguf"]),
        || by_command(&["model", "--arch", "gfx900", "fixtures/model/split-00001-of-00002.gguf"]),
    ),
    (
        "model-config-missing",
        || by_command(&["model", "--arch", "gfx900", "fixtures/model/hf/alone"]),
        || by_command(&["model", "--arch", "gfx900", "fixtures/model/hf/novel"]),
    ),
    (
        "model-quantization-refused",
        || by_command(&["model", "--arch", "gfx900", "fixtures/model/hf/awq"]),
        || by_command(&["model", "--arch", "gfx900", "fixtures/model/hf/gptq"]),
    ),
    ("rule-carried-over", || attention(&["--version", "0.15.0"]), || attention(&["--version", "0.21.0"])),
    (
        "target-without-code",
        || product("gfx1201", "q4_K", &["--ne11", "1"]),
        || product("gfx1100", "q4_K", &["--ne11", "1"]),
    ),
    ("symbols-stripped", || changed_backend(elf::strip_code_objects), || changed_backend(|_| {})),
    ("content-not-examined", || changed_backend(moved_code), || changed_backend(|_| {})),
    (
        "trap-stub",
        || product("gfx1100", "q4_K", &["--ne11", "16"]),
        || product("gfx1100", "q4_K", &["--ne11", "512"]),
    ),
    (
        "kernel-absent",
        || product("gfx1100", "q6_K", &["--ne11", "1"]),
        || product("gfx1100", "q4_K", &["--ne11", "1"]),
    ),
    (
        "register-spills",
        || changed_backend(|bytes| spills(bytes, 5)),
        || changed_backend(|bytes| spills(bytes, 0)),
    ),
    (
        "rules-of-nearest-version",
        || attention(&["--version", "0.24.0"]),
        || attention(&["--version", "0.27.0"]),
    ),
    ("solver-check-missing", || with_library("18ConvBinWinogradRxS"), || with_library("14ConvBinWinoRxS")),
    (
        "record-without-solver",
        || recorded("FP32", "ConvOclDirectFwd3x3:1"),
        || recorded("FP32", "ConvDirectNaiveConvFwd:1"),
    ),
    (
        "no-fallback-solver",
        || recorded("INT8", "ConvDirectNaiveConvFwd:1"),
        || recorded("FP32", "ConvDirectNaiveConvFwd:1"),
    ),
    (
        "no-database",
        || convolution("56", &[("notes.txt", b"")], &key("FP32")),
        || convolution("56", &[(DEVICE, b"")], &key("FP32")),
    ),
    (
        "nearest-database-unreachable",
        || convolution("60", &[(DEVICE, b"")], &key("FP32")),
        || convolution("56", &[(DEVICE, b"")], &key("FP32")),
    ),
    ("mirrored-record", || of_mirror("gfx900_64"), || of_mirror("gfx803_36")),
    ("gemm-not-answered", || product_of_convolution(false), || product_of_convolution(true)),
    (
        "variable-not-modelled",
        || with_variable("MIOPEN_LOG_LEVEL=6"),
        || with_variable("MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=0"),
    ),
    (
        "fill-without-catalog",
        || matmul_in(&["-m", "100", "-n", "100", "-k", "100"], Some("TensileLibrary_I8I8")),
        || matmul_in(&["-m", "256", "-n", "256", "-k", "256"], Some("TensileLibrary_I8I8")),
    ),
    (
        "choice-not-known",
        || matmul("gfx942", &["--type", "f16", "-m", "65", "-n", "64", "-k", "64"]),
        || matmul("gfx942", &["--type", "f16", "-m", "64", "-n", "64", "-k", "64"]),
    ),
    (
        "algorithm-order-undetermined",
        || matmul("gfx1151", &["--type", "f32", "-m", "100", "-n", "100", "-k", "100"]),
        || matmul("gfx1151", &["--type", "f32", "-m", "256", "-n", "256", "-k", "256"]),
    ),
    ("matmul-depends-on-history", || biased("f64"), || biased("f32")),
];

// Inputs that cannot be read.

fn in_package(bytes: &[u8]) -> Vec<Seen> {
    in_files(&[("package", bytes)])
}

/// A zip file with one code object, changed.
fn in_zip(change: impl Fn(&mut Member)) -> Vec<Seen> {
    let mut own = member("a.co", code_object());
    change(&mut own);
    in_package(&zip(&[own]))
}

fn database(change: impl Fn(&mut Vec<u8>)) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("rocm/share/miopen/db/gfx1030_36.db")).unwrap();
    change(&mut bytes);
    in_files(&[("gfx1030_36.db", &bytes)])
}

fn transform(change: impl Fn(&mut Vec<u8>)) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("rocm/lib/hipblaslt/library/hipblasltTransform.hsaco")).unwrap();
    change(&mut bytes);
    in_files(&[("x.hsaco", &bytes)])
}

/// Where the last record of a zip file's directory is.
fn last_record(bytes: &[u8]) -> usize {
    bytes.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap()
}

fn twice(first: &'static str, second: &'static str) -> Vec<u8> {
    zip(&[member(first, code_object()), member(second, code_object())])
}

/// Two members; the second record of the directory points at the first of them.
fn overlapping(yes: bool) -> Vec<u8> {
    let mut bytes = twice("a.co", "b.co");
    if yes {
        let at = last_record(&bytes);
        bytes[at + 42..at + 46].fill(0);
    }
    bytes
}

fn packed_by(method: u8) -> Vec<u8> {
    let mut bytes = zip(&[member("a.co", code_object())]);
    let at = last_record(&bytes);
    (bytes[8], bytes[at + 10]) = (method, method);
    bytes
}

fn nested(packages: usize) -> Vec<u8> {
    let inner = zip(&[member("a.co", code_object())]);
    (1..packages).fold(inner, |bytes, _| zip(&[member("inner.zip", bytes)]))
}

/// A compressed bundle whose header is changed to state this many bytes; 0 leaves it.
fn states_to_inflate_to(bytes: u64) -> Vec<Seen> {
    let mut file = fs::read(fixture("rocm/lib/ccob/v3-zlib.hsaco")).unwrap();
    if bytes > 0 {
        file[16..24].copy_from_slice(&bytes.to_le_bytes());
    }
    in_files(&[("x.hsaco", &file)])
}

/// Small compressed bundles, each of which inflates to a table of a megabyte.
fn large_tables(count: usize) -> Vec<Seen> {
    let mut table = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    table.extend(BUNDLE_ENTRIES.to_le_bytes());
    for _ in 0..BUNDLE_ENTRIES {
        [2u64 << 20, 0, 256].iter().for_each(|field| table.extend(field.to_le_bytes()));
        table.extend([b'x'; 256]);
    }
    table.resize(2 << 20, 0);
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&table).unwrap();
    let payload = encoder.finish().unwrap();
    let mut one = b"CCOB\x02\0\0\0".to_vec();
    one.extend((payload.len() as u32 + 24).to_le_bytes());
    one.extend((table.len() as u32).to_le_bytes());
    one.extend([0; 8]);
    one.extend(payload);
    in_files(&[("x.hsaco", &one.repeat(count))])
}

fn entries(count: usize) -> Vec<Seen> {
    in_files(&[("x.hsaco", &bundle(&vec![b"".as_slice(); count], 1))])
}

/// What a tree of `a/file` and `b`, with a symbolic link in it, gives.
#[cfg(unix)]
fn linked(link: &str, to: &str, follow_links: bool) -> Vec<Seen> {
    let tree = folder(&[("a/file", b"text"), ("b/file", b"text")]);
    std::os::unix::fs::symlink(to, tree.path().join(link)).unwrap();
    in_tree(tree.path(), &Options { follow_links, ..Options::default() })
}

#[cfg(not(unix))]
fn linked(_: &str, _: &str, _: bool) -> Vec<Seen> {
    Vec::new()
}

/// What a folder with a link to a file of another folder gives.
#[cfg(unix)]
fn linked_out(name: &str) -> Vec<Seen> {
    let outside = folder(&[("v4_gfx906.hsaco", &code_object()), ("text.txt", b"text")]);
    let tree = folder(&[("file", b"text")]);
    std::os::unix::fs::symlink(outside.path().join(name), tree.path().join("link")).unwrap();
    in_tree(tree.path(), &Options::default())
}

/// What a folder gives in which a program made something.
#[cfg(unix)]
fn in_special(program: &str) -> Vec<Seen> {
    let tree = folder(&[("file", b"text")]);
    let made = std::process::Command::new(program).arg(tree.path().join("made")).status().unwrap();
    assert!(made.success());
    in_tree(tree.path(), &Options::default())
}

#[cfg(not(unix))]
fn linked_out(_: &str) -> Vec<Seen> {
    Vec::new()
}

#[cfg(not(unix))]
fn in_special(_: &str) -> Vec<Seen> {
    Vec::new()
}

/// A file is opened, written to or not, and then read.
fn read_while(written: bool) -> Vec<Seen> {
    let tree = folder(&[("x.hsaco", &code_object())]);
    let path = tree.path().join("x.hsaco");
    let open = DeviceFile::open(&path).unwrap();
    if written {
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more").unwrap();
    }
    let code = device_file::read(&open, &FileOptions::default(), &mut |_| {});
    fatbin::file(&code, &[]).findings.iter().map(Seen::from).collect()
}

// Bytes that need not be there.

/// A folder of hipBLASLt for gfx90a whose kernels for layouts are those of a code object.
fn with_transform(object: &str) -> Vec<Seen> {
    let code = fs::read(fixture(&format!("rocm/lib/codeobject/{object}.hsaco"))).unwrap();
    let found = hipblaslt_and(&[("hipblasltTransform.hsaco", &code)], |_, value| value);
    found.findings.iter().map(Seen::from).collect()
}

/// rocBLAS's library of this name over a folder with one catalog for everything.
fn library_over(name: &str) -> Vec<Seen> {
    let files: [(&str, &[u8]); 2] =
        [(&format!("lib/{name}"), b"\x7fELF"), ("lib/rocblas/library/TensileLibrary.dat", &[0x80])];
    let tree = folder(&files);
    by_command(&["tensile", tree.path().to_str().unwrap()])
}

fn two_objects(second: &str) -> Vec<Seen> {
    let second = fs::read(fixture(&format!("rocm/lib/codeobject/{second}.hsaco"))).unwrap();
    in_files(&[("a.hsaco", &code_object()), ("b.hsaco", &second)])
}

/// A code object whose section `.comment` has another name of the same length.
fn with_section(name: &str) -> Vec<Seen> {
    let mut bytes = code_object();
    let at = memchr::memmem::find(&bytes, b".comment\0").unwrap();
    bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
    in_files(&[("x.hsaco", &bytes)])
}

/// The same bundle as it is stored, and inflated.
fn compressed(yes: bool) -> Vec<Seen> {
    let stored = fs::read(fixture("containers/ccob/v2-zlib.co")).unwrap();
    let mut plain = Vec::new();
    flate2::read::ZlibDecoder::new(&stored[24..]).read_to_end(&mut plain).unwrap();
    in_files(&[("x.co", if yes { &stored } else { &plain })])
}

/// A bundle of bitcode, which has no padding of its own.
fn bodies_at(align: usize) -> Vec<Seen> {
    in_files(&[("x.hsaco", &bundle(&[b"BC\xc0\xde one", b"BC\xc0\xde two"], align))])
}

// Library folders.

const MASTER: &str = "TensileLibrary_lazy_gfx900.dat";
const HELPERS: &str = "Kernels.so-000-gfx900.hsaco";

/// The file of the master catalog that the tests break, with its code object.
fn own(extension: &str) -> String {
    format!("{SS}_gfx900.{extension}")
}

/// The same of a type for which there is none.
fn other(extension: &str) -> String {
    own(extension).replace("_SS_", "_ZZ_")
}

/// The other catalog of the target.
fn second() -> String {
    own("dat").replace("Bljk", "Bjlk")
}

fn of_target(target: &str, change: impl Fn(&Folder)) -> Vec<Seen> {
    let folder = Folder::new();
    change(&folder);
    let found = consistency::check(folder.0.path(), Owner::RocBlas, &[target.to_owned()]).unwrap();
    found.findings.iter().map(Seen::from).collect()
}

fn rocblas(change: impl Fn(&Folder)) -> Vec<Seen> {
    let folder = Folder::new();
    change(&folder);
    folder.check().findings.iter().map(Seen::from).collect()
}

fn hipblaslt_with(change: impl Fn(&str, Value) -> Value) -> Vec<Seen> {
    hipblaslt(change).findings.iter().map(Seen::from).collect()
}

fn first_index(folder: &Folder, name: &str) -> u64 {
    let bytes = fs::read(folder.path(name)).unwrap();
    let mut catalog = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
    let Value::Array(solutions) = get(&mut catalog, "solutions") else { panic!("no solutions") };
    get(&mut solutions[0], "index").as_u64().unwrap()
}

/// Gives the first solution the index of one of the other catalog, or one that is `beyond` it.
fn index_of_other(folder: &Folder, beyond: u64) {
    let (own_index, taken) = (first_index(folder, &own("dat")), first_index(folder, &second()));
    folder.edit(&own("dat"), |catalog| bump(catalog, own_index, taken + beyond));
}

fn indices_of(folder: &Folder, target: u64) {
    folder.edit(&own("dat"), |catalog| {
        for index in 0x900u64 << 18..(0x900 << 18) + 64 {
            bump(catalog, index, (target << 18) + (index & 0x3ffff));
        }
    });
}

fn empty_tables(catalog: &mut Value) {
    clear_tables(get(catalog, "library"));
}

/// Takes the predicates on beta and on C being D from the one catalog that has them.
fn without_beta(folder: &Folder) {
    folder.edit("TensileLibrary_Type_DD_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx90a.dat", |catalog| {
        let Value::Array(solutions) = get(catalog, "solutions") else { panic!("no solutions") };
        for solution in solutions {
            let Value::Array(all) = get(get(solution, "problemPredicate"), "value") else {
                panic!("no list")
            };
            all.retain_mut(|one| !matches!(get(one, "type").as_str(), Some("BetaValue" | "CEqualsD")));
        }
    });
}

/// hipBLASLt's mapping, the second catalog of which begins with this solution.
fn map_from(name: &str, mut value: Value, first: u64) -> Value {
    if name.contains("Mapping") {
        let Value::Map(pairs) = &mut value else { panic!("no mapping") };
        pairs[1].0 = Value::from(first);
    }
    value
}

fn rename_softmax(name: &str, mut value: Value) -> Value {
    if name.contains("ExtOp") {
        let softmax = get(get(get(&mut value, "gfx90a"), "Softmax"), "S");
        let Value::Array(kernels) = softmax else { panic!("no kernels") };
        *get(&mut kernels[0], "func_name") = "not_there".into();
    }
    value
}

/// A catalog of hipBLASLt whose library is a node of this type.
fn node(name: &str, mut value: Value, ty: &str) -> Value {
    if name.contains("_SS_") {
        *get(get(&mut value, "library"), "type") = ty.into();
    }
    value
}

// Databases of MIOpen.

/// An item of a record that is in order.
const FAST: &str = "GemmFwd1x1_0_1:0.5";

const DEVICE: &str = "gfx900_56.HIP.fdb.txt";

fn key(ty: &str) -> String {
    format!("64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-{ty}-F")
}

/// A record of a problem of `n` images: a solver and its time, as in `ConvAsm1x1U:0.5`.
fn line(n: u32, item: &str) -> String {
    format!("16-7-7-1x1-16-7-7-{n}-0x0-1x1-1x1-0-NCHW-FP32-F={item},0,miopenConvolutionFwdAlgoGEMM")
}

fn databases(files: &[(&str, &[u8])]) -> Vec<Seen> {
    check::check(folder(files).path()).unwrap().findings.iter().map(Seen::from).collect()
}

fn find_db(lines: &[&str]) -> Vec<Seen> {
    databases(&[(DEVICE, lines.join("\n").as_bytes())])
}

fn find_db_named(base: &str) -> Vec<Seen> {
    databases(&[(&format!("{base}.HIP.fdb.txt"), line(1, FAST).as_bytes())])
}

/// The measurements of a fixture.
fn measured(base: &str) -> Vec<u8> {
    fs::read(fixture(&format!("miopen/{base}.HIP.fdb.txt"))).unwrap()
}

/// A Vega 64 with the measurements of a fixture; those of gfx803_36 are its own the right way round.
fn vega64(of: &str) -> Vec<Seen> {
    databases(&[("gfx900_64.HIP.fdb.txt", &measured(of))])
}

/// Polaris, which has those of the Vega 64, beside a Vega with those of a fixture.
fn polaris_beside(of: &str) -> Vec<Seen> {
    databases(&[("gfx803_36.HIP.fdb.txt", &measured("gfx803_36")), ("gfx900_64.HIP.fdb.txt", &measured(of))])
}

fn vega64_with(perf_db: &str) -> Vec<Seen> {
    let tuned = fs::read(fixture("miopen/gfx900_56.db.txt")).unwrap();
    databases(&[("gfx900_64.HIP.fdb.txt", &measured("gfx803_36")), (perf_db, &tuned)])
}

fn three_dimensional(pad: &str, layout: &str) -> Vec<Seen> {
    find_db(&[&format!(
        "16-4-7-7-1x1x1-16-4-7-7-1-{pad}-1x1x1-1x1x1-0-{layout}-FP32-F={FAST},0,miopenConvolutionFwdAlgoGEMM"
    )])
}

/// Parameters of a solver for a problem with this many groups.
fn perf_db(groups: &str) -> Vec<Seen> {
    let config = format!("2x16x7x7x1x1x1x1x16x1x0x0x0x1x1x0x1x1x0x0x{groups}xNCHWxFP32xF");
    databases(&[("gfx900_56.db.txt", format!("{config}=ConvBinWinogradRxSf2x3:8\n").as_bytes())])
}

fn kernel_db(of: &str) -> Vec<Seen> {
    databases(&[("gfx900.kdb", &fs::read(fixture(of)).unwrap())])
}

// Answers of `select`.

const BACKEND: &str = "fixtures/ggml/plain/libggml-hip.so";
const EXPERTS: [&str; 6] = ["--ne11", "64", "--experts", "8", "--used", "2"];

fn gemm(words: &[&str]) -> Vec<Seen> {
    let call = ["select", "gemm", "--arch", "gfx900", "--cu", "64", "--root", "fixtures/tensile"];
    by_command(&[&call[..], words].concat())
}

fn matmul(target: &str, words: &[&str]) -> Vec<Seen> {
    let call = ["select", "matmul", "--arch", target, "--trans", "TN", "--root", HIPBLASLT];
    by_command(&[&call[..], words].concat())
}

/// A product with a bias of a type that no kernel has, or of one that they have.
fn biased(ty: &str) -> Vec<Seen> {
    let call = ["--type", "f16", "-m", "64", "-n", "64", "-k", "64", "--epilogue", "bias", "--bias-type", ty];
    matmul("gfx1151", &call)
}

/// A product of FP32 by a folder that lacks the files of this beginning.
fn matmul_in(words: &[&str], lacks: Option<&str>) -> Vec<Seen> {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("hipblaslt/library");
    fs::create_dir_all(&library).unwrap();
    for entry in fs::read_dir(fixture("hipblaslt/library")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if !lacks.is_some_and(|lacks| name.starts_with(lacks)) {
            fs::copy(entry.path(), library.join(name)).unwrap();
        }
    }
    let call = ["select", "matmul", "--arch", "gfx1151", "--trans", "TN", "--type", "f32", "--root"];
    by_command(&[&call[..], &[folder.path().to_str().unwrap()], words].concat())
}

/// A product with a split sum, whose helper takes a work item for each element of so many matrices of 1,024.
fn batch(count: &str) -> [&str; 8] {
    ["-m", "32", "-n", "32", "-k", "4096", "--batch-count", count]
}

fn gemm_in(change: impl Fn(&Folder)) -> Vec<Seen> {
    let folder = Folder::new();
    change(&folder);
    let call =
        ["select", "gemm", "--arch", "gfx900", "--cu", "64", "-m", "64", "-n", "64", "-k", "64", "--root"];
    by_command(&[&call[..], &[folder.0.path().to_str().unwrap()]].concat())
}

fn product(target: &str, ty: &str, words: &[&str]) -> Vec<Seen> {
    by_command(&[&["select", "mul-mat", "--arch", target, "--type", ty], words, &[BACKEND]].concat())
}

fn attention(words: &[&str]) -> Vec<Seen> {
    by_command(&[&["select", "flash-attn", "--arch", "gfx900", "--nq", "1"], words, &[BACKEND]].concat())
}

/// A product with a kernel that the backend has, asked of a changed copy of it.
fn changed_backend(change: impl Fn(&mut [u8])) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("ggml/plain/libggml-hip.so")).unwrap();
    change(&mut bytes);
    let tree = folder(&[("libggml-hip.so", &bytes)]);
    let path = tree.path().join("libggml-hip.so");
    let call = ["select", "mul-mat", "--arch", "gfx900", "--type", "q4_K", "--ne11", "1"];
    by_command(&[&call[..], &[path.to_str().unwrap()]].concat())
}

/// A section of device code whose bytes are elsewhere.
fn moved_code(bytes: &mut [u8]) {
    elf::without_bytes(bytes, ".comment", ".hip_fatbin");
}

/// Has the metadata of every kernel state so many spilled registers.
fn spills(bytes: &mut [u8], count: u8) {
    let name = b".vgpr_spill_count";
    let found: Vec<usize> = memchr::memmem::find_iter(bytes, name).map(|at| at + name.len()).collect();
    assert!(!found.is_empty());
    for at in found {
        assert_eq!(bytes[at], 0);
        bytes[at] = count;
    }
}

fn convolution(units: &str, files: &[(&str, &[u8])], key: &str) -> Vec<Seen> {
    let tree = folder(files);
    let call = ["select", "conv", "--arch", "gfx900", "--cu", units, "--key", key, "--root"];
    by_command(&[&call[..], &[tree.path().to_str().unwrap()]].concat())
}

/// A problem that is asked in an environment.
fn with_variable(variable: &str) -> Vec<Seen> {
    let tree = folder(&[(DEVICE, b"")]);
    let key = key("FP32");
    let call =
        ["select", "conv", "--arch", "gfx900", "--cu", "56", "--key", &key, "--env", variable, "--root"];
    by_command(&[&call[..], &[tree.path().to_str().unwrap()]].concat())
}

/// A problem of which this solver and time is recorded.
fn recorded(ty: &str, item: &str) -> Vec<Seen> {
    let record = format!("{}={item},0,miopenConvolutionFwdAlgoDirect\n", key(ty));
    convolution("56", &[(DEVICE, record.as_bytes())], &key(ty))
}

const PROBLEM: &str = "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B";

/// A build of MIOpen with this name among its symbols; ConvBinWinogradRxSf3x2 is taken.
fn with_library(name: &str) -> Vec<Seen> {
    let record = format!("{PROBLEM}=ConvBinWinogradRxSf3x2:1,0,miopenConvolutionBwdDataAlgoWinograd\n");
    let names = format!("\0librocblas.so.4\0_ZN6miopen6solver4conv{name}E\0N2ck\0");
    let library = elf::library(&[(".dynstr", names.as_bytes())]);
    convolution("56", &[(DEVICE, record.as_bytes()), ("libMIOpen.so.1", &library)], PROBLEM)
}

/// A problem that is not square, asked of the measurements of a fixture.
fn of_mirror(of: &str) -> Vec<Seen> {
    let key = "1-161-700-5x20-32-79-341-1-0x0-2x2-1x1-0-NCHW-FP32-F";
    convolution("56", &[(DEVICE, &measured(of))], key)
}

/// A problem for which a GEMM solver is taken, in a tree with or without rocBLAS.
fn product_of_convolution(with_rocblas: bool) -> Vec<Seen> {
    let record = format!("{PROBLEM}=GemmBwdRest:1,0,miopenConvolutionBwdDataAlgoGEMM\n");
    let catalogs = Folder::new();
    let mut files = vec![(format!("share/miopen/db/{DEVICE}"), record.into_bytes())];
    for entry in fs::read_dir(catalogs.0.path()).unwrap().filter(|_| with_rocblas) {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        files.push((format!("lib/rocblas/library/{name}"), fs::read(entry.path()).unwrap()));
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    convolution("56", &files, PROBLEM)
}

// What holds for all of them.

#[test]
fn every_rule_is_found_and_its_look_alike_is_not() {
    let mut wrong = Vec::new();
    for (id, positive, negative) in ROWS {
        if cfg!(not(unix)) && LINKS.contains(id) {
            continue;
        }
        let found = positive();
        match found.iter().find(|seen| seen.id == *id) {
            None => wrong.push(format!("{id} is not found where it is: {found:?}")),
            Some(seen) if seen.placed == SUMS.contains(id) => {
                wrong.push(format!(
                    "{id}: a place or target is {}expected",
                    if seen.placed { "not " } else { "" }
                ));
            }
            Some(_) => {}
        }
        if negative().iter().any(|seen| seen.id == *id) {
            wrong.push(format!("{id} is found where it is not"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_row_and_every_row_a_rule() {
    let rules: Vec<&str> = RULES.iter().map(|(_, rule)| rule.id).collect();
    let rows: Vec<&str> = ROWS.iter().map(|(id, ..)| *id).collect();
    assert_eq!(rows, rules, "in the order of the registry");
    let unique: BTreeSet<&str> = rules.iter().copied().collect();
    assert_eq!(unique.len(), rules.len(), "two rules have the same id");
}

/// Names of the files of a folder, without their extension.
fn stems(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_file_is_a_rule_and_every_id_fits_its_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for topic in TOPICS {
        let of_topic = || RULES.iter().filter(|(name, _)| *name == topic.name).map(|(_, rule)| rule.id);
        let files = stems(&root.join("src/finding/rules").join(topic.name));
        assert_eq!(files.len(), of_topic().count(), "{}: a file is not listed", topic.name);
        for stem in files {
            let plain = stem.replace('_', "-");
            let long = format!("{}-{plain}", topic.name);
            assert!(of_topic().any(|id| id == plain || id == long), "{}/{stem}.rs: no such id", topic.name);
        }
    }
    let pages = stems(&root.join("docs/rules"));
    let ids: BTreeSet<String> = RULES.iter().map(|(_, rule)| rule.id.to_owned()).collect();
    assert_eq!(pages, ids, "run `cargo xtask rules`");
}

/// What is wrong with a package is said once, by the rule that is for it, and by no other.
#[test]
fn each_fault_of_a_package_has_its_rule() {
    let object = code_object();
    let tarred = tar(&[("a.co", &object)]);
    let (zipped, tar_gz) = (zip(&[member("a.co", object.clone())]), gzip(&tarred));
    let stored = |change: fn(&mut Member)| {
        let mut own = Member { deflated: false, ..member("a.co", code_object()) };
        change(&mut own);
        zip(&[own])
    };
    let cases = [
        ("unsafe-path", tar(&[("../a.co", &object)])),
        ("unsafe-path", gzip(&tar(&[("/a.co", &object)]))),
        ("doubled-name", tar(&[("a.co", &object), ("a.co", &object)])),
        ("doubled-name", gzip(&tar(&[("a.co", &object), ("a.co", &object)]))),
        ("wrong-size", stored(|m| m.size = Some(7))),
        ("wrong-hash", stored(|m| m.crc = Some(7))),
        ("cut-end", zipped[..zipped.len() / 2].to_vec()),
        ("cut-end", tarred[..700].to_vec()),
        ("cut-end", tarred[..tarred.len() - 1024].to_vec()),
        ("cut-end", gzip(&tarred[..700])),
        ("cut-end", gzip(&tarred[..tarred.len() - 1200])),
        ("cut-end", tar_gz[..tar_gz.len() / 2].to_vec()),
        ("cut-end", gzip(&object)[..500].to_vec()),
        ("cut-end", [&tarred[..tarred.len() - 1024], &tarred[..100]].concat()),
        ("encrypted-member", stored(|m| m.flags = 1)),
        (
            "nested-too-deep",
            (0..PACKAGE_DEPTH).fold(tar_gz.clone(), |inner, _| gzip(&tar(&[("x.tar.gz", &inner)]))),
        ),
    ];
    for (number, (id, bytes)) in cases.iter().enumerate() {
        let found = in_package(bytes);
        let damage = |seen: &&Seen| RULES.iter().any(|(_, rule)| rule.id == seen.id && rule.is_damage);
        let ids: BTreeSet<&str> = found.iter().filter(damage).map(|seen| seen.id.as_str()).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), [*id], "case {number}");
    }
    // The zeros in it are a fault of their own.
    assert!(in_package(&bomb()).iter().any(|seen| seen.id == "inflates-too-far"));
}

/// A code object and 64 MiB of zeros behind it in 64 KB, twenty times.
fn bomb() -> Vec<u8> {
    let mut content = code_object();
    content.resize(64 << 20, 0);
    let inner = zip(&[member("a.co", content)]);
    let of = |_| Member { deflated: false, ..member("inner.zip", inner.clone()) };
    let mut members: Vec<Member> = (0..20).map(of).collect();
    const NAMES: [&str; 20] =
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];
    members.iter_mut().zip(NAMES).for_each(|(member, name)| member.name = name);
    zip(&members)
}

/// Packages that are read for an answer have the same rules.
#[test]
fn what_is_read_for_an_answer_names_nesting_too() {
    let tree = folder(&[("package.zip", &nested(PACKAGE_DEPTH + 1))]);
    let wanted = |path: &str| path.ends_with(".co");
    let install = Install::open(&[tree.path().to_owned()], &wanted, &wanted);
    let ids: Vec<&str> = install.faults().iter().map(|fault| fault.rule.id).collect();
    assert_eq!(ids, ["nested-too-deep"]);
    let mut ids = Vec::new();
    let path = tree.path().join("package.zip");
    DeviceFile::open_each(&path, &mut |_| {}, &mut |fault| ids.push(fault.rule.id)).unwrap();
    assert_eq!(ids, ["nested-too-deep"]);
}
