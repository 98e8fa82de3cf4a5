//! The nodes of a catalog: how a problem finds its way to a table, a tree or another catalog.
//!
//! Source: Tensile 6.4, `Serialization/SolutionLibrary.hpp` and the headers it includes.
#![deny(clippy::indexing_slicing)]

use super::dialect::Dialect;
use super::hardware::HardwarePredicate;
use super::rocblas::RocBlas;
use super::solution::index;
use super::table::Table;
use super::tree;
use super::tree::Forest;
use super::values;
use super::values::{Text, required, shown};
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::{ParseError, Parsed};
use rocm_audit_files::limits::TENSILE_DEPTH;
use std::collections::HashMap;
use std::marker::PhantomData;

/// A node.
#[derive(Debug)]
pub enum Node<D: Dialect = RocBlas> {
    /// Rows that ask about the device; the first that leads to a solution wins.
    Hardware(Box<[(HardwarePredicate, Node<D>)]>),
    /// Rows that ask about the problem, likewise.
    Problem(Box<[(D::Predicate, Node<D>)]>),
    /// A node for each operation. Where that of the problem's leads to nothing, no other is tried.
    ProblemMap(Box<[(Text, Node<D>)]>),
    /// Another catalog, as a number in
    /// [`CatalogIndex::placeholders`](super::catalog::CatalogIndex::placeholders).
    Placeholder(usize),
    /// A table of tuned sizes.
    Matching(Table),
    /// Decision trees.
    DecisionTree(Forest),
    /// One solution or none.
    Single(Option<u32>),
    /// Solutions that a model ranks for each problem.
    Prediction(Box<[u32]>),
    /// Solutions without a rank: a search for the best finds none in it, one for all finds each.
    FreeSize(Box<[u32]>),
    /// A node that this tool does not know: its type, and where that stands. Not followed.
    Unknown(Text, u64),
}

/// The names of other catalogs that were met, each once, and where.
#[derive(Debug, Default)]
pub(super) struct Placeholders {
    /// In the order in which they were met.
    all: Vec<(String, u64)>,
    numbers: HashMap<String, usize>,
}

impl Placeholders {
    /// The number of a name, which stands at this offset where it is new. Its cost does not depend on how
    /// many there are.
    pub fn number(&mut self, name: &str, at: u64) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.all.len();
        self.numbers.insert(name.to_owned(), number);
        self.all.push((name.to_owned(), at));
        number
    }

    /// All of them.
    pub fn into_all(self) -> Vec<(String, u64)> {
        self.all
    }
}

/// Nodes, each behind what leads to it.
type Rows<P, D> = Box<[(P, Node<D>)]>;

/// Reads the nodes of one catalog.
#[derive(Debug)]
pub(super) struct NodeReader<D> {
    /// The catalogs that it leads to.
    pub placeholders: Placeholders,
    dialect: PhantomData<D>,
}

impl<D: Dialect> NodeReader<D> {
    pub fn new() -> Self {
        NodeReader { placeholders: Placeholders::default(), dialect: PhantomData }
    }

    pub fn read(&mut self, reader: &mut Reader<'_>, depth: usize) -> Parsed<Node<D>> {
        let at = reader.offset();
        if depth >= TENSILE_DEPTH {
            let what = format!("nodes are nested deeper than {TENSILE_DEPTH} levels");
            return Err(ParseError::new(at, what));
        }
        let pairs = reader.map("a node")?;
        let (kind, kind_at) = values::type_of(reader, pairs, "a node")?;
        Ok(match kind {
            b"Hardware" => Node::Hardware(self.rows(reader, pairs, at, depth, D::hardware)?),
            b"Problem" => Node::Problem(self.rows(reader, pairs, at, depth, D::predicate)?),
            b"ProblemMap" => Node::ProblemMap(self.map(reader, pairs, at, depth)?),
            b"Placeholder" => Node::Placeholder(self.placeholder(reader, pairs, at)?),
            b"Matching" => Node::Matching(Table::read(reader, pairs, at)?),
            b"DecisionTree" => Node::DecisionTree(Forest::read(reader, pairs, at)?),
            b"Prediction" if D::predicts() => Node::Prediction(self.prediction(reader, pairs, at)?),
            b"FreeSize" if D::predicts() => Node::FreeSize(self.free_size(reader, pairs, at)?),
            b"Single" => Node::Single(tree::read_single_pairs(reader, pairs, at)?),
            _ => {
                let what = format!("unknown node {}; the real library refuses such a file", shown(kind));
                D::unknown_node(ParseError::new(kind_at, what))?;
                self.unknown(reader, pairs, at, kind_at)?
            }
        })
    }

    /// Skips a node that is not known and keeps its name.
    fn unknown(&self, reader: &mut Reader<'_>, pairs: u32, at: u64, kind_at: u64) -> Parsed<Node<D>> {
        let mut kind = None;
        for _ in 0..pairs {
            match values::key(reader)? {
                b"type" => kind = Some(Text::read(reader, "a node")?),
                _ => reader.skip()?,
            }
        }
        Ok(Node::Unknown(required(kind, at, "a node", "type")?, kind_at))
    }

    fn rows<'a, P>(
        &mut self,
        reader: &mut Reader<'a>,
        pairs: u32,
        at: u64,
        depth: usize,
        predicate: impl Fn(&mut Reader<'a>) -> Parsed<P>,
    ) -> Parsed<Rows<P, D>> {
        let mut rows = None;
        for _ in 0..pairs {
            match values::key(reader)? {
                b"rows" => {
                    let count = reader.array("rows")?;
                    let mut list = Vec::new();
                    for _ in 0..count {
                        list.push(self.row(reader, depth, &predicate)?);
                    }
                    rows = Some(list.into());
                }
                _ => reader.skip()?,
            }
        }
        required(rows, at, "a node", "rows")
    }

    fn row<'a, P>(
        &mut self,
        reader: &mut Reader<'a>,
        depth: usize,
        predicate: impl Fn(&mut Reader<'a>) -> Parsed<P>,
    ) -> Parsed<(P, Node<D>)> {
        let at = reader.offset();
        let (mut condition, mut library) = (None, None);
        for _ in 0..reader.map("a row")? {
            match values::key(reader)? {
                b"predicate" => condition = Some(predicate(reader)?),
                b"library" => library = Some(self.read(reader, depth + 1)?),
                _ => reader.skip()?,
            }
        }
        Ok((required(condition, at, "a row", "predicate")?, required(library, at, "a row", "library")?))
    }

    fn map(&mut self, reader: &mut Reader<'_>, pairs: u32, at: u64, depth: usize) -> Parsed<Rows<Text, D>> {
        let (mut map, mut property) = (None, None);
        for _ in 0..pairs {
            match values::key(reader)? {
                b"property" => {
                    let tagged = values::Tagged::read(reader, "property")?;
                    if tagged.kind != b"OperationIdentifier" {
                        return Err(tagged.unknown());
                    }
                    property = Some(());
                }
                b"map" => {
                    let count = reader.map("map")?;
                    let mut list = Vec::new();
                    for _ in 0..count {
                        let operation = Text::read(reader, "an operation")?;
                        list.push((operation, self.read(reader, depth + 1)?));
                    }
                    map = Some(list.into());
                }
                _ => reader.skip()?,
            }
        }
        required(property, at, "a ProblemMap node", "property")?;
        required(map, at, "a ProblemMap node", "map")
    }

    /// The solutions that a model ranks. The library refuses an empty list.
    fn prediction(&self, reader: &mut Reader<'_>, pairs: u32, at: u64) -> Parsed<Box<[u32]>> {
        let mut table = None;
        for _ in 0..pairs {
            match values::key(reader)? {
                b"table" => {
                    let count = reader.array("table")?;
                    let list: Parsed<Box<[u32]>> = (0..count).map(|_| index(reader)).collect();
                    table = Some(list?);
                }
                _ => reader.skip()?,
            }
        }
        let table: Box<[u32]> = required(table, at, "a Prediction node", "table")?;
        if table.is_empty() {
            return Err(ParseError::new(at, "a Prediction node without solutions"));
        }
        Ok(table)
    }

    /// The solutions of a list without a rank. Source: `Serialization/FreeSizeLibrary.hpp` of hipBLASLt.
    fn free_size(&self, reader: &mut Reader<'_>, pairs: u32, at: u64) -> Parsed<Box<[u32]>> {
        let mut table = None;
        for _ in 0..pairs {
            match values::key(reader)? {
                b"table" => {
                    let count = reader.array("table")?;
                    let list: Parsed<Box<[u32]>> = (0..count).map(|_| listed(reader)).collect();
                    table = Some(list?);
                }
                _ => reader.skip()?,
            }
        }
        required(table, at, "a FreeSize node", "table")
    }

    fn placeholder(&mut self, reader: &mut Reader<'_>, pairs: u32, at: u64) -> Parsed<usize> {
        let mut name = None;
        for _ in 0..pairs {
            match values::key(reader)? {
                b"value" => {
                    let at = reader.offset();
                    name = Some((values::text(reader, "a placeholder")?, at));
                }
                _ => reader.skip()?,
            }
        }
        let (name, at) = required(name, at, "a Placeholder node", "value")?;
        let plain =
            str::from_utf8(name).ok().filter(|name| !name.is_empty() && !name.contains(['/', '\\', '\0']));
        let Some(plain) = plain else {
            let what = format!("a placeholder must be the name of a file: {}", shown(name));
            return Err(ParseError::new(at, what));
        };
        Ok(self.placeholders.number(plain, at))
    }
}

/// The index of a row that says nothing else.
pub(super) fn listed(reader: &mut Reader<'_>) -> Parsed<u32> {
    let at = reader.offset();
    let mut number = None;
    for _ in 0..reader.map("a row of a table")? {
        match values::key(reader)? {
            b"index" => number = Some(index(reader)?),
            _ => reader.skip()?,
        }
    }
    required(number, at, "a row of a table", "index")
}

impl<D: Dialect> Node<D> {
    /// Turns the indices of solutions into places in the catalog; returns one that the catalog lacks.
    pub(super) fn resolve(&mut self, place: &impl Fn(u32) -> Option<u32>) -> Result<(), u32> {
        match self {
            Node::Hardware(rows) => rows.iter_mut().try_for_each(|(_, node)| node.resolve(place)),
            Node::Problem(rows) => rows.iter_mut().try_for_each(|(_, node)| node.resolve(place)),
            Node::ProblemMap(map) => map.iter_mut().try_for_each(|(_, node)| node.resolve(place)),
            Node::Placeholder(_) | Node::Single(None) | Node::Unknown(..) => Ok(()),
            Node::Matching(table) => table.resolve(place),
            Node::DecisionTree(forest) => forest.resolve(place),
            Node::Prediction(table) | Node::FreeSize(table) => table.iter_mut().try_for_each(|index| {
                *index = place(*index).ok_or(*index)?;
                Ok(())
            }),
            Node::Single(Some(index)) => {
                *index = place(*index).ok_or(*index)?;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_have_the_number_of_their_first_place() {
        let mut placeholders = Placeholders::default();
        // What looks through all before it would compare 20 thousand million names here.
        for round in 0..2u64 {
            for name in 0..200_000u64 {
                let number = placeholders.number(&format!("T_{name:07}"), round * 200_000 + name);
                assert_eq!(number as u64, name);
            }
        }
        let all = placeholders.into_all();
        assert_eq!(all.len(), 200_000);
        assert_eq!(all.last(), Some(&("T_0199999".to_owned(), 199_999)));
    }
}
