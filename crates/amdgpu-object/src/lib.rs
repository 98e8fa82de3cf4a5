//! Finds and reads AMD GPU code: offload bundles and fat binaries, code objects, kernel metadata, machine
//! code.
//!
//! Files are read from their bytes alone. Nothing in them is executed or loaded, and no ROCm, LLVM or GPU is
//! needed.
//!
//! # Start here
//!
//! [`Bundle::parse`](container::Bundle::parse) reads a bundle (compressed or not) or a code object outside of
//! bundles, and iterates over its entries:
//!
//! ```
//! use amdgpu_object::container::Bundle;
//!
//! let bytes = std::fs::read("../../fixtures/rocm/lib/codeobject/v4_gfx906.hsaco")?;
//! for entry in Bundle::parse(&bytes)?.entries() {
//!     let object = entry.code_object(|_kernel| {})?;
//!     assert_eq!(object.target().processor, "gfx906");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A library holds many. [`source::SourceFile`] opens a file, [`format::Format::identify`] says what it is,
//! and [`container::open`] finds the bundles and code objects in it: in ELF and PE libraries, archives, COFF
//! objects, bundles and kpack archives.
//!
//! ```
//! use amdgpu_object::{container, format::Format, source::SourceFile};
//! use std::{collections::BTreeMap, path::Path};
//!
//! // The kernels of a library by target.
//! let file = SourceFile::open(Path::new("../../fixtures/rocm/lib/librocblas.so.4.4"))?;
//! let found = container::open(file.bytes(), Format::identify(file.head()));
//! let mut kernels = BTreeMap::new();
//! for bundle in found.bundles() {
//!     for entry in bundle.open(file.bytes())?.entries().filter(|entry| entry.is_code_object()) {
//!         let object = entry.code_object(|_kernel| {})?;
//!         *kernels.entry(object.target().to_string()).or_insert(0) += object.kernels().count();
//!     }
//! }
//! assert_eq!(kernels.len(), 8);
//! assert!(kernels["gfx906"] > 0);
//! assert!(found.problems().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This keeps each bundle in memory whole. [`container::bundle_reader::read`] streams it instead and reads no
//! further than requested; [`codeobject::read`] reads a code object from its bytes.
//!
//! # Does this file serve this card?
//!
//! [`carried::CarriedCode`] reads a file whole and answers that for any number of cards, by the rules of the
//! runtime's loader: generic targets, states of XNACK and SRAM-ECC. It is what the C and WebAssembly library
//! in `bindings/c` is made of.
//!
//! ```
//! use amdgpu_object::{carried::{CarriedCode, Serves}, target::TargetId};
//!
//! let bytes = std::fs::read("../../fixtures/rocm/lib/librocsolver.so.0")?;
//! let code = CarriedCode::read(&bytes, &mut |_target, _kernel| {});
//! let answer = code.serves(&TargetId::bare("gfx1032"));
//! assert_eq!(answer.serves(), Serves::Yes);
//! assert_eq!(answer.reason(), "1 kernel for gfx10-3-generic");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Disassemble a kernel
//!
//! By LLVM's mnemonics, with addresses and where branches go on; operands are not shown:
//!
//! ```
//! use amdgpu_object::codeobject::disassembly::{CodeAsk, DecodeOptions, KernelNames};
//! use amdgpu_object::container::bundle_reader::{self, Depth, Payload};
//! use amdgpu_object::{container, format::Format, isa::mnemonic, source::SourceFile};
//! use std::path::Path;
//!
//! let file = SourceFile::open(Path::new("../../fixtures/rocm/lib/codeobject/v4_gfx906.hsaco"))?;
//! let wanted = KernelNames::new(&|name| name == "fx_sscal");
//! let options = DecodeOptions { kernels: true, histograms: Some(wanted), listing: true, ..DecodeOptions::default() };
//! let mut names = Vec::new();
//! for bundle in container::open(file.bytes(), Format::identify(file.head())).bundles() {
//!     let ask = CodeAsk::Decoded(&options);
//!     for payload in bundle_reader::read(file.bytes(), bundle, Depth::Whole, ask, &mut |_, _, _| {}).payloads() {
//!         let Payload::CodeObject(object) = payload else { continue };
//!         let kernels = object.code().into_iter().flat_map(|code| code.kernels());
//!         for line in kernels.filter_map(|kernel| kernel.lines()).flatten() {
//!             names.extend(line.mnemonic().map(mnemonic));
//!         }
//!     }
//! }
//! // As llvm-objdump -d has it.
//! assert_eq!(names[..3], ["s_load_dwordx2", "v_lshl_add_u32", "s_waitcnt"]);
//! assert_eq!((names.len(), names.last()), (18, Some(&"s_endpgm")));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # The map
//!
//! [`codeobject`] reads one code object: header, notes, kernel metadata, symbols, sizes by section, and its
//! machine code through the crate `amdgpu-isa`, re-exported as [`isa`]. [`container`] finds and unpacks code
//! objects. [`carried`] sums a file up and judges it for a card. [`target`] has the processors and target
//! IDs. Below them, [`mod@format`] and [`source`] are about bytes, [`locator`] names places as the LLVM and
//! ROCm tools do, [`error`] is what can be wrong, and [`limits`] bounds all of it.
//!
//! # Trade-offs
//!
//! - Nothing panics and few errors are fatal: a malformed part becomes an [`error::ParseError`] with its
//!   absolute offset, and reading goes on. An answer is complete only if its `problems` are empty.
//! - Claims of the input are trusted only within [`limits`]. All inflating threads together use at most
//!   [`limits::UNPACKING_MEMORY`], and with the feature `hash-together` [`limits::HASHING_MEMORY`] for contents that
//!   wait to be hashed; a thread that needs more waits.
//! - With the feature `mmap` files are mapped. A file that another process shortens reads as zeros from there
//!   on, through a handler for `SIGBUS` that is installed with the first mapping; call
//!   [`source::SourceFile::check_unchanged`] before trusting what was read.
//! - Structs that readers return have methods and no public fields, and enums may gain variants: support for
//!   a new GPU or format breaks no caller.
//! - Features: `mmap` maps files, which are otherwise read into memory; `demangle` writes C++ names, `md5`
//!   compares hashes; `zstd` (C) and `zlib` (Rust) inflate compressed bundles, `ruzstd` (Rust) and `miniz` do
//!   in less room, `metadata-v2` reads the YAML of code object version 2. Without one of them, the content
//!   that needs it is still found and named, and the error says why it is not read. The only exception is a
//!   compressed bundle of version 1 outside of a device section, which is skipped, because its end is known
//!   only after inflating it. `rayon` decodes the machine code of one code object on all cores; `hash-together`
//!   hashes several compressed bundles in step, in a pool of [`limits::HASHING_THREADS`] threads more than cores;
//!   `launch-limits` counts kernels that ask for more registers than a work-group gets; `serde` and `schema`
//!   are for reports.
//! - Without the feature `std`, which is on by default, the crate is `no_std` and needs `alloc` only. It finds,
//!   inflates, reads and judges code objects in bytes, but has no modules for files (`source`, `locator`), no
//!   products and no decoding of machine code, and each thread may use [`limits::UNPACKING_MEMORY`] alone.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![warn(missing_debug_implementations)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

/// The instruction set: machine code by LLVM's mnemonics.
pub use amdgpu_isa as isa;

#[macro_use]
mod answer;
#[doc(hidden)]
pub mod budget;
#[doc(hidden)]
pub mod bytes;
pub mod carried;
pub mod codeobject;
pub mod container;
pub mod error;
pub mod format;
pub mod limits;
#[cfg(feature = "std")]
pub mod locator;
#[cfg(feature = "std")]
pub mod source;
pub mod target;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
