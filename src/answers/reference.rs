//! Reference problems: what the tree's libraries choose for the most common operations, so that one table
//! shows what a processor gets from each library.

use super::Answers;
use super::convolution::{ConvolutionQuestion, rules};
use super::route::{GgmlLibrary, malformed};
use crate::engines::ggml::architecture::Architecture;
use crate::engines::ggml::presence::{Library, Presence};
use crate::engines::ggml::{self, Query, Route, Version};
use crate::engines::miopen::device::Device;
use crate::engines::miopen::folder::Database;
use crate::engines::miopen::notation;
use crate::engines::miopen::solver;
use crate::engines::miopen::solver::bound::Rejection;
use crate::engines::miopen::solver::clause::Solver;
use crate::engines::miopen::solver::release::Answering;
use crate::engines::tensile::answer::GemmAnswer;
use crate::engines::tensile::call::{GemmCall, Transpose};
use crate::engines::tensile::lite::types::types_of_rocblas;
use crate::engines::workload::{self, Workload};
use crate::error::{AuditError, Unanswered};
use crate::input::folder::Folder;
use rocm_audit_files::key_map::KeyMap;
use std::collections::BTreeSet;

/// Types of matrix products (A and B, C and D, computation), with their common names.
pub const GEMM_TYPES: [(&str, &str); 9] = [
    ("SS", "FP32"),
    ("HH", "FP16, sums in FP16"),
    ("HHS", "FP16, sums in FP32"),
    ("HSS", "FP16 to FP32"),
    ("BBS", "BF16, sums in FP32"),
    ("I8I", "INT8, sums in INT32"),
    ("DD", "FP64"),
    ("CC", "complex FP32"),
    ("ZZ", "complex FP64"),
];

/// Rows, columns and depth of the reference product: a layer of 4096 for 512 tokens.
pub const GEMM_SIZES: [u64; 3] = [4096, 512, 4096];

/// Convolutions in the notation of `select conv`, each with a description.
pub const CONVOLUTIONS: [(&str, &str); 10] = [
    ("fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1", "3x3, FP32"),
    ("fwd:fp16:n32:c64:h56:w56:k64:y3x3:s1:p1", "3x3, FP16"),
    ("fwd:bf16:n32:c64:h56:w56:k64:y3x3:s1:p1", "3x3, BF16"),
    ("fwd:int8:n32:c64:h56:w56:k64:y3x3:s1:p1", "3x3, INT8"),
    ("fwd:fp32:n32:c128:h56:w56:k128:y3x3:s2:p1", "3x3 stride 2, FP32"),
    ("fwd:fp32:n32:c256:h56:w56:k64:y1x1:s1:p0", "1x1, FP32"),
    ("fwd:fp16:n32:c256:h56:w56:k64:y1x1:s1:p0", "1x1, FP16"),
    ("fwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1:g2", "3x3 in 2 groups, FP32"),
    ("bwd:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1", "3x3 to its input, FP32"),
    ("wrw:fp32:n32:c64:h56:w56:k64:y3x3:s1:p1", "3x3 to its weights, FP32"),
];

/// Weight types of llama.cpp, as `select mul-mat` names them.
pub const LLAMA_TYPES: [&str; 9] = ["f16", "bf16", "f32", "q4_0", "q8_0", "q4_K", "q6_K", "iq4_xs", "mxfp4"];

/// The reference problems as one list: products of rocBLAS and hipBLASLt, MIOpen's convolutions, and
/// llama.cpp's products for many tokens and for one.
pub fn problems() -> Workload {
    let [m, n, k] = GEMM_SIZES;
    let sizes = format!("\"ta\": \"T\", \"m\": {m}, \"n\": {n}, \"k\": {k}");
    let mut lines = String::new();
    for (ty, _) in GEMM_TYPES {
        lines.push_str(&format!("{{\"gemm\": {{\"ty\": \"{ty}\", {sizes}}}}}\n"));
    }
    for (ty, _) in GEMM_TYPES.iter().filter(|(ty, _)| types_of_rocblas(ty).is_ok()) {
        lines.push_str(&format!("{{\"hipblaslt\": {{\"ty\": \"{ty}\", {sizes}}}}}\n"));
    }
    for (convolution, _) in CONVOLUTIONS {
        lines.push_str(&format!("{{\"conv\": \"{convolution}\"}}\n"));
    }
    for (ty, columns) in LLAMA_TYPES.iter().flat_map(|ty| [(ty, 512), (ty, 1)]) {
        lines.push_str(&format!("{{\"ggml\": \"mm {ty} K4096 N4096 ne11={columns} prec=0\"}}\n"));
    }
    workload::read(lines.as_bytes())
}

/// What rocBLAS does for one type.
#[derive(Debug)]
pub struct ReferenceGemm {
    /// The type: `HHS`.
    pub ty: &'static str,
    /// The type in words.
    pub means: &'static str,
    /// The answer, or why there is none.
    pub answer: Result<GemmAnswer, Unanswered>,
}

/// What MIOpen does with a convolution.
#[derive(Debug)]
pub struct ReferenceConvolution {
    /// The convolution in words.
    pub means: &'static str,
    /// The convolution in the notation of `select conv`.
    pub notation: &'static str,
    /// The solver that the find-db decides on.
    pub picked: Option<String>,
    /// The solvers that a find would measure without the record.
    pub measured: Vec<&'static str>,
}

/// A family of MIOpen's solvers, and which of them a device's processor allows for any shape.
#[derive(Debug)]
pub struct SolverFamily {
    /// The family's name: `Winograd`.
    pub name: &'static str,
    /// Solvers allowed by the processor, the build and the default values of variables.
    pub admitted: Vec<&'static Solver>,
    /// Solvers refused for every shape, each with the condition that refuses it.
    pub refused: Vec<Rejection<'static>>,
}

/// How llama.cpp computes products of one weight type.
#[derive(Debug)]
pub struct ReferenceRoute {
    /// The weight type, or `attention`.
    pub ty: &'static str,
    /// For 512 tokens.
    pub prefill: RouteHere,
    /// For one token.
    pub decode: RouteHere,
}

/// A route, and whether its kernel is here.
#[derive(Debug)]
pub struct RouteHere {
    /// The route, which may be a library's.
    pub route: Route,
    /// Whether the library has the kernel; `None` if the route uses no kernel of ggml or the tree has no
    /// library.
    pub presence: Option<Presence>,
}

/// ggml's library in the tree.
pub struct GgmlHere {
    library: Library,
    known: GgmlLibrary,
}

impl std::fmt::Debug for GgmlHere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GgmlHere").field("known", &self.known).finish_non_exhaustive()
    }
}

impl GgmlHere {
    /// The version whose rules answer.
    pub fn version(&self) -> Version {
        self.known.version
    }

    /// The library, if its version is known.
    pub fn from_library(library: Library) -> Option<GgmlHere> {
        let known = GgmlLibrary::from_library(&library, None).ok()?;
        Some(GgmlHere { library, known })
    }
}

impl Answers {
    /// The numbers of multiprocessors that the tree has MIOpen databases for, for one processor, ascending.
    pub fn database_units(&self, processor: &str) -> BTreeSet<u32> {
        let names = self.facts.database_folders.iter().flat_map(Folder::names);
        let databases = names.filter_map(|name| Database::of_name(&name, false));
        let own = databases.filter(|database| database.name.target.processor == processor);
        own.filter_map(|database| database.name.compute_units).collect()
    }

    /// What rocBLAS does with the reference product of each type.
    pub fn reference_gemms(&self, device: &Device) -> Vec<ReferenceGemm> {
        let row = |(ty, means): (&'static str, &'static str)| {
            let [m, n, k] = GEMM_SIZES;
            let transposes = [Transpose::T, Transpose::N];
            let call = GemmCall::new(&device.target, device.compute_units, ty, transposes, [m, n, k]);
            ReferenceGemm { ty, means, answer: self.gemm(&call).map_err(|error| error.to_string().into()) }
        };
        let Ok(_) = self.find_rocblas(&device.target.to_string()) else { return Vec::new() };
        GEMM_TYPES.into_iter().map(row).collect()
    }

    /// What MIOpen does with the reference convolutions; empty if the tree has neither its databases nor its
    /// library.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are wrong or a database cannot be opened.
    pub fn reference_convolutions(&self, device: &Device) -> Result<Vec<ReferenceConvolution>, AuditError> {
        if !self.has_miopen() {
            return Ok(Vec::new());
        }
        let mut rows = Vec::new();
        for (text, means) in CONVOLUTIONS {
            let key = notation::key(text).map_err(|error| AuditError::Internal(error.to_string()))?;
            let question = ConvolutionQuestion::usual(key, device.clone());
            let find_dbs = self.find_dbs(&question, None)?;
            let (_, selection) = self.selection(&question, &find_dbs)?;
            let picked = selection.pick.and_then(|at| selection.recorded.get(at));
            rows.push(ReferenceConvolution {
                means,
                notation: text,
                picked: picked.map(|recorded| recorded.item.solver.to_owned()),
                measured: selection.candidates.measured().map(|solver| solver.name).collect(),
            });
        }
        Ok(rows)
    }

    /// The release of MIOpen whose rules answer for the tree's library.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are wrong.
    pub fn convolution_rules(&self, device: &Device) -> Result<Answering, AuditError> {
        let (context, _) = self.context(&ConvolutionQuestion::usual(String::new(), device.clone()));
        Ok(rules()?.releases().answering(context.version))
    }

    /// Known changes of MIOpen's solvers between two releases that no rule has, each with its release.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are wrong.
    pub fn undecided_between(
        &self,
        a: solver::Version,
        b: solver::Version,
    ) -> Result<Vec<String>, AuditError> {
        let changes = rules()?.releases().undecided_between(a, b);
        Ok(changes.map(|change| format!("since {}, {}", change.since, change.what)).collect())
    }

    /// The families of MIOpen's solvers, and what the processor allows of each for any shape.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are wrong.
    pub fn solver_families(&self, device: &Device) -> Result<Vec<SolverFamily>, AuditError> {
        self.solver_families_of(device, None)
    }

    /// As [`Answers::solver_families`], by the rules of a release of MIOpen.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn solver_families_of(
        &self,
        device: &Device,
        version: Option<solver::Version>,
    ) -> Result<Vec<SolverFamily>, AuditError> {
        let usual = ConvolutionQuestion::usual(String::new(), device.clone());
        let question = ConvolutionQuestion { version, ..usual };
        let (context, _) = self.context(&question);
        let bound = rules()?.for_context(&context);
        let mut families: KeyMap<usize, SolverFamily> = KeyMap::new();
        for (solver, never) in bound.admissions() {
            let (rank, name) = family(solver);
            let empty = SolverFamily { name, admitted: Vec::new(), refused: Vec::new() };
            let family = families.entry(rank).or_insert(empty);
            match never {
                None => family.admitted.push(solver),
                Some(rejection) => family.refused.push(rejection),
            }
        }
        Ok(families.into_values().collect())
    }
}

/// A family's name, and a test of whether a solver's name belongs to it.
type Family = (&'static str, fn(&str) -> bool);

/// The families in display order, told apart by what the names of their solvers begin with or contain.
const FAMILIES: [Family; 9] = [
    ("Winograd", |name| name.contains("Wino")),
    ("assembly", |name| name.starts_with("ConvAsm") && !name.contains("ImplicitGemm")),
    ("assembly, implicit GEMM", |name| name.starts_with("ConvAsmImplicitGemm")),
    ("OpenCL", |name| name.starts_with("ConvOcl")),
    ("MLIR, implicit GEMM", |name| name.starts_with("ConvMlir")),
    ("HIP, implicit GEMM", |name| name.contains("ImplicitGemm") || name.starts_with("ConvCk")),
    ("GEMM by rocBLAS", |name| name.starts_with("Gemm")),
    ("FFT", |name| name.eq_ignore_ascii_case("fft")),
    ("naive", |name| name.contains("Naive")),
];

fn family(solver: &Solver) -> (usize, &'static str) {
    let found = FAMILIES.iter().enumerate().find(|(_, (_, is))| is(solver.name));
    found.map_or((FAMILIES.len(), "other"), |(rank, (name, _))| (rank, *name))
}

/// How llama.cpp computes the reference products on a processor, by the rules of the tree's library, else of
/// the latest version.
///
/// # Errors
///
/// If the processor is no AMD GPU, or the crate's own rules are malformed.
pub fn reference_routes(device: &Device, here: Option<&GgmlHere>) -> Result<Vec<ReferenceRoute>, AuditError> {
    let architecture = Architecture::parse(&device.target.processor)
        .map_err(|error| AuditError::Usage(error.to_string()))?;
    let version = here.map(GgmlHere::version);
    let index = here.and_then(|here| here.library.index(&device.target));
    let route = |text: String| -> Result<RouteHere, AuditError> {
        let query: Query =
            text.parse().map_err(|error: ggml::query::BadQuery| malformed(&error.to_string()))?;
        let answer = ggml::route(&architecture, &query, version).map_err(malformed)?;
        let presence = answer
            .kernel
            .as_ref()
            .zip(here)
            .map(|(kernel, here)| here.library.presence_in(index.as_ref(), kernel));
        Ok(RouteHere { route: answer.route, presence })
    };
    let mut rows = Vec::new();
    for ty in LLAMA_TYPES {
        let product = |columns: u32| format!("mm {ty} K4096 N4096 ne11={columns} prec=0");
        rows.push(ReferenceRoute { ty, prefill: route(product(512))?, decode: route(product(1))? });
    }
    let attention = |queries: u32| format!("fa f16 D128 DV128 nq={queries} nh=32 nkv=8 kv=1024 mask=1");
    rows.push(ReferenceRoute {
        ty: "attention",
        prefill: route(attention(512))?,
        decode: route(attention(1))?,
    });
    Ok(rows)
}
