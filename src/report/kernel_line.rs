//! A kernel as lists show it: made once for JSON Lines and for tables.

use super::body_state;
use super::v1::KernelLine;
use crate::inventory::kernel_row::{KernelPlace, KernelRow, occupancy};
use crate::isa::class;
use crate::isa::processor::Isa;
use crate::kernel::occupancy::Limiter;

/// The text that all kernels of a code object share.
#[derive(Debug)]
pub struct PlaceText {
    /// Where it is.
    pub uri: String,
    /// Its target ID.
    pub target_id: String,
    /// Whether the processor has accumulation registers; otherwise their number is left out.
    pub has_agprs: bool,
}

impl PlaceText {
    /// The text for a code object.
    pub fn from_place(place: &KernelPlace) -> Self {
        let isa = Isa::by_name(&place.target.processor);
        PlaceText {
            uri: place.locator.to_string(),
            target_id: place.target.to_string(),
            has_agprs: isa.is_none_or(|isa| isa.has("mai-insts")),
        }
    }
}

/// The line for a kernel.
pub fn kernel_line<'a>(row: &'a KernelRow, text: &'a PlaceText) -> KernelLine<'a> {
    let KernelRow { place, kernel, demangled } = row;
    let held = occupancy(kernel, &place.target);
    KernelLine {
        kind: "kernel",
        path: &place.shown,
        uri: &text.uri,
        bundle: place.bundle,
        id: place.id.as_deref(),
        target_id: &text.target_id,
        name: kernel.name(),
        demangled: demangled.as_deref(),
        symbol: kernel.symbol(),
        sgprs: kernel.sgprs(),
        vgprs: kernel.vgprs(),
        agprs: kernel.agprs(),
        sgpr_spills: kernel.sgpr_spills(),
        vgpr_spills: kernel.vgpr_spills(),
        lds: kernel.lds(),
        scratch: kernel.scratch(),
        kernarg: kernel.kernarg(),
        wavefront: kernel.wavefront(),
        max_workgroup: kernel.max_workgroup(),
        occupancy: held.as_ref().map(|own| own.waves()),
        occupancy_limited_by: held.map(|own| own.limiters().map(Limiter::name).collect()),
        instructions: kernel.code().map(|code| code.instructions()),
        code_bytes: kernel.code().map(|code| code.bytes()),
        body: kernel.code().map(|code| body_state(code.body())),
        classes: kernel.code().map(|code| class::ids(code.classes()).collect()),
    }
}
