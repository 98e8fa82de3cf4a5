//! Implicit products of matrices, compiled for each problem: each work group makes a block of the product.
//! Source, MIOpen 3.3.0, `src/solver/conv/conv_hip_implicit_gemm_*.cpp`: `CalculateGemmSize`,
//! `CalculateGridSize`, `CalculateBlockSize`, and `GetSolution` of V4R1.

use super::super::super::integer::Integer;
use super::super::sources;
use super::{Asked, Launch, WAVE};

pub(super) fn launch(asked: &Asked<'_>) -> Option<Launch> {
    let s = &asked.shape;
    let (rows, columns) = (s.y_channels, s.batch * s.y_pixels);
    let (groups, group) = match asked.class {
        "ConvHipImplicitGemmV4R4Fwd" => blocks(asked, rows, columns)?,
        "ConvHipImplicitGemmV4R4WrW" => blocks(asked, rows, s.x_channels * s.filter_pixels)?,
        "ConvHipImplicitGemmBwdDataV1R1" => blocks(asked, s.x_channels * s.filter_pixels, columns)?,
        "ConvHipImplicitGemmForwardV4R4Xdlops" | "ConvHipImplicitGemmForwardV4R5Xdlops" => {
            let [tiles @ .., _, _, _, _]: [Integer; 9] = asked.values()?;
            waves(s.groups, [rows / s.groups, columns], tiles)
        }
        "ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm" => {
            let [a, b, c, d, e, _, row_factor, column_factor, ..]: [Integer; 12] = asked.values()?;
            let padded = [(rows / s.groups).round_up(row_factor), columns.round_up(column_factor)];
            waves(s.groups, padded, [a, b, c, d, e])
        }
        "ConvHipImplicitGemmV4R1Fwd" => direct(asked, columns)?,
        "ConvHipImplicitGemmV4R1WrW" => direct(asked, s.x_channels / s.groups * s.filter_pixels)?,
        _ => return None,
    };
    let source = sources::main_source(asked.solver, asked.context, asked.problem, asked.parameters)?;
    let kernel = source.strip_prefix("static_kernel_")?.strip_suffix(".cpp")?;
    Launch::in_line(kernel, groups, group)
}

/// Blocks of a product, and the work items of a work group, which are a parameter.
fn blocks(asked: &Asked<'_>, rows: Integer, columns: Integer) -> Option<(Integer, Integer)> {
    let [group, block_rows, block_columns, ..]: [Integer; 6] = asked.values()?;
    Some((rows / block_rows * (columns / block_columns), group))
}

/// The same, where each wave makes a part of the block.
fn waves(
    groups: Integer,
    [rows, columns]: [Integer; 2],
    [block_rows, block_columns, _, wave_rows, wave_columns]: [Integer; 5],
) -> (Integer, Integer) {
    let group = WAVE * block_rows * block_columns / (wave_rows * wave_columns);
    (groups * (rows / block_rows) * (columns / block_columns), group)
}

/// The same of V4R1, whose columns are shared between repeats and the columns of a thread.
fn direct(asked: &Asked<'_>, columns: Integer) -> Option<(Integer, Integer)> {
    let [b, k, _, repeats, _, thread, m0, n0, m1, n1] = asked.first_values()?;
    let groups = columns / (repeats * thread) / b * (asked.shape.y_channels / k);
    Some((groups, m0 * n0 * m1 * n1))
}
