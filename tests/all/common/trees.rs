//! Small trees in which libraries, runtimes and folders do not match, and the same trees repaired.

use super::bundles::{bundle, bundle_for};
use super::elf;
use super::fixture;
use super::packages::{borrowed, code_object};
use super::seen::{Seen, by_command, folder, in_files};
use super::shared::{Library, asked, exported, file};
use object::{Object, ObjectSection};
use std::fs;

/// A program linked with rocBLAS and the HIP runtime, next to both; rocBLAS has this name.
pub fn rocblas_beside(name: &'static str) -> Vec<Seen> {
    let needed = &["librocblas.so.4", "libamdhip64.so.6"];
    let program = file(&Library { soname: "libapp.so", needed, ..Library::default() });
    let own = |soname| file(&Library { soname, ..Library::default() });
    let beside = format!("lib/{name}");
    in_files(&[
        ("lib/libapp.so", &program),
        (&beside, &own(name)),
        ("lib/libamdhip64.so.6", &own("libamdhip64.so.6")),
    ])
}

/// A library linked with rocBLAS that has this search path.
pub fn looks_in(runpath: &'static str) -> Vec<Seen> {
    let needed = &["librocblas.so.4"];
    let library = file(&Library { soname: "libapp.so", needed, runpath, ..Library::default() });
    in_files(&[("lib/libapp.so", &library)])
}

/// A shared library with a code object for gfx906.
fn with_code(library: Library) -> Vec<u8> {
    with_object(library, &code_object())
}

fn with_object(mut library: Library, object: &[u8]) -> Vec<u8> {
    library.sections.push((".hip_fatbin", bundle(&[object], 4096)));
    file(&library)
}

fn object(name: &str) -> Vec<u8> {
    fs::read(fixture(&format!("rocm/lib/codeobject/{name}.hsaco"))).unwrap()
}

/// A version 5 code object for gfx1030 with these `e_flags`.
fn object_of(e_flags: u32) -> Vec<u8> {
    let mut bytes = object("v5_gfx1030");
    bytes[48..52].copy_from_slice(&e_flags.to_le_bytes());
    bytes
}

fn runtime(soname: &'static str) -> Library {
    Library { soname, symbols: vec![exported("hipMalloc", None)], ..Library::default() }
}

/// A program that needs release 6 of the runtime, next to a runtime with this name.
pub fn program_beside(soname: &'static str) -> Vec<Seen> {
    let program = Library { soname: "libx_hip.so", needed: &["libamdhip64.so.6"], ..Library::default() };
    in_files(&[("lib/libx_hip.so", &file(&program)), (&format!("lib/{soname}"), &file(&runtime(soname)))])
}

/// libamdhip64 requires a versioned symbol of the HSA runtime, which exports this one.
pub fn hsa_exports(symbol: &'static str) -> Vec<Seen> {
    let asks = asked("hsa_amd_vmem_map", Some(("ROCR_1", "libhsa-runtime64.so.1")));
    let hip = Library {
        soname: "libamdhip64.so.6",
        needed: &["libhsa-runtime64.so.1"],
        symbols: vec![asks],
        ..Library::default()
    };
    let hsa = Library {
        soname: "libhsa-runtime64.so.1",
        symbols: vec![exported(symbol, Some("ROCR_1"))],
        ..Library::default()
    };
    in_files(&[("lib/libamdhip64.so.6", &file(&hip)), ("lib/libhsa-runtime64.so.1", &file(&hsa))])
}

/// A library with a kernel's stub, defined or not.
pub fn stub(is_defined: bool) -> Vec<Seen> {
    let name = "_Z18__device_stub__addPf";
    let symbol = if is_defined { exported(name, None) } else { asked(name, None) };
    let library = Library {
        soname: "libbitsandbytes_rocm62.so",
        needed: &["libamdhip64.so.6"],
        symbols: vec![symbol],
        ..Library::default()
    };
    in_files(&[("libbitsandbytes_rocm62.so", &with_code(library))])
}

/// RCCL, with a stack that can be executed or without.
pub fn with_stack(is_executable: bool) -> Vec<Seen> {
    in_files(&[("librccl.so.1.0", &stack_of(is_executable))])
}

/// The fixture's RCCL, in whose program header `PT_GNU_STACK` the flag X is set or not.
pub fn stack_of(is_executable: bool) -> Vec<u8> {
    let mut bytes = std::fs::read(super::fixture("rocm/lib/librccl.so.1.0")).unwrap();
    let headers = u64::from_le_bytes(bytes[32..40].try_into().unwrap()) as usize;
    let count = usize::from(bytes[56]);
    let at = (0..count).map(|number| headers + number * 56);
    let stack = at.into_iter().find(|at| bytes[*at..*at + 4] == 0x6474_e551_u32.to_le_bytes()).unwrap();
    bytes[stack + 4] = 6 | u8::from(is_executable);
    bytes
}

/// Two copies of the HIP runtime; the second has this name.
pub fn two_runtimes(second: &'static str) -> Vec<Seen> {
    let first = file(&runtime("libamdhip64.so.6"));
    in_files(&[("a/libamdhip64.so", &first), ("b/libamdhip64.so", &file(&runtime(second)))])
}

/// A library with code in this folder.
pub fn library_in(folder: &str) -> Vec<Seen> {
    let library = Library { soname: "libx_hip.so", ..Library::default() };
    in_files(&[(&format!("{folder}/libx_hip.so"), &with_code(library))])
}

/// A `docker save` file with this many images, which share one layer.
pub fn images(count: usize) -> Vec<Seen> {
    let code = object("v4_gfx906");
    let layer = super::packages::tar(&[("opt/a.hsaco", code.as_slice())]);
    let name = format!("{:064x}.tar", 0);
    let image = |number: usize| format!(r#"{{"RepoTags":["image:{number}"],"Layers":["{name}"]}}"#);
    let manifest = format!("[{}]", (0..count).map(image).collect::<Vec<_>>().join(","));
    let members: [(&str, &[u8]); 2] = [(&name, &layer), ("manifest.json", manifest.as_bytes())];
    in_files(&[("images.tar", &super::packages::tar(&members))])
}

/// A version 6 code object next to a HIP runtime with this file name.
pub fn version_six_beside(runtime_file: &str) -> Vec<Seen> {
    let runtime = file(&runtime("libamdhip64.so.6"));
    in_files(&[("x.hsaco", &object("v6_gfx9-4-generic")), (runtime_file, &runtime)])
}

/// Code for gfx906 next to an HSA runtime that names this processor.
pub fn hsa_names(processor: &str) -> Vec<Seen> {
    let names = format!("amdgcn-amd-amdhsa--gfx900\0amdgcn-amd-amdhsa--{processor}\0");
    let hsa = Library {
        soname: "libhsa-runtime64.so.1",
        sections: vec![(".rodata", names.into_bytes())],
        ..Library::default()
    };
    in_files(&[("libhsa-runtime64.so.1", &file(&hsa)), ("x.hsaco", &code_object())])
}

/// A library linked with CUDA, alone or together with one that has code for an AMD GPU.
pub fn linked_with_cuda(alone: bool) -> Vec<Seen> {
    let cuda = Library { soname: "libctranslate2.so.4", needed: &["libcudart.so.12"], ..Library::default() };
    let code = code_object();
    let mut files: Vec<(&str, &[u8])> = Vec::new();
    let cuda = file(&cuda);
    files.push(("libctranslate2.so.4", &cuda));
    if !alone {
        files.push(("x.hsaco", &code));
    }
    in_files(&files)
}

/// The kpack fixture's library with these of its archives.
pub fn archived(archives: &[&str]) -> Vec<Seen> {
    archived_as(&archives.iter().map(|name| (*name, *name)).collect::<Vec<_>>())
}

/// A library with the kpack fixture's marker, without its archives, that calls this registration function of
/// HIP.
pub fn moved_and_registers(function: &'static str) -> Vec<Seen> {
    let fixture = fs::read(fixture("containers/kpack/lib/libdemo.so")).unwrap();
    let parsed = object::File::parse(&*fixture).unwrap();
    let marker = parsed.section_by_name(".rocm_kpack_ref").unwrap();
    let library = file(&Library {
        soname: "libdemo.so",
        needed: &["libamdhip64.so.7"],
        symbols: vec![asked(function, None)],
        sections: vec![(".rocm_kpack_ref", marker.data().unwrap().to_vec())],
        ..Library::default()
    });
    in_files(&[("lib/libdemo.so", &library)])
}

/// The same with archives under other names.
pub fn archived_as(archives: &[(&str, &str)]) -> Vec<Seen> {
    let library = fs::read(fixture("containers/kpack/lib/libdemo.so")).unwrap();
    let mut files = vec![("lib/libdemo.so".to_owned(), library)];
    for (archive, name) in archives {
        let bytes = fs::read(fixture(&format!("containers/kpack/.kpack/{archive}.kpack"))).unwrap();
        files.push((format!(".kpack/{name}.kpack"), bytes));
    }
    in_files(&borrowed(&files))
}

/// rocBLAS's library for gfx906, with or without a folder file for this target.
pub fn rocblas_with_folder(target: Option<&str>) -> Vec<Seen> {
    let library = with_code(Library { soname: "librocblas.so.4", ..Library::default() });
    let mut files = vec![("lib/librocblas.so.4".to_owned(), library), ("lib/readme".to_owned(), vec![1])];
    if let Some(target) = target {
        let catalog = fs::read(fixture("tensile/library/TensileLibrary_lazy_gfx900.dat")).unwrap();
        files.push((format!("lib/rocblas/library/TensileLibrary_lazy_{target}.dat"), catalog));
    }
    in_files(&borrowed(&files))
}

/// `e_flags` for gfx90a with XNACK off, on, and any, in version 4 and later.
pub const GFX90A: [u32; 3] = [0x63f, 0x73f, 0x53f];

/// Two libraries with code objects that have these `e_flags`.
pub fn two_states(first: u32, second: u32) -> Vec<Seen> {
    let library =
        |soname, e_flags| with_object(Library { soname, ..Library::default() }, &object_of(e_flags));
    in_files(&[
        ("librocfft.so.0", &library("librocfft.so.0", first)),
        ("librocrand.so.1", &library("librocrand.so.1", second)),
    ])
}

/// A code object for gfx90c with this XNACK state in its `e_flags`.
pub fn gfx90c(state: u32) -> Vec<Seen> {
    in_files(&[("x.hsaco", &object_of(0x32 | state))])
}

/// Two variants of a library; the second has these `e_flags`.
pub fn two_variants(e_flags: u32) -> Vec<Seen> {
    let library =
        |e_flags| with_object(Library { soname: "libb.so", ..Library::default() }, &object_of(e_flags));
    in_files(&[
        ("b/libbitsandbytes_rocm62.so", &library(0x36)),
        ("b/libbitsandbytes_rocm63.so", &library(e_flags)),
    ])
}

/// MIOpen's library of grouped convolutions under this name.
pub fn convolutions(name: &str) -> Vec<Seen> {
    let library = with_code(Library { soname: "libMIOpenCKGroupedConv_gfx906.so.1", ..Library::default() });
    in_files(&[(&format!("lib/{name}"), &library), ("lib/readme", b"x")])
}

/// Firmware for the scheduler with this release.
pub fn firmware(release: u32) -> Vec<Seen> {
    let mut bytes = vec![0u8; 0x200];
    bytes[0x28..0x2c].copy_from_slice(&0x100u32.to_le_bytes());
    bytes[0x110..0x114].copy_from_slice(b"$PS1");
    bytes[0x160..0x164].copy_from_slice(&release.to_le_bytes());
    in_files(&[("amdgpu/gc_11_5_1_mes_2.bin", &bytes)])
}

/// Replaces bytes after a text by others of the same length.
fn replaced(mut bytes: Vec<u8>, behind: &str, from: &[u8], to: &[u8]) -> Vec<u8> {
    let whole: Vec<u8> = behind.bytes().chain(from.iter().copied()).collect();
    let at = bytes.windows(whole.len()).position(|window| window == whole).unwrap() + behind.len();
    bytes[at..at + to.len()].copy_from_slice(to);
    bytes
}

/// A kernel for gfx90a with up to 1,024 work-items and this number of vector registers.
pub fn vector_registers(count: u8) -> Vec<Seen> {
    in_files(&[("x.co", &replaced(object("v5_gfx90a_heavy"), ".vgpr_count", &[0xcc, 128], &[0xcc, count]))])
}

/// Kernels for gfx600; one has this many bytes of LDS.
pub fn lds_of_gfx600(bytes: u16) -> Vec<Seen> {
    let to = [&[0xcd][..], &bytes.to_be_bytes()].concat();
    let own = fs::read(fixture("instructions/kernels_gfx803.co")).unwrap();
    let mut own = replaced(own, ".group_segment_fixed_size", &[0xcd, 0x04, 0x00], &to);
    own[48] = 0x20;
    in_files(&[("x.co", &own)])
}

/// A kernel for gfx90a whose work-groups may have this many work-items.
pub fn work_group(items: u16) -> Vec<Seen> {
    let to = [&[0xcd][..], &items.to_be_bytes()].concat();
    let from = [0xcd, 0x04, 0x00];
    in_files(&[("x.co", &replaced(object("v5_gfx90a_heavy"), ".max_flat_workgroup_size", &from, &to))])
}

/// A kernel for gfx90a that states so many scalar registers, below 128.
pub fn scalar_registers(count: u8) -> Vec<Seen> {
    in_files(&[("x.co", &replaced(object("v5_gfx90a_heavy"), ".sgpr_count", &[100], &[count]))])
}

/// A kernel for gfx90a with this much private memory, in bytes for each work-item.
pub fn private_memory(bytes: u16) -> Vec<Seen> {
    let to = [&[0xcd][..], &bytes.to_be_bytes()].concat();
    let from = [0xcd, 0x04, 0xac];
    in_files(&[("x.co", &replaced(object("v5_gfx90a_heavy"), ".private_segment_fixed_size", &from, &to))])
}

/// Kernels for gfx942, decoded as this processor by their `e_flags`.
pub fn decoded_as(mach: u8) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("instructions/kernels_gfx942.co")).unwrap();
    bytes[48] = mach;
    let folder = folder(&[("x.co", &bytes)]);
    by_command(&["fatbin", "--isa", ".", folder.path().join("x.co").to_str().unwrap()])
}

/// Two kernels of gfx1100 as they were compiled, but for these of their waits, by their numbers: `s_waitcnt` is
/// 0xbf89 with the counts, and becomes `s_nop 0`, which is 0xbf800000 (LLVM's tests of gfx11's SOPP).
pub fn kernels_without_waits(is_taken: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut bytes = fs::read(fixture("lines/lines_gfx1100.co")).unwrap();
    let waits = bytes.chunks_exact_mut(4).filter(|word| word[2..] == [0x89, 0xbf]);
    for (_, word) in waits.enumerate().filter(|(number, _)| is_taken(*number)) {
        word.copy_from_slice(&0xbf80_0000u32.to_le_bytes());
    }
    bytes
}

/// The same with one of them taken out, or none.
pub fn without_wait(number: Option<usize>) -> Vec<Seen> {
    let folder = folder(&[("x.co", &kernels_without_waits(|own| Some(own) == number))]);
    by_command(&["fatbin", "--waits", folder.path().join("x.co").to_str().unwrap()])
}

/// Two kernels of gfx1100 of which the first has `v_mov_b32 v9, v0` behind `v_rcp_f32 v0, v1` or, if that is not
/// close, behind `v_mov_b32 v0, v1`, instead of its first scalar load (encodings of llvm-mc 22).
pub fn with_close_pair(is_close: bool) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("lines/lines_gfx1100.co")).unwrap();
    let first = bytes.chunks_exact(4).position(|word| word[3] == 0xf4).unwrap() * 4;
    let write: u32 = if is_close { 0x7e00_5501 } else { 0x7e00_0301 };
    let pair = [write.to_le_bytes(), 0x7e12_0300u32.to_le_bytes()].concat();
    bytes[first..first + 8].copy_from_slice(&pair);
    let folder = folder(&[("x.co", &bytes)]);
    by_command(&["fatbin", "--waits", folder.path().join("x.co").to_str().unwrap()])
}

/// A compressed bundle with these four bytes in a skippable zstd frame, as in the test of llvm-project
/// 206745.
pub fn skipped_bytes(four: &[u8; 4]) -> Vec<Seen> {
    let mut bytes = fs::read(fixture("containers/ccob/v2-zstd.co")).unwrap();
    let frame = [&0x184d_2a50_u32.to_le_bytes()[..], &4_u32.to_le_bytes(), four].concat();
    bytes.splice(24..24, frame);
    let total = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&total.to_le_bytes());
    let folder = folder(&[("x.co", &bytes)]);
    by_command(&["fatbin", folder.path().join("x.co").to_str().unwrap()])
}

/// TensorFlow with code for gfx906, and this name among three others in its own list of GPUs.
pub fn tensorflow_lists(name: &str) -> Vec<Seen> {
    let list = format!("x\0gfx900\0gfx908\0gfx90a\0{name}\0").into_bytes();
    let framework = Library { soname: "libtensorflow_framework.so.2", ..Library::default() };
    let kernels = Library { soname: "libtensorflow_cc.so.2", ..Library::default() };
    in_files(&[
        (
            "tensorflow/libtensorflow_framework.so.2",
            &file(&Library { sections: vec![(".rodata", list)], ..framework }),
        ),
        ("tensorflow/libtensorflow_cc.so.2", &with_code(kernels)),
    ])
}

/// hipBLASLt's folder for the second revision of gfx1250, next to this folder.
pub fn revision_beside(folder: &str) -> Vec<Seen> {
    let catalog = fs::read(fixture("tensile/library/TensileLibrary_lazy_gfx900.dat")).unwrap();
    let path = |folder: &str| format!("lib/hipblaslt/library/{folder}/TensileLibrary_lazy_gfx1250.dat");
    in_files(&[(&path("gfx1250v1"), &catalog), (&path(folder), &catalog)])
}

/// MIOpen's library with code for gfx906, and a find-db for this processor.
pub fn database_for(processor: &str) -> Vec<Seen> {
    let library = with_code(Library { soname: "libMIOpen.so.1", ..Library::default() });
    let line =
        b"1-8-8-1x1-1-8-8-1-0x0-1x1-1x1-0-NCHW-FP32-F=GemmFwd1x1_0_1:0.01,0,miopenConvolutionFwdAlgoGEMM\n";
    in_files(&[
        ("lib/libMIOpen.so.1", &library),
        (&format!("share/miopen/db/{processor}_60.HIP.fdb.txt"), line),
    ])
}

/// The cache of `fixtures/triton`, with or without a code object for each entry, next to an installed release
/// of Triton.
pub fn triton_cache(is_whole: bool, version: &str) -> Vec<Seen> {
    let mut files = vec![(format!("triton-{version}.dist-info/RECORD"), b"triton/__init__.py,,\n".to_vec())];
    for entry in fs::read_dir(fixture("triton")).unwrap().map(Result::unwrap) {
        let folder = entry.file_name().into_string().unwrap();
        for name in ["add_kernel.json", "add_kernel.hsaco"] {
            if is_whole || name.ends_with("json") {
                files.push((format!("cache/{folder}/{name}"), fs::read(entry.path().join(name)).unwrap()));
            }
        }
    }
    in_files(&borrowed(&files))
}

/// Processor numbers in the header of code objects. Source: LLVM's `ELF.h`, `EF_AMDGPU_MACH_*`.
const MACHS: [(&str, u8); 9] = [
    ("gfx906", 0x2f),
    ("gfx908", 0x30),
    ("gfx90a", 0x3f),
    ("gfx1030", 0x36),
    ("gfx1031", 0x37),
    ("gfx1032", 0x38),
    ("gfx1100", 0x41),
    ("gfx1103", 0x44),
    ("gfx1102", 0x47),
];

/// A code object for a processor: a fixture for gfx1030 with its number and name replaced.
pub fn object_for(processor: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(fixture("rocm/lib/codeobject/v5_gfx1030.hsaco")).unwrap();
    let (_, mach) = MACHS.into_iter().find(|(name, _)| *name == processor).unwrap();
    // `e_flags` in a 64-bit file.
    bytes[48] = mach;
    let places: Vec<usize> = (0..bytes.len() - 7).filter(|at| bytes[*at..].starts_with(b"gfx1030")).collect();
    let name = format!("{processor:7}");
    for at in places {
        bytes[at..at + 7].copy_from_slice(name.as_bytes());
    }
    bytes
}

/// A shared library with code for these processors.
pub fn library_for(processors: &[&str]) -> Vec<u8> {
    let bodies: Vec<Vec<u8>> = processors.iter().map(|one| object_for(one)).collect();
    let entries: Vec<(&str, &[u8])> =
        processors.iter().copied().zip(bodies.iter().map(Vec::as_slice)).collect();
    elf::library(&[(".hip_fatbin", &bundle_for(&entries, 4096))])
}
