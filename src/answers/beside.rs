//! One product side by side: what the libraries of several installs do with it on several devices.

use super::Answers;
use crate::engines::tensile::answer::GemmAnswer;
use crate::engines::tensile::call::{GemmCall, atomics_are_off};
use crate::engines::tensile::lite::answer::MatmulAnswer;
use crate::engines::tensile::lite::call::MatmulCall;
use crate::error::Unanswered;
use std::path::PathBuf;

/// What one install does with a product on one device.
#[derive(Debug, Clone)]
pub struct InstallChoice {
    /// The install's path as the caller gave it.
    pub root: PathBuf,
    /// The device's target.
    pub target: String,
    /// Number of multiprocessors (HIP's term for compute units or WGPs).
    pub multiprocessors: u32,
    /// The answer, or the reason why the install gives none.
    pub done: Result<Done, Unanswered>,
}

/// The answer of one of the libraries.
#[derive(Debug, Clone)]
pub enum Done {
    /// rocBLAS's answer.
    Gemm(Box<GemmAnswer>),
    /// hipBLASLt's answer.
    Matmul(Box<MatmulAnswer>),
}

impl Answers {
    /// What an install's rocBLAS does; `atomics` means that the program allows them.
    pub fn gemm_side(&self, root: PathBuf, mut call: GemmCall, atomics: bool) -> InstallChoice {
        let (target, multiprocessors) = (call.target.clone(), call.multiprocessors);
        let done = self.rocblas(&target).and_then(|library| {
            call.det |= !atomics && atomics_are_off(library.version());
            self.gemm(&call)
        });
        let done = done.map(|answer| Done::Gemm(Box::new(answer))).map_err(|error| error.to_string().into());
        InstallChoice { root, target, multiprocessors, done }
    }

    /// What an install's hipBLASLt does.
    pub fn matmul_side(&self, root: PathBuf, call: &MatmulCall) -> InstallChoice {
        let done = self.matmul(call);
        InstallChoice {
            root,
            target: call.target.clone(),
            multiprocessors: call.multiprocessors,
            done: done.map(|answer| Done::Matmul(Box::new(answer))).map_err(|error| error.to_string().into()),
        }
    }
}
