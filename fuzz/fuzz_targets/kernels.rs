//! Arbitrary bytes as the code of a kernel for a processor chosen by the first byte: its graph is consistent,
//! and no more registers are in use than are named. Also arbitrary bytes as a code object whose kernels are
//! analysed.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::codeobject;
use rocm_audit::isa::{Decoder, Mode, processor};
use rocm_audit::kernel::waits::Waits;
use rocm_audit::kernel::{BlockMix, Code, Graph, KernelObject, Liveness, Rule};

fn look(code: &Code<'_>) {
    let graph = Graph::from_code(code);
    std::hint::black_box(Waits::from_graph(code, &graph));
    let mut end = 0;
    for block in graph.blocks() {
        assert!(block.start() >= end && block.end() > block.start());
        assert!(block.successors().iter().all(|to| (*to as usize) < graph.blocks().len()));
        end = block.end();
    }
    for (number, own) in graph.loops().iter().enumerate().take(64) {
        assert_eq!(graph.blocks_of_loop(number).count(), own.blocks() as usize);
    }
    let [strong, safe] = Liveness::by_both(&graph);
    assert!(strong.at().vgprs().count() <= safe.at().vgprs().count());
    assert!(safe.at().vgprs().count() <= safe.named().vgprs());
    assert_eq!(safe.at(), Liveness::along_of(&graph, Rule::FullMask).at());
    assert!(
        BlockMix::count(&graph, code.lanes(), graph.blocks()).instructions() <= graph.instructions() as u64
    );
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else { return };
    // The first byte of a code object is constant, so this uses the last.
    let chosen = if codeobject::is_elf(bytes) { bytes[bytes.len() - 1] } else { *first };
    let isa = &processor::all()[usize::from(chosen >> 1) % processor::all().len()];
    let Some(decoder) = Decoder::for_processor(isa.name, Mode::Correct) else {
        panic!("{}: no decoder", isa.name)
    };
    if !codeobject::is_elf(bytes) {
        let lanes = if chosen & 1 == 0 { 64 } else { 32 };
        return look(&Code::new(decoder, text, 0..text.len(), lanes));
    }
    let Ok(object) = KernelObject::read(bytes, isa.name) else { return };
    for kernel in object.kernels().iter().take(16) {
        if let Some(occupancy) = object.occupancy(kernel, None) {
            assert!((1..=occupancy.most()).contains(&occupancy.waves()));
        }
        if let Some(code) = object.code(kernel).filter(|code| code.size() < 1 << 14) {
            look(&code);
        }
    }
});
