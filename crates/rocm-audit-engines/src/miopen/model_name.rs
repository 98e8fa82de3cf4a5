//! The files of MIOpen's models: what a name says, the processor, the model and the part, and what a file says of
//! those beside it.

use amdgpu_object::target::Processor;

/// Most bytes of a file that is read; the largest known has 1.2 MB.
pub const MOST_BYTES: usize = 16 << 20;

/// A part of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPart {
    /// The meaning of the numbers.
    Metadata,
    /// The layers that order solvers, or others that no release known here has beside a decoder.
    Layers,
    /// The layers that turn a problem into a state.
    Encoder,
    /// The layers that turn a state into parameters.
    Decoder,
}

/// The name of a file taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelName<'n> {
    /// The processor that the model is for.
    pub processor: &'static str,
    /// The model's own name: empty for TunaNet's, `ConvAsm1x1U` for the one of this solver.
    pub model: &'n str,
    /// The part.
    pub part: ModelPart,
    /// Whether it chooses the parameters of a kernel by an encoder and a decoder (`.ktn.model`).
    pub tunes: bool,
}

impl<'n> ModelName<'n> {
    /// Takes `gfx942.tn.model`, `gfx942_metadata.tn.model`, `gfx908_<solver>_encoder.ktn.model` apart.
    pub fn parse(name: &'n str) -> Option<ModelName<'n>> {
        let (stem, tunes) = match name.strip_suffix(".ktn.model") {
            Some(stem) => (stem, true),
            None => (name.strip_suffix(".tn.model")?, false),
        };
        let (processor, rest) = Processor::longest_prefix(stem)?;
        if !rest.is_empty() && !rest.starts_with('_') {
            return None;
        }
        let parts = [("_metadata", ModelPart::Metadata)];
        let tuning = [("_encoder", ModelPart::Encoder), ("_decoder", ModelPart::Decoder)];
        let parts = parts.into_iter().chain(tuning.into_iter().filter(|_| tunes));
        let found = parts.into_iter().find_map(|(ending, part)| Some((rest.strip_suffix(ending)?, part)));
        let (model, part) = found.unwrap_or((rest, ModelPart::Layers));
        let model = model.strip_prefix('_').unwrap_or(model);
        Some(ModelName { processor: processor.name(), model, part, tunes })
    }
}

/// What a file by itself says of the files beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelShape {
    /// Values that layers take, and those that they give, one number for each input and output.
    Layers(Vec<usize>, Vec<usize>),
    /// Numbers of TunaNet's features and outputs, in the form that 3.3 and 3.4 read.
    Scaled(usize, usize),
    /// The form of later releases, whose layers take more numbers than there are features.
    Unscaled,
    /// Nothing that can be compared.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as MIOpen 3.3.0 and rocm-libraries have them in `src/kernels`.
    #[test]
    fn names_say_model_and_part() {
        fn read(name: &str) -> Option<(&str, &str, ModelPart, bool)> {
            ModelName::parse(name).map(|n| (n.processor, n.model, n.part, n.tunes))
        }
        let layers = ModelPart::Layers;
        assert_eq!(read("gfx942.tn.model"), Some(("gfx942", "", layers, false)));
        assert_eq!(read("gfx90a_metadata.tn.model"), Some(("gfx90a", "", ModelPart::Metadata, false)));
        assert_eq!(read("gfx942_3d.tn.model"), Some(("gfx942", "3d", layers, false)));
        assert_eq!(read("gfx942_3d_metadata.tn.model"), Some(("gfx942", "3d", ModelPart::Metadata, false)));
        let group = "ConvHipImplicitGemmGroupFwdXdlops";
        let name = format!("gfx950_{group}_metadata.tn.model");
        assert_eq!(read(&name), Some(("gfx950", group, ModelPart::Metadata, false)));
        let (name, own) =
            (format!("gfx950_{group}_input_encoder.tn.model"), format!("{group}_input_encoder"));
        assert_eq!(read(&name), Some(("gfx950", own.as_str(), layers, false)));
        let parts = [
            ("metadata", ModelPart::Metadata),
            ("encoder", ModelPart::Encoder),
            ("decoder", ModelPart::Decoder),
        ];
        for (word, part) in parts {
            let name = format!("gfx908_ConvAsm1x1U_{word}.ktn.model");
            assert_eq!(read(&name), Some(("gfx908", "ConvAsm1x1U", part, true)));
        }
        for other in ["gfx942.model", "gfx9420.tn.model", "vega.tn.model", "gfx942_metadata.tn", ".tn.model"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
