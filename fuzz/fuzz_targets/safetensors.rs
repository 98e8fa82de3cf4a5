//! Arbitrary bytes as config.json and the header of a safetensors file: read, converted, quantized, and
//! turned into operations.
//!
//! The first two bytes are the length of config.json, little-endian; the rest is the other file.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::ggml::types;
use rocm_audit::engines::model::config::Config;
use rocm_audit::engines::model::conversion::convert;
use rocm_audit::engines::model::network::Network;
use rocm_audit::engines::model::operation::{Batch, Settings, operations};
use rocm_audit::engines::model::{quantize, safetensors};

/// Most blocks to follow, since each costs the same.
const BLOCKS: u64 = 8;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((length, rest)) = bytes.split_first_chunk::<2>() else { return };
    let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
    let (config, file) = rest.split_at(length);
    let config = Config::read(config);
    for problem in config.problems.iter() {
        assert!(problem.offset() <= length as u64);
    }
    let header = safetensors::read(file);
    for problem in header.problems.iter() {
        assert!(problem.offset() <= file.len().max(8) as u64);
    }
    let made = convert(&header.tensors, &config, None).expect("rules that load");
    // Tensors come only from tensors: gate and up, or keys and values, can be two from one.
    assert!(made.header.tensors.len() <= 2 * header.tensors.len());
    let mut network = Network::from_headers(&[made.header]);
    network.blocks = network.blocks.min(BLOCKS);
    let f16 = types::named("f16").expect("a type");
    for file in ["Q4_K_M", "MXFP4_MOE", "IQ4_XS"] {
        let network = quantize::quantized(&network, quantize::named(file).expect("a type of file"));
        let batch = Batch { tokens: 17, sequences: 2, outputs: 1, position: 300, begins: false };
        let settings = Settings { flash: true, cache: f16, ubatch: 512, context: 4096 };
        let all = operations(&network, &batch, &settings).expect("rules that load");
        let _ = all.iter().map(|operation| operation.product.flops()).max();
        let _ = network.cache_bytes(4096, 512, f16);
    }
});
