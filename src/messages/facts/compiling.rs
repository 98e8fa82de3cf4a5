//! When a compiler ran: in a build, or while a program ran.
//!
//! A compiler prints the same lines in both. Who called it does not: a program that compiles its kernels itself
//! says so, and has its sources in folders that only the libraries for that make; a build has its tool's lines.

/// When a compiler ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::messages) enum CompileTime {
    /// While a program ran.
    Run,
    /// In a build.
    Build,
}

/// What is printed around a compiler, and when that is. Sources: Cycles' `hip/device_impl.cpp`, OpenMM's
/// `HipContext.cpp`, darktable's `common/opencl.c`; the others as logs of users show them.
pub(super) const TIMES: &[(CompileTime, &str)] = &[
    (CompileTime::Run, "compilinghipkernel\\.\\.\\."),
    (CompileTime::Run, "compilingopenclkernel\\.\\.\\."),
    (CompileTime::Run, "failedtoexecutecompilationcommand"),
    (CompileTime::Run, "(launch|runn|invok|execut|start)ing(the)?(hip|rocm)compiler"),
    (CompileTime::Run, "kernelbuildoutput:"),
    (CompileTime::Run, "cl_build_program_failure"),
    (CompileTime::Run, "clbuildprogram"),
    (CompileTime::Run, "opencl_build_program"),
    (CompileTime::Run, "couldnotbuild(the)?program"),
    (CompileTime::Run, "errorcompiling(kernel|program):"),
    (CompileTime::Run, "hiprtccompileprogram"),
    (CompileTime::Run, "gpucompiler"),
    (CompileTime::Run, "/comgr-[0-9a-z-]{2,40}/(input|include|output)/"),
    (CompileTime::Run, "/amd_[0-9]{1,8}_[0-9]{1,6}/t_[0-9]{1,8}_[0-9]{1,6}\\.[a-z]{1,3}:"),
    (CompileTime::Run, "--genco.{0,300}?/\\.cache/"),
    (CompileTime::Build, "errors?foundinbuildlog"),
    (CompileTime::Build, "spack-(stage|build)"),
    (CompileTime::Build, "executingphase:"),
    (CompileTime::Build, "/pip-(install|req-build|build-env|wheel)-"),
    (CompileTime::Build, "cmake(warning|error)at"),
    (CompileTime::Build, "cmakefiles/[a-z0-9_./+-]{2,160}\\.(dir|o)"),
    (CompileTime::Build, "make\\[[0-9]{1,2}\\]:"),
    (CompileTime::Build, "ninja:buildstopped"),
    (CompileTime::Build, "failed:\\[code=[0-9]"),
    (CompileTime::Build, "collect2:error:ld"),
    (CompileTime::Build, "linkercommandfailed"),
    (CompileTime::Build, "bazel-out/"),
    (CompileTime::Build, "/var/tmp/portage/"),
    (CompileTime::Build, "builderfor/nix/store/"),
    (CompileTime::Build, "subprocess-exited-with-error"),
    (CompileTime::Build, "afailureoccurredinbuild\\(\\)"),
    (CompileTime::Build, "badexitstatusfrom/var/tmp/"),
    (CompileTime::Build, "dh_auto_(build|configure)"),
];

/// Whether a line is a linker's: those of GNU, LLVM and Microsoft, gold and mold, as they name themselves, or
/// in their own words for a symbol; the loader has others.
pub(super) fn is_of_linker(line: &str) -> bool {
    let small = line.to_ascii_lowercase();
    let names = ["lld: error", "lld: warning", "lld-link: ", "mold: ", "ld.gold: ", "ld.bfd: ", "/ld: "];
    let own_words = ["undefined reference", "unresolved external symbol", "error lnk"];
    let is_named = |name: &&str| small.contains(name);
    small.starts_with("ld: ") || names.iter().any(is_named) || own_words.iter().any(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkers_and_loaders_are_told_apart() {
        for line in [
            "ld.lld: error: undefined symbol: hipMalloc",
            "/usr/bin/ld: a.o: in function `main': undefined reference to `hipMalloc'",
            "main.obj : error LNK2019: unresolved external symbol hipMalloc referenced in function main",
            "mold: error: undefined symbol: hipMalloc",
        ] {
            assert!(is_of_linker(line), "{line}");
        }
        for line in [
            "./a.out: symbol lookup error: ./a.out: undefined symbol: hipMalloc",
            "ImportError: /x/y.so: undefined symbol: hipblasGetStream",
            "world: undefined symbol: hipMalloc",
        ] {
            assert!(!is_of_linker(line), "{line}");
        }
    }
}
