//! The code objects of a file, opened one after the other.

use crate::input::device_file::DeviceFile;
use crate::locator::Locator;

/// Calls back for each code object of a file that is wanted, with its location and its bytes. Bundles without
/// such code objects are not inflated.
pub(super) fn each_object(
    open: &DeviceFile,
    is_wanted: &dyn Fn(&Locator) -> bool,
    each: &mut dyn FnMut(&Locator, &[u8]),
) {
    let bytes = open.file.bytes();
    for bundle in open.container.bundles() {
        let locate = |offset, size| bundle.locate(open.file.locator(), offset, size);
        let wanted: Vec<Option<Locator>> = bundle
            .entries()
            .iter()
            .map(|entry| Some(locate(entry.offset(), entry.size())).filter(is_wanted))
            .collect();
        if wanted.iter().all(Option::is_none) {
            continue;
        }
        // What cannot be opened was said when the file was read.
        let Ok(opened) = bundle.open(bytes) else { continue };
        for (entry, at) in opened.entries().zip(&wanted) {
            if let Some(at) = at.as_ref().filter(|_| entry.is_code_object()) {
                each(at, entry.bytes());
            }
        }
    }
}
