//! What lies around a broken file: folders with names that terminals, viewers and programs trip over, links,
//! pipes.

use amdgpu_samples::Random;
use anyhow::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Names of folders.
const NAMES: &[&str] = &[
    "\u{1b}[2J\u{1b}[31m",
    "\u{1b}]52;c;eA==\u{7}",
    "a\nb",
    "a\r%0A::error file=x::y",
    "\u{202e}gnp.\u{2066}x",
    "a\u{61c}\u{200b}\u{2028}\u{feff}b",
    "-rf",
    "<img src=x onerror=y>",
    "[a](b) `c` |d|",
    "=1+1",
    "@e#1",
    "'\"$(x)`y`",
    " ",
    "%2e%2e%2f",
    "a!",
    "opt",
    "library",
];

/// Links: their names, and where they lead. `@` is the broken file, seen from the root.
const LINKS: &[(&str, &str)] = &[
    ("loop", "loop"),
    ("up", ".."),
    ("self", "."),
    ("nowhere.hsaco", "missing/\u{1b}[31m.hsaco"),
    ("out.co", "/etc/passwd"),
    ("proc", "/proc/self"),
    ("within.hsaco", "@"),
    ("librocblas.so.4", "@"),
    ("zero.bin", "/dev/zero"),
];

/// What one case has around its file.
#[derive(Debug, Default)]
pub struct Surroundings {
    folders: Vec<OsString>,
    links: Vec<(&'static str, &'static str)>,
    pipe: bool,
}

impl Surroundings {
    /// Nothing for most cases, else some of each.
    pub fn some(random: &mut Random) -> Self {
        if !random.one_in(4) {
            return Surroundings::default();
        }
        let mut folders: Vec<OsString> =
            (0..random.below(3)).filter_map(|_| random.pick(NAMES)).map(OsString::from).collect();
        if random.one_in(6) {
            folders.push(OsString::from("n".repeat(200)));
        }
        if random.one_in(6) {
            folders.push(no_unicode());
        }
        let links = (0..random.below(4)).filter_map(|_| random.pick(LINKS).copied()).collect();
        Surroundings { folders, links, pipe: random.one_in(8) }
    }

    /// Makes folders, links and a pipe below `root`, and says where a file of this name goes.
    pub fn make(&self, root: &Path, name: &str) -> Result<PathBuf> {
        let mut folder = root.to_owned();
        folder.extend(&self.folders);
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(name);
        for (link, to) in &self.links {
            let to = if *to == "@" { path.strip_prefix(root)?.to_owned() } else { PathBuf::from(to) };
            let link = root.join(link);
            if link.symlink_metadata().is_err() {
                symlink(&to, &link)?;
            }
        }
        if self.pipe {
            // Without such a program there is no pipe.
            let _ = std::process::Command::new("mkfifo").arg(folder.join("pipe.hsaco")).status();
        }
        Ok(path)
    }
}

#[cfg(unix)]
fn no_unicode() -> OsString {
    use std::os::unix::ffi::OsStringExt as _;
    OsString::from_vec(b"caf\xe9\xff".to_vec())
}

#[cfg(not(unix))]
fn no_unicode() -> OsString {
    OsString::from("caf\u{e9}")
}

#[cfg(unix)]
fn symlink(to: &Path, link: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(to, link)?)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> Result<()> {
    Ok(())
}
