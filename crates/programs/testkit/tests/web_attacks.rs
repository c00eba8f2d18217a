//! Mistakes and attacks of clients of a region's web services: requests that no front door must take, slow ones by the
//! hundred, and clients that leave. Whatever they do, the region goes on.

#[path = "../../../web/http/tests/hostile/cases.rs"]
mod cases;
mod common;

use std::net::SocketAddr;

use cases::Wanted;
use common::{Run, Site, displayed};
use testkit::timeline::{Happening, Timeline};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const REGION: &str = r#"
```csd
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(1)
DEFINE URIMAP(ALL)  GROUP(T) HOST(*) PATH(/*) PROGRAM(ANSWER)
DEFINE URIMAP(WAIT) GROUP(T) HOST(*) PATH(/wait) PROGRAM(WAITS)
DEFINE URIMAP(LEFT) GROUP(T) HOST(*) PATH(/left) PROGRAM(LEFT)
DEFINE TRANSACTION(CWBA) GROUP(T) PROGRAM(DFHWBA) SPURGE(YES)
DEFINE TSMODEL(TRACE) GROUP(T) PREFIX(TRACE) RECOVERY(YES)
```

```toml
[web.services]
SHOP = "127.0.0.1:0"
```

```cobol ANSWER threadsafe
EXEC CICS WEB SEND FROM('OK') FROMLENGTH(2) END-EXEC
```

```cobol WAITS threadsafe
EXEC CICS WRITEQ TS QUEUE('TRACE') FROM('A') END-EXEC
DISPLAY 'WAITS'
EXEC CICS DELAY FOR HOURS(1) END-EXEC
EXEC CICS WEB SEND FROM('OK') FROMLENGTH(2) END-EXEC
```

```cobol LEFT threadsafe
EXEC CICS READQ TS QUEUE('TRACE') INTO(REC) RESP(R) END-EXEC
IF R = DFHRESP(QIDERR)
    EXEC CICS WEB SEND FROM('NONE') FROMLENGTH(4) END-EXEC
ELSE
    EXEC CICS WEB SEND FROM('SOME') FROMLENGTH(4) END-EXEC
END-IF
```
"#;

/// Half-open requests of a run; `SYNCPOINT_SLOW_CLIENTS` asks for another number.
const SLOW: usize = 500;

fn address(run: &Run) -> SocketAddr {
    run.running.listening().into_iter().find(|at| at.door == "web").expect("a web service").address
}

/// Sends these bytes and returns the answers: so many, or those that there are when the connection ends.
async fn exchange(at: SocketAddr, bytes: &[u8], answers: usize) -> String {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    // A refusal may come before all was sent.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    while statuses(&String::from_utf8_lossy(&answer)).len() < answers {
        if !matches!(stream.read_buf(&mut answer).await, Ok(1..)) {
            break;
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

async fn get(at: SocketAddr, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let answer = exchange(at, request.as_bytes(), usize::MAX).await;
    answer.split_once("\r\n\r\n").map_or(answer.clone(), |(_, body)| body.to_owned())
}

/// The refusals that the region's log tells of.
fn refusals() -> usize {
    let happenings = Timeline::of_process().since(0);
    let is_one =
        |it: &&Happening| matches!(it, Happening::Message(line) if line.contains("a request is refused"));
    happenings.iter().filter(is_one).count()
}

/// The statuses of answers.
fn statuses(answer: &str) -> Vec<&str> {
    let lines = answer.split("HTTP/1.1 ").skip(1);
    let statuses = lines.filter_map(|line| line.get(..3));
    statuses.filter(|status| status.parse::<u16>().is_ok()).collect()
}

#[test]
fn hostile_requests_are_refused_and_the_region_goes_on() {
    Site::new("web-attacks-hostile", REGION).run(async |run| {
        let at = address(run);
        assert_eq!(cases::all().len(), 67);
        let mut refused = 0;
        // HTTP/2 is spoken here.
        for case in cases::all().into_iter().filter(|case| !case.bytes.starts_with(b"PRI * HTTP/2.0")) {
            let wanted = if let Wanted::Taken(count) = case.wanted { count } else { usize::MAX };
            let answer = exchange(at, &case.bytes, wanted).await;
            match case.wanted {
                // A target that is no path leads nowhere.
                Wanted::Taken(count) => {
                    let taken = statuses(&answer).iter().filter(|it| ["200", "404"].contains(it)).count();
                    assert_eq!(taken, count, "{}: {answer}", case.name);
                }
                Wanted::Refused(status) => {
                    assert_eq!(statuses(&answer), [status.to_string()], "{}: {answer}", case.name);
                    refused += 1;
                    assert_eq!(refusals(), refused, "{}: a line of the log says so", case.name);
                }
            }
        }
        assert_eq!(get(at, "/").await, "OK");
        true
    });
}

#[test]
fn slow_clients_keep_no_other_client_waiting() {
    let many =
        std::env::var("SYNCPOINT_SLOW_CLIENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(SLOW);
    Site::new("web-attacks-slow", REGION).run(async |run| {
        let at = address(run);
        let mut slow = Vec::new();
        for number in 0..many {
            let mut stream = TcpStream::connect(at).await.expect("a connection");
            let begun: &[u8] = match number % 3 {
                0 => b"POST /slow HTTP/1.1\r\nHos",
                1 => b"POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{\"item\"",
                _ => b"",
            };
            stream.write_all(begun).await.expect("written");
            slow.push(stream);
        }
        for _ in 0..20 {
            assert_eq!(get(at, "/").await, "OK");
        }
        // One of them goes on after all; the others leave in the middle of their requests.
        let mut one = slow.swap_remove(0);
        one.write_all(b"t: a\r\nConnection: close\r\nContent-Length: 12\r\n\r\n{\"item\":\"A\"}")
            .await
            .expect("written");
        let mut answer = String::new();
        one.read_to_string(&mut answer).await.expect("an answer");
        assert!(answer.ends_with("\r\n\r\nOK"), "{answer}");
        drop(slow);
        assert_eq!(get(at, "/").await, "OK");
        true
    });
}

#[test]
fn the_task_of_a_client_that_leaves_is_purged_and_backed_out() {
    Site::new("web-attacks-gone", REGION).run(async |run| {
        let at = address(run);
        let mut stream = TcpStream::connect(at).await.expect("a connection");
        stream.write_all(b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("written");
        run.until("the program waits", || displayed("WAITS").is_some()).await;
        drop(stream);
        // Its queue is locked until its changes are backed out.
        assert_eq!(get(at, "/left").await, "NONE");
        assert_eq!(get(at, "/").await, "OK");
        true
    });
}
