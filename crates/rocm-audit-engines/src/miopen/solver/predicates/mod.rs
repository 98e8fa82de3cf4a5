//! Checks that are loops or tables rather than conditions. Rule files call them by name with numbers as
//! arguments.

mod gtc;
mod gtc_kernels;
mod implicit_gemm;
mod opencl;
mod winograd;
mod xdlops_tiles;

pub(super) use implicit_gemm::{Axis, backward_v4r1_products, over};
pub(super) use xdlops_tiles::first_tile;

use super::integer::Integer;
use super::variable::Derived;

/// Largest number of arguments of a check.
pub const MOST_ARGUMENTS: usize = 12;

/// The numbers that a rule passes to a check.
pub type Arguments = [Integer; MOST_ARGUMENTS];

/// `Err` names the failed condition.
pub type Verdict = Result<(), &'static str>;

/// A check written in Rust.
#[derive(Debug)]
pub struct Check {
    /// Name in rules.
    pub name: &'static str,
    /// Names of its arguments, in order.
    pub arguments: &'static [&'static str],
    pub(super) run: fn(&Derived, &Arguments) -> Verdict,
}

/// Every check.
pub static CHECKS: &[Check] = &[
    Check { name: "opencl-direct-forward-tile", arguments: &[], run: opencl::direct_forward_tile },
    Check { name: "opencl-wrw2-tile", arguments: &["batches per block"], run: opencl::wrw2_tile },
    Check { name: "opencl-wrw53-rows", arguments: &[], run: opencl::wrw53_rows },
    Check { name: "winograd-rxs-shader", arguments: &winograd::RXS_ARGUMENTS, run: winograd::rxs_shader },
    Check { name: "winograd-v21-limits", arguments: &winograd::LIMIT_ARGUMENTS, run: winograd::v21_limits },
    Check { name: "winograd-v30-limits", arguments: &winograd::LIMIT_ARGUMENTS, run: winograd::v30_limits },
    Check {
        name: "winograd-multipass-workspace",
        arguments: &["data height", "filter height", "data width", "filter width", "limit in bytes"],
        run: winograd::multipass_workspace,
    },
    Check {
        name: "winograd-multipass-offsets",
        arguments: &["data height", "filter height", "data width", "filter width"],
        run: winograd::multipass_offsets,
    },
    Check {
        name: "winograd-bidirectional-buffers",
        arguments: &["tile", "workspace limit in bytes"],
        run: winograd::bidirectional_buffers,
    },
    Check { name: "asm-v4r1-forward-tile", arguments: &[], run: implicit_gemm::asm_v4r1_forward_tile },
    Check { name: "asm-v4r1-backward-tile", arguments: &[], run: implicit_gemm::asm_v4r1_backward_tile },
    Check { name: "asm-v4r1-weights-tile", arguments: &[], run: implicit_gemm::asm_v4r1_weights_tile },
    Check { name: "asm-v4r1-weights-unsplit", arguments: &[], run: implicit_gemm::asm_v4r1_weights_unsplit },
    Check { name: "backward-v4r1-parts", arguments: &[], run: implicit_gemm::backward_v4r1_parts },
    Check { name: "winograd-fury-limits", arguments: &["compute units"], run: winograd::fury_limits },
    Check {
        name: "winograd-fury-gfx12-limits",
        arguments: &["compute units"],
        run: winograd::fury_gfx12_limits,
    },
    Check { name: "xdlops-forward-v4r4-tile", arguments: &[], run: xdlops_tiles::forward_v4r4_tile },
    Check { name: "xdlops-forward-v4r5-tile", arguments: &[], run: xdlops_tiles::forward_v4r5_tile },
    Check { name: "xdlops-weights-v4r4-tile", arguments: &[], run: xdlops_tiles::weights_v4r4_tile },
    Check {
        name: "xdlops-weights-v4r4-padded-tile",
        arguments: &[],
        run: xdlops_tiles::weights_v4r4_padded_tile,
    },
    Check { name: "gtc-forward-kernel", arguments: &[], run: gtc::forward_kernel },
    Check { name: "gtc-backward-kernel", arguments: &[], run: gtc::backward_kernel },
    Check { name: "gtc-weights-kernel", arguments: &[], run: gtc::weights_kernel },
    Check { name: "xdlops-grid", arguments: &["M", "N", "K"], run: implicit_gemm::xdlops_grid },
    Check { name: "xdlops-padded-grid", arguments: &["M", "N", "K"], run: implicit_gemm::xdlops_padded_grid },
    Check { name: "xdlops-v4r1-parts", arguments: &[], run: implicit_gemm::xdlops_v4r1_parts },
];

/// Output positions of a backward convolution that reach its image, by height and width; 0 or less if none
/// does. A stride over an image with a single position counts as 1.
pub(super) fn span_of_backward(p: &Derived) -> [Integer; 2] {
    implicit_gemm::spans(p)
}

/// Returns `otherwise` as an error unless `holds`.
fn need(holds: bool, otherwise: &'static str) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise) }
}
