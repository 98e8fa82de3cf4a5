//! Rules on bytes that could be saved.

use super::Row;
use crate::common::bundles::bundle;
use crate::common::fixture;
use crate::common::packages::code_object;
use crate::common::seen::{Seen, by_command, in_files};
use std::fs;
use std::io::Read;

pub(super) const ROWS: &[Row] = &[
    ("duplicate-code-objects", || two_objects("v4_gfx906"), || two_objects("v3_gfx906")),
    ("debug-information", || with_section(".debug_x"), || with_section(".comment")),
    ("uncompressed-bundles", || compressed(false), || compressed(true)),
    ("padding", || bodies_at(4096), || bodies_at(1)),
    // The fixture has 3,496 bytes.
    ("size-over-budget", || budget("gfx906=3495"), || budget("gfx906=3496")),
];

fn budget(size: &str) -> Vec<Seen> {
    by_command(&["check", "fixtures/rocm/lib/codeobject/v4_gfx906.hsaco", "--max-size", size])
}

fn two_objects(second: &str) -> Vec<Seen> {
    let second = fs::read(fixture(&format!("rocm/lib/codeobject/{second}.hsaco"))).unwrap();
    in_files(&[("a.hsaco", &code_object()), ("b.hsaco", &second)])
}

/// A code object whose section `.comment` has another name with the same length.
fn with_section(name: &str) -> Vec<Seen> {
    let mut bytes = code_object();
    let at = memchr::memmem::find(&bytes, b".comment\0").unwrap();
    bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
    in_files(&[("x.hsaco", &bytes)])
}

/// The same bundle, stored and inflated.
fn compressed(yes: bool) -> Vec<Seen> {
    let stored = fs::read(fixture("containers/ccob/v2-zlib.co")).unwrap();
    let mut plain = Vec::new();
    flate2::read::ZlibDecoder::new(&stored[24..]).read_to_end(&mut plain).unwrap();
    in_files(&[("x.co", if yes { &stored } else { &plain })])
}

/// A bundle of bitcode, which has no padding itself.
fn bodies_at(align: usize) -> Vec<Seen> {
    in_files(&[("x.hsaco", &bundle(&[b"BC\xc0\xde one", b"BC\xc0\xde two"], align))])
}
