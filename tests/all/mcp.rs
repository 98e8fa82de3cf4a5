//! `mcp`: a session with each tool, wrong calls, and lines that are cut or endless.

use crate::common::fixture;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What a session says, a line each.
fn session(write: impl FnOnce(&mut std::process::ChildStdin) + Send + 'static) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rocm-audit"))
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || write(&mut input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn said(calls: Vec<Value>) -> Vec<Value> {
    session(move |input| calls.iter().for_each(|call| writeln!(input, "{call}").unwrap()))
}

fn call(id: u32, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn document(answer: &Value) -> Value {
    serde_json::from_str(
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")),
    )
    .unwrap()
}

#[test]
fn a_session_answers_each_tool_as_the_commands_do() {
    let path = |name: &str| fixture(name).to_string_lossy().into_owned();
    let answers = said(vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        call(2, "verdict", json!({"gpu": "gfx906", "paths": [path("rocm")]})),
        call(
            3,
            "explain",
            json!({"text": "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"}),
        ),
        call(4, "explain", json!({"text": "gfx906"})),
        call(5, "choose", json!({"gpu": "gfx906", "paths": [path("releases")]})),
        call(6, "diff", json!({"old": path("ggml/older"), "new": path("ggml/plain")})),
        call(7, "manifest", json!({"path": path("rocm")})),
    ]);
    assert_eq!(answers.len(), 8, "{answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2024-11-05");
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["verdict", "explain", "choose", "diff", "manifest"]);
    for tool in tools {
        jsonschema::draft202012::meta::validate(&tool["inputSchema"]).unwrap();
    }
    let schemas: Vec<Value> = answers[2..].iter().map(|answer| document(answer)["schema"].clone()).collect();
    let expected = ["verdict", "explain", "explain-word", "choose", "diff", "manifest"];
    assert_eq!(schemas, expected.map(|name| Value::from(format!("rocm-audit/{name}"))));
    let root = path("rocm");
    let output = crate::common::program::run(&["--gpu", "gfx906", "-f", "verdict", &root]);
    let by_command: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document(&answers[2])["verdicts"], by_command["verdicts"]);
}

#[test]
fn wrong_calls_are_errors_with_a_sentence() {
    let answers = said(vec![
        call(1, "delete", json!({})),
        call(2, "verdict", json!({"paths": ["fixtures"]})),
        call(3, "verdict", json!({"gpu": "no such card", "paths": ["Cargo.toml"]})),
        call(4, "verdict", json!({"gpu": "gfx906", "paths": ["/no/such/path"]})),
        call(5, "verdict", json!({"gpu": "gfx906", "paths": ["-"]})),
        call(6, "manifest", json!({"path": 7})),
        call(7, "manifest", json!({"file": "x"})),
        json!({"jsonrpc": "2.0", "id": 8, "method": "resources/list"}),
    ]);
    let code = |index: usize| answers[index]["error"]["code"].as_i64().unwrap();
    assert_eq!(
        (0..8).map(code).collect::<Vec<_>>(),
        [-32602, -32602, -32602, -32000, -32602, -32602, -32602, -32601]
    );
    let message = |index: usize| answers[index]["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(message(3), "/no/such/path: no such file or directory");
    assert_eq!(answers[3]["error"]["data"]["kind"], "path");
    assert!(message(0).contains("there are verdict, explain"), "{}", message(0));
}

/// 100 MB in one line are passed over, and the next message is answered; so is one that the input's end cuts.
#[test]
fn a_line_of_100_megabytes_and_a_cut_one_are_refused() {
    let answers = session(|input| {
        let piece = vec![b'x'; 1 << 20];
        (0..100).for_each(|_| input.write_all(&piece).unwrap());
        input.write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":9,\"meth").unwrap();
    });
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(answers[1], json!({"jsonrpc": "2.0", "id": "a", "result": {}}));
    assert_eq!(answers[2]["error"]["code"], -32700);
}

/// Agents hand over paths of strangers: the server reads them in the sandbox, by the system's own word.
#[cfg(all(target_os = "linux", feature = "sandbox"))]
#[test]
fn the_server_runs_in_the_sandbox() {
    use std::io::{BufRead as _, BufReader};
    let program = crate::common::program::PROGRAM;
    let mut child =
        Command::new(program).arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    writeln!(input, "{hello}").unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success() && answer.contains("\"result\""), "{answer}");
    let of = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    assert_eq!((of("Seccomp:"), of("NoNewPrivs:")), (Some("2"), Some("1")));
}
