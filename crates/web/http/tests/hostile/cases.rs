//! Requests that a front door must refuse, and some that look like them and must be taken: from the rules of RFC 9112
//! and RFC 9110. Used by the reader's own test and, over sockets, by that of the door.

/// A case.
pub struct Case {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub wanted: Wanted,
}

/// The required treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// This number of requests is read.
    Taken(usize),
    /// It is refused with this status, and nothing after it is read.
    Refused(u16),
}

use Wanted::{Refused, Taken};

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
const LAST: &str = "0\r\n\r\n";

/// A request line, Host, further headers, and the bytes after the head.
fn request(line: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("{line}\r\nHost: a\r\n{headers}\r\n{body}").into_bytes()
}

fn post(headers: &str, body: &str) -> Vec<u8> {
    request("POST /s HTTP/1.1", headers, body)
}

fn line(line: &str) -> Vec<u8> {
    request(line, "", "")
}

fn chunks(text: &str) -> Vec<u8> {
    post(CHUNKED, text)
}

/// All 67.
pub fn all() -> Vec<Case> {
    [ordinary(), lengths(), codings(), lines(), hosts(), first_lines(), chunked(), excess()].concat_cases()
}

trait ConcatCases {
    fn concat_cases(self) -> Vec<Case>;
}

impl<const N: usize> ConcatCases for [Vec<(&'static str, Vec<u8>, Wanted)>; N] {
    fn concat_cases(self) -> Vec<Case> {
        let all = self.into_iter().flatten();
        all.map(|(name, bytes, wanted)| Case { name, bytes, wanted }).collect()
    }
}

type Rows = Vec<(&'static str, Vec<u8>, Wanted)>;

fn ordinary() -> Rows {
    let one = post("Content-Length: 5\r\n", "hello");
    vec![
        ("a GET", line("GET /s HTTP/1.1"), Taken(1)),
        ("a POST", one.clone(), Taken(1)),
        ("two in one write", [one.clone(), one.clone()].concat(), Taken(2)),
        ("chunks", chunks("5\r\nhello\r\n0\r\n\r\n"), Taken(1)),
        (
            "a target in absolute form",
            request("POST http://a/s HTTP/1.1", "Content-Length: 0\r\n", ""),
            Taken(1),
        ),
        ("a line end before the request", [b"\r\n".to_vec(), one].concat(), Taken(1)),
    ]
}

fn lengths() -> Rows {
    let of = |value: &str| post(&format!("Content-Length: {value}\r\n"), "hello");
    let smuggled = format!("{LAST}GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
    vec![
        (
            "a length, then a coding",
            post(&format!("Content-Length: 5\r\n{CHUNKED}"), &smuggled),
            Refused(400),
        ),
        ("a coding, then a length", post(&format!("{CHUNKED}Content-Length: 5\r\n"), LAST), Refused(400)),
        (
            "two lengths that differ",
            post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"),
            Refused(400),
        ),
        ("two lengths that agree", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), Refused(400)),
        ("a list of lengths", of("5, 5"), Refused(400)),
        ("a length with a plus", of("+5"), Refused(400)),
        ("a negative length", of("-1"), Refused(400)),
        ("a hexadecimal length", of("0x5"), Refused(400)),
        ("a length with an underscore", of("5_0"), Refused(400)),
        ("an empty length", of(""), Refused(400)),
        ("a length of twenty digits", of("99999999999999999999"), Refused(400)),
        ("a blank behind Content-Length", post("Content-Length : 5\r\n", "hello"), Refused(400)),
    ]
}

fn codings() -> Rows {
    let of = |value: &str| post(&format!("Transfer-Encoding: {value}\r\n"), LAST);
    vec![
        ("a blank behind Transfer-Encoding", post("Transfer-Encoding : chunked\r\n", LAST), Refused(400)),
        ("an unknown coding", of("xchunked"), Refused(501)),
        ("chunked before another coding", of("chunked, identity"), Refused(501)),
        ("the identity coding", of("identity"), Refused(501)),
        ("chunked behind another coding", of("gzip, chunked"), Refused(501)),
        ("chunked in two headers", post(&format!("{CHUNKED}{CHUNKED}"), LAST), Refused(501)),
        ("a vertical tab before chunked", post("Transfer-Encoding:\x0bchunked\r\n", LAST), Refused(400)),
        ("chunks in HTTP/1.0", request("POST /s HTTP/1.0", CHUNKED, LAST), Refused(400)),
    ]
}

fn lines() -> Rows {
    let raw = |text: &str| text.as_bytes().to_vec();
    vec![
        ("a folded header", post("X: a\r\n b\r\nContent-Length: 5\r\n", "hello"), Refused(400)),
        ("a folded Transfer-Encoding", post("Transfer-Encoding:\r\n chunked\r\n", LAST), Refused(400)),
        ("lines without CR", raw("POST /s HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello"), Refused(400)),
        ("one line without CR", post("X: y\nContent-Length: 5\r\n", "hello"), Refused(400)),
        ("a CR within a value", post("X: y\rContent-Length: 5\r\n", ""), Refused(400)),
        ("a NUL in a value", post("X: y\0z\r\n", ""), Refused(400)),
        ("a NUL in a name", post("X\0: y\r\n", ""), Refused(400)),
        ("a header without a name", post(": y\r\n", ""), Refused(400)),
        ("a header without a colon", post("garbage\r\n", ""), Refused(400)),
        (
            "a blank before the first header",
            raw("POST /s HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n"),
            Refused(400),
        ),
    ]
}

fn hosts() -> Rows {
    let of = |hosts: &str| format!("POST /s HTTP/1.1\r\n{hosts}\r\n").into_bytes();
    vec![
        ("no Host", of(""), Refused(400)),
        ("two Hosts", of("Host: a\r\nHost: b\r\n"), Refused(400)),
        ("a Host with a blank", of("Host: a b\r\n"), Refused(400)),
        ("a Host with a comma", of("Host: a,b\r\n"), Refused(400)),
        ("a Host with a slash", of("Host: a/b\r\n"), Refused(400)),
    ]
}

fn first_lines() -> Rows {
    vec![
        ("two blanks behind the method", line("POST  /s HTTP/1.1"), Refused(400)),
        ("a tab behind the method", line("POST\t/s HTTP/1.1"), Refused(400)),
        ("HTTP/1.2", line("POST /s HTTP/1.2"), Refused(505)),
        ("HTTP/01.1", line("POST /s HTTP/01.1"), Refused(505)),
        ("HTTP/0.9", b"GET /s\r\n".to_vec(), Refused(400)),
        ("a target without a slash", line("POST s HTTP/1.1"), Refused(400)),
        ("a target with a fragment", line("POST /s#x HTTP/1.1"), Refused(400)),
        ("a target beyond ASCII", b"POST /s\x80 HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(), Refused(400)),
        ("a method with a parenthesis", line("P(ST /s HTTP/1.1"), Refused(400)),
        ("CONNECT", line("CONNECT a:80 HTTP/1.1"), Refused(501)),
        (
            "the preface of HTTP/2 to a reader of HTTP/1",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
            Refused(505),
        ),
        (
            "the first bytes of TLS",
            [b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03".as_slice(), &[b'a'; 40]].concat(),
            Refused(400),
        ),
    ]
}

fn chunked() -> Rows {
    vec![
        ("a chunk's size with 0x", chunks("0x5\r\nhello\r\n0\r\n\r\n"), Refused(400)),
        ("a chunk's size with a plus", chunks("+5\r\nhello\r\n0\r\n\r\n"), Refused(400)),
        ("a blank behind a chunk's size", chunks("5 \r\nhello\r\n0\r\n\r\n"), Refused(400)),
        ("a chunk's size beyond 64 bits", chunks("10000000000000005\r\nhello\r\n0\r\n\r\n"), Refused(400)),
        ("a chunk's size without CR", chunks("5\nhello\r\n0\r\n\r\n"), Refused(400)),
        ("a chunk's data without CR", chunks("5\r\nhello\n0\r\n\r\n"), Refused(400)),
        ("more data than a chunk's size", chunks("5\r\nhelloX\r\n0\r\n\r\n"), Refused(400)),
        ("an extension of a chunk", chunks("5;a=b\r\nhello\r\n0\r\n\r\n"), Refused(400)),
        ("an extension with a line end", chunks("5;a\nb\r\nhello\r\n0\r\n\r\n"), Refused(400)),
        ("a length in the trailer", chunks("0\r\nContent-Length: 5\r\n\r\n"), Taken(1)),
        ("a trailer without a colon", chunks("0\r\nnonsense\r\n\r\n"), Refused(400)),
    ]
}

fn excess() -> Rows {
    let many: String = (0..101).map(|number| format!("X{number}: y\r\n")).collect();
    vec![
        ("101 headers", post(&many, ""), Refused(431)),
        ("a head of 70 KB", post(&format!("X: {}\r\n", "y".repeat(70_000)), ""), Refused(431)),
        ("an expectation nobody knows", post("Expect: magic\r\nContent-Length: 0\r\n", ""), Refused(417)),
    ]
}
