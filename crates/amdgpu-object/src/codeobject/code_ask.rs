//! How much of the machine code a reader is asked for.

#[cfg(feature = "std")]
use super::decode_options::DecodeOptions;
#[cfg(not(feature = "std"))]
use crate::target::TargetId;

/// How much of a code object's machine code to examine.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub enum CodeAsk<'a> {
    /// Nothing of it.
    #[default]
    Nothing,
    /// Small kernels, to count those that only trap.
    #[cfg(feature = "std")]
    TrapStubs,
    /// All machine code.
    Decoded(&'a DecodeOptions<'a>),
}

impl<'a> CodeAsk<'a> {
    /// The options, if the code is to be decoded.
    pub fn decoded(self) -> Option<&'a DecodeOptions<'a>> {
        match self {
            CodeAsk::Decoded(options) => Some(options),
            #[cfg(feature = "std")]
            CodeAsk::TrapStubs => None,
            CodeAsk::Nothing => None,
        }
    }
}

/// Options for decoding machine code. A build without `std` has no decoders, so no value of this type exists.
#[cfg(not(feature = "std"))]
#[derive(Debug, Clone, Copy)]
pub struct DecodeOptions<'a> {
    pub(super) never: core::convert::Infallible,
    _asked: core::marker::PhantomData<&'a ()>,
}

#[cfg(not(feature = "std"))]
impl DecodeOptions<'_> {
    /// Whether to decode the code of a target.
    pub fn wants(&self, _: &TargetId) -> bool {
        match self.never {}
    }
}
