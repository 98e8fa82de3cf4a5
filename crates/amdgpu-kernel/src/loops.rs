//! Natural loops: an edge that goes back to a block which every way to its source goes through, and the
//! blocks between.

use crate::block::{Block, Predecessors};
use amdgpu_object::answer;

answer! {
    /// A natural loop. Loops with one header are one.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Loop {
        /// Number of the block that it is entered by.
        copy header: u32,
        /// Offset of that block in bytes.
        copy offset: u32,
        /// Offsets of the blocks that lead back to the header.
        list back: u32,
        /// Number of its blocks, those of inner loops among them.
        copy blocks: u32,
        /// 1 for a loop in no other.
        copy depth: u32,
        /// Index of the loop that it lies in.
        copy parent: Option<u32>,
    }
}

/// Loops, and what is none.
#[derive(Default)]
pub(crate) struct FoundLoops {
    pub(crate) all: Vec<Loop>,
    pub(crate) irreducible: Vec<(u32, u32)>,
    pub(crate) is_unknown: bool,
    /// The innermost loop of each block, by its index; [`NONE`] for none.
    pub(crate) innermost: Vec<u32>,
}

/// Steps for each block and edge that dominators may take. Compiled kernels take fewer than ten.
const STEPS: usize = 256;

/// Steps in all: a second or so.
const MOST_STEPS: usize = 1 << 28;

pub(crate) const NONE: u32 = u32::MAX;

/// Immediate dominators by position in the order; nothing where they take too many steps (Cooper, Harvey,
/// Kennedy: "A Simple, Fast Dominance Algorithm").
fn dominators(predecessors: &Predecessors, order: &[u32], place: &[u32]) -> Option<Vec<u32>> {
    let mut above = vec![NONE; order.len()];
    *above.first_mut()? = 0;
    let edges: usize = order.iter().map(|block| predecessors.to(*block as usize).len()).sum();
    let mut steps = (order.len() + edges + 64).saturating_mul(STEPS).min(MOST_STEPS);
    let mut changed = true;
    while changed {
        changed = false;
        for (at, block) in order.iter().enumerate().skip(1) {
            let mut found = NONE;
            for from in predecessors.to(*block as usize) {
                let from = place[*from as usize];
                if above[from as usize] == NONE {
                    continue;
                }
                if found == NONE {
                    found = from;
                    continue;
                }
                let mut other = from;
                while found != other {
                    steps = steps.checked_sub(1)?;
                    if found > other { found = above[found as usize] } else { other = above[other as usize] }
                }
            }
            if found != NONE && above[at] != found {
                above[at] = found;
                changed = true;
            }
            steps = steps.checked_sub(1)?;
        }
    }
    Some(above)
}

/// When a walk over the tree of dominators enters and leaves each block, so that one comparison says whether
/// it dominates another.
fn intervals(above: &[u32]) -> Vec<(u32, u32)> {
    let mut first = vec![NONE; above.len()];
    let mut next = vec![NONE; above.len()];
    for (at, parent) in above.iter().enumerate().skip(1).rev() {
        if *parent != NONE {
            next[at] = first[*parent as usize];
            first[*parent as usize] = at as u32;
        }
    }
    let mut times = vec![(0, 0); above.len()];
    let (mut clock, mut open) = (0, vec![(0u32, false)]);
    while let Some((at, is_left)) = open.pop() {
        clock += 1;
        if is_left {
            times[at as usize].1 = clock;
            continue;
        }
        times[at as usize].0 = clock;
        open.push((at, true));
        let mut child = first[at as usize];
        while child != NONE {
            open.push((child, false));
            child = next[child as usize];
        }
    }
    times
}

pub(crate) fn find(blocks: &[Block], predecessors: &Predecessors, order: &[u32]) -> FoundLoops {
    let mut place = vec![NONE; blocks.len()];
    for (at, block) in order.iter().enumerate() {
        place[*block as usize] = at as u32;
    }
    let goes_back = order.iter().any(|from| {
        let own = place[*from as usize];
        blocks[*from as usize].successors.iter().any(|to| place[*to as usize] <= own)
    });
    if !goes_back {
        return FoundLoops::default();
    }
    let Some(above) = dominators(predecessors, order, &place) else {
        return FoundLoops { is_unknown: true, ..FoundLoops::default() };
    };
    let times = intervals(&above);
    let mut found = FoundLoops::default();
    // Latches of each header, by its place in the order.
    let mut latches: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut edges = Vec::new();
    for from in order {
        for to in &blocks[*from as usize].successors {
            let (source, header) = (place[*from as usize], place[*to as usize]);
            if header > source {
                continue;
            }
            let (outer, inner) = (times[header as usize], times[source as usize]);
            if outer.0 <= inner.0 && inner.1 <= outer.1 {
                edges.push((header, *from));
            } else {
                found.irreducible.push((blocks[*from as usize].start, blocks[*to as usize].start));
            }
        }
    }
    edges.sort_by_key(|(header, _)| *header);
    for (header, from) in edges {
        match latches.last_mut().filter(|(own, _)| *own == header) {
            Some((_, all)) => all.push(from),
            None => latches.push((header, vec![from])),
        }
    }
    (found.all, found.innermost) = nest(blocks, predecessors, order, &latches);
    found
}

/// A loop while loops are found, inner ones first.
struct Nesting {
    header: u32,
    /// The loop that it lies in, by its index here.
    parent: u32,
    /// An outer loop, on the way to the outermost that is known.
    outer: u32,
    blocks: u32,
}

fn nest(
    blocks: &[Block],
    predecessors: &Predecessors,
    order: &[u32],
    latches: &[(u32, Vec<u32>)],
) -> (Vec<Loop>, Vec<u32>) {
    let mut nests: Vec<Nesting> = Vec::new();
    let mut loop_of = vec![NONE; blocks.len()];
    for (header, sources) in latches.iter().rev() {
        let own = nests.len() as u32;
        let header = order[*header as usize];
        nests.push(Nesting { header, parent: NONE, outer: own, blocks: 0 });
        let mut open = sources.clone();
        while let Some(block) = open.pop() {
            let inner = loop_of[block as usize];
            if inner == NONE {
                loop_of[block as usize] = own;
                nests[own as usize].blocks += 1;
                if block != header {
                    open.extend(predecessors.to(block as usize));
                }
                continue;
            }
            let inner = outermost(&mut nests, inner);
            if inner == own {
                continue;
            }
            nests[inner as usize].parent = own;
            nests[inner as usize].outer = own;
            nests[own as usize].blocks += nests[inner as usize].blocks;
            open.extend(predecessors.to(nests[inner as usize].header as usize));
        }
        // A header that no way back was walked to is its own latch, or lies in the loop already.
        if loop_of[header as usize] == NONE {
            loop_of[header as usize] = own;
            nests[own as usize].blocks += 1;
        }
    }
    in_order(blocks, &nests, latches, loop_of)
}

/// The outermost loop that is known to hold a loop.
fn outermost(nests: &mut [Nesting], mut inner: u32) -> u32 {
    while nests[inner as usize].outer != inner {
        let outer = nests[inner as usize].outer;
        nests[inner as usize].outer = nests[outer as usize].outer;
        inner = outer;
    }
    inner
}

fn in_order(
    blocks: &[Block],
    nests: &[Nesting],
    latches: &[(u32, Vec<u32>)],
    mut loop_of: Vec<u32>,
) -> (Vec<Loop>, Vec<u32>) {
    let mut sorted: Vec<u32> = (0..nests.len() as u32).collect();
    sorted.sort_by_key(|own| nests[*own as usize].header);
    let mut index = vec![0; nests.len()];
    for (at, own) in sorted.iter().enumerate() {
        index[*own as usize] = at as u32;
    }
    // Outer loops come last among the nests, so that their depth is known when that of an inner one is asked.
    let mut depths = vec![1; nests.len()];
    for own in (0..nests.len()).rev() {
        if nests[own].parent != NONE {
            depths[own] = depths[nests[own].parent as usize] + 1;
        }
    }
    let made = sorted.iter().map(|own| {
        let own = *own as usize;
        let nesting = &nests[own];
        let mut back: Vec<u32> =
            latches[latches.len() - 1 - own].1.iter().map(|from| blocks[*from as usize].start).collect();
        back.sort_unstable();
        Loop {
            header: nesting.header,
            offset: blocks[nesting.header as usize].start,
            back,
            blocks: nesting.blocks,
            depth: depths[own],
            parent: (nesting.parent != NONE).then(|| index[nesting.parent as usize]),
        }
    });
    let made = made.collect();
    for own in loop_of.iter_mut().filter(|own| **own != NONE) {
        *own = index[*own as usize];
    }
    (made, loop_of)
}
