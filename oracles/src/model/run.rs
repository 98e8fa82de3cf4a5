//! One run of llama.cpp, and what is predicted of it.

use super::described::is_rotation;
use super::{Counts, MangledNames};
use anyhow::{Result, bail};
use rocm_audit::engines::ggml::{Architecture, types};
use rocm_audit::engines::model::beside::Launches;
use rocm_audit::engines::model::between::{Fusions, between};
use rocm_audit::engines::model::launch::{LaunchedKernel, Launcher};
use rocm_audit::engines::model::network::Network;
use rocm_audit::engines::model::operation::{Batch, Operation, Settings};
use serde_json::Value;

/// What a record says of its run.
pub(super) struct Run {
    /// The model and its quantization.
    pub model: String,
    /// The file of its headers.
    pub file: String,
    pub batch: Batch,
    pub settings: Settings,
    phase: String,
    arch: String,
    multiprocessors: u32,
}

impl Run {
    pub fn of(record: &Value) -> Result<Run> {
        let word = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
        let (model, quantization, phase) = (word("model"), word("quant"), word("phase"));
        let flash = record["fa"].as_u64() == Some(1);
        let settings = Settings { flash, cache: types::named(&word("ctk"))?, ubatch: 512, context: 2048 };
        Ok(Run {
            model: format!("{model} {quantization}"),
            file: format!("{model}-{quantization}.gguf"),
            batch: batch(&phase)?,
            settings,
            phase,
            arch: word("arch"),
            multiprocessors: u32::try_from(record["cus"].as_u64().unwrap_or(60))?,
        })
    }

    pub fn title(&self) -> String {
        let Run { model, arch, phase, settings, .. } = self;
        format!("{model} {arch} {} fa {} {phase}", settings.cache.name, settings.flash)
    }

    /// What the run has in common with those on other GPUs.
    pub fn graph(&self) -> String {
        let Run { file, phase, settings, .. } = self;
        format!("{file} {} {} {phase}", settings.cache.name, settings.flash)
    }

    /// The launches of the model's products by kernel, and all launches by template.
    pub fn predicted(
        &self,
        network: &Network,
        operations: &[Operation],
        names: &mut MangledNames<'_>,
    ) -> Result<(Counts, Launches)> {
        let architecture = Architecture::parse(&self.arch)?;
        let launcher =
            Launcher::new(network, &architecture, self.multiprocessors, None).map_err(anyhow::Error::msg)?;
        let mut found = Counts::new();
        let mut all = Launches::default();
        let mut fusions = Fusions::new();
        for operation in operations {
            let step = launcher.step(operation).map_err(anyhow::Error::msg)?;
            if operation.weight.is_some() {
                fusions.insert((operation.block, &operation.role), step.fusion);
            }
            all.add_all(&step.beside, 1);
            for (launched, times) in &step.launches {
                match launched {
                    LaunchedKernel::Kernel(kernel) => all.add(kernel.template, *times),
                    LaunchedKernel::Blas(_) => all.add("BLAS", *times),
                }
                if is_rotation(&operation.role) {
                    continue;
                }
                let name = match launched {
                    LaunchedKernel::Kernel(kernel) => names.mangled_name(kernel),
                    LaunchedKernel::Blas(call) => {
                        format!("B {} TN {},{},{}", call.function, call.m, call.n, call.k)
                    }
                };
                *found.entry(name).or_default() += times;
            }
        }
        let around = between(network, &self.batch, &self.settings, &fusions).map_err(anyhow::Error::msg)?;
        all.add_all(&around, 1);
        Ok((found, all))
    }
}

/// The batch of a phase, as in the driver of the runs.
fn batch(phase: &str) -> Result<Batch> {
    let one =
        |tokens, position| Batch { tokens, sequences: 1, outputs: 1, position, begins: tokens == position };
    let many =
        |sequences, position| Batch { tokens: 1, sequences, outputs: sequences, position, begins: true };
    Ok(match phase {
        "pp512" => one(512, 512),
        "tg1.0" => one(1, 513),
        "pp5" => one(5, 521),
        "pp24" => one(24, 545),
        "pp160" => one(160, 705),
        "tgb2" => many(2, 1),
        "tgb4" => many(4, 2),
        "tgb8" => many(8, 3),
        other => bail!("no phase: {other}"),
    })
}
