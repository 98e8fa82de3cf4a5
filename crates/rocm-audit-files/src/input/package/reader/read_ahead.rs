//! Members that are read from a stream while those before them are looked at.
#![deny(clippy::indexing_slicing)]

use super::{Member, PackageWalk};
#[cfg(not(target_family = "wasm"))]
use crate::error::{ParseError, ParseErrorKind};

/// Takes a batch of members; false if no more are wanted.
pub(super) type Send<'s, 'p> = dyn FnMut(Vec<Member<'p>>) -> bool + 's;

/// Has a thread of its own read a stream, and hands on what it sends. Up to `waiting` batches wait while those
/// before them are looked at, beside the one that is being read.
#[cfg(not(target_family = "wasm"))]
pub(super) fn read_ahead<'p>(
    read: impl FnOnce(&mut Send<'_, 'p>) -> PackageWalk + std::marker::Send,
    base: u64,
    waiting: usize,
    each: &mut dyn FnMut(Vec<Member<'_>>),
) -> PackageWalk
where
    Member<'p>: std::marker::Send,
{
    let (send, receive) = std::sync::mpsc::sync_channel(waiting);
    std::thread::scope(|scope| {
        let read = move || read(&mut |batch| send.send(batch).is_ok());
        let producer = match std::thread::Builder::new().spawn_scoped(scope, read) {
            Ok(producer) => producer,
            Err(error) => return PackageWalk::failed(no_thread(base, &error)),
        };
        receive.iter().for_each(&mut *each);
        producer
            .join()
            .unwrap_or_else(|_| PackageWalk::failed(ParseError::new(base, "reading the package failed")))
    })
}

/// If there are no threads, each batch is looked at before the next is read.
#[cfg(target_family = "wasm")]
pub(super) fn read_ahead<'p>(
    read: impl FnOnce(&mut Send<'_, 'p>) -> PackageWalk,
    _base: u64,
    _waiting: usize,
    each: &mut dyn FnMut(Vec<Member<'_>>),
) -> PackageWalk {
    read(&mut |batch| {
        each(batch);
        true
    })
}

/// What is said where the system gives no thread to read a package with.
#[cfg(not(target_family = "wasm"))]
fn no_thread(base: u64, error: &std::io::Error) -> ParseError {
    ParseError::new(base, format!("there is no thread to read the package with: {error}"))
        .of_kind(ParseErrorKind::WorkLimit)
}
