//! The basic encodings, read without copying: little-endian fields, ELF, MessagePack.

mod byte_source;
pub mod elf;
pub mod le;
pub mod msgpack;
pub(crate) mod order;
pub(crate) mod section_headers;
pub(crate) mod zeros;

pub use byte_source::ByteSource;
