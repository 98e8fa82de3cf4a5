//! Targets: the processor and feature states that a code object is made for.

mod gfx_version;
#[cfg(feature = "std")]
mod other_names;
mod processor;
#[cfg(feature = "std")]
pub mod product;
#[cfg(feature = "std")]
pub mod rates;

use alloc::string::String;
pub use gfx_version::GfxVersion;
pub use processor::{Family, PROCESSORS, Processor};

use core::cmp::Ordering;
use core::fmt;

/// A target ID: a processor and, if fixed, the states of the XNACK and SRAM-ECC features.
///
/// `gfx90a:sramecc+:xnack-`. A feature that is not named is "any" (since code object V4) or unsupported.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TargetId {
    /// The processor's name; for an unknown number in `e_flags` `mach_0x4d`, which is shown, never guessed.
    pub processor: String,
    /// `sramecc+` or `sramecc-`, if fixed.
    pub sramecc: Option<bool>,
    /// `xnack+` or `xnack-`, if fixed.
    pub xnack: Option<bool>,
}

impl TargetId {
    /// A processor with no feature fixed.
    pub fn bare(processor: impl Into<String>) -> Self {
        TargetId { processor: processor.into(), sramecc: None, xnack: None }
    }

    /// Whether it fixes a feature, as `gfx90a:xnack+` does.
    pub fn has_features(&self) -> bool {
        self.sramecc.is_some() || self.xnack.is_some()
    }

    /// Parses a target ID. Accepts the form since code object V4 (`gfx906:sramecc+:xnack-`), the `+` form of
    /// V2 and V3 bundles (`gfx906+xnack+sram-ecc`), and unknown processors; `None` if the text does not begin
    /// with `gfx`, `amdgcnspirv` or a `mach_` number, or has another feature.
    pub fn parse(text: &str) -> Option<Self> {
        let (processor, features) = match text.find([':', '+']) {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let digits = processor.strip_prefix("gfx").or_else(|| processor.strip_prefix("mach_0x"));
        if processor != "amdgcnspirv"
            && !digits.is_some_and(|d| d.starts_with(|c: char| c.is_ascii_hexdigit()))
        {
            return None;
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !processor.chars().all(allowed) {
            return None;
        }
        let mut target = TargetId::bare(processor);
        if features.starts_with('+') {
            for feature in features.split('+').skip(1) {
                target.set_feature(feature, true)?;
            }
        } else {
            for feature in features.split(':').skip(1) {
                let (name, on) = match feature.strip_suffix('+') {
                    Some(name) => (name, true),
                    None => (feature.strip_suffix('-')?, false),
                };
                target.set_feature(name, on)?;
            }
        }
        Some(target)
    }

    fn set_feature(&mut self, name: &str, on: bool) -> Option<()> {
        match name {
            "xnack" => self.xnack = Some(on),
            "sramecc" | "sram-ecc" => self.sramecc = Some(on),
            _ => return None,
        }
        Some(())
    }

    /// The table's row for its processor.
    pub fn known(&self) -> Option<&'static Processor> {
        Processor::by_name(&self.processor)
    }

    /// Whether code for this target loads on a device with the target `agent`: it needs the same processor,
    /// or a generic one with that member, and no feature fixed to the opposite state. Features that `agent`
    /// does not state match. Source: ROCr's `Isa::IsCompatible`.
    pub fn loads_on(&self, agent: &TargetId) -> bool {
        let generic = agent.known().and_then(|p| p.generic);
        let fits =
            |own: Option<bool>, agents: Option<bool>| own.is_none() || agents.is_none() || own == agents;
        (self.processor == agent.processor || generic == Some(&self.processor))
            && fits(self.sramecc, agent.sramecc)
            && fits(self.xnack, agent.xnack)
    }

    /// Whether code for this target counts where `agents` are asked for: where none is, all code does, else
    /// what [loads](TargetId::loads_on) on one of them.
    pub fn is_wanted_by(&self, agents: &[TargetId]) -> bool {
        agents.is_empty() || agents.iter().any(|agent| self.loads_on(agent))
    }

    fn order(&self) -> (usize, &str, Option<bool>, Option<bool>) {
        (Processor::rank(&self.processor), &self.processor, self.sramecc, self.xnack)
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        for (name, state) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(on) = state {
                write!(f, ":{name}{}", if on { '+' } else { '-' })?;
            }
        }
        Ok(())
    }
}

impl Ord for TargetId {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for TargetId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read_and_one_is_written() {
        for (text, canonical) in [
            ("gfx900", "gfx900"),
            ("gfx90a:xnack+", "gfx90a:xnack+"),
            ("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"),
            ("gfx906+xnack+sram-ecc", "gfx906:sramecc+:xnack+"),
            ("gfx12-5-generic", "gfx12-5-generic"),
            ("gfx9-4-generic:xnack-", "gfx9-4-generic:xnack-"),
            ("gfx9999", "gfx9999"),
            ("amdgcnspirv", "amdgcnspirv"),
        ] {
            assert_eq!(TargetId::parse(text).map(|t| t.to_string()).as_deref(), Some(canonical), "{text}");
        }
        for text in ["", "gfx", "gfxtools", "navi10", "gfx900:", "gfx900:wgp+", "gfx900:xnack", "gfx9 00"] {
            assert_eq!(TargetId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn code_loads_by_processor_generic_and_features() {
        let loads = |code: &str, agent: &str| {
            TargetId::parse(code).unwrap().loads_on(&TargetId::parse(agent).unwrap())
        };
        assert!(loads("gfx90a", "gfx90a:sramecc+:xnack-"));
        assert!(loads("gfx90a:xnack-", "gfx90a:sramecc+:xnack-"));
        assert!(!loads("gfx90a:xnack+", "gfx90a:sramecc+:xnack-"));
        assert!(loads("gfx90a:xnack+", "gfx90a"));
        assert!(loads("gfx10-3-generic", "gfx1032"));
        assert!(!loads("gfx1030", "gfx1032"));
        assert!(!loads("gfx9-generic", "gfx90a"));
        // A revision with its own name runs neither the other revision's code nor another generic target's.
        assert!(loads("gfx12-5-generic", "gfx1250-strict"));
        assert!(!loads("gfx1250-strict", "gfx1250"));
        assert!(!loads("gfx12-generic", "gfx1250-strict"));
    }

    #[test]
    fn order_is_by_generation_then_name_then_features() {
        let mut ids: Vec<_> =
            ["gfx1030", "gfx9-generic", "gfx90a:xnack-", "gfx803", "gfx90a", "gfxabc", "gfx900"]
                .iter()
                .filter_map(|t| TargetId::parse(t))
                .collect();
        ids.sort();
        let sorted: Vec<_> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(
            sorted,
            ["gfx803", "gfx900", "gfx90a", "gfx90a:xnack-", "gfx1030", "gfx9-generic", "gfxabc"]
        );
    }
}
