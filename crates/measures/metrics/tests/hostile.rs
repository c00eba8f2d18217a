//! A client and its ends, whatever it does: answers to two paths, or refusals.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use metrics::{Family, Host, Kind, Value};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// A region with one figure: how often it was asked.
#[derive(Default)]
struct Small {
    asked: AtomicUsize,
    at_once: AtomicUsize,
    most: AtomicUsize,
}

impl Host for Small {
    fn families(&self) -> Option<Vec<Family>> {
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let asked = self.asked.fetch_add(1, Ordering::SeqCst) as u64 + 1;
        let mut family = Family::new("asked", Kind::Counter, "how often").with(Value::Count(asked));
        // As long as no client can take at once: the slow ones below do not.
        (0..9_000).for_each(|n| family.add(&[("queue", &format!("Q{n:070}"))], Value::Count(n)));
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        Some(vec![family])
    }

    fn health(&self) -> (bool, String) {
        (false, String::from("{\"serves\":false}"))
    }
}

fn with_a_door(test: impl AsyncFnOnce(SocketAddr, Arc<Small>)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let small = Arc::new(Small::default());
    runtime.block_on(LocalSet::new().run_until(async {
        let at = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut door = metrics::open(at, Arc::clone(&small) as Arc<dyn Host>).expect("a port");
        test(door.address, small).await;
        door.stop().await;
    }));
}

/// Sends bytes: the whole answer; empty if there is none.
async fn sent(at: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    let mut answer = Vec::new();
    if stream.write_all(bytes).await.is_ok() {
        let _ = stream.read_to_end(&mut answer).await;
    }
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:9410\r\n\r\n").into_bytes()
}

#[test]
fn two_paths_are_answered_and_nothing_else() {
    with_a_door(async |at, _| {
        let metrics = sent(at, &get("/metrics")).await;
        assert!(metrics.starts_with("HTTP/1.1 200 OK\r\n"), "{}", &metrics[..200]);
        assert!(metrics.contains("\r\nContent-Type: application/openmetrics-text; version=1.0.0"));
        assert!(metrics.contains("\nasked_total 1\n") && metrics.ends_with("# EOF\n"));
        let health = sent(at, &get("/health")).await;
        assert!(health.starts_with("HTTP/1.1 503 ") && health.ends_with("{\"serves\":false}\n"), "{health}");
        let head = sent(at, b"HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
        for (request, status) in [
            (&get("/")[..], "404"),
            (&get("/metrics/../health"), "4"),
            (b"POST /metrics HTTP/1.1\r\nHost: ::\r\nContent-Length: 0\r\n\r\n", "4"),
            (b"PUT /metrics HTTP/1.1\r\nHost: [::1]:9\r\nContent-Length: 0\r\n\r\n", "405"),
            // A page whose name an attacker has made lead here.
            (b"GET /metrics HTTP/1.1\r\nHost: harbour.example\r\n\r\n", "421"),
            (b"GET /metrics HTTP/1.1\r\n\r\n", "400"),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"),
        ] {
            let answer = sent(at, request).await;
            let wanted = format!("HTTP/1.1 {status}");
            assert!(answer.starts_with(&wanted), "{}: {answer}", String::from_utf8_lossy(request));
        }
    });
}

#[test]
fn a_head_without_end_is_refused_before_it_is_long() {
    with_a_door(async |at, small| {
        let long = [b"GET /metrics HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 64 * 1024]].concat();
        assert!(sent(at, &long).await.starts_with("HTTP/1.1 431 "));
        let target = format!("GET /{} HTTP/1.1\r\nHost: ::1\r\n\r\n", "a".repeat(4_000));
        assert!(sent(at, target.as_bytes()).await.starts_with("HTTP/1.1 414 "));
        let many = format!("GET /metrics HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(500));
        assert!(sent(at, many.as_bytes()).await.starts_with("HTTP/1.1 431 "));
        assert_eq!(small.asked.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn who_sends_nothing_or_takes_nothing_is_let_go_and_others_are_served_then() {
    with_a_door(async |at, small| {
        // All places are taken by clients that say nothing, and by some that ask and do not listen.
        let mut silent = Vec::new();
        for n in 0..16 {
            let mut stream = TcpStream::connect(at).await.expect("a connection");
            if n % 2 == 0 {
                stream.write_all(&get("/metrics")).await.expect("a request");
            }
            silent.push(stream);
        }
        let begun = Instant::now();
        let answer = loop {
            let answer = sent(at, &get("/metrics")).await;
            if !answer.is_empty() {
                break answer;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "nobody is let go");
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        assert!(answer.starts_with("HTTP/1.1 200 "));
        assert!(begun.elapsed() > Duration::from_secs(1), "all places were taken");
        assert_eq!(small.most.load(Ordering::SeqCst), 1, "figures are read by one at a time");
    });
}
