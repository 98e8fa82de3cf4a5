//! Sums over the machine code of several code objects of one target.
#![deny(clippy::indexing_slicing)]

use super::disassembly;
use super::disassembly::{CodeSummary, Histogram};
use crate::isa::body::Body;
use crate::isa::class;
use crate::isa::class::{CLASSES, ClassSet};
use crate::isa::legality::Absent;
use std::collections::BTreeMap;

answer! {
    /// Sums over the decoded code objects of a target.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct InstructionTally {
        /// Number of decoded code objects.
        copy objects: u64,
        /// How often each mnemonic occurs.
        part histogram: Histogram,
        /// Words that are not instructions.
        copy unknown: u64,
        /// Zero bytes skipped.
        copy zero_bytes: u64,
        /// Bytes in the code that symbols mark as data.
        copy data_bytes: u64,
        /// Kernels by what their bodies do.
        part bodies: BTreeMap<Body, u64>,
        /// For each class, in the order of [`CLASSES`], the number of code objects with such an instruction.
        hidden objects_with: Vec<u64>,
        /// Instructions that another processor lacks, if one was named.
        part absent: Absent,
    }
}

impl InstructionTally {
    /// Counts a code object.
    pub fn add(&mut self, code: &CodeSummary) {
        let all: ClassSet =
            code.histogram.iter().fold(0, |all, (number, _)| all | class::classes_of_number(*number));
        let objects_with = (0..CLASSES.len()).map(|class| all >> class & 1).collect();
        self.merge(&InstructionTally {
            objects: 1,
            histogram: code.histogram.clone(),
            unknown: code.unknown,
            zero_bytes: code.zero_bytes,
            data_bytes: code.data_bytes,
            bodies: code.bodies.clone(),
            objects_with,
            absent: code.absent.clone(),
        });
    }

    /// Adds the sums over other code objects.
    pub fn merge(&mut self, other: &InstructionTally) {
        self.objects += other.objects;
        disassembly::add(&mut self.histogram, &other.histogram);
        self.unknown += other.unknown;
        self.zero_bytes += other.zero_bytes;
        self.data_bytes += other.data_bytes;
        for (body, count) in &other.bodies {
            *self.bodies.entry(*body).or_default() += count;
        }
        self.objects_with.resize(CLASSES.len(), 0);
        for (mine, theirs) in self.objects_with.iter_mut().zip(&other.objects_with) {
            *mine += theirs;
        }
        self.absent.merge(&other.absent);
    }

    /// All instructions.
    pub fn instructions(&self) -> u64 {
        disassembly::total(&self.histogram)
    }

    /// For each class, in the order of [`CLASSES`]: number of instructions, and of code objects with one.
    pub fn by_class(&self) -> Vec<(u64, u64)> {
        let mut all: Vec<(u64, u64)> =
            (0..CLASSES.len()).map(|n| (0, self.objects_with.get(n).copied().unwrap_or(0))).collect();
        for (number, count) in &self.histogram {
            let set = class::classes_of_number(*number);
            let has = all.iter_mut().enumerate().filter(|(class, _)| set >> class & 1 == 1);
            has.for_each(|(_, (instructions, _))| *instructions += count);
        }
        all
    }

    /// Number of kernels with bodies of this kind.
    pub fn bodies_that_are(&self, body: Body) -> u64 {
        self.bodies.get(&body).copied().unwrap_or(0)
    }
}
