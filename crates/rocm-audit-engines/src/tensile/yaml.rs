//! Catalogs in YAML, which a rocBLAS reads that was built with LLVM's YAML reader.
//!
//! The text is turned into the MessagePack that the other catalogs are in, in memory, and read as such. Where
//! something is wrong with it, the text is gone through once more up to there, to say in which line that is.
#![deny(clippy::indexing_slicing)]

use rocm_audit_files::error::{ParseError, Parsed, Unread};
use rocm_audit_files::limits::{MSGPACK_DEPTH, TENSILE_YAML_ALIASED_BYTES, TENSILE_YAML_BYTES};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use std::collections::HashMap;
use std::ops::Range;

/// What UTF-8 text may begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a catalog is text: no MessagePack map begins with a character of it.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let plain = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    bytes.starts_with(BYTE_ORDER_MARK) || (!bytes.is_empty() && bytes.iter().take(64).all(plain))
}

/// The first document of a text as MessagePack.
///
/// # Errors
/// Where it is no YAML, or goes beyond a bound.
pub(super) fn to_msgpack(bytes: &[u8]) -> Parsed<Vec<u8>> {
    let mut writer = Writer::default();
    convert(bytes, &mut writer, u64::MAX)?;
    Ok(writer.out)
}

/// An error of the MessagePack as one of the text: with the line and the column, at the offset in the text.
pub(super) fn relocated(bytes: &[u8], error: &ParseError) -> ParseError {
    let text = str::from_utf8(bytes).unwrap_or_default();
    match convert(bytes, &mut Writer::default(), error.offset()) {
        Ok(Some(marker)) => at(text, marker, error.what()),
        Ok(None) => ParseError::new(bytes.len() as u64, error.what().to_owned()),
        Err(first) => first,
    }
}

fn at(text: &str, marker: Marker, what: &str) -> ParseError {
    let offset = text.char_indices().nth(marker.index()).map_or(text.len(), |(offset, _)| offset);
    let what = format!("line {}, column {}: {what}", marker.line(), marker.col() + 1);
    ParseError::new(offset as u64, what)
}

/// Writes the first document, or as much of it as `end` bytes take; then returns the place in the text that
/// this offset belongs to.
fn convert(bytes: &[u8], writer: &mut Writer, end: u64) -> Parsed<Option<Marker>> {
    if bytes.len() as u64 > TENSILE_YAML_BYTES {
        return Err(ParseError::new(0, format!("a YAML catalog of {} bytes", bytes.len())));
    }
    let text = str::from_utf8(bytes)
        .map_err(|error| ParseError::new(error.valid_up_to() as u64, "a YAML catalog must be UTF-8"))?;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| at(text, *error.marker(), error.info()))?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        writer.write(event).map_err(|what| at(text, span.start, &what))?;
        if writer.out.len() as u64 > end {
            return Ok(Some(span.start));
        }
    }
    Ok(None)
}

/// Writes MessagePack.
#[derive(Debug, Default)]
struct Writer {
    out: Vec<u8>,
    /// The arrays and maps that are not at their end.
    open: Vec<Open>,
    /// What an alias may stand for.
    anchors: HashMap<usize, Range<usize>>,
    /// Bytes that were written for aliases.
    aliased: u64,
}

/// An array or a map.
#[derive(Debug)]
struct Open {
    begin: usize,
    /// Values in it, the keys of a map among them.
    values: u32,
    map: bool,
    anchor: usize,
}

impl Writer {
    fn write(&mut self, event: Event<'_>) -> Result<(), Unread> {
        let is_key = self.open.last().is_some_and(|open| open.map && open.values.is_multiple_of(2));
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let begin = self.out.len();
                if is_key || style != ScalarStyle::Plain {
                    self.string(&text);
                } else {
                    self.plain(&text);
                }
                self.keep(anchor, begin);
                self.count()
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if is_key => {
                Err("a key must be a word".into())
            }
            Event::SequenceStart(anchor, _) => self.begin(0xdd, anchor),
            Event::MappingStart(anchor, _) => self.begin(0xdf, anchor),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => self.alias(anchor),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    /// The head of an array or a map; its length is filled in at its end.
    fn begin(&mut self, head: u8, anchor: usize) -> Result<(), Unread> {
        if self.open.len() >= MSGPACK_DEPTH {
            return Err(format!("YAML is nested deeper than {MSGPACK_DEPTH} levels").into());
        }
        self.open.push(Open { begin: self.out.len(), values: 0, map: head == 0xdf, anchor });
        self.out.push(head);
        self.out.extend([0; 4]);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Unread> {
        let Some(open) = self.open.pop() else { return Err("an end without a beginning".into()) };
        let count = if open.map { open.values / 2 } else { open.values };
        if let Some(length) = self.out.get_mut(open.begin + 1..open.begin + 5) {
            length.copy_from_slice(&count.to_be_bytes());
        }
        self.keep(open.anchor, open.begin);
        self.count()
    }

    fn alias(&mut self, anchor: usize) -> Result<(), Unread> {
        let Some(range) = self.anchors.get(&anchor).cloned() else {
            return Err("an alias for what it stands in itself".into());
        };
        self.aliased += range.len() as u64;
        if self.aliased > TENSILE_YAML_ALIASED_BYTES {
            return Err(format!("aliases stand for more than {TENSILE_YAML_ALIASED_BYTES} bytes").into());
        }
        self.out.extend_from_within(range);
        self.count()
    }

    /// Remembers what was written since `begin`, where it has an anchor; 0 is none.
    fn keep(&mut self, anchor: usize, begin: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, begin..self.out.len());
        }
    }

    fn count(&mut self) -> Result<(), Unread> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        open.values = open.values.checked_add(1).ok_or("more values than MessagePack counts")?;
        Ok(())
    }

    fn string(&mut self, text: &str) {
        self.out.push(0xdb);
        // Texts are shorter than the file, which is bounded.
        self.out.extend((text.len() as u32).to_be_bytes());
        self.out.extend(text.as_bytes());
    }

    /// What is not in quotes: a number, a truth value, nothing, or else a word.
    fn plain(&mut self, text: &str) {
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            && text.contains(|c: char| c.is_ascii_digit());
        match text {
            "true" | "True" | "TRUE" => self.out.push(0xc3),
            "false" | "False" | "FALSE" => self.out.push(0xc2),
            "" | "~" | "null" => self.out.push(0xc0),
            _ if !is_number => self.string(text),
            _ => {
                if let Ok(number) = text.parse::<u64>() {
                    self.unsigned(number);
                } else if let Ok(number) = text.parse::<i64>() {
                    self.out.push(0xd3);
                    self.out.extend(number.to_be_bytes());
                } else if let Ok(number) = text.parse::<f64>() {
                    self.out.push(0xcb);
                    self.out.extend(number.to_be_bytes());
                } else {
                    self.string(text);
                }
            }
        }
    }

    fn unsigned(&mut self, number: u64) {
        match (u8::try_from(number), u32::try_from(number)) {
            (Ok(small @ 0..=0x7f), _) => self.out.push(small),
            (_, Ok(word)) => {
                self.out.push(0xce);
                self.out.extend(word.to_be_bytes());
            }
            _ => {
                self.out.push(0xcf);
                self.out.extend(number.to_be_bytes());
            }
        }
    }
}
