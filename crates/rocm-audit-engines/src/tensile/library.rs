//! A library folder as rocBLAS uses it on one device: which catalog it begins with, what it chooses for a
//! call, what it loads and launches.
//!
//! Source: rocBLAS 6.4, `tensile_host.cpp`. An answer is for a process whose environment does not change the
//! choice, unless [`GemmCall::env`] says so. rocBLAS remembers choices by a key that lacks alpha, beta and
//! whether C is D; what that does to later calls of a process is not part of an answer.
#![deny(clippy::indexing_slicing)]

use super::call::GemmCall;
use super::catalog::{Catalog, CatalogError};
use super::catalog_set::CatalogSet;
use super::code_objects::{CodeObjects, KernelId, Module};
use super::data_type::DataType;
use super::gemv;
use super::gemv_kernel;
use super::host;
use super::launch::{Launch, Role, launches};
use super::rocblas::RocBlas;
use super::select::{FoundSolution, Search};
use super::solution::Solution;
use super::trace::SelectionTrace;
use super::version::Version;
use amdgpu_object::target::TargetId;
use rocm_audit_files::input::folder::Folder;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// `rocblas_status_success`.
pub const SUCCESS: i32 = 0;
/// `rocblas_status_not_implemented`: no solution.
pub const NOT_IMPLEMENTED: i32 = 2;
/// `rocblas_status_invalid_size`: C and D are one matrix, and have two leading dimensions.
pub const INVALID_SIZE: i32 = 4;
/// `rocblas_status_internal_error`: a kernel or its code object is missing.
pub const INTERNAL_ERROR: i32 = 6;

/// Extensions of catalogs: those of a rocBLAS that reads MessagePack, and of one that reads YAML.
const EXTENSIONS: [&str; 2] = ["dat", "yaml"];

/// A library folder for one device. Catalogs are read when a problem first leads to them, and kept.
#[derive(Debug)]
pub struct Library {
    device: TargetId,
    catalogs: CatalogSet<RocBlas>,
    lazy: bool,
    code_objects: CodeObjects,
    version: OnceLock<Option<Version>>,
    vector_kernels: OnceLock<Option<(String, HashSet<String>)>>,
}

/// A solution that was chosen for a problem, before anything is loaded.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'l> {
    /// What was found.
    pub found: Option<FoundSolution<'l>>,
    /// Whether XFloat32 was asked for, no solution takes it, and Float was taken instead.
    pub xf32_fell_back: bool,
}

/// What the real library does for a call.
#[derive(Debug, Clone)]
pub struct Answer<'l> {
    /// The solution; `None` where none solves the call.
    pub solution: Option<&'l Solution>,
    /// Its kernel.
    pub kernel: Option<&'l str>,
    /// Whether it comes from a catalog for every target.
    pub fallback: bool,
    /// The code object by rule.
    pub code_object: Option<String>,
    /// The file that supplies the kernel; none where nothing is launched.
    pub loaded_from: Option<Arc<str>>,
    /// The launches in their order. Where rocBLAS returns at once, those that the solution stands for.
    pub launches: Vec<Launch<'l>>,
    /// `rocblas_status`.
    pub status: i32,
    /// Bytes of workspace that the solution needs.
    pub workspace_bytes: u64,
    /// Distance from the tuned size.
    pub distance: Option<f64>,
    /// Whether rocBLAS returns before it asks Tensile.
    pub quick_return: bool,
    /// Whether XFloat32 was asked for, no solution takes it, and Float was taken instead.
    pub xf32_fell_back: bool,
    /// Whether rocBLAS takes the call for a product of a matrix and a vector, and launches a kernel of its
    /// own.
    pub gemv: bool,
}

impl Answer<'_> {
    /// Whether the kernel is one for every target. A catalog with everything in it does not say; source
    /// kernels for every target carry no ISA.
    pub fn is_fallback(&self) -> bool {
        self.fallback
            || (self.code_object.is_none() && self.kernel.is_some_and(|kernel| kernel.contains("_ISA000_")))
    }
}

impl Library {
    /// Opens the folder for a device such as `gfx90a:sramecc+:xnack-`. If it has a folder of the processor's
    /// name, that one is opened; of the master catalogs in it, the one that rocBLAS tries first.
    ///
    /// # Errors
    /// Where that catalog is missing or cannot be read. The real library ends the process then.
    pub fn open(folder: impl Into<Folder>, arch: &str) -> Result<Library, CatalogError> {
        let folder = folder.into();
        let device = TargetId::parse(arch)
            .ok_or_else(|| CatalogError::unreadable(&folder.path(), format!("{arch} is no target")))?;
        let processor = device.processor.as_str();
        let folder = folder.folder(processor).unwrap_or(folder);
        let names = master_catalogs(processor);
        let there = names.iter().find(|name| folder.has(name)).or(names.first());
        let name = there.map_or("", String::as_str);
        Ok(Library {
            lazy: name.contains("_lazy_"),
            catalogs: CatalogSet::open(folder.clone(), name)?,
            code_objects: CodeObjects::new(folder, device.clone()),
            version: OnceLock::new(),
            vector_kernels: OnceLock::new(),
            device,
        })
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
    pub fn master(&self) -> &Catalog {
        self.catalogs.master()
    }

    /// Its catalogs.
    pub fn catalogs(&self) -> &CatalogSet<RocBlas> {
        &self.catalogs
    }

    /// The version of the library that would load the folder, where it lies near and states it.
    pub fn version(&self) -> Option<Version> {
        *self.version.get_or_init(|| host::version_near(self.folder()))
    }

    /// Whether a call is taken for a product of a matrix and a vector, for which no catalog is asked.
    pub fn takes_as_gemv(&self, call: &GemmCall) -> bool {
        gemv::takes(&self.device.processor, call) && self.version().is_some_and(|own| own >= gemv::SINCE)
    }

    /// The launches of a product of a matrix and a vector, with kernels of the library; none where it names
    /// no such kernel.
    fn vector_launches(&self, call: &GemmCall) -> Vec<Launch<'static>> {
        let near = self.vector_kernels.get_or_init(|| host::vector_kernels_near(self.folder()));
        let Some((library, kernels)) = near.as_ref().filter(|(_, kernels)| !kernels.is_empty()) else {
            return Vec::new();
        };
        let has = |kernel: &str| kernels.contains(kernel);
        gemv_kernel::launches(&self.device.processor, call, library, has).unwrap_or_default()
    }

    /// Chooses a solution; loads no code object.
    ///
    /// # Errors
    /// Where a catalog that the problem leads to is missing or malformed. The real library crashes then.
    pub fn choose(
        &self,
        problem: &GemmCall,
        mut walk: Option<&mut SelectionTrace>,
    ) -> Result<Choice<'_>, CatalogError> {
        let hardware = problem.hardware(&self.device.processor);
        let Some(mut contraction) = problem.contraction() else {
            return Ok(Choice { found: None, xf32_fell_back: false });
        };
        let catalogs = &self.catalogs;
        let mut search = |contraction: &_| {
            let walk = walk.as_deref_mut();
            let mut search = Search::new(contraction, &hardware, &catalogs, walk, 1);
            search.catalog(self.catalogs.master(), None).map(|()| search.found.first().copied())
        };
        let found = search(&contraction)?;
        if found.is_some() || contraction.f32_math == DataType::Float {
            return Ok(Choice { found, xf32_fell_back: false });
        }
        contraction.f32_math = DataType::Float;
        Ok(Choice { found: search(&contraction)?, xf32_fell_back: true })
    }

    /// A process that has loaded nothing yet.
    pub fn process(&self) -> Process<'_> {
        Process { library: self, modules: Vec::new(), asked: HashSet::new() }
    }

    /// What a fresh process does for this call.
    ///
    /// # Errors
    /// As [`Library::choose`].
    pub fn select(
        &self,
        problem: &GemmCall,
        walk: Option<&mut SelectionTrace>,
    ) -> Result<Answer<'_>, CatalogError> {
        self.process().call(problem, walk)
    }

    /// The code object that holds a solution's kernel by rule. Catalogs that hold everything name none.
    fn code_object(&self, found: &FoundSolution<'_>) -> Option<String> {
        let source_kernel = found.solution.mapping.source_kernel;
        Some(code_object_name(found.placeholder?, source_kernel, &self.device.processor))
    }
}

/// The catalogs that rocBLAS begins with for a processor, in the order in which it looks for them.
pub(super) fn master_catalogs(processor: &str) -> Vec<String> {
    let stems = [
        format!("TensileLibrary_lazy_{processor}"),
        format!("TensileLibrary_{processor}"),
        "TensileLibrary".into(),
    ];
    let with = |extension: &&str| stems.each_ref().map(|stem| format!("{stem}.{extension}"));
    EXTENSIONS.iter().flat_map(with).collect()
}

/// The code object that holds the kernel of a solution found below a placeholder, by rule.
pub(super) fn code_object_name(placeholder: &str, source_kernel: bool, processor: &str) -> String {
    match (source_kernel, is_fallback(placeholder)) {
        (false, _) => format!("{placeholder}.co"),
        (true, false) => format!("{placeholder}.hsaco"),
        (true, true) => format!("{placeholder}_{processor}.hsaco"),
    }
}

pub(super) fn is_fallback(placeholder: &str) -> bool {
    placeholder.contains("fallback")
}

/// A process and the code objects it has loaded. Kernels are searched in all of them in the order of loading,
/// so what earlier calls loaded can supply the kernel of a later one.
#[derive(Debug, Clone)]
pub struct Process<'l> {
    library: &'l Library,
    modules: Vec<Arc<Module>>,
    asked: HashSet<String>,
}

impl<'l> Process<'l> {
    /// What the process does for the next call.
    ///
    /// # Errors
    /// As [`Library::choose`].
    pub fn call(
        &mut self,
        problem: &GemmCall,
        walk: Option<&mut SelectionTrace>,
    ) -> Result<Answer<'l>, CatalogError> {
        let library = self.library;
        let invalid = problem.is_of_two_shapes();
        let quick_return = !invalid && problem.returns_at_once();
        let gemv = !invalid && !quick_return && library.takes_as_gemv(problem);
        let choice = if invalid || gemv {
            Choice { found: None, xf32_fell_back: false }
        } else {
            library.choose(problem, walk)?
        };
        let mut answer = Answer {
            solution: None,
            kernel: None,
            fallback: false,
            code_object: None,
            loaded_from: None,
            launches: Vec::new(),
            status: match (invalid, quick_return || gemv) {
                (true, _) => INVALID_SIZE,
                (_, true) => SUCCESS,
                _ => NOT_IMPLEMENTED,
            },
            workspace_bytes: 0,
            distance: None,
            quick_return,
            xf32_fell_back: choice.xf32_fell_back,
            gemv,
        };
        if gemv {
            answer.launches = library.vector_launches(problem);
            answer.loaded_from = answer.launches.last().and_then(|launch| launch.file.clone());
        }
        let (Some(found), Some(contraction)) = (choice.found, problem.contraction()) else {
            return Ok(answer);
        };
        let kernel = found.catalog.text(found.solution.name);
        let hardware = problem.hardware(&library.device.processor);
        answer.solution = Some(found.solution);
        answer.kernel = Some(kernel);
        answer.fallback = found.placeholder.is_some_and(is_fallback);
        answer.distance = found.distance();
        answer.workspace_bytes =
            contraction.outputs().wrapping_mul(found.solution.mapping.workspace_per_element);
        answer.launches = launches(found.solution, kernel, &contraction, &hardware);
        answer.code_object = library.code_object(&found);
        if quick_return {
            return Ok(answer);
        }
        self.load(answer.code_object.as_deref());
        for launch in &mut answer.launches {
            launch.file = self.supplier(&launch.kernel);
        }
        let main = answer.launches.iter().find(|launch| launch.role == Role::Main);
        answer.loaded_from = main.and_then(|launch| launch.file.clone());
        let whole = answer.launches.iter().all(|launch| launch.file.is_some());
        answer.status = if whole { SUCCESS } else { INTERNAL_ERROR };
        Ok(answer)
    }

    /// Loads the helper kernels before all else, and then what is asked for and not yet loaded.
    fn load(&mut self, code_object: Option<&str>) {
        let library = self.library;
        if self.asked.is_empty() {
            if !library.lazy {
                library.code_objects.all().iter().for_each(|name| self.load_one(name));
            }
            self.load_one(&format!("Kernels.so-000-{}.hsaco", library.device.processor));
        }
        if let Some(name) = code_object {
            self.load_one(name);
        }
    }

    fn load_one(&mut self, name: &str) {
        if !self.asked.contains(name) {
            self.asked.insert(name.to_owned());
            self.modules.extend(self.library.code_objects.module(name));
        }
    }

    fn supplier(&self, kernel: &str) -> Option<Arc<str>> {
        let id = KernelId::from_name(kernel.as_bytes());
        self.modules.iter().find(|module| module.has(id)).map(|module| Arc::clone(&module.file))
    }
}
