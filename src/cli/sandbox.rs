//! Rights that the program takes from itself before it reads anything: it only reads then, and writes where
//! it was asked to.
//!
//! What is read may be made to harm. A reader that such bytes take over can open no connection, start no
//! program, write no file but the outputs and temporary ones, and look into no other process: Landlock
//! refuses writing and executing, a seccomp filter the rest. Both hold for all threads from here on and
//! cannot be taken back.

use crate::error::AuditError;
use clap::ValueEnum;
use std::path::PathBuf;

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod calls;
#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod reading;
mod untaken;

/// Whether rights are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Sandbox {
    /// What the system can do
    #[default]
    Auto,
    /// All, or the call is refused
    On,
    /// None
    Off,
}

/// What may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Write {
    /// A file that is there.
    File(PathBuf),
    /// Names of files that were made before, without a name or another, in a folder: new ones, or `over`
    /// those of others.
    Names {
        /// The folder.
        folder: PathBuf,
        /// Whether a file of the name is there that goes.
        over: bool,
    },
    /// A folder with all in it, whether it is there yet or not.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Whether folders are made in it.
        folders: bool,
    },
}

impl Sandbox {
    /// Takes the rights of a run, which may write `writes`; of one that `reads` nothing only where the call asks for that.
    /// Where the system cannot do all that is asked of it, standard error says so once.
    ///
    /// # Errors
    /// Where all are to be taken and the system cannot do that.
    pub fn enter(self, writes: &[Write], reads: bool) -> Result<(), AuditError> {
        let entered = match self {
            Sandbox::Off => return Ok(()),
            Sandbox::Auto if !reads => return Ok(()),
            Sandbox::Auto | Sandbox::On => rights::take(writes),
        };
        match entered {
            Err(why) if self == Sandbox::On => Err(AuditError::Usage(format!(
                "--sandbox on: {why}; `--sandbox auto` takes what rights it can"
            ))),
            Err(why) => {
                if cfg!(all(target_os = "linux", feature = "sandbox")) {
                    super::stderr::remark(&format!(
                        "not all rights are taken from this run: {why}; `--sandbox on` would refuse it, `off` says nothing"
                    ));
                }
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Takes the rights of the process that fetches: it may open connections, and read what names of hosts need. The
    /// process that started it says what the system cannot do.
    ///
    /// # Errors
    /// Where all are to be taken and the system cannot do that.
    #[cfg(feature = "addresses")]
    pub fn enter_connected(self) -> Result<(), AuditError> {
        let entered = match self {
            Sandbox::Off => return Ok(()),
            Sandbox::Auto | Sandbox::On => rights::take_connected(),
        };
        match entered {
            Err(why) if self == Sandbox::On => Err(AuditError::Usage(format!("--sandbox on: {why}"))),
            _ => Ok(()),
        }
    }
}

#[cfg(not(all(target_os = "linux", feature = "sandbox")))]
mod rights {
    use super::Write;
    use super::untaken::Untaken;

    #[cfg(feature = "addresses")]
    pub(super) fn take_connected() -> Result<(), Untaken> {
        take(&[])
    }

    pub(super) fn take(_: &[Write]) -> Result<(), Untaken> {
        #[cfg(target_os = "linux")]
        let why = Untaken::Build;
        #[cfg(not(target_os = "linux"))]
        let why = Untaken::System;
        Err(why)
    }
}

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod rights {
    use super::untaken::Untaken;
    use super::{Write, calls, reading};
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus,
        Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
    };
    use std::path::Path;

    /// Linux 6.2: the first whose Landlock has a word about cutting files. Below it, rights are not all
    /// taken.
    const LANDLOCK: ABI = ABI::V3;
    /// The newest whose rights are taken where a kernel has them: requests to devices, ports, signals,
    /// abstract sockets.
    const NEWEST: ABI = ABI::V10;

    pub(super) fn take(writes: &[Write]) -> Result<(), Untaken> {
        both(files(writes), calls::Connections::None)
    }

    /// Takes the calls as well: even where the rights to files are not taken, that is worth having.
    fn both(
        files: Result<RestrictionStatus, RulesetError>,
        connections: calls::Connections,
    ) -> Result<(), Untaken> {
        let calls = calls::filter(connections);
        match files.map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) if effective_abi >= LANDLOCK => calls,
            Ok(_) => Err(Untaken::Kernel),
            Err(why) => Err(Untaken::Landlock(why)),
        }
    }

    /// Refuses writing and executing, but for what is written and where temporary files are made.
    fn files(writes: &[Write]) -> Result<RestrictionStatus, RulesetError> {
        let handled = AccessFs::from_write(NEWEST) | AccessFs::Execute;
        let readable = reading::readable();
        let read = if readable.is_some() { handled | AccessFs::ReadFile } else { handled };
        let rules = rules(ruleset(read, AccessNet::from_all(NEWEST))?, writes)?;
        reading_below(rules, readable.unwrap_or_default())?.restrict_self()
    }

    /// A set of rules in which these accesses are refused until a rule allows them. What a kernel below [`NEWEST`] does not
    /// know of them, the filter of calls refuses too.
    fn ruleset(
        handled: BitFlags<AccessFs>,
        ports: BitFlags<AccessNet>,
    ) -> Result<RulesetCreated, RulesetError> {
        let rules = Ruleset::default().handle_access(handled)?.handle_access(ports)?;
        rules.scope(Scope::from_all(NEWEST))?.create()
    }

    /// Lets files below these paths be read.
    fn reading_below(
        mut rules: RulesetCreated,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<RulesetCreated, RulesetError> {
        for path in paths {
            // What cannot be opened is not read either.
            if let Ok(at) = PathFd::new(path) {
                rules = rules.add_rule(PathBeneath::new(at, AccessFs::ReadFile))?;
            }
        }
        Ok(rules)
    }

    /// What the process that fetches keeps: connections to servers, and what names of hosts are looked up by.
    #[cfg(feature = "addresses")]
    pub(super) fn take_connected() -> Result<(), Untaken> {
        both(connected_files(), calls::Connections::ToServers)
    }

    #[cfg(feature = "addresses")]
    fn connected_files() -> Result<RestrictionStatus, RulesetError> {
        let handled = AccessFs::from_write(NEWEST) | AccessFs::Execute | AccessFs::ReadFile;
        let rules = ruleset(handled, AccessNet::BindTcp.into())?;
        reading_below(rules, reading::OF_HOST_NAMES)?.restrict_self()
    }

    fn rules(mut rules: RulesetCreated, writes: &[Write]) -> Result<RulesetCreated, RulesetError> {
        // Unnamed files; where a file system has none, they have a name for a moment.
        let temporary = Write::Folder { path: crate::source::temporary_folder(), folders: false };
        for write in writes.iter().chain([&temporary]) {
            let file = AccessFs::WriteFile | AccessFs::Truncate;
            let (path, rights) = match write {
                Write::File(path) => (path.as_path(), file),
                Write::Names { folder, over: false } => (folder.as_path(), AccessFs::MakeReg.into()),
                Write::Names { folder, over: true } => {
                    (folder.as_path(), AccessFs::MakeReg | AccessFs::RemoveFile)
                }
                Write::Folder { path, folders } => {
                    let all = file | AccessFs::MakeReg | AccessFs::RemoveFile | AccessFs::Refer;
                    let made = AccessFs::MakeDir | AccessFs::RemoveDir;
                    (above(path), if *folders { all | made } else { all })
                }
            };
            // What cannot be opened is said when it is written.
            if let Ok(at) = PathFd::new(path) {
                rules = rules.add_rule(PathBeneath::new(at, rights))?;
            }
        }
        Ok(rules)
    }

    /// The folder, else the first above it that is there.
    fn above(path: &Path) -> &Path {
        let named = |above: &'_ &Path| above.is_dir();
        let here = |above: &Path| above.as_os_str().is_empty();
        path.ancestors()
            .find(|above| named(above) || here(above))
            .filter(|a| !here(a))
            .unwrap_or(Path::new("."))
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::fs::{self, File};
        use std::io::Write as _;
        use std::net::{TcpListener, TcpStream, UdpSocket};
        use std::os::unix::net::UnixStream;
        use std::process::Command;

        /// Calls of docs/security.md's list on a file beside the outputs and on the process that started this
        /// one: each with whether it is refused. What Rust has no safe words for is in the test of the list
        /// itself.
        fn probes(beside: &Path) -> Vec<(&'static str, bool)> {
            use rustix::fs::{self, AtFlags, CWD, FileType, Mode, Timespec, Timestamps, XattrFlags};
            use rustix::process::{self, Resource, Rlimit, Signal};
            use rustix::thread::{CpuSet, sched_setaffinity};
            let now = Timespec { tv_sec: 1, tv_nsec: 0 };
            let times = Timestamps { last_access: now, last_modification: now };
            let folder = beside.parent().unwrap();
            let mode = Mode::RUSR;
            let limit = Rlimit { current: Some(1), maximum: Some(1) };
            let parent = process::getppid().unwrap();
            let is = |result: rustix::io::Result<()>| result == Err(rustix::io::Errno::PERM);
            let unread = |path: &str| {
                let is_there = Path::new(path).exists();
                !is_there || std::fs::File::open(path).is_err()
            };
            let of_parent = |name: &str| format!("/proc/{}/{name}", parent.as_raw_nonzero());
            vec![
                ("environ", unread(&of_parent("environ"))),
                ("cmdline", unread(&of_parent("cmdline"))),
                ("maps", unread(&of_parent("maps"))),
                ("kmsg", unread("/dev/kmsg")),
                ("tty", unread("/dev/tty")),
                ("chmod", is(fs::chmod(beside, mode))),
                ("chown", is(fs::chown(beside, None, None))),
                ("utimensat", is(fs::utimensat(CWD, beside, &times, AtFlags::empty()))),
                ("setxattr", is(fs::setxattr(beside, "user.x", b"y", XattrFlags::empty()))),
                ("removexattr", is(fs::removexattr(beside, "user.x"))),
                ("mkfifo", is(fs::mknodat(CWD, folder.join("fifo"), FileType::Fifo, mode, 0))),
                ("mknod", is(fs::mknodat(CWD, folder.join("disk"), FileType::BlockDevice, mode, 0xfe00))),
                ("symlink", is(fs::symlink("/etc/passwd", folder.join("link")))),
                ("memfd_create", is(fs::memfd_create("x", fs::MemfdFlags::empty()).map(drop))),
                ("inotify_init", is(fs::inotify::init(fs::inotify::CreateFlags::empty()).map(drop))),
                ("kill", is(process::kill_process(parent, Signal::CONT))),
                ("pidfd_open", is(process::pidfd_open(parent, process::PidfdFlags::empty()).map(drop))),
                ("setpriority", is(process::setpriority_process(Some(parent), 19))),
                ("sched_setaffinity", is(sched_setaffinity(Some(parent), &CpuSet::new()))),
                ("prlimit", is(process::prlimit(Some(parent), Resource::Core, limit).map(drop))),
                ("setrlimit", is(process::setrlimit(Resource::Core, limit))),
            ]
        }

        /// What a thread may still do, in its own words. Rights are those of a thread and of those that it
        /// starts.
        #[test]
        fn what_is_left_is_reading_and_the_outputs() {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("out");
            let there = folder.path().join("there.json");
            let (inside, beside) = (out.join("new/report.md"), folder.path().join("beside"));
            fs::create_dir(&out).unwrap();
            fs::write(&there, "old").unwrap();
            fs::write(&beside, "kept").unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let sandboxed = std::thread::spawn(move || {
                let writes = [Write::Folder { path: out.clone(), folders: true }, Write::File(there.clone())];
                if let Err(why) = take(&writes) {
                    return Some(why.to_string());
                }
                let inherited = std::thread::spawn(move || {
                    // Reading goes on, everywhere.
                    assert_eq!(fs::read_to_string(&beside).unwrap(), "kept");
                    fs::create_dir_all(inside.parent().unwrap()).unwrap();
                    File::create(&inside).unwrap().write_all(b"written").unwrap();
                    fs::write(&there, "new").unwrap();
                    crate::source::temporary_file().unwrap().write_all(b"x").unwrap();
                    assert!(TcpStream::connect(address).is_err());
                    assert!(TcpListener::bind("127.0.0.1:0").is_err());
                    assert!(UdpSocket::bind("127.0.0.1:0").is_err());
                    assert!(UnixStream::pair().is_err());
                    assert!(Command::new("/bin/true").status().is_err());
                    let allowed: Vec<&str> = probes(&beside)
                        .into_iter()
                        .filter(|(_, refused)| !refused)
                        .map(|(call, _)| call)
                        .collect();
                    assert!(allowed.is_empty(), "allowed: {allowed:?}");
                    // Where temporary files are made all is allowed, and a test's folder may lie there.
                    if !beside.starts_with(crate::source::temporary_folder()) {
                        assert!(fs::write(&beside, "changed").is_err());
                        assert!(fs::remove_file(&beside).is_err());
                    }
                    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
                    assert!(File::create(home.join("sandbox.tmp")).is_err());
                    assert!(File::options().write(true).open(home.join("Cargo.toml")).is_err());
                    assert!(fs::create_dir(home.join("sandbox")).is_err());
                });
                inherited.join().unwrap();
                None
            });
            match sandboxed.join().unwrap() {
                Some(why) => {
                    assert!(std::env::var_os("CI").is_none(), "{why}");
                    println!("not shown: {why}");
                }
                None => {
                    assert_eq!(fs::read_to_string(folder.path().join("there.json")).unwrap(), "new");
                    assert!(TcpStream::connect(address).is_ok());
                }
            }
        }
    }
}
