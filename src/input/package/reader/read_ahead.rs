//! Members that are read from a stream while those before them are looked at.
#![deny(clippy::indexing_slicing)]

use super::{Member, Walked};

/// Takes a batch of members; false where nobody wants more.
pub(super) type Send<'s, 'p> = dyn FnMut(Vec<Member<'p>>) -> bool + 's;

/// Has a thread of its own read a stream, and hands on what it sends. Behind a rendezvous, so that at most one batch is waiting.
#[cfg(not(target_family = "wasm"))]
pub(super) fn read_ahead<'p>(
    read: impl FnOnce(&mut Send<'_, 'p>) -> Walked + std::marker::Send,
    each: &mut dyn FnMut(Vec<Member<'_>>),
    failed: impl FnOnce() -> Walked,
) -> Walked
where
    Member<'p>: std::marker::Send,
{
    let (send, receive) = std::sync::mpsc::sync_channel(0);
    std::thread::scope(|scope| {
        let producer = scope.spawn(move || read(&mut |batch| send.send(batch).is_ok()));
        receive.iter().for_each(&mut *each);
        producer.join().unwrap_or_else(|_| failed())
    })
}

/// Where there are no threads, each batch is looked at before the next is read.
#[cfg(target_family = "wasm")]
pub(super) fn read_ahead<'p>(
    read: impl FnOnce(&mut Send<'_, 'p>) -> Walked,
    each: &mut dyn FnMut(Vec<Member<'_>>),
    _: impl FnOnce() -> Walked,
) -> Walked {
    read(&mut |batch| {
        each(batch);
        true
    })
}
