//! The messages that are recognised: one row for each, with its patterns.
//!
//! A pattern is a regular expression on a log in small letters without blanks, line breaks, quotes, asterisks and prefixes
//! (`clean.rs`). Blanks in a pattern only make it readable. `<target>` is the name of a processor, `<path>` a
//! path or file, `<any>` up to 300 bytes of anything. Every pattern has a literal part outside of groups, by which a log is
//! searched first.

/// What kind of thing a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Files are missing or wrong: look into them.
    File,
    /// The program refuses by a list of its own.
    Application,
    /// Nothing is wrong; the program goes on.
    Harmless,
    /// The device, its driver, a permission, memory or a limit.
    Environment,
    /// Code is compiled or run, and that fails.
    Runtime,
    /// A build fails.
    Build,
    /// Other software than ROCm speaks.
    NotRocm,
    /// The words fit several causes of different kinds.
    Ambiguous,
    /// No row fits.
    Unknown,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 9] = [
        Class::File,
        Class::Application,
        Class::Harmless,
        Class::Environment,
        Class::Runtime,
        Class::Build,
        Class::NotRocm,
        Class::Ambiguous,
        Class::Unknown,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Class::File => "file",
            Class::Application => "application",
            Class::Harmless => "harmless",
            Class::Environment => "environment",
            Class::Runtime => "runtime",
            Class::Build => "build",
            Class::NotRocm => "not-rocm",
            Class::Ambiguous => "ambiguous",
            Class::Unknown => "unknown",
        }
    }
}

/// How much a message decides where a log has several: the first of these that is there is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It says what is wrong.
    Reason,
    /// It is what a call returned.
    Result,
    /// It follows from another message, or is printed and passed over.
    Follow,
    /// The process ends, with no reason.
    Crash,
    /// Nothing is wrong.
    Harmless,
}

/// Whose words a message has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Those of ROCm, or of the software that the row names.
    Own,
    /// CUDA prints them too: the lines around decide.
    Shared,
}

/// One message.
#[derive(Debug)]
pub struct Message {
    /// Its name.
    pub id: &'static str,
    /// What kind of thing it is about.
    pub class: Class,
    /// How much it decides.
    pub weight: Weight,
    /// Whose words it has.
    pub words: Words,
    /// Who prints it.
    pub library: &'static str,
    /// How it is recognised.
    pub patterns: &'static [&'static str],
    /// What can be behind it, the most frequent first: ids of [`CAUSES`](crate::diagnosis::causes::CAUSES).
    pub causes: &'static [&'static str],
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// What bytes can decide and what they cannot, in a sentence.
    pub bytes: &'static str,
}

/// The message of a name.
pub fn of_id(id: &str) -> Option<&'static Message> {
    MESSAGES.iter().find(|message| message.id == id)
}

macro_rules! messages {
    ($($id:literal $class:ident $weight:ident $words:ident $library:literal [$($pattern:literal)+] [$($cause:literal)+] $meaning:literal $bytes:literal)*) => {
        /// All messages, by library.
        pub static MESSAGES: &[Message] = &[$(Message {
            id: $id,
            class: Class::$class,
            weight: Weight::$weight,
            words: Words::$words,
            library: $library,
            patterns: &[$($pattern),+],
            causes: &[$($cause),+],
            meaning: $meaning,
            bytes: $bytes,
        }),*];
    };
}

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
         r"rocblas error : ?(could not|couldnt|cannot|failed to|unable to) load <path> \.(dat|co|hsaco)"]
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
        "Bytes show whether the folder has files for the target, and of which release."
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
         r"hipmoduleload (data(ex)?)? failed : ?<path> \.(hsaco|co)"]
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
         r"rocblas_status_internal_error"]
        ["RB-ARCH-MISSING" "FB-ARCH-MISSING" "OOM" "RB-DANGLING"]
        "A call of hipBLAS or rocBLAS failed; the status does not say why."
        "Bytes show whether the library has files for the target. Memory and device they do not show."
    "tensile-build" Build Result Own "Tensile"
        [r"missing expected code object files"
         r"failed : ?<path> tensile_library_target"
         r"tensile_library_target <any> (error|failed)"
         r"tensile(create(library|client))? :: ?fatal"]
        ["RB-MANIFEST" "RB-DANGLING" "FB-CORRUPT"]
        "The build of a Tensile library did not make all files that it should."
        "Bytes of a finished tree show what is missing; a build that stops leaves none."
    "asm-caps" Build Reason Own "Tensile"
        [r"cached asm caps differ from derived asm caps"]
        ["TC-ASMCAPS"]
        "Tensile's table of assembler capabilities does not fit the compiler that is used."
        "Bytes do not show it: it is of the toolchain."

    // hipBLASLt.
    "rocblaslt-cannot-read" Harmless Harmless Own "hipBLASLt"
        [r"(rocblaslt|hipblaslt) error : ?(cannot read|could not (read|load|open)|couldnt (read|load|open)|unable to (read|load|open)|failed to (read|load|open)) <path> tensilelibrary_lazy_ <target>"
         r"(rocblaslt|hipblaslt) error : ?(cannot read|could not (read|load|open)|couldnt (read|load|open)|unable to (read|load|open)|failed to (read|load|open)) <path> \.dat"
         r"hipblaslt error : ?heuristic fetch failed"
         r"(cannot|can not|could not|couldnt|unable to) (read|open|load) <path> hipblaslt [/\\]+ library [/\\]+ tensilelibrary [a-z0-9_]{0,40} \.dat"]
        ["LT-ARCH-MISSING" "LT-PROBE-HARMLESS"]
        "hipBLASLt has no catalog for this GPU. The program falls back to rocBLAS; where it crashes, the reason stands further down."
        "Bytes show whether hipBLASLt has files for the target, and whether rocBLAS has."
    "hipblaslt-unsupported" Harmless Harmless Own "PyTorch"
        [r"attempting to use hipblaslt on an? unsupported architecture"]
        ["LT-ARCH-MISSING"]
        "PyTorch does not use hipBLASLt on this GPU and takes hipBLAS. As a RuntimeError, in some wheels of 2.5, it stops the program."
        "Bytes show whether hipBLASLt has files for the target."

    // The HIP runtime: no code for the device.
    "no-compatible-code-objects" File Reason Own "HIP runtime"
        [r"no compatible code objects? found for : ?(amdgcn-amd-amdhsa--)? <target>" r"no compatible code objects? found for"]
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
         r"kpack <any> (not found|missing|no such file)"]
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
    "invalid-image" File Result Own "HIP runtime"
        [r"hiperrorinvalidimage" r"device kernel image is invalid"]
        ["KP-ARCHIVE-MISSING" "KP-OVERLAY-HOLE" "FB-ARCH-MISSING" "FB-CORRUPT"]
        "A code object was refused: none for this GPU, an archive without it, or a damaged one."
        "Bytes show all of these."
    "invalid-kernel-file" File Result Own "HIP runtime"
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
            r"platformstate :: getstatfunc"]
        ["FB-ARCH-MISSING" "SYS-MULTI-ARCH"]
        "The HIP runtime crashed while it looked for code of this GPU: releases 5.x do that where there is none."
        "Bytes show which libraries have no code for the target."
    "hsa-invalid-isa" File Result Own "HSA runtime"
        [r"hsa_(status_)? error_invalid_isa" r"aborting with (status|error) : ?0x100f" r"code : ?0x100f"]
        ["ISA-ILLEGAL" "VGPR-BUDGET" "SCRATCH-LARGE" "OV-UNSAFE"]
        "The GPU stopped at a kernel: an instruction that it lacks, too many registers, or private memory that was not to be had."
        "Bytes show foreign instructions and the registers of each kernel. What memory was free they do not show."
    "out-of-vgprs" File Reason Own "HSA runtime"
        [r"queue error state in gpu agent : ?(amd)? <target> <any> out of vgprs" r"\( ?out of vgprs"]
        ["VGPR-BUDGET"]
        "A kernel needs more registers for its work group than the GPU has."
        "Bytes show the registers of each kernel, not the work group that was asked for."
    "hsa-illegal-instruction" File Result Own "HSA runtime"
        [r"hsa_status_error_illegal_instruction" r"illegal shader instruction" r"aborting with (status|error) : ?0x2a"]
        ["OV-UNSAFE" "STUB-REACHED" "ISA-ILLEGAL"]
        "The GPU met an instruction that it does not have: code of another target, or a stub that traps."
        "Bytes show both: `rocm-audit --isa` decodes the code of the target."
    "hsa-invalid-code-object" File Result Own "HSA runtime"
        [r"hsa_status_error_invalid_code_object" r"hsa error \( ?code #? ?4112" r"hsa_status_error_(incompatible_arguments|invalid_code_symbol)"]
        ["CO-ABI-TOO-NEW" "FB-CORRUPT" "RT-MIX"]
        "The HSA runtime refused a code object: too new for it, or damaged."
        "Bytes show the version of the code objects and the release of the runtime in the tree."
    "named-symbol" File Result Own "HIP runtime"
        [r"hipmodulegetfunction \(\) : ?500" r"hiperrornotfound" r"(rocm|hip) error : ?named symbol not found"]
        ["KERNEL-NAME-ABSENT" "RB-DANGLING"]
        "A program asked a loaded module for a kernel that it does not have."
        "Bytes show which kernels a file has; modules that the program compiles itself are in no file."

    // The device.
    "kfd-open" Environment Reason Own "driver"
        [r"unable to open /dev/kfd (read-write)? :? ?(permission denied|no such file or directory|invalid argument|operation not permitted|device or resource busy|cannot allocate memory|too many open files|no such device)?"
         r"/dev/kfd : ? (permission denied|no such file|operation not permitted|not a directory)"
         r"(cannot|could not|couldnt|failed to) open (file )? /dev/kfd"
         r"(permission denied|no such file or directory) :? /dev/kfd"
            r"rock module is not loaded"
            r"unable to open /dev/dri/renderd[0-9]{3}"
            r"/dev/dri/(card[0-9]{1,2}|renderd[0-9]{3}) : ? permission denied"]
        ["DEV-KFD" "DEV-NONE"]
        "The device node of the compute driver cannot be opened. The system says why behind the colon."
        "Bytes of files show nothing of it: files are not the cause."
    "pci-atomics" Environment Reason Own "driver"
        [r"pci rejects atomics" r"call returned 4104"
            r"call returned hsa_status_error_out_of_resources"]
        ["DEV-ATOMICS" "DEV-KFD"]
        "The kernel driver left the card out: the slot has no PCIe atomics. 4104 is the bare code of a runtime without resources."
        "Bytes of files show nothing of it: files are not the cause."
    "no-device" Environment Result Own "HIP runtime"
        [r"no rocm-capable device" r"hiperrornodevice" r"no hip gpus? (are|is) available" r"hsa_init (\(\))? ?failed"
         r"hiperrorinvaliddevice ($|[^fp])" r"hipinit : ?(returned)? (invalid device|hiperror)" r"no (hip|rocm) (capable )? devices? (was |were )?(found|detected|available)" r"no hip gpus? (was |were )?(found|detected)" r"no rocm gpus? (was |were )?(found|detected|available) ([^o]|$)"
         r"failed to get memory info for hip device" r"failed to initialize hip" r"ggml_cuda_init : failed to initialize rocm" r"hipgetdevicecount (\(\))? ?(failed|returned)"
         r"no compatible (amd )?gpus? (was |were )?(found|discovered) <any> rocm" r"rocm (driver|runtime) <any> no devices? found"
            r"no rocm runtime is found"
            r"incompatible kernel and userspace"
            r"driver not initialized \( ?amdgpu"
            r"amdgpu not found in modules"
            r"(rsmi|amdsmi)_status_ [a-z_]{3,40}"
            r"amdsmilibraryexception"
            r"no amd gpus? (was |were )?(detected|found)"]
        ["DEV-NONE" "RT-MIX" "DEV-KFD" "RT-WSL-HSA"]
        "The runtime sees no GPU that it could use."
        "Bytes show whether two runtimes are in the tree. Driver, permissions and containers they do not show."
    "memory-access-fault-nil" Environment Result Own "HSA runtime"
        [r"memory access fault by gpu node-[0-9]{1,2} <any> on address \(nil\) <any> reason : ?unknown"]
        ["OV-CROSS-MAJOR" "FW-VERSION"]
        "A kernel touched address nil for no known reason: as a rule, an override that does not fit."
        "Bytes do not show an override that is set. They show which instructions it would let through."
    "memory-access-fault" Environment Result Own "HSA runtime"
        [r"memory access fault by gpu (node-[0-9]{1,2})?" r"page not present or supervisor privilege" r"hsa_status_error_memory_(aperture_violation|fault)"
            r"hiperrorillegaladdress"
            r"(hip|rocm) error : ?an illegal memory access"
            r"\[gfxhub[0-9]?\] (no-retry |retry )?page fault"
            r"vm_l2_protection_fault_status"]
        ["FW-VERSION" "OV-CROSS-MAJOR" "OV-UNSAFE"]
        "A kernel touched memory that is not mapped: a fault of firmware or driver, an override that does not fit, or of the program."
        "Bytes show the MES release of a firmware folder, and foreign instructions under an override."
    "gpu-hang" Environment Result Own "driver"
        [r"reason : ?gpu hang" r"gpu hang" r"mes (\(\d\))? ?failed to respond?" r"mes ring buffer" r"mes might be in unrecoverable state" r"ring [a-z0-9_.]{2,30} timeout" r"gpu reset (begin|succeeded|failed)" r"gpu core dump failed"]
        ["FW-VERSION" "OV-UNSAFE" "RT-REGRESSION"]
        "The GPU stopped answering, and the driver reset it."
        "Bytes show the MES release of a firmware folder, and foreign instructions under an override."
    "driver-fault" Environment Follow Own "driver"
        [r"amdgpu :? 0000:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9] <any> (failed to|failed|error|timeout|im not done|hung|hang)"
         r"amdgpu : ? (failed to|error|unable to) [a-z ]{3,60}"
         r"\[ drm : [a-z0-9_.]{3,60} \[ ?amdgpu ?\] \] ?error"
         r"\[ ?drm ?\] ?error <any> amdgpu"
         r"kfd kfd : <any> (failed|error|skipped)"]
        ["FW-VERSION" "RT-REGRESSION" "DEV-KFD"]
        "The kernel driver reports a fault of the GPU: its firmware, power, reset or queues."
        "Bytes show the MES release of a firmware folder. What the driver did they do not show."
    "gpu-discovery" Environment Result Own "ollama"
        [r"failed to finish discovery before timeout" r"failure during gpu discovery" r"unable to verify rocm library"
         r"no suitable rocm found"]
        ["RT-REGRESSION" "DEV-NONE" "ELF-NEEDED-MISSING"]
        "ollama asked its ROCm library for GPUs and got no answer, or not in time. It goes on with the processor."
        "Bytes show whether its libraries are there and for which targets. Why the driver did not answer they do not show."
    "files-limit" Environment Reason Own "system"
        [r"too many open files"]
        ["ENV-NOFILE"]
        "The process may not open more files."
        "Bytes of files show nothing of it: files are not the cause."
    "out-of-memory" Environment Result Shared "HIP runtime"
        [r"(hip|rocm|torch) (\.cuda)? (error)? :? ?(\.)? out ?of ?memory" r"hiperroroutofmemory" r"torch(\.cuda)?\.outofmemoryerror" r"cuda (error)? :? ?out of memory"
         r"cudamalloc failed : ?out of memory" r"out of memory : ?killed process" r"not enough (gtt|vram) memory" r"insufficient (gtt|vram) memory" r"hsa_status_error_out_of_resources"
            r"unable to allocate rocm[0-9]{1,2} buffer"
            r"signal : ?killed"
            r"exit(ed)? (with )?(code|status) :? ?137"
            r"oom-?kill"]
        ["OOM"]
        "There was not enough memory for what was asked."
        "Bytes of files show nothing of it: files are not the cause."

    // Statuses that say little by themselves, and what facts conclude.
    "hip-file-not-found" File Result Shared "HIP runtime"
        [r"hiperrorfilenotfound"]
        ["RB-DANGLING" "KP-ARCHIVE-MISSING" "FB-ARCH-MISSING"]
        "The HIP runtime was given the name of a module that is not there."
        "Bytes show which code objects are there; the name of the module stands in the line before."
    "driver-too-old" Environment Result Shared "HIP runtime"
        [r"hiperrorinsufficientdriver"]
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
        [r"hiperrorlaunchoutofresources"]
        ["VGPR-BUDGET"]
        "A kernel was started with more threads, registers or shared memory than the GPU has for one work group."
        "Bytes show the registers, shared memory and work group of each kernel."
    "hip-call-refused" Runtime Result Shared "HIP runtime"
        [r"hiperrorinvalidvalue"]
        ["CALL-REFUSED" "RT-MIX"]
        "A call of the HIP runtime was refused: its arguments, its state, or a function that this release or system does not have."
        "Bytes show the releases of the libraries in the tree. What was asked they do not show."
    "hsa-exception" Environment Result Own "HSA runtime"
        [r"hsa_status_error_exception"]
        ["FW-VERSION" "OV-UNSAFE" "RT-REGRESSION"]
        "The GPU stopped with a hardware exception: a fault of firmware, driver or program, or an override that does not fit."
        "Bytes show the MES release of a firmware folder, and foreign instructions under an override."
    "library-status" Runtime Result Own "ROCm's libraries"
        [r"rocsolver_status_ [a-z_]{3,40}"]
        ["FB-ARCH-MISSING" "OOM" "RT-MIX"]
        "A call of one of ROCm's libraries failed; the status does not say why. Lines before it can."
        "Bytes show whether the library has code for the target."
    "rccl-status" Runtime Result Shared "RCCL"
        [r"rccl <any> (unhandled|internal|system) (cuda|hip|error)"
         r"nccl (unhandled|internal|system|remote|invalid) [a-z ]{3,20} error"]
        ["FB-ARCH-MISSING" "RT-MIX" "DEV-KFD"]
        "RCCL could not set up or run a collective; NCCL_DEBUG=INFO shows the call that failed."
        "Bytes show whether RCCL has code for the target, and its release. Links and permissions they do not show."
    "firmware-absent" Environment Reason Own "driver"
        [r"direct firmware load for amdgpu/[a-z0-9_]{3,40}\.bin failed"
         r"failed to load firmware amdgpu/"
         r"failed to (load|init|validate) (mes|mec|sdma|psp|smc|gfx|rlc|vcn|imu|ta|sos|toc|gpu_info|mc) (ucode|microcode|firmware)"]
        ["FW-VERSION"]
        "The kernel driver asked for a file of the GPU's firmware and did not get it: the GPU is not there for any program."
        "Bytes of a firmware folder show whether it has the file. Which of them the kernel was given, also in an initial RAM disk, they do not show."
    "device-libs-absent" Runtime Reason Own "compiler"
        [r"bitcode module (is required by this hlo module but was)? not found"
         r"cannot find rocm device librar"
         r"failure when generating hsaco"
         r"(unable to|could not|cannot) find (rocm )?device lib"
         r"amdgcn bitcode <any> (not found|missing|no such file)"]
        ["DEVICE-LIBS-MISSING" "JIT-FAILED" "RT-MIX"]
        "A compiler needs ROCm's device libraries (ocml.bc, ockl.bc, oclc_*.bc) and does not find them where it looks."
        "Bytes show whether the tree has them. Where the compiler looks, ROCM_PATH and HIP_DEVICE_LIB_PATH say."
    "app-refuses" Application Reason Own "the program"
        [r"torch extension <any> unsupported gfx"]
        ["APP-ARCH-LIST" "FB-ARCH-MISSING"]
        "The program refuses this GPU by a list of its own, before any file of ROCm is asked."
        "Bytes show whether its libraries have code for the target. Lists in scripts they do not show."
    "vllm-platform" Application Result Own "vLLM"
        [r"failed to infer device type" r"no platform detected ,? vllm" r"rocm platform is not available because"
         r"unspecifiedplatform"]
        ["PKG-NO-HIP" "DEV-NONE" "RT-WSL-HSA"]
        "vLLM found no platform: the wheel of PyTorch or of vLLM is not built for ROCm, or the Python package amdsmi is missing or cannot ask the driver."
        "Bytes show whether the wheel has ROCm code. VLLM_LOGGING_LEVEL=DEBUG says why each platform was left out."
    "bitsandbytes-other-release" Harmless Harmless Own "bitsandbytes"
        [r"no prebuilt binary for rocm [0-9.]{1,8} ,? (loading|using|falling back)"]
        ["PKG-VARIANT-MISSING"]
        "bitsandbytes has no library for this ROCm release and takes that of another one. It goes on; a failure below it can come from that."
        "Bytes show which variants are there, and the targets of each."
    "hipblaslt-falls-back" Harmless Harmless Own "rocBLAS"
        [r"hipblaslt failed ,? falling back to tensile" r"hipblaslt <any> falling back to (tensile|rocblas|hipblas)"]
        ["LT-ARCH-MISSING"]
        "rocBLAS asked hipBLASLt first, which had nothing, and takes its own kernels. Nothing is wrong."
        "Bytes show whether hipBLASLt has files for the target."
    "solver-forced" Runtime Reason Own "MIOpen"
        [r"miir_ (invalid_param|build_failure|invalid_module)"
         r"miir(lowertuningparams|createhandle|getkernelcount|genbin) <any> (fail|error)"
         r"gcnasm_mfma_ [a-z0-9_]{3,60}"
         r"perf db : ?record not found <any> boost"
         r"boost::optional <any> is_initialized"]
        ["SOLVER-FORCED" "JIT-FAILED"]
        "A solver of MIOpen was made to run that does not take this GPU or problem, and failed while it was compiled or started."
        "Bytes show which solvers MIOpen would take by itself: `rocm-audit select conv`."

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
        [r"amdgpu (\[[0-9]{1,2}\])? ? (is )? too old :? (gpu= [0-9]{1,2})? <target>" r"amdgpu (\[[0-9]{1,2}\])? ? (is )? too old" r"unsupported radeon igpu detected" r"rocm unsupported integrated gpu" r"no compatible amdgpu devices detected"]
        ["APP-ARCH-LIST" "RB-ARCH-MISSING" "DEV-NONE"]
        "ollama leaves a GPU out by a rule of its own: too old, integrated, or not served by its libraries."
        "Bytes show which targets its libraries have code for. Its own rules they do not show."
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

    // MIOpen.
    "miopen-userdb" Environment Reason Own "MIOpen"
        [r"filesystem_error <any> \.u(f|p)?db(\.txt)?" r"(permission denied|read-only file system|unable to (open|write)|no such file or directory) <any> \.(config|cache) [/\\]+ miopen"
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
        [r"file is unreadable : ?<path> <target> [a-z0-9_.\-]{0,40} db (\.txt)?" r"file is unreadable : ?<path> miopen"]
        ["MI-FDB-MISSING" "XN-ISA-NAME"]
        "MIOpen could not open a database of this GPU: mostly, there is none of that name."
        "Bytes show which databases are there, and for which names."
    "miopen-compile" Runtime Reason Own "MIOpen"
        [r"\[ ?setisaname ?\] <any> (amdgcn-amd-amdhsa--) <target>"
         r"\[ ?setisaname ?\]" r"code object build failed" r"amd_comgr_action_[a-z_]{3,60} : ?error" r"hiprtc_error_compilation" r"comgr status = ?error" r"comgr status = ?invalid_argument" r"\[buildhip\] <any> error" r"miopen(statuscompileerror|_status_compile)" r"comgr build source error"]
        ["RT-MIX" "XN-ISA-NAME" "JIT-FAILED"]
        "MIOpen compiled a kernel at run time, and the compiler refused: releases are mixed, or it was given a target ID that it does not know."
        "Bytes show the releases of MIOpen, comgr and runtime in the tree. What the compiler was given they do not show."
    "miopen-timing" Runtime Reason Own "MIOpen"
        [r"invalid elapsed time detected in evaluateinvokers" r"failed condition : ?elapsed <= ?0"]
        ["RT-REGRESSION"]
        "MIOpen measured a solver and got no time: a fault of driver or runtime."
        "Bytes of files show nothing of it: files are not the cause."
    "miopen-unknown" Runtime Result Own "MIOpen"
        [r"miopenstatusunknownerror" r"miopenstatusinternalerror" r"miopen_status_(unknown|internal)_error"]
        ["RT-REGRESSION" "XN-NEUTRAL-APU" "FB-ARCH-MISSING"]
        "A call of MIOpen failed; lines of MIOpen above say why. MIOPEN_LOG_LEVEL=5 shows more."
        "Bytes show the targets and XNACK states of the libraries; the reason itself is in the log."

    "triton-compile" Runtime Follow Own "Triton"
        [r"tritonamdgpu" r"triton/backends/amd/compiler\.py <any> (passmanager :: run failed|runtimeerror)"]
        ["TR-TARGET" "JIT-FAILED"]
        "Triton could not compile a kernel for this GPU: its release does not take the target, or the kernel uses what the target lacks."
        "Bytes show the release of Triton. Kernels that it compiles are in no file."
    "jax-no-rocm" Application Result Own "JAX"
        [r"unable to initialize backend rocm" r"unknown backend :? rocm" r"no platforms that are instances of rocm"
         r"rocmexecutionprovider is not in (the)? available" r"specified provider (rocm|migraphx)executionprovider is not"]
        ["PKG-NO-HIP" "DEV-NONE" "APP-ARCH-LIST"]
        "The program has no back end for ROCm, or it found no GPU: the package with it is not installed, or is of another release."
        "Bytes show whether the package has ROCm code, and for which targets."

    // Compiled at run time.
    "hiprtc-missing" Runtime Reason Own "hiprtc"
        [r"hiprtc[a-z]{3,40} is missing from hiprtc" r"instruction not supported on this gpu" r"(failed to load|cannot load|unable to load) <any> hiprtc"]
        ["JIT-FAILED" "RT-MIX"]
        "A program compiles its kernels at run time, and hiprtc is of another release or does not take its code."
        "Bytes show the release of hiprtc in the tree; code that is compiled at run time is in no file."
    "rocfft-compile" Runtime Reason Own "rocFFT"
        [r"rocfft <any> (failed to compile|compilation failed|hiprtc_error)" r"rocfft_rtc <any> (error|failed)"]
        ["JIT-FAILED" "RT-MIX"]
        "rocFFT compiles its kernels at run time, and that failed."
        "Bytes show the releases of rocFFT and hiprtc in the tree; kernels that are compiled at run time are in no file."
    "triton-target" Runtime Reason Own "Triton"
        [r"error : ?unsupported target : ?<target>" r"triton <any> unsupported (target|architecture) : ?<target>" r"unsupported target : ?<target>"]
        ["TR-TARGET"]
        "Triton's compiler does not take this target."
        "Bytes show the release of Triton. The list of its targets is in its compiler."

    // Builds.
    "invalid-target-id" Build Reason Own "compiler"
        [r"invalid target id :? <target>" r"unsupported hip gpu architecture :? <target>" r"unknown target cpu :? <target>" r"invalid (amdgpu|gpu|offload) architecture :? <target>" r"ef_amdgpu_mach_amdgcn_gfx[0-9a-f]{3,5} is not a member of"
         r"cannot select <any> llvm\.amdgcn" r"(needs|requires) target feature <any> (gfx|amdgcn|-insts)" r"__builtin_amdgcn_[a-z0-9_]{3,60} needs target feature"
         r"directive requires gfx[0-9a-f]{3,5}" r"unsupported hip gpu architecture" r"is not a recognized processor for this target <any> (error|fatal)"]
        ["TC-UNKNOWN-TARGET" "LT-ARCH-MISSING"]
        "A build names a target that its compiler or its sources do not know."
        "Bytes do not show it; `rocm-audit list arches` says which release of LLVM first names a target."
    "headers" Build Reason Own "compiler"
        [r"hip/hip_(runtime|fp16|bf16|bfloat16|version)(_api)?\.h : ?no such file" r"(rocblas|hipblas|miopen|hipblaslt|rocrand|hiprand|rccl|hipsparse)[a-z/_\-]{0,40} \.h(pp)? : ?no such file" r"(rocblas|hipblas|miopen|hipblaslt|rocrand|hiprand|rccl|hipsparse)[a-z/_\-]{0,40} \.h(pp)? :? file not found" r"hip/hip_[a-z0-9_]{2,30}\.h file not found"
            r"cannot find (hip runtime|rocm device library)"
            r"could not find a (package)? configuration file (for package|provided by) (hip|hsa|roc|miopen|rccl|amd_comgr|amddevicelibs|composable_kernel|migraphx)"
            r"hip[a-z_]{0,12}_dir-notfound"]
        ["PKG-DEVEL-MISSING"]
        "A build does not find the header files of ROCm."
        "Bytes show whether the tree has header files."

    // Packages and the loader.
    "configured-binary" File Reason Own "bitsandbytes"
        [r"configured (rocm|hip) binary not found at :? ?<path> \.so" r"configured (rocm|hip) binary not found"]
        ["PKG-VARIANT-MISSING" "PKG-NO-HIP"]
        "bitsandbytes looks for the library of the ROCm release that PyTorch names, and has others."
        "Bytes show which variants are there, and the targets of each."
    "undefined-symbol" File Reason Own "loader"
        [r"undefined (symbol|reference) (:|to)? ?.{0,120}? (rocblas|hipblas|rocsolver|rocsparse|hipsparse|miopen|rccl|hsa_|hip_|hip[a-z]{4}|amd_comgr|amd_smi|rocm|hipfft|rocfft|__device_stub__|migraphx)"
         r"(librocblas|libhip|libamd|libhsa|libmiopen|librccl|libroc|_hip\.so|_rocm[0-9]*\.so|libtorch_hip|libc10_hip) <any> undefined (symbol|reference)"
         r"version (hip_[0-9.]{1,6}|rocr_1|rocm_[0-9.]{1,6}) not found"
         r"version glibc(xx)?_[0-9.]{3,8} not found \( ?required by <path> (_hip|_rocm|libhip|libroc|libamd|libmiopen|librccl)"]
        ["ELF-SYMBOL-UNRESOLVED" "SYM-UNDEFINED-STUB" "RT-MIX"]
        "A library asks for a symbol that none of the loaded ones has: two releases are mixed, or a build left it out."
        "Bytes show which libraries of the tree export the symbol. Which of them the process loads depends on its search path."
    "needed-missing" File Reason Own "loader"
        [r"lib(amd|hip|hsa|roc|miopen|migraphx|rccl|ggml-hip|torch_hip|c10_hip|comgr|amd_comgr|hiprtc|drm_amdgpu|roctx|rocm|bitsandbytes_rocm|magma) [a-z0-9_+\-]{0,60} \.so [.0-9]{0,30} : ? cannot open shared object file"
         r"(load|find|open) (dynamic library|library|shared library|the dll|dll)? :? ?(lib)?amdhip64 [a-z0-9_]{0,10}(\.so|\.dll)" r"(could not|couldnt|cannot|failed to|unable to) (load|find|open) (dynamic library|library|shared library|the dll|dll)? :? ?(lib)?(hipblas|rocblas|hiprtc|amd_comgr|miopen|hsa-runtime64) [a-z0-9_]{0,10} \.dll" r"(could not|couldnt|cannot|failed to|unable to) (load|find|open) (dynamic library|library|shared library)? :? ?lib (hipblas|rocblas|hiprtc|amd_comgr|miopen|hsa-runtime64) [a-z0-9_]{0,10} \.so[.0-9]{0,12}"
         r"(amdhip64(_[0-9])?|hipblas|rocblas|hiprtc[0-9]{0,6}|amd_comgr)\.dll (was |is )?(not found|missing)"
            r"cannot find -l(amdhip64|hsa-runtime64|hipblas|rocblas|hiprtc|miopen|amd_comgr|rccl|hipfft|rocfft|hipsparse)"]
        ["ELF-NEEDED-MISSING" "RT-MIX" "LINK-UNVERSIONED-MISSING"]
        "The loader does not find a library that another one asks for by this name."
        "Bytes show whether the tree has it, and under which name. Which folders are searched they show only in part."

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

    // Other software.
    "cuda-wheel" NotRocm Result Own "CUDA"
        [r"torch not compiled with cuda enabled" r"found no nvidia driver" r"not compiled with cuda support" r"lib(cublas|cublaslt|cudart|cudnn|nvrtc|nvjitlink|cufft|curand|cusparse|cusolver|cupti|nccl|cuda|nvinfer|torch_cuda|c10_cuda) [a-z0-9_\-]{0,20} \.so [.0-9]{0,20} : ? cannot open shared object file"
         r"cuda setup failed" r"the installed version of bitsandbytes was compiled without gpu support" r"(cublas|cudart|cudnn)64_[0-9_]{1,6}\.dll"]
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
        [r"libomptarget\.rtl\.cuda" r"is not compatible with the current pytorch installation" r"nvidia-smi has failed" r"with cuda capability sm_[0-9]{2,3} is not compatible" r"nvrtc : ?error" r"ptxas (fatal|error)" r"nvcc (fatal|error)" r"nvrm : ?"
            r"the provided ptx was compiled with"]
        ["NOT-ROCM"]
        "The message is about an NVIDIA device."
        "Files of ROCm are not concerned."
    "vulkan" NotRocm Reason Own "Vulkan"
        [r"vk :: [a-z:]{2,60} : ?error[a-z]{4,40}" r"vk :: (devicelost|outofdevicememory|system|incompatibledriver|initializationfailed)[a-z]{0,20}error" r"errordevicelost" r"vk_error_[a-z_]{4,40}" r"ggml_vulkan : ?(error|failed|device memory|no)" r"erroroutofdevicememory" r"vulkan <any> device lost"]
        ["NOT-ROCM"]
        "Vulkan speaks, not ROCm: the driver of the graphics side."
        "Files of ROCm are not concerned."
    "vulkan-radv" NotRocm Follow Own "Vulkan"
        [r"radv/amdgpu : ?" r"mesa-vulkan <any> error" r"radv : ?(failed|error)" r"amdgpu : ?the cs has been (cancelled|rejected)"]
        ["NOT-ROCM"]
        "Mesa's Vulkan driver speaks, not ROCm."
        "Files of ROCm are not concerned."
    "other-gpu" NotRocm Reason Own "other drivers"
        [r"kiogpucommandbuffer" r"ggml_metal_ [a-z_]{2,40} : ?(error|failed)" r"i915 .{0,60} gpu hang" r"drm:xe_" r"level[ _]zero <any> (error|failed)" r"sycl <any> (exception|error)" r"dxgi_error_device_ (removed|hung|reset)"]
        ["NOT-ROCM"]
        "The driver of another maker's GPU speaks, or Direct3D: not ROCm."
        "Files of ROCm are not concerned."

    // Nothing is known from these.
    "segv" Ambiguous Crash Own "system"
        [r"segmentation fault" r"sigsegv" r"segfault at [0-9a-f]{1,16}"  r"signal 11" r"exception code : ?0xc0000005" r"access violation"]
        ["FB-ARCH-MISSING" "RT-MIX" "RB-DANGLING"]
        "The process touched memory that it does not have. That alone says nothing about the cause."
        "Bytes show whether the libraries have code for the target: HIP 5.x crashed where they had none. A backtrace says more."
    "harmless-ids" Harmless Harmless Own "driver"
        [r"amdgpu\.ids : ?no such file" r"amdgpu version file missing" r"not compiled with cudnn attention" r"cudnn sdpa <any> not compiled" r"expandable_segments not supported on this platform"]
        ["NOT-ROCM"]
        "A file of names or a version file is not there, or a feature of CUDA is off. The program goes on."
        "Files are not concerned: look further down in the log."
}
