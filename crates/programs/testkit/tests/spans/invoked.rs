//! INVOKE SERVICE to a server: a span below that of the task, whose place in the trace the server gets with the message.

use otlp::request::Read;

use crate::collector::{Collector, Mood, header};
use crate::common::Site;
use crate::{PARENT, TRACE, get, named, peer_that_says, told, until, web};

/// A program that a web request runs, and that orders from the server whose port the request names.
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
DEFINE URIMAP(BUY) GROUP(T) HOST(*) PATH(/buy) PROGRAM(BUYS)
DEFINE PIPELINE(JSON) GROUP(T) CONFIGFILE(json.xml)
DEFINE WEBSERVICE(JSON) GROUP(T) PIPELINE(JSON) WSBIND(json.wsbind)
```

```file json.xml
<requester_pipeline><service><service_handler_list><cics_json_handler/></service_handler_list></service></requester_pipeline>
```

```file json.wsbind
format = 1
origin = "copybook"
options = """
OPERATION-NAME=total
"""
[description]
name = "ORDER.cpy"
text = """
       01  ORDER.
           05  ITEM     PIC X(12).
"""
[answer]
name = "RECEIPT.cpy"
text = """
       01  RECEIPT.
           05  PRICE    PIC 9(5).
"""
```

```cobol BUYS threadsafe
77 TEXT-PORT PIC 9(5).
77 L PIC S9(8) COMP VALUE 5.
77 ADDRESS-OF-SERVER PIC X(80) VALUE SPACES.
77 PRICE-OF PIC 9(5) VALUE 0.
77 SAID PIC X(10) VALUE 'REFUSED'.
EXEC CICS WEB READ QUERYPARM('port') NAMELENGTH(4)
    VALUE(TEXT-PORT) VALUELENGTH(L) END-EXEC
STRING 'http://127.0.0.1:' TEXT-PORT '/json?key=secret' DELIMITED BY SIZE
    INTO ADDRESS-OF-SERVER
EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('C') FROM('NUT         ')
    FLENGTH(12) END-EXEC
EXEC CICS INVOKE SERVICE('JSON') CHANNEL('C') OPERATION('total')
    URI(ADDRESS-OF-SERVER) NOHANDLE END-EXEC
IF EIBRESP = 0
    EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('C') INTO(PRICE-OF)
        END-EXEC
    MOVE PRICE-OF TO SAID
END-IF
EXEC CICS WEB SEND FROM(SAID) FROMLENGTH(10) END-EXEC
```
"#;

/// Has the program ask a server at a port, in the trace of a client: the spans of its task.
async fn buys(at: std::net::SocketAddr, collector: &Collector, port: u16, said: &str) -> Vec<Read> {
    let before = collector.spans().len();
    let parent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\ntracestate: a=1\r\n");
    let answer = get(at, &format!("/buy?port={port:05}"), &parent).await;
    assert!(answer.trim_end().ends_with(said), "{answer}");
    until("both spans are there", || collector.spans().len() == before + 2).await;
    collector.spans().split_off(before)
}

#[test]
fn a_message_to_a_server_is_a_span_and_the_server_is_told_of_it() {
    let collector = Collector::new(Mood::Takes);
    let site = Site::new("spans-invoked", &REGION.replace("{own}", &collector.section("")));
    site.run(async |run| {
        collector.comes().await;
        let at = web(&run.house);
        let (port, served) = peer_that_says("200 OK", "application/json", r#"{"price":12}"#).await;
        let spans = buys(at, &collector, port, "00012").await;
        let came = served.await.expect("a request");
        assert!(came.head.starts_with("POST /json?key=secret HTTP/1.1\r\n"), "{}", came.head);
        let (asked, task) = (named(&spans, "POST"), named(&spans, "CWBA"));
        assert_eq!(header(&came.head, "traceparent"), Some(format!("00-{TRACE}-{}-01", asked.span)));
        assert_eq!(header(&came.head, "tracestate").as_deref(), Some("a=1"));
        assert_eq!((asked.parent, asked.trace.to_string().as_str()), (Some(task.span), TRACE));
        assert_eq!((asked.kind, task.kind), (3, 2), "a client's, a server's");
        let port_told = port.to_string();
        for (key, value) in [
            ("http.request.method", "POST"),
            ("http.response.status_code", "200"),
            ("server.address", "127.0.0.1"),
            ("server.port", &port_told),
            ("url.full", &format!("http://127.0.0.1:{port:05}/json")),
        ] {
            assert_eq!(told(asked, key), Some(value), "{key}: {asked:#?}");
        }
        assert!(!asked.attributes.iter().any(|(_, value)| value.contains("secret")), "{asked:#?}");

        // A server that refuses, and one that is not there.
        let (port, served) = peer_that_says("503 Busy", "application/json", "{}").await;
        let spans = buys(at, &collector, port, "REFUSED").await;
        drop(served.await);
        let refused = named(&spans, "POST");
        assert_eq!(
            (refused.error.as_deref(), told(refused, "http.response.status_code")),
            (Some("503"), Some("503"))
        );
        let spans = buys(at, &collector, 1, "REFUSED").await;
        assert_eq!(named(&spans, "POST").error.as_deref(), Some("no answer"));
        assert_eq!(named(&spans, "CWBA").error, None, "the program has handled it");
        true
    });
}
