//! Rights that the program takes from itself before it reads anything: it only reads then, and writes where it was asked to.
//!
//! What is read may be made to harm. A reader that such bytes take over can open no connection, start no program, write no
//! file but the outputs and temporary ones, and look into no other process: Landlock refuses writing and executing, a seccomp
//! filter the rest. Both hold for all threads from here on and cannot be taken back.

use crate::error::AuditError;
use clap::ValueEnum;
use std::path::PathBuf;

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

impl Sandbox {
    /// Takes the rights. `writes` may be written: files, and folders with all in them, whether they are there yet or not.
    ///
    /// # Errors
    /// Where all are to be taken and the system cannot do that.
    pub fn enter(self, writes: &[PathBuf]) -> Result<(), AuditError> {
        let entered = match self {
            Sandbox::Off => return Ok(()),
            Sandbox::Auto | Sandbox::On => rights::take(writes),
        };
        match entered {
            Err(why) if self == Sandbox::On => Err(AuditError::Usage(format!(
                "--sandbox on: {why}; `--sandbox auto` takes what rights it can"
            ))),
            _ => Ok(()),
        }
    }
}

#[cfg(not(all(target_os = "linux", feature = "sandbox")))]
mod rights {
    use std::path::PathBuf;

    pub(super) fn take(_: &[PathBuf]) -> Result<(), String> {
        Err(if cfg!(target_os = "linux") {
            "this build is without the feature `sandbox`".into()
        } else {
            "only Linux has what it needs, Landlock and seccomp".into()
        })
    }
}

#[cfg(all(target_os = "linux", feature = "sandbox"))]
mod rights {
    use landlock::{
        ABI, AccessFs, BitFlags, PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, RulesetStatus,
    };
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    use std::path::{Path, PathBuf};

    /// Linux 6.2: the first whose Landlock has a word about cutting files.
    const LANDLOCK: ABI = ABI::V3;

    pub(super) fn take(writes: &[PathBuf]) -> Result<(), String> {
        // Even where the first is not there, the second is worth having.
        let files = files(writes);
        let calls = calls();
        match files {
            Ok(status) if status.ruleset == RulesetStatus::FullyEnforced => calls,
            Ok(_) => Err("this kernel has no Landlock, or an older one than that of Linux 6.2".into()),
            Err(why) => Err(format!("Landlock: {why}")),
        }
    }

    /// Refuses writing and executing, but for what lies at or below `writes` and where temporary files are made.
    fn files(writes: &[PathBuf]) -> Result<RestrictionStatus, RulesetError> {
        let write = AccessFs::from_write(LANDLOCK);
        let temporary = crate::source::temporary_folder();
        let mut rules = Ruleset::default().handle_access(write | AccessFs::Execute)?.create()?;
        for path in writes.iter().chain([&temporary]) {
            let Some((path, rights)) = allowed(path, write) else { continue };
            // What cannot be opened is said when it is written.
            if let Ok(file) = PathFd::new(path) {
                rules = rules.add_rule(PathBeneath::new(file, rights))?;
            }
        }
        rules.restrict_self()
    }

    /// Where a rule stands for a path, and for what: the path, else the first folder above it that is there.
    fn allowed(path: &Path, write: BitFlags<AccessFs>) -> Option<(&Path, BitFlags<AccessFs>)> {
        if path.is_dir() {
            return Some((path, write));
        }
        if path.exists() {
            return Some((path, write & AccessFs::from_file(LANDLOCK)));
        }
        let above = path.ancestors().skip(1).map(|above| match above.as_os_str().is_empty() {
            true => Path::new("."),
            false => above,
        });
        above.into_iter().find(|above| above.is_dir()).map(|above| (above, write))
    }

    /// Refuses connections, other programs, other processes, and what changes the system.
    fn calls() -> Result<(), String> {
        let said = |error: &dyn std::fmt::Display| format!("seccomp: {error}");
        let machine = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| said(&error))?;
        let refused = REFUSED.iter().flat_map(|call| {
            // The same calls under the numbers of x32, where a kernel has it.
            let x32 = (machine == TargetArch::x86_64).then_some(call | 0x4000_0000);
            [Some(*call), x32].into_iter().flatten()
        });
        let errno = SeccompAction::Errno(libc::EPERM as u32);
        let rules = refused.map(|call| (call, Vec::new())).collect();
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, errno, machine);
        let program: BpfProgram = filter.and_then(BpfProgram::try_from).map_err(|error| said(&error))?;
        seccompiler::apply_filter(&program).map_err(|error| said(&error))
    }

    /// System calls that nothing here needs.
    const REFUSED: &[libc::c_long] = &[
        // Connections.
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_accept,
        libc::SYS_accept4,
        libc::SYS_sendto,
        libc::SYS_sendmsg,
        libc::SYS_sendmmsg,
        // Rings of calls that no filter sees.
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        // Other programs and processes.
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_memfd_create,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_send_signal,
        libc::SYS_kill,
        libc::SYS_unshare,
        libc::SYS_setns,
        // The system.
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_sethostname,
        libc::SYS_open_by_handle_at,
    ];

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::fs::{self, File};
        use std::io::Write;
        use std::net::{TcpListener, TcpStream, UdpSocket};
        use std::os::unix::net::UnixStream;
        use std::process::Command;

        /// What a thread may still do, in its own words. Rights are those of a thread and of those that it starts.
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
                if let Err(why) = take(&[out.clone(), there.clone(), inside.clone()]) {
                    return Some(why);
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
