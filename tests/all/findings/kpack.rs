//! Rules on code in separate archives.

use super::Row;
use crate::common::seen::by_command;
use crate::common::trees;

pub(super) const ROWS: &[Row] = &[
    ("kpack-archive-missing", || trees::archived(&[]), || trees::archived(&["demo_gfx906"])),
    (
        "kpack-variables-missing",
        || trees::moved_and_registers("__hipRegisterVar"),
        || trees::moved_and_registers("__hipRegisterFunction"),
    ),
    (
        "kpack-archive-without-code",
        || by_command(&["fixtures/containers/kpack/bin"]),
        || trees::archived(&["demo_gfx906"]),
    ),
    (
        "kpack-archive-hidden",
        || trees::archived(&["demo_gfx906", "overlay_gfx906"]),
        || trees::archived(&["demo_gfx906"]),
    ),
    (
        "kpack-archive-orphaned",
        || trees::archived_as(&[("demo_gfx1100", "demo_gfx1100"), ("demo_gfx906", "demo906")]),
        || trees::archived(&["demo_gfx1100", "demo_gfx906"]),
    ),
];
