//! Winograd with one kernel. Source, MIOpen 3.3.0, `src/solver/conv`: `conv_bin_wino3x3U.cpp:109-141`,
//! `conv_bin_winoRxS.cpp:326-385`, `conv_winoRxS.cpp` (`ConvBinWinoRxS::GetSolution`).

use super::super::super::integer::Integer;
use super::super::sources;
use super::{Asked, Launch};

pub(super) fn launch(asked: &Asked<'_>) -> Option<Launch> {
    let units = Integer::from(asked.context.compute_units);
    let half = asked.problem.data_type == "FP16";
    match asked.class {
        "ConvBinWinograd3x3U" => Launch::in_line("miopenSp3AsmConv3x3F", units, Integer(512)),
        "ConvBinWinogradRxS" if asked.shape.is_weights && !half => {
            Launch::in_line("miopenSp3AsmConvRxSf3x2", units, Integer(512))
        }
        "ConvBinWinogradRxS" => Launch::in_line("miopenSp3AsmConvRxSU", units, Integer(512)),
        "ConvBinWinogradRxSf2x3" | "ConvBinWinogradRxSf2x3g1" => of_groups(asked, "f2x3"),
        "ConvBinWinogradRxSf3x2" => of_groups(asked, "f3x2"),
        _ => None,
    }
}

fn of_groups(asked: &Asked<'_>, tile: &str) -> Option<Launch> {
    let [groups] = asked.values()?;
    let target = &asked.context.target;
    let family = ["gfx9", "gfx10", "gfx11"].into_iter().find(|family| target.starts_with(family))?;
    let version = sources::winograd_version(asked.context, asked.problem, tile);
    let kind = match (asked.problem.data_type, family) {
        ("FP32", _) => "fp32",
        // Written for memory with error correction.
        (_, "gfx9") => "fp16_dot2_edc",
        _ => "fp16_dot2",
    };
    let way = sources::winograd_way(asked.problem);
    let group = Integer(if family == "gfx9" { 512 } else { 256 });
    let kernel = format!("miopenSp3AsmConv_{version}_{family}_{kind}_{tile}_{way}");
    Launch::in_line(kernel, groups * asked.shape.groups, group)
}
