//! The list of bundle entries, like that of `roc-obj-ls`: one line each, written as they come.

use super::documents::{Document, Judged};
use super::json_document::JsonDocument;
use super::style::{Tone, printable};
use super::{Format, Lists, csv, html, markdown};
use crate::container::Bundle;
use crate::container::bundle::Entry;
use crate::report::v1::{EntriesReport, EntryLine, Found, Header, document};
use crate::target::TargetId;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

impl Document for EntriesReport<'_> {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

/// A list of entries in the process of being written.
pub struct EntryList<'a> {
    out: &'a mut dyn Write,
    lists: Lists,
    document: Option<JsonDocument>,
    written: u64,
    /// The line in the process of being written: one call for each, not one for each of its parts.
    line: String,
}

/// One entry with its place.
#[derive(Debug, Clone, Copy)]
pub struct PlacedEntry<'a> {
    /// The file as reports show it.
    pub path: &'a str,
    /// Its bundle.
    pub bundle: &'a Bundle,
    /// The entry.
    pub entry: &'a Entry,
    /// The target in its id or, without an id, in the code object's header.
    pub target: Option<&'a TargetId>,
    /// Where it is.
    pub uri: &'a str,
}

impl<'a> EntryList<'a> {
    /// Begins a list.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn begin(out: &'a mut dyn Write, format: Format) -> io::Result<Self> {
        let lists = format.lists();
        let document = match lists {
            Lists::Json => {
                Some(JsonDocument::begin(out, &Header::from_document(document::ENTRIES), "entries")?)
            }
            Lists::Csv => {
                out.write_all(b"path,id,target_id,bytes,uri,storage,version,method,member\n")?;
                None
            }
            Lists::Html => {
                let head = html::head("Bundle entries");
                writeln!(
                    out,
                    "{head}<header><h1>Bundle entries</h1></header>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\" \
                     class=\"r\">bytes</th><th scope=\"col\">id</th><th scope=\"col\">place</th></tr></thead>\n<tbody>"
                )?;
                None
            }
            Lists::Text | Lists::Markdown | Lists::JsonLines | Lists::Nothing => None,
        };
        Ok(EntryList { out, lists, document, written: 0, line: String::new() })
    }

    /// Writes one entry.
    ///
    /// # Errors
    /// As [`EntryList::begin`].
    pub fn add(&mut self, listed: &PlacedEntry<'_>) -> io::Result<()> {
        let PlacedEntry { entry, target, uri, .. } = *listed;
        self.written += 1;
        let bare = || target.map_or("code-object".to_owned(), |t| format!("code-object {t}"));
        let id = || entry.id().map_or_else(|| Cow::Owned(bare()), |id| Cow::Borrowed(id.as_str()));
        match self.lists {
            Lists::Json | Lists::JsonLines => {
                let mut line = super::json::compact(&json(listed)).map_err(io::Error::other)?;
                line.push('\n');
                match &mut self.document {
                    Some(document) => document.lines(self.out, line.as_bytes()),
                    None => self.out.write_all(line.as_bytes()),
                }
            }
            Lists::Nothing => Ok(()),
            Lists::Html => {
                let cell = |text: &str| html::data(&html::escape(&printable(text)), Tone::Plain, false);
                let bytes = html::data(&entry.size().to_string(), Tone::Plain, true);
                writeln!(self.out, "<tr>{bytes}{}{}</tr>", cell(&id()), cell(uri))
            }
            Lists::Csv => {
                let line = json(listed);
                let numbers =
                    [line.bytes.to_string(), line.version.map_or_else(String::new, |v| v.to_string())];
                let storage = serde_json::to_value((line.storage, line.method))?;
                let word = |place: usize| storage[place].as_str().unwrap_or_default();
                let cells = [
                    line.path,
                    line.id.unwrap_or_default(),
                    line.target_id.as_deref().unwrap_or_default(),
                    &numbers[0],
                    line.uri,
                    word(0),
                    &numbers[1],
                    word(1),
                    line.member.unwrap_or_default(),
                ];
                let mut out = Vec::new();
                csv::line(&mut out, cells.into_iter().map(Cow::Borrowed));
                self.out.write_all(&out)
            }
            Lists::Markdown => {
                writeln!(self.out, "- {} bytes {} <{uri}>", entry.size(), markdown::code(&id()))
            }
            Lists::Text => {
                self.line.clear();
                // A string takes all that is written.
                let _ = writeln!(self.line, "{:>12}  {:<45}  {uri}", entry.size(), printable(&id()));
                self.out.write_all(self.line.as_bytes())
            }
        }
    }

    /// Ends the list with the findings, and returns the number of entries.
    ///
    /// # Errors
    ///
    /// As [`EntryList::begin`].
    pub fn end(self, found: &Found) -> io::Result<u64> {
        self.document.map_or(Ok(()), |document| document.end(self.out, found))?;
        if self.lists == Lists::Html {
            write!(self.out, "</tbody></table></div>\n{}", html::foot())?;
        }
        Ok(self.written)
    }
}

fn json<'a>(listed: &PlacedEntry<'a>) -> EntryLine<'a> {
    let PlacedEntry { path, bundle, entry, target, uri } = *listed;
    EntryLine {
        kind: "entry",
        path,
        id: entry.id().map(|id| id.as_str()),
        target_id: target.map(ToString::to_string),
        bytes: entry.size(),
        uri,
        storage: bundle.storage().kind(),
        version: bundle.storage().version(),
        method: bundle.storage().method(),
        member: bundle.member(),
    }
}
