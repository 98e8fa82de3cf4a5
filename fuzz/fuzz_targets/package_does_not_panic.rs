//! Packages of any bytes: members are opened, nested ones too, until the budget is used up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rocm_audit::budget::InflateBudget;
use rocm_audit::format::Format;
use rocm_audit::input::package::visit::{self, Nesting, Selection};
use rocm_audit::input::package::{Content, Head, MemberFile, is_package};
use rocm_audit::locator::Locator;
use rocm_audit::source::SourceFile;

fn open(file: MemberFile, nesting: Nesting<'_>) {
    if nesting.check().is_err() || !is_package(file.format) || file.format == Format::ThinArchive {
        let _ = rocm_audit::container::open(file.file.bytes(), file.format);
        return;
    }
    let selection = Selection { wants: &|_: &Head<'_>| Some(0), excludes: &|_| false };
    visit::visit(file, "package", nesting, selection, &mut |batch| {
        batch.each(|visited| {
            if let Some(Content::File(file)) = visited.content {
                open(file, visited.nesting);
            }
        });
    });
}

fuzz_target!(|bytes: &[u8]| {
    let file = SourceFile::in_memory(Locator::file("/package"), bytes.to_vec());
    open(MemberFile::of(file), Nesting::outermost(&InflateBudget::of(0)));
});
