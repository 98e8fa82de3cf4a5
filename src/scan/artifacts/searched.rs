//! Files that hold device code among data of their own, for which there is no reader: they are searched for it.

use crate::format::Format;
use crate::inventory::ArtifactKind;
use crate::scan::device_code::read;
use crate::scan::kernel_sink::OnRows;
use crate::scan::{Candidate, Identity, Scanned, Scanner, Settings};

pub(in crate::scan) static SCANNER: Scanner = Scanner {
    id: "searched",
    finds: "device code in modules of IREE, models of MIGraphX and caches of JAX, by searching them",
    claims,
    scan,
};

/// How the names of files end that hold code objects and begin like nothing that is known: MIGraphX's saved programs, IREE's
/// modules and executables, XLA's programs, and JAX's cache, whose files have no ending but a word.
const ENDS: [&str; 8] = [".mxr", ".vmfb", ".fb", ".hlo.pb", ".xla", ".hsaco-cache", "-cache", ".jax_cache"];

fn claims(candidate: &Identity<'_>) -> bool {
    candidate.format == Format::Other && ENDS.iter().any(|end| candidate.name.ends_with(end))
}

fn scan(candidate: &Candidate<'_>, settings: &Settings<'_>, rows: &mut OnRows<'_>) -> Scanned {
    let mut scanned = read(candidate, settings, None, rows);
    if scanned.device.is_some() {
        scanned.kind = Some(ArtifactKind::DeviceCode);
    }
    scanned
}
