//! Messages of programs: their own lists of targets, their own files.

messages! {
    // Lists in programs.
    "tf-ignoring-gpu" Application Reason Own "TensorFlow"
        [r"ignoring visible gpu device <any> with amdgpu (version|isa) ?:? ?<target>" r"the supported amdgpu (versions|isas) are"]
        ["APP-ARCH-LIST" "FB-ARCH-MISSING"]
        "TensorFlow has a list of targets and this one is not on it. Two names run together in the list are a defect of the wheel."
        "Bytes show the list in the library, and whether there is code for the target."
    "xla-no-device" Application Reason Own "JAX"
        [r"is of unsupported amdgpu version :? <target>" r"no supported devices found for platform rocm"]
        ["APP-ARCH-LIST" "FB-ARCH-MISSING" "DEV-NONE"]
        "XLA found no GPU that is on its own list of targets."
        "Bytes show the list in the plug-in, and whether there is code for the target."
    "app-list" Application Reason Own "LM Studio"
        [r"no rocm gpus? detected of supported targets" r"nosupportedgpus"]
        ["APP-ARCH-LIST" "FB-ARCH-MISSING" "DEV-NONE"]
        "The program looked for GPUs of its own list of targets and found none."
        "Bytes show the targets of the program's back end. What the driver lists they do not show."
    "app-survey" Application Follow Own "LM Studio"
        [r"gpu survey <any> unsuccessful" r"error surveying hardware"]
        ["FB-ARCH-MISSING" "APP-ARCH-LIST" "DEV-NONE"]
        "The program looked for GPUs and found none that its back end takes. It does not say why, and names no list."
        "Bytes show the targets of the program's back end. What the driver lists they do not show."
    "torch-gpu-test" Application Result Own "PyTorch"
        [r"torch is not able to use gpu"]
        ["PKG-NO-HIP" "FB-ARCH-MISSING" "DEV-NONE"]
        "A program asked PyTorch for a GPU and got none: mostly, the wheel is built for CPU or CUDA."
        "Bytes show whether the wheel has ROCm code, and for which targets."
    "ollama-skips" Application Follow Own "ollama"
        [r"(dropping|skipping|ignoring) integrated gpu <any> (rocm|gfx|radeon|amd)"
         r"amdgpu (\[[0-9]{1,2}\])? ? (is )? too old :? (gpu= [0-9]{1,2})? <target>" r"amdgpu (\[[0-9]{1,2}\])? ? (is )? too old" r"unsupported radeon igpu detected" r"rocm unsupported integrated gpu" r"no compatible amdgpu devices detected"]
        ["APP-ARCH-LIST" "RB-ARCH-MISSING" "DEV-NONE"]
        "ollama leaves a GPU out by a rule of its own: too old, integrated, or not served by its libraries."
        "Bytes show which targets its libraries have code for. Its own rules they do not show."
    "ollama-filters" File Result Own "ollama"
        [r"filtering device which didnt fully initialize <any> library = (rocm|hip)"
         r"(dropping|skipping|ignoring|filtering) [a-z ]{0,30} device <any> (library|libdir) = [a-z0-9_/]{0,40} rocm"]
        ["RB-ARCH-MISSING" "FB-ARCH-MISSING" "RT-REGRESSION"]
        "ollama started its ROCm library on this GPU to try it, and that ended with an error: mostly, there is no code or no catalog for it. It goes on without the GPU."
        "Bytes show which targets its libraries have code and files for."
    "ollama-folder-empty" File Reason Own "ollama"
        [r"amdgpu is not supported <any> supported[_ ]?types[:=]{1,2} \[ \] <any> gpu_type= <target>" r"supported[_ ]?types[:=]{1,2} \[ \]"]
        ["RB-EMPTY" "RB-ARCH-MISSING"]
        "ollama looked into its rocBLAS folder and found no files for any GPU. It goes on with the processor."
        "Bytes show whether the folder is empty."
    "ollama-not-supported" File Reason Own "ollama"
        [r"amdgpu (\[[0-9]{1,2}\])? ?<target> is not supported by <path> (rocm|lib|ollama)"
         r"amdgpu (\[[0-9]{1,2}\])? ?<target> is not supported"
         r"supported[_ ]?types[:=]{1,2} \[ [^\]]{0,400} \] <any> gpu_type= <target>"
         r"amdgpu is not supported <any> gpu_type= <target>"
         r"amdgpu is not supported" r"supported_types= \["]
        ["RB-ARCH-MISSING" "RB-EMPTY"]
        "ollama looked into its rocBLAS folder: there are no files for this GPU. It goes on with the processor. An empty list means an empty folder."
        "Bytes show which targets the folder has files for."

    // AOTriton, Blender, OpenMP.
    "aotriton" File Result Shared "AOTriton"
        [r"was not compiled with (flash|memory efficient|mem efficient) attention" r"no available kernel\.? aborting" r"(flash|mem_efficient) : ?no available kernel" r"aotriton <any> (not found|unsupported|no such file)" r"attention on current amd gpu is still experimental"]
        ["AT-IMAGES-MISSING" "AT-EXPERIMENTAL"]
        "PyTorch has no attention kernel of AOTriton for this GPU, or one that is switched off; it takes a slower one or stops."
        "Bytes show whether aotriton.images has a folder for the target. The switch they do not show."
    "blender-kernel" File Reason Own "Blender"
        [r"hip binary kernel for this graphics card compute capability"
            r"failed to load hip kernel from <path> kernel_ <target>"
            r"failed to load hip kernel"]
        ["BL-ARCH-MISSING"]
        "Blender has no kernel file for this card. 11.0 in the message stands for gfx110x."
        "Bytes show which kernel files the program has."
    "openmp-image" File Reason Own "OpenMP"
        [r"incompatible : ?processor mismatch ?\[ ?image : ?gfx[0-9a-z:+\-]{3,30} ?\] ?:? ?\[ ?env : ?<target>"
         r"possible gpu arch mismatch : ?<target>" r"is not compatible with rtl (!|libomptarget\.rtl\.amdgpu)" r"libomptarget <any> no (images|image) found compatible"
            r"no images found compatible with the installed hardware"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH"]
        "The program carries an OpenMP image for another target than this GPU."
        "Bytes show the targets of the program's images."
}
