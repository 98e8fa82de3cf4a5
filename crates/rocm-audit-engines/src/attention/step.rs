//! What a framework tries: its backends in their order, and why it leaves one.

/// A backend that a framework tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The backend as the framework names it.
    pub backend: &'static str,
    /// The library whose kernels it launches, as libraries are named here; `None` where it has no kernel of
    /// attention of its own.
    pub library: Option<&'static str>,
    /// Why the framework does not take it; `None` if it takes it when it tries it.
    pub refused: Option<String>,
    /// Where the rule is written.
    pub source: &'static str,
}

impl Step {
    /// A backend that the framework takes.
    pub(super) fn taken(backend: &'static str, library: Option<&'static str>, source: &'static str) -> Self {
        Step { backend, library, refused: None, source }
    }

    /// The same, left for a reason, if there is one.
    pub(super) fn unless(mut self, refused: Option<String>) -> Self {
        self.refused = refused;
        self
    }

    /// The same, left for this reason too, if it is not for another.
    pub(super) fn unless_also(mut self, refused: Option<String>) -> Self {
        self.refused = self.refused.or(refused);
        self
    }
}

/// Variables of the environment that the rules know: name, whose, and what they do.
pub const VARIABLES: &[(&str, &str)] = &[
    ("TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL", "PyTorch"),
    ("TORCH_ROCM_FA_PREFER_CK", "PyTorch"),
    ("VLLM_ROCM_USE_AITER", "vLLM"),
    ("VLLM_ROCM_USE_AITER_MHA", "vLLM"),
    ("VLLM_ROCM_USE_AITER_UNIFIED_ATTENTION", "vLLM"),
    ("VLLM_USE_AITER_UNIFIED_ATTENTION", "vLLM"),
    ("VLLM_V1_USE_PREFILL_DECODE_ATTENTION", "vLLM"),
    ("AITER_ENABLE_FMHA_OPUS", "AITER"),
    ("AITER_DISABLE_FMHA_OPUS", "AITER"),
];

/// The variables that are set.
#[derive(Debug, Clone, Default)]
pub struct Environment(Vec<(&'static str, String)>);

impl Environment {
    /// Sets a variable that is known; false for another.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let known = VARIABLES.iter().find(|(own, _)| *own == name);
        if let Some((name, _)) = known {
            self.0.push((name, value.to_owned()));
        }
        known.is_some()
    }

    /// Whether a variable is on; `default` where it is not set.
    pub fn is_on(&self, name: &str, default: bool) -> bool {
        let set = self.0.iter().rev().find(|(own, _)| *own == name);
        set.map_or(default, |(_, value)| {
            matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "on" | "yes")
        })
    }

    /// The variables of a framework that are set, as they are written.
    pub fn of(&self, whose: &str) -> Vec<String> {
        let is_of = |name: &str| VARIABLES.iter().any(|(own, of)| *own == name && *of == whose);
        self.0.iter().filter(|(name, _)| is_of(name)).map(|(name, value)| format!("{name}={value}")).collect()
    }
}
