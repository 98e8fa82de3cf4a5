//! What Triton writes beside each kernel that it compiles: name, target, version of the compiler, and how it
//! is launched.
//!
//! A cache has a folder for each kernel, named by a SHA-256 in base 32, and in it `NAME.json` beside
//! `NAME.hsaco`. Source: Triton 3.9, `runtime/cache.py` and `compiler/compiler.py`; folders of older releases
//! have the same hash in base 16.

use crate::inventory::compiled_kernel::CompiledKernel;
use crate::limits::TEXT_BYTES;
use crate::scan::{Candidate, Scanned, Scanner};
use crate::target::TargetId;
use serde_json::Value;

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "triton-cache",
    of_text: false,
    finds: "what Triton writes beside each kernel that it compiled at run time",
    claims: |candidate| is_metadata(candidate.path, candidate.name),
    scan: |candidate, _, _| Scanned { compiled: kernel(candidate).map(Box::new), ..Scanned::default() },
};

fn is_metadata(path: &str, name: &str) -> bool {
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    let base_32 = |byte: u8| byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7');
    let is_hash = folder.len() == 52 && folder.bytes().all(base_32)
        || folder.len() == 64 && folder.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash && name.ends_with(".json") && !name.starts_with("__grp__")
}

/// Metadata of kernels for other backends than HIP is not of the field.
fn kernel(candidate: &Candidate<'_>) -> Option<CompiledKernel> {
    let bytes = candidate.file.bytes();
    let stated: Value = serde_json::from_slice(bytes.get(..TEXT_BYTES.min(bytes.len()))?).ok()?;
    let target = stated.get("target")?;
    // Up to 2.1 the target was a list: ["hip", "gfx90a"].
    let word = |value: &Value, key: &str, place: usize| {
        value.get(key).or_else(|| value.get(place)).and_then(Value::as_str).map(str::to_owned)
    };
    (word(target, "backend", 0)? == "hip").then_some(())?;
    let number = |key: &str| stated.get(key).and_then(Value::as_u64);
    let named = stated.get("name").and_then(Value::as_str).or(candidate.name.strip_suffix(".json"))?;
    Some(CompiledKernel {
        shown: candidate.shown.to_owned(),
        name: named.to_owned(),
        target: TargetId::parse(&word(target, "arch", 1)?)?,
        version: stated.get("triton_version").and_then(Value::as_str).map(str::to_owned),
        warps: number("num_warps"),
        waves_per_eu: number("waves_per_eu"),
    })
}
