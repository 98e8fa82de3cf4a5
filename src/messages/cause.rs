//! What can be wrong behind a message: one row for each cause.

/// Whether bytes of files can show that a cause is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// They show it.
    Yes,
    /// They show a part of it, or exclude it.
    Partly,
    /// They do not: it lies in a device, a driver, a permission, a setting or a run.
    No,
}

impl Shown {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Shown::Yes => "yes",
            Shown::Partly => "partly",
            Shown::No => "no",
        }
    }
}

/// One cause.
#[derive(Debug)]
pub struct Cause {
    /// Its name, in capitals.
    pub id: &'static str,
    /// What is wrong, in a clause.
    pub what: &'static str,
    /// What distinguishes it from other causes of the same message, in a sentence.
    pub tell: &'static str,
    /// What to do, in a sentence.
    pub advice: &'static str,
    /// Whether bytes of files can show it.
    pub shown: Shown,
}

/// The cause of a name, in either case of letters.
pub fn of_id(id: &str) -> Option<&'static Cause> {
    CAUSES.iter().find(|cause| cause.id.eq_ignore_ascii_case(id))
}

macro_rules! causes {
    ($($id:literal $shown:ident $what:literal $tell:literal $advice:literal)*) => {
        /// All causes, by what they are about.
        pub static CAUSES: &[Cause] =
            &[$(Cause { id: $id, what: $what, tell: $tell, advice: $advice, shown: Shown::$shown }),*];
    };
}

causes! {
    "FB-ARCH-MISSING" Yes
        "a library has no device code for this target"
        "The audit of the tree with --arch lists the libraries without code for it; one is enough."
        "Take a build that has the target, or rebuild that library for it."
    "SYS-MULTI-ARCH" Yes
        "a second GPU, often the integrated one, has a target without code"
        "rocminfo lists two GPUs, and code is missing for one of them only."
        "Hide the other GPU with HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES."
    "DIFF-ARCH-DROPPED" Yes
        "a newer release no longer has code for this target"
        "The older release works, and the audit of both differs."
        "Stay on the older release, or take a build that still has the target."
    "FB-FEATURE-MISMATCH" Yes
        "there is code for the processor, with another XNACK or SRAM-ECC state"
        "rocminfo shows the state of the device, the audit that of the code."
        "Change HSA_XNACK, or take a build for the state of the device."
    "FB-CORRUPT" Yes
        "a code object is damaged or cut off"
        "`rocm-audit --verify` names the file; it fails on every machine alike."
        "Install the package again."
    "KP-ARCHIVE-MISSING" Yes
        "the device code lies in a kpack archive that is not installed"
        "The library says that its code is elsewhere, and the archive of the target is absent."
        "Install the device package for the target, of the same release."
    "KP-OVERLAY-HOLE" Yes
        "the kpack archive of the XNACK state lacks code that the general one has"
        "Two archives serve the target, and the smaller one wins."
        "Remove the smaller archive, or install a release that repairs it."
    "KP-EMPTY" Yes
        "the kpack archive of the target is empty"
        "The archive is a few hundred kilobytes and lists no kernels."
        "Install another release of the device package."
    "CO-ABI-TOO-NEW" Yes
        "the code objects are newer than the runtime reads (version 6 needs ROCm 6.3)"
        "The audit shows the version of the code objects and the release of the runtime."
        "Take a newer runtime, or build with -mcode-object-version=5."
    "PATH-SPACE" No
        "the path of the library has a blank, which HIP 6.1 to 6.3 cannot open"
        "The same files work from a folder without a blank."
        "Move the environment to a path without blanks."
    "RB-ARCH-MISSING" Yes
        "rocBLAS has no catalog for this target"
        "No TensileLibrary_lazy_TARGET.dat lies in rocblas/library."
        "Take a build with files for the target; `rocm-audit --gpu GPU PATH` says whether an override helps."
    "RB-EMPTY" Yes
        "the folder of rocBLAS's catalogs is empty or missing"
        "The list of available files in the message is empty, for every target."
        "Install the library files again, next to the library that asks for them."
    "RB-PATH-WRONG" Yes
        "rocBLAS looks in a folder that is not where its files are"
        "The files are in the tree, under another path than the message names."
        "Unset ROCBLAS_TENSILE_LIBPATH, or set it to the folder that is there."
    "RB-VERSION-MIX" Yes
        "library and catalogs are of different releases"
        "The catalog is there and cannot be loaded."
        "Take rocBLAS and its library folder from one release."
    "RB-DANGLING" Yes
        "a catalog names a file or a kernel that is not there"
        "`rocm-audit tensile` lists what is missing; all GPUs of the target fail alike."
        "Install library and folder again, from one build."
    "RB-PARTIAL" Yes
        "catalogs and rocBLAS's own code are not for the same targets"
        "Matrix products work, others such as TRSM fail, or the reverse."
        "Take a build in which both have the target."
    "RB-MANIFEST" Partly
        "the build's manifest names files that no logic makes"
        "The build fails, no installed tree is concerned."
        "Build for targets with logic, or a release that repairs the manifest."
    "RB-ALIEN-ALIAS" Yes
        "a catalog or code object of another target lies under this target's name"
        "The name and the e_flags of the file differ."
        "Remove renamed files and links; use the override instead."
    "RB-MIXED-GPU" Partly
        "two GPUs of different targets use rocBLAS in one process"
        "It works with one of the GPUs hidden."
        "Hide one of the GPUs, or take a rocBLAS with a library for each device."
    "LT-ARCH-MISSING" Yes
        "hipBLASLt has no files for this target"
        "The program goes on with hipBLAS or rocBLAS; only the RuntimeError form stops it."
        "Nothing need be done; TORCH_BLAS_PREFER_HIPBLASLT=0 silences it in PyTorch."
    "LT-PROBE-HARMLESS" Partly
        "hipBLASLt looks for a file that it can do without"
        "The program goes on; rocBLAS has files of its own."
        "Ignore it and look further down in the log."
    "OV-NOTHING-TO-LOAD" Partly
        "an override names a target for which a library has no code either"
        "HSA_OVERRIDE_GFX_VERSION is set, and the failing library was built for the real GPU."
        "Unset the override, or build that library for the override's target."
    "OV-CROSS-MAJOR" No
        "an override names a target of another generation"
        "HSA_OVERRIDE_GFX_VERSION is set; without it the message is another one."
        "Unset HSA_OVERRIDE_GFX_VERSION."
    "OV-UNSAFE" Partly
        "an override loads code with instructions that this GPU lacks"
        "HSA_OVERRIDE_GFX_VERSION is set."
        "Unset the override, or take a value that decoding shows to be legal."
    "OV-WINDOWS" No
        "the override does nothing on Windows"
        "The system is Windows, where HSA_OVERRIDE_GFX_VERSION is not read."
        "Take a build that has the target."
    "ISA-ILLEGAL" Partly
        "the code has instructions that the GPU does not have"
        "`rocm-audit fatbin --isa` decodes the code of the target."
        "Take another build for the target, and unset overrides."
    "STUB-REACHED" Partly
        "the kernel that was chosen is a stub that only traps"
        "The audit counts kernels that can only trap."
        "Choose another data type or build; the kernel was not compiled for this target."
    "VGPR-BUDGET" Partly
        "a kernel needs more registers per work group than the GPU has"
        "It happens with one kernel and a large work group, on a native build; the audit finds kernels that state more than fits."
        "Use smaller work groups, or a build made for this very target."
    "SCRATCH-LARGE" Partly
        "a kernel needs more private memory than can be allocated"
        "It happens with one kernel whose private segment is huge."
        "Take a build whose kernel spills less, or free device memory."
    "FW-VERSION" Partly
        "the GPU's firmware (MES) or kernel driver is of a release with a known fault"
        "It came with an update of linux-firmware or of the kernel; other programs hang too."
        "Install another linux-firmware or kernel; the audit shows the MES release of a firmware folder."
    "APP-ARCH-LIST" Partly
        "the program has a list of targets of its own, and this one is not on it"
        "The message names the list, or other programs use the GPU."
        "Take a build whose list has the target; an override works where its target is on the list."
    "DEV-NONE" No
        "the runtime finds no GPU"
        "rocminfo finds none either; in a container it does outside."
        "Check driver, /dev/kfd and /dev/dri, groups, container options, HIP_VISIBLE_DEVICES."
    "DEV-KFD" No
        "/dev/kfd is not there, or this user may not open it"
        "The reason behind the message is the system's: permission denied, no such file."
        "Join the groups render and video, by number in containers; pass --device=/dev/kfd."
    "DEV-ATOMICS" No
        "the PCIe slot or its switch has no atomics, which the driver demands"
        "dmesg has `PCI rejects atomics`."
        "Move the card to a slot at the processor; old cards cannot be helped otherwise."
    "RT-MIX" Partly
        "libraries of two ROCm releases come together in one process"
        "Two libamdhip64 or libhsa-runtime64 are in the tree or in LD_LIBRARY_PATH."
        "Unset LD_LIBRARY_PATH, and keep one release."
    "RT-TOO-OLD" Partly
        "the runtime is older than the first release that serves this GPU"
        "The files have code for the target, and a newer release works."
        "Take a newer ROCm."
    "RT-WSL-HSA" Partly
        "inside WSL a wheel's own libhsa-runtime64 replaces the one for WSL"
        "rocminfo of the system finds the GPU, Python does not."
        "Remove libhsa-runtime64 from the wheel's lib folder, as AMD's guide for WSL says."
    "MI-KDB-MISSING" Yes
        "there is no database of compiled kernels for this GPU; MIOpen compiles them itself"
        "The first run is slow, later ones are not."
        "Ignore it; kernel packages of MIOpen save the first compilation."
    "MI-KDB-UNREADABLE" Yes
        "the database of compiled kernels is there and cannot be read"
        "`rocm-audit miopen` names the file: damaged, of another release, or a pointer of Git LFS."
        "Install the kernel package again, of MIOpen's own release."
    "MI-DB-OTHER-TREE" Yes
        "the database lies in another tree than the library that asks"
        "A kernel package is installed in the system, and a wheel asks."
        "Ignore it; wheels do not read the system's packages."
    "MI-CK-MISSING" Yes
        "MIOpen's library of grouped convolutions is not there for this target"
        "No libMIOpenCKGroupedConv_TARGET.so is in the tree, or only with a version behind its name."
        "Install the device package of MIOpen, or ignore it: other solvers are taken, slower ones."
    "LINK-UNVERSIONED-MISSING" Yes
        "the library is there with a version behind its name, and asked for without"
        "The file lies in the tree as libX.so.N."
        "Add a link libX.so, or install the package that has it."
    "MI-FDB-MISSING" Yes
        "MIOpen has no find-db or perf-db for this GPU"
        "`rocm-audit miopen --arch` lists what the GPU would open."
        "Ignore it, or let MIOpen measure once."
    "ENV-MIOPEN-USERDB" No
        "MIOpen cannot write its database in the home folder"
        "The path in the message lies below .config/miopen or .cache/miopen."
        "Set MIOPEN_USER_DB_PATH to a folder that this user may write."
    "ENV-NOFILE" No
        "the process may not open more files"
        "`ulimit -n` is small, or files are left open over a long run."
        "Raise the limit with `ulimit -n`."
    "XN-ISA-NAME" Partly
        "a target ID with a feature that the processor has not is given to the compiler"
        "The name in the message has xnack or sramecc, and the compiler refuses it."
        "Take MIOpen, comgr and driver of one release."
    "XN-NEUTRAL-APU" Yes
        "the code fixes the XNACK state, and this APU takes only code that leaves it open"
        "The target IDs in the audit end with xnack-."
        "Take a build without an XNACK state."
    "BL-ARCH-MISSING" Yes
        "Blender has no kernel file for this card"
        "No kernel_gfxN.fatbin of the target lies in the program's folder; 11.0 means gfx110x."
        "Take a release with HIP binaries for the card, or build with them."
    "PKG-VARIANT-MISSING" Yes
        "the package has variants for other ROCm releases, not for the one asked for"
        "Files named lib…_rocmNN.so lie beside the missing one."
        "Install the variant for this ROCm release, or build it."
    "PKG-NO-HIP" Partly
        "the installed package has no ROCm code: a build for CPU or CUDA"
        "The audit finds no device code; torch.version.hip is None."
        "Install the package's ROCm build; a later install of another package may have replaced it."
    "PKG-CUDA-ONLY" Partly
        "the installed package is built for CUDA"
        "It asks for libcudart, libcublas or an NVIDIA driver."
        "Install a ROCm build of it, where there is one."
    "PKG-DEVEL-MISSING" Partly
        "the header files of ROCm are not installed"
        "The runtime works, building does not."
        "Install the development package of HIP, of the same release."
    "ELF-NEEDED-MISSING" Yes
        "a library that is asked for by name is not in the loader's path"
        "Either it is not in the tree, or of another major version, or in a folder that is not searched."
        "Install the release that has this name, or add its folder to LD_LIBRARY_PATH."
    "ELF-SYMBOL-UNRESOLVED" Partly
        "a library asks for a symbol that the loaded release of another does not have"
        "The library that should export it is of another release."
        "Take both libraries from one release."
    "SYM-UNDEFINED-STUB" Partly
        "a kernel was left out of the build of this library"
        "The symbol is of the library itself: a kernel or __device_stub__."
        "Build it again, or take another build."
    "KERNEL-NAME-ABSENT" Partly
        "the program asks a module for a kernel that it does not have"
        "It is a program's own module, not a ROCm library."
        "Report it to the program's authors; clear its cache of kernels."
    "AT-IMAGES-MISSING" Yes
        "AOTriton has no images for this target"
        "aotriton.images has no folder for the target."
        "Take a wheel with images for the target."
    "AT-EXPERIMENTAL" Partly
        "AOTriton's images are there and switched off for this target"
        "aotriton.images has a folder for the target."
        "Set TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL=1."
    "TC-UNKNOWN-TARGET" Partly
        "the compiler or the sources do not know this target"
        "A newer compiler knows it: `list arches` is of LLVM 22."
        "Take a newer ROCm toolchain, or leave the target out of the build."
    "TC-ASMCAPS" No
        "Tensile's table of assembler capabilities does not fit the compiler"
        "It is about a fixed list of targets, whatever is built for."
        "Build with the compiler of the same ROCm release."
    "TR-TARGET" Partly
        "Triton's compiler does not take this target"
        "Other kernels of the program work; the message comes from Triton."
        "Take a Triton with the target, or a mode without Triton kernels."
    "JIT-FAILED" No
        "code that is compiled at run time does not compile"
        "No file of the tree is concerned: comgr or hiprtc speaks."
        "Take hiprtc, comgr and driver of one release; clear caches of kernels."
    "RT-REGRESSION" No
        "the runtime or driver misbehaves in this release"
        "The same files work on another release."
        "Try the release before or after."
    "OOM" No
        "there is not enough memory"
        "The message names a size, or the system ended the process."
        "Use smaller batches, contexts or models; give an APU more memory."
    "NOT-ROCM" No
        "the message is not of ROCm"
        "It names Vulkan, CUDA or an NVIDIA device."
        "Look in that software's documentation; files of ROCm are not concerned."
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_rows_say_something() {
        let mut seen = std::collections::BTreeSet::new();
        for cause in CAUSES {
            assert!(seen.insert(cause.id), "{} twice", cause.id);
            assert!(cause.tell.ends_with('.') && cause.advice.ends_with('.'), "{}", cause.id);
            assert!(!cause.what.ends_with('.'), "{}", cause.id);
        }
        assert_eq!(of_id("fb-arch-missing").unwrap().id, "FB-ARCH-MISSING");
        assert!(of_id("FB-ARCH").is_none());
    }
}
