//! Nix archives: words, each with its length in front and padded to 8 bytes, that nest as folders do.
//!
//! Source: the Nix manual, "Nix Archive (NAR) format".
#![deny(clippy::indexing_slicing)]

use super::MemberKind;
use super::archive::{Archive, Behind, Fault, Header, MOST_BYTES, Next, cut, malformed, read_full};
use crate::limits::{MEMBER_PATH_BYTES, NAR_DEPTH};
use std::io::Read;

/// A Nix archive, at one place in it.
#[derive(Debug, Default)]
pub(super) struct Nar {
    begun: bool,
    /// A member's content was handed on, and what closes it comes next.
    in_file: bool,
    /// The names of the folders around, the outermost first; one without a name is the archive itself.
    path: Vec<String>,
}

/// Longest word that is no content, in bytes: a name has at most 255, a link leads to at most 4,095.
const WORD_BYTES: u64 = 4096;

/// What stands at a place of an entry.
enum Node {
    File(u64),
    Folder,
    Link,
}

impl Nar {
    /// Reads what a node is, up to its content or entries.
    fn node(&mut self, stream: &mut dyn Read) -> Result<Node, Fault> {
        expect(stream, "(")?;
        expect(stream, "type")?;
        match word(stream)?.as_slice() {
            b"regular" => loop {
                match word(stream)?.as_slice() {
                    b"executable" => expect(stream, "")?,
                    b"contents" => return Ok(Node::File(length(stream, MOST_BYTES)?)),
                    // A file without contents has none.
                    b")" => return Ok(Node::Link),
                    _ => return Err(unexpected("contents")),
                }
            },
            b"directory" => Ok(Node::Folder),
            b"symlink" => {
                expect(stream, "target")?;
                word(stream)?;
                expect(stream, ")")?;
                Ok(Node::Link)
            }
            _ => Err(unexpected("regular, directory or symlink")),
        }
    }

    fn name(&self) -> String {
        self.path.join("/")
    }

    /// Leaves an entry that was read to its end.
    fn leave(&mut self, stream: &mut dyn Read) -> Result<(), Fault> {
        if self.path.pop().is_some() && !self.path.is_empty() {
            expect(stream, ")")?;
        }
        Ok(())
    }

    /// Enters a node: `Some` for what is a member, `None` for a folder whose entries come next.
    fn enter(&mut self, name: String, stream: &mut dyn Read) -> Result<Option<Header>, Fault> {
        if self.path.len() >= NAR_DEPTH {
            return Err((
                format!("more than {NAR_DEPTH} folders lie in one another"),
                super::ParseErrorKind::TooDeep,
            ));
        }
        self.path.push(name);
        let node = self.node(stream)?;
        let (size, kind) = match node {
            Node::Folder => return Ok(None),
            Node::File(size) => (size, MemberKind::File),
            Node::Link => (0, MemberKind::Link),
        };
        let name = self.name().trim_start_matches('/').to_owned();
        let name = if name.is_empty() { "contents".to_owned() } else { name };
        self.in_file = kind == MemberKind::File;
        if kind == MemberKind::Link {
            self.leave(stream)?;
        }
        Ok(Some(Header { name, size, ignored: 0, kind, link: None, name_fault: None }))
    }
}

impl Archive for Nar {
    fn next(&mut self, stream: &mut dyn Read) -> Result<Next, Fault> {
        if !self.begun {
            self.begun = true;
            expect(stream, "nix-archive-1")?;
            if let Some(header) = self.enter(String::new(), stream)? {
                return Ok(Next::Member(header));
            }
        }
        if std::mem::take(&mut self.in_file) {
            expect(stream, ")")?;
            self.leave(stream)?;
        }
        while !self.path.is_empty() {
            match word(stream)?.as_slice() {
                b"entry" => {
                    expect(stream, "(")?;
                    expect(stream, "name")?;
                    let name = word(stream)?;
                    if name.is_empty() || name.contains(&b'/') || name == b"." || name == b".." {
                        let what = "an entry of the Nix archive has a name that no file can have";
                        return Err(malformed(what));
                    }
                    expect(stream, "node")?;
                    let name = super::path_text(&name);
                    let held: usize = self.path.iter().map(|part| part.len() + 1).sum();
                    if held + name.len() > 4 * MEMBER_PATH_BYTES {
                        return Err(malformed(
                            "a path of the Nix archive is longer than any that can be meant",
                        ));
                    }
                    if let Some(header) = self.enter(name, stream)? {
                        return Ok(Next::Member(header));
                    }
                }
                b")" => self.leave(stream)?,
                _ => return Err(unexpected("entry or )")),
            }
        }
        Ok(Next::End)
    }

    fn padding(&self, size: u64) -> u64 {
        size.next_multiple_of(8) - size
    }

    fn behind(&self) -> Behind {
        Behind::Nothing
    }

    fn no_end(&self) -> &'static str {
        "the Nix archive ends inside of itself: it is cut off"
    }
}

fn unexpected(wanted: &str) -> Fault {
    malformed(format!("a word of the Nix archive is not what must stand there: {wanted}"))
}

/// The length in front of a word or content.
fn length(stream: &mut dyn Read, most: u64) -> Result<u64, Fault> {
    let mut bytes = [0; 8];
    if read_full(stream, &mut bytes)? < 8 {
        return Err(cut("the Nix archive ends inside of itself: it is cut off"));
    }
    let length = u64::from_le_bytes(bytes);
    if length > most {
        let what = format!("the Nix archive gives {length} bytes to what has at most {most}");
        return Err(malformed(what));
    }
    Ok(length)
}

fn word(stream: &mut dyn Read) -> Result<Vec<u8>, Fault> {
    let length = length(stream, WORD_BYTES)?;
    let mut bytes = vec![0; length.next_multiple_of(8) as usize];
    if read_full(stream, &mut bytes)? < bytes.len() {
        return Err(cut("the Nix archive ends inside of a word: it is cut off"));
    }
    bytes.truncate(length as usize);
    Ok(bytes)
}

fn expect(stream: &mut dyn Read, wanted: &str) -> Result<(), Fault> {
    if word(stream)? == wanted.as_bytes() { Ok(()) } else { Err(unexpected(wanted)) }
}
