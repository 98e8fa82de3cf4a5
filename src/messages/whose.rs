//! Whose device a log is about: words that only ROCm's software prints, and words that only software for other devices or
//! interfaces does.

use super::table::{MessageOrigin, MessageSubject};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Whose device a text is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// ROCm's software speaks.
    pub(super) rocm: bool,
    /// A GPU of AMD's is named, which drivers for graphics do as well.
    pub(super) hardware: bool,
    /// Vulkan or OpenGL speaks.
    graphics: bool,
    others: bool,
    cuda: bool,
    /// A program that was built for CUDA speaks: less than the name of a device, since old builds for ROCm
    /// say the same.
    cuda_build: bool,
}

/// Words that only ROCm's software prints.
static ROCM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)hiperror|hip_error|/hip_[a-z0-9_]+\.h\b|__clang_hip|__hip_[a-z]|amdhsa|\b(roc(virtual|device|memory|kernel|program|clr)|hip_(platform|module|memory|fatbin|code_object|global))\.cpp|hipamd|\bhip_[0-9]\.[0-9]|\bhipext[a-z]{4}|\bhipcc\b|hipify|amdclang|radeonopencompute|\[(buildocl|buildhip|setisaname)\]|rocm_(executor|driver|plugin)|\bhip (error|function|kernel|runtime|out of)|\brocm(_| )?(error|hip|device|0)|rocm devices|\brocm[-_/ ]?(v(ersion)? ?:? ?)?\(?[1-9][0-9]?[.,]|rocm-?smi|rocminfo|\b(lib)?rccl|\blib(hsa-runtime|hip|roc[a-jl-z])|migraphx|composable_kernel|\bck_tile|hip_dsa|hipassert|\bhip error|hipmodule|hip_launch|rocblas|hip ?blas|miopen|amdhip|amdgpu|amdgcn|amd instinct|\+rocm[0-9]|/opt/rocm|_rocm[0-9_]|hiprtc|\bhip[a-z]{3,30}_t\b|\bhip(malloc|mem|stream|event|device|getdevice|setdevice|free|launch|func|graph|host|ctx)[a-z]{0,30}[ (:]|\bhsa_|\.hip\b|_hip\b|ggml-hip|ggml_hip|\b(with|using|via|under|running) rocm\b|[-_]rocm\b|ollama[/\\]+rocm|triton[/\\]+backends[/\\]+amd\b|\b(apt|apt-get|dnf|yum|zypper|pacman|conda|mamba|brew) [^\n]{0,60}\brocm\b",
    )
    .ok()
});
/// Names of AMD's GPUs.
static HARDWARE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)radeon|gfx[0-9][0-9a-f]{2}").ok());
/// Words of the interfaces for graphics, which name the GPU too.
static GRAPHICS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)ggml_vulkan|vulkan[0-9]|vulkan (backend|device)|\bvk::|\bvk_error|\(radv\b|amdvlk|gl_renderer|\bopengl (version|renderer|vendor)|\bradeonsi\b",
    )
    .ok()
});
/// Words that only software of NVIDIA's devices prints, or of graphics and of Intel's.
static OTHERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)geforce|nvidia (rtx|gtx|a[0-9]+|h[12]00|l[0-9]+|tesla|titan|quadro|t4|v100|p[0-9]+|jetson|graphics)|\bquadro\b|\btesla [kpvtm][0-9]|\b[rg]tx[ -]?[0-9]{3,4}|[+-]cu[0-9]{2,3}(\b|torch)|\b(hopper|blackwell|ampere|volta|pascal)\b|cuda capability|\bcuda ?(version|toolkit)?[ :,]{1,3}v?([89]|1[0-9])\.[0-9]|nccl version [0-9.]+\+cuda|\bsm_[0-9]{2}|rtl\.cuda|nvidia-smi|triton error \[cuda\]|cuda?error[a-z]{6}|\bcudasuccess\b|\bcudacheck[a-z]{3,20}\(|\bcuda function error|google colab|found [0-9]+ cuda devices|\bcuda_error_[a-z]{4}|\bcubin\b|\btensorrt\b|\b[ahv]100[- ]?(pcie|sxm[0-9]?|[0-9]{2} ?gb)|\bafter cuda[a-z]{6,40}:|\bops\.cu\b|\bnvcc\b|libcudart|\bptx\b|\batio6axx|\batidxx(32|64)|\bamdxx(32|64)|\bd3d1[12]\.dll|\bvkd3d|\bdxvk\b|\bopenvino\b|inference_?engine\b|\bcldnn\b|transformers[/\\]+cuda[/\\]|ollama[/\\]+cuda_v[0-9]|triton[/\\]+backends[/\\]+nvidia\b|in function [^\n]{3,300}?:[0-9]{1,6}\s{0,8}cu(da)?[a-z]{3,40} ?\(",
    )
    .ok()
});
/// The page of CUDA's statuses, to which PyTorch sends readers of `cudaError…` and, in ported sources, of
/// `hipError…` too.
static CUDA_PAGE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)group__cudart").ok());
static HIP_STATUS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\bhiperror[a-z]{4}").ok());
/// ROCm by its name, and the phrases in which a text only says that it is not there, or offers it beside others.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\brocm\b").ok());
static NAMED_IN_VAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)\b(no|not|non|without|nor|or|and|vs|versus|than|instead of|for|install)[ -]rocm\b|[/,] ?rocm\b|\brocm ?[/,]|\brocm ?(used to build pytorch|version|runtime|home|path)?[ :='\x22]{1,6}(n/a|none|false|no\b|off|not |could not)",
    )
    .ok()
});
/// What PyTorch advises in a build for CUDA; that for ROCm names other variables, but for the oldest.
static CUDA_BUILD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)cuda_launch_blocking|torch_use_cuda_dsa").ok());
/// The name that ported software writes, too.
static CUDA: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\bcuda").ok());
impl Signs {
    pub(super) fn from_text(text: &[u8]) -> Self {
        let mut signs = Signs::default();
        signs.add(text);
        signs
    }

    /// Those of some lines, each of them perhaps broken anywhere by a terminal.
    pub(super) fn of_lines(text: &[u8]) -> Self {
        let mut signs = Signs::from_text(text);
        let joined: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'\n').collect();
        signs.add(&joined);
        signs
    }

    pub(super) fn add(&mut self, text: &[u8]) {
        let has = |known: bool, regex: &LazyLock<Option<Regex>>| {
            known || regex.as_ref().is_some_and(|regex| regex.is_match(text))
        };
        self.rocm = has(self.rocm, &ROCM) || names_rocm(text);
        self.hardware = has(self.hardware, &HARDWARE);
        self.graphics = has(self.graphics, &GRAPHICS);
        self.others = has(self.others, &OTHERS) || has(false, &CUDA_PAGE) && !has(false, &HIP_STATUS);
        self.cuda = has(self.cuda, &CUDA);
        self.cuda_build = has(self.cuda_build, &CUDA_BUILD);
    }

    /// Whether the text is of ROCm.
    fn is_rocm(self) -> bool {
        self.rocm || self.hardware && !self.graphics
    }

    /// Whether it is of another maker's device or of another interface.
    fn is_other(self) -> bool {
        self.others || self.graphics
    }
}

/// Whether a text names ROCm as what is in use.
fn names_rocm(text: &[u8]) -> bool {
    let count = |regex: &LazyLock<Option<Regex>>| {
        regex.as_ref().map_or(0, |regex| regex.find_iter(text).take(MOST_NAMES).count())
    };
    let named = count(&NAMED);
    named == MOST_NAMES || named > count(&NAMED_IN_VAIN)
}

/// Names of ROCm that are counted in a text; one that has so many is about it.
const MOST_NAMES: usize = 64;

/// What kind of thing a message with these words is about, by the lines `near` it and, where these do not
/// say, by the whole log; its `own` where nothing speaks against that.
pub(super) fn class(words: MessageOrigin, own: MessageSubject, near: Signs, far: Signs) -> MessageSubject {
    match words {
        MessageOrigin::Own => return own,
        MessageOrigin::Ported if near.is_other() && !near.is_rocm() || far.is_other() && !far.is_rocm() => {
            return MessageSubject::NotRocm;
        }
        MessageOrigin::Ported if near.is_rocm() || far.is_rocm() && !far.is_other() => return own,
        MessageOrigin::Ported => return MessageSubject::Unknown,
        MessageOrigin::Shared | MessageOrigin::Mostly => {}
    }
    match (near.is_rocm(), near.is_other(), far.is_rocm(), far.is_other()) {
        (true, false, ..) => own,
        (false, true, ..) => MessageSubject::NotRocm,
        (true, true, ..) => MessageSubject::Ambiguous,
        (_, _, true, false) => own,
        (_, _, false, true) => MessageSubject::NotRocm,
        (_, _, true, true) => MessageSubject::Ambiguous,
        _ if near.cuda_build || far.cuda_build => MessageSubject::NotRocm,
        _ if near.cuda && own == MessageSubject::File && words == MessageOrigin::Shared => {
            MessageSubject::Ambiguous
        }
        _ => own,
    }
}
