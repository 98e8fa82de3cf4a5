//! Conditions on the numbers of kernels: `spills > 0 and vgprs > 128`.

use super::kernel_field::KernelField;
use crate::codeobject::Kernel;
use crate::error::NotUnderstood;
use crate::target::TargetId;

/// Deepest nesting of parentheses and `not`.
const DEEPEST: usize = 32;

/// A condition on a kernel.
#[derive(Debug, Clone)]
pub enum KernelCondition {
    /// A number against another.
    Compare(&'static KernelField, NumberRelation, u64),
    /// All of them.
    All(Vec<KernelCondition>),
    /// Any of them.
    Any(Vec<KernelCondition>),
    /// Not this.
    Not(Box<KernelCondition>),
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberRelation {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// Signs of relations; the longer of two that begin alike comes first.
const RELATIONS: [(&str, NumberRelation); 7] = [
    ("==", NumberRelation::Equal),
    ("!=", NumberRelation::Unequal),
    ("<=", NumberRelation::AtMost),
    (">=", NumberRelation::AtLeast),
    ("=", NumberRelation::Equal),
    ("<", NumberRelation::Less),
    (">", NumberRelation::Greater),
];

impl NumberRelation {
    fn holds(self, left: u64, right: u64) -> bool {
        match self {
            NumberRelation::Equal => left == right,
            NumberRelation::Unequal => left != right,
            NumberRelation::Less => left < right,
            NumberRelation::AtMost => left <= right,
            NumberRelation::Greater => left > right,
            NumberRelation::AtLeast => left >= right,
        }
    }
}

impl KernelCondition {
    /// Reads a condition: comparisons of a field with a number, joined by `and`, `or` and `not`, with
    /// parentheses.
    ///
    /// # Errors
    /// What was expected, and where.
    pub fn parse(text: &str) -> Result<Self, NotUnderstood> {
        let mut reader = Reader { text, at: 0 };
        let condition = reader.any(0)?;
        if reader.rest().is_empty() { Ok(condition) } else { Err(reader.expected("`and`, `or` or the end")) }
    }

    /// Whether it holds for a kernel of a target; nothing where that depends on a number that its metadata
    /// does not state.
    pub fn holds(&self, kernel: &Kernel<'_>, target: &TargetId) -> Option<bool> {
        match self {
            KernelCondition::Compare(field, relation, number) => {
                Some(relation.holds((field.value)(kernel, target)?, *number))
            }
            KernelCondition::Not(inner) => Some(!inner.holds(kernel, target)?),
            KernelCondition::All(parts) => decided(parts, (kernel, target), false),
            KernelCondition::Any(parts) => decided(parts, (kernel, target), true),
        }
    }

    /// Whether machine code has to be decoded for it.
    pub fn needs_code(&self) -> bool {
        match self {
            KernelCondition::Compare(field, ..) => field.of_code,
            KernelCondition::Not(inner) => inner.needs_code(),
            KernelCondition::All(parts) | KernelCondition::Any(parts) => {
                parts.iter().any(KernelCondition::needs_code)
            }
        }
    }
}

/// `decisive` where one part is, else the opposite where all are known.
fn decided(
    parts: &[KernelCondition],
    (kernel, target): (&Kernel<'_>, &TargetId),
    decisive: bool,
) -> Option<bool> {
    let mut all_known = true;
    for part in parts {
        match part.holds(kernel, target) {
            Some(found) if found == decisive => return Some(decisive),
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(!decisive)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// What is left, behind spaces.
    fn rest(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn expected(&mut self, what: &str) -> NotUnderstood {
        match self.rest() {
            "" => format!("{what} is expected at the end of {:?}", self.text).into(),
            rest => format!("{what} is expected at {rest:?}").into(),
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    /// A word of letters, digits and underscores.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn takes_word(&mut self, words: &[&str]) -> bool {
        let word = self.word();
        let found = words.iter().any(|w| w.eq_ignore_ascii_case(word));
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn any(&mut self, depth: usize) -> Result<KernelCondition, NotUnderstood> {
        let mut parts = vec![self.all(depth)?];
        while self.takes("||") || self.takes_word(&["or"]) {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, KernelCondition::Any))
    }

    fn all(&mut self, depth: usize) -> Result<KernelCondition, NotUnderstood> {
        let mut parts = vec![self.single(depth)?];
        while self.takes("&&") || self.takes_word(&["and"]) {
            parts.push(self.single(depth)?);
        }
        Ok(one_or(parts, KernelCondition::All))
    }

    fn single(&mut self, depth: usize) -> Result<KernelCondition, NotUnderstood> {
        if depth > DEEPEST {
            return Err(
                format!("more than {DEEPEST} parentheses or `not` within each other are not read").into()
            );
        }
        if self.takes_word(&["not"]) {
            return Ok(KernelCondition::Not(Box::new(self.single(depth + 1)?)));
        }
        if self.takes("(") {
            let inner = self.any(depth + 1)?;
            return if self.takes(")") { Ok(inner) } else { Err(self.expected("`)`")) };
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.expected("a field, such as vgprs or spills,"));
        }
        let field = KernelField::by_name(word)?;
        self.at += word.len();
        let relation = RELATIONS.iter().find(|(sign, _)| self.takes(sign));
        let Some((_, relation)) = relation else { return Err(self.expected("=, !=, <, <=, > or >=")) };
        let digits = self.word();
        let Ok(number) = digits.parse() else { return Err(self.expected("a whole number")) };
        self.at += digits.len();
        Ok(KernelCondition::Compare(field, *relation, number))
    }
}

fn one_or(
    mut parts: Vec<KernelCondition>,
    several: fn(Vec<KernelCondition>) -> KernelCondition,
) -> KernelCondition {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            several(parts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Kernel<'static> {
        Kernel::stating(&[(".vgpr_count", 128), (".sgpr_count", 40), (".group_segment_fixed_size", 0)])
    }

    #[test]
    fn conditions_mean_what_they_say() {
        for (text, holds) in [
            ("vgprs = 128", Some(true)),
            ("VGPR>=128 && sgpr<41", Some(true)),
            ("vgprs>128 or sgprs!=41", Some(true)),
            ("not (vgprs > 128)", Some(true)),
            ("lds > 0 and spills > 0", Some(false)),
            // The metadata does not state spills.
            ("spills > 0", None),
            ("vgprs = 128 and spills = 0", None),
            ("vgprs = 128 or spills = 0", Some(true)),
            ("not spills = 0", None),
            // `and` binds before `or`.
            ("vgprs = 128 or vgprs = 1 and lds = 1", Some(true)),
            ("(vgprs = 128 or vgprs = 1) and lds = 1", Some(false)),
        ] {
            assert_eq!(
                KernelCondition::parse(text).unwrap().holds(&kernel(), &TargetId::bare("gfx906")),
                holds,
                "{text}"
            );
        }
        assert!(KernelCondition::parse("instr > 5 and lds = 0").unwrap().needs_code());
    }

    #[test]
    fn what_is_not_understood_is_said_with_its_place() {
        for (text, part) in [
            ("", "a field, such as"),
            ("vgpr", "=, !=, <, <=, > or >= is expected at the end"),
            ("vgpr > x", "a whole number is expected at \"x\""),
            ("vgpr > 5 spills", "the end is expected at \"spills\""),
            ("banana > 5", "kernels have no \"banana\""),
            ("(vgpr > 5", "`)` is expected"),
            ("vgpr > 99999999999999999999", "a whole number"),
            ("vgpr > 5 and", "a field"),
        ] {
            let error = KernelCondition::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(KernelCondition::parse(&"(".repeat(100_000)).unwrap_err().contains("32"));
        assert!(KernelCondition::parse(&"not ".repeat(100_000)).unwrap_err().contains("32"));
    }
}
