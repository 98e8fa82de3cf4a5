//! The program's side: starts the fetcher and gives what it fetches the name of its address.

use super::exchange::{Answered, Wanted};
use super::is_address;
use crate::cli::sandbox::Sandbox;
use crate::error::AuditError;
use crate::limits::PIPED_BYTES;
use crate::source::given::{self, Given};
use crate::source::ranges::ReadAt;
use clap::ValueEnum as _;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The word that makes a process of this program a fetcher.
pub(super) const FETCHER: &str = "fetch-ranges-for-rocm-audit";

/// The one fetcher of a run.
static RUNNING: OnceLock<Fetcher> = OnceLock::new();

/// A fetcher that runs, and what of it was opened.
struct Fetcher {
    addresses: Vec<String>,
    lines: Mutex<Lines>,
    opened: Mutex<Vec<Given>>,
}

/// Its ends of the pipes. It ends with them.
struct Lines {
    input: ChildStdin,
    output: ChildStdout,
    _child: Child,
}

/// Starts the fetcher, where the call names addresses. Later it could not be started any more.
///
/// # Errors
/// Where it cannot be started.
pub(in crate::cli) fn start(sandbox: Sandbox) -> Result<(), AuditError> {
    let words = std::env::args_os().skip(1).filter(|word| is_address(Path::new(word)));
    let mut addresses: Vec<String> = words.filter_map(|word| word.into_string().ok()).collect();
    addresses.sort_rows();
    addresses.dedup();
    if addresses.is_empty() || RUNNING.get().is_some() {
        return Ok(());
    }
    let failed = |error| AuditError::io("start", PathBuf::from("the process that fetches"), error);
    let word = sandbox.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let mut command = Command::new(own_program().map_err(failed)?);
    command.arg(FETCHER).arg(word).args(&addresses);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed(io::ErrorKind::BrokenPipe.into()));
    };
    let lines = Mutex::new(Lines { input, output, _child: child });
    // It was not set: a run has one start.
    let _ = RUNNING.set(Fetcher { addresses, lines, opened: Mutex::default() });
    Ok(())
}

/// This program, also where its file was renamed or replaced since.
fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() }
}

/// Opens what is behind an address of the call, which is read under the name of the address from then on.
///
/// # Errors
/// With what the server said.
pub(in crate::cli) fn open(path: &Path) -> Result<(), AuditError> {
    let refused = |what: String| AuditError::Path { path: path.to_owned(), what };
    if given::len(path).is_some() {
        return Ok(());
    }
    let word = path.to_str().unwrap_or_default();
    let known = RUNNING
        .get()
        .and_then(|running| Some((running, running.addresses.iter().position(|own| own == word)?)));
    let Some((running, number)) = known else {
        return Err(refused("this command reads no addresses; save the file and name it".to_owned()));
    };
    let number = number as u32;
    let size = match running.ask(&Wanted::Size(number)) {
        Ok(Answered::Size(size)) => size,
        Ok(_) => return Err(refused(ENDED.to_owned())),
        Err(error) => return Err(refused(error.to_string())),
    };
    match size {
        0 => return Err(refused("the file is empty".to_owned())),
        size if size > PIPED_BYTES => {
            return Err(refused(format!("it has {size} bytes, and {PIPED_BYTES} are the most that is read")));
        }
        _ => {}
    }
    let given = given::give(path, Box::new(RemoteBytes { running, number, size }));
    let given = given.map_err(|error| AuditError::io("read", path, error))?;
    running.opened.lock().unwrap_or_else(PoisonError::into_inner).push(given);
    Ok(())
}

/// What is said where the fetcher does not answer as it should.
const ENDED: &str = "the process that fetches has ended";

impl Fetcher {
    /// Asks it. A refusal is an error.
    fn ask(&self, wanted: &Wanted) -> io::Result<Answered> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = |_| io::Error::other(ENDED);
        wanted.write(&mut lines.input).map_err(ended)?;
        match Answered::read(&mut lines.output).map_err(ended)? {
            Answered::Refused(why) => Err(io::Error::other(why)),
            answered => Ok(answered),
        }
    }
}

/// The bytes behind an address.
struct RemoteBytes {
    running: &'static Fetcher,
    number: u32,
    size: u64,
}

impl ReadAt for RemoteBytes {
    fn len(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let wanted = Wanted::Bytes(self.number, offset..offset + into.len() as u64);
        match self.running.ask(&wanted)? {
            Answered::Bytes(bytes) if bytes.len() == into.len() => {
                into.copy_from_slice(&bytes);
                Ok(())
            }
            _ => Err(io::Error::other(ENDED)),
        }
    }
}
