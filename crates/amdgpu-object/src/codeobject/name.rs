//! Kernel names as C++ programmers wrote them.

use crate::limits::{DEMANGLED_BYTES, DEMANGLED_OUTPUT_BYTES};
use alloc::string::String;
use core::fmt::{self, Write};
use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// Nesting limit for a name, in calls of the library's parser. It can read 17,745 names of Debian's and
/// bitsandbytes' kernels at all, and all but four of them within 32. What it cannot read it retries at each
/// level, so each further level doubles the time: 26 million names made from the grammar's parts took at most
/// 4 ms.
const DEPTH: u32 = 32;

/// Expression operators that the library parses twice at each level, and the accepted number of them. Real
/// kernels have at most one.
const DOUBLING: [&[u8]; 4] = [b"nw", b"na", b"dl", b"da"];
const DOUBLING_AT_MOST: usize = 12;

/// Demangles an Itanium C++ name; `None` for a name that is not mangled (assembly and Tensile kernels), too
/// long, nested deeper than 32 calls of the parser, or whose demangled form grows beyond
/// [`DEMANGLED_OUTPUT_BYTES`].
pub fn demangle(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > DEMANGLED_BYTES || doubling(name.as_bytes()) > DOUBLING_AT_MOST
    {
        return None;
    }
    let options = ParseOptions::default().recursion_limit(DEPTH);
    let symbol = Symbol::new_with_options(name, &options).ok()?;
    let mut out = Bounded(String::new());
    symbol.structured_demangle(&mut out, &DemangleOptions::default()).ok()?;
    Some(as_usual(out.0))
}

/// Number of operators outside of identifiers that double the work.
fn doubling(name: &[u8]) -> usize {
    let mut rest = name;
    let mut before = 0;
    let mut count = 0;
    while let Some((&first, behind)) = rest.split_first() {
        if !first.is_ascii_digit() {
            count += usize::from(DOUBLING.iter().any(|operator| rest.starts_with(operator)));
            (before, rest) = (first, behind);
            continue;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, behind) = rest.split_at(digits);
        let length = number
            .iter()
            .fold(0usize, |n, digit| n.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        // Numbers in substitutions, literals, vectors, constructors and discriminators are not lengths of
        // identifiers.
        let is_length = !b"_vCD".contains(&before) && !matches!(behind.first(), Some(b'_' | b'E') | None);
        (before, rest) = (first, behind.get(if is_length { length } else { 0 }..).unwrap_or(behind));
    }
    count
}

/// Integer literal types: the cast that the library writes, and the suffix that c++filt writes.
const SUFFIXES: [(&str, &str); 3] = [("(unsigned int)", "u"), ("(unsigned long)", "ul"), ("(long)", "l")];

/// A demangled name in c++filt's style: `3u` for `(unsigned int)3`, and nothing for an empty argument pack.
fn as_usual(text: String) -> String {
    if !text.contains(", >") && !text.contains(", )") && !SUFFIXES.iter().any(|(cast, _)| text.contains(cast))
    {
        return text;
    }
    let mut rest = text.as_str();
    let mut out = String::with_capacity(text.len());
    while let Some(next) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix(", ").filter(|behind| behind.starts_with(['>', ')'])) {
            rest = behind;
            continue;
        }
        let literal = SUFFIXES.iter().find_map(|(cast, suffix)| {
            let behind = rest.strip_prefix(cast)?;
            let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0).then_some((behind.split_at_checked(digits)?, suffix))
        });
        match literal {
            Some(((digits, behind), suffix)) => {
                out.push_str(digits);
                out.push_str(suffix);
                rest = behind;
            }
            None => {
                out.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}

/// A string of limited size.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > DEMANGLED_OUTPUT_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_would_take_for_ever_stays_mangled() {
        // For such a name the parser's time doubles with each `nw`, although `c++filt` demangles it.
        for count in [25, 60, 1000] {
            assert_eq!(demangle(&format!("_Z1fIX{}EEvv", "nw".repeat(count))), None);
            // Found by combining parts of the grammar at random.
            for (front, part, end) in
                [("Z1f", "StI", "EEvv"), ("Z1fIX", "tlC1nw", "EvE"), ("Z1fIX", "naatC1", "E")]
            {
                assert_eq!(demangle(&format!("_{front}{}{end}", part.repeat(count))), None);
            }
        }
        // Numbers that are not lengths hide nothing, and identifiers are skipped. (A literal whose number is
        // not followed by its end is invalid, and the parser stops there.)
        assert_eq!(doubling(b"_Z1fIXC1naLi3EnwLi3nwEnw"), 3);
        assert_eq!(doubling(b"_Z8nananadav"), 0);
    }

    #[test]
    fn demangles_templates_and_leaves_the_rest() {
        let name = "_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0EEvPKvS2_";
        // c++filt's output.
        let written = "void mul_mat_vec_q<(ggml_type)12, 1, false, false>(void const*, void const*)";
        assert_eq!(demangle(name).as_deref(), Some(written));
        let name = "_ZL1fIJEEv15HIP_vector_typeIjLj3EEDpT_";
        let written = "void f<>(HIP_vector_type<unsigned int, 3u>)";
        assert_eq!(demangle(name).as_deref(), Some(written));
        assert_eq!(demangle("Cijk_Ailk_Bljk_SB_MT64x64x8"), None);
        assert_eq!(demangle(&format!("_Z{}", "S_".repeat(20_000))), None);
    }
}
