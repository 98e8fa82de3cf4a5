//! Files that were looked for: which kind of file a text names, and that it was not there, not readable or
//! refused.
//!
//! A program says that with a verb before the file, with a word behind it, or with both, in its own words.
//! The kind of the file says whose it is and so what is behind it; the sentence around it does not matter.

/// A kind of files, by what stands in their names.
pub(super) struct SoughtFileKind {
    /// An expression of its names, on squeezed text.
    pub(super) name: &'static str,
    /// The message that it is where such a file is not there.
    pub(super) message: &'static str,
}

const fn kind(name: &'static str, message: &'static str) -> SoughtFileKind {
    SoughtFileKind { name, message }
}

/// The kinds. Sources of the names: the packages of ROCm, and each component's own code that opens them.
pub(super) const KINDS: &[SoughtFileKind] = &[
    kind("hipblaslt[^: ]{0,60}tensilelibrary[a-z0-9_]{0,60}\\.(dat|co)(\\.zlib)?", "rocblaslt-cannot-read"),
    kind("rocblas[^: ]{0,60}tensilelibrary(_lazy_<target>)?[a-z0-9_]{0,60}\\.dat", "tensile-dat-absent"),
    kind("tensilelibrary_lazy_<target>\\.dat", "tensile-dat-absent"),
    kind("tensilelibrary\\.(dat|yaml)", "tensile-dat-absent"),
    kind("kernels\\.so-000-[a-z0-9+-]{3,30}\\.hsaco", "hipmoduleload-failed"),
    kind("tensilelibrary_[a-z0-9_]{3,120}\\.(hsaco|co)", "hipmoduleload-failed"),
    kind("(^|[^a-z0-9])(<target>[a-z0-9_]{0,12})\\.kdb", "miopen-kdb"),
    kind("<target>[a-z0-9_.]{0,20}\\.(f|p)?db\\.txt", "miopen-unreadable"),
    kind("libmiopenckgroupedconv_<target>\\.so[.0-9]{0,12}", "miopen-ck"),
    kind("kernel_(rt_)?<target>\\.(fatbin|hipfb)(\\.zst)?", "blender-kernel"),
    kind("[a-z0-9_:+-]{2,60}\\.kpack", "kpack-none"),
    kind("amdgpu/[a-z0-9_]{3,40}\\.bin", "firmware-absent"),
    kind("ocml(\\.amdgcn)?\\.bc", "device-libs-absent"),
    kind("ockl(\\.amdgcn)?\\.bc", "device-libs-absent"),
    kind("opencl(\\.amdgcn)?\\.bc", "device-libs-absent"),
    kind("oclc_[a-z0-9_]{3,40}(\\.amdgcn)?\\.bc", "device-libs-absent"),
    kind("hip\\.(amdgcn\\.)?bc", "device-libs-absent"),
    kind("aotriton\\.images", "aotriton"),
    kind(
        "(hip|hsa|roc|miopen|rccl|migraphx|amd_?comgr|amddevicelibs)[a-z0-9_-]{0,20}(config|targets)(-[a-z]{3,16})?\\.cmake",
        "headers",
    ),
    kind("libbitsandbytes_(rocm|hip)[a-z0-9_]{0,20}\\.(so|dll)", "configured-binary"),
    kind("libbitsandbytes_cuda[0-9]{2,4}[a-z0-9_]{0,20}\\.(so|dll)", "cuda-wheel"),
    kind("/dev/kfd", "kfd-open"),
    kind("/dev/dri/(renderd[0-9]{3}|card[0-9]{1,2})", "render-node"),
];

/// Libraries of ROCm, and of programs that are built for it, by the stems of their names.
pub(super) const LIBRARIES: [&str; 60] = [
    "amdhip64",
    "hsa-runtime64",
    "rocblas",
    "hipblaslt",
    "hipblas",
    "amd_comgr",
    "hiprtc-builtins",
    "hiprtc",
    "rccl",
    "rocfft",
    "hipfft",
    "rocsparse",
    "hipsparselt",
    "hipsparse",
    "rocsolver",
    "hipsolver",
    "rocrand",
    "hiprand",
    "roctx64",
    "roctracer64",
    "rocm_smi64",
    "amd_smi",
    "miopen",
    "migraphx",
    "rocprofiler",
    "rocm-core",
    "rocm_sysdeps",
    "torch_hip",
    "c10_hip",
    "ggml-hip",
    "hsakmt",
    "amdocl64",
    "drm_amdgpu",
    "hip_hcc",
    "hipfile",
    "rocroller",
    "hiptensor",
    // Further ones of ROCm's packages, also of releases with HCC.
    "hc_am",
    "mcwamp",
    "cxlactivitylogger",
    "hsa-amd-aqlprofile64",
    "rocdxg",
    "rocalution",
    "rocdecode",
    "rocjpeg",
    "rocshmem",
    "rocal",
    "openvx_hip",
    "vx_rocm",
    "hipdnn",
    "hiprtcompile",
    "hiprt0",
    "aotriton",
    "amdoclsc",
    "amdocl12cl64",
    "rocprof-sys",
    "rocm-dbgapi",
    "amd-dbgapi",
    "rdc_bootstrap",
    "rocm_kpack",
];

/// The message of a library that the loader did not find.
pub(super) const LIBRARY_ABSENT: &str = "needed-missing";

/// The names of a library, as Linux and as Windows have them.
pub(super) fn names_of(library: &str) -> [String; 2] {
    // RCCL looks for plug-ins (`librccl-net.so`, `librccl-tuner.so`) and goes on without them: of its names only
    // the library's own and that with a wheel's hash count.
    let suffix = if library == "rccl" { "(-[0-9a-f]{8})?" } else { "[a-z0-9_-]{0,24}" };
    [format!("lib{library}{suffix}\\.so[.0-9]{{0,24}}"), format!("{library}[a-z0-9_-]{{0,12}}\\.dll")]
}

/// How the loader's answer begins, behind which it names the library and says, in the language of the system,
/// that it is not there.
pub(super) const LOADING: &str = "(importerror|oserror|errorwhileloadingsharedlibraries):";

/// A word before the file that says that it was not to be had.
pub(super) const BEFORE: &str = "(cannot|cant|couldnot|couldnt|canot|unableto|failedto|failureto|failed|notableto|errorwhile|[^_a-z]error|missing|nosuchfileordirectory|filenotfounderror|filenotfound|notfound|notfinding|didnotfind|donothave|doesnothave|without|hasno|thereisno|thereareno|lacks|permissiondenied)";
/// A word behind it that says so.
const BEHIND: &str = "(notfound|wasnotfound|nosuchfile|isnotthere|notthere|ismissing|missing|doesnotexist|doesntexist|notexist|couldnotbe|cannotbe|cantbe|couldntbe|cannotopen|cannotload|couldnotload|failedtoload|failedtoopen|failedwitherror|unreadable|isabsent|absent|notpresent|permissiondenied|operationnotpermitted|invalid|isnotavailable|notavailable|failed)";

/// Bytes between the word and the file, at most: all but bars.
pub(super) const GAP: usize = 160;
/// Bytes of the file before its name, at most: no bars, colons, commas and semicolons.
pub(super) const FOLDERS: usize = 120;

/// The patterns of a kind: the word before the file, or behind it.
pub(super) fn patterns(name: &str) -> [String; 2] {
    [
        format!("{BEFORE}[^|]{{0,{GAP}}}?(?P<file>[^:,;|]{{0,{FOLDERS}}}?{name})"),
        format!("(?P<file>{name})[^|]{{0,80}}?{BEHIND}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::table::of_id;

    #[test]
    fn kinds_are_of_messages() {
        for kind in KINDS {
            assert!(of_id(kind.message).is_some(), "no message {}", kind.message);
        }
    }
}
