//! Models that choose the parameters of a kernel (KernelTuningNet): read from MIOpen's files, and evaluated.
//!
//! A model has three JSON files. An encoder turns the problem into the state of two LSTM layers; a decoder
//! turns the last parameter and this state into a score for each token and the next state; the third says
//! which token means which value. Sources: MIOpen 3.3.0 `src/conv/heuristics/ai_heuristics.cpp:570-790`;
//! frugally-deep for the form of the files and the order of gates (input, forget, cell, output), as in Keras
//! 2.

use super::frugally_deep::{TestFile, ValuesFile, floats};
use super::tunanet_model::taken_by;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Most steps of a sequence and units of a layer; the largest known have 18 and 128.
const MOST_UNITS: usize = 4096;

/// Why files are no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotATuningModel {
    /// A file is not the JSON that it should be; the parser's words.
    Json(String),
    /// A layer does not fit what comes before it.
    Layer {
        /// The layer.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// The files do not fit each other.
    Files(&'static str),
}

impl fmt::Display for NotATuningModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotATuningModel::Json(what) => f.write_str(what),
            NotATuningModel::Layer { name, what } => write!(f, "layer {name} {what}"),
            NotATuningModel::Files(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for NotATuningModel {}

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

/// Inputs of a test in the file, and the outputs that the model gives for them.
type TestVectors = (Vec<Vec<f32>>, Vec<Vec<f32>>);

/// The layers of one file, in an order in which each comes after those it takes.
#[derive(Debug, Clone, PartialEq)]
struct Network {
    layers: Vec<Layer>,
    /// How many values each input has, and their layers.
    inputs: Vec<(usize, usize)>,
    /// A layer and which of its results.
    outputs: Vec<(usize, usize)>,
    tests: Vec<TestVectors>,
}

#[derive(Debug, Clone, PartialEq)]
struct Layer {
    takes: Vec<(usize, usize)>,
    does: Does,
}

#[derive(Debug, Clone, PartialEq)]
enum Does {
    Input,
    /// Width of a row and rows.
    Embedding(usize, Vec<f32>),
    /// Inputs, weights by input and output, and a bias for each output.
    Dense(usize, Vec<f32>, Vec<f32>),
    Lstm(Box<Lstm>),
}

#[derive(Debug, Clone, PartialEq)]
struct Lstm {
    taken: usize,
    units: usize,
    /// Whether all steps are handed on, or the last.
    sequences: bool,
    weights: Vec<f32>,
    recurrent: Vec<f32>,
    bias: Vec<f32>,
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

#[derive(Deserialize)]
struct NetworkFile {
    architecture: ArchitectureFile,
    trainable_params: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    #[serde(default)]
    tests: Vec<TestFile>,
}

#[derive(Deserialize)]
struct ArchitectureFile {
    config: ConfigFile,
}

#[derive(Deserialize)]
struct ConfigFile {
    layers: Vec<LayerFile>,
    input_layers: Vec<(String, usize, usize)>,
    output_layers: Vec<(String, usize, usize)>,
}

#[derive(Deserialize)]
struct LayerFile {
    class_name: String,
    name: String,
    config: Value,
    inbound_nodes: Value,
}

impl TuningModel {
    /// Reads a model from the bytes of its three files.
    ///
    /// # Errors
    /// Where a file is no such JSON, has a layer that no known model has, or does not fit the others.
    pub fn read(metadata: &[u8], encoder: &[u8], decoder: &[u8]) -> Result<TuningModel, NotATuningModel> {
        let meta: MetadataFile =
            serde_json::from_slice(metadata).map_err(|error| NotATuningModel::Json(error.to_string()))?;
        let (encoder, decoder) = (Network::read(encoder)?, Network::read(decoder)?);
        let token = |(token, value): (String, String)| Some((token.parse().ok()?, value));
        let tokens: Option<BTreeMap<usize, String>> = meta.decodings.tunings.into_iter().map(token).collect();
        let tokens = tokens.ok_or(NotATuningModel::Files("a token is no number"))?;
        // The state that the encoder hands over is that which the decoder takes behind the token.
        if encoder.inputs.len() != 1 || decoder.inputs.len() != encoder.outputs.len() + 1 {
            return Err(NotATuningModel::Files("the decoder takes another state than the encoder gives"));
        }
        Ok(TuningModel {
            encoder,
            decoder,
            by_first: meta.predict_type != 0,
            counts: meta.num_tuning_params,
            tokens,
        })
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
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
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

impl Network {
    fn read(bytes: &[u8]) -> Result<Network, NotATuningModel> {
        let file: NetworkFile =
            serde_json::from_slice(bytes).map_err(|error| NotATuningModel::Json(error.to_string()))?;
        let mut names: Vec<&str> = Vec::new();
        let mut layers: Vec<Layer> = Vec::new();
        // Values of each result of each layer, in one step.
        let mut widths: Vec<Vec<usize>> = Vec::new();
        for layer in &file.architecture.config.layers {
            let wrong =
                |what: &str| NotATuningModel::Layer { name: layer.name.clone(), what: what.to_owned() };
            let mut from = Vec::new();
            taken_by(&layer.inbound_nodes, 0, &mut from);
            // Only the first result of a layer is taken by another in known models.
            let takes: Option<Vec<(usize, usize)>> =
                from.iter().map(|from| Some((names.iter().position(|own| own == from)?, 0))).collect();
            let takes = takes.ok_or_else(|| wrong("takes a layer that does not come before it"))?;
            let taken: Vec<usize> = takes
                .iter()
                .filter_map(|(layer, result)| widths.get(*layer)?.get(*result).copied())
                .collect();
            let numbers = |part: &str| -> Result<Vec<f32>, NotATuningModel> {
                let pieces = file.trainable_params.get(&layer.name).and_then(|all| all.get(part));
                floats(pieces.map_or(&[], Vec::as_slice)).map_err(|what| wrong(&what))
            };
            let (does, own) = does(layer, &taken, &numbers)?;
            names.push(&layer.name);
            widths.push(own);
            layers.push(Layer { takes, does });
        }
        let place = |name: &String| names.iter().position(|own| own == name);
        let config = &file.architecture.config;
        let inputs = config.input_layers.iter().map(|(name, ..)| {
            let at = place(name)?;
            Some((widths.get(at)?.first().copied()?, at))
        });
        let outputs = config.output_layers.iter().map(|(name, _, result)| {
            let at = place(name)?;
            widths.get(at)?.get(*result).map(|_| (at, *result))
        });
        let (inputs, outputs): (Option<Vec<_>>, Option<Vec<_>>) = (inputs.collect(), outputs.collect());
        let values = |all: &[ValuesFile]| -> Vec<Vec<f32>> {
            all.iter().map(|of| floats(&of.values).unwrap_or_default()).collect()
        };
        Ok(Network {
            layers,
            inputs: inputs.ok_or(NotATuningModel::Files("an input is no layer"))?,
            outputs: outputs.ok_or(NotATuningModel::Files("an output is no result of a layer"))?,
            tests: file.tests.iter().map(|test| (values(&test.inputs), values(&test.outputs))).collect(),
        })
    }

    fn largest_test_error(&self) -> Option<f32> {
        let error = |(inputs, outputs): &(Vec<Vec<f32>>, Vec<Vec<f32>>)| {
            let own = self.run(inputs)?;
            let pairs = own.iter().flatten().zip(outputs.iter().flatten());
            Some(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max))
        };
        self.tests.iter().filter_map(error).reduce(f32::max)
    }

    /// The outputs for these inputs; `None` where they are of other lengths than the network takes.
    fn run(&self, inputs: &[Vec<f32>]) -> Option<Vec<Vec<f32>>> {
        let fits = |(values, (width, _)): (&Vec<f32>, &(usize, usize))| {
            *width > 0
                && values.len() >= *width
                && values.len() % width == 0
                && values.len() / width <= MOST_UNITS
        };
        if inputs.len() != self.inputs.len() || !inputs.iter().zip(&self.inputs).all(fits) {
            return None;
        }
        let mut results: Vec<Vec<Vec<f32>>> = Vec::new();
        for (at, layer) in self.layers.iter().enumerate() {
            let taken = |number: usize| {
                let (layer, result) = layer.takes.get(number)?;
                results.get(*layer)?.get(*result)
            };
            let own = match &layer.does {
                Does::Input => {
                    let number = self.inputs.iter().position(|(_, layer)| *layer == at)?;
                    vec![inputs.get(number)?.clone()]
                }
                Does::Embedding(width, rows) => {
                    let row = |token: &f32| {
                        let at = format!("{token:.0}").parse::<usize>().ok()?.checked_mul(*width)?;
                        rows.get(at..at.checked_add(*width)?)
                    };
                    vec![taken(0)?.iter().filter_map(row).flatten().copied().collect()]
                }
                Does::Dense(taken_width, weights, bias) => {
                    let steps = taken(0)?.chunks(*taken_width);
                    vec![steps.flat_map(|step| product(step, weights, bias)).collect()]
                }
                Does::Lstm(lstm) => lstm.run(taken(0)?, taken(1), taken(2)),
            };
            results.push(own);
        }
        self.outputs.iter().map(|(layer, result)| results.get(*layer)?.get(*result).cloned()).collect()
    }
}

/// What a layer does, and how many values each of its results has in one step.
fn does(
    layer: &LayerFile,
    taken: &[usize],
    numbers: &dyn Fn(&str) -> Result<Vec<f32>, NotATuningModel>,
) -> Result<(Does, Vec<usize>), NotATuningModel> {
    let wrong = |what: &str| NotATuningModel::Layer { name: layer.name.clone(), what: what.to_owned() };
    let number = |name: &str| {
        let value =
            layer.config.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok());
        let value = value.filter(|value| (1..=MOST_UNITS).contains(value));
        value.ok_or_else(|| wrong(&format!("has no usable {name}")))
    };
    let text = |name: &str| layer.config.get(name).and_then(Value::as_str);
    let flag = |name: &str| layer.config.get(name).and_then(Value::as_bool).unwrap_or_default();
    let first = || taken.first().copied().ok_or_else(|| wrong("takes nothing"));
    let fits =
        |own: bool| if own { Ok(()) } else { Err(wrong("has another number of weights than its shape")) };
    let or_zero = |bias: Vec<f32>, width: usize| if bias.is_empty() { vec![0.0; width] } else { bias };
    match layer.class_name.as_str() {
        "InputLayer" => {
            let shape = layer.config.get("batch_input_shape").and_then(Value::as_array);
            let width = shape.and_then(|all| all.last()).and_then(Value::as_u64);
            let width =
                width.and_then(|width| usize::try_from(width).ok()).filter(|width| *width <= MOST_UNITS);
            Ok((Does::Input, vec![width.ok_or_else(|| wrong("has no shape"))?]))
        }
        "Embedding" => {
            let (rows, width, weights) = (number("input_dim")?, number("output_dim")?, numbers("weights")?);
            fits(weights.len() == rows * width)?;
            Ok((Does::Embedding(width, weights), vec![width]))
        }
        "Dense" => {
            let (taken, units) = (first()?, number("units")?);
            if text("activation") != Some("linear") {
                return Err(wrong("has an activation that no such model has"));
            }
            let (weights, bias) = (numbers("weights")?, or_zero(numbers("bias")?, units));
            fits(weights.len() == taken * units && bias.len() == units)?;
            Ok((Does::Dense(taken, weights, bias), vec![units]))
        }
        "LSTM" => {
            let (taken, units) = (first()?, number("units")?);
            let is_usual =
                text("activation") == Some("tanh") && text("recurrent_activation") == Some("sigmoid");
            if flag("go_backwards") || !is_usual {
                return Err(wrong("is a recurrent layer of a kind that no such model has"));
            }
            let (weights, recurrent) = (numbers("weights")?, numbers("recurrent_weights")?);
            let bias = or_zero(numbers("bias")?, 4 * units);
            let gates = 4 * units;
            fits(weights.len() == taken * gates && recurrent.len() == gates * units && bias.len() == gates)?;
            let sequences = flag("return_sequences");
            let lstm = Lstm { taken, units, sequences, weights, recurrent, bias };
            Ok((Does::Lstm(Box::new(lstm)), vec![units; 3]))
        }
        _ => Err(wrong("is of a kind that no such model has")),
    }
}

/// A vector times a matrix, and a bias.
fn product(values: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
    let mut sums: Vec<f64> = bias.iter().copied().map(f64::from).collect();
    add_product(&mut sums, values, weights, bias.len());
    narrowed(sums)
}

fn add_product(sums: &mut [f64], values: &[f32], weights: &[f32], width: usize) {
    for (value, row) in values.iter().zip(weights.chunks(width)) {
        let value = f64::from(*value);
        sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * f64::from(*weight));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "layers hand on single precision")]
fn narrowed(sums: Vec<f64>) -> Vec<f32> {
    sums.into_iter().map(|sum| sum as f32).collect()
}

impl Lstm {
    /// The steps or the last of them, and the state behind them: hidden, cell.
    fn run(&self, steps: &[f32], hidden: Option<&Vec<f32>>, cell: Option<&Vec<f32>>) -> Vec<Vec<f32>> {
        let begun = |state: Option<&Vec<f32>>| {
            state.filter(|state| state.len() == self.units).cloned().unwrap_or_else(|| vec![0.0; self.units])
        };
        let (mut hidden, mut cell) = (begun(hidden), begun(cell));
        let mut all = Vec::new();
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        for step in steps.chunks(self.taken) {
            let mut sums: Vec<f64> = self.bias.iter().copied().map(f64::from).collect();
            add_product(&mut sums, step, &self.weights, 4 * self.units);
            add_product(&mut sums, &hidden, &self.recurrent, 4 * self.units);
            let gate = |number: usize| sums.chunks(self.units).nth(number).unwrap_or_default();
            let gates = gate(0).iter().zip(gate(1)).zip(gate(2).iter().zip(gate(3)));
            let next = gates.zip(&cell).map(|(((input, forget), (new, output)), old)| {
                let cell = sigmoid(*forget) * f64::from(*old) + sigmoid(*input) * new.tanh();
                (cell, sigmoid(*output) * cell.tanh())
            });
            let (cells, outputs): (Vec<f64>, Vec<f64>) = next.unzip();
            (cell, hidden) = (narrowed(cells), narrowed(outputs));
            if self.sequences {
                all.extend_from_slice(&hidden);
            }
        }
        if !self.sequences {
            all.clone_from(&hidden);
        }
        vec![all, hidden, cell]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn model([metadata, encoder, decoder]: &[Value; 3]) -> Result<TuningModel, NotATuningModel> {
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
            assert!(matches!(read, Err(NotATuningModel::Json(_))), "cut at {end}");
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
