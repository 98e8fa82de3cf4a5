//! Answers that are kept for the next run of the same call: `--cache DIR`.
//!
//! What a call prints and writes depends on its words, on a few variables, on the program and on the files
//! that it reads. Where all of these are as they were, the kept answer is written again and nothing is read.
//! A file is as it was while the system gives it the same inode, size and times: the time of the last change
//! cannot be set by a user, and to read a file takes longer than to audit it, since an audit looks at a part
//! of its bytes only.
//!
//! An answer is made by this program in a process of its own, whose outputs are passed on and noted, so that
//! a kept answer is what the run wrote, byte for byte.

mod entry;
mod files;

use super::global::GlobalArgs;
use super::{address, exit_code};
use crate::error::AuditError;
use clap::Arg;
use entry::Entry;
use files::Fingerprint;
use sha2::{Digest, Sha256};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};

/// The option, as it stands in a call.
const OPTION: &str = "--cache";
/// The variable that stands for it.
const VARIABLE: &str = "ROCM_AUDIT_CACHE";

/// Variables that change what is printed, beside those that begin with `ROCM_AUDIT_`.
const VARIABLES: [&str; 11] = [
    "COLUMNS",
    "FORCE_COLOR",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "TERM",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    "SOURCE_DATE_EPOCH",
    "CI",
];

/// A file that changed so shortly before a run may change again without another time: its answer is not kept.
const UNSURE: Duration = Duration::from_secs(2);

/// Most bytes of what a run writes that is kept.
const MOST_BYTES: usize = 64 << 20;

/// What a kept answer is looked up by, and what a run of it needs.
struct Call {
    /// The words of the call without the option.
    words: Vec<OsString>,
    /// The files and folders among them.
    inputs: Vec<PathBuf>,
    /// Where `-o` writes.
    outputs: Vec<PathBuf>,
}

/// The folder of answers that a call names, and the words of the call without it.
pub(super) struct CacheRequest {
    /// The folder of the option or the variable.
    folder: Option<PathBuf>,
    /// Whether the option names it: the variable is set for all calls.
    by_option: bool,
    /// The words, without the program's own.
    pub words: Vec<OsString>,
}

impl CacheRequest {
    /// Takes the option out of the words of a call. It is not among the options that are parsed: what every
    /// command has is copied to each of them whenever the program starts.
    ///
    /// # Errors
    /// Where no folder stands behind it.
    pub fn from_words(words: impl Iterator<Item = OsString>) -> Result<Self, AuditError> {
        let (words, named) = without_option(words);
        let mut options = words.iter().take_while(|word| *word != "--");
        if options.any(|word| word == OPTION || word == "--cache=") {
            return Err(AuditError::Usage(format!("{OPTION}: no folder stands behind it: {OPTION} DIR")));
        }
        let variable = || std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
        let by_option = named.is_some();
        Ok(CacheRequest { folder: named.or_else(variable).map(PathBuf::from), by_option, words })
    }

    /// How the option is shown in helps.
    pub fn argument() -> Arg {
        let help = "Keep the answer in DIR, and answer the next run of the same call from there while no file that \
                    it names has changed";
        let argument =
            Arg::new("cache").long("cache").global(true).value_name("DIR").env(VARIABLE).help(help);
        argument.hide_short_help(true).help_heading("Options of every command")
    }

    /// Answers from the folder, or makes the answer and keeps it there. `None` where no folder is named, or by
    /// the variable alone and the call has no answer to keep.
    pub fn answer(self, global: &GlobalArgs) -> Option<ExitCode> {
        let folder = self.folder?;
        match Call::from_words(self.words, global) {
            Err(_) if !self.by_option => None,
            call => Some(match call.and_then(|call| answered(&call, &folder)) {
                Ok(code) => code,
                Err(error) => exit_code(Err(error), global.failure_format()),
            }),
        }
    }
}

fn answered(call: &Call, folder: &Path) -> Result<ExitCode, AuditError> {
    entry::prepare(folder)?;
    let begun = SystemTime::now();
    let before = Fingerprint::from_files(&call.inputs);
    let key = before.as_ref().map(|before| call.key(before));
    let place = key.as_ref().map(|key| folder.join(format!("{key}.answer")));
    if let (Some(key), Some(place)) = (&key, &place)
        && let Some(entry) = Entry::read(place, key)
    {
        return entry.write_again().map_err(|error| AuditError::io("write", "the kept answer", error));
    }
    let (status, made) = call.run().map_err(|error| AuditError::io("start", "this program", error))?;
    let made =
        made.filter(|made| made.status <= 1).and_then(|made| made.with_files(&call.outputs, MOST_BYTES));
    let is_sure = |print: &Fingerprint| print.last_change.is_none_or(|change| change + UNSURE < begun);
    if let (Some(made), Some(key), Some(place), Some(before)) = (made, key, place, before)
        && is_sure(&before)
        && Fingerprint::from_files(&call.inputs).as_ref() == Some(&before)
        && let Err(error) = made.keep(&place, &key)
    {
        super::stderr::remark(&format!("{}: the answer could not be kept: {error}", folder.display()));
    }
    Ok(ExitCode::from(status))
}

impl Call {
    fn from_words(words: Vec<OsString>, global: &GlobalArgs) -> Result<Self, AuditError> {
        let refused = |what: &str| Err(AuditError::Usage(format!("{OPTION}: {what}")));
        if !cfg!(unix) {
            return refused("this system does not say when a file changed; leave it out");
        }
        if words.iter().any(|word| word == "-" || address::is_address(Path::new(word))) {
            return refused(
                "only answers about files are kept, not about what comes through a pipe or from an address",
            );
        }
        if words
            .iter()
            .any(|word| matches!(word.to_str(), Some("--caches" | "--extract" | "--follow-links" | "--into")))
        {
            return refused(
                "answers to --caches, --extract, --follow-links and --into are not kept; leave one of the two out",
            );
        }
        let outputs: Vec<PathBuf> = global.files().collect();
        let is_output = |path: &Path| outputs.iter().any(|own| own == path);
        let inputs: Vec<PathBuf> =
            words.iter().flat_map(|word| paths_of(word)).filter(|path| !is_output(path)).collect();
        if inputs.is_empty() {
            return refused(
                "it keeps answers about files that the call names, and the call names none; name a PATH",
            );
        }
        Ok(Call { words, inputs, outputs })
    }

    /// What has to be the same for a kept answer to hold.
    fn key(&self, files: &Fingerprint) -> String {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        add(env!("CARGO_PKG_VERSION").as_bytes());
        // A program that was built anew has another one.
        add(&files::program().unwrap_or_default());
        self.words.iter().for_each(|word| add(word.as_encoded_bytes()));
        let own = |name: &OsStr| {
            let name = name.to_string_lossy();
            name != VARIABLE && (name.starts_with("ROCM_AUDIT_") || VARIABLES.contains(&&*name))
        };
        let mut variables: Vec<_> = std::env::vars_os().filter(|(name, _)| own(name)).collect();
        variables.sort_unstable();
        for (name, value) in &variables {
            add(name.as_encoded_bytes());
            add(value.as_encoded_bytes());
        }
        let folder = std::env::current_dir().unwrap_or_default();
        add(folder.as_os_str().as_encoded_bytes());
        add(format!("{:?}", self.terminal()).as_bytes());
        add(&files.digest);
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The columns of the terminal that is written to.
    fn terminal(&self) -> Option<u16> {
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0)
    }

    /// Makes the answer, and passes it on: the status, and what was written if all of it was noted.
    fn run(&self) -> io::Result<(u8, Option<Entry>)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(&self.words).env_remove(VARIABLE).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(columns) = self.terminal() {
            let is_set = |name| std::env::var_os(name).is_some();
            if !is_set("COLUMNS") {
                command.env("COLUMNS", columns.to_string());
            }
            if anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
                && !is_set("ROCM_AUDIT_COLOR")
            {
                command.env("ROCM_AUDIT_COLOR", "always");
            }
        }
        let mut child = command.spawn()?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let said = std::thread::spawn(move || passed_on(err?, &mut io::stderr()));
        let printed = out.and_then(|out| passed_on(out, &mut io::stdout().lock()));
        let said = said.join().ok().flatten();
        let status = child.wait()?.code().and_then(|code| u8::try_from(code).ok());
        let status = status.unwrap_or(crate::report::UNUSABLE);
        Ok((status, printed.zip(said).map(|(printed, said)| Entry::new(status, printed, said))))
    }
}

/// The words without the option and its folder, and that folder. Behind `--` there are no options. An option
/// without a folder stays.
fn without_option(mut words: impl Iterator<Item = OsString>) -> (Vec<OsString>, Option<OsString>) {
    let (mut kept, mut named, mut options) = (Vec::new(), None, true);
    while let Some(word) = words.next() {
        options &= word != "--";
        let behind = word.to_str().and_then(|word| word.strip_prefix("--cache=")).map(OsString::from);
        let folder = match options {
            true if word == OPTION => words.next(),
            true => behind,
            false => None,
        };
        match folder.filter(|folder| !folder.is_empty()) {
            None => kept.push(word),
            folder => named = folder,
        }
    }
    (kept, named)
}

/// The path that a word is, or has behind `=`, where something stands there.
fn paths_of(word: &OsStr) -> impl Iterator<Item = PathBuf> + use<> {
    let behind = word.to_str().and_then(|text| text.split_once('=')).map(|(_, behind)| PathBuf::from(behind));
    [Some(PathBuf::from(word)), behind].into_iter().flatten().filter(|path| path.symlink_metadata().is_ok())
}

/// Passes on what comes, and gives all of it; `None` where that is more than is kept, or could not be passed on.
/// Where nothing more is taken, nothing more is read, and the writer ends.
fn passed_on(mut from: impl Read, to: &mut impl Write) -> Option<Vec<u8>> {
    let (mut passed, mut part) = (Some(Vec::new()), vec![0; 1 << 16]);
    loop {
        let came = match from.read(&mut part) {
            Ok(came) => part.get(..came).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if came.is_empty() {
            return passed.filter(|_| to.flush().is_ok());
        }
        to.write_all(came).ok()?;
        passed = passed.filter(|bytes| bytes.len() + came.len() <= MOST_BYTES);
        if let Some(bytes) = &mut passed {
            bytes.extend_from_slice(came);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_taken_out_of_a_call() {
        let of = |text: &str| {
            let (kept, named) = without_option(text.split(' ').map(OsString::from));
            let kept = kept.iter().map(|word| word.to_string_lossy().into_owned());
            (kept.collect::<Vec<_>>().join(" "), named.and_then(|folder| folder.into_string().ok()))
        };
        assert_eq!(of("audit --cache d a"), ("audit a".to_owned(), Some("d".to_owned())));
        assert_eq!(
            of("--cache=d -f json a --caches"),
            ("-f json a --caches".to_owned(), Some("d".to_owned()))
        );
        for text in ["a -- --cache b", "a --cache", "a --cache="] {
            assert_eq!(of(text), (text.to_owned(), None));
        }
    }

    #[test]
    fn a_pipe_is_passed_on_and_noted() {
        let (mut out, long) = (Vec::new(), vec![7; 3 << 16]);
        let passed = passed_on(&long[..], &mut out);
        assert!(passed.is_some_and(|bytes| bytes == long) && out == long);
        assert!(passed_on(&long[..], &mut &mut [0; 10][..]).is_none());
    }
}
