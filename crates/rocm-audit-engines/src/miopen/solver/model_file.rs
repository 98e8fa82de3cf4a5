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

/// The largest difference from a test vector that frugally-deep takes.
const LARGEST_ERROR: f32 = 0.0001;

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
    if is_later_form(&value, bytes)? {
        return Ok(ModelShape::Unscaled);
    }
    let read = tunanet_model::Metadata::read(bytes)?;
    Ok(ModelShape::Scaled(read.inputs, read.outputs))
}

/// Whether TunaNet's metadata is right and has the form of later releases.
pub fn has_later_form(bytes: &[u8]) -> bool {
    serde_json::from_slice(bytes).is_ok_and(|value| is_later_form(&value, bytes) == Ok(true))
}

/// Whether metadata has the form of later releases.
///
/// # Errors
/// Where it has, and contradicts itself.
fn is_later_form(value: &serde_json::Value, bytes: &[u8]) -> Result<bool, ParseError> {
    if value.pointer("/encodings/direction").is_none() {
        return Ok(false);
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
    Ok(true)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miopen::model_files;
    use serde_json::{Value, json};

    /// A model of the fixtures, which `fixtures/src/gen_miopen.py` writes.
    fn fixture(file: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/rocm/share/miopen/db/");
        std::fs::read(format!("{folder}{file}")).expect("a fixture")
    }

    fn checked(file: &str, bytes: &[u8]) -> Result<ModelShape, (u64, ParseErrorKind, String)> {
        let name = ModelName::parse(file).expect("a name of a model");
        check(&name, bytes).map_err(|error| (error.offset(), error.kind(), error.what().to_owned()))
    }

    const LAYERS: &str = "gfx942.tn.model";
    const METADATA: &str = "gfx942_metadata.tn.model";

    fn changed(file: &str, change: impl Fn(&mut Value)) -> Vec<u8> {
        let mut value: Value = serde_json::from_slice(&fixture(file)).expect("JSON");
        change(&mut value);
        value.to_string().into_bytes()
    }

    #[test]
    fn a_file_that_ends_early_is_cut_there() {
        for file in [LAYERS, METADATA, "gfx908_ConvAsm1x1U_decoder.ktn.model"] {
            let whole = fixture(file);
            assert!(checked(file, &whole).is_ok(), "{file}");
            let end = whole.trim_ascii_end().len();
            for cut in [0, 1, end / 3, end / 2, end - 1] {
                let (byte, kind, what) = checked(file, &whole[..cut]).expect_err("cut");
                assert_eq!((byte, kind), (cut as u64, ParseErrorKind::CutEnd), "{file}, {cut}: {what}");
            }
        }
    }

    #[test]
    fn files_of_one_model_fit() {
        assert_eq!(checked(LAYERS, &fixture(LAYERS)), Ok(ModelShape::Layers(vec![6], vec![4])));
        assert_eq!(checked(METADATA, &fixture(METADATA)), Ok(ModelShape::Scaled(6, 4)));
        let layers = ModelShape::Layers(vec![6], vec![4]);
        assert_eq!(unfit(&layers, &ModelShape::Scaled(6, 4)), None);
        let said = unfit(&layers, &ModelShape::Scaled(7, 4));
        assert_eq!(said.as_deref(), Some("the layers take 6 numbers and give 4, the metadata says 7 and 4"));
        // An encoder gives two states, and the decoder takes them behind a token.
        let encoder = ModelShape::Layers(vec![18], vec![64, 64]);
        assert_eq!(unfit(&encoder, &ModelShape::Layers(vec![1, 64, 64], vec![29])), None);
        assert!(unfit(&encoder, &ModelShape::Layers(vec![1, 128, 128], vec![38])).is_some());
    }

    #[test]
    fn the_form_of_later_releases_is_no_fault() {
        let later = changed(METADATA, |file| {
            file["encodings"] =
                json!({ "direction": { "B": 0, "F": 1, "W": 2 }, "in_layout": { "NCHW": 0 } });
            file.as_object_mut().expect("an object").remove("stats");
        });
        assert_eq!(checked(METADATA, &later), Ok(ModelShape::Unscaled));
        let fewer = String::from_utf8(later).expect("text").replace("\"num_inputs\":6", "\"num_inputs\":5");
        assert_eq!(checked(METADATA, fewer.as_bytes()).expect_err("fewer").2, "6 features for 5 inputs");
        // Later models normalise their features in a layer that is not evaluated here.
        let other = changed(LAYERS, |file| {
            file["architecture"]["config"]["layers"][1]["class_name"] = "LayerNormalization".into();
        });
        assert_eq!(checked(LAYERS, &other), Ok(ModelShape::Other));
    }

    /// frugally-deep throws where the outputs of a test vector are missed by more than 0.0001.
    #[test]
    fn test_vectors_are_met() {
        let tests = |output: &str| {
            let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
            json!([{ "inputs": [{ "values": [zeros] }], "outputs": [{ "values": [output] }] }])
        };
        let bias =
            |file: &Value| file["trainable_params"]["out"]["bias"][0].as_str().expect("text").to_owned();
        let met = changed(LAYERS, |file| file["tests"] = tests(&bias(file)));
        assert!(checked(LAYERS, &met).is_ok());
        let missed = changed(LAYERS, |file| file["tests"] = tests("AAAAAAAAAAAAAAAAAAAAAA=="));
        let (byte, _, what) = checked(LAYERS, &missed).expect_err("missed");
        assert!(what.starts_with("the outputs of its own test vectors are missed by "), "{what}");
        let place = String::from_utf8(missed).expect("text").find("tests");
        assert_eq!(place.map(|at| at as u64), Some(byte));
    }

    #[test]
    fn what_is_larger_than_any_model_is_not_read() {
        let name = ModelName::parse(LAYERS).expect("a name");
        let large = vec![b' '; crate::miopen::model_name::MOST_BYTES + 1];
        let finding = model_files::check(LAYERS, &name, &large).expect_err("too large");
        assert!(finding.locations[0].what.contains("no model known here has 16 MiB"), "{finding:?}");
    }
}
