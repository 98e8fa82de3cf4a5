//! `amdgpu-object` for C and WebAssembly: whether a file serves a card, and what it has for which target.
//!
//! `amdgpu_object.h` says what the functions promise. They are in [`boundary`], which has
//! `unsafe`: a caller hands over addresses, which are checked for null and then have to be believed. What is
//! behind it takes bytes and texts.
//!
//! On Linux and in the module it is without Rust's standard library, whose printer of backtraces and tables for
//! unwinding would be as large as all else: on Linux memory comes from the C library, by `memory`, which has
//! `unsafe` for that.

#![cfg_attr(all(any(target_os = "linux", target_arch = "wasm32"), not(test)), no_std)]

extern crate alloc;

#[allow(unsafe_code)]
pub mod boundary;
mod document;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod memory;
#[cfg(all(target_arch = "wasm32", not(test)))]
mod module;

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use amdgpu_object::carried::{CarriedCode, Serves};
use amdgpu_object::target::TargetId;

/// Whether a file that was read serves a card, and why.
fn serves(code: &CarriedCode, card: Option<&str>) -> (Serves, String) {
    let Some(card) = card else { return (Serves::NotKnown, "no card is named".to_owned()) };
    match TargetId::parse(card) {
        Some(target) => {
            let answer = code.serves(&target);
            (answer.serves(), answer.reason().to_owned())
        }
        None => {
            let shown: String = card.chars().take(64).filter(|c| !c.is_control()).collect();
            (Serves::NotKnown, format!("{shown} is no target ID, such as gfx1030 or gfx90a:xnack-"))
        }
    }
}
