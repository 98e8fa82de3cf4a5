//! The causes: one row for each, with all that is known of it, by what they are about.
//!
//! A row is: its static, its id, whether bytes show it, what in a tree decides it, marks, rules that show it;
//! then what is wrong, what tells it from others, what to do, and what else shows it.

use super::cause::{Cause, DecidedBy, Fact, Mark, Visibility};
use super::files_for::FilesFor;
use crate::finding::rules::{answer, code, kpack, linking, miopen, read, tensile, waste};
use crate::messages::recognised::Hit;

macro_rules! causes {
    ($($name:ident $id:literal $shown:ident ($decided:expr) [$($mark:ident)*] [$($topic:ident::$rule:ident)*]
       $what:literal $tell:literal $advice:literal $otherwise:literal)*) => {
        $(
            #[doc = $what]
            pub static $name: Cause = Cause {
                id: $id,
                what: $what,
                tell: $tell,
                advice: $advice,
                shown: Visibility::$shown,
                decided_by: $decided,
                marks: &[$(Mark::$mark),*],
                rules: &[$(&$topic::$rule),*],
                otherwise: $otherwise,
            };
        )*

        /// All causes, by what they are about.
        pub static CAUSES: &[&Cause] = &[$(&$name),*];
    };
}

macro_rules! facts {
    ($($id:literal [$($topic:ident::$rule:ident)*] $otherwise:literal)*) => {
        /// All facts that are no causes.
        pub static FACTS: &[Fact] =
            &[$(Fact { id: $id, rules: &[$(&$topic::$rule),*], otherwise: $otherwise }),*];
    };
}

causes! {
    // Device code.
    FB_ARCH_MISSING "FB-ARCH-MISSING" Yes (DecidedBy::Code) [ExcludedByCode OfTarget] [answer::TARGET_WITHOUT_CODE]
        "a library has no device code for this target"
        "One library without it is enough."
        "Take a build that has the target, or rebuild that library for it."
        "`--gpu`, `check --require`: libraries without code for the target"
    FB_FEATURE_MISMATCH "FB-FEATURE-MISMATCH" Yes (DecidedBy::Code) [] [code::XNACK_STATES_DIFFER]
        "there is code for the processor, with another XNACK or SRAM-ECC state"
        "rocminfo shows the state of the device, the audit that of the code."
        "Change HSA_XNACK, or take a build for the state of the device."
        "`--arch gfx90a:xnack+`: code for another state does not count"
    FB_CORRUPT "FB-CORRUPT" Yes (DecidedBy::Code) [InLibraryFolders] [read::MALFORMED_BYTES read::CUT_END read::OVERLAPPING_PARTS read::WRONG_SIZE read::WRONG_HASH tensile::CODE_OBJECT_UNREADABLE]
        "a code object is damaged or cut off"
        "`rocm-audit --verify` names the file; it fails on every machine alike."
        "Install the package again."
        "`--verify` inflates everything"
    CO_ABI_TOO_NEW "CO-ABI-TOO-NEW" Yes (DecidedBy::Code) [] [linking::CODE_OBJECTS_TOO_NEW]
        "the code objects are newer than the runtime reads (version 6 needs ROCm 6.3)"
        "The audit shows the version of the code objects and the release of the runtime."
        "Take a newer runtime, or build with -mcode-object-version=5."
        ""
    SYS_MULTI_ARCH "SYS-MULTI-ARCH" Yes (DecidedBy::Code) [OfTarget] [tensile::SEVERAL_TARGETS]
        "a second GPU, often the integrated one, has a target without code"
        "rocminfo lists two GPUs, and code is missing for one of them only."
        "Hide the GPU without code: HIP_VISIBLE_DEVICES=0 leaves the first GPU that rocminfo lists, 1 the second; on Linux ROCR_VISIBLE_DEVICES does the same."
        "`--gpu A,B`, `explain --gpu A,B`: one GPU is served and another is not"
    DIFF_ARCH_DROPPED "DIFF-ARCH-DROPPED" Yes (DecidedBy::Code) [ExcludedByCode OfTarget] []
        "a newer release no longer has code for this target"
        "The older release works, and the audit of both differs."
        "Stay on the older release, or take a build that still has the target."
        "two reports of `--arch`, compared; `check --require` on both"
    XN_NEUTRAL_APU "XN-NEUTRAL-APU" Yes (DecidedBy::Rules) [] [code::XNACK_FIXED_FOR_APU]
        "the code fixes the XNACK state, and this APU takes only code that leaves it open"
        "The target IDs in the audit end with xnack-."
        "Take a build without an XNACK state."
        ""
    XN_ISA_NAME "XN-ISA-NAME" Partly (DecidedBy::Rules) [] []
        "a target ID with a feature that the processor has not is given to the compiler"
        "The name in the message has xnack or sramecc, and the compiler refuses it."
        "Take MIOpen, comgr and driver of one release."
        "made at run time; the message has the name"
    ISA_ILLEGAL "ISA-ILLEGAL" Partly (DecidedBy::Code) [] [code::WORDS_OF_NO_INSTRUCTION]
        "the code has instructions that the GPU does not have"
        "`rocm-audit fatbin --isa` decodes the code of the target."
        "Take another build for the target, and unset overrides."
        "`--isa` and `fatbin --isa` decode the code"
    STUB_REACHED "STUB-REACHED" Partly (DecidedBy::Code) [] [answer::TRAP_STUB]
        "the kernel that was chosen is a stub that only traps"
        "The audit counts kernels that can only trap."
        "Choose another data type or build; the kernel was not compiled for this target."
        "the report counts kernels that only trap"
    VGPR_BUDGET "VGPR-BUDGET" Partly (DecidedBy::Code) [] [code::REGISTERS_BEYOND_WORK_GROUP]
        "a kernel needs more registers per work group than the GPU has"
        "It happens with one kernel and a large work group, on a native build; the audit finds kernels that state more than fits."
        "Use smaller work groups, or a build made for this very target."
        "`fatbin --kernels`: registers and work group of each kernel"
    LDS_BUDGET "LDS-BUDGET" Partly (DecidedBy::Rules) [] [code::RESOURCES_BEYOND_TARGET]
        "a kernel needs more shared memory for a work group than the GPU has"
        "The message names what is required and the limit."
        "Use smaller blocks or fewer stages, or another back end for this operation (attention by CK or by PyTorch)."
        "`fatbin --kernels`: the shared memory of each kernel that is not compiled at run time"
    SCRATCH_LARGE "SCRATCH-LARGE" Partly (DecidedBy::Rules) [] [code::MUCH_PRIVATE_MEMORY answer::REGISTER_SPILLS]
        "a kernel needs more private memory than can be allocated"
        "It happens with one kernel whose private segment is huge."
        "Take a build whose kernel spills less, or free device memory."
        "`fatbin --kernels`: private memory of each kernel"
    KERNEL_NAME_ABSENT "KERNEL-NAME-ABSENT" Partly (DecidedBy::Rules) [] [answer::KERNEL_ABSENT]
        "the program asks a module for a kernel that it does not have"
        "It is a program's own module, not a ROCm library."
        "Report it to the program's authors; clear its cache of kernels."
        "`fatbin --kernels REGEX`"
    SYM_UNDEFINED_STUB "SYM-UNDEFINED-STUB" Partly (DecidedBy::Rules) [] [linking::DEVICE_STUB_UNDEFINED]
        "a kernel was left out of the build of this library"
        "The symbol is of the library itself: a kernel or __device_stub__."
        "Build it again, or take another build."
        ""
    // Archives of device code.
    KP_ARCHIVE_MISSING "KP-ARCHIVE-MISSING" Yes (DecidedBy::Archives) [] [kpack::ARCHIVE_MISSING]
        "the device code lies in a kpack archive that is not installed"
        "The library says that its code is elsewhere, and the archive of the target is absent."
        "Install the device package for the target, of the same release."
        ""
    KP_OVERLAY_HOLE "KP-OVERLAY-HOLE" Yes (DecidedBy::Archives) [] [kpack::ARCHIVE_HIDDEN kpack::ARCHIVE_WITHOUT_CODE]
        "the kpack archive of the XNACK state lacks code that the general one has"
        "Two archives serve the target, and the smaller one wins."
        "Remove the smaller archive, or install a release that repairs it."
        ""
    KP_EMPTY "KP-EMPTY" Yes (DecidedBy::Archives) [] [kpack::ARCHIVE_WITHOUT_CODE]
        "the kpack archive of the target is empty"
        "The archive is a few hundred kilobytes and lists no kernels."
        "Install another release of the device package."
        ""
    // rocBLAS and hipBLASLt.
    RB_ARCH_MISSING "RB-ARCH-MISSING" Yes (DecidedBy::Files(FilesFor::RocblasCatalogs)) [ExcludedByCode OfTarget InLibraryFolders] [tensile::TARGET_NOT_SERVED tensile::MASTER_MISSING]
        "rocBLAS has no catalog for this target"
        "No TensileLibrary_lazy_TARGET.dat lies in rocblas/library."
        "Take a build with files for the target."
        "`--gpu`, `check --require`"
    RB_EMPTY "RB-EMPTY" Yes (DecidedBy::Files(FilesFor::RocblasCatalogs)) [ExcludedByCode InLibraryFolders] [tensile::LIBRARY_FOLDER_MISSING]
        "the folder of rocBLAS's catalogs is empty or missing"
        "The list of available files in the message is empty, for every target."
        "Install the library files again, next to the library that asks for them."
        ""
    RB_PATH_WRONG "RB-PATH-WRONG" Yes (DecidedBy::Files(FilesFor::RocblasCatalogs)) [InLibraryFolders] []
        "rocBLAS looks in a folder that is not where its files are"
        "The files are in the tree, under another path than the message names."
        "Unset ROCBLAS_TENSILE_LIBPATH, or set it to the folder that is there."
        "`explain --error TEXT PATH`: the folder of the message against those of the tree"
    RB_VERSION_MIX "RB-VERSION-MIX" Yes (DecidedBy::Rules) [InLibraryFolders] [tensile::OTHER_RELEASE tensile::FORM_NOT_READ tensile::CATALOG_UNREADABLE tensile::MASTER_UNREADABLE]
        "library and catalogs are of different releases"
        "The catalog is there and cannot be loaded."
        "Take rocBLAS and its library folder from one release."
        ""
    RB_PARTIAL "RB-PARTIAL" Yes (DecidedBy::Rules) [InLibraryFolders] [tensile::CATALOGS_WITHOUT_OWN_CODE]
        "catalogs and rocBLAS's own code are not for the same targets"
        "Matrix products work, others such as TRSM fail, or the reverse."
        "Take a build in which both have the target."
        ""
    RB_DANGLING "RB-DANGLING" Yes (DecidedBy::Rules) [InLibraryFolders] [tensile::CATALOG_MISSING tensile::CODE_OBJECT_MISSING tensile::KERNEL_MISSING tensile::HELPER_MISSING tensile::HELPER_KERNEL_MISSING]
        "a catalog names a file or a kernel that is not there"
        "`rocm-audit verify` lists what is missing; all GPUs of the target fail alike."
        "Install library and folder again, from one build."
        ""
    RB_MANIFEST "RB-MANIFEST" Partly (DecidedBy::Rules) [InLibraryFolders] [tensile::MANIFEST_FILE_MISSING]
        "the build's manifest names files that no logic makes"
        "The build fails, no installed tree is concerned."
        "Build for targets with logic, or a release that repairs the manifest."
        ""
    RB_ALIEN_ALIAS "RB-ALIEN-ALIAS" Yes (DecidedBy::Rules) [InLibraryFolders] [tensile::OF_ANOTHER_TARGET tensile::CODE_OBJECT_REFUSED code::NAMES_DISAGREE]
        "a catalog or code object of another target lies under this target's name"
        "The name and the e_flags of the file differ."
        "Remove renamed files and links; use the override instead."
        ""
    RB_MIXED_GPU "RB-MIXED-GPU" Partly (DecidedBy::Rules) [InLibraryFolders] [tensile::SEVERAL_TARGETS]
        "two GPUs of different targets use rocBLAS in one process"
        "It works with one of the GPUs hidden."
        "Hide one of the GPUs, or take a rocBLAS with a library for each device."
        ""
    LT_ARCH_MISSING "LT-ARCH-MISSING" Yes (DecidedBy::Files(FilesFor::HipblasltCatalogs)) [ExcludedByCode] [tensile::TARGET_NOT_SERVED]
        "hipBLASLt has no files for this target"
        "The program goes on with hipBLAS or rocBLAS; only the RuntimeError form stops it."
        "Nothing needs to be done. ROCBLAS_USE_HIPBLASLT=0 keeps rocBLAS from asking it, TORCH_BLAS_PREFER_HIPBLASLT=0 keeps PyTorch."
        "`--gpu`: hipBLASLt does not run, and who asks goes on without it"
    LT_PROBE_HARMLESS "LT-PROBE-HARMLESS" Partly (DecidedBy::Files(FilesFor::HipblasltCatalogs)) [] []
        "hipBLASLt looks for a file that it can do without"
        "The program goes on; rocBLAS has files of its own."
        "Ignore it and look further down in the log."
        "the message says it: a name without a folder"
    // MIOpen, AOTriton, firmware.
    MI_KDB_MISSING "MI-KDB-MISSING" Yes (DecidedBy::Rules) [] []
        "there is no database of compiled kernels for this GPU; MIOpen compiles them itself"
        "The first run is slow, later ones are not."
        "Ignore it; kernel packages of MIOpen save the first compilation."
        "`verify --arch --cu`: the databases that a device opens"
    MI_KDB_UNREADABLE "MI-KDB-UNREADABLE" Yes (DecidedBy::Rules) [] [read::MALFORMED_BYTES read::CUT_END miopen::LFS_POINTER]
        "the database of compiled kernels is there and cannot be read"
        "`rocm-audit verify` names the file: damaged, of another release, or a pointer of Git LFS."
        "Install the kernel package again, of MIOpen's own release."
        ""
    MI_DB_OTHER_TREE "MI-DB-OTHER-TREE" Yes (DecidedBy::Rules) [] []
        "the database lies in another tree than the library that asks"
        "A kernel package is installed in the system, and a wheel asks."
        "Ignore it; wheels do not read the system's packages."
        "`explain --error TEXT PATH`"
    MI_FDB_MISSING "MI-FDB-MISSING" Yes (DecidedBy::Rules) [] [answer::NO_DATABASE miopen::NO_PERF_DB]
        "MIOpen has no find-db or perf-db for this GPU"
        "`rocm-audit verify --arch` lists what the GPU would open."
        "Ignore it, or let MIOpen measure once."
        "`verify --arch --cu`"
    MI_CK_MISSING "MI-CK-MISSING" Yes (DecidedBy::Files(FilesFor::MiopenConvolutions)) [ExcludedByCode] [code::CONVOLUTIONS_UNVERSIONED_MISSING]
        "MIOpen's library of grouped convolutions is not there for this target"
        "No libMIOpenCKGroupedConv_TARGET.so is in the tree, or only with a version behind its name."
        "Install the device package of MIOpen, or ignore it: other solvers are taken, slower ones."
        "`explain --error TEXT PATH`: the file of the target"
    AT_IMAGES_MISSING "AT-IMAGES-MISSING" Yes (DecidedBy::CodeOf("AOTriton")) [] []
        "AOTriton has no images for this target"
        "aotriton.images has no folder for the target."
        "Take a wheel with images for the target."
        "`--gpu`: AOTriton has no code for the target"
    AT_EXPERIMENTAL "AT-EXPERIMENTAL" Partly (DecidedBy::CodeOf("AOTriton")) [] []
        "AOTriton's images are there and switched off for this target"
        "aotriton.images has a folder for the target."
        "Set TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL=1."
        "images are there; a variable lets them be used"
    FW_VERSION "FW-VERSION" Partly (DecidedBy::Code) [] [code::FIRMWARE_WITH_FAULT]
        "the GPU's firmware is not there or, like the kernel driver, of a release with a known fault"
        "dmesg names a file that was not loaded, or it came with an update of linux-firmware or of the kernel and other programs hang too."
        "Install another linux-firmware or kernel; the audit shows the MES release of a firmware folder."
        "the report lists the MES release of each file"
    // Libraries, loaders, packages.
    ELF_NEEDED_MISSING "ELF-NEEDED-MISSING" Yes (DecidedBy::Rules) [] [linking::NEEDED_OF_ANOTHER_RELEASE]
        "a library that is asked for by name is not in the loader's path"
        "Either it is not in the tree, or of another major version, or in a folder that is not searched."
        "Install the release that has this name, or add its folder to LD_LIBRARY_PATH."
        "`explain --error TEXT PATH`: whether the library is here"
    ELF_SYMBOL_UNRESOLVED "ELF-SYMBOL-UNRESOLVED" Partly (DecidedBy::Rules) [] [linking::SYMBOL_UNRESOLVED]
        "a library asks for a symbol that the loaded release of another does not have"
        "The library that should export it is of another release."
        "Take both libraries from one release."
        ""
    LINK_UNVERSIONED_MISSING "LINK-UNVERSIONED-MISSING" Yes (DecidedBy::Rules) [] [code::CONVOLUTIONS_UNVERSIONED_MISSING]
        "the library is there with a version behind its name, and asked for without"
        "The file lies in the tree as libX.so.N."
        "Add a link libX.so, or install the package that has it."
        "`explain --error TEXT PATH`"
    ELF_EXECUTABLE_STACK "ELF-EXECUTABLE-STACK" Yes (DecidedBy::Rules) [] [linking::STACK_EXECUTABLE]
        "a library asks for a stack that can be executed, which newer systems refuse"
        "`readelf -lW FILE` prints RWE in the line GNU_STACK, and glibc is 2.41 or newer."
        "Take a newer build of the package, or clear the flag: `patchelf --clear-execstack FILE`. The program needs no such stack."
        "`rocm-audit PATH`; `readelf -lW FILE`, line GNU_STACK"
    RT_MIX "RT-MIX" Partly (DecidedBy::Code) [] [linking::RUNTIMES_OF_TWO_RELEASES linking::NEEDED_OF_ANOTHER_RELEASE linking::SYMBOL_UNRESOLVED]
        "libraries of two ROCm releases come together in one process"
        "Two libamdhip64 or libhsa-runtime64 are in the tree or in LD_LIBRARY_PATH."
        "Unset LD_LIBRARY_PATH, and keep one release."
        ""
    RT_TOO_OLD "RT-TOO-OLD" Partly (DecidedBy::Code) [] [linking::RUNTIME_WITHOUT_TARGET]
        "the runtime is older than the first release that serves this GPU"
        "The files have code for the target, and a newer release works."
        "Take a newer ROCm."
        ""
    RT_WSL_HSA "RT-WSL-HSA" Partly (DecidedBy::Code) [] [linking::RUNTIMES_OF_TWO_RELEASES]
        "inside WSL a wheel's own libhsa-runtime64 replaces the one for WSL"
        "rocminfo of the system finds the GPU, Python does not."
        "Remove libhsa-runtime64 from the wheel's lib folder, as AMD's guide for WSL says."
        "the wheel's own libhsa-runtime64 is in the list of libraries"
    PATH_SPACE "PATH-SPACE" No (DecidedBy::Rules) [] [linking::PATH_WITH_BLANK]
        "the path of the library has a blank, which HIP 6.1 to 6.3 cannot open"
        "The same files work from a folder without a blank."
        "Move the environment to a path without blanks."
        ""
    PKG_NO_HIP "PKG-NO-HIP" Partly (DecidedBy::Package) [] []
        "the installed package has no ROCm code: a build for CPU or CUDA"
        "The audit finds no device code; torch.version.hip is None."
        "Install the package's ROCm build; a later install of another package may have replaced it."
        "the report finds no device code"
    PKG_CUDA_ONLY "PKG-CUDA-ONLY" Partly (DecidedBy::Package) [] [linking::BUILT_FOR_CUDA]
        "the installed package is built for CUDA"
        "It asks for libcudart, libcublas or an NVIDIA driver."
        "Install a ROCm build of it, if there is one."
        ""
    PKG_VARIANT_MISSING "PKG-VARIANT-MISSING" Yes (DecidedBy::Package) [] [code::VARIANTS_DIFFER]
        "the package has variants for other ROCm releases, not for the one asked for"
        "Files named lib…_rocmNN.so lie beside the missing one."
        "Install the variant for this ROCm release, or build it."
        "`explain --error TEXT PATH`: which variants are here"
    PKG_DEVEL_MISSING "PKG-DEVEL-MISSING" Partly (DecidedBy::Package) [] []
        "the header files of ROCm are not installed"
        "The runtime works, building does not."
        "Install the development package of HIP, of the same release."
        "a list of files shows whether headers are here"
    APP_ARCH_LIST "APP-ARCH-LIST" Partly (DecidedBy::Code) [] [code::FUSED_TARGET_NAMES code::TARGET_NOT_LISTED]
        "the program has a list of targets of its own, and this one is not on it"
        "The message names the list, or other programs use the GPU."
        "Take a build whose list has the target; an override works where its target is on the list."
        "`--gpu`: whether there is code for the target"
    BL_ARCH_MISSING "BL-ARCH-MISSING" Yes (DecidedBy::Files(FilesFor::BlenderKernels)) [] []
        "Blender has no kernel file for this card"
        "No kernel_gfxN.fatbin of the target lies in the program's folder; 11.0 means gfx110x."
        "Take a release with HIP binaries for the card, or build with them."
        "`explain --error TEXT PATH`: the kernel file of the card"
    // Overrides.
    HW_FEATURE "HW-FEATURE" Partly (DecidedBy::Rules) [] []
        "the option needs something that this GPU's hardware does not have"
        "The message names a type of numbers or a unit, and works on another generation."
        "Turn the option off, or take another type or format; no other build and no override helps."
        "`rocm-audit explain TARGET --vs TARGET`: what each has"
    PKG_OTHER_HOST "PKG-OTHER-HOST" No (DecidedBy::Rules) [] []
        "an extension was built for another Python or another PyTorch"
        "The missing symbol is Python's (Py...) or PyTorch's (at::, c10::)."
        "Install the extension's wheel for this Python and PyTorch, or build it again."
        "not of ROCm's files: Python's packages"
    PKG_INSTALL "PKG-INSTALL" No (DecidedBy::Rules) [] []
        "the package manager cannot install ROCm's packages"
        "The lines name a package, a repository or a key."
        "Use the repository for this release of the distribution, with its key; where the distribution has packages of the same names, pin AMD's (/etc/apt/preferences.d)."
        "not of files: packages"
    DKMS_KERNEL "DKMS-KERNEL" No (DecidedBy::Rules) [] []
        "amdgpu-dkms does not build for this kernel"
        "make.log in /var/lib/dkms/amdgpu names the first error; the kernel is newer than the release was made for."
        "Leave amdgpu-dkms out (the kernel has amdgpu itself: amdgpu-install --usecase=rocm --no-dkms), or take the release that names this kernel."
        "not of files: the kernel"
    SRC_BUILD "SRC-BUILD" No (DecidedBy::Rules) [] []
        "sources do not compile for this target"
        "The first error above names the file: an interface of another release, or a target that the sources do not know."
        "Look at the first error; take sources and ROCm of releases that fit, or leave the target out."
        "not of files: sources"
    PROGRAM_FAULT "PROGRAM-FAULT" No (DecidedBy::Code) [] []
        "a kernel of the program is wrong"
        "It began with a release of the program, and another program uses the GPU."
        "Take the release of the program before or after; report it with the name of the kernel (AMD_LOG_LEVEL=3)."
        "not of files: the program"
    BLAS_NO_SOLUTION "BLAS-NO-SOLUTION" Partly (DecidedBy::Rules) [] []
        "the library has no kernel for this problem: its type, layout or shape"
        "Other products run on the same GPU."
        "Use another type or layout; in PyTorch TORCH_BLAS_PREFER_HIPBLASLT=0 takes rocBLAS instead of hipBLASLt."
        "`rocm-audit select gemm` and `select matmul`: what is chosen for a problem"
    OV_UNSAFE "OV-UNSAFE" Partly (DecidedBy::Code) [] []
        "an override loads code with instructions that this GPU lacks"
        "HSA_OVERRIDE_GFX_VERSION is set."
        "Unset the override, or take a value that decoding shows to be legal."
        "`explain --override VALUE --gpu GPU PATH`: instructions that the card lacks"
    OV_CROSS_MAJOR "OV-CROSS-MAJOR" No (DecidedBy::Code) [] []
        "an override names a target of another generation"
        "HSA_OVERRIDE_GFX_VERSION is set; without it the message is another one."
        "Unset HSA_OVERRIDE_GFX_VERSION."
        "`explain --override VALUE --gpu GPU PATH`"
    OV_WINDOWS "OV-WINDOWS" No (DecidedBy::Code) [] []
        "the override does nothing on Windows"
        "The system is Windows, where HSA_OVERRIDE_GFX_VERSION is not read."
        "Take a build that has the target."
        "`explain --override VALUE --gpu GPU PATH`"
    OV_NOTHING_TO_LOAD "OV-NOTHING-TO-LOAD" Partly (DecidedBy::Code) [] []
        "an override names a target for which a library has no code either"
        "HSA_OVERRIDE_GFX_VERSION is set, and the failing library was built for the real GPU."
        "Unset the override, or build that library for the override's target."
        "`explain --override VALUE --gpu GPU PATH`: no library has code for the value"
    // What no file shows.
    DEV_NONE "DEV-NONE" No (DecidedBy::Code) [] []
        "the runtime finds no GPU"
        "rocminfo finds none either; in a container it does outside."
        "Check driver, /dev/kfd and /dev/dri, groups, container options, HIP_VISIBLE_DEVICES."
        "not of files: device, driver, container"
    DEV_KFD "DEV-KFD" No (DecidedBy::Code) [] []
        "/dev/kfd is not there, or this user may not open it"
        "The reason behind the message is the system's: permission denied, no such file."
        "Permission denied: sudo usermod -aG render,video $USER, then log in again; in containers --device=/dev/kfd --device=/dev/dri. No such file: sudo modprobe amdgpu on the host."
        "not of files: permissions"
    KFD_UNSUPPORTED "KFD-UNSUPPORTED" No (DecidedBy::Code) [] []
        "the kernel's compute driver does not serve this GPU"
        "dmesg says so when amdgpu is loaded; other cards of the same machine work."
        "Take a kernel whose amdgpu knows the card; a card that no release of it serves can be used through Vulkan only."
        "not of files: the driver"
    HW_FAULT "HW-FAULT" No (DecidedBy::Code) [] []
        "the card reports a fault of its hardware (RAS, ECC)"
        "dmesg and `amd-smi ras` count errors; another card does not have them."
        "Reset the card, look at its errors with `amd-smi metric --ecc`, and have it replaced where they come again."
        "not of files: the card"
    ENV_IPC "ENV-IPC" No (DecidedBy::Code) [] []
        "the system does not let GPUs or processes share memory"
        "It happens with several GPUs, between processes or with a network card, and not with one GPU alone."
        "In a container add --ipc=host --cap-add=SYS_PTRACE; else try NCCL_P2P_DISABLE=1, and look for IOMMU, large BAR and peer memory in the driver."
        "not of files: the system"
    DEV_ATOMICS "DEV-ATOMICS" No (DecidedBy::Code) [] []
        "the PCIe slot or its switch has no atomics, which the driver demands"
        "dmesg has `PCI rejects atomics`."
        "Move the card to a slot at the processor; old cards cannot be helped otherwise."
        "not of files: the slot"
    ENV_MIOPEN_USERDB "ENV-MIOPEN-USERDB" No (DecidedBy::Rules) [] []
        "MIOpen cannot write its database in the home folder"
        "The path in the message lies below .config/miopen or .cache/miopen."
        "Set MIOPEN_USER_DB_PATH to a folder that this user may write."
        "not of files: the home folder"
    ENV_NOFILE "ENV-NOFILE" No (DecidedBy::Rules) [] []
        "the process may not open more files"
        "`ulimit -n` is small, or files are left open over a long run."
        "Raise the limit with `ulimit -n`."
        "not of files: a limit"
    TC_UNKNOWN_TARGET "TC-UNKNOWN-TARGET" Partly (DecidedBy::Rules) [] []
        "the compiler or the sources do not know this target"
        "A newer compiler knows it: `list arches` is of LLVM 22."
        "Take a newer ROCm toolchain, or leave the target out of the build."
        "`list arches`: the LLVM that first names the target"
    TC_ASMCAPS "TC-ASMCAPS" No (DecidedBy::Rules) [] []
        "Tensile's table of assembler capabilities does not fit the compiler"
        "It is about a fixed list of targets, whatever is built for."
        "Build with the compiler of the same ROCm release."
        "not of files: the toolchain"
    TR_TARGET "TR-TARGET" Partly (DecidedBy::Rules) [] []
        "Triton's compiler does not take this target"
        "Other kernels of the program work; the message comes from Triton."
        "Take a Triton with the target, or a mode without Triton kernels."
        "not of files: Triton's compiler"
    JIT "JIT" No (DecidedBy::Rules) [] []
        "code that is compiled at run time does not compile"
        "No file of the tree is concerned: comgr or hiprtc speaks."
        "Take hiprtc, comgr and driver of one release; clear caches of kernels; where a header is not found, install the C++ library's, as libstdc++-dev."
        "not of files: code that is compiled at run time"
    DEVICE_LIBS_MISSING "DEVICE-LIBS-MISSING" Partly (DecidedBy::Rules) [] []
        "ROCm's device libraries are not where the compiler looks for them"
        "The message names a file that ends with .bc, or a bitcode module."
        "Install rocm-device-libs of the compiler's release, and set ROCM_PATH to the folder of ROCm: export ROCM_PATH=/opt/rocm."
        "a list of files shows whether amdgcn/bitcode is here"
    SOLVER_FORCED "SOLVER-FORCED" No (DecidedBy::Rules) [] []
        "a solver was forced that MIOpen would not take by itself"
        "MIOPEN_DEBUG_FIND_ONLY_SOLVER, another MIOPEN_DEBUG variable, or -S of MIOpenDriver is set."
        "Unset the variable; `rocm-audit select conv` shows what MIOpen takes by itself, and why not this solver."
        "not of files: a setting"
    CALL_REFUSED "CALL-REFUSED" No (DecidedBy::Rules) [] []
        "a program calls the runtime with something that it does not take"
        "One function of one program fails, and others run on the same GPU."
        "Report it to the program's authors, with the line before the error; AMD_LOG_LEVEL=3 shows the call."
        "not of files: a call"
    RT_REGRESSION "RT-REGRESSION" No (DecidedBy::Code) [] []
        "the runtime or driver misbehaves in this release"
        "The same files work on another release."
        "Try the release before or after."
        "not of files: the driver or runtime in use"
    OOM "OOM" No (DecidedBy::Rules) [] []
        "there is not enough memory"
        "The message names a size, or the system ended the process."
        "Use smaller batches, contexts or models; give an APU more memory."
        "not of files: memory"
    NOT_ROCM "NOT-ROCM" No (DecidedBy::Rules) [] []
        "the message is not of ROCm"
        "It names Vulkan, CUDA or an NVIDIA device."
        "Look in that software's documentation; files of ROCm are not concerned."
        "not of ROCm"
}

facts! {
    "FB-ID-ELF-MISMATCH" [code::NAMES_DISAGREE] ""
    "NAME-CONTENT-MISMATCH" [code::NAMES_DISAGREE] ""
    "FB-CCOB-COLLISION" [code::MAGIC_IN_COMPRESSED_BYTES] "with `--verify`"
    "FB-GENERIC-USED" [] "`--gpu`: *through gfx11-generic*"
    "FB-SPIRV-JIT" [] "`--gpu`: *SPIR-V, compiled at run time*"
    "RT-UNKNOWN-MACH" [linking::RUNTIME_WITHOUT_TARGET] ""
    "XN-INCONSISTENT" [code::XNACK_STATES_DIFFER] ""
    "CI-REQUIRE" [] "`check --require`"
    "KP-PATH-BROKEN" [kpack::ARCHIVE_MISSING] ""
    "RB-FALLBACK-ONLY" [tensile::NO_NATIVE] ""
    "LT-REVISION-FOLDER" [tensile::REVISION_FOLDER_MISSING] ""
    "LT-TRANSFORM-TARGETS" [tensile::TRANSFORM_MISSING] ""
    "MI-DB-UNBUILT" [code::DATABASE_WITHOUT_CODE answer::SOLVER_CHECK_MISSING miopen::RETIRED_SOLVER] ""
    "OV-SAFE" [] "`explain --override VALUE --gpu GPU PATH`"
    "OV-UNNEEDED" [] "`explain --override VALUE --gpu GPU PATH`"
    "SZ-UNCOMPRESSED" [waste::UNCOMPRESSED_BUNDLES] ""
    "SZ-DUPLICATE" [waste::DUPLICATE_CODE_OBJECTS] ""
}

/// The cause of a name, in either case of letters.
pub fn of_id(id: &str) -> Option<&'static Cause> {
    CAUSES.iter().copied().find(|cause| cause.id.eq_ignore_ascii_case(id))
}

/// The fact of a name, in either case of letters.
pub fn fact(id: &str) -> Option<&'static Fact> {
    FACTS.iter().find(|fact| fact.id.eq_ignore_ascii_case(id))
}

/// The causes that a message can have, the most probable first.
pub fn causes_of_hit(hit: &Hit) -> Vec<&'static Cause> {
    hit.causes.iter().filter_map(|id| of_id(id)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "causes_tests.rs"]
mod tests;
