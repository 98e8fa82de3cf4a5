//! The system calls that a run needs, and no others: a filter that refuses what is not in its list.
//!
//! The list is what Rust's library, glibc and musl, rayon, SQLite and the allocators call for reading files,
//! for memory, threads and time, and for writing outputs. It holds for x86-64 and AArch64. What only some
//! need on one of them is named there.

use super::untaken::Untaken;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Whether connections may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connections {
    None,
    /// Those of the process that fetches.
    #[cfg(feature = "addresses")]
    ToServers,
}

/// Takes all other calls from this thread and those that it starts.
///
/// # Errors
/// Where the system or this machine has no filters.
pub(super) fn filter(connections: Connections) -> Result<(), Untaken> {
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    // What no filter can look into, glibc replaces by `clone` where it is not there.
    let replaced = Rules::from([(libc::SYS_clone3, Vec::new())]);
    let (allow, refuse) = (SeccompAction::Allow, SeccompAction::Errno);
    let replaced = SeccompFilter::new(replaced, allow.clone(), refuse(libc::ENOSYS as u32), machine);
    let rules = match connections {
        Connections::None => allowed(std::process::id())?,
        #[cfg(feature = "addresses")]
        Connections::ToServers => connecting(allowed(std::process::id())?)?,
    };
    let allowed = SeccompFilter::new(rules, refuse(libc::EPERM as u32), allow, machine);
    for filter in [replaced, allowed] {
        let program: BpfProgram = filter.and_then(BpfProgram::try_from)?;
        seccompiler::apply_filter(&program)?;
    }
    Ok(())
}

/// The same calls, and those that connect to servers.
#[cfg(feature = "addresses")]
fn connecting(mut rules: Rules) -> Result<Rules, BackendError> {
    rules.extend(CONNECTING.iter().map(|call| (*call, Vec::new())));
    rules.insert(libc::SYS_socket, any_of(0, Dword, &FAMILIES)?);
    let requests: Vec<u64> = REQUESTS.iter().copied().chain([NOT_BLOCKING]).collect();
    rules.insert(libc::SYS_ioctl, any_of(1, Dword, &requests)?);
    Ok(rules)
}

/// The calls that are allowed to the process `own`, and with which arguments.
fn allowed(own: u32) -> Result<Rules, BackendError> {
    let own = u64::from(own);
    let mut rules: Rules = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_ioctl, any_of(1, Dword, &REQUESTS)?);
    rules.insert(libc::SYS_prctl, any_of(0, Dword, &OWN_NAMES)?);
    // `abort` and `raise` end the program itself.
    rules.insert(libc::SYS_tgkill, any_of(0, Dword, &[own])?);
    // Limits are asked for, never set; those of others are theirs.
    let asked = |process| SeccompRule::new(vec![is(0, Dword, process)?, is(2, Qword, 0)?]);
    rules.insert(libc::SYS_prlimit64, vec![asked(0)?, asked(own)?]);
    rules.insert(libc::SYS_sched_getaffinity, any_of(0, Dword, &[0, own])?);
    // A thread, in no new namespace.
    let thread = libc::CLONE_THREAD as u64;
    let condition = SeccompCondition::new(0, Dword, MaskedEq(thread | NAMESPACES), thread)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![condition])?]);
    // Memory that is run as code was there before: what is read never is.
    let data = SeccompCondition::new(2, Dword, MaskedEq(libc::PROT_EXEC as u64), 0)?;
    let data = SeccompRule::new(vec![data])?;
    rules.insert(libc::SYS_mmap, vec![data.clone()]);
    rules.insert(libc::SYS_mprotect, vec![data]);
    Ok(rules)
}

fn is(argument: u8, len: SeccompCmpArgLen, value: u64) -> Result<SeccompCondition, BackendError> {
    let equal: SeccompCmpOp = Eq;
    SeccompCondition::new(argument, len, equal, value)
}

/// One rule for each value that an argument may have.
fn any_of(argument: u8, len: SeccompCmpArgLen, values: &[u64]) -> Result<Vec<SeccompRule>, BackendError> {
    let rule = |value: &u64| SeccompRule::new(vec![is(argument, len.clone(), *value)?]);
    values.iter().map(rule).collect()
}

/// What is asked of terminals and pipes (asm-generic/ioctls.h; the libraries of C give these numbers several
/// types): whether it is one, TCGETS and, from glibc 2.42, TCGETS2; its size, TIOCGWINSZ; what waits in it,
/// FIONREAD; and FIOCLEX, that a file is closed for programs.
const REQUESTS: [u64; 5] = [0x5401, 0x802c_542a, 0x5413, 0x541b, 0x5451];

/// Names of the own threads and, `PR_SET_VMA`, of the own memory.
const OWN_NAMES: [u64; 3] = [libc::PR_SET_NAME as u64, libc::PR_GET_NAME as u64, 0x5356_4d41];

/// Bits of `clone` that make namespaces: of mounts, control groups, names, messages, users, processes and
/// networks.
const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32 as u64;

/// Families of sockets for connections and the questions before them: IPv4, IPv6, and what addresses this machine has.
#[cfg(feature = "addresses")]
const FAMILIES: [u64; 3] = [libc::AF_INET as u64, libc::AF_INET6 as u64, libc::AF_NETLINK as u64];

/// FIONBIO: a socket is not waited for, so that a connection has a time.
#[cfg(feature = "addresses")]
const NOT_BLOCKING: u64 = 0x5421;

/// What the process that fetches calls besides, on such sockets.
#[cfg(feature = "addresses")]
const CONNECTING: &[libc::c_long] = &[
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_getsockopt,
    libc::SYS_setsockopt,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_sendmmsg,
    libc::SYS_shutdown,
];

/// What is allowed with any arguments. Landlock says which files may be written.
const ALLOWED: &[libc::c_long] = &[
    // Files that are open.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_fcntl,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_splice,
    libc::SYS_flock,
    libc::SYS_getdents64,
    // Paths.
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_statx,
    libc::SYS_newfstatat,
    libc::SYS_statfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    // Outputs and temporary files.
    libc::SYS_mkdirat,
    libc::SYS_linkat,
    libc::SYS_unlinkat,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_umask,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_membarrier,
    // Threads, and what they wait for.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_rseq,
    libc::SYS_set_tid_address,
    libc::SYS_sched_yield,
    libc::SYS_getcpu,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_clone3,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // A pager that was started before.
    libc::SYS_wait4,
    libc::SYS_waitid,
    // Signals to itself.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // What it is, where, and when.
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    // What musl, SQLite and older libraries call instead of the above.
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_select,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What docs/security.md says that is refused, whatever the arguments.
    const NEVER: &[(&str, libc::c_long)] = &[
        ("socket", libc::SYS_socket),
        ("socketpair", libc::SYS_socketpair),
        ("connect", libc::SYS_connect),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("execve", libc::SYS_execve),
        ("execveat", libc::SYS_execveat),
        ("ptrace", libc::SYS_ptrace),
        ("process_vm_writev", libc::SYS_process_vm_writev),
        ("kill", libc::SYS_kill),
        ("tkill", libc::SYS_tkill),
        ("rt_sigqueueinfo", libc::SYS_rt_sigqueueinfo),
        ("rt_tgsigqueueinfo", libc::SYS_rt_tgsigqueueinfo),
        ("pidfd_send_signal", libc::SYS_pidfd_send_signal),
        ("setpriority", libc::SYS_setpriority),
        ("sched_setaffinity", libc::SYS_sched_setaffinity),
        ("setrlimit", libc::SYS_setrlimit),
        ("fchmod", libc::SYS_fchmod),
        ("fchmodat", libc::SYS_fchmodat),
        ("fchown", libc::SYS_fchown),
        ("fchownat", libc::SYS_fchownat),
        ("setxattr", libc::SYS_setxattr),
        ("fsetxattr", libc::SYS_fsetxattr),
        ("removexattr", libc::SYS_removexattr),
        ("utimensat", libc::SYS_utimensat),
        ("mknodat", libc::SYS_mknodat),
        ("symlinkat", libc::SYS_symlinkat),
        ("unshare", libc::SYS_unshare),
        ("setns", libc::SYS_setns),
        ("mount", libc::SYS_mount),
        ("fsopen", libc::SYS_fsopen),
        ("open_tree", libc::SYS_open_tree),
        ("chroot", libc::SYS_chroot),
        ("shmget", libc::SYS_shmget),
        ("msgget", libc::SYS_msgget),
        ("semget", libc::SYS_semget),
        ("mq_open", libc::SYS_mq_open),
        ("memfd_create", libc::SYS_memfd_create),
        ("fanotify_init", libc::SYS_fanotify_init),
        ("inotify_init1", libc::SYS_inotify_init1),
        ("add_key", libc::SYS_add_key),
        ("keyctl", libc::SYS_keyctl),
        ("acct", libc::SYS_acct),
        ("quotactl", libc::SYS_quotactl),
        ("syslog", libc::SYS_syslog),
        ("clock_adjtime", libc::SYS_clock_adjtime),
        ("setdomainname", libc::SYS_setdomainname),
        ("personality", libc::SYS_personality),
        ("bpf", libc::SYS_bpf),
        ("perf_event_open", libc::SYS_perf_event_open),
        ("userfaultfd", libc::SYS_userfaultfd),
        ("pkey_mprotect", libc::SYS_pkey_mprotect),
        ("seccomp", libc::SYS_seccomp),
        ("setuid", libc::SYS_setuid),
        // Not tried by the probe: it would end the session of who runs it.
        ("vhangup", libc::SYS_vhangup),
    ];

    #[test]
    fn what_the_docs_refuse_is_not_in_the_list() {
        let rules = allowed(7).unwrap();
        let found: Vec<&str> =
            NEVER.iter().filter(|(_, call)| rules.contains_key(call)).map(|(name, _)| *name).collect();
        assert!(found.is_empty(), "{found:?}");
        // These by some arguments only.
        for call in [
            libc::SYS_ioctl,
            libc::SYS_clone,
            libc::SYS_tgkill,
            libc::SYS_prlimit64,
            libc::SYS_prctl,
            libc::SYS_mmap,
            libc::SYS_mprotect,
        ] {
            assert!(rules.get(&call).is_some_and(|rules| !rules.is_empty()), "{call}");
        }
        // TIOCSTI: what is typed.
        assert!(!REQUESTS.contains(&0x5412));
    }
}
