//! The threads that audits run on.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

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
