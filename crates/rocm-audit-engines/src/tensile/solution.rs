//! A solution: one tuned way to launch one kernel, and what it can solve.
#![deny(clippy::indexing_slicing)]

use super::call::Contraction;
use super::data_type::DataType;
use super::hardware::{self, Hardware, HardwarePredicate};
use super::predicate::Predicate;
use super::solutions::KeptApart;
use super::values;
use super::values::{Text, required, word};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};

/// A solution of a catalog.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Tensile's number for it, unique in a library folder. rocBLAS shows it plus one.
    pub index: u32,
    /// Its name, which is also the kernel's.
    pub name: Text,
    /// Number in the tuning file that it came from; -1 where the catalog does not say.
    pub logic_index: i64,
    /// What must hold of the problem.
    pub problem: Box<[Predicate]>,
    /// What must hold of the task.
    pub task: Predicate,
    /// What must hold of the device.
    pub hardware: HardwarePredicate,
    /// How sizes become a grid.
    pub mapping: SizeMapping,
    /// Whether batches are at a distance and not by pointers.
    pub strided_batched: bool,
    /// Type of D.
    pub output: DataType,
}

impl KeptApart for Solution {
    fn number(&self) -> u32 {
        self.index
    }

    fn read_apart(reader: &mut Reader<'_>) -> Parsed<Self> {
        let what = "a solution with a place in a table, which rocBLAS does not read";
        Err(ParseError::new(reader.offset(), what))
    }
}

/// The part of `sizeMapping` that decides about launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeMapping {
    /// Work items of a work group.
    pub work_group: [u32; 3],
    /// Elements of C that a work item computes.
    pub thread_tile: [u32; 2],
    /// Elements of C that a work group computes.
    pub macro_tile: [u32; 2],
    /// Steps of K that are loaded at once.
    pub depth_u: u32,
    /// Work groups that share one part of C.
    pub global_split_u: u32,
    /// How they sum up: 0 by atomics, 1 and 2 through the workspace.
    pub global_accumulation: u32,
    /// Bytes of workspace for each element of C.
    pub workspace_per_element: u64,
    /// Whether batches are packed into the rows (1) or columns (2) of the grid.
    pub pack_batch_dims: u32,
    /// Work groups for each compute unit that stay; -1 lets the sizes decide, 0 means none do.
    pub persistent_kernel: i64,
    /// Whether these run along the batch too.
    pub persistent_along_batch: bool,
    /// Whether the kernel is compiled from HIP source.
    pub source_kernel: bool,
}

impl Solution {
    /// The first predicate that does not hold; `None` where the solution can solve the problem.
    pub fn obstacle(&self, problem: &Contraction, hardware: &Hardware, catalog: &[u8]) -> Option<String> {
        let workspace = self.mapping.workspace_per_element;
        let failed = std::iter::once(&self.task)
            .chain(&self.problem)
            .find(|predicate| !predicate.holds(problem, catalog, workspace));
        match failed {
            Some(predicate) => Some(predicate.shown(catalog)),
            None => (!self.hardware.holds(hardware)).then(|| self.hardware.shown()),
        }
    }

    /// Whether it can solve the problem.
    #[inline]
    pub fn can_solve(&self, problem: &Contraction, hardware: &Hardware, catalog: &[u8]) -> bool {
        let workspace = self.mapping.workspace_per_element;
        self.task.holds(problem, catalog, workspace)
            && self.problem.iter().all(|predicate| predicate.holds(problem, catalog, workspace))
            && self.hardware.holds(hardware)
    }

    /// Reads one solution.
    ///
    /// # Errors
    /// Where a required field is missing or not what it must be.
    pub(super) fn read(reader: &mut Reader<'_>) -> Parsed<Solution> {
        let at = reader.offset();
        let (mut name, mut index, mut logic_index) = (None, None, -1);
        let (mut problem, mut task, mut device) = (None, None, None);
        let (mut mapping, mut problem_type) = (None, None);
        for _ in 0..reader.map("a solution")? {
            match values::key(reader)? {
                b"name" => name = Some(Text::read(reader, "a solution's name")?),
                b"index" => index = Some(self::index(reader)?),
                b"libraryLogicIndex" => logic_index = values::signed(reader, "libraryLogicIndex")?,
                b"problemPredicate" => problem = Some(Predicate::read(reader, 0)?),
                b"taskPredicate" => task = Some(Predicate::read(reader, 0)?),
                b"hardwarePredicate" => device = Some(HardwarePredicate::read(reader, 0, hardware::known)?),
                b"sizeMapping" => mapping = Some(SizeMapping::read(reader)?),
                b"problemType" => problem_type = Some(read_problem_type(reader)?),
                _ => reader.skip()?,
            }
        }
        let what = "a solution";
        let (strided_batched, output) = required(problem_type, at, what, "problemType")?;
        Ok(Solution {
            index: required(index, at, what, "index")?,
            name: required(name, at, what, "name")?,
            logic_index,
            problem: match required(problem, at, what, "problemPredicate")? {
                Predicate::And(all) => flat(all),
                other => Box::new([other]),
            },
            task: task.unwrap_or(Predicate::Always("TruePred")),
            hardware: required(device, at, what, "hardwarePredicate")?,
            mapping: required(mapping, at, what, "sizeMapping")?,
            strided_batched,
            output,
        })
    }
}

/// Takes the parts of nested conjunctions out of them; their order stays.
fn flat(all: Box<[Predicate]>) -> Box<[Predicate]> {
    if !all.iter().any(|predicate| matches!(predicate, Predicate::And(_))) {
        return all;
    }
    let mut parts = Vec::with_capacity(all.len() + 8);
    for predicate in all {
        match predicate {
            Predicate::And(inner) => parts.extend(flat(inner)),
            other => parts.push(other),
        }
    }
    parts.into()
}

/// A solution index.
pub(super) fn index(reader: &mut Reader<'_>) -> Parsed<u32> {
    let at = reader.offset();
    let number = values::unsigned(reader, "a solution index")?;
    match u32::try_from(number) {
        Ok(index) if i32::try_from(index).is_ok() => Ok(index),
        _ => Err(ParseError::new(at, format!("a solution index of {number}"))),
    }
}

fn read_problem_type(reader: &mut Reader<'_>) -> Parsed<(bool, DataType)> {
    let at = reader.offset();
    let (mut strided_batched, mut output) = (true, None);
    for _ in 0..reader.map("problemType")? {
        match values::key(reader)? {
            b"stridedBatched" => strided_batched = values::boolean(reader, "stridedBatched")?,
            b"dType" => output = Some(word(reader, "dType", DataType::by_name)?),
            b"aType" | b"bType" | b"cType" => {
                word(reader, "a data type", DataType::by_name)?;
            }
            _ => reader.skip()?,
        }
    }
    Ok((strided_batched, required(output, at, "problemType", "dType")?))
}

impl SizeMapping {
    fn read(reader: &mut Reader<'_>) -> Parsed<SizeMapping> {
        let at = reader.offset();
        let (mut work_group, mut thread_tile, mut macro_tile) = (None, None, None);
        let (mut depth_u, mut split, mut accumulation) = (None, None, None);
        let (mut workspace, mut persistent, mut source) = (None, None, None);
        let (mut along, mut pack) = (false, 0);
        for _ in 0..reader.map("sizeMapping")? {
            match values::key(reader)? {
                b"workGroup" => work_group = Some(sizes::<3>(reader, "workGroup", 1)?),
                b"threadTile" => thread_tile = Some(sizes::<2>(reader, "threadTile", 0)?),
                b"macroTile" => macro_tile = Some(sizes::<2>(reader, "macroTile", 1)?),
                b"depthU" => depth_u = Some(values::small(reader, "depthU", 0)?),
                b"globalSplitU" => split = Some(values::small(reader, "globalSplitU", 0)?),
                b"globalAccumulation" => accumulation = Some(values::small(reader, "globalAccumulation", 0)?),
                b"workspaceSizePerElemC" => {
                    workspace = Some(values::unsigned(reader, "workspaceSizePerElemC")?)
                }
                b"packBatchDims" => pack = values::small(reader, "packBatchDims", 0)?,
                b"persistentKernel" => persistent = Some(values::signed(reader, "persistentKernel")?),
                b"persistentKernelAlongBatch" => {
                    along = values::boolean(reader, "persistentKernelAlongBatch")?
                }
                b"sourceKernel" => source = Some(values::boolean(reader, "sourceKernel")?),
                b"streamK" => {
                    let at = reader.offset();
                    if values::unsigned(reader, "streamK")? != 0 {
                        let what =
                            "streamK: no known library has such a solution, its grid is not computed here";
                        return Err(ParseError::new(at, what));
                    }
                }
                _ => reader.skip()?,
            }
        }
        let what = "sizeMapping";
        Ok(SizeMapping {
            work_group: required(work_group, at, what, "workGroup")?,
            thread_tile: required(thread_tile, at, what, "threadTile")?,
            macro_tile: required(macro_tile, at, what, "macroTile")?,
            depth_u: required(depth_u, at, what, "depthU")?,
            global_split_u: required(split, at, what, "globalSplitU")?,
            global_accumulation: required(accumulation, at, what, "globalAccumulation")?,
            workspace_per_element: required(workspace, at, what, "workspaceSizePerElemC")?,
            pack_batch_dims: pack,
            persistent_kernel: required(persistent, at, what, "persistentKernel")?,
            persistent_along_batch: along,
            source_kernel: required(source, at, what, "sourceKernel")?,
        })
    }
}

/// The first `N` of an array of sizes.
pub(super) fn sizes<const N: usize>(reader: &mut Reader<'_>, what: &str, least: u32) -> Parsed<[u32; N]> {
    let at = reader.offset();
    let count = reader.array(what)?;
    let mut sizes = [0; N];
    let mut slots = sizes.iter_mut();
    for _ in 0..count {
        match slots.next() {
            Some(slot) => *slot = values::small(reader, what, least)?,
            None => reader.skip()?,
        }
    }
    if slots.next().is_some() {
        return Err(ParseError::new(at, format!("{what}: expected {N} sizes, found {count}")));
    }
    Ok(sizes)
}
