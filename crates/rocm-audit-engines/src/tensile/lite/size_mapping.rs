//! How a solution of hipBLASLt's catalogs turns sizes into a grid, and what workspace that takes.
#![deny(clippy::indexing_slicing)]

use super::epilogue::BiasSource;
use super::problem::Problem;
use super::stream_environment::StreamKMode;
use crate::tensile::solution::sizes;
use crate::tensile::values::{self, required};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};

/// The part of `sizeMapping` that decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SizeMapping {
    /// Work items of a work group.
    pub work_group: u32,
    /// Elements of D that a work group computes.
    pub macro_tile: [u32; 2],
    /// Steps of K that are loaded at once.
    pub depth_u: u32,
    /// Work groups that share one part of D; -1 lets sizes and device decide, see [`SizeMapping::split`].
    pub global_split_u: i32,
    /// How they sum up: 2 through the workspace, 3 in the kernel itself.
    pub global_accumulation: u32,
    /// What a work group needs to be in step with others that sum up in the kernel.
    pub synchronizer_per_group: u64,
    /// Bytes of workspace for each element of D.
    pub workspace_per_element: u64,
    /// Bytes of workspace for each element of the gradient of the bias.
    pub workspace_per_bias: u64,
    /// M, N and K of the matrix instruction; zeros where the kernel has none.
    pub instruction: [u32; 3],
    /// Work groups that a compute unit holds at once.
    pub occupancy: u32,
    /// Cache hints of A and B.
    pub hints: [u32; 2],
    /// Whether the main loop is scheduled by hand.
    pub by_hand: bool,
    /// How work groups stream along K.
    pub stream_k: StreamKMode,
    /// Whether they compute whole tiles although they could stream.
    pub whole_tiles: bool,
    /// Whether the kernel was written by hand, which has no second kernel to sum up.
    pub is_custom: bool,
}

/// Most work groups that a split makes of a launch, as `WorkgroupNumberCheck` has it.
const MOST_GROUPS: f64 = 16_777_216.0;

/// Bytes of what a work group counts in.
const WORD: u64 = 4;

/// Bytes that all work groups of a launch have to keep in step.
const SYNCHRONIZER: u64 = 409_600 * 16;

impl SizeMapping {
    /// Work groups that share one part of D. Where the catalog leaves it open: as many as K has thrice the
    /// depth, and as the device has room for beside the tiles, within what a launch can have. Source:
    /// hipBLASLt 1.2, `ContractionSolution.cpp` (`calculateAutoGSU`).
    pub fn split(&self, problem: &Problem) -> u64 {
        let Err(_) = u64::try_from(self.global_split_u) else { return self.global_split_u as u64 };
        let [m, n, batch, k] = problem.sizes;
        let [tile0, tile1] = self.macro_tile.map(|tile| u64::from(tile).max(1));
        let tiles = m.div_ceil(tile0).wrapping_mul(n.div_ceil(tile1)).wrapping_mul(batch);
        if tiles == 0 {
            return 1;
        }
        let up = |size: u64, tile: u64| (f64::from(size as f32) / tile as f64).ceil();
        let deep = k as f32 / self.depth_u as f32;
        let room = (u64::from(problem.multiprocessors) / tiles).max(1);
        let mut split = ((f64::from(deep) / 3.0) as u64).max(1).min(room);
        if split > 1 {
            split = split.min((MOST_GROUPS / up(m, tile0) / up(n, tile1) / batch as f64) as u64);
        }
        if split > 1 {
            split = split.min(deep.ceil() as u64);
        }
        let in_step = self.synchronizer_per_group.wrapping_mul(tiles);
        if split > 1 && self.global_accumulation == 3 && in_step > SYNCHRONIZER {
            split = 1;
        }
        let most = u64::from(u32::MAX) / u64::from(self.work_group.max(1)) / tiles;
        split.min(most).max(1)
    }

    /// Bytes that keep the work groups in step that sum up in the kernel, in whole steps of 16, as
    /// hipSPARSELt adds them to the workspace. Source: hipSPARSELt 0.2, `getBestSolutions`; hipBLASLt has its
    /// own memory for them.
    pub fn synchronizer(&self, problem: &Problem) -> u64 {
        if self.global_accumulation != 3 {
            return 0;
        }
        let [m, n, batch, _] = problem.sizes;
        let [tile0, tile1] = self.macro_tile.map(|tile| u64::from(tile).max(1));
        let tiles = m.div_ceil(tile0).wrapping_mul(n.div_ceil(tile1)).wrapping_mul(batch);
        self.synchronizer_per_group.wrapping_mul(tiles).wrapping_mul(WORD) & !15
    }

    /// Bytes of workspace that it needs where its work groups compute whole tiles. Source:
    /// `ContractionSolution.cpp`, `requiredWorkspaceSize`; 7.1 rounds M and N up to the tile.
    pub fn workspace_of_tiles(&self, problem: &Problem) -> u64 {
        let [m, n, batch, _] = problem.sizes;
        let [tile0, tile1] = self.macro_tile.map(u64::from);
        let split = self.split(problem);
        let mut bytes = 0_u64;
        if split > 1 {
            let up = |size: u64, tile: u64| size.div_ceil(tile.max(1)).wrapping_mul(tile);
            let elements = up(m, tile0).wrapping_mul(up(n, tile1)).wrapping_mul(batch);
            bytes = elements.wrapping_mul(self.workspace_per_element).wrapping_mul(split);
        }
        if let (true, Some((_, source))) = (problem.gradient, problem.bias) {
            let elements = match source {
                BiasSource::D if split <= 1 => problem.outputs(),
                BiasSource::A if split > 1 => m.wrapping_mul(split),
                BiasSource::B if split > 1 => n.wrapping_mul(split),
                _ => 0,
            };
            bytes = bytes.wrapping_add(elements.wrapping_mul(self.workspace_per_bias));
        }
        bytes
    }
}

impl SizeMapping {
    pub(super) fn read(reader: &mut Reader<'_>) -> Parsed<SizeMapping> {
        let at = reader.offset();
        let (mut work_group, mut macro_tile, mut workspace) = (None, None, None);
        let (mut split, mut accumulation) = (None, None);
        let (mut bias, mut depth_u, mut synchronizer) = (0, 0, 0);
        let (mut instruction, mut occupancy, mut hints) = ([0; 3], 0, [0; 2]);
        let (mut by_hand, mut stream_k) = (false, StreamKMode::Whole);
        let (mut whole_tiles, mut is_custom) = (false, false);
        for _ in 0..reader.map("sizeMapping")? {
            match values::key(reader)? {
                b"workGroup" => work_group = Some(sizes::<3>(reader, "workGroup", 1)?),
                b"macroTile" => macro_tile = Some(sizes::<2>(reader, "macroTile", 1)?),
                b"depthU" => depth_u = values::small(reader, "depthU", 0)?,
                b"globalSplitU" => {
                    let at = reader.offset();
                    let number = values::signed(reader, "globalSplitU")?;
                    let what =
                        || ParseError::new(at, format!("globalSplitU: {number} is no number of parts"));
                    let fits = i32::try_from(number).ok().filter(|number| *number >= -1);
                    split = Some(fits.ok_or_else(what)?);
                }
                b"globalAccumulation" => accumulation = Some(values::small(reader, "globalAccumulation", 0)?),
                b"workspaceSizePerElemC" => {
                    workspace = Some(values::unsigned(reader, "workspaceSizePerElemC")?)
                }
                b"synchronizerSizePerWG" => synchronizer = values::unsigned(reader, "synchronizerSizePerWG")?,
                b"workspaceSizePerElemBias" => bias = values::unsigned(reader, "workspaceSizePerElemBias")?,
                b"streamK" => {
                    stream_k = StreamKMode::from_number(values::signed(reader, "streamK")?);
                }
                b"streamKForceDPOnly" => whole_tiles = natural(reader, "streamKForceDPOnly")? != 0,
                b"CustomKernelName" => is_custom = !values::text(reader, "CustomKernelName")?.is_empty(),
                b"matrixInstruction" => instruction = some_sizes(reader)?,
                b"CUOccupancy" => occupancy = natural(reader, "CUOccupancy")?,
                b"nonTemporalA" => hints = [natural(reader, "nonTemporalA")?, hints[1]],
                b"nonTemporalB" => hints = [hints[0], natural(reader, "nonTemporalB")?],
                b"customMainLoopScheduling" => {
                    by_hand = natural(reader, "customMainLoopScheduling")? > 0;
                }
                _ => reader.skip()?,
            }
        }
        let what = "sizeMapping";
        let [x, y, z] = required(work_group, at, what, "workGroup")?;
        Ok(SizeMapping {
            work_group: x.wrapping_mul(y).wrapping_mul(z),
            macro_tile: required(macro_tile, at, what, "macroTile")?,
            depth_u,
            global_split_u: required(split, at, what, "globalSplitU")?,
            global_accumulation: required(accumulation, at, what, "globalAccumulation")?,
            synchronizer_per_group: synchronizer,
            workspace_per_element: required(workspace, at, what, "workspaceSizePerElemC")?,
            workspace_per_bias: bias,
            instruction,
            occupancy,
            hints,
            by_hand,
            stream_k,
            whole_tiles,
            is_custom,
        })
    }
}

/// A number that may be negative, which stands for none.
fn natural(reader: &mut Reader<'_>, what: &str) -> Parsed<u32> {
    Ok(u32::try_from(values::signed(reader, what)?.max(0)).unwrap_or(u32::MAX))
}

/// The first three numbers of a matrix instruction, which has a fourth one for its blocks.
fn some_sizes(reader: &mut Reader<'_>) -> Parsed<[u32; 3]> {
    let mut sizes = [0; 3];
    for place in 0..reader.array("matrixInstruction")? as usize {
        let number = natural(reader, "matrixInstruction")?;
        sizes.get_mut(place).into_iter().for_each(|size| *size = number);
    }
    Ok(sizes)
}
