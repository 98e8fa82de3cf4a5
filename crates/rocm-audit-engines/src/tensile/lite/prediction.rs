//! The choice of a Prediction node: all its solutions, ranked by origami.
//!
//! Source: `PredictionLibrary.hpp` and `OrigamiConfig.hpp` of hipBLASLt 1.4. No library of such a release was
//! there to compare with; the ranking itself is compared with origami 0.0.3.
#![deny(clippy::indexing_slicing)]

use super::TensileLite;
use super::problem::Problem;
use super::size_mapping::SizeMapping;
use crate::tensile::catalog::CatalogIndex;
use crate::tensile::data_type::DataType;
use crate::tensile::hardware::Hardware;
use crate::tensile::origami::element::Element;
use crate::tensile::origami::rank;
use crate::tensile::origami::tile::{Config, Product};
use rocm_audit_files::error::Unanswered;

/// The places of a node's solutions in the order of the model.
///
/// # Errors
/// A sentence, where the model does not have the target or one of the types.
pub fn ranked(
    content: &CatalogIndex<TensileLite>,
    places: &[u32],
    problem: &Problem,
    hardware: &Hardware,
    catalog: &[u8],
) -> Result<Vec<u32>, Unanswered> {
    let lacks = || {
        let name = hardware.processor().unwrap_or_default();
        format!("Prediction node for {name}, which origami's model does not have")
    };
    let device = problem.stream.capped(problem.model.ok_or_else(lacks)?);
    let product = product(problem).ok_or("Prediction node for types that origami's model does not have")?;
    let solution = |place: &u32| content.solutions.get(*place, catalog);
    let configs: Vec<Config> = places.iter().filter_map(solution).map(|own| config(&own.mapping)).collect();
    let order = rank::rank(&device, &product, &configs);
    Ok(order.into_iter().filter_map(|(at, _)| places.get(at).copied()).collect())
}

pub(super) fn product(problem: &Problem) -> Option<Product> {
    let [m, n, batch, k] = problem.sizes;
    let element = |ty: DataType| Element::by_name(ty.name());
    let [a, b, _, d, input] = problem.types;
    let instruction = if problem.f32_math == DataType::XFloat32 { DataType::XFloat32 } else { input };
    Some(Product {
        sizes: [m, n, k],
        batch,
        transposed: [problem.operation.contains("_Alik_"), problem.operation.contains("_Bjlk_")],
        types: [element(a)?, element(b)?, element(d)?],
        instruction: element(instruction)?,
    })
}

pub(super) fn config(mapping: &SizeMapping) -> Config {
    let [tile_m, tile_n] = mapping.macro_tile.map(u64::from);
    let instruction = if mapping.instruction == [0; 3] { [1, 1, 64] } else { mapping.instruction };
    Config {
        tile: [tile_m, tile_n, u64::from(mapping.depth_u)],
        instruction: instruction.map(u64::from),
        occupancy: u64::from(mapping.occupancy.max(1)),
        hints: mapping.hints.map(u64::from),
        by_hand: mapping.by_hand,
        workspace: u64::MAX,
        workspace_per_element: u64::MAX,
    }
}
