//! Any bytes as any format: found, read at both depths, every byte of a device region accounted for.
#![no_main]

use rocm_audit::codeobject::disassembly::CodeAsk;
use libfuzzer_sys::fuzz_target;
use rocm_audit::container;
use rocm_audit::container::bundle_reader::{self, Depth};
use rocm_audit::format::Format;

fuzz_target!(|bytes: &[u8]| {
    let format = Format::identify(bytes.get(..512).unwrap_or(bytes));
    let container = container::open(bytes, format);
    if matches!(format, Format::OffloadBundle | Format::CompressedBundle | Format::OffloadBinary) {
        let spans: u64 = container.bundles.iter().map(|b| b.span).sum();
        assert_eq!(spans + container.gaps.total(), bytes.len() as u64);
    }
    for bundle in &container.bundles {
        for depth in [Depth::Metadata, Depth::Whole] {
            let content = bundle_reader::read(bytes, bundle, depth, CodeAsk::Nothing, &mut |_, _, _| {});
            assert_eq!(content.payloads.len(), bundle.entries.len());
        }
    }
});
