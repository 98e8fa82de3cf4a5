//! A file of one of MIOpen's models, by itself: whether it can be what its name says.
//!
//! Sources, MIOpen 3.3.0: `src/conv/heuristics/ai_heuristics.cpp:68-90` and `:570-640` (files and what is
//! read of them); frugally-deep's `load_model`, which runs the test vectors of a file and throws where the
//! outputs differ by more than 0.0001. Later forms: rocm-libraries `projects/miopen/src/kernels`
//! (`gfx950_metadata.tn.model` of 2026, `*_input_encoder.tn.model`).

use super::frugally_deep::{json_fault, place_of};
use super::network::Network;
use super::{tunanet_model, tuning_model};
use crate::miopen::model_name::{ModelName, ModelPart, ModelShape};
use amdgpu_object::error::{ParseError, ParseErrorKind};
use std::fmt;

/// The largest difference from a test vector that frugally-deep takes.
const LARGEST_ERROR: f32 = 0.0001;

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

/// Reads a file of this name.
///
/// # Errors
/// Where no release known here can take it for what its name says.
pub fn check(name: &ModelName<'_>, bytes: &[u8]) -> Result<ModelShape, ParseError> {
    match name.part {
        ModelPart::Metadata if name.tunes => tuning_model::Metadata::read(bytes).map(|_| ModelShape::Other),
        ModelPart::Metadata => metadata(name, bytes),
        ModelPart::Layers | ModelPart::Encoder | ModelPart::Decoder => layers(bytes),
    }
}

/// Metadata of a model that orders solvers.
fn metadata(name: &ModelName<'_>, bytes: &[u8]) -> Result<ModelShape, ParseError> {
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| json_fault(bytes, &error))?;
    if !name.model.is_empty() {
        return Ok(ModelShape::Other);
    }
    if value.pointer("/encodings/direction").is_none() {
        let read = tunanet_model::Metadata::read(bytes)?;
        return Ok(ModelShape::Scaled(read.inputs, read.outputs));
    }
    let features = value.get("conv_params_used_as_features").and_then(serde_json::Value::as_array);
    let (features, inputs) = (features.map(Vec::len), value.get("num_inputs"));
    if features.is_none()
        || features != inputs.and_then(serde_json::Value::as_u64).and_then(|n| n.try_into().ok())
    {
        let (features, inputs) = (features.unwrap_or_default(), inputs.unwrap_or(&serde_json::Value::Null));
        let what = format!("{features} features for {inputs} inputs");
        return Err(ParseError::new(place_of(bytes, "num_inputs"), what));
    }
    Ok(ModelShape::Unscaled)
}

fn layers(bytes: &[u8]) -> Result<ModelShape, ParseError> {
    let network = match Network::read(bytes) {
        Ok(network) => network,
        // A layer of a kind that is not evaluated here says nothing against the file.
        Err(error) if error.kind() == ParseErrorKind::UnknownMethod => return Ok(ModelShape::Other),
        Err(error) => return Err(error),
    };
    if let Some(error) = network.largest_test_error().filter(|error| *error > LARGEST_ERROR) {
        let what = format!("the outputs of its own test vectors are missed by {error:.4}");
        return Err(ParseError::new(place_of(bytes, "tests"), what));
    }
    Ok(ModelShape::Layers(network.input_widths(), network.output_widths().to_vec()))
}

/// How two files of a model contradict each other, in words; `None` where they fit, or are not compared.
pub fn unfit(one: &ModelShape, other: &ModelShape) -> Option<String> {
    match (one, other) {
        (ModelShape::Layers(takes, gives), ModelShape::Scaled(inputs, outputs)) => {
            let fits = takes.as_slice() == [*inputs] && gives.as_slice() == [*outputs];
            (!fits).then(|| tunanet_model::unfit_shapes(takes, gives, (*inputs, *outputs)))
        }
        (ModelShape::Layers(takes, state), ModelShape::Layers(token_and_state, _)) => {
            tuning_model::unfit_shapes((takes, state), token_and_state).map(str::to_owned)
        }
        _ => None,
    }
}
