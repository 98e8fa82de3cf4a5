//! What is wrong with a model, and in which of its files.

use crate::miopen::model_name::ModelPart;
use amdgpu_object::error::ParseError;
use std::fmt;

impl ModelPart {
    /// What is wrong with this part.
    pub(super) fn with(self, error: ParseError) -> ModelFault {
        ModelFault { part: self, error }
    }
}

/// What is wrong with a model, and in which of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFault {
    /// The file.
    pub part: ModelPart,
    /// What is wrong, and where.
    pub error: ParseError,
}

impl fmt::Display for ModelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.error.offset(), self.error.what())
    }
}

impl std::error::Error for ModelFault {}
