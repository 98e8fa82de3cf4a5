//! Messages of rocBLAS, Tensile and hipBLASLt.

messages! {
    // rocBLAS and Tensile.
    "rocblas-cannot-read" File Reason Own "rocBLAS"
        [r"rocblas error : ?(cannot|can not|could not|couldnt|unable to) (read|open) <path> tensilelibrary <any>for gpu arch ?: ?<target>"
         r"rocblas error : ?(cannot|can not|could not|couldnt|unable to) (read|open) <path> tensilelibrary_lazy_ <target> \.(dat|yaml)"
         r"rocblas error : ?(cannot|can not|could not|couldnt|unable to) (read|open) <path> tensilelibrary"
         r"(cannot|can not|could not|couldnt|unable to) (read|open) <path> rocblas [/\\]+ library [/\\]+ tensilelibrary [a-z0-9_]{0,40} \.dat (<any>for gpu arch ?: ?<target>)?"]
        ["RB-ARCH-MISSING" "RB-EMPTY" "RB-PATH-WRONG"]
        "rocBLAS found no catalog for this GPU in its library folder, and ended the process. What the system adds, as in \"Illegal seek\", means nothing."
        "Bytes show whether the folder has files for the target. They do not show which folder the process looked in."
    "tensile-dat-absent" File Reason Own "rocBLAS"
        [r"missing tensilelibrary_lazy_ <target> \.dat"
         r"tensilelibrary (_lazy_ <target>)? \.dat :? (was|is|file)? (not found|missing|not generated|was not generated|does not exist|doesnt exist)"
         r"(no such file or directory|filenotfounderror|not found|cant find|cannot find|could not find) :? [a-z0-9_./\\\-]{0,200}? tensilelibrary (_lazy_ <target>)? \.dat"
            r"rocblas warning : ?no paths matched <path> \* <target>"
            r"rocblas warning : ?no paths matched"]
        ["RB-ARCH-MISSING" "RB-EMPTY"]
        "A catalog of rocBLAS or hipBLASLt for this GPU is not where it is looked for."
        "Bytes show whether the folder has files for the target."
    "rocblas-could-not-load" File Reason Own "rocBLAS"
        [r"rocblas error : ?(could not|couldnt|cannot|failed to|unable to) load <path> tensilelibrary (_lazy_ <target>)?"
         r"rocblas error : ?(could not|couldnt|cannot|failed to|unable to) load <path> \.(dat|co|hsaco)"
         r"(could not|couldnt|cannot|failed to|unable to) load <path> rocblas [/\\]+ library [/\\]+ tensilelibrary (_lazy_ <target>)? [a-z0-9_]{0,40} \.dat"]
        ["RB-VERSION-MIX" "FB-CORRUPT"]
        "The catalog is there, and rocBLAS cannot read it: it is of another release, or damaged."
        "Bytes show whether the catalog can be read and which release it and the library are of."
    "tensile-host-no-devices" Environment Reason Own "rocBLAS"
        [r"could not initialize tensile host : ?no (hip |gpu )?devices? (found|available|detected)"]
        ["DEV-NONE" "DEV-KFD"]
        "rocBLAS asked the HIP runtime for GPUs and got none. Its files are not concerned."
        "Bytes show nothing of it; they only show that the files are there."
    "tensile-folder-absent" File Follow Own "rocBLAS"
        [r"directory iterator cannot open directory <any> \[ <path> rocblas [/\\]+ library"
         r"filesystem error <any> cannot open directory <any> \[ <path> (rocblas|hipblaslt) [/\\]+ library"]
        ["RB-PATH-WRONG" "RB-EMPTY"]
        "The folder in which rocBLAS looks for its catalogs does not exist."
        "Bytes show where the folder of the tree is; compare it with the path in the message."
    "tensile-library-init" File Follow Own "rocBLAS"
        [r"could not initialize tensile (library|host)"]
        ["RB-VERSION-MIX" "RB-ARCH-MISSING"]
        "rocBLAS could not set up Tensile; the line before says why."
        "Bytes show whether the folder has files for the target, and which release they are from."
    "tensile-kernel-not-found" File Reason Own "rocBLAS"
        [r"tensile solution found ,? but"]
        ["RB-DANGLING"]
        "A catalog chose a solution whose kernel is in none of the code objects."
        "Bytes show it: `rocm-audit verify` lists every kernel that a catalog names and no code object has."
    "cannot-find-function" File Reason Own "HIP runtime"
        [r"cannot find the function : cijk_ [a-z0-9_]{1,600}"
         r"cannot find the function : [a-z0-9_]{3,300} for module"
            r"cannot find symbol with name : ?cijk_ [a-z0-9_]{1,600}"]
        ["RB-DANGLING"]
        "A kernel was looked for in a code object that does not have it. One miss is normal where several code objects are tried."
        "Bytes show whether any code object of the folder has the kernel."
    "placeholder-segv" File Reason Own "rocBLAS"
        [r"placeholderlibrary (<[^>]{0,80}>)? :: loadplaceholderlibrary" r"loadplaceholderlibrary"]
        ["RB-DANGLING"]
        "rocBLAS crashed while loading a part of its catalogs: a file that the master catalog names is not there."
        "Bytes show it: `rocm-audit verify` lists the missing file."
    "hipblaslt-module-absent" File Reason Own "hipBLASLt"
        [r"hipmoduleload (data(ex)?)? failed : ?<path> hipblaslt <any> \.(hsaco|co)"]
        ["LT-ARCH-MISSING" "LT-PROBE-HARMLESS" "FB-CORRUPT"]
        "hipBLASLt looked for a code object that is not there, or that is refused. Names with -xnack- are tried and may be absent."
        "Bytes show whether the file is there, whole and of the target."
    "hipmoduleload-failed" File Reason Own "Tensile"
        [r"hipmoduleload failed : ?<path> \.(hsaco|co) ,? (error|reason)? :? (file not found|device kernel image is invalid|no such file)"
         r"hipmoduleload (data(ex)?)? failed : ?<path> \.(hsaco|co)"
         r"/library/[a-z0-9_/+.-]{1,240} \.(hsaco|co) .{0,60}? device kernel image is invalid"]
        ["FB-CORRUPT" "RB-DANGLING"]
        "A code object of a Tensile library folder is not there, or is refused."
        "Bytes show whether the file is there, whole and of the target. Names with -xnack- are tried and may be absent."
    "program-isa-mismatch" File Reason Own "HIP runtime"
        [r"the program isa (amdgcn-amd-amdhsa--)? gfx[0-9a-f:+\-a-z]{3,40} is not compatible with the device isa (amdgcn-amd-amdhsa--)? <target>"]
        ["RB-MIXED-GPU" "RB-ALIEN-ALIAS"]
        "A code object of one target was given to a GPU of another."
        "Bytes show files whose content is of another target than their name. Two GPUs in one process they do not show."
    "hip-error-code-in-rocblas" File Result Own "rocBLAS"
        [r"rocblas error from hip error code : hiperrorinvaliddevicefunction"
         r"rocblas error from hip error code : hiperror(nobinaryforgpu|invalidimage|sharedobjectinitfailed|invalidkernelfile)"]
        ["FB-ARCH-MISSING" "RB-PARTIAL"]
        "A kernel that lies in the rocBLAS library itself (as those of TRSM do) has no code for this GPU."
        "Bytes show the targets of the library beside those of its folder."
    "hipblas-status" Ambiguous Result Own "rocBLAS"
        [r"(hip|roc)blas_status_ (unknown|internal_error|not_initialized|alloc_failed|arch_mismatch|execution_failed)"
         r"rocblas_status_internal_error"
         // A program that is ported writes the status as that of cuBLAS, and the call as it is.
         r"cublas_status_[a-z_]{3,30} when calling hipblas ([a-km-z]|l[a-su-z])"
         r"rocm error : ? cublas_status_[a-z_]{3,30}"]
        ["RB-ARCH-MISSING" "FB-ARCH-MISSING" "OOM" "RB-DANGLING"]
        "A call of hipBLAS or rocBLAS failed; the status does not say why."
        "Bytes show whether the library has files for the target. Memory and device they do not show."
    "asm-caps" Build Reason Own "Tensile"
        [r"(tensile :: ?fatal : ?)?cached asm caps differ from derived asm caps"]
        ["TC-ASMCAPS"]
        "Tensile's table of assembler capabilities does not fit the compiler that is used."
        "Bytes do not show it: it is of the toolchain."
    "tensile-build" Build Reason Own "Tensile"
        [r"missing expected code object files" r"failed to verify (all)? files in manifest"
         r"no module named tensile"
         r"failed : ?<path> tensile_library_target"
         r"traceback .{0,400}? tensilecreatelibrary(\.py)? , line [0-9]{1,5}"
         r"tensilecreatelibrary\.py <any> nonetype object has no attribute"
         r"tensilecreatelibrary(\.py)? , line [0-9]{1,5} <any> error : "
         r"tensile_library_target <any> (error|failed)"
         r"tensile(create(library|client))? :: ?fatal"]
        ["RB-MANIFEST" "RB-DANGLING" "FB-CORRUPT"]
        "The build of a Tensile library did not make all files that it should."
        "Bytes of a finished tree show what is missing; a build that stops leaves none."

    // hipBLASLt.
    "rocblaslt-cannot-read" Harmless Harmless Own "hipBLASLt"
        [r"(rocblaslt|hipblaslt) error : ?(cannot read|could not (read|load|open)|couldnt (read|load|open)|unable to (read|load|open)|failed to (read|load|open)) <path> tensilelibrary_lazy_ <target>"
         r"(rocblaslt|hipblaslt) error : ?(cannot read|could not (read|load|open)|couldnt (read|load|open)|unable to (read|load|open)|failed to (read|load|open)) <path> \.dat"
         r"rocblaslt (warning|error) : ?no paths matched <path> \*? <target>"
         r"rocblaslt (warning|error) : ?no paths matched"
         r"hipblaslt error : ?heuristic fetch failed"
         r"(cannot|can not|could not|couldnt|unable to) (read|open|load) <path> hipblaslt [/\\]+ library [/\\]+ tensilelibrary [a-z0-9_]{0,40} \.dat"]
        ["LT-ARCH-MISSING" "LT-PROBE-HARMLESS"]
        "hipBLASLt has no catalog for this GPU. The program falls back to rocBLAS; where it crashes, the reason stands further down."
        "Bytes show whether hipBLASLt has files for the target, and whether rocBLAS has."
    "hipblaslt-refused" File Reason Own "PyTorch"
        [r"(exception|runtimeerror|error) [a-z !:]{0,24} attempting to use hipblaslt on an? unsupported architecture"]
        ["LT-ARCH-MISSING"]
        "PyTorch ended an operation, because hipBLASLt has nothing for this GPU; some releases raise what others only warn of."
        "Bytes show whether hipBLASLt has files for the target. TORCH_BLAS_PREFER_HIPBLASLT=0 takes rocBLAS."
    "hipblaslt-recovered" Harmless Harmless Own "PyTorch"
        [r"gemm[a-z_]{0,20}_internal_(cu|hip)blaslt error : <any> will attempt to recover by calling (cu|hip)blas instead"]
        ["LT-ARCH-MISSING" "BLAS-NO-SOLUTION"]
        "A product of matrices failed in hipBLASLt, and PyTorch took hipBLAS instead: slower, and right."
        "Bytes show whether hipBLASLt has files for the target."
    "hipblaslt-unsupported" Harmless Harmless Own "PyTorch"
        [r"attempting to use hipblaslt on an? unsupported architecture"]
        ["LT-ARCH-MISSING"]
        "PyTorch does not use hipBLASLt on this GPU and takes hipBLAS. As a RuntimeError, in some wheels of 2.5, it stops the program."
        "Bytes show whether hipBLASLt has files for the target."
}
