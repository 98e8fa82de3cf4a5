//! What a line says where no row of the table knows its sentence: who speaks, and what it says is wrong.
//!
//! The lines of a log are read without folders, so that a path alone makes no speaker. A line counts where a
//! component of ROCm is named in it or beside it, as far as its words allow: that memory is missing is said of
//! the GPU of a log about ROCm, that something is not supported only of what the same line names. What another
//! maker's software says is another's, and words that every program prints are left alone.

use super::named::{COMPONENTS, HARDWARE, OTHERS, PORTED, SPEAKERS};
use crate::messages::table::Message;
use regex::bytes::{Regex, RegexBuilder};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A statement: the message that it is, what it makes the first cause, and where its line begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::messages) struct Statement {
    /// The id of the message.
    pub(in crate::messages) message: &'static str,
    /// The cause that who speaks puts first.
    pub(in crate::messages) first: Option<&'static str>,
    /// The place of its line in the text.
    pub(in crate::messages) place: usize,
    /// The place of its sentence in [`SENTENCES`]: a smaller one says more.
    pub(in crate::messages) rank: usize,
}

impl Statement {
    /// Whether it says why something failed, and not only that it did.
    pub(in crate::messages) fn says_why(&self) -> bool {
        !matches!(
            self.message,
            "said-call-failed" | "said-fault" | "said-refusal" | "said-by-others" | "said-goes-on"
        )
    }
}

/// Whether a message is a status, or the words around one, that does not say why a call failed.
pub(in crate::messages) fn says_little(message: &Message) -> bool {
    matches!(message.id, "miopen-unknown" | "miopen-error" | "library-status" | "rccl-status")
}

/// How far from a sentence the name of a component counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// In the same line.
    Line,
    /// Some lines before and behind.
    Near,
    /// Anywhere in the text.
    Text,
}

/// A kind of sentence.
struct Sentence {
    /// The message that it is.
    message: &'static str,
    reach: Reach,
    words: &'static str,
    /// Words with which it is another one; empty for none.
    without: &'static str,
}

const fn sentence(
    message: &'static str,
    reach: Reach,
    words: &'static str,
    without: &'static str,
) -> Sentence {
    Sentence { message, reach, words, without }
}

/// That something was not to be had or done.
const CANNOT: &str = r"(cannot|can ?not|can't|couldn't|could not|unable to|fail(ed|s|ure|ing)?( to| in| at| during| while| when)?|not able to|did not|didn't|does ?n.t|does not|error( while| when| in| at| during)?)";
/// That something is not there.
const ABSENT: &str = r"(not found|no such file|cannot open|can't open|could not be (found|loaded|opened|located)|cannot be (found|loaded|opened|located)|missing|not (installed|present|available|there)|does ?n.t exist|does not exist|failed to (load|open)|cannot find|could not find|can't find|unable to (find|locate|load|open)|specified module)";
/// A thing with device code.
const CODE: &str = r"(kernels?|code ?objects?|device (code|image|binary|binaries)|kernel (image|binary|binaries)|binary|binaries|fat ?bin(ary|aries)?|fatbins?|hsaco|\.co\b|gpu (code|binary|binaries|images?)|images?|solutions?|tensile\w*|catalogs?|kpack\w*|bitcode)";
/// A GPU.
const GPU: &str = r"((rocm|hip|hsa|amd|compute|gpu|suitable|compatible|supported|usable|valid|visible|opencl|capable|rocm-capable|physical|accelerator|graphics|amdgpu|radeon|kfd) )*(amdgpus|gpus?|devices?|agents?|accelerators?|adapters?|hardware|platforms?|card)\b";

/// The sentences, what says more before what says less.
static SENTENCES: &[Sentence] = &[
    sentence(
        "said-memory",
        Reach::Text,
        r"out of (device |gpu |host |video |shared )?memory|outofmemory|\boom\b|insufficient (gpu |device |video |v)?(memory|vram|ram\b)|not enough (free |gpu |device |video |v|system |graphics )*(memory|vram|ram\b)|memory allocation (failed|failure|error)|(CANNOT) (re)?alloc(ate)?\b|alloc(ation)? (of [^\n]{1,40} )?failed|\balloc failed|resource_exhausted|bad_alloc|(memory|vram) (is )?exhausted|exceeds? (available |free |total )?(gpu |device )?(memory|vram)\b|no space left (in|on) (device memory|vram|gtt)",
        r"register|\breg\b|\blds\b|shared memory|out of memory: killed|expandable_segments not",
    ),
    sentence(
        "said-symbol",
        Reach::Line,
        r"undefined symbol|symbol lookup error|symbol not found|unresolved symbol|(entry point|procedure)\b[^\n]{0,80}not (be )?(located|found)|version [^\n]{1,40} not found|missing (symbol|entry ?point)|(CANNOT) (find|load|resolve|get) (the )?(symbol|entry ?point|function pointer)",
        r"undefined symbols? for architecture|\bld(\.lld|\.gold|\.bfd)?: |lld: error|hidden symbol",
    ),
    sentence("files-limit", Reach::Near, r"too many open files|\bemfile\b|\benfile\b", ""),
    sentence(
        "ipc-refused",
        Reach::Near,
        r"\b(hip|cuda|hsa|hsa_amd|rocm)?_?ipc\w*\b[^\n]{0,80}(fail|error|not|invalid|refus|denied|unsupported)|(CANNOT)[^\n]{0,40}\b(ipc|dma-?buf)\b|missing[^\n]{0,24}iommu|\b(p2p|peer)[ -][^\n]{0,40}(fail|not (supported|possible|available|enabled)|disabled|denied)|\bdma-?buf\b[^\n]{0,40}(fail|error|not|unsupported)",
        "ipc_lock|zeromq|zmq|already enabled",
    ),
    sentence(
        "launch-too-large",
        Reach::Near,
        r"out of (vgprs?|registers?|scratch)\b|too many (vgprs|registers|resources|threads)|(vgprs?|registers|scratch|private segment)[^\n]{0,40}(exceed|too (many|large|big)|limit)|work ?group size[^\n]{0,40}(exceed|too large|invalid)|max_?threads",
        "register allocation",
    ),
    sentence(
        "shared-memory-limit",
        Reach::Near,
        r"(shared memory|\blds\b|local memory|local data share)[^\n]{0,60}(exceed|limit|too (large|big|much)|out of|overflow|required)|out of resources?: ?(shared|lds)|exceed[^\n]{0,40}(shared memory|\blds\b|local memory)",
        "shm",
    ),
    sentence(
        "said-build",
        Reach::Text,
        r"\bdkms\b[^\n]{0,120}(error|fail|bad|not|exit)|bad (return|exit) status[^\n]{0,60}|(module build|build(ing)? module)[^\n]{0,60}(fail|error|bad|exit)|post-installation script subprocess returned|linux-headers-\S+ (is|are|could|cannot|not)",
        "",
    ),
    sentence(
        "said-build",
        Reach::Near,
        r"\.(h|hpp|hxx|cuh|inc)\b['\x22>:, ]{1,4}(file )?(not found|no such file)|(CANNOT) find ['\x22<]?[a-z0-9_/.-]{1,60}\.(h|hpp|hxx|cuh)\b|undefined reference|cannot find -l|(ld|ld\.lld|lld|ld\.bfd): (error|cannot)|linker command failed|cmake error|could not find (a package|package|cmake)|by not providing|findpackage|find_package|ninja: build stopped|gmake|make(\[[0-9]+\])?: \*\*\*|failed building wheel|could not build wheels|metadata-generation-failed|subprocess-exited-with-error|error: command .{1,60} failed|failed to (build|compile) [a-z0-9_.-]{2,30} ?(\(lib|extension|wheel|package)|\.(c|cc|cpp|cxx|hip|cu|h|hpp|cuh|s|f90):[0-9]+:([0-9]+:)? ?(fatal )?error|is not a member of|error: (unknown|invalid|unsupported) (target|argument|option|value|cpu|processor|instruction|directive)|can't exec [^\n]{0,40}\b(hip|clang|rocm)|clang(\+\+)?(-[0-9]+)?: (fatal )?error|hipcc[^\n]{0,40}(error|fail|not found)|build (failed|error|aborted)|::fatal|error: failed to run custom build|static assertion failed|missing expected|no rule to make|^\s*(\[[^\]\n]{1,40}\] )?failed: |cmakefiles|configure: error|(setup|configure|compile)\.py[^\n]{0,80}error|_root (is )?(not set|unset|undefined)|(rocm|hip)_(home|path|root|dir)\b[^\n]{0,40}(not set|unset|undefined|not found|does not exist|invalid)|(rocm|hip)(cc|config)? (installation|sdk|toolkit|compiler|toolchain|headers?)\b[^\n]{0,40}(not|missing)|(CANNOT) (find|locate|detect|determine) (the |a |any )?(rocm|hip)\b[ a-z]{0,20}(installation|sdk|toolkit|root|path|home|compiler|version|libraries|headers|package|toolchain)?",
        r"hiprtc|comgr|\bjit\b|aiter\b|torchinductor|inductor|triton|make_(llir|amdgcn|hsaco|ttgir)|miopen[ (:]|xla|clbuildprogram|online compil|input/compilesource|rocm device lib|(any|no|a|the) (hip|rocm)[a-z -]{0,20} (gpu|device|agent|accelerator)",
    ),
    sentence(
        "said-driver",
        Reach::Line,
        r"((amdgpu|amdkfd|radeon)( [0-9a-f]{4}:[0-9a-f:.]{7})?: |amdgpu [0-9a-f]{4}:|\[drm[:\]]|kfd kfd:|\bkfd: )[^\n]{0,160}(error|fail|timeout|timed out|hang|hung|reset|not supported|unsupported|unrecoverable|invalid|skipped|cannot|unable|fault|lost|no response|didn't respond|wedged|halt)",
        r"\bdp[ -]|\bdsc\b|\bpsr\b|rocm-smi|\.py\b|\.cpp|llvm|dkms|--offload|depends|package",
    ),
    sentence(
        "said-permission",
        Reach::Line,
        r"permission denied|operation not permitted|access(ing)? (is )?(denied|refused)|eacces|\beperm\b|not (a )?member of|no permission|insufficient permissions?|not authori[sz]ed|read-?only (file ?system|database)",
        r"publickey|git@|docker\.sock|apt|dpkg|npm",
    ),
    sentence(
        "said-package",
        Reach::Near,
        r"\b(apt|apt-get|dpkg|dnf|yum|zypper|pacman|rpm|pip|conda|mamba|uv|poetry|amdgpu-install|repository|repo|packages?|wheels?|distribution)\b[^\n]{0,120}(not found|conflict|broken|unmet|unable|can(no|')t|could not|failed|404|403|no candidate|not (be )?(install|available|signed|satisf|support)|no match|unsatisfi|depends on|gpg|signature|nothing provides|incompatible|no valid)|(nothing provides|unmet dependenc|no matching distribution|unable to locate package|no match for argument|depends:|held broken|not going to be installed|unsatisfiable|could not find a version|404 +not found|no_pubkey|does not have a release file)|^\s*e: [^\n]{4}",
        r"find_package|cmake|module named|importerror|site-packages|collection of code|image_|get_image",
    ),
    sentence(
        "said-no-device",
        Reach::Near,
        r"\bno (GPU)( (were|was|is|are|has been|have been))?( (found|detected|available|visible|present|usable|supported))?|\b(0|zero) (GPU)|(CANNOT) (find|detect|enumerate|discover|query|open|initiali[sz]e|get|access|determine|see|recogni[sz]e|use|create|connect to|communicate with)( [a-z0-9_'-]+){0,4} (GPU|driver\b|kfd|hsa|hip|rocm|runtime|library|smi)\b|(GPU) ([a-z0-9_]+ )?(is |are |was |were )?(not (found|detected|available|recogni[sz]ed|visible|accessible|usable|present|initiali[sz]ed|ready)|lost|unavailable|missing|absent)|(hsa|hip|rocm|runtime|driver|kfd|smi)\w*( \w+)? (init(iali[sz]ation|iali[sz]ing)?|library)( has| was| is)?( \w+)? ?(fail|error|unsuccess|abort)|hsa_init\b[^\n]{0,20}(fail|error|:)|(amdgpu|driver|rock|kernel (module|driver)) (module |driver )?(is )?not (loaded|live|found|initiali[sz]ed|running|installed|present)|(driver|kernel module)\b[^\n]{0,40}(not loaded|too old|mismatch|incompatible|version)|device count[^\n]{0,20}\b(0|zero|fail|error)\b|(gpu|hip|rocm)[^\n]{0,20}(available|accelerat\w+)[^\n]{0,10}: ?(false|no\b)|not able to use gpu|is_available\(\)[^\n]{0,20}false|invalid device( ordinal| id| index)?\b|number of devices: *0|survey[^\n]{0,40}(fail|unsuccess|error)|error (trying to )?(surveying|query\w*|enumerat\w*|detect\w*)\b|\b(rocr|hsakmt|thunk): *(unsupported|unknown) (GPU)",
        r"no (amd )?gpu arch|no device (binar|code|image|kernel|librar|function)|device lib|no device code|device kernel image|device function|device pointer|device-side|no gpus? support|no rocm support",
    ),
    sentence(
        "said-no-code",
        Reach::Near,
        r"\b(no|not|without|missing|lacks?|absent|find|load|locate|open|read|unsupported|incompatible|invalid|corrupt(ed)?|mismatch(ed)?|wrong|bad|unknown)\b[a-z0-9 '\x22:,_-]{0,40}?\b(CODE)\b[^\n]{0,60}?(\b(for|found|available|on|in|exist|compatible|match|valid|loaded|ed|missing|this|failed)|$)|(CODE)\b[^\n]{0,80}?\b(not (found|available|compatible|built|compiled|present|exist|match|valid|supported|included)|fail(s|ed|ing)? to (load|open|read)\b|is ?n.t (available|compatible|supported)|missing|incompatible|invalid|mismatch|corrupt|could not be (loaded|found)|for a different|wrong)|not (been )?(built|compiled) (for|with)[^\n]{0,40}(gfx|arch|gpu|target|device)|(arch(itecture)?|isa|processor|target|gpu) mismatch|mismatch[^\n]{0,20}(arch|isa|processor|target)|not compatible with (the )?(device|gpu|isa|agent|processor|target|hardware)|no (available |suitable )?kernel|CANNOT (load|open|read|find)[^\n]{0,60}(\.(co|hsaco|dat|kdb|fatbin|hipfb|kpack)\b|module\b)|not compiled with [a-z ]{3,24} attention|cannot find the function|hipmodule\w+[^\n]{0,20}(fail|error|:? ?[0-9]{3})",
        r"linux-image|docker|container image|pull|\.png|\.jpe?g|pil\b|import|loading image|decode|vae|boot image|no module named|command not found|warning: no kernel config|kernel (version|headers|module|source|config)|linux kernel|jupyter|ipykernel|operator|dtype|llvm was not compiled|(hip|gfx|rocm|amd)[a-z0-9_ ]{0,12}compil",
    ),
    sentence(
        "said-library",
        Reach::Line,
        r"\b[a-z0-9_+.-]{2,60}\.(so|dll|dylib|pyd)\b[.0-9]*[^\n]{0,120}(ABSENT|cannot|fail|error|invalid|missing)|(ABSENT|CANNOT|dll load failed|importerror|oserror)[^\n]{0,120}\b[a-z0-9_+.-]{2,60}\.(so|dll|dylib|pyd)\b|dll load failed|(error|fail\w*) (while )?load(ing)? (library|plugin|module) [^\n]{1,160}(: |error |code )(126|127|193|1114)\b|winerror (126|127|193|1114)\b|(load|find|open|locate|verify|import)(ing|ed)? [^\n]{0,40}\b(shared )?(librar(y|ies)|runtime|backend|plugin|dll)\b[^\n]{0,60}(fail|error|not|unable)|(CANNOT) (load|find|open|locate|verify|import)[^\n]{0,60}\b(librar(y|ies)|runtime|backend|plugin|dll)\b|unknown [^\n]{0,20}\b(librar(y|ies)|runtime|backend|plugin|dll)\b|(librar(y|ies)|runtime|backend|plugin)\b[^\n]{0,40}(not found|missing|could not be (loaded|found)|failed to load)|no module named|cannot import name|version mismatch between\b|\b(lib)?(roc(blas|fft|rand|solver|sparse|alution|prim|thrust)|hip(blas(lt)?|fft|rand|solver|sparse(lt)?|tensor|dnn|rtc)|miopen|migraphx|rccl|comgr|aotriton) (library |runtime )?(is |was )?(not|un) ?(available|functional|found|loaded|installed)\b",
        r"/plugin|lib(rccl|nccl)-(net|tuner|profiler|env)|libz\.|libgl\.|cuda|cudnn|cublas|nvidia|libnv|compil|unsupported|not in the list|initialize backend|list of known|segfault at",
    ),
    sentence(
        "said-compile",
        Reach::Near,
        r"(compil(e|ed|er|ing|ation)|codegen|code generation|lower(ing)?|legali[sz]e|passmanager|assembl(e|er|ing|y)|lld|hiprtc|comgr|\bjit\b|llvm|linking|bitcode|executable from|program build|build program|code object build|inline asm)[^\n]{0,80}(fail|error|abort|crash|unsupported|not supported|cannot|could not|unable|missing|not found|terminated)|(CANNOT|llvm error)[^\n]{0,60}(compil|codegen|lower|legali[sz]|translat|assembl|select|hsaco|llvm|ptx|generat(e|ing) (code|hsaco|kernel)|build (the )?(program|kernel)|jit|link hsaco)|hiprtc[^\n]{0,60}(error|fail|missing|not)|(\bjit\b|\baiter\b)[^\n]{0,80}(fail|error)|input/compilesource|\b(input|output) reg(ister)? for constraint|ran out of registers|\[build(hip|ocl)\]|provide architecture for which code",
        r"torch\.compile\(|precompiled|not compiled with|wasn't compiled",
    ),
    sentence(
        "said-refusal",
        Reach::Line,
        r"not (yet |currently |officially )?(supported|implemented|available|enabled|allowed|recogni[sz]ed)|unsupported|(does ?n.t|does not|do not|don't|did not) (yet |currently )?(support|implement|handle|recogni[sz]e)|only (be )?(support|available|work|run|implement|enabled|compatible)|(ignor|skipp?|dropp?|filter|exclud|reject)(ed|ing) [^\n]{0,30}(gpu|device)|supported [^\n]{0,24}(are|list)\b|(supports?|requires?|needs?|works?) (only|at least)|only supports?|requires? (an? )?(amd |gfx|mi[0-9]|rdna|cdna|instinct|rocm|hip)|not in (the )?(list|supported)|unknown (gpu|arch|target|device|platform|backend)|(keyerror|valueerror|notimplementederror|assertionerror)[^\n]{0,60}gfx|incompatible with|(is|are) disabled (on|for|with)|no (rocm|hip|amd) (support|backend|kernel|implementation)|not in the list of known|torch not compiled",
        r"--[a-z]|warning: [a-z]* ?option|not supported by your (terminal|browser)",
    ),
    sentence(
        "said-fault",
        Reach::Near,
        r"illegal (memory|address|instruction)|memory access (fault|violation)|page fault|memory fault|invalid (address|pc|opcode)|gpu (core ?dump|fault|exception|hang|crash|reset|lost)|(queue|wave|ring|kernel|gpu)[^\n]{0,40}(hang|hung|timed out|timeout|stuck|preempt|trap)|hardware exception|nan\b[^\n]{0,30}(detected|output|loss)|xid|poison|uncorrectable",
        r"hpa\b",
    ),
    sentence(
        "said-no-device",
        Reach::Line,
        r"(rocminfo|rocm-?smi|amd-?smi|rsmi|hsakmt|thunk|\bkfd\b|\bdxg|hsa api|\brocr\b|hsa_init|rocm_agent|hsa runtime)[^\n]*(error|fail|assert|abort|returned|unsupported|exception|cannot|could not|unable)",
        "compil|build|cmake",
    ),
    sentence(
        "segv",
        Reach::Line,
        r"\bseg(ment(ation)?)?[ -]?fault(s|ed|ing)?\b|\bsigsegv\b|\bsegv\b|general protection fault",
        "",
    ),
    sentence(
        "said-call-failed",
        Reach::Near,
        r"\berror\b|\bfail(ed|ure|s)?\b|exception|assert(ion)?\b|abort(ed|ing)?\b|\bfatal\b|invalid|returned -?[1-9]|(status|code|rc)[ =:]+-?[1-9]|\bwarn\b[^\n]{0,80}(missing|fail)|timed? ?out|mismatch|crash",
        r"error_if|no errors?\b|0 errors?|without error|error reporting|on_error|error from registry|http_timeout|failed to (download|pull|fetch|extract archive)|network (timeout|is unreachable)|connection (reset|refused|timed out)|i/o operation failed|error log empty|failed=0|falling back|fall back|fallback|signal \([0-9]|(free|malloc\w*|munmap_chunk|realloc)\(\): |double free|corrupted (size|double)|stack smashing|heap corruption|module \w+ is in use|\bthe same (exact )?(error|warning|message|problem)s?\b|^\s*(abort(ed|ing)?|killed)\.?( \(core dumped\))?\s*$|\(unknown line\)",
    ),
];

fn compiled(pattern: &str) -> Option<Regex> {
    let pattern =
        pattern.replace("CANNOT", CANNOT).replace("ABSENT", ABSENT).replace("CODE", CODE).replace("GPU", GPU);
    RegexBuilder::new(&pattern).unicode(false).multi_line(true).size_limit(1 << 24).build().ok()
}

static COMPILED: LazyLock<Vec<(Option<Regex>, Option<Regex>)>> = LazyLock::new(|| {
    let without = |words: &str| if words.is_empty() { None } else { compiled(words) };
    SENTENCES.iter().map(|one| (compiled(one.words), without(one.without))).collect()
});
static COMPONENT: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(COMPONENTS));
static HARD: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(HARDWARE));
static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(OTHERS));
/// A processor of NVIDIA's, where none of AMD's is named.
static OTHER_TARGET: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(r"\bsm_[0-9]{2,3}[af]?\b"));
static PORT: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(PORTED));
/// Folders of paths, but for those of ROCm's own place; and the frames of Python whole.
static FOLDERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r#"file "[^"\n]*", line [0-9]+|(?:[a-z]:|~|\.{1,3})?[/\\]{1,2}(?:[^\s/\\"'():,;\[\]]+[/\\]{1,2})+"#,
    )
});
/// What ROCm's absence is said with, which names no speaker: also variables without a value, as Go prints them.
static IN_VAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"(hip_visible_devices|rocr_visible_devices|hsa_override_gfx_version|hsa_enable_sdma): |radv [^\n)]{1,60}|radeonsi[^\n)]{0,60}|torch\.utils\.hipify\w*|\bhipify_python\b|\bimport hip\b|name .hip. from|(left|right)[ _-]hip\b|\bhip[ _-](yaw|pitch|roll|joint|motor|knee|abduct|flex|extens|rotat|angle|actuator|servo|link)\w*|radv/amdgpu|\bor rocm mi-?[0-9]{2,3}\+?|\bamd (ryzen|epyc|athlon|threadripper|opteron|cpu|processor|or|and)\b|\b(or|and|nor|vs|than|instead of|/) ?rocm\b|\brocm ?(/|or\b|and\b)|rocm used to build pytorch: n/a|hip runtime version: n/a|miopen runtime version: n/a|(is_)?(rocm|hip)(_version)?\b ?[:=] ?(none|false|n/a|no\b|off\b|0\b)|no rocm runtime is found",
    )
});

/// Folders that only ROCm's own sources and packages have, which name who speaks in a frame.
static OWN_FOLDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"backends[/\\]+amd[/\\]|(^|[/\\ \x22'(])(roc(blas|fft|rand|solver|sparse|prim|thrust|wmma|tracer|profiler\w*|al|alution|shmem|decode|jpeg|mlir|minfo|m_smi\w*|m-systems|m-libraries)|hip(blas\w*|fft|sparse\w*|solver|rand|cub|tensor|dnn|ify\w*|rt)|tensile|therock|rccl|miopen|mlopen|(amd)?migraphx\S*|aiter|_?rocm_sdk\w*|ggml-hip|composable_kernel|ck_tile|rocr-runtime|libhsakmt|hipify|hipamd|rocclr|amdgpu-[0-9.]+\S*|jax_rocm\w*|xla_rocm\w*)[/\\]|dkms[/\\]amdgpu|csrc[/\\]rocm|c10[/\\]hip|aten[/\\]src[/\\]aten[/\\](native[/\\])?(\w+[/\\])?(hip|miopen)|platforms[/\\]rocm|\(hip\)|[/\\]site-packages[/\\]rocm\w*[/\\]",
    )
});
/// Words for what is wrong; every sentence has one.
static WRONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"error|fail|cannot|can't|can not|could ?n.t|unable|not |n't|\bno\b|none|missing|invalid|unsupported|incompatible|abort|assert|exception|fatal|refus|denied|undefined|unresolved|mismatch|corrupt|unknown|lacks?\b|out ?of ?(memory|resource)|oom\b|illegal|fault|hang|hung|timeout|timed out|reset|exhaust|only|requires?|ignor|skip|dropp|0 |false|killed|crash|returned|conflict|depends|warn|\blost\b|halt|wedged|slow\b|disabled|denied|unavailable|^\s*e: ",
    )
});
/// What the kernel driver says of screens and sound, which is no matter of computing, what PyTorch adds to every
/// error, and what NumPy says of modules for its first release.
static DISPLAY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"(amdgpu|drm|radeon)[^\n]*(dcn[0-9]|dmub|\bdc_|\bdm_|display|connector|\bedid|hdmi|page ?flip|crtc|link training|backlight|vblank|reg_wait|flip_done|amdgpu_dm|\bdpms)|snd_hda|hdaudio|might be asynchronously reported|compile with .?torch_use|consider passing (amd_serialize|cuda_launch)|search for .?(hip|cuda)error|numpy [12]\.|compiled (with|using) numpy|numpy<2",
    )
});
/// Words with which a program goes on.
static GOES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r"fall(s|ing)? ?back|\bfallback|overriding \w|using \S+( \S+)? instead|will (use|be ignored|attempt to recover|be disabled)|continuing|performance may|may be slow|can be ignored|non-fatal|not fatal|harmless|will be slower|defaulting to|\bwarning\b[^\n]{0,40}deprecat|userwarning[^\n]{0,200}(unsupported|disabled)",
    )
});

/// Words with which it does not.
static CRASHED: LazyLock<Option<Regex>> =
    LazyLock::new(|| compiled(r"\bseg(ment(ation)?)?[ -]?fault|\bsigsegv\b|core dumped|\bcrash(es|ed)\b"));

/// The message of a line that says that the program goes on.
pub(super) const GOES_ON: &str = "said-goes-on";
/// The message of another maker's software.
const OTHERS_SAY: &str = "said-by-others";
/// Lines beside a sentence in which a component counts.
const LINES_NEAR: usize = 8;
/// Lines of a text that are read.
const MOST_LINES: usize = 4000;

/// A line of the text: where it begins, and what is left of it without folders, in small letters.
struct Line {
    place: usize,
    plain: Vec<u8>,
    names_component: bool,
    names_other: bool,
    /// Whether it names a device of AMD's.
    names_hardware: bool,
    /// Whether it has a word for what is wrong, without which no sentence is looked for.
    says_wrong: bool,
    /// Whether it says that the program goes on.
    goes_on: bool,
}

/// The statement of a text that says most; none where nothing of ROCm's or another maker's speaks.
///
/// Lines that begin at a `known` place have been understood, and are left out.
pub(in crate::messages) fn said(text: &[u8], known: &BTreeSet<usize>) -> Option<Statement> {
    // What a terminal or a logger broke at its columns is one line.
    if let Some(whole) = unwrapped(text) {
        let with_blanks = || {
            let blanks: Vec<u8> = text.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect();
            of_lines(&lines(&blanks, known))
        };
        let said = of_lines(&lines(&whole, known)).or_else(with_blanks);
        return said.map(|said| Statement { place: 0, ..said });
    }
    of_lines(&lines(text, known))
}

/// A short text as one line, where most of its lines have the same length, but for the last. Blanks before a
/// line are not kept, so one that is shorter by one had one.
fn unwrapped(text: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = text.trim_ascii_end().split(|byte| *byte == b'\n').collect();
    let (last, first) = lines.split_last()?;
    let longest = first.iter().map(|line| line.len()).max()?;
    let is_full = |line: &&&[u8]| line.len() == longest || line.len() + 1 == longest;
    let is_wrapped = longest >= 16
        && last.len() <= longest
        && first.len() < 64
        && 2 * first.iter().filter(is_full).count() > first.len();
    is_wrapped.then(|| {
        let blank = |line: &&[u8]| if line.len() + 1 == longest { &b" "[..] } else { &b""[..] };
        lines.iter().flat_map(|line| [blank(line), line].concat()).collect()
    })
}

/// The statement of lines.
fn of_lines(lines: &[Line]) -> Option<Statement> {
    let is_of_rocm = lines.iter().any(|line| line.names_component || line.names_hardware);
    let is_of_others = lines.iter().any(|line| line.names_other);
    let mut best: Option<Statement> = None;
    for at in 0..lines.len() {
        let until = best.as_ref().map_or(usize::MAX, |best| best.rank);
        let text_is_of_rocm = is_of_rocm && !is_of_others;
        best = statement(lines, at, text_is_of_rocm, until).or(best);
    }
    let goes_on = || {
        let line = lines.iter().find(|line| line.names_component && line.goes_on)?;
        Some(Statement { message: GOES_ON, first: None, place: line.place, rank: SENTENCES.len() + 1 })
    };
    let of_another = || {
        let line = lines.iter().find(|line| line.names_other)?;
        // A text of Metal, oneAPI or another program has no question to this one, and stays unanswered. One of CUDA
        // is often asked by who has AMD's GPU and the wrong package.
        let first = first_cause(OTHERS_SAY, &line.plain, &line.plain)?;
        // What has run out of memory has found its GPU: it is no wrong package.
        let memory = COMPILED.first().and_then(|(words, _)| words.as_ref());
        let lacks_memory = lines.iter().any(|line| memory.is_some_and(|words| words.is_match(&line.plain)));
        let first = if lacks_memory { "NOT-ROCM" } else { first };
        // Vulkan names AMD's cards, too.
        let names_component = lines.iter().any(|line| line.names_component);
        let is_own = names_component || is_of_rocm && first != "NOT-ROCM";
        let is_error = !is_own && lines.iter().any(|line| line.says_wrong);
        is_error.then_some(Statement {
            message: OTHERS_SAY,
            first: Some(first),
            place: line.place,
            rank: SENTENCES.len() + 2,
        })
    };
    best.or_else(goes_on).or_else(of_another)
}

/// What a line says, where that says more than a sentence of this rank does.
fn statement(lines: &[Line], at: usize, text_is_of_rocm: bool, until: usize) -> Option<Statement> {
    let line = lines.get(at).filter(|line| line.says_wrong && !line.goes_on)?;
    let near = lines.get(at.saturating_sub(LINES_NEAR)..).unwrap_or_default();
    let near = near.iter().take(2 * LINES_NEAR + 1);
    let is_near = near.clone().any(|line| line.names_component);
    // A line that names another maker's thing is of that.
    if line.names_other && !line.names_component || !is_near && !text_is_of_rocm {
        return None;
    }
    let is_named = |reach: Reach| match reach {
        Reach::Line => line.names_component,
        Reach::Near => is_near,
        Reach::Text => is_near || text_is_of_rocm,
    };
    let squeezed: Vec<u8> = line.plain.iter().copied().filter(|byte| !b" '\"`*".contains(byte)).collect();
    // A status in HIP's own words says more than the sentence around it.
    if until > 0
        && let Some(message) = super::status::of_words(&squeezed)
    {
        return Some(Statement { message, first: None, place: line.place, rank: 0 });
    }
    let said = |rank: &usize| {
        let (Some(sentence), Some((Some(words), without))) = (SENTENCES.get(*rank), COMPILED.get(*rank))
        else {
            return false;
        };
        is_named(sentence.reach)
            && words.is_match(&line.plain)
            && !without.as_ref().is_some_and(|without| without.is_match(&line.plain))
    };
    let rank = (0..SENTENCES.len().min(until.saturating_sub(1))).find(said)?;
    let message = SENTENCES.get(rank)?.message;
    let near: Vec<u8> = near.flat_map(|line| [&line.plain[..], b"\n"].concat()).collect();
    Some(Statement {
        message,
        first: first_cause(message, &line.plain, &near),
        place: line.place,
        rank: rank + 1,
    })
}

fn lines(text: &[u8], known: &BTreeSet<usize>) -> Vec<Line> {
    let (Some(folders), Some(component), Some(other), Some(port), Some(in_vain)) =
        (FOLDERS.as_ref(), COMPONENT.as_ref(), OTHER.as_ref(), PORT.as_ref(), IN_VAIN.as_ref())
    else {
        return Vec::new();
    };
    let has = |regex: &Option<Regex>, text: &[u8]| regex.as_ref().is_some_and(|regex| regex.is_match(text));
    let mut place = 0;
    let mut all = Vec::new();
    for line in text.split(|byte| *byte == b'\n').take(MOST_LINES) {
        let small = line.to_ascii_lowercase();
        let own: &[u8] = b"/opt/rocm";
        let plain = folders.replace_all(&small, |found: &regex::bytes::Captures<'_>| {
            let whole = found.get(0).map_or(&b""[..], |whole| whole.as_bytes());
            if whole.starts_with(own) { b"/opt/rocm/".to_vec() } else { b" ".to_vec() }
        });
        // What Python prints below the question whether there is a GPU is its answer.
        if small.trim_ascii() == b"false"
            && let Some(asked) = all.last_mut().filter(|line: &&mut Line| asks_for_gpu(&line.plain))
        {
            asked.plain.extend_from_slice(b" false");
            asked.says_wrong = true;
        }
        let speaks = in_vain.replace_all(&plain, &b" "[..]);
        let alone = port.replace_all(&speaks, &b" "[..]);
        // A tool that speaks of NVIDIA's processors is no component of this GPU's stack, whatever its name.
        let names_other_target = has(&OTHER_TARGET, &plain) && !plain.windows(3).any(|word| word == b"gfx");
        all.push(Line {
            place,
            names_component: !names_other_target && (component.is_match(&speaks) || has(&OWN_FOLDER, &small)),
            names_other: names_other_target || other.is_match(&alone),
            names_hardware: has(&HARD, &speaks),
            says_wrong: !known.contains(&place) && has(&WRONG, &plain) && !has(&DISPLAY, &plain),
            goes_on: has(&GOES, &plain) && !has(&CRASHED, &plain),
            plain: plain.into_owned(),
        });
        place += line.len() + 1;
    }
    all
}

/// Whether a line asks PyTorch for a GPU, and has no answer yet.
fn asks_for_gpu(line: &[u8]) -> bool {
    let end = line.trim_ascii_end();
    let end = end.strip_suffix(b"\"").or(end.strip_suffix(b"'")).unwrap_or(end);
    let end = end.strip_suffix(b")").filter(|rest| rest.ends_with(b")")).unwrap_or(end);
    end.ends_with(b"is_available()")
}

static SPEAKING: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| SPEAKERS.iter().map(|(_, words, _)| compiled(words)).collect());

/// The cause that comes first by who speaks: in the line itself, else beside it.
fn first_cause(message: &str, line: &[u8], near: &[u8]) -> Option<&'static str> {
    let in_text = |text: &[u8]| {
        let mut all = SPEAKERS.iter().zip(SPEAKING.iter());
        all.find(|((of, _, _), words)| {
            *of == message && words.as_ref().is_some_and(|words| words.is_match(text))
        })
        .map(|((_, _, first), _)| *first)
    };
    in_text(line).or_else(|| in_text(near))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::diagnosis::causes;
    use crate::messages::table::of_id;

    #[test]
    fn sentences_compile_and_are_of_messages_and_causes() {
        for (sentence, (words, without)) in SENTENCES.iter().zip(COMPILED.iter()) {
            assert!(of_id(sentence.message).is_some(), "no message {}", sentence.message);
            assert!(words.is_some() && without.is_some() != sentence.without.is_empty());
        }
        for ((message, words, first), compiled) in SPEAKERS.iter().zip(SPEAKING.iter()) {
            assert!(of_id(message).is_some() && causes::of_id(first).is_some(), "{message} {first}");
            assert!(compiled.is_some(), "{words}");
        }
        assert!(COMPONENT.is_some() && HARD.is_some() && OTHER.is_some() && PORT.is_some());
        assert!(FOLDERS.is_some() && IN_VAIN.is_some() && OWN_FOLDER.is_some());
        assert!(DISPLAY.is_some() && WRONG.is_some() && GOES.is_some() && CRASHED.is_some());
        assert!([GOES_ON, OTHERS_SAY].iter().all(|id| of_id(id).is_some()));
    }

    #[test]
    fn a_folder_is_no_speaker() {
        let said = |text: &str| said(text.as_bytes(), &BTreeSet::new()).map(|said| said.message);
        assert_eq!(said("/home/me/rocm/hip/app/x: error: cannot open model.bin"), None);
        assert_eq!(said("File \"/v/rocm/run.py\", line 3, in f\nRuntimeError: shapes do not fit"), None);
        assert_eq!(said("rocFFT: error: plan was not made"), Some("said-call-failed"));
    }
}
