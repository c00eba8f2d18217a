//! A task that asks for more than has spans: what is beyond the limit is asked for all the same, and counted.

use std::cell::RefCell;
use std::rc::Rc;

use kernel::spans::Spans;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::collector::{Collector, Mood, header, read};
use crate::common::Site;
use crate::{get, named, said, until, web};

/// Client spans of a task at most, as docs/opentelemetry.md has it; and requests beyond.
const LIMIT: usize = 1_000;
const BEYOND: usize = 7;

/// A program that asks a server again and again over one connection.
const REGION: &str = r#"
```toml
[security]
default-rights = ["run", "inquire", "operate"]
[web.services]
SHOP = "127.0.0.1:0"
{own}
```

```csd
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(1)
DEFINE URIMAP(ASK) GROUP(T) HOST(*) PATH(/ask) PROGRAM(ASKS)
```

```cobol ASKS threadsafe
77 PRT PIC S9(8) COMP.
77 TEXT-PORT PIC 9(5).
77 TOK PIC X(8).
77 L PIC S9(8) COMP VALUE 5.
77 STAT PIC S9(4) COMP.
EXEC CICS WEB READ QUERYPARM('port') NAMELENGTH(4)
    VALUE(TEXT-PORT) VALUELENGTH(L) END-EXEC
MOVE TEXT-PORT TO PRT
EXEC CICS WEB OPEN HOST('127.0.0.1') HOSTLENGTH(9)
    PORTNUMBER(PRT) SESSTOKEN(TOK) END-EXEC
PERFORM {times} TIMES
    MOVE 80 TO L
    EXEC CICS WEB CONVERSE SESSTOKEN(TOK) GET
        PATH('/rates') PATHLENGTH(6)
        INTO(REC) TOLENGTH(L) MAXLENGTH(80) STATUSCODE(STAT) END-EXEC
END-PERFORM
EXEC CICS WEB SEND FROM('DONE') FROMLENGTH(4) END-EXEC
```
"#;

/// A server that keeps its connection: its port, and the places in traces that have come.
async fn server() -> (u16, Rc<RefCell<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let places = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&places);
    tokio::task::spawn_local(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.set_nodelay(true).expect("a socket");
            while let Some(came) = read(&mut stream).await {
                seen.borrow_mut().push(header(&came.head, "traceparent").unwrap_or_default());
                let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nOK";
                stream.write_all(answer).await.expect("sent");
            }
        }
    });
    (port, places)
}

#[test]
fn a_task_has_a_thousand_spans_of_requests_and_the_rest_is_counted_as_dropped() {
    assert_eq!(kernel::limits::CLIENT_SPANS_MAX as usize, LIMIT);
    let collector = Collector::new(Mood::Takes);
    let text =
        REGION.replace("{own}", &collector.section("")).replace("{times}", &(LIMIT + BEYOND).to_string());
    Site::new("spans-many", &text).run(async |run| {
        collector.comes().await;
        let (port, places) = server().await;
        let answer = get(web(&run.house), &format!("/ask?port={port:05}"), "").await;
        assert!(answer.ends_with("DONE"), "{answer}");
        let region = std::sync::Arc::clone(&run.house.running.region);
        until("all have come", || collector.spans().len() == LIMIT + 1).await;
        let spans = collector.spans();
        let task = named(&spans, "CWBA");
        let of_requests: Vec<_> = spans.iter().filter(|span| span.name == "GET").collect();
        assert_eq!(of_requests.len(), LIMIT);
        assert!(of_requests.iter().all(|span| span.parent == Some(task.span)));
        let figures = Spans::of(&region).figures(false).expect("spans");
        assert_eq!(
            (figures.exported, figures.dropped, figures.waiting),
            (LIMIT as u64 + 1, BEYOND as u64, 0)
        );
        assert_eq!(said("spans are dropped: a task asks for more than has spans"), 1);
        // Each request brings a place along: its own, or beyond the limit that of the task.
        let places = places.borrow();
        assert_eq!(places.len(), LIMIT + BEYOND);
        let of_task = format!("00-{}-{}-01", task.trace, task.span);
        assert_eq!(places.iter().filter(|place| **place == of_task).count(), BEYOND);
        assert!(places[LIMIT..].iter().all(|place| *place == of_task));
        let own: std::collections::BTreeSet<_> = places[..LIMIT].iter().collect();
        assert_eq!(own.len(), LIMIT, "each has another one");
        true
    });
}
