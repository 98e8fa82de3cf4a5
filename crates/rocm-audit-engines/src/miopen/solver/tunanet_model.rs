//! TunaNet's models: read from MIOpen's files, and evaluated.
//!
//! A model has two JSON files: the layers with their weights (frugally-deep: base64 of little-endian 32-bit
//! floats), and the meaning of the numbers. Sources: MIOpen 3.3.0
//! `src/conv/heuristics/ai_heuristics.cpp:76-190` (reading), `:285-320`, `:365-393`, `:460-490` (features),
//! `:505-560` (use of the answer).

use super::frugally_deep::{json_fault, place_of};
use super::model_fault::ModelFault;
use super::network::Network;
use crate::miopen::model_name::ModelPart;
use crate::miopen::problem::{ConvolutionProblem, Direction};
use amdgpu_object::error::ParseError;
use rocm_audit_files::sorted_rows::SortedRows as _;
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
    network: Network,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct MetadataFile {
    num_inputs: usize,
    num_outputs: usize,
    num_solvers: usize,
    conv_params_used_as_features: Vec<String>,
    encodings: EncodingsFile,
    stats: StatsFile,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct EncodingsFile {
    #[serde(rename = "Direction")]
    direction: BTreeMap<String, u32>,
    #[serde(rename = "Precision")]
    precision: BTreeMap<String, u32>,
    #[serde(rename = "Layout")]
    layout: BTreeMap<String, u32>,
    solver: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct StatsFile {
    overall: OfFeatures,
    test: OfFeatures,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct OfFeatures {
    features: MomentsFile,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct MomentsFile {
    mean: BTreeMap<String, f32>,
    std: BTreeMap<String, f32>,
}

/// What the metadata says: how a problem becomes numbers, and what the numbers that come out mean.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Metadata {
    /// Numbers that go in.
    pub inputs: usize,
    /// Numbers that come out.
    pub outputs: usize,
    file: MetadataFile,
}

impl Metadata {
    /// Reads the file.
    ///
    /// # Errors
    /// Where it is no such JSON, or contradicts itself.
    pub(super) fn read(bytes: &[u8]) -> Result<Metadata, ParseError> {
        let file: MetadataFile = serde_json::from_slice(bytes).map_err(|error| json_fault(bytes, &error))?;
        let wrong = |key: &str, what: String| Err(ParseError::new(place_of(bytes, key), what));
        for (moments, of) in [(&file.stats.overall, "overall"), (&file.stats.test, "test")] {
            for feature in &file.conv_params_used_as_features {
                if moments.features.scale(feature).is_none() {
                    return wrong(of, format!("the feature {feature} has no mean or no standard deviation"));
                }
            }
        }
        let (features, inputs) = (file.conv_params_used_as_features.len(), file.num_inputs);
        if features != inputs {
            return wrong("num_inputs", format!("{features} features for {inputs} inputs"));
        }
        if file.num_solvers > file.num_outputs {
            return wrong(
                "num_solvers",
                format!("{} solvers of {} outputs", file.num_solvers, file.num_outputs),
            );
        }
        Ok(Metadata { inputs, outputs: file.num_outputs, file })
    }
}

impl MomentsFile {
    /// Mean and standard deviation of a feature.
    fn scale(&self, name: &str) -> Option<(f32, f32)> {
        let of = |all: &BTreeMap<String, f32>| all.get(name).copied().filter(|value| value.is_finite());
        Some((of(&self.mean)?, of(&self.std)?))
    }
}

impl TunaNet {
    /// Reads a processor's model from the bytes of its two files.
    ///
    /// # Errors
    /// What is wrong with one of them, or that they do not fit each other.
    pub fn read(model: &str, layers: &[u8], metadata: &[u8]) -> Result<TunaNet, ModelFault> {
        let meta = Metadata::read(metadata).map_err(|error| ModelPart::Metadata.with(error))?;
        let network = Network::read(layers).map_err(|error| ModelPart::Layers.with(error))?;
        let (takes, gives) = (network.input_widths(), network.output_widths());
        if takes != [meta.inputs] || gives != [meta.outputs] {
            let what = unfit_shapes(&takes, gives, (meta.inputs, meta.outputs));
            return Err(ModelPart::Metadata.with(ParseError::new(place_of(metadata, "num_inputs"), what)));
        }
        let file = meta.file;
        // gfx942's features are scaled by the test set's moments, the others' by the whole set's.
        let moments = &if model == "gfx942" { file.stats.test } else { file.stats.overall }.features;
        let scales =
            file.conv_params_used_as_features.iter().filter_map(|name| moments.scale(name)).collect();
        let offset = file.num_outputs - file.num_solvers;
        let solvers = file.encodings.solver.into_iter().map(|(name, at)| (at + offset, name)).collect();
        Ok(TunaNet {
            model: model.to_owned(),
            solvers,
            scales,
            directions: file.encodings.direction,
            precisions: file.encodings.precision,
            layouts: file.encodings.layout,
            network,
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
        self.network.largest_test_error()
    }

    /// All solvers it knows, likeliest first; `None` if it has no number for a property of the problem.
    pub fn order(&self, problem: &ConvolutionProblem<'_>) -> Option<Vec<&str>> {
        let features = self.features(problem)?;
        let scaled =
            features.iter().zip(&self.scales).map(|(value, (mean, deviation))| (value - mean) / deviation);
        let outputs = self.network.run(&[scaled.collect()])?;
        let outputs = outputs.first()?;
        let mut order: Vec<(f32, &str)> = Vec::new();
        for (at, solver) in &self.solvers {
            order.push((*outputs.get(*at)?, solver));
        }
        order.sort_rows_by(|a, b| b.0.total_cmp(&a.0));
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
}

/// How layers and the metadata beside them contradict each other, which wants so many inputs and outputs.
pub(super) fn unfit_shapes(takes: &[usize], gives: &[usize], (inputs, outputs): (usize, usize)) -> String {
    let listed = |all: &[usize]| all.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ");
    let (takes, gives) = (listed(takes), listed(gives));
    format!("the layers take {takes} numbers and give {gives}, the metadata says {inputs} and {outputs}")
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
                    { "class_name": "InputLayer", "name": "in", "config": { "batch_input_shape": [null, 18] },
                      "inbound_nodes": [] },
                    { "class_name": "Dense", "name": "out", "config": { "activation": "linear" },
                      "inbound_nodes": [[["in", 0, 0, {}]]] },
                ],
                "input_layers": [["in", 0, 0]],
                "output_layers": [["out", 0, 0]],
            } },
            "trainable_params": { "out": { "weights": [base64(&weights)], "bias": [base64(&[0.0, bias])] } },
        });
        (layers, metadata)
    }

    fn net(layers: &serde_json::Value, metadata: &serde_json::Value) -> Result<TunaNet, ModelFault> {
        TunaNet::read("gfx90a", layers.to_string().as_bytes(), metadata.to_string().as_bytes())
    }

    /// Which part is at fault, the byte, and what is wrong.
    fn fault(layers: &serde_json::Value, metadata: &serde_json::Value) -> (ModelPart, u64, String) {
        let fault = net(layers, metadata).expect_err("no model");
        (fault.part, fault.error.offset(), fault.error.what().to_owned())
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
        let bad = files(f32::NAN).0;
        let (part, byte, what) = fault(&bad, &metadata);
        assert_eq!((part, what.as_str()), (ModelPart::Layers, "layer out has numbers that are not finite"));
        let bias = bad["trainable_params"]["out"]["bias"][0].as_str().unwrap();
        // The second number begins in the fourth byte, which the second group of digits has.
        assert_eq!(bad.to_string().find(bias).map(|at| at as u64 + 4), Some(byte));
        let mut wider = metadata.clone();
        wider["num_inputs"] = 19.into();
        let (part, byte, what) = fault(&layers, &wider);
        assert_eq!((part, what.as_str()), (ModelPart::Metadata, "18 features for 19 inputs"));
        assert_eq!(wider.to_string().find("num_inputs").map(|at| at as u64), Some(byte));
        let mut more = metadata.clone();
        more["num_outputs"] = 3.into();
        let unlike = "the layers take 18 numbers and give 2, the metadata says 18 and 3";
        assert_eq!(fault(&layers, &more).2, unlike);
        let mut nothing = metadata.clone();
        nothing["stats"]["test"]["features"]["std"]["f3"].take();
        assert!(fault(&layers, &nothing).2.contains("invalid type: null"), "{:?}", fault(&layers, &nothing));
        let mut other = layers.clone();
        other["architecture"]["config"]["layers"][1]["class_name"] = "LSTM".into();
        assert_eq!(fault(&other, &metadata).2, "layer out has no usable units");
        let mut later = layers;
        later["architecture"]["config"]["layers"][1]["inbound_nodes"] = json!([[["out", 0, 0, {}]]]);
        assert!(fault(&later, &metadata).2.contains("does not come before"));
    }
}
