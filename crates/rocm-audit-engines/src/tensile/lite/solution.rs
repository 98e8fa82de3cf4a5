//! Solutions of hipBLASLt's catalogs.
//!
//! The thousands of solutions of a catalog are made of some hundred predicates and a handful of problem types, which are
//! read once each and shared. A problem is compared with each predicate once; then a solution is a list of numbers.
#![deny(clippy::indexing_slicing)]

use super::Held;
use super::epilogue::BiasSource;
use super::predicate::Predicate;
use super::problem::Problem;
use crate::tensile::data_type::DataType;
use crate::tensile::dialect::Placed;
use crate::tensile::hardware::{self, Hardware, HardwarePredicate};
use crate::tensile::solution::{index, sizes};
use crate::tensile::values::{self, Tagged, Text, required, word};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};
use std::collections::HashMap;
use std::ops::Range;

/// A solution.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Its number, unique in a library folder.
    pub index: u32,
    /// Its name.
    pub name: Text,
    /// Its kernel. Several solutions launch one kernel with other arguments.
    pub kernel: Text,
    /// How sizes become a grid.
    pub mapping: SizeMapping,
    /// Its predicates on what is asked, as a place in [`Shared::classes`].
    class: u32,
    /// Its predicates on sizes, as places in [`Shared::own`].
    own: Range<u32>,
    /// Its predicate on the device.
    hardware: u32,
    /// What it solves, as a place in [`Shared::types`].
    problem_type: u32,
    /// Whether the workspace is checked.
    checks_workspace: bool,
    /// A predicate or property that this tool does not know.
    unknown: Option<Unknown>,
}

/// What is not known of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Predicate(Text),
    StreamK,
}

/// The part of `sizeMapping` that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Whether work groups stream along K.
    pub stream_k: bool,
}

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

/// What the solutions of a catalog share.
#[derive(Debug, Default)]
pub struct Shared {
    predicates: Vec<Predicate>,
    classes: Vec<Box<[u32]>>,
    own: Vec<u32>,
    hardware: Vec<HardwarePredicate>,
    /// What the solutions solve.
    pub types: Vec<ProblemType>,
}

impl Shared {
    /// Holds a problem against each predicate.
    pub(super) fn hold(&self, problem: &Problem, hardware: &Hardware, catalog: &[u8]) -> Held {
        let predicates: Vec<bool> = self.predicates.iter().map(|p| p.holds(problem, catalog)).collect();
        let all = |class: &[u32]| class.iter().all(|at| holds(&predicates, *at));
        let classes = self.classes.iter().map(|class| all(class)).collect();
        let members = problem.members.iter().map(|member| self.hold(member, hardware, catalog)).collect();
        let hardware = self.hardware.iter().map(|p| p.holds(hardware)).collect();
        Held { predicates, classes, hardware, members }
    }

    /// Whether a solution can solve the problem; what is not known of it is taken to hold.
    #[inline]
    pub(super) fn can_solve(&self, solution: &Solution, problem: &Problem, held: &Held) -> bool {
        self.fits(solution, held) && (!solution.checks_workspace || self.fits_workspace(solution, problem))
    }

    /// Whether its predicates on problem and device hold, without the workspace, which a model's ranking does not check.
    pub(super) fn fits(&self, solution: &Solution, held: &Held) -> bool {
        holds(&held.hardware, solution.hardware)
            && std::iter::once(held).chain(&held.members).all(|held| {
                holds(&held.classes, solution.class)
                    && self.own_of(solution).iter().all(|at| holds(&held.predicates, *at))
            })
    }

    /// The workspace check: partial sums of at most 128 MiB, and no more workspace than allowed. A group needs that of all its
    /// products.
    fn fits_workspace(&self, solution: &Solution, problem: &Problem) -> bool {
        std::iter::once(problem).chain(&problem.members).all(|one| solution.sums_fit(one))
            && self.workspace(solution, problem) <= problem.workspace
    }

    /// Bytes of workspace that a solution needs for a problem; for a group, with the arguments of its products.
    pub fn workspace(&self, solution: &Solution, problem: &Problem) -> u64 {
        let own = solution.mapping.workspace(problem);
        if !problem.grouped {
            return own;
        }
        let has_bias = self.type_of(solution).is_some_and(|of| of.use_bias);
        let arguments = if has_bias { ARGUMENTS_WITH_BIAS } else { ARGUMENTS };
        let members = problem.members.iter().map(|member| solution.mapping.workspace(member));
        let products = problem.members.len() as u64 + 1;
        members.fold(own.wrapping_add(arguments.wrapping_mul(products)), u64::wrapping_add)
    }

    fn own_of(&self, solution: &Solution) -> &[u32] {
        self.own.get(solution.own.start as usize..solution.own.end as usize).unwrap_or_default()
    }

    /// What a solution solves.
    pub fn type_of(&self, solution: &Solution) -> Option<&ProblemType> {
        self.types.get(solution.problem_type as usize)
    }

    pub(super) fn obstacle(
        &self,
        solution: &Solution,
        problem: &Problem,
        hardware: &Hardware,
        catalog: &[u8],
    ) -> Option<String> {
        let class = self.classes.get(solution.class as usize).map(|class| &**class).unwrap_or_default();
        let of = |at: &u32| self.predicates.get(*at as usize);
        for (place, one) in std::iter::once(problem).chain(&problem.members).enumerate() {
            let mut all = class.iter().chain(self.own_of(solution)).filter_map(of);
            if let Some(predicate) = all.find(|predicate| !predicate.holds(one, catalog)) {
                let member = if place > 0 { format!("product {}: ", place + 1) } else { String::new() };
                return Some(member + &predicate.shown(catalog));
            }
        }
        if let Some(device) = self.hardware.get(solution.hardware as usize).filter(|p| !p.holds(hardware)) {
            return Some(device.shown());
        }
        (solution.checks_workspace && !self.fits_workspace(solution, problem)).then(|| {
            let needed = self.workspace(solution, problem);
            format!("WorkspaceCheck: {needed} bytes are needed, {} allowed", problem.workspace)
        })
    }

    pub(super) fn unknown_of(&self, solution: &Solution, catalog: &[u8]) -> Option<String> {
        Some(match solution.unknown? {
            Unknown::Predicate(name) => values::shown(name.of(catalog)),
            Unknown::StreamK => "streamK".to_owned(),
        })
    }
}

fn holds(all: &[bool], at: u32) -> bool {
    all.get(at as usize).copied().unwrap_or(false)
}

/// Bytes of the arguments of a product in a group, and where its solution adds a bias.
const ARGUMENTS: u64 = 168;
const ARGUMENTS_WITH_BIAS: u64 = 240;

/// Most bytes that partial sums may take, whatever is allowed. Source: `ContractionTaskPredicates.hpp`, `WorkspaceCheck`.
const MOST_PARTIAL_SUMS: u64 = 128 << 20;

impl Solution {
    /// Whether one of its predicates is not known.
    pub(super) fn has_unknown_predicate(&self) -> bool {
        matches!(self.unknown, Some(Unknown::Predicate(_)))
    }

    /// Whether its partial sums are few enough.
    fn sums_fit(&self, problem: &Problem) -> bool {
        let mapping = &self.mapping;
        let split = Some(mapping.split(problem)).filter(|split| *split > 1).unwrap_or(0);
        let sums = problem.outputs().wrapping_mul(mapping.workspace_per_element).wrapping_mul(split);
        sums <= MOST_PARTIAL_SUMS
    }
}

/// Most work groups that a split makes of a launch, as `WorkgroupNumberCheck` has it.
const MOST_GROUPS: f64 = 16_777_216.0;

/// Bytes that all work groups of a launch have to keep in step.
const SYNCHRONIZER: u64 = 409_600 * 16;

impl SizeMapping {
    /// Work groups that share one part of D. Where the catalog leaves it open: as many as K has thrice the depth, and as the
    /// device has room for beside the tiles, within what a launch can have. Source: hipBLASLt 1.2,
    /// `ContractionSolution.cpp` (`calculateAutoGSU`).
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

    /// Bytes of workspace that it needs. Source: `ContractionSolution.cpp`, `requiredWorkspaceSize`; 7.1 rounds M and N up to
    /// the tile.
    pub fn workspace(&self, problem: &Problem) -> u64 {
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

/// Reads the list of solutions.
///
/// # Errors
/// Where it is not whole.
pub(super) fn read_all(reader: &mut Reader<'_>) -> Parsed<(Placed<Solution>, Shared)> {
    let count = reader.array("the solutions of a TensileLite catalog")?;
    let mut pool = Pool::default();
    let mut solutions = Vec::new();
    for _ in 0..count {
        let at = reader.offset();
        solutions.push((pool.solution(reader)?, at));
    }
    Ok((solutions, pool.shared))
}

/// Reads solutions that stand apart, each with the index by which the catalog finds it.
///
/// # Errors
/// Where one is not whole, or has another index.
pub(super) fn read_indexed(all: Vec<(u32, Reader<'_>)>) -> Parsed<(Placed<Solution>, Shared)> {
    let mut pool = Pool::default();
    let mut solutions = Vec::new();
    for (index, mut reader) in all {
        let at = reader.offset();
        let solution = pool.solution(&mut reader)?;
        if solution.index != index {
            let what = format!("the table finds solution {} by the index {index}", solution.index);
            return Err(ParseError::new(at, what));
        }
        solutions.push((solution, at));
    }
    Ok((solutions, pool.shared))
}

/// What was read already, by its bytes.
#[derive(Default)]
struct Pool<'a> {
    shared: Shared,
    /// Of each predicate its number, whether it is of the kind that is asked, and the name of what is not known of it.
    predicates: HashMap<&'a [u8], (u32, bool, Option<Text>)>,
    classes: HashMap<Vec<u32>, u32>,
    hardware: HashMap<&'a [u8], u32>,
    types: HashMap<&'a [u8], u32>,
    /// The class of the solution that is being read.
    class: Vec<u32>,
}

impl<'a> Pool<'a> {
    fn solution(&mut self, reader: &mut Reader<'a>) -> Parsed<Solution> {
        let at = reader.offset();
        let (mut name, mut kernel, mut number, mut mapping) = (None, None, None, None);
        let (mut problem, mut device, mut problem_type) = (None, None, None);
        let mut checks_workspace = false;
        for _ in 0..reader.map("a solution")? {
            match values::key(reader)? {
                b"name" => name = Some(Text::read(reader, "a solution's name")?),
                b"kernelName" => kernel = Some(Text::read(reader, "a kernel's name")?),
                b"index" => number = Some(index(reader)?),
                b"problemPredicate" => problem = Some(self.predicates(reader)?),
                b"taskPredicate" => checks_workspace = self.task(reader)?,
                b"hardwarePredicate" => device = Some(self.device(reader)?),
                b"sizeMapping" => mapping = Some(SizeMapping::read(reader)?),
                b"problemType" => problem_type = Some(self.problem_type(reader)?),
                _ => reader.skip()?,
            }
        }
        let what = "a solution";
        let (class, own, unknown) = required(problem, at, what, "problemPredicate")?;
        let (mapping, odd) = required(mapping, at, what, "sizeMapping")?;
        let name = required(name, at, what, "name")?;
        Ok(Solution {
            index: required(number, at, what, "index")?,
            name,
            kernel: kernel.unwrap_or(name),
            mapping,
            class,
            own,
            hardware: required(device, at, what, "hardwarePredicate")?,
            problem_type: required(problem_type, at, what, "problemType")?,
            checks_workspace,
            unknown: unknown.map(Unknown::Predicate).or(odd),
        })
    }

    /// The predicates of a solution: its class, those on sizes, and one that is not known.
    fn predicates(&mut self, reader: &mut Reader<'a>) -> Parsed<(u32, Range<u32>, Option<Text>)> {
        let begin = self.shared.own.len();
        let mut unknown = None;
        self.class.clear();
        let mut ahead = reader.clone();
        let whole = Tagged::read(&mut ahead, "predicate")?;
        if whole.kind == b"And" {
            let mut parts = whole.value()?;
            for _ in 0..parts.array("the parts of a predicate")? {
                self.predicate(&mut parts, &mut unknown)?;
            }
            *reader = ahead;
        } else {
            self.predicate(reader, &mut unknown)?;
        }
        let class = match self.classes.get(&self.class) {
            Some(class) => *class,
            None => {
                let class = place(self.shared.classes.len());
                self.shared.classes.push(self.class.clone().into());
                self.classes.insert(self.class.clone(), class);
                class
            }
        };
        Ok((class, place(begin)..place(self.shared.own.len()), unknown))
    }

    fn predicate(&mut self, reader: &mut Reader<'a>, unknown: &mut Option<Text>) -> Parsed<()> {
        let mut at = reader.clone();
        let bytes = reader.raw()?;
        let (number, of_kind, name) = match self.predicates.get(bytes) {
            Some(known) => *known,
            None => {
                let predicate = Predicate::read(&mut at, 0)?;
                let known =
                    (place(self.shared.predicates.len()), predicate.is_of_kind(), first_unknown(&predicate));
                self.shared.predicates.push(predicate);
                self.predicates.insert(bytes, known);
                known
            }
        };
        if of_kind {
            self.class.push(number);
        } else {
            self.shared.own.push(number);
        }
        *unknown = unknown.or(name);
        Ok(())
    }

    /// The predicate on the task: the workspace, or nothing.
    fn task(&mut self, reader: &mut Reader<'a>) -> Parsed<bool> {
        let t = Tagged::read(reader, "predicate")?;
        match t.kind {
            b"WorkspaceCheck" => Ok(true),
            b"TruePred" => Ok(false),
            b"And" => {
                let mut parts = t.value()?;
                let mut checks = false;
                for _ in 0..parts.array("the parts of a predicate")? {
                    let part = Tagged::read(&mut parts, "predicate")?;
                    match part.kind {
                        b"WorkspaceCheck" => checks = true,
                        b"TruePred" => {}
                        _ => return Err(part.unknown()),
                    }
                }
                Ok(checks)
            }
            _ => Err(t.unknown()),
        }
    }

    fn device(&mut self, reader: &mut Reader<'a>) -> Parsed<u32> {
        let mut at = reader.clone();
        let bytes = reader.raw()?;
        if let Some(known) = self.hardware.get(bytes) {
            return Ok(*known);
        }
        let number = place(self.shared.hardware.len());
        self.shared.hardware.push(HardwarePredicate::read(&mut at, 0, hardware::known_lite)?);
        self.hardware.insert(bytes, number);
        Ok(number)
    }

    fn problem_type(&mut self, reader: &mut Reader<'a>) -> Parsed<u32> {
        let mut at = reader.clone();
        let bytes = reader.raw()?;
        if let Some(known) = self.types.get(bytes) {
            return Ok(*known);
        }
        let number = place(self.shared.types.len());
        self.shared.types.push(ProblemType::read(&mut at)?);
        self.types.insert(bytes, number);
        Ok(number)
    }
}

/// A place in a list; catalogs are far too small for more.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn first_unknown(predicate: &Predicate) -> Option<Text> {
    match predicate {
        Predicate::Unknown(name) => Some(*name),
        Predicate::And(all) | Predicate::Or(all) => all.iter().find_map(first_unknown),
        Predicate::Not(inner) => first_unknown(inner),
        _ => None,
    }
}

impl SizeMapping {
    fn read(reader: &mut Reader<'_>) -> Parsed<(SizeMapping, Option<Unknown>)> {
        let at = reader.offset();
        let (mut work_group, mut macro_tile, mut workspace) = (None, None, None);
        let (mut split, mut accumulation, mut unknown) = (None, None, None);
        let (mut bias, mut depth_u, mut synchronizer) = (0, 0, 0);
        let (mut instruction, mut occupancy, mut hints) = ([0; 3], 0, [0; 2]);
        let (mut by_hand, mut stream_k) = (false, false);
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
                    stream_k = values::signed(reader, "streamK")? != 0;
                    unknown = stream_k.then_some(Unknown::StreamK);
                }
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
        let mapping = SizeMapping {
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
        };
        Ok((mapping, unknown))
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

impl ProblemType {
    fn read(reader: &mut Reader<'_>) -> Parsed<ProblemType> {
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
