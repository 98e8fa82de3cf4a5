//! Findings on the files of MIOpen's models: each by itself, and those of one model with each other.

use super::model_name::{MOST_BYTES, ModelName, ModelPart, ModelShape};
use super::solver::{Version, model_file, tunanet};
use amdgpu_object::error::ParseError;
use rocm_audit_files::finding::Finding;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rules::miopen as rules;

/// A file that was read.
#[derive(Debug, Clone, Copy)]
pub struct ModelFile<'f> {
    /// The file, as the finding names it.
    pub file: &'f str,
    /// Its name taken apart.
    pub name: ModelName<'f>,
    /// What it says of those beside it.
    pub shape: &'f ModelShape,
}

/// Reads a file, and says what is wrong with it.
///
/// # Errors
/// The finding, with its place in the file.
pub fn check(shown: &str, name: &ModelName<'_>, bytes: &[u8]) -> Result<ModelShape, Box<Finding>> {
    let read = if bytes.len() > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        Err(ParseError::new(0, format!("{} bytes, and no model known here has {most} MiB", bytes.len())))
    } else {
        model_file::check(name, bytes)
    };
    read.map_err(|error| Box::new(unusable(shown, &error)))
}

/// A file that stands in place of a model and is none.
pub fn unusable(shown: &str, error: &ParseError) -> Finding {
    let location = Location {
        path: shown.to_owned(),
        offset: Some(error.offset()),
        what: error.what().to_owned(),
        ..Location::default()
    };
    Finding::at(&rules::MODEL_UNUSABLE, location)
}

/// Files of one folder that are not of one model, or not of the library's release.
pub fn unfit(files: &[ModelFile<'_>], release: Option<Version>) -> Vec<Finding> {
    let finding = |file: &ModelFile<'_>, what: String| {
        let location = Location::file(file.file, what);
        let target = Some(file.name.processor.to_owned());
        Finding { target, ..Finding::at(&rules::MODEL_UNFIT, location) }
    };
    let mut all = Vec::new();
    for file in files {
        // What takes the values that the other gives.
        let other = match file.name.part {
            ModelPart::Metadata => ModelPart::Layers,
            ModelPart::Decoder => ModelPart::Encoder,
            ModelPart::Layers | ModelPart::Encoder => continue,
        };
        let beside = files.iter().find(|one| one.name == ModelName { part: other, ..file.name });
        let unlike = beside.and_then(|one| Some((one, model_file::unfit(one.shape, file.shape)?)));
        if let Some((one, what)) = unlike {
            let name = one.file.rsplit('/').next().unwrap_or(one.file);
            all.push(finding(file, format!("{what} ({name})")));
        } else if let Some(what) =
            release.and_then(|release| tunanet::unfit_for(&file.name, file.shape, release))
        {
            all.push(finding(file, what));
        }
    }
    all
}
