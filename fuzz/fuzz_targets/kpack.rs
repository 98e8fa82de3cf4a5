//! kpack archives and markers: everything in the table is found if no field was bent, and a marker is
//! resolved.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::codeobject::disassembly::CodeAsk;
use rocm_audit::container::bundle_reader::{self, Depth};
use rocm_audit::container::kpack;
use rocm_audit::target::TargetId;
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::gpu;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    if choices.seldom() {
        let rest = choices.all();
        let _ = (kpack::read_reference(rest, 7), kpack::read_table(rest), kpack::open(rest));
        return;
    }
    let marker = gpu::kpack_marker(&mut choices);
    let reference = kpack::read_reference(&marker, 0);
    let (file, meant) = gpu::kpack(&mut choices);
    let found = kpack::open(&file);
    for bundle in found.bundles() {
        let content = bundle_reader::read(&file, bundle, Depth::Whole, CodeAsk::Nothing, &mut |_, _, _| {});
        assert_eq!(content.payloads().len(), bundle.entries().len());
    }
    let spans: u64 = found.bundles().iter().map(|bundle| bundle.span()).sum();
    assert!(spans <= file.len() as u64);
    let table = kpack::read_table(&file);
    if let (Ok(reference), Ok(table)) = (&reference, &table) {
        let device = TargetId::parse("gfx90a:sramecc+:xnack-").expect("a target");
        let answer = reference.resolve(&device, u64::from(choices.byte() % 4), &|_| Some(table));
        if let Some(answer) = answer {
            assert!(kpack::candidates(&device).contains(answer.target()));
        }
    }
    if !choices.bent {
        assert!(found.problems().is_empty(), "{:?}", found.problems());
        let rows: Vec<(String, u64)> = found
            .bundles()
            .iter()
            .flat_map(|bundle| bundle.entries())
            .map(|entry| {
                (entry.id().as_ref().map(|id| id.as_str().to_owned()).unwrap_or_default(), entry.size())
            })
            .collect();
        let meant: Vec<(String, u64)> = meant.into_iter().map(|meant| (meant.id, meant.size)).collect();
        assert_eq!(rows, meant);
    }
});
