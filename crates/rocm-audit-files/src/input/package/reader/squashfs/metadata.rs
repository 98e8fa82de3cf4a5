//! Tables of metadata: blocks of 8 KiB, each compressed by itself, and the inodes in them.
#![deny(clippy::indexing_slicing)]

use super::{Image, Inode, METADATA, STORED_METADATA, SquashfsContent, bad};
use amdgpu_object::bytes::le::{LeBytes, range};
use std::io;

/// A table of blocks of metadata, read from a place in it on.
pub(super) struct Metadata<'i> {
    image: &'i Image<'i>,
    table: u64,
    /// Where the block in memory stands, and where the next does, in the table.
    block: Option<(u64, Vec<u8>)>,
    next: u64,
    offset: usize,
}

impl<'i> Metadata<'i> {
    pub fn at(image: &'i Image<'_>, table: u64, block: u64, offset: u64) -> Self {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Metadata { image, table, block: None, next: block, offset }
    }

    /// Goes to what an inode's number says: the block in its upper bits, the offset in its lower 16.
    pub fn seek(&mut self, reference: u64) -> io::Result<()> {
        let (block, offset) = (reference >> 16, (reference & 0xffff) as usize);
        if offset >= METADATA {
            return Err(bad(format!("an inode is said to stand at {offset} of a block")));
        }
        if self.block.as_ref().is_none_or(|(at, _)| *at != block) {
            self.block = None;
            self.next = block;
        }
        self.offset = offset;
        Ok(())
    }

    fn load(&mut self) -> io::Result<()> {
        let beyond = || io::Error::new(io::ErrorKind::UnexpectedEof, "its metadata reaches beyond the image");
        let at = self.table.checked_add(self.next).ok_or_else(beyond)?;
        let header = LeBytes(range(self.image.bytes, at, 2).ok_or_else(beyond)?).u16(0);
        let size = u64::from(header & !STORED_METADATA);
        let bytes = range(self.image.bytes, at + 2, size).ok_or_else(beyond)?;
        let block = match header & STORED_METADATA {
            0 => self.image.inflate(bytes, METADATA)?,
            _ if bytes.len() <= METADATA => bytes.to_vec(),
            _ => return Err(bad("a block of metadata has more than 8 KiB".to_owned())),
        };
        if block.is_empty() {
            return Err(bad("a block of metadata is empty".to_owned()));
        }
        self.block = Some((self.next, block));
        self.next += 2 + size;
        Ok(())
    }

    fn read(&mut self, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            let rest = match &self.block {
                Some((_, block)) => block.get(self.offset..).unwrap_or_default(),
                None => {
                    self.load()?;
                    continue;
                }
            };
            if rest.is_empty() {
                let passed = self.block.as_ref().map_or(0, |(_, block)| block.len());
                self.offset -= passed.min(self.offset);
                self.block = None;
                continue;
            }
            let count = rest.len().min(out.len());
            let (now, later) = out.split_at_mut(count);
            now.copy_from_slice(rest.get(..count).unwrap_or_default());
            self.offset += count;
            out = later;
        }
        Ok(())
    }

    pub fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut out = [0; N];
        self.read(&mut out)?;
        Ok(out)
    }

    pub fn bytes(&mut self, len: usize) -> io::Result<Vec<u8>> {
        let mut out = vec![0; len];
        self.read(&mut out)?;
        Ok(out)
    }

    /// Reads an inode, up to the sizes of a file's blocks.
    pub fn inode(&mut self) -> io::Result<Inode> {
        let kind = LeBytes(&self.take::<16>()?).u16(0);
        Ok(match kind {
            1 => {
                let own = self.take::<16>()?;
                let fields = LeBytes(&own);
                let (block, size) = (u64::from(fields.u32(0)), u64::from(fields.u16(8)));
                Inode::Folder { block, offset: u64::from(fields.u16(10)), size }
            }
            8 => {
                let own = self.take::<24>()?;
                let fields = LeBytes(&own);
                let (size, block) = (u64::from(fields.u32(4)), u64::from(fields.u32(8)));
                Inode::Folder { block, offset: u64::from(fields.u16(18)), size }
            }
            2 => {
                let own = self.take::<16>()?;
                let fields = LeBytes(&own);
                let (start, size) = (u64::from(fields.u32(0)), u64::from(fields.u32(12)));
                Inode::File(SquashfsContent { start, size, fragment: fields.u32(4), offset: fields.u32(8) })
            }
            9 => {
                let own = self.take::<40>()?;
                let fields = LeBytes(&own);
                let (start, size) = (fields.u64(0), fields.u64(8));
                Inode::File(SquashfsContent { start, size, fragment: fields.u32(28), offset: fields.u32(32) })
            }
            3 | 10 => Inode::Link,
            4..=7 | 11..=14 => Inode::Device,
            other => return Err(bad(format!("an inode is of kind {other}, which is not known"))),
        })
    }
}
