//! A GEMM call, as a program makes it, and the contraction that rocBLAS makes of it and asks Tensile about.
//!
//! Source: rocBLAS 6.4, `tensile_host.cpp` and `gemm_ex`; Tensile 6.4, `ContractionProblem.cpp`.
#![deny(clippy::indexing_slicing)]

use super::data_type::{DataType, GemmType};
use super::hardware::Hardware;
use super::version::Version;
use amdgpu_object::target::{GfxVersion, TargetId};
use rocm_audit_files::error::NotUnderstood;
use serde::{Deserialize, Deserializer};

/// Bytes of workspace that rocBLAS has unless a program sets it: 128 MiB on gfx94x, 32 MiB elsewhere.
///
/// Source: rocBLAS 6.4, `library/src/include/handle.hpp` (`getDefaultDeviceMemorySize`).
pub fn default_workspace(processor: &str) -> u64 {
    let large = GfxVersion::from_name(processor).is_some_and(GfxVersion::is_gfx94x);
    if large { 128 << 20 } else { SMALL_WORKSPACE }
}

/// What it is for a target that is not said.
const SMALL_WORKSPACE: u64 = 32 << 20;

/// Whether a release of rocBLAS forbids atomics unless a program allows them.
///
/// Source: rocBLAS's `CHANGELOG.md`, 5.0; the library of 5.2 does so.
pub fn atomics_are_off(version: Option<Version>) -> bool {
    version.is_some_and(|version| version >= Version::new(5, 0))
}

/// The functions for products, without `rocblas_` and the letter of the type.
pub const APIS: [&str; 6] =
    ["gemm", "gemm_batched", "gemm_strided_batched", "gemm_ex", "gemm_batched_ex", "gemm_strided_batched_ex"];

/// Whether a function of [`APIS`] takes a batch as arrays of pointers.
pub fn takes_pointers(api: &str) -> bool {
    let batched = api.ends_with("batched") || api.ends_with("batched_ex");
    batched && !api.contains("strided")
}

/// One call. The names are those of the oracle's vectors and of `--problems`.
#[derive(Debug, Clone, Deserialize)]
pub struct GemmCall {
    /// The caller's name for it.
    #[serde(default)]
    pub id: String,
    /// The device's target, as HIP names it: `gfx90a:sramecc+:xnack-`.
    #[serde(rename = "arch")]
    pub target: String,
    /// What HIP calls multiprocessors: compute units, or work group processors on RDNA.
    #[serde(rename = "cus")]
    pub multiprocessors: u32,
    /// Whether the device shares its memory with the host; by its size where it is not said.
    #[serde(default, deserialize_with = "optional_flag")]
    pub apu: Option<bool>,
    /// The function, without `rocblas_` and without the letter of the type: `gemm`,
    /// `gemm_strided_batched_ex`.
    #[serde(default = "gemm_ex")]
    pub api: String,
    /// Name of a [`GemmType`].
    pub ty: String,
    /// `N`, `T` or `C`.
    pub ta: Transpose,
    /// `N`, `T` or `C`.
    pub tb: Transpose,
    /// Rows of C.
    pub m: u64,
    /// Columns of C.
    pub n: u64,
    /// The dimension that is summed over.
    pub k: u64,
    /// Matrices.
    #[serde(default = "one")]
    pub batch: u64,
    /// Leading dimensions of A, B, C, D.
    pub ld: [u64; 4],
    /// Distances from one matrix of a batch to the next, in elements.
    #[serde(default = "ones")]
    pub stride: [u64; 4],
    /// Scales the product.
    #[serde(default = "unit")]
    pub alpha: f64,
    /// Scales C.
    #[serde(default)]
    pub beta: f64,
    /// Whether C and D are one matrix.
    #[serde(default, deserialize_with = "flag")]
    pub c_eq_d: bool,
    /// False where the batch is an array of pointers.
    #[serde(default = "yes", deserialize_with = "flag")]
    pub strided: bool,
    /// Whether atomics are forbidden, so that results repeat.
    #[serde(default, deserialize_with = "flag")]
    pub det: bool,
    /// The flag `rocblas_gemm_flags_use_cu_efficiency`, or the metric of that name.
    #[serde(default, deserialize_with = "flag")]
    pub cu_eff: bool,
    /// The flag `rocblas_gemm_flags_fp16_alt_impl`.
    #[serde(default, deserialize_with = "flag")]
    pub fp16alt: bool,
    /// The flag `rocblas_gemm_flags_fp16_alt_impl_rnz`.
    #[serde(default, deserialize_with = "flag")]
    pub fp16alt_rnz: bool,
    /// The math mode `rocblas_xf32_xdl_math_op`.
    #[serde(default, deserialize_with = "flag")]
    pub xf32: bool,
    /// Bytes of workspace.
    #[serde(default = "small_workspace", rename = "ws")]
    pub workspace: u64,
    /// Environment of the process, `NAME=VALUE`, several with blanks; only [`VARIABLES`] are looked at.
    #[serde(default)]
    pub env: Option<String>,
}

/// What an environment, `NAME=VALUE` with blanks between them, sets a variable to.
pub fn variable<'e>(environment: &'e str, name: &str) -> Option<&'e str> {
    let mut all = environment.split_ascii_whitespace();
    all.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// The variable that says whether rocBLAS asks hipBLASLt first.
pub const USE_HIPBLASLT: &str = "ROCBLAS_USE_HIPBLASLT";

/// The variable that says with 0 that hipBLASLt is not asked about batches; from 5.1 on.
pub const USE_HIPBLASLT_BATCHED: &str = "ROCBLAS_USE_HIPBLASLT_BATCHED";

/// Variables of the environment that are modelled.
pub const VARIABLES: [&str; 4] = [
    "TENSILE_EXPERIMENTAL_SELECTION",
    "ROCBLAS_INTERNAL_FORCE_VALU_FOR_DGEMM",
    USE_HIPBLASLT,
    USE_HIPBLASLT_BATCHED,
];

/// How a matrix enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub enum Transpose {
    /// As it is.
    N,
    /// Transposed.
    T,
    /// Transposed and conjugated.
    C,
}

impl Transpose {
    /// The transposition of a letter.
    pub fn of_letter(letter: char) -> Option<Transpose> {
        Some(match letter {
            'N' | 'n' => Transpose::N,
            'T' | 't' => Transpose::T,
            'C' | 'c' => Transpose::C,
            _ => return None,
        })
    }

    /// Leading dimension of a packed matrix that enters as one of `rows` rows and `columns` columns.
    pub fn packed(self, rows: u64, columns: u64) -> u64 {
        if self == Transpose::N { rows } else { columns }
    }
}

fn gemm_ex() -> String {
    "gemm_ex".to_owned()
}

fn one() -> u64 {
    1
}

fn ones() -> [u64; 4] {
    [1; 4]
}

fn unit() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

fn small_workspace() -> u64 {
    SMALL_WORKSPACE
}

/// A boolean, or 0 or 1.
pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Flag {
        Bool(bool),
        Number(u8),
    }
    match Flag::deserialize(deserializer)? {
        Flag::Bool(flag) => Ok(flag),
        Flag::Number(number @ (0 | 1)) => Ok(number == 1),
        Flag::Number(number) => Err(serde::de::Error::custom(format!("{number} is neither 0 nor 1"))),
    }
}

/// The same where it is said.
fn optional_flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    flag(deserializer).map(Some)
}

/// What rocBLAS asks Tensile to be good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// The whole device: the default.
    DeviceEfficiency,
    /// Each compute unit.
    CuEfficiency,
    /// `TENSILE_EXPERIMENTAL_SELECTION=1`.
    ExperimentalGrid,
    /// `TENSILE_EXPERIMENTAL_SELECTION=2`.
    ExperimentalDTree,
}

/// What predicates know of alpha and beta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Zero.
    Zero,
    /// One.
    One,
    /// Minus one.
    NegativeOne,
    /// Anything; in a predicate, true of all.
    Any,
}

impl Scalar {
    fn from_value(value: f64) -> Self {
        if value == 0.0 {
            Scalar::Zero
        } else if value == 1.0 {
            Scalar::One
        } else if value == -1.0 {
            Scalar::NegativeOne
        } else {
            Scalar::Any
        }
    }

    /// The value of this name.
    pub fn by_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"0" => Scalar::Zero,
            b"1" => Scalar::One,
            b"-1" => Scalar::NegativeOne,
            b"Any" => Scalar::Any,
            _ => return None,
        })
    }

    /// The name in catalogs.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Zero => "0",
            Scalar::One => "1",
            Scalar::NegativeOne => "-1",
            Scalar::Any => "Any",
        }
    }
}

/// The problem as Tensile sees it: a tensor contraction with two free, one batch and one bound index.
#[derive(Debug, Clone)]
pub struct Contraction {
    /// `Contraction_l_Ailk_Bjlk_Cijk_Dijk`.
    pub operation: &'static str,
    /// M, N, batch, K; K is zero where alpha is.
    pub sizes: [u64; 4],
    /// Of A, B, C, D: 1, leading dimension, distance in the batch.
    pub strides: [[u64; 3]; 4],
    /// Of A, B, C, D.
    pub types: [DataType; 4],
    /// Of alpha and the sums.
    pub compute: DataType,
    /// Sums in more bits than the inputs have.
    pub high_precision_accumulate: bool,
    /// Float, or XFloat32 where that is asked for.
    pub f32_math: DataType,
    /// False for arrays of pointers.
    pub strided_batched: bool,
    /// Atomics are forbidden.
    pub deterministic: bool,
    /// fp16 alternative implementation.
    pub fp16_alt: bool,
    /// The same, rounding to nearest zero.
    pub fp16_alt_round: bool,
    /// C and D are one.
    pub c_equals_d: bool,
    /// Alpha, as predicates know it.
    pub alpha: Scalar,
    /// Beta likewise.
    pub beta: Scalar,
    /// What to be good at.
    pub metric: Metric,
    /// Bytes of workspace.
    pub workspace: u64,
    /// `ROCBLAS_INTERNAL_FORCE_VALU_FOR_DGEMM`.
    pub force_valu: bool,
}

impl Contraction {
    /// M * N * batch, as 64-bit arithmetic has it.
    pub fn outputs(&self) -> u64 {
        let [m, n, batch, _] = self.sizes;
        m.wrapping_mul(n).wrapping_mul(batch)
    }
}

impl GemmCall {
    /// A call of `gemm_ex` on packed matrices, with alpha 1, beta 0, a D of its own, and the workspace that
    /// rocBLAS has by itself. `sizes` are m, n and k.
    pub fn new(
        target: &TargetId,
        multiprocessors: u32,
        ty: &str,
        transposes: [Transpose; 2],
        sizes: [u64; 3],
    ) -> GemmCall {
        let ([ta, tb], [m, n, k]) = (transposes, sizes);
        GemmCall {
            id: String::new(),
            target: target.to_string(),
            multiprocessors,
            apu: None,
            api: gemm_ex(),
            ty: ty.to_owned(),
            ta,
            tb,
            m,
            n,
            k,
            batch: 1,
            ld: [ta.packed(m, k), tb.packed(k, n), m, m],
            stride: ones(),
            alpha: 1.0,
            beta: 0.0,
            c_eq_d: false,
            strided: true,
            det: false,
            cu_eff: false,
            fp16alt: false,
            fp16alt_rnz: false,
            xf32: false,
            workspace: default_workspace(&target.processor),
            env: None,
        }
    }

    /// Whether rocBLAS could be called so, after spellings of the type were made its name.
    ///
    /// # Errors
    /// A sentence that says what is wrong, with the alternatives if there are some.
    pub fn check(&mut self) -> Result<(), NotUnderstood> {
        self.ty = GemmType::meant(&self.ty)?.name.to_owned();
        if !APIS.contains(&self.api.as_str()) {
            return Err(
                format!("{:?} is no function for products; known are {}", self.api, APIS.join(", ")).into()
            );
        }
        if self.multiprocessors == 0 {
            return Err("a device has at least one multiprocessor".into());
        }
        let rows = [self.ta.packed(self.m, self.k), self.tb.packed(self.k, self.n), self.m, self.m];
        for ((matrix, ld), rows) in ["A", "B", "C", "D"].iter().zip(self.ld).zip(rows) {
            if ld < rows {
                return Err(format!(
                    "the leading dimension of {matrix} is {ld}, and a column of it has {rows} elements: rocBLAS returns \
                     rocblas_status_invalid_size"
                ).into());
            }
        }
        Ok(())
    }

    /// What a variable of the process' environment is set to.
    pub fn variable(&self, name: &str) -> Option<&str> {
        variable(self.env.as_deref()?, name)
    }

    /// The same call of another function: one without `_ex` has no D of its own, one of a batch without
    /// `strided` takes arrays of pointers.
    pub fn set_api(&mut self, api: &str) {
        self.api = api.to_owned();
        self.c_eq_d |= !api.ends_with("_ex");
        self.strided = !takes_pointers(api);
    }

    /// Leading dimensions of matrices without a gap between their columns.
    pub fn pack_columns(&mut self) {
        self.ld = [self.ta.packed(self.m, self.k), self.tb.packed(self.k, self.n), self.m, self.m];
    }

    /// Distances of a packed batch, for the leading dimensions that are set; those of a single product do not
    /// matter.
    pub fn pack_batch(&mut self) {
        let [a, b, c, d] = self.ld;
        let (columns_a, columns_b) = (self.ta.packed(self.k, self.m), self.tb.packed(self.n, self.k));
        self.stride = if self.batch > 1 {
            [
                a.saturating_mul(columns_a),
                b.saturating_mul(columns_b),
                c.saturating_mul(self.n),
                d.saturating_mul(self.n),
            ]
        } else {
            ones()
        };
    }

    /// The contraction rocBLAS makes of the call; `None` for a type that it has no Tensile kernels for.
    pub fn contraction(&self) -> Option<Contraction> {
        let ty = GemmType::by_name(&self.ty)?;
        let strides = [0, 1, 2, 3].map(|tensor: usize| {
            let at = |of: &[u64; 4]| of.get(tensor).copied().unwrap_or_default();
            [1, at(&self.ld), at(&self.stride)]
        });
        let [experimental, valu, ..] = VARIABLES;
        let metric = match self.variable(experimental) {
            Some("1") => Metric::ExperimentalGrid,
            Some("2") => Metric::ExperimentalDTree,
            _ if self.cu_eff => Metric::CuEfficiency,
            _ => Metric::DeviceEfficiency,
        };
        Some(Contraction {
            operation: operation(self.ta, self.tb, ty.is_complex()),
            sizes: [self.m, self.n, self.batch, if self.alpha == 0.0 { 0 } else { self.k }],
            strides,
            types: [ty.input, ty.input, ty.output, ty.output],
            compute: ty.compute,
            high_precision_accumulate: ty.high_precision_accumulate(),
            f32_math: if self.xf32 && ty.name == "SS" { DataType::XFloat32 } else { DataType::Float },
            strided_batched: self.strided,
            deterministic: self.det,
            fp16_alt: self.fp16alt,
            fp16_alt_round: self.fp16alt_rnz,
            c_equals_d: self.c_eq_d,
            alpha: Scalar::from_value(self.alpha),
            beta: Scalar::from_value(self.beta),
            metric,
            workspace: self.workspace,
            force_valu: self.variable(valu).is_some(),
        })
    }

    /// The device, as predicates know it.
    pub fn hardware(&self, processor: &str) -> Hardware {
        let mut hardware = Hardware::new(processor, self.multiprocessors);
        hardware.apu = self.apu.unwrap_or(hardware.apu);
        hardware
    }

    /// Whether rocBLAS refuses the call with `rocblas_status_invalid_size`, whatever it computes: C and D are
    /// one matrix with two leading dimensions.
    pub fn is_of_two_shapes(&self) -> bool {
        let [_, _, ldc, ldd] = self.ld;
        self.c_eq_d && ldc != ldd && self.api.ends_with("_ex")
    }

    /// Whether rocBLAS returns before it asks Tensile: nothing to write, or, for the functions without `_ex`,
    /// nothing to change.
    pub fn returns_at_once(&self) -> bool {
        let nothing_to_write = self.m == 0 || self.n == 0 || self.batch == 0;
        let unchanged = (self.k == 0 || self.alpha == 0.0) && self.beta == 1.0;
        nothing_to_write || (unchanged && !self.api.ends_with("_ex"))
    }
}

/// The operation's name. Conjugation of real numbers is none.
pub(super) fn operation(a: Transpose, b: Transpose, complex: bool) -> &'static str {
    use Transpose::{C, N, T};
    let plain = |t| if t == C && !complex { T } else { t };
    match (plain(a), plain(b)) {
        (N, N) => "Contraction_l_Ailk_Bljk_Cijk_Dijk",
        (N, T) => "Contraction_l_Ailk_Bjlk_Cijk_Dijk",
        (N, C) => "Contraction_l_Ailk_BjlkC_Cijk_Dijk",
        (T, N) => "Contraction_l_Alik_Bljk_Cijk_Dijk",
        (T, T) => "Contraction_l_Alik_Bjlk_Cijk_Dijk",
        (T, C) => "Contraction_l_Alik_BjlkC_Cijk_Dijk",
        (C, N) => "Contraction_l_AlikC_Bljk_Cijk_Dijk",
        (C, T) => "Contraction_l_AlikC_Bjlk_Cijk_Dijk",
        (C, C) => "Contraction_l_AlikC_BjlkC_Cijk_Dijk",
    }
}
