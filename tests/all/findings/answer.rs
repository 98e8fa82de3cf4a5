//! Rules on libraries' choices.

use super::Row;
use super::miopen::{DEVICE, key, measured};
use super::tensile::own;
use crate::common::elf;
use crate::common::fixture;
use crate::common::packages::borrowed;
use crate::common::seen::{Seen, by_command, folder};
use crate::common::tensile::Folder;
use std::fs;

/// The library folder of hipBLASLt.
const HIPBLASLT: &str = "fixtures/hipblaslt";

pub(super) const ROWS: &[Row] = &[
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
    ("convolution-crashes", || patches("1"), || patches("2")),
    ("tuning-model-missing", || narrow_filters("1"), || narrow_filters("3")),
    ("immediate-mode-fails", || with_model("{"), || convolution("56", &[(DEVICE, b"")], &key("FP32"))),
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
    ("choice-not-known", || matmul_with_node("Divination"), || matmul_with_node("Prediction")),
    (
        "algorithm-order-undetermined",
        || matmul("gfx1151", &["--type", "f32", "-m", "100", "-n", "100", "-k", "100"]),
        || matmul("gfx1151", &["--type", "f32", "-m", "256", "-n", "256", "-k", "256"]),
    ),
    ("matmul-depends-on-history", || biased("f64"), || biased("f32")),
];

const BACKEND: &str = "fixtures/ggml/plain/libggml-hip.so";
const EXPERTS: [&str; 6] = ["--ne11", "64", "--experts", "8", "--used", "2"];

fn gemm(words: &[&str]) -> Vec<Seen> {
    let call = ["select", "gemm", "--arch", "gfx900", "--cu", "64", "fixtures/tensile"];
    by_command(&[&call[..], words].concat())
}

fn matmul(target: &str, words: &[&str]) -> Vec<Seen> {
    let call = ["select", "matmul", "--arch", target, "--trans", "TN", HIPBLASLT];
    by_command(&[&call[..], words].concat())
}

/// A product on gfx942 that no table decides, in which the node after the table has this ten-letter name.
fn matmul_with_node(name: &str) -> Vec<Seen> {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("hipblaslt/library");
    fs::create_dir_all(&library).unwrap();
    for entry in fs::read_dir(fixture("hipblaslt/library")).unwrap() {
        let entry = entry.unwrap();
        let mut bytes = fs::read(entry.path()).unwrap();
        if let Some(at) = memchr::memmem::find(&bytes, b"Prediction") {
            bytes[at..at + 10].copy_from_slice(name.as_bytes());
        }
        fs::write(library.join(entry.file_name()), bytes).unwrap();
    }
    let call = ["select", "matmul", "--arch", "gfx942", "--cu", "304", "--trans", "TN", "--type", "f16"];
    let sizes = ["-m", "65", "-n", "64", "-k", "64", folder.path().to_str().unwrap()];
    by_command(&[&call[..], &sizes[..]].concat())
}

/// A product with a bias of a type that no kernel supports, or of a supported one.
fn biased(ty: &str) -> Vec<Seen> {
    let call = ["--type", "f16", "-m", "64", "-n", "64", "-k", "64", "--epilogue", "bias", "--bias-type", ty];
    matmul("gfx1151", &call)
}

/// A product in FP32 with a folder that lacks the files with this prefix.
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
    let call = ["select", "matmul", "--arch", "gfx1151", "--trans", "TN", "--type", "f32"];
    by_command(&[&call[..], &[folder.path().to_str().unwrap()], words].concat())
}

/// A product with a split sum, whose helper kernel needs a work item for each element of this many matrices
/// of 1,024.
fn batch(count: &str) -> [&str; 8] {
    ["-m", "32", "-n", "32", "-k", "4096", "--batch-count", count]
}

fn gemm_in(change: impl Fn(&Folder)) -> Vec<Seen> {
    let folder = Folder::new();
    change(&folder);
    let call = ["select", "gemm", "--arch", "gfx900", "--cu", "64", "-m", "64", "-n", "64", "-k", "64"];
    by_command(&[&call[..], &[folder.0.path().to_str().unwrap()]].concat())
}

fn product(target: &str, ty: &str, words: &[&str]) -> Vec<Seen> {
    by_command(&[&["select", "mul-mat", "--arch", target, "--type", ty], words, &[BACKEND]].concat())
}

fn attention(words: &[&str]) -> Vec<Seen> {
    by_command(&[&["select", "flash-attn", "--arch", "gfx900", "--nq", "1"], words, &[BACKEND]].concat())
}

/// A product with one of the backend's kernels, on a modified copy of the backend.
fn changed_backend(change: impl Fn(&mut [u8])) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("ggml/plain/libggml-hip.so")).unwrap();
    change(&mut bytes);
    let tree = folder(&[("libggml-hip.so", &bytes)]);
    let path = tree.path().join("libggml-hip.so");
    let call = ["select", "mul-mat", "--arch", "gfx900", "--type", "q4_K", "--ne11", "1"];
    by_command(&[&call[..], &[path.to_str().unwrap()]].concat())
}

/// Moves the bytes of a device code section elsewhere.
fn moved_code(bytes: &mut [u8]) {
    elf::without_bytes(bytes, ".comment", ".hip_fatbin");
}

/// Sets the number of spilled registers in the metadata of every kernel.
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
    let call = ["select", "conv", "--arch", "gfx900", "--cu", units, "--key", key];
    by_command(&[&call[..], &[tree.path().to_str().unwrap()]].concat())
}

/// A problem with an environment variable.
fn with_variable(variable: &str) -> Vec<Seen> {
    let tree = folder(&[(DEVICE, b"")]);
    let key = key("FP32");
    let call = ["select", "conv", "--arch", "gfx900", "--cu", "56", "--key", &key, "--env", variable];
    by_command(&[&call[..], &[tree.path().to_str().unwrap()]].concat())
}

/// The patch embedding of ViT-B/32 for this many images: for one, a solver of MIOpen divides by zero.
fn patches(images: &str) -> Vec<Seen> {
    let tree = folder(&[(DEVICE, b"")]);
    let problem = format!("fwd:fp32:n{images}:c3:h224:w224:k768:y32x32:s32:p0");
    let call =
        ["select", "conv", "--arch", "gfx906", "--cu", "60", &problem, "--env", "MIOPEN_FIND_MODE=NORMAL"];
    by_command(&[&call[..], &[tree.path().to_str().unwrap()]].concat())
}

/// A convolution with filters of so many values a side, on the processor that has a model for the parameters
/// of 1x1 kernels.
fn narrow_filters(side: &str) -> Vec<Seen> {
    let tree = folder(&[("gfx908_78.HIP.fdb.txt", b"")]);
    let padding = if side == "1" { "0" } else { "1" };
    let problem = format!("fwd:fp32:n16:c64:h56:w56:k64:y{side}x{side}:p{padding}");
    let call = ["select", "conv", "--arch", "gfx908", "--cu", "120", &problem];
    by_command(&[&call[..], &[tree.path().to_str().unwrap()]].concat())
}

/// A miss beside files of a model that hold this.
fn with_model(text: &str) -> Vec<Seen> {
    let text = text.as_bytes();
    let files: [(&str, &[u8]); 3] =
        [(DEVICE, b""), ("gfx908.tn.model", text), ("gfx908_metadata.tn.model", text)];
    convolution("56", &files, &key("FP32"))
}

/// A problem whose record has this solver and time.
fn recorded(ty: &str, item: &str) -> Vec<Seen> {
    let record = format!("{}={item},0,miopenConvolutionFwdAlgoDirect\n", key(ty));
    convolution("56", &[(DEVICE, record.as_bytes())], &key(ty))
}

const PROBLEM: &str = "64-28-28-3x3-64-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-B";

/// A build of MIOpen with this symbol name; the record's solver is ConvBinWinogradRxSf3x2.
fn with_library(name: &str) -> Vec<Seen> {
    let record = format!("{PROBLEM}=ConvBinWinogradRxSf3x2:1,0,miopenConvolutionBwdDataAlgoWinograd\n");
    let names = format!("\0librocblas.so.4\0_ZN6miopen6solver4conv{name}E\0N2ck\0");
    let library = elf::library(&[(".dynstr", names.as_bytes())]);
    convolution("56", &[(DEVICE, record.as_bytes()), ("libMIOpen.so.1", &library)], PROBLEM)
}

/// A non-square problem on the measurements of a fixture.
fn of_mirror(of: &str) -> Vec<Seen> {
    let key = "1-161-700-5x20-32-79-341-1-0x0-2x2-1x1-0-NCHW-FP32-F";
    convolution("56", &[(DEVICE, &measured(of))], key)
}

/// A problem solved by GEMM, in a tree with or without rocBLAS.
fn product_of_convolution(with_rocblas: bool) -> Vec<Seen> {
    let record = format!("{PROBLEM}=GemmBwdRest:1,0,miopenConvolutionBwdDataAlgoGEMM\n");
    let catalogs = Folder::new();
    let mut files = vec![(format!("share/miopen/db/{DEVICE}"), record.into_bytes())];
    for entry in fs::read_dir(catalogs.0.path()).unwrap().filter(|_| with_rocblas) {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        files.push((format!("lib/rocblas/library/{name}"), fs::read(entry.path()).unwrap()));
    }
    convolution("56", &borrowed(&files), PROBLEM)
}
