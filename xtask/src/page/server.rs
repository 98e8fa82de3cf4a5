//! A server of a few files for a browser on this machine, which takes what the browser has to say.

use anyhow::Result;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

/// Files by path, with their type.
pub(super) type Files = BTreeMap<String, (&'static str, Vec<u8>)>;

/// Serves the files on a free port of this machine, and gives the port and what is posted. It ends with the program.
///
/// # Errors
/// There is no port.
pub(super) fn serve(files: Files) -> Result<(u16, Receiver<String>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let (send, receive) = mpsc::channel();
    let files = Arc::new(files);
    std::thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let (files, send) = (Arc::clone(&files), send.clone());
            // A browser opens connections that it may never use.
            std::thread::spawn(move || _ = answer(stream, &files, &send));
        }
    });
    Ok((port, receive))
}

fn answer(stream: TcpStream, files: &Files, send: &Sender<String>) -> Result<()> {
    let mut lines = BufReader::new(&stream);
    let mut first = String::new();
    lines.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line)? <= 2 {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut words = first.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, kind, body): (_, _, &[u8]) = match (method, files.get(path)) {
        ("POST", _) => {
            let mut said = String::new();
            lines.take(length).read_to_string(&mut said)?;
            send.send(said)?;
            ("200 OK", "text/plain", b"")
        }
        (_, Some((kind, body))) => ("200 OK", kind, body),
        _ => ("404 Not Found", "text/plain", b""),
    };
    let mut stream = &stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    Ok(())
}
