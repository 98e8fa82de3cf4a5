//! The solutions of a catalog: read with it, or of format 2 each when it is first asked for, as the library
//! does.
#![deny(clippy::indexing_slicing)]

use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::Parsed;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A solution that can be read by itself.
pub trait KeptApart: Sized {
    /// Tensile's number of it.
    fn number(&self) -> u32;

    /// Reads one that stands apart, with all that others of its catalog share with it.
    ///
    /// # Errors
    /// Where it is not what the real library accepts, or the library has no such catalogs.
    fn read_apart(reader: &mut Reader<'_>) -> Parsed<Self>;

    /// Reads all of a catalog, with what they share read once; `None` for each that is not what the real
    /// library accepts.
    fn read_together<'c>(all: impl Iterator<Item = Option<Reader<'c>>>) -> Box<[Option<Self>]> {
        let one = |reader: Option<Reader<'c>>| {
            let mut reader = reader?;
            Self::read_apart(&mut reader).ok().filter(|_| reader.at_end())
        };
        all.map(one).collect()
    }
}

/// How many problems may reach a catalog of format 2 before all of its solutions are read: a few solutions
/// are read sooner than all, and solutions that were read together are asked sooner.
const VISITS: u32 = 4;

/// The solutions in the order of the catalog.
#[derive(Debug)]
pub enum Solutions<S> {
    /// All of them were read with the catalog.
    Whole(Box<[S]>),
    /// Each is read when it is first asked for, and all when many problems ask.
    Apart(ApartSolutions<S>),
}

/// The solutions of a catalog of format 2.
#[derive(Debug)]
pub struct ApartSolutions<S> {
    slices: Box<[Slice<S>]>,
    /// All of them, once they were read together.
    together: OnceLock<Box<[Option<S>]>>,
    /// How many problems reached the catalog.
    visits: AtomicU32,
}

impl<S: KeptApart> ApartSolutions<S> {
    pub(super) fn new(slices: Box<[Slice<S>]>) -> Self {
        ApartSolutions { slices, together: OnceLock::new(), visits: AtomicU32::new(0) }
    }

    fn solution(&self, place: u32, catalog: &[u8]) -> Option<&S> {
        match self.together.get() {
            Some(all) => all.get(place as usize)?.as_ref(),
            None => self.slices.get(place as usize)?.solution(catalog),
        }
    }

    fn together(&self, catalog: &[u8]) -> &[Option<S>] {
        self.together.get_or_init(|| {
            let mut all = S::read_together(self.slices.iter().map(|slice| slice.reader(catalog)));
            for (read, slice) in all.iter_mut().zip(&self.slices) {
                *read = read.take().filter(|solution| solution.number() == slice.index);
            }
            all
        })
    }
}

/// A solution of a catalog of format 2.
#[derive(Debug)]
pub struct Slice<S> {
    /// The index by which the catalog finds it.
    index: u32,
    /// Its bytes, counted from the beginning of the catalog.
    begin: u64,
    length: u64,
    /// `None` where the bytes are no solution, or one of another index: the library then has a solution that
    /// solves nothing.
    read: OnceLock<Option<Box<S>>>,
}

impl<S: KeptApart> Slice<S> {
    /// A solution that was not read yet.
    pub(super) fn new(index: u32, begin: u64, length: u64) -> Self {
        Slice { index, begin, length, read: OnceLock::new() }
    }

    fn reader<'c>(&self, catalog: &'c [u8]) -> Option<Reader<'c>> {
        let end = usize::try_from(self.begin.checked_add(self.length)?).ok()?;
        let bytes = catalog.get(usize::try_from(self.begin).ok()?..end)?;
        Some(Reader::new(bytes, self.begin))
    }

    fn solution(&self, catalog: &[u8]) -> Option<&S> {
        let read = || {
            let mut reader = self.reader(catalog)?;
            let solution = S::read_apart(&mut reader).ok()?;
            (reader.at_end() && solution.number() == self.index).then(|| Box::new(solution))
        };
        self.read.get_or_init(read).as_deref()
    }
}

impl<S: KeptApart> Solutions<S> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Solutions::Whole(all) => all.len(),
            Solutions::Apart(all) => all.slices.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The solution at a place, of the catalog with these bytes.
    #[inline]
    pub fn get(&self, place: u32, catalog: &[u8]) -> Option<&S> {
        match self {
            Solutions::Whole(all) => all.get(place as usize),
            Solutions::Apart(all) => all.solution(place, catalog),
        }
    }

    /// Those that were read together of a catalog of format 2, which one more problem has reached: none at
    /// first.
    pub fn visited(&self, catalog: &[u8]) -> &[Option<S>] {
        match self {
            // A count that runs over only reads them apart again where they were not read together.
            Solutions::Apart(all) if all.visits.fetch_add(1, Ordering::Relaxed) >= VISITS => {
                all.together(catalog)
            }
            Solutions::Apart(all) => all.together.get().map(|all| &**all).unwrap_or_default(),
            Solutions::Whole(_) => &[],
        }
    }

    /// Reads all of a catalog of format 2 together, for who will ask each of them.
    pub fn prepare(&self, catalog: &[u8]) {
        if let Solutions::Apart(all) = self {
            all.together(catalog);
        }
    }

    /// Tensile's number of the solution at a place.
    pub fn index_at(&self, place: u32) -> Option<u32> {
        match self {
            Solutions::Whole(all) => all.get(place as usize).map(S::number),
            Solutions::Apart(all) => all.slices.get(place as usize).map(|slice| slice.index),
        }
    }

    /// The place of the solution with a number.
    pub fn place_of(&self, index: u32) -> Option<u32> {
        let is_it = |place: &u32| self.index_at(*place) == Some(index);
        (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).find(is_it)
    }

    /// Those that were read with the catalog: all, but of format 2.
    pub fn whole(&self) -> &[S] {
        match self {
            Solutions::Whole(all) => all,
            Solutions::Apart(_) => &[],
        }
    }
}

/// SolutionOffsets of solutions by their numbers. Real numbers follow one another with few gaps.
pub(super) enum SolutionOffsets {
    Dense(u32, Vec<u32>),
    Sparse(HashMap<u32, u32>),
}

impl Default for SolutionOffsets {
    fn default() -> Self {
        SolutionOffsets::Dense(0, Vec::new())
    }
}

impl SolutionOffsets {
    /// Of these numbers, in the order of the catalog.
    ///
    /// # Errors
    /// The second place of a number that stands at two.
    pub fn new(indices: impl Iterator<Item = u32> + Clone) -> Result<SolutionOffsets, usize> {
        let count = indices.clone().count();
        let (first, last) =
            (indices.clone().min().unwrap_or_default(), indices.clone().max().unwrap_or_default());
        let span = (last - first) as usize;
        let mut places = if span <= 4 * count + 1024 {
            SolutionOffsets::Dense(first, vec![u32::MAX; span + 1])
        } else {
            SolutionOffsets::Sparse(HashMap::with_capacity(count))
        };
        for (place, index) in (0..).zip(indices) {
            if places.get(index).is_some() {
                return Err(place as usize);
            }
            match &mut places {
                SolutionOffsets::Dense(first, places) => {
                    if let Some(slot) = places.get_mut((index - *first) as usize) {
                        *slot = place;
                    }
                }
                SolutionOffsets::Sparse(places) => {
                    places.insert(index, place);
                }
            }
        }
        Ok(places)
    }

    /// The place of a number.
    pub fn get(&self, index: u32) -> Option<u32> {
        match self {
            SolutionOffsets::Dense(first, places) => {
                let at = index.checked_sub(*first)? as usize;
                places.get(at).copied().filter(|place| *place != u32::MAX)
            }
            SolutionOffsets::Sparse(places) => places.get(&index).copied(),
        }
    }
}
