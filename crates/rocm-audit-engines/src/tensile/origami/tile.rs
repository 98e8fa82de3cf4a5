//! What is ranked: products, and the tiles in which solutions compute them.

use super::element::Element;

/// A product of matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product {
    /// M, N and K.
    pub sizes: [u64; 3],
    /// Matrices.
    pub batch: u64,
    /// Whether A and B are transposed.
    pub transposed: [bool; 2],
    /// Types of A, B and D.
    pub types: [Element; 3],
    /// The type that matrix instructions compute in.
    pub instruction: Element,
}

/// How a solution computes a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// M, N and K of a work group's tile.
    pub tile: [u64; 3],
    /// M, N and K of its matrix instruction.
    pub instruction: [u64; 3],
    /// Work groups that a compute unit holds at once.
    pub occupancy: u64,
    /// Cache hints of A and B.
    pub hints: [u64; 2],
    /// Whether its main loop is scheduled by hand.
    pub by_hand: bool,
    /// Most bytes of workspace.
    pub workspace: u64,
    /// Bytes of workspace for each element of a tile.
    pub workspace_per_element: u64,
}

/// Parts that cover a size; none where a part is empty.
pub(super) fn parts(size: u64, part: u64) -> u64 {
    if part == 0 { 0 } else { size.div_ceil(part) }
}

/// Tiles of a product along M and N.
pub(super) fn tiles(product: &Product, config: &Config) -> [u64; 2] {
    let ([m, n, _], [tile_m, tile_n, _]) = (product.sizes, config.tile);
    [parts(m, tile_m), parts(n, tile_n)]
}
