//! Reads who imports whom in a tree of Rust files: `use` declarations and paths in the code, through Rust's
//! own tokens, so that comments and strings do not count.

use anyhow::{Context as _, Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The path of a module from the crate's root, such as `["engines", "miopen"]`.
pub type Module = Vec<String>;

/// Module `from` names something of module `to`.
#[derive(Debug)]
pub struct Import {
    /// The module of the file that says so.
    pub from: Module,
    /// The innermost module of the tree that the path leads into; empty for the crate's root.
    pub to: Module,
    /// The path as a path from the root: `crate::bytes::elf::Elf`.
    pub path: String,
    /// The file, from the project's folder.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// The modules of a crate and what they import of each other.
#[derive(Debug, Default)]
pub struct Tree {
    /// Every module that is a file, and the first paragraph of its documentation. Modules of tests are left
    /// out.
    pub modules: BTreeMap<Module, String>,
    /// Every import, in the order of files and lines.
    pub imports: Vec<Import>,
}

impl Tree {
    /// Reads all `.rs` files below `src`.
    ///
    /// # Errors
    /// Where a file cannot be read, or is not Rust.
    pub fn read(src: &Path) -> Result<Tree> {
        let mut files = Vec::new();
        let mut folders = vec![src.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let name = path.strip_prefix(src)?.with_extension("").display().to_string();
                    files.push((name, std::fs::read_to_string(&path)?));
                }
            }
        }
        files.sort();
        Tree::of(files.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// Reads files, given by their paths below `src` without `.rs`.
    ///
    /// # Errors
    /// Where one is not Rust.
    pub fn of<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Tree> {
        let mut tree = Tree::default();
        let mut found = Vec::new();
        let mut tests = BTreeSet::new();
        for (name, text) in files {
            let mut module: Module = name.split('/').map(str::to_owned).collect();
            if module.last().is_some_and(|last| last == "mod") || name == "lib" {
                module.pop();
            }
            let tokens: TokenStream =
                text.parse().map_err(|e| anyhow!("{e}")).with_context(|| name.to_owned())?;
            let mut reader =
                Reader { file: format!("src/{name}.rs"), inner: module.clone(), ..Reader::default() };
            reader.items(tokens);
            tests.append(&mut reader.tests);
            found.extend(reader.paths.into_iter().map(|path| (module.clone(), reader.file.clone(), path)));
            tree.modules.insert(module, first_paragraph(text));
        }
        let is_test = |module: &[String]| (0..=module.len()).any(|end| tests.contains(&module[..end]));
        tree.modules.retain(|module, _| !is_test(module));
        for (from, file, (path, line)) in found {
            if !is_test(&from) {
                let known = (0..=path.len()).rev().find(|end| tree.modules.contains_key(&path[..*end]));
                let to = path[..known.unwrap_or(0)].to_vec();
                let path = ["crate".to_owned()].into_iter().chain(path).collect::<Vec<_>>().join("::");
                tree.imports.push(Import { from, to, path, file, line });
            }
        }
        Ok(tree)
    }
}

/// The first paragraph of a file's `//!` lines, as one line.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    lines.collect::<Vec<_>>().join(" ")
}

/// Reads one file.
#[derive(Default)]
struct Reader {
    file: String,
    /// The module that the current token is in; deeper than the file's within `mod x { … }`.
    inner: Module,
    /// Paths from the root, each with its line.
    paths: Vec<(Module, usize)>,
    /// Modules that are declared for tests only.
    tests: BTreeSet<Module>,
}

impl Reader {
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
                    at = self.use_tree(&tokens, at, &[]);
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
                    if ["crate", "self", "super"].iter().any(|own| word == own)
                        && is_separator(&tokens, at) =>
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
        if line > 0
            && let Some(path) = self.module_at(&path)
        {
            self.paths.push((path, line));
        }
        at
    }

    /// `super::x` as a path from the root; `None` for paths into other crates and into children.
    fn module_at(&self, path: &[String]) -> Option<Module> {
        let mut parts = path.iter().map(String::as_str).peekable();
        let mut module = match parts.next()? {
            "crate" => Vec::new(),
            "self" => self.inner.clone(),
            "super" => self.inner.get(..self.inner.len().checked_sub(1)?)?.to_vec(),
            _ => return None,
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

/// Whether `::` stands at `tokens[at]`.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

fn is_cfg_test(attribute: &Group) -> bool {
    attribute.delimiter() == Delimiter::Bracket
        && attribute.stream().to_string().replace(' ', "") == "cfg(test)"
}
