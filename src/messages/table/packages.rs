//! Messages of loaders, about libraries and packages.

messages! {
    // Packages and the loader.
    "configured-binary" File Reason Own "bitsandbytes"
        [r"could not find the bitsandbytes (rocm|hip) (binary|library)"
         r"(rocm|hip) setup failed despite"
         r"required library version not found : ?libbitsandbytes_(rocm|hip)"
         r"requested rocm version <any> bitsandbytes"
         r"configured (rocm|hip) binary not found at :? ?<path> \.so" r"configured (rocm|hip) binary not found"]
        ["PKG-VARIANT-MISSING" "PKG-NO-HIP"]
        "bitsandbytes looks for the library of the ROCm release that PyTorch names, and has others."
        "Bytes show which variants are there, and the targets of each."
    "bitsandbytes-variant" File Follow Ported "bitsandbytes"
        [r"attempted to use bitsandbytes native library functionality but"
         r"version youre trying to use is not distributed with this package"
         r"bitsandbytes doesnt ship with a pre-compiled binary"]
        ["PKG-VARIANT-MISSING" "PKG-NO-HIP"]
        "bitsandbytes has no library for the release that PyTorch names; what it calls the version of CUDA is that of ROCm."
        "Bytes show which variants are there, and the targets of each."
    "bitsandbytes-cpu-library" File Follow Mostly "bitsandbytes"
        [r"libbitsandbytes_cpu\.(so|dll|dylib) : ? cannot open shared object file"]
        ["PKG-VARIANT-MISSING" "PKG-NO-HIP"]
        "bitsandbytes saw no GPU that it is built for, and asks for its library without one, which the package does not have."
        "Bytes show which variants are there, and the targets of each."
    "undefined-symbol" File Reason Own "loader"
        [r"undefined (symbol|reference) (:|to)? ?.{0,120}? (rocblas|hipblas|rocsolver|rocsparse|hipsparse|miopen|rccl|hsa_|hip_|hip[a-z]{4}|amd_comgr|amd_smi|rocm|hipfft|rocfft|__device_stub__|migraphx)"
         r"(librocblas|libhip|libamd|libhsa|libmiopen|librccl|libroc[a-jl-z]|_hip\.so|_rocm[a-z0-9_]{0,20}\.so|libtorch_hip|libc10_hip) <any> undefined (symbol|reference)"
         r"/rocm[-a-z0-9._/]{0,100} \.so[.0-9]{0,12} : ? undefined symbol"
         r"procedure entry point hip[a-z]{4,40} could not be located"
         r"version (hip_[0-9.]{1,6}|rocr_1|rocm_[0-9.]{1,6}) not found"
         r"(librocblas|libhip|libamd|libhsa|libmiopen|librccl|libroc[a-jl-z])[a-z0-9_-]{0,30} \.so[.0-9]{0,12} :? version .{1,40} not found"
         r"version glibc(xx)?_[0-9.]{3,8} not found \( ?required by <path> (_hip|_rocm|libhip|libroc[a-jl-z]|libamd|libmiopen|librccl)"]
        ["ELF-SYMBOL-UNRESOLVED" "SYM-UNDEFINED-STUB" "RT-MIX"]
        "A library asks for a symbol that none of the loaded ones has: two releases are mixed, or a build left it out."
        "Bytes show which libraries of the tree export the symbol. Which of them the process loads depends on its search path."
    "module-symbol" File Follow Ported "loader"
        [r"version glibc(xx)?_[0-9.]{3,8} not found"
         r"\.so [.0-9]{0,12} : ? undefined symbol :"
         r"(importerror|oserror|attributeerror) : [^|]{0,200}? undefined symbol :"]
        ["ELF-SYMBOL-UNRESOLVED" "PKG-OTHER-HOST" "RT-MIX"]
        "A module of a program asks for a symbol that nothing which is loaded has: it was built for another release or another maker's GPU, or a part was left out of its build."
        "Bytes show whether a library of the tree exports the symbol."
    "executable-stack" File Reason Ported "loader"
        [r"cannot enable executable stack as shared object requires"]
        ["ELF-EXECUTABLE-STACK"]
        "The system's loader refuses a library that is there: it asks for a stack that can be executed, which glibc allows no more since 2.41."
        "Bytes show which libraries ask for it: a flag in their table of segments."
    "needed-missing" File Reason Own "loader"
        [r"(rocm|hip|migraphx|miopen|amdgpu)[a-z0-9_./-]{0,60}\.so[.0-9]{0,12} (with error|due to)? ?:? ? lib[a-z0-9_+.-]{2,40}\.so[.0-9]{0,12} : ? cannot open shared object file"
         r"cannot dlopen some gpu libraries <any> (rocm|hip|roc)[a-z0-9]{2,20}\.so"
         r"lib(amd[a-z0-9_]|hip|hsa|roc[a-jl-z]|miopen|migraphx|rccl|ggml-hip|torch_hip|c10_hip|comgr|amd_comgr|hiprtc|drm_amdgpu|roctx|rocm|bitsandbytes_rocm|magma) [a-z0-9_+\-]{0,60} \.so [.0-9]{0,30} : ? cannot open shared object file"
         r"(load|find|open) (dynamic library|library|shared library|the dll|dll)? :? ?(lib)?amdhip64 [a-z0-9_]{0,10}(\.so|\.dll)" r"(could not|couldnt|cannot|failed to|unable to) (load|find|open) (dynamic library|library|shared library|the dll|dll)? :? ?(lib)?(hipblas|rocblas|hiprtc|amd_comgr|miopen|hsa-runtime64) [a-z0-9_]{0,10} \.dll" r"(could not|couldnt|cannot|failed to|unable to) (load|find|open) (dynamic library|library|shared library)? :? ?lib (hipblas|rocblas|hiprtc|amd_comgr|miopen|hsa-runtime64) [a-z0-9_]{0,10} \.so[.0-9]{0,12}"
         r"(amdhip64(_[0-9])?|hipblas|rocblas|hiprtc[0-9]{0,6}|amd_comgr)\.dll (was |is )?(not found|missing)"
            r"(hsa runtime|hip library|rocblas|rocsparse|rocsolver|rocfft|rocrand|miopen|rocm-device-libs) (is |was |were )?(unavailable|not found|not been built|missing) ,? <any> functionality will be"
            r"could not find rocm-sdk library"
            r"librocm_smi64\.so [^|]{0,200}? discovered gpu libraries : ? \[ \]"
            r"aqlprofile api table load failed"]
        ["ELF-NEEDED-MISSING" "RT-MIX" "LINK-UNVERSIONED-MISSING"]
        "The loader does not find a library that another one asks for by this name."
        "Bytes show whether the tree has it, and under which name. Which folders are searched they show only in part."
    "rocm-sdk-library" File Reason Own "ROCm SDK"
        [r"rocm_sdk/__init__\.py <any> keyerror"
         r"modulenotfounderror : ? (no module named )?(rocm_sdk|_rocm_sdk)[a-z_]{0,20}"
         r"no module named (rocm_sdk|_rocm_sdk)[a-z_]{0,20}"]
        ["RT-MIX" "ELF-NEEDED-MISSING"]
        "A wheel asks the package rocm-sdk for a library that its release does not have: the two are of different releases, or a part of it is not installed."
        "Bytes show the releases of the packages and whether the library is in the tree."
    // Errors of Windows' loader, by their numbers, which no language of the system changes (winerror.h).
    "windows-library-absent" File Follow Ported "loader"
        [r"winerror 126" r"could not find module <path> \(or one of its dependencies\)" r"specified module could not be found" r"0xc0000135"]
        ["ELF-NEEDED-MISSING" "RT-MIX"]
        "Windows does not find a library, or one that it needs: the name in the message is that of the first, not of the missing one."
        "Bytes show what each library needs and whether the tree has it (`rocm-audit needs`). What the system has they do not show."
    "windows-library-fails" File Follow Ported "loader"
        [r"winerror (127|1114)" r"specified procedure could not be found" r"0xc0000139" r"\(dll\) initialization routine failed"]
        ["RT-MIX" "ELF-SYMBOL-UNRESOLVED" "RT-REGRESSION"]
        "Windows found a library, and could not start it: another one is of another release, as the driver's amdhip64 beside that of a package."
        "Bytes show whether libraries of two releases are in the tree. What the driver brought they do not show."
    "torch-builds-differ" File Reason Ported "PyTorch"
        [r"operator torchvision::[a-z_]{2,30} does not exist"
         r"internal assert failed at <any> c10/hip/impl/hipguardimpl\.h"
         r"_opnamespace (_rocm_c|_c|_moe_c) object has no attribute"
         r"couldn'?t load custom c\+\+ ops <any> torchvision"]
        ["PKG-OTHER-HOST" "PKG-NO-HIP"]
        "torch and an extension of it, as torchvision, are of two builds: one of them is not that of ROCm, or of another release."
        "Bytes show which of the packages have ROCm code, and their releases."
    "attention-not-built" NotRocm Reason Own "xformers"
        [r"no operator found for memory_efficient_attention_(forward|backward)"]
        ["PKG-NO-HIP" "PKG-CUDA-ONLY" "SRC-BUILD"]
        "xformers was built without operators for this GPU: the usual wheel has none for ROCm."
        "Bytes show whether the wheel has ROCm code."
    "extension-absent" File Follow Ported "the program"
        [r"no module named (vllm|xformers|torchvision|flash_attn|aiter|apex|sgl_kernel)[a-z0-9_.]{0,20}?\._(c|rocm_c|moe_c|ext|c_[a-z0-9]{1,10}) ($|[^a-z0-9_])"
         r"operator wasnt built - see"]
        ["PKG-NO-HIP" "PKG-OTHER-HOST" "SRC-BUILD"]
        "The compiled part of a Python package is not there: its wheel is for another back end, or its build left that out."
        "Bytes show which of the packages have ROCm code."
}
