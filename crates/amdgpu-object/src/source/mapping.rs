//! Mappings of files, and protection against another process that shortens them.
//!
//! This is the only module with `unsafe` code, for four reasons. Mapping a file is unsafe because another
//! process may change it while we read. A file that grows beyond the limit for the process ends the process
//! by a signal. And if another process *shortens* a mapped file, the kernel answers the next access with
//! `SIGBUS`, which ends the process; an auditor must report such a file and go on. So a handler replaces the
//! lost pages with zeros and records the fact, and callers must use
//! [`SourceFile::check_unchanged`](super::SourceFile::check_unchanged) before trusting what they read. The allocator
//! returns free memory to the system only when it is asked to.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

/// A read-only, private mapping of a file, known to the `SIGBUS` handler while it exists.
#[derive(Debug)]
pub(super) struct Mapping {
    map: memmap2::Mmap,
    #[cfg(unix)]
    slot: usize,
}

impl Mapping {
    pub(super) fn new(file: &File, len: u64) -> io::Result<Self> {
        let len = usize::try_from(len)
            .map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, "larger than the address space"))?;
        // SAFETY: the mapping is private and read-only. Another process may still change the file under us:
        // then bytes we read twice may differ, which no code here relies on (every index is checked, no byte
        // is taken for UTF-8, a bool or an enum without a check), or pages may vanish, which `sigbus` below
        // handles.
        let map = unsafe { memmap2::MmapOptions::new().len(len).map(file)? };
        #[cfg(unix)]
        {
            let slot = sigbus::register(map.as_ptr() as usize, len)?;
            Ok(Mapping { map, slot })
        }
        #[cfg(not(unix))]
        Ok(Mapping { map })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether any of its pages were replaced by zeros.
    pub(super) fn lost_pages(&self) -> bool {
        #[cfg(unix)]
        return sigbus::was_hit(self.slot);
        #[cfg(not(unix))]
        false
    }

    /// A hint; if the system ignores it, only time is lost.
    pub(super) fn expect(&self, access: super::Access) {
        #[cfg(unix)]
        let _ = self.map.advise(match access {
            super::Access::Headers => memmap2::Advice::Random,
            super::Access::Content => memmap2::Advice::Normal,
        });
        #[cfg(not(unix))]
        let _ = access;
    }
}

#[cfg(unix)]
impl Drop for Mapping {
    fn drop(&mut self) {
        sigbus::forget(self.slot);
    }
}

/// Makes a file that grows beyond the limit of the process (`ulimit -f`) fail with an error, as on a full
/// disk. Otherwise the signal `SIGXFSZ` would silently end the program in the middle of a file.
#[cfg(unix)]
pub fn outlive_file_limit() {
    // SAFETY: a signal is ignored; no code of ours runs for it, and no memory is touched.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Returns memory that is free to the system, where the allocator is glibc's: it keeps what each thread has
/// freed, which for a hostile file is many times what is in use. Takes some milliseconds, so only what took
/// much memory is followed by it.
pub fn return_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes the allocator's own locks, and gives up free pages alone.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Replaces the pages of a mapping that vanished because the file was shortened with zeros.
#[cfg(unix)]
mod sigbus {
    use std::io;
    use std::ptr;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Once, OnceLock};

    /// Start and length of every live mapping, and how often pages of it vanished. A handler may not lock or
    /// allocate, so this is a fixed table; mappings are short-lived (one for each file and thread), so it is
    /// never full in practice.
    static SLOTS: [[AtomicUsize; 3]; 4096] = [const { [const { AtomicUsize::new(0) }; 3] }; 4096];
    static INSTALL: Once = Once::new();

    /// Marks a slot as taken while its range is being written.
    const TAKEN: usize = 1;

    pub(super) fn register(start: usize, len: usize) -> io::Result<usize> {
        INSTALL.call_once(install);
        for (index, [slot_start, slot_len, hits]) in SLOTS.iter().enumerate() {
            if slot_start.compare_exchange(0, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                hits.store(0, Ordering::Release);
                slot_len.store(len, Ordering::Release);
                slot_start.store(start, Ordering::Release);
                return Ok(index);
            }
        }
        Err(io::Error::other("more than 4,096 files are mapped at once"))
    }

    pub(super) fn forget(index: usize) {
        if let Some([start, len, _]) = SLOTS.get(index) {
            len.store(0, Ordering::Release);
            start.store(0, Ordering::Release);
        }
    }

    pub(super) fn was_hit(index: usize) -> bool {
        SLOTS.get(index).is_some_and(|[_, _, hits]| hits.load(Ordering::Acquire) > 0)
    }

    /// The previous handler of `SIGBUS`: Rust's own runtime has one, to report stack overflows.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    fn install() {
        // SAFETY: `sigaction` is called with zeroed, then filled structures that outlive the call. What was
        // there before is kept and still called for every fault that is none of ours.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, ptr::null(), &mut old) != 0 || BEFORE.set(old).is_err() {
                return;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            let handler: Handler = on_sigbus;
            new.sa_sigaction = handler as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGBUS, &new, ptr::null_mut());
        }
    }

    type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

    /// Puts zero pages from the faulting page to the end of its mapping; any other `SIGBUS` keeps its
    /// meaning.
    extern "C" fn on_sigbus(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a valid `siginfo_t`. `sysconf`, `mmap` and `sigaction` are plain system
        // calls on Linux. The fixed mapping only ever replaces pages of a mapping that this module made and
        // that is still alive, with pages of the same protection.
        unsafe {
            let address = (*info).si_addr() as usize;
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            for [start, len, hits] in &SLOTS {
                let (start, len) = (start.load(Ordering::Acquire), len.load(Ordering::Acquire));
                if start > TAKEN && address >= start && address - start < len {
                    let from = address & !(page - 1);
                    let flags = libc::MAP_FIXED | libc::MAP_ANONYMOUS | libc::MAP_PRIVATE;
                    let size = start + len - from;
                    let got = libc::mmap(from as *mut libc::c_void, size, libc::PROT_READ, flags, -1, 0);
                    if got != libc::MAP_FAILED {
                        hits.fetch_add(1, Ordering::AcqRel);
                        return;
                    }
                }
            }
            match BEFORE.get() {
                Some(old) if old.sa_flags & libc::SA_SIGINFO != 0 && old.sa_sigaction > libc::SIG_IGN => {
                    let handler = std::mem::transmute::<usize, Handler>(old.sa_sigaction);
                    handler(signal, info, context);
                }
                _ => {
                    let mut default: libc::sigaction = std::mem::zeroed();
                    default.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(libc::SIGBUS, &default, ptr::null_mut());
                }
            }
        }
    }
}
