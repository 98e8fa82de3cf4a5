//! Messages about the device: its driver, its memory, its firmware, permissions.

messages! {
    // The device.
    "kfd-open" Environment Reason Own "driver"
        [r"unable to open /dev/kfd (read-write)? :? ?(permission denied|no such file or directory|invalid argument|operation not permitted|device or resource busy|cannot allocate memory|too many open files|no such device)?"
         r"/dev/kfd : ? (permission denied|no such file|operation not permitted|not a directory)"
         r"(cannot|could not|couldnt|failed to) open (file )? /dev/kfd"
         r"(permission denied|no such file or directory) :? /dev/kfd"
            r"/dev/kfd .{0,40}? = -1 e(nomem|acces|noent|perm|inval|fault|busy|nodev)"
            r"rock module is not loaded"
            r"(glob|read|parse|find|open) [a-z ]{0,12} topology (properties|nodes)"
            r"could not select device driver (amd|rocm)"
            r"unresolvable cdi devices amd"
            r"adding custom device /dev/kfd"
            r"amdgpu devices detected but permission"
            r"missing the following required groups :? ?(render|video)"
            r"is not (a )?member of (the )?.{0,2}(video|render).{0,2} group"
            r"amdgpu_device_initialize : ? [a-z0-9_ ():-]{2,60}? failed"]
        ["DEV-KFD" "DEV-NONE" "DEV-ATOMICS"]
        "The device node of the compute driver cannot be opened. The system says why behind the colon."
        "Bytes of files show nothing of it: files are not the cause."
    // Every maker's driver has these.
    "render-node" Environment Reason Ported "driver"
        [r"adding custom device /dev/dri"
         r"unable to open /dev/dri/renderd[0-9]{3}"
         r"/dev/dri/(card[0-9]{1,2}|renderd[0-9]{3}) : ? permission denied"]
        ["DEV-KFD" "DEV-NONE"]
        "A device of the graphics driver below /dev/dri is not there, or this user or container may not open it."
        "Bytes of files show nothing of it: files are not the cause."
    "pci-atomics" Environment Reason Own "driver"
        [r"pci rejects atomics" r"call returned 4104"
            r"pcie? atomics? (ops )?(is|are) not supported"]
        ["DEV-ATOMICS" "DEV-KFD"]
        "The kernel driver left the card out: the slot has no PCIe atomics. 4104 is the bare code of a runtime without resources."
        "Bytes of files show nothing of it: files are not the cause."
    "kfd-unsupported" Environment Reason Own "driver"
        [r"rocr : ? unsupported gpu" r"kfd (is )?not supported on this asic" r"kfd <any> (not supported|does not support) <any> asic"
         r"not supported in kfd"]
        ["KFD-UNSUPPORTED" "DEV-NONE"]
        "The kernel's compute driver left the card out: it does not serve GPUs of this kind."
        "Bytes of files show nothing of it: files are not the cause."
    "ipc-refused" Environment Reason Own "HIP runtime"
        [r"hipipc(get|open)(mem|event)handle <any> (failed|invalid|error|not supported)"
         r"rocm_ipc[a-z0-9_.]{0,20} <any> (failed|error)"
         r"failed to (create|open|attach|export|import) (a |the )?(rocm|hip|hsa)? ?ipc"
         r"hsa_amd_ipc_memory_(create|attach) <any> (failed|error)"
         r"failed to register address <any> (rocm|hip|amdgpu)"]
        ["ENV-IPC" "CALL-REFUSED"]
        "GPUs, processes or a network card could not share memory: the system or the container does not allow it, or the driver cannot."
        "Bytes of files show nothing of it: files are not the cause."
    "dkms-build" Build Reason Own "driver"
        [r"dkms/amdgpu/ <any> (make\.log|error|failed|build)"
         r"amdgpu-dkms <any> (error|failed|exit status|exit code|bad return)"]
        ["DKMS-KERNEL" "PKG-INSTALL"]
        "The driver's package could not be built for the running kernel; ROCm's libraries do not need it where the kernel's own amdgpu serves the card."
        "Bytes of files show nothing of it: files are not the cause."
    "hsa-init-refused" Environment Result Own "HSA runtime"
        [r"(call returned|hsa_init <any>) hsa_status_error_out_of_resources" r"hsa api call failure at : ?<any> out_of_resources"
         // An assertion in the layer below the runtime, which talks to the driver.
         r"(libhsakmt|librocdxg|rocr-runtime|hsa-runtime) [^|:]{0,80}?\.(c|cpp|h|cc) : [0-9]{1,5} : <any> assertion"]
        ["DEV-KFD" "DEV-ATOMICS" "DEV-NONE"]
        "The HSA runtime could not start: mostly, this user may not open /dev/kfd; or the driver left the card out, as one without PCIe atomics."
        "Bytes of files show nothing of it: files are not the cause."
    "no-device" Environment Result Own "HIP runtime"
        [r"no rocm-capable device" r"hiperrornodevice" r"no hip gpus? (are|is) available" r"hsa_init (\(\))? ?failed"
         r"hiperrorinvaliddevice ($|[^fp])" r"hipinit : ?(returned)? (invalid device|hiperror)" r"no (hip|rocm) (capable )? devices? (was |were )?(found|detected|available)" r"no hip gpus? (was |were )?(found|detected)" r"no rocm gpus? (was |were )?(found|detected|available) ([^o]|$)"
         r"failed to get memory info for hip device" r"failed to initialize hip" r"ggml_cuda_init : failed to initialize rocm" r"hipgetdevicecount (\(\))? ?(failed|returned)"
         r"no compatible (amd )?gpus? (was |were )?(found|discovered) <any> rocm"
         r"(amd_(linux|windows)\.go|rocm|amdgpu|hip) <any> no compatible gpus? (was |were )?(found|discovered)" r"rocm (driver|runtime) <any> no devices? found"
            r"amd accelerated parallel processing <any> number of devices : ? 0 ([^0-9]|$)"
            r"no devices found in platform \[? ?amd accelerated"
            r"(could not|couldnt|failed to|cannot|unable to) (detect|determine) rocm gpu"
            r"rock module is not live"
            r"no rocm runtime is found"
            r"\+rocm[0-9.]{1,6} <any> no cuda gpus are available"
            r"no cuda gpus are available <any> \+rocm[0-9]"
            r"incompatible kernel and userspace"
            r"driver not initialized \( ?amdgpu"
            r"amdgpu not found in modules"
            r"modprobe : ? (fatal|error) : <any> amdgpu"
            r"amdgpu : ? (unknown symbol [a-z0-9_]{3,60} \(err|disagrees about version of symbol)"
            r"no visible gpu devices? <any> (rocm|hip)"
            r"no compatible gpus? (was |were )?found for cycles <any> (amd|rdna|radeon|hip)"
            r"hipew initialization failed"
            r"(rsmi|amdsmi)_status_ [a-z_]{3,40}"
            r"amdsmilibraryexception"
            r"no amd gpus? (was |were )?(detected|found)"
            r"has no gpu connected"
            // Kubernetes, whose plug-in gave a node no GPU.
            r"insufficient amd\.com/gpu"
            // It goes on when it has found some.
            r"amd gpu device plugin for kubernetes .{0,1500}? handling incoming signals $"
            r"amd\\?\.com/gpu [^|]{0,120}? <none>"
            // HCC's runtime.
            r"there is no device can be used to do the computation"]
        ["DEV-NONE" "RT-MIX" "DEV-KFD" "RT-WSL-HSA"]
        "The runtime sees no GPU that it could use."
        "Bytes show whether two runtimes are in the tree. Driver, permissions and containers they do not show."
    "devices-hidden" Environment Follow Own "HIP runtime"
        [r"(hip|rocr)_visible_devices ?= ?-1 ([^0-9]|$)"]
        ["DEV-NONE"]
        "A variable hides every GPU from the program: HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES is -1."
        "Bytes of files show nothing of it: files are not the cause."
    "opencl-no-device" Environment Result Mostly "OpenCL"
        [r"clgetdeviceids [^|]{0,200}? (device not found|cl_device_not_found)"
         r"clgetdeviceids [^|]{0,40}? : ? -1 ([^0-9]|$)"
         r"clgetplatformids [^|]{0,40}? -1001"
         r"cl_platform_not_found_khr"]
        ["DEV-NONE" "DEV-KFD"]
        "OpenCL is asked for GPUs and has none: no maker's implementation is installed, or its driver has no device that this user may open."
        "Bytes of files show nothing of it: files are not the cause."
    "torch-gpu-unavailable" Environment Follow Ported "PyTorch"
        [r"torch reports gpu not available" r"gpu count : ? 0 ($|[^0-9])" r"setting accelerator to cpu ?\. ? if you have gpu"
         r"(cuda|hip|gpu) (/rocm)? (is )?available : ?false"]
        ["DEV-NONE" "PKG-NO-HIP"]
        "PyTorch sees no GPU. That a build for ROCm does so is a matter of the driver, of permissions or of the container."
        "Bytes show whether the wheel has ROCm code, and for which targets. What the driver lists they do not show."
    "memory-access-fault-nil" Environment Result Own "HSA runtime"
        [r"memory access fault by gpu node-[0-9]{1,2} <any> on address \(nil\) <any> reason : ?unknown"]
        ["OV-CROSS-MAJOR" "FW-VERSION"]
        "A kernel touched address nil for no known reason: as a rule, an override that does not fit."
        "Bytes do not show an override that is set. They show which instructions it would let through."
    "memory-access-fault" Environment Result Own "HSA runtime"
        [r"memory access fault by gpu (node-[0-9]{1,2})?" r"page not present or supervisor privilege" r"hsa_status_error_memory_(aperture_violation|fault)"
            r"hiperrorillegaladdress"
            r"(hip|rocm) error : ?an illegal memory access"
            r"\[mmhub[0-9]?\] (no-retry |retry )?page fault"
            r"\[gfxhub[0-9]?\] (no-retry |retry )?page fault"
            r"vm_l2_protection_fault_status"]
        ["FW-VERSION" "PROGRAM-FAULT" "OV-CROSS-MAJOR" "OV-UNSAFE"]
        "A kernel touched memory that is not mapped: a fault of firmware or driver, an override that does not fit, or of the program."
        "Bytes show the MES release of a firmware folder, and foreign instructions under an override."
    "gpu-hang" Environment Result Own "driver"
        [r"hw exception by gpu (node)?" r"queue preemption time ?out" r"qcm fence wait loop timeout" r"cp might be in an unrecoverable state" r"failed to evict process queues?" r"reason : ?gpu hang" r"(amdgpu|rocm|radeon|hip) .{0,80}? gpu hang" r"mes (\(\d\))? ?failed to respond?" r"mes ring buffer" r"mes might be in unrecoverable state" r"ring [a-z0-9_.]{2,30} timeout" r"gpu reset (begin|succeeded|failed)" r"gpu core dump failed"]
        ["FW-VERSION" "OV-UNSAFE" "RT-REGRESSION"]
        "The GPU stopped answering, and the driver reset it."
        "Bytes show the MES release of a firmware folder, and foreign instructions under an override."
    "smi-no-value" Environment Follow Own "ROCm SMI"
        [r"expected integer value from monitor"]
        ["RT-REGRESSION" "DEV-NONE"]
        "ROCm SMI read a sensor of the driver and got nothing: mostly, the card sleeps, or the driver does not give that value."
        "Bytes of files show nothing of it: files are not the cause."
    // Its clocks and its load stay up when no program runs any more.
    "gpu-stays-busy" Runtime Follow Ported "driver"
        [r"gpu [^|.]{0,60}? stuck at (100%|max|full|high)"
         r"(sclk|mclk|clocks?|p-?state|utili[sz]ation) [^|.]{0,30}? stuck at (100%|max|full|high)"
         r"(sclk|mclk|clocks?|p-?state|utili[sz]ation) [^|.]{0,30}? remains? at (100%|max|full|high)"
         r"(idle|idling) (at|with) 100% gpu"
         r"gpu remains at max"]
        ["RT-REGRESSION" "FW-VERSION"]
        "The GPU stays busy or at its highest clock when no program uses it: a fault of runtime, driver or firmware."
        "Bytes show the MES release of a firmware folder. What the driver did they do not show."
    "driver-fault" Environment Follow Own "driver"
        [ // What stands in brackets names who speaks: that of the display is no matter of computing.
         r"amdgpu :? 0000:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9] [^\[]{0,300}? (failed to|failed|error|timeout|im not done|hung|hang)"
         r"amdgpu : (failed to|error|unable to) [a-z ]{3,60}"
         r"amdgpu : [a-z_]{3,40} : ? (failed|error|timeout|unable)"
         r"\[ drm : [a-z0-9_.]{3,60} \[ ?amdgpu ?\] \] ?error"
         r"\[ ?drm ?\] ?error <any> amdgpu"
         r"trn ?= ?[0-9] ack should not assert"
         r"kfd kfd : <any> (failed|error|skipped)"]
        ["FW-VERSION" "RT-REGRESSION" "DEV-KFD"]
        "The kernel driver reports a fault of the GPU: its firmware, power, reset or queues."
        "Bytes show the MES release of a firmware folder. What the driver did they do not show."
    "gpu-discovery" Environment Result Ported "ollama"
        [r"failed to finish discovery before timeout" r"failure during gpu discovery" r"unable to verify rocm library"
         r"no suitable rocm found"
            r"no compatible rocm library found"]
        ["RT-REGRESSION" "DEV-NONE" "ELF-NEEDED-MISSING"]
        "ollama asked its ROCm library for GPUs and got no answer, or not in time. It goes on with the processor."
        "Bytes show whether its libraries are there and for which targets. Why the driver did not answer they do not show."
    "memory-in-use" Environment Follow Own "HSA runtime"
        [r"memory critical error by (agent|gpu) node-[0-9]{1,3}"]
        ["RT-REGRESSION" "OOM"]
        "The HSA runtime met memory that is still in use, or that was to be freed twice: mostly, a program that stopped with another error."
        "Bytes of files show nothing of it: look for the first error above this line."
    "memory-ecc" Environment Reason Shared "HIP runtime"
        [r"uncorrectable ecc error" r"poison (is )?consumed <any> amdgpu" r"amdgpu <any> uncorrectable hardware errors? ?(detected)?"
            r"uncorrectable hardware error <any> err_?event_athub"
            r"errevent_athub_interrupt"
            r"\[ ?hardware error ?\] : ?aca"
            r"amdgpu <any> ras (poison|uncorrectable|interrupt|error)"
            r"amdgpu <any> bad pages? (threshold|retired|detected)"]
        ["HW-FAULT" "RT-REGRESSION"]
        "The memory of the GPU reports errors that it cannot correct: a fault of the card."
        "Bytes of files show nothing of it: files are not the cause."
    "files-limit" Environment Reason Ported "system"
        [r"too many open files"]
        ["ENV-NOFILE"]
        "The process may not open more files."
        "Bytes of files show nothing of it: files are not the cause."
    "program-out-of-memory" Environment Follow Ported "the program"
        [r"unable to allocate backend buffer"
         r"failed to allocate (compute|kv|backend|[a-z0-9_]{0,12}) ?(pp)? ?buffers?"
         r"allocating [0-9.]{1,12} mib on device [0-9]{1,2} : ?(cuda|hip|rocm)malloc"
         r"resource_exhausted : ?out of memory"
         r"oom when allocating tensor"
         r"failed to alloc(ate)? [0-9.]{1,20} ?[kmgi]{0,2}b[a-z]{0,5} (\([a-z0-9 ]{1,40}\))? ?(on|from) (device|host)"
         r"less than desired gpu memory utilization"
         r"no available memory for the cache blocks"
         r"more system memory <any> than is available"]
        ["OOM"]
        "A program asked the GPU for more memory than is free."
        "Bytes of files show nothing of it: files are not the cause."
    "out-of-memory" Environment Result Shared "HIP runtime"
        [r"(hip|rocm) (error)? :? ?(\.)? out ?of ?memory" r"hiperroroutofmemory" r"not enough (gtt|vram) memory" r"insufficient (gtt|vram) memory" r"hsa_status_error_out_of_resources"
            r"unable to allocate rocm[0-9]{1,2} buffer"]
        ["OOM"]
        "There was not enough memory for what was asked."
        "Bytes of files show nothing of it: files are not the cause."
    // PyTorch says HIP in a build for ROCm; ggml says CUDA in every build.
    "memory-in-words-of-cuda" Environment Follow Ported "the program"
        [r"torch (\.cuda)? (error)? :? ?(\.)? out ?of ?memory" r"torch(\.cuda)?\.outofmemoryerror" r"cuda (error)? :? ?out of memory"
         r"cudamalloc failed : ?out of memory" r"out of memory : ?killed process"]
        ["OOM"]
        "There was not enough memory for what was asked, in words that programs for every maker's GPU have."
        "Bytes of files show nothing of it: files are not the cause."
    "process-killed" Environment Result Ported "system"
        [r"signal : ?killed" r"exit(ed)? (with )?(code|status) :? ?137" r"oom-?kill"]
        ["OOM"]
        "The system ended the process, mostly because memory ran out."
        "Bytes of files show nothing of it: files are not the cause."
}
