//! Values of `HSA_OVERRIDE_GFX_VERSION`.

use crate::error::NotUnderstood;
use crate::target::{Family, GfxVersion, TargetId};

/// A value of the variable, and the processor it claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverrideValue {
    /// The value as given.
    pub text: String,
    /// The processor that the value names.
    pub claimed: TargetId,
}

/// Reads a value: `10.3.0` is gfx1030, `9.0.10` is gfx90a. Major version in decimal, minor version and
/// stepping one hexadecimal digit each. Source: ROCr's `amd_topology.cpp`, `HSA_OVERRIDE_GFX_VERSION`.
///
/// # Errors
///
/// If it names no processor of a GPU; the error says what is expected.
pub fn value(text: &str) -> Result<OverrideValue, NotUnderstood> {
    let known = |target: TargetId| is_of_a_gpu(&target).then_some(target);
    if let Some(claimed) = TargetId::parse(&text.to_ascii_lowercase()).and_then(known) {
        // The runtime takes numbers alone.
        let value = GfxVersion::from_name(&claimed.processor).and_then(GfxVersion::override_value);
        return Ok(OverrideValue { text: value.unwrap_or_else(|| text.to_owned()), claimed });
    }
    let numbers: Vec<u32> = text.split('.').filter_map(|number| number.parse().ok()).collect();
    let claimed = match numbers[..] {
        [major, minor @ 0..16, stepping @ 0..16] if text.split('.').count() == 3 => {
            known(TargetId::bare(format!("gfx{major}{minor:x}{stepping:x}")))
        }
        _ => None,
    };
    let claimed = claimed.ok_or_else(|| {
        "expected three numbers that name a processor, such as 10.3.0 for gfx1030 or 9.0.10 for gfx90a; `rocm-audit list arches` has all".to_owned()
    })?;
    Ok(OverrideValue { text: text.to_owned(), claimed })
}

/// Whether GPUs have this processor; generic targets exist only in compilers.
pub fn is_of_a_gpu(target: &TargetId) -> bool {
    target.known().is_some_and(|processor| processor.family() != Family::Generic)
}
