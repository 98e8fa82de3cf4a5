//! The layers of a model in frugally-deep's form: read from a file, and evaluated.

use super::frugally_deep::{NumbersFault, TestFile, ValuesFile, floats, json_fault, place_of};
use amdgpu_object::error::{ParseError, ParseErrorKind};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Most steps of a sequence and units of a layer; the largest known have 18 and 128.
pub(super) const MOST_UNITS: usize = 4096;

/// Inputs of a test in the file, and the outputs that the model gives for them.
pub(super) type TestVectors = (Vec<Vec<f32>>, Vec<Vec<f32>>);

/// The layers of one file, in an order in which each comes after those it takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    layers: Vec<Layer>,
    /// How many values each input has, and their layers.
    inputs: Vec<(usize, usize)>,
    /// A layer and which of its results.
    outputs: Vec<(usize, usize)>,
    /// Values of each output, in one step.
    widths: Vec<usize>,
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
    /// Inputs, weights by input and output, a bias for each output, and whether negative results become 0.
    Dense(usize, Vec<f32>, Vec<f32>, bool),
    Relu,
    Add,
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

/// What of a layer is being read.
struct LayerReader<'f> {
    bytes: &'f [u8],
    file: &'f NetworkFile,
    layer: &'f LayerFile,
    /// Values of each input in one step.
    taken: Vec<usize>,
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// Where it is no such JSON, or a layer does not fit what comes before it; of kind
    /// [`ParseErrorKind::UnknownMethod`] where a layer is of a kind that no known model has.
    pub(super) fn read(bytes: &[u8]) -> Result<Network, ParseError> {
        let file: NetworkFile = serde_json::from_slice(bytes).map_err(|error| json_fault(bytes, &error))?;
        let mut names: Vec<&str> = Vec::new();
        let mut layers: Vec<Layer> = Vec::new();
        // Values of each result of each layer, in one step.
        let mut widths: Vec<Vec<usize>> = Vec::new();
        for layer in &file.architecture.config.layers {
            let mut from = Vec::new();
            taken_by(&layer.inbound_nodes, 0, &mut from);
            // Only the first result of a layer is taken by another in known models.
            let takes: Option<Vec<(usize, usize)>> =
                from.iter().map(|from| Some((names.iter().position(|own| own == from)?, 0))).collect();
            let mut reader = LayerReader { bytes, file: &file, layer, taken: Vec::new() };
            let takes = takes.ok_or_else(|| reader.wrong("takes a layer that does not come before it"))?;
            let width = |(layer, result): &(usize, usize)| widths.get(*layer)?.get(*result).copied();
            reader.taken = takes.iter().filter_map(width).collect();
            let (does, own) = reader.does()?;
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
            widths.get(at)?.get(*result).map(|width| (at, *result, *width))
        });
        let (inputs, outputs): (Option<Vec<_>>, Option<Vec<_>>) = (inputs.collect(), outputs.collect());
        let wrong = |key: &str, what: &str| ParseError::new(place_of(bytes, key), what);
        let outputs = outputs.ok_or_else(|| wrong("output_layers", "an output is no result of a layer"))?;
        let values = |all: &[ValuesFile]| -> Vec<Vec<f32>> {
            all.iter().map(|of| floats(&of.values).unwrap_or_default()).collect()
        };
        Ok(Network {
            layers,
            inputs: inputs.ok_or_else(|| wrong("input_layers", "an input is no layer"))?,
            widths: outputs.iter().map(|(.., width)| *width).collect(),
            outputs: outputs.into_iter().map(|(layer, result, _)| (layer, result)).collect(),
            tests: file.tests.iter().map(|test| (values(&test.inputs), values(&test.outputs))).collect(),
        })
    }

    /// How many values each input has in one step.
    pub(super) fn input_widths(&self) -> Vec<usize> {
        self.inputs.iter().map(|(width, _)| *width).collect()
    }

    /// How many values each output has in one step.
    pub(super) fn output_widths(&self) -> &[usize] {
        &self.widths
    }

    /// Largest difference between the outputs in the test vectors and the computed ones, infinite where one
    /// is no number; `None` without test vectors.
    pub(super) fn largest_test_error(&self) -> Option<f32> {
        let finite = |error: f32| if error.is_nan() { f32::INFINITY } else { error };
        let error = |(inputs, outputs): &(Vec<Vec<f32>>, Vec<Vec<f32>>)| {
            let own = self.run(inputs)?;
            let pairs = own.iter().flatten().zip(outputs.iter().flatten());
            Some(pairs.map(|(a, b)| finite((a - b).abs())).fold(0.0, f32::max))
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
                Does::Dense(taken_width, weights, bias, cut) => {
                    let steps = taken(0)?.chunks(*taken_width);
                    let values = steps.flat_map(|step| product(step, weights, bias));
                    vec![if *cut { values.map(relu).collect() } else { values.collect() }]
                }
                Does::Relu => vec![taken(0)?.iter().copied().map(relu).collect()],
                Does::Add => vec![taken(0)?.iter().zip(taken(1)?).map(|(a, b)| a + b).collect()],
                Does::Lstm(lstm) => lstm.run(taken(0)?, taken(1), taken(2)),
            };
            results.push(own);
        }
        self.outputs.iter().map(|(layer, result)| results.get(*layer)?.get(*result).cloned()).collect()
    }
}

impl LayerReader<'_> {
    /// An error at the first place in the file that names the layer.
    fn wrong(&self, what: &str) -> ParseError {
        let name = &self.layer.name;
        ParseError::new(place_of(self.bytes, name), format!("layer {name} {what}"))
    }

    /// The numbers of a part of the layer; none where the file has no such part.
    fn numbers(&self, part: &str) -> Result<Vec<f32>, ParseError> {
        let pieces = self.file.trainable_params.get(&self.layer.name).and_then(|all| all.get(part));
        let pieces = pieces.map_or(&[][..], Vec::as_slice);
        floats(pieces).map_err(|fault: NumbersFault| {
            let what = format!("layer {} {}", self.layer.name, fault.what);
            ParseError::new(fault.place(self.bytes, pieces), what)
        })
    }

    fn number(&self, name: &str) -> Result<usize, ParseError> {
        let value = self.layer.config.get(name).and_then(Value::as_u64);
        let value = value.and_then(|value| usize::try_from(value).ok());
        let value = value.filter(|value| (1..=MOST_UNITS).contains(value));
        value.ok_or_else(|| self.wrong(&format!("has no usable {name}")))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.layer.config.get(name).and_then(Value::as_str)
    }

    fn first(&self) -> Result<usize, ParseError> {
        self.taken.first().copied().ok_or_else(|| self.wrong("takes nothing"))
    }

    fn fits(&self, own: bool) -> Result<(), ParseError> {
        if own { Ok(()) } else { Err(self.wrong("has another number of weights than its shape")) }
    }

    fn unknown(&self, what: &str) -> ParseError {
        self.wrong(what).of_kind(ParseErrorKind::UnknownMethod)
    }

    /// What the layer does, and how many values each of its results has in one step.
    fn does(&self) -> Result<(Does, Vec<usize>), ParseError> {
        match self.layer.class_name.as_str() {
            "InputLayer" => {
                let shape = ["batch_input_shape", "batch_shape"];
                let shape = shape.iter().find_map(|name| self.layer.config.get(name)?.as_array());
                let width = shape.and_then(|all| all.last()).and_then(Value::as_u64);
                let width = width.and_then(|width| usize::try_from(width).ok());
                let width = width.filter(|width| *width <= MOST_UNITS);
                Ok((Does::Input, vec![width.ok_or_else(|| self.wrong("has no shape"))?]))
            }
            "ReLU" => Ok((Does::Relu, vec![self.first()?])),
            "Add" => {
                let first = self.first()?;
                let same = self.taken.len() == 2 && self.taken.iter().all(|width| *width == first);
                if same {
                    Ok((Does::Add, vec![first]))
                } else {
                    Err(self.wrong("adds what is not of one width"))
                }
            }
            "Embedding" => {
                let (rows, width) = (self.number("input_dim")?, self.number("output_dim")?);
                let weights = self.numbers("weights")?;
                self.fits(weights.len() == rows * width)?;
                Ok((Does::Embedding(width, weights), vec![width]))
            }
            "Dense" => self.dense(),
            "LSTM" => self.lstm(),
            _ => Err(self.unknown("is of a kind that no such model has")),
        }
    }

    fn dense(&self) -> Result<(Does, Vec<usize>), ParseError> {
        let (taken, weights) = (self.first()?, self.numbers("weights")?);
        let units = match self.layer.config.get("units") {
            Some(_) => self.number("units")?,
            None => weights.len() / taken.max(1),
        };
        let cut = match self.text("activation") {
            Some("relu") => true,
            Some("linear") | None => false,
            Some(_) => return Err(self.unknown("has an activation that no such model has")),
        };
        let bias = or_zero(self.numbers("bias")?, units);
        self.fits(units > 0 && weights.len() == taken * units && bias.len() == units)?;
        Ok((Does::Dense(taken, weights, bias, cut), vec![units]))
    }

    fn lstm(&self) -> Result<(Does, Vec<usize>), ParseError> {
        let (taken, units) = (self.first()?, self.number("units")?);
        let is_usual =
            self.text("activation") == Some("tanh") && self.text("recurrent_activation") == Some("sigmoid");
        let flag = |name: &str| self.layer.config.get(name).and_then(Value::as_bool).unwrap_or_default();
        if flag("go_backwards") || !is_usual {
            return Err(self.unknown("is a recurrent layer of a kind that no such model has"));
        }
        let gates = 4 * units;
        let (weights, recurrent) = (self.numbers("weights")?, self.numbers("recurrent_weights")?);
        let bias = or_zero(self.numbers("bias")?, gates);
        self.fits(weights.len() == taken * gates && recurrent.len() == gates * units && bias.len() == gates)?;
        let sequences = flag("return_sequences");
        let lstm = Lstm { taken, units, sequences, weights, recurrent, bias };
        Ok((Does::Lstm(Box::new(lstm)), vec![units; 3]))
    }
}

/// Layers may have no bias.
fn or_zero(bias: Vec<f32>, width: usize) -> Vec<f32> {
    if bias.is_empty() { vec![0.0; width] } else { bias }
}

fn relu(value: f32) -> f32 {
    value.max(0.0)
}

/// The names of a node's input layers: `["name", 0, 0]` in Keras 2's form, and in Keras 3's, which newer
/// frugally-deep reads, the history of a tensor.
fn taken_by<'a>(node: &'a Value, depth: usize, names: &mut Vec<&'a str>) {
    const DEEPEST: usize = 8;
    if depth > DEEPEST {
        return;
    }
    let deeper = depth + 1;
    match node {
        Value::Array(all) => match all.first() {
            Some(Value::String(name)) => names.push(name),
            _ => all.iter().for_each(|inner| taken_by(inner, deeper, names)),
        },
        Value::Object(_) => {
            let inner = ["args", "config", "keras_history"].into_iter().filter_map(|name| node.get(name));
            inner.for_each(|inner| taken_by(inner, deeper, names));
        }
        _ => {}
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
