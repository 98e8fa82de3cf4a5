//! The entries of a bundle, one after the other, with their bytes at hand: the short way for who wants no more of a bundle.

use super::{Bundle, EntryId, bundle, compressed, find};
use crate::budget::ObjectBudget;
use crate::bytes::le::clamped;
use crate::codeobject::{self, CodeObject, Kernel};
use crate::error::Parsed;
use crate::target::TargetId;
use std::borrow::Cow;
use std::fmt;

/// A bundle with the content of its entries, inflated where it was compressed.
#[derive(Debug)]
pub struct OpenBundle<'d> {
    bundle: Cow<'d, Bundle>,
    content: Content<'d>,
    hash_fits: Option<bool>,
}

enum Content<'d> {
    /// The bytes of the file from the bundle's magic on.
    Stored(&'d [u8]),
    Inflated(compressed::Inflated),
}

impl fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").field("bytes", &self.bytes().len()).finish()
    }
}

impl Content<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Content::Stored(bytes) => bytes,
            Content::Inflated(inflated) => inflated.bytes(),
        }
    }
}

/// An entry of an [`OpenBundle`].
#[derive(Debug, Clone, Copy)]
pub struct OpenEntry<'b> {
    entry: &'b bundle::Entry,
    bytes: &'b [u8],
    base: u64,
}

impl Bundle {
    /// Reads the bundle, or the code object that stands alone, that `bytes` begin with, and inflates it where it is compressed.
    ///
    /// ```
    /// use amdgpu_object::container::Bundle;
    ///
    /// let bytes = std::fs::read("../../fixtures/rocm/lib/codeobject/v4_gfx906.hsaco")?;
    /// for entry in Bundle::parse(&bytes)?.entries() {
    ///     let object = entry.code_object(|kernel| println!("{}", kernel.name()))?;
    ///     println!("{}: {} bytes of code", object.target(), object.code_bytes());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the header is malformed, or the compressed stream is broken, or more than [`UNPACKING_MEMORY`] would be held.
    ///
    /// [`UNPACKING_MEMORY`]: crate::limits::UNPACKING_MEMORY
    pub fn parse(bytes: &[u8]) -> Parsed<OpenBundle<'_>> {
        let found = find::read_at(bytes, 0, &mut ObjectBudget::of(bytes.len()))?;
        let bundle = found.bundles.into_iter().next().unwrap_or_else(|| Bundle::bare(0));
        OpenBundle::new(bytes, Cow::Owned(bundle))
    }

    /// Opens a bundle that [`container::open`](super::open) found in the file `bytes`.
    ///
    /// # Errors
    /// As [`Bundle::parse`], and where the header could not be read when the bundle was found.
    pub fn open<'d>(&'d self, bytes: &'d [u8]) -> Parsed<OpenBundle<'d>> {
        OpenBundle::new(bytes, Cow::Borrowed(self))
    }
}

impl<'d> OpenBundle<'d> {
    fn new(bytes: &'d [u8], bundle: Cow<'d, Bundle>) -> Parsed<Self> {
        if let Some(problem) = &bundle.problem {
            return Err(problem.clone());
        }
        let stored = clamped(bytes, bundle.offset, bundle.span);
        let (content, hash_fits) = match &bundle.storage.packed {
            Some(header) => {
                let (inflated, fits) = compressed::Inflated::read(stored, bundle.offset, header)?;
                (Content::Inflated(inflated), fits)
            }
            None => (Content::Stored(stored), None),
        };
        Ok(OpenBundle { bundle, content, hash_fits })
    }

    /// Where it is and how it is stored.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Whether its content has the hash that its header states; `None` where it states none, and in a build without the feature
    /// `md5`.
    pub fn hash_fits(&self) -> Option<bool> {
        self.hash_fits
    }

    /// Its entries in file order.
    pub fn entries(&self) -> impl Iterator<Item = OpenEntry<'_>> {
        let bytes = self.content.bytes();
        let base = if matches!(self.content, Content::Stored(_)) { self.bundle.offset } else { 0 };
        self.bundle.entries.iter().map(move |entry| OpenEntry {
            entry,
            bytes: clamped(bytes, entry.offset, entry.size),
            base: base.saturating_add(entry.offset),
        })
    }
}

impl<'b> OpenEntry<'b> {
    /// Its id; `None` for a code object that stands alone.
    pub fn id(&self) -> Option<&'b EntryId> {
        self.entry.id.as_ref()
    }

    /// The target that its id names.
    pub fn target(&self) -> Option<&'b TargetId> {
        self.id().and_then(EntryId::target)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// Whether they are a code object; a host's placeholder and LLVM bitcode are none.
    pub fn is_code_object(&self) -> bool {
        crate::format::is_code_object(self.bytes)
    }

    /// Reads the code object in it. `on_kernel` is handed each kernel in the order of the metadata.
    ///
    /// # Errors
    /// Where its bytes are no code object; what is wrong inside of one is in [`CodeObject::problems`].
    pub fn code_object(&self, mut on_kernel: impl FnMut(&Kernel<'_>)) -> Parsed<CodeObject> {
        codeobject::read(self.bytes, self.bytes.len() as u64, self.base, &mut |_, kernel| on_kernel(kernel))
    }
}
