//! A call of `hipblasLtMatmulAlgoGetHeuristic`, as a program makes it.
#![deny(clippy::indexing_slicing)]

use super::epilogue::{self, Epilogue};
use super::types::{ComputeType, MatrixType, types_of_rocblas};
use crate::tensile::call::{GemmCall, Transpose, flag, variable};
use amdgpu_object::target::TargetId;
use rocm_audit_files::error::NotUnderstood;
use serde::Deserialize;

/// Bytes of workspace that hipblaslt-bench and most programs offer: 32 MiB. The library's own default is
/// none.
pub const USUAL_WORKSPACE: u64 = 32 << 20;

/// Most algorithms that are answered; the library allocates as many as it is asked for.
pub const MOST_ALGORITHMS: usize = 1 << 16;

/// Which of hipBLASLt's interfaces is called. They share the tables, and fill their lists up differently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interface {
    /// `hipblasLtMatmulAlgoGetHeuristic`.
    #[default]
    C,
    /// `hipblaslt_ext::Gemm::algoGetHeuristic`, the C++ extension, which rocBLAS calls.
    Ext,
}

/// The sparse matrix of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SparseMatrix {
    /// A.
    A,
    /// B.
    B,
}

impl SparseMatrix {
    /// As catalogs number it.
    pub fn number(self) -> u64 {
        match self {
            SparseMatrix::A => 1,
            SparseMatrix::B => 2,
        }
    }

    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            SparseMatrix::A => 'A',
            SparseMatrix::B => 'B',
        }
    }
}

/// Most products of a group.
pub const MOST_MEMBERS: usize = 1 << 16;

/// One call. The names are those of the oracle's vectors and of `--problems`.
#[derive(Debug, Clone, Deserialize)]
pub struct MatmulCall {
    /// The caller's name for it.
    #[serde(default)]
    pub id: String,
    /// The device's target.
    #[serde(rename = "arch")]
    pub target: String,
    /// What HIP calls multiprocessors: compute units, or work group processors on RDNA.
    #[serde(rename = "cus")]
    pub multiprocessors: u32,
    /// Type of A.
    pub a: MatrixType,
    /// Of B.
    pub b: MatrixType,
    /// Of C.
    pub c: MatrixType,
    /// Of D.
    pub d: MatrixType,
    /// The computation.
    pub comp: ComputeType,
    /// Type of alpha and beta; the usual one where it is not said. It does not enter the choice.
    #[serde(default)]
    pub scale: Option<MatrixType>,
    /// How A enters.
    pub ta: Transpose,
    /// How B enters.
    pub tb: Transpose,
    /// Rows of D.
    pub m: u64,
    /// Columns of D.
    pub n: u64,
    /// The dimension that is summed over.
    pub k: u64,
    /// Matrices.
    #[serde(default = "one")]
    pub batch: u64,
    /// Leading dimensions of A, B, C, D.
    pub ld: [u64; 4],
    /// The epilogue, by number or name.
    #[serde(default = "no_epilogue", rename = "ep")]
    pub epilogue: Epilogue,
    /// Bytes of workspace that the preference allows.
    #[serde(default, rename = "ws")]
    pub workspace: u64,
    /// How many algorithms are asked for.
    #[serde(default = "one_algorithm", rename = "req")]
    pub requested: usize,
    /// Whether a bias pointer is set. The heuristic puts one in where it is missing; the launch fails.
    #[serde(default, deserialize_with = "flag")]
    pub bias_ptr: bool,
    /// Type of the bias; the library's own choice where it is not said.
    #[serde(default)]
    pub bias_type: Option<MatrixType>,
    /// Whether a pointer to the auxiliary matrix is set.
    #[serde(default, deserialize_with = "flag")]
    pub aux_ptr: bool,
    /// Type of the auxiliary matrix; that of D where it is not said.
    #[serde(default)]
    pub aux_type: Option<MatrixType>,
    /// Its leading dimension; zero where it is not said.
    #[serde(default)]
    pub aux_ld: u64,
    /// Whether a pointer to the scale of A is set; likewise B, C, D.
    #[serde(default, deserialize_with = "flag")]
    pub scale_a: bool,
    /// Of B.
    #[serde(default, deserialize_with = "flag")]
    pub scale_b: bool,
    /// Of C.
    #[serde(default, deserialize_with = "flag")]
    pub scale_c: bool,
    /// Of D.
    #[serde(default, deserialize_with = "flag")]
    pub scale_d: bool,
    /// How A is scaled (`hipblasLtMatmulMatrixScale_t`): 0 by one number, 3 by one for each row.
    #[serde(default)]
    pub scale_mode_a: u32,
    /// How B is scaled.
    #[serde(default)]
    pub scale_mode_b: u32,
    /// Whether the largest absolute value of D is asked for.
    #[serde(default, deserialize_with = "flag")]
    pub amax_d: bool,
    /// Where alpha is (`hipblasLtPointerMode_t`): 0 on the host, 1 on the device, 4 a vector on the device.
    #[serde(default)]
    pub pointer_mode: u32,
    /// Scales C; for what is launched only.
    #[serde(default)]
    pub beta: f64,
    /// Whether C and D are one matrix; for what is launched only.
    #[serde(default, deserialize_with = "flag")]
    pub c_eq_d: bool,
    /// Which interface is called.
    #[serde(default)]
    pub interface: Interface,
    /// The PCI number of the device's chip, for rows that are for some chips only.
    #[serde(default)]
    pub chip: Option<u32>,
    /// Environment of the process, `NAME=VALUE`, several with blanks; only those of
    /// [`Problem`](super::problem::Problem) are looked at.
    #[serde(default)]
    pub env: Option<String>,
    /// The further products of a group (`hipblaslt_ext::GroupedGemm`), as M, N, K and batch of packed
    /// matrices; `None` where the call is of one product.
    #[serde(default)]
    pub group: Option<Vec<[u64; 4]>>,
    /// Which matrix is sparse; the product is hipSPARSELt's then.
    #[serde(default)]
    pub sparse: Option<SparseMatrix>,
}

fn one() -> u64 {
    1
}

fn one_algorithm() -> usize {
    1
}

fn no_epilogue() -> Epilogue {
    epilogue::DEFAULT
}

/// Scales A and B by one number for each row and column.
pub const OUTER_VECTOR: u32 = 3;

/// Scales A and B by one number for each block of elements, as the formats of MX have it. Source:
/// `hipblaslt.h`, `HIPBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0`.
pub const BLOCKS_OF_32: u32 = 2;
/// The same for blocks of 16 (`HIPBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3`).
const BLOCKS_OF_16: u32 = 1;

/// The variable that chooses by another method: 2 for the rows of solutions that stream along K.
pub const SELECTION_METHOD: &str = "TENSILE_SOLUTION_SELECTION_METHOD";

/// The variable that lets the model rank before tables of sizes are asked.
pub const PREDICTION_FIRST: &str = "TENSILE_PREDICTION_LIB";

impl MatmulCall {
    /// A call on packed matrices of one type, with the workspace that most programs offer, for one algorithm.
    /// `sizes` are m, n and k.
    pub fn new(
        target: &TargetId,
        multiprocessors: u32,
        ty: MatrixType,
        transposes: [Transpose; 2],
        sizes: [u64; 3],
    ) -> MatmulCall {
        let ([ta, tb], [m, n, k]) = (transposes, sizes);
        MatmulCall {
            id: String::new(),
            target: target.to_string(),
            multiprocessors,
            a: ty,
            b: ty,
            c: ty,
            d: ty,
            comp: ComputeType::usual(ty),
            scale: None,
            ta,
            tb,
            m,
            n,
            k,
            batch: 1,
            ld: [ta.packed(m, k), tb.packed(k, n), m, m],
            epilogue: epilogue::DEFAULT,
            workspace: USUAL_WORKSPACE,
            requested: 1,
            bias_ptr: false,
            bias_type: None,
            aux_ptr: false,
            aux_type: None,
            aux_ld: 0,
            scale_a: false,
            scale_b: false,
            scale_c: false,
            scale_d: false,
            scale_mode_a: 0,
            scale_mode_b: 0,
            amax_d: false,
            pointer_mode: 0,
            beta: 0.0,
            c_eq_d: false,
            interface: Interface::C,
            chip: None,
            env: None,
            group: None,
            sparse: None,
        }
    }

    /// The call that a product of rocBLAS is for hipBLASLt.
    ///
    /// # Errors
    /// A sentence, where hipBLASLt does not compute so.
    pub fn of_gemm(call: &GemmCall) -> Result<MatmulCall, NotUnderstood> {
        let ([a, b, c, d], compute) = types_of_rocblas(&call.ty)?;
        let target = TargetId::parse(&call.target).ok_or_else(|| format!("{} is no target", call.target))?;
        let sizes = [call.m, call.n, call.k];
        let mut own = MatmulCall::new(&target, call.multiprocessors, a, [call.ta, call.tb], sizes);
        (own.b, own.c, own.d, own.comp) = (b, c, d, compute);
        if call.xf32 {
            own.comp = ComputeType::meant("xf32")?;
        }
        (own.batch, own.ld, own.beta, own.c_eq_d) = (call.batch, call.ld, call.beta, call.c_eq_d);
        own.workspace = call.workspace;
        Ok(own)
    }

    /// The further members of a group, as calls of one product each.
    pub fn members(&self) -> impl Iterator<Item = MatmulCall> {
        // Copied once: the list of a group is as long as there are members.
        let mut one = self.clone();
        let group = one.group.take().unwrap_or_default();
        group.into_iter().map(move |[m, n, k, batch]| {
            let ld = [one.ta.packed(m, k), one.tb.packed(k, n), m, m];
            MatmulCall { m, n, k, batch, ld, ..one.clone() }
        })
    }

    /// The call in a line: `TN 4096 × 512 × 4096, f16 × f16 → f16 in f32, GELU_BIAS`.
    pub fn words(&self) -> String {
        let batch = if self.batch == 1 { String::new() } else { format!(", batch of {}", self.batch) };
        let (sizes, kind) = (format!("{} × {} × {}{batch}", self.m, self.n, self.k), self.types_in_words());
        let group = match self.group.as_ref().map(Vec::len) {
            None => "",
            Some(0) => ", a group of one",
            Some(more) => &format!(" and {more} more in a group"),
        };
        let sparse = self.sparse.map(|of| format!(", {} sparse", of.letter())).unwrap_or_default();
        format!("{:?}{:?} {sizes}{group}, {kind}{sparse}", self.ta, self.tb)
    }

    /// The same without M and N: `TN, K 4096, f16 × f16 → f16 in f32`.
    pub fn words_of_kind(&self) -> String {
        format!("{:?}{:?}, K {}, {}", self.ta, self.tb, self.k, self.types_in_words())
    }

    fn types_in_words(&self) -> String {
        let mut epilogue = String::new();
        if self.epilogue != epilogue::DEFAULT {
            epilogue = format!(", {}", self.epilogue.name);
            if let Some(ty) = self.bias_type.filter(|_| self.epilogue.bias.is_some()) {
                epilogue.push_str(&format!(" in {ty}"));
            }
        }
        format!("{} × {} → {} in {}{epilogue}", self.a, self.b, self.d, self.comp)
    }

    /// What a variable of the process' environment is set to.
    pub fn variable(&self, name: &str) -> Option<&str> {
        variable(self.env.as_deref()?, name)
    }

    /// Whether blocks of A or B have scales of their own.
    pub fn has_block_scales(&self) -> bool {
        [self.scale_mode_a, self.scale_mode_b].iter().any(|mode| [BLOCKS_OF_16, BLOCKS_OF_32].contains(mode))
    }

    /// Sets the epilogue, with the pointers that it needs.
    pub fn set_epilogue(&mut self, epilogue: Epilogue) {
        self.epilogue = epilogue;
        self.bias_ptr = epilogue.bias.is_some();
        self.aux_ptr = epilogue.aux;
        self.aux_ld = if epilogue.aux { self.m } else { 0 };
    }

    /// Whether hipBLASLt could be called so.
    ///
    /// # Errors
    /// A sentence that says what is wrong, with the alternatives if there are some.
    pub fn check(&self) -> Result<(), NotUnderstood> {
        if self.multiprocessors == 0 {
            return Err("a device has at least one multiprocessor".into());
        }
        if !(1..=MOST_ALGORITHMS).contains(&self.requested) {
            let asked = self.requested;
            return Err(format!("{asked} algorithms are asked for; 1 to {MOST_ALGORITHMS} can be").into());
        }
        if self.group.as_ref().is_some_and(|members| members.len() >= MOST_MEMBERS) {
            return Err(format!("a group of more than {MOST_MEMBERS} products is not answered").into());
        }
        let rows = [self.ta.packed(self.m, self.k), self.tb.packed(self.k, self.n), self.m, self.m];
        for ((matrix, ld), rows) in ["A", "B", "C", "D"].iter().zip(self.ld).zip(rows) {
            if ld < rows {
                return Err(format!(
                    "the leading dimension of {matrix} is {ld}, and a column of it has {rows} elements"
                )
                .into());
            }
        }
        Ok(())
    }
}
