//! What the program and its fetcher say to each other: a number and a range, and bytes or a sentence.

use std::io::{self, Read, Write};
use std::ops::Range;

/// Largest answer in bytes.
const MOST: u64 = 64 << 20;

/// What the fetcher is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// How many bytes are behind the address of this number.
    Size(u32),
    /// A range of them.
    Bytes(u32, Range<u64>),
}

/// What it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answered {
    Size(u64),
    Bytes(Vec<u8>),
    /// Why there is no answer.
    Refused(String),
}

impl Wanted {
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (tag, number, range) = match self {
            Wanted::Size(number) => (0u8, number, 0..0),
            Wanted::Bytes(number, range) => (1, number, range.clone()),
        };
        let mut message = vec![tag];
        message.extend(number.to_le_bytes());
        message.extend(range.start.to_le_bytes());
        message.extend(range.end.to_le_bytes());
        out.write_all(&message)?;
        out.flush()
    }

    /// The next question; none where the other side is gone.
    pub fn read(from: &mut dyn Read) -> Option<Self> {
        let [tag] = bytes(from).ok()?;
        let number = u32::from_le_bytes(bytes(from).ok()?);
        let start = u64::from_le_bytes(bytes(from).ok()?);
        let end = u64::from_le_bytes(bytes(from).ok()?);
        match tag {
            0 => Some(Wanted::Size(number)),
            1 if start <= end && end - start <= MOST => Some(Wanted::Bytes(number, start..end)),
            _ => None,
        }
    }
}

impl Answered {
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (tag, number, bytes): (u8, u64, &[u8]) = match self {
            Answered::Size(size) => (0, *size, &[]),
            Answered::Bytes(bytes) => (1, bytes.len() as u64, bytes),
            Answered::Refused(why) => (2, why.len() as u64, why.as_bytes()),
        };
        out.write_all(&[tag])?;
        out.write_all(&number.to_le_bytes())?;
        out.write_all(bytes)?;
        out.flush()
    }

    /// # Errors
    /// Where the fetcher is gone, or says something else.
    pub fn read(from: &mut dyn Read) -> io::Result<Self> {
        let [tag] = bytes(from)?;
        let number = u64::from_le_bytes(bytes(from)?);
        if tag == 0 {
            return Ok(Answered::Size(number));
        }
        if tag > 2 || number > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut content = vec![0; number as usize];
        from.read_exact(&mut content)?;
        Ok(match tag {
            1 => Answered::Bytes(content),
            _ => Answered::Refused(String::from_utf8_lossy(&content).into_owned()),
        })
    }
}

fn bytes<const N: usize>(from: &mut dyn Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_is_not() {
        for wanted in [Wanted::Size(3), Wanted::Bytes(u32::MAX, 7..1 << 20)] {
            let mut bytes = Vec::new();
            wanted.write(&mut bytes).unwrap();
            assert_eq!(Wanted::read(&mut bytes.as_slice()), Some(wanted));
            bytes.pop();
            assert_eq!(Wanted::read(&mut bytes.as_slice()), None);
        }
        let mut backwards = Vec::new();
        Wanted::Bytes(0, Range { start: 9, end: 3 }).write(&mut backwards).unwrap();
        assert_eq!(Wanted::read(&mut backwards.as_slice()), None);
        for answered in
            [Answered::Size(1 << 40), Answered::Bytes(vec![1, 2, 3]), Answered::Refused("no".into())]
        {
            let mut bytes = Vec::new();
            answered.write(&mut bytes).unwrap();
            assert_eq!(Answered::read(&mut bytes.as_slice()).unwrap(), answered);
            bytes.pop();
            assert!(Answered::read(&mut bytes.as_slice()).is_err());
        }
        let endless = [[1u8].as_slice(), &u64::MAX.to_le_bytes()].concat();
        assert_eq!(Answered::read(&mut endless.as_slice()).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
