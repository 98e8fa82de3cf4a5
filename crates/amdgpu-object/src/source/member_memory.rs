//! Memory for unpacked members of packages, shared by all threads.

use crate::limits::MEMBERS_IN_MEMORY;
use std::sync::{Mutex, PoisonError};

/// Memory that holds an unpacked member. Requests never wait: without free memory, the bytes go to a file.
/// Used memory is reused, since new memory costs as much as inflating into it.
#[derive(Debug)]
pub struct MemberMemory(Vec<u8>);

#[derive(Debug, Default)]
struct Members {
    /// Bytes in use and in idle pieces.
    taken: u64,
    idle: Vec<Vec<u8>>,
}

static MEMBERS: Mutex<Members> = Mutex::new(Members { taken: 0, idle: Vec::new() });

/// How many times larger than requested a reused piece may be.
const LOOSE: usize = 4;

impl MemberMemory {
    /// Empty memory for `bytes`, if that much of [`MEMBERS_IN_MEMORY`] is free.
    pub fn reserve(bytes: u64) -> Option<Self> {
        // Pieces of similar size can replace each other.
        let rounded =
            bytes.checked_next_multiple_of(bytes.checked_next_power_of_two()? / 16)?.min(MEMBERS_IN_MEMORY);
        let wanted = usize::try_from(rounded).ok().filter(|_| bytes <= MEMBERS_IN_MEMORY)?;
        let mut all = MEMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |one: &Vec<u8>| one.capacity() >= wanted && one.capacity() / LOOSE <= wanted;
        if let Some(at) = all.idle.iter().position(fits) {
            return Some(MemberMemory(all.idle.swap_remove(at)));
        }
        while all.taken + rounded > MEMBERS_IN_MEMORY {
            let given_up = all.idle.pop()?;
            all.taken -= given_up.capacity() as u64;
        }
        let mut memory = Vec::new();
        memory.try_reserve_exact(wanted).ok()?;
        all.taken += memory.capacity() as u64;
        Some(MemberMemory(memory))
    }

    /// The bytes; never more than requested, so that memory is never moved.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Capacity in bytes.
    pub fn room(&self) -> u64 {
        self.0.capacity() as u64
    }

    /// The buffer to write to, within [`MemberMemory::room`].
    pub fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }

    /// Frees idle memory.
    pub fn give_up_idle() {
        let mut all = MEMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = std::mem::take(&mut all.idle);
        all.taken -= idle.iter().map(|one| one.capacity() as u64).sum::<u64>();
    }
}

impl Drop for MemberMemory {
    fn drop(&mut self) {
        self.0.clear();
        let mut all = MEMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        all.idle.push(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_members_is_bounded_and_used_again() {
        assert!(
            MemberMemory::reserve(MEMBERS_IN_MEMORY + 1).is_none()
                && MemberMemory::reserve(u64::MAX).is_none()
        );
        let mut all = MemberMemory::reserve(MEMBERS_IN_MEMORY).unwrap();
        all.bytes_mut().push(7);
        let place = all.bytes().as_ptr();
        assert!(MemberMemory::reserve(1).is_none());
        drop(all);
        let again = MemberMemory::reserve(MEMBERS_IN_MEMORY / 2).unwrap();
        assert!(again.bytes().is_empty() && again.bytes().as_ptr() == place);
        drop(again);
        // An idle piece that does not fit is freed.
        let small = MemberMemory::reserve(4000).unwrap();
        assert_eq!(small.room(), 4096);
        drop(small);
        MemberMemory::give_up_idle();
        assert_eq!(MEMBERS.lock().unwrap().taken, 0);
    }
}
