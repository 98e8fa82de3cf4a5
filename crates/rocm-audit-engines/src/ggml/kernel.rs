//! The kernels that routes launch, by template and arguments, and their names.
//!
//! Most kernels are templates with internal linkage, whose mangled names begin with `_ZL`, length, name and
//! arguments; those not declared static begin with `_Z`, and [`presence`](super::presence) searches for both.
//! The signature that follows is not derived here: [`presence`](super::presence) finds it in the symbols of a
//! library, where a single name begins with the prefix.

use super::types::Type;

/// A kernel that a route names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The template.
    pub template: &'static str,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// A type of tensors, `(ggml_type)12`.
    Type(Type),
    /// A number.
    Int(u64),
    /// True or false.
    Bool(bool),
    /// A precision, `(ggml_prec)30`.
    Precision(u16),
    /// A type of C++.
    Cpp(Cpp),
    /// The function that unpacks a block of a type.
    Dequantize(Type),
}

/// C++ types that kernels are instantiated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Cpp {
    Float,
    Half,
    Half2,
    Bfloat16,
    Bfloat162,
}

impl Cpp {
    /// Mangled name, and name in source code.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Cpp::Float => ("f", "float"),
            Cpp::Half => ("6__half", "__half"),
            Cpp::Half2 => ("7__half2", "__half2"),
            Cpp::Bfloat16 => ("14__hip_bfloat16", "__hip_bfloat16"),
            Cpp::Bfloat162 => ("15__hip_bfloat162", "__hip_bfloat162"),
        }
    }
}

impl Kernel {
    /// A kernel of a template and its arguments.
    pub fn new(template: &'static str, arguments: Vec<Argument>) -> Self {
        Kernel { template, arguments }
    }

    /// The beginning of its mangled name, up to the end of the template arguments.
    pub fn prefix(&self) -> String {
        let mut text = format!("_ZL{}{}", self.template.len(), self.template);
        if self.arguments.is_empty() {
            return text;
        }
        // Repeated names are abbreviated: `S_` is the template, `S0_` the first type in its arguments.
        let mut named: Vec<&str> = Vec::new();
        let mut name = |name: &'static str| match named.iter().position(|n| *n == name) {
            Some(place) => format!("S{place}_"),
            None => {
                named.push(name);
                name.to_owned()
            }
        };
        text.push('I');
        for argument in &self.arguments {
            text.push_str(&match argument {
                Argument::Int(number) => format!("Li{number}E"),
                Argument::Bool(value) => format!("Lb{}E", u8::from(*value)),
                Argument::Cpp(Cpp::Float) => "f".to_owned(),
                Argument::Cpp(ty) => name(ty.names().0),
                Argument::Type(ty) => format!("L{}{}E", name("9ggml_type"), ty.number),
                Argument::Precision(number) => format!("L{}{number}E", name("9ggml_prec")),
                Argument::Dequantize(ty) => {
                    let function = format!("dequantize_{}", ty.name);
                    let signature = "PKvliR15HIP_vector_typeIfLj2EE";
                    format!("XadL_ZL{}{function}{signature}EE", function.len())
                }
            });
        }
        text.push('E');
        text
    }

    /// Its name in source code, without the signature.
    pub fn name(&self) -> String {
        if self.arguments.is_empty() {
            return self.template.to_owned();
        }
        let written = |argument: &Argument| match argument {
            Argument::Int(number) => number.to_string(),
            Argument::Bool(value) => value.to_string(),
            Argument::Cpp(ty) => ty.names().1.to_owned(),
            Argument::Type(ty) => format!("(ggml_type){}", ty.number),
            Argument::Precision(number) => format!("(ggml_prec){number}"),
            Argument::Dequantize(ty) => format!("dequantize_{}", ty.name),
        };
        let arguments: Vec<String> = self.arguments.iter().map(written).collect();
        format!("{}<{}>", self.template, arguments.join(", "))
    }

    /// The same kernel with its first `count` arguments, for versions whose template has fewer.
    #[must_use]
    pub fn truncated(mut self, count: usize) -> Self {
        self.arguments.truncate(count);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ggml::types::named;
    use Argument::{Bool, Int};

    #[test]
    fn prefixes_are_what_compilers_write() {
        let q4 = Argument::Type(named("q4_K").unwrap());
        let kernel = Kernel::new("mul_mat_vec_q", vec![q4, Int(1), Bool(false), Bool(false), Bool(true)]);
        assert_eq!(kernel.prefix(), "_ZL13mul_mat_vec_qIL9ggml_type12ELi1ELb0ELb0ELb1EE");
        assert_eq!(kernel.name(), "mul_mat_vec_q<(ggml_type)12, 1, false, false, true>");
        assert_eq!(kernel.truncated(2).prefix(), "_ZL13mul_mat_vec_qIL9ggml_type12ELi1EE");
        let half = Argument::Cpp(Cpp::Half);
        let kernel = Kernel::new("mul_mat_vec_f", vec![half, half, Int(2)]);
        assert_eq!(kernel.prefix(), "_ZL13mul_mat_vec_fI6__halfS0_Li2EE");
        let q8 = Argument::Type(named("q8_0").unwrap());
        let kernel = Kernel::new("flash_attn_ext_vec", vec![Int(64), Int(1), q8, q8, Bool(false)]);
        assert_eq!(kernel.prefix(), "_ZL18flash_attn_ext_vecILi64ELi1EL9ggml_type8ELS0_8ELb0EE");
        let q1 = Argument::Dequantize(named("q1_0").unwrap());
        let kernel = Kernel::new("dequantize_block", vec![Int(128), Int(1), q1, half]);
        let expected = "_ZL16dequantize_blockILi128ELi1EXadL_ZL15dequantize_q1_0PKvliR15HIP_vector_typeIfLj2EEEE6__halfE";
        assert_eq!(kernel.prefix(), expected);
    }
}
