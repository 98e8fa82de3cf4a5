//! What a solution launches: the kernel itself, and before and after it the helpers of a split sum.
//!
//! Source: Tensile 6.4, `ContractionSolution.cpp` (`generateSingleCall`, `generateBetaOnlyCall`,
//! `generateOutputConversionCall` and the names of their kernels).
#![deny(clippy::indexing_slicing)]

use super::call::Contraction;
use super::data_type::DataType;
use super::hardware::Hardware;
use super::predicate::Predicate;
use super::solution::Solution;
use std::borrow::Cow;
use std::sync::Arc;

/// Work items in a work group of a helper kernel, and what it takes for one compute unit's worth.
const HELPER_ITEMS: u64 = 256;

/// One launch of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch<'l> {
    /// The kernel.
    pub kernel: Cow<'l, str>,
    /// What it does.
    pub role: Role,
    /// Work groups in the three dimensions.
    pub grid: [u64; 3],
    /// Work items of a work group.
    pub work_group: [u32; 3],
    /// The file that supplies the kernel; `None` where no module of the process has it.
    pub file: Option<Arc<str>>,
}

/// What a kernel does in a GEMM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "LaunchRole"))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Scales C by beta before several work groups add to it.
    BetaOnly,
    /// Multiplies.
    Main,
    /// Sums up what work groups left in the workspace.
    PostGsu,
    /// Sums up the gradient of the bias.
    Reduction,
}

impl Role {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Role::BetaOnly => "beta only",
            Role::Main => "main",
            Role::PostGsu => "post GSU",
            Role::Reduction => "reduction",
        }
    }
}

impl Launch<'_> {
    /// Work items in the three dimensions, as Tensile computes them.
    pub fn work_items(&self) -> [u64; 3] {
        let ([gx, gy, gz], [wx, wy, wz]) = (self.grid, self.work_group.map(u64::from));
        [gx.wrapping_mul(wx), gy.wrapping_mul(wy), gz.wrapping_mul(wz)]
    }

    /// Whether HIP's launch, which takes 32 bits for each dimension, gets fewer work items than that.
    pub fn is_cut(&self) -> bool {
        self.work_items().iter().any(|items| u32::try_from(*items).is_err())
    }
}

/// The launches of a solution in their order, their files not yet found.
pub fn launches<'l>(
    solution: &Solution,
    kernel: &'l str,
    problem: &Contraction,
    hardware: &Hardware,
) -> Vec<Launch<'l>> {
    let mapping = &solution.mapping;
    let mut launches = Vec::with_capacity(1);
    if mapping.global_split_u > 1 && mapping.global_accumulation != 2 {
        launches.push(beta_only(solution, problem));
    }
    let [wx, wy, wz] = mapping.work_group;
    launches.push(Launch {
        kernel: Cow::Borrowed(kernel),
        role: Role::Main,
        grid: main_grid(solution, problem, hardware),
        work_group: [wx.wrapping_mul(wy).wrapping_mul(wz), 1, 1],
        file: None,
    });
    if mapping.global_accumulation != 0 {
        launches.push(post_gsu(solution, problem, hardware));
    }
    launches
}

fn main_grid(solution: &Solution, problem: &Contraction, hardware: &Hardware) -> [u64; 3] {
    let mapping = &solution.mapping;
    let [m, n, batch, _] = problem.sizes;
    let [tile0, tile1] = mapping.macro_tile.map(|tile| u64::from(tile).max(1));
    let packed = |bit: u32| if mapping.pack_batch_dims & bit != 0 { batch } else { 1 };
    let mut x = m.wrapping_mul(packed(1)).div_ceil(tile0);
    let mut y = n.wrapping_mul(packed(2)).div_ceil(tile1);
    let mut z = if mapping.pack_batch_dims == 0 { batch } else { 1 };
    y = y.wrapping_mul(u64::from(mapping.global_split_u));
    if mapping.persistent_kernel != 0 {
        let cus = u64::from(hardware.cus.max(1));
        let mut groups = x.wrapping_mul(y);
        if mapping.persistent_along_batch {
            groups = groups.wrapping_mul(z);
            z = 1;
        }
        // -1: five eighths of what gives every compute unit the same.
        let each = match mapping.persistent_kernel {
            -1 => ((groups / cus).wrapping_mul(5) / 8).max(1),
            each => each.cast_unsigned(),
        };
        x = cus.wrapping_mul(each).min(groups);
        y = 1;
    }
    [x, y, z]
}

fn beta_only<'l>(solution: &Solution, problem: &Contraction) -> Launch<'l> {
    Launch {
        kernel: Cow::Owned(beta_only_kernel(solution)),
        role: Role::BetaOnly,
        grid: [problem.outputs().div_ceil(HELPER_ITEMS), 1, 1],
        work_group: [HELPER_ITEMS as u32, 1, 1],
        file: None,
    }
}

fn beta_only_kernel(solution: &Solution) -> String {
    let pointers = if solution.strided_batched { "" } else { "_GB" };
    let accumulation = if solution.mapping.global_accumulation == 0 { "" } else { "_GA" };
    format!("Cijk_{}{pointers}{accumulation}", solution.output.abbreviation())
}

fn post_gsu<'l>(solution: &Solution, problem: &Contraction, hardware: &Hardware) -> Launch<'l> {
    let mapping = &solution.mapping;
    let split = if mapping.global_accumulation == 1 { 1 } else { mapping.global_split_u };
    let wide = matches!(problem.compute, DataType::Float | DataType::Double);
    let [m, ..] = problem.sizes;
    let total = problem.outputs();
    let threads = u64::from(hardware.cus) * HELPER_ITEMS;
    let vector: u32 = if wide && total > 2 * threads && m.is_multiple_of(2) { 2 } else { 1 };
    let mut reduction = 1;
    let most = (split / 32).min(4);
    if wide && (split & split.wrapping_sub(1)) == 0 && most > 1 {
        reduction = most;
        while reduction > 1 {
            let used = total.wrapping_mul(u64::from(reduction)) / u64::from(vector);
            if split.is_multiple_of(reduction) && used <= threads {
                break;
            }
            reduction /= 2;
        }
        if reduction == 2 && problem.compute == DataType::Float {
            reduction = 1;
        }
    }
    let kernel = Cow::Owned(post_gsu_kernel(solution, wide, vector, reduction));
    let items = HELPER_ITEMS * u64::from(vector);
    Launch {
        kernel,
        role: Role::PostGsu,
        grid: [total.wrapping_mul(u64::from(reduction)).div_ceil(items), 1, 1],
        work_group: [HELPER_ITEMS as u32, 1, 1],
        file: None,
    }
}

fn post_gsu_kernel(solution: &Solution, wide: bool, vector: u32, reduction: u32) -> String {
    let mapping = &solution.mapping;
    let split = if mapping.global_accumulation == 1 { 1 } else { mapping.global_split_u };
    let unroll = if wide && mapping.global_accumulation != 1 { 16 * reduction } else { 1 };
    let pointers = if solution.strided_batched { "" } else { "_GB" };
    let mut kernel = format!("Cijk_{}{pointers}_PostGSU", solution.output.abbreviation());
    if unroll > 1 {
        let rest = if split.is_multiple_of(unroll) { unroll } else { split % unroll };
        kernel.push_str(&rest.to_string());
        if split > unroll {
            kernel.push_str(&format!("_mod{unroll}"));
        }
    }
    if vector >= 2 {
        kernel.push_str(&format!("_VW{vector}"));
    }
    if reduction >= 2 {
        kernel.push_str(&format!("_R{reduction}"));
    }
    kernel
}

/// Every helper kernel that a solution can need, whatever the sizes.
pub fn helper_kernels(solution: &Solution) -> Vec<String> {
    let mapping = &solution.mapping;
    let mut kernels = Vec::new();
    if mapping.global_split_u > 1 && mapping.global_accumulation != 2 {
        kernels.push(beta_only_kernel(solution));
    }
    if mapping.global_accumulation != 0 {
        let sums_wide = matches!(solution.output, DataType::Half | DataType::BFloat16)
            && solution.problem.contains(&Predicate::HighPrecisionAccumulate(true));
        let wide = sums_wide || matches!(solution.output, DataType::Float | DataType::Double);
        let split = if mapping.global_accumulation == 1 { 1 } else { mapping.global_split_u };
        let most = (split / 32).min(4);
        let halved = wide && split.is_power_of_two() && most > 1;
        let narrow = solution.output != DataType::Double;
        let reductions =
            [1, 2, 4].into_iter().filter(|r| *r == 1 || (halved && *r <= most && (*r != 2 || !narrow)));
        for reduction in reductions {
            kernels.extend((1..=1 + u32::from(wide)).map(|v| post_gsu_kernel(solution, wide, v, reduction)));
        }
    }
    kernels
}
