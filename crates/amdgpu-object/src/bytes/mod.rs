//! The encodings that everything is made of, read without copying: little-endian fields, ELF, MessagePack.

pub mod elf;
pub mod le;
pub mod msgpack;
pub mod section_headers;
