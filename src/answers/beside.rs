//! One product side by side: what the libraries of several installs do with it on several devices.

use super::Answers;
use crate::engines::tensile::answer::GemmAnswer;
use crate::engines::tensile::call::{GemmCall, atomics_are_off};
use crate::engines::tensile::lite::answer::MatmulAnswer;
use crate::engines::tensile::lite::call::MatmulCall;
use std::path::PathBuf;

/// What one install does with a product on one device.
#[derive(Debug, Clone)]
pub struct Side {
    /// The install, as it was named.
    pub root: PathBuf,
    /// The device's target.
    pub target: String,
    /// What HIP calls multiprocessors.
    pub multiprocessors: u32,
    /// The answer, or why there is none.
    pub done: Result<Done, String>,
}

/// An answer of one of the libraries.
#[derive(Debug, Clone)]
pub enum Done {
    /// Of rocBLAS.
    Gemm(Box<GemmAnswer>),
    /// Of hipBLASLt.
    Matmul(Box<MatmulAnswer>),
}

impl Answers {
    /// What rocBLAS of an install does; `atomics` says that the program allows them.
    pub fn gemm_side(&self, root: PathBuf, mut call: GemmCall, atomics: bool) -> Side {
        let (target, multiprocessors) = (call.target.clone(), call.multiprocessors);
        let done = self.rocblas(&target).and_then(|library| {
            call.det |= !atomics && atomics_are_off(library.version());
            self.gemm(&call)
        });
        let done = done.map(|answer| Done::Gemm(Box::new(answer))).map_err(|error| error.to_string());
        Side { root, target, multiprocessors, done }
    }

    /// What hipBLASLt of an install does.
    pub fn matmul_side(&self, root: PathBuf, call: &MatmulCall) -> Side {
        let done = self.matmul(call);
        Side {
            root,
            target: call.target.clone(),
            multiprocessors: call.multiprocessors,
            done: done.map(|answer| Done::Matmul(Box::new(answer))).map_err(|error| error.to_string()),
        }
    }
}
