//! Messages that have no words of their own: what a component says in a sentence that no other row knows,
//! read by `facts/said.rs`.

messages! {
    "said-memory" Environment Follow Own "a component of ROCm" [] ["OOM"]
        "A program says, in words of its own, that memory is missing."
        "Bytes of files show nothing of it: files are not the cause."
    "said-permission" Environment Follow Own "a component of ROCm" [] ["DEV-KFD" "ENV-MIOPEN-USERDB" "ENV-IPC"]
        "A component of ROCm may not open a device or a file."
        "Bytes of files show nothing of it: files are not the cause."
    "said-no-device" Environment Follow Own "a component of ROCm" [] ["DEV-NONE" "DEV-KFD" "RT-MIX"]
        "A component of ROCm says, in words of its own, that it has no GPU or no driver."
        "Bytes show whether two runtimes are in the tree. Driver, permissions and containers they do not show."
    "said-driver" Environment Follow Own "driver" [] ["FW-VERSION" "RT-REGRESSION" "DEV-NONE"]
        "The kernel driver reports that something failed; the words in its line say what."
        "Bytes show the MES release of a firmware folder. What the driver did they do not show."
    "said-package" Environment Follow Own "package manager" [] ["PKG-INSTALL"]
        "A package of ROCm could not be had or installed."
        "Bytes of files show nothing of it: nothing was installed."
    "said-library" File Follow Own "a component of ROCm" [] ["ELF-NEEDED-MISSING" "RT-MIX" "PKG-VARIANT-MISSING"]
        "A component of ROCm says that a library or a module is not there or does not load."
        "Bytes show whether the tree has it, and under which name. Which folders are searched they show only in part."
    "said-symbol" File Follow Own "loader" [] ["ELF-SYMBOL-UNRESOLVED" "RT-MIX" "PKG-OTHER-HOST"]
        "A library asks for a symbol or a version that another one does not have."
        "Bytes show which libraries of the tree export the symbol."
    "said-no-code" File Follow Own "a component of ROCm" [] ["FB-ARCH-MISSING" "RB-DANGLING" "FB-CORRUPT"]
        "A component of ROCm says that code for the GPU is not there or does not fit."
        "Bytes show which libraries have code for the target."
    "said-build" Build Follow Own "compiler" [] ["SRC-BUILD" "PKG-DEVEL-MISSING" "TC-UNKNOWN-TARGET"]
        "A build for ROCm failed; the first error says why."
        "Bytes of files show nothing of it: nothing was built."
    "said-compile" Runtime Follow Own "compiler" [] ["JIT" "RT-MIX" "TR-TARGET"]
        "Code that is compiled while a program runs does not compile; the words in the line say why."
        "Bytes show the releases of compiler and runtime in the tree; code that is compiled at run time is in no file."
    "said-refusal" Application Follow Own "the program" [] ["APP-ARCH-LIST" "HW-FEATURE" "PKG-NO-HIP"]
        "A program says that it does not do this with ROCm or on this GPU."
        "Bytes show whether its libraries have code for the target. Lists in scripts they do not show."
    "said-fault" Environment Follow Own "a component of ROCm" [] ["FW-VERSION" "PROGRAM-FAULT" "RT-REGRESSION"]
        "A kernel on the GPU ended with a fault, or did not end."
        "Bytes show foreign instructions under an override, and the MES release of a firmware folder."
    "said-call-failed" Runtime Follow Own "a component of ROCm" [] ["CALL-REFUSED" "RT-REGRESSION" "PROGRAM-FAULT"]
        "A component of ROCm reports that something failed, in words that no row knows; they say what."
        "Bytes show the targets of the libraries and their releases; the reason itself is in the log."
    "said-goes-on" Harmless Harmless Own "a component of ROCm" [] ["NOT-ROCM"]
        "A component of ROCm warns and goes on in another way."
        "Files are not concerned: look further down in the log."
    "said-by-others" NotRocm Follow Own "CUDA" [] ["NOT-ROCM" "PKG-CUDA-ONLY" "PKG-NO-HIP"]
        "Software for NVIDIA's GPUs speaks, and nothing of ROCm does."
        "Files of ROCm are not concerned."
}
