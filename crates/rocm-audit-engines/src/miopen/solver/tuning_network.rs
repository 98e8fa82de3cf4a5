//! The layers of a model that chooses the parameters of a kernel, in frugally-deep's form.

use super::frugally_deep::{TestFile, ValuesFile, floats};
use super::tunanet_model::taken_by;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Most steps of a sequence and units of a layer; the largest known have 18 and 128.
pub(super) const MOST_UNITS: usize = 4096;

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

/// Inputs of a test in the file, and the outputs that the model gives for them.
pub(super) type TestVectors = (Vec<Vec<f32>>, Vec<Vec<f32>>);

/// The layers of one file, in an order in which each comes after those it takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    layers: Vec<Layer>,
    /// How many values each input has, and their layers.
    pub(super) inputs: Vec<(usize, usize)>,
    /// A layer and which of its results.
    pub(super) outputs: Vec<(usize, usize)>,
    pub(super) tests: Vec<TestVectors>,
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

impl Network {
    pub(super) fn read(bytes: &[u8]) -> Result<Network, NotATuningModel> {
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

    pub(super) fn largest_test_error(&self) -> Option<f32> {
        let error = |(inputs, outputs): &(Vec<Vec<f32>>, Vec<Vec<f32>>)| {
            let own = self.run(inputs)?;
            let pairs = own.iter().flatten().zip(outputs.iter().flatten());
            Some(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max))
        };
        self.tests.iter().filter_map(error).reduce(f32::max)
    }

    /// The outputs for these inputs; `None` where they are of other lengths than the network takes.
    pub(super) fn run(&self, inputs: &[Vec<f32>]) -> Option<Vec<Vec<f32>>> {
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
