//! Developer verbs.
fn main() {}
