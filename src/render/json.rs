//! JSON as text. Beyond JSON's own rules, it escapes everything that a terminal obeys, so that a report can
//! be shown as it is.

use erased_serde::Serialize;
use std::io::{self, Write};

/// Writes a value on several lines and a line feed, without holding its text: a report of many files has
/// hundreds of megabytes.
///
/// # Errors
///
/// If the value has no JSON form, or writing fails.
pub(super) fn write(value: &dyn Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Inert::new(out);
    serde_json::to_writer_pretty(&mut text, value)?;
    text.write_all(b"\n")?;
    text.hand_on()
}

/// Writes a small document that is published: on several lines, but lists on one as far as there is no object in them, and
/// a line feed.
///
/// # Errors
/// As [`write`].
pub(super) fn write_folded(value: &dyn Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Inert::new(out);
    let mut to = serde_json::Serializer::with_formatter(&mut text, Folded::default());
    serde::Serialize::serialize(value, &mut to)?;
    text.write_all(b"\n")?;
    text.hand_on()
}

/// Breaks lines in objects and not in lists: a list of sixty processors is two lines of a screen, not sixty.
#[derive(Default)]
struct Folded {
    depth: usize,
    has_value: bool,
}

impl Folded {
    fn break_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl serde_json::ser::Formatter for Folded {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            self.break_line(out)?;
        }
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.break_line(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

/// Writes JSON as [`inert`] makes it, once there is enough to look at: serde_json hands over a few characters at a
/// time.
struct Inert<'w> {
    out: &'w mut dyn Write,
    /// Whole characters, since serde_json hands over no others.
    text: Vec<u8>,
}

/// Bytes of text that are looked at together.
const PIECE: usize = 32 << 10;

impl<'w> Inert<'w> {
    fn new(out: &'w mut dyn Write) -> Self {
        Inert { out, text: Vec::with_capacity(PIECE + 1024) }
    }

    /// Writes what waits; with an error it is dropped.
    fn hand_on(&mut self) -> io::Result<()> {
        // Most is ASCII.
        let done = if self.text.is_ascii() && memchr::memchr(0x7f, &self.text).is_none() {
            self.out.write_all(&self.text)
        } else {
            str::from_utf8(&self.text)
                .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
                .and_then(|text| self.out.write_all(inert(text.to_owned()).as_bytes()))
        };
        self.text.clear();
        done
    }
}

impl Write for Inert<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.text.extend_from_slice(bytes);
        if self.text.len() >= PIECE { self.hand_on() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_on()?;
        self.out.flush()
    }
}

/// A value on several lines, without a line feed at the end.
///
/// # Errors
///
/// If the value has no JSON form.
pub(super) fn pretty(value: &dyn Serialize) -> serde_json::Result<String> {
    Ok(inert(serde_json::to_string_pretty(value)?))
}

/// A value on one line, without a line feed at the end.
///
/// # Errors
/// As [`pretty`].
pub(super) fn compact(value: &dyn Serialize) -> serde_json::Result<String> {
    Ok(inert(serde_json::to_string(value)?))
}

/// JSON text without control characters or characters that change the direction of writing in its strings.
/// Outside of strings JSON has neither.
fn inert(text: String) -> String {
    // JSON escapes everything below the space. The others are DEL or not ASCII.
    let is_plain = text.is_ascii() && memchr::memchr(0x7f, text.as_bytes()).is_none();
    if is_plain || !text.contains(is_obeyed) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_obeyed(c) {
            let units =
                c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            out.push_str(&units);
        } else {
            out.push(c);
        }
    }
    out
}

/// Line feeds here are part of the layout; those in strings are already escaped.
fn is_obeyed(c: char) -> bool {
    c != '\n' && super::style::is_obeyed(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_document_has_its_lists_on_one_line() {
        let value =
            serde_json::json!({"a": [1, 2, ["x"]], "b": [], "c": {}, "d": [{"e": "\u{202e}"}, {"f": [3]}]});
        let mut written = Vec::new();
        write_folded(&value, &mut written).unwrap();
        let text = String::from_utf8(written).unwrap();
        let expected = "{\n  \"a\": [1, 2, [\"x\"]],\n  \"b\": [],\n  \"c\": {},\n  \"d\": [{\n    \"e\": \"\\u202e\"\n  }, {\n    \"f\": [3]\n  }]\n}\n";
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn strings_have_no_character_that_terminals_obey_and_keep_their_value() {
        let evil = "a\u{1b}[31m\u{7f}\u{9b}31m\u{85}\u{202e}\u{2066}\u{61c}\u{200b}\u{2028}\u{feff}\u{e0041}\n\u{e9}";
        let mut written = Vec::new();
        write(&[evil], &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert_eq!(written, format!("{}\n", pretty(&[evil]).unwrap()));
        for text in [written, compact(&[evil]).unwrap()] {
            assert!(!text.contains(is_obeyed), "{text:?}");
            assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [evil]);
            assert!(text.contains('\u{e9}'));
        }
    }
}
