//! vLLM on ROCm: which backend of attention its engine V1 takes for a decoder, by release.
//!
//! Until 0.17 variables choose one backend, and a head that it does not take ends the program. Since then there is an
//! order, and the first backend that takes the call is used. The orders are those of `get_attn_backend_cls` and
//! `_get_backend_priorities` in `vllm/platforms/rocm.py`, head sizes those of each backend in
//! `vllm/v1/attention/backends`.

use super::AttentionCall;
use super::step::{Environment, Step};

/// A release: `(0, 11)`.
pub type Release = (u32, u32);

/// How a release chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// AITER's flash attention where it is on, else Triton's.
    AiterOrTriton,
    /// The same, and ROCM_ATTN where a variable asks for it.
    AiterPrefillOrTriton,
    /// The unified kernel of AITER first, where it is on, on whatever card.
    UnifiedFirst,
    /// An order, from what variables switch on to Triton's.
    SwitchedOn,
    /// An order, from ROCM_ATTN to Triton's.
    RocmFirst,
    /// The same, and on RDNA 4 with AITER switched on its unified kernel first.
    RocmFirstButRdna4,
}

/// The first release of each, and where it was read. Releases between those that were read are taken for the earlier
/// one.
const READ: &[(Release, &str, Choice)] = &[
    ((0, 9), "vLLM 0.9.2 and 0.10.2, vllm/platforms/rocm.py, get_attn_backend_cls", Choice::AiterOrTriton),
    ((0, 11), "vLLM 0.11.0, vllm/platforms/rocm.py, get_attn_backend_cls", Choice::AiterPrefillOrTriton),
    (
        (0, 12),
        "vLLM 0.12.0, 0.14.1, 0.16.0 and 0.17.1, vllm/platforms/rocm.py, get_attn_backend_cls",
        Choice::UnifiedFirst,
    ),
    ((0, 18), "vLLM 0.18.1, vllm/platforms/rocm.py, _get_backend_priorities", Choice::SwitchedOn),
    (
        (0, 19),
        "vLLM 0.19.1, 0.20.2 and 0.24.0, vllm/platforms/rocm.py, _get_backend_priorities",
        Choice::RocmFirst,
    ),
    (
        (0, 28),
        "vLLM 0.28.0 and 0.33.0, vllm/platforms/rocm.py, _get_backend_priorities",
        Choice::RocmFirstButRdna4,
    ),
];

/// The newest release that was read.
pub const NEWEST: Release = (0, 33);
/// The oldest one.
pub const OLDEST: Release = (0, 9);

/// Processors that vLLM takes AITER on.
const WITH_AITER: &[&str] = &["gfx942", "gfx950"];
/// Until 0.17.
const WITH_AITER_BEFORE: &[&str] = &["gfx90a", "gfx942", "gfx950"];

/// Since 0.28.
const WITH_AITER_SINCE: &[&str] = &["gfx942", "gfx950", "gfx1250"];

/// RDNA 4, on which Triton's kernels of AITER are taken since 0.28.
const RDNA_4: &[&str] = &["gfx1200", "gfx1201"];

/// Head sizes of ROCM_ATTN; since 0.17 also 80. Those of Triton's backend until 0.10, and of ROCM_AITER_FA
/// in 0.9.
const HEADS: &[u32] = &[32, 64, 96, 128, 160, 192, 224, 256];
const ROCM_ATTN: &[u32] = &[32, 64, 80, 96, 128, 160, 192, 224, 256];

/// Head sizes of ROCM_AITER_FA since 0.10.
const AITER_FA: &[u32] = &[64, 128, 256];

/// The release in the version of a package: `0.11.0+rocm702`.
pub fn release(version: &str) -> Option<Release> {
    let mut numbers = version.split(['.', '+', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// What vLLM tries, in its order. `has_aiter` says whether the package is here.
pub fn steps(
    call: &AttentionCall,
    processor: &str,
    release: Release,
    has_aiter: bool,
    environment: &Environment,
) -> Vec<Step> {
    let read = READ.iter().rev().find(|(from, ..)| *from <= release).or(READ.first());
    let Some((_, source, choice)) = read.copied() else { return Vec::new() };
    let asked = Asked { call, processor, release, has_aiter, environment, source };
    match choice {
        Choice::AiterOrTriton => asked.one_of(&[asked.aiter_fa_before()], asked.triton_before()),
        Choice::AiterPrefillOrTriton => {
            let all = [asked.aiter_fa_before(), asked.prefill_decode(&["VLLM_USE_AITER_UNIFIED_ATTENTION"])];
            asked.one_of(&all, asked.triton())
        }
        Choice::UnifiedFirst => {
            // The unified one is made of ROCM_ATTN, and only that looks at sizes here.
            let unified = asked.unified_switched_on(asked.of_size(asked.rocm_sizes()));
            let fa = Switched { refused: None, ..asked.aiter_fa_before() };
            let mut all = vec![unified, fa];
            // Since 0.16 it is an option of the configuration, and no variable.
            all.extend((release < (0, 16)).then(|| asked.prefill_decode(&[])));
            asked.one_of(&all, asked.triton().unless(None))
        }
        Choice::SwitchedOn => {
            let (unified, fa) = (asked.unified_switched_on(asked.small()), asked.aiter_fa());
            [unified, fa].into_iter().map(Switched::step).chain([asked.triton()]).collect()
        }
        Choice::RocmFirst => {
            vec![
                asked.rocm_attn(ROCM_ATTN),
                asked.aiter_fa().step(),
                asked.unified(WITH_AITER),
                asked.triton(),
            ]
        }
        Choice::RocmFirstButRdna4 if RDNA_4.contains(&processor) => {
            vec![asked.unified_of_rdna(), asked.rocm_attn(ROCM_ATTN), asked.triton()]
        }
        Choice::RocmFirstButRdna4 => {
            let unified = asked.unified(WITH_AITER_SINCE).unless_also(asked.of_half());
            let fa = asked.aiter_fa_by(WITH_AITER_SINCE).step();
            vec![asked.rocm_attn(ROCM_ATTN), fa, unified, asked.triton()]
        }
    }
}

/// A backend that variables switch on; why they do not, and else why it does not take the call.
#[derive(Clone)]
struct Switched {
    backend: Step,
    off: Option<String>,
    refused: Option<String>,
}

impl Switched {
    fn step(self) -> Step {
        let refused = self.off.or(self.refused);
        self.backend.unless(refused)
    }
}

struct Asked<'a> {
    call: &'a AttentionCall,
    processor: &'a str,
    release: Release,
    has_aiter: bool,
    environment: &'a Environment,
    source: &'static str,
}

impl Asked<'_> {
    /// The first that is switched on, whatever becomes of it, else the last.
    fn one_of(&self, all: &[Switched], last: Step) -> Vec<Step> {
        let count = all.iter().position(|one| one.off.is_none()).map_or(all.len(), |at| at + 1);
        let is_chosen = count < all.len() || all.last().is_some_and(|one| one.off.is_none());
        let mut steps: Vec<Step> = all.iter().take(count).cloned().map(Switched::step).collect();
        if !is_chosen {
            steps.push(last);
        }
        if let Some(why) = steps.last_mut().and_then(|chosen| chosen.refused.as_mut()) {
            why.push_str("; vLLM ends with that");
        }
        steps
    }

    fn of_one_size(&self) -> Option<String> {
        (self.call.dim != self.call.value_dim).then(|| "heads of queries and values differ".to_owned())
    }

    fn of_type(&self) -> Option<String> {
        self.call.ty.name().contains("fp8").then(|| format!("queries are not in {}", self.call.ty))
    }

    fn of_half(&self) -> Option<String> {
        (!self.call.ty.is_half()).then(|| format!("it is for fp16 and bf16, not {}", self.call.ty))
    }

    fn of_size(&self, sizes: &[u32]) -> Option<String> {
        let listed = || sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        (!sizes.contains(&self.call.dim)).then(|| format!("it is for heads of {}", listed()))
    }

    /// Head sizes of ROCM_ATTN in the release.
    fn rocm_sizes(&self) -> &'static [u32] {
        if self.release >= (0, 17) { ROCM_ATTN } else { HEADS }
    }

    fn small(&self) -> Option<String> {
        (self.call.dim < 32).then(|| "it is for heads of 32 and more".to_owned())
    }

    /// Why AITER is not taken on this card, or is not here.
    fn of_aiter(&self, processors: &[&str]) -> Option<String> {
        if !processors.contains(&self.processor) {
            return Some(format!("vLLM takes AITER on {} only", processors.join(" and ")));
        }
        self.no_aiter()
    }

    fn no_aiter(&self) -> Option<String> {
        (!self.has_aiter).then(|| "the package aiter is not here".to_owned())
    }

    /// Why variables do not switch it on.
    fn off(&self, variables: &[(&str, bool)]) -> Option<String> {
        let lacks = variables.iter().find(|(name, usual)| !self.environment.is_on(name, *usual));
        lacks.map(|(name, _)| format!("it is off without {name}=1"))
    }

    fn aiter_fa_by(&self, processors: &[&str]) -> Switched {
        let off = self.off(&[("VLLM_ROCM_USE_AITER", false), ("VLLM_ROCM_USE_AITER_MHA", true)]);
        let sizes = if self.release >= (0, 10) { AITER_FA } else { HEADS };
        Switched {
            backend: Step::taken("ROCM_AITER_FA", Some("AITER"), self.source),
            off: self.of_aiter(processors).or(off),
            refused: self.of_half().or_else(|| self.of_size(sizes)).or_else(|| self.of_one_size()),
        }
    }

    fn aiter_fa(&self) -> Switched {
        self.aiter_fa_by(WITH_AITER)
    }

    fn aiter_fa_before(&self) -> Switched {
        self.aiter_fa_by(WITH_AITER_BEFORE)
    }

    fn unified_switched_on(&self, of_size: Option<String>) -> Switched {
        let variables = [("VLLM_ROCM_USE_AITER", false), ("VLLM_ROCM_USE_AITER_UNIFIED_ATTENTION", false)];
        Switched {
            backend: Step::taken("ROCM_AITER_UNIFIED_ATTN", Some("Triton"), self.source),
            off: self.off(&variables),
            refused: self.no_aiter().or(of_size).or_else(|| self.of_type()).or_else(|| self.of_one_size()),
        }
    }

    fn unified(&self, processors: &[&str]) -> Step {
        let refused = self.of_aiter(processors).or_else(|| self.of_type());
        let refused = refused.or_else(|| self.small()).or_else(|| self.of_one_size());
        Step::taken("ROCM_AITER_UNIFIED_ATTN", Some("Triton"), self.source).unless(refused)
    }

    fn unified_of_rdna(&self) -> Step {
        let off = self.of_aiter(RDNA_4).or_else(|| self.off(&[("VLLM_ROCM_USE_AITER", false)]));
        let refused = off.or_else(|| self.of_half()).or_else(|| self.small()).or_else(|| self.of_one_size());
        Step::taken("ROCM_AITER_UNIFIED_ATTN", Some("Triton"), self.source).unless(refused)
    }

    /// ROCM_ATTN, where a variable asks for it: `others` do too, beside AITER.
    fn prefill_decode(&self, others: &[&str]) -> Switched {
        let by_other = others.iter().any(|name| self.environment.is_on(name, false))
            && self.environment.is_on("VLLM_ROCM_USE_AITER", false);
        let off = self.off(&[("VLLM_V1_USE_PREFILL_DECODE_ATTENTION", false)]).filter(|_| !by_other);
        let Step { backend, library, refused, source } = self.rocm_attn(self.rocm_sizes());
        Switched { backend: Step::taken(backend, library, source), off, refused }
    }

    fn rocm_attn(&self, sizes: &[u32]) -> Step {
        let refused = self.of_type().or_else(|| self.of_size(sizes)).or_else(|| self.of_one_size());
        Step::taken("ROCM_ATTN", Some("Triton"), self.source).unless(refused)
    }

    fn triton(&self) -> Step {
        let refused = self.of_type().or_else(|| self.small()).or_else(|| self.of_one_size());
        Step::taken("TRITON_ATTN", Some("Triton"), self.source).unless(refused)
    }

    fn triton_before(&self) -> Step {
        let refused = self.of_type().or_else(|| self.of_size(HEADS)).or_else(|| self.of_one_size());
        Step::taken("TRITON_ATTN", Some("Triton"), self.source).unless(refused)
    }
}
