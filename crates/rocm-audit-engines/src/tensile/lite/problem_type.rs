//! What a solution of hipBLASLt's catalogs solves.
#![deny(clippy::indexing_slicing)]

use crate::tensile::data_type::DataType;
use crate::tensile::values::{self, required, word};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::Parsed;

/// What a solution solves: the part of `problemType` that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemType {
    /// Of A, B, C, D.
    pub types: [DataType; 4],
    /// Of the sums.
    pub compute: DataType,
    /// Of the auxiliary matrix.
    pub aux: DataType,
    /// Several products at once.
    pub grouped: bool,
    /// Adds a bias.
    pub use_bias: bool,
    /// Has an auxiliary matrix.
    pub use_aux: bool,
    /// Belongs to a backward pass.
    pub gradient: bool,
    /// Applies an activation.
    pub activation: bool,
    /// How A and B are scaled: not, by a number, by a vector.
    pub scale_ab: Scaled,
    /// Scales C and D.
    pub scale_cd: bool,
    /// Takes alpha as a vector.
    pub scale_alpha_vec: bool,
}

/// How a solution scales A and B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaled {
    /// Not.
    No,
    /// By a number each.
    Scalar,
    /// By a vector each.
    Vector,
}

impl ProblemType {
    pub(super) fn read(reader: &mut Reader<'_>) -> Parsed<ProblemType> {
        let at = reader.offset();
        let mut types = [None; 4];
        let (mut compute, mut aux) = (None, None);
        let (mut grouped, mut use_bias, mut use_aux, mut gradient) = (false, false, false, false);
        let (mut activation, mut scale_cd, mut scale_alpha_vec) = (false, false, false);
        let mut scale_ab = Scaled::No;
        let ty = |reader: &mut Reader<'_>| word(reader, "a data type", DataType::by_lite_name);
        for _ in 0..reader.map("problemType")? {
            let key = values::key(reader)?;
            let tensor = [b"aType", b"bType", b"cType", b"dType"].iter().position(|name| *name == key);
            if let Some(slot) = tensor.and_then(|tensor| types.get_mut(tensor)) {
                *slot = Some(ty(reader)?);
                continue;
            }
            match key {
                b"computeType" => compute = Some(ty(reader)?),
                b"eType" => aux = Some(ty(reader)?),
                b"groupedGemm" => grouped = values::boolean(reader, "groupedGemm")?,
                b"useBias" => use_bias = values::unsigned(reader, "useBias")? != 0,
                b"useE" => use_aux = values::boolean(reader, "useE")?,
                b"useGradient" => gradient = values::boolean(reader, "useGradient")?,
                b"activationType" => activation = values::text(reader, "activationType")? != b"None",
                b"useScaleAB" => {
                    scale_ab = match values::text(reader, "useScaleAB")? {
                        b"" => Scaled::No,
                        b"Vector" => Scaled::Vector,
                        _ => Scaled::Scalar,
                    }
                }
                b"useScaleCD" => scale_cd = values::boolean(reader, "useScaleCD")?,
                b"useScaleAlphaVec" => {
                    scale_alpha_vec = values::unsigned(reader, "useScaleAlphaVec")? != 0;
                }
                _ => reader.skip()?,
            }
        }
        let what = "problemType";
        let [a, b, c, d] = types;
        let d = required(d, at, what, "dType")?;
        Ok(ProblemType {
            types: [
                required(a, at, what, "aType")?,
                required(b, at, what, "bType")?,
                required(c, at, what, "cType")?,
                d,
            ],
            compute: compute.unwrap_or(DataType::Float),
            aux: aux.unwrap_or(d),
            grouped,
            use_bias,
            use_aux,
            gradient,
            activation,
            scale_ab,
            scale_cd,
            scale_alpha_vec,
        })
    }
}
