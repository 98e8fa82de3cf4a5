//! C++ without its comments.

/// The text with blanks instead of comments; constants are kept. Lines stay where they are.
pub(in crate::scan) fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with(b"//") {
            at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            let end = memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
            let comment = rest.get(..end).unwrap_or_default();
            out.push(b' ');
            out.extend(comment.iter().filter(|byte| **byte == b'\n'));
            at += end;
        } else if byte == b'"' {
            let end = end_of_constant(rest);
            out.extend_from_slice(rest.get(..end).unwrap_or_default());
            at += end;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    out
}

/// Where a constant in quotation marks ends: at the next mark without a backslash, or with its line.
fn end_of_constant(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The files that code without comments includes.
pub(in crate::scan) fn includes(code: &[u8]) -> impl Iterator<Item = &[u8]> {
    code.split(|byte| *byte == b'\n').filter_map(|line| {
        let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let name = directive.strip_prefix(b"include")?.trim_ascii_start();
        let name = name.strip_prefix(b"<").or_else(|| name.strip_prefix(b"\""))?;
        name.get(..memchr::memchr2(b'>', b'"', name)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::source_text::has_kernel;

    #[test]
    fn comments_say_nothing() {
        let text = b"// __global__ void a(int)\n/* __global__ void b(int) */ int x; // \"\nconst char *s = \"// no\";\n#include <hip/hip_runtime.h>\n";
        let code = without_comments(text);
        assert!(!has_kernel(&code));
        assert!(memchr::memmem::find(&code, b"\"// no\"").is_some());
        assert_eq!(includes(&code).collect::<Vec<_>>(), [b"hip/hip_runtime.h"]);
    }

    #[test]
    fn kernels_are_definitions_and_not_the_mark() {
        assert!(has_kernel(
            b"template <int N>\n__global__ __launch_bounds__(256, 2)\nvoid scale(float *x) {}"
        ));
        assert!(has_kernel(b"extern \"C\" __global__ void k(float *x) { }"));
        assert!(has_kernel(b"__global__ void {name}("));
        for other in [
            &b"#define __global__ __attribute__((global))"[..],
            b"#ifndef __global__\n#endif\nvoid f(int);",
            b"is_kernel = \"__global__\" in text",
            b"my__global__ void k(int)",
            b"__global__; void f(int);",
        ] {
            assert!(!has_kernel(other), "{}", String::from_utf8_lossy(other));
        }
    }
}
