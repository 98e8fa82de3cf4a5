//! Work shared among threads without the thread pool.
//!
//! While waiting, a pool thread takes other work from the pool. A thread that decodes may hold a share of the
//! memory for inflating ([`MemoryPermit`](crate::budget::MemoryPermit)); if it started the next bundle while
//! it waits, it could wait for a share that only it can return. Here a thread waits only for its own work.

/// Applies `make` to each part and keeps their order; on all cores with the feature `rayon`. The calling
/// thread works too.
#[cfg(feature = "rayon")]
pub(super) fn each_in_order<T: Send, W: Send>(parts: Vec<T>, make: impl Fn(T) -> W + Sync) -> Vec<W> {
    use std::sync::{Mutex, PoisonError};
    let threads = rayon::current_num_threads();
    let count = parts.len();
    if count < 2 || threads < 2 {
        return parts.into_iter().map(make).collect();
    }
    let to_do = Mutex::new(parts.into_iter().enumerate());
    let done = Mutex::new(Vec::with_capacity(count));
    let step = || {
        let next = to_do.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((index, part)) = next else { return false };
        let made = make(part);
        done.lock().unwrap_or_else(PoisonError::into_inner).push((index, made));
        true
    };
    let rest = || to_do.lock().unwrap_or_else(PoisonError::into_inner).len();
    std::thread::scope(|scope| {
        let _own = Seat::always();
        // Cores that become free in the meantime join between two parts.
        loop {
            for _ in 1..rest() {
                let Some(seat) = Seat::within(threads) else { break };
                let work = move || {
                    let _seat = seat;
                    while step() {}
                };
                // If no thread can be started, this thread does the work.
                if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            if !step() {
                break;
            }
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, made)| made).collect()
}

#[cfg(all(feature = "std", not(feature = "rayon")))]
pub(super) fn each_in_order<T, W>(parts: Vec<T>, make: impl Fn(T) -> W) -> Vec<W> {
    parts.into_iter().map(make).collect()
}

/// Runs both: the second on a core that has no other work here, or else after the first.
#[cfg(feature = "rayon")]
pub(crate) fn beside<A, B: Send>(own: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    let threads = rayon::current_num_threads();
    let seat = {
        // This thread works, too; while it shares its work, it takes a seat there.
        let _own = Seat::always();
        Seat::within(threads)
    };
    let Some(seat) = seat else {
        let made = own();
        return (made, other());
    };
    std::thread::scope(|scope| {
        let work = || {
            let _seat = seat;
            other()
        };
        let begun = std::thread::Builder::new().spawn_scoped(scope, work);
        let made = own();
        let beside = match begun {
            Ok(begun) => begun.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => other(),
        };
        (made, beside)
    })
}

#[cfg(not(feature = "rayon"))]
pub(crate) fn beside<A, B>(own: impl FnOnce() -> A, other: impl Fn() -> B) -> (A, B) {
    let made = own();
    (made, other())
}

/// One of the threads at work here, counted over all callers.
#[cfg(feature = "rayon")]
struct Seat;

#[cfg(feature = "rayon")]
static SEATS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

#[cfg(feature = "rayon")]
impl Seat {
    fn always() -> Self {
        SEATS.fetch_add(1, std::sync::atomic::Ordering::AcqRel);
        Seat
    }

    /// A seat, if fewer than `threads` are taken.
    fn within(threads: usize) -> Option<Self> {
        use std::sync::atomic::Ordering::{AcqRel, Acquire};
        let one_more = |seats: usize| (seats < threads).then_some(seats + 1);
        SEATS.fetch_update(AcqRel, Acquire, one_more).ok().map(|_| Seat)
    }
}

#[cfg(feature = "rayon")]
impl Drop for Seat {
    fn drop(&mut self) {
        SEATS.fetch_sub(1, std::sync::atomic::Ordering::AcqRel);
    }
}

#[cfg(test)]
#[cfg(feature = "rayon")]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn results_come_in_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let made = pool.install(|| each_in_order((0..1000u64).collect(), |n| n * n));
        assert_eq!(made, (0..1000u64).map(|n| n * n).collect::<Vec<_>>());
    }

    #[test]
    fn both_are_run_whether_a_core_is_free_or_not() {
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let ran = pool.install(|| beside(|| thread::current().id(), || thread::current().id()));
            // Tests run side by side, so that all seats may be taken: only one thread is certain.
            assert!(threads > 1 || ran.0 == ran.1);
            let sums = || (0..1000u64).sum::<u64>();
            assert_eq!(
                pool.install(|| beside(|| each_in_order(vec![1, 2], |n| n), sums)),
                (vec![1, 2], 499_500)
            );
        }
    }

    #[test]
    fn a_thread_that_waits_takes_up_nothing_of_the_pool() {
        const OTHERS: usize = 8;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (ran, here) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.scope(|scope| {
            scope.spawn(|scope| {
                let caller = thread::current().id();
                let (here, ran) = (&here, &ran);
                let others = move |_: &rayon::Scope<'_>| {
                    here.fetch_add(usize::from(thread::current().id() == caller), Ordering::SeqCst);
                    ran.fetch_add(1, Ordering::SeqCst);
                };
                (0..OTHERS).for_each(|_| scope.spawn(others));
                // The part on another thread ends after all other work of the pool, so that this thread must
                // wait.
                each_in_order(vec![(); 4], |()| {
                    while thread::current().id() != caller && ran.load(Ordering::SeqCst) < OTHERS {
                        thread::yield_now();
                    }
                });
                assert_eq!(here.load(Ordering::SeqCst), 0);
            });
        });
    }
}
