//! Whether what a server sends is the part of the file that was asked for, by the head of its answer.

use crate::error::Unread;
use std::ops::Range;

/// Most bytes of a file that is taken whole, from a server that has no ranges.
pub(super) const SMALL: u64 = 8 << 20;

/// The head of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub status: u16,
    /// `Content-Range`.
    pub range: Option<String>,
    /// `Content-Length`.
    pub length: Option<u64>,
    /// `Content-Encoding`.
    pub encoding: Option<String>,
}

/// What comes behind a head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Comes {
    /// This range of a file of so many bytes.
    Part(Range<u64>, u64),
    /// A small file from its beginning; its size, where it is stated.
    Whole(Option<u64>),
    /// Nothing: the file is empty.
    Empty,
}

/// What comes, if it is what was asked for.
///
/// # Errors
/// For any other answer.
pub(super) fn comes(head: &Head, asked: &Range<u64>) -> Result<Comes, Unread> {
    if let Some(encoding) = head.encoding.as_deref().filter(|own| !own.eq_ignore_ascii_case("identity")) {
        return Err(
            format!("the server sends it packed ({encoding}), where its own bytes were asked for").into()
        );
    }
    match head.status {
        206 => part(head, asked),
        200 => match head.length {
            Some(length) if length > SMALL => Err(format!(
                "the server sends the whole file ({length} bytes) where a part was asked for: save it and name the file"
            )
            .into()),
            length => Ok(Comes::Whole(length)),
        },
        416 if head.range.as_deref().map(str::trim) == Some("bytes */0") => Ok(Comes::Empty),
        416 => Err(Unread::from("the server says that the file ends before the part that was asked for")),
        status => Err(format!("the server answers {status}{}", meaning(status)).into()),
    }
}

/// The range that a head states.
fn part(head: &Head, asked: &Range<u64>) -> Result<Comes, Unread> {
    let Some(text) = head.range.as_deref() else {
        return Err(Unread::from(
            "the server sends a part of the file without saying which (no Content-Range)",
        ));
    };
    let wrong =
        || Unread::from(format!("the server says that it sends {text:?}, which is no range of bytes"));
    let (range, total) =
        text.trim().strip_prefix("bytes ").and_then(|own| own.split_once('/')).ok_or_else(wrong)?;
    let (first, last) = range.split_once('-').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let (first, last) = number(first).zip(number(last)).ok_or_else(wrong)?;
    let total = match total.trim() {
        "*" => return Err(Unread::from("the server does not say how large the file is")),
        total => number(total).ok_or_else(wrong)?,
    };
    let end = last.checked_add(1).ok_or_else(wrong)?;
    if first != asked.start || end != asked.end.min(total) || first >= end {
        let what =
            format!("bytes {}-{} were asked for, and the server sends {text:?}", asked.start, asked.end - 1);
        return Err(what.into());
    }
    match head.length {
        Some(length) if length != end - first => {
            Err(format!("the server says that it sends {text:?}, and that these are {length} bytes").into())
        }
        _ => Ok(Comes::Part(first..end, total)),
    }
}

/// What a status means, for who does not know it.
fn meaning(status: u16) -> &'static str {
    match status {
        401 | 403 => ": it does not give this file to everybody",
        404 | 410 => ": there is no such file",
        429 => ": too many questions; try later",
        500.. => ": it is not in order; try later",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, range: &str, length: Option<u64>) -> Result<Comes, Unread> {
        let range = (!range.is_empty()).then(|| range.to_owned());
        comes(&Head { status, range, length, encoding: None }, &(100..200))
    }

    #[test]
    fn only_the_part_that_was_asked_for_is_taken() {
        assert_eq!(of(206, "bytes 100-199/1000", Some(100)), Ok(Comes::Part(100..200, 1000)));
        assert_eq!(of(206, "bytes 100-149/150", None), Ok(Comes::Part(100..150, 150)));
        assert_eq!(of(200, "", Some(1000)), Ok(Comes::Whole(Some(1000))));
        assert_eq!(of(416, "bytes */0", None), Ok(Comes::Empty));
        for (status, range, length, says) in [
            (206, "bytes 0-99/1000", None, "bytes 100-199 were asked for"),
            (206, "bytes 100-198/1000", None, "bytes 100-199 were asked for"),
            (206, "bytes 100-299/1000", None, "bytes 100-199 were asked for"),
            (206, "bytes 100-99/1000", None, "bytes 100-199 were asked for"),
            (206, "bytes 100-18446744073709551615/1000", None, "no range of bytes"),
            (206, "bytes 100-199/*", None, "how large the file is"),
            (206, "items 1-2/3", None, "no range of bytes"),
            (206, "", None, "without saying which"),
            (206, "bytes 100-199/1000", Some(7), "these are 7 bytes"),
            (200, "", Some(SMALL + 1), "the whole file"),
            (404, "", None, "404: there is no such file"),
            (416, "bytes */150", None, "ends before"),
            (204, "", None, "answers 204"),
        ] {
            let why = of(status, range, length).unwrap_err();
            assert!(why.contains(says), "{status} {range}: {why}");
        }
        let packed = Head { status: 200, encoding: Some("gzip".into()), ..Head::default() };
        assert!(comes(&packed, &(0..10)).unwrap_err().contains("packed (gzip)"));
    }
}
