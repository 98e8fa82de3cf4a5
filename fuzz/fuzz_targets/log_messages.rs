//! Arbitrary bytes as a log: messages are recognised, and are the same however the log is read.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::messages::table::MessageSubject;
use rocm_audit::messages::{recognise, recognised};
use std::io::BufReader;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let whole = recognise::recognise(bytes);
    assert_eq!(whole.bytes, bytes.len() as u64);
    // UTF-16 contains bytes that only look like line ends.
    let is_utf8 = !bytes.contains(&0) && !bytes.starts_with(b"\xff\xfe") && !bytes.starts_with(b"\xfe\xff");
    let unfinished = bytes.last().is_some_and(|byte| *byte != b'\n');
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + u64::from(unfinished);
    assert!(whole.lines == lines || !is_utf8, "{} lines, not {lines}", whole.lines);
    for hit in &whole.hits {
        assert!(hit.count > 0 && (1..=whole.lines).contains(&hit.line), "{hit:?}");
        // Harmless lines next to an unknown error decide nothing.
        let decides = hit.class != MessageSubject::Unknown;
        assert!((!decides || !hit.causes.is_empty()) && hit.quote.len() < 4096, "{hit:?}");
    }
    let _ = (whole.class(), whole.target());
    if bytes.len().is_multiple_of(4) {
        let parts = recognise::read(BufReader::with_capacity(7, bytes)).expect("memory can be read");
        let plain = |said: &recognised::Recognised| -> Vec<(&str, u64, u64)> {
            said.hits.iter().map(|hit| (hit.message.id, hit.line, hit.count)).collect()
        };
        assert_eq!(plain(&whole), plain(&parts));
    }
});
