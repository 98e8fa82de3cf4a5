//! Which model MIOpen asks for the order of solvers where no record decides and nothing is measured (TunaNet), and of which
//! problems. What the model answers is not computed.
//!
//! Source: MIOpen 3.3.0 `src/conv/heuristics/ai_heuristics.cpp:65-68` and `:180-186` (files), `:199-267`, `:309-361`, `:402-454`
//! (problems of each model), `:496-503` (the model of a device; gfx908's is the default), `:505-511`; `CMakeLists.txt:96` (it is built
//! in by default); `src/ocl/convolutionocl.cpp:600-634` (it is asked before the estimates).

use super::context::Context;
use crate::miopen::problem::ConvolutionProblem;

/// The model that is asked for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The processor that it was trained for: `gfx908` for every device without a model of its own.
    pub model: &'static str,
    /// Why it does not take the problem, so that the estimates decide; none where it takes the problem, or where only its own
    /// list of solvers could refuse it.
    pub refuses: Option<&'static str>,
}

impl Asked {
    /// The model of a device, and whether it takes a problem.
    pub fn of(context: &Context, problem: &ConvolutionProblem<'_>) -> Asked {
        let model = match context.target.as_str() {
            "gfx942" => "gfx942",
            "gfx90a" => "gfx90a",
            _ => "gfx908",
        };
        Asked { model, refuses: refuses(model, problem) }
    }

    /// The files in the folder of databases that it is read from. Without them the call throws.
    pub fn files(&self) -> [String; 2] {
        [format!("{}.tn.model", self.model), format!("{}_metadata.tn.model", self.model)]
    }
}

fn refuses(model: &str, p: &ConvolutionProblem<'_>) -> Option<&'static str> {
    let [_, height, width] = p.filter;
    let [_, pad_h, pad_w] = p.pad;
    let [_, stride_h, stride_w] = p.stride;
    let [_, dilation_h, dilation_w] = p.dilation;
    let first = model == "gfx908";
    let conditions = [
        (p.dimensions == 2, "it takes 2D problems only"),
        (!first || p.groups == 1, "it takes no groups"),
        (p.layouts.first() == Some(&"NCHW"), "it takes NCHW only"),
        (!first || height == width, "it takes square filters only"),
        (!first || pad_h == pad_w, "it takes equal padding only"),
        (stride_h == stride_w, "it takes equal strides only"),
        (!first || (dilation_h, dilation_w) == (1, 1), "it takes no dilation"),
        (dilation_h == dilation_w, "it takes equal dilations only"),
        (first || p.bias == 0, "it takes no bias"),
        (["FP32", "FP16", "BF16"].contains(&p.data_type), "it takes FP32, FP16 and BF16 only"),
    ];
    conditions.into_iter().find(|(holds, _)| !holds).map(|(_, why)| why)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `GetModel` and `IsProblemSupported` of each model.
    #[test]
    fn every_gpu_has_a_model_and_each_model_its_problems() {
        let asked = |target: &str, key: &str| {
            let problem = ConvolutionProblem::parse(key).expect("a key");
            Asked::of(&Context::new(target, 64), &problem)
        };
        let plain = "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F";
        for (target, model) in
            [("gfx900", "gfx908"), ("gfx1100", "gfx908"), ("gfx90a", "gfx90a"), ("gfx942", "gfx942")]
        {
            assert_eq!(asked(target, plain), Asked { model, refuses: None }, "{target}");
        }
        let grouped = format!("{plain}_g2");
        assert!(asked("gfx900", &grouped).refuses.is_some() && asked("gfx90a", &grouped).refuses.is_none());
        for key in [
            "64-28-28-5x20-64-28-28-32-0x0-1x1-1x1-0-NCHW-FP32-F",
            "64-56-56-3x3-64-56-56-32-1x1-1x1-2x2-0-NCHW-FP32-F",
            "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F",
            "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NHWC-NHWC-NHWC-FP32-F",
        ] {
            assert!(asked("gfx900", key).refuses.is_some(), "{key}");
        }
    }
}
