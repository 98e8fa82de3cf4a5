//! Cards that claim another processor: gives answers as if `HSA_OVERRIDE_GFX_VERSION` were set.

use crate::asked::AskedCard;
use crate::asked::override_value::OverrideValue;
use crate::error::AuditError;
use crate::report::v1::Claim;
use crate::report::{self, Overriding};
use crate::target::TargetId;

/// The card as the runtime sees it, and its claim.
///
/// # Errors
///
/// If the tables say that the value is not safe; the error lists safe values.
pub fn claimed(
    card: &AskedCard,
    value: Option<&OverrideValue>,
) -> Result<(AskedCard, Option<Claim>), AuditError> {
    let Some(value) = value else { return Ok((card.clone(), None)) };
    let question = Overriding { value: &value.text, claimed: &value.claimed, card: &card.target };
    let claim = report::claim(&question);
    is_not_refused(&claim, &card.target)?;
    Ok((card.claiming(value.claimed.clone()), Some(claim)))
}

/// Refuses a value under which the card would run code with other results than intended: an answer for the
/// claimed processor would be wrong.
///
/// # Errors
///
/// Lists the safe values.
pub(super) fn is_not_refused(claim: &Claim, card: &TargetId) -> Result<(), AuditError> {
    if !claim.answer.is_unsafe() {
        return Ok(());
    }
    let others = match &report::legal_values(card)[..] {
        [] => format!("No other processor is known whose code {card} runs"),
        values => format!("Values for code that {card} runs: {}", values.join(", ")),
    };
    let judged = claim.answer.sentence(&claim.because);
    Err(AuditError::Usage(format!("--override {}: {judged} {others}", claim.value)))
}
