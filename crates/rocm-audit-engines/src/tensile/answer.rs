//! Everything that can be said of a call: what a fresh process does, why, and what else can change it.
#![deny(clippy::indexing_slicing)]

use super::call::GemmCall;
use super::catalog::CatalogError;
use super::host::Host;
use super::kernel_name::{self, Parameter};
use super::launch::Launch;
use super::library::Library;
use super::name::{Name, Role};
use super::predicate::Predicate;
use super::solution::Solution;
use super::standing::SolutionStanding;
use super::trace::SelectionTrace;
use super::version::Version;
use amdgpu_object::target::TargetId;
use std::borrow::Cow;
use std::path::PathBuf;

/// What rocBLAS does for a call in a fresh process. It outlives the catalogs.
#[derive(Debug, Clone)]
pub struct GemmAnswer {
    /// The device's target.
    pub target: TargetId,
    /// The call.
    pub call: GemmCall,
    /// The folder of the catalogs, as messages name it.
    pub folder: PathBuf,
    /// The name of the catalog that the choice begins with.
    pub first_catalog: String,
    /// Tensile's index of the solution; `None` where none solves the call.
    pub solution: Option<u32>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// What the kernel's name states.
    pub parameters: Vec<Parameter>,
    /// Whether the kernel is one for every target.
    pub fallback: bool,
    /// Whether rocBLAS returns before it asks Tensile.
    pub quick_return: bool,
    /// Whether XFloat32 was asked for, no solution takes it, and Float was taken instead.
    pub xf32_fell_back: bool,
    /// Whether rocBLAS takes the call for a product of a matrix and a vector, and launches a kernel of its
    /// own.
    pub gemv: bool,
    /// The code object by rule; catalogs that hold everything name none.
    pub code_object: Option<String>,
    /// The file that supplies the kernel; none where nothing is launched.
    pub loaded_from: Option<String>,
    /// The launches in their order. Where rocBLAS returns at once, those that the solution stands for.
    pub launches: Vec<Launch<'static>>,
    /// `rocblas_status`.
    pub status: i32,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
    /// Distance from the tuned size, where a table was asked.
    pub distance: Option<f64>,
    /// How calls before or after this one can differ.
    pub history: Option<History>,
    /// Other targets that the folder has a master catalog for.
    pub other_targets: usize,
    /// Whether the master catalog leads to a catalog that is for the target alone.
    pub has_own_catalogs: bool,
    /// The library that would load the folder, where it lies near.
    pub host: Option<Host>,
    /// What hipBLASLt does with the call, where rocBLAS asks it first; filled in by who has its catalogs.
    pub front: Option<Front>,
    /// The steps of the choice.
    pub trace: SelectionTrace,
    /// A solution that was asked about beside, and how it stands; filled in by who asks.
    pub standing: Option<(u32, SolutionStanding)>,
}

/// What becomes of a call that rocBLAS hands to hipBLASLt first. It asks for one algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Front {
    /// hipBLASLt answers.
    Answers {
        /// The solution.
        solution: u32,
        /// Its kernel.
        kernel: String,
        /// How many others could come first, where no table decides.
        others: usize,
    },
    /// It has no algorithm or fails, for this reason, and rocBLAS warns once and goes on to its own catalogs.
    Declines(String),
}

/// rocBLAS's number for a solution of Tensile's number: one more up to 4.4, where positive numbers are
/// Tensile's. From 5.0 on those are hipBLASLt's, and Tensile's begin at -11: -9 is the product with a vector,
/// 0 and -1 leave the choice to the library.
///
/// Source: rocBLAS 5.2, run on a stand-in for the HIP runtime.
pub fn public_index(solution: u32, version: Option<Version>) -> i64 {
    let own = i64::from(solution);
    if version.is_some_and(|version| version >= Version::new(5, 0)) { -(own + 11) } else { own + 1 }
}

/// What rocBLAS's cache of choices, which knows neither beta nor whether C is D, can do to calls of the same
/// sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// The solution asks for beta or for C being D: a later call with another beta fails.
    Spoils,
    /// An earlier call with beta 1 and C being D chooses this solution, which then fails for this call.
    Spoiled(u32),
}

impl GemmAnswer {
    /// The version of the library that would load the folder, where it is known.
    pub fn version(&self) -> Option<Version> {
        self.host.as_ref()?.version
    }

    /// The number by which rocBLAS's own functions know the solution.
    pub fn public_index(&self) -> Option<i64> {
        self.solution.map(|solution| public_index(solution, self.version()))
    }
}

impl Library {
    /// What a fresh process does for a call, with its reasons.
    ///
    /// # Errors
    /// Where a catalog that the call leads to is missing or malformed. The real library crashes then.
    pub fn answer(&self, call: &GemmCall) -> Result<GemmAnswer, CatalogError> {
        let mut trace = SelectionTrace::default();
        let answer = self.select(call, Some(&mut trace))?;
        let kernel = answer.kernel.unwrap_or_default();
        let history =
            if answer.quick_return || answer.gemv { None } else { self.history(call, answer.solution) };
        let path = self.master().path();
        let owned = |launch: &Launch<'_>| Launch {
            kernel: Cow::Owned(launch.kernel.clone().into_owned()),
            role: launch.role,
            grid: launch.grid,
            work_group: launch.work_group,
            file: launch.file.clone(),
        };
        Ok(GemmAnswer {
            target: self.device().clone(),
            call: call.clone(),
            folder: self.folder().path(),
            first_catalog: path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            solution: answer.solution.map(|s| s.index),
            kernel: answer.kernel.map(str::to_owned),
            parameters: kernel_name::parameters(kernel),
            fallback: answer.is_fallback(),
            quick_return: answer.quick_return,
            xf32_fell_back: answer.xf32_fell_back,
            gemv: answer.gemv,
            code_object: answer.code_object,
            loaded_from: answer.loaded_from.as_deref().map(str::to_owned),
            launches: answer.launches.iter().map(owned).collect(),
            status: answer.status,
            workspace_bytes: answer.workspace_bytes,
            distance: answer.distance,
            history,
            other_targets: self.other_targets(),
            has_own_catalogs: self.has_own_catalogs(),
            host: Host::find_for_folder(self.folder()),
            front: None,
            trace,
            standing: None,
        })
    }

    fn history(&self, call: &GemmCall, solution: Option<&Solution>) -> Option<History> {
        let asks = |solution: &Solution| {
            solution.problem.iter().any(|p| matches!(p, Predicate::BetaValue(_) | Predicate::CEqualsD))
        };
        if solution.is_some_and(asks) {
            return Some(History::Spoils);
        }
        let other = GemmCall { beta: 1.0, c_eq_d: true, ..call.clone() };
        let earlier = self.choose(&other, None).ok()?.found?.solution;
        asks(earlier).then_some(History::Spoiled(earlier.index))
    }

    /// Catalogs that all targets share have the word `fallback` in their names and no target.
    fn has_own_catalogs(&self) -> bool {
        let content = self.catalogs().master().content();
        let is_own =
            |name: &str| Name::parse(&format!("{name}.dat")).is_some_and(|name| name.target.is_some());
        content.placeholders.is_empty() || content.placeholders.iter().any(|(name, _)| is_own(name))
    }

    fn other_targets(&self) -> usize {
        let first = |name: &String| Name::parse(name).is_some_and(|name| name.role == Role::LazyCatalog);
        self.folder().names().iter().filter(|name| first(name)).count().saturating_sub(1)
    }
}
