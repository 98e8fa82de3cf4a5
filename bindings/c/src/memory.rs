//! What Rust's standard library would bring: memory, from the C library, and the end of the process where a
//! mistake of ours is found.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_int, c_void};
use core::ptr;

#[link(name = "c")]
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(at: *mut c_void, size: usize) -> *mut c_void;
    fn posix_memalign(at: *mut *mut c_void, align: usize, size: usize) -> c_int;
    fn free(at: *mut c_void);
    #[cfg(not(test))]
    fn abort() -> !;
}

/// What any memory of `malloc` is aligned to.
const ALIGNED: usize = 2 * size_of::<usize>();

/// The memory of the C library.
struct OfC;

#[cfg(not(test))]
#[global_allocator]
static MEMORY: OfC = OfC;

// SAFETY: the C library gives out memory of the size that is asked for, aligned as above or as asked for, once
// until it is freed, and null if there is none.
unsafe impl GlobalAlloc for OfC {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNED {
            // SAFETY: the caller asks for more than no bytes.
            return unsafe { malloc(layout.size()) }.cast();
        }
        let mut at = ptr::null_mut();
        // SAFETY: an alignment is a power of two, and this one is a multiple of that of pointers.
        match unsafe { posix_memalign(&raw mut at, layout.align(), layout.size()) } {
            0 => at.cast(),
            _ => ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNED {
            // SAFETY: as above.
            return unsafe { calloc(1, layout.size()) }.cast();
        }
        // SAFETY: as above; what was given out has that many bytes.
        unsafe {
            let at = self.alloc(layout);
            if !at.is_null() {
                at.write_bytes(0, layout.size());
            }
            at
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller got `at` here for this layout, and `size` is one that a layout may have.
        unsafe {
            if layout.align() <= ALIGNED {
                return realloc(at.cast(), size).cast();
            }
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(at, new, layout.size().min(size));
                self.dealloc(at, layout);
            }
            new
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, _: Layout) {
        // SAFETY: the caller got `at` here and does not use it again.
        unsafe { free(at.cast()) };
    }
}

/// A panic would be a mistake of ours; it never unwinds into a caller's frames.
#[cfg(not(test))]
#[panic_handler]
fn ends(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: it asks for nothing.
    unsafe { abort() }
}

// The parts of Rust's own library that are used were compiled to unwind, and name two functions for that. With the
// handler above nothing unwinds: nothing of this library is what calls them, and who brings them is not asked for.
// Weak names are what no linker has to find, and leave those of a program's other libraries as they are.
#[cfg(not(test))]
core::arch::global_asm!(".weak rust_eh_personality", ".weak _Unwind_Resume");

// For the same reason the tables for unwinding, a seventh of a small program, are for debuggers only. They go where
// those look for theirs, which is not loaded, and which `strip` removes.
#[cfg(not(test))]
core::arch::global_asm!(".cfi_sections .debug_frame");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_zeroed_and_kept_where_it_grows() {
        for align in [1, 8, ALIGNED, 64, 4096] {
            let layout = Layout::from_size_align(100, align).unwrap();
            // SAFETY: the layout has bytes, and what is given out is used within them and freed once.
            unsafe {
                let first = OfC.alloc_zeroed(layout);
                assert!(!first.is_null() && first.addr().is_multiple_of(align));
                assert!((0..100).all(|at| *first.add(at) == 0), "{align}");
                (0..100).for_each(|at| *first.add(at) = at as u8);
                let grown = OfC.realloc(first, layout, 100_000);
                assert!(!grown.is_null() && grown.addr().is_multiple_of(align));
                assert!((0..100).all(|at| *grown.add(at) == at as u8), "{align}");
                OfC.dealloc(grown, Layout::from_size_align(100_000, align).unwrap());
                let most = Layout::from_size_align(isize::MAX as usize - align, align).unwrap();
                assert!(OfC.alloc(most).is_null());
            }
        }
    }
}
