//! The threads that audits run on.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The pool, and the process that made it: threads do not live on in a process that was forked.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The pool of this process, as many threads as `RAYON_NUM_THREADS` or the cores; none where the system gives no threads.
pub fn pool() -> Option<Arc<ThreadPool>> {
    let own = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*pool
        && *process == own
    {
        return Some(Arc::clone(pool));
    }
    let made = Arc::new(ThreadPoolBuilder::new().thread_name(|at| format!("rocm-audit-{at}")).build().ok()?);
    // The one of another process is left alone: its threads are not here to be waited for.
    if let Some(old) = pool.replace((own, Arc::clone(&made))) {
        std::mem::forget(old);
    }
    Some(made)
}

/// The process that loaded the module: rayon's common threads are its own.
static HOME: OnceLock<u32> = OnceLock::new();

/// Says that the module was loaded, in this process.
pub fn loaded() {
    HOME.get_or_init(std::process::id);
}

/// Runs something that may wait for whoever takes what it gives, on the thread that calls. A pool's threads help it and never wait
/// themselves: were they to, as many streams as there are threads would keep the next one from beginning.
pub fn beside_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if HOME.get() == Some(&std::process::id()) {
        return work();
    }
    // In a process that was forked the common threads are not there: such a run has threads of its own.
    match ThreadPoolBuilder::new().thread_name(|at| format!("rocm-audit-{at}")).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
