//! Messages of compilers, at run time and in builds.

messages! {
    // Compiled at run time.
    "hiprtc-missing" Runtime Reason Own "hiprtc"
        [r"hiprtc[a-z]{3,40} is missing from hiprtc" r"instruction not supported on this gpu" r"hip runtime failed to load" r"please provide architecture for which code is to be generated" r"(failed to load|cannot load|unable to load) <any> hiprtc"]
        ["JIT" "RT-MIX"]
        "A program compiles its kernels at run time, and hiprtc is of another release or does not take its code."
        "Bytes show the release of hiprtc in the tree; code that is compiled at run time is in no file."
    "rocfft-compile" Runtime Reason Own "rocFFT"
        [r"rocfft <any> (failed to compile|compilation failed|hiprtc_error)" r"rocfft_rtc <any> (error|failed)"]
        ["JIT" "RT-MIX"]
        "rocFFT compiles its kernels at run time, and that failed."
        "Bytes show the releases of rocFFT and hiprtc in the tree; kernels that are compiled at run time are in no file."
    // Its planner tries plans, and prints this of those that it does not take.
    "rocfft-plan-tried" Harmless Harmless Own "rocFFT"
        [r"cant find valid buffer assignment with current buffers"]
        ["NOT-ROCM"]
        "rocFFT tried a plan that it cannot lay out in the buffers, and takes another one."
        "Files are not concerned: look further down in the log."
    "opencl-compile" Runtime Reason Ported "OpenCL"
        [r"clbuildprogram ?\( ?-[0-9]{1,2} ?\)"]
        ["JIT" "DEVICE-LIBS-MISSING"]
        "A program has OpenCL compile its kernels at run time, and that failed; the build log says why."
        "Bytes show whether the tree has the device libraries. What is compiled at run time is in no file."
    "aiter-build" Runtime Follow Own "aiter"
        [r"\[aiter\] failed (jit build|build jit)"
         r"\[aiter\] build \[ ? [a-z0-9_]{3,60} \] <any> failed"
         r"no module named aiter\.jit\.module_[a-z0-9_]{2,60}"]
        ["JIT" "SRC-BUILD"]
        "aiter compiles its modules on this machine, and that failed or left no module; the first error below says why."
        "Bytes show which modules are there, and for which targets. What is compiled later is in no file."
    "linker-absent" Runtime Result Ported "compiler"
        [r"(cannot|cant|could not|couldnt|unable to|failed to) find (ld\.)?lld ($|[^a-z0-9])"]
        ["JIT" "PKG-DEVEL-MISSING"]
        "A program that compiles kernels while it runs does not find LLVM's linker, ld.lld."
        "Bytes show whether the tree has it (lib/llvm/bin/ld.lld). Where the program looks they do not show."
    "triton-target" Runtime Reason Own "Triton"
        [r"error : ?unsupported target : ?<target>" r"triton <any> unsupported (target|architecture) : ?<target>" r"unsupported target : ?<target>"]
        ["TR-TARGET"]
        "Triton's compiler does not take this target."
        "Bytes show the release of Triton. The list of its targets is in its compiler."

    // Builds.
    "library-to-link" Build Reason Own "the linker"
        [r"cannot find -l(amdhip64|hsa-runtime64|hipblas|rocblas|hiprtc|miopen|amd_comgr|rccl|hipfft|rocfft|hipsparse)"]
        ["LINK-UNVERSIONED-MISSING" "PKG-DEVEL-MISSING"]
        "A build links a library of ROCm by the name without a version, which only the package for developers has, or in a folder where it is not."
        "Bytes show whether the tree has the library, and under which names."
    "invalid-target-id" Build Reason Own "compiler"
        [r"invalid target id :? <target>" r"unsupported hip gpu architecture :? <target>" r"unknown target cpu :? <target>" r"invalid (amdgpu|gpu|offload) architecture :? <target>" r"ef_amdgpu_mach_amdgcn_gfx[0-9a-f]{3,5} is not a member of"
         r"cannot select <any> llvm\.amdgcn" r"(needs|requires) target feature <any> (gfx|amdgcn|-insts)" r"__builtin_amdgcn_[a-z0-9_]{3,60} needs target feature"
         r"no amd gpu arch"
         r"directive requires gfx[0-9a-f]{3,5}" r"unsupported hip gpu architecture" r"<target> is not a recognized processor for this target <any> (error|fatal)"]
        ["TC-UNKNOWN-TARGET" "LT-ARCH-MISSING"]
        "A build names a target that its compiler or its sources do not know."
        "Bytes do not show it; `rocm-audit list arches` says which release of LLVM first names a target."
    "device-build" Build Follow Own "compiler"
        [r"[0-9]{1,4} errors? generated when compiling for <target>"
         r"unsupported (cuda )?gpu architecture : ?<target>"
         r"no matching function for call to (hip|roc)[a-z]{4,40}"
         r"unknown type name (hip|roc)[a-z0-9_]{4,40}"
         r"cant find bundles for (hip-|hipv4-)?amdgcn-amd-amdhsa--<target>"
         r"hip_architectures is empty for target"]
        ["SRC-BUILD" "TC-UNKNOWN-TARGET"]
        "Sources for GPUs did not compile for this target; the first error stands above."
        "Bytes of files show nothing of it: nothing was built."
    "assembler" Build Result Ported "compiler"
        [r"error : ? (invalid operand for instruction|not a valid operand|instruction not supported on this gpu)"
         r"error : ? static(_assert| assertion) failed"
         r"operands? (are|is) not (valid|supported) (for|on) this gpu"
         r"specified hardware register is not supported on this gpu"]
        ["TC-UNKNOWN-TARGET" "SRC-BUILD"]
        "Assembly in a program's source is of another generation of GPUs than the one that it is built for."
        "Bytes do not show it: leave the target out of the build, or take sources that have code for it."
    "package-build" Build Follow Own "package manager"
        [r"builder for /nix/store/[a-z0-9]{8,40}- (rocm|rocblas|hipblas|miopen|clr|rccl|rocfft|rocsparse|rocsolver|composable|migraphx|comgr)[a-z0-9._-]{0,60} \.drv failed"
         r"(sci-libs|dev-util|dev-libs)/(roc|hip|miopen|composable|amdgpu|rccl)[a-z0-9._-]{0,40} (:: [a-z]{2,20})? failed"
         r"failed to install (rocm|rocblas|hipblas|miopen|rccl|rocfft|hip-|composable)[a-z0-9@.%~+_-]{0,60}"]
        ["SRC-BUILD" "PKG-DEVEL-MISSING" "TC-UNKNOWN-TARGET"]
        "A distribution's package of ROCm was built here, and that failed; the first error above says why."
        "Bytes of files show nothing of it: nothing was built."
    "source-refused" Build Follow Ported "compiler"
        [r"\.(cu|cuh|hip|h|hpp|hxx|c|cc|cpp|cxx|s|inc) : [0-9]{1,6} : ([0-9]{1,5} :)? ?(fatal )?error :"
         r"error : ? (use of )?un(declared identifier|defined value)"
         r"error : ? no (member|template|type) named"
         r"error : ? no matching (member )?function"
         r"error : ? unknown type name"
         r"error : ? error in backend"
         r"relocation [a-z0-9_]{4,40} (out of range|cannot be used against)"
         r"clang(\+\+)?(-[0-9]{1,2})? : ? error : ? [a-z -]{2,40}? command failed (with exit code|due to signal)"
         r"stack dump : ? 0\. ? program arguments :"
         r"lld(-link)? : ?error : ? undefined (hidden )?(symbol|reference)"
         // Spack.
         r"processerror : ? command exited with status"
         r"error lnk[0-9]{4} : ? unresolved external symbol"
         r"lld(-link)? : ?error : ? (version script assignment|duplicate symbol|could not open|unable to find library)"
         // LLVM's own check of what a compiler made.
         r"(debug intrinsic|mdnode) incompatible with debug info version"
         r"broken (module|function) found ,? compilation (aborted|terminated)"
         r"undeclared inclusion\(s\) in rule"
         r"failed : ? [a-z0-9_./+-]{0,160}? (hip|rocm) [a-z0-9_.-]{0,60} \.(o|obj|so|dll|a) : && "
         r"source file is not valid utf-8"
         r"cant open file [a-z0-9_./-]{0,80} amd_build"
         r"(type|runtime|attribute)error : ? hipify"
         r"error : ? illegal instruction detected :"
         r"ran out of registers during register allocation"
         r"error (compiling objects for|building) extension"
         r"at least rocm (/hip)? v? ?[0-9.]{1,6} is required"
         r"at least hip v? ?[0-9.]{1,6} is required"
         r"requires rocm (version)? ?>= ? [0-9]"
         r"requires hip (version)? ?>= ? [0-9]"
         r"needs rocm (version)? ?>= ? [0-9]"
         r"ninja : ? build stopped : ? subcommand failed"
         r"failed : ? \[code=[0-9]{1,3}\]"
         r"error : ? [^|\[]{4,160}? \[-werror[,=]"
         // What wraps a build: make, CMake, pip, makepkg, rpmbuild, debhelper.
         r"make (\[[0-9]{1,2}\])? : ? \[[^\]|]{2,200}\] error [0-9]"
         r"cmake error at ([a-z] :)? [^:|]{2,160} : [0-9]{1,5} \("
         r"failed building wheel for"
         r"could not build wheels for"
         r"failed to build installable wheels"
         r"calledprocesserror : ? command \[? ? [a-z0-9/._-]{0,80} (cmake|ninja|make|hipcc)"
         r"a failure occurred in (build|prepare|check|package)\(\)"
         r"bad exit status from [a-z0-9/._-]{3,80} \(%(build|prep|install|check)\)"
         r"dh_auto_(configure|build|install|test) : ? error"]
        ["SRC-BUILD" "TC-UNKNOWN-TARGET"]
        "A compiler does not take the sources: they are for another release of ROCm, or have nothing for this GPU. The first error says what."
        "Bytes of files show nothing of it: nothing was built."
    "host-compiler" Build Reason Own "CMake"
        [r"only llvm is supported for hip"
         r"(error : ?)? language hip not recognized"
         r"unknown hip_(platform|compiler)"
         r"(gcc|g\+\+|cc1plus|c\+\+|nvcc|clang|clang-[0-9]{1,2}) : ? error : ? [^|]{0,40}? (--offload-arch|-x ?hip|--amdgpu-target)"]
        ["SRC-BUILD" "PKG-DEVEL-MISSING"]
        "Sources for HIP are given to a compiler that is not ROCm's: the build takes the host's compiler, or an old name of the platform."
        "Bytes show whether the tree has ROCm's compiler (lib/llvm/bin/clang). Which one a build takes they do not show."
    "compiler-absent" Build Reason Own "hipcc"
        [r"(rocm|hip) [^|]{0,200}? (amd)? clang (\+\+)? (-[0-9]{1,2})? (\.exe)? is not recognized as an internal or external command"
         r"(rocm|hip) [^|:]{0,120}? /bin/ (amd)? clang (\+\+)? (-[0-9]{1,2})? : ? (no such file|not found|command not found|permission denied)"
         r"(no such file or directory|not found) : ? /opt/rocm [a-z0-9_./-]{0,60} /bin/ (amd)? clang"
         r"cant exec [^|:]{0,120}? (rocm|hip) [^|:]{0,120}? /clang"
         r"amdclang (\+\+)? : ? (no such file|not found|command not found)" r"hipcc : ? (no such file|not found|command not found)"]
        ["PKG-DEVEL-MISSING"]
        "hipcc or a build calls ROCm's compiler where it is not: it is not installed, or lies in another folder, as lib/llvm/bin."
        "Bytes show whether the tree has ROCm's compiler and in which folder."
    // Kokkos, CuPy and others compile the same sources for each maker's GPU.
    "gpu-source-refused" Build Follow Mostly "compiler"
        [r"(kokkos|cupy|amrex|ginkgo|alpaka|hypre|gromacs|arrayfire|ggml-cuda|stream_executor|umpire) [a-z0-9_./+-]{0,80} \.(cu|cuh|hip|h|hpp|hxx|c|cc|cpp|cxx|inc) : [0-9]{1,6} : ([0-9]{1,5} :)? ?(fatal )?error :"]
        ["SRC-BUILD" "PKG-DEVEL-MISSING"]
        "A program that can be built for several makers' GPUs does not compile, and the log does not say for which it was to be. The first error says what."
        "Bytes of files show nothing of it: nothing was built."
    "hip-compiler-fails" Build Follow Own "CMake"
        [r"hip compiler identification is unknown"
         r"check for working hip compiler : [^|]{0,160}? - ?broken"
         r"cmaketesthipcompiler"]
        ["DEVICE-LIBS-MISSING" "PKG-DEVEL-MISSING" "SRC-BUILD"]
        "CMake tried ROCm's compiler on a small program, and that failed: as a rule it does not find the device libraries or the files of HIP's own. The lines below say why."
        "Bytes show whether the tree has the device libraries and header files."
    "headers" Build Reason Own "compiler"
        [r"hip/hip_(runtime|fp16|bf16|bfloat16|version)(_api)?\.h : ?no such file" r"(rocblas|hipblas|miopen|hipblaslt|rocrand|hiprand|rccl|hipsparse)[a-z/_\-]{0,40} \.h(pp)? : ?no such file" r"(rocblas|hipblas|miopen|hipblaslt|rocrand|hiprand|rccl|hipsparse)[a-z/_\-]{0,40} \.h(pp)? :? file not found" r"hip/hip_[a-z0-9_]{2,30}\.h file not found"
            // What the system says of the file is in the language of the locale.
            r"fatal error : ? hip/ [a-z0-9_/-]{3,40} \.h(pp)? : "
            r"miir\.h : ?(file not found|no such file)"
            r"cannot find hip runtime"
            r"ld\.lld (was|executable) not found"
            r"file install cannot find [^|]{0,160} (amdhip64|hipblas|rocblas|hiprtc|amd_comgr|hipblaslt)"
            r"(cannot|cant|could not|failed to) find (the )?(rocm|hip) (library|libraries|installation|root|path|toolkit|compiler|sdk)"
            r"rocm_agent_enumerator :? ?(no such file|not found|command not found|permission denied)"
            r"(no such file or directory|command not found|not found) :? ?(/opt/rocm[a-z0-9./-]{0,20}/)?rocminfo"
            r"rocminfo : ? (command )?(not found|no such file)"
            r"hip(cc|config) :? ? (command |compiler )?(was )?not found"
            r"could not find (hip|roc|miopen|rccl|hsa|migraphx|amd_comgr)[a-z0-9_-]{0,20} \( ?missing"
            r"by not providing find(hip|hsa|roc|miopen|rccl|amd_comgr|amddevicelibs|migraphx)[a-z0-9_-]{0,20}\.cmake"
            r"required packages? (were |was )?not found : <any> (hip|roc)"
            r"(rocprim|hipcub|rocthrust|rocwmma|rocfft|hipfft|rocsparse|rocsolver|hipsolver|migraphx|roctracer|rocprofiler|rocm_smi|amd_smi|amd_comgr|composable_kernel|ck_tile) /[a-z0-9_./-]{2,80} \.h(pp)? :? no such file"
            r"(rocprim|hipcub|rocthrust|rocwmma|rocfft|hipfft|rocsparse|rocsolver|hipsolver|migraphx|roctracer|rocprofiler|rocm_smi|amd_smi|amd_comgr|composable_kernel|ck_tile) /[a-z0-9_./-]{2,80} \.h(pp)? :? file not found"
            r"(hipfft|rocfft|hipblas|hipblaslt|rocblas|hipsparse|rocsparse|hiprand|rocrand|hipsolver|rocsolver|hiptensor|hip_runtime|hip_runtime_api|rocm_smi|amd_smi|roctx|roctracer|rccl) \.h(pp)? :? file not found"
            r"(hipfft|rocfft|hipblas|hipblaslt|rocblas|hipsparse|rocsparse|hiprand|rocrand|hipsolver|rocsolver|hiptensor|hip_runtime|hip_runtime_api|rocm_smi|amd_smi|roctx|roctracer|rccl) \.h(pp)? :? no such file"
            r"rocm_(path|home|root)[a-z_]{0,10} (is|was)? (not set|not found|unset|invalid)"
            r"hip_path[a-z_]{0,10} (is|was)? (not set|not found|unset|invalid)"
            r"(rocm|hip|miopen|rocblas|rocrand|rocfft|hipfft|rccl|roctracer|hipsparse|hipsolver|rocsolver) version files? [a-z0-9_./-]{0,80}? (not found|could not be found)"
            r"(rocm|hip|miopen|rocblas|rocrand|rocfft|hipfft|rccl|roctracer|hipsparse|hipsolver|rocsolver) config files? [a-z0-9_./-]{0,80}? (not found|could not be found)"
            r"(rocm|hip|miopen|rocblas|rocrand|rocfft|hipfft|rccl|roctracer|hipsparse|hipsolver|rocsolver) header files? [a-z0-9_./-]{0,80}? (not found|could not be found)"
            r"no such package @local_config_rocm"
            r"no cmake_hip_compiler could be found"
            // The names of CMake's targets, which reach a linker where their package was not found.
            r"cannot find -l (hip|hsa|roc|miopen|rccl|migraphx) [a-z0-9_-]{0,20} ::"
            r"could not find (hip|roc[a-jl-z][a-z]{1,11}|miopen|rccl|hsa) : ? found unsuitable version"
            r"optional package hip not found"
            r"(hip|hsa|roc|miopen|rccl|migraphx) [a-z0-9_-]{0,20} :: [a-z0-9_-]{2,40} but the target was not found"
            r"imported target (hip|hsa|roc|miopen|rccl|migraphx) [a-z0-9_-]{0,20} :: <any> but this file does not exist"
            r"find a (package)? configuration file (for package|provided by) (hip|hsa|roc|miopen|rccl|amd_comgr|amddevicelibs|composable_kernel|migraphx)"
            r"does not contain the hip runtime cmake package"
            r"hip[a-z_]{0,12}_dir-notfound"
            r"cannot open (input )?file hip[a-z0-9_]{2,40}-notfound"]
        ["PKG-DEVEL-MISSING"]
        "A build does not find the header files of ROCm."
        "Bytes show whether the tree has header files."
}
