//! What the operands of a family of processors have in common: which registers there are, and how numbers are read.

/// Properties of a family that operands and their text depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Generation {
    pub(super) major: u8,
    pub(super) gfx90a: bool,
    pub(super) gfx940: bool,
    pub(super) gfx10_3: bool,
    pub(super) gfx1250: bool,
    /// A bit of image instructions means addresses of 16 bits.
    pub(super) r128_is_a16: bool,
    /// Data of 16 bits lies two to a register.
    pub(super) packed_d16: bool,
    /// Image addresses need not follow each other; the last few can.
    pub(super) partial_nsa: bool,
    /// Gradients of 16 bits.
    pub(super) g16: bool,
    /// Waves of 32 lanes, as is usual from gfx10 on.
    pub(super) wave32: bool,
}

impl Generation {
    /// That of a processor with these features, by its name.
    pub(super) fn of(processor: &str, features: &[&str]) -> Generation {
        let body = processor.trim_start_matches("gfx");
        let has = |feature: &str| features.contains(&feature);
        let (major, generic) = match body.split_once('-') {
            Some((major, rest)) => (major.parse().unwrap_or(0), rest),
            None => (
                body.get(..body.len().saturating_sub(2)).and_then(|major| major.parse().ok()).unwrap_or(0),
                "",
            ),
        };
        let old = features.contains(&"southern-islands") || major == 6 || major == 7;
        Generation {
            major,
            gfx90a: has("gfx90a-insts"),
            gfx940: has("gfx940-insts"),
            gfx10_3: body.starts_with("103") || generic.starts_with("3"),
            gfx1250: has("gfx1250-insts"),
            r128_is_a16: has("r128-a16"),
            packed_d16: !has("unpacked-d16-vmem") && !old,
            partial_nsa: has("partial-nsa-encoding"),
            g16: has("g16"),
            wave32: major >= 10,
        }
    }

    /// The value of the first register of the trap handler.
    pub(super) fn first_ttmp(&self) -> u64 {
        if self.major >= 9 { 108 } else { 112 }
    }
}
