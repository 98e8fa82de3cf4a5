//! The header of a 7z archive: the streams, how each is packed, and the files in them.

use super::super::MemberKind;
use super::believed;
use crate::error::Unread;
use crate::limits::{MEMBER_PATH_BYTES, SEVEN_ZIP_CODERS};
use amdgpu_object::bytes::le::LeBytes;

/// The streams of an archive.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Where packed bytes stand, counted from [`BASE`](super::BASE), and how many.
    pub packs: Vec<(u64, u64)>,
    pub streams: Vec<Stream>,
}

/// A stream that is unpacked as one ("folder").
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub coders: Vec<Coder>,
    /// Inputs of coders that are outputs of others: input, output.
    pub binds: Vec<(usize, usize)>,
    /// Inputs that are packed bytes: the number of the input, and that of the bytes.
    pub packed: Vec<(usize, usize)>,
    /// Bytes of each output.
    pub sizes: Vec<u64>,
    /// The output that no coder takes.
    pub last: usize,
    pub crc: Option<u32>,
    /// The files in it.
    pub parts: Vec<StreamFile>,
}

/// One step of unpacking.
#[derive(Debug)]
pub(super) struct Coder {
    pub method: u64,
    pub properties: Vec<u8>,
    /// The number of its first input, and how many it has.
    pub inputs: (usize, usize),
}

/// A file in a stream.
#[derive(Debug)]
pub(super) struct StreamFile {
    pub size: u64,
    pub crc: Option<u32>,
}

/// A file, as it is listed.
#[derive(Debug)]
pub(super) struct SevenZipFile {
    pub name: String,
    pub kind: MemberKind,
    /// Whether a stream has bytes of it.
    pub has_content: bool,
}

/// A whole header.
pub(super) struct Files {
    pub streams: Streams,
    pub files: Vec<SevenZipFile>,
}

/// The numbers of properties.
mod id {
    pub const END: u8 = 0;
    pub const HEADER: u8 = 1;
    pub const ARCHIVE: u8 = 2;
    pub const ADDITIONAL: u8 = 3;
    pub const STREAMS: u8 = 4;
    pub const FILES: u8 = 5;
    pub const PACK: u8 = 6;
    pub const UNPACK: u8 = 7;
    pub const SUB_STREAMS: u8 = 8;
    pub const SIZE: u8 = 9;
    pub const CRC: u8 = 10;
    pub const FOLDER: u8 = 11;
    pub const CODERS_SIZE: u8 = 12;
    pub const COUNT: u8 = 13;
    pub const EMPTY_STREAM: u8 = 14;
    pub const EMPTY_FILE: u8 = 15;
    pub const ANTI: u8 = 16;
    pub const NAMES: u8 = 17;
    pub const ATTRIBUTES: u8 = 21;
    pub const ENCODED: u8 = 23;
}

/// A header that is itself packed: where it stands.
pub(super) fn packed(bytes: &[u8]) -> Result<Streams, Unread> {
    let mut from = Bytes(bytes);
    from.expect(id::ENCODED)?;
    streams(&mut from)
}

/// A header.
pub(super) fn files(bytes: &[u8]) -> Result<Files, Unread> {
    let mut from = Bytes(bytes);
    from.expect(id::HEADER)?;
    let mut all = Files { streams: Streams::default(), files: Vec::new() };
    loop {
        match from.byte()? {
            id::END => return Ok(all),
            id::ARCHIVE => while from.property()?.is_some() {},
            id::ADDITIONAL => return Err("it has additional streams, which are not read".into()),
            id::STREAMS => all.streams = streams(&mut from)?,
            id::FILES => all.files = listed(&mut from)?,
            other => return Err(format!("property {other} is not known").into()),
        }
    }
}

fn streams(from: &mut Bytes<'_>) -> Result<Streams, Unread> {
    let mut all = Streams::default();
    loop {
        match from.byte()? {
            id::END => break,
            id::PACK => all.packs = packs(from)?,
            id::UNPACK => all.streams = folders(from)?,
            id::SUB_STREAMS => {
                sub_streams(from, &mut all.streams)?;
                return all.with_packs(from);
            }
            other => return Err(format!("property {other} of its streams is not known").into()),
        }
    }
    all.streams.iter_mut().for_each(Stream::is_one_file);
    all.number_packs()?;
    Ok(all)
}

impl Streams {
    fn with_packs(mut self, from: &mut Bytes<'_>) -> Result<Self, Unread> {
        from.expect(id::END)?;
        self.number_packs()?;
        Ok(self)
    }

    /// Packed bytes belong to streams in their order.
    fn number_packs(&mut self) -> Result<(), Unread> {
        let mut next = 0;
        for (_, number) in self.streams.iter_mut().flat_map(|stream| &mut stream.packed) {
            *number = next;
            next += 1;
        }
        if next > self.packs.len() {
            return Err(
                format!("its streams take {next} packed ones, only {} are there", self.packs.len()).into()
            );
        }
        Ok(())
    }
}

fn packs(from: &mut Bytes<'_>) -> Result<Vec<(u64, u64)>, Unread> {
    let mut at = from.number()?;
    let count = believed(from.number()?, "packed streams")?;
    let mut all = Vec::new();
    loop {
        match from.byte()? {
            id::END => return Ok(all),
            id::SIZE => {
                for _ in 0..count {
                    let size = from.number()?;
                    all.push((at, size));
                    at = at.checked_add(size).ok_or("its packed streams are too long")?;
                }
            }
            id::CRC => drop(from.digests(count)?),
            other => return Err(format!("property {other} of packed streams is not known").into()),
        }
    }
}

fn folders(from: &mut Bytes<'_>) -> Result<Vec<Stream>, Unread> {
    from.expect(id::FOLDER)?;
    let count = believed(from.number()?, "streams")?;
    from.not_elsewhere()?;
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(folder(from)?);
    }
    from.expect(id::CODERS_SIZE)?;
    for stream in &mut all {
        for _ in 0..stream.coders.len() {
            stream.sizes.push(from.number()?);
        }
    }
    loop {
        match from.byte()? {
            id::END => return Ok(all),
            id::CRC => {
                let digests = from.digests(count)?;
                all.iter_mut().zip(digests).for_each(|(stream, crc)| stream.crc = crc);
            }
            other => return Err(format!("property {other} of streams is not known").into()),
        }
    }
}

fn folder(from: &mut Bytes<'_>) -> Result<Stream, Unread> {
    let count = from.number()? as usize;
    if count == 0 || count > SEVEN_ZIP_CODERS {
        return Err(format!("a stream is made by {count} coders; 1 to {SEVEN_ZIP_CODERS} are read").into());
    }
    let mut stream = Stream::default();
    let mut inputs = 0;
    for _ in 0..count {
        let flags = from.byte()?;
        let method = from.take(usize::from(flags & 15))?;
        let method = method.iter().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
        let (ins, outs) = if flags & 0x10 != 0 { (from.number()?, from.number()?) } else { (1, 1) };
        if outs != 1 || ins == 0 || ins > 4 || flags & 0x80 != 0 {
            return Err(format!("a coder has {ins} inputs and {outs} outputs, which no known one has").into());
        }
        let properties = if flags & 0x20 != 0 { from.number()? as usize } else { 0 };
        if properties > 256 {
            return Err(format!("a coder has {properties} bytes of properties").into());
        }
        let properties = from.take(properties)?.to_vec();
        stream.coders.push(Coder { method, properties, inputs: (inputs, ins as usize) });
        inputs += ins as usize;
    }
    for _ in 1..count {
        let bind = (from.number()? as usize, from.number()? as usize);
        if bind.0 >= inputs || bind.1 >= count {
            return Err("a coder takes what no coder gives".into());
        }
        if stream.binds.iter().any(|known: &(usize, usize)| known.0 == bind.0 || known.1 == bind.1) {
            return Err("two coders take the same, or one takes two for one input".into());
        }
        stream.binds.push(bind);
    }
    let packed = inputs + 1 - count.min(inputs + 1);
    if packed == 1 {
        let free = (0..inputs).find(|input| stream.binds.iter().all(|(bound, _)| bound != input));
        stream.packed.push((free.ok_or("no coder takes packed bytes")?, 0));
    } else {
        for _ in 0..packed {
            let input = from.number()? as usize;
            if input >= inputs {
                return Err("a coder takes packed bytes that it has no input for".into());
            }
            stream.packed.push((input, 0));
        }
    }
    let last = (0..count).find(|output| stream.binds.iter().all(|(_, bound)| bound != output));
    stream.last = last.ok_or("all coders take what another gives")?;
    Ok(stream)
}

fn sub_streams(from: &mut Bytes<'_>, streams: &mut [Stream]) -> Result<(), Unread> {
    let mut kind = from.byte()?;
    let mut counts = vec![1; streams.len()];
    if kind == id::COUNT {
        let mut all = 0;
        for count in &mut counts {
            *count = believed(from.number()?, "files in a stream")?;
            all += *count as u64;
            believed(all, "files")?;
        }
        kind = from.byte()?;
    }
    for (stream, count) in streams.iter_mut().zip(&counts) {
        let mut left = stream.size();
        for index in 0..*count {
            let size = match index + 1 == *count {
                true => left,
                false if kind == id::SIZE => from.number()?,
                false => return Err("the sizes of files in a stream are missing".into()),
            };
            left = left.checked_sub(size).ok_or("the files in a stream are longer than it")?;
            stream.parts.push(StreamFile { size, crc: None });
        }
    }
    if kind == id::SIZE {
        kind = from.byte()?;
    }
    // A stream of one file has its checksum already.
    let has_own = |stream: &Stream| stream.parts.len() == 1 && stream.crc.is_some();
    for stream in streams.iter_mut().filter(|stream| has_own(stream)) {
        let crc = stream.crc;
        stream.parts.iter_mut().for_each(|part| part.crc = crc);
    }
    while kind != id::END {
        if kind != id::CRC {
            return Err(format!("property {kind} of files in streams is not known").into());
        }
        let without = streams.iter().filter(|stream| !has_own(stream)).map(|stream| stream.parts.len()).sum();
        let mut digests = from.digests(without)?.into_iter();
        let open = streams.iter_mut().filter(|stream| !(stream.parts.len() == 1 && stream.crc.is_some()));
        for part in open.flat_map(|stream| &mut stream.parts) {
            part.crc = digests.next().flatten();
        }
        kind = from.byte()?;
    }
    Ok(())
}

impl Stream {
    fn is_one_file(&mut self) {
        let (size, crc) = (self.size(), self.crc);
        self.parts.push(StreamFile { size, crc });
    }
}

fn listed(from: &mut Bytes<'_>) -> Result<Vec<SevenZipFile>, Unread> {
    let count = believed(from.number()?, "files")?;
    let (mut names, mut empty, mut files, mut anti, mut modes) = (Vec::new(), vec![], vec![], vec![], vec![]);
    while let Some((kind, mut property)) = from.property()? {
        match kind {
            id::EMPTY_STREAM => empty = property.bits(count)?,
            id::EMPTY_FILE => files = property.bits(empty.iter().filter(|is| **is).count())?,
            id::ANTI => anti = property.bits(empty.iter().filter(|is| **is).count())?,
            id::NAMES => {
                property.not_elsewhere()?;
                for _ in 0..count {
                    names.push(property.name()?);
                }
            }
            id::ATTRIBUTES => {
                let defined = property.optional_bits(count)?;
                property.not_elsewhere()?;
                for is in defined {
                    modes.push(if is { property.word()? } else { 0 });
                }
            }
            // Times and padding.
            _ => {}
        }
    }
    let mut no_stream = 0;
    let one = |(index, name): (usize, String)| {
        let has_content = !empty.get(index).copied().unwrap_or(false);
        let is_file = has_content || files.get(no_stream).copied().unwrap_or(false);
        let is_anti = !has_content && anti.get(no_stream).copied().unwrap_or(false);
        no_stream += usize::from(!has_content);
        // The upper half of the attributes is a Unix mode where bit 15 says so.
        let attributes = modes.get(index).copied().unwrap_or(0);
        let is_link = attributes & 0x8000 != 0 && attributes >> 28 == 0o12;
        let kind = match (is_file && !is_anti, is_link) {
            (false, _) => MemberKind::Folder,
            (true, true) => MemberKind::Link,
            (true, false) => MemberKind::File,
        };
        SevenZipFile { name, kind, has_content }
    };
    Ok(names.into_iter().enumerate().map(one).collect())
}

/// What is left of a header.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Result<u8, Unread> {
        Ok(self.take(1)?.first().copied().unwrap_or(0))
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Unread> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or("it ends inside of itself")?;
        self.0 = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, Unread> {
        Ok(LeBytes(self.take(4)?).u32(0))
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Unread> {
        match self.byte()? {
            found if found == wanted => Ok(()),
            found => Err(format!("property {found} stands where {wanted} must").into()),
        }
    }

    /// A number of one to nine bytes: the bits set at the top of the first count those behind it.
    fn number(&mut self) -> Result<u64, Unread> {
        let first = self.byte()?;
        let behind = first.leading_ones();
        let mut value = 0;
        for (shift, byte) in self.take(behind as usize)?.iter().enumerate() {
            value |= u64::from(*byte) << (8 * shift);
        }
        let top = if behind >= 7 { 0 } else { u64::from(first) & ((1 << (7 - behind)) - 1) };
        Ok(value | if behind < 8 { top << (8 * behind) } else { 0 })
    }

    /// The next property of files, with its bytes; nothing at the end.
    fn property(&mut self) -> Result<Option<(u8, Bytes<'a>)>, Unread> {
        let kind = self.byte()?;
        if kind == id::END {
            return Ok(None);
        }
        let len = usize::try_from(self.number()?).map_err(|_| "a property is too long")?;
        Ok(Some((kind, Bytes(self.take(len)?))))
    }

    fn bits(&mut self, count: usize) -> Result<Vec<bool>, Unread> {
        let bytes = self.take(count.div_ceil(8))?;
        let bit = |index: usize| bytes.get(index / 8).is_some_and(|byte| byte >> (7 - index % 8) & 1 != 0);
        Ok((0..count).map(bit).collect())
    }

    /// Bits that stand there only where not all are set.
    fn optional_bits(&mut self, count: usize) -> Result<Vec<bool>, Unread> {
        if self.byte()? != 0 { Ok(vec![true; count]) } else { self.bits(count) }
    }

    fn digests(&mut self, count: usize) -> Result<Vec<Option<u32>>, Unread> {
        let defined = self.optional_bits(count)?;
        defined.into_iter().map(|is| if is { self.word().map(Some) } else { Ok(None) }).collect()
    }

    /// A byte that says whether what follows stands in another stream, as no writer has it.
    fn not_elsewhere(&mut self) -> Result<(), Unread> {
        match self.byte()? {
            0 => Ok(()),
            _ => Err("a part of it stands in another stream, which is not read".into()),
        }
    }

    /// A name in UTF-16, up to a zero.
    fn name(&mut self) -> Result<String, Unread> {
        let mut units = Vec::new();
        loop {
            match LeBytes(self.take(2)?).u16(0) {
                0 => break,
                unit if units.len() < MEMBER_PATH_BYTES => units.push(unit),
                _ => {}
            }
        }
        Ok(super::super::path_text(String::from_utf16_lossy(&units).as_bytes()).replace('\\', "/"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_length_in_their_first_byte() {
        for (bytes, value) in [
            (&[0x7f][..], 0x7f),
            (&[0x80, 0x80], 0x80),
            (&[0xbf, 0xff], 0x3fff),
            (&[0xc0, 0x34, 0x12], 0x1234),
            (&[0xe1, 0, 0, 1], 0x0101_0000),
            (&[0xff, 1, 2, 3, 4, 5, 6, 7, 8], 0x0807_0605_0403_0201),
            (&[0xfe, 1, 0, 0, 0, 0, 0, 1], 1 << 48 | 1),
        ] {
            assert_eq!(Bytes(bytes).number().unwrap(), value, "{bytes:x?}");
        }
        assert!(Bytes(&[0xff, 1]).number().is_err());
    }
}
