//! Decision trees: one for each solution, which says whether to take it.
//!
//! Source: Tensile 6.4, `DecisionTree.hpp`, `MLFeatures.hpp`, `DecisionTreeLibrary.hpp`. Reached only with
//! `TENSILE_EXPERIMENTAL_SELECTION=2`.
#![deny(clippy::indexing_slicing)]

use super::values;
use super::values::{Tagged, required, shown};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};

/// The trees of a node, in the order in which they are asked.
#[derive(Debug, Clone)]
pub struct Forest {
    features: Box<[Feature]>,
    trees: Box<[Tree]>,
    /// The solution where no tree says yes; rocBLAS 5.5 has none.
    null: Option<u32>,
}

#[derive(Debug, Clone)]
struct Tree {
    nodes: Box<[Branch]>,
    solution: Option<u32>,
}

/// A node: which feature is compared with what, and where to go then. Negative places are answers.
#[derive(Debug, Clone, Copy)]
struct Branch {
    feature: u16,
    threshold: f32,
    below: i32,
    above: i32,
}

const YES: i32 = -2;
const NO: i32 = -1;

/// What trees compare, in 32-bit floats.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Feature {
    /// M, N or K, by their place among the sizes.
    Size(u8),
    /// How full the last tile of M or N is.
    TileGranularity { size: u8, value: f32 },
    /// How full the last round of all compute units is.
    CuGranularity { scale: [f32; 3] },
    /// Waves that each SIMD gets.
    WavesPerSimd { scale: [f32; 3], split: f32 },
}

impl Feature {
    fn feature_value(self, sizes: &[u64; 4]) -> f32 {
        let [m, n, ..] = *sizes;
        let rounds = |[mt0, mt1, cus]: [f32; 3]| (m as f32 * mt0).ceil() * (n as f32 * mt1).ceil() * cus;
        let part_of = |value: f32| value / value.ceil();
        match self {
            Feature::Size(size) => sizes.get(usize::from(size)).copied().unwrap_or_default() as f32,
            Feature::TileGranularity { size, value } => part_of(if size == 0 { m } else { n } as f32 * value),
            Feature::CuGranularity { scale } => part_of(rounds(scale)),
            Feature::WavesPerSimd { scale, split } => rounds(scale).ceil() * split,
        }
    }

    fn read(reader: &mut Reader<'_>) -> Parsed<Self> {
        let t = Tagged::read(reader, "feature")?;
        let tile = |size| {
            Ok(Feature::TileGranularity {
                size,
                value: values::float(&mut t.value()?, "a granularity")? as f32,
            })
        };
        Ok(match t.kind {
            b"FreeSizeA" | b"FreeSizeB" | b"BatchSize" | b"BoundSize" => {
                t.only_index()?;
                Feature::Size(match t.kind {
                    b"FreeSizeA" => 0,
                    b"FreeSizeB" => 1,
                    b"BatchSize" => 2,
                    _ => 3,
                })
            }
            b"Tile0Granularity" => tile(0)?,
            b"Tile1Granularity" => tile(1)?,
            b"CUGranularity" => Feature::CuGranularity { scale: scales(&t)?.0 },
            b"WavesPerSIMD" => {
                let (scale, split) = scales(&t)?;
                Feature::WavesPerSimd { scale, split: split.ok_or_else(|| t.lacks("ws"))? }
            }
            _ => return Err(t.unknown()),
        })
    }
}

/// `mt0`, `mt1`, `cus` and, where the catalog has it, `ws`.
fn scales(t: &Tagged<'_>) -> Parsed<([f32; 3], Option<f32>)> {
    let mut reader = t.value()?;
    let (mut mt0, mut mt1, mut cus, mut ws) = (None, None, None, None);
    for _ in 0..reader.map("a scale")? {
        let slot = match values::key(&mut reader)? {
            b"mt0" => &mut mt0,
            b"mt1" => &mut mt1,
            b"cus" => &mut cus,
            b"ws" => &mut ws,
            _ => {
                reader.skip()?;
                continue;
            }
        };
        *slot = Some(values::float(&mut reader, "a scale")? as f32);
    }
    let need = |value: Option<f32>, name| value.ok_or_else(|| t.lacks(name));
    Ok(([need(mt0, "mt0")?, need(mt1, "mt1")?, need(cus, "cus")?], ws))
}

impl Forest {
    /// Reads a forest whose map head was read: the pairs after it.
    pub(super) fn read(reader: &mut Reader<'_>, pairs: u32, at: u64) -> Parsed<Forest> {
        let (mut features, mut trees, mut null) = (None::<Box<[Feature]>>, None::<Box<[Tree]>>, None);
        let mut trees_at = at;
        for _ in 0..pairs {
            match values::key(reader)? {
                b"features" => {
                    let count = reader.array("features")?;
                    features = Some((0..count).map(|_| Feature::read(reader)).collect::<Parsed<_>>()?);
                }
                b"trees" => {
                    trees_at = reader.offset();
                    let count = reader.array("trees")?;
                    trees = Some((0..count).map(|_| Tree::read(reader)).collect::<Parsed<_>>()?);
                }
                b"nullValue" => null = Some(read_single(reader)?),
                _ => reader.skip()?,
            }
        }
        let what = "a DecisionTree node";
        let features = required(features, at, what, "features")?;
        let trees = required(trees, at, what, "trees")?;
        let branches = || trees.iter().flat_map(|tree| &tree.nodes);
        if let Some(bad) = branches().find(|branch| usize::from(branch.feature) >= features.len()) {
            let what = format!("a tree asks for feature {} of {}", bad.feature, features.len());
            return Err(ParseError::new(trees_at, what));
        }
        Ok(Forest { features, trees, null: null.flatten() })
    }

    /// Turns the indices of solutions into places in the catalog.
    pub(super) fn resolve(&mut self, place: impl Fn(u32) -> Option<u32>) -> Result<(), u32> {
        let all = self.trees.iter_mut().map(|tree| &mut tree.solution).chain([&mut self.null]);
        for solution in all.filter_map(Option::as_mut) {
            *solution = place(*solution).ok_or(*solution)?;
        }
        Ok(())
    }

    /// The solutions it can lead to, as places in the catalog.
    pub fn solutions(&self) -> impl Iterator<Item = u32> {
        self.trees.iter().map(|tree| tree.solution).chain([self.null]).flatten()
    }

    /// The first tree that says yes and whose solution can solve the problem, else the null value.
    pub fn find(&self, sizes: &[u64; 4], mut can_solve: impl FnMut(u32) -> bool) -> Option<u32> {
        let features: Vec<f32> = self.features.iter().map(|feature| feature.feature_value(sizes)).collect();
        self.trees
            .iter()
            .filter_map(|tree| tree.solution.map(|solution| (tree, solution)))
            .find(|(tree, solution)| can_solve(*solution) && tree.says_yes(&features))
            .map(|(_, solution)| solution)
            .or_else(|| self.null.filter(|solution| can_solve(*solution)))
    }
}

impl Tree {
    /// Follows the branches; every one leads forward, which was checked when it was read.
    fn says_yes(&self, features: &[f32]) -> bool {
        let mut at = 0;
        while let Some(branch) = usize::try_from(at).ok().and_then(|at| self.nodes.get(at)) {
            let value = features.get(usize::from(branch.feature)).copied().unwrap_or_default();
            at = if value <= branch.threshold { branch.below } else { branch.above };
        }
        at == YES
    }

    fn read(reader: &mut Reader<'_>) -> Parsed<Tree> {
        let at = reader.offset();
        let (mut nodes, mut solution) = (None, None);
        for _ in 0..reader.map("a tree")? {
            match values::key(reader)? {
                b"tree" => {
                    let count = reader.array("the nodes of a tree")?;
                    let one = |own| Branch::read(reader, own, count);
                    nodes = Some((0..count).map(one).collect::<Parsed<_>>()?);
                }
                b"value" => solution = Some(read_single(reader)?),
                _ => reader.skip()?,
            }
        }
        Ok(Tree {
            nodes: required(nodes, at, "a tree", "tree")?,
            solution: required(solution, at, "a tree", "value")?,
        })
    }
}

impl Branch {
    fn read(reader: &mut Reader<'_>, own: u32, count: u32) -> Parsed<Branch> {
        let at = reader.offset();
        let (mut feature, mut threshold, mut below, mut above) = (None, None, None, None);
        for _ in 0..reader.map("a node of a tree")? {
            match values::key(reader)? {
                b"featureIdx" => feature = Some(values::unsigned(reader, "featureIdx")?),
                b"threshold" => threshold = Some(values::float(reader, "threshold")? as f32),
                b"nextIdxLTE" => below = Some(values::signed(reader, "nextIdxLTE")?),
                b"nextIdxGT" => above = Some(values::signed(reader, "nextIdxGT")?),
                _ => reader.skip()?,
            }
        }
        let what = "a node of a tree";
        let next = |next: Option<i64>, name| {
            let next = required(next, at, what, name)?;
            let forward = next > i64::from(own) && next < i64::from(count);
            match i32::try_from(next) {
                Ok(next) if forward || matches!(next, NO | YES) => Ok(next),
                _ => {
                    let what = format!("{name} of node {own} of {count} leads to {next}, not forward");
                    Err(ParseError::new(at, what))
                }
            }
        };
        let feature = required(feature, at, what, "featureIdx")?;
        Ok(Branch {
            feature: u16::try_from(feature)
                .map_err(|_| ParseError::new(at, format!("featureIdx: there is no feature {feature}")))?,
            threshold: required(threshold, at, what, "threshold")?,
            below: next(below, "nextIdxLTE")?,
            above: next(above, "nextIdxGT")?,
        })
    }
}

/// A `Single` node as a map of its own: the index of a solution, or none.
fn read_single(reader: &mut Reader<'_>) -> Parsed<Option<u32>> {
    let at = reader.offset();
    let pairs = reader.map("a Single node")?;
    let (kind, kind_at) = values::type_of(reader, pairs, "a node")?;
    if kind != b"Single" {
        return Err(ParseError::new(
            kind_at,
            format!("a tree leads to a {} node, not a Single", shown(kind)),
        ));
    }
    read_single_pairs(reader, pairs, at)
}

/// The pairs of a `Single` node whose map head was read.
pub(super) fn read_single_pairs(reader: &mut Reader<'_>, pairs: u32, at: u64) -> Parsed<Option<u32>> {
    let mut index = None;
    for _ in 0..pairs {
        match values::key(reader)? {
            b"index" => {
                let at = reader.offset();
                let number = values::signed(reader, "a solution index")?;
                index = Some(match i32::try_from(number) {
                    Ok(-1) => None,
                    Ok(index) if index >= 0 => Some(index.cast_unsigned()),
                    _ => return Err(ParseError::new(at, format!("a solution index of {number}"))),
                });
            }
            _ => reader.skip()?,
        }
    }
    required(index, at, "a Single node", "index")
}
