//! Predicates of decoder tables: `FB[AMDGPU::FeatureGFX9] && !(FB[…] || …)`.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};

/// An expression over features.
#[derive(Debug)]
pub enum Predicate {
    True,
    Has(String),
    Not(Box<Predicate>),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
}

impl Predicate {
    /// Reads llvm-tblgen's C++ expression.
    pub fn parse(text: &str) -> Result<Self> {
        let mut rest = text;
        let predicate = any(&mut rest)?;
        ensure!(rest.is_empty(), "a predicate that is not understood at {rest:?}: {text}");
        Ok(predicate)
    }

    /// Whether it holds for these features.
    pub fn holds(&self, features: &HashSet<String>) -> bool {
        match self {
            Predicate::True => true,
            Predicate::Has(feature) => features.contains(feature),
            Predicate::Not(inner) => !inner.holds(features),
            Predicate::All(parts) => parts.iter().all(|part| part.holds(features)),
            Predicate::Any(parts) => parts.iter().any(|part| part.holds(features)),
        }
    }
}

fn any(rest: &mut &str) -> Result<Predicate> {
    let mut parts = vec![all(rest)?];
    while skip(rest, "||") {
        parts.push(all(rest)?);
    }
    Ok(Predicate::Any(parts))
}

fn all(rest: &mut &str) -> Result<Predicate> {
    let mut parts = vec![one(rest)?];
    while skip(rest, "&&") {
        parts.push(one(rest)?);
    }
    Ok(Predicate::All(parts))
}

fn one(rest: &mut &str) -> Result<Predicate> {
    if skip(rest, "!") {
        return Ok(Predicate::Not(Box::new(one(rest)?)));
    }
    if skip(rest, "(") {
        let inner = any(rest)?;
        ensure!(skip(rest, ")"), "no closing bracket at {rest:?}");
        return Ok(inner);
    }
    if skip(rest, "true") {
        return Ok(Predicate::True);
    }
    if skip(rest, "FB[AMDGPU::")
        && let Some((feature, after)) = rest.split_once(']')
    {
        *rest = after;
        return Ok(Predicate::Has(feature.to_owned()));
    }
    bail!("a predicate that is not understood at {rest:?}")
}

fn skip(rest: &mut &str, token: &str) -> bool {
    let trimmed = rest.trim_start();
    match trimmed.strip_prefix(token) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn and_binds_before_or() -> Result<()> {
        let predicate =
            Predicate::parse("FB[AMDGPU::A] && !(FB[AMDGPU::B] || FB[AMDGPU::C]) || true && FB[AMDGPU::D]")?;
        let holds = |features: &[&str]| {
            predicate.holds(&features.iter().map(|feature| (*feature).to_owned()).collect())
        };
        assert!(holds(&["A"]) && holds(&["D", "B"]));
        assert!(!holds(&["A", "C"]) && !holds(&[]));
        assert!(Predicate::parse("FB[AMDGPU::A] ^ true").is_err());
        Ok(())
    }
}
