//! The conditions of rules: integers, comparisons and truths over `VARIABLES`.
//!
//! ```text
//! condition  or, and, not; chained comparisons: 0 <= pw <= 5; sets: x in {3, 5, 7}
//! sum        + - * / % with the usual precedence; 2^24 is a number
//! functions  min(a, b), max(a, b), ceil_div(a, b)
//! ```
//!
//! Division rounds down. Numbers saturate, see [`Integer`].

use super::integer::Integer;
use super::variable::{Derived, VARIABLES};
use crate::rule_file::Named;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Minimum,
    Maximum,
    CeilDivide,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
}

/// Index of a node in an expression; children precede their parents.
type At = u16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Constant(Integer),
    Variable(u8),
    Not(At),
    Pair(Operator, At, At),
}

/// Names that stand for numbers.
pub type Parameters = Named<i64>;

/// A condition or a number, ready for evaluation. It is compiled when it is first asked for: a question needs
/// few of the rules' conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    text: Cow<'static, str>,
    parameters: Parameters,
    nodes: OnceLock<Vec<Node>>,
}

/// Why a text is not an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnExpression {
    /// Offset in the text.
    pub at: usize,
    /// The error at that byte.
    pub why: String,
}

impl Expression {
    /// An expression that was not read yet.
    pub fn later(text: Cow<'static, str>, parameters: Parameters) -> Expression {
        Expression { text, parameters, nodes: OnceLock::new() }
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// [`NotAnExpression`] if the text is outside of the grammar or names an unknown variable.
    pub fn check(&self) -> Result<(), NotAnExpression> {
        self.parsed().map(|_| ())
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn parsed(&self) -> Result<Vec<Node>, NotAnExpression> {
        let mut parser =
            Parser { text: &self.text, at: 0, next: None, parameters: self.parameters, nodes: Vec::new() };
        parser.or()?;
        match parser.peek() {
            "" => Ok(parser.nodes),
            other => Err(parser.wrong(format!("`{other}` is left over"))),
        }
    }

    /// Its nodes; none where it is wrong, which the tests of the rules rule out.
    #[inline]
    fn nodes(&self) -> &[Node] {
        self.nodes.get_or_init(|| self.parsed().unwrap_or_default())
    }

    /// The value for a problem.
    #[inline]
    pub fn value(&self, problem: &Derived) -> Integer {
        let nodes = self.nodes();
        nodes.len().checked_sub(1).map_or(Integer(0), |last| value_at(nodes, last, problem))
    }

    /// Whether the value is not zero.
    #[inline]
    pub fn holds(&self, problem: &Derived) -> bool {
        self.value(problem).0 != 0
    }
}

/// The value of one node.
fn value_at(nodes: &[Node], at: usize, problem: &Derived) -> Integer {
    let value = |at: At| value_at(nodes, usize::from(at), problem);
    match nodes.get(at) {
        None => Integer(0),
        Some(Node::Constant(value)) => *value,
        Some(Node::Variable(place)) => problem.value(usize::from(*place)),
        Some(Node::Not(of)) => (value(*of) == 0).into(),
        Some(Node::Pair(operator, a, b)) => {
            let first = value(*a);
            match operator {
                Operator::And if first == 0 => Integer(0),
                Operator::Or if first != 0 => Integer(1),
                _ => operator.apply(first, value(*b)),
            }
        }
    }
}

impl Operator {
    fn apply(self, a: Integer, b: Integer) -> Integer {
        match self {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
            Operator::Remainder => a % b,
            Operator::Minimum => a.min(b),
            Operator::Maximum => a.max(b),
            Operator::CeilDivide => a.ceil_div(b),
            Operator::Equal => (a == b).into(),
            Operator::Unequal => (a != b).into(),
            Operator::Less => (a < b).into(),
            Operator::LessOrEqual => (a <= b).into(),
            Operator::Greater => (a > b).into(),
            Operator::GreaterOrEqual => (a >= b).into(),
            Operator::And => (a != 0 && b != 0).into(),
            Operator::Or => (a != 0 || b != 0).into(),
        }
    }
}

const COMPARISONS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

const FUNCTIONS: [(&str, Operator); 3] =
    [("min", Operator::Minimum), ("max", Operator::Maximum), ("ceil_div", Operator::CeilDivide)];

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// The token at `at`, once it was looked at.
    next: Option<&'a str>,
    parameters: Parameters,
    nodes: Vec<Node>,
}

type Parsed = Result<At, NotAnExpression>;

impl<'a> Parser<'a> {
    fn wrong(&self, why: impl Into<String>) -> NotAnExpression {
        NotAnExpression { at: self.at, why: why.into() }
    }

    /// The next token: a name, a number, or one operator; empty at the end.
    fn peek(&mut self) -> &'a str {
        if let Some(next) = self.next {
            return next;
        }
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        let word = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let length = match word {
            0 if COMPARISONS.iter().any(|(sign, _)| sign.len() == 2 && rest.starts_with(sign)) => 2,
            0 => rest.chars().next().map_or(0, char::len_utf8),
            _ => word,
        };
        let next = &rest[..length];
        self.next = Some(next);
        next
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        if found {
            self.pass(token.len());
        }
        found
    }

    /// Steps behind the next token.
    fn pass(&mut self, length: usize) {
        self.at += length;
        self.next = None;
    }

    fn expect(&mut self, token: &str) -> Result<(), NotAnExpression> {
        if self.take(token) { Ok(()) } else { Err(self.wrong(format!("expected `{token}`"))) }
    }

    fn push(&mut self, node: Node) -> Parsed {
        let folded = match node {
            Node::Pair(operator, a, b) => self
                .constant(a)
                .zip(self.constant(b))
                .map_or(node, |(a, b)| Node::Constant(operator.apply(a, b))),
            Node::Not(of) => self.constant(of).map_or(node, |of| Node::Constant((of == 0).into())),
            Node::Constant(_) | Node::Variable(_) => node,
        };
        self.nodes.push(folded);
        At::try_from(self.nodes.len() - 1).map_err(|_| self.wrong("too long"))
    }

    fn constant(&self, at: At) -> Option<Integer> {
        match self.nodes.get(usize::from(at)) {
            Some(Node::Constant(value)) => Some(*value),
            _ => None,
        }
    }

    fn chain(&mut self, signs: &[(&str, Operator)], next: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = next(self)?;
        while let Some(operator) = self.one_of(signs) {
            let right = next(self)?;
            left = self.push(Node::Pair(operator, left, right))?;
        }
        Ok(left)
    }

    fn one_of(&mut self, signs: &[(&str, Operator)]) -> Option<Operator> {
        signs.iter().find(|(sign, _)| self.take(sign)).map(|(_, operator)| *operator)
    }

    fn or(&mut self) -> Parsed {
        self.chain(&[("or", Operator::Or)], Self::and)
    }

    fn and(&mut self) -> Parsed {
        self.chain(&[("and", Operator::And)], Self::not)
    }

    fn not(&mut self) -> Parsed {
        if self.take("not") {
            let of = self.not()?;
            return self.push(Node::Not(of));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed {
        let mut left = self.sum()?;
        if self.take("in") {
            return self.set(left);
        }
        let mut all: Option<At> = None;
        while let Some(operator) = self.one_of(&COMPARISONS) {
            let right = self.sum()?;
            let one = self.push(Node::Pair(operator, left, right))?;
            all = Some(match all {
                Some(before) => self.push(Node::Pair(Operator::And, before, one))?,
                None => one,
            });
            left = right;
        }
        Ok(all.unwrap_or(left))
    }

    fn set(&mut self, of: At) -> Parsed {
        self.expect("{")?;
        let mut any = None;
        while any.is_none() || self.take(",") {
            let member = self.sum()?;
            let one = self.push(Node::Pair(Operator::Equal, of, member))?;
            any = Some(match any {
                Some(before) => self.push(Node::Pair(Operator::Or, before, one))?,
                None => one,
            });
        }
        self.expect("}")?;
        any.ok_or(self.wrong("an empty set"))
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        let signs = [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
        self.chain(&signs, Self::atom)
    }

    fn atom(&mut self) -> Parsed {
        if self.take("(") {
            let inner = self.or()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let token = self.peek();
        if let Some((name, operator)) = FUNCTIONS.iter().find(|(name, _)| *name == token) {
            self.pass(name.len());
            self.expect("(")?;
            let mut value = self.sum()?;
            while self.take(",") {
                let next = self.sum()?;
                value = self.push(Node::Pair(*operator, value, next))?;
            }
            self.expect(")")?;
            return Ok(value);
        }
        if token.starts_with(|first: char| first.is_ascii_digit()) {
            return self.number(token);
        }
        let node = match (self.parameters.get(token), VARIABLES.iter().position(|v| v.name == token)) {
            (Some(&value), _) => Node::Constant(Integer(value)),
            (None, Some(place)) => {
                Node::Variable(u8::try_from(place).map_err(|_| self.wrong("too many variables"))?)
            }
            (None, None) => return Err(self.wrong(format!("`{token}` is neither a variable nor a number"))),
        };
        self.pass(token.len());
        self.push(node)
    }

    fn number(&mut self, token: &'a str) -> Parsed {
        let read = |text: &str| text.parse::<i64>().ok();
        let mut value = read(token);
        self.pass(token.len());
        if self.take("^") {
            let power = self.peek();
            self.pass(power.len());
            value = value.zip(read(power)).and_then(|(v, p)| v.checked_pow(u32::try_from(p).ok()?));
        }
        let value = value.ok_or(self.wrong("a number out of range"))?;
        self.push(Node::Constant(Integer(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miopen::problem::ConvolutionProblem;

    fn value(text: &str) -> Result<i64, String> {
        let key = "64-56-28-3x5-32-56-28-16-1x2-1x1-1x1-0-NCHW-FP16-F_g2";
        let problem = Derived::from(&ConvolutionProblem::parse(key).expect("a key"));
        let expression = Expression::later(text.to_owned().into(), Named(&[("tile", 6)]));
        expression.check().map_err(|e| format!("{} {}", e.at, e.why))?;
        Ok(expression.value(&problem).0)
    }

    #[test]
    fn conditions_are_evaluated() {
        for (text, wanted) in [
            ("1 + 2 * 3 - 4 / 2", 5),
            ("c % 10 == 4 and h == 56", 1),
            ("not fp16 or w in {7, 28}", 1),
            ("0 <= pw <= 1", 0),
            ("2^24 == 16777216", 1),
            ("max(y, x, 4) + min(n, k)", 21),
            ("ceil_div(w, tile)", 5),
            ("(c + k) * g", 192),
            ("not (fp32 and forward) and no_such == 0", -1),
            ("in_bytes", 16 * 64 * 56 * 28 * 2),
            ("bpw", 2),
        ] {
            if wanted < 0 {
                assert!(value(text).is_err(), "{text}");
            } else {
                assert_eq!(value(text), Ok(wanted), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_condition_says_where() {
        assert_eq!(value("c == "), Err("5 `` is neither a variable nor a number".into()));
        assert_eq!(value("c == 4 4"), Err("7 `4` is left over".into()));
        assert_eq!(value("x in {3, 5"), Err("10 expected `}`".into()));
        assert_eq!(value("fp31"), Err("0 `fp31` is neither a variable nor a number".into()));
        assert_eq!(value("99^99 > 1"), Err("5 a number out of range".into()));
    }
}
