//! What the graphs of architectures contain between their products: traits, as data with sources
//! (`rules/graphs.yaml`).

use super::written::TraitsFile;
pub use super::written::{GraphTrait, Having};
use crate::rule_file::List;

static TRAITS: TraitsFile = made!("model", "graphs");

/// All traits.
pub fn traits() -> List<Having> {
    TRAITS.traits
}

/// Whether the traits list an architecture, so that its graph was at least read in llama.cpp's sources.
pub fn is_named(architecture: &str) -> bool {
    traits().iter().any(|having| having.architectures.has(architecture))
}

/// The traits of one architecture's graph.
#[derive(Debug, Clone)]
pub struct Graph(Vec<(GraphTrait, u64)>);

impl Graph {
    /// The traits of an architecture.
    pub fn for_architecture(architecture: &str) -> Self {
        let all = traits().into_iter().filter(|having| having.architectures.has(architecture));
        Graph(all.map(|having| (having.of, having.number)).collect())
    }

    /// Whether it has a trait.
    pub fn has(&self, asked: GraphTrait) -> bool {
        self.0.iter().any(|(known, _)| *known == asked)
    }

    /// The number of a trait; 0 without the trait.
    pub fn number(&self, asked: GraphTrait) -> u64 {
        self.0.iter().find(|(known, _)| *known == asked).map_or(0, |(_, number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_of_the_crate_load() {
        let all = traits();
        for having in all {
            assert!(!having.architectures.is_empty(), "{}", having.id);
            assert!(!having.source.trim().is_empty(), "{}", having.id);
            let counts = [GraphTrait::TurnedButEvery, GraphTrait::NormsWithoutWeights].contains(&having.of);
            assert_eq!(having.number > 0, counts, "{}", having.id);
        }
        let ids: std::collections::BTreeSet<&str> = all.iter().map(|having| having.id).collect();
        assert_eq!(ids.len(), all.len());
    }

    #[test]
    fn an_architecture_is_turned_one_way() {
        let ways = [
            GraphTrait::TurnedByHalves,
            GraphTrait::TurnedByPairs,
            GraphTrait::TurnedBySections,
            GraphTrait::NotTurned,
        ];
        for name in traits().into_iter().flat_map(|having| having.architectures) {
            let graph = Graph::for_architecture(name);
            assert!(ways.iter().filter(|way| graph.has(**way)).count() <= 1, "{name}");
        }
    }
}
