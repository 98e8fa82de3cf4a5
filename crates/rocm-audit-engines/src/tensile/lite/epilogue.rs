//! What hipBLASLt does with a product before it is written: `hipblasLtEpilogue_t`.
#![deny(clippy::indexing_slicing)]

use rocm_audit_files::error::NotUnderstood;
use serde::{Deserialize, Deserializer};

/// A function on each element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activation {
    /// None.
    None,
    /// Relu.
    Relu,
    /// Gelu.
    Gelu,
    /// The derivative of Gelu.
    Dgelu,
    /// x times its sigmoid; Swish in the interface.
    Silu,
    /// Between two bounds.
    Clamp,
    /// Any of them that the solution's list has; in catalogs only.
    All,
    /// One that a catalog names and no epilogue asks for.
    Other,
}

/// Where the bias comes from or its gradient goes to, as catalogs count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BiasSource {
    /// A: the gradient is summed from it.
    A = 0,
    /// B.
    B = 1,
    /// D: the bias is added to it.
    D = 3,
}

/// An epilogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Epilogue {
    /// The value of `hipblasLtEpilogue_t`.
    pub number: u32,
    /// Its name without `HIPBLASLT_EPILOGUE_`.
    pub name: &'static str,
    /// The function.
    pub activation: Activation,
    /// Whether there is a bias or its gradient, and where.
    pub bias: Option<BiasSource>,
    /// Whether an auxiliary matrix is written or read.
    pub aux: bool,
    /// Whether it belongs to a backward pass.
    pub gradient: bool,
}

const fn plain(number: u32, name: &'static str, activation: Activation) -> Epilogue {
    Epilogue { number, name, activation, bias: None, aux: false, gradient: false }
}

const fn with_bias(number: u32, name: &'static str, activation: Activation) -> Epilogue {
    Epilogue { bias: Some(BiasSource::D), ..plain(number, name, activation) }
}

const fn with_aux(of: Epilogue) -> Epilogue {
    Epilogue { aux: true, ..of }
}

const fn gradient(of: Epilogue, bias: Option<BiasSource>) -> Epilogue {
    Epilogue { gradient: true, bias, ..of }
}

/// The epilogues. Source: hipBLASLt 7.1, `hipblaslt.h` (`hipblasLtEpilogue_t`) and `rocblaslt_mat_utils.hpp`.
pub const EPILOGUES: &[Epilogue] = &[
    plain(1, "DEFAULT", Activation::None),
    plain(2, "RELU", Activation::Relu),
    with_bias(4, "BIAS", Activation::None),
    with_bias(6, "RELU_BIAS", Activation::Relu),
    plain(32, "GELU", Activation::Gelu),
    with_bias(36, "GELU_BIAS", Activation::Gelu),
    with_aux(plain(130, "RELU_AUX", Activation::Relu)),
    with_aux(with_bias(134, "RELU_AUX_BIAS", Activation::Relu)),
    with_aux(plain(160, "GELU_AUX", Activation::Gelu)),
    with_aux(with_bias(164, "GELU_AUX_BIAS", Activation::Gelu)),
    gradient(with_aux(plain(192, "DGELU", Activation::Dgelu)), None),
    gradient(with_aux(plain(208, "DGELU_BGRAD", Activation::Dgelu)), Some(BiasSource::D)),
    gradient(plain(256, "BGRADA", Activation::None), Some(BiasSource::A)),
    gradient(plain(512, "BGRADB", Activation::None), Some(BiasSource::B)),
    plain(65536, "SWISH", Activation::Silu),
    with_bias(65540, "SWISH_BIAS", Activation::Silu),
    plain(131072, "CLAMP", Activation::Clamp),
    with_bias(131076, "CLAMP_BIAS", Activation::Clamp),
    with_aux(plain(131200, "CLAMP_AUX", Activation::Clamp)),
    with_aux(with_bias(131204, "CLAMP_AUX_BIAS", Activation::Clamp)),
];

/// The one that does nothing.
pub const DEFAULT: Epilogue = plain(1, "DEFAULT", Activation::None);

impl Epilogue {
    /// The epilogue of a number or a name, with or without `HIPBLASLT_EPILOGUE_` and `_EXT`, in any letters.
    ///
    /// # Errors
    /// A sentence with all names.
    pub fn meant(text: &str) -> Result<Self, NotUnderstood> {
        let upper = text.to_ascii_uppercase().replace('-', "_");
        let name = upper.strip_prefix("HIPBLASLT_EPILOGUE_").unwrap_or(&upper);
        let name = name.strip_suffix("_EXT").unwrap_or(name);
        let number: Option<u32> = text.parse().ok();
        let found = EPILOGUES.iter().find(|e| e.name == name || Some(e.number) == number);
        found.copied().ok_or_else(|| {
            let known: Vec<String> = EPILOGUES.iter().map(|e| format!("{} ({})", e.name, e.number)).collect();
            NotUnderstood::from(format!(
                "{text:?} is no epilogue of hipBLASLt; known are {}",
                known.join(", ")
            ))
        })
    }

    /// The epilogue with these parts, as hipblaslt-bench states them.
    ///
    /// # Errors
    /// A sentence, where hipBLASLt has none.
    pub fn of_parts(
        activation: Activation,
        bias: Option<BiasSource>,
        aux: bool,
        gradient: bool,
    ) -> Result<Self, NotUnderstood> {
        let activation =
            if gradient && activation == Activation::Gelu { Activation::Dgelu } else { activation };
        let found = EPILOGUES
            .iter()
            .find(|e| (e.activation, e.bias, e.aux, e.gradient) == (activation, bias, aux, gradient));
        found.copied().ok_or_else(|| {
            let with = |is: bool, what: &str| if is { format!(", {what}") } else { String::new() };
            NotUnderstood::from(format!(
                "hipBLASLt has no epilogue of {activation:?}{}{}{}",
                with(bias.is_some(), "bias"),
                with(aux, "an auxiliary matrix"),
                with(gradient, "the gradient")
            ))
        })
    }
}

impl Activation {
    /// The activation of a catalog's word.
    pub fn by_name(word: &[u8]) -> Activation {
        match word {
            b"None" => Activation::None,
            b"Relu" => Activation::Relu,
            b"Gelu" => Activation::Gelu,
            b"Dgelu" => Activation::Dgelu,
            b"Silu" => Activation::Silu,
            b"Clamp" => Activation::Clamp,
            b"All" | b"Hipblaslt_all" => Activation::All,
            _ => Activation::Other,
        }
    }

    /// The activation that hipblaslt-bench's `--activation_type` names.
    ///
    /// # Errors
    /// A sentence with the names.
    pub fn of_bench(name: &str) -> Result<Activation, NotUnderstood> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "none" | "" => Activation::None,
            "relu" => Activation::Relu,
            "gelu" => Activation::Gelu,
            "swish" | "silu" => Activation::Silu,
            "clamp" => Activation::Clamp,
            _ => {
                return Err(
                    format!("{name:?} is no activation; known are none, relu, gelu, swish, clamp").into()
                );
            }
        })
    }
}

impl<'de> Deserialize<'de> for Epilogue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum StatedEpilogue {
            Number(u32),
            Name(String),
        }
        let text = match StatedEpilogue::deserialize(deserializer)? {
            StatedEpilogue::Number(number) => number.to_string(),
            StatedEpilogue::Name(name) => name,
        };
        Epilogue::meant(&text).map_err(serde::de::Error::custom)
    }
}
