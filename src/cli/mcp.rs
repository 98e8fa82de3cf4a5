//! `rocm-audit mcp`: the questions that agents ask, as tools of the Model Context Protocol on standard input and
//! output.
//!
//! A message is a line of JSON-RPC 2.0; answers are lines, in the order of the calls. Nothing that comes in is
//! believed: a line longer than [`LINE_BYTES`] is read to its end without being kept, an answer above
//! [`ANSWER_BYTES`] is refused in a sentence. Files are read by the rules of every command, in the sandbox,
//! which refuses writing and connections. Errors are those of JSON-RPC with the sentences of the command line;
//! `data` is the document that a failed run writes. Source of the messages: modelcontextprotocol.io, revision
//! 2025-06-18.

mod tools;

use super::exit::{self, Status};
use super::global::GlobalArgs;
use crate::error::AuditError;
use crate::render;
use crate::report;
use serde_json::{Value, json};
use std::io::{self, BufRead, Read as _, Write};
use tools::TOOLS;

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {}

/// The end of `--help`.
const HELP: &str = exit::help!(
    "Tools: verdict, explain, choose, diff, manifest. Files are read, nothing is written, no connection is made.

Examples:
  claude mcp add rocm-audit -- rocm-audit mcp
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | rocm-audit mcp
"
);

/// Bytes of a message that are taken.
const LINE_BYTES: u64 = 1 << 20;
/// Bytes of an answer that are given.
const ANSWER_BYTES: usize = 4 << 20;

/// Revisions of the protocol that are spoken, the newest first: what is used of them did not change.
const REVISIONS: &[&str] = &["2025-06-18", "2025-03-26", "2024-11-05"];

/// Codes of JSON-RPC: what is no JSON, no message, no method, no argument, and what failed.
const NO_JSON: i32 = -32700;
const NO_MESSAGE: i32 = -32600;
const NO_METHOD: i32 = -32601;
const NO_ARGUMENT: i32 = -32602;
const FAILED: i32 = -32000;

/// Why a message has no answer.
#[derive(Debug)]
struct Refusal {
    code: i32,
    what: String,
    data: Option<Value>,
}

impl Refusal {
    fn new(code: i32, what: impl Into<String>) -> Self {
        Refusal { code, what: what.into(), data: None }
    }
}

impl From<AuditError> for Refusal {
    fn from(error: AuditError) -> Self {
        let code = if matches!(error, AuditError::Usage(_)) { NO_ARGUMENT } else { FAILED };
        let data = serde_json::to_value(report::error(&error)).ok();
        Refusal { code, what: error.to_string(), data }
    }
}

pub(super) fn run(_: &Args, global: &GlobalArgs) -> Result<Status, AuditError> {
    global.prints_a_list("mcp")?;
    serve(&mut io::stdin().lock(), &mut io::stdout().lock())
        .map_err(|error| AuditError::io("speak on", "standard input and output", error))?;
    Ok(Status::Done)
}

/// Answers messages until the input ends.
fn serve(input: &mut impl BufRead, out: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.by_ref().take(LINE_BYTES + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let answer = if line.len() as u64 > LINE_BYTES && !line.ends_with(b"\n") {
            line.clear();
            skip_line(input)?;
            let what = format!("a message has more than {LINE_BYTES} bytes, which is not taken");
            Some(refused(Value::Null, Refusal::new(NO_MESSAGE, what)))
        } else {
            message(&line)
        };
        if let Some(answer) = answer {
            out.write_all(render::json_line(&answer).as_bytes())?;
            out.flush()?;
        }
    }
}

/// Reads what is left of a line, keeping nothing.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(bytes.len(), |end| end + 1);
        input.consume(count);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The answer to a message; none to a notification and to a blank line.
fn message(line: &[u8]) -> Option<Value> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => {
            let refusal = Refusal::new(NO_JSON, format!("the message is no JSON: {error}"));
            return Some(refused(Value::Null, refusal));
        }
    };
    let id = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let method = message.get("method").and_then(Value::as_str);
    let is_ours = message.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    match (method, id) {
        // We never call the client, so an answer from it belongs to nothing.
        (None, Some(_)) if message.get("result").is_some() || message.get("error").is_some() => None,
        (Some(method), Some(id)) if is_ours => {
            let parameters = message.get("params").unwrap_or(&Value::Null);
            Some(match answer(method, parameters) {
                Ok(result) => within_bounds(id, result),
                Err(refusal) => refused(id, refusal),
            })
        }
        // A notification has no answer, also where it is not understood.
        (Some(_), None) if is_ours && message.get("id").is_none() => None,
        (_, id) => {
            let what = "the message is no call of JSON-RPC 2.0: it needs jsonrpc, id and method";
            Some(refused(id.unwrap_or(Value::Null), Refusal::new(NO_MESSAGE, what)))
        }
    }
}

fn within_bounds(id: Value, result: Value) -> Value {
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
    let bytes = answer.to_string().len();
    if bytes <= ANSWER_BYTES {
        return answer;
    }
    let id = answer.get("id").cloned().unwrap_or(Value::Null);
    let what = format!(
        "the answer has {bytes} bytes, more than the {ANSWER_BYTES} that are given: name fewer files, or call the program itself with -f json"
    );
    refused(id, Refusal::new(FAILED, what))
}

fn refused(id: Value, refusal: Refusal) -> Value {
    let mut error = json!({"code": refusal.code, "message": refusal.what});
    if let (Some(data), Some(error)) = (refusal.data, error.as_object_mut()) {
        error.insert("data".to_owned(), data);
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

fn answer(method: &str, parameters: &Value) -> Result<Value, Refusal> {
    match method {
        "initialize" => {
            let asked = parameters.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
            let spoken = REVISIONS.iter().find(|own| **own == asked).or(REVISIONS.first());
            Ok(json!({
                "protocolVersion": spoken,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
                "instructions": "Says from bytes alone which AMD GPUs files serve. Paths are of the machine that this runs on.",
            }))
        }
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": TOOLS.iter().map(tools::Tool::described).collect::<Vec<_>>()})),
        "tools/call" => {
            let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default();
            let tool = TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| {
                let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
                let what = format!("there is no tool {name:?}; there are {}", known.join(", "));
                Refusal::new(NO_ARGUMENT, what)
            })?;
            let document = tool.call(parameters.get("arguments").unwrap_or(&Value::Null))?;
            let text = document.to_string();
            Ok(json!({"content": [{"type": "text", "text": text}], "isError": false}))
        }
        _ => Err(Refusal::new(
            NO_METHOD,
            format!("there is no method {method:?}; there are initialize, ping, tools/list, tools/call"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &[u8]) -> String {
        let mut out = Vec::new();
        serve(&mut &input[..], &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn spoken(input: &[u8]) -> Vec<Value> {
        text(input).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn lines_that_are_cut_or_long_are_answered_and_the_next_is_read() {
        let mut input = vec![b'x'; LINE_BYTES as usize + 7];
        input.extend(b"\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":8,");
        let said = spoken(&input);
        assert_eq!(said.len(), 3);
        assert_eq!(said[0]["error"]["code"], NO_MESSAGE);
        assert_eq!((&said[1]["id"], &said[1]["result"]), (&json!(7), &json!({})));
        assert_eq!(said[2]["error"]["code"], NO_JSON);
    }

    #[test]
    fn what_is_no_call_is_refused_and_notifications_are_not_answered() {
        let code = |line: &str| spoken(line.as_bytes()).first().map(|said| said["error"]["code"].clone());
        assert_eq!(code("[]"), Some(json!(NO_MESSAGE)));
        assert_eq!(code("{\"id\":1,\"method\":\"ping\"}"), Some(json!(NO_MESSAGE)));
        assert_eq!(code("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}"), Some(json!(NO_METHOD)));
        assert_eq!(code("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n"), None);
        let deep = "[".repeat(100_000);
        assert_eq!(code(&deep), Some(json!(NO_JSON)));
    }

    #[test]
    fn answers_have_no_character_that_terminals_obey() {
        let call = "{\"jsonrpc\":\"2.0\",\"id\":\"a\u{202e}\u{7f}b\",\"method\":\"ping\"}\n";
        assert_eq!(spoken(call.as_bytes())[0]["id"], "a\u{202e}\u{7f}b");
        assert!(!text(call.as_bytes()).contains(['\u{202e}', '\u{7f}']));
    }
}
