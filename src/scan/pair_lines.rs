//! Source lines of the instructions that are named in pairs, as far as a code object has debug information.

#[cfg(feature = "lines")]
use crate::kernel::lines::{Depth, SourceLines};
#[cfg(feature = "lines")]
use std::cell::OnceCell;

/// The source lines of a code object, read when the first is asked for.
pub(super) struct PairLines<'d> {
    #[cfg(feature = "lines")]
    bytes: &'d [u8],
    #[cfg(feature = "lines")]
    read: OnceCell<Option<SourceLines<'d>>>,
    #[cfg(not(feature = "lines"))]
    nothing: std::marker::PhantomData<&'d [u8]>,
}

#[cfg(feature = "lines")]
impl<'d> PairLines<'d> {
    pub(super) fn new(bytes: &'d [u8]) -> Self {
        PairLines { bytes, read: OnceCell::new() }
    }

    /// File and line of the instruction at an address, in short: those of an inlined function are its own.
    pub(super) fn at(&self, address: u64) -> Option<String> {
        let read = || SourceLines::read(self.bytes, Depth::Chains).ok().flatten();
        let chain = self.read.get_or_init(read).as_ref()?.chain(address);
        let first = chain.first().filter(|frame| frame.line > 0)?;
        Some(super::source_lines::frame(first).short())
    }
}

#[cfg(not(feature = "lines"))]
impl<'d> PairLines<'d> {
    pub(super) fn new(_: &'d [u8]) -> Self {
        PairLines { nothing: std::marker::PhantomData }
    }

    pub(super) fn at(&self, _: u64) -> Option<String> {
        None
    }
}
