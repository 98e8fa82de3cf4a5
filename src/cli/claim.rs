//! `--override VALUE`: an answer as if `HSA_OVERRIDE_GFX_VERSION` were set.

use super::global::GlobalArgs;
use super::gpu::Gpu;
use crate::asked::override_value::{OverrideValue, value};
use crate::error::AuditError;
use crate::question::claim::claimed;
use crate::report::v1::Claim;
use std::borrow::Cow;

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub(super) struct ClaimArgs {
    /// Answer as if HSA_OVERRIDE_GFX_VERSION had this value, such as 10.3.0: the code of the processor that
    /// it names is loaded on the card
    #[arg(long = "override", value_name = "VALUE", value_parser = value)]
    override_value: Option<OverrideValue>,
}

impl ClaimArgs {
    /// For a command that has the option in a place of its own.
    #[cfg(feature = "engines")]
    pub fn new(override_value: Option<OverrideValue>) -> Self {
        ClaimArgs { override_value }
    }

    /// Whether nothing is claimed.
    pub fn is_none(&self) -> bool {
        self.override_value.is_none()
    }

    /// A card as the runtime sees it, with what it claims.
    ///
    /// # Errors
    /// Where the value is not safe by the tables, with those that are.
    pub fn claimed_card(&self, card: &Gpu) -> Result<(Gpu, Option<Claim>), AuditError> {
        claimed(card, self.override_value.as_ref())
    }

    /// The options with the one card that they name as the runtime sees it.
    ///
    /// # Errors
    /// As [`ClaimArgs::claimed_card`], and where not one card is named.
    pub fn of_options<'g>(
        &self,
        global: &'g GlobalArgs,
        command: &str,
    ) -> Result<(Cow<'g, GlobalArgs>, Option<Claim>), AuditError> {
        if self.is_none() {
            return Ok((Cow::Borrowed(global), None));
        }
        let card = match (&global.arch[..], &global.gpu[..]) {
            ([_], [gpu]) => gpu.clone(),
            ([target], []) => Gpu::unnamed(target.clone()),
            _ => {
                let what = format!(
                    "{command} --override: the variable is of one card here: name it with --gpu \"RX 6600\" or --arch gfx1032"
                );
                return Err(AuditError::Usage(what));
            }
        };
        let (card, claim) = self.claimed_card(&card)?;
        let mut own = global.clone();
        (own.arch, own.gpu) = (vec![card.target.clone()], vec![card]);
        Ok((Cow::Owned(own), claim))
    }
}
