//! The first line of an answer for a card that claims another processor.

use super::block::Block;
use super::style::Tone;
use crate::report::v1::Claim;

/// What is claimed, and whether that is safe; nothing where no override is taken as set.
pub(super) fn blocks(claim: Option<&Claim>) -> Vec<Block> {
    let block = |claim: &Claim| {
        let tone = if claim.answer.is_legal() { Tone::Good } else { Tone::Bad };
        Block::Text(tone, claim.sentences())
    };
    claim.into_iter().map(block).collect()
}
