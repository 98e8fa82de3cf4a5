//! A server of a few files for a browser on this machine, which takes what the browser has to say.

use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};
use tiny_http::{Header, Method, Request, Response, Server};

/// Files by path, with their type.
pub(super) type Files = BTreeMap<String, (&'static str, Vec<u8>)>;

/// Serves the files on a free port of this machine, and gives the port and what is posted. It ends with the
/// program.
///
/// # Errors
/// No port is free.
pub(super) fn serve(files: Files) -> Result<(u16, Receiver<String>)> {
    let server = Server::http("127.0.0.1:0").map_err(anyhow::Error::from_boxed)?;
    let port = server.server_addr().to_ip().context("the server has no address")?.port();
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            // A browser that has gone needs no answer.
            let _ = answer(request, &files, &send);
        }
    });
    Ok((port, receive))
}

fn answer(mut request: Request, files: &Files, send: &Sender<String>) -> Result<()> {
    if *request.method() == Method::Post {
        let mut said = String::new();
        request.as_reader().read_to_string(&mut said)?;
        send.send(said)?;
        return Ok(request.respond(Response::empty(200))?);
    }
    let Some((kind, body)) = files.get(request.url()) else {
        return Ok(request.respond(Response::empty(404))?);
    };
    let kind =
        Header::from_bytes("Content-Type", *kind).map_err(|()| anyhow::anyhow!("{kind} is no type"))?;
    Ok(request.respond(Response::from_data(body.as_slice()).with_header(kind))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    #[test]
    fn files_are_served_by_path_and_what_is_posted_is_received() {
        let large = vec![b'x'; 100_000];
        let files = Files::from([
            ("/a".to_owned(), ("text/css", b"a {}".to_vec())),
            ("/large".to_owned(), ("application/wasm", large)),
        ]);
        let (port, received) = serve(files).unwrap();
        let answer = |request: &str| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        let rest = "HTTP/1.0\r\nHost: here\r\nConnection: close\r\n";
        let file = answer(&format!("GET /a {rest}\r\n"));
        assert!(file.contains(" 200 ") && file.contains("Content-Type: text/css\r\n"), "{file}");
        assert!(file.ends_with("\r\n\r\na {}"), "{file}");
        assert!(answer(&format!("GET /large {rest}\r\n")).ends_with(&"x".repeat(100_000)));
        assert!(answer(&format!("GET /b {rest}\r\n")).contains(" 404 "));
        assert!(answer(&format!("POST /done {rest}Content-Length: 4\r\n\r\nsaid")).contains(" 200 "));
        assert_eq!(received.recv().unwrap(), "said");
    }
}
