//! What the mangled names of all kernels contain that a pattern means. A large library has 71,840 kernels: to
//! demangle all of their names takes ten times as long as to look into one of them.

use regex_syntax::hir::{Hir, HirKind};

/// Words with an underscore that demangling adds, so that they need not be in the mangled name.
const ADDED: &[&str] = &[
    "_BitInt",
    "_Accum",
    "_Float16",
    "_Float128x",
    "_Fract",
    "_GLOBAL__N_",
    "_Sat",
    "__bf16",
    "__float128",
    "__fp16",
    "__int128",
    "__vector",
    "_block_invoke",
    "bfloat16_t",
    "basic_iostream",
    "basic_istream",
    "basic_ostream",
    "basic_string",
    "char16_t",
    "char32_t",
    "char8_t",
    "char_traits",
    "const_cast",
    "co_await",
    "dynamic_cast",
    "nullptr_t",
    "reinterpret_cast",
    "static_cast",
    "wchar_t",
];

/// The longest such text. `None` if none is certain: mangling writes identifiers as they are, but not types
/// and operators of the language, so only identifiers with an underscore are taken.
pub(super) fn of_pattern(pattern: &str) -> Option<String> {
    let mut found = None;
    look(&regex_syntax::parse(pattern).ok()?, &mut found);
    found
}

/// Looks at the parts of a pattern that each match has.
fn look(hir: &Hir, found: &mut Option<String>) {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = String::from_utf8_lossy(&literal.0);
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let certain = words.filter(|word| {
                // Numbers may have got a suffix, as in `3u`.
                let is_name = word.contains('_') && !word.starts_with(|c: char| c.is_ascii_digit());
                is_name && !ADDED.iter().any(|added| added.contains(word))
            });
            for word in certain {
                if found.as_ref().is_none_or(|before| before.len() < word.len()) {
                    *found = Some(word.to_owned());
                }
            }
        }
        HirKind::Concat(parts) => parts.iter().for_each(|part| look(part, found)),
        HirKind::Capture(group) => look(&group.sub, found),
        HirKind::Repetition(repeated) if repeated.min > 0 => look(&repeated.sub, found),
        HirKind::Empty
        | HirKind::Class(_)
        | HirKind::Look(_)
        | HirKind::Repetition(_)
        | HirKind::Alternation(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codeobject::demangle;
    use regex::Regex;

    #[test]
    fn it_is_the_longest_identifier_that_every_match_has() {
        for (pattern, part) in [
            ("mul_mat_q", Some("mul_mat_q")),
            ("^void mul_mat_vec_q<.*, (soft_max)+>", Some("mul_mat_vec_q")),
            ("k_get.*rows_float_x", Some("rows_float_x")),
            ("(?i)mul_mat_q", None),
            ("mul_mat_q|mul_mat_vec", None),
            ("(mul_mat_q)?", None),
            ("float", None),
            ("__int128", None),
            ("_t", None),
            ("[a-z_]+", None),
        ] {
            assert_eq!(of_pattern(pattern).as_deref(), part, "{pattern}");
        }
    }

    /// Each word of a demangled name is looked for as a user would, and has to be found in the mangled one.
    #[test]
    fn what_it_says_of_a_name_is_in_its_mangled_form() {
        // Mangled by clang: ours and those of libraries in docs and fixtures.
        let names = [
            "_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0EEvPKvS2_",
            "_ZN12_GLOBAL__N_16reduceIDF16_N2at6native15binary_functor_IfffEEEEvPT_S6_m",
            "_Z6k_scanIDF16bNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEvT_T0_",
            "_ZN7rocprim6detail19lookback_scan_stateIyLb0ELb0EE4nextEv",
            "_ZN4spaceplIN3foo5bar_xEEENS1_5bar_xERKT_S4_",
        ];
        for name in names {
            let Some(whole) = demangle(name) else { continue };
            for word in whole.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                if let Some(part) = of_pattern(&regex_syntax::escape(word)) {
                    assert!(
                        Regex::new(word).unwrap().is_match(&whole) && name.contains(&part),
                        "{word} of {whole}"
                    );
                }
            }
        }
    }
}
