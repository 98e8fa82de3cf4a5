//! What the graphs of architectures have between their products: traits, as data with sources (`rules/graphs.yaml`).

use serde::Deserialize;
use std::sync::OnceLock;

/// A trait that graphs of some architectures have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trait {
    /// Queries and keys are turned by halves.
    TurnedByHalves,
    /// They are turned by pairs of neighbours.
    TurnedByPairs,
    /// They are turned by sections.
    TurnedBySections,
    /// They are not turned.
    NotTurned,
    /// They are turned in blocks with a sliding window only, where the model has such blocks.
    TurnedInWindows,
    /// They are turned in all blocks but every n-th, the last of each n.
    TurnedButEvery,
    /// Norms subtract the mean: a launch for the norm, one for its weight, one for its bias.
    LayerNorm,
    /// A block has n norms for which there is no weight.
    NormsWithoutWeights,
    /// Queries and keys are normed after they are turned.
    NormsBehindTurning,
    /// Attention and feed-forward part are summed up first, and the block's input is added to that.
    SumsTogether,
    /// The block's input is added to the feed-forward part first, and then attention.
    SumsApart,
    /// Of three operands the asked rows are picked, not of two.
    ThreeRows,
    /// Queries are scaled by an operation of their own.
    ScaledQueries,
    /// The embedding is scaled.
    ScaledEmbedding,
    /// Shares of the chosen experts are made to sum up to one.
    NormedExperts,
    /// Shares are computed of the chosen experts alone.
    SharesOfTheChosen,
    /// Shares are sigmoids, where metadata does not say otherwise.
    SigmoidExperts,
    /// The gated unit of experts clamps both operands.
    ClampedUnits,
}

/// Which architectures have a trait.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Having {
    /// Its name.
    pub id: String,
    /// The trait.
    #[serde(rename = "trait")]
    pub of: Trait,
    /// Where it is read or was observed.
    pub source: String,
    /// Names that `general.architecture` may have.
    pub architectures: Vec<String>,
    /// A number, where the trait has one.
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
/// Where they are not well formed, which the tests exclude.
pub fn traits() -> Result<&'static [Having], &'static str> {
    static TRAITS: OnceLock<Result<Vec<Having>, String>> = OnceLock::new();
    TRAITS.get_or_init(read).as_deref().map_err(String::as_str)
}

fn read() -> Result<Vec<Having>, String> {
    let file: File =
        serde_json::from_str(rule_text!("model", "graphs")).map_err(|e| format!("traits of graphs: {e}"))?;
    match file.traits.iter().find(|having| having.source.trim().is_empty()) {
        Some(having) => Err(format!("trait {}: it has no source", having.id)),
        None => Ok(file.traits),
    }
}

/// Whether traits name an architecture: its graph was read in llama.cpp's sources, if not observed.
pub fn is_named(architecture: &str) -> bool {
    let names = |having: &Having| having.architectures.iter().any(|name| name == architecture);
    traits().is_ok_and(|all| all.iter().any(names))
}

/// What is known of the graph of one architecture.
#[derive(Debug, Clone)]
pub struct Graph(Vec<(Trait, u64)>);

impl Graph {
    /// Of an architecture.
    ///
    /// # Errors
    /// Where the crate's own rules are malformed.
    pub fn of(architecture: &str) -> Result<Self, &'static str> {
        let all =
            traits()?.iter().filter(|having| having.architectures.iter().any(|name| name == architecture));
        Ok(Graph(all.map(|having| (having.of, having.number)).collect()))
    }

    /// Whether it has a trait.
    pub fn has(&self, asked: Trait) -> bool {
        self.0.iter().any(|(known, _)| *known == asked)
    }

    /// The number of a trait that it has; 0 where it does not have it.
    pub fn number(&self, asked: Trait) -> u64 {
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
            let counts = [Trait::TurnedButEvery, Trait::NormsWithoutWeights].contains(&having.of);
            assert_eq!(having.number > 0, counts, "{}", having.id);
        }
        let ids: std::collections::BTreeSet<&str> = all.iter().map(|having| having.id.as_str()).collect();
        assert_eq!(ids.len(), all.len());
    }

    #[test]
    fn an_architecture_is_turned_one_way() {
        let ways = [Trait::TurnedByHalves, Trait::TurnedByPairs, Trait::TurnedBySections, Trait::NotTurned];
        for name in traits().unwrap().iter().flat_map(|having| &having.architectures) {
            let graph = Graph::of(name).unwrap();
            assert!(ways.iter().filter(|way| graph.has(**way)).count() <= 1, "{name}");
        }
    }
}
