//! Back traces and releases: in whose code a program ended, and which releases of ROCm a log names.

/// How debuggers and C libraries print the library of a frame. Sources: gdb's `frame.c`, glibc's
/// `backtrace_symbols.c`, Julia's `jl_print_native_codeloc`, and the traces that programs print on Windows.
/// `<frame>` is its stem.
pub(super) const FRAMES: &[&str] = &[
    "from/[a-z0-9_/.+-]{0,200}?/lib(?P<frame>[a-z0-9_-]{2,40})\\.so",
    "/lib(?P<frame>[a-z0-9_-]{2,40})\\.so[.0-9]{0,12}\\([a-z0-9_+:~<>,&]{0,300}\\)\\[0x",
    "at/[a-z0-9_/.+-]{0,200}?/lib(?P<frame>[a-z0-9_-]{2,40})\\.so[.0-9]{0,12}\\(unknownline\\)",
    "[\\\\/](?P<frame>[a-z0-9_-]{2,40})\\.dll\\(0x[0-9a-f]{6,16}\\)",
    // The kernel, of a process that it ended.
    "errorc?[0-9]{1,2}inlib(?P<frame>[a-z0-9_-]{2,40})\\.so[.0-9]{0,12}\\[[0-9a-f]{4,16}\\+",
    "faultingmodule(name|path)?:(?P<frame>[a-z0-9_-]{2,40})\\.dll",
];

/// How packages, folders and programs name a release of ROCm: its first two numbers count.
pub(super) const RELEASES: &[&str] = &[
    "/rocm-(?P<release>[1-9][0-9]?\\.[0-9]{1,2})",
    "\\+rocm(?P<release>[1-9][0-9]?\\.[0-9]{1,2})",
    "rocm(version|release)?[:=]{0,2}\\(?(?P<release>[1-9][0-9]?[.,][0-9]{1,2})([^0-9]|$)",
    "hipversion:(?P<release>[1-9][0-9]?\\.[0-9]{1,2})",
];

/// A release of ROCm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    /// The first number.
    pub major: u32,
    /// The second.
    pub minor: u32,
}

impl Release {
    /// The release that a text names: `6.4`.
    pub(in crate::messages) fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once(['.', ','])?;
        Some(Release { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

/// The first release whose compiler makes code objects of version 6, which older runtimes do not read (clr,
/// `hip_code_object.cpp`).
pub(super) const FIRST_OF_VERSION_6: Release = Release { major: 6, minor: 3 };

/// Whose library a frame is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameOwner {
    /// rocBLAS, hipBLASLt: catalogs and kernels of Tensile.
    Blas,
    /// The HIP runtime.
    Hip,
    /// The HSA runtime and what lies below.
    Hsa,
    /// The compiler at run time.
    Compiler,
}

/// The owners, by what stems begin with.
const OWNERS: [(&str, FrameOwner); 8] = [
    ("rocblas", FrameOwner::Blas),
    ("hipblas", FrameOwner::Blas),
    ("amdhip64", FrameOwner::Hip),
    ("hsa-runtime64", FrameOwner::Hsa),
    ("hsakmt", FrameOwner::Hsa),
    ("drm_amdgpu", FrameOwner::Hsa),
    ("amd_comgr", FrameOwner::Compiler),
    ("hiprtc", FrameOwner::Compiler),
];

/// Whose library has this stem; none for other programs.
pub(super) fn owner(stem: &str) -> Option<FrameOwner> {
    OWNERS.iter().find(|(begins, _)| stem.starts_with(begins)).map(|(_, owner)| *owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_owners_are_read() {
        assert_eq!(Release::parse("6.4"), Some(Release { major: 6, minor: 4 }));
        assert_eq!(Release::parse("7,1"), Some(Release { major: 7, minor: 1 }));
        assert!(Release::parse("6.2") < Some(FIRST_OF_VERSION_6));
        assert_eq!(owner("amdhip64_7"), Some(FrameOwner::Hip));
        assert_eq!(owner("python3"), None);
    }
}
