//! The graph in an ONNX file: nodes, inputs and constants, as far as shapes depend on them. Weights are
//! skipped.
//!
//! Field numbers: onnx/onnx `onnx/onnx.proto3` (IR version 13).

use super::wire::{Field, Fields, Message, Value};
use rocm_audit_files::budget::ModelBudget;
use rocm_audit_files::error::{ParseError, ParseErrorKind, ParseErrors};
use rocm_audit_files::limits::ONNX_NODES;
use std::collections::HashMap;

/// Most values kept from a constant: shapes and indices are short.
pub const KEPT_VALUES: usize = 1024;

/// Memory for a node or constant in addition to its texts, in bytes.
const KEPT_MEMORY: u64 = 384;

/// Most bytes of a node that are counted: constants in its attributes are skipped.
const KEPT_BYTES: usize = 64 << 10;

/// A graph.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Name of the graph.
    pub name: String,
    /// Software that wrote the file.
    pub producer: String,
    /// Version of the standard operators; 0 if the file does not state it.
    pub opset: u64,
    /// Its nodes, in the order of the file.
    pub nodes: Vec<Node>,
    /// Inputs that are not constants: name and dimensions.
    pub inputs: Vec<(String, Option<Vec<Dimension>>)>,
    /// Shapes that the file states for intermediate tensors.
    pub stated: HashMap<String, Option<Vec<Dimension>>>,
    /// Constants by name.
    pub constants: HashMap<String, Tensor>,
    /// Problems found while reading.
    pub problems: ParseErrors,
    /// What may still be kept.
    pub(super) budget: ModelBudget,
    /// Whether anything was refused.
    pub(super) is_full: bool,
}

/// A dimension of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimension {
    /// A fixed size.
    Size(u64),
    /// A name for a size.
    Name(String),
    /// Unstated.
    Open,
}

/// A node.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Name, often empty.
    pub name: String,
    /// Operator type, such as `Conv`.
    pub operator: String,
    /// Domain of the operator; empty for the standard one.
    pub domain: String,
    /// Names of inputs; empty for an omitted optional input.
    pub inputs: Vec<String>,
    /// Names of outputs.
    pub outputs: Vec<String>,
    /// Attributes by name.
    pub attributes: HashMap<String, Attribute>,
    /// Offset in the file.
    pub at: u64,
}

/// An attribute, as far as shapes depend on it.
#[derive(Debug, Clone, Default)]
pub struct Attribute {
    /// An integer value.
    pub int: Option<i64>,
    /// A list of integers.
    pub ints: Vec<i64>,
    /// A text value.
    pub text: Option<String>,
    /// A tensor value.
    pub tensor: Option<Tensor>,
}

/// A constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tensor {
    /// Dimensions.
    pub shape: Vec<u64>,
    /// Number of the type.
    pub ty: u64,
    /// Values, if they are few integers.
    pub values: Option<Vec<i64>>,
}

/// `TensorProto.DataType`.
const INT32: u64 = 6;
const INT64: u64 = 7;

/// Whether a file can be an ONNX model: its first field is the format version, a small number.
pub fn is_onnx(head: &[u8]) -> bool {
    matches!(head, [0x08, 1..=32, ..])
}

/// Reads a file. Unreadable parts are among the graph's problems.
pub fn read(bytes: &[u8]) -> Graph {
    let mut graph = Graph::default();
    let mut found = false;
    let mut fields = Message::from_bytes(bytes).fields();
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
    /// The next field of a message; if it is malformed, `None` and a problem.
    fn next<'a>(&mut self, fields: &mut Fields<'a>) -> Option<Field<'a>> {
        match fields.next()? {
            Ok(field) => Some(field),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// Pays for something that is kept: `bytes` of the file, plus overhead, since an empty node has only two
    /// bytes there. Reading ends when the limit is reached.
    fn pay(&mut self, at: u64, bytes: usize, is_node: bool) -> bool {
        let has_room = !self.is_full && (!is_node || self.nodes.len() < ONNX_NODES);
        let is_kept = has_room && self.budget.take(KEPT_MEMORY + 4 * (bytes.min(KEPT_BYTES) as u64));
        if !is_kept && !self.is_full {
            self.is_full = true;
            let what = format!(
                "more than {ONNX_NODES} nodes, or more names and constants than are kept; the rest is not read"
            );
            self.problems.push(ParseError::new(at, what).of_kind(ParseErrorKind::TooMany));
        }
        is_kept
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
            // The content of a constant is skipped.
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
                // TypeProto, its tensor_type, and the shape in that.
                (2, Value::Bytes(ty)) => {
                    let found = self.part(ty, 1).and_then(|tensor| self.part(tensor, 2));
                    shape = found.map(|part| self.dimensions(part));
                }
                _ => {}
            }
        }
        (name, shape)
    }

    /// The first field with a number that is a message.
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
            let mut parts = field.message().unwrap_or(Message::from_bytes(&[])).fields();
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

/// Little-endian integers.
fn of_raw(bytes: &[u8], ty: u64) -> Vec<i64> {
    if ty == INT32 {
        return bytes.as_chunks::<4>().0.iter().map(|chunk| i64::from(i32::from_le_bytes(*chunk))).collect();
    }
    bytes.as_chunks::<8>().0.iter().map(|chunk| i64::from_le_bytes(*chunk)).collect()
}

impl Node {
    /// An integer attribute.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.attributes.get(name).and_then(|attribute| attribute.int)
    }

    /// An attribute with integers; `None` if it is missing.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        self.attributes.get(name).map(|attribute| &attribute.ints[..])
    }

    /// A text attribute.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).and_then(|attribute| attribute.text.as_deref())
    }

    /// Whether it belongs to a standard domain.
    pub fn is_standard(&self) -> bool {
        self.domain.is_empty() || self.domain == "ai.onnx"
    }
}
