//! A compressed stream that a thread of its own inflates, a few steps ahead of who reads it: what was inflated
//! goes to its place, often to a file, while the decoder goes on.
#![deny(clippy::indexing_slicing)]

use super::archive::fill;
use super::first_error::FirstError;
use super::spool::Metered;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};

/// Packed bytes from which on a stream is worth a thread.
pub(super) const LARGE: usize = 16 << 20;

/// Bytes inflated in one step.
const STEP: usize = 256 << 10;

/// How many steps may wait until they are read.
const WAITING: usize = 4;

/// What one step brought, and how many packed bytes were taken until then.
struct Step {
    read: io::Result<Vec<u8>>,
    taken: u64,
}

/// Has `read` read a stream of `packed` bytes, a large one while a thread inflates it. The counter that `read`
/// gets says how many packed bytes were taken for what it has read.
pub(super) fn inflated<R>(
    stream: Metered<'_>,
    packed: usize,
    taken: &AtomicU64,
    read: impl FnOnce(Metered<'_>, &AtomicU64) -> R,
) -> R {
    if packed < LARGE || cfg!(target_family = "wasm") {
        return read(stream, taken);
    }
    let (stream, meter) = stream.apart();
    // Whoever reads takes the stream from here: this thread, if no other can be started.
    let stream = Mutex::new(Some(stream));
    let take = || stream.lock().unwrap_or_else(PoisonError::into_inner).take();
    let seen = AtomicU64::new(taken.load(Ordering::Relaxed));
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel(WAITING);
        let (give_back, spare) = channel();
        let inflate = move || {
            if let Some(mut stream) = take() {
                send_steps(&mut *stream, taken, &send, &spare);
            }
        };
        match std::thread::Builder::new().spawn_scoped(scope, inflate) {
            Ok(inflating) => {
                let steps = Steps { receive, give_back, step: Vec::new(), at: 0, taken: &seen };
                let made = read(meter.with(Box::new(FirstError::from_decoder(steps))), &seen);
                // The thread ends at the first step that is not taken any more.
                let _ = inflating.join();
                made
            }
            Err(_) => read(meter.with(take().unwrap_or_else(|| Box::new(io::empty()))), taken),
        }
    })
}

/// Reads a stream to its end or first error, step by step, as long as the steps are taken.
fn send_steps(stream: &mut dyn Read, taken: &AtomicU64, send: &SyncSender<Step>, spare: &Receiver<Vec<u8>>) {
    loop {
        // A step that was read is overwritten, so that only new ones are filled with zeros.
        let mut bytes = spare.try_recv().unwrap_or_default();
        bytes.resize(STEP, 0);
        let (count, ended) = fill(stream, &mut bytes);
        bytes.truncate(count);
        let taken = taken.load(Ordering::Relaxed);
        if count > 0 && send.send(Step { read: Ok(bytes), taken }).is_err() {
            return;
        }
        match ended {
            Ok(false) => {}
            Ok(true) => return,
            Err(error) => {
                // If the reader is gone, the error is of no interest.
                let _ = send.send(Step { read: Err(error), taken });
                return;
            }
        }
    }
}

/// The steps as one stream.
struct Steps<'t> {
    receive: Receiver<Step>,
    /// Takes the memory of steps that were read.
    give_back: Sender<Vec<u8>>,
    step: Vec<u8>,
    /// How much of `step` was read.
    at: usize,
    taken: &'t AtomicU64,
}

impl Read for Steps<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.step.len() {
            let Ok(next) = self.receive.recv() else { return Ok(0) };
            self.taken.store(next.taken, Ordering::Relaxed);
            let read = std::mem::replace(&mut self.step, next.read?);
            self.at = 0;
            // The thread is gone behind its last step.
            let _ = self.give_back.send(read);
        }
        let mut rest = self.step.get(self.at..).unwrap_or_default();
        let read = rest.read(out)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::budget::InflateBudget;

    /// Gives `left` bytes, a few at a time, and then an error, if it has one.
    struct Numbers {
        at: usize,
        left: usize,
        error: Option<&'static str>,
    }

    impl Read for Numbers {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = out.len().min(self.left).min(70_001);
            for byte in &mut out[..count] {
                *byte = (self.at % 251) as u8;
                self.at += 1;
            }
            self.left -= count;
            match self.error {
                Some(error) if count == 0 => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
                _ => Ok(count),
            }
        }
    }

    fn read_all(
        left: usize,
        packed: usize,
        error: Option<&'static str>,
    ) -> (Vec<u8>, io::Result<usize>, u64) {
        let budget = InflateBudget::for_package(1 << 30);
        let stream = Metered::new(Box::new(Numbers { at: 0, left, error }), budget.at(0));
        let taken = AtomicU64::new(7);
        let mut out = Vec::new();
        let (ended, position) = inflated(stream, packed, &taken, |mut stream, seen| {
            let ended = stream.read_to_end(&mut out);
            assert_eq!(seen.load(Ordering::Relaxed), 7);
            assert_eq!(stream.read(&mut [0]).map_err(|e| e.kind()).ok(), error.is_none().then_some(0));
            (ended, stream.position())
        });
        (out, ended, position)
    }

    #[test]
    fn all_bytes_come_in_order_and_errors_behind_them() {
        for packed in [1, LARGE] {
            for left in [0, 1, STEP - 1, STEP, STEP + 1, 9 * STEP + 17] {
                let expected: Vec<u8> = (0..left).map(|at| (at % 251) as u8).collect();
                for error in [None, Some("broken")] {
                    let (out, ended, position) = read_all(left, packed, error);
                    assert!(out == expected, "{packed} {left}");
                    assert_eq!(ended.map_err(|e| e.to_string()).err().as_deref(), error);
                    assert_eq!(position, left as u64);
                }
            }
        }
    }

    #[test]
    fn a_reader_that_stops_ends_the_thread() {
        let budget = InflateBudget::for_package(1 << 30);
        let endless = Numbers { at: 0, left: usize::MAX, error: None };
        let stream = Metered::new(Box::new(endless), budget.at(0));
        let read = inflated(stream, LARGE, &AtomicU64::new(0), |mut stream, _| {
            stream.read_exact(&mut vec![0; STEP + 1]).is_ok()
        });
        assert!(read);
    }
}
