//! Kernel names as C++ programmers wrote them.

use crate::limits::{DEMANGLED_BYTES, DEMANGLED_OUTPUT_BYTES, DEMANGLING_STEPS_PER_BYTE};
use cpp_demangle_bounded::{DemangleOptions, ParseOptions, Symbol};
use std::fmt::{self, Write};
use std::num::NonZeroU32;

/// Demangles an Itanium C++ name; `None` for a name that is not mangled (assembly and Tensile kernels), too long, that
/// takes more than [`DEMANGLING_STEPS_PER_BYTE`], or whose demangled form grows beyond [`DEMANGLED_OUTPUT_BYTES`].
pub fn demangle(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > DEMANGLED_BYTES {
        return None;
    }
    let steps = NonZeroU32::new((name.len() as u32).saturating_mul(DEMANGLING_STEPS_PER_BYTE))?;
    let options = ParseOptions::default().recursion_limit(160).step_limit(steps);
    let symbol = Symbol::new_with_options(name, &options).ok()?;
    let mut out = Bounded(String::new());
    let style = DemangleOptions::default().step_limit(steps);
    symbol.structured_demangle(&mut out, &style).ok()?;
    Some(as_usual(out.0))
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
        }
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
