//! Conversations on a connection, byte by byte.

mod common;

use std::net::IpAddr;
use std::time::Duration;

use common::{local, open, read_until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use web::{Limits, Welcome};

fn get(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n{more}\r\n")
}

fn post(path: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn plain() -> common::Open {
    open(Limits::default(), Welcome::default())
}

#[tokio::test]
async fn requests_of_one_connection_are_answered_in_their_order() {
    local(async {
        let open = plain();
        let mut stream = open.connect().await;
        let many: String = (0..40).map(|number| post("/s", &format!("<{number}>"))).collect();
        stream.write_all(many.as_bytes()).await.expect("sent");
        let answers = read_until(&mut stream, "<39>").await;
        let order: Vec<_> =
            (0..40).map(|number| answers.find(&format!("<{number}>")).expect("an answer")).collect();
        assert!(order.is_sorted());
        assert_eq!(open.door.kept(), 1);
        stream.write_all(get("/static", "").as_bytes()).await.expect("sent");
        read_until(&mut stream, "a file").await;
        drop(stream);
    })
    .await;
}

#[tokio::test]
async fn a_connection_ends_when_one_side_says_so() {
    local(async {
        let open = plain();
        for (request, header) in [
            (get("/s", "Connection: close\r\n"), "Connection: close\r\n"),
            ("GET /s HTTP/1.0\r\n\r\n".to_owned(), "Connection: close\r\n"),
        ] {
            let mut stream = open.connect().await;
            stream.write_all(request.as_bytes()).await.expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("the end");
            assert!(answer.contains(header), "{answer}");
        }
        let mut kept = open.connect().await;
        kept.write_all(b"GET /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").await.expect("sent");
        read_until(&mut kept, "Connection: keep-alive\r\n").await;
        open.door.close();
        assert_eq!(kept.read_to_end(&mut Vec::new()).await.expect("the end"), 0, "the door has closed");
    })
    .await;
}

#[tokio::test]
async fn a_region_that_is_about_to_end_sends_clients_away_with_their_answers() {
    local(async {
        let open = plain();
        let (mut asks, mut idles) = (open.connect().await, open.connect().await);
        for stream in [&mut asks, &mut idles] {
            stream.write_all(get("/s", "").as_bytes()).await.expect("sent");
            let answer = read_until(stream, "\r\n\r\n").await;
            assert!(!answer.contains("Connection: close"), "{answer}");
        }
        open.sends_away(true);
        asks.write_all(get("/s", "").as_bytes()).await.expect("sent");
        let mut answer = String::new();
        asks.read_to_string(&mut answer).await.expect("the end");
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("Connection: close\r\n"), "{answer}");
        // One that asks nothing keeps its connection, until it does or the door closes.
        open.sends_away(false);
        idles.write_all(get("/s", "").as_bytes()).await.expect("sent");
        let answer = read_until(&mut idles, "\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200") && !answer.contains("Connection: close"), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn answers_have_the_bodies_they_may_have() {
    local(async {
        let open = plain();
        let ends = |answer: &str| answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        let head = open.exchange(b"HEAD /static HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert!(head.contains("Content-Length: 6\r\n"), "{head}");
        assert_eq!(ends(&head).as_deref(), Some(""));
        let none = open.exchange(get("/none", "").as_bytes()).await;
        assert!(
            none.starts_with("HTTP/1.1 204 No Content\r\n") && !none.contains("Content-Length"),
            "{none}"
        );
        let phrase = open.exchange(get("/phrase", "").as_bytes()).await;
        assert!(phrase.starts_with("HTTP/1.1 200 KEY=0017\r\n"), "{phrase}");
        let fields = open.exchange(get("/fields", "").as_bytes()).await;
        assert!(fields.contains("Content-Length: 0\r\n") && fields.contains("Server: own\r\n"), "{fields}");
        assert!(fields.contains("X-Own: 1\r\n") && !fields.contains("99"), "{fields}");
        assert!(open.exchange(get("/nothing", "").as_bytes()).await.starts_with("HTTP/1.1 500 "));
        assert!(open.exchange(get("/replaced", "").as_bytes()).await.ends_with("second"));
    })
    .await;
}

#[tokio::test]
async fn chunks_go_out_as_they_come_and_have_an_end_only_if_there_was_one() {
    local(async {
        let open = plain();
        let whole = open.exchange(get("/chunks", "").as_bytes()).await;
        assert!(whole.ends_with("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\nX-Sum: 2\r\n\r\n"), "{whole}");
        let broken = open.exchange(get("/broken", "").as_bytes()).await;
        assert!(broken.ends_with("3\r\ntwo\r\n"), "{broken}");
        let old = open.exchange(b"GET /chunks HTTP/1.0\r\n\r\n").await;
        assert!(old.ends_with("\r\n\r\nonetwo") && !old.contains("chunked"), "{old}");
    })
    .await;
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_to_go_on_or_not() {
    local(async {
        let open = plain();
        let expecting = |path: &str| {
            format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        };
        let mut stream = open.connect().await;
        stream.write_all(expecting("/s").as_bytes()).await.expect("sent");
        read_until(&mut stream, "HTTP/1.1 100 Continue\r\n\r\n").await;
        stream.write_all(b"body").await.expect("sent");
        read_until(&mut stream, "\r\n\r\nbody").await;
        let mut refused = open.connect().await;
        refused.write_all(expecting("/no").as_bytes()).await.expect("sent");
        let answer = read_until(&mut refused, "\r\n\r\nno").await;
        assert!(answer.starts_with("HTTP/1.1 401 ") && answer.contains("Connection: close"), "{answer}");
        let large = "POST /s HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\nExpect: 100-continue\r\n\r\n";
        assert!(open.exchange(large.as_bytes()).await.starts_with("HTTP/1.1 413 "));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_client_holds_nothing_up() {
    local(async {
        let limits = Limits { idle_max: Some(Duration::from_secs(60)), ..Limits::default() };
        let open = open(limits, Welcome::default());
        for begun in [
            "GET /s HTT".to_owned(),
            get("/s", "X: y").trim_end().to_owned(),
            post("/s", "ab").replace("ab", "a"),
        ] {
            let mut stream = open.connect().await;
            stream.write_all(begun.as_bytes()).await.expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.expect("the end");
            assert!(answer.starts_with("HTTP/1.1 408 "), "{begun}: {answer}");
        }
        let mut silent = open.connect().await;
        assert_eq!(silent.read_to_end(&mut Vec::new()).await.expect("the end"), 0);
        let mut idle = open.connect().await;
        idle.write_all(get("/s", "").as_bytes()).await.expect("sent");
        read_until(&mut idle, "\r\n\r\n").await;
        assert_eq!(idle.read_to_end(&mut Vec::new()).await.expect("the end"), 0);
    })
    .await;
}

#[tokio::test]
async fn half_a_thousand_slow_clients_keep_no_other_client_waiting() {
    local(async {
        let open = plain();
        let mut slow = Vec::new();
        for _ in 0..500 {
            let mut stream = open.connect().await;
            stream.write_all(b"POST /s HTTP/1.1\r\nHost: a\r\nX: ").await.expect("sent");
            slow.push(stream);
        }
        while open.door.connections() < slow.len() {
            tokio::task::yield_now().await;
        }
        assert!(open.exchange(post("/s", "quick").as_bytes()).await.ends_with("quick"));
        // They are late, and nothing else: each goes on where it stopped.
        for stream in &mut slow {
            stream.write_all(b"y\r\nContent-Length: 4\r\n\r\nslow").await.expect("sent");
        }
        for stream in &mut slow {
            read_until(stream, "\r\n\r\nslow").await;
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_loses_its_answer() {
    local(async {
        let open = plain();
        let mut stream = open.connect().await;
        stream.write_all(get("/endless", "").as_bytes()).await.expect("sent");
        open.region.happened.notified().await;
        assert_eq!(*open.region.seen.borrow(), ["stopped"]);
        drop(stream);
    })
    .await;
}

#[tokio::test]
async fn a_client_that_leaves_is_seen_to_leave() {
    local(async {
        let open = plain();
        let mut stream = open.connect().await;
        stream.write_all(get("/wait", "").as_bytes()).await.expect("sent");
        open.region.happened.notified().await;
        drop(stream);
        open.region.happened.notified().await;
        assert_eq!(*open.region.seen.borrow(), ["waits", "gone"]);
    })
    .await;
}

#[tokio::test]
async fn a_client_that_has_its_answer_may_leave() {
    local(async {
        let open = plain();
        let mut stream = open.connect().await;
        stream.write_all(get("/early", "").as_bytes()).await.expect("sent");
        read_until(&mut stream, "early").await;
        drop(stream);
        // The door sees that it has gone before the work goes on.
        let mut next = open.connect().await;
        next.write_all(get("/static", "").as_bytes()).await.expect("sent");
        read_until(&mut next, "a file").await;
        open.region.goes_on.notify_one();
        open.region.happened.notified().await;
        assert_eq!(*open.region.seen.borrow(), ["went on"]);
    })
    .await;
}

#[tokio::test]
async fn so_many_connections_are_kept_and_so_many_have_a_place() {
    local(async {
        let limits = Limits { kept_max: Some(1), connections_max: 2, ..Limits::default() };
        let open = open(limits, Welcome::default());
        let mut first = open.connect().await;
        first.write_all(post("/s", "one").as_bytes()).await.expect("sent");
        assert!(!read_until(&mut first, "\r\n\r\none").await.contains("Connection"));
        let mut second = open.connect().await;
        second.write_all(get("/static", "").as_bytes()).await.expect("sent");
        assert!(read_until(&mut second, "a file").await.contains("Connection: close\r\n"));
        assert_eq!(second.read_to_end(&mut Vec::new()).await.expect("the end"), 0);
        while open.door.connections() > 1 {
            tokio::task::yield_now().await;
        }
        let mut waiting = open.connect().await;
        waiting.write_all(b"GET /w").await.expect("sent");
        while open.door.connections() < 2 {
            tokio::task::yield_now().await;
        }
        let full = open.exchange(b"").await;
        assert!(full.starts_with("HTTP/1.1 503 ") && full.contains("Retry-After: 1\r\n"), "{full}");
    })
    .await;
}

#[tokio::test]
async fn a_proxy_speaks_first_and_for_its_client() {
    local(async {
        let here: IpAddr = [127, 0, 0, 1].into();
        let welcome = Welcome { proxies: Some([here].into()), ..Welcome::default() };
        let open = open(Limits::default(), welcome);
        let mut header =
            b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0C\x0A\x01\x02\x03\x0A\x00\x00\x01\x12\x34\x01\xBB".to_vec();
        header.extend_from_slice(get("/peer", "").as_bytes());
        let answer = open.exchange(&header).await;
        assert!(answer.contains("client: 10.1.2.3:4660"), "{answer}");
        assert_eq!(open.exchange(get("/peer", "").as_bytes()).await, "", "nobody else is heard");
        let other: IpAddr = [192, 0, 2, 1].into();
        let closed =
            common::open(Limits::default(), Welcome { proxies: Some([other].into()), ..Welcome::default() });
        assert_eq!(closed.exchange(&header).await, "", "the peer is none of the proxies");
    })
    .await;
}
