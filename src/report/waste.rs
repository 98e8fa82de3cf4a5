//! Makes the part of reports on bytes that could be saved.

use super::v1;
use crate::capability::waste::Waste;
use crate::inventory::copies;

/// The part of a report.
pub(super) fn waste(found: &Waste<'_>) -> v1::Waste {
    v1::Waste {
        identical_code_objects: copies(&found.duplicates.objects),
        shared_machine_code: copies(&found.duplicates.code),
        not_compared: found.duplicates.not_compared,
        padding_bytes: found.padding,
        debug_bytes: found.debug,
        uncompressed_bundles: v1::Uncompressed {
            count: found.plain.count,
            bytes: found.plain.bytes,
            estimated_packed_bytes: found.plain_packed,
        },
    }
}

fn copies(found: &copies::DuplicateCopies) -> v1::Copies {
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
