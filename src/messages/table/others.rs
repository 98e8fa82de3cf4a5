//! Messages of other software, and those from which nothing is known.

messages! {
    // Other software.
    "cuda-wheel" NotRocm Result Own "CUDA"
        [r"torch not compiled with cuda enabled" r"cannot initialize hip without the aten_hip library" r"found no nvidia driver" r"not compiled with cuda support" r"lib(cublas|cublaslt|cudart|cudnn|nvrtc|nvjitlink|cufft|curand|cusparse|cusolver|cupti|nccl|cuda|nvinfer|torch_cuda|c10_cuda) [a-z0-9_\-]{0,20} \.so [.0-9]{0,20} : ? cannot open shared object file"
         r"using cpu-only torch"
         r"[0-9]\+cpu <any> cuda\.is_available \(\) <any> false"
         r"did not contain .{0,60}? libcudart\.so .{0,60}? as expected"
         r"(no )?libcudart\.so (not )?found"
         r"bitsandbytes <any> get_cuda_version_tuple"
         r"cuda setup failed" r"the installed version of bitsandbytes was compiled without gpu support" r"(cublas|cudart|cudnn)64_[0-9_]{1,6}\.dll" r"caffe2_nvrtc\.dll"]
        ["PKG-CUDA-ONLY" "PKG-NO-HIP"]
        "The program or wheel is built for CUDA or for the processor only; no ROCm code is asked."
        "Bytes show whether the package has ROCm code."
    "cuda-failed" NotRocm Follow Own "CUDA"
        [r"runtimeerror : ?cuda failed" r"cuda failed with error" r"cuda driver version is insufficient" r"cuda_error_[a-z_]{3,40}" r"(cublas|cudnn|cusparse|cusolver)_status_[a-z_]{3,40}"
            r"undefined symbol : ? (cu(blas|dnn|da|sparse|fft|rand|solver)|nccl|nvrtc|nvml)"
            r"undefined symbol : ? [a-z0-9_]{0,12} c104cuda"
            r"no cuda gpus are available"]
        ["PKG-CUDA-ONLY" "PKG-NO-HIP"]
        "A part of the program that is built for CUDA failed."
        "Bytes show whether the package has ROCm code."
    "nvidia-device" NotRocm Reason Own "CUDA"
        [r"libomptarget\.rtl\.cuda" r"is not compatible with the current pytorch installation" r"nvidia-smi has failed" r"with cuda capability sm_[0-9]{2,3} is not compatible" r"nvrtc : error" r"ptxas (fatal|error)" r"nvcc (fatal|error)" r"nvrm : ?" r"cudart init failure : ?(802|999)"
            r"the provided ptx was compiled with"]
        ["NOT-ROCM"]
        "The message is about an NVIDIA device."
        "Files of ROCm are not concerned."
    "vulkan" NotRocm Reason Own "Vulkan"
        [r"vk :: [a-z:]{2,60} : ?error[a-z]{4,40}" r"vk :: (devicelost|outofdevicememory|system|incompatibledriver|initializationfailed)[a-z]{0,20}error" r"errordevicelost" r"vk_error_[a-z_]{4,40}" r"ggml_vulkan : ?(error|failed|device memory|no)" r"erroroutofdevicememory" r"vulkan <any> device lost" r"\[loader message\] code [0-9]" r"cannot create vulkan instance"
         // Frames of a back trace.
         r"ggml_vk_[a-z_]{3,60} ?\("]
        ["NOT-ROCM"]
        "Vulkan speaks, not ROCm: the driver of the graphics side."
        "Files of ROCm are not concerned."
    "vulkan-radv" NotRocm Follow Own "Vulkan"
        [r"radv/amdgpu : ?" r"mesa-vulkan <any> error" r"radv : ?(failed|error)" r"amdgpu : ?the cs has (been )?(cancelled|rejected)"]
        ["NOT-ROCM"]
        "Mesa's Vulkan driver speaks, not ROCm."
        "Files of ROCm are not concerned."
    "mesa-opencl" NotRocm Reason Own "Mesa"
        [r"(cannot|can not|could not|failed to|unable to) open (file )? [^|:]{0,60}? /clc/ [a-z0-9_.-]{2,60}"
         r"(no such file|not found|cannot open|error) <any> -mesa-mesa3d"]
        ["NOT-ROCM"]
        "Mesa's own OpenCL speaks (Clover or Rusticl), which has its own files for AMD's GPUs, and not ROCm's."
        "Files of ROCm are not concerned."
    "mesa-driver" NotRocm Reason Own "Mesa"
        [r"mesa-loader : ? (failed|error|could not)" r"libgl error" r"amd : ? llvm (doesnt|does not) support gfx" r"radeon : ? failed to allocate a buffer"]
        ["NOT-ROCM"]
        "Mesa's drivers for OpenGL and video speak, not ROCm."
        "Files of ROCm are not concerned."
    "other-gpu" NotRocm Reason Own "other drivers"
        [r"intel\(r\) [a-z0-9() ]{0,40}graphics [^|]{0,300}? (cl_[a-z_]{3,40}|segmentation fault|error)" r"kiogpucommandbuffer" r"ggml_metal_ [a-z_]{2,40} : ?(error|failed)" r"i915 .{0,60} gpu hang" r"intel_gpu_reset" r"i915_reset" r"drm:xe_" r"ur_result_error_[a-z_]{4,40}" r"pi_error_[a-z_]{4,40}" r"zesinit failed" r"level[ _]zero <any> (error|failed)" r"sycl (:: _v1)? :: [a-z_]{0,20} exception" r"(^|[^p]) sycl (exception|error)" r"native api failed" r"dxgi_error_device_ (removed|hung|reset)" r"dml compile error" r"opaquetensorimpl"
         // HIP on Intel's interfaces (chipStar).
         r"chip (error|critical) \[tid"]
        ["NOT-ROCM"]
        "The driver of another maker's GPU speaks, or Direct3D: not ROCm."
        "Files of ROCm are not concerned."

    // Nothing is known from these.
    "segv" Ambiguous Crash Mostly "system"
        [r"segmentation fault" r"sigsegv" r"signal 11" r"status=11/segv" r"exception code : ?0xc0000005" r"access violation"]
        ["FB-ARCH-MISSING" "RT-MIX" "RB-DANGLING"]
        "The process touched memory that it does not have. That alone says nothing about the cause."
        "Bytes show whether the libraries have code for the target: HIP 5.x crashed where they had none. A backtrace says more."
    // What the kernel logs of any program that ends so.
    "segv-logged" Ambiguous Crash Ported "system"
        [r"segfault at [0-9a-f]{1,16}" r"traps : ? [^|]{1,60}? general protection"]
        ["FB-ARCH-MISSING" "RT-MIX" "RB-DANGLING"]
        "The kernel has ended a process that touched memory that it does not have. That alone says nothing about the cause."
        "Bytes show whether the libraries have code for the target: HIP 5.x crashed where they had none. A backtrace says more."
    "trace-in-rocm" Ambiguous Crash Own "system"
        [r"from /[a-z0-9_/.+-]{0,200}? lib(amdhip64|hsa-runtime64|hsakmt|amd_comgr|hiprtc|rocblas|hipblaslt|hipblas)[a-z0-9_-]{0,20}\.so"
         r"/lib(amdhip64|hsa-runtime64|hsakmt|amd_comgr|hiprtc|rocblas|hipblaslt|hipblas)[a-z0-9_-]{0,20}\.so[.0-9]{0,12} \([a-z0-9_+:~<>,&]{0,300}\) \[0x"
         r"at /[a-z0-9_/.+-]{0,200}? lib(amdhip64|hsa-runtime64|hsakmt|amd_comgr|hiprtc|rocblas|hipblaslt|hipblas)[a-z0-9_-]{0,20}\.so[.0-9]{0,12} \(unknown line\)"
         // Any library in a folder of ROCm's own.
         r"/opt/rocm [a-z0-9_/.+-]{0,120}? /lib[a-z0-9_.+-]{2,40}? \.so[.0-9a-z]{0,14} \([a-z0-9_+:~<>,&]{0,300}\) \[0x"
         r"-rocm- [a-z0-9_/.+-]{0,120}? /lib[a-z0-9_.+-]{2,40}? \.so[.0-9a-z]{0,14} \([a-z0-9_+:~<>,&]{0,300}\) \[0x"
         r"_rocm_sdk_ [a-z0-9_/.+-]{0,120}? /lib[a-z0-9_.+-]{2,40}? \.so[.0-9a-z]{0,14} \([a-z0-9_+:~<>,&]{0,300}\) \[0x"]
        ["FB-ARCH-MISSING" "RT-MIX" "RT-REGRESSION"]
        "A back trace goes through one of ROCm's libraries; no line says what happened there."
        "Bytes show whether the libraries have code for the target and are of one release."
    // glibc's own words, and Windows's, where a program's heap is found damaged. They say nothing of who did it.
    "heap-damaged" Ambiguous Crash Ported "system"
        [r"free \(\) : ? (invalid|corrupted|double free) [a-z ]{3,30}"
         r"malloc (_consolidate)? \(\) : ? (corrupted|invalid|mismatching|memory corruption|unaligned|unsorted|smallbin) [a-z ]{0,30}"
         r"realloc \(\) : ? (invalid|corrupted) [a-z ]{3,30}"
         r"munmap_chunk \(\) : ? invalid pointer"
         r"double free or corruption \("
         r"corrupted (size vs\.? prev_size|double-linked list)"
         r"stack smashing detected"
         r"exception code : ? 0xc0000374"]
        ["RT-MIX" "RT-REGRESSION"]
        "The process found its own memory damaged, mostly by something that ran earlier. That alone says nothing about the cause."
        "Bytes show whether libraries of two releases are in the tree, which damages memory. A backtrace says more."
    // Cycles opens the libraries of each maker in turn.
    "cycles-probes" Harmless Harmless Own "Blender"
        [r"cuew initialization failed [^|]{0,160}? hipew initialization succeeded"
         r"hipew initialization succeeded [^|]{0,400}? cuew initialization failed"]
        ["NOT-ROCM"]
        "Blender looks for CUDA, which is not here, and for HIP, which it found. It goes on with HIP."
        "Files are not concerned: look further down in the log."
    "harmless-ids" Harmless Harmless Own "driver"
        [r"(_attn|_ops?|quantizer|inference) is not compatible with rocm" r"amdgpu\.ids : ?no such file" r"amdgpu version file missing" r"not compiled with cudnn attention" r"cudnn sdpa <any> not compiled" r"expandable_segments not supported on this platform"]
        ["NOT-ROCM"]
        "A file of names or a version file is not there, or a feature of CUDA is off. The program goes on."
        "Files are not concerned: look further down in the log."
}
