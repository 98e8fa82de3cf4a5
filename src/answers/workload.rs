//! A list of products, convolutions and attentions on a device: what each library of the tree chooses.

use super::model::{ModelQuestion, Usage, Way};
use super::onnx::Outcome;
use super::{Answers, ConvolutionQuestion};
use crate::engines::ggml::Version;
use crate::engines::ggml::presence::Library;
use crate::engines::ggml::types;
use crate::engines::miopen::device::Device;
use crate::engines::miopen::folder::Database;
use crate::engines::tensile::answer::GemmAnswer;
use crate::engines::tensile::call::{GemmCall, default_workspace};
use crate::engines::tensile::catalog::CatalogError;
use crate::engines::tensile::consistency::FolderOwner;
use crate::engines::tensile::library::{self, INTERNAL_ERROR, INVALID_SIZE};
use crate::engines::tensile::lite;
use crate::engines::tensile::lite::call::MatmulCall;
use crate::engines::tensile::lite::release::LiteLibrary;
use crate::engines::tensile::lite::tuned::TunedMatch;
use crate::engines::workload::{Entry, Problem, product};
use crate::error::AuditError;
use crate::input::folder::Folder;
use std::collections::BTreeSet;

/// What a library does with a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// rocBLAS: the kernel, whether it is one for every target, and the distance from the tuned size.
    Gemm(Option<String>, bool, Option<f64>),
    /// rocBLAS chooses this kernel, but the kernel or its code object is missing.
    Missing(String),
    /// rocBLAS returns at once, since there is nothing to compute.
    AtOnce,
    /// rocBLAS treats it as a product of a matrix and a vector and launches its own kernel.
    Vector,
    /// rocBLAS refuses the call: C and D are the same matrix but have different leading dimensions.
    TwoShapes,
    /// The tree has no rocBLAS catalog for the device.
    NoCatalog,
    /// MIOpen; and at what it dies, where it does.
    Convolution(Outcome, Option<String>),
    /// ggml: the way, and the names of what is launched.
    Ggml(Way, Vec<String>),
    /// hipBLASLt: the kernel that comes first in a fresh process, how the tables cover the call, and the
    /// status that launching it returns.
    Matmul(Option<String>, TunedMatch, i32),
    /// A catalog that the call reaches is missing or malformed.
    Broken(CatalogError),
}

/// A problem with its answer.
#[derive(Debug, Clone)]
pub struct WorkloadRow {
    /// The problem.
    pub entry: Entry,
    /// The answer.
    pub answered: Answered,
}

impl WorkloadRow {
    /// Whether the tree has no data of the library for the device.
    pub fn has_nothing_for_target(&self) -> bool {
        matches!(self.answered, Answered::NoCatalog | Answered::Convolution(Outcome::NotAsked, _))
    }
}

/// The libraries and folders that answer.
#[derive(Debug, Clone, Default)]
pub struct WorkloadLibraries {
    /// rocBLAS's catalog folder for the device.
    pub rocblas: Option<String>,
    /// hipBLASLt's catalog folder for the device.
    pub hipblaslt: Option<String>,
    /// MIOpen's find-db for the device.
    pub find_db: Option<String>,
    /// Whether the build of MIOpen opens no databases of the installation.
    pub without_databases: bool,
    /// ggml's library file.
    pub ggml: Option<String>,
}

impl Answers {
    /// The libraries that the tree has data of, for any target, named as by [`Problem::library`]; `ggml` is
    /// the tree's library.
    pub fn libraries(&self, ggml: Option<&Library>) -> BTreeSet<&'static str> {
        let here = [
            (FolderOwner::RocBlas.name(), self.facts.rocblas_folders().next().is_some()),
            (FolderOwner::HipBlasLt.name(), self.facts.lite_folders(LiteLibrary::HipBlasLt).next().is_some()),
            ("MIOpen", self.has_miopen()),
            ("ggml", ggml.is_some()),
        ];
        here.into_iter().filter(|(_, here)| *here).map(|(library, _)| library).collect()
    }

    /// The processors for which the tree has catalogs or databases.
    pub fn processors(&self) -> BTreeSet<String> {
        let catalogs = self.facts.tensile_folders.iter().flat_map(|folder| &folder.targets);
        let names = self.facts.database_folders.iter().flat_map(Folder::names);
        let databases = names.filter_map(|name| Database::of_name(&name, false));
        let databases = databases.map(|database| database.name.target.processor);
        catalogs.map(|target| target.processor.clone()).chain(databases).collect()
    }

    /// What the libraries do with problems, in their order; a convolution is asked as `convolution` is, which has
    /// the device of all.
    ///
    /// # Errors
    ///
    /// If a database cannot be read, the target is no AMD GPU, or the crate's own rules are malformed.
    pub fn workload(
        &self,
        entries: Vec<Entry>,
        convolution: &ConvolutionQuestion,
        version: Option<Version>,
        library: Option<&Library>,
    ) -> Result<(Vec<WorkloadRow>, WorkloadLibraries), AuditError> {
        let device = &convolution.device;
        let of = |key: String| ConvolutionQuestion { key, ..convolution.clone() };
        let find_dbs = self.find_dbs(&of(String::new()), None)?.for_many(entries.len());
        let bound = self.bound_for([&of(String::new())])?;
        let target = device.target.to_string();
        let rocblas = self.find_rocblas(&target).ok();
        let mut found = WorkloadLibraries {
            rocblas: rocblas.as_ref().map(|library| library.folder().path().display().to_string()),
            hipblaslt: None,
            find_db: find_dbs.system.as_ref().map(|_| "found".to_owned()),
            without_databases: self.is_without_databases(&of(String::new())),
            ggml: library.map(|library| library.file().file.locator().shown()),
        };
        let queries: Vec<_> = entries
            .iter()
            .filter_map(|entry| match &entry.problem {
                Problem::Ggml(query) => Some(product(query)),
                _ => None,
            })
            .collect();
        let mut routes = Vec::new();
        if !queries.is_empty() {
            let question = ModelQuestion {
                target: device.target.clone(),
                version,
                multiprocessors: device.compute_units,
                usage: no_usage()?,
            };
            routes = self.products(&queries, question, library)?;
        } else {
            found.ggml = None;
        }
        let mut routes = routes.into_iter();
        let hipblaslt = self.hipblaslt(&target).ok();
        found.hipblaslt = hipblaslt.as_ref().map(|library| library.folder().path().display().to_string());
        let mut rows = Vec::new();
        for entry in entries {
            let answered = match &entry.problem {
                Problem::Gemm(call) => match &rocblas {
                    Some(library) => gemm(library, device, call),
                    None => Answered::NoCatalog,
                },
                Problem::Convolution(key) => {
                    let (outcome, dies) = match self.has_miopen() {
                        true => Self::convolution_of(&bound, &of(key.clone()), &find_dbs)?,
                        false => (Outcome::NotAsked, None),
                    };
                    Answered::Convolution(outcome, dies)
                }
                Problem::Ggml(_) => match routes.next() {
                    Some((way, names)) => Answered::Ggml(way, names),
                    None => Answered::NoCatalog,
                },
                Problem::HipBlasLt(call) => match &hipblaslt {
                    Some(library) => matmul(library, device, call),
                    None => Answered::NoCatalog,
                },
            };
            rows.push(WorkloadRow { entry, answered });
        }
        Ok((rows, found))
    }
}

/// What rocBLAS does with a product on a device.
fn gemm(library: &library::Library, device: &Device, call: &GemmCall) -> Answered {
    let mut call = GemmCall {
        target: device.target.to_string(),
        multiprocessors: device.compute_units,
        workspace: default_workspace(&device.target.processor),
        ..call.clone()
    };
    call.id.clear();
    match library.answer(&call) {
        Err(error) => Answered::Broken(error),
        Ok(answer) if answer.quick_return => Answered::AtOnce,
        Ok(answer) if answer.gemv => Answered::Vector,
        Ok(GemmAnswer { status: INVALID_SIZE, .. }) => Answered::TwoShapes,
        Ok(GemmAnswer { status: INTERNAL_ERROR, kernel: Some(kernel), .. }) => Answered::Missing(kernel),
        Ok(answer) => Answered::Gemm(answer.kernel, answer.fallback, answer.distance),
    }
}

/// What hipBLASLt does with a call on a device.
fn matmul(library: &lite::library::Library, device: &Device, call: &MatmulCall) -> Answered {
    let call = MatmulCall {
        target: device.target.to_string(),
        multiprocessors: device.compute_units,
        ..call.clone()
    };
    let choice = match library.choose(&call, None) {
        Ok(choice) => choice,
        Err(error) => return Answered::Broken(error),
    };
    let first = choice.first();
    let kernel = first.map(|found| found.catalog.text(found.solution.kernel).to_owned());
    let status =
        first.and_then(|found| library.launch(found, &call, &choice.problem, false).status).unwrap_or(0);
    Answered::Matmul(kernel, TunedMatch::from_choice(&choice), status)
}

/// A usage for single products, which belong to no model.
fn no_usage() -> Result<Usage, AuditError> {
    let cache = types::named("f16").map_err(|e| AuditError::Internal(e.to_string()))?;
    Ok(Usage { prompt: 1, ubatch: 1, sequences: 1, context: 1, flash: None, cache })
}
