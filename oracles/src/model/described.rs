//! Operations in the terms of the runs.

use rocm_audit::engines::ggml;
use rocm_audit::engines::model::operation::{Operation, Product};
use serde_json::Value;

/// Rotations of a quantized cache are not products of the model.
pub(super) fn is_rotation(role: &str) -> bool {
    role.starts_with("attn_inp_")
}

/// Describes an operation in the terms of the runs.
pub(super) fn described(operation: &Operation) -> String {
    let role = match (operation.block, operation.weight) {
        (_, None) => operation.role.clone(),
        (Some(_), Some(_)) => format!("blk.*.{}", operation.role),
        (None, Some(_)) => operation.role.clone(),
    };
    match &operation.product {
        Product::MulMat(p, d) => {
            let precision = if p.precision == ggml::rules::Precision::F32 { 10 } else { 0 };
            let depth = [d.ne02, d.ne12, d.ne03, d.ne13];
            format!("MUL_MAT {role} {} {} {} {} {depth:?} {precision}", p.ty.name, p.k, p.n, p.ne11)
        }
        Product::Experts(p, ne11) => {
            format!(
                "MUL_MAT_ID {role} {} {} {} {ne11} {} {} {}",
                p.ty.name, p.k, p.n, p.experts, p.used, p.tokens
            )
        }
        Product::Attention(flash) => {
            let p = &flash.query;
            let (sinks, capped) = (u8::from(flash.sinks), flash.capped);
            let sizes = [p.dk, p.dv, p.queries, p.heads, p.kv_heads, p.keys, flash.streams];
            format!("FLASH_ATTN_EXT {} {sizes:?} {sinks} {capped}", p.ty.name)
        }
        Product::Hadamard(..) => String::new(),
    }
}

/// Describes an operation of a run; `None` if it is not one of the model's products.
pub(super) fn as_observed(op: &Value) -> Option<String> {
    let word = |field: &str| op[field].as_str().unwrap_or_default();
    let number = |field: &str| op[field].as_u64().unwrap_or_default();
    let or_one = |field: &str| op[field].as_u64().unwrap_or(1);
    let weight = word("w").trim_end_matches(".weight");
    if matches!(word("op"), "SSM_CONV" | "SSM_SCAN") || is_rotation(weight) {
        return None;
    }
    let role = match weight {
        keys if keys.starts_with("cache_k") => "cache_k",
        values if values.starts_with("cache_v") || values.starts_with("v_cont") => "cache_v",
        other => other,
    };
    let (ty, k, n, ne11) = (word("type"), number("K"), number("N"), number("ne11"));
    Some(match word("op") {
        "MUL_MAT" => {
            let depth = [or_one("ne02"), or_one("ne12"), or_one("ne03"), or_one("ne13")];
            format!("MUL_MAT {role} {ty} {k} {n} {ne11} {depth:?} {}", number("prec"))
        }
        "MUL_MAT_ID" => {
            let (experts, used, tokens) = (number("experts"), number("used"), number("tokens"));
            format!("MUL_MAT_ID {role} {ty} {k} {n} {ne11} {experts} {used} {tokens}")
        }
        _ => {
            let sizes = ["D", "DV", "nq", "nh", "nkv", "kv", "streams"].map(number);
            let capped = op["softcap"].as_f64().is_some_and(|cap| cap != 0.0);
            format!("FLASH_ATTN_EXT {ty} {sizes:?} {} {capped}", number("sinks"))
        }
    })
}
