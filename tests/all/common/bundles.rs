//! Writes offload bundles.

/// A plain bundle whose bodies begin at multiples of `align`, each for its own target.
pub fn bundle(bodies: &[&[u8]], align: usize) -> Vec<u8> {
    let names: Vec<String> = (0..bodies.len()).map(|number| format!("gfx9{number:02x}")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(bodies.iter().copied()).collect();
    bundle_for(&entries, align)
}

/// A plain bundle whose bodies begin at multiples of `align`, each with the target of its entry.
pub use amdgpu_samples::bundle::offload_bundle as bundle_for;
