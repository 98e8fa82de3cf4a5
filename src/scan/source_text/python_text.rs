//! Python without its comments and its documentation.

/// A module: its code, in which constants are empty, and the constants, as they are written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::scan) struct PythonText<'t> {
    pub code: Vec<u8>,
    pub constants: Vec<&'t [u8]>,
}

impl<'t> PythonText<'t> {
    /// Tells code, constants, comments and documentation apart. Documentation is a constant that a statement
    /// begins with.
    pub fn read(text: &'t [u8]) -> Self {
        let mut out = PythonText::default();
        let mut at = 0;
        // Whether nothing of the statement was seen yet, and how many brackets are open.
        let (mut begins, mut open) = (true, 0usize);
        while let Some(&byte) = text.get(at) {
            let rest = text.get(at..).unwrap_or_default();
            match byte {
                b'#' => {
                    at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    continue;
                }
                b'"' | b'\'' => {
                    let (inside, end) = constant(rest);
                    let letters = prefix(&out.code);
                    let is_documentation = open == 0 && (begins || letters_begin(&out.code, letters));
                    if !is_documentation {
                        out.constants.push(inside);
                    }
                    out.code.truncate(out.code.len() - letters);
                    out.code.extend_from_slice(b"\"\"");
                    begins = false;
                    at += end;
                    continue;
                }
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            begins = match byte {
                b'\n' | b';' => open == 0,
                b' ' | b'\t' | b'\r' => begins,
                _ => false,
            };
            out.code.push(byte);
            at += 1;
        }
        out
    }
}

/// Letters before a constant that belong to it: `r`, `b`, `f`, `u`, and two of them.
fn prefix(code: &[u8]) -> usize {
    let is_letter = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'f' | b'u' | b't');
    let letters = code.iter().rev().take_while(|byte| is_letter(byte)).take(3).count();
    let before = code.len().checked_sub(letters + 1).and_then(|at| code.get(at));
    let is_name = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if letters <= 2 && !is_name { letters } else { 0 }
}

/// Whether only blanks stand before the letters of a constant in its line.
fn letters_begin(code: &[u8], letters: usize) -> bool {
    let before = code.get(..code.len() - letters).unwrap_or_default();
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    letters > 0
        && matches!(before.len().checked_sub(blanks + 1).and_then(|at| before.get(at)), None | Some(b'\n'))
}

/// The inside of the constant that text begins with, and where it ends.
fn constant(rest: &[u8]) -> (&[u8], usize) {
    let mark = rest.first().copied().unwrap_or_default();
    let is_long = rest.get(1) == Some(&mark) && rest.get(2) == Some(&mark);
    let width = if is_long { 3 } else { 1 };
    let mut at = width;
    while let Some(&byte) = rest.get(at) {
        let ends = byte == mark && (!is_long || rest.get(at..at + 3).is_some_and(|end| end == [mark; 3]));
        match byte {
            b'\\' => at += 2,
            _ if ends => return (rest.get(width..at).unwrap_or_default(), at + width),
            b'\n' if !is_long => return (rest.get(width..at).unwrap_or_default(), at),
            _ => at += 1,
        }
    }
    (rest.get(width..).unwrap_or_default(), rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_and_comments_say_nothing() {
        let text = br#"""""compiled by hipcc"""
import os  # 'hipcc'
def f():
    r'''hipcc'''
    x = ["a",
         "b"]
    return g(rb"c\"d", f'{x}e') or """f
g"""
'h'
"#;
        let read = PythonText::read(text);
        let constants: Vec<_> = read.constants.iter().map(|one| String::from_utf8_lossy(one)).collect();
        assert_eq!(constants, ["a", "b", "c\\\"d", "{x}e", "f\ng"]);
        let code = String::from_utf8_lossy(&read.code);
        assert!(
            code.contains("import os") && code.contains("g(\"\", \"\") or \"\"") && !code.contains("hipcc")
        );
    }

    #[test]
    fn what_is_not_closed_ends_with_its_line_or_the_text() {
        assert_eq!(PythonText::read(b"x = 'a\ny = 1").constants, [b"a"]);
        assert_eq!(PythonText::read(b"x = '''a\ny").constants, [b"a\ny"]);
        assert_eq!(PythonText::read(b"x = 'a\\").constants, [b"a\\"]);
        assert_eq!(PythonText::read(b""), PythonText::default());
    }
}
