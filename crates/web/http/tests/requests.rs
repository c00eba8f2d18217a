//! Reading of requests: hostile ones, and ordinary ones.

#[path = "hostile/cases.rs"]
mod cases;

use cases::Wanted;
use http::body::Length;
use http::url::Scheme;
use http::{Event, Incoming, Limits, Refusal, RequestHead};

/// The heads of all requests in some bytes, and the refusal at their end.
fn read(bytes: &[u8], limits: Limits) -> (Vec<(RequestHead, Vec<u8>)>, Option<Refusal>) {
    let mut incoming = Incoming::new(limits);
    incoming.take(bytes);
    let mut requests = Vec::new();
    let mut head = None;
    loop {
        match incoming.next_event() {
            Ok(Some(Event::Head(read))) => head = Some(*read),
            Ok(Some(Event::Body(body, _))) => requests.extend(head.take().map(|head| (head, body))),
            Ok(None) => return (requests, None),
            Err(refusal) => return (requests, Some(refusal)),
        }
    }
}

fn one(bytes: &str) -> RequestHead {
    let (mut requests, refusal) = read(bytes.as_bytes(), Limits::default());
    assert_eq!(refusal, None, "{bytes}");
    requests.pop().expect("a request").0
}

#[test]
fn hostile_requests_are_refused() {
    let cases = cases::all();
    assert_eq!(cases.len(), 67);
    for case in cases {
        let (requests, refusal) = read(&case.bytes, Limits::default());
        let outcome = match refusal {
            Some(refusal) if requests.is_empty() => Wanted::Refused(refusal.status()),
            Some(_) => panic!("{}: something of it was taken", case.name),
            None => Wanted::Taken(requests.len()),
        };
        assert_eq!(outcome, case.wanted, "{}: {refusal:?}", case.name);
    }
}

#[test]
fn a_head_says_who_what_and_where() {
    let head = one("GET /a%20b?x=1&y HTTP/1.1\r\nHost: Example.org:8080\r\nX: y\r\n\r\n");
    assert_eq!((head.method(), head.path(), head.query()), ("GET", "/a%20b", Some("x=1&y")));
    assert_eq!((head.authority(), head.host()), (Some("Example.org:8080"), Some("Example.org")));
    assert_eq!((head.scheme(), head.fields().get("x")), (None, Some(b"y".as_slice())));
    let head = one("GET https://b?q HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!((head.scheme(), head.host(), head.path()), (Some(Scheme::Https), Some("b"), "/"));
    assert_eq!(head.query(), Some("q"));
    assert_eq!(one("OPTIONS * HTTP/1.1\r\nHost: [::1]:80\r\n\r\n").host(), Some("[::1]"));
    assert_eq!(one("GET / HTTP/1.0\r\n\r\n").host(), None);
}

#[test]
fn a_connection_is_kept_as_its_version_says() {
    for (line, header, keeps) in [
        ("GET / HTTP/1.1", "", true),
        ("GET / HTTP/1.1", "Connection: close\r\n", false),
        ("GET / HTTP/1.1", "Connection: x, Close\r\n", false),
        ("GET / HTTP/1.0", "", false),
        ("GET / HTTP/1.0", "Connection: Keep-Alive\r\n", true),
        ("GET / HTTP/1.0", "Connection: keep-alive, close\r\n", false),
    ] {
        assert_eq!(one(&format!("{line}\r\nHost: a\r\n{header}\r\n")).keeps(), keeps, "{line} {header}");
    }
}

#[test]
fn a_body_too_long_is_refused_before_it_is_read() {
    let limits = Limits::with_body(5);
    let (_, refusal) = read(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n", limits);
    assert_eq!(refusal.map(Refusal::status), Some(413));
    let (_, refusal) = read(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n", limits);
    assert_eq!(refusal.map(Refusal::status), Some(413));
}

#[test]
fn targets_and_heads_have_limits() {
    let limits = Limits { head: 200, target: 50, body: 0 };
    let of = |target: usize, value: usize| {
        let (target, value) = ("x".repeat(target - 1), "y".repeat(value));
        let text = format!("GET /{target} HTTP/1.1\r\nHost: a\r\nX: {value}\r\n\r\n");
        read(text.as_bytes(), limits).1.map(Refusal::status)
    };
    assert_eq!((of(50, 1), of(51, 1), of(500, 1)), (None, Some(414), Some(414)));
    assert_eq!((of(1, 150), of(1, 200)), (None, Some(431)));
}

#[test]
fn an_expectation_is_for_http_11() {
    let of =
        |version: &str| one(&format!("POST / HTTP/{version}\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n"));
    assert!(of("1.1").expects_continue());
    assert!(!of("1.0").expects_continue());
}

#[test]
fn a_head_may_be_made() {
    let make = |target: &str| RequestHead::make("GET", Scheme::Https, "h:1", target, [("x", "y")]);
    let head = make("/p?q").expect("a head");
    assert_eq!((head.method(), head.host(), head.path(), head.query()), ("GET", Some("h"), "/p", Some("q")));
    assert_eq!((head.scheme(), head.length()), (Some(Scheme::Https), Length::Known(0)));
    assert!(make("p").is_err() && make("/#").is_err());
}
