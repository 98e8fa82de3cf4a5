//! Reading the solutions of a catalog, with what they share read once.
#![deny(clippy::indexing_slicing)]

use super::predicate::Predicate;
use super::problem_type::ProblemType;
use super::size_mapping::SizeMapping;
use super::solution::{SharedSolutionParts, Solution};
use crate::tensile::dialect::Placed;
use crate::tensile::hardware::{self, HardwarePredicate};
use crate::tensile::solution::index;
use crate::tensile::solutions::KeptApart;
use crate::tensile::values::{self, Tagged, Text, required};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::Parsed;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Reads the list of solutions.
///
/// # Errors
/// Where it is not whole.
pub(super) fn read_all(reader: &mut Reader<'_>) -> Parsed<(Placed<Solution>, SharedSolutionParts)> {
    let count = reader.array("the solutions of a TensileLite catalog")?;
    let mut pool = Pool::default();
    let mut solutions = Vec::new();
    for _ in 0..count {
        let at = reader.offset();
        solutions.push((pool.solution(reader)?, at));
    }
    Ok((solutions, pool.shared))
}

impl KeptApart for Solution {
    fn number(&self) -> u32 {
        self.index
    }

    fn read_apart(reader: &mut Reader<'_>) -> Parsed<Self> {
        let mut pool = Pool::default();
        let solution = pool.solution(reader)?;
        Ok(Solution { apart: Some(Arc::new(pool.shared)), ..solution })
    }

    fn read_together<'c>(all: impl Iterator<Item = Option<Reader<'c>>>) -> Box<[Option<Self>]> {
        let mut pool = Pool::default();
        let one = |reader: Option<Reader<'c>>| {
            let mut reader = reader?;
            pool.solution(&mut reader).ok().filter(|_| reader.at_end())
        };
        let mut read: Box<[Option<Self>]> = all.map(one).collect();
        let shared = Arc::new(pool.shared);
        for solution in read.iter_mut().flatten() {
            solution.apart = Some(Arc::clone(&shared));
        }
        read
    }
}

/// What was read already, by its bytes.
#[derive(Default)]
struct Pool<'a> {
    shared: SharedSolutionParts,
    /// Of each predicate its number, whether it is of the kind that is asked, and the name of what is not
    /// known of it.
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
        let mapping = required(mapping, at, what, "sizeMapping")?;
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
            unknown,
            apart: None,
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
