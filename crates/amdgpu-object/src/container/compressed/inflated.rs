//! The whole content of a compressed bundle, in memory.
#![deny(clippy::indexing_slicing)]

use super::super::buffer::{self, Buffer};
use super::super::hash::StreamHash;
#[cfg(feature = "hash-together")]
use super::super::hash::together;
use super::super::inflate;
use super::Header;
use crate::budget::MemoryPermit;
use crate::error::{ParseError, ParseErrorKind, Parsed};
use crate::limits::UNPACKING_MEMORY;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

/// The whole content of a compressed bundle, in separate memory that goes back to the system when it is
/// dropped.
pub struct Inflated {
    bytes: Option<Arc<Buffer>>,
    /// For one that is hashed together with the contents of other threads.
    #[cfg(feature = "hash-together")]
    awaited: Option<together::Awaited>,
    _memory: MemoryPermit,
}

// Shows only the length: the content may have gigabytes.
impl fmt::Debug for Inflated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inflated").field("length", &self.bytes().len()).finish_non_exhaustive()
    }
}

impl Inflated {
    /// Inflates the compressed bundle at the beginning of `bytes`, which must not be larger than
    /// [`UNPACKING_MEMORY`].
    ///
    /// # Errors
    ///
    /// If the stream is broken, or has fewer or more bytes than its header declares.
    pub fn read(bytes: &[u8], base: u64, header: &Header) -> Parsed<Self> {
        let memory = MemoryPermit::take(header.unpacked);
        Self::fill(bytes, base, header, memory)
    }

    /// The same of a bundle for which [`Inflated::fits`] will be called.
    pub(in crate::container) fn read_to_hash(bytes: &[u8], base: u64, header: &Header) -> Parsed<Self> {
        #[cfg(feature = "hash-together")]
        if header.hash.is_some() && together::is_worthwhile(header.total, header.unpacked) {
            let memory = MemoryPermit::take_to_hash(header.unpacked);
            // Others wait for it from here on, so it must not wait for memory any more.
            let awaited = together::Awaited::announce();
            let inflated = Self::fill(bytes, base, header, memory)?;
            return Ok(Inflated { awaited: Some(awaited), ..inflated });
        }
        Self::read(bytes, base, header)
    }

    fn fill(bytes: &[u8], base: u64, header: &Header, memory: MemoryPermit) -> Parsed<Self> {
        let payload = header.payload(bytes);
        let bad = |what: String| ParseError::new(base + header.header_size, what);
        if header.unpacked > UNPACKING_MEMORY {
            return Err(bad(format!("{} inflated bytes are not held at once", header.unpacked)));
        }
        let mut buffer = None;
        if header.unpacked > 0 {
            let zeros = buffer::zeros(header.unpacked as usize).map_err(|e| {
                let what = format!("no memory for {} bytes: {e}", header.unpacked);
                bad(what).of_kind(ParseErrorKind::OutOfMemory)
            });
            buffer = Some(zeros?);
        }
        let out = buffer.as_deref_mut().unwrap_or_default();
        let written = inflate::fill(header.method, payload, out)
            .map_err(|error| error.at(base + header.header_size))?;
        if written as u64 != header.unpacked {
            let what = format!(
                "the stream inflates to {written} bytes or more; its header declares {}",
                header.unpacked
            );
            return Err(bad(what));
        }
        Ok(Inflated {
            bytes: buffer.map(Arc::new),
            #[cfg(feature = "hash-together")]
            awaited: None,
            _memory: memory,
        })
    }

    /// Whether other threads wait for it, to hash theirs together with it.
    pub(in crate::container) fn is_awaited(&self) -> bool {
        #[cfg(feature = "hash-together")]
        return self.awaited.is_some();
        #[cfg(not(feature = "hash-together"))]
        false
    }

    /// Whether its hash matches that of its header, if it has one.
    pub fn fits(&self, header: &Header) -> Option<bool> {
        #[cfg(feature = "hash-together")]
        if let (Some(awaited), Some(bytes)) = (&self.awaited, &self.bytes) {
            return header.hash.map(|hash| awaited.hash(bytes) == hash);
        }
        header.hash.and_then(|hash| Some(StreamHash::hash_bytes(self.bytes())? == hash))
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().map(|bytes| &**bytes).unwrap_or_default()
    }
}
