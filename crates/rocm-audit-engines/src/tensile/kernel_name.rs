//! What the name of a kernel says of it: Tensile writes the parameters of a solution into it, each behind its
//! initials.
//!
//! Source: Tensile 6.4, `Common.py` (the parameters) and `SolutionStructs.py` (`getNameMin`,
//! `getParameterNameAbbreviation`).

use rayon::prelude::*;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The parameters that are shown, with how they are written: initials in the name, and what they are.
const PARAMETERS: &[(&str, &str)] = &[
    ("MT", "macro tile (M × N × depth)"),
    ("MI", "matrix instruction (M × N × K × blocks)"),
    ("TT", "thread tile"),
    ("WG", "work group (last: parts of K in it)"),
    ("WGM", "work group mapping"),
    ("GSU", "global split of K"),
    ("GSUA", "its algorithm (SB: atomics, MB: through the workspace)"),
    ("VW", "vector width"),
    ("GLVWA", "global load width of A"),
    ("GLVWB", "global load width of B"),
    ("LRVW", "local read width"),
    ("SVW", "store width"),
    ("PGR", "prefetch of global reads"),
    ("PLR", "prefetch of local reads"),
    ("BL", "buffer loads"),
    ("BS", "buffer stores"),
    ("DTLA", "A direct to LDS"),
    ("DTVA", "A direct to registers"),
    ("LPA", "LDS padding of A"),
    ("LPB", "LDS padding of B"),
    ("SU", "stagger"),
    ("SUS", "stagger stride"),
    ("PK", "persistent kernel"),
    ("SIA", "schedule of an iteration"),
    ("WS", "wavefront size"),
    ("ISA", "ISA (000: HIP source)"),
    ("K", "kernel (1: stands for a kernel, not only for a solution)"),
];

/// One parameter of a kernel's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// As in the name: `GSU`.
    pub initials: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Its value: `16x8x2`, `900`, `n1`.
    pub value: String,
}

/// The parameters that a kernel's name states, in the order of the table above.
pub fn parameters(kernel: &str) -> Vec<Parameter> {
    let tokens = tokens(kernel);
    let find = |(initials, title): &(&'static str, &'static str)| {
        let (_, value) = tokens.iter().find(|(name, _)| name == initials)?;
        Some(Parameter { initials, title, value: value.replace('_', "x") })
    };
    PARAMETERS.iter().filter_map(find).collect()
}

/// Whether two names state the same wherever both state something. Later releases write more parameters into
/// names, so that a kernel that is as it was has another name there.
pub fn states_the_same(one: &str, other: &str) -> bool {
    let stated = |kernel: &str| -> BTreeMap<String, String> { tokens(kernel).into_iter().collect() };
    let (one, other) = (stated(one), stated(other));
    // Names without a tile are those of no solution.
    let is_solution = |stated: &BTreeMap<String, String>| stated.contains_key("MT");
    let same = one.iter().all(|(name, value)| other.get(name).is_none_or(|other| other == value));
    same && is_solution(&one) && is_solution(&other)
}

/// The initials that a set of names writes, such as those of a release.
#[derive(Debug, Default)]
pub struct Initials(HashSet<u64, InitialsHash>);

impl Initials {
    /// Those of the names of solutions' kernels.
    pub fn of<'n>(names: impl ParallelIterator<Item = &'n str>) -> Self {
        let names = names.filter(|name| is_solution(name));
        let seen =
            names.fold(<(HashSet<u64, InitialsHash>, Vec<u64>)>::default, |(mut seen, mut before), name| {
                let initials =
                    NameParts::split(name).filter(|part| !part.continues).map(|part| part.initials);
                for (place, initials) in initials.enumerate() {
                    // A name mostly has the initials of the one before it, at the same places.
                    match before.get_mut(place) {
                        Some(known) if *known == initials => continue,
                        Some(known) => *known = initials,
                        None => before.push(initials),
                    }
                    seen.insert(initials);
                }
                (seen, before)
            });
        Initials(seen.map(|(seen, _)| seen).reduce(HashSet::default, |mut one, other| {
            one.extend(other);
            one
        }))
    }

    /// Those that these have and others have, too.
    #[must_use]
    pub fn and(mut self, others: &Initials) -> Self {
        self.0.retain(|initials| others.0.contains(initials));
        self
    }

    /// These and others.
    #[must_use]
    pub fn or(mut self, others: Initials) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Reads names by these initials.
    pub fn reader(&self) -> StatedReader<'_> {
        StatedReader { initials: self, before: Vec::new(), stated: Vec::new() }
    }
}

/// Reads what names state with some initials. Faster for names that are like the one before.
#[derive(Debug)]
pub struct StatedReader<'i> {
    initials: &'i Initials,
    /// The initials of the last name, each with whether it is among those asked for.
    before: Vec<(u64, bool)>,
    stated: Vec<u8>,
}

impl StatedReader<'_> {
    /// What a name states with these initials, and nothing else; `None` if it is not that of a solution's kernel.
    pub fn stated(&mut self, kernel: &str) -> Option<&[u8]> {
        if !is_solution(kernel) {
            return None;
        }
        self.stated.clear();
        let (mut place, mut is_stated) = (0, true);
        // Where the parts that are stated and not yet written begin, and where the next part does.
        let (mut run, mut at) = (0, 0);
        for part in NameParts::split(kernel) {
            // A number belongs to what stands before it.
            if !part.continues {
                let was_stated = is_stated;
                is_stated = match self.before.get(place) {
                    Some((initials, known)) if *initials == part.initials => *known,
                    _ => {
                        let known = self.initials.0.contains(&part.initials);
                        match self.before.get_mut(place) {
                            Some(row) => *row = (part.initials, known),
                            None => self.before.push((part.initials, known)),
                        }
                        known
                    }
                };
                place += 1;
                if was_stated && !is_stated {
                    self.stated.extend_from_slice(kernel.as_bytes().get(run..at).unwrap_or_default());
                }
                if is_stated && !was_stated {
                    run = at;
                }
            }
            at += part.text.len() + 1;
        }
        if is_stated {
            self.stated.extend_from_slice(kernel.as_bytes().get(run..).unwrap_or_default());
            // As where parts that are not stated follow.
            self.stated.push(b'_');
        }
        Some(&self.stated)
    }
}

/// Whether a name is that of a solution's kernel: names without a tile are those of no solution.
fn is_solution(kernel: &str) -> bool {
    kernel.starts_with("Cijk_") && kernel.contains("_MT")
}

/// A part of a name.
struct NamePart<'n> {
    text: &'n [u8],
    /// Its initials as a number: `GSU` of `GSU4`, `VS` of `VSn1`, which is negative.
    initials: u64,
    /// Whether it belongs to the part before: `8` and `2` in `WG16_8_2`.
    continues: bool,
}

/// The parts of a name. A release has a hundred thousand names with 90 parts each, so each byte is looked at
/// once.
struct NameParts<'n>(Option<&'n [u8]>);

impl<'n> NameParts<'n> {
    fn split(kernel: &'n str) -> Self {
        NameParts(Some(kernel.as_bytes()))
    }
}

impl<'n> Iterator for NameParts<'n> {
    type Item = NamePart<'n>;

    fn next(&mut self) -> Option<NamePart<'n>> {
        let rest = self.0?;
        let part = short_part(rest).unwrap_or_else(|| part(rest));
        self.0 = rest.get(part.text.len() + 1..);
        Some(part)
    }
}

/// The first part of what is left of a name.
fn part(rest: &[u8]) -> NamePart<'_> {
    let (mut digit, mut end, mut letters) = (None, rest.len(), false);
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            b'_' => {
                end = at;
                break;
            }
            b'0'..=b'9' => digit = digit.or(Some(at)),
            _ => letters = true,
        }
    }
    let text = rest.get(..end).unwrap_or_default();
    let name = match digit {
        // `1LDSB0` is a flag with a number in its name.
        Some(0) | None => text,
        Some(digit) => {
            let name = text.get(..digit).unwrap_or(text);
            name.strip_suffix(b"n").unwrap_or(name)
        }
    };
    // Its value follows without a digit: `GSUASB`.
    let name = if digit.is_none() && text.starts_with(b"GSUA") { b"GSUA" } else { name };
    let initials = match name.first_chunk::<8>() {
        Some(_) => xxh3_64(name),
        None => name.iter().fold(1, |number, byte| number << 8 | u64::from(*byte)),
    };
    NamePart { text, initials, continues: digit.is_some() && !letters }
}

/// The first part of what is left of a name, where it and the `_` behind it are eight bytes at most, which are
/// looked at as one number: what [`part`] finds byte by byte.
fn short_part(rest: &[u8]) -> Option<NamePart<'_>> {
    const EACH: u64 = u64::MAX / 255;
    const TOP: u64 = EACH << 7;
    let word = u64::from_le_bytes(*rest.first_chunk::<8>()?);
    // The top bit of each byte that is `_`; a sum of seven bits carries into no other byte.
    let other = word ^ (EACH * u64::from(b'_'));
    let ends = !(((other & !TOP) + !TOP) | other) & TOP;
    if ends == 0 {
        return None;
    }
    let end = ends.trailing_zeros() / 8;
    let own = (1u64 << (8 * end)) - 1;
    // A byte is a digit where adding so much reaches the top bit from `0` on, and not yet behind `9`.
    let low = word & !TOP;
    let from_zero = low + EACH * u64::from(0x80 - b'0');
    let behind_nine = low + EACH * u64::from(0x80 - b'9' - 1);
    let digits = from_zero & !behind_nine & !word & TOP & own;
    let letters = !digits & TOP & own != 0;
    let digit = (digits != 0).then(|| digits.trailing_zeros() / 8);
    let byte = |at: u32| (word >> (8 * at)) as u8;
    let name = match digit {
        None if end >= 4 && word as u32 == u32::from_le_bytes(*b"GSUA") => 4,
        Some(0) | None => end,
        Some(digit) if byte(digit - 1) == b'n' => digit - 1,
        Some(digit) => digit,
    };
    let bytes = word.swap_bytes().checked_shr(64 - 8 * name).unwrap_or(0);
    Some(NamePart {
        text: rest.get(..end as usize)?,
        initials: 1 << (8 * name) | bytes,
        continues: digit.is_some() && !letters,
    })
}

/// Hashes initials. Each set draws a seed of its own, so that no file can have names made to collide.
#[derive(Debug, Clone)]
struct InitialsHash(u64);

impl Default for InitialsHash {
    fn default() -> Self {
        InitialsHash(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for InitialsHash {
    type Hasher = InitialsHasher;

    fn build_hasher(&self) -> InitialsHasher {
        InitialsHasher(self.0)
    }
}

/// See [`InitialsHash`].
#[derive(Debug)]
struct InitialsHasher(u64);

impl Hasher for InitialsHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Splits a name into initials and values; numbers that follow belong to the one before: `WG16_8_2`.
fn tokens(kernel: &str) -> Vec<(String, String)> {
    let mut tokens: Vec<(String, String)> = Vec::new();
    for part in kernel.split('_') {
        let begins_with_digit = part.starts_with(|c: char| c.is_ascii_digit());
        if begins_with_digit && let Some((_, value)) = tokens.last_mut() {
            // `SN_1LDSB0`: a flag with a number in its name.
            if part.chars().all(|c| c.is_ascii_digit()) {
                value.push('_');
                value.push_str(part);
                continue;
            }
        }
        let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
        let (mut name, mut value) = part.split_at(digits);
        if value.is_empty() && part.len() > 4 && part.starts_with("GSUA") {
            (name, value) = part.split_at(4);
        } else if let Some(minus) = name.strip_suffix('n').filter(|_| !value.is_empty()) {
            name = minus;
            tokens.push((name.to_owned(), format!("-{value}")));
            continue;
        }
        tokens.push((name.to_owned(), value.to_owned()));
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_name_is_taken_apart() {
        let name =
            "Cijk_Ailk_Bljk_SB_MT64x32x16_SN_1LDSB0_GSU1_GSUASB_ISA900_K1_TT4_4_WS64_WG16_8_2_WGM8_LWPMn1";
        let shown: Vec<_> = parameters(name).iter().map(|p| format!("{} {}", p.initials, p.value)).collect();
        let expected =
            ["MT 64x32x16", "TT 4x4", "WG 16x8x2", "WGM 8", "GSU 1", "GSUA SB", "WS 64", "ISA 900", "K 1"];
        assert_eq!(shown, expected);
        assert_eq!(parameters("Cijk_S_GB"), []);
    }

    #[test]
    fn short_parts_are_what_is_found_byte_by_byte() {
        let pieces = [
            "", "M", "MT64x32", "GSUASB", "GSUA", "GSU1", "VSn1", "n1", "n", "8", "16", "1LDSB0", "xn12",
            "\u{e9}1", "/:9",
        ];
        let mut asked = 0;
        for first in pieces {
            for second in pieces {
                for text in [format!("{first}_{second}_K1_WGM8"), format!("{first}{second}_12345678")] {
                    let Some(short) = short_part(text.as_bytes()) else { continue };
                    let whole = part(text.as_bytes());
                    assert_eq!(
                        (short.text, short.initials, short.continues),
                        (whole.text, whole.initials, whole.continues),
                        "{text}"
                    );
                    asked += 1;
                }
            }
        }
        assert!(asked > 300, "{asked}");
    }

    #[test]
    fn names_of_two_releases_are_compared_by_what_both_state() {
        // Of rocBLAS 5.5 and 6.4, shortened.
        let old = "Cijk_Alik_Bljk_HB_MT32x32x32_SN_1LDSB0_APM1_GRVW4_GSU1_ISA900_TT4_4_WG8_8_1_WGM8";
        let new = "Cijk_Alik_Bljk_HB_MT32x32x32_SN_1LDSB0_APM1_ABV0_GLVWA4_GSU1_ISA900_TT4_4_WG8_8_1_WGM8";
        assert!(states_the_same(old, new) && states_the_same(new, old));
        assert!(!states_the_same(old, &new.replace("GSU1", "GSU4")));
        assert!(!states_the_same(old, &new.replace("WG8_8_1", "WG8_8_2")));
        assert!(!states_the_same("ConvDirectNaiveConvFwd", "ConvAsm1x1U"));
    }
}
