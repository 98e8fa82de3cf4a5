//! How many work groups of a solution stream along K, and what workspace their partial sums take.
//!
//! Source: `ContractionSolution.cpp` (`getSKGridImpl`, `getSKReduction`, `requiredWorkspaceSize`) and
//! `AMDGPU.hpp` of hipBLASLt's develop of 2026 (ROCm/rocm-libraries @006d2e0f); the grid that origami selects
//! is compared with origami 0.0.3. No library whose catalogs have such solutions was there to compare with.
#![deny(clippy::indexing_slicing)]

use super::prediction;
use super::problem::Problem;
use super::size_mapping::SizeMapping;
use super::stream_environment::K_SPLIT_AWARE;
pub use super::stream_environment::{StreamKEnvironment, StreamKMode, VARIABLES};
use crate::tensile::origami::device::Device;
use crate::tensile::origami::stream::{self, Reduction};
use crate::tensile::origami::tile::{Config, Product};
use rocm_audit_files::error::Unanswered;

/// Most work groups that a compute unit takes from a queue.
const QUEUED_PER_UNIT: u64 = 3;

/// The division of a tree of sums takes so many steps of K for a tile or a work group, and so many in all.
const TREE_STEPS: u64 = 1 << 16;
const TREE_STEPS_IN_ALL: u64 = 1 << 24;

/// What is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streamed {
    /// Work groups.
    pub groups: u64,
    /// Parts of each tile that a second kernel sums up; 1 where the kernel itself does.
    pub parts: u64,
    /// Bytes of workspace.
    pub workspace: u64,
}

/// Bytes of workspace that a solution needs for a problem, whether its work groups stream or not.
pub fn workspace(mapping: &SizeMapping, problem: &Problem) -> u64 {
    match mapping.stream_k.streams() {
        true => streamed(mapping, problem).map_or(0, |streamed| streamed.workspace),
        false => mapping.workspace_of_tiles(problem),
    }
}

/// How a solution streams for a problem.
///
/// # Errors
/// A sentence, where that needs a model of the device or a setting that is not known.
pub fn streamed(mapping: &SizeMapping, problem: &Problem) -> Result<Streamed, Unanswered> {
    let [m, n, batch, k] = problem.sizes;
    let [tile0, tile1] = mapping.macro_tile.map(|tile| u64::from(tile).max(1));
    let tiles = m.div_ceil(tile0).wrapping_mul(n.div_ceil(tile1)).wrapping_mul(batch);
    if tiles == 0 {
        return Ok(Streamed { groups: 0, parts: 1, workspace: 0 });
    }
    if mapping.stream_k == StreamKMode::Other {
        return Err("a streamK that no source read here has".into());
    }
    let (groups, reduction) = grid(mapping, problem, tiles)?;
    if groups == 0 {
        return Err("a grid of no work groups".into());
    }
    let steps = k.div_ceil(u64::from(mapping.depth_u).max(1));
    let in_all = tiles.saturating_mul(steps);
    let is_deep = steps >= TREE_STEPS || in_all / groups >= TREE_STEPS || in_all >= TREE_STEPS_IN_ALL;
    let groups = if reduction == Reduction::Tree && is_deep { tiles } else { groups };
    let parts = if reduction == Reduction::Parallel { (groups / tiles).max(1) } else { 1 };
    let has_sums = parts > 1 || (!tiles.is_multiple_of(groups) && !mapping.whole_tiles);
    let own = tile0.wrapping_mul(tile1).wrapping_mul(mapping.workspace_per_element).wrapping_mul(groups);
    match has_sums {
        true if own <= problem.workspace => Ok(Streamed { groups, parts, workspace: own }),
        // Without room for the sums each work group computes whole tiles.
        true => Ok(Streamed { groups: tiles, parts: 1, workspace: 0 }),
        false => Ok(Streamed { groups, parts: 1, workspace: 0 }),
    }
}

fn grid(mapping: &SizeMapping, problem: &Problem, tiles: u64) -> Result<(u64, Reduction), Unanswered> {
    let env = &problem.stream;
    let units = u64::from(problem.multiprocessors);
    if env.fixed == 0 && env.grid_by > 0 && mapping.stream_k == StreamKMode::Queued {
        let room = units.wrapping_mul(u64::from(mapping.occupancy).min(QUEUED_PER_UNIT));
        return Ok((tiles.min(env.at_most(room)), Reduction::Tree));
    }
    let asks_model = env.grid_by == K_SPLIT_AWARE || (env.fixed == 0 && env.grid_by > 0);
    if !asks_model {
        let groups = match *env {
            StreamKEnvironment { fixed: groups @ 1.., .. } => groups,
            StreamKEnvironment { most_units: 1.., .. } => env.at_most(units),
            StreamKEnvironment { per_unit: groups @ 2.., .. } => units.wrapping_mul(groups),
            _ => units,
        };
        return Ok((groups, Reduction::Tree));
    }
    if env.grid_by != K_SPLIT_AWARE {
        return Err(format!("TENSILE_STREAMK_DYNAMIC_GRID={}", env.grid_by).into());
    }
    let (device, product) =
        model(problem).ok_or("streamK on a device or of types that origami's model does not have")?;
    let config = Config {
        workspace: problem.workspace,
        workspace_per_element: mapping.workspace_per_element,
        ..prediction::config(mapping)
    };
    let reduction = match mapping.stream_k {
        StreamKMode::Queued => Reduction::Tree,
        _ if mapping.whole_tiles || mapping.is_custom => Reduction::Tree,
        _ => stream::reduction(&device, &product, &config),
    };
    if env.fixed > 0 {
        return Ok((env.fixed, reduction));
    }
    let groups = stream::grid(&env.capped(device), &product, &config).ok_or("a tile of no elements")?;
    Ok((groups, reduction))
}

fn model(problem: &Problem) -> Option<(Device, Product)> {
    Some((problem.model?, prediction::product(problem)?))
}
