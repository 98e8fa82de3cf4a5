//! Bytes that are there and need not be.

use crate::codeobject::{SectionByteClass, SectionBytes};
use crate::container::packing_sample::PackingSample;
use crate::inventory::copies::Duplicates;
use crate::inventory::{CountAndBytes, Inventory};

/// Bytes that are there and need not be. They overlap: debug information of a code object that is there twice
/// counts in both.
#[derive(Debug)]
pub struct Waste<'a> {
    /// Code objects that are copies, and machine code that targets share.
    pub duplicates: &'a Duplicates,
    /// Padding bytes between bundles, between their entries, and between sections.
    pub padding: u64,
    /// Bytes of debug information, inflated.
    pub debug: u64,
    /// Bundles that are not compressed.
    pub plain: CountAndBytes,
    /// The size of these bundles, compressed, by a sample; `None` where they are too small for one.
    pub plain_packed: Option<u64>,
}

impl<'a> Waste<'a> {
    /// `padding` are the bytes between code objects; those inside of them are in `sections`.
    pub fn new(
        duplicates: &'a Duplicates,
        sections: &SectionBytes,
        padding: u64,
        plain: CountAndBytes,
        sample: PackingSample,
    ) -> Self {
        let padding = padding + sections.get(SectionByteClass::Padding);
        Waste {
            duplicates,
            padding,
            debug: sections.get(SectionByteClass::Debug),
            plain,
            plain_packed: sample.packed_size_of(plain.bytes),
        }
    }

    pub(super) fn from_inventory(inventory: &'a Inventory) -> Self {
        let mut sections = SectionBytes::default();
        let (mut padding, mut plain, mut sample) = (0, CountAndBytes::default(), PackingSample::default());
        for device in inventory.artifacts.iter().filter_map(|a| a.device.as_ref()) {
            device.targets.values().for_each(|code| sections.merge(&code.sections));
            padding += device.gaps.padding() + device.between_entries;
            plain.merge(device.plain);
            sample.merge(device.packing);
        }
        Waste::new(&inventory.duplicates, &sections, padding, plain, sample)
    }
}
