//! Programs that ask servers while a client waits for their answer: their own region, and one that says nothing. Tasks come free.

mod common;

use std::net::SocketAddr;
use std::sync::Arc;

use common::{Run, Site};
use kernel::dispatcher::Dispatcher;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const REGION: &str = r#"
```csd
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(1)
DEFINE URIMAP(AGAIN) GROUP(T) HOST(*) PATH(/again) PROGRAM(ASKS) TRANSACTION(KEEP)
DEFINE URIMAP(PLAIN) GROUP(T) HOST(*) PATH(/plain) PROGRAM(PLAIN)
DEFINE TRANSACTION(KEEP) GROUP(T) PROGRAM(DFHWBA) SPURGE(NO)
```

```toml
[web.services]
SHOP = "127.0.0.1:0"

[sit]
MXT = 10
```

```cobol PLAIN threadsafe
EXEC CICS WEB SEND FROM('PLAIN') FROMLENGTH(5) END-EXEC
```

```cobol ASKS threadsafe
77 PRT PIC S9(8) COMP.
77 TEXT-PORT PIC 9(5).
77 TOK PIC X(8).
77 PG PIC X(60).
77 L PIC S9(8) COMP VALUE 5.
77 STAT PIC S9(4) COMP.
EXEC CICS WEB READ QUERYPARM('port') NAMELENGTH(4) VALUE(TEXT-PORT) VALUELENGTH(L) NOHANDLE END-EXEC
IF EIBRESP = DFHRESP(NORMAL)
    MOVE TEXT-PORT TO PRT
ELSE
    EXEC CICS INQUIRE TCPIPSERVICE('SHOP') PORT(PRT) END-EXEC
END-IF
EXEC CICS WEB OPEN HOST('127.0.0.1') HOSTLENGTH(9) PORTNUMBER(PRT) SESSTOKEN(TOK) END-EXEC
MOVE SPACES TO PG
MOVE 60 TO L
EXEC CICS WEB CONVERSE SESSTOKEN(TOK) GET PATH('/again') PATHLENGTH(6)
    INTO(PG) TOLENGTH(L) MAXLENGTH(60) STATUSCODE(STAT) END-EXEC
EXEC CICS WEB SEND FROM(PG) FROMLENGTH(L) STATUSCODE(STAT) END-EXEC
```
"#;

/// Clients at a time, several for each task that may run.
const CLIENTS: usize = 30;

fn address(run: &Run) -> SocketAddr {
    run.running.listening().into_iter().find(|at| at.door == "web").expect("a web service").address
}

async fn ask(at: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    stream
}

async fn answer(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    // What came before the end counts.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn programs_that_ask_their_own_region_fill_it_for_a_moment_only() {
    Site::new("web_loops", REGION).run(async |run| {
        let (at, region) = (address(run), Arc::clone(&run.running.region));
        let mut asked = Vec::new();
        for _ in 0..CLIENTS {
            asked.push(ask(at, "/again").await);
        }
        let mut statuses = std::collections::BTreeMap::<String, usize>::new();
        for stream in asked {
            let answer = answer(stream).await;
            *statuses.entry(answer.get(..12).unwrap_or_default().to_owned()).or_default() += 1;
        }
        let known = ["HTTP/1.1 503", "HTTP/1.1 508"];
        assert!(statuses.keys().all(|status| known.contains(&status.as_str())), "{statuses:?}");
        run.until("nobody waits any more", || Dispatcher::of(&region).running() == 0).await;
        let alone = answer(ask(at, "/again").await).await;
        assert!(alone.starts_with("HTTP/1.1 508"), "{alone}");
        assert!(answer(ask(at, "/plain").await).await.ends_with("PLAIN"));
        true
    });
}

#[test]
fn a_task_whose_client_has_left_does_not_wait_for_a_server() {
    Site::new("web_loops", REGION).run(async |run| {
        let (at, region) = (address(run), Arc::clone(&run.running.region));
        let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let path = format!("/again?port={:05}", silent.local_addr().expect("an address").port());
        let client = ask(at, &path).await;
        let (server, _) = silent.accept().await.expect("the task");
        assert_eq!(Dispatcher::of(&region).running(), 1);
        client.set_zero_linger().expect("set");
        drop(client);
        run.until("the task has ended", || Dispatcher::of(&region).running() == 0).await;
        drop(server);
        true
    });
}
