//! The threads for audits.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The pool, and the id of the process that made it: threads do not survive a fork.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// This process's pool, with `RAYON_NUM_THREADS` threads or one for each core; `None` if the system refuses
/// threads.
pub fn pool() -> Option<Arc<ThreadPool>> {
    let own = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*pool
        && *process == own
    {
        return Some(Arc::clone(pool));
    }
    let made = Arc::new(ThreadPoolBuilder::new().thread_name(|at| format!("rocm-audit-{at}")).build().ok()?);
    // Leaks another process's pool: its threads do not exist here, so dropping it would wait forever.
    if let Some(old) = pool.replace((own, Arc::clone(&made))) {
        std::mem::forget(old);
    }
    Some(made)
}

/// The process that loaded the module, which owns rayon's global threads.
static HOME: OnceLock<u32> = OnceLock::new();

/// Records that this process loaded the module.
pub fn loaded() {
    HOME.get_or_init(std::process::id);
}

/// Runs work that may wait for its consumer on the calling thread. Pool threads help but never wait
/// themselves: otherwise as many streams as there are threads could keep the next one from starting.
pub fn beside_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if HOME.get() == Some(&std::process::id()) {
        return work();
    }
    // After a fork rayon's global threads do not exist, so such a run gets its own threads.
    match ThreadPoolBuilder::new().thread_name(|at| format!("rocm-audit-{at}")).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
