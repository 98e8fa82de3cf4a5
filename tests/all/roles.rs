//! A verdict's use of a library's role, its ability to compile, and its name.

use crate::common::bundles::bundle;
use crate::common::packages::{gzip, member, zip};
#[cfg(feature = "cli")]
use crate::common::program::run;
use crate::common::shared::{Library, Symbol, asked, exported, file};
use crate::common::{elf, fixture, seen};
use rocm_audit::capability::Capability;
use rocm_audit::capability::requirement::Required;
use rocm_audit::scan::run::{Options, Silent, audit};
use rocm_audit::target::TargetId;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn report(root: &Path, targets: &[&str]) -> Value {
    let asked: Vec<TargetId> = targets.iter().map(|text| TargetId::parse(text).unwrap()).collect();
    let inventory = audit(&[root.to_path_buf()], &Options::default(), &Silent, None).unwrap();
    let report = rocm_audit::report::audit(&inventory, &Capability::from_inventory(&inventory, &asked));
    serde_json::to_value(&report).unwrap()
}

pub(crate) fn verdict(root: &Path, target: &str) -> Value {
    report(root, &[target])["verdicts"][0].clone()
}

/// The answer and the text of the headline.
fn headline(files: &[(&str, &[u8])], target: &str) -> (String, String) {
    let tree = seen::folder(files);
    let found = verdict(tree.path(), target);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&found["answer"]), text(&found["headline"]))
}

/// A verdict's libraries with their answers.
pub(crate) fn lines(verdict: &Value) -> Vec<(&str, &str)> {
    let all = verdict["libraries"].as_array().unwrap().iter();
    all.map(|one| (one["library"].as_str().unwrap(), one["answer"].as_str().unwrap())).collect()
}

pub(crate) fn code_object(name: &str) -> Vec<u8> {
    std::fs::read(fixture(&format!("rocm/lib/codeobject/{name}.hsaco"))).unwrap()
}

/// A shared library with one bundle of fixture code objects.
pub(crate) fn library(objects: &[&str]) -> Vec<u8> {
    let bodies: Vec<Vec<u8>> = objects.iter().map(|name| code_object(name)).collect();
    let bodies: Vec<&[u8]> = bodies.iter().map(Vec::as_slice).collect();
    elf::library(&[(".hip_fatbin", &bundle(&bodies, 4096))])
}

fn linked(needed: &'static [&'static str]) -> Vec<u8> {
    file(&Library { soname: "libplugin.so", needed, ..Library::default() })
}

fn passes(root: &Path, target: &str) -> bool {
    let inventory = audit(&[PathBuf::from(root)], &Options::default(), &Silent, None).unwrap();
    let targets = [TargetId::parse(target).unwrap()];
    let found = Capability::from_inventory(&inventory, &targets);
    let required = Required { targets: &targets, libraries: &[], per_file: false, before: &[], ignores: &[] };
    rocm_audit::comparison::check::check(&inventory, &found, &required, None).passed
}

/// A folder of code objects runs if one is for the GPU; next to a library they do not affect its verdict.
#[test]
fn code_objects_alone_decide() {
    let code = code_object("v4_gfx906");
    let alone = seen::folder(&[("kernels/a.co", &code)]);
    let found = verdict(alone.path(), "gfx906");
    assert_eq!((&found["answer"], &found["headline"]), (&"runs".into(), &"runs".into()));
    assert_eq!(verdict(alone.path(), "gfx1030")["answer"], "not");
    assert!(passes(alone.path(), "gfx906") && !passes(alone.path(), "gfx1030"));

    let other = library(&["v5_gfx1030"]);
    let beside = seen::folder(&[("kernels/a.co", &code), ("lib/librccl.so.1", &other)]);
    assert_eq!(verdict(beside.path(), "gfx1030")["answer"], "runs");
    assert_eq!(verdict(beside.path(), "gfx906")["answer"], "not", "RCCL has nothing for it");
    assert!(passes(beside.path(), "gfx1030"));

    let aiter = seen::folder(&[("aiter_meta/hsa/gfx906/fmha/a.co", &code)]);
    assert_eq!(lines(&verdict(aiter.path(), "gfx906")), [("AITER", "runs")]);
}

/// Blender's renderer loads a compressed file named after the GPU; without the denoiser's code it denoises
/// otherwise.
#[test]
fn kernels_of_cycles_are_a_library_and_no_places() {
    let packed = |name: &str| gzip(&code_object(name));
    let (vega, navi) = (packed("v4_gfx906"), packed("v5_gfx1030"));
    let denoiser = library(&["v5_gfx1030"]);
    let tree = seen::folder(&[
        ("cycles/lib/kernel_gfx906.fatbin.gz", &vega),
        ("cycles/lib/kernel_gfx1030.fatbin.gz", &navi),
        ("lib/libOpenImageDenoise_device_hip.so.2", &denoiser),
    ]);
    let found = verdict(tree.path(), "gfx906");
    assert_eq!(lines(&found), [("Open Image Denoise", "not"), ("Blender Cycles", "runs")]);
    assert_eq!(found["answer"], "limits");
    let found = verdict(tree.path(), "gfx1033");
    assert_eq!(found["answer"], "not", "no kernel_gfx1033");
    let cycles = found["libraries"].as_array().unwrap().iter().find(|one| one["library"] == "Blender Cycles");
    assert_eq!(cycles.unwrap()["place"], Value::Null, "a compressed file is no package");
}

/// The runtime launches what programs provide, so its own code says nothing about the card.
#[test]
fn the_runtime_alone_is_not_known() {
    let runtime = library(&["v4_gfx906"]);
    for (target, words) in [("gfx906", "only the runtime is here"), ("gfx1030", "it has no code for gfx1030")]
    {
        let (answer, text) = headline(&[("lib/libhsa-runtime64.so.1", &runtime)], target);
        assert!(answer == "unknown" && text.contains(words), "{answer} {text}");
    }
    let hip = file(&Library {
        soname: "libamdhip64.so.6",
        needed: &["libhsa-runtime64.so.1", "libamd_comgr.so.2"],
        ..Library::default()
    });
    let (answer, text) = headline(&[("lib/libamdhip64.so.6", &hip)], "gfx906");
    assert!(answer == "unknown" && text.contains("nothing here depends on the card"), "{answer} {text}");
}

/// Host code linked with ROCm needs ROCm, and none of it depends on the card.
#[test]
fn host_code_of_rocm_is_not_known() {
    let solver = file(&Library {
        soname: "libhipsolver.so.0",
        needed: &["librocsolver.so.0", "libamdhip64.so.6"],
        ..Library::default()
    });
    let (answer, text) = headline(&[("lib/libhipsolver.so.0", &solver)], "gfx906");
    assert_eq!(answer, "unknown");
    assert!(text.ends_with("libhipsolver.so.0 needs libamdhip64.so.6, librocsolver.so.0"), "{text}");
    let other = file(&Library { soname: "libz.so.1", needed: &["libc.so.6"], ..Library::default() });
    assert_eq!(headline(&[("lib/libz.so.1", &other)], "gfx906").0, "not", "it has nothing to do with GPUs");
}

/// A program linked with a GPU compiler, under any name that a wheel gives it, compiles.
#[test]
fn programs_that_are_linked_with_a_compiler_compile() {
    let plugin = |needed: &'static [&'static str], function: &'static str| {
        let symbols = vec![asked(function, None)];
        file(&Library { soname: "libplugin.so", needed, symbols, ..Library::default() })
    };
    for (needed, function) in [
        (&["libhiprtc.so.7"][..], "hiprtcCompileProgram"),
        (&["libhiprtc-d868ac8d.so.7.14.60850-0000000"], "hiprtcCompileProgram"),
        (&["libamd_comgr.so.3"], "amd_comgr_do_action"),
        (&["libmigraphx_c.so.3"], "migraphx_program_run"),
    ] {
        let plugin = plugin(needed, function);
        let (answer, text) = headline(&[("plugins/libplugin.so", &plugin)], "gfx942");
        assert!(answer == "compiles" && text.contains("libplugin.so is linked with"), "{needed:?} {text}");
        // No release of the runtime supports GCN 1.
        let (answer, text) = headline(&[("plugins/libplugin.so", &plugin)], "gfx600");
        assert!(answer == "unknown" && text.contains("drives gfx600"), "{text}");
    }
    // Debian's librocm-dbgapi0 6.4.3 takes a disassembler from comgr, and nothing that compiles.
    let debugger = plugin(&["libamd_comgr.so.3"], "amd_comgr_disassemble_instruction");
    let (answer, text) = headline(&[("lib/librocm-dbgapi.so.0", &debugger)], "gfx942");
    assert!(answer == "unknown" && text.ends_with("needs libamd_comgr.so.3"), "{answer} {text}");
    // OpenCL's runtime has the functions itself.
    let opencl = file(&Library {
        soname: "libamdocl64.so",
        needed: &["libamd_comgr.so.2"],
        symbols: vec![exported("clBuildProgram", None)],
        ..Library::default()
    });
    let (_, text) = headline(&[("lib/libamdocl64.so", &opencl)], "gfx942");
    assert!(text.contains("OpenCL compiles kernels at run time") && !text.contains("linked"), "{text}");
    let constants = elf::library(&[(".rodata", b"\0hiprtcCompileProgram\0")]);
    let (answer, text) = headline(&[("cubecl.so", &constants)], "gfx942");
    assert!(answer == "compiles" && text.contains("hiprtc"), "{answer} {text}");
}

/// Modules of CubeCL (catboost-rs-rocm, rog2-algorithm) import hiprtc's functions and name no library that has
/// them; TVM's take them from HIP 6's runtime.
#[test]
fn programs_that_import_from_a_compiler_compile() {
    for needed in [&["libc.so.6"][..], &["libamdhip64.so.6"]] {
        let importing = file(&Library {
            soname: "catboost_rs.abi3.so",
            needed,
            symbols: vec![asked("hiprtcCompileProgram", None)],
            ..Library::default()
        });
        let (answer, text) = headline(&[("catboost_rs/catboost_rs.abi3.so", &importing)], "gfx942");
        assert_eq!(answer, "compiles", "{text}");
        assert!(text.contains("catboost_rs.abi3.so is linked with hiprtc"), "{text}");
    }
}

/// vLLM's `_rocm_C` holds one function, an attention by matrix instructions, and is not asked for it on other
/// cards: in the wheel vllm-rocm 0.6.3, `_use_rocm_custom_paged_attention` in
/// `vllm/attention/backends/rocm_flash_attn.py` is false where the target's name has `gfx1` in it. One library,
/// which runs with limits there.
#[test]
fn a_module_that_serves_some_cards_does_not_stop_vllm() {
    let (both, one) = (library(&["v5_gfx1030", "v4_gfx906"]), library(&["v4_gfx906"]));
    let tree = seen::folder(&[("vllm/_C.abi3.so", &both), ("vllm/_rocm_C.abi3.so", &one)]);
    assert_eq!(lines(&verdict(tree.path(), "gfx906")), [("vLLM", "runs")]);
    let found = verdict(tree.path(), "gfx1030");
    assert_eq!((&found["answer"], &lines(&found)[..]), (&"limits".into(), &[("vLLM", "limits")][..]));
    let reason = found["libraries"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("in 1 of 2 files only: _C.abi3.so"), "{reason}");
}

/// hipBLASLt's JIT: the name of the build's option is among the constants of builds without it
/// (ROCm/rocm-libraries, `projects/hipblaslt/JIT.md`), and the variable that turns it on is another.
#[test]
fn a_build_with_a_jit_generates_kernels_if_it_is_asked_to() {
    let reason = |constants: &[u8], comgr: bool| {
        let of_all = b"\0TensileLibrary_lazy_\0";
        let host = elf::library(&[(".rodata", &[&of_all[..], constants].concat())]);
        let folder = fixture("hipblaslt/library");
        let catalogs: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_file())
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (format!("lib/hipblaslt/library/{name}"), std::fs::read(entry.path()).unwrap())
            })
            .collect();
        let mut files: Vec<(&str, &[u8])> =
            catalogs.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
        files.push(("lib/libhipblaslt.so.1", &host));
        let compiler = elf::library(&[(".rodata", b"\0comgr\0")]);
        files.extend(comgr.then_some(("lib/libamd_comgr.so.3", &compiler[..])));
        let tree = seen::folder(&files);
        let found = verdict(tree.path(), "gfx906");
        let libraries = found["libraries"].as_array().unwrap();
        let one = libraries.iter().find(|one| one["library"] == "hipBLASLt").unwrap();
        one["reason"].as_str().unwrap().to_owned()
    };
    let enabled = b"HIPBLASLT_JIT\0HIPBLASLT_JIT_LIBRARY_PATH\0";
    let without_comgr = reason(enabled, false);
    assert!(
        without_comgr.contains("with HIPBLASLT_JIT=1") && without_comgr.contains("comgr, which is not here")
    );
    assert!(reason(enabled, true).ends_with("on the card, by comgr"));
    let disabled = b"HIPBLASLT_JIT\0 is ignored: hipBLASLt was built without HIPBLASLT_ENABLE_JIT\0";
    assert!(!reason(disabled, true).contains("JIT"));
}

/// Where nothing is for a GPU, that is the first thing that is said, and the findings are listed once.
#[test]
#[cfg(feature = "cli")]
fn the_first_screen_without_code_begins_with_the_answer() {
    let metadata =
        b"Metadata-Version: 2.1\nName: numba-hip\nVersion: 0.2.1\nRequires-Dist: hip-python-interop\n";
    let tree = seen::folder(&[("numba_hip-0.2.1.dist-info/METADATA", metadata)]);
    let output = run(&[tree.path().to_str().unwrap()]);
    let drawn = String::from_utf8(output.stdout).unwrap();
    let answer = drawn.find("No AMD GPU code").unwrap();
    assert!(answer < drawn.find("Findings: 1 warning").unwrap(), "{drawn}");
    assert!(!drawn.contains("findings  0 errors"), "{drawn}");
}

/// The list of the HSA runtime here has precedence over the list from all releases.
#[test]
fn a_compiler_is_of_no_use_where_the_runtime_does_not_name_the_card() {
    let names = b"\0amdgcn-amd-amdhsa--gfx906\0".to_vec();
    let runtime = file(&Library {
        soname: "libhsa-runtime64.so.1",
        sections: vec![(".rodata", names)],
        ..Library::default()
    });
    let plugin = file(&Library {
        soname: "libplugin.so",
        needed: &["libhiprtc.so.7"],
        symbols: vec![asked("hiprtcCompileProgram", None)],
        ..Library::default()
    });
    let files: [(&str, &[u8]); 2] = [("lib/libhsa-runtime64.so.1", &runtime), ("lib/libplugin.so", &plugin)];
    assert_eq!(headline(&files, "gfx906").0, "compiles");
    let (answer, text) = headline(&files, "gfx1201");
    assert!(answer == "unknown" && text.contains("does not name gfx1201"), "{text}");
}

/// Bitcode that compilers link into kernels does not make kernels itself.
#[test]
fn device_libraries_compile_nothing() {
    let (answer, text) = headline(&[("lib/amdgcn/bitcode/ocml.bc", b"BC\xc0\xde")], "gfx906");
    assert!(answer == "unknown" && text.contains("bitcode"), "{answer} {text}");
}

/// A wheel and its unpacked tree are the same thing.
#[test]
fn a_wheel_and_its_tree_have_one_answer() {
    let members = ["triton/backends/amd/driver.py", "triton/backends/amd/include/hip.h"];
    let wheel = zip(&members.map(|name| member(name, b"text".to_vec())));
    let packed = seen::folder(&[("triton-3.0-py3-none-any.whl", &wheel)]);
    let unpacked = seen::folder(&members.map(|name| (name, &b"text"[..])));
    let (packed, unpacked) = (report(packed.path(), &["gfx942"]), report(unpacked.path(), &["gfx942"]));
    assert_eq!(packed["verdicts"][0]["answer"], "compiles");
    for key in ["answer", "headline"] {
        assert_eq!(packed["verdicts"][0][key], unpacked["verdicts"][0][key]);
    }
    let files = |report: &Value| report["run_time_compilers"][0]["files"].clone();
    assert_eq!((files(&packed), files(&unpacked)), (2.into(), 2.into()));
}

/// CuPy compiles everything except what it ships; a shipped library without the target is named, and what calls it
/// fails.
#[test]
fn what_compiles_most_lacks_what_it_ships_for_others() {
    let code = library(&["v4_gfx906"]);
    let tree = seen::folder(&[
        ("cupy/cuda/cub.cpython-311-x86_64-linux-gnu.so", &code),
        ("cupy/cuda/thrust.cpython-311-x86_64-linux-gnu.so", &code),
        ("cupy/random/_generator_api.cpython-311-x86_64-linux-gnu.so", &code),
    ]);
    let found = verdict(tree.path(), "gfx90a");
    assert_eq!(found["answer"], "limits");
    assert!(found["headline"].as_str().unwrap().starts_with("compiles most of its kernels on the card, and"));
    let reason = found["libraries"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("cub, thrust, random have no code for it"), "{reason}");
    assert_eq!(verdict(tree.path(), "gfx906")["answer"], "runs");
    let rocfft = seen::folder(&[("lib/librocfft.so.0", &code)]);
    let all = report(rocfft.path(), &["gfx90a", "gfx600"]);
    let answers: Vec<&Value> = all["verdicts"].as_array().unwrap().iter().map(|one| &one["answer"]).collect();
    assert_eq!(answers, ["unknown", "compiles"]);
}

/// Callers warn and multiply without hipBLASLt: no reason to hide a GPU.
#[test]
fn what_callers_do_without_stops_no_program() {
    let (both, one) = (library(&["v5_gfx1030", "v4_gfx906"]), library(&["v5_gfx1030"]));
    let tree = seen::folder(&[("lib/librccl.so.1", &both), ("lib/libhipblaslt.so.1", &one)]);
    let found = report(tree.path(), &["gfx906", "gfx1030"]);
    assert_eq!(found["verdicts"][0]["headline"], "runs without hipBLASLt, which callers do without");
    assert!(!found["mixed_host"].to_string().contains("fail on"), "{}", found["mixed_host"]);

    let needed = seen::folder(&[("lib/librccl.so.1", &one), ("lib/libhipblaslt.so.1", &both)]);
    let found = report(needed.path(), &["gfx900", "gfx906", "gfx1030"]);
    let stops: Vec<&Value> = found["mixed_host"].as_array().unwrap().iter().map(|one| &one["text"]).collect();
    let stops: Vec<&&Value> = stops.iter().filter(|text| text.to_string().contains("fail on")).collect();
    assert_eq!(stops.len(), 1, "cards that lack the same are named together");
    assert!(stops[0].to_string().contains("gfx900 and gfx906, where RCCL does not run"), "{}", stops[0]);
}

/// The variable that helps one GPU is no advice where it takes the code of another one away.
#[test]
fn an_override_for_one_gpu_is_said_to_change_the_others() {
    let code = library(&["v5_gfx1030", "v4_gfx906"]);
    let tree = seen::folder(&[("lib/librccl.so.1", &code)]);
    let said = |targets: &[&str]| report(tree.path(), targets)["mixed_host"].to_string();
    let both = said(&["gfx906", "gfx1032"]);
    assert!(both.contains("gfx906 would get gfx1030 code too"), "{both}");
    assert!(both.contains("For gfx1032 alone: HSA_OVERRIDE_GFX_VERSION_1=10.3.0"), "{both}");
    // The card whose code it is gets the same as before.
    assert!(!said(&["gfx1030", "gfx1032"]).contains("would get"));
}

/// A program that registers only variables launches none of its own kernels.
#[test]
fn code_objects_without_kernels_that_nothing_is_launched_of_are_no_fault() {
    let without = with_symbols(vec![asked("__hipRegisterVar", None)]);
    assert_eq!(headline(&[("bin/libfoo.so", &without)], "gfx906").0, "runs");
    let launches = with_symbols(vec![asked("__hipRegisterFunction", None)]);
    assert_eq!(headline(&[("bin/libfoo.so", &launches)], "gfx906").0, "not");
}

/// A library whose code object for gfx906 contains no kernel.
fn with_symbols(symbols: Vec<Symbol>) -> Vec<u8> {
    let mut code = code_object("v4_gfx906");
    elf::strip_code_objects(&mut code);
    let number = |at: usize, size: usize| {
        code[at..at + size].iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte))
    };
    // Turns PT_NOTE into PT_NULL in program headers, and SHT_NOTE into SHT_PROGBITS in sections, so that the
    // metadata is gone.
    let segments = (0..number(56, 2)).map(|one| number(32, 8) + 56 * one);
    let sections = (0..number(60, 2)).map(|one| number(40, 8) + 64 * one + 4);
    let notes: Vec<(usize, u8)> = segments
        .filter(|at| number(*at, 4) == 4)
        .map(|at| (at, 0))
        .chain(sections.filter(|at| number(*at, 4) == 7).map(|at| (at, 1)))
        .collect();
    notes.into_iter().for_each(|(at, kind)| code[at] = kind);
    let sections = vec![(".hip_fatbin", bundle(&[&code], 4096))];
    file(&Library {
        soname: "libfoo.so",
        needed: &["libamdhip64.so.6"],
        symbols,
        sections,
        ..Library::default()
    })
}

/// Copies of a library in several packages each have their own needs.
#[test]
fn what_a_library_needs_is_said_of_its_place() {
    let of = |needed| {
        let sections = vec![(".hip_fatbin", bundle(&[&code_object("v4_gfx906")], 4096))];
        file(&Library { soname: "libbitsandbytes.so", needed, sections, ..Library::default() })
    };
    let (one, other) = (of(&["librocblas.so.4"]), of(&["libhipblaslt.so.0"]));
    let wheel = |content| zip(&[member("bitsandbytes/libbitsandbytes_rocm72.so", content)]);
    let tree = seen::folder(&[("a.whl", &wheel(one)), ("b.whl", &wheel(other))]);
    let found = verdict(tree.path(), "gfx906");
    for library in found["libraries"].as_array().unwrap() {
        let expected = if library["place"].as_str().unwrap().ends_with("a.whl") {
            "librocblas.so.4"
        } else {
            "libhipblaslt.so.0"
        };
        let needs: Vec<&Value> =
            library["needs"].as_array().unwrap().iter().map(|one| &one["soname"]).collect();
        assert_eq!(needs, [expected]);
    }
}

/// A kernel cache without a library compiles nothing.
#[test]
fn what_compiles_has_to_be_here() {
    let code = code_object("v4_gfx906");
    let cache: [(&str, &[u8]); 1] = [("share/miopen/gfx906.co", &code)];
    assert_eq!(headline(&cache, "gfx906").0, "runs");
    assert_eq!(headline(&cache, "gfx1030").0, "unknown");
    let library = linked(&["libamdhip64.so.6"]);
    assert_eq!(headline(&[cache[0], ("lib/libMIOpen.so.1", &library)], "gfx1030").0, "compiles");
}

/// A library that ships no kernels and compiles them stands beside those that have code.
#[test]
fn what_compiles_without_code_of_its_own_is_listed_beside_others() {
    let (plain, ggml) = (linked(&["libamdhip64.so.6"]), library(&["v4_gfx906"]));
    let tree = seen::folder(&[("lib/libMIOpen.so.1", &plain), ("lib/libggml-hip.so", &ggml)]);
    let found = verdict(tree.path(), "gfx906");
    assert!(lines(&found).contains(&("MIOpen", "compiles")), "{found}");
    assert_eq!(found["headline"], "all libraries run; MIOpen compiles its kernels on the card");
    // Alone it is what the headline is about, and no row.
    assert_eq!(headline(&[("lib/libMIOpen.so.1", &plain)], "gfx906").0, "compiles");
}

/// MIOpen's databases need the library, and the verdict says so.
#[test]
#[cfg(feature = "cli")]
fn databases_without_their_library_are_not_known() {
    let line =
        b"1-8-8-1x1-1-8-8-1-0x0-1x1-1x1-0-NCHW-FP32-F=GemmFwd1x1_0_1:0.01,0,miopenConvolutionFwdAlgoGEMM\n";
    let files: [(&str, &[u8]); 1] = [("share/miopen/db/gfx906_60.HIP.fdb.txt", line)];
    let (answer, text) = headline(&files, "gfx906");
    assert!(answer == "unknown" && text.contains("1 database of MIOpen for it is here"), "{text}");
    let (answer, text) = headline(&files, "gfx942");
    assert!(answer == "unknown" && text.contains("for gfx906 are here, none for it"), "{text}");
    // Also without a card in the question.
    #[cfg(feature = "cli")]
    {
        let tree = seen::folder(&files);
        let screen = crate::common::program::text(&["--allow-incomplete", tree.path().to_str().unwrap()]);
        let after = screen.lines().skip_while(|line| !line.contains("gfx906")).nth(1).unwrap();
        assert!(after.contains("MIOpen"), "{screen}");
    }
}

/// XLA compares the card with its own array, whose pointers the loader relocates, and refuses other cards
/// whatever code exists.
#[test]
fn a_program_that_refuses_a_card_by_its_own_list_does_not_run_on_it() {
    let refusal =
        "ROCM device (%d) is of unsupported AMDGPU version '%s' . The supported AMDGPU versions are '%s'.";
    let list = elf::listing(refusal, &["gfx906", "gfx908", "gfx90a", "gfx1030"]);
    let code = library(&["v4_gfx906", "v5_gfx1030", "v5_gfx1100_nosections"]);
    let files: [(&str, &[u8]); 2] =
        [("jax_plugins/xla_rocm10/xla_rocm_plugin.so", &list), ("jax_plugins/xla_rocm10/_solver.so", &code)];
    let tree = seen::folder(&files);
    let found = verdict(tree.path(), "gfx1030");
    assert_eq!(found["answer"], "runs", "{found}");
    let found = verdict(tree.path(), "gfx1100");
    let reason = found["libraries"][0]["reason"].as_str().unwrap();
    assert_eq!(found["answer"], "not");
    assert!(reason.ends_with("lacks it; it has gfx906, gfx908, gfx90a, gfx1030"), "{reason}");
    assert!(passes(tree.path(), "gfx1030") && !passes(tree.path(), "gfx1100"));
    let all = report(tree.path(), &[]);
    let refused = all["findings"].as_array().unwrap().iter().filter(|one| one["id"] == "target-not-listed");
    let refused: Vec<&Value> = refused.map(|one| &one["target"]).collect();
    assert_eq!(refused, ["gfx1100"]);

    // A library without a refusal message has arrays for other reasons.
    let other = elf::listing("names", &["gfx906", "gfx908", "gfx90a"]);
    let files = [("jax_plugins/xla_rocm10/xla_rocm_plugin.so", &other[..]), files[1]];
    assert_eq!(verdict(seen::folder(&files).path(), "gfx1100")["answer"], "runs");
}

/// No program uses the graphics driver's own shaders.
#[test]
fn shaders_of_the_graphics_driver_make_no_target() {
    let mut shader = code_object("v4_gfx906");
    shader[7] = 65;
    let tree = seen::folder(&[("amdhip64_7.so", &elf::library(&[(".rodata", &shader)])), ("a.co", &shader)]);
    let found = report(tree.path(), &[]);
    assert!(found["targets"].as_array().unwrap().is_empty(), "{}", found["targets"]);
    let both = library(&["v4_gfx906"]);
    let tree = seen::folder(&[("a.co", &shader), ("libfoo.so", &both)]);
    assert_eq!(report(tree.path(), &[])["summary"]["code_objects"], 1);
}
