//! Files as `rocm-audit` reads them: trees, packages, images and databases, opened in place and within
//! bounds, and what is wrong with them.
//!
//! This is the lower part of the program [`rocm-audit`](https://docs.rs/rocm-audit), a crate of its own so
//! that it is compiled beside the rest. Its interface follows the program and changes without notice: a
//! library wants the facade of `rocm-audit`.

pub mod budget;
pub mod error;
pub mod finding;
pub mod input;
pub mod key_map;
pub mod limits;
pub mod sorted_rows;
