//! Arbitrary bytes after the header of a code object: when read, its classes of bytes sum to its size.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::codeobject;

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let size = bytes.len() as u64;
    let mut kernels = 0;
    if let Ok(object) = codeobject::read(bytes, size, 0, &mut |_, kernel| {
        kernels += 1;
        let _ = codeobject::demangle(kernel.name());
    }) {
        assert_eq!(object.kernels().count(), kernels);
        if let Some(classes) = &object.bytes() {
            assert_eq!(classes.total(), size);
        }
    }
    let _ = codeobject::descriptor::read_all(bytes, 0);
});
