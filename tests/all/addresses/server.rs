//! A server of files on the loopback that does what it is asked to by the first part of the path, right or wrong.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a server that sends nothing keeps a connection open: longer than any call here waits.
const SILENCE: Duration = Duration::from_secs(20);

pub struct Server {
    pub address: String,
    /// Bytes of files that were sent.
    pub sent: Arc<AtomicU64>,
    /// The paths that were asked for.
    pub asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves one content under every name.
    pub fn of(content: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sent, asked) = (Arc::default(), Arc::default());
        let server = Server { address, sent: Arc::clone(&sent), asked: Arc::clone(&asked) };
        let content = Arc::new(content);
        // It ends with the test's process.
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (content, sent, asked) = (Arc::clone(&content), Arc::clone(&sent), Arc::clone(&asked));
                std::thread::spawn(move || serve(connection, &content, &sent, &asked));
            }
        });
        server
    }

    /// The address of a file that is served in a way.
    pub fn at(&self, way: &str) -> String {
        format!("{}/{way}/demo-1-py3-none-manylinux_2_28_x86_64.whl", self.address)
    }
}

fn serve(mut connection: TcpStream, content: &[u8], sent: &AtomicU64, asked: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && request.len() < 10_000 {
        match connection.read(&mut byte) {
            Ok(1) => request.push(byte[0]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let range = request
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(range_of));
    let range = range.unwrap_or(0..u64::MAX);
    let range = range.start..range.end.min(content.len() as u64);
    let turn = {
        let mut asked = asked.lock().unwrap();
        asked.push(path.clone());
        asked.len()
    };
    let way = path.split('/').nth(1).unwrap_or_default().to_owned();
    // A client that has gone away is no failure of a test.
    let _ = answer(&mut connection, &way, &path, content, range, turn, sent);
}

fn range_of(text: &str) -> Range<u64> {
    let (first, last) = text.trim().split_once('-').unwrap();
    first.parse().unwrap()..last.parse::<u64>().unwrap() + 1
}

fn answer(
    to: &mut TcpStream,
    way: &str,
    path: &str,
    content: &[u8],
    range: Range<u64>,
    turn: usize,
    sent: &AtomicU64,
) -> std::io::Result<()> {
    let total = content.len() as u64;
    let body = &content[range.start as usize..range.end as usize];
    let stated = format!("bytes {}-{}/{total}", range.start, range.end.saturating_sub(1));
    let part = |stated: &str, length: usize, more: &str| {
        format!(
            "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Range: {stated}\r\nContent-Length: {length}\r\n{more}\r\n"
        )
    };
    let sends_on = |to: &str| {
        format!("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")
    };
    let rest = path.splitn(3, '/').nth(2).unwrap_or_default();
    let silent = || std::thread::sleep(SILENCE);
    match way {
        "good" => to.write_all(part(&stated, body.len(), "ETag: \"1\"\r\n").as_bytes())?,
        "changes" => to.write_all(part(&stated, body.len(), &format!("ETag: \"{turn}\"\r\n")).as_bytes())?,
        "cut" => {
            to.write_all(part(&stated, body.len(), "").as_bytes())?;
            return to.write_all(&body[..body.len() / 2]);
        }
        "later-cut" => {
            to.write_all(part(&stated, body.len(), "").as_bytes())?;
            if turn > 1 {
                return to.write_all(&body[..body.len() / 2]);
            }
        }
        "stalls" => {
            to.write_all(part(&stated, body.len(), "").as_bytes())?;
            to.write_all(&body[..body.len() / 2])?;
            silent();
            return Ok(());
        }
        "drips" => {
            to.write_all(part(&stated, body.len(), "").as_bytes())?;
            for byte in &body[..100.min(body.len())] {
                to.write_all(&[*byte])?;
                std::thread::sleep(Duration::from_millis(200));
            }
            return Ok(());
        }
        "silent" => {
            silent();
            return Ok(());
        }
        "other-range" => to.write_all(part(&format!("bytes 7-{}/{total}", body.len() + 6), body.len(), "").as_bytes())?,
        "no-size" => to.write_all(part(&stated.replace(&format!("/{total}"), "/*"), body.len(), "").as_bytes())?,
        "no-range" => {
            let head = format!("HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
            to.write_all(head.as_bytes())?;
        }
        "packed" => to.write_all(part(&stated, body.len(), "Content-Encoding: gzip\r\n").as_bytes())?,
        "whole" => {
            let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {total}\r\n\r\n");
            to.write_all(head.as_bytes())?;
            sent.fetch_add(total, Ordering::Relaxed);
            return to.write_all(content);
        }
        "endless" => {
            to.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            for _ in 0..4096 {
                to.write_all(&[7; 1 << 14])?;
            }
            return Ok(());
        }
        "to-good" => return to.write_all(sends_on(&format!("/good/{rest}")).as_bytes()),
        "to-file" => return to.write_all(sends_on("file:///etc/passwd").as_bytes()),
        "to-itself" => return to.write_all(sends_on(path).as_bytes()),
        "to-nowhere" => return to.write_all(b"HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        "garbage" => return to.write_all(b"\x00\x01 this is not the protocol\r\n\r\n"),
        "long-head" => {
            to.write_all(b"HTTP/1.1 206 Partial Content\r\n")?;
            for at in 0..100_000 {
                to.write_all(format!("X-{at}: {}\r\n", "y".repeat(100)).as_bytes())?;
            }
            return Ok(());
        }
        "closes" => return Ok(()),
        "empty" => return to.write_all(b"HTTP/1.1 416 Range Not Satisfiable\r\nConnection: close\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n"),
        _ => return to.write_all(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
    }
    sent.fetch_add(body.len() as u64, Ordering::Relaxed);
    to.write_all(body)
}
