//! PROTOCOL(USER): bytes that are no HTTP, in requests that the service's analyzer finds in them.

mod common;

use std::net::SocketAddr;

use common::{Run, Site};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A message is a digit and as many characters; it is answered by them, in brackets. Anything else is none.
const REGION: &str = r#"
```csd
DEFINE TCPIPSERVICE(RAW) GROUP(T) PORTNUMBER(1) PROTOCOL(USER) URM(ANALYZE) MAXDATALEN(3)
```

```toml
[web.services]
RAW = "127.0.0.1:0"
```

```cobol ANALYZE
LINKAGE SECTION.
01 DFHCOMMAREA.
   COPY DFHWBTDO.
01 GIVEN.
   05 GIVEN-LENGTH PIC 9.
PROCEDURE DIVISION.
SET ADDRESS OF GIVEN TO WBRA-USER-DATA-PTR
EVALUATE TRUE
    WHEN WBRA-REQUEST-TYPE NOT = 'N' OR GIVEN-LENGTH NOT NUMERIC
        MOVE 8 TO WBRA-RESPONSE
    WHEN WBRA-USER-DATA-LENGTH < GIVEN-LENGTH + 1
        MOVE 4 TO WBRA-RESPONSE
        MOVE 16 TO WBRA-REASON
    WHEN OTHER
        MOVE 'ANSWER' TO WBRA-SERVER-PROGRAM
END-EVALUATE
```

```cobol ANSWER
77 L PIC S9(8) COMP.
77 PG PIC X(10).
77 ONE PIC S9(8) COMP.
EXEC CICS WEB EXTRACT REQUESTTYPE(ONE) END-EXEC
EXEC CICS WEB RECEIVE INTO(PG) LENGTH(L) MAXLENGTH(9) END-EXEC
IF PG(2:1) = '!' EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC END-IF
IF ONE = DFHVALUE(HTTPNO) MOVE '(' TO PG(1:1) END-IF
ADD 1 TO L
MOVE ')' TO PG(L:1)
EXEC CICS WEB SEND FROM(PG) FROMLENGTH(L) END-EXEC
```
"#;

fn address(run: &Run) -> SocketAddr {
    run.running.listening().into_iter().find(|at| at.door == "web").expect("a service").address
}

async fn connected(at: SocketAddr) -> TcpStream {
    TcpStream::connect(at).await.expect("a connection")
}

/// Sends bytes, and reads as many as are wanted.
async fn says(client: &mut TcpStream, bytes: &str, wanted: &str) {
    client.write_all(bytes.as_bytes()).await.expect("sent");
    let mut answer = vec![0; wanted.len()];
    client.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(String::from_utf8_lossy(&answer), wanted);
}

/// Sends bytes, and hears nothing but the end.
async fn hears_nothing(at: SocketAddr, bytes: &[u8]) {
    let mut client = connected(at).await;
    // The end may come before all was sent.
    let _ = client.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer).await;
    assert!(answer.is_empty(), "{:?}", String::from_utf8_lossy(&answer));
}

#[test]
fn an_analyzer_finds_requests_in_bytes() {
    Site::new("web-user", REGION).run(async |run| {
        let at = address(run);
        let mut client = connected(at).await;
        says(&mut client, "3abc", "(abc)").await;
        // A connection is kept, and a request may come in pieces.
        client.write_all(b"4d").await.expect("sent");
        says(&mut client, "efg", "(defg)").await;
        // A client that sends no more may still read.
        client.write_all(b"1z").await.expect("sent");
        client.shutdown().await.expect("a half-close");
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.expect("an answer");
        assert_eq!(rest, b"(z)");
        // What is no request, is too long, or whose program abends ends the connection.
        hears_nothing(at, b"GET / HTTP/1.1\r\n\r\n").await;
        hears_nothing(at, b"1!").await;
        hears_nothing(at, &vec![b'9'; 4 * 1024]).await;
        says(&mut connected(at).await, "2ok", "(ok)").await;
        true
    });
}
