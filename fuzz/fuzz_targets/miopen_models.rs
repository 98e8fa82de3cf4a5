//! Arbitrary bytes as the files of MIOpen's models, alone and together: what is wrong with one has a place in
//! it, and what can be read fits itself.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::miopen::model_files::{self, ModelFile};
use rocm_audit::engines::miopen::model_name::ModelName;
use rocm_audit::engines::miopen::problem::ConvolutionProblem;
use rocm_audit::engines::miopen::solver::Version;
use rocm_audit::engines::miopen::solver::tunanet_model::TunaNet;
use rocm_audit::engines::miopen::solver::tuning_model::TuningModel;

/// A file for each part of a model.
const NAMES: [&str; 6] = [
    "gfx942.tn.model",
    "gfx942_metadata.tn.model",
    "gfx942_3d_metadata.tn.model",
    "gfx908_ConvAsm1x1U_encoder.ktn.model",
    "gfx908_ConvAsm1x1U_decoder.ktn.model",
    "gfx908_ConvAsm1x1U_metadata.ktn.model",
];

const KEY: &str = "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F";

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let mut shapes = Vec::new();
    for file in NAMES {
        let name = ModelName::parse(file).expect("a name of a model");
        match model_files::check(file, &name, bytes) {
            Ok(shape) => shapes.push((file, name, shape)),
            Err(finding) => {
                let at = finding.locations.first().and_then(|at| at.offset);
                assert!(at.is_some_and(|at| at <= bytes.len() as u64), "{finding:?}");
            }
        }
    }
    let files: Vec<ModelFile<'_>> =
        shapes.iter().map(|(file, name, shape)| ModelFile { file, name: *name, shape }).collect();
    for release in [None, Some(Version(3, 3, 0)), Some(Version(3, 5, 2))] {
        assert!(model_files::unfit(&files, release).iter().all(|finding| !finding.locations.is_empty()));
    }
    // Two files in one input are parted by a zero, which no JSON has.
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut part = || parts.next().unwrap_or(bytes);
    let (one, other, third) = (part(), part(), part());
    if let Ok(net) = TunaNet::read("gfx90a", one, other)
        && let Ok(problem) = ConvolutionProblem::parse(KEY)
    {
        assert_eq!(net.order(&problem).map_or(0, |order| order.len()) % net.solvers().count().max(1), 0);
        let _ = net.largest_test_error();
    }
    if let Ok(model) = TuningModel::read(one, other, third) {
        let mut asked = 0;
        let _ = model.choose(&[1.0, 2.0], "fwd", &mut |_, _| {
            asked += 1;
            asked % 3 == 0
        });
        let _ = model.largest_test_error();
    }
});
