//! Which cause comes first: what the words around a message decide.
//!
//! The causes of a message stand in the order of how frequent they are. Words beside it can say more: the
//! name of a library, the path of a file, a release. One row for each such sign; the first that fits decides.

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

/// Where the words are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Some hundred bytes before and behind the message, squeezed as patterns of the table are.
    Near,
    /// The same as it stands, with blanks.
    Text,
    /// The whole log, squeezed.
    Log,
}

/// One sign.
#[derive(Debug)]
pub struct MessageSign {
    /// The messages for which it counts.
    pub messages: &'static [&'static str],
    /// Where it is looked for.
    pub scope: Scope,
    /// A regular expression, as those of the table.
    pub words: &'static str,
    /// Words with which it does not count; empty for none.
    pub without: &'static str,
    /// The cause that then comes first.
    pub first: &'static str,
}

impl MessageSign {
    /// Whether the words are in a text; `place` is that in [`SIGNS`].
    pub(super) fn is_in(&self, place: usize, text: &[u8]) -> bool {
        let Some(compiled) = COMPILED.get(place) else { return false };
        let has = |cell: &OnceLock<Option<Regex>>, words: &str| {
            let build = || RegexBuilder::new(words).unicode(false).dot_matches_new_line(true).build().ok();
            cell.get_or_init(build).as_ref().is_some_and(|regex| regex.is_match(text))
        };
        has(&compiled.words, self.words) && (self.without.is_empty() || !has(&compiled.without, self.without))
    }
}

/// What is compiled of a sign at its first use.
#[derive(Default)]
struct CompiledSign {
    words: OnceLock<Option<Regex>>,
    without: OnceLock<Option<Regex>>,
}

static COMPILED: LazyLock<Vec<CompiledSign>> =
    LazyLock::new(|| SIGNS.iter().map(|_| CompiledSign::default()).collect());

/// The words that are looked for in all of a log, in one pass.
static FAR: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    let words = SIGNS.iter().filter(|sign| sign.scope == Scope::Log).map(|sign| sign.words);
    RegexSetBuilder::new(words).unicode(false).build().ok()
});

/// Whether words anywhere in a log decide between the causes of a message.
pub(super) fn is_asked_of_logs(message: &str) -> bool {
    SIGNS.iter().any(|sign| sign.scope == Scope::Log && sign.messages.contains(&message))
}

/// The places in [`SIGNS`] of those that count in all of a log.
static OF_LOG: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let is_of_log = |place: &usize| SIGNS.get(*place).is_some_and(|sign| sign.scope == Scope::Log);
    (0..SIGNS.len()).filter(is_of_log).collect()
});

/// Signs that are looked for one by one, each of them faster than all together.
const FEW: usize = 6;

/// The places in [`SIGNS`] of those that are anywhere in a squeezed text and count in all of a log, but for
/// those that are `known` to be there.
pub(super) fn far(squeezed: &[u8], known: &BTreeSet<usize>) -> Vec<usize> {
    let left: Vec<usize> = OF_LOG.iter().copied().filter(|place| !known.contains(place)).collect();
    let is_in = |place: &usize| SIGNS.get(*place).is_some_and(|sign| sign.is_in(*place, squeezed));
    if left.len() <= FEW {
        return left.into_iter().filter(is_in).collect();
    }
    let Some(words) = FAR.as_ref() else { return Vec::new() };
    let found = words.matches(squeezed);
    let places = found.iter().filter_map(|at| OF_LOG.get(at).copied());
    places.filter(|place| left.contains(place)).filter(is_in).collect()
}

macro_rules! signs {
    ($([$($message:literal)+] $scope:ident $words:literal $(without $without:literal)? => $first:literal)*) => {
        /// All signs. Of those that fit, the first decides.
        pub static SIGNS: &[MessageSign] = &[$(MessageSign {
            messages: &[$($message),+],
            scope: Scope::$scope,
            words: $words,
            without: concat!($($without)?),
            first: $first,
        }),*];
    };
}

/// The words of the status that there is no code for the GPU.
pub(super) const ARCH_MISMATCH: &str = r"blas_status_arch(itecture)?_mismatch";

signs! {
    // A second GPU is spoken of, or one came with a new processor. A list of devices counts where the log
    // names two targets.
    ["no-binary-for-gpu" "no-kernel-image" "invalid-device-function" "shared-object-init" "no-compatible-code-objects" "segv-add-dev-program"]
        Near r"(upgrad|chang|replac|swapp?|switch)(ed|ing|e)?(of|to)?(the|my|a)?(new|another)?(cpu|processor|apu|mainboard|motherboard)|new(cpu|processor|apu)|(second|2nd|other|additional)(amd|radeon)?gpu|(two|both|2|several|different|multiple)(different|amd|radeon)?gpus|(dis|en)abl(e|ed|ing)(the)?(igpu|integrated)|igpu(is|was)?(dis|en)abled|(and|with|plus)(an|the)?(igpu|integratedg)"
        => "SYS-MULTI-ARCH"
    ["no-binary-for-gpu" "no-kernel-image" "invalid-device-function" "shared-object-init" "no-compatible-code-objects" "segv-add-dev-program"]
        Log r"found[2-9]rocmdevices" => "SYS-MULTI-ARCH"
    ["segv"] Near r"igpu|(integrated|on-?board|second)gpu|(both|two)(amd)?gpus" => "SYS-MULTI-ARCH"
    // With one GPU shown it works.
    ["no-binary-for-gpu" "no-kernel-image" "invalid-device-function" "shared-object-init" "no-compatible-code-objects" "segv-add-dev-program"]
        Near r"(works?|fine|ok|okay|runs?|goesaway|gone|helps|fixed|solved|disappears)(again)?(if|when|by|with|after|once)?(i)?(set|setting|using|use|export|exporting)?(hip|rocr|cuda|gpu)_visible_devices|hid(e|ing)(the)?(igpu|integrated|othergpu|secondgpu)"
        => "SYS-MULTI-ARCH"
    // A card that every build has had code for since ROCm 5.7 is named: what is not served is another one.
    // What is compiled for single cards, as attention is, is the exception.
    ["no-binary-for-gpu" "invalid-device-function"] Near r"7900(xtx?|gre)" without r"flash|xformers|composable|bitsandbytes|\.hip:|hipcc|extension|rocm-?5\.|gfx1100"
        => "SYS-MULTI-ARCH"
    // The path of the library has a blank. Not on Windows, where it does not matter.
    ["no-kernel-image" "invalid-image"]
        Text r#"(?i)["'( ]/(?:[^"'\n:() ]+/)*[^"'\n:()/ ]+(?: [^"'\n:()/ ]+)+/[^"'\n:]{0,200}(?:site-packages|dist-packages|\.so\b|/venv/|/lib/python)"# => "PATH-SPACE"
    ["no-kernel-image" "invalid-image"] Near r"(space|blank|whitespace)s?in(the|its|my)?(path|folder|directory|name|venv|virtualenv)|(path|folder|directory)(name|that)?(has|have|had|with|contains?|containing|including)(a|any)?(space|blank|whitespace)" => "PATH-SPACE"

    // rocBLAS and Tensile. Every release has files of these targets in its folder.
    ["tensile-dat-absent" "rocblas-cannot-read"] Near r"nopathsmatched.{0,120}\*gfx(900|906|908|90a)\*?" => "RB-PATH-WRONG"
    // A module that a program brings along.
    ["program-isa-mismatch"] Log r"failtocallhipmoduleload|nokernelimageisavailable|hiperrornobinaryforgpu" without r"rocblas|tensile|cijk_" => "FB-ARCH-MISSING"
    ["program-isa-mismatch"] Log r"renam(ed|ing)|symlink|ln-s|copied(the|all|over)|replac(ed|ing)(the|my)?(file|librar|rocblas)" => "RB-ALIEN-ALIAS"
    ["rocblas-could-not-load"] Near r"load.{0,200}\.(co|hsaco)" without r"load.{0,200}\.dat" => "FB-CORRUPT"
    ["tensile-build"] Near r"missingexpectedcodeobjectfiles" => "RB-DANGLING"
    ["tensile-build"] Near r"permissionerror|permissiondenied|nospaceleft|filenotfounderror" => "SRC-BUILD"
    ["hipblas-status" "lt-call-failed"] Near r"blas_status_alloc_failed" => "OOM"
    // What asks which kernel there is for a problem has no other arguments than the problem.
    ["hipblas-status" "lt-call-failed"] Near r"blas_status_invalid_value.{0,40}algogetheuristic" => "BLAS-NO-SOLUTION"
    ["hipblas-status" "lt-call-failed"] Near r"blas_status_(invalid_(pointer|size|value|enum|handle)|handle_is_null|mapping_error)" => "CALL-REFUSED"
    ["hipblas-status" "lt-call-failed"] Near r"blas_status_(not_supported|not_implemented|excluded_from_build)" => "BLAS-NO-SOLUTION"
    // The kernel is there, and was called with other numbers than it was chosen for.
    ["tensile-kernel-not-found"] Near r"doesntmatchthatsetinproblem" => "CALL-REFUSED"
    // A file that is there and refused says more than names that are only tried.
    ["hipmoduleload-failed" "hipblaslt-module-absent"] Near r"kernelimageisinvalid|hiperrorinvalidimage" => "FB-CORRUPT"
    ["hipmoduleload-failed"] Log r"rocblaslterror|hipblaslt" without r"corrupt|truncat|checksum" => "LT-ARCH-MISSING"
    ["hipmoduleload-failed"] Near r"notfound|nosuchfile" => "RB-DANGLING"
    ["hipblas-status"] Near r"blas_status_arch(itecture)?_mismatch" => "RB-ARCH-MISSING"
    ["lt-call-failed"] Near r"blas_status_arch(itecture)?_mismatch" => "LT-ARCH-MISSING"
    ["hipblas-status"] Log r"outofmemory|cannotallocate" => "OOM"
    // Those of the other libraries: what their own word says.
    ["library-status"] Near r"(fft|sparse|sparselt|solver|rand|tensor|dnn)_(status_)?(alloc_failed|allocation_failed|memory_error|out_of_memory|insufficient_workspace)" => "OOM"
    ["library-status"] Near r"(fft|sparse|sparselt|solver|rand|tensor|dnn)_(status_)?(arch_mismatch|architecture_mismatch)" => "FB-ARCH-MISSING"
    ["library-status"] Near r"(fft|sparse|sparselt|solver|rand|tensor|dnn)_(status_)?(invalid_[a-z]{3}|bad_param|unaligned|incomplete_param|no_workspace|type_error|length_not_multiple|zero_pivot|type_mismatch)" => "CALL-REFUSED"
    ["library-status"] Near r"(fft|sparse|sparselt|solver|rand|tensor|dnn)_(status_)?(not_supported|not_implemented|double_precision_required|requires_sorted)" => "BLAS-NO-SOLUTION"
    ["cannot-find-co"] Near r"bundle.{0,200}libhipblaslt\.so" => "LT-ARCH-MISSING"
    // A name without a folder is a probe of hipBLASLt's own.
    ["rocblaslt-cannot-read"] Near r"(rocblas|hipblas)lterror:?(cannotread|couldnot(read|load|open))(file)?tensilelibrary_lazy" => "LT-PROBE-HARMLESS"
    // Assembly of hipBLASLt's own generator: softmax, layernorm and absolute maximum.
    ["invalid-target-id"] Near r"(^|[^a-z0-9])([als]|amax|softmax|layernorm)_[a-z0-9]{1,4}_[a-z0-9]{1,4}_[0-9]{1,4}_gfx[0-9a-f]{3,5}\.s|hipblaslt|hipblas-lt" => "LT-ARCH-MISSING"

    // The file of MIOpen's own sources that speaks says what failed: these call compilers and assemblers.
    ["miopen-error"] Near r"(gcn_asm_utils|hip_build_utils|mlir_build|hipoc_program|clhelper|comgr|exec_utils|tmp_dir|kernel_build_params|hiprtc[a-z_]{0,20})\.[ch]pp:[0-9]" => "JIT"

    // The file of RCCL's own sources that speaks says what failed: these share memory between GPUs and processes.
    ["rccl-status"] Near r"(transport/(p2p|shm)|misc/(ipcsocket|shmutils))\.cc:[0-9]{1,5}nccl(warn|info)(cuda|hip)failure.?invalid(argument|devicepointer|resourcehandle)" => "ENV-IPC"

    // The HIP runtime: archives, versions, modules.
    ["invalid-image" "invalid-kernel-file"] Near r"ccob|compressedbundle|clang-offload-bundl|\.(co|hsaco)([^a-z0-9_]|$)|corrupt|truncat|checksum" => "FB-CORRUPT"
    // The architecture of the code object is not that of the GPU, by the specification of HSA.
    ["hsa-invalid-code-object"] Near r"incompatible_arguments" => "FB-ARCH-MISSING"
    // Tensile opens files of its own folder, which lie in no archive.
    ["invalid-image"] Near r"tensile_?host" => "FB-CORRUPT"
    // Archives for each XNACK state exist only for processors that have one.
    ["invalid-image" "kpack-none"] Near r"(xnack|overlay)" => "KP-OVERLAY-HOLE"
    ["invalid-image"] Near r"gfx90a|gfx94[0-2]|gfx950" without r"rocm-?[1-6]\.[0-9]" => "KP-OVERLAY-HOLE"
    // ggml has its code objects in its own library, in no archive.
    ["invalid-image"] Near r"ggml|llama-server|llama\.cpp|llamacpp" => "FB-ARCH-MISSING"
    // PyTorch of the releases whose device code lies in archives.
    ["invalid-kernel-file"] Near r"torch\.acceleratorerror|kpack|therock|_rocm_sdk|rocm-?7\.1[0-9]|rocm-?1[0-9]\." => "KP-ARCHIVE-MISSING"
    // The body that a kernel has for targets that it was not written for.
    ["device-assertion"] Near r"device-sideassertion.{0,4}(false|0).{0,4}failed" => "STUB-REACHED"
    // hiprtc asks the HIP runtime, which it looks for by name, for the GPU.
    ["hiprtc-missing"] Near r"hipruntimefailedtoload" => "ELF-NEEDED-MISSING"
    // A grid or a work group that no GPU takes, as one of no threads: not what the kernel needs.
    ["launch-too-large"] Near r"invalidconfiguration" without r"outofresources|toomanyresources|cooperativelaunch" => "CALL-REFUSED"
    // What a program compiled here, or made itself, is for this GPU; that a product ships modules is the
    // exception.
    ["shared-object-init"] Log r"hsa_override_gfx_version(_[0-9]{1,2})?(=|:=?|is|was|set|to|as|of|value|with|,|->|variable|environment){0,5}[0-9]{1,2}\.[0-9]" => "OV-NOTHING-TO-LOAD"
    ["shared-object-init"] Near r"csrc/|ck_tile|composable_?kernel|kernel_launch|torch_extensions|setup\.py|hipmoduleload" without r"tvm|mlc" => "CO-ABI-TOO-NEW"
    ["hsa-invalid-isa"] Near r"outofvgprs|vgprs?(budget|limit|exceed)" => "VGPR-BUDGET"
    ["hsa-invalid-isa"] Near r"scratch|privatesegment" => "SCRATCH-LARGE"
    // HCC compiled for the very GPU: no foreign instruction, too many registers.
    ["hsa-invalid-isa"] Near r"hccstatus_check|mcwamp_hsa|hcccompil" => "VGPR-BUDGET"
    ["hsa-invalid-isa" "hsa-illegal-instruction"] Log r"hsa_override_gfx_version(_[0-9]{1,2})?(=|:=?|is|was|set|to|as|of|value|with|,|->|variable|environment){0,5}[0-9]{1,2}\.[0-9]" => "OV-UNSAFE"
    ["memory-access-fault" "memory-access-fault-nil" "gpu-hang"] Log r"hsa_override_gfx_version(_[0-9]{1,2})?(=|:=?|is|was|set|to|as|of|value|with|,|->|variable|environment){0,5}[0-9]{1,2}\.[0-9]" without r"\bmes\b|mes(firmware|failed|0x|might|ring)" => "OV-CROSS-MAJOR"
    ["memory-access-fault" "memory-access-fault-nil"] Log r"mes(firmware|failed|0x|might|ring)|linux-?firmware|strix-?halo|strix-?point|kernel6\.1[0-9]" => "FW-VERSION"

    // ollama says of its own accord that what it did not find is the library.
    ["gpu-discovery"] Near r"no(suitable|compatible)rocm(library)?found|unabletoverifyrocmlibrary" => "ELF-NEEDED-MISSING"

    // WSL has no /dev/kfd, no groups and no slots.
    ["kfd-open" "hsa-init-refused" "no-device" "out-of-memory"] Log r"(^|[^a-z])wsl2?([^a-z]|$)|inwsl|wslenvironment|wsl2|microsoft-standard|dxgkrnl|/dev/dxg|librocdxg" without r"outofmemory" => "RT-WSL-HSA"
    // What the status was returned by says more than the status.
    ["out-of-memory"] Near r"(freez(e|ing)|load(ing)?)(the)?executable|devprogram|executable_?(freeze|load)" => "RT-REGRESSION"
    ["out-of-memory"] Near r"queue_?creat" => "RT-REGRESSION"
    ["memory-access-fault" "memory-access-fault-nil"] Log r"(since|after|from|with)(the)?(build|commit|update|updating|version)?(to)?b[0-9]{4}([^0-9]|$)|gitbisect|(llama\.cpp|vllm|pytorch)(update|upgrade)|(updat|upgrad)(ed|ing)(llama\.cpp|vllm|pytorch|ollama)" => "PROGRAM-FAULT"
    // A compiler that is not ROCm's own made the kernel, or another one makes one that runs.
    ["memory-access-fault"] Near r"amdgpufatalerror|(a|the|this|my)(simple)?(sycl|openmp|kokkos|julia|fortran|openacc)(program|code|application|kernel|test|example)|libomptarget|(runs?|works?)(fine|well|correctly)?(with|using|under)(hipsycl|opensycl|adaptivecpp|hipcc|(the)?(host|cpu)backend)" => "PROGRAM-FAULT"
    // aiter has a folder of finished code objects for each GPU.
    ["hip-file-not-found"] Near r"aiter" => "FB-ARCH-MISSING"
    // The device: cards whose slots often lack atomics.
    ["hsa-init-refused"] Log r"(rx|radeon|vega)-?(4[5678]0|5[5678]0)([^0-9]|$)|polaris|gfx803|gfx70[0-9]|hawaii|fiji|pcirejectsatomics" => "DEV-ATOMICS"
    // A type of numbers that the processor has not.
    ["triton-lowering"] Near r"typefp8|supportedfp8dtypes" => "TR-TARGET"
    // Without a device, hipInit says hipErrorNoDevice; another error is of the runtime itself.
    ["no-device"] Near r"hipinit:?(returned)?(hiperror)?invaliddevice" => "RT-MIX"
    ["no-device" "torch-gpu-unavailable"] Log r"(^|[^a-z])wsl2?([^a-z]|$)|inwsl|wslenvironment|wsl2|microsoft-standard|dxgkrnl|/dev/dxg|librocdxg" => "RT-WSL-HSA"

    ["kernel-limit"] Near r"(stackframesize|scratchmemory)\([0-9]{4,12}\)exceeds" => "SCRATCH-LARGE"

    // MIOpen.
    ["miopen-unreadable"] Near r"gfx[0-9a-f]{3,5}-(xnack|sramecc|sram-ecc)|isnotarecognizedprocessor" => "XN-ISA-NAME"
    ["miopen-compile"] Near r"registerrewriting|cannotselect|ranoutofregisters|llvmerror|stackdump|assertion.{0,80}failed|from(clorhip|hip|cl)?(source)?tollvmir|fromllvmirs|unrecognizedopt" => "JIT"
    ["miopen-compile"] Near r"hipruntimefailedtoload|providearchitectureforwhichcode" => "JIT"
    ["miopen-compile"] Near r"hiprtc_error_compilation" without r"miopen|comgrstatus" => "JIT"
    ["miopen-compile"] Near r"miopenerror:.{0,80}cantexecute" => "JIT"
    ["miopen-compile"] Near r"(gcnasm|intrin)_mfma|miir" => "SOLVER-FORCED"
    ["miopen-compile"] Near r"setisaname|invalid_argument|gfx[0-9a-f]{3,5}:(sramecc|xnack)" => "XN-ISA-NAME"
    // The module that lacks the kernel is made by a compiler that the program starts.
    ["named-symbol"] Near r"(launch|runn|start|invok|execut)ing(the)?(hip|rocm)?compiler|hiprtc(compile|error|_error)" => "JIT"
    // What is missing is a header of the compiler.
    ["headers"] Near r"(rocblas|hipblas|miopen|rccl|rocrand|hiprand|hipfft|rocfft|hipsparse|hip)[a-z0-9_/.-]{0,40}\.h(pp)?.?:?(filenotfound|nosuchfile)" without r"comgr-|input/[a-z0-9_]{3,60}\.cpp" => "PKG-DEVEL-MISSING"
    ["miopen-compile" "headers"] Near r"errors?generatedwhencompilingfor|input/[a-z0-9_]{3,60}\.cpp:[0-9]{1,5}|input/compilesource[a-z0-9]{0,12}:[0-9]{1,5}:[0-9]|comgr-[a-z0-9-]{3,40}/include/[a-z0-9_./]{3,60}:[0-9]{1,5}" => "JIT"
    ["source-refused"] Near r"(unsupported|unknown|invalid)(hip|gpu|amdgpu|rocm)?(target|arch(itecture)?|device)s?:?<?gfx[0-9a-f]{3}" => "TC-UNKNOWN-TARGET"
    // Device libraries and compilers that are older than the target.
    ["device-libs-absent"] Near r"cannotfinddevicelibraryforgfx" => "TC-UNKNOWN-TARGET"
    ["device-build"] Near r"unsupported(cuda)?gpuarchitecture:?gfx" => "TC-UNKNOWN-TARGET"
    // What a library compiles for itself at run time is no build.
    ["source-refused"] Near r"migraphx|miopen|hiprtc|/comgr-[a-z0-9-]{2,40}/(input|include|output)" => "JIT"
    // Triton compiles while the program runs; what its compiler says of a target is no build's.
    ["invalid-target-id"] Near r"triton[/\\]{1,2}(backends|compiler|runtime)|triton\.(compiler|runtime)|make_(amdgcn|hsaco|llir)" => "TR-TARGET"
    // Headers of the kernel, and the layer by which the driver's source fits other kernels.
    // A driver of another kernel's release is not loaded.
    ["no-device" "pci-atomics" "hsa-init-refused"] Near r"amdgpu:(unknownsymbol|disagreesaboutversion)|couldnotinsert.{0,8}amdgpu" => "DKMS-KERNEL"
    // The card that is meant is another maker's.
    ["kfd-open" "no-device"] Near r"(with|have|has|own|my|use|using|on|an|a)nvidia(gpu|card|geforce|rtx)" => "DEV-NONE"
    // The code of the runtime says that something is missing, the system says what.
    ["pci-atomics" "hsa-init-refused"] Near r"/dev/kfd.{0,80}=-1e|(thereisno|nosuch|cannotfind).{0,20}/dev/kfd" without r"atomics" => "DEV-KFD"
    // The compiler knows the target, and has no instruction for what the sources ask of it.
    ["invalid-target-id"] Near r"cannotselect|(needs|requires)targetfeature" without r"recognizedprocessor|(unknown|invalid)target" => "SRC-BUILD"
    ["source-refused" "headers"] Near r"linux-headers-|/usr/src/(kernels|linux)|include/kcl/|/amd(kcl|ttm|gpu)/[a-z0-9_/]{2,60}\.c:" without r"/dkms/(nvidia|virtualbox|zfs)" => "DKMS-KERNEL"
    // Linking is behind the choice of a target.
    ["triton-compile"] Near r"link_?hsaco|lldfailed|rocm(ld\.)?lld(was)?notfound" => "JIT"
    ["miopen-ck"] Near r"despite|although|is(there|present)|exists|\.so\.[0-9]" => "LINK-UNVERSIONED-MISSING"
    // The status says itself that the call is not one that MIOpen takes, or a line before it does.
    ["miopen-unknown"] Near r"miopenstatus(badparm|invalidvalue|notinitialized)|noinvokerwasregistered|wasfindexecuted" => "CALL-REFUSED"
    ["miopen-unknown"] Near r"miopenstatus(notimplemented|unsupportedop)" => "BLAS-NO-SOLUTION"
    ["miopen-error"] Near r"noinvokerwasregistered|wasfindexecuted" => "CALL-REFUSED"
    ["miopen-unknown"] Log r"gfx90c|gfx902|gfx909|mno-xnack|xnack-" => "XN-NEUTRAL-APU"

    // The loader. A symbol that is a kernel of the library itself was left out of its build.
    ["undefined-symbol"] Near r"undefined(symbol|reference)(to)?:?.{0,8}(.{0,60}__device_stub__|k[a-z0-9_]{3,80}i[a-z0-9_]{0,40}(hip_bfloat|li[0-9]e)|_z[0-9]{1,3}k[a-z0-9_]{0,60}i)" => "SYM-UNDEFINED-STUB"
    // The linker says which library it did not find, too.
    ["undefined-symbol"] Near r"neededby[^|]{4,200}notfound\(tryusing-rpath" => "ELF-NEEDED-MISSING"
    ["undefined-symbol" "module-symbol"] Near r"undefinedsymbol:?_?py[a-z_]{3}" => "PKG-OTHER-HOST"
    ["undefined-symbol" "module-symbol"] Near r"undefinedsymbol:?_znk?(2at|3c10|5torch)" => "PKG-OTHER-HOST"
    // A library that always has a version behind its name is asked for without.
    ["needed-missing"] Near r"lib(amdhip64|hiprtc|hsa-runtime64|rocblas|hipblas|hipblaslt|amd_comgr|rccl|miopen|rocfft|hipfft|rocsparse|hipsparse|rocrand|hiprand|rocsolver|hipsolver|roctx64|roctracer64|rocm_smi64)\.so:?cannotopen" => "LINK-UNVERSIONED-MISSING"

    // An assertion of the source, not of the assembler.
    ["assembler"] Near r"static(_assert|assertion)" => "SRC-BUILD"
    // What is compiled without CUDA is compiled for no GPU.
    ["cuda-wheel"] Near r"[0-9]\+cpu|cpu-onlytorch" => "PKG-NO-HIP"
    ["cuda-wheel"] Near r"not(been)?compiledwithcuda|compiledwithout(gpu|cuda)|withoutcudasupport" => "PKG-NO-HIP"

    // AOTriton: a kernel that is there and not allowed.
    ["aotriton"] Near r"(flash|mem_efficient|memory_efficient|efficient)(attention)?:?noavailablekernel|enable_experimental|stillexperimental" => "AT-EXPERIMENTAL"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::causes;
    use crate::messages::table;

    #[test]
    fn signs_are_of_messages_and_causes() {
        for sign in SIGNS {
            for id in sign.messages {
                assert!(table::of_id(id).is_some(), "no message {id}");
            }
            assert!(causes::of_id(sign.first).is_some(), "no cause {}", sign.first);
            for words in [sign.words, sign.without] {
                let compiled = RegexBuilder::new(words).unicode(false).build();
                assert!(compiled.is_ok(), "{words}: {compiled:?}");
                let squeezed = sign.scope == Scope::Text || !words.contains([' ', '"', '\'']);
                assert!(squeezed, "{words}: a blank or quote is in no squeezed text");
            }
        }
    }
}
