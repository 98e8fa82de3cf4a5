//! Products and attention in llama.cpp: which route ggml takes (by the version of the tree's library),
//! whether the library has the kernel, and what the tree's rocBLAS does if the route is BLAS.

use super::Answers;
use super::gemm::{NoCatalog, ends_in_a_crash};
use crate::engines::ggml::binary::{self, Evidence};
use crate::engines::ggml::presence::{Index, Library, Presence};
use crate::engines::ggml::presence_table::{RouteRow, present_routes};
use crate::engines::ggml::rules::{self, Rule};
use crate::engines::ggml::{self, Answer, Architecture, Query, Route, Version, open};
use crate::engines::tensile::answer::GemmAnswer;
use crate::engines::tensile::call::{GemmCall, Transpose};
use crate::error::{AuditError, Unanswered};
use crate::input::folder::Folder;
use crate::input::install::{Install, InstallFile};
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use std::path::Path;

/// A product or attention to compute on a device.
#[derive(Debug, Clone)]
pub struct RouteQuestion {
    /// The device's target.
    pub target: TargetId,
    /// What is computed.
    pub query: Query,
    /// The version of ggml; if `None`, the one the library states.
    pub version: Option<Version>,
    /// Multiprocessors of the device, for rocBLAS; `None` assumes 60.
    pub multiprocessors: Option<u32>,
}

/// A ggml library, and the version whose rules answer.
#[derive(Debug, Clone)]
pub struct GgmlLibrary {
    /// The file as messages name it.
    pub path: String,
    /// Targets it contains code for.
    pub targets: Vec<TargetId>,
    /// Storage forms of the bundles that were not examined.
    pub not_examined: Vec<String>,
    /// Whether all of it could be read.
    pub is_whole: bool,
    /// The version the question is about.
    pub version: Version,
    /// Whether the caller stated the version.
    pub asked: bool,
    /// What the library states about its version.
    pub library_says: Option<Evidence>,
    /// The version whose rules answer.
    pub rules: Version,
}

/// How ggml computes a product, and whether it can.
#[derive(Debug)]
pub struct RouteAnswer {
    /// What was asked.
    pub question: RouteQuestion,
    /// The library, its version and the source of that version.
    pub library: GgmlLibrary,
    /// The device in the terms of ggml's rules.
    pub architecture: Architecture,
    /// The route, the rule and the kernel.
    pub answer: Answer<'static>,
    /// Whether the library has code for the target.
    pub has_code: bool,
    /// Whether that code has symbol names; stripped code does not show which kernels it has.
    pub has_names: bool,
    /// Whether the library has the kernel.
    pub presence: Option<Presence>,
    /// The kernel's mangled name for the target, else for any other.
    pub symbol: Option<String>,
    /// What rocBLAS does, if the route is BLAS.
    pub blas: Option<BlasAnswer>,
}

/// What rocBLAS does with a product that ggml hands to it.
#[derive(Debug)]
pub struct BlasAnswer {
    /// The function that ggml calls: `hipblasGemmEx`.
    pub function: &'static str,
    /// Types of A and B, C and D, and of the computation.
    pub ty: String,
    /// The rule behind the choice of function.
    pub rule: Option<&'static Rule>,
    /// Multiprocessors, and whether their number is assumed.
    pub multiprocessors: (u32, bool),
    /// What rocBLAS chooses, or why this is unknown.
    pub gemm: Result<GemmAnswer, Unanswered>,
}

/// Multiprocessors assumed if the caller gives none: those of a Radeon VII.
pub const MULTIPROCESSORS: u32 = 60;

/// Opens ggml's library for HIP: a file, or the library found by name below a folder or in a package.
///
/// # Errors
///
/// If there is none, there are several, or the file is another library; the error says what was found.
pub fn open_ggml(path: &Path) -> Result<Library, AuditError> {
    if path.is_file() {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = Folder::on_disk(path.parent().unwrap_or(Path::new("")));
        let install = Install::open(&[path.to_owned()], &crate::tree::wanted::is_wanted, &|_| true);
        // A package's members have other names than the package itself.
        if !install.files().iter().any(|file| file.folder == folder && file.name == name) {
            return below(&install, path);
        }
        return open::open(&folder, &name);
    }
    below(&Install::open(&[path.to_owned()], &crate::tree::wanted::is_wanted, &|_| true), path)
}

fn below(install: &Install, path: &Path) -> Result<Library, AuditError> {
    let missing = || AuditError::NotThere(format!("no libggml-hip.so was found below {}", path.display()));
    one_of(install, &path.display().to_string())?.ok_or_else(missing)
}

/// An install's ggml library for HIP.
fn one_of(install: &Install, below: &str) -> Result<Option<Library>, AuditError> {
    let named = |name: &str| {
        (name.starts_with("libggml-hip") || name.starts_with("libggml-rocm")) && name.contains(".so")
    };
    let is_link = |file: &&InstallFile| !file.path().is_symlink();
    let found: Vec<&InstallFile> = install.named(named).filter(is_link).collect();
    match &found[..] {
        [one] => open::open(&one.folder, &one.name).map(Some),
        [] => Ok(None),
        several => {
            let paths: Vec<&str> = several.iter().map(|file| file.shown.as_str()).collect();
            Err(AuditError::Usage(format!(
                "several libraries of ggml for HIP below {below}: {}. Name one",
                paths.join(", ")
            )))
        }
    }
}

pub(super) fn malformed(what: &str) -> AuditError {
    AuditError::Internal(format!("the rules of ggml: {what}"))
}

fn architecture(target: &TargetId) -> Result<Architecture, AuditError> {
    Architecture::parse(&target.processor).map_err(|e| AuditError::Usage(e.to_string()))
}

impl GgmlLibrary {
    /// The version that the library states, if the call gave none; several versions can look alike.
    pub fn stated_version(&self) -> String {
        match &self.library_says {
            Some(says) if !self.asked => says.versions.to_string(),
            _ => self.version.to_string(),
        }
    }

    /// Determines the version: the one given, else the one the library states.
    ///
    /// # Errors
    ///
    /// If the version is unknown and not given, or no rules are known for it.
    pub fn from_library(library: &Library, named: Option<Version>) -> Result<GgmlLibrary, AuditError> {
        let rules = rules::rules().map_err(malformed)?;
        let library_says = binary::version_of(library);
        let version = match (named, &library_says) {
            (Some(version), _) if !rules.reaches(version) => {
                let known = rules.known();
                return Err(AuditError::Usage(format!(
                    "no rules of ggml {version} are known; known are those of {known}, between them the nearest are taken"
                )));
            }
            (Some(version), _) => version,
            (None, Some(found)) => found.version(rules.latest()),
            (None, None) => {
                return Err(AuditError::Usage(format!(
                    "{} does not say which version of ggml it is: name it with --version; known are {}",
                    library.file().file.locator().shown(),
                    rules.known()
                )));
            }
        };
        Ok(GgmlLibrary {
            path: library.file().file.locator().shown(),
            targets: library.targets(),
            not_examined: library.not_examined().into_iter().collect(),
            is_whole: library.is_whole(),
            version,
            asked: named.is_some(),
            library_says,
            rules: rules.nearest(version),
        })
    }
}

impl Answers {
    /// The tree's ggml library for HIP, if it has one.
    ///
    /// # Errors
    ///
    /// If there are several, or the library is for other GPUs.
    pub fn ggml(&self) -> Result<Option<Library>, AuditError> {
        let roots: Vec<String> = self.install.roots().iter().map(|root| root.display().to_string()).collect();
        one_of(&self.install, &roots.join(", "))
    }

    /// How a ggml library computes a product. If the route is BLAS, this stack's rocBLAS is asked.
    ///
    /// # Errors
    ///
    /// If the target is no AMD GPU, or the version is unknown and not given.
    pub fn route(&self, library: &Library, question: RouteQuestion) -> Result<RouteAnswer, AuditError> {
        let known = GgmlLibrary::from_library(library, question.version)?;
        let architecture = architecture(&question.target)?;
        let answer = ggml::route(&architecture, &question.query, Some(known.version)).map_err(malformed)?;
        let index = library.index(&question.target);
        let presence = answer.kernel.as_ref().map(|kernel| library.presence_in(index.as_ref(), kernel));
        let symbol = answer.kernel.as_ref().and_then(|kernel| {
            let found = presence.as_ref().and_then(Presence::found).map(|found| found.symbol.clone());
            let own = || index.as_ref().and_then(|index| index.symbol(kernel)).map(str::to_owned);
            // The host part names the kernel once for all targets.
            let other = || library.index(library.targets().first()?)?.symbol(kernel).map(str::to_owned);
            found.or_else(own).or_else(other)
        });
        let blas = match answer.route {
            Route::Blas(function) => Some(self.blas(&answer, function.name(), &question)),
            _ => None,
        };
        Ok(RouteAnswer {
            library: known,
            architecture,
            has_code: index.is_some(),
            has_names: index.as_ref().is_some_and(|index| index.has_names()),
            presence,
            symbol,
            blas,
            answer,
            question,
        })
    }

    fn blas(&self, answer: &Answer<'static>, function: &'static str, question: &RouteQuestion) -> BlasAnswer {
        let ty = answer.operands.and_then(|rule| rule.gemm).unwrap_or_default().to_owned();
        let multiprocessors = question.multiprocessors.unwrap_or(MULTIPROCESSORS);
        BlasAnswer {
            function,
            rule: answer.operands,
            multiprocessors: (multiprocessors, question.multiprocessors.is_none()),
            gemm: self.blas_product(&ty, function, question, multiprocessors),
            ty,
        }
    }

    fn blas_product(
        &self,
        ty: &str,
        function: &str,
        question: &RouteQuestion,
        multiprocessors: u32,
    ) -> Result<GemmAnswer, Unanswered> {
        let (m, n, k) = match &question.query {
            Query::MulMat(p) => (p.n, p.ne11, p.k),
            Query::MulMatId(p) => (p.n, p.tokens, p.k),
            Query::FlashAttention(_) => return Err("attention is not made by BLAS".into()),
        };
        let target = &question.target;
        let transposes = [Transpose::T, Transpose::N];
        let mut call = GemmCall::new(target, multiprocessors, ty, transposes, [m, n, k]);
        call.c_eq_d = true;
        if function == "hipblasSgemm" {
            call.api = "gemm".to_owned();
        }
        let library = self.find_rocblas(&call.target).map_err(|why| match why {
            NoCatalog::NoFolder => {
                "no catalog of rocBLAS was found near the library; name the path of its install behind that of the library".to_owned()
            }
            NoCatalog::NoTarget(first) => {
                let folder = first.0.folder.path().display().to_string();
                let what = first.1.to_string().replace(&format!("{folder}/"), "");
                format!("the rocBLAS in {folder} has nothing for {}: {what}", target.processor)
            }
        })?;
        library.answer(&call).map_err(|error| ends_in_a_crash(error).to_string().into())
    }
}

/// A library's routes by name only, for many problems; no kernel body is examined.
#[derive(Debug)]
pub struct NamedRoutes<'l> {
    library: &'l Library,
    version: Version,
    indices: KeyMap<String, Option<Index<'l>>>,
}

impl<'l> NamedRoutes<'l> {
    /// The routes of a library.
    ///
    /// # Errors
    ///
    /// If its version is unknown and not given.
    pub fn from_library(library: &'l Library, version: Option<Version>) -> Result<Self, AuditError> {
        let version = GgmlLibrary::from_library(library, version)?.version;
        Ok(NamedRoutes { library, version, indices: KeyMap::new() })
    }

    /// The route of a problem on a GPU, and its kernel's mangled name for the target, else for any other.
    ///
    /// # Errors
    ///
    /// A sentence, if `arch` is no AMD GPU.
    pub fn answer(&mut self, arch: &str, query: &Query) -> Result<(Route, Option<&'l str>), Unanswered> {
        let architecture = Architecture::parse(arch).map_err(|e| e.to_string())?;
        let answer = ggml::route(&architecture, query, Some(self.version))?;
        let library = self.library;
        let index = self.indices.entry(arch.to_owned()).or_insert_with(|| {
            let own = TargetId::parse(arch).and_then(|target| library.index(&target));
            own.or_else(|| library.index(library.targets().first()?))
        });
        let symbol = answer.kernel.as_ref().and_then(|kernel| index.as_ref()?.symbol(kernel));
        Ok((answer.route, symbol))
    }
}

/// One column of a table of routes: a target in a library.
#[derive(Debug)]
pub struct TableColumn<'a> {
    /// The library.
    pub library: &'a Library,
    /// The target.
    pub target: &'a TargetId,
    /// The library's version and the source of that version.
    pub known: GgmlLibrary,
    /// The device in the terms of ggml's rules.
    pub architecture: Architecture,
}

impl<'a> TableColumn<'a> {
    /// Makes a column.
    ///
    /// # Errors
    ///
    /// If the target is no AMD GPU, or the version is unknown and not given.
    pub fn new(
        library: &'a Library,
        target: &'a TargetId,
        version: Option<Version>,
    ) -> Result<Self, AuditError> {
        let known = GgmlLibrary::from_library(library, version)?;
        Ok(TableColumn { library, target, known, architecture: architecture(target)? })
    }

    /// The types that the backend of the column's version does not accept.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are malformed.
    pub fn types_not_taken(&self) -> Result<Vec<&'static str>, AuditError> {
        ggml::types_not_taken(&self.architecture, self.known.version).map_err(malformed)
    }

    /// The routes of all types in these columns, and whether the libraries have the kernels they launch.
    ///
    /// # Errors
    ///
    /// If the crate's own rules are malformed.
    pub fn routes(columns: &[TableColumn<'_>]) -> Result<Vec<RouteRow>, AuditError> {
        let sides: Vec<_> =
            columns.iter().map(|c| (c.library, c.target, c.architecture.clone(), c.known.version)).collect();
        present_routes(&sides).map_err(malformed)
    }
}
