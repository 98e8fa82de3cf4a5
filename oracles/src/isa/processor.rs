//! What a processor's features mean for decoding. A reading of `AMDGPUDisassembler::getInstruction` and of
//! the constructor.

use std::collections::HashSet;

use super::corrections;

/// A processor as the disassembler sees it.
#[derive(Clone, Debug)]
pub struct Processor {
    features: HashSet<String>,
}

/// A decoder table to try, in LLVM's order.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub name: &'static str,
    /// The second try of a table, after 8 bytes were set aside for a literal: 254 then takes no more.
    pub literal_aside: bool,
}

impl Table {
    /// The width of its instructions, which ends its name.
    pub fn bits(self) -> u32 {
        if self.name.ends_with("128") {
            128
        } else {
            self.name.get(self.name.len() - 2..).and_then(|bits| bits.parse().ok()).unwrap_or(32)
        }
    }
}

impl Processor {
    /// A processor with these features; wave32 where the processor leaves the choice, and halves of registers
    /// where it has them.
    pub fn new(mut features: HashSet<String>) -> Self {
        let chosen = ["FeatureWavefrontSize32", "FeatureWavefrontSize64"];
        if !chosen.iter().any(|wave| features.contains(*wave)) {
            let wave = usize::from(!features.contains("FeatureGFX10Insts"));
            features.extend(chosen.get(wave).map(|wave| (*wave).to_owned()));
        }
        if features.contains(corrections::TRUE16) {
            features.insert(corrections::REAL_TRUE16.to_owned());
        }
        Processor { features }
    }

    /// All features, the chosen wave size too.
    pub fn features(&self) -> &HashSet<String> {
        &self.features
    }

    /// Whether it has `feature`, without LLVM's prefix.
    pub fn has(&self, feature: &str) -> bool {
        self.features.contains(&format!("Feature{feature}"))
    }

    /// Whether LLVM has a disassembler for it: not for gfx6 and gfx7.
    pub fn disassembled(&self) -> bool {
        !self.has("SouthernIslands") && !self.has("SeaIslands")
    }

    /// The longest instruction in bytes, literal and addresses too (`getMaxInstLength`).
    pub fn max_length(&self) -> u32 {
        if self.has("NSAEncoding") {
            20
        } else if self.has("GFX950Insts") || self.has("GFX1250Insts") {
            16
        } else if self.has("VOP3Literal") {
            12
        } else {
            8
        }
    }

    /// The decoder tables in the order in which LLVM tries them.
    ///
    /// For gfx6 and gfx7, which LLVM does not disassemble, the order is ours.
    pub fn tables(&self) -> Vec<Table> {
        let (gfx9, gfx10) = (self.has("GFX9"), self.has("GFX10"));
        let (gfx11, gfx12, gfx1250) = (self.has("GFX11"), self.has("GFX12"), self.has("GFX1250Insts"));
        let gfx89 = self.has("VolcanicIslands") || gfx9;
        let (gfx90a, gfx950) = (self.has("GFX90AInsts"), self.has("GFX950Insts"));
        let gfx10b = self.has("GFX10_BEncoding");
        let mut tables = Vec::new();
        let mut add = |when: bool, names: &[&'static str]| {
            if when {
                tables.extend(names.iter().map(|&name| Table { name, literal_aside: false }));
            }
        };
        if !self.disassembled() {
            let gfx7 = self.has("SeaIslands");
            add(!gfx7, &["GFX664"]);
            add(gfx7, &["GFX764"]);
            add(true, &["GFX6GFX764"]);
            add(gfx7, &["GFX732"]);
            add(true, &["GFX6GFX732", "GFX864"]);
            return tables;
        }
        add(gfx1250, &["GFX1250128"]);
        add(gfx11, &["GFX1196", "GFX11_FAKE1696"]);
        // The first try of GFX125096 never has room for a 64-bit literal (12 + 8 bytes of at most 16), so the
        // second try, below, says everything.
        add(gfx1250, &["GFX1250_FAKE1696"]);
        add(gfx12, &["GFX1296", "GFX12_FAKE1696", "GFX12W6496"]);
        add(gfx950, &["GFX940128"]);
        add(gfx10b, &["GFX10_B64"]);
        add(self.has("UnpackedD16VMem"), &["GFX80_UNPACKED64"]);
        add(gfx950, &["GFX95064"]);
        add(self.has("FmaMixInsts"), &["GFX9_DL64"]);
        add(self.has("GFX940Insts"), &["GFX94064"]);
        add(gfx90a, &["GFX90A64"]);
        add(gfx89, &["GFX864"]);
        add(gfx9, &["GFX964"]);
        add(gfx10, &["GFX1064"]);
        add(gfx1250, &["GFX125064", "GFX1250_FAKE1664"]);
        add(gfx12, &["GFX1264", "GFX12_FAKE1664"]);
        add(gfx11, &["GFX1164", "GFX11_FAKE1664", "GFX11W6464"]);
        add(gfx12, &["GFX12W6464"]);
        add(gfx89, &["GFX832"]);
        add(true, &["AMDGPU32"]);
        add(gfx9, &["GFX932"]);
        add(gfx950, &["GFX95032"]);
        add(gfx90a, &["GFX90A32"]);
        add(gfx10b, &["GFX10_B32"]);
        add(gfx10, &["GFX1032"]);
        add(gfx11, &["GFX1132", "GFX11_FAKE1632"]);
        add(gfx1250, &["GFX125032", "GFX1250_FAKE1632"]);
        add(gfx12, &["GFX1232", "GFX12_FAKE1632"]);
        if gfx1250 {
            tables.push(Table { name: "GFX125096", literal_aside: self.has("64BitLiterals") });
        }
        tables
    }
}
