//! Clients who mean no good, and their ends: refused, let go, or shown as text.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use console::{
    About, Answered, Change, Claim, Host, Look, NotSignedOn, Person, Refused, Served, Settings, Terminals,
};
use ebcdic::CodePage;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::timeout;

/// A name that is a piece of HTML.
const NAME: &str = "<script>window.ran=1</script>";
/// Long: slow machines are not what is tested.
const PATIENCE: Duration = Duration::from_secs(60);

/// A region with one user, ANNA, and one resource with a bad name.
#[derive(Default)]
struct Small {
    changes: AtomicUsize,
    strangers: AtomicUsize,
}

impl Host for Small {
    type User = String;

    fn about(&self) -> About {
        About { applid: "TEST".into(), sysid: "TEST".into(), version: "0".into(), unpeopled: false }
    }

    async fn sign_on(&self, claim: Claim) -> Result<String, NotSignedOn> {
        if claim.user == "ANNA" && claim.password == "secret" {
            Ok(claim.user)
        } else {
            Err(NotSignedOn::Wrong)
        }
    }

    fn certified(&self, _: &str) -> Option<String> {
        None
    }

    fn owner(&self, _: &str) -> Option<String> {
        None
    }

    fn nobody(&self) -> Option<String> {
        Some(String::from("CICSUSER"))
    }

    fn again(&self, user: &String) -> Option<String> {
        Some(user.clone())
    }

    fn signed_off(&self, _: &String) {}

    fn id(&self, user: &String) -> String {
        user.clone()
    }

    fn person(&self, user: &String) -> Person {
        let anna = user == "ANNA";
        Person {
            user: user.clone(),
            name: String::new(),
            inquires: anna,
            operates: anna,
            diagnoses: anna,
            default: !anna,
        }
    }

    fn refused(&self, _: Option<&String>, _: SocketAddr, _: &str) {
        self.strangers.fetch_add(1, Ordering::SeqCst);
    }

    async fn look(&self, user: String, look: Look) -> Answered {
        match look {
            Look::Resources { name, .. } if user == "ANNA" => {
                Ok(json!({ "like": name, "resources": [NAME] }))
            }
            _ => Err(Refused::NotPermitted),
        }
    }

    async fn change(&self, user: String, _: Change) -> Answered {
        if user != "ANNA" {
            return Err(Refused::NotPermitted);
        }
        self.changes.fetch_add(1, Ordering::SeqCst);
        Ok(json!({}))
    }
}

/// A terminal door that says nothing, and counts who sits there.
#[derive(Clone, Default)]
struct Silent(Rc<std::cell::Cell<usize>>);

impl Terminals<String> for Silent {
    fn serve(&self, _: &String, _: SocketAddr, mut stream: DuplexStream) -> Served {
        struct Sits(Rc<std::cell::Cell<usize>>);
        impl Drop for Sits {
            fn drop(&mut self) {
                self.0.set(self.0.get() - 1);
            }
        }
        self.0.set(self.0.get() + 1);
        let sits = Sits(Rc::clone(&self.0));
        Box::pin(async move {
            let _sits = sits;
            let mut byte = [0];
            while !matches!(stream.read(&mut byte).await, Ok(0) | Err(_)) {}
            String::from("the client has gone")
        })
    }

    fn code_page(&self) -> CodePage {
        CodePage::Ibm037
    }
}

fn with_a_console(test: impl AsyncFnOnce(SocketAddr, Arc<Small>, Silent)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (small, silent) = (Arc::new(Small::default()), Silent::default());
    runtime.block_on(LocalSet::new().run_until(async {
        let settings = Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            names: Vec::new(),
            certificate: None,
            idle: Duration::from_secs(900),
        };
        let opened = console::open(settings, Arc::clone(&small), Rc::new(silent.clone()));
        let mut console = opened.expect("a port");
        timeout(PATIENCE, test(console.address, small, silent)).await.expect("it ends in time");
        console.stop().await;
    }));
}

/// Sends a request whose connection ends with it: the whole answer; empty if there is none.
async fn sent(at: SocketAddr, bytes: &[u8]) -> String {
    let Ok(mut stream) = TcpStream::connect(at).await else { return String::new() };
    let mut answer = Vec::new();
    if stream.write_all(bytes).await.is_ok() {
        let _ = stream.read_to_end(&mut answer).await;
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// A request of a page of the console, but for what `fields` say instead.
fn request(at: SocketAddr, line: &str, fields: &[(&str, &str)], body: &str) -> Vec<u8> {
    let own = [
        ("Host", at.to_string()),
        ("Origin", format!("http://{at}")),
        ("Content-Type", "application/json".into()),
    ];
    let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in own {
        if !fields.iter().any(|(given, _)| *given == name) {
            text += &format!("{name}: {value}\r\n");
        }
    }
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        text += &format!("{name}: {value}\r\n");
    }
    format!("{text}\r\n{body}").into_bytes()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// The cookie of a user who has signed on.
async fn cookie(at: SocketAddr, shown: &str) -> String {
    let body = "{\"user\":\"ANNA\",\"password\":\"secret\"}";
    let answer = sent(at, &request(at, "POST /api/sign-on", &[("Cookie", shown)], body)).await;
    assert_eq!(status(&answer), "200", "{answer}");
    let (_, rest) = answer.split_once("Set-Cookie: ").expect("a cookie");
    let (cookie, attributes) = rest.split_once(';').expect("its attributes");
    assert!(attributes.starts_with(" Path=/; HttpOnly; SameSite=Strict\r\n"), "{attributes}");
    cookie.to_owned()
}

#[test]
fn a_page_of_another_origin_changes_nothing() {
    with_a_console(async |at, small, _| {
        let cookie = cookie(at, "").await;
        let set = "{\"of\":\"FILE\",\"name\":\"A\",\"values\":[[\"OPENSTATUS\",\"CLOSED\"]]}";
        for field in [
            ("Origin", "http://harbour.example"),
            ("Origin", "null"),
            ("Origin", ""),
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
            ("Content-Type", "text/plain"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ] {
            let answer = sent(at, &request(at, "POST /api/set", &[field, ("Cookie", &cookie)], set)).await;
            assert_eq!(status(&answer), "403", "{field:?}: {answer}");
        }
        assert_eq!(small.changes.load(Ordering::SeqCst), 0);
        assert_eq!(small.strangers.load(Ordering::SeqCst), 7, "the audit hears of each");
        let rebound = request(at, "GET /api/about", &[("Host", "harbour.example"), ("Cookie", &cookie)], "");
        assert_eq!(status(&sent(at, &rebound).await), "421");
        let read =
            request(at, "GET /api/types", &[("Sec-Fetch-Site", "cross-site"), ("Cookie", &cookie)], "");
        assert_eq!(status(&sent(at, &read).await), "403");
        let own = request(at, "POST /api/set", &[("Cookie", &cookie)], set);
        assert_eq!(status(&sent(at, &own).await), "200");
        assert_eq!(small.changes.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_session_is_not_fixed_and_ends() {
    with_a_console(async |at, _, _| {
        let name = format!("syncpoint-{}", at.port());
        let chosen = format!("{name}=00112233");
        let first = cookie(at, &chosen).await;
        assert_ne!(first, chosen);
        let types = |cookie: &str| request(at, "GET /api/resources", &[("Cookie", cookie)], "");
        assert_eq!(status(&sent(at, &types(&chosen)).await), "401");
        assert_eq!(status(&sent(at, &types(&first)).await), "200");
        let second = cookie(at, &first).await;
        assert_eq!(status(&sent(at, &types(&first)).await), "401", "the one before has ended");
        let off = request(at, "POST /api/sign-off", &[("Cookie", &second)], "{}");
        assert_eq!(status(&sent(at, &off).await), "200");
        assert_eq!(status(&sent(at, &types(&second)).await), "401");
        let wrong = request(at, "POST /api/sign-on", &[], "{\"user\":\"ANNA\",\"password\":\"guess\"}");
        let refused = sent(at, &wrong).await;
        assert!(status(&refused) == "403" && !refused.contains("Set-Cookie"), "{refused}");
        let nobody = sent(at, &request(at, "POST /api/sign-on", &[], "{}")).await;
        let (_, rest) = nobody.split_once("Set-Cookie: ").expect("a session of nobody's");
        let nobody = rest.split(';').next().expect("its name");
        for path in ["/api/now", "/api/types", "/api/log", "/api/dumps"] {
            let asked = request(at, &format!("GET {path}"), &[("Cookie", nobody)], "");
            assert_eq!(status(&sent(at, &asked).await), "403", "{path}");
        }
    });
}

#[test]
fn what_is_no_request_is_refused_and_names_stay_text() {
    with_a_console(async |at, _, _| {
        let cookie = cookie(at, "").await;
        let own = [("Cookie", cookie.as_str())];
        let long = "x".repeat(70_000);
        let get = |path: &str| request(at, &format!("GET {path}"), &own, "");
        for (bytes, expected) in [
            (request(at, "POST /api/set", &own, &long), "413"),
            (get(&format!("/api/resources?name={}", "x".repeat(3_000))), "414"),
            (request(at, "GET /", &[("X-Long", &long[..9_000])], ""), "431"),
            (request(at, "POST /api/set", &own, "{\"of\":1}"), "400"),
            (request(at, "POST /api/set", &own, "not JSON"), "400"),
            (request(at, "POST /api/set", &own, &"[".repeat(50_000)), "400"),
            (request(at, "DELETE /api/set", &own, ""), "405"),
            (get("/script/../api/types"), "4"),
            (get("/nothing"), "404"),
            (get("/api/nothing"), "404"),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 not HTTP".to_vec(), "400"),
        ] {
            let answer = sent(at, &bytes).await;
            assert!(status(&answer).starts_with(expected), "{expected}: {answer}");
        }
        let answer = sent(at, &get("/api/resources?name=%3Cscript%3E&of=FILE")).await;
        assert!(answer.contains("\r\nContent-Type: application/json\r\n"), "{answer}");
        for header in [
            "Content-Security-Policy: default-src 'none'; script-src 'self'",
            "X-Frame-Options: DENY",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cache-Control: no-store",
        ] {
            assert!(answer.contains(header), "{header}: {answer}");
        }
        assert!(
            answer.ends_with(&json!({ "like": "<script>", "resources": [NAME] }).to_string()),
            "{answer}"
        );
    });
}

/// The head of a request for a terminal.
fn upgrade(at: SocketAddr, path: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let own = [
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let all: Vec<_> = own.into_iter().chain(fields.iter().copied()).collect();
    let text = String::from_utf8(request(at, &format!("GET {path}"), &all, "")).expect("text");
    text.replace("Connection: close", "Connection: Upgrade").replace("Content-Length: 0\r\n", "").into_bytes()
}

/// A text of a browser as a frame.
fn masked(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).expect("a short text").to_be_bytes();
    [&[0x81, 0x80 | 126, length[0], length[1], 0, 0, 0, 0], text.as_bytes()].concat()
}

async fn terminal(at: SocketAddr, cookie: &str) -> TcpStream {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    stream.write_all(&upgrade(at, "/terminal?model=2", &[("Cookie", cookie)])).await.expect("sent");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("an answer"));
    }
    assert!(head.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&head));
    stream
}

#[test]
fn a_terminal_belongs_to_a_page_of_the_console_and_to_a_session() {
    with_a_console(async |at, _, silent| {
        let cookie = cookie(at, "").await;
        let own = ("Cookie", cookie.as_str());
        for (path, fields, expected) in [
            ("/terminal", vec![], "401"),
            ("/terminal", vec![own, ("Origin", "http://harbour.example")], "403"),
            ("/terminal", vec![own, ("Origin", "")], "403"),
            ("/terminal", vec![own, ("Host", "harbour.example")], "421"),
            ("/terminal?model=9", vec![own], "400"),
            ("/terminal?lu=%3Cscript%3E", vec![own], "400"),
            ("/other", vec![own], "404"),
        ] {
            let answer = sent(at, &upgrade(at, path, &fields)).await;
            assert_eq!(status(&answer), expected, "{path} {fields:?}: {answer}");
        }
        let mut sitting = Vec::new();
        for _ in 0..8 {
            sitting.push(terminal(at, &cookie).await);
        }
        let more = sent(at, &upgrade(at, "/terminal", &[own])).await;
        assert_eq!(status(&more), "503", "{more}");
        assert_eq!(silent.0.get(), 8);
        // Messages that mean nothing end the terminal, and so does a closed tab; the end of the session ends all.
        for bytes in [
            masked("{\"key\":\"<script>\"}"),
            masked("[]"),
            vec![0x81, 1, b'x'],
            vec![0x82, 0x80, 0, 0, 0, 0],
        ] {
            let mut stream = sitting.pop().expect("a terminal");
            stream.write_all(&bytes).await.expect("sent");
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            assert!(
                rest.windows(2).any(|two| two == [0x03, 0xF0] || two == [0x03, 0xEA] || two == [0x03, 0xEB]),
                "{rest:?}"
            );
        }
        drop(sitting.pop());
        while silent.0.get() > 3 {
            tokio::task::yield_now().await;
        }
        sent(at, &request(at, "POST /api/sign-off", &[own], "{}")).await;
        while silent.0.get() > 0 {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn a_thousand_open_sockets_and_a_flood_of_keys_leave_room_for_others() {
    with_a_console(async |at, _, silent| {
        let cookie = cookie(at, "").await;
        let mut flood = terminal(at, &cookie).await;
        let keys = masked("{\"key\":\"tab\"}").repeat(300);
        let flooding = tokio::task::spawn_local(async move { while flood.write_all(&keys).await.is_ok() {} });
        let mut silent_ones = Vec::new();
        for _ in 0..1_000 {
            if let Ok(stream) = TcpStream::connect(at).await {
                silent_ones.push(stream);
            }
        }
        // One address has no more than its share; when some leave, others find room.
        silent_ones.truncate(100);
        let answer = loop {
            let answer = sent(at, &request(at, "GET /api/about", &[("Cookie", &cookie)], "")).await;
            if !answer.is_empty() {
                break answer;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(status(&answer), "200");
        // A browser that sends faster than anybody types loses the terminal.
        let _ = flooding.await;
        while silent.0.get() > 0 {
            tokio::task::yield_now().await;
        }
    });
}
