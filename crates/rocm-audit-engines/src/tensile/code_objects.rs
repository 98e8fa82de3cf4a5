//! The code objects of a library folder as modules of a process: which file a name stands for, and which
//! kernels it has.
//!
//! Source: rocBLAS 6.4, `tensile_host.cpp`; Tensile 6.4, `HipSolutionAdapter.cpp`.
#![deny(clippy::indexing_slicing)]

use super::code_file::{self, CodeFile};
pub use super::kernel_id::{KernelId, Kernels};
use amdgpu_object::codeobject;
use amdgpu_object::target::TargetId;
use rocm_audit_files::error::Parsed;
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What is tried between the stem of a name and its extension, in this order.
pub(super) const XNACK: [&str; 3] = ["", "-xnack-", "-xnack+"];

/// The code objects of one folder for one device. Each is opened when it is first asked for.
#[derive(Debug)]
pub struct CodeObjects {
    folder: Folder,
    device: TargetId,
    opened: Mutex<HashMap<String, Option<Arc<Module>>>>,
}

/// A code object that the device accepts.
#[derive(Debug)]
pub struct Module {
    /// The file's name.
    pub file: Arc<str>,
    kernels: Kernels,
}

impl Module {
    /// Whether the code object has this kernel.
    pub fn has(&self, kernel: KernelId) -> bool {
        self.kernels.contains(&kernel)
    }

    fn read(file: &str, bytes: &[u8]) -> Parsed<Module> {
        Ok(Module { file: file.into(), kernels: code_file::kernels(bytes)? })
    }
}

/// Whether something supplies a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supply {
    /// This file.
    By(Arc<str>),
    /// Nothing: no such file, none that the device accepts, or none with the kernel.
    Missing,
}

impl CodeObjects {
    /// The code objects of `folder`; `device` takes those made for it.
    pub fn new(folder: Folder, device: TargetId) -> Self {
        CodeObjects { folder, device, opened: Mutex::default() }
    }

    /// The module that a name stands for: of the file itself and its two XNACK variants the first that exists
    /// and that the device accepts. `None` where none does, which the real library notices when it does not
    /// find the kernel.
    pub fn module(&self, name: &str) -> Option<Arc<Module>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = opened.get(name) {
            return module.clone();
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let module = XNACK.iter().find_map(|xnack| self.open(&format!("{stem}{xnack}.{extension}")));
        let module = module.map(Arc::new);
        opened.insert(name.to_owned(), module.clone());
        module
    }

    /// The file that supplies a kernel, of the one that should and its XNACK variants. Where `look_into` is
    /// not set, it is enough that the file is there.
    pub fn supplier(&self, name: &str, kernel: KernelId, look_into: bool) -> Supply {
        if !look_into && self.folder.has(name) {
            return Supply::By(name.into());
        }
        let module = self.module(name).filter(|module| module.has(kernel));
        module.map_or(Supply::Missing, |module| Supply::By(Arc::clone(&module.file)))
    }

    fn open(&self, file: &str) -> Option<Module> {
        let source = self.folder.open(file).ok()?;
        if codeobject::target_of(source.bytes()).is_none() {
            return self.open_bundle(file);
        }
        let target = codeobject::target_of(source.bytes())?;
        let module = target.loads_on(&self.device).then(|| Module::read(file, source.bytes()).ok())??;
        source.check_unchanged().is_ok().then_some(module)
    }

    /// A bundle, as hipBLASLt's code objects are, with code for the device.
    fn open_bundle(&self, file: &str) -> Option<Module> {
        let supply = CodeFile::open(&self.folder, file).ok()?;
        let loads = supply.targets.iter().any(|target| target.loads_on(&self.device));
        loads.then(|| Module { file: file.into(), kernels: supply.kernels })
    }

    /// The names that a library without lazy loading opens at the start: `*gfx900*co`, sorted, without the
    /// other XNACK sign and without experimental ones.
    pub fn all(&self) -> Vec<String> {
        let other = match self.device.xnack {
            Some(true) => "xnack-",
            _ => "xnack+",
        };
        let mut names: Vec<String> = self
            .folder
            .names()
            .into_iter()
            .filter(|name| name.contains(&self.device.processor) && name.ends_with("co"))
            .filter(|name| !name.contains(other) && !name.contains("Experimental"))
            .collect();
        names.sort_rows();
        names
    }
}
