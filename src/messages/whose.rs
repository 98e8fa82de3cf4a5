//! Whose device a log is about: words that only ROCm's software prints, and words that only NVIDIA's does.

use super::table::{MessageOrigin, MessageSubject};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Whose device a text is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Signs {
    pub(super) rocm: bool,
    nvidia: bool,
    cuda: bool,
}

/// Words that only ROCm's software prints.
static ROCM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)hiperror|hip_error|\[(buildocl|buildhip|setisaname)\]|rocm_(executor|driver|plugin)|\bhip (error|function|kernel|runtime|out of)|\brocm(_| )?(error|hip|device|0)|rocm devices|\brocm[-_/ ]?(v(ersion)? ?:? ?)?\(?[1-9][0-9]?[.,]|rocm-?smi|\brccl|migraphx|composable_kernel|\bck_tile|hip_dsa|hipassert|\bhip error|hipmodule|hip_launch|rocblas|hipblas|miopen|libamdhip|amdgpu|amdgcn|radeon|amd instinct|\+rocm[0-9]|/opt/rocm|_rocm[0-9_]|hiprtc|\bhsa_|gfx[0-9][0-9a-f]{2}|\.hip\b|_hip\b|ggml-hip|ggml_hip|\b(with|using|via|under|running) rocm\b|[-_]rocm\b",
    )
    .ok()
});
/// Words that only software of NVIDIA's devices prints.
static NVIDIA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)geforce|nvidia (rtx|gtx|a[0-9]+|h[12]00|l[0-9]+|tesla|titan|quadro|t4|v100|p[0-9]+|jetson|graphics)|\bquadro\b|\btesla [kpvtm][0-9]|\b[rg]tx ?[0-9]{4}|cuda capability|nccl version [0-9.]+\+cuda|\bsm_[0-9]{2}|rtl\.cuda|docs\.nvidia|nvidia-smi|cudaerror[a-z]{6}|found [0-9]+ cuda devices|\bops\.cu\b|\bnvcc\b|libcudart|\bptx\b|transformers[/\\]+cuda[/\\]",
    )
    .ok()
});
/// The name that ported software writes, too.
static CUDA: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)\bcuda").ok());
impl Signs {
    pub(super) fn from_text(text: &[u8]) -> Self {
        let has = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
        Signs { rocm: has(&ROCM), nvidia: has(&NVIDIA), cuda: has(&CUDA) }
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
        self.rocm = has(self.rocm, &ROCM);
        self.nvidia = has(self.nvidia, &NVIDIA);
        self.cuda = has(self.cuda, &CUDA);
    }
}

/// What kind of thing a message with these words is about, by the lines `near` it and, where these do not
/// say, by the whole log; its `own` where nothing speaks against that.
pub(super) fn class(words: MessageOrigin, own: MessageSubject, near: Signs, far: Signs) -> MessageSubject {
    match words {
        MessageOrigin::Own => return own,
        MessageOrigin::Ported if near.nvidia && !near.rocm || far.nvidia && !far.rocm => {
            return MessageSubject::NotRocm;
        }
        MessageOrigin::Ported if near.rocm || far.rocm && !far.nvidia => return own,
        MessageOrigin::Ported => return MessageSubject::Unknown,
        MessageOrigin::Shared | MessageOrigin::Mostly => {}
    }
    match (near.rocm, near.nvidia, far.rocm, far.nvidia) {
        (true, false, ..) => own,
        (false, true, ..) => MessageSubject::NotRocm,
        (true, true, ..) => MessageSubject::Ambiguous,
        (_, _, true, false) => own,
        (_, _, false, true) => MessageSubject::NotRocm,
        (_, _, true, true) => MessageSubject::Ambiguous,
        _ if near.cuda && own == MessageSubject::File && words == MessageOrigin::Shared => {
            MessageSubject::Ambiguous
        }
        _ => own,
    }
}
