//! Messages of the HIP and HSA runtimes, and statuses of their calls.

messages! {
    // The HIP runtime: no code for the device.
    "no-compatible-code-objects" File Reason Own "HIP runtime"
        [r"no compatible code objects? found for : ?(amdgcn-amd-amdhsa--)? <target>" r"no compatible code objects? found"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH"]
        "A library that is loaded has device code, and none for this GPU."
        "Bytes show which libraries have no code for the target."
    "cannot-find-co" File Reason Own "HIP runtime"
        [r"cannot find co in the bundle :? <path> for isa : ?(amdgcn-amd-amdhsa--)? <target>"
         r"missing co for these isas -? ?(amdgcn-amd-amdhsa--)? <target>"
         r"missing co for these isas" r"cannot find co in the bundle"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH"]
        "The library that the line names has no code for this GPU. That matters only where the program uses the library."
        "Bytes show it, library by library."
    "kpack-none" File Reason Own "HIP runtime"
        [r"could not find device type specific kpack code objects for any available device from binary : ?<path> \.so ([.0-9]{0,20})"
         r"could not find device type specific kpack code objects"
         r"kpack ([^.]|\.[^ds]) <any> (not found|missing|no such file)"
         r"kpack : ? no valid archives?"]
        ["KP-ARCHIVE-MISSING" "KP-OVERLAY-HOLE" "SYS-MULTI-ARCH"]
        "The device code of a library lies in kpack archives, and none of them serves this GPU."
        "Bytes show which archives are there and what they hold for the target."
    "no-binary-for-gpu" File Result Own "HIP runtime"
        [r"hiperrornobinaryforgpu"
         r"unable to find code object for all current devices"
         r"(coudnt|couldnt|could not) find binary for (all )?current devices"
            r"hip error :? \(? 209 ([^0-9]|$)"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH" "DIFF-ARCH-DROPPED"]
        "One of the libraries that are loaded has no code for one of the GPUs of this machine, and HIP ended the process."
        "The files show which library. They cannot show which GPUs you have; include the integrated one."
    "no-kernel-image" File Result Shared "HIP runtime"
        [r"no kernel image is available for execution on the device" r"hiperrornokernelimagefordevice"]
        ["FB-ARCH-MISSING" "PATH-SPACE" "SYS-MULTI-ARCH"]
        "A kernel was started for which no code of this GPU was loaded."
        "Bytes show whether the libraries have code for the target. Where they have, look for a blank in the path."
    "no-device-code" File Result Own "ggml"
        [r"hip kernel [a-z0-9_]{2,80} has no device code compatible with hip arch"]
        ["STUB-REACHED" "FB-ARCH-MISSING"]
        "A kernel of ggml was started whose body only traps on this GPU: ggml did not compile it for this generation. The number in the message means nothing."
        "Bytes show which kernels of the target only trap."
    "no-code-for-function" File Reason Own "HIP runtime"
        [r"no device code (is )?available for (function|kernel)"
         r"(undefined|missing metadata for) __global__ function"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH"]
        "A kernel was started for which the loaded library has no code of this GPU, in the words of older HIP runtimes."
        "Bytes show which libraries have no code for the target."
    "invalid-image" File Result Mostly "HIP runtime"
        [r"hiperrorinvalidimage" r"device kernel image is invalid"]
        ["KP-ARCHIVE-MISSING" "KP-OVERLAY-HOLE" "FB-ARCH-MISSING" "FB-CORRUPT"]
        "A code object was refused: none for this GPU, an archive without it, or a damaged one."
        "Bytes show all of these."
    "invalid-kernel-file" File Result Mostly "HIP runtime"
        [r"hiperrorinvalidkernelfile" r"invalid kernel file"]
        ["FB-ARCH-MISSING" "KP-ARCHIVE-MISSING" "FB-CORRUPT"]
        "A file with device code was refused: no code for this GPU, or an archive that is not there."
        "Bytes show both."
    "invalid-device-function" File Result Shared "HIP runtime"
        [r"hiperrorinvaliddevicefunction" r"invalid device function"
            r"hip error :? \(? 98 ([^0-9]|$)"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH" "DIFF-ARCH-DROPPED"]
        "A kernel was started that is not in the code loaded for this GPU: mostly, the library was not built for it."
        "Bytes show which libraries have no code for the target."
    "shared-object-init" File Result Shared "HIP runtime"
        [r"hiperrorsharedobjectinitfailed" r"shared object initialization failed"]
        ["FB-ARCH-MISSING" "CO-ABI-TOO-NEW" "OV-NOTHING-TO-LOAD" "SYS-MULTI-ARCH"]
        "A code object could not be loaded: none for this GPU, or of a version that the runtime does not read."
        "Bytes show the targets and versions of the code objects, and the release of the runtime."
    "segv-add-dev-program" File Reason Own "HIP runtime"
        [r"fatbinaryinfo :: adddevprogram" r"hip :: statco :: getstat(func|globalvar)" r"fatbinaryinfo :: (extractfatbinary|buildprogram)" r"_zn3hip13fatbinaryinfo13adddevprogram"
            r"hip :: fatbinaryinfo ::"
            r"hip :: statco ::"
            r"hip :: devicefunc ?\*?"
            r"platformstate :: getstatfunc"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH"]
        "The HIP runtime crashed while it looked for code of this GPU: releases 5.x do that if there is none."
        "Bytes show which libraries have no code for the target."
    "hsa-invalid-isa" File Result Own "HSA runtime"
        [r"hsa_(status_)? error_invalid_isa ($|[^_a-z])" r"aborting with (status|error) : ?0x100f" r"code : ?0x100f"]
        ["ISA-ILLEGAL" "VGPR-BUDGET" "SCRATCH-LARGE" "OV-UNSAFE"]
        "The GPU stopped at a kernel: an instruction that it lacks, too many registers, or private memory that was not to be had."
        "Bytes show foreign instructions and the registers of each kernel. What memory was free they do not show."
    "out-of-vgprs" File Reason Own "HSA runtime"
        [r"queue error state in gpu agent : ?(amd)? <target> <any> out of vgprs" r"\( ?out of vgprs"]
        ["VGPR-BUDGET"]
        "A kernel needs more registers for its work group than the GPU has."
        "Bytes show the registers of each kernel, not the work group that was asked for."
    // The runtime counts in 32 bits what all waves together need.
    "scratch-too-large" Runtime Reason Own "HSA runtime"
        [r"scratch_?size overflow"]
        ["SCRATCH-LARGE"]
        "A kernel needs more private memory, for all waves that may run at once, than the runtime can ask for."
        "Bytes show the private memory of each kernel that is not compiled at run time."
    "hsa-illegal-instruction" File Result Own "HSA runtime"
        [r"hsa_status_error_illegal_instruction" r"illegal shader instruction" r"aborting with (status|error) : ?0x2a"]
        ["ISA-ILLEGAL" "STUB-REACHED" "OV-UNSAFE"]
        "The GPU met an instruction that it does not have: code of another target, or a stub that traps."
        "Bytes show both: `rocm-audit --isa` decodes the code of the target."
    "hsa-invalid-code-object" File Result Own "HSA runtime"
        [r"hsa_status_error_invalid_code_object" r"hsa error \( ?code #? ?4112" r"hsa_status_error_(incompatible_arguments|invalid_code_symbol)"
         r"comgr failed to get code object isa name"]
        ["CO-ABI-TOO-NEW" "FB-CORRUPT" "RT-MIX"]
        "The HSA runtime refused a code object: too new for it, or damaged."
        "Bytes show the version of the code objects and the release of the runtime in the tree."
    "bundle-not-inflated" File Reason Own "comgr"
        [r"clang-offload-bundler <any> failed to decompress" r"could not decompress embedded file contents"
            r"failed to decompress (the )?(code object|offload bundle|fat ?binary|fatbin|device code)"]
        ["FB-CORRUPT"]
        "A compressed offload bundle could not be inflated: it is damaged, or was cut off."
        "Bytes show it: `rocm-audit --verify` inflates every bundle and compares its hash."
    "named-symbol" File Result Own "HIP runtime"
        [r"hipmodulegetfunction \(\) : ?500" r"cannot find symbol with name : ?[a-z0-9_]{3,300}" r"hiperrornotfound" r"(rocm|hip) error : ?named symbol not found"]
        ["KERNEL-NAME-ABSENT" "RB-DANGLING"]
        "A program asked a loaded module for a kernel that it does not have."
        "Bytes show which kernels a file has; modules that the program compiles itself are in no file."

    // Statuses that say little by themselves, and what facts conclude.
    "hip-file-not-found" File Result Shared "HIP runtime"
        [r"hiperrorfilenotfound"]
        ["RB-DANGLING" "KP-ARCHIVE-MISSING" "FB-ARCH-MISSING"]
        "The HIP runtime was given the name of a module that is not there."
        "Bytes show which code objects are there; the name of the module stands in the line before."
    "isa-name-unknown" Runtime Result Own "HSA runtime"
        [r"hsa_(status_)? error_invalid_isa_name"
         r"has [0-9]{1,2} isas but can only support a single isa"]
        ["RT-MIX" "XN-ISA-NAME"]
        "One runtime does not understand how another one names the GPU's target: it is too old for it, or of another release."
        "Bytes show which targets the runtime knows, and the releases of HIP and of the HSA runtime."
    "driver-too-old" Environment Result Shared "HIP runtime"
        [r"hiperrorinsufficientdriver"
         // The debugger's library, which reads what the driver says of its GPUs.
         r"amd-dbgapi : [^|]{0,120}? not present in the sysfs"
         r"amd gpu drivers? version [0-9.]{1,8} (is )?not supported"]
        ["RT-MIX" "DEV-NONE"]
        "The driver is older than the runtime asks for, or of another stack."
        "Bytes show the release of the runtime, not that of the driver."
    "device-ordinal" Environment Result Shared "HIP runtime"
        [r"(hip|rocm) error :? invalid device ordinal"]
        ["DEV-NONE"]
        "A program asked for a GPU by a number that the runtime does not have: fewer GPUs are visible than it expects."
        "Bytes of files show nothing of it: files are not the cause."
    "launch-failed" Runtime Result Shared "HIP runtime"
        [r"hiperrorlaunchfailure"]
        ["RT-REGRESSION" "OV-UNSAFE" "FW-VERSION"]
        "A kernel was started and did not end well: a fault of the program, the driver or the firmware, or an override."
        "Bytes show foreign instructions under an override, and the MES release of a firmware folder."
    "launch-too-large" File Result Shared "HIP runtime"
        [r"hiperrorlaunchoutofresources" r"exceeds hw limit due to big work group size"]
        ["VGPR-BUDGET" "CALL-REFUSED"]
        "A kernel was started with more threads, registers or shared memory than the GPU has for one work group."
        "Bytes show the registers, shared memory and work group of each kernel."
    "hip-call-refused" Runtime Result Shared "HIP runtime"
        [r"hiperrorinvalidvalue"]
        ["CALL-REFUSED" "RT-MIX"]
        "A call of the HIP runtime was refused: its arguments, its state, or a function that this release or system does not have."
        "Bytes show the releases of the libraries in the tree. What was asked they do not show."
    // A kernel of HIP says itself which of its conditions did not hold.
    "device-assertion" Runtime Reason Own "HIP runtime"
        [r"device-side assertion .{1,200}? failed"]
        ["PROGRAM-FAULT" "STUB-REACHED"]
        "A kernel stopped itself, since a condition that its source demands did not hold."
        "Bytes show kernels that only trap. The condition stands in the source, at the line that the message names."
    // The HSA runtime has this status for a wave that trapped, that was aborted, or that calculated wrongly.
    "hsa-exception" Runtime Result Own "HSA runtime"
        [r"hsa_status_error_exception"]
        ["PROGRAM-FAULT" "STUB-REACHED" "OV-UNSAFE" "FW-VERSION" "RT-REGRESSION"]
        "A kernel trapped or was stopped: a condition of the program that did not hold, a stub, an override that does not fit, or a fault of the firmware."
        "Bytes show the MES release of a firmware folder, and foreign instructions under an override."
    // HIP of HCC threw its statuses, and said no word of them.
    "hip-exception" Ambiguous Crash Own "HIP runtime"
        [r"instance of ihipexception"]
        ["DEV-NONE" "FB-ARCH-MISSING" "RT-MIX"]
        "An old HIP runtime, that of HCC, ended the program with an exception that does not say what failed: mostly, it found no GPU."
        "Bytes show whether the libraries have code for the target. Driver, permissions and containers they do not show."
    "library-status" Runtime Result Own "ROCm's libraries"
        [r"rocsolver_status_ [a-z_]{3,40}"
         r"(rocprofiler|roctracer|rocdecode|rocjpeg|hiptensor|hipdnn|rocalution|rocshmem)_status_ (error|internal|invalid|not|failure)[a-z_]{0,40}"
         r"(roc|hip)(blas|solver|sparse|fft|rand)_ [a-z0-9_]{2,50} (\(\))? (call )?(fails?|failed|returned) (with )?(an )?(error )?status ?:? ?[1-9]"
         r"check[a-z_]{0,24} \( (hipfft|hipblas|rocblas|rocfft|hiprand|hipsparse|hipsolver|rocsolver) [a-z]{0,8}(result|status|error)_"]
        ["FB-ARCH-MISSING" "OOM" "RT-MIX"]
        "A call of one of ROCm's libraries failed; the status does not say why. Lines before it can."
        "Bytes show whether the library has code for the target."
    "optional-library" Harmless Harmless Own "HSA runtime"
        [r"loadlib ?\( ?libhsa-ext-(finalize|image)64\.so[.0-9]{0,8} ?\) failed"
         r"libhsa-(ext-finalize64|ext-image64|amd-aqlprofile64)\.so[.0-9]{0,8} : ? cannot open shared object file"
         r"libamdocl-orca(32|64)\.so : ? cannot open shared object file"]
        ["NOT-ROCM"]
        "The HSA runtime looks for an extension that most installs do not have, and goes on without it."
        "Files are not concerned: look further down in the log."
    // The layer below the runtime looks for it by a name without a version, and goes on without.
    "runtime-not-opened" Harmless Harmless Own "HSA runtime"
        [r"dlopen libhsa-runtime64\.so failed [^|]{0,240}? hsa system attributes"]
        ["ELF-NEEDED-MISSING" "LINK-UNVERSIONED-MISSING"]
        "A library below the HSA runtime did not find that by the name without a version; the runtime was loaded all the same, and lists its GPUs."
        "Files are not concerned: look further down in the log."
    "hardware-feature" Application Reason Own "the program"
        [r"(mx)?fp(4|6|8)[a-z0-9_ ]{0,40}? (is |are )?(not supported|unsupported) (on|by|for) (the )?(amd )?(gpu |arch(itecture)? )?<target>"
         r"(mx)?fp(4|6|8)[a-z0-9_ ]{0,40}? (is |are )?(only supported|requires|needs) <any> gfx[0-9a-f]{3,5} <any> (got|found|have|current) <any> <target>"
         r"requires gfx[0-9a-f]{3,5} <any> (got|found|but|current|running on) <any> <target>"]
        ["HW-FEATURE" "APP-ARCH-LIST"]
        "A program asks for an operation that the hardware of this GPU does not have."
        "Bytes of files show nothing of it; `rocm-audit explain TARGET --vs TARGET` shows what each target has."
    "hardware-of-either-maker" Application Reason Ported "the program"
        [r"only supported (on|for) [^|]{0,120}? or rocm (mi-?[0-9]{2,3}|gfx-?[0-9])"]
        ["HW-FEATURE" "APP-ARCH-LIST"]
        "An operation needs hardware that this GPU does not have; the message names what it asks of each maker's GPUs."
        "Bytes of files show nothing of it: another type of numbers or another back end is needed."
    "rccl-plugin" Harmless Harmless Own "RCCL"
        [r"plugin load <any> returned <any> lib[a-z0-9_-]{2,30}\.so : ?cannot open shared object file ( : no such file or directory)?"
         r"lib(rccl|nccl)-(net|tuner|profiler|env)[a-z0-9_-]{0,30}\.so ?: ? cannot open shared object file ( : no such file or directory)?"]
        ["NOT-ROCM"]
        "RCCL looks for a plug-in for a network, which most machines do not have. It goes on with its own."
        "Files are not concerned: look further down in the log."
    "rccl-status" Runtime Result Ported "RCCL"
        [r"test (nccl|rccl) failure"
         r"(nccl|rccl) warn (cuda|hip|rocm) failure"
         r"(nccl|rccl) warn hip[a-z]{4,40} (\(\))? failed"
         r"(nccl|rccl) error (in)? ?: ?"
         r"rccl <any> (unhandled|internal|system) (cuda|hip|error)"
         r"watchdog caught collective operation timeout"
         r"nccl (unhandled|internal|system|remote|invalid) [a-z ]{3,20} error"]
        ["FB-ARCH-MISSING" "RT-MIX" "DEV-KFD"]
        "RCCL could not set up or run a collective; NCCL_DEBUG=INFO shows the call that failed."
        "Bytes show whether RCCL has code for the target, and its release. Links and permissions they do not show."
    // Newer kernels do not print it any more ("drm/amdgpu/pm: drop SMU driver if version not matched messages").
    "smu-interface" Harmless Harmless Own "driver"
        [r"smu driver if version not matched"]
        ["FW-VERSION"]
        "The driver and the firmware of the power controller count the version of their interface differently; the driver goes on."
        "Bytes show the release of the firmware, and not what the driver expects."
    "firmware-not-needed" Harmless Harmless Own "driver"
        [r"possibl[ey] missing firmware :? ?[a-z0-9_./ -]{0,60} amdgpu/[a-z0-9_]{3,40}\.bin"
         r"possibl[ey] missing firmware for module :? ?amdgpu"
         r"(amdgpu :?0000:[0-9a-f:.]{7}:? (amdgpu:)? (psp v[0-9.]{3,5}:)?)? direct firmware load for amdgpu/[a-oq-z][a-z0-9_]{2,40}_(ta|cap)\.bin failed( with error -?[0-9]{1,3})?"
         r"(amdgpu :?0000:[0-9a-f:.]{7}:? (amdgpu:)? (psp v[0-9.]{3,5}:)?)? failed to load firmware amdgpu/[a-oq-z][a-z0-9_]{2,40}_(ta|cap)\.bin"
         r"could not load binary firmware [a-z0-9_./-]{3,120} either"
         r"optional [a-z]{2,12} ta ucode is not available"
         r"[a-z]{3,16} : ?(optional)? ?[a-z]{3,16} ta ucode is not available"]
        ["FW-VERSION"]
        "A tool that makes a boot image names firmware of every AMD GPU that it does not find, or the driver skips firmware that it can do without."
        "Bytes of a firmware folder show whether it has the file. It matters only where the file is of your own GPU."
    "driver-init-failed" Environment Result Own "driver"
        [r"(hw_init|sw_init|early_init|late_init) of ip block <[a-z0-9_]{2,30}> failed"
         r"amdgpu : ? fatal error during gpu init"
         r"amdgpu_device_ip_init failed"
         r"amdgpu : ? probe of [0-9a-f:.]{7,14} failed"
         r"failed to load ucode (id)? ?[a-z0-9_]{0,24} ?\("
         r"psp (gfx )?command [a-z0-9_() ]{0,40}? failed and response status is"]
        ["FW-VERSION" "RT-REGRESSION" "DEV-NONE"]
        "The kernel driver could not set up the GPU; the lines before say at which part."
        "Bytes of a firmware folder show whether it has the card's files. What the driver did they do not show."
    "firmware-absent" Environment Reason Own "driver"
        [r"ip block <psp> failed"
         r"amdgpu <any> firmware (version)? ?(is )?(too old|mismatch|not found|missing)"
         r"direct firmware load for amdgpu/[a-z0-9_]{3,40}\.bin failed"
         r"failed to load firmware amdgpu/"]
        ["FW-VERSION"]
        "The kernel driver asked for a file of the GPU's firmware and did not get it: the GPU is not there for any program."
        "Bytes of a firmware folder show whether it has the file. Which of them the kernel was given, also in an initial RAM disk, they do not show."
    "firmware-refused" Environment Reason Ported "driver"
        [r"psp (firmware )?load(ing)? (kdb|tos|sos|sys|tmr|toc)? ?failed"
         r"fail(ed)? to (load|init|validate|request) (mes|mec|sdma|psp|smc|smu|gfx|rlc|vcn|uvd|vce|dmcu|dmub|imu|ta|sos|toc|gpu_info|mc|me|pfp|ce|cp) ?(ucode|microcode|firmware|fw)"]
        ["FW-VERSION"]
        "The kernel driver could not load a part of the GPU's firmware: the GPU is not there for any program."
        "Bytes of a firmware folder show whether it has the file, and the MES release. What the driver did they do not show."
    "device-libs-absent" Runtime Reason Own "compiler"
        [r"bitcode module (is required by this hlo module but was)? not found"
         r"cannot find rocm (device librar|installation)"
         r"failure when generating hsaco"
         r"(unable to|could not|cannot|failed to) find (rocm )?device lib"
         r"undefined (hidden )?(symbol|reference) (to)? ?:? ?__(ockl|ocml|oclc)_[a-z0-9_]{2,60}"
         r"device_lib_path .{0,80}? (does not exist|not found|no such|not set)"
         r"amdgcn bitcode <any> (not found|missing|no such file)"]
        ["DEVICE-LIBS-MISSING" "JIT" "RT-MIX"]
        "A compiler needs ROCm's device libraries (ocml.bc, ockl.bc, oclc_*.bc) and does not find them where it looks."
        "Bytes show whether the tree has them. Where the compiler looks, ROCM_PATH and HIP_DEVICE_LIB_PATH say."
    "bitcode-of-another-release" Runtime Reason Own "compiler"
        [r"unknown attribute kind \([0-9]{1,4}\)"
         r"producer : ?llvm [^|]{1,40}? reader : ?llvm"
         r"(unsupported|unknown|invalid) bitcode (version|record|epoch)"]
        ["RT-MIX" "JIT"]
        "A compiler was given bitcode of another LLVM, mostly ROCm's device libraries of another release, and cannot read it."
        "Bytes show the releases of comgr and runtime in the tree; which device libraries the compiler took, the path in the message says."
    "not-built-for-target" File Reason Own "the program"
        [r"(not|never) (been |yet )?(compiled|built) (for|with) (support for )?(the )?(gpu |arch(itecture)? |target )?[:=(]? ?<target>"]
        ["FB-ARCH-MISSING" "APP-ARCH-LIST"]
        "A program says that its kernels were not compiled for this GPU."
        "Bytes show which of its libraries have code for the target."
    "app-refuses" Application Reason Own "the program"
        [r"torch extension <any> unsupported gfx"]
        ["APP-ARCH-LIST" "FB-ARCH-MISSING"]
        "The program refuses this GPU by a list of its own, before any file of ROCm is asked."
        "Bytes show whether its libraries have code for the target. Lists in scripts they do not show."
    "vllm-platform" Application Result Own "vLLM"
        [r"failed to infer device type" r"no platform detected ,? vllm" r"rocm platform is not available because"
         r"no module named amdsmi"
         r"unspecifiedplatform"]
        ["PKG-NO-HIP" "DEV-NONE" "RT-WSL-HSA"]
        "vLLM found no platform: the wheel of PyTorch or of vLLM is not built for ROCm, or the Python package amdsmi is missing or cannot ask the driver."
        "Bytes show whether the wheel has ROCm code. VLLM_LOGGING_LEVEL=DEBUG says why each platform was left out."
    "amdsmi-done-without" Harmless Harmless Own "vLLM"
        [r"failed to get gcn arch via amdsmi ,? falling back to torch"]
        ["RT-WSL-HSA"]
        "vLLM cannot ask the driver by amdsmi, as inside WSL or without its Python package, and asks PyTorch instead. It goes on."
        "Files are not concerned: look further down in the log."
    "bitsandbytes-other-release" Harmless Harmless Own "bitsandbytes"
        [r"no prebuilt binary for rocm [0-9.]{1,8} ,? (loading|using|falling back)"]
        ["PKG-VARIANT-MISSING"]
        "bitsandbytes has no library for this ROCm release and takes that of another one. It goes on; a failure below it can come from that."
        "Bytes show which variants are there, and the targets of each."
    "hipblaslt-falls-back" Harmless Harmless Own "rocBLAS"
        [r"hipblaslt failed ,? falling back to tensile" r"hipblaslt <any> falling back to (tensile|rocblas|hipblas)"]
        ["LT-ARCH-MISSING"]
        "rocBLAS asked hipBLASLt first, which had no solution for this product, or no files for the GPU, and takes its own kernels. Nothing is wrong."
        "Bytes show whether hipBLASLt has files for the target."
    "lt-call-failed" Ambiguous Result Ported "hipBLASLt"
        [r"(cu|hip)blas_status_[a-z_]{3,30} when calling (cu|hip)blaslt[a-z]{3,40}"
         // bitsandbytes prints the shapes of the product.
         r"\(m, n, k\) : ? [a-z0-9_(), ]{3,80}? error detected"]
        ["LT-ARCH-MISSING" "CALL-REFUSED" "BLAS-NO-SOLUTION"]
        "A call of hipBLASLt failed, under the name that the program knows it by. Without a catalog for the GPU every call fails."
        "Bytes show whether hipBLASLt has files for the target."
    "miopen-warning" Harmless Harmless Own "MIOpen"
        [r"miopen \( ?(hip|ocl) ?\) : ?(warning|info2?|trace|log) ?\["]
        ["MI-FDB-MISSING"]
        "MIOpen tells what it does, or warns and goes on with another way, as where a caller gives it no workspace."
        "Files are not concerned: look further down in the log."
    "solver-forced" Runtime Reason Own "MIOpen"
        [r"miir_ (invalid_param|build_failure|invalid_module)"
         r"miir(lowertuningparams|createhandle|getkernelcount|genbin) <any> (fail|error)"
         r"gcnasm_mfma_ [a-z0-9_]{3,60}"
         r"perf db : ?record not found"
         r"(solver|solution id :?) (conv|gemm|naive|[0-9]) [a-z0-9_]{0,80} is not applicable"
         r"miopen <any> operator\[\] <any> assertion"
         r"operator\[\] <any> assertion <any> miopen"
         r"intrin_mfma"
         r"boost::optional <any> is_initialized"]
        ["SOLVER-FORCED" "JIT"]
        "A solver of MIOpen was made to run that does not take this GPU or problem, and failed while it was compiled or started."
        "Bytes show which solvers MIOpen would take by itself: `rocm-audit select conv`."
}
