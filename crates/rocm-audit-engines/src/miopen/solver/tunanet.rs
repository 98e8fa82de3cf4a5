//! Which model MIOpen asks for the order of solvers if no record decides and nothing is measured (TunaNet),
//! and for which problems.
//!
//! Source: MIOpen 3.3.0 `src/conv/heuristics/ai_heuristics.cpp:65-68` and `:180-186` (files), `:199-267`,
//! `:309-361`, `:402-454` (problems of each model), `:496-503` (the model for a device; gfx908's is the
//! default), `:505-511`; `CMakeLists.txt:96` (it is built in by default);
//! `src/ocl/convolutionocl.cpp:600-634` (it is asked before the estimates).

use super::bound::Candidates;
use super::clause::Solver;
use super::context::{Context, Version};
use super::tunanet_model::TunaNet;
use super::variable::Derived;
use crate::miopen::model_name::{ModelName, ModelShape};
use crate::miopen::problem::ConvolutionProblem;
use std::cmp::Ordering;

/// The state of a model's files.
#[derive(Debug, Clone, Copy, Default)]
pub enum ModelFiles<'d> {
    /// There is no known folder of databases to find them in.
    #[default]
    NotLookedFor,
    /// At least one is missing from the folder.
    Missing,
    /// They are of the form of later releases, which is not evaluated here.
    LaterForm,
    /// They are malformed; contains the reason.
    Broken(&'d str),
    /// They are available.
    Here(&'d TunaNet),
}

/// The model that MIOpen asks for a problem.
#[derive(Debug, Clone)]
pub struct AskedModel<'r> {
    /// The processor it was trained for: `gfx908` for every device without its own model.
    pub model: &'static str,
    /// Why it refuses the problem, so that the estimates decide.
    pub refuses: Option<&'static str>,
    /// The result of asking it.
    pub outcome: ModelOutcome<'r>,
}

/// The result of asking a model.
#[derive(Debug, Clone)]
pub enum ModelOutcome<'r> {
    /// Its files are unknown, or its inputs are unknown for this release.
    NotComputed,
    /// The model is missing. From [`FALLS_BACK`] on, releases use the estimates; earlier ones fail.
    Missing {
        /// Whether the estimates decide.
        falls_back: bool,
    },
    /// The call fails for this reason.
    Fails(String),
    /// It refuses the problem.
    Refuses,
    /// The applicable solvers it names, likeliest first; empty if the estimates decide.
    Order(Vec<&'r Solver>),
}

/// The first release that uses the estimates if a model's files are missing: observed with Debian's
/// libmiopen1 6.4.3.
pub const FALLS_BACK: Version = Version(3, 4, 0);

/// The first release that uses the estimates whatever is wrong with a model's files. Source:
/// rocm-libraries 02931fec8c77 (3.5.2), `PredictSolver` in `ai_heuristics.cpp` catches every exception.
pub const CATCHES_ALL: Version = Version(3, 5, 2);

/// Number of inputs for gfx942's model from [`FALLS_BACK`] on: observed with Debian's libmiopen1 6.4.3.
const LATER_INPUTS_GFX942: usize = 19;

impl<'r> AskedModel<'r> {
    /// The model for a device, whether it accepts a problem, and its answer. `workspace` is the number of
    /// bytes that the caller offers.
    pub fn ask(
        context: &Context,
        problem: &ConvolutionProblem<'_>,
        files: ModelFiles<'_>,
        candidates: &Candidates<'r>,
        workspace: Option<u64>,
    ) -> AskedModel<'r> {
        let model = model_of(context);
        let refuses = refuses(model, problem);
        let asked = |outcome| AskedModel { model, refuses, outcome };
        let net = match files {
            ModelFiles::NotLookedFor => {
                let refused = refuses.is_some();
                return asked(if refused { ModelOutcome::Refuses } else { ModelOutcome::NotComputed });
            }
            ModelFiles::Missing => {
                return asked(ModelOutcome::Missing { falls_back: context.version >= FALLS_BACK });
            }
            ModelFiles::LaterForm => {
                return asked(match context.version < LATER_FORM {
                    true => ModelOutcome::Fails(later_form(context.version)),
                    false => ModelOutcome::NotComputed,
                });
            }
            ModelFiles::Broken(_) if context.version >= CATCHES_ALL => {
                return asked(ModelOutcome::Missing { falls_back: true });
            }
            ModelFiles::Broken(why) => return asked(ModelOutcome::Fails(why.to_owned())),
            ModelFiles::Here(net) => net,
        };
        if refuses.is_some() {
            return asked(ModelOutcome::Refuses);
        }
        let applies = |name: &str| candidates.applicable.iter().any(|solver| solver.name == name);
        if !net.solvers().any(applies) {
            return AskedModel { refuses: Some(NONE_APPLIES), ..asked(ModelOutcome::Refuses) };
        }
        if model == "gfx942" && context.version >= FALLS_BACK {
            return asked(
                later_inputs(net.inputs(), context.version)
                    .map_or(ModelOutcome::NotComputed, ModelOutcome::Fails),
            );
        }
        let derived = Derived::on(context, problem);
        let enough =
            |solver: &&Solver| workspace.is_none_or(|have| solver.workspace_for(&derived) <= Some(have));
        let solver = |name: &str| candidates.dynamic().find(|solver| solver.name == name).filter(enough);
        asked(match net.order(problem) {
            Some(order) => ModelOutcome::Order(order.into_iter().filter_map(solver).collect()),
            None => ModelOutcome::NotComputed,
        })
    }

    /// Whether FAST and immediate mode take the first of the estimates.
    pub fn estimates_decide(&self) -> bool {
        match &self.outcome {
            ModelOutcome::Refuses | ModelOutcome::Missing { falls_back: true } => true,
            ModelOutcome::Order(order) => order.is_empty(),
            ModelOutcome::NotComputed | ModelOutcome::Missing { .. } | ModelOutcome::Fails(_) => false,
        }
    }

    /// Its files in the folder of databases.
    pub fn files(&self) -> [String; 2] {
        files_of(self.model)
    }
}

/// The first release after the last whose reading of the metadata was seen (3.4.0).
const LATER_FORM: Version = Version(3, 5, 0);

/// Why a release cannot use metadata that is right by itself; `None` where it can, or that is not known.
pub fn unfit_for(name: &ModelName<'_>, shape: &ModelShape, release: Version) -> Option<String> {
    match shape {
        ModelShape::Unscaled if release < LATER_FORM => Some(later_form(release)),
        ModelShape::Scaled(inputs, _) if name.processor == "gfx942" && !name.tunes => {
            later_inputs(*inputs, release)
        }
        _ => None,
    }
}

fn later_form(release: Version) -> String {
    format!(
        "its metadata has the form of later releases, and MIOpen {release} reads `encodings.Direction` and means"
    )
}

/// Why gfx942's model does not fit releases from [`FALLS_BACK`] on. How many inputs later ones give it is not
/// known, but that they are more than up to 3.3.
fn later_inputs(inputs: usize, release: Version) -> Option<String> {
    let fits = match release.cmp(&FALLS_BACK) {
        Ordering::Less => true,
        Ordering::Equal => inputs == LATER_INPUTS_GFX942,
        Ordering::Greater => inputs >= LATER_INPUTS_GFX942,
    };
    if fits {
        return None;
    }
    let or_more = if release == FALLS_BACK { "" } else { " or more" };
    Some(format!("the model takes {inputs} inputs, and this release gives it {LATER_INPUTS_GFX942}{or_more}"))
}

const NONE_APPLIES: &str = "none of the solvers that it knows takes the problem";

/// The processor whose model a device asks.
pub fn model_of(context: &Context) -> &'static str {
    match context.target.as_str() {
        "gfx942" => "gfx942",
        "gfx90a" => "gfx90a",
        _ => "gfx908",
    }
}

/// The files of a processor's model: layers, and the meaning of the numbers.
pub fn files_of(model: &str) -> [String; 2] {
    [format!("{model}.tn.model"), format!("{model}_metadata.tn.model")]
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

    /// `GetModel`, and each model's `IsProblemSupported`.
    #[test]
    fn every_gpu_has_a_model_and_each_model_its_problems() {
        let plain = "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F";
        let asked = |target: &str, key: &str| {
            let problem = ConvolutionProblem::parse(key).expect("a key");
            let model = model_of(&Context::new(target, 64));
            (model, refuses(model, &problem))
        };
        for (target, model) in
            [("gfx900", "gfx908"), ("gfx1100", "gfx908"), ("gfx90a", "gfx90a"), ("gfx942", "gfx942")]
        {
            assert_eq!(asked(target, plain), (model, None), "{target}");
        }
        let grouped = format!("{plain}_g2");
        assert!(asked("gfx900", &grouped).1.is_some() && asked("gfx90a", &grouped).1.is_none());
        for key in [
            "64-28-28-5x20-64-28-28-32-0x0-1x1-1x1-0-NCHW-FP32-F",
            "64-56-56-3x3-64-56-56-32-1x1-1x1-2x2-0-NCHW-FP32-F",
            "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F",
            "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NHWC-NHWC-NHWC-FP32-F",
        ] {
            assert!(asked("gfx900", key).1.is_some(), "{key}");
        }
    }

    /// 18 inputs are 3.3.0's, 19 were seen with 3.4.0; the form without means is of 2026.
    #[test]
    fn a_model_is_of_its_release() {
        let unfit = |file: &str, shape: &ModelShape, release| {
            unfit_for(&ModelName::parse(file).expect("a name of a model"), shape, release)
        };
        let (main, old, new) = ("gfx942_metadata.tn.model", Version(3, 3, 0), Version(3, 4, 0));
        let (early, late) = (ModelShape::Scaled(18, 21), ModelShape::Scaled(19, 21));
        let said = |shape, release| unfit(main, shape, release).unwrap_or_default();
        assert_eq!(said(&early, old), "");
        assert_eq!(said(&early, new), "the model takes 18 inputs, and this release gives it 19");
        assert_eq!(
            said(&early, Version(3, 5, 1)),
            "the model takes 18 inputs, and this release gives it 19 or more"
        );
        assert_eq!((said(&late, new), said(&late, Version(3, 5, 1))), (String::new(), String::new()));
        assert!(said(&ModelShape::Unscaled, new).contains("the form of later releases"));
        assert_eq!(said(&ModelShape::Unscaled, Version(3, 5, 2)), "");
        assert_eq!(unfit("gfx908_metadata.tn.model", &ModelShape::Scaled(24, 18), new), None);
    }
}
