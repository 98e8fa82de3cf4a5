//! Files that carry device code and nothing else that is counted.

use crate::format::Support;
use crate::inventory::ArtifactKind;
use crate::scan::device_code::read;
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Scanned, Scanner, Settings};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "code-objects",
    finds: "offload bundles and AMDGPU code objects in host libraries, archives and files of their own",
    claims: |candidate| candidate.format.support() == Support::Yes,
    scan,
};

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let mut scanned = read(candidate, settings, None, rows);
    if scanned.device.is_some() {
        scanned.kind = Some(ArtifactKind::DeviceCode);
    }
    scanned
}
