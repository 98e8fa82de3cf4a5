//! The entries of a bundle, one after the other, with their bytes in memory: a simple interface for callers
//! who need nothing else.

use super::{Bundle, EntryId, bundle, compressed, find};
use crate::budget::ObjectBudget;
use crate::bytes::le::clamped;
use crate::codeobject::{self, CodeObject, Kernel};
use crate::error::Parsed;
use crate::target::TargetId;
use alloc::borrow::Cow;
use core::fmt;

/// A bundle with the content of its entries, inflated if it was compressed.
#[derive(Debug)]
pub struct OpenBundle<'d> {
    bundle: Cow<'d, Bundle>,
    content: EntryContent<'d>,
    hash_fits: Option<bool>,
}

enum EntryContent<'d> {
    /// The bytes of the file from the bundle's magic on.
    Stored(&'d [u8]),
    Inflated(compressed::Inflated),
}

impl fmt::Debug for EntryContent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").field("bytes", &self.bytes().len()).finish()
    }
}

impl EntryContent<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            EntryContent::Stored(bytes) => bytes,
            EntryContent::Inflated(inflated) => inflated.bytes(),
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
    /// Reads the bundle or bare code object at the beginning of `bytes`, and inflates it if it is compressed.
    ///
    /// ```
    /// use amdgpu_object::container::Bundle;
    ///
    /// let bytes = std::fs::read("../../fixtures/rocm/lib/codeobject/v4_gfx906.hsaco")?;
    /// for entry in Bundle::parse(&bytes)?.entries() {
    ///     let object = entry.code_object(|kernel| println!("{}", kernel.name()))?;
    ///     println!("{}: {} bytes of code", object.target(), object.code_bytes());
    /// }
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the header is malformed, the compressed stream is broken, or more than [`UNPACKING_MEMORY`] would
    /// be needed.
    ///
    /// [`UNPACKING_MEMORY`]: crate::limits::UNPACKING_MEMORY
    pub fn parse(bytes: &[u8]) -> Parsed<OpenBundle<'_>> {
        let found = find::read_at(bytes, 0, &mut ObjectBudget::for_size(bytes.len()))?;
        let bundle = found.bundles.into_iter().next().unwrap_or_else(|| Bundle::bare(0));
        OpenBundle::new(bytes, Cow::Owned(bundle))
    }

    /// Opens a bundle that [`container::open`](super::open) found in the file `bytes`.
    ///
    /// # Errors
    ///
    /// As [`Bundle::parse`], and if the header could not be read when the bundle was found.
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
                let inflated = compressed::Inflated::read(stored, bundle.offset, header)?;
                let fits = inflated.fits(header);
                (EntryContent::Inflated(inflated), fits)
            }
            None => (EntryContent::Stored(stored), None),
        };
        Ok(OpenBundle { bundle, content, hash_fits })
    }

    /// Its position and storage form.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Whether its content matches the hash in its header; `None` without a hash, and in a build without the
    /// feature `md5`.
    pub fn hash_fits(&self) -> Option<bool> {
        self.hash_fits
    }

    /// Its entries in file order.
    pub fn entries(&self) -> impl Iterator<Item = OpenEntry<'_>> {
        let bytes = self.content.bytes();
        let base = if matches!(self.content, EntryContent::Stored(_)) { self.bundle.offset } else { 0 };
        self.bundle.entries.iter().map(move |entry| OpenEntry {
            entry,
            bytes: clamped(bytes, entry.offset, entry.size),
            base: base.saturating_add(entry.offset),
        })
    }
}

impl<'b> OpenEntry<'b> {
    /// Id of the entry; `None` for a code object outside of bundles.
    pub fn id(&self) -> Option<&'b EntryId> {
        self.entry.id.as_ref()
    }

    /// The target in its id.
    pub fn target(&self) -> Option<&'b TargetId> {
        self.id().and_then(EntryId::target)
    }

    /// Content of the entry.
    pub fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// Whether it is a code object, unlike a host's placeholder or LLVM bitcode.
    pub fn is_code_object(&self) -> bool {
        crate::format::is_code_object(self.bytes)
    }

    /// Reads the code object in it. Calls `on_kernel` for each kernel in the order of the metadata.
    ///
    /// # Errors
    ///
    /// If the entry is not a code object; errors inside a code object are in [`CodeObject::problems`].
    pub fn code_object(&self, mut on_kernel: impl FnMut(&Kernel<'_>)) -> Parsed<CodeObject> {
        codeobject::read(self.bytes, self.bytes.len() as u64, self.base, &mut |_, kernel| on_kernel(kernel))
    }
}
