//! Basic blocks, and which lead to which.

use amdgpu_object::answer;

answer! {
    /// A basic block.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Block {
        /// Offset of its first instruction from the begin of the kernel in bytes.
        copy start: u32,
        /// Offset behind its last.
        copy end: u32,
        /// The numbers of the blocks that can follow: the target of a branch first.
        list successors: u32,
        /// Whether it ends with a jump through a register whose target is not known.
        copy goes_anywhere: bool,
        /// Whether the entry leads to it.
        copy is_reachable: bool,
        /// Numbers of its instructions.
        hidden first: u32,
        hidden last: u32,
    }
}

impl Block {
    /// Number of its instructions.
    pub fn instructions(&self) -> u32 {
        self.last - self.first
    }

    pub(crate) fn numbers(&self) -> std::ops::Range<usize> {
        self.first as usize..self.last as usize
    }
}

/// The blocks that lead to each block, all in one list.
#[derive(Debug, Default)]
pub(crate) struct Predecessors {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Predecessors {
    /// Of all blocks, or of those only that can be reached.
    pub(crate) fn index(blocks: &[Block], counts: impl Fn(&Block) -> bool) -> Self {
        let mut starts = vec![0u32; blocks.len() + 1];
        let edges = || {
            let counted = blocks.iter().enumerate().filter(|(_, block)| counts(block));
            counted
                .flat_map(|(from, block)| block.successors.iter().map(move |to| (from as u32, *to as usize)))
        };
        edges().for_each(|(_, to)| starts[to + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut places = starts.clone();
        let mut all = vec![0; starts.last().copied().unwrap_or(0) as usize];
        for (from, to) in edges() {
            all[places[to] as usize] = from;
            places[to] += 1;
        }
        Predecessors { starts, all }
    }

    pub(crate) fn to(&self, block: usize) -> &[u32] {
        let range = self.starts[block] as usize..self.starts[block + 1] as usize;
        &self.all[range]
    }
}
