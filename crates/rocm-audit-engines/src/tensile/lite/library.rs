//! A folder of hipBLASLt as its library uses it on one device.
//!
//! Source: hipBLASLt 7.1, `tensile_host.cpp` (`TensileHost::initialize`) and `rocblaslt_auxiliary.cpp`. An
//! answer is for a process that asks for the first time: the library keeps answers by a key that lacks the
//! type of the bias, the kind of activation and the number of algorithms, so that earlier calls can change
//! later ones.
#![deny(clippy::indexing_slicing)]

use super::TensileLite;
use super::call::MatmulCall;
use super::fill::{self, Fill};
use super::launch;
use super::problem::Problem;
use super::release::{ChoiceRules, LiteLibrary, Release};
use super::stream_k;
use super::tuned::TunedMatch;
use crate::tensile::catalog::{Catalog, CatalogError};
use crate::tensile::catalog_set::CatalogSet;
use crate::tensile::code_objects::{CodeObjects, KernelId, Supply};
use crate::tensile::data_type::DataType;
use crate::tensile::hardware::Hardware;
use crate::tensile::launch::{Launch, Role};
use crate::tensile::node::Node;
use crate::tensile::probing::{CatalogForms, Probing};
use crate::tensile::select::{FoundSolution, Search};
use crate::tensile::trace::SelectionTrace;
use amdgpu_object::target::{GfxVersion, TargetId};
use rocm_audit_files::input::folder::Folder;

/// `HIPBLAS_STATUS_SUCCESS`.
pub const SUCCESS: i32 = 0;
/// `HIPBLAS_STATUS_INVALID_VALUE`: what the heuristic returns without a master catalog, and the launch for an
/// epilogue with a bias where no pointer to one is set.
pub const INVALID_VALUE: i32 = 3;
/// `HIPBLAS_STATUS_INTERNAL_ERROR`: a kernel or its code object is missing at the launch.
pub const INTERNAL_ERROR: i32 = 6;

/// The catalogs and code objects of a folder for one device.
#[derive(Debug)]
pub struct Library {
    device: TargetId,
    catalogs: CatalogSet<TensileLite>,
    release: Release,
    code_objects: CodeObjects,
}

/// A solution that was found.
pub type Candidate<'l> = FoundSolution<'l, TensileLite>;

/// What the heuristic gives.
#[derive(Debug)]
pub struct Choice<'l> {
    /// The problem that was asked.
    pub problem: Problem,
    /// The algorithms that the tables give, in order.
    pub fixed: Vec<Candidate<'l>>,
    /// What the list is filled up with, in an order that the bytes do not decide; empty where the tables gave
    /// enough.
    pub fill: Vec<Candidate<'l>>,
    /// How many algorithms are asked for.
    pub requested: usize,
    /// Whether xf32 was asked for, no solution takes it, and Float was taken instead.
    pub xf32_fell_back: bool,
    /// What was met that this tool does not know; the list behind [`Choice::fixed`] is not known then.
    pub undecided: Option<String>,
    /// Whether a kernel is compiled at run time instead of taken from a catalog.
    pub compiled: bool,
}

impl<'l> Choice<'l> {
    /// How many of the candidates come into the list.
    pub fn filled(&self) -> usize {
        self.requested.saturating_sub(self.fixed.len()).min(self.fill.len())
    }

    /// The list of a fresh process: what the tables give, and then the candidates by index.
    pub fn list(&self) -> impl Iterator<Item = &Candidate<'l>> {
        self.fixed.iter().chain(self.fill.iter().take(self.filled()))
    }

    /// The algorithm that a fresh process puts first.
    pub fn first(&self) -> Option<&Candidate<'l>> {
        self.list().next()
    }

    /// Whether rules decided that were compared with no library: a model's, a compiler's, those of solutions
    /// that stream along K or of a release that was not there.
    pub fn is_by_source(&self) -> bool {
        let is_ranked = TunedMatch::from_choice(self) == TunedMatch::Ranked;
        let streams = self.first().is_some_and(|first| first.solution.mapping.stream_k.streams());
        self.compiled || is_ranked || streams || self.problem.rules >= ChoiceRules::Of1_4
    }

    /// Bytes of workspace that the library states with a candidate: what it needs. For a group whose tables
    /// gave the candidate, the library states none.
    pub fn stated_workspace(&self, found: &Candidate<'_>) -> u64 {
        if self.problem.grouped && found.row.is_some() { 0 } else { self.workspace(found) }
    }

    /// Bytes of workspace that a candidate needs for the problem.
    pub fn workspace(&self, found: &Candidate<'_>) -> u64 {
        let in_step = self.problem.sparse.map_or(0, |_| found.solution.mapping.synchronizer(&self.problem));
        found.catalog.content().shared.workspace(found.solution, &self.problem).wrapping_add(in_step)
    }
}

/// What a launch consists of, and how it ends.
#[derive(Debug, Clone)]
pub struct LaunchFigures<'l> {
    /// The code object by rule.
    pub code_object: Option<String>,
    /// The launches in their order, with the files that supply them. None behind one that fails.
    pub launches: Vec<Launch<'l>>,
    /// A kernel that nothing supplies; the launch ends there with status 6.
    pub missing: Option<String>,
    /// Why not all of the launch is known.
    pub not_known: Option<String>,
    /// What `hipblasLtMatmul` returns; `None` for a group, and where not all of the launch is known.
    pub status: Option<i32>,
}

/// The name of the catalog that selection begins with.
pub fn master_catalog(processor: &str) -> String {
    format!("TensileLibrary_lazy_{processor}.dat")
}

/// The name of the file with the helper kernels.
pub fn helper_file(processor: &str) -> String {
    format!("Kernels.so-000-{processor}.hsaco")
}

impl Library {
    /// Opens the folder for a device such as `gfx90a:sramecc+:xnack-`. If it has a folder of the processor's
    /// name, even an empty one, that is opened.
    ///
    /// # Errors
    /// Where its master catalog is missing or cannot be read. The heuristic of the real library then returns
    /// [`INVALID_VALUE`].
    pub fn open(folder: impl Into<Folder>, arch: &str) -> Result<Library, CatalogError> {
        Library::open_of(LiteLibrary::HipBlasLt, folder.into(), arch)
    }

    /// The same of a folder of hipSPARSELt, for products with a sparse matrix.
    ///
    /// # Errors
    /// As [`Library::open`].
    pub fn open_sparse(folder: impl Into<Folder>, arch: &str) -> Result<Library, CatalogError> {
        Library::open_of(LiteLibrary::HipSparseLt, folder.into(), arch)
    }

    fn open_of(of: LiteLibrary, folder: Folder, arch: &str) -> Result<Library, CatalogError> {
        let device = TargetId::parse(arch)
            .ok_or_else(|| CatalogError::unreadable(&folder.path(), format!("{arch} is no target")))?;
        let folder = folder.folder(&device.processor).unwrap_or(folder);
        let name = master_catalog(&device.processor);
        let reads = CatalogForms::from_probing(Probing::near(&folder, of.stem()).as_ref());
        let catalogs = CatalogSet::open_as(folder.clone(), &name, reads)?;
        let release = Release::near(&folder, of);
        Ok(Library { catalogs, release, code_objects: CodeObjects::new(folder, device.clone()), device })
    }

    /// The device.
    pub fn device(&self) -> &TargetId {
        &self.device
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Folder {
        self.catalogs.folder()
    }

    /// The catalog that selection begins with.
    pub fn master(&self) -> &Catalog<TensileLite> {
        self.catalogs.master()
    }

    /// The release of the library that would load the folder.
    pub fn release(&self) -> &Release {
        &self.release
    }

    /// The rules that answer.
    pub fn rules(&self) -> ChoiceRules {
        self.release.rules()
    }

    /// Whether the choice can depend on how many compute units the device has: by rows of the first catalog,
    /// or by solutions of others that split K by what the device has free, which came with gfx12's catalogs
    /// of 1.2, or that a model ranks.
    pub fn asks_for_compute_units(&self) -> bool {
        let version = GfxVersion::from_name(&self.device.processor);
        let is_gfx12 = version.is_some_and(|version| version.major == 12);
        if (self.rules() >= ChoiceRules::Of1_2 && is_gfx12) || self.is_ranked() {
            return true;
        }
        match &self.master().content().library {
            Node::Hardware(rows) => rows.iter().any(|(predicate, _)| predicate.asks_for_compute_units()),
            _ => true,
        }
    }

    /// Whether products with a scale for each block go to the run-time compiler: where the library has it, or
    /// is not here. Those of gfx125x have catalogs.
    fn compiles_block_scales(&self) -> bool {
        let has_catalogs = self.device.processor.starts_with("gfx125");
        !has_catalogs && self.release.compiles_at_run_time(self.folder()) != Some(false)
    }

    /// Whether catalogs of the device are of those in which a model ranks solutions.
    fn is_ranked(&self) -> bool {
        matches!(self.device.processor.as_str(), "gfx942" | "gfx950")
    }

    /// Its catalogs.
    pub fn catalogs(&self) -> &CatalogSet<TensileLite> {
        &self.catalogs
    }

    /// The algorithms that the heuristic gives; loads no code object.
    ///
    /// # Errors
    /// Where a catalog that the problem leads to is missing or malformed. The real library crashes then.
    pub fn choose(
        &self,
        call: &MatmulCall,
        mut walk: Option<&mut SelectionTrace>,
    ) -> Result<Choice<'_>, CatalogError> {
        let problem = Problem::from_call(call, self.rules());
        let hardware = Hardware::lite(&self.device.processor, call.multiprocessors).with_chip(call.chip);
        let mut choice = Choice {
            fixed: Vec::new(),
            fill: Vec::new(),
            requested: call.requested,
            xf32_fell_back: false,
            undecided: None,
            compiled: false,
            problem,
        };
        if choice.problem.invalid.is_some() {
            return Ok(choice);
        }
        if call.has_block_scales() && self.compiles_block_scales() {
            choice.compiled = true;
            return Ok(choice);
        }
        self.search(&choice.problem.clone(), &hardware, &mut choice, walk.as_deref_mut())?;
        if choice.fixed.is_empty() && choice.undecided.is_none() && call.comp.xf32 {
            let float = Problem { f32_math: DataType::Float, ..choice.problem.clone() };
            self.search(&float, &hardware, &mut choice, walk.as_deref_mut())?;
            choice.xf32_fell_back = !choice.fixed.is_empty();
        }
        if call.sparse.is_none() && choice.fixed.len() < call.requested && choice.undecided.is_none() {
            let Some(problem) = fill::problem(call, &choice.problem) else { return Ok(choice) };
            let Fill { candidates, undecided } =
                fill::candidates(&self.catalogs, &problem, &hardware, &choice.fixed, walk)?;
            (choice.fill, choice.undecided) = (candidates, undecided);
        }
        Ok(choice)
    }

    fn search<'l>(
        &'l self,
        problem: &Problem,
        hardware: &Hardware,
        choice: &mut Choice<'l>,
        walk: Option<&mut SelectionTrace>,
    ) -> Result<(), CatalogError> {
        let catalogs = &self.catalogs;
        let mut search = Search::new(problem, hardware, &catalogs, walk, choice.requested);
        search.catalog(catalogs.master(), None)?;
        (choice.fixed, choice.undecided) = (search.found, search.undecided);
        Ok(())
    }

    /// What launching an algorithm consists of, and how it ends. `look_into` says whether to open the code
    /// object of the main kernel; else it is enough that the file is there.
    pub fn launch<'l>(
        &'l self,
        found: &Candidate<'l>,
        call: &MatmulCall,
        problem: &Problem,
        look_into: bool,
    ) -> LaunchFigures<'l> {
        let kernel = found.catalog.text(found.solution.kernel);
        let processor = &self.device.processor;
        let content = found.catalog.content();
        let code_object = found.placeholder.map(|placeholder| format!("{placeholder}.co"));
        let mut launched =
            LaunchFigures { code_object, launches: Vec::new(), missing: None, not_known: None, status: None };
        // How a group's products share a launch is not modelled.
        if problem.grouped {
            return launched;
        }
        let mapping = &found.solution.mapping;
        if mapping.stream_k.streams() {
            match stream_k::streamed(mapping, problem) {
                Err(what) => {
                    launched.not_known = Some(format!("how many work groups are launched depends on {what}"));
                    return launched;
                }
                Ok(streamed) if streamed.parts > 1 => {
                    launched.not_known = Some(format!(
                        "a second kernel sums up {} parts of each tile; which one it is, is not modelled",
                        streamed.parts
                    ));
                }
                Ok(_) => {}
            }
        }
        if call.epilogue.bias.is_some() && !call.bias_ptr {
            launched.status = Some(INVALID_VALUE);
            return launched;
        }
        launched.status = launched.not_known.is_none().then_some(SUCCESS);
        let Some(of) = content.shared.type_of(found.solution) else { return launched };
        for mut launch in launch::launches(found.solution, of, kernel, problem, processor) {
            let file = match launch.role {
                Role::Main => launched.code_object.clone().unwrap_or_default(),
                _ => helper_file(processor),
            };
            let deep = look_into || launch.role != Role::Main;
            match self.code_objects.supplier(&file, KernelId::from_name(launch.kernel.as_bytes()), deep) {
                Supply::By(file) => launch.file = Some(file),
                Supply::Missing => {
                    launched.missing = Some(launch.kernel.into_owned());
                    launched.status = Some(INTERNAL_ERROR);
                    break;
                }
            }
            launched.launches.push(launch);
        }
        launched
    }
}
