//! What the graphs of architectures contain between their products: traits, as data with sources
//! (`rules/graphs.yaml`).

use rocm_audit_files::error::BrokenRules;
use serde::Deserialize;
use std::sync::OnceLock;

/// A trait of some architectures' graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphTrait {
    /// Queries and keys are rotated by halves.
    TurnedByHalves,
    /// Queries and keys are rotated by neighbouring pairs.
    TurnedByPairs,
    /// Queries and keys are rotated by sections.
    TurnedBySections,
    /// Queries and keys are not rotated.
    NotTurned,
    /// Queries and keys are rotated only in blocks with a sliding window, if the model has such blocks.
    TurnedInWindows,
    /// Queries and keys are rotated in all blocks except the last of every n.
    TurnedButEvery,
    /// Norms subtract the mean, with one launch each for norm, weight and bias.
    LayerNorm,
    /// A block has n norms without a weight.
    NormsWithoutWeights,
    /// Queries and keys are normed after the rotation.
    NormsBehindTurning,
    /// Attention and feed-forward part are added up first, then the block's input is added.
    SumsTogether,
    /// The block's input is added to the feed-forward part first, and then to attention.
    SumsApart,
    /// The requested rows are selected from three operands, not two.
    ThreeRows,
    /// Queries are scaled by a separate operation.
    ScaledQueries,
    /// The embedding is scaled.
    ScaledEmbedding,
    /// The shares of the chosen experts are normalised to a sum of one.
    NormedExperts,
    /// Shares are computed only for the chosen experts.
    SharesOfTheChosen,
    /// Shares are sigmoids, unless the metadata says otherwise.
    SigmoidExperts,
    /// The gated unit of experts clamps both operands.
    ClampedUnits,
}

/// The architectures that have a trait.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Having {
    /// Id of the entry.
    pub id: String,
    /// The trait.
    #[serde(rename = "trait")]
    pub of: GraphTrait,
    /// Source of the trait.
    pub source: String,
    /// Names that `general.architecture` may have.
    pub architectures: Vec<String>,
    /// A number, if the trait has one.
    #[serde(default)]
    pub number: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    traits: Vec<Having>,
}

/// All traits.
///
/// # Errors
///
/// If they are malformed, which the tests rule out.
pub fn traits() -> Result<&'static [Having], &'static str> {
    static TRAITS: OnceLock<Result<Vec<Having>, BrokenRules>> = OnceLock::new();
    TRAITS.get_or_init(read).as_deref().map_err(|broken| &**broken)
}

fn read() -> Result<Vec<Having>, BrokenRules> {
    let file: File =
        serde_json::from_str(rule_text!("model", "graphs")).map_err(|e| format!("traits of graphs: {e}"))?;
    match file.traits.iter().find(|having| having.source.trim().is_empty()) {
        Some(having) => Err(format!("trait {}: it has no source", having.id).into()),
        None => Ok(file.traits),
    }
}

/// Whether the traits list an architecture, so that its graph was at least read in llama.cpp's sources.
pub fn is_named(architecture: &str) -> bool {
    let names = |having: &Having| having.architectures.iter().any(|name| name == architecture);
    traits().is_ok_and(|all| all.iter().any(names))
}

/// The traits of one architecture's graph.
#[derive(Debug, Clone)]
pub struct Graph(Vec<(GraphTrait, u64)>);

impl Graph {
    /// The traits of an architecture.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are malformed.
    pub fn for_architecture(architecture: &str) -> Result<Self, &'static str> {
        let all =
            traits()?.iter().filter(|having| having.architectures.iter().any(|name| name == architecture));
        Ok(Graph(all.map(|having| (having.of, having.number)).collect()))
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
        let all = traits().unwrap();
        for having in all {
            assert!(!having.architectures.is_empty(), "{}", having.id);
            let counts = [GraphTrait::TurnedButEvery, GraphTrait::NormsWithoutWeights].contains(&having.of);
            assert_eq!(having.number > 0, counts, "{}", having.id);
        }
        let ids: std::collections::BTreeSet<&str> = all.iter().map(|having| having.id.as_str()).collect();
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
        for name in traits().unwrap().iter().flat_map(|having| &having.architectures) {
            let graph = Graph::for_architecture(name).unwrap();
            assert!(ways.iter().filter(|way| graph.has(**way)).count() <= 1, "{name}");
        }
    }
}
