//! Messages of MIOpen, and of what compiles like it.

messages! {
    // MIOpen.
    "miopen-userdb" Environment Reason Own "MIOpen"
        [r"miopen <any> filesystem error : <any> (permission denied|read-only|no space left|not permitted|input/output)"
            r"miopen <any> (unable to open database|disk i/o error|attempt to write a readonly|no space left on device|read-only file system)"
            r"filesystem_error <any> \.u(f|p)?db(\.txt)?" r"(permission denied|read-only file system|unable to (open|write)|no such file or directory) <any> \.(config|cache) [/\\]+ miopen"
            r"sqlite_db\.cpp <any> (unable to open|disk i/o error|database is locked|readonly)"
            r"attempt to write a readonly database"]
        ["ENV-MIOPEN-USERDB"]
        "MIOpen cannot write its own database in the home folder."
        "Bytes of files show nothing of it: files are not the cause."
    "miopen-kdb" Harmless Harmless Own "MIOpen"
        [r"(missing|unable to (read|open)) system database file :? ?<path> <target> (_[0-9]{1,3}|[0-9a-f]{1,3})? (:?[a-z:+\-]{0,20}) \.kdb"
         r"(missing|unable to (read|open)) system database file" r"missing system database"]
        ["MI-KDB-MISSING" "MI-DB-OTHER-TREE" "MI-KDB-UNREADABLE"]
        "MIOpen has no compiled kernels for this GPU at hand and compiles them itself: the first run is slow. It is no error."
        "Bytes show which databases are there. The target in the name is that of an override, where one is set."
    "miopen-ck" File Reason Own "MIOpen"
        [r"ck grouped conv library not found for device <target>" r"libmiopenckgroupedconv_ <target> \.so <any> (cannot open|no such file|not found)" r"ck grouped conv library not found"]
        ["MI-CK-MISSING" "LINK-UNVERSIONED-MISSING" "XN-NEUTRAL-APU"]
        "MIOpen's library of grouped convolutions for this GPU was not found; slower solvers are taken."
        "Bytes show whether the library is there, under which name and for which target."
    "miopen-unreadable" File Result Own "MIOpen"
        [r"file is unreadable : ?<path> <target> [a-z0-9_.\-]{0,40} db (\.txt)?" r"file is unreadable : ?<path> miopen"
         r"miopen \( ?(hip|opencl) ?\) : ? warning \[ ?[a-z]{3,20} ?\] file is unreadable \."]
        ["MI-FDB-MISSING" "XN-ISA-NAME"]
        "MIOpen could not open a database of this GPU: mostly, there is none of that name."
        "Bytes show which databases are there, and for which names."
    "miopen-compile" Runtime Reason Own "MIOpen"
        [r"\[ ?setisaname ?\] <any> (amdgcn-amd-amdhsa--) <target>"
         r"\[ ?setisaname ?\]" r"code object build failed" r"amd_comgr_action_[a-z_]{3,60} : ?error" r"hiprtc_error_compilation" r"comgr status = ?error" r"comgr status = ?invalid_argument" r"\[buildhip\] <any> error" r"miopen(statuscompileerror|_status_compile)" r"comgr build source error"
            r"failed to compile (opencl)? source \(from (cl|hip)"
            r"miopen error : ? [^|]{0,80}? cant execute "
            r"creating the executable from llvm irs failed"
            r"/comgr-[0-9a-z-]{2,40}/(input|include)/[a-z0-9_./+-]{1,80} :[0-9]{1,6}:[0-9]{1,6}: (fatal )?error :"]
        ["RT-MIX" "XN-ISA-NAME" "JIT"]
        "MIOpen compiled a kernel at run time, and the compiler refused: releases are mixed, or it was given a target ID that it does not know."
        "Bytes show the releases of MIOpen, comgr and runtime in the tree. What the compiler was given they do not show."
    "miopen-timing" Runtime Reason Own "MIOpen"
        [r"invalid elapsed time detected in evaluateinvokers" r"failed condition : ?elapsed <= ?0"]
        ["RT-REGRESSION"]
        "MIOpen measured a solver and got no time: a fault of driver or runtime."
        "Bytes of files show nothing of it: files are not the cause."
    "miopen-error" Runtime Follow Own "MIOpen"
        [r"miopen error : ?" r"miopen \( ?hip ?\) : ?error ?\[" r"miopen <any> run(forward|backward)[a-z0-9_]{0,30} \(\) failed ,? ?rc"]
        ["RT-REGRESSION" "JIT" "SOLVER-FORCED"]
        "MIOpen reports that something failed, in words of its own; they say what."
        "Bytes show the targets of the libraries and their releases; the reason itself is in the log."
    "miopen-unknown" Runtime Result Own "MIOpen"
        [r"miopenstatusunknownerror" r"miopenstatusinternalerror" r"miopen_status_(unknown|internal)_error"]
        ["RT-REGRESSION" "XN-NEUTRAL-APU" "FB-ARCH-MISSING"]
        "A call of MIOpen failed; lines of MIOpen above say why. MIOPEN_LOG_LEVEL=5 shows more."
        "Bytes show the targets and XNACK states of the libraries; the reason itself is in the log."

    "shared-memory-limit" Runtime Reason Ported "Triton"
        [r"out of resources? : ?shared memory"
         r"shared memory , ?required : ?[0-9]{3,9} , ?(hardware )?limit : ?[0-9]{3,9}"]
        ["LDS-BUDGET"]
        "A kernel that was compiled at run time needs more shared memory than a work group of this GPU can have."
        "Bytes of files show nothing of it: the kernel is compiled at run time."
    // LLVM's words for what a kernel may have at most, which only back ends of GPUs give (DiagnosticInfoResourceLimit).
    "kernel-limit" Runtime Reason Own "compiler"
        [r"local memory \([0-9]{4,9}\) exceeds limit \([0-9]{4,9}\)"
         r"(stack frame size|scratch memory) \([0-9]{4,12}\) exceeds limit \([0-9]{4,9}\) in function"]
        ["LDS-BUDGET" "SCRATCH-LARGE"]
        "A kernel that is being compiled asks for more memory of its own than this GPU can give it."
        "Bytes of files show nothing of it: the compiler made no kernel."
    "triton-compile" Runtime Follow Own "Triton"
        [r"tritonamdgpu" r"triton[/\\]{1,2}backends[/\\]{1,2}amd[/\\]{1,2}compiler\.py <any> (passmanager :: run failed|runtimeerror)"
         r"rocm (ld\.)?lld (was )?not found"]
        ["TR-TARGET" "JIT"]
        "Triton could not compile a kernel for this GPU: its release does not take the target, or the kernel uses what the target lacks."
        "Bytes show the release of Triton. Kernels that it compiles are in no file."
    "triton-lowering" Runtime Result Ported "Triton"
        [r"failed to translate triton(amd)?gpu to llvm"
         r"failed to legalize operation tt(g|ng)?\."
         r"(lld)? ?failed to link hsaco"
         r"(ld\.)?lld <any> (target emulation unknown|no such file|not found|fail) <any> hsaco"
         r"type fp8[a-z0-9]{2,8} not supported in this architecture"
         r"out of resources? : ? shared memory ,? required"]
        ["JIT" "TR-TARGET"]
        "Triton could not make a kernel for this GPU: its compiler failed, or the kernel asks for what the GPU lacks."
        "Bytes show the release of Triton. Kernels that it compiles are in no file."
    "triton-no-driver" Environment Result Ported "Triton"
        [r"[0-9] active drivers \( ?\[ ?\]"]
        ["DEV-NONE" "PKG-NO-HIP"]
        "Triton found no GPU that one of its back ends takes."
        "Bytes show whether the wheel has a back end for AMD. Driver, permissions and containers they do not show."
    "migraphx-compile" Runtime Result Own "MIGraphX"
        [r"migraphx <any> check_shapes\.hpp"
            r"migraphx <any> (failed to compile|problem compiling|compilation failed|compile failed|could not compile)"
         // Its compiler of convolutions and products, rocMLIR.
         r"invalid mlir created"
         r"migraphx <any> /mlir\.cpp : [0-9]{1,5} :"
         r"migraphx :: version_[0-9_]{1,12} :: exception"
         r"while running (mgxkernel|migraphx)[a-z0-9_]{0,80} node"]
        ["JIT" "RT-MIX"]
        "MIGraphX compiles a model for the GPU at run time, and that or a call of it failed."
        "Bytes show the releases of MIGraphX and of the compiler in the tree; kernels that are compiled at run time are in no file."
    "jax-no-rocm" Application Result Own "JAX"
        [r"jax plugin configuration error <any> rocm"
         r"rocm <any> \[ ?(tfrt)?cpu_?device\(id= ?0"
         r"jax_rocm [a-z0-9_./]{0,40} <any> (failed|error|exception|not found)"
         r"xla_rocm [a-z0-9_./]{0,40} <any> (failed|error|exception|not found)"
         r"unable to initialize backend rocm" r"unknown backend :? rocm" r"no platforms that are instances of rocm"
         r"rocmexecutionprovider is not in (the)? available" r"specified provider (rocm|migraphx)executionprovider is not"]
        ["PKG-NO-HIP" "DEV-NONE" "APP-ARCH-LIST"]
        "The program has no back end for ROCm, or it found no GPU: the package with it is not installed, or is of another release."
        "Bytes show whether the package has ROCm code, and for which targets."
}
