//! From facts to causes: what a message means beside what else the log says.

use super::Facts;
use crate::messages::recognise::Hit;
use crate::messages::table::{Class, Weight};
use crate::target::GfxVersion;

/// Messages of faults on the device, for which an override matters.
const FAULTS: [&str; 6] = [
    "memory-access-fault",
    "memory-access-fault-nil",
    "gpu-hang",
    "hsa-invalid-isa",
    "hsa-illegal-instruction",
    "hsa-exception",
];

/// Messages that no code was loaded.
const NO_CODE: [&str; 6] = [
    "no-binary-for-gpu",
    "no-kernel-image",
    "invalid-device-function",
    "shared-object-init",
    "no-compatible-code-objects",
    "invalid-image",
];

/// Puts the causes of a message in the order that the facts give them.
pub(in crate::messages) fn conclude(hit: &mut Hit, facts: &Facts) {
    if hit.class == Class::NotRocm {
        return;
    }
    let id = hit.message.id;
    let card = facts.device().map(str::to_owned);
    let overridden = facts.overridden();
    let major = |name: &str| GfxVersion::of(name).map(|version| version.major);
    if let (Some(card), Some(other)) = (&card, overridden.iter().next()) {
        let (is_same, is_generation) = (card == other, major(card) == major(other));
        if is_same {
            // The runtime itself says the name of the override, or the override is not needed.
            return;
        }
        if FAULTS.contains(&id) && !is_generation {
            hit.put_first("OV-CROSS-MAJOR");
        } else if FAULTS.contains(&id) {
            // An override within the generation is no override to another one.
            hit.causes.retain(|cause| *cause != "OV-CROSS-MAJOR");
            if matches!(id, "hsa-invalid-isa" | "hsa-illegal-instruction") {
                hit.put_first("OV-UNSAFE");
            }
        }
    }
    // A list of what is in the file, without the card: nothing else has to be supposed.
    if NO_CODE.contains(&id)
        && let Some(card) = &card
        && !facts.listed.is_empty()
        && !facts.listed.contains(card)
        && overridden.is_empty()
        && facts.devices.len() == 1
    {
        hit.put_first("FB-ARCH-MISSING");
    }
}

/// What becomes of the messages where the one that would decide is harmless and something else in the log has ended the program.
pub(in crate::messages) fn fallen(hits: &mut [Hit], has_other_error: bool) {
    let is_harmless = |hit: &Hit| hit.message.weight == Weight::Harmless;
    if has_other_error && hits.iter().all(is_harmless) {
        for hit in hits {
            hit.class = Class::Unknown;
            hit.causes.clear();
        }
    }
}
