//! TunaNet's models: read from MIOpen's files, and evaluated.
//!
//! A model has two JSON files: the layers with their weights (frugally-deep: base64 of little-endian 32-bit
//! floats), and the meaning of the numbers. Sources: MIOpen 3.3.0
//! `src/conv/heuristics/ai_heuristics.cpp:76-190` (reading), `:285-320`, `:365-393`, `:460-490` (features),
//! `:505-560` (use of the answer).

use super::frugally_deep::{TestFile, ValuesFile, floats, not_read};
use crate::miopen::problem::{ConvolutionProblem, Direction};
use rocm_audit_files::error::Unread;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A model, ready to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub struct TunaNet {
    /// The processor in the files' names.
    model: String,
    /// Solvers by index among the last outputs.
    solvers: BTreeMap<usize, String>,
    /// Means and standard deviations of the features.
    scales: Vec<(f32, f32)>,
    directions: BTreeMap<String, u32>,
    precisions: BTreeMap<String, u32>,
    layouts: BTreeMap<String, u32>,
    layers: Vec<Layer>,
    /// Test vectors in the file: inputs and outputs.
    tests: Vec<(Vec<f32>, Vec<f32>)>,
}

/// A layer, and the indices of its input layers.
#[derive(Debug, Clone, PartialEq)]
struct Layer {
    takes: Vec<usize>,
    does: Does,
}

#[derive(Debug, Clone, PartialEq)]
enum Does {
    Input,
    /// Weights by input and output, one bias for each output, and whether negative results become 0.
    Dense(Vec<f32>, Vec<f32>, bool),
    Relu,
    Add,
}

#[derive(Deserialize)]
struct MetadataFile {
    num_inputs: usize,
    num_outputs: usize,
    num_solvers: usize,
    conv_params_used_as_features: Vec<String>,
    encodings: EncodingsFile,
    stats: StatsFile,
}

#[derive(Deserialize)]
struct EncodingsFile {
    #[serde(rename = "Direction")]
    direction: BTreeMap<String, u32>,
    #[serde(rename = "Precision")]
    precision: BTreeMap<String, u32>,
    #[serde(rename = "Layout")]
    layout: BTreeMap<String, u32>,
    solver: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct StatsFile {
    overall: OfFeatures,
    test: OfFeatures,
}

#[derive(Deserialize)]
struct OfFeatures {
    features: MomentsFile,
}

#[derive(Deserialize)]
struct MomentsFile {
    mean: BTreeMap<String, f32>,
    std: BTreeMap<String, f32>,
}

#[derive(Deserialize)]
struct ModelFile {
    architecture: Of<ArchitectureFile>,
    trainable_params: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    tests: Vec<TestFile>,
}

#[derive(Deserialize)]
struct Of<T> {
    config: T,
}

#[derive(Deserialize)]
struct ArchitectureFile {
    layers: Vec<LayerFile>,
    output_layers: serde_json::Value,
}

#[derive(Deserialize)]
struct LayerFile {
    class_name: String,
    name: String,
    config: serde_json::Value,
    inbound_nodes: serde_json::Value,
}

#[derive(Deserialize)]
struct DenseFile {
    weights: Vec<String>,
    bias: Vec<String>,
}

impl TunaNet {
    /// Reads a processor's model from the bytes of its two files.
    ///
    /// # Errors
    ///
    /// A sentence that describes the mismatch.
    pub fn read(model: &str, layers: &[u8], metadata: &[u8]) -> Result<TunaNet, Unread> {
        let meta: MetadataFile = serde_json::from_slice(metadata)
            .map_err(|e| not_read(&format!("{model}_metadata.tn.model"), metadata, &e))?;
        let file: ModelFile =
            serde_json::from_slice(layers).map_err(|e| not_read(&format!("{model}.tn.model"), layers, &e))?;
        let fits = TunaNet::from_files(model, &file, meta);
        fits.map_err(|why| {
            format!("{model}.tn.model and {model}_metadata.tn.model: {}", String::from(why)).into()
        })
    }

    /// A model of both files.
    fn from_files(model: &str, file: &ModelFile, meta: MetadataFile) -> Result<TunaNet, Unread> {
        // gfx942's features are scaled by the test set's moments, the others' by the whole set's.
        let moments = &if model == "gfx942" { meta.stats.test } else { meta.stats.overall }.features;
        let scale = |name: &String| {
            let of = |all: &BTreeMap<String, f32>| all.get(name).copied().filter(|v| v.is_finite());
            Some((of(&moments.mean)?, of(&moments.std)?))
        };
        let scales: Option<Vec<_>> = meta.conv_params_used_as_features.iter().map(scale).collect();
        let scales = scales.ok_or("a feature has no mean or no standard deviation")?;
        let inputs = meta.num_inputs;
        if scales.len() != inputs {
            return Err(format!("{} features for {inputs} inputs", scales.len()).into());
        }
        if meta.num_solvers > meta.num_outputs {
            return Err(format!("{} solvers of {} outputs", meta.num_solvers, meta.num_outputs).into());
        }
        let read = layers_of(file, inputs, meta.num_outputs)?;
        let offset = meta.num_outputs - meta.num_solvers;
        let solvers = meta.encodings.solver.into_iter().map(|(name, at)| (at + offset, name)).collect();
        let values =
            |all: &[ValuesFile]| all.first().and_then(|of| floats(&of.values).ok()).unwrap_or_default();
        Ok(TunaNet {
            model: model.to_owned(),
            solvers,
            scales,
            directions: meta.encodings.direction,
            precisions: meta.encodings.precision,
            layouts: meta.encodings.layout,
            layers: read,
            tests: file.tests.iter().map(|test| (values(&test.inputs), values(&test.outputs))).collect(),
        })
    }

    /// The names of the solvers that it knows.
    pub fn solvers(&self) -> impl Iterator<Item = &str> {
        self.solvers.values().map(String::as_str)
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.scales.len()
    }

    /// Largest difference between the outputs in the file's test vectors and the computed ones; `None`
    /// without test vectors.
    pub fn largest_test_error(&self) -> Option<f32> {
        let errors = self.tests.iter().filter(|(input, _)| input.len() == self.scales.len());
        let error = |(input, output): &(Vec<f32>, Vec<f32>)| {
            let own = self.outputs(input);
            own.iter().zip(output).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        errors.map(error).reduce(f32::max)
    }

    /// All solvers it knows, likeliest first; `None` if it has no number for a property of the problem.
    pub fn order(&self, problem: &ConvolutionProblem<'_>) -> Option<Vec<&str>> {
        let features = self.features(problem)?;
        let scaled =
            features.iter().zip(&self.scales).map(|(value, (mean, deviation))| (value - mean) / deviation);
        let outputs = self.outputs(&scaled.collect::<Vec<f32>>());
        let mut order: Vec<(f32, &str)> = Vec::new();
        for (at, solver) in &self.solvers {
            order.push((*outputs.get(*at)?, solver));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        Some(order.into_iter().map(|(_, solver)| solver).collect())
    }

    #[expect(clippy::cast_precision_loss, reason = "the library casts sizes to single precision")]
    fn features(&self, p: &ConvolutionProblem<'_>) -> Option<Vec<f32>> {
        let forward = p.forward();
        let direction = match p.direction {
            Direction::Forward => "F",
            Direction::BackwardData => "B",
            Direction::BackwardWeights => "W",
        };
        let (direction, precision) = (self.directions.get(direction)?, self.precisions.get(p.data_type)?);
        let ([depth, height, width], [out_depth, out_height, out_width]) = (forward.input, forward.output);
        let ([deep, high, wide], [_, pad_h, pad_w]) = (p.filter, p.pad);
        let ([_, stride_h, stride_w], [_, dilation_h, dilation_w]) = (p.stride, p.dilation);
        let numbers = if self.model == "gfx908" {
            let layout = self.layouts.get(*p.layouts.first()?)?;
            // Depth padding and stride were 1 in its training data.
            vec![
                forward.channels,
                depth,
                height,
                width,
                deep,
                high,
                wide,
                forward.filters,
                out_depth,
                out_height,
                out_width,
                p.batch,
                1,
                pad_h,
                pad_w,
                1,
                stride_h,
                stride_w,
                dilation_h,
                dilation_w,
                *layout,
                *precision,
                *direction,
                p.groups,
            ]
        } else {
            vec![
                forward.channels,
                height,
                width,
                forward.filters,
                out_height,
                out_width,
                high,
                wide,
                pad_h,
                pad_w,
                stride_h,
                stride_w,
                dilation_h,
                dilation_w,
                p.batch,
                *precision,
                *direction,
                p.groups,
            ]
        };
        (numbers.len() == self.scales.len())
            .then(|| numbers.into_iter().map(|number| number as f32).collect())
    }

    fn outputs(&self, input: &[f32]) -> Vec<f32> {
        let mut values: Vec<Vec<f32>> = Vec::new();
        for layer in &self.layers {
            let takes = |at: usize| layer.takes.get(at).and_then(|at| values.get(*at));
            let first = takes(0).map_or(input, Vec::as_slice);
            let relu = |value: f32| value.max(0.0);
            let value = match &layer.does {
                Does::Input => input.to_vec(),
                Does::Relu => first.iter().copied().map(relu).collect(),
                Does::Add => first.iter().zip(takes(1).into_iter().flatten()).map(|(a, b)| a + b).collect(),
                Does::Dense(weights, bias, cut) => {
                    let mut sums: Vec<f64> = bias.iter().copied().map(f64::from).collect();
                    for (value, row) in first.iter().zip(weights.chunks(bias.len())) {
                        let value = f64::from(*value);
                        sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * f64::from(*weight));
                    }
                    #[expect(clippy::cast_possible_truncation, reason = "layers hand on single precision")]
                    let sums = sums.into_iter().map(|sum| sum as f32);
                    if *cut { sums.map(relu).collect() } else { sums.collect() }
                }
            };
            values.push(value);
        }
        values.pop().unwrap_or_default()
    }
}

/// The layers in file order, each checked against its input layers.
fn layers_of(file: &ModelFile, inputs: usize, outputs: usize) -> Result<Vec<Layer>, Unread> {
    let mut names: Vec<&str> = Vec::new();
    let mut widths: Vec<usize> = Vec::new();
    let mut layers = Vec::new();
    for layer in &file.architecture.config.layers {
        let name = &layer.name;
        let wrong = |what: &str| Unread::from(format!("layer {name} {what}"));
        let mut from = Vec::new();
        taken_by(&layer.inbound_nodes, 0, &mut from);
        let place = |name: &&str| names.iter().position(|own| own == name);
        let takes: Option<Vec<usize>> = from.iter().map(place).collect();
        let takes = takes.ok_or_else(|| wrong("takes a layer that does not come before it"))?;
        let first = takes.first().and_then(|at| widths.get(*at)).copied();
        let taken = || first.ok_or_else(|| wrong("takes nothing"));
        let (does, width) = match layer.class_name.as_str() {
            "InputLayer" => (Does::Input, inputs),
            "ReLU" => (Does::Relu, taken()?),
            "Add" => {
                let same = takes.len() == 2 && takes.iter().all(|at| widths.get(*at).copied() == first);
                (same.then_some(Does::Add).ok_or_else(|| wrong("adds what is not of one width"))?, taken()?)
            }
            "Dense" => dense(layer, file, taken()?).map_err(|what| wrong(&what))?,
            other => return Err(wrong(&format!("is a {other}, which TunaNet has not"))),
        };
        names.push(name);
        widths.push(width);
        layers.push(Layer { takes, does });
    }
    let last = file.architecture.config.output_layers.pointer("/0/0").and_then(|name| name.as_str());
    if last.is_none() || last != names.last().copied() {
        return Err("the last layer is not the output".into());
    }
    match widths.last() {
        Some(width) if *width == outputs => Ok(layers),
        width => Err(format!("{} values for {outputs} outputs", width.copied().unwrap_or_default()).into()),
    }
}

/// The names of a node's input layers: `["name", 0, 0]` in Keras 2's form, and in Keras 3's, which newer
/// frugally-deep reads, the history of a tensor.
pub(super) fn taken_by<'a>(node: &'a serde_json::Value, depth: usize, names: &mut Vec<&'a str>) {
    const DEEPEST: usize = 8;
    if depth > DEEPEST {
        return;
    }
    let deeper = depth + 1;
    match node {
        serde_json::Value::Array(all) => match all.first() {
            Some(serde_json::Value::String(name)) => names.push(name),
            _ => all.iter().for_each(|inner| taken_by(inner, deeper, names)),
        },
        serde_json::Value::Object(_) => {
            let inner = ["args", "config", "keras_history"].into_iter().filter_map(|name| node.get(name));
            inner.for_each(|inner| taken_by(inner, deeper, names));
        }
        _ => {}
    }
}

/// A dense layer with this many inputs, and its number of outputs.
fn dense(layer: &LayerFile, file: &ModelFile, taken: usize) -> Result<(Does, usize), Unread> {
    let numbers = file.trainable_params.get(&layer.name).ok_or("has no weights")?;
    let numbers = DenseFile::deserialize(numbers).map_err(|error| format!("has no weights: {error}"))?;
    let (weights, bias) = (floats(&numbers.weights)?, floats(&numbers.bias)?);
    if bias.is_empty() || Some(weights.len()) != bias.len().checked_mul(taken) {
        return Err(format!("has {} weights for {taken} x {}", weights.len(), bias.len()).into());
    }
    let cut = match layer.config.get("activation").and_then(|name| name.as_str()) {
        Some("relu") => true,
        Some("linear") | None => false,
        Some(other) => return Err(format!("has the activation {other}, which TunaNet has not").into()),
    };
    let width = bias.len();
    Ok((Does::Dense(weights, bias, cut), width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn base64(numbers: &[f32]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let bits =
            bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect::<Vec<u8>>();
        let digit = |six: &[u8]| {
            let value = (0..6).fold(0, |all, at| all << 1 | six.get(at).copied().unwrap_or(0));
            char::from(DIGITS[usize::from(value)])
        };
        bits.chunks(6).map(digit).collect()
    }

    /// A model of two solvers: the likelihood of the first grows with the input channels, that of the second
    /// with the batch.
    fn files(bias: f32) -> (serde_json::Value, serde_json::Value) {
        let features: Vec<String> = (0..18).map(|at| format!("f{at}")).collect();
        let of = |value: f32| features.iter().map(|name| (name.clone(), value)).collect::<BTreeMap<_, _>>();
        let moments = json!({ "features": { "mean": of(0.0), "std": of(1.0) } });
        let metadata = json!({
            "num_inputs": 18, "num_outputs": 2, "num_solvers": 2, "conv_params_used_as_features": features,
            "encodings": {
                "Direction": { "B": 0, "W": 1, "F": 2 }, "Precision": { "FP32": 0 }, "Layout": { "NCHW": 0 },
                "solver": { "GemmFwdRest": 0, "ConvDirectNaiveConvFwd": 1 },
            },
            "stats": { "overall": moments, "test": moments },
        });
        let mut weights = vec![0.0; 36];
        (weights[0], weights[29]) = (1.0, 1.0);
        let layers = json!({
            "architecture": { "config": {
                "layers": [
                    { "class_name": "InputLayer", "name": "in", "config": {}, "inbound_nodes": [] },
                    { "class_name": "Dense", "name": "out", "config": { "activation": "linear" },
                      "inbound_nodes": [[["in", 0, 0, {}]]] },
                ],
                "output_layers": [["out", 0, 0]],
            } },
            "trainable_params": { "out": { "weights": [base64(&weights)], "bias": [base64(&[0.0, bias])] } },
        });
        (layers, metadata)
    }

    fn net(layers: &serde_json::Value, metadata: &serde_json::Value) -> Result<TunaNet, Unread> {
        TunaNet::read("gfx90a", layers.to_string().as_bytes(), metadata.to_string().as_bytes())
    }

    #[test]
    fn solvers_are_ordered_by_the_outputs() {
        let (layers, metadata) = files(0.0);
        let net = net(&layers, &metadata).expect("a model");
        let order = |key: &str| {
            let problem = ConvolutionProblem::parse(key).expect("a key");
            net.order(&problem).map(|order| order.join(" "))
        };
        let gemm_first = Some("GemmFwdRest ConvDirectNaiveConvFwd".to_owned());
        assert_eq!(order("64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F"), gemm_first);
        let naive_first = Some("ConvDirectNaiveConvFwd GemmFwdRest".to_owned());
        assert_eq!(order("16-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F"), naive_first);
        assert_eq!(order("16-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-BF16-F"), None);
    }

    #[test]
    fn what_does_not_fit_is_no_model() {
        let (layers, metadata) = files(0.0);
        let whole = layers.to_string();
        let cut =
            TunaNet::read("gfx90a", &whole.as_bytes()[..whole.len() / 2], metadata.to_string().as_bytes());
        assert!(cut.is_err());
        assert!(net(&files(f32::NAN).0, &metadata).unwrap_err().contains("not finite"));
        let mut wider = metadata.clone();
        wider["num_inputs"] = 19.into();
        assert!(net(&layers, &wider).unwrap_err().contains("18 features for 19 inputs"));
        let mut other = layers.clone();
        other["architecture"]["config"]["layers"][1]["class_name"] = "LSTM".into();
        assert!(net(&other, &metadata).unwrap_err().contains("LSTM"));
        let mut later = layers;
        later["architecture"]["config"]["layers"][1]["inbound_nodes"] = json!([[["out", 0, 0, {}]]]);
        assert!(net(&later, &metadata).unwrap_err().contains("does not come before"));
    }
}
