//! Kernel names as C++ programmers wrote them.

use crate::limits::{DEMANGLED_BYTES, DEMANGLED_OUTPUT_BYTES};
use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};
use std::fmt::{self, Write};

/// How deep a name may nest, in calls of the library's parser. All names of Debian's and bitsandbytes' kernels that it reads at
/// all, 17,745, are read at 32 but for four; what it cannot read it tries again at each level, so that a level more doubles the
/// time: 26 million names made up of the grammar's parts took 4 ms at most.
const DEPTH: u32 = 32;

/// Operators of expressions that the library reads twice at each level, and how many of them are believed. Real kernels have
/// one at most.
const DOUBLING: [&[u8]; 4] = [b"nw", b"na", b"dl", b"da"];
const DOUBLING_AT_MOST: usize = 12;

/// Demangles an Itanium C++ name; `None` for a name that is not mangled (assembly and Tensile kernels), too long, nested
/// deeper than 32 calls of the parser, or whose demangled form grows beyond [`DEMANGLED_OUTPUT_BYTES`].
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

/// How many operators that double the work a name has outside of its identifiers.
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
        // Numbers of substitutions, literals, vectors, constructors and discriminators are no lengths of identifiers.
        let is_length = !b"_vCD".contains(&before) && !matches!(behind.first(), Some(b'_' | b'E') | None);
        (before, rest) = (first, behind.get(if is_length { length } else { 0 }..).unwrap_or(behind));
    }
    count
}

/// Literals of integer types, with the suffix that c++filt writes for the cast that the library writes.
const SUFFIXES: [(&str, &str); 3] = [("(unsigned int)", "u"), ("(unsigned long)", "ul"), ("(long)", "l")];

/// A demangled name as c++filt writes it: `3u` for `(unsigned int)3`, and nothing for an empty pack of arguments.
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

/// A string that refuses to grow without end.
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
        // What `c++filt` demangles of such a name doubles in time for the parser with each `nw`.
        for count in [25, 60, 1000] {
            assert_eq!(demangle(&format!("_Z1fIX{}EEvv", "nw".repeat(count))), None);
            // Found by putting parts of the grammar together at random.
            for (front, part, end) in
                [("Z1f", "StI", "EEvv"), ("Z1fIX", "tlC1nw", "EvE"), ("Z1fIX", "naatC1", "E")]
            {
                assert_eq!(demangle(&format!("_{front}{}{end}", part.repeat(count))), None);
            }
        }
        // Numbers that are no lengths hide nothing, and identifiers are looked over.
        // (A literal whose number is not followed by its end is none: the parser goes no further.)
        assert_eq!(doubling(b"_Z1fIXC1naLi3EnwLi3nwEnw"), 3);
        assert_eq!(doubling(b"_Z8nananadav"), 0);
    }

    #[test]
    fn demangles_templates_and_leaves_the_rest() {
        let name = "_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0EEvPKvS2_";
        // As c++filt writes it.
        let written = "void mul_mat_vec_q<(ggml_type)12, 1, false, false>(void const*, void const*)";
        assert_eq!(demangle(name).as_deref(), Some(written));
        let name = "_ZL1fIJEEv15HIP_vector_typeIjLj3EEDpT_";
        let written = "void f<>(HIP_vector_type<unsigned int, 3u>)";
        assert_eq!(demangle(name).as_deref(), Some(written));
        assert_eq!(demangle("Cijk_Ailk_Bljk_SB_MT64x64x8"), None);
        assert_eq!(demangle(&format!("_Z{}", "S_".repeat(20_000))), None);
    }
}
