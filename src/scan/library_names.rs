//! The libraries that reports speak of, and which files belong to them.

use crate::engines::tensile::name::Role as TensileRole;
use crate::engines::tensile::packed;
use crate::inventory::cache_file::HOTSWAP;
use crate::inventory::{Artifact, ArtifactKind};
use crate::locator::file_name;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The role of a library for programs that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LibraryRole"))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Programs linked with it do not run without its code.
    Needed,
    /// Callers use something else if it has nothing for a GPU.
    Optional,
    /// It compiles kernels for others at run time and has none itself.
    Compiler,
    /// It forwards calls to other libraries.
    Wrapper,
    /// It launches the kernels of others.
    Runtime,
    /// It serves compilers or developers.
    Tool,
    /// The driver loads it.
    Firmware,
    /// Code objects outside of any library: it is unknown what loads them.
    Loose,
}

impl Role {
    /// Whether what such a library lacks for a GPU says that programs do not run there.
    pub fn decides(self) -> bool {
        matches!(self, Role::Needed | Role::Optional)
    }
}

/// Which kernels a library compiles at run time, from source text of its own or of its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiles {
    /// None.
    Nothing,
    /// Most: what it ships as code it does not compile.
    Most,
    /// All that it does not ship.
    WhatIsLacking,
}

/// One library of the field.
#[derive(Debug)]
pub struct Library {
    /// Its name as its authors write it.
    pub name: &'static str,
    /// What it is for others.
    pub role: Role,
    /// Beginnings of its shared libraries' file names, without `lib`, `-` and case.
    stems: &'static [&'static str],
    /// Folder names that hold its files.
    folders: &'static [&'static str],
    /// Whether it is known to ship kernels that can only trap, where its source has none for a target.
    trap_stubs: bool,
    /// What it compiles at run time.
    pub compiles: Compiles,
}

impl Library {
    const fn with_trap_stubs(self) -> Self {
        Library { trap_stubs: true, ..self }
    }

    const fn compiling(self, compiles: Compiles) -> Self {
        Library { compiles, ..self }
    }

    const fn with_role(self, role: Role) -> Self {
        Library { role, ..self }
    }
}

const fn library(
    name: &'static str,
    stems: &'static [&'static str],
    folders: &'static [&'static str],
) -> Library {
    Library { name, role: Role::Needed, stems, folders, trap_stubs: false, compiles: Compiles::Nothing }
}

/// All libraries known by name, with the longer one first where the name of one begins with that of another.
/// A file of none of them is reported under its own name, and is needed.
///
/// Sources. Optional: hipDNN asks its next engine if one refuses (`projects/hipdnn`); PyTorch's `Context.cpp`
/// and rocBLAS's `tensile_host.cpp` warn and go on with rocBLAS's own kernels if hipBLASLt has none;
/// Blender's `denoiser_oidn_gpu.cpp` denoises on the CPU where Open Image Denoise does not know the GPU.
/// Compiling what is lacking: rocFFT's `rtc_compile.cpp`; MIOpen's `comgr.cpp`, which is given the source
/// text of its kernels, while what it ships as code is Composable Kernel's part; Triton. Compiling most:
/// CuPy's `compiler.py`, XLA's `amdgpu_compiler.cc`, MIGraphX's `compile_hip.cpp`.
pub static LIBRARIES: &[Library] = &[
    library("rocBLAS", &["rocblas"], &["rocblas"]),
    library("hipBLASLt", &["hipblaslt"], &["hipblaslt"]).with_role(Role::Optional),
    library("hipSPARSELt", &["hipsparselt"], &["hipsparselt"]).with_role(Role::Optional),
    library("hipTensor", &["hiptensor"], &["hiptensor"]),
    library("MIOpen", &["miopen"], &["miopen"]).compiling(Compiles::WhatIsLacking),
    library("Composable Kernel", &["device_", "ck_"], &[]).with_trap_stubs(),
    library("rocFFT", &["rocfft"], &["rocfft"]).compiling(Compiles::WhatIsLacking),
    library("rocSPARSE", &["rocsparse"], &[]),
    library("rocSOLVER", &["rocsolver"], &[]),
    library("rocRAND", &["rocrand"], &[]),
    library("rocALUTION", &["rocalution"], &[]),
    library("rocDecode", &["rocdecode"], &[]),
    library("RCCL", &["rccl"], &[]),
    library("hipDNN", &["hipdnn", "hip_kernel_provider"], &["hipdnn_plugins"]).with_role(Role::Optional),
    library("MIGraphX", &["migraphx"], &[]).compiling(Compiles::Most),
    library("Triton", &[], &[".triton"]).compiling(Compiles::WhatIsLacking),
    library("AOTriton", &["aotriton"], &["aotriton.images"]),
    library("AITER", &[], &["aiter_meta", "aiter"]),
    library("PyTorch", &["torch", "c10_hip"], &[]),
    library("ggml", &["ggmlhip", "ggmlrocm", "ggmlcuda", "ggml"], &[]).with_trap_stubs(),
    library("bitsandbytes", &["bitsandbytes"], &[]),
    library("CuPy", &[], &["cupy"]).compiling(Compiles::Most),
    library("JAX", &["xla_"], &["jax_rocm60_plugin", "jax_rocm7_plugin", "jax_rocm10_plugin", "jax_plugins"])
        .compiling(Compiles::Most),
    library("TensorFlow", &["tensorflow"], &["tensorflow"]),
    library("ONNX Runtime", &["onnxruntime"], &["onnxruntime"]),
    library("CTranslate2", &["ctranslate2"], &[]),
    library("vLLM", &[], &["vllm"]).with_trap_stubs(),
    library("MAGMA", &["magma"], &[]),
    library("Gloo", &["gloo"], &[]),
    library("SpFFT", &["spfft"], &[]),
    library(CYCLES, &[], &[]),
    library("Open Image Denoise", &["openimagedenoise"], &[]).with_role(Role::Optional),
    library("hipBLAS", &["hipblas"], &[]).with_role(Role::Wrapper),
    library("hipSOLVER", &["hipsolver"], &[]).with_role(Role::Wrapper),
    library("hipSPARSE", &["hipsparse"], &[]).with_role(Role::Wrapper),
    library("hipFFT", &["hipfft"], &[]).with_role(Role::Wrapper),
    library("hipRAND", &["hiprand"], &[]).with_role(Role::Wrapper),
    library("hiprtc", &["hiprtc"], &[]).with_role(Role::Compiler),
    library("comgr", &["amd_comgr"], &[]).with_role(Role::Compiler),
    library("HSA runtime", &["hsaruntime"], &[]).with_role(Role::Runtime),
    library("HIP runtime", &["amdhip"], &[]).with_role(Role::Runtime),
    library(GCC_OFFLOAD, &[], &["amdgcn-amdhsa"]).with_role(Role::Tool),
    library("firmware", &[], &["amdgpu"]).with_role(Role::Firmware),
    library(HOTSWAP, &[], &[]).with_role(Role::Loose),
    library(LOOSE, &[], &[]).with_role(Role::Loose),
];

/// The libraries that GCC links into programs that it compiles for AMD GPUs.
pub const GCC_OFFLOAD: &str = "gcc offload";

/// Blender's renderer, whose kernels are files of their own: `kernel_gfx1030.fatbin.zst`,
/// `kernel_rt_gfx.hipfb`.
const CYCLES: &str = "Blender Cycles";

/// Whether a file is one of the kernels that Blender's renderer loads. Source: Blender's
/// `hip/device_impl.cpp`.
fn is_of_cycles(file: &str) -> bool {
    let is_kernel = file.starts_with("kernel_gfx") || file.starts_with("kernel_rt_gfx");
    is_kernel && (file.contains(".fatbin") || file.contains(".hipfb"))
}

fn by_name(library: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|known| known.name == library)
}

/// Whether a library is known by name.
pub fn is_known(library: &str) -> bool {
    by_name(library).is_some()
}

/// What a library is for others; those that are not known are needed.
pub fn role(library: &str) -> Role {
    by_name(library).map_or(Role::Needed, |known| known.role)
}

/// What a library compiles at run time.
pub fn compiles(library: &str) -> Compiles {
    by_name(library).map_or(Compiles::Nothing, |known| known.compiles)
}

/// Those that are released with ROCm.
pub const OF_ROCM: [&str; 17] = [
    "rocBLAS",
    "hipBLASLt",
    "hipSPARSELt",
    "hipTensor",
    "MIOpen",
    "Composable Kernel",
    "rocFFT",
    "rocSPARSE",
    "rocSOLVER",
    "rocRAND",
    "rocALUTION",
    "rocDecode",
    "RCCL",
    "MIGraphX",
    "hipDNN",
    "HSA runtime",
    "HIP runtime",
];

/// The library that a file belongs to: by the name of the file, then by the nearest folder. `path` uses `/`.
pub fn library_name(path: &str) -> String {
    if let Some(library) = of_shared_library(path) {
        return library.to_owned();
    }
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    // rocFFT's cache lay beside the library up to ROCm 5.6, and does where Fedora's package is built with
    // one.
    if let Some(library) = of_stem(file).filter(|_| file.ends_with(".db")) {
        return library.to_owned();
    }
    if is_of_cycles(file) {
        return CYCLES.to_owned();
    }
    if let Some(kernel) = of_kernel_variant(folders, file) {
        return kernel;
    }
    for folder in folders.rsplit('/') {
        if let Some(library) = LIBRARIES.iter().find(|l| l.folders.contains(&folder)) {
            return library.name.to_owned();
        }
    }
    own_name(file)
}

/// Whether a folder is a variant of a kernel of Hugging Face's hub: `torch29-cxx11-rocm64-x86_64-linux`. The
/// package `kernels` loads the one that fits PyTorch's release, its C++ interface and its ROCm. Source:
/// huggingface/kernels, `docs/build-variants.md`.
pub fn is_kernel_variant(folder: &str) -> bool {
    folder.starts_with("torch")
        && folder.contains("-rocm")
        && folder.rsplit('-').next().is_some_and(|system| system == "linux" || system == "windows")
}

/// The kernel of Hugging Face's hub that a module is of, by its file: `_activation_9ff4c68.abi3.so` is the
/// kernel `activation`, built from that commit, which differs between variants.
fn of_kernel_variant(folders: &str, file: &str) -> Option<String> {
    folders.rsplit('/').find(|folder| is_kernel_variant(folder))?;
    let stem = own_name(file);
    let stem = stem.strip_suffix(".abi3").unwrap_or(&stem);
    let stem = stem.strip_suffix("_dirty").unwrap_or(stem);
    let commit = |text: &str| text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let name = stem
        .rsplit_once('_')
        .filter(|(name, last)| !name.is_empty() && commit(last))
        .map_or(stem, |(name, _)| name);
    Some(format!("kernel {}", name.trim_start_matches('_')))
}

/// Gives the files of Tensile folders whose paths name no library to the library that the folder's files are
/// of: only hipBLASLt's has extension libraries, and catalogs as zlib streams. So a folder is the same
/// however its path is spelled.
pub(super) fn settle(artifacts: &mut [Artifact]) {
    let folder = |artifact: &Artifact| {
        let folder = artifact.shown.rsplit_once('/').map_or("", |(folder, _)| folder);
        (artifact.root, folder.to_owned())
    };
    let is_nameless = |artifact: &Artifact| {
        matches!(artifact.kind, ArtifactKind::Tensile(..))
            && by_name(&artifact.library).is_none_or(|library| library.role == Role::Loose)
    };
    if !artifacts.iter().any(is_nameless) {
        return;
    }
    let extended: HashSet<(usize, String)> = artifacts
        .iter()
        .filter(|artifact| {
            let is_extension = matches!(artifact.kind, ArtifactKind::Tensile(TensileRole::Extension, _));
            is_extension || artifact.shown.ends_with(packed::EXTENSION)
        })
        .map(folder)
        .collect();
    for artifact in artifacts.iter_mut().filter(|artifact| is_nameless(artifact)) {
        let library = if extended.contains(&folder(artifact)) { "hipBLASLt" } else { "rocBLAS" };
        library.clone_into(&mut artifact.library);
    }
}

/// The library whose shared or static library a file is, by its name alone.
pub fn of_shared_library(path: &str) -> Option<&'static str> {
    let file = file_name(path);
    if !(file.contains(".so") || file.ends_with(".a") || file.ends_with(".dll")) {
        return None;
    }
    of_stem(file)
}

/// The same, of those that are expected to carry kernels: not of what gives calls on, compiles or serves.
pub fn with_kernels(path: &str) -> Option<&'static str> {
    of_shared_library(path).filter(|name| role(name).decides() || role(name) == Role::Runtime)
}

/// Beginnings of the names of libraries of the host that are of a library with kernels and have none.
const WITHOUT_KERNELS: [&str; 8] = [
    "torch_cpu",
    "torch_python",
    "torch_global_deps",
    "torch.",
    "c10",
    "ggmlbase",
    "ggmlcpu",
    "onnxruntime_providers_shared",
];

/// The library that a shared library belongs to, if others need it for the kernels in it.
pub fn needed_for_kernels(soname: &str) -> Option<&'static str> {
    let bare = bare(soname);
    with_kernels(soname)
        .filter(|name| role(name).decides() && !WITHOUT_KERNELS.iter().any(|known| bare.starts_with(known)))
}

/// The name of a file as the table has names.
fn bare(file: &str) -> String {
    let bare = file.strip_prefix("lib").unwrap_or(file);
    bare.chars().filter(|c| *c != '-').collect::<String>().to_ascii_lowercase()
}

fn of_stem(file: &str) -> Option<&'static str> {
    // Modules of Python are named after the library that they call, and are not it.
    let is_module = file.contains(".cpython-") || file.contains(".abi3.") || file.ends_with(".pyd");
    if is_module && !file.starts_with("lib") {
        return None;
    }
    let stem = bare(file);
    LIBRARIES.iter().find(|l| l.stems.iter().any(|s| stem.starts_with(s))).map(|l| l.name)
}

/// Whether a file is of a library that is known to ship kernels that can only trap.
pub(super) fn has_trap_stubs(path: &str) -> bool {
    let name = library_name(path);
    LIBRARIES.iter().any(|library| library.trap_stubs && library.name == name)
}

/// Whether a library compiles all kernels that it does not ship at run time.
pub fn compiles_at_run_time(library: &str) -> bool {
    compiles(library) == Compiles::WhatIsLacking
}

/// Whether files of a library are known by the names of shared libraries.
pub fn is_shared_library(library: &str) -> bool {
    by_name(library).is_some_and(|known| !known.stems.is_empty())
}

/// What code objects outside of any library are reported under.
pub const LOOSE: &str = "loose code objects";

/// A shared library's own name, without `lib` and versions: `libfoo.so.1.2` is `foo`.
fn own_name(file: &str) -> String {
    if [".co", ".hsaco", ".o", ".hipfb", ".fatbin"].iter().any(|e| file.ends_with(e)) {
        return LOOSE.to_owned();
    }
    let bare = file.split(".so").next().unwrap_or(file);
    let bare = bare.split(".cpython-").next().unwrap_or(bare);
    if let Some(archive) = bare.strip_suffix(".kpack") {
        return archive.split("_gfx").next().unwrap_or(archive).to_owned();
    }
    let bare = [".dll", ".exe", ".pyd"].iter().find_map(|e| bare.strip_suffix(e)).unwrap_or(bare);
    bare.strip_prefix("lib").unwrap_or(bare).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{LIBRARIES, OF_ROCM, library_name, needed_for_kernels};

    #[test]
    fn those_of_rocm_are_in_the_table() {
        for name in OF_ROCM {
            assert!(LIBRARIES.iter().any(|library| library.name == name), "{name}");
        }
    }

    #[test]
    fn only_what_has_kernels_is_needed_for_them() {
        for (soname, library) in [
            ("libtorch_hip.so", Some("PyTorch")),
            ("libtorch_cpu.so", None),
            ("torch_python.dll", None),
            ("libc10_hip.so", None),
            ("librocblas.so.4", Some("rocBLAS")),
            ("librocblas-1a2b3c4d.so.4.4", Some("rocBLAS")),
            ("libhipblas.so.2", None),
            ("libhipblaslt.so.0", Some("hipBLASLt")),
            ("libamdhip64.so.6", None),
            ("libhiprtc.so.6", None),
            ("libggml-base.so", None),
        ] {
            assert_eq!(needed_for_kernels(soname), library, "{soname}");
        }
    }

    #[test]
    fn files_of_real_layouts_find_their_library() {
        for (path, library) in [
            ("usr/lib/x86_64-linux-gnu/librocblas.so.4.4", "rocBLAS"),
            ("usr/lib/x86_64-linux-gnu/rocblas/4.4.1/library/Kernels.so-000-gfx900.hsaco", "rocBLAS"),
            ("lib/rocblas/library/TensileLibrary_lazy_gfx900.dat", "rocBLAS"),
            ("torch/lib/libtorch_hip.so", "PyTorch"),
            ("torch/lib/rocblas/library/x.co", "rocBLAS"),
            ("torch/lib/librccl.so", "RCCL"),
            ("usr/lib/x86_64-linux-gnu/ggml/backends0/libggml-hip.so", "ggml"),
            ("ollama/rocm/libggml-hip.so", "ggml"),
            ("bitsandbytes/libbitsandbytes_rocm62.so", "bitsandbytes"),
            ("cupy/cuda/cub.cpython-38-x86_64-linux-gnu.so", "CuPy"),
            ("usr/lib/gcc/x86_64-linux-gnu/16/accel/amdgcn-amdhsa/crt0.o", "gcc offload"),
            ("lib/libfoo.so.1.2", "foo"),
            ("somewhere/kernel.hsaco", "loose code objects"),
            ("jax_rocm7_plugin/_prng.so", "JAX"),
            ("usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1.15.0", "HSA runtime"),
            ("opt/rocm/lib/libhipsparselt.so.0.2", "hipSPARSELt"),
            ("opt/rocm/lib/hipsparselt/library/extop_gfx942.co", "hipSPARSELt"),
            ("opt/rocm/lib/hipsparselt/library/gfx942/hipblasltTransform.hsaco", "hipSPARSELt"),
            ("torch/lib/hipsparselt/library/TensileLibrary_gfx942.dat", "hipSPARSELt"),
            ("opt/rocm/lib/libhiptensor.so.0.1.70201", "hipTensor"),
            ("opt/rocm/lib/libdevice_conv_operations.a", "Composable Kernel"),
            ("lib/libdevice_conv_operations_gfx1250.a", "Composable Kernel"),
            ("_rocm_sdk_libraries/lib/libMIOpenCKGroupedConv_gfx1201.so", "MIOpen"),
            ("_rocm_sdk_libraries/bin/MIOpenCKGroupedConv_gfx1201.dll", "MIOpen"),
            (
                "build/torch29-cxx11-rocm64-x86_64-linux/activation/_activation_9ff4c68.abi3.so",
                "kernel activation",
            ),
            ("build/torch28-cxx11-rocm63-x86_64-linux/_moe_abcdef1_dirty.abi3.so", "kernel moe"),
            (
                "lib/hipdnn_plugins/engines/arch_content/p/gfx942/kpack/hip_kernel_provider_gfx942.kpack",
                "hipDNN",
            ),
            (".kpack/blas_gfx906.kpack", "blas"),
            ("hip/hipblaslt.cpython-312-x86_64-linux-gnu.so", "hipblaslt"),
            ("usr/share/miopen/db/gfx90a68.kdb", "MIOpen"),
            ("opt/rocm-6.4.3/lib/rocfft/rocfft_kernel_cache.db", "rocFFT"),
            ("lib/rocfft/rocfft_kernel_cache_gfx950.db", "rocFFT"),
            ("usr/lib64/rocfft_kernel_cache.db", "rocFFT"),
            ("opt/rocm-5.4.0/lib/rocfft_kernel_cache.db", "rocFFT"),
            ("torch/lib/libaotriton_v2.so.0.11.1", "AOTriton"),
            ("torch/lib/aotriton.images/amd-gfx90a/flash/attn_fwd/FONLY__x___gfx90a.aks2", "AOTriton"),
            ("cycles/lib/kernel_gfx1030.fatbin.zst!/kernel_gfx1030.fatbin", "Blender Cycles"),
            ("cycles/lib/kernel_rt_gfx1030.hipfb", "Blender Cycles"),
            ("aiter_meta/hsa/gfx942/fmha_v3_bwd/bwd_hd128.co", "AITER"),
            ("aiter/ops/triton/configs/gemm/aot/_gemm_M=1/_gemm.hsaco", "AITER"),
            ("jax_plugins/xla_rocm10/xla_rocm_plugin.so", "JAX"),
            ("lib/aotriton.images/amd-gfx11xx/flash/bwd_kernel_dq/kernel.hsaco", "AOTriton"),
        ] {
            assert_eq!(library_name(path), library, "{path}");
        }
    }
}
