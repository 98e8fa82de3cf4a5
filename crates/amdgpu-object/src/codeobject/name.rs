//! Kernel names as C++ programmers wrote them.

use crate::limits::{DEMANGLED_BYTES, DEMANGLED_OUTPUT_BYTES};
use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};
use std::fmt::{self, Write};

/// Demangles an Itanium C++ name; `None` for a name that is not mangled (assembly and Tensile kernels), too long, or
/// whose demangled form grows beyond [`DEMANGLED_OUTPUT_BYTES`].
pub fn demangle(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > DEMANGLED_BYTES {
        return None;
    }
    let options = ParseOptions::default().recursion_limit(160);
    let symbol = Symbol::new_with_options(name, &options).ok()?;
    let mut out = Bounded(String::new());
    let style = DemangleOptions::default();
    symbol.structured_demangle(&mut out, &style).ok()?;
    Some(out.0)
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
    fn demangles_templates_and_leaves_the_rest() {
        let name = "_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0EEvPKvS2_";
        // As c++filt writes it.
        let written = "void mul_mat_vec_q<(ggml_type)12, 1, false, false>(void const*, void const*)";
        assert_eq!(demangle(name).as_deref(), Some(written));
        assert_eq!(demangle("Cijk_Ailk_Bljk_SB_MT64x64x8"), None);
        assert_eq!(demangle(&format!("_Z{}", "S_".repeat(20_000))), None);
    }
}
