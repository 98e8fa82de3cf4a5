//! Code objects with header, note, symbol and descriptor fields at and beyond their limits, with MessagePack
//! and YAML metadata; their machine code is decoded.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::codeobject;
use rocm_audit::codeobject::disassembly::{CodeAsk, DecodeOptions};
use rocm_audit_fuzz::choices::Choices;
use rocm_audit_fuzz::gpu;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    let kind = choices.below(4);
    let file = match kind {
        0 | 1 => gpu::code_object(&mut choices),
        2 => {
            let mut content = Vec::new();
            gpu::any_value(&mut choices, &mut content, 6);
            gpu::with_note(&mut choices, &content, false)
        }
        _ => {
            // Bent fields follow the text.
            let (text, fields) =
                bytes.get(1..).unwrap_or_default().split_at(bytes.len().saturating_sub(1).saturating_sub(32));
            choices = Choices::new(fields);
            gpu::with_note(&mut choices, text, true)
        }
    };
    let ask = DecodeOptions { kernels: true, ..DecodeOptions::default() };
    let mut names = 0;
    let read = codeobject::read_decoded(
        &file[..],
        file.len() as u64,
        0,
        CodeAsk::Decoded(&ask),
        &mut |_, kernel| {
            names += 1;
            let _ = codeobject::demangle(kernel.name());
        },
    );
    if let Ok(object) = &read {
        assert_eq!(object.kernels().count(), names);
        if let Some(classes) = &object.bytes() {
            assert_eq!(classes.total(), file.len() as u64);
        }
    }
    if !choices.bent {
        assert!(read.is_ok(), "{read:?}");
    }
    let _ = codeobject::descriptor::read_all(&file[..], 0);
    let _ = codeobject::extent(&file, 0);
    let _ = codeobject::target_of(&file);
});
