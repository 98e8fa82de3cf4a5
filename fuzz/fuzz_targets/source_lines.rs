//! Arbitrary bytes as a code object with debug information: its lines do not overlap, chains are those of the
//! stretches, and nothing takes longer than its size allows.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::kernel::lines::{Depth, SourceLines};

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Ok(Some(lines)) = SourceLines::read(bytes, Depth::Chains) else { return };
    let mut end = 0;
    for stretch in lines.stretches(0..u64::MAX) {
        assert!(stretch.addresses.start >= end && stretch.addresses.start < stretch.addresses.end);
        end = stretch.addresses.end;
        let _ = lines.path(stretch.file);
    }
    let all = lines.chained(0..u64::MAX);
    for (range, chain) in all.stretches.iter().take(256) {
        assert_eq!(all.chains[*chain as usize], lines.chain(range.start));
    }
});
