//! Problems of the selector, and the grammar in which files state them.
//!
//! ```text
//! mm f32 K4096 N4096 ne11=1 prec=0
//! mmid q4_K K1024 N512 ne=8 used=2 tok=4
//! fa f16 D128 DV128 nq=1 nh=32 nkv=8 kv=1024 mask=1
//! ```

use super::rules::Precision;
use super::types;
use super::types::Type;
use std::fmt;
use std::str::FromStr;

/// Largest dimension, since ggml uses 32-bit numbers.
const MOST: u64 = i32::MAX as u64;

/// A matrix product, `MUL_MAT`: weights of `n` rows of `k` values, times `ne11` columns of F32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MulMat {
    /// Type of the weights.
    pub ty: Type,
    /// Values of a row, `ne00`.
    pub k: u64,
    /// Rows of the weights, `ne01`.
    pub n: u64,
    /// Columns of the other operand.
    pub ne11: u64,
    /// The precision that the graph requests.
    pub precision: Precision,
}

/// A product through experts, `MUL_MAT_ID`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MulMatId {
    /// Type of the weights.
    pub ty: Type,
    /// Values of a row, `ne00`.
    pub k: u64,
    /// Rows of an expert's weights, `ne01`.
    pub n: u64,
    /// Number of experts, `ne02`.
    pub experts: u64,
    /// Experts used for each token.
    pub used: u64,
    /// Tokens.
    pub tokens: u64,
}

/// Attention, `FLASH_ATTN_EXT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlashAttention {
    /// Type of keys and values.
    pub ty: Type,
    /// Size of a key.
    pub dk: u64,
    /// Size of a value.
    pub dv: u64,
    /// Queries.
    pub queries: u64,
    /// Heads of queries.
    pub heads: u64,
    /// Heads of keys and values.
    pub kv_heads: u64,
    /// Keys.
    pub keys: u64,
    /// Whether attention has a mask.
    pub mask: bool,
}

/// A problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// A dense product.
    MulMat(MulMat),
    /// A product through experts.
    MulMatId(MulMatId),
    /// Attention.
    FlashAttention(FlashAttention),
}

/// The error for a text that is not a problem: what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadQuery(pub String);

impl fmt::Display for BadQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadQuery {}

/// The words of a problem after its type.
struct QueryWords<'a>(Vec<&'a str>);

impl QueryWords<'_> {
    /// Removes the word that begins with `name` and returns its number.
    fn take(&mut self, name: &str) -> Result<u64, BadQuery> {
        let number = |word: &str| word.strip_prefix(name)?.parse::<u64>().ok();
        let found = self.0.iter().enumerate().find_map(|(at, word)| Some((at, number(word)?)));
        let (at, value) = found.ok_or_else(|| BadQuery(format!("expected {name} and a number")))?;
        self.0.remove(at);
        if value > MOST {
            return Err(BadQuery(format!("{name}{value}: at most {MOST} is expected")));
        }
        Ok(value)
    }

    fn positive(&mut self, name: &str) -> Result<u64, BadQuery> {
        match self.take(name)? {
            0 => Err(BadQuery(format!("{name}0: at least 1 is expected"))),
            value => Ok(value),
        }
    }

    fn end(self) -> Result<(), BadQuery> {
        self.0
            .first()
            .map_or(Ok(()), |word| Err(BadQuery(format!("{word}: nothing of that name is expected"))))
    }
}

impl FromStr for Query {
    type Err = BadQuery;

    fn from_str(text: &str) -> Result<Self, BadQuery> {
        let mut words = text.split_whitespace();
        let operation = words.next().unwrap_or_default();
        if !["mm", "mmid", "fa"].contains(&operation) {
            return Err(BadQuery(format!("{operation:?} is no operation; expected mm, mmid or fa")));
        }
        let ty = types::named(words.next().unwrap_or_default()).map_err(|e| BadQuery(e.to_string()))?;
        let mut words = QueryWords(words.collect());
        let query = match operation {
            "mm" => Query::MulMat(MulMat {
                ty,
                k: words.positive("K")?,
                n: words.positive("N")?,
                ne11: words.positive("ne11=")?,
                // GGML_PREC_F32 is 10; 0 is the default, and other values request less.
                precision: match words.take("prec=")? {
                    10 => Precision::F32,
                    _ => Precision::Default,
                },
            }),
            "mmid" => Query::MulMatId(MulMatId {
                ty,
                k: words.positive("K")?,
                n: words.positive("N")?,
                experts: words.positive("ne=")?,
                used: words.positive("used=")?,
                tokens: words.positive("tok=")?,
            }),
            _ => Query::FlashAttention(FlashAttention {
                ty,
                dk: words.positive("D")?,
                dv: words.positive("DV")?,
                queries: words.positive("nq=")?,
                heads: words.positive("nh=")?,
                kv_heads: words.positive("nkv=")?,
                keys: words.positive("kv=")?,
                mask: words.take("mask=")? != 0,
            }),
        };
        words.end()?;
        Ok(query)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Query::MulMat(p) => {
                let precision = if p.precision == Precision::F32 { 10 } else { 0 };
                write!(f, "mm {} K{} N{} ne11={} prec={precision}", p.ty.name, p.k, p.n, p.ne11)
            }
            Query::MulMatId(p) => {
                let (name, k, n) = (p.ty.name, p.k, p.n);
                write!(f, "mmid {name} K{k} N{n} ne={} used={} tok={}", p.experts, p.used, p.tokens)
            }
            Query::FlashAttention(p) => {
                let (name, dk, dv, nq) = (p.ty.name, p.dk, p.dv, p.queries);
                let (nh, nkv, kv, mask) = (p.heads, p.kv_heads, p.keys, u8::from(p.mask));
                write!(f, "fa {name} D{dk} DV{dv} nq={nq} nh={nh} nkv={nkv} kv={kv} mask={mask}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_it_writes() {
        for text in [
            "mm f32 K4096 N4096 ne11=1 prec=0",
            "mm q4_K K4096 N4095 ne11=64 prec=10",
            "mmid iq1_m K1024 N512 ne=8 used=2 tok=513",
            "fa bf16 D576 DV512 nq=1 nh=32 nkv=8 kv=1024 mask=1",
        ] {
            assert_eq!(text.parse::<Query>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn says_what_it_expected() {
        for (text, what) in [
            ("", "expected mm, mmid or fa"),
            ("mm q9_K K1 N1 ne11=1 prec=0", "known are"),
            ("mm f32 K4096 ne11=1 prec=0", "expected N"),
            ("mm f32 K0 N1 ne11=1 prec=0", "at least 1"),
            ("mm f32 K99999999999 N1 ne11=1 prec=0", "at most"),
            ("mm f32 K1 N1 ne11=1 prec=0 x=1", "nothing of that name"),
        ] {
            assert!(text.parse::<Query>().unwrap_err().0.contains(what), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
            let _ = text.parse::<Query>();
        }

        #[test]
        fn any_numbers_are_answered(
            words in prop::collection::vec("(mm|mmid|fa|q4_K|f16|K|N|D|DV|ne11=|prec=|ne=|used=|tok=|nq=|nh=|nkv=|kv=|mask=)[0-9]{0,12}", 0..10),
            arch in "gfx(803|90[0-9a-c]|9[45][0-9]|1[0-2][0-9]{2})",
        ) {
            if let Ok(query) = words.join(" ").parse::<Query>()
                && let Ok(architecture) = crate::ggml::Architecture::parse(&arch)
            {
                let _ = crate::ggml::route(&architecture, &query, None);
            }
        }
    }
}
