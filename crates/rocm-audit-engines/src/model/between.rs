//! Counts the launches between the products of a batch: norms, rotations, sums, gated units, the cache.
//!
//! The graph is counted block by block, from the block's weights, the traits of its architecture
//! ([`graph`](super::graph)) and ggml's fusion: sums and units that are part of a product's launch do not
//! count separately. Fusions without a product are decided here, following ggml d99724f2b141
//! `ggml_cuda_try_fuse` and runs of 0.27.0: norm and weight, norm and rotation, norm and sum, rotation and
//! the write to the cache, sums of the same shape, the choice of experts, the sum of experts.

use super::beside::Launches;
use super::graph::{Graph, GraphTrait};
use super::launch::Fusion;
use super::network::{Heads, Network, Weight};
use super::operation::{Batch, Settings};
use std::collections::HashMap;

/// The fusion of each product with a weight, by block and role.
pub type Fusions<'a> = HashMap<(Option<u64>, &'a str), Fusion>;

/// Element-wise sums, products and quotients, which share one template.
const ELEMENTS: &str = "k_bin_bcast";

/// The kernel of a gated unit.
const UNIT: &str = "unary_gated_op_kernel";

/// The launches between the products of a batch.
///
/// # Errors
///
/// If the crate's own rules are malformed.
pub fn between(
    network: &Network,
    batch: &Batch,
    settings: &Settings,
    fusions: &Fusions<'_>,
) -> Result<Launches, &'static str> {
    let graph = Graph::for_architecture(&network.architecture);
    let has_windows =
        (0..network.blocks).any(|block| network.attention(block).is_some_and(|h| h.window.is_some()));
    let mut maker = Maker { network, batch, settings, fusions, graph, has_windows, all: Launches::default() };
    maker.ends();
    maker.norms();
    maker.biases();
    for block in 0..network.blocks {
        let heads = network.attention(block);
        if let Some(heads) = &heads {
            maker.attention(block, heads);
        }
        if maker.has(block, "ssm_in") {
            maker.state_space(block);
        }
        // Operations without rows are not launched.
        if maker.is_last(block) && maker.is_silent() {
            continue;
        }
        maker.units(block);
        maker.experts(block);
        let (sums, scales) = maker.sums(block, heads.is_some());
        maker.all.add(ELEMENTS, sums);
        maker.all.add("scale_f32", scales);
    }
    Ok(maker.all)
}

/// How queries and keys are rotated in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turned {
    Not,
    Halves,
    Pairs,
    Sections,
}

struct Maker<'a> {
    network: &'a Network,
    batch: &'a Batch,
    settings: &'a Settings,
    fusions: &'a Fusions<'a>,
    graph: Graph,
    has_windows: bool,
    all: Launches,
}

impl Maker<'_> {
    fn has(&self, block: u64, role: &str) -> bool {
        self.network.has(Some(block), role)
    }

    fn is_last(&self, block: u64) -> bool {
        block + 1 == self.network.blocks
    }

    /// Whether no result rows are requested, so that everything after the last block's attention is empty.
    fn is_silent(&self) -> bool {
        self.batch.outputs == 0 && !self.network.is_encoder()
    }

    /// Whether a number in the metadata exists and has an effect.
    fn scales(&self, key: &str) -> bool {
        self.network.float_of_architecture(key).is_some_and(|scale| scale != 0.0)
    }

    /// Launches before the first block and after the last.
    fn ends(&mut self) {
        self.all.add(ELEMENTS, u64::from(self.network.has(None, "position_embd")));
        let is_scaled = self.graph.has(GraphTrait::ScaledEmbedding) || self.scales("embedding_scale");
        self.all.add("scale_f32", u64::from(is_scaled));
        if self.is_silent() {
            return;
        }
        self.all.add("k_get_rows", if self.graph.has(GraphTrait::ThreeRows) { 3 } else { 2 });
        self.all.add("scale_f32", u64::from(self.scales("logit_scale")));
        self.all.add("softcap_f32", u64::from(self.scales("final_logit_softcapping")));
    }

    /// Norms with their weights, including the rotation of queries and keys if it follows directly.
    fn norms(&mut self) {
        let network = self.network;
        let is_layer = self.graph.has(GraphTrait::LayerNorm);
        for weight in network.weights.iter().filter(|weight| weight.role.contains("norm")) {
            if weight.block.is_some_and(|block| block >= network.blocks)
                || self.is_silent() && self.is_behind(weight)
            {
                continue;
            }
            if self.is_turned_with(weight) {
                self.all.add("rms_norm_mul_rope_f32", 1);
            } else if is_layer {
                self.all.add("norm_f32", 1);
                self.all.add(ELEMENTS, 1 + u64::from(network.has_bias(weight.block, &weight.role)));
            } else {
                self.all.add("rms_norm_f32", 1);
            }
        }
        let without = self.graph.number(GraphTrait::NormsWithoutWeights);
        if without > 0 {
            let count = without.saturating_mul(network.blocks).saturating_add(1);
            self.all.add(if is_layer { "norm_f32" } else { "rms_norm_f32" }, count);
        }
    }

    /// Whether a weight comes after the attention of the last block.
    fn is_behind(&self, weight: &Weight) -> bool {
        let of_feed = weight.role.starts_with("ffn_") || weight.role.starts_with("post_");
        match weight.block {
            Some(block) => self.is_last(block) && of_feed,
            None => weight.role.starts_with("output"),
        }
    }

    /// Whether a norm applies to each head and is followed by the rotation, so that both are one launch.
    fn is_turned_with(&self, weight: &Weight) -> bool {
        let is_of_heads = matches!(weight.role.as_str(), "attn_q_norm" | "attn_k_norm");
        let Some(block) = weight.block.filter(|_| is_of_heads) else { return false };
        let heads = self.network.attention(block);
        let is_each = heads.is_some_and(|heads| weight.shape.first() == Some(&heads.key));
        is_each
            && !self.graph.has(GraphTrait::LayerNorm)
            && !self.graph.has(GraphTrait::NormsBehindTurning)
            && matches!(self.turned(block), Turned::Halves | Turned::Pairs)
    }

    fn turned(&self, block: u64) -> Turned {
        let graph = &self.graph;
        let every = graph.number(GraphTrait::TurnedButEvery);
        let in_window = self.network.attention(block).is_some_and(|heads| heads.window.is_some());
        match () {
            () if graph.has(GraphTrait::NotTurned) => Turned::Not,
            () if every > 0 && block % every == every - 1 => Turned::Not,
            () if graph.has(GraphTrait::TurnedInWindows) && self.has_windows && !in_window => Turned::Not,
            () if graph.has(GraphTrait::TurnedBySections) => Turned::Sections,
            () if graph.has(GraphTrait::TurnedByPairs) => Turned::Pairs,
            () => Turned::Halves,
        }
    }

    /// Biases that are not part of their product's launch.
    fn biases(&mut self) {
        for ((block, role), fusion) in self.fusions {
            if *fusion == Fusion::None && self.network.has_bias(*block, role) {
                let kernel = if role.ends_with("_exps") { "add_id_kernel" } else { ELEMENTS };
                self.all.add(kernel, 1);
            }
        }
    }

    /// Launches around the products of attention.
    fn attention(&mut self, block: u64, heads: &Heads) {
        let turned = self.turned(block);
        let joined = ["attn_q_norm", "attn_k_norm"]
            .iter()
            .filter_map(|role| self.network.weight(Some(block), role))
            .filter(|weight| self.is_turned_with(weight))
            .count() as u64;
        let rotations = 2_u64.saturating_sub(joined);
        match turned {
            Turned::Not => {}
            Turned::Halves => self.all.add("rope_neox", rotations),
            Turned::Pairs => self.all.add("rope_norm", rotations),
            Turned::Sections => self.all.add("rope_multi", rotations),
        }
        self.all.add("scale_f32", u64::from(self.graph.has(GraphTrait::ScaledQueries)));
        self.cache(turned, heads);
        let is_encoder = self.network.is_encoder();
        // The result for a single token is already in order, and is copied.
        let is_reordered = u64::from(self.batch.tokens > 1);
        if heads.absorbed {
            self.all.add("concat", 2);
            self.all.add("cpy", is_reordered);
        }
        if self.settings.flash {
            // Without a cache, keys and values are converted to halves here.
            self.all.add("cpy", if is_encoder { 2 } else { 0 });
            return;
        }
        self.all.add("softcap_f32", u64::from(self.network.is_capped()));
        self.all.add("soft_max_f32", 1);
        if heads.absorbed {
            self.all.add("cpy", 1);
            return;
        }
        self.all.add("cpy", is_reordered);
        // Values are written transposed; those from a larger product are reordered first.
        let is_part = self.has(block, "attn_qkv");
        self.all.add("cpy", u64::from(is_part && self.batch.all_tokens() > 1));
    }

    /// Writes to the cache. The rotation writes keys if nothing is between.
    fn cache(&mut self, turned: Turned, heads: &Heads) {
        if self.network.is_encoder() {
            return;
        }
        let ty = self.settings.cache;
        let writes = if heads.absorbed { 1 } else { 2 };
        let by_rotation = !heads.absorbed
            && matches!(turned, Turned::Halves | Turned::Pairs)
            && !self.has_windows
            && !self.graph.has(GraphTrait::NormsBehindTurning)
            && self.batch.sequences == 1
            && matches!(ty.name, "f16" | "f32");
        let kernel = if ty.is_quantized() { "k_set_rows_quant" } else { "k_set_rows" };
        self.all.add(kernel, writes - u64::from(by_rotation));
    }

    /// Mamba's state space; that of version 2 adds a bias to steps that are part of a larger product.
    fn state_space(&mut self, block: u64) {
        let has_several = self.batch.sequences > 1;
        self.all.add("concat", 1);
        self.all.add("k_get_rows", 1 + u64::from(has_several));
        self.all.add("ssm_conv", 1);
        self.all.add("ssm_scan", 1);
        self.all.add(UNIT, 1);
        // The input is added with its own weight.
        self.all.add(ELEMENTS, if self.has(block, "ssm_dt") { 2 } else { 3 });
        self.all.add("cpy", if has_several { 3 } else { 1 });
        // Both states of a new sequence are cleared.
        self.all.add("scale_f32", if self.batch.begins { 2 } else { 0 });
    }

    /// Activations and gated units of the feed-forward part.
    fn units(&mut self, block: u64) {
        let network = self.network;
        for kind in ["", "_shexp", "_exps"] {
            let clamps = kind == "_exps" && self.graph.has(GraphTrait::ClampedUnits);
            let gated = if clamps { "swiglu_oai_kernel" } else { UNIT };
            if self.has(block, &format!("ffn_gate_up{kind}")) {
                self.all.add(gated, 1);
            }
            let up = format!("ffn_up{kind}");
            let Some(weight) = network.weight(Some(block), &up) else { continue };
            let rows = |weight: &Weight| weight.shape.get(1).copied().unwrap_or(1);
            let down = network.weight(Some(block), &format!("ffn_down{kind}"));
            let inner = down.and_then(|down| down.shape.first().copied()).unwrap_or(0);
            let is_double = inner > 0 && rows(weight) == inner.saturating_mul(2);
            if self.has(block, &format!("ffn_gate{kind}")) {
                let joined = self.fusions.get(&(Some(block), up.as_str())) == Some(&Fusion::WithGate);
                self.all.add(gated, u64::from(!joined));
            } else if is_double {
                self.all.add(gated, 1);
            } else {
                self.all.add("unary_op_kernel", 1);
            }
        }
        // The gate of the shared expert: a sigmoid as SiLU and quotient, then the product.
        if self.has(block, "ffn_gate_inp_shexp") {
            self.all.add("unary_op_kernel", 1);
            self.all.add(ELEMENTS, 2);
        }
    }

    /// The choice of experts, and the sum of their results.
    fn experts(&mut self, block: u64) {
        let network = self.network;
        let Some(router) = network.weight(Some(block), "ffn_gate_inp") else { return };
        let used = network.experts_used();
        if used > 1 {
            self.all.add("moe_weighted_reduction_f32", 1);
        } else {
            self.all.add(ELEMENTS, 1);
            self.all.add("cpy", 1);
        }
        let experts = router.shape.get(1).copied().unwrap_or(0);
        let groups = network.of_architecture("expert_group_count").unwrap_or(0);
        let of_chosen = self.graph.has(GraphTrait::SharesOfTheChosen);
        let is_made_for = experts.is_power_of_two() && experts <= 512 || matches!(experts, 288 | 576);
        if is_made_for && groups <= 1 && !of_chosen {
            self.all.add("topk_moe_cuda", 1);
            return;
        }
        const SIGMOID: u64 = 2;
        let gating = network.of_architecture("expert_gating_func").filter(|gating| *gating > 0);
        let is_sigmoid =
            gating.map_or(self.graph.has(GraphTrait::SigmoidExperts), |gating| gating == SIGMOID);
        self.all.add(if is_sigmoid { "unary_op_kernel" } else { "soft_max_f32" }, 1);
        self.all.add(ELEMENTS, u64::from(network.has_bias(Some(block), "exp_probs_b")));
        self.all.add("k_argsort_f32_i32", 1);
        self.all.add("k_get_rows", 1);
        if groups > 1 {
            self.all.add("k_argsort_f32_i32", 2);
            self.all.add("k_get_rows", 2);
            self.all.add("reduce_rows_f32", 1);
            self.all.add("fill_kernel", 1);
            self.all.add("k_set_rows", 1);
        }
        let sums_up = network.bool_of_architecture("expert_weights_norm");
        if sums_up.unwrap_or(self.graph.has(GraphTrait::NormedExperts)) {
            self.all.add("reduce_rows_f32", 1);
            self.all.add("clamp_kernel", 1);
            self.all.add(ELEMENTS, 1);
        }
        let scale = network.float_of_architecture("expert_weights_scale");
        self.all.add("scale_f32", u64::from(scale.is_some_and(|scale| scale != 0.0 && scale != 1.0)));
    }

    /// Whether a sum is part of a product's launch.
    fn is_absorbed(&self, block: u64, role: &str) -> bool {
        let with_sum = self.fusions.get(&(Some(block), role)) == Some(&Fusion::WithSum);
        with_sum && !self.network.has_bias(Some(block), role)
    }

    /// Additions to the block's input: sums, and scales before them.
    fn sums(&self, block: u64, attends: bool) -> (u64, u64) {
        let picks = self.is_last(block);
        let absorbed = |role: &str| u64::from(self.is_absorbed(block, role));
        let has_state = self.has(block, "ssm_out");
        let is_mixer = attends || has_state || self.has(block, "shortconv.out_proj");
        let feeds = ["ffn_down", "ffn_down_exps"].iter().any(|role| self.has(block, role));
        let of_mixer = absorbed("attn_output").max(absorbed("ssm_out"));
        let of_feed = absorbed("ffn_down");
        if self.graph.has(GraphTrait::SumsTogether) {
            // In the last block, rows are selected between the two sums.
            return (if of_mixer + of_feed > 0 || !picks { 1 } else { 2 }, 0);
        }
        let parallel = self.network.bool_of_architecture("use_parallel_residual") == Some(true);
        if self.graph.has(GraphTrait::SumsApart) || parallel {
            return (2 - of_mixer - of_feed, 0);
        }
        let scaled = u64::from(self.scales("residual_scale"));
        let is_layer = self.graph.has(GraphTrait::LayerNorm);
        let norm_behind_feed =
            !is_layer && (self.has(block, "post_ffw_norm") || self.has(block, "layer_output_norm"));
        let norm_behind_mixer = !is_layer
            && (self.has(block, "attn_output_norm")
                || self.has(block, "post_attention_norm")
                    && (self.has(block, "ffn_norm") || norm_behind_feed));
        let behind_mixer = if norm_behind_mixer { u64::from(picks) } else { 1 - of_mixer };
        let has_shared = self.has(block, "ffn_down_shexp");
        let apart = 1 - absorbed("ffn_down_shexp");
        let behind_feed = match (norm_behind_feed, has_shared) {
            (true, false) => 0,
            (true, true) => apart,
            (false, false) => 1 - of_feed,
            // The sums of the shared expert and of the block have the same shape: one launch, unless the
            // result is scaled.
            (false, true) => 1 + scaled * apart,
        };
        let count = |is_there: bool, sums: u64| if is_there { (sums, scaled) } else { (0, 0) };
        let (mixer, feed) = (count(is_mixer, behind_mixer), count(feeds, behind_feed));
        // Attention and state space in the same block are added up first.
        let both = u64::from(attends && has_state);
        (mixer.0 + feed.0 + both, mixer.1 + feed.1)
    }
}
