//! Everything that can be said of a call of hipBLASLt: what a fresh process gets, why, and what else can
//! change it.
#![deny(clippy::indexing_slicing)]

use super::by_source::BySource;
use super::call::MatmulCall;
use super::history::{self, Poison};
use super::library::{Choice, LaunchFigures, Library};
use super::release::Release;
use crate::tensile::catalog::CatalogError;
use crate::tensile::launch::Launch;
use crate::tensile::trace::SelectionTrace;
use amdgpu_object::target::TargetId;
use std::borrow::Cow;
use std::path::PathBuf;

/// Algorithms that an answer lists in full.
pub const LISTED: usize = 64;

/// What hipBLASLt gives for a call in a fresh process. It outlives the catalogs.
#[derive(Debug, Clone)]
pub struct MatmulAnswer {
    /// The device's target.
    pub target: TargetId,
    /// The call.
    pub call: MatmulCall,
    /// The folder of the catalogs, as messages name it.
    pub folder: PathBuf,
    /// The name of the catalog that the choice begins with.
    pub first_catalog: String,
    /// The algorithms in the order of a fresh process; at most [`LISTED`].
    pub algorithms: Vec<Algorithm>,
    /// How many there are.
    pub returned: usize,
    /// How many of them the tables decide, in order.
    pub fixed: usize,
    /// The indices of all candidates that the list is filled up with; their order is no property of the
    /// files.
    pub fill: Vec<u32>,
    /// Why hipBLASLt takes the call for invalid.
    pub invalid: Option<&'static str>,
    /// Whether XFloat32 was asked for, no solution takes it, and Float was taken instead.
    pub xf32_fell_back: bool,
    /// What was met that this tool does not know; what follows the fixed algorithms is not known then.
    pub undecided: Option<String>,
    /// The code object of the first algorithm by rule.
    pub code_object: Option<String>,
    /// Its launches in their order; none behind one that fails.
    pub launches: Vec<Launch<'static>>,
    /// A kernel of it that nothing supplies.
    pub missing: Option<String>,
    /// Whether its kernel is compiled at run time, and stands in no catalog.
    pub compiled: bool,
    /// Why not all of its launch is known.
    pub launch_not_known: Option<String>,
    /// What was decided by rules that were read in a source, and compared with no library of the release that
    /// has them.
    pub by_source: Vec<BySource>,
    /// What `hipblasLtMatmul` returns for it; `None` without a solution.
    pub run_status: Option<i32>,
    /// How earlier calls of the same sizes can change the answer.
    pub history: Vec<Poison>,
    /// What the call gets alone, where it was asked behind others.
    pub alone: Option<Vec<u32>>,
    /// Whether the catalogs ask for the number of compute units.
    pub asks_for_compute_units: bool,
    /// The library that would load the folder, where it lies near.
    pub release: Release,
    /// Other catalogs of the target that the folder lacks: a fill reaches those of every type of the
    /// operation, and crashes.
    pub lost: Vec<String>,
    /// Whether the mapping of solution indices is there; without it the library complains.
    pub has_mapping: bool,
    /// The steps of the choice.
    pub trace: SelectionTrace,
}

/// An algorithm of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Algorithm {
    /// The index of the solution.
    pub solution: u32,
    /// Its kernel.
    pub kernel: String,
    /// Its name, which says more than the kernel's: several solutions launch one kernel.
    pub name: String,
    /// Whether the tables decide that it stands at this place.
    pub fixed: bool,
    /// Bytes of workspace that it needs.
    pub workspace: u64,
    /// The catalog that it stands in.
    pub catalog: Option<String>,
    /// The sizes that it was tuned for: M, N, batch, K.
    pub tuned: Option<[u64; 4]>,
    /// Elements of D of a work group, and steps of K.
    pub tile: [u32; 3],
    /// Work groups that share one part of D.
    pub split: u32,
}

/// The table of solution indices that the library loads beside the catalogs.
const MAPPING: &str = "TensileLiteLibrary_lazy_Mapping.dat";

impl Library {
    /// What a fresh process gets for a call, with its reasons.
    ///
    /// # Errors
    /// Where a catalog that the call leads to is missing or malformed. The real library crashes then.
    pub fn answer(&self, call: &MatmulCall) -> Result<MatmulAnswer, CatalogError> {
        let mut trace = SelectionTrace::default();
        let choice = self.choose(call, Some(&mut trace))?;
        let launched = choice.first().map(|first| self.launch(first, call, &choice.problem, true));
        let history = history::poisons(self, call, &choice);
        Ok(self.outlive(call, &choice, launched, history, trace))
    }

    /// The same after other calls of the same process.
    ///
    /// # Errors
    /// As [`Library::answer`].
    pub fn answer_after(
        &self,
        before: &[MatmulCall],
        call: &MatmulCall,
    ) -> Result<MatmulAnswer, CatalogError> {
        let mut process = history::Process::new(self);
        for earlier in before {
            process.choose(earlier, None)?;
        }
        let mut trace = SelectionTrace::default();
        let choice = process.choose(call, Some(&mut trace))?;
        let launched = choice.first().map(|first| self.launch(first, call, &choice.problem, true));
        let alone = self.choose(call, None)?;
        let alone = alone.list().map(|found| found.solution.index).take(LISTED).collect();
        let answer = self.outlive(call, &choice, launched, Vec::new(), trace);
        Ok(MatmulAnswer { alone: Some(alone), ..answer })
    }

    fn outlive(
        &self,
        call: &MatmulCall,
        choice: &Choice<'_>,
        launched: Option<LaunchFigures<'_>>,
        history: Vec<Poison>,
        trace: SelectionTrace,
    ) -> MatmulAnswer {
        let path = self.master().path();
        let owned = |launch: &Launch<'_>| Launch {
            kernel: Cow::Owned(launch.kernel.clone().into_owned()),
            role: launch.role,
            grid: launch.grid,
            work_group: launch.work_group,
            file: launch.file.clone(),
        };
        MatmulAnswer {
            target: self.device().clone(),
            call: call.clone(),
            folder: self.folder().path(),
            first_catalog: path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            algorithms: algorithms(choice),
            returned: choice.fixed.len().min(choice.requested) + choice.filled(),
            fixed: choice.fixed.len().min(choice.requested),
            fill: choice.fill.iter().map(|found| found.solution.index).collect(),
            invalid: choice.problem.invalid,
            xf32_fell_back: choice.xf32_fell_back,
            undecided: choice.undecided.clone(),
            code_object: launched.as_ref().and_then(|launched| launched.code_object.clone()),
            launches: launched.iter().flat_map(|l| &l.launches).map(owned).collect(),
            missing: launched.as_ref().and_then(|launched| launched.missing.clone()),
            compiled: choice.compiled,
            launch_not_known: launched.as_ref().and_then(|launched| launched.not_known.clone()),
            by_source: BySource::for_choice(self, call, choice, &trace),
            run_status: launched.as_ref().and_then(|launched| launched.status),
            history,
            alone: None,
            asks_for_compute_units: self.asks_for_compute_units(),
            release: self.release().clone(),
            lost: self.lost(choice),
            has_mapping: self.folder().has(MAPPING),
            trace,
        }
    }

    /// The catalogs that the master names and that are not there or no MessagePack, where the call fills its
    /// list up.
    fn lost(&self, choice: &Choice<'_>) -> Vec<String> {
        if choice.fixed.len() >= choice.requested || choice.problem.invalid.is_some() {
            return Vec::new();
        }
        self.catalogs().lost(choice.problem.operation)
    }
}

fn algorithms(choice: &Choice<'_>) -> Vec<Algorithm> {
    let one = |(place, found): (usize, &super::library::Candidate<'_>)| {
        let mapping = &found.solution.mapping;
        let [tile0, tile1] = mapping.macro_tile;
        Algorithm {
            solution: found.solution.index,
            kernel: found.catalog.text(found.solution.kernel).to_owned(),
            name: found.catalog.text(found.solution.name).to_owned(),
            fixed: place < choice.fixed.len(),
            workspace: choice.workspace(found),
            catalog: found.placeholder.map(str::to_owned),
            tuned: found.row.map(|row| row.key()),
            tile: [tile0, tile1, mapping.depth_u],
            split: u32::try_from(mapping.split(&choice.problem)).unwrap_or(u32::MAX),
        }
    };
    choice.list().enumerate().map(one).take(LISTED).collect()
}
