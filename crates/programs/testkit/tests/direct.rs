//! The direct path under clients that do what clients do: too much, too little, nothing, and while a program is replaced.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use common::{Run, Site};
use domains::statistics::Statistics;
use kernel::dispatcher::Dispatcher;
use kernel::name::Name8;
use kernel::programs::Programs;
use spec::measures::{StatisticId, stat};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest wait for an answer on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// Answers with what it was sent; `delayN` after N tenths of a second, `sleep` too late, `abend` never.
const PROGRAM: &str = r#"
```cobol WORKS threadsafe
01 P POINTER.
01 CODE-PSYNC PIC S9(9) COMP-5.
01 TENTHS PIC 9.
01 MS PIC S9(8) COMP.
01 GOT POINTER.
LINKAGE SECTION.
COPY VSVCLIST.
01 REQU PIC X(60).
01 REQL PIC S9(9) COMP.
01 RESP PIC X(60).
01 RESPL PIC S9(9) COMP.
PROCEDURE DIVISION.
CALL 'VSVPSYNC' USING P RETURNING CODE-PSYNC
PERFORM UNTIL CODE-PSYNC NOT = ZERO
  SET ADDRESS OF LIST-POINTER TO P
  SET ADDRESS OF REQU TO LIST-ADR-REQU
  SET ADDRESS OF REQL TO LIST-ADR-REQUL
  SET ADDRESS OF RESP TO LIST-ADR-RESP
  SET ADDRESS OF RESPL TO LIST-ADR-RESPL
  MOVE REQU(1:REQL) TO RESP
  MOVE REQL TO RESPL
  EVALUATE REQU(1:5)
    WHEN 'delay'
      MOVE REQU(6:1) TO TENTHS
      COMPUTE MS = TENTHS * 100
      EXEC CICS DELAY FOR MILLISECS(MS) END-EXEC
    WHEN 'sleep' EXEC CICS DELAY FOR SECONDS(600) END-EXEC
    WHEN 'takes' EXEC CICS GETMAIN SET(GOT) FLENGTH(4000000) END-EXEC
    WHEN 'abend' EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC
  END-EVALUATE
  CALL 'VSVPSYNC' USING P RETURNING CODE-PSYNC
END-PERFORM
GOBACK.
```
"#;

fn application(direct: &str, scenario: &str) -> String {
    format!(
        "# Direct\n\n```toml\n[direct]\nlisten = \"127.0.0.1:0\"\n{direct}\n[[direct.scenario]]\npath = \"/works\"\n\
         program = \"WORKS\"\n{scenario}\n```\n{PROGRAM}"
    )
}

async fn connect(run: &Run) -> TcpStream {
    let address = run.house.running.addresses("direct")[0];
    TcpStream::connect(address).await.expect("a connection")
}

fn request(body: &str) -> Vec<u8> {
    format!("POST /works HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The status and body of the next answer, and nothing behind it.
async fn answer(stream: &mut TcpStream) -> Option<(u16, String)> {
    let read = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.ok()?);
        }
        let head = String::from_utf8(head).ok()?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "))?;
        let mut body = vec![0; length.parse().ok()?];
        stream.read_exact(&mut body).await.ok()?;
        Some((status, String::from_utf8(body).ok()?))
    };
    tokio::time::timeout(PATIENCE, read).await.expect("an answer or the end in time")
}

async fn ask(stream: &mut TcpStream, body: &str) -> Option<(u16, String)> {
    stream.write_all(&request(body)).await.ok()?;
    answer(stream).await
}

fn ok(body: &str) -> Option<(u16, String)> {
    Some((200, body.to_owned()))
}

/// A number of the scenario's statistics.
fn counted(run: &Run, field: StatisticId) -> u64 {
    let region = &run.house.running.region;
    let all = Statistics::of(region).now(region);
    all.iter().find_map(|record| record.number(field)).expect("a record of the scenario")
}

#[test]
fn a_client_that_misbehaves_harms_no_other() {
    let text = application("idle = 1\nreceive = 1\nconnections = 8", "instances = 1\nmessage = 40");
    Site::new("direct-hostile", &text).run(async |run| {
        let mut good = connect(run).await;
        assert_eq!(ask(&mut good, "one").await, ok("one"));
        // Half a message, and then nothing.
        let mut half = connect(run).await;
        half.write_all(&request("whole")[..30]).await.expect("sent");
        assert_eq!(answer(&mut half).await.map(|(status, _)| status), Some(408));
        assert_eq!(answer(&mut half).await, None, "it is hung up on");
        // Nothing at all.
        let mut silent = connect(run).await;
        assert_eq!(answer(&mut silent).await, None, "whoever is silent is let go");
        // Too much: by its head, in chunks, and in its head.
        let mut large = connect(run).await;
        assert_eq!(ask(&mut large, &"x".repeat(41)).await.map(|(status, _)| status), Some(413));
        let mut chunks = connect(run).await;
        let chunked = "POST /works HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n30\r\n";
        chunks.write_all(chunked.as_bytes()).await.expect("sent");
        chunks.write_all(&[b'x'; 48]).await.expect("sent");
        chunks.write_all(b"\r\n0\r\n\r\n").await.expect("sent");
        assert_eq!(answer(&mut chunks).await.map(|(status, _)| status), Some(413));
        let mut nonsense = connect(run).await;
        nonsense.write_all(b"\x16\x03\x01\x02\x00\x01\r\n\r\n").await.expect("sent");
        assert_eq!(answer(&mut nonsense).await.map(|(status, _)| status), Some(400));
        // It leaves while its program works.
        let mut leaves = connect(run).await;
        leaves.write_all(&request("delay3")).await.expect("sent");
        run.until("its message is in hand", || counted(run, stat::SPDMSGS) == 2).await;
        drop(leaves);
        let mut good = connect(run).await;
        assert_eq!(ask(&mut good, "two").await, ok("two"));
        // Requests behind one another.
        good.write_all(&[request("three"), request("four")].concat()).await.expect("sent");
        assert_eq!(answer(&mut good).await, ok("three"));
        assert_eq!(answer(&mut good).await, ok("four"));
        true
    });
}

#[test]
fn beyond_its_queue_a_scenario_refuses() {
    // On one TCB: each has instances and a queue of its own.
    let text = application("", "instances = 1\nqueue = 1\ntime = 60").replace("threadsafe", "");
    Site::new("direct-overload", &text).run(async |run| {
        let mut first = connect(run).await;
        first.write_all(&request("delay9")).await.expect("sent");
        run.until("it is in hand", || counted(run, stat::SPDMSGS) == 1).await;
        let mut second = connect(run).await;
        second.write_all(&request("second")).await.expect("sent");
        run.until("another waits", || counted(run, stat::SPDQUEUE) == 1).await;
        let mut third = connect(run).await;
        assert_eq!(ask(&mut third, "third").await, Some((503, String::new())));
        assert_eq!(answer(&mut first).await, ok("delay9"));
        assert_eq!(answer(&mut second).await, ok("second"));
        assert_eq!(ask(&mut third, "again").await, ok("again"), "the connection goes on");
        assert_eq!((counted(run, stat::SPDREF), counted(run, stat::SPDQPEAK)), (1, 1));
        true
    });
}

#[test]
fn a_message_that_takes_too_long_ends_its_instance_alone() {
    let text = application("", "instances = 1\ntime = 1");
    Site::new("direct-late", &text).run(async |run| {
        let mut late = connect(run).await;
        assert_eq!(ask(&mut late, "sleep").await, Some((504, String::new())));
        assert_eq!(ask(&mut late, "next").await, ok("next"));
        assert_eq!(counted(run, stat::SPDLATE), 1);
        assert_eq!(ask(&mut late, "abend").await, Some((500, String::new())));
        assert_eq!(ask(&mut late, "again").await, ok("again"));
        assert_eq!(counted(run, stat::SPDABND), 1);
        true
    });
}

#[test]
fn what_a_message_has_got_goes_with_it() {
    // The window of a task has 64 MB: messages that left their areas there would fill it.
    Site::new("direct-storage", &application("", "instances = 1")).run(async |run| {
        let mut stream = connect(run).await;
        for _ in 0..200 {
            assert_eq!(ask(&mut stream, "takes").await, ok("takes"));
        }
        assert_eq!(counted(run, stat::SPDABND), 0);
        true
    });
}

#[test]
fn a_new_copy_replaces_instances_without_a_lost_message() {
    let text = application("", "instances = 3");
    Site::new("direct-newcopy", &text).run(async |run| {
        let over = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let mut clients = Vec::new();
        for client in 0..4 {
            let mut stream = connect(run).await;
            let (over, answered) = (Arc::clone(&over), Arc::clone(&answered));
            clients.push(tokio::task::spawn_local(async move {
                for number in 0.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let text = format!("{client} {number}");
                    assert_eq!(ask(&mut stream, &text).await, ok(&text));
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            }));
        }
        let region = Arc::clone(&run.house.running.region);
        let (started, running) = (|| counted(run, stat::SPDSTART), || counted(run, stat::SPDINST));
        let all = 3 * Dispatcher::of(&region).acceptor_tcbs(None).len() as u64;
        run.until("all run", || running() == all).await;
        for _ in 0..5 {
            let (before, starts) = (answered.load(Ordering::Relaxed), started());
            run.until("messages are served", || answered.load(Ordering::Relaxed) > before + 20).await;
            Programs::of(&region).new_copy(Name8::from("WORKS")).await.expect("a new copy");
            run.until("all are new", || started() >= starts + all && running() == all).await;
        }
        over.store(true, Ordering::Relaxed);
        for client in clients {
            client.await.expect("no message was lost");
        }
        assert_eq!((counted(run, stat::SPDREF), counted(run, stat::SPDABND)), (0, 0));
        true
    });
}

#[test]
fn the_end_of_the_region_answers_what_it_has_taken() {
    let text = application("", "instances = 1");
    let site = Site::new("direct-end", &text);
    let mut last = None;
    site.run(async |run| {
        let mut stream = connect(run).await;
        stream.write_all(&request("delay5")).await.expect("sent");
        run.until("it is in hand", || counted(run, stat::SPDMSGS) == 1).await;
        last = Some(tokio::task::spawn_local(async move { answer(&mut stream).await }));
        assert!(Dispatcher::of(&run.house.running.region).running() > 0);
        true
    });
    let last = last.expect("a client");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
    assert!(last.is_finished(), "the region has ended behind its answer");
    assert_eq!(runtime.block_on(last).expect("it has its answer"), ok("delay5"));
}
