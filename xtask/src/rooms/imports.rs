//! Reads who imports whom in the Rust files of several crates: `use` declarations and paths in the code,
//! through Rust's own tokens, so that comments and strings do not count. The crates are one tree: a path into
//! another of them is an import like any other.

use anyhow::{Context as _, Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The path of a module from the tree's root, such as `["engines", "miopen"]`.
pub type Module = Vec<String>;

/// A crate of the tree.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crate {
    /// Its name in paths.
    pub name: &'static str,
    /// Its sources, from the project's folder.
    pub folder: &'static str,
    /// The module that its root is.
    pub root: &'static [&'static str],
}

/// Module `from` names something of module `to`.
#[derive(Debug)]
pub struct Import {
    /// The module of the file that says so.
    pub from: Module,
    /// The innermost module of the tree that the path leads into; empty for the tree's root.
    pub to: Module,
    /// The module that what is named is of, where the one in `to` only shows it on.
    pub home: Module,
    /// The path as a path from the root: `crate::bytes::elf::Elf`.
    pub path: String,
    /// The file, from the project's folder.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// The modules of the crates and what they import of each other.
#[derive(Debug, Default)]
pub struct Tree {
    /// Every module that is a file, and the first paragraph of its documentation; where two crates have one
    /// of the same path, of the later crate's. Modules of tests are left out.
    pub modules: BTreeMap<Module, String>,
    /// Every module with the crate that it lies in.
    pub places: BTreeSet<(Module, &'static Crate)>,
    /// Every import, in the order of files and lines.
    pub imports: Vec<Import>,
    /// Where `std::fs` is named: the module, the file and the line.
    pub opens: Vec<(Module, String, usize)>,
}

/// What modules show on of others: the module, the name, and the path of what is shown.
type Shown = BTreeMap<(Module, String), Module>;

impl Tree {
    /// Reads all `.rs` files of crates below the folder `project`.
    ///
    /// # Errors
    /// Where a file cannot be read, or is not Rust.
    pub fn read(project: &Path, crates: &'static [Crate]) -> Result<Tree> {
        let mut files = Vec::new();
        for (order, own) in crates.iter().enumerate() {
            let sources = project.join(own.folder);
            let mut folders = vec![sources.clone()];
            while let Some(folder) = folders.pop() {
                for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
                    let path = entry?.path();
                    if path.is_dir() {
                        folders.push(path);
                    } else if path.extension().is_some_and(|extension| extension == "rs") {
                        let name = path.strip_prefix(&sources)?.with_extension("").display().to_string();
                        files.push((order, name, std::fs::read_to_string(&path)?, own));
                    }
                }
            }
        }
        files.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        Tree::from_files(
            crates,
            files.iter().map(|(_, name, text, own)| (*own, name.as_str(), text.as_str())),
        )
    }

    /// Reads files, given by their crates and their paths in these without `.rs`.
    ///
    /// # Errors
    /// Where one is not Rust.
    pub fn from_files<'t>(
        crates: &'static [Crate],
        files: impl IntoIterator<Item = (&'static Crate, &'t str, &'t str)>,
    ) -> Result<Tree> {
        let mut tree = Tree::default();
        let mut found = Vec::new();
        let mut shown = Shown::new();
        let mut tests = BTreeSet::new();
        for (own, name, text) in files {
            let root = own.root.iter().map(|part| (*part).to_owned());
            let mut module: Module = root.chain(name.split('/').map(str::to_owned)).collect();
            let is_root = name == "lib" || name == "main" && !own.root.is_empty();
            if module.last().is_some_and(|last| last == "mod") || is_root {
                module.pop();
            }
            let tokens: TokenStream =
                text.parse().map_err(|e| anyhow!("{e}")).with_context(|| name.to_owned())?;
            let mut reader = Reader { inner: module.clone(), ..Reader::new(crates, own) };
            reader.items(tokens);
            tests.append(&mut reader.tests);
            let file = format!("{}/{name}.rs", own.folder);
            shown.append(&mut reader.shown);
            tree.opens.extend(reader.opens.into_iter().map(|line| (module.clone(), file.clone(), line)));
            found.extend(reader.paths.into_iter().map(|path| (module.clone(), file.clone(), path)));
            tree.places.insert((module.clone(), own));
            tree.modules.insert(module, first_paragraph(text));
        }
        let is_test = |module: &[String]| {
            // A file of tests that has another name than its module: `#[path]`.
            (0..=module.len()).any(|end| tests.contains(&module[..end]))
                || module.last().is_some_and(|last| last.ends_with("_tests"))
        };
        tree.modules.retain(|module, _| !is_test(module));
        tree.places.retain(|(module, _)| !is_test(module));
        tree.opens.retain(|(module, ..)| !is_test(module));
        for (from, file, (path, line)) in found {
            if !is_test(&from) {
                let to = tree.innermost(&path);
                let home = tree.home(&path, &shown);
                let path = ["crate".to_owned()].into_iter().chain(path).collect::<Vec<_>>().join("::");
                tree.imports.push(Import { from, to, home, path, file, line });
            }
        }
        Ok(tree)
    }

    /// The innermost module that a path leads into.
    fn innermost(&self, path: &[String]) -> Module {
        let known = (0..=path.len()).rev().find(|end| self.modules.contains_key(&path[..*end]));
        path[..known.unwrap_or(0)].to_vec()
    }

    /// The module that the thing at a path is of, by way of those that only show it on.
    fn home(&self, path: &[String], shown: &Shown) -> Module {
        let mut path = path.to_vec();
        // A thing that is shown on by more modules than this stays where it is seen.
        for _ in 0..8 {
            let module = self.innermost(&path);
            let Some(name) = path.get(module.len()) else { break };
            let Some(of) = shown.get(&(module.clone(), name.clone())) else { break };
            path = of.iter().chain(&path[module.len() + 1..]).cloned().collect();
        }
        self.innermost(&path)
    }
}

/// The first paragraph of a file's `//!` lines, as one line.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    lines.collect::<Vec<_>>().join(" ")
}

/// Reads one file.
struct Reader {
    /// All crates, for paths that begin with the name of one.
    crates: &'static [Crate],
    /// The crate of the file.
    own: &'static Crate,
    /// The module that the current token is in; deeper than the file's within `mod x { … }`.
    inner: Module,
    /// Paths from the root, each with its line.
    paths: Vec<(Module, usize)>,
    /// Modules that are declared for tests only.
    tests: BTreeSet<Module>,
    /// What it shows on.
    shown: Shown,
    /// The lines where `std::fs` is named.
    opens: Vec<usize>,
    /// Whether the `use` that is read has `pub` before it.
    shows: bool,
}

impl Reader {
    fn new(crates: &'static [Crate], own: &'static Crate) -> Self {
        Reader {
            crates,
            own,
            inner: Module::new(),
            paths: Vec::new(),
            tests: BTreeSet::new(),
            shown: Shown::new(),
            opens: Vec::new(),
            shows: false,
        }
    }

    fn items(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    let whole = is_punct(tokens.get(at), '!');
                    if let Some(TokenTree::Group(attribute)) = tokens.get(at + usize::from(whole)) {
                        at += 1 + usize::from(whole);
                        match is_cfg_test(attribute) {
                            true if whole => return,
                            true => at = self.skip_item(&tokens, at),
                            false => {}
                        }
                    }
                }
                TokenTree::Ident(word) if word == "use" && !is_punct(tokens.get(at), '<') => {
                    self.shows = is_public(&tokens, at - 1);
                    at = self.use_tree(&tokens, at, &[]);
                    self.shows = false;
                }
                TokenTree::Ident(word) if word == "mod" => {
                    if let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
                        (tokens.get(at), tokens.get(at + 1))
                    {
                        at += 2;
                        self.inner.push(name.to_string());
                        self.items(body.stream());
                        self.inner.pop();
                    }
                }
                TokenTree::Ident(word)
                    if is_separator(&tokens, at)
                        && (["crate", "self", "super", "std"].iter().any(|own| word == own)
                            || self.crates.iter().any(|other| word == other.name)) =>
                {
                    at = self.use_tree(&tokens, at - 1, &[]);
                }
                TokenTree::Group(group) => self.items(group.stream()),
                _ => {}
            }
        }
    }

    /// Steps over the item behind `#[cfg(test)]`; notes a module that lies in a file of its own.
    fn skip_item(&mut self, tokens: &[TokenTree], mut at: usize) -> usize {
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Ident(word) if word == "mod" => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(at) {
                        let mut module = self.inner.clone();
                        module.push(name.to_string());
                        self.tests.insert(module);
                    }
                }
                TokenTree::Punct(mark) if mark.as_char() == ';' => break,
                TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => break,
                _ => {}
            }
        }
        at
    }

    /// Reads a path, or the tree of one `use`, from `tokens[at]`; returns where it ends.
    fn use_tree(&mut self, tokens: &[TokenTree], mut at: usize, before: &[String]) -> usize {
        let mut path = before.to_vec();
        let mut line = 0;
        loop {
            match tokens.get(at) {
                Some(TokenTree::Ident(name)) => {
                    line = name.span().start().line;
                    path.push(name.to_string());
                    at += 1;
                }
                Some(TokenTree::Group(branches)) if branches.delimiter() == Delimiter::Brace => {
                    let inside: Vec<TokenTree> = branches.stream().into_iter().collect();
                    for branch in inside.split(|token| is_punct(Some(token), ',')) {
                        self.use_tree(branch, 0, &path);
                    }
                    return at + 1;
                }
                _ => break,
            }
            if !is_separator(tokens, at) {
                break;
            }
            at += 2;
        }
        if line > 0 {
            self.note(&path, renamed(tokens, at), line);
        }
        at
    }

    /// Keeps a whole path, with the name that it gets by `as`.
    fn note(&mut self, path: &[String], renamed: Option<String>, line: usize) {
        if matches!(path, [first, second, ..] if first == "std" && second == "fs") {
            self.opens.push(line);
        }
        let known = self.module_at(path);
        if self.shows {
            // A path that begins with neither is one into a child.
            let child = || self.inner.iter().chain(path).cloned().collect();
            let name = renamed.or_else(|| path.iter().rev().find(|part| *part != "self").cloned());
            if let Some(name) = name {
                let of = known.clone().unwrap_or_else(child);
                self.shown.insert((self.inner.clone(), name), of);
            }
        }
        self.paths.extend(known.map(|path| (path, line)));
    }

    /// `super::x` as a path from the root; `None` for paths into crates that are not of the tree, and into
    /// children.
    fn module_at(&self, path: &[String]) -> Option<Module> {
        let mut parts = path.iter().map(String::as_str).peekable();
        let root_of = |of: &Crate| of.root.iter().map(|part| (*part).to_owned()).collect();
        let mut module = match parts.next()? {
            "crate" => root_of(self.own),
            "self" => self.inner.clone(),
            "super" => self.inner.get(..self.inner.len().checked_sub(1)?)?.to_vec(),
            name => root_of(self.crates.iter().find(|other| other.name == name)?),
        };
        for part in parts {
            match part {
                "super" => drop(module.pop()),
                // `use a::{self}` names `a`.
                "self" => {}
                name => module.push(name.to_owned()),
            }
        }
        Some(module)
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == wanted)
}

/// Whether `pub`, or `pub(…)`, stands before `tokens[at]`.
fn is_public(tokens: &[TokenTree], at: usize) -> bool {
    let mut before = tokens[..at].iter().rev();
    match before.next() {
        Some(TokenTree::Group(within)) if within.delimiter() == Delimiter::Parenthesis => {
            matches!(before.next(), Some(TokenTree::Ident(word)) if word == "pub")
        }
        Some(TokenTree::Ident(word)) => word == "pub",
        _ => false,
    }
}

/// The name behind `as` at `tokens[at]`.
fn renamed(tokens: &[TokenTree], at: usize) -> Option<String> {
    match (tokens.get(at), tokens.get(at + 1)) {
        (Some(TokenTree::Ident(word)), Some(TokenTree::Ident(name))) if word == "as" => {
            Some(name.to_string())
        }
        _ => None,
    }
}

/// Whether `::` stands at `tokens[at]`.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

/// Whether it is `[cfg(test)]`, or the same under a further condition.
fn is_cfg_test(attribute: &Group) -> bool {
    let words = attribute.stream().to_string().replace(' ', "");
    attribute.delimiter() == Delimiter::Bracket
        && (words == "cfg(test)" || words.starts_with("cfg(all(test,"))
}
