//! Models that choose the parameters of a kernel (KernelTuningNet): read from MIOpen's files, and evaluated.
//!
//! A model has three JSON files. An encoder turns the problem into the state of two LSTM layers; a decoder
//! turns the last parameter and this state into a score for each token and the next state; the third says
//! which token means which value. Sources: MIOpen 3.3.0 `src/conv/heuristics/ai_heuristics.cpp:570-790`;
//! frugally-deep for the form of the files and the order of gates (input, forget, cell, output), as in Keras
//! 2.

use super::frugally_deep::{json_fault, place_of};
use super::model_fault::ModelFault;
use super::network::{MOST_UNITS, Network};
use crate::miopen::model_name::ModelPart;
use amdgpu_object::error::ParseError;
use rocm_audit_files::sorted_rows::SortedRows as _;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A model, ready to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningModel {
    encoder: Network,
    decoder: Network,
    /// Whether the first parameter decides how many there are, and not the direction.
    by_first: bool,
    counts: BTreeMap<String, usize>,
    /// The value of each token; `-1` ends.
    tokens: BTreeMap<usize, String>,
}

#[derive(Deserialize)]
struct MetadataFile {
    predict_type: usize,
    num_tuning_params: BTreeMap<String, usize>,
    decodings: DecodingsFile,
}

#[derive(Deserialize)]
struct DecodingsFile {
    tunings: BTreeMap<String, String>,
}

/// What the metadata says: how many parameters there are, and which token means which value.
#[derive(Debug)]
pub(super) struct Metadata {
    by_first: bool,
    counts: BTreeMap<String, usize>,
    tokens: BTreeMap<usize, String>,
}

impl Metadata {
    /// Reads the file.
    ///
    /// # Errors
    /// Where it is no such JSON, or a token is no number.
    pub(super) fn read(bytes: &[u8]) -> Result<Metadata, ParseError> {
        let file: MetadataFile = serde_json::from_slice(bytes).map_err(|error| json_fault(bytes, &error))?;
        let mut tokens = BTreeMap::new();
        for (token, value) in file.decodings.tunings {
            let Ok(number) = token.parse() else {
                return Err(ParseError::new(
                    place_of(bytes, &token),
                    format!("the token {token} is no number"),
                ));
            };
            tokens.insert(number, value);
        }
        Ok(Metadata { by_first: file.predict_type != 0, counts: file.num_tuning_params, tokens })
    }
}

impl TuningModel {
    /// Reads a model from the bytes of its three files.
    ///
    /// # Errors
    /// Where a file is no such JSON, has a layer that no known model has, or does not fit the others.
    pub fn read(metadata: &[u8], encoder: &[u8], decoder: &[u8]) -> Result<TuningModel, ModelFault> {
        let meta = Metadata::read(metadata).map_err(|error| ModelPart::Metadata.with(error))?;
        let encoder = Network::read(encoder).map_err(|error| ModelPart::Encoder.with(error))?;
        let network = Network::read(decoder).map_err(|error| ModelPart::Decoder.with(error))?;
        let shape = (encoder.input_widths(), encoder.output_widths());
        if let Some(what) = unfit_shapes((&shape.0, shape.1), &network.input_widths()) {
            return Err(ModelPart::Decoder.with(ParseError::new(place_of(decoder, "input_layers"), what)));
        }
        let Metadata { by_first, counts, tokens } = meta;
        Ok(TuningModel { encoder, decoder: network, by_first, counts, tokens })
    }

    /// Largest difference between the outputs in the test vectors of both files and the computed ones; `None`
    /// without such vectors.
    pub fn largest_test_error(&self) -> Option<f32> {
        [&self.encoder, &self.decoder].into_iter().filter_map(Network::largest_test_error).reduce(f32::max)
    }

    /// Lets the model choose one parameter after another: of the likeliest tokens the first whose value
    /// `is_valid` takes at its place. Whether all were chosen; it ends early where a token says so before one
    /// is valid.
    pub fn choose(
        &self,
        features: &[f32],
        direction: &str,
        is_valid: &mut dyn FnMut(usize, &str) -> bool,
    ) -> bool {
        let mut count =
            if self.by_first { 1 } else { self.counts.get(direction).copied().unwrap_or_default() };
        let Some(mut state) = self.encoder.run(&[features.to_vec()]) else { return false };
        let (mut token, mut place) = (0usize, 0);
        while place < count.min(MOST_UNITS) {
            #[expect(clippy::cast_precision_loss, reason = "tokens are a few dozen")]
            let inputs: Vec<Vec<f32>> = std::iter::once(vec![token as f32]).chain(state).collect();
            let Some(mut results) = self.decoder.run(&inputs).filter(|all| !all.is_empty()) else {
                return false;
            };
            state = results.split_off(1);
            let Some(chosen) = self.likeliest(results.first(), |value| is_valid(place, value)) else {
                return false;
            };
            if place == 0 && self.by_first {
                count =
                    self.tokens.get(&chosen).and_then(|value| self.counts.get(value)).copied().unwrap_or(1);
            }
            (token, place) = (chosen, place + 1);
        }
        place > 0
    }

    /// The token with the highest score whose value is taken; of equal ones the larger. Nothing where one
    /// that ends comes first.
    fn likeliest(&self, scores: Option<&Vec<f32>>, mut takes: impl FnMut(&str) -> bool) -> Option<usize> {
        let mut order: Vec<(f32, usize)> = scores?.iter().copied().zip(0..).collect();
        order.sort_rows_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        for (_, token) in order {
            // A token without a value has an empty one, which no parameter is.
            let value = self.tokens.get(&token).map_or("", String::as_str);
            if value == "-1" {
                return None;
            }
            if takes(value) {
                return Some(token);
            }
        }
        None
    }
}

/// How encoder and decoder contradict each other: the state that one hands over is what the other takes
/// behind the token.
pub(super) fn unfit_shapes(
    (takes, state): (&[usize], &[usize]),
    token_and_state: &[usize],
) -> Option<&'static str> {
    let fits = token_and_state.split_first().is_some_and(|(_, taken)| taken == state);
    (takes.len() != 1 || !fits).then_some("the decoder takes another state than the encoder gives")
}

#[cfg(test)]
mod tests {
    use super::*;
    use amdgpu_object::error::ParseErrorKind;
    use serde_json::Value;
    use serde_json::json;

    fn base64(numbers: &[f32]) -> Value {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let bits: Vec<u8> =
            bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
        let digit = |six: &[u8]| {
            let value = (0..6).fold(0, |all, at| all << 1 | six.get(at).copied().unwrap_or(0));
            char::from(DIGITS[usize::from(value)])
        };
        json!([bits.chunks(6).map(digit).collect::<String>()])
    }

    fn lstm(name: &str, from: Value, sequences: bool) -> Value {
        json!({ "class_name": "LSTM", "name": name, "inbound_nodes": [from], "config": {
            "units": 1, "activation": "tanh", "recurrent_activation": "sigmoid", "return_sequences": sequences } })
    }

    fn input(name: &str, width: usize) -> Value {
        json!({ "class_name": "InputLayer", "name": name, "inbound_nodes": [], "config": { "batch_input_shape": [null, width] } })
    }

    fn gates() -> Value {
        json!({ "weights": base64(&[0.5, -0.25, 1.0, 0.75]), "recurrent_weights": base64(&[0.1, 0.2, -0.3, 0.4]),
                "bias": base64(&[0.0, 1.0, 0.0, 0.0]) })
    }

    /// An encoder of one LSTM layer over the steps, and a decoder that adds its state to what it knows of the
    /// last token.
    fn files() -> [Value; 3] {
        let encoder = json!({ "architecture": { "config": {
                "layers": [input("in", 1), lstm("lstm", json!([["in", 0, 0, {}]]), false)],
                "input_layers": [["in", 0, 0]], "output_layers": [["lstm", 0, 1], ["lstm", 0, 2]] } },
            "trainable_params": { "lstm": gates() },
            "tests": [{ "inputs": [{ "values": base64(&[1.0, 2.0]) }],
                        "outputs": [{ "values": base64(&[0.638_211_4]) }, { "values": base64(&[1.007_005_5]) }] }] });
        let dense = json!({ "class_name": "Dense", "name": "out", "inbound_nodes": [[["lstm", 0, 0, {}]]],
            "config": { "units": 3, "activation": "linear" } });
        let embedding = json!({ "class_name": "Embedding", "name": "e", "inbound_nodes": [[["token", 0, 0, {}]]],
            "config": { "input_dim": 3, "output_dim": 1 } });
        let decoder = json!({ "architecture": { "config": {
                "layers": [input("token", 1), embedding, input("h", 1), input("c", 1),
                    lstm("lstm", json!([["e", 0, 0, {}], ["h", 0, 0, {}], ["c", 0, 0, {}]]), false), dense],
                "input_layers": [["token", 0, 0], ["h", 0, 0], ["c", 0, 0]],
                "output_layers": [["out", 0, 0], ["lstm", 0, 1], ["lstm", 0, 2]] } },
            "trainable_params": { "lstm": gates(), "e": { "weights": base64(&[0.5, -4.0, 1.0]) },
                "out": { "weights": base64(&[0.0, 1.0, 2.0]), "bias": base64(&[0.1, 0.0, 0.0]) } } });
        let metadata = json!({ "predict_type": 0, "num_tuning_params": { "fwd": 2 },
            "decodings": { "tunings": { "0": "-1", "1": "8", "2": "16" } } });
        [metadata, encoder, decoder]
    }

    fn model([metadata, encoder, decoder]: &[Value; 3]) -> Result<TuningModel, ModelFault> {
        let bytes = |value: &Value| value.to_string().into_bytes();
        TuningModel::read(&bytes(metadata), &bytes(encoder), &bytes(decoder))
    }

    /// The state after both steps was computed with Keras's formulas in Python: h 0.6382114, c 1.0070055.
    #[test]
    fn an_lstm_layer_gives_what_its_formulas_do() {
        let error = model(&files()).unwrap().largest_test_error().unwrap();
        assert!(error < 1e-6, "{error}");
    }

    #[test]
    fn parameters_are_chosen_one_after_another() {
        let model = model(&files()).unwrap();
        let mut asked = Vec::new();
        let mut take = |place: usize, value: &str| {
            asked.push(format!("{place}:{value}"));
            !(place == 1 && value == "16")
        };
        // 16 scores twice what 8 does, and the end has a tenth of bias.
        assert!(model.choose(&[1.0, 2.0], "fwd", &mut take));
        assert_eq!(asked, ["0:16", "1:16", "1:8"]);
        assert!(
            !model.choose(&[1.0, 2.0], "fwd", &mut |_, _| false),
            "the end is reached before a valid value"
        );
        assert!(!model.choose(&[1.0, 2.0], "wrw", &mut |_, _| true), "a direction without parameters");
        assert!(!model.choose(&[], "fwd", &mut |_, _| true), "no features");
    }

    #[test]
    fn what_does_not_fit_is_no_model() {
        let [metadata, encoder, decoder] = files();
        let whole = encoder.to_string();
        for end in [0, 1, whole.len() / 2, whole.len() - 1] {
            let read = TuningModel::read(
                metadata.to_string().as_bytes(),
                &whole.as_bytes()[..end],
                decoder.to_string().as_bytes(),
            );
            let fault = read.expect_err("no model");
            let (kind, byte) = (fault.error.kind(), fault.error.offset());
            assert_eq!((fault.part, kind, byte), (ModelPart::Encoder, ParseErrorKind::CutEnd, end as u64));
        }
        let broken = |change: &dyn Fn(&mut Value)| {
            let mut encoder = encoder.clone();
            change(&mut encoder);
            model(&[metadata.clone(), encoder, decoder.clone()]).unwrap_err().to_string()
        };
        let units = |value: Value| {
            broken(&move |file| {
                file["architecture"]["config"]["layers"][1]["config"]["units"] = value.clone()
            })
        };
        assert!(units(json!(2)).contains("another number of weights"));
        assert!(units(json!(u64::MAX)).contains("no usable units"));
        assert!(units(json!(0)).contains("no usable units"));
        let nan =
            |file: &mut Value| file["trainable_params"]["lstm"]["bias"] = base64(&[f32::NAN, 0.0, 0.0, 0.0]);
        assert!(broken(&nan).contains("not finite"));
        let later = |file: &mut Value| {
            file["architecture"]["config"]["layers"][1]["inbound_nodes"] = json!([[["lstm", 0, 0, {}]]]);
        };
        assert!(broken(&later).contains("does not come before"));
        let other =
            |file: &mut Value| file["architecture"]["config"]["layers"][1]["class_name"] = "GRU".into();
        assert!(broken(&other).contains("no such model"));
        let state =
            |file: &mut Value| file["architecture"]["config"]["output_layers"] = json!([["lstm", 0, 1]]);
        assert!(broken(&state).contains("another state"));
    }
}
