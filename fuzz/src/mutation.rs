//! Inputs changed at random: what the tests try without libFuzzer, the same in every run.

use crate::first_inputs;
use std::path::Path;

/// Values of a byte at which readers decide.
const EDGES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xfe, 0xff, b'/', b'\n'];

/// The longest input in bytes where a target sets none.
const LONGEST: usize = 4096;

/// The inputs of a target: its first ones as they are, then changed ones without end.
#[derive(Debug)]
pub struct Mutations {
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    longest: usize,
    unchanged: usize,
    random: Random,
}

impl Mutations {
    /// Those of a target, from this number on.
    ///
    /// # Panics
    /// Where its first inputs cannot be read.
    pub fn of(target: &str, number: u64) -> Self {
        let mut seeds = files(&first_inputs::folder(target));
        let made = tempfile::tempdir().expect("a folder for inputs");
        first_inputs::write_made(target, made.path()).expect("inputs are made");
        seeds.extend(files(made.path()));
        let text = first_inputs::dictionary(target).map(|file| std::fs::read(file).expect("a dictionary"));
        let lines = text.as_deref().unwrap_or_default().split(|byte| *byte == b'\n');
        let words = lines.filter_map(word).collect();
        let longest = first_inputs::longest(target).map_or(LONGEST, |bytes| bytes as usize);
        Mutations { seeds, words, longest, unchanged: 0, random: Random(number | 1) }
    }

    fn changed(&mut self) -> Vec<u8> {
        let mut bytes = self.seed();
        for _ in 0..=self.random.below(4) {
            self.change(&mut bytes);
        }
        bytes.truncate(self.longest);
        bytes
    }

    /// One of the first inputs, or a part of it where it is too long.
    fn seed(&mut self) -> Vec<u8> {
        let place = self.random.below(self.seeds.len());
        let Some(seed) = self.seeds.get(place) else { return Vec::new() };
        // A head says most about a file; the rest is tried, too.
        let from = if self.random.below(4) > 0 { 0 } else { self.random.below(seed.len()) };
        seed.iter().skip(from).take(self.longest).copied().collect()
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let random = &mut self.random;
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => _ = bytes.drain(at..end),
            2 => {
                let again = bytes.get(at..end).unwrap_or_default().to_vec();
                bytes.splice(at..at, again);
            }
            3 => {
                let word = self.words.get(random.below(self.words.len())).cloned().unwrap_or_default();
                bytes.splice(at..at, word);
            }
            4 => {
                // A number of four bytes: small, large, or next to what is there.
                let number = [u32::MAX, 0x7fff_ffff, 0, bytes.len() as u32, random.next() as u32 >> 20];
                let number = number.get(random.below(5)).copied().unwrap_or_default();
                let four = if random.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
                bytes.iter_mut().skip(at).zip(four).for_each(|(byte, new)| *byte = new);
            }
            5 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            6 => {
                let other = self.seeds.get(random.below(self.seeds.len())).map_or(&[][..], Vec::as_slice);
                let part = other.iter().skip(random.below(other.len())).take(1 + random.below(64));
                bytes.splice(at..end.max(at), part.copied().collect::<Vec<u8>>());
            }
            _ => {
                let edge = EDGES.get(random.below(EDGES.len())).copied().unwrap_or_default();
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = edge);
            }
        }
    }
}

impl Iterator for Mutations {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let unchanged = self.seeds.get(self.unchanged).cloned();
        self.unchanged += usize::from(unchanged.is_some());
        Some(unchanged.unwrap_or_else(|| self.changed()))
    }
}

/// Numbers by xorshift64*.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`; 0 where that is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end.max(1)
    }
}

/// The files below a folder, by name.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(
            |path| {
                if path.is_dir() { files(&path) } else { vec![std::fs::read(path).expect("an input")] }
            },
        )
        .collect()
}

/// The word of a line of a dictionary: `"gfx"`, `"\xa5table"`.
fn word(line: &[u8]) -> Option<Vec<u8>> {
    let inside = line.trim_ascii().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut out = Vec::new();
    let mut rest = inside.iter().copied();
    while let Some(byte) = rest.next() {
        out.push(match byte {
            b'\\' => match rest.next()? {
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
                }
                other => other,
            },
            other => other,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_libfuzzers_dictionaries() {
        assert_eq!(word(b"\"\\xa5table\""), Some(b"\xa5table".to_vec()));
        assert_eq!(word(b" \"a\\\"b\\\\\" "), Some(b"a\"b\\".to_vec()));
        assert_eq!((word(b"# a comment"), word(b"\"\\x1\"")), (None, None));
    }

    #[test]
    fn inputs_are_the_seeds_and_then_the_same_changes_in_every_run() {
        let first: Vec<_> = Mutations::of("words", 7).take(500).collect();
        assert_eq!(first, Mutations::of("words", 7).take(500).collect::<Vec<_>>());
        assert_ne!(first, Mutations::of("words", 9).take(500).collect::<Vec<_>>());
        let seeds = files(&first_inputs::folder("words"));
        assert_eq!(first[..seeds.len()], seeds);
        assert!(first[seeds.len()..].iter().all(|input| input.len() <= 128));
        let different: std::collections::BTreeSet<_> = first.iter().collect();
        assert!(different.len() > 400, "{}", different.len());
    }
}
