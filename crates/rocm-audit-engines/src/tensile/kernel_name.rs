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

/// The initials that two sets of names both write, such as those of two releases.
#[derive(Debug, Default)]
pub struct Initials(HashSet<u64, NameHash>);

impl Initials {
    /// Those of the names of solutions' kernels in both sets.
    pub fn in_both<N: AsRef<str> + Sync>(one: &[N], other: &[N]) -> Self {
        let of = |names: &[N]| {
            let all = names.par_iter().map(AsRef::as_ref).filter(|name| is_solution(name));
            let seen = all.fold(HashSet::<u64, NameHash>::default, |mut seen, name| {
                seen.extend(NameParts::split(name).filter(|part| !part.continues).map(|part| part.initials));
                seen
            });
            seen.reduce(HashSet::default, |mut one, other| {
                one.extend(other);
                one
            })
        };
        let (mut one, other) = (of(one), of(other));
        one.retain(|initials| other.contains(initials));
        Initials(one)
    }

    /// Writes what a name states with these initials, and nothing else, to `stated`. Gives whether it is that
    /// of a solution's kernel.
    pub fn stated(&self, kernel: &str, stated: &mut Vec<u8>) -> bool {
        stated.clear();
        if !is_solution(kernel) {
            return false;
        }
        let mut is_stated = true;
        for part in NameParts::split(kernel) {
            // A number belongs to what stands before it.
            is_stated = if part.continues { is_stated } else { self.0.contains(&part.initials) };
            if is_stated {
                stated.push(b'_');
                stated.extend_from_slice(part.text);
            }
        }
        true
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
        self.0 = rest.get(end + 1..);
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
        Some(NamePart { text, initials, continues: digit.is_some() && !letters })
    }
}

/// Hashes names and parts of them: a release has a hundred thousand, with 500 bytes each. Each table draws a
/// seed of its own, so that no file can have names made to collide.
#[derive(Debug, Clone)]
pub struct NameHash(u64);

impl Default for NameHash {
    fn default() -> Self {
        NameHash(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for NameHash {
    type Hasher = NameHasher;

    fn build_hasher(&self) -> NameHasher {
        NameHasher(self.0)
    }
}

/// See [`NameHash`].
#[derive(Debug)]
pub struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    // What ends a text in a hash: the length of a name is part of it already.
    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
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
