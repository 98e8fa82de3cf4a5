//! squashfs images, version 4.0: of snaps, AppImages and Singularity. Every file is read by itself.
//!
//! Source: the Linux kernel's `filesystems/squashfs.rst` and `fs/squashfs/squashfs_fs.h`. Numbers have the
//! least significant byte first; inodes and folders stand in tables of blocks of 8 KiB, each compressed by
//! itself.
#![deny(clippy::indexing_slicing)]

mod metadata;

use super::MemberKind;
use super::stream::Codec;
use crate::budget::DepthShare;
use crate::error::{GivenUp, ParseError, ParseErrorKind, Parsed};
use crate::limits::{
    MEMBER_PATH_BYTES, SQUASHFS_DEPTH, SQUASHFS_FOLDER_BYTES, SQUASHFS_FRAGMENTS, SQUASHFS_NAMES_BYTES,
    SQUASHFS_PATH_BYTES,
};
use amdgpu_object::bytes::le::{LeBytes, range};
use metadata::Metadata;
use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// An image whose superblock was read.
pub(super) struct Image<'a> {
    bytes: &'a [u8],
    allowance: DepthShare<'a>,
    block_size: u32,
    compressor: u16,
    inodes: u64,
    /// How many inodes it says that it has.
    inode_count: u32,
    folders: u64,
    fragments: u64,
    fragment_count: u32,
    root: u64,
    /// The last blocks of several files' ends.
    cache: Mutex<Vec<(u32, Arc<Vec<u8>>)>>,
}

/// What the image lists.
pub(super) struct SquashfsListing {
    pub name: String,
    pub size: u64,
    pub kind: MemberKind,
    /// Where its inode stands.
    inode: u64,
}

/// An inode, as far as it is needed.
enum Inode {
    Folder { block: u64, offset: u64, size: u64 },
    File(SquashfsContent),
    Link,
    Device,
}

/// Where the content of a file stands.
#[derive(Debug, Clone, Copy)]
struct SquashfsContent {
    start: u64,
    size: u64,
    fragment: u32,
    offset: u32,
}

const METADATA: usize = 8192;
/// The bit of a size that says that the bytes are stored as they are, of metadata and of data.
const STORED_METADATA: u16 = 1 << 15;
const STORED: u32 = 1 << 24;
const NO_FRAGMENT: u32 = u32::MAX;

impl<'a> Image<'a> {
    /// Reads the superblock that `bytes` begin with.
    ///
    /// # Errors
    /// Where it is none that is read.
    pub fn open(bytes: &'a [u8], allowance: DepthShare<'a>) -> Parsed<Self> {
        let block = range(bytes, 0, 96).filter(|block| block.starts_with(b"hsqs")).ok_or_else(|| {
            ParseError::new(0, "the squashfs image ends inside of its superblock")
                .of_kind(ParseErrorKind::CutEnd)
        })?;
        let fields = LeBytes(block);
        let (major, minor) = (fields.u16(28), fields.u16(30));
        if (major, minor) != (4, 0) {
            let what = format!("a squashfs image of version {major}.{minor}; 4.0 is read");
            return Err(ParseError::new(28, what).of_kind(ParseErrorKind::UnknownMethod));
        }
        let block_size = fields.u32(12);
        if !(4096..=1 << 20).contains(&block_size) || !block_size.is_power_of_two() {
            let what = format!("the squashfs image has blocks of {block_size} bytes, which none can have");
            return Err(ParseError::new(12, what));
        }
        let compressor = fields.u16(20);
        if !matches!(compressor, 1 | 2 | 4..=6) {
            let what = match compressor {
                3 => "the squashfs image is compressed by LZO, which is not read".to_owned(),
                other => format!("the squashfs image is compressed by method {other}, which is not known"),
            };
            return Err(ParseError::new(20, what).of_kind(ParseErrorKind::UnknownMethod));
        }
        let used = fields.u64(40);
        if used > bytes.len() as u64 {
            let what = format!("the squashfs image has {used} bytes, only {} are there", bytes.len());
            return Err(ParseError::new(40, what).of_kind(ParseErrorKind::CutEnd));
        }
        Ok(Image {
            bytes,
            allowance,
            block_size,
            compressor,
            inodes: fields.u64(64),
            inode_count: fields.u32(4),
            folders: fields.u64(72),
            fragments: fields.u64(80),
            fragment_count: fields.u32(16),
            root: fields.u64(32),
            cache: Mutex::default(),
        })
    }

    /// All that is in the image, in the order of its folders. What is wrong goes to `problem`; no folder is
    /// entered twice.
    pub fn list(
        &self,
        each: &mut dyn FnMut(SquashfsListing) -> Result<(), GivenUp>,
        problem: &mut dyn FnMut(ParseError),
    ) {
        // Names of one inode share its place.
        let mut found = HashSet::new();
        let mut seen = HashSet::new();
        let whole = Cell::new(true);
        let problem = &mut |error| {
            whole.set(false);
            problem(error);
        };
        // Folders that are open, each with what of its list comes next: a path is made when it is handed on,
        // since those of one list of names together may be a thousand times as long as the list.
        let mut open = vec![Open { path: String::new(), names: vec![(String::new(), self.root)], held: 0 }];
        let mut inodes = Metadata::at(self, self.inodes, 0, 0);
        while let Some((path, at)) = next_path(&mut open) {
            let (inode, is_new) = match inodes.seek(at).and_then(|()| inodes.inode()) {
                Ok(inode) => (inode, found.insert(at)),
                Err(error) => {
                    problem(self.told(&path, &error));
                    continue;
                }
            };
            let (size, kind) = match inode {
                Inode::Folder { block, offset, size } => {
                    let again = !seen.insert(at);
                    if let Err(error) = self.enter(&mut open, path, again, (block, offset, size)) {
                        problem(error);
                    }
                    continue;
                }
                // One more name of a file that was handed on.
                Inode::File(_) if !is_new => (0, MemberKind::Link),
                Inode::File(content) => (content.size, MemberKind::File),
                Inode::Link => (0, MemberKind::Link),
                Inode::Device => (0, MemberKind::Device),
            };
            if let Err(what) = each(SquashfsListing { name: path, size, kind, inode: at }) {
                return problem(ParseError::new(self.inodes, what).of_kind(ParseErrorKind::TooMany));
            }
        }
        if whole.get() && (found.len() as u64) < u64::from(self.inode_count) {
            let (stated, found) = (self.inode_count, found.len());
            let what =
                format!("the squashfs image has {stated} files and folders, its top folder leads to {found}");
            problem(ParseError::new(4, what));
        }
    }

    /// Opens a folder: what its list names comes next. `again` says that it was opened before.
    ///
    /// # Errors
    /// Where it is not gone into.
    fn enter(
        &self,
        open: &mut Vec<Open>,
        path: String,
        again: bool,
        (block, offset, size): (u64, u64, u64),
    ) -> Parsed<()> {
        // The first of them is no folder, but leads to the top one.
        if again || open.len() > SQUASHFS_DEPTH + 1 {
            let what = format!("{path}: a folder lies in itself, or in more than {SQUASHFS_DEPTH}");
            return Err(ParseError::new(self.folders, what).of_kind(ParseErrorKind::TooDeep));
        }
        let held: u64 = open.iter().map(|folder| folder.held).sum();
        let most = (SQUASHFS_NAMES_BYTES.0 + self.bytes.len() as u64).min(SQUASHFS_NAMES_BYTES.1);
        let room = if path.len() > SQUASHFS_PATH_BYTES { 0 } else { most.saturating_sub(held) };
        let listed = self.folder((block, offset, size), room).map_err(|error| self.told(&path, &error))?;
        let Some((mut names, held)) = listed else {
            let what = format!("{path}: more names, or longer ones, than are read");
            return Err(ParseError::new(self.folders, what).of_kind(ParseErrorKind::TooMany));
        };
        // The first comes off the end first.
        names.reverse();
        open.push(Open { path, names, held });
        Ok(())
    }

    fn told(&self, path: &str, error: &io::Error) -> ParseError {
        let path = if path.is_empty() { "the top folder" } else { path };
        let kind = ParseErrorKind::of_stream(error);
        ParseError::new(self.inodes, format!("{path}: {error}")).of_kind(kind)
    }

    /// The names in a folder, with where their inodes stand, and the memory that they take; nothing where
    /// that is above `room` bytes.
    fn folder(&self, (block, offset, size): (u64, u64, u64), room: u64) -> io::Result<Option<Names>> {
        // 3 stand for `.` and `..`.
        let mut left = size.saturating_sub(3);
        if left > SQUASHFS_FOLDER_BYTES {
            return Err(bad(format!("its list is said to have {left} bytes")));
        }
        // Many folders may share one list.
        self.allowance.take(left).map_err(|what| io::Error::new(io::ErrorKind::QuotaExceeded, what))?;
        let mut list = Metadata::at(self, self.folders, block, offset);
        let (mut found, mut held) = (Vec::new(), 0);
        while left >= 12 {
            let header = list.take::<12>()?;
            left -= 12;
            let (count, start) = (LeBytes(&header).u32(0), u64::from(LeBytes(&header).u32(4)));
            if count >= 256 {
                return Err(bad(format!("a run of its list is said to have {count} names and one")));
            }
            for _ in 0..=count {
                let entry = list.take::<8>()?;
                let fields = LeBytes(&entry);
                let len = usize::from(fields.u16(6)) + 1;
                let name = list.bytes(len)?;
                left = left.saturating_sub(8 + len as u64);
                if name.contains(&b'/') || name == b"." || name == b".." || len > MEMBER_PATH_BYTES {
                    return Err(bad("it lists a name that no file can have".to_owned()));
                }
                held += NAME_MEMORY + len as u64;
                if held > room {
                    return Ok(None);
                }
                found.push((super::path_text(&name), start << 16 | u64::from(fields.u16(0))));
            }
        }
        Ok(Some((found, held)))
    }

    /// The content of a file, from its beginning.
    ///
    /// # Errors
    /// Where its inode cannot be read.
    pub fn content(&'a self, listed: &SquashfsListing) -> io::Result<Reader<'a>> {
        let mut inodes = Metadata::at(self, self.inodes, 0, 0);
        inodes.seek(listed.inode)?;
        let Inode::File(content) = inodes.inode()? else {
            return Err(bad("its inode is none of a file".to_owned()));
        };
        Ok(Reader {
            image: self,
            sizes: inodes,
            at: content.start,
            left: content.size,
            content,
            block: Arc::default(),
            used: 0,
        })
    }

    /// Inflates a block to at most `most` bytes.
    fn inflate(&self, bytes: &[u8], most: usize) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut all = |stream: &mut dyn Read| stream.take(most as u64 + 1).read_to_end(&mut out);
        match self.compressor {
            1 => all(&mut flate2::bufread::ZlibDecoder::new(bytes))?,
            2 => all(&mut Codec::Lzma.open(bytes)?)?,
            4 => all(&mut Codec::Xz.open(bytes)?)?,
            5 => {
                out = lz4_flex::block::decompress(bytes, most).map_err(|error| bad(error.to_string()))?;
                out.len()
            }
            _ => all(&mut Codec::Zstd.open(bytes)?)?,
        };
        let spent = |what| io::Error::new(io::ErrorKind::QuotaExceeded, what);
        if out.len() > most {
            return Err(bad(format!("a block inflates to more than {most} bytes")));
        }
        self.allowance.take(out.len() as u64).map_err(spent)?;
        Ok(out)
    }

    /// A block of data: of a file, or of several files' ends.
    fn block(&self, at: u64, size: u32) -> io::Result<Vec<u8>> {
        let stored = u64::from(size & !STORED);
        let bytes = range(self.bytes, at, stored).ok_or_else(|| {
            let what = format!("a block of {stored} bytes at {at:#x} reaches beyond the image");
            io::Error::new(io::ErrorKind::UnexpectedEof, what)
        })?;
        match size & STORED {
            0 => self.inflate(bytes, self.block_size as usize),
            _ if stored <= u64::from(self.block_size) => Ok(bytes.to_vec()),
            _ => Err(bad(format!("a block has {stored} bytes, the image says {}", self.block_size))),
        }
    }

    /// The block of ends of a number.
    fn fragment(&self, number: u32) -> io::Result<Arc<Vec<u8>>> {
        if number >= self.fragment_count {
            return Err(bad(format!("it ends in fragment {number} of {}", self.fragment_count)));
        }
        {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, block)) = cache.iter().find(|(own, _)| *own == number) {
                return Ok(Arc::clone(block));
            }
        }
        let pointer = self.fragments.saturating_add(u64::from(number / 512) * 8);
        let pointer =
            range(self.bytes, pointer, 8).ok_or_else(|| bad("its fragment is not listed".to_owned()))?;
        let mut table = Metadata::at(self, LeBytes(pointer).u64(0), 0, u64::from(number % 512) * 16);
        let entry = table.take::<16>()?;
        let block = Arc::new(self.block(LeBytes(&entry).u64(0), LeBytes(&entry).u32(8))?);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= SQUASHFS_FRAGMENTS {
            cache.remove(0);
        }
        cache.push((number, Arc::clone(&block)));
        Ok(block)
    }
}

/// Names of a folder with where their inodes stand, and the memory that they take, in bytes.
type Names = (Vec<(String, u64)>, u64);

/// Memory that a name takes besides its bytes: where it stands and how it is allocated.
const NAME_MEMORY: u64 = 48;

/// A folder that is being listed.
struct Open {
    path: String,
    /// What of its list is left, the next one last, and where the inodes stand.
    names: Vec<(String, u64)>,
    /// Memory that all of the list takes, in bytes.
    held: u64,
}

/// The next path of the deepest folder that has one left, and where its inode stands.
fn next_path(open: &mut Vec<Open>) -> Option<(String, u64)> {
    loop {
        let folder = open.last_mut()?;
        match folder.names.pop() {
            Some((name, inode)) if folder.path.is_empty() => return Some((name, inode)),
            Some((name, inode)) => return Some((format!("{}/{name}", folder.path), inode)),
            None => open.truncate(open.len() - 1),
        };
    }
}

fn bad(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The content of a file, block by block.
pub(super) struct Reader<'a> {
    image: &'a Image<'a>,
    sizes: Metadata<'a>,
    at: u64,
    left: u64,
    content: SquashfsContent,
    block: Arc<Vec<u8>>,
    used: usize,
}

impl Reader<'_> {
    fn load(&mut self) -> io::Result<()> {
        let whole = u64::from(self.image.block_size);
        let here = self.left.min(whole);
        let block = if here < whole && self.content.fragment != NO_FRAGMENT {
            let ends = self.image.fragment(self.content.fragment)?;
            let own = range(&ends, u64::from(self.content.offset), here);
            own.ok_or_else(|| bad("its end reaches beyond its fragment".to_owned()))?.to_vec()
        } else {
            let size = LeBytes(&self.sizes.take::<4>()?).u32(0);
            match size & !STORED {
                0 => vec![0; here as usize],
                stored => {
                    let block = self.image.block(self.at, size)?;
                    self.at = self.at.saturating_add(u64::from(stored));
                    if block.len() as u64 != here {
                        let what = format!("a block inflates to {} bytes, not to {here}", block.len());
                        return Err(bad(what));
                    }
                    block
                }
            }
        };
        self.left -= here;
        self.block = Arc::new(block);
        self.used = 0;
        Ok(())
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used >= self.block.len() {
            if self.left == 0 || out.is_empty() {
                return Ok(0);
            }
            self.load()?;
        }
        let rest = self.block.get(self.used..).unwrap_or_default();
        let count = rest.len().min(out.len());
        if let (Some(to), Some(from)) = (out.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.used += count;
        Ok(count)
    }
}
