//! Clients that leave: before their answer, in the middle of their request, on one side only.

use crate::common::displayed;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::common::Run;
use crate::{abends, address, get, heard, logged, request, sent, site};

/// The way in which a client leaves that waits for a protected task.
enum Leaves {
    Reset,
    Closes,
    ResetsItsStream,
}

/// A request of HTTP/2: the preface, SETTINGS, HEADERS of stream 1.
fn stream(path: &str) -> Vec<u8> {
    let length = u8::try_from(path.len()).expect("short");
    // GET, http, :path and :authority as literals.
    let block = [&[0x82, 0x86, 0x04, length], path.as_bytes(), b"\x01\x01a"].concat();
    let frame = |kind: u8, flags: u8, stream: u8, payload: &[u8]| {
        let length = u8::try_from(payload.len()).expect("short");
        [&[0, 0, length, kind, flags, 0, 0, 0, stream], payload].concat()
    };
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), frame(4, 0, 0, b""), frame(1, 5, 1, &block)].concat()
}

const RST_STREAM: &[u8] = &[0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8];

/// A client that leaves while a task works for it which may not be purged.
async fn leaves(run: &Run, how: &Leaves, path: &str) -> Option<TcpStream> {
    let bytes = if matches!(how, Leaves::ResetsItsStream) { stream(path) } else { request(path) };
    let mut client = sent(address(run, "SHOP"), &bytes).await;
    run.until("the program waits", || displayed("HELD").is_some()).await;
    let kept = match how {
        Leaves::Reset => {
            client.set_zero_linger().expect("set");
            drop(client);
            None
        }
        Leaves::Closes => {
            drop(client);
            None
        }
        Leaves::ResetsItsStream => {
            client.write_all(RST_STREAM).await.expect("written");
            Some(client)
        }
    };
    run.until("the region has heard of it", || logged(": its client has gone")).await;
    kept
}

#[test]
fn what_a_task_has_changed_is_backed_out_when_its_client_has_gone_before_the_answer() {
    for (name, how) in
        [("reset", Leaves::Reset), ("closes", Leaves::Closes), ("stream", Leaves::ResetsItsStream)]
    {
        site(&format!("web-door-leaves-{name}"), "", "").run(async |run| {
            let back = address(run, "BACK");
            let _client = leaves(run, &how, "/held").await;
            assert_eq!(get(back, "/go").await, "OK");
            run.until("it goes on to its end", || displayed("GOES ON").is_some()).await;
            // Its queue is locked until its changes are backed out.
            assert_eq!(get(back, "/left").await, "NONE", "{name}");
            run.until("that is told", || logged("is backed out: its client has gone before the answer"))
                .await;
            run.until("the answer is lost", || logged("an answer is lost: its client has gone")).await;
            assert_eq!(abends("HELD"), ["AKCS"], "{name}");
            true
        });
    }
}

#[test]
fn an_answer_that_is_to_go_at_once_to_a_client_that_has_gone_is_ioerr() {
    site("web-door-immediate", "", "").run(async |run| {
        leaves(run, &Leaves::Reset, "/says").await;
        assert_eq!(get(address(run, "BACK"), "/go").await, "OK");
        run.until("the program knows it", || displayed("SAYS").is_some()).await;
        assert_eq!(displayed("SAYS").as_deref(), Some(" IOERR"));
        true
    });
}

#[test]
fn a_client_that_says_that_it_will_send_no_more_gets_its_answer() {
    for (name, head) in
        [("10", "HTTP/1.0\r\n\r\n"), ("11", "HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")]
    {
        site(&format!("web-door-half-{name}"), "", "").run(async |run| {
            let mut client = sent(address(run, "SHOP"), format!("GET /held {head}").as_bytes()).await;
            client.shutdown().await.expect("closed on one side");
            run.until("the program waits", || displayed("HELD").is_some()).await;
            let back = address(run, "BACK");
            assert_eq!(get(back, "/go").await, "OK");
            let answer = heard(client).await;
            assert!(answer.ends_with("\r\n\r\nHELD"), "{name}: {answer}");
            assert_eq!(get(back, "/left").await, "SOME");
            assert!(!logged("client has gone"), "{name}");
            true
        });
    }
}

#[test]
fn a_client_that_leaves_in_the_middle_of_its_request_is_told_of() {
    site("web-door-middle", "", "").run(async |run| {
        let begun = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{\"item\"";
        drop(sent(address(run, "SHOP"), begun).await);
        run.until("that is told", || logged("a client has left in the middle of its request")).await;
        assert_eq!(get(address(run, "SHOP"), "/").await, "OK");
        true
    });
}

#[test]
fn immclose_ends_connections_whatever_they_work_on() {
    site("web-door-immclose", "", "").run(async |run| {
        let client = sent(address(run, "SHOP"), &request("/soft")).await;
        run.until("the program waits", || displayed("HELD").is_some()).await;
        assert_eq!(get(address(run, "BACK"), "/shut").await, "OK");
        assert_eq!(heard(client).await, "");
        run.until("its task is purged", || abends("SOFT") == ["AKCS"]).await;
        assert_eq!(get(address(run, "BACK"), "/left").await, "NONE");
        true
    });
}
