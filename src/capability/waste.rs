//! Bytes that are there and need not be.

use crate::codeobject::{Class, SectionBytes};
use crate::inventory::copies;
use crate::inventory::copies::Duplicates;
use crate::inventory::{Inventory, Tally};
use crate::report::v1;

/// Of everything in an inventory.
pub(super) fn of(inventory: &Inventory) -> v1::Waste {
    let mut sections = SectionBytes::default();
    let (mut padding, mut plain) = (0, Tally::default());
    for device in inventory.artifacts.iter().filter_map(|a| a.device.as_ref()) {
        device.targets.values().for_each(|code| sections.merge(&code.sections));
        padding += device.gaps.padding + device.between_entries;
        plain.count += device.plain.count;
        plain.bytes += device.plain.bytes;
    }
    row(&inventory.duplicates, &sections, padding, plain)
}

/// `padding` are the bytes between code objects; those inside of them are in `sections`.
pub(crate) fn row(found: &Duplicates, sections: &SectionBytes, padding: u64, plain: Tally) -> v1::Waste {
    v1::Waste {
        identical_code_objects: copies(&found.objects),
        shared_machine_code: copies(&found.code),
        not_compared: found.not_compared,
        padding_bytes: padding + sections.get(Class::Padding),
        debug_bytes: sections.get(Class::Debug),
        uncompressed_bundles: v1::Uncompressed { count: plain.count, bytes: plain.bytes },
    }
}

fn copies(found: &copies::Copies) -> v1::Copies {
    let group = |g: &copies::Group| v1::CopyGroup {
        count: g.count,
        bytes: g.bytes,
        target_ids: g.targets.iter().map(ToString::to_string).collect(),
        first: g.first.to_string(),
        second: g.second.to_string(),
    };
    v1::Copies {
        groups: found.groups,
        extra: found.extra,
        bytes: found.bytes,
        largest: found.largest.iter().map(group).collect(),
    }
}
