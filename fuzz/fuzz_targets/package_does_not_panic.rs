//! Packages of any bytes: members are opened, nested ones too, until the allowance is used up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rocm_audit::container::Format;
use rocm_audit::locator::Locator;
use rocm_audit::package::{InflateBudget, Content, Package, is_package};
use rocm_audit::source::SourceFile;
use std::sync::Arc;

fn open(file: SourceFile, depth: usize, allowance: &InflateBudget) {
    let format = Format::identify(file.head());
    if depth == 0 || !is_package(format) || format == Format::ThinArchive {
        let _ = rocm_audit::container::open(file.bytes(), format);
        return;
    }
    let package = Package::new(Arc::new(file), format, allowance);
    let wants = |_: &Locator, _: &[u8]| true;
    package.for_each_batch(&wants, &mut |batch| {
        for member in batch {
            if let Content::File(file) = member.open(&wants).content {
                open(file, depth - 1, allowance);
            }
        }
    });
}

fuzz_target!(|bytes: &[u8]| {
    let file = SourceFile::in_memory(Locator::file("/package"), bytes.to_vec());
    open(file, 3, &InflateBudget::of(0));
});
