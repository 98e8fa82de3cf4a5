//! The graph of an ONNX file: nodes, inputs and constants, as far as shapes depend on them. Weights are passed over.
//!
//! Field numbers: onnx/onnx `onnx/onnx.proto3` (IR version 13).

use super::wire::{Field, Fields, Message, Value};
use rocm_audit_files::error::{ParseError, ParseErrorKind, ParseErrors};
use rocm_audit_files::limits::{ONNX_MEMORY, ONNX_NODES};
use std::collections::HashMap;

/// Values of a constant that are kept: shapes and indices are short.
pub const KEPT_VALUES: usize = 1024;

/// Memory that a node or constant takes besides its texts, in bytes.
const KEPT_MEMORY: u64 = 384;

/// Bytes of a node that are counted: constants among its attributes are passed over.
const KEPT_BYTES: usize = 64 << 10;

/// A graph.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Its name.
    pub name: String,
    /// Who wrote the file.
    pub producer: String,
    /// Version of the standard operators; 0 where the file does not say.
    pub opset: u64,
    /// Its nodes, in the order of the file.
    pub nodes: Vec<Node>,
    /// Inputs that are no constants: name and dimensions.
    pub inputs: Vec<(String, Option<Vec<Dimension>>)>,
    /// What the file says of tensors in between.
    pub stated: HashMap<String, Option<Vec<Dimension>>>,
    /// Constants by name.
    pub constants: HashMap<String, Tensor>,
    /// What was wrong.
    pub problems: ParseErrors,
    /// Memory that what was read takes, in bytes.
    pub(super) held: u64,
}

/// A dimension of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimension {
    /// A number.
    Size(u64),
    /// A name that stands for one.
    Name(String),
    /// Nothing is said.
    Open,
}

/// A node.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Its name; many have none.
    pub name: String,
    /// Its operator.
    pub operator: String,
    /// Its domain; empty for the standard one.
    pub domain: String,
    /// Names of inputs; empty where an optional one is left out.
    pub inputs: Vec<String>,
    /// Names of outputs.
    pub outputs: Vec<String>,
    /// Attributes by name.
    pub attributes: HashMap<String, Attribute>,
    /// Where it begins in the file.
    pub at: u64,
}

/// An attribute, as far as shapes depend on it.
#[derive(Debug, Clone, Default)]
pub struct Attribute {
    /// A whole number.
    pub int: Option<i64>,
    /// Whole numbers.
    pub ints: Vec<i64>,
    /// A text.
    pub text: Option<String>,
    /// A tensor.
    pub tensor: Option<Tensor>,
}

/// A constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tensor {
    /// Its dimensions.
    pub shape: Vec<u64>,
    /// Its type's number.
    pub ty: u64,
    /// Its values, where they are few whole numbers.
    pub values: Option<Vec<i64>>,
}

/// `TensorProto.DataType`.
const INT32: u64 = 6;
const INT64: u64 = 7;

/// Whether a file can be an ONNX model: its first field is the version of the format, a small number.
pub fn is_onnx(head: &[u8]) -> bool {
    matches!(head, [0x08, 1..=32, ..])
}

/// Reads a file. What could not be read is among the graph's problems.
pub fn read(bytes: &[u8]) -> Graph {
    let mut graph = Graph::default();
    let mut found = false;
    let mut fields = Message::of(bytes).fields();
    while let Some(field) = graph.next(&mut fields) {
        match (field.number, field.value) {
            (2, Value::Bytes(text)) => graph.producer = text.text(),
            (7, Value::Bytes(message)) => {
                found = true;
                graph.read(message);
            }
            (8, Value::Bytes(message)) => graph.opset(message),
            _ => {}
        }
    }
    if !found {
        graph.problems.push(ParseError::new(0, "the file has no graph; it is no ONNX model"));
    }
    let constants = &graph.constants;
    graph.inputs.retain(|(name, _)| !constants.contains_key(name));
    graph
}

impl Graph {
    /// The next field of a message; where one is malformed, nothing, and a problem.
    fn next<'a>(&mut self, fields: &mut Fields<'a>) -> Option<Field<'a>> {
        match fields.next()? {
            Ok(field) => Some(field),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// Pays for something that is kept, `bytes` of the file and what stands around them: an empty node has two bytes there.
    /// Nothing more is read where that was the last that is believed.
    fn pay(&mut self, at: u64, bytes: usize, is_node: bool) -> bool {
        let was = self.held <= ONNX_MEMORY && self.nodes.len() <= ONNX_NODES;
        self.held = self.held.saturating_add(KEPT_MEMORY + 4 * (bytes.min(KEPT_BYTES) as u64));
        let is = self.held <= ONNX_MEMORY && (!is_node || self.nodes.len() < ONNX_NODES);
        if was && !is {
            let what = format!(
                "more than {ONNX_NODES} nodes, or more names and constants than are kept; the rest is not read"
            );
            self.problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::TooMany));
            self.held = u64::MAX;
        }
        is
    }

    fn opset(&mut self, message: Message<'_>) {
        let (mut domain, mut version) = (String::new(), 0);
        let mut fields = message.fields();
        while let Some(field) = self.next(&mut fields) {
            match (field.number, field.value) {
                (1, Value::Bytes(text)) => domain = text.text(),
                (2, Value::Varint(number)) => version = number,
                _ => {}
            }
        }
        if domain.is_empty() || domain == "ai.onnx" {
            self.opset = version;
        }
    }

    fn read(&mut self, message: Message<'_>) {
        let mut fields = message.fields();
        while let Some(field) = self.next(&mut fields) {
            let Some(part) = field.message() else { continue };
            let is_kept = matches!(field.number, 1 | 5 | 11 | 13);
            // The content of a constant is passed over.
            let bytes = if field.number == 5 { 0 } else { part.bytes().len() };
            if is_kept && !self.pay(field.at, bytes, field.number == 1) {
                return;
            }
            match field.number {
                1 => {
                    let node = self.node(part);
                    self.nodes.push(node);
                }
                2 => self.name = part.text(),
                5 => {
                    let (name, tensor) = self.tensor(part);
                    self.constants.insert(name, tensor);
                }
                11 => {
                    let input = self.value_info(part);
                    self.inputs.push(input);
                }
                13 => {
                    let (name, shape) = self.value_info(part);
                    self.stated.insert(name, shape);
                }
                _ => {}
            }
        }
    }

    fn node(&mut self, message: Message<'_>) -> Node {
        let mut node = Node { at: message.at(), ..Node::default() };
        let mut fields = message.fields();
        while let Some(field) = self.next(&mut fields) {
            let Some(part) = field.message() else { continue };
            match field.number {
                1 => node.inputs.push(part.text()),
                2 => node.outputs.push(part.text()),
                3 => node.name = part.text(),
                4 => node.operator = part.text(),
                5 => {
                    let (name, attribute) = self.attribute(part);
                    node.attributes.insert(name, attribute);
                }
                7 => node.domain = part.text(),
                _ => {}
            }
        }
        node
    }

    fn attribute(&mut self, message: Message<'_>) -> (String, Attribute) {
        let mut name = String::new();
        let mut attribute = Attribute::default();
        let mut fields = message.fields();
        while let Some(field) = self.next(&mut fields) {
            match (field.number, field.value) {
                (1, Value::Bytes(text)) => name = text.text(),
                (3, Value::Varint(number)) => attribute.int = Some(number as i64),
                (4, Value::Bytes(text)) => attribute.text = Some(text.text()),
                (5, Value::Bytes(part)) => attribute.tensor = Some(self.tensor(part).1),
                (8, Value::Varint(number)) if attribute.ints.len() < KEPT_VALUES => {
                    attribute.ints.push(number as i64);
                }
                (8, Value::Bytes(packed)) => {
                    let room = KEPT_VALUES.saturating_sub(attribute.ints.len());
                    attribute.ints.extend(packed.varints().take(room).map(|number| number as i64));
                }
                _ => {}
            }
        }
        (name, attribute)
    }

    fn tensor(&mut self, message: Message<'_>) -> (String, Tensor) {
        let mut name = String::new();
        let mut tensor = Tensor::default();
        let (mut numbers, mut raw): (Vec<i64>, Option<Message<'_>>) = (Vec::new(), None);
        let mut fields = message.fields();
        while let Some(field) = self.next(&mut fields) {
            match (field.number, field.value) {
                (1, Value::Varint(size)) if tensor.shape.len() < KEPT_VALUES => tensor.shape.push(size),
                (1, Value::Bytes(packed)) => tensor.shape.extend(packed.varints().take(KEPT_VALUES)),
                (2, Value::Varint(number)) => tensor.ty = number,
                (5 | 7, Value::Varint(number)) if numbers.len() <= KEPT_VALUES => numbers.push(number as i64),
                (5 | 7, Value::Bytes(packed)) => {
                    numbers.extend(packed.varints().take(KEPT_VALUES + 1).map(|number| number as i64));
                }
                (8, Value::Bytes(text)) => name = text.text(),
                (9, Value::Bytes(bytes)) => raw = Some(bytes),
                _ => {}
            }
        }
        let count = tensor.shape.iter().try_fold(1_u64, |count, size| count.checked_mul(*size));
        let count = count.and_then(|count| usize::try_from(count).ok()).filter(|count| *count <= KEPT_VALUES);
        if let Some(count) = count
            && matches!(tensor.ty, INT32 | INT64)
        {
            if let Some(raw) = raw {
                numbers = of_raw(raw.bytes(), tensor.ty);
            }
            tensor.values = (numbers.len() == count).then_some(numbers);
        }
        (name, tensor)
    }

    fn value_info(&mut self, message: Message<'_>) -> (String, Option<Vec<Dimension>>) {
        let (mut name, mut shape) = (String::new(), None);
        let mut fields = message.fields();
        while let Some(field) = self.next(&mut fields) {
            match (field.number, field.value) {
                (1, Value::Bytes(text)) => name = text.text(),
                // TypeProto, its tensor_type, and of that the shape.
                (2, Value::Bytes(ty)) => {
                    let found = self.part(ty, 1).and_then(|tensor| self.part(tensor, 2));
                    shape = found.map(|part| self.dimensions(part));
                }
                _ => {}
            }
        }
        (name, shape)
    }

    /// The first field of a number that is a message.
    fn part<'a>(&mut self, message: Message<'a>, number: u64) -> Option<Message<'a>> {
        let mut fields = message.fields();
        let mut found = None;
        while let Some(field) = self.next(&mut fields) {
            if field.number == number && found.is_none() {
                found = Some(field.message());
            }
        }
        found.flatten()
    }

    fn dimensions(&mut self, message: Message<'_>) -> Vec<Dimension> {
        let mut all = Vec::new();
        let mut fields = message.fields();
        while let Some(field) = self.next(&mut fields) {
            if field.number != 1 || all.len() >= KEPT_VALUES {
                continue;
            }
            let mut dimension = Dimension::Open;
            let mut parts = field.message().unwrap_or(Message::of(&[])).fields();
            while let Some(part) = self.next(&mut parts) {
                match (part.number, part.value) {
                    (1, Value::Varint(size)) => dimension = Dimension::Size(size),
                    (2, Value::Bytes(text)) => dimension = Dimension::Name(text.text()),
                    _ => {}
                }
            }
            all.push(dimension);
        }
        all
    }
}

/// Little-endian whole numbers.
fn of_raw(bytes: &[u8], ty: u64) -> Vec<i64> {
    if ty == INT32 {
        return bytes.as_chunks::<4>().0.iter().map(|chunk| i64::from(i32::from_le_bytes(*chunk))).collect();
    }
    bytes.as_chunks::<8>().0.iter().map(|chunk| i64::from_le_bytes(*chunk)).collect()
}

impl Node {
    /// A whole number of its attributes.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.attributes.get(name).and_then(|attribute| attribute.int)
    }

    /// Whole numbers of its attributes; nothing where the attribute is not there.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        self.attributes.get(name).map(|attribute| &attribute.ints[..])
    }

    /// A text of its attributes.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).and_then(|attribute| attribute.text.as_deref())
    }

    /// Whether it is of a standard domain.
    pub fn is_standard(&self) -> bool {
        self.domain.is_empty() || self.domain == "ai.onnx"
    }
}
