//! Ways to break a file, by its structure.

use super::base::Base;
use amdgpu_samples::Random;
use std::ops::Range;

/// A file that was broken.
#[derive(Debug, Clone)]
pub struct Broken {
    /// Its name.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
    /// What was done, in words.
    pub how: Vec<String>,
    /// The bytes that are not what they were; `None` where others were moved too.
    pub touched: Option<Vec<Range<usize>>>,
    /// Whether nothing but zeros, or the end of the file, stands where bytes were taken.
    pub only_lost: bool,
}

type Way = (&'static str, fn(&mut Broken, &Base, &[Base], &mut Random) -> String);

/// All ways; the more often one stands here, the more often it is taken.
const WAYS: &[Way] = &[
    ("cut", cut),
    ("cut", cut),
    ("zeros", zeros),
    ("zeros", zeros),
    ("a part of zeros", zero_part),
    ("a number", number),
    ("a number", number),
    ("a number", number),
    ("a number", number),
    ("bits", bits),
    ("bits", bits),
    ("bytes put in", insert),
    ("bytes taken out", delete),
    ("line ends", line_ends),
    ("blocks swapped", swap),
    ("parts swapped", swap_parts),
    ("a part twice", double),
    ("another file's end", splice),
    ("noise", noise),
    ("bytes behind", append),
    ("another name", rename),
];

/// Breaks a file in one to three ways.
pub fn broken(base: &Base, all: &[Base], random: &mut Random) -> Broken {
    let mut broken = Broken {
        name: base.name.clone(),
        bytes: base.bytes.clone(),
        how: Vec::new(),
        touched: Some(Vec::new()),
        only_lost: true,
    };
    let ways = if random.one_in(4) { 2 + random.below(2) } else { 1 };
    for _ in 0..ways {
        if let Some((name, way)) = random.pick(WAYS) {
            let what = way(&mut broken, base, all, random);
            broken.how.push(format!("{name}: {what}"));
        }
    }
    broken
}

impl Broken {
    fn touch(&mut self, range: Range<usize>) {
        if let Some(touched) = &mut self.touched {
            touched.push(range);
        }
    }

    /// A place at, or near to, where something begins or ends.
    fn edge(&self, base: &Base, random: &mut Random) -> usize {
        let at = random.pick(&base.edges).copied().unwrap_or(0);
        let near = [0, 0, 0, 0, 1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56];
        let by = random.pick(&near).copied().unwrap_or(0);
        let at = if random.one_in(4) { at.saturating_sub(by) } else { at + by };
        at.min(self.bytes.len())
    }

    fn any_place(&self, base: &Base, random: &mut Random) -> usize {
        if random.one_in(3) { random.below(self.bytes.len()) } else { self.edge(base, random) }
    }

    fn zero(&mut self, range: Range<usize>) -> String {
        let end = range.end.min(self.bytes.len());
        let range = range.start.min(end)..end;
        if let Some(bytes) = self.bytes.get_mut(range.clone()) {
            bytes.fill(0);
        }
        self.touch(range.clone());
        format!("{} to {}", range.start, range.end)
    }

    fn moved(&mut self) {
        (self.touched, self.only_lost) = (None, false);
    }
}

fn cut(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    let at = broken.any_place(base, random);
    let len = broken.bytes.len();
    broken.bytes.truncate(at);
    broken.touch(at..len);
    format!("{at} of {len}")
}

fn zeros(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    let at = broken.any_place(base, random);
    let len = broken.bytes.len();
    let sizes = [1, 4, 8, 16, 64, 512, 512, 4096, 4096, len];
    let size = random.pick(&sizes).copied().unwrap_or(1);
    broken.zero(at..at.saturating_add(size))
}

fn zero_part(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    let part = part(base, random);
    broken.zero(part)
}

/// Bytes from one edge to a later one.
fn part(base: &Base, random: &mut Random) -> Range<usize> {
    let first = random.below(base.edges.len());
    let behind = first + 1 + if random.one_in(3) { random.below(8) } else { 0 };
    let edge = |number: usize| base.edges.get(number).copied().unwrap_or(base.bytes.len());
    edge(first)..edge(behind)
}

fn number(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    broken.only_lost = false;
    let width = random.pick(&[1, 2, 4, 4, 8, 8, 8]).copied().unwrap_or(4);
    let at = broken.edge(base, random).min(broken.bytes.len().saturating_sub(width));
    let len = broken.bytes.len() as u64;
    let mut old = [0u8; 8];
    let place = at..(at + width).min(broken.bytes.len());
    let here = broken.bytes.get(place.clone()).unwrap_or_default();
    let width = here.len();
    old.get_mut(..width).into_iter().for_each(|old| old.copy_from_slice(here));
    let old = u64::from_le_bytes(old);
    let most = if width >= 8 { u64::MAX } else { (1 << (8 * width)) - 1 };
    let values = [
        0,
        1,
        2,
        most,
        most - 1,
        most / 2,
        most / 2 + 1,
        len,
        len + 1,
        len.wrapping_sub(1),
        old.wrapping_add(1),
        old.wrapping_sub(1),
        old.wrapping_mul(2),
        old / 2,
        1 << 31,
        1 << 32,
        0xffff_fff0,
        random.number(),
    ];
    let new = random.pick(&values).copied().unwrap_or(0);
    let mut bytes = new.to_le_bytes();
    if random.one_in(8) {
        bytes.get_mut(..width).into_iter().for_each(<[u8]>::reverse);
    }
    if let (Some(to), Some(from)) = (broken.bytes.get_mut(place.clone()), bytes.get(..width)) {
        to.copy_from_slice(from);
    }
    broken.touch(place);
    format!("{width} bytes at {at} were {old:#x} and are {new:#x}")
}

fn bits(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    broken.only_lost = false;
    let mut told = String::new();
    for _ in 0..=random.below(4) {
        let at = broken.any_place(base, random);
        let bit = random.below(8);
        if let Some(byte) = broken.bytes.get_mut(at) {
            *byte ^= 1 << bit;
            broken.touch(at..at + 1);
            told.push_str(&format!("{at}.{bit} "));
        }
    }
    told
}

fn insert(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    let at = broken.any_place(base, random);
    let count = random.pick(&[1, 1, 2, 4, 8, 512, 4096]).copied().unwrap_or(1);
    let byte = random.pick(&[0, 0x55, 0xff, b'\n', b' ']).copied().unwrap_or(0);
    broken.bytes.splice(at..at, std::iter::repeat_n(byte, count));
    broken.moved();
    format!("{count} at {at}, {byte:#x}")
}

fn delete(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    let range = if random.one_in(3) {
        part(base, random)
    } else {
        let at = broken.any_place(base, random);
        at..at + random.pick(&[1, 1, 2, 4, 8, 512, 4096]).copied().unwrap_or(1)
    };
    let end = range.end.min(broken.bytes.len());
    let range = range.start.min(end)..end;
    broken.bytes.drain(range.clone());
    broken.moved();
    format!("{} to {}", range.start, range.end)
}

fn line_ends(broken: &mut Broken, _: &Base, _: &[Base], random: &mut Random) -> String {
    let windows = random.one_in(2);
    let mut out = Vec::with_capacity(broken.bytes.len());
    for &byte in &broken.bytes {
        match byte {
            b'\n' if windows => out.extend(b"\r\n"),
            b'\n' if out.last() == Some(&b'\r') => {
                out.pop();
                out.push(byte);
            }
            byte => out.push(byte),
        }
    }
    if out != broken.bytes {
        broken.moved();
    }
    broken.bytes = out;
    if windows { "LF to CRLF".into() } else { "CRLF to LF".into() }
}

fn swap(broken: &mut Broken, _: &Base, _: &[Base], random: &mut Random) -> String {
    broken.only_lost = false;
    let size = random.pick(&[4, 16, 512, 512, 4096]).copied().unwrap_or(512);
    let blocks = broken.bytes.len() / size;
    let (a, b) = (random.below(blocks) * size, random.below(blocks) * size);
    if blocks > 1 && a != b {
        (0..size).for_each(|i| broken.bytes.swap(a + i, b + i));
        broken.touch(a..a + size);
        broken.touch(b..b + size);
    }
    format!("{size} at {a} and {b}")
}

fn swap_parts(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    let (a, b) = (part(base, random), part(base, random));
    let (a, b) = if a.start <= b.start { (a, b) } else { (b, a) };
    if a.end <= b.start && b.end <= broken.bytes.len() {
        let piece = |range: Range<usize>| broken.bytes.get(range).unwrap_or_default();
        broken.bytes = [
            piece(0..a.start),
            piece(b.clone()),
            piece(a.end..b.start),
            piece(a.clone()),
            piece(b.end..broken.bytes.len()),
        ]
        .concat();
        broken.moved();
    }
    format!("{} to {} and {} to {}", a.start, a.end, b.start, b.end)
}

fn double(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    let range = part(base, random);
    let bytes = broken.bytes.get(range.clone()).unwrap_or_default().to_vec();
    let at = if random.one_in(2) { range.end } else { broken.bytes.len() }.min(broken.bytes.len());
    broken.bytes.splice(at..at, bytes);
    broken.moved();
    format!("{} to {} again at {at}", range.start, range.end)
}

fn splice(broken: &mut Broken, base: &Base, all: &[Base], random: &mut Random) -> String {
    let of_format: Vec<&Base> = all.iter().filter(|other| other.format == base.format).collect();
    let other = if random.one_in(4) { random.pick(all) } else { random.pick(&of_format).copied() };
    let Some(other) = other else { return String::new() };
    let at = broken.any_place(base, random);
    let from = random.pick(&other.edges).copied().unwrap_or(0).min(other.bytes.len());
    broken.bytes.truncate(at);
    broken.bytes.extend(other.bytes.get(from..).unwrap_or_default());
    broken.moved();
    format!("{at}, then {} from {from}", other.from)
}

fn noise(broken: &mut Broken, base: &Base, _: &[Base], random: &mut Random) -> String {
    broken.only_lost = false;
    let at = broken.any_place(base, random);
    let size = random.pick(&[4, 16, 64, 512, 4096]).copied().unwrap_or(16);
    let end = (at + size).min(broken.bytes.len());
    let printable = random.one_in(3);
    for byte in broken.bytes.get_mut(at..end).unwrap_or_default() {
        let any = random.number() as u8;
        *byte = if printable { 32 + any % 95 } else { any };
    }
    broken.touch(at..end);
    format!("{at} to {end}")
}

fn append(broken: &mut Broken, _: &Base, all: &[Base], random: &mut Random) -> String {
    let more = match random.below(3) {
        0 => vec![0; 1 + random.below(10_000)],
        1 => (0..1 + random.below(600)).map(|_| random.number() as u8).collect(),
        _ => random.pick(all).map(|other| other.bytes.clone()).unwrap_or_default(),
    };
    broken.bytes.extend(&more);
    broken.moved();
    format!("{}", more.len())
}

fn rename(broken: &mut Broken, _: &Base, all: &[Base], random: &mut Random) -> String {
    let own =
        ["x", "x.so", "a b.hsaco", "\u{1b}[31mred.co", "<b>|x|.so", "x.whl", "ä.tar.gz", "-f", "x\ny.so"];
    broken.name = if random.one_in(2) {
        random.pick(all).map(|other| other.name.clone()).unwrap_or_default()
    } else {
        random.pick(&own).map(|name| (*name).to_owned()).unwrap_or_default()
    };
    broken.moved();
    broken.name.escape_debug().to_string()
}
