//! What a user of a model can change, and what it costs.

use serde::Serialize;

/// A change and its effect.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelAdvice {
    /// What to change: `-ub 128`, `-fa off`, `weights as q4_0`.
    pub change: String,
    /// The weights it affects, without block and `.weight`; empty if it affects all.
    pub weights: Vec<String>,
    /// The phase it improves.
    pub phase: String,
    /// Share of floating-point operations in ggml's own kernels now, 0 to 1.
    pub own_share: f64,
    /// That share with the change.
    pub own_share_then: f64,
    /// Launches of the phase now.
    pub launches: u64,
    /// Launches with the change.
    pub launches_then: u64,
    /// Launches that the change costs; 0 if it saves some.
    pub more_launches: u64,
    /// Ubatches of the phase now.
    pub ubatches: u64,
    /// Ubatches with the change.
    pub ubatches_then: u64,
    /// Whether it removes the host's loop over experts.
    pub ends_loop: bool,
    /// Results for other batch sizes.
    pub tried: Vec<ModelTried>,
}

/// A batch size that was tried.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelTried {
    /// Most tokens computed at once.
    pub ubatch: u64,
    /// Share of floating-point operations in ggml's own kernels, 0 to 1.
    pub own_share: f64,
    /// Launches of the phase.
    pub launches: u64,
    /// Whether the host loops over experts.
    pub loops: bool,
}

/// What a prompt costs in batches of the size that was asked for, and by default.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelBatchCost {
    /// Most tokens computed at once.
    pub ubatch: u64,
    /// The same by default.
    pub ubatch_default: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// The same by default.
    pub flops_default: u64,
    /// Bytes read for weights, keys and values.
    pub bytes: u64,
    /// The same by default.
    pub bytes_default: u64,
    /// Launches; a call of BLAS counts as one.
    pub launches: u64,
    /// The same by default.
    pub launches_default: u64,
}
