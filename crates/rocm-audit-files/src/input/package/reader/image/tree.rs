//! Layers laid over each other, seen from above: of each file, whether a later layer has taken it away.
//!
//! Source: OCI image-spec 1.1, `layer.md`: `.wh.NAME` deletes what lower layers have of that name,
//! `.wh..wh..opq` all that they have in the folder; what is no folder replaces a folder with all in it.

use super::super::MemberKind;
use super::super::archive::{Archive, Behind, Fault, Header, Next};
use super::super::tar::Tar;
use crate::error::{ParseError, ParseErrorKind, ParseErrors};
use crate::input::package::layer::Layer;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};

/// What the layers above have at a path.
#[derive(Debug, Clone, Copy, Default)]
struct Above {
    folder: bool,
    /// A file or link, which hides all below it.
    file: bool,
    deleted: bool,
    /// A folder that hides all in it.
    opaque: bool,
}

/// How a file of a lower layer is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Deleted,
    Replaced,
}

/// The layers above, by hashes of paths: an image of a million files takes some 30 MB of them.
#[derive(Debug, Default)]
pub(super) struct Tree {
    above: HashMap<u64, Above>,
    /// Files that the layers above have under a further name and not themselves: their paths, and the names.
    linked: BTreeMap<String, String>,
}

fn hash(path: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(path.as_bytes())
}

impl Tree {
    fn hides(&self, path: &str, folder: bool) -> Option<Hidden> {
        for (at, _) in path.match_indices('/') {
            let Some(above) = self.above.get(&hash(path.get(..at).unwrap_or_default())) else { continue };
            if above.deleted || above.opaque {
                return Some(Hidden::Deleted);
            }
            if above.file {
                return Some(Hidden::Replaced);
            }
        }
        if self.above.get(&hash("")).is_some_and(|above| above.opaque) {
            return Some(Hidden::Deleted);
        }
        let own = self.above.get(&hash(path))?;
        match own {
            Above { file: true, .. } => Some(Hidden::Replaced),
            Above { folder: true, .. } if !folder => Some(Hidden::Replaced),
            Above { deleted: true, .. } => Some(Hidden::Deleted),
            _ => None,
        }
    }
}

/// The tar of a layer: of its members, those that the layers above have not hidden.
pub(super) struct LayerTar<'t> {
    tree: &'t mut Tree,
    facts: &'t mut Layer,
    /// The image's name, before the paths of its files.
    prefix: &'t str,
    /// What this layer hides of those below: it comes into effect when the layer ends.
    own: Vec<(u64, Above)>,
    /// Files of this layer that layers above hide, by hashes of their paths.
    hidden: HashSet<u64>,
    /// Further names of files that are not hidden, by the files' paths.
    links: BTreeMap<String, String>,
    /// Files of this layer that are hidden and have a name that is not: what runs has the file there.
    saved: BTreeMap<String, String>,
    problems: ParseErrors,
}

impl<'t> LayerTar<'t> {
    pub fn new(tree: &'t mut Tree, facts: &'t mut Layer, prefix: &'t str) -> Self {
        let (hidden, links, saved) = (HashSet::new(), BTreeMap::new(), BTreeMap::new());
        LayerTar {
            tree,
            facts,
            prefix,
            own: Vec::new(),
            hidden,
            links,
            saved,
            problems: ParseErrors::default(),
        }
    }

    /// The path in the image of a member that is seen there.
    pub fn seen_path(&mut self, header: &Header) -> Option<String> {
        let path = clean(&header.name);
        self.is_seen(header, path).then(|| format!("{}{path}", self.prefix))
    }

    /// The files of the layer that are hidden by their own names and not by another: those paths, and the
    /// other names.
    pub fn saved(&mut self) -> BTreeMap<String, String> {
        let hidden = self.links.iter().filter(|(to, _)| self.hidden.contains(&hash(to)));
        self.saved.extend(hidden.map(|(to, name)| (to.clone(), name.clone())));
        std::mem::take(&mut self.saved)
    }

    /// Ends the layer: what it has hides what is below.
    pub fn finish(self) -> ParseErrors {
        if !self.links.is_empty() {
            let own: HashSet<u64> = self.own.iter().map(|(path, _)| *path).collect();
            let below = self.links.into_iter().filter(|(to, _)| !own.contains(&hash(to)));
            self.tree.linked.extend(below);
        }
        for (path, own) in self.own {
            let all = self.tree.above.entry(path).or_default();
            all.folder |= own.folder;
            all.file |= own.file;
            all.deleted |= own.deleted;
            all.opaque |= own.opaque;
        }
        self.problems
    }

    /// Notes what a name says that hides others; true where it is no file of its own.
    fn is_whiteout(&mut self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(hides) = name.strip_prefix(".wh.") else { return false };
        if name == ".wh..wh..opq" {
            self.own.push((hash(folder), Above { opaque: true, ..Above::default() }));
        } else if hides.is_empty()
            || hides == "."
            || hides == ".."
            || path.split('/').any(|part| part == "..")
        {
            let what = format!("{path}: a whiteout that leads out of its folder, and hides nothing");
            self.problems.push(ParseError::new(0, what).of_kind(ParseErrorKind::UnsafePath));
        } else if !hides.starts_with(".wh.") {
            let hidden = if folder.is_empty() { hides.to_owned() } else { format!("{folder}/{hides}") };
            self.own.push((hash(&hidden), Above { deleted: true, ..Above::default() }));
        }
        true
    }

    /// Whether a member is seen in the image.
    fn is_seen(&mut self, header: &Header, path: &str) -> bool {
        if self.is_whiteout(path) {
            return false;
        }
        let folder = header.kind == MemberKind::Folder;
        let hidden = self.tree.hides(path, folder);
        self.own.push((hash(path), Above { folder, file: !folder, ..Above::default() }));
        if let Some(link) = header.link.as_ref().filter(|link| link.hard && hidden.is_none()) {
            self.links.entry(clean(&link.to).to_owned()).or_insert_with(|| path.to_owned());
        }
        if header.kind == MemberKind::File {
            self.facts.files.add(header.size);
            let linked = self.tree.linked.remove(path);
            if hidden.is_some() {
                self.hidden.insert(hash(path));
                self.saved.extend(linked.map(|name| (path.to_owned(), name)));
            }
            match hidden {
                Some(Hidden::Deleted) => self.facts.deleted.add(header.size),
                Some(Hidden::Replaced) => self.facts.replaced.add(header.size),
                None => {}
            }
        }
        hidden.is_none()
    }
}

/// A path as images compare them: without `./` and `/` at its ends.
fn clean(name: &str) -> &str {
    let mut rest = name;
    while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
        rest = shorter;
    }
    let rest = rest.trim_end_matches('/');
    if rest == "." { "" } else { rest }
}

/// The tar of a layer, of whose members those are handed on to which a choice gives a name.
pub(super) struct ChosenTar<'c>(pub &'c mut (dyn FnMut(&Header) -> Option<String> + Send));

impl Archive for ChosenTar<'_> {
    fn next(&mut self, stream: &mut dyn Read) -> Result<Next, Fault> {
        loop {
            let next = Tar.next(stream)?;
            let Next::Member(mut header) = next else { return Ok(next) };
            if let Some(name) = (self.0)(&header) {
                header.name = name;
                return Ok(Next::Member(header));
            }
            let left = header.size + Tar.padding(header.size);
            let passed = io::copy(&mut (&mut *stream).take(left), &mut io::sink());
            let passed = passed.map_err(|error| (error.to_string(), ParseErrorKind::of_stream(&error)))?;
            if passed < left {
                let what = format!("{}: the stream of the archive ends inside of it", header.name);
                return Err((what, ParseErrorKind::CutEnd));
            }
        }
    }

    fn padding(&self, size: u64) -> u64 {
        Tar.padding(size)
    }

    fn behind(&self) -> Behind {
        Behind::Record
    }

    fn no_end(&self) -> &'static str {
        Tar.no_end()
    }
}

/// The name of a file that is hidden by its own name, and by another is not.
pub(super) fn saved_name(names: &BTreeMap<String, String>, prefix: &str, header: &Header) -> Option<String> {
    let name = names.get(clean(&header.name)).filter(|_| header.kind == MemberKind::File)?;
    Some(format!("{prefix}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(tree: &mut Tree, names: &[(&str, bool)]) -> Vec<bool> {
        let mut facts = Layer::default();
        let mut tar = LayerTar::new(tree, &mut facts, "");
        let mut seen = Vec::new();
        for (name, folder) in names {
            let kind = if *folder { MemberKind::Folder } else { MemberKind::File };
            let header =
                Header { name: (*name).to_owned(), size: 1, ignored: 0, kind, link: None, name_fault: None };
            seen.push(tar.is_seen(&header, clean(name)));
        }
        tar.finish();
        seen
    }

    /// The examples of OCI's layer.md, from the last layer to the first.
    #[test]
    fn whiteouts_hide_what_is_below_and_not_what_is_beside_them() {
        let mut tree = Tree::default();
        // Its own file stays, though its folder is opaque.
        assert_eq!(
            layer(&mut tree, &[("a/.wh..wh..opq", false), ("a/new", false), ("./.wh.gone", false)]),
            [false, true, false]
        );
        assert_eq!(
            layer(&mut tree, &[("a", true), ("a/old", false), ("gone/x", false), ("gone.so", false)]),
            [true, false, false, true]
        );
    }

    #[test]
    fn what_is_no_folder_replaces_a_folder_and_the_other_way() {
        let mut tree = Tree::default();
        assert_eq!(
            layer(&mut tree, &[("lib", false), ("bin", true), ("etc/.wh...", false)]),
            [true, true, false]
        );
        assert_eq!(
            layer(&mut tree, &[("lib", true), ("lib/x", false), ("bin", false), ("bin2", false)]),
            [false, false, false, true]
        );
        assert_eq!(layer(&mut tree, &[("bin/x", false)]), [false], "a file of the layer between hides it");
    }
}
