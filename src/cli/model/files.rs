//! Which of the paths of a call are models.

use crate::answers::model_files;
use crate::cli::must_exist;
use crate::error::AuditError;
use std::path::{Path, PathBuf};

/// Refuses options that say nothing about a kind of model.
pub(super) fn refuse(options: &[(&str, bool)], kind: &str, others: &str) -> Result<(), AuditError> {
    let Some((option, _)) = options.iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    Err(AuditError::Usage(format!("model: {option} says nothing about {kind}; of use are {others}")))
}

/// Files of models, and what else was named.
pub(super) fn sorted(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), AuditError> {
    let (mut files, mut trees) = (Vec::new(), Vec::new());
    for path in paths {
        if path.to_str().is_some_and(|text| text.contains("://")) {
            let what = format!(
                "model: {} is an address; nothing is read from the network: download the file and name it",
                path.display()
            );
            return Err(AuditError::Usage(what));
        }
        must_exist(path)?;
        if is_model(path) { files.push(path.clone()) } else { trees.push(path.clone()) }
    }
    if files.is_empty() {
        let what = "model: none of these is a GGUF, safetensors or ONNX file, or a folder of one; name one before the trees";
        return Err(AuditError::Usage(what.into()));
    }
    Ok((files, trees))
}

/// Whether a path is a file of ONNX.
pub(super) fn is_onnx(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"))
}

fn is_model(path: &Path) -> bool {
    is_onnx(path) || model_files::is_model(path)
}
