//! The first line of an answer for a card that claims another processor.

use super::block::Block;
use super::style::Tone;
use crate::report::v1::Claim;

/// The claim, and whether it is safe; empty if the answer takes no override as set.
pub(super) fn blocks(claim: Option<&Claim>) -> Vec<Block> {
    let block = |claim: &Claim| {
        let tone = if claim.answer.is_legal() { Tone::Good } else { Tone::Bad };
        Block::Text(tone, claim.sentences())
    };
    claim.into_iter().map(block).collect()
}
