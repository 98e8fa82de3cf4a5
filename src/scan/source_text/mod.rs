//! What the text of a program says, without its comments: enough to tell kernels from words about them.

pub(super) mod c_text;
pub(super) mod python_text;

use memchr::memmem;

/// Whether text holds a word, bounded by what is no part of a name.
pub(super) fn has_word(text: &[u8], word: &str) -> bool {
    words(text, word).next().is_some()
}

/// Where a word stands in text.
pub(super) fn words<'t>(text: &'t [u8], word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    memmem::find_iter(text, word.as_bytes()).filter(move |at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        !is_name(before) && !is_name(text.get(at + word.len()))
    })
}

/// Bytes between the mark of a kernel and what it returns: `__launch_bounds__` with its arguments stands there.
const ATTRIBUTES: usize = 200;

/// Whether C++ without comments defines or declares a kernel: the mark, `void`, a name and arguments. Lines of
/// the preprocessor, which define the mark, do not count.
pub(super) fn has_kernel(code: &[u8]) -> bool {
    words(code, "__global__").any(|at| {
        let line = code.get(..at).unwrap_or_default();
        let line = line.get(memchr::memrchr(b'\n', line).map_or(0, |end| end + 1)..).unwrap_or_default();
        let behind = code.get(at..(at + ATTRIBUTES).min(code.len())).unwrap_or_default();
        !line.trim_ascii_start().starts_with(b"#")
            && words(behind, "void").next().is_some_and(|void| {
                let rest = behind.get(void..).unwrap_or_default();
                let before = behind.get(..void).unwrap_or_default();
                memchr::memchr2(b';', b'{', before).is_none()
                    && is_followed_by_arguments(rest, code, at + void)
            })
    })
}

/// Whether a name and a parenthesis come behind `void`, wherever the line ends.
fn is_followed_by_arguments(rest: &[u8], code: &[u8], at: usize) -> bool {
    let rest = if rest.len() < 8 { code.get(at..).unwrap_or_default() } else { rest };
    let name = rest.get("void".len()..).unwrap_or_default().trim_ascii_start();
    name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'{' | b'%' | b'$'))
}
