//! What is inside an AMD GPU kernel: how many of its waves a SIMD unit holds, where its code goes, which registers are in use.
//!
//! Everything is computed from bytes: the instructions of a kernel and its descriptor. No GPU, no driver and no compiler is asked.

#![warn(missing_debug_implementations)]

pub mod occupancy;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
