//! The front door of a whole region when clients leave, when there are too many of them, and with content codings.

mod coding;
#[path = "../common/mod.rs"]
mod common;
mod leaving;
mod limits;

use std::net::SocketAddr;

use common::{Run, Site};
use testkit::timeline::{Happening, Timeline};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// HELD changes a recoverable queue and waits for the queue GO, which /go makes; /left says whether that change is there.
const PROGRAMS: &str = r#"
```csd
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(1) SERVICE
DEFINE TCPIPSERVICE(BACK) GROUP(T) PORTNUMBER(2)
DEFINE URIMAP(ALL)  GROUP(T) HOST(*) PATH(/*) PROGRAM(ANSWER)
DEFINE URIMAP(HELD) GROUP(T) HOST(*) PATH(/held) TRANSACTION(HELD) PROGRAM(HELD)
DEFINE URIMAP(SOFT) GROUP(T) HOST(*) PATH(/soft) TRANSACTION(SOFT) PROGRAM(HELD)
DEFINE URIMAP(CLAS) GROUP(T) HOST(*) PATH(/class) TRANSACTION(CLAS) PROGRAM(SAYS)
DEFINE URIMAP(SAYS) GROUP(T) HOST(*) PATH(/says) TRANSACTION(SAYS) PROGRAM(SAYS)
DEFINE URIMAP(CONV) GROUP(T) HOST(*) PATH(/conv) PROGRAM(CONV)
DEFINE URIMAP(GO)   GROUP(T) HOST(*) PATH(/go) PROGRAM(GO)
DEFINE URIMAP(SHUT) GROUP(T) HOST(*) PATH(/shut) PROGRAM(SHUT)
DEFINE URIMAP(LEFT) GROUP(T) HOST(*) PATH(/left) PROGRAM(LEFT)
DEFINE URIMAP(FILE) GROUP(T) HOST(*) PATH(/files/*) HFSFILE(/*)
DEFINE TRANCLASS(FEW) GROUP(T) MAXACTIVE(1) PURGETHRESH(2)
DEFINE TRANSACTION(HELD) GROUP(T) PROGRAM(DFHWBA) SPURGE(NO)
DEFINE TRANSACTION(SOFT) GROUP(T) PROGRAM(DFHWBA) SPURGE(YES)
DEFINE TRANSACTION(CLAS) GROUP(T) PROGRAM(DFHWBA) SPURGE(YES) TRANCLASS(FEW)
DEFINE TRANSACTION(SAYS) GROUP(T) PROGRAM(DFHWBA) SPURGE(NO)
DEFINE TSMODEL(TRACE) GROUP(T) PREFIX(TRACE) RECOVERY(YES)
```

```file web/long.css
LONG
```

```file web/record.cpy
01  R.
```

```toml
[sit]
SIT
[web]
compress = ["SHOP"]
[web.services]
SHOP = "127.0.0.1:0"
BACK = "127.0.0.1:0"
[web.types]
cpy = "text/x-copybook"
```

```cobol ANSWER threadsafe
77 B PIC X(6000).
77 BL PIC S9(8) COMP VALUE 6000.
EXEC CICS WEB RECEIVE INTO(B) LENGTH(BL) RESP(R) END-EXEC
IF BL > 0 AND R = DFHRESP(NORMAL)
    EXEC CICS WEB SEND FROM(B) FROMLENGTH(BL) MEDIATYPE('text/plain') END-EXEC
ELSE
    EXEC CICS WEB SEND FROM('OK') FROMLENGTH(2) END-EXEC
END-IF
```

```cobol HELD threadsafe
EXEC CICS WRITEQ TS QUEUE('TRACE') FROM('A') END-EXEC
DISPLAY 'HELD'
MOVE DFHRESP(QIDERR) TO R
PERFORM UNTIL R NOT = DFHRESP(QIDERR)
    EXEC CICS DELAY FOR MILLISECS(20) END-EXEC
    EXEC CICS READQ TS QUEUE('GO') INTO(REC) RESP(R) END-EXEC
END-PERFORM
EXEC CICS WEB SEND FROM('HELD') FROMLENGTH(4) END-EXEC
DISPLAY 'GOES ON'
```

```cobol SAYS threadsafe
DISPLAY 'HELD'
MOVE DFHRESP(QIDERR) TO R
PERFORM UNTIL R NOT = DFHRESP(QIDERR)
    EXEC CICS DELAY FOR MILLISECS(20) END-EXEC
    EXEC CICS READQ TS QUEUE('GO') INTO(REC) RESP(R) END-EXEC
END-PERFORM
EXEC CICS WEB SEND FROM('HELD') FROMLENGTH(4) IMMEDIATE RESP(R) END-EXEC
IF R = DFHRESP(IOERR)
    DISPLAY 'SAYS IOERR'
ELSE
    DISPLAY 'SAYS OTHER'
END-IF
```

```cobol CONV threadsafe
77 B PIC X(40).
77 BL PIC S9(8) COMP VALUE 40.
EXEC CICS WEB RECEIVE INTO(B) LENGTH(BL) SRVCONVERT RESP(R) RESP2(R2) END-EXEC
IF R = DFHRESP(NORMAL)
    EXEC CICS WEB SEND FROM(B) FROMLENGTH(BL) CHARACTERSET('utf-8') MEDIATYPE('text/plain') END-EXEC
ELSE
    MOVE R2 TO NUM
    EXEC CICS WEB SEND FROM('UNKNOWN') FROMLENGTH(7) STATUSCODE(415) END-EXEC
END-IF
```

```cobol GO threadsafe
EXEC CICS WRITEQ TS QUEUE('GO') FROM('A') END-EXEC
EXEC CICS WEB SEND FROM('OK') FROMLENGTH(2) END-EXEC
```

```cobol SHUT threadsafe
EXEC CICS SET TCPIPSERVICE('SHOP') IMMCLOSE END-EXEC
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

/// The region of a test: with attributes of the service and parameters of `[sit]`.
fn site(name: &str, service: &str, sit: &str) -> Site {
    let long = "p { color: black; }\n".repeat(200);
    let text = PROGRAMS
        .replace("SERVICE\nDEFINE TCPIPSERVICE(BACK)", &format!("{service}\nDEFINE TCPIPSERVICE(BACK)"));
    let text = text.replace("SIT\n", &format!("{sit}\n"));
    Site::new(name, &text.replace("LONG\n", &long))
}

fn address(run: &Run, service: &str) -> SocketAddr {
    let at = run.running.listening().into_iter().find(|at| at.door == "web" && at.name.trim_end() == service);
    at.expect("a service").address
}

/// A client that has sent these bytes.
async fn sent(at: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    stream.write_all(bytes).await.expect("written");
    stream
}

/// Returns the bytes that a client receives until its connection ends.
async fn heard(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    // A reset ends it, too.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// A request that leaves its connection open.
fn request(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").into_bytes()
}

/// One answer of a connection that goes on.
async fn answer(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            if length.and_then(|length| length.parse().ok()).is_some_and(|length: usize| body.len() >= length)
            {
                return text;
            }
        }
        if stream.read_buf(&mut answer).await.unwrap_or(0) == 0 {
            return String::from_utf8_lossy(&answer).into_owned();
        }
    }
}

/// The body of an answer over a connection of its own.
async fn get(at: SocketAddr, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let answer = heard(sent(at, request.as_bytes()).await).await;
    answer.split_once("\r\n\r\n").map_or(answer.clone(), |(_, body)| body.to_owned())
}

/// Returns true if the region's log has a line with a text.
fn logged(text: &str) -> bool {
    Timeline::of_process()
        .since(0)
        .iter()
        .any(|it| matches!(it, Happening::Message(line) if line.contains(text)))
}

/// The abends of a transaction.
fn abends(transaction: &str) -> Vec<String> {
    let happenings = Timeline::of_process().since(0).into_iter();
    let abends = happenings.filter_map(|happening| match happening {
        Happening::Abend(of, code, _) if of.trim_end() == transaction => Some(code),
        _ => None,
    });
    abends.collect()
}

/// Returns the number of lines with a word at their beginning that programs have displayed.
fn displays(word: &str) -> usize {
    let happenings = Timeline::of_process().since(0);
    happenings.iter().filter(|it| matches!(it, Happening::Display(line) if line.starts_with(word))).count()
}
