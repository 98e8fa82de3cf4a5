//! Arbitrary bytes as the header of a model: read, and turned into operations and launches on two devices.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::ggml::{Architecture, types};
use rocm_audit::engines::model::between::{Fusions, between};
use rocm_audit::engines::model::gguf;
use rocm_audit::engines::model::launch::Launcher;
use rocm_audit::engines::model::network::Network;
use rocm_audit::engines::model::operation::{Batch, Settings, operations};

/// Most blocks to follow, since each costs the same.
const BLOCKS: u64 = 8;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let header = gguf::read(bytes);
    for problem in header.problems.iter() {
        assert!(problem.offset() <= bytes.len() as u64);
    }
    let mut network = Network::from_headers(&[header]);
    network.blocks = network.blocks.min(BLOCKS);
    let f16 = types::named("f16").expect("a type");
    for (flash, sequences) in [(true, 1), (false, 3)] {
        let batch = Batch { tokens: 17, sequences, outputs: 1, position: 300, begins: false };
        let settings = Settings { flash, cache: f16, ubatch: 512, context: 4096 };
        let all = operations(&network, &batch, &settings).expect("rules that load");
        let _ = between(&network, &batch, &settings, &Fusions::new()).expect("rules that load").count();
        for gpu in ["gfx900", "gfx90a"] {
            let architecture = Architecture::parse(gpu).expect("a GPU");
            let launcher = Launcher::new(&network, &architecture, 60, None).expect("rules that load");
            for operation in &all {
                let _ = launcher.step(operation).expect("rules that load").count();
                let _ = (operation.product.flops(), operation.product.bytes());
            }
        }
    }
});
