//! The tree of spans of one request, through two regions, a server and a database; and of a request that fails.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use instruments::format::{FileEntry, Reader};
use otlp::request::Read;
use testkit::application::Application;
use testkit::document::Document;
use testkit::house::House;
use testkit::timeline::Timeline;

use crate::collector::{Collector, Mood, header};
use crate::common::{Site, python, turn};
use crate::{PARENT, TRACE, get, named, on_loop, peer, said, told, until, web};

/// Definitions of both regions of the tree; `{own}` and `{partner}`: lines of their region.toml.
const TWO: &str = r#"
```toml
[sit]
MN = "ON"
MNPER = "ON"
[security]
default-rights = ["run", "inquire", "operate"]
[web.services]
SHOP = "127.0.0.1:0"
{own}
```

```csd
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(1)
DEFINE URIMAP(PAY) GROUP(T) HOST(*) PATH(/pay) PROGRAM(PAYS) TRANSACTION(PAYT)
DEFINE TRANSACTION(PAYT) GROUP(T) PROGRAM(DFHWBA)
DEFINE PROGRAM(THERE) GROUP(T) REMOTESYSTEM(PART)
DEFINE FILE(KEPT) GROUP(T) REMOTESYSTEM(PART)
```

```cobol PAYS threadsafe
77 PRT PIC S9(8) COMP.
77 TEXT-PORT PIC 9(5).
77 TOK PIC X(8).
77 L PIC S9(8) COMP VALUE 5.
77 K PIC X(4) VALUE '0001'.
77 STAT PIC S9(4) COMP.
EXEC CICS WEB READ QUERYPARM('port') NAMELENGTH(4)
    VALUE(TEXT-PORT) VALUELENGTH(L) END-EXEC
MOVE TEXT-PORT TO PRT
EXEC CICS LINK PROGRAM('THERE') COMMAREA(REC) LENGTH(80) END-EXEC
EXEC CICS READ FILE('KEPT') INTO(REC) RIDFLD(K) END-EXEC
EXEC CICS START TRANSID('LATE') SYSID('PART') END-EXEC
EXEC CICS WEB OPEN HOST('127.0.0.1') HOSTLENGTH(9)
    PORTNUMBER(PRT) SESSTOKEN(TOK) END-EXEC
MOVE 80 TO L
EXEC CICS WEB CONVERSE SESSTOKEN(TOK) GET
    PATH('/rates') PATHLENGTH(6)
    INTO(REC) TOLENGTH(L) MAXLENGTH(80) STATUSCODE(STAT) END-EXEC
EXEC CICS WEB SEND FROM('DONE') FROMLENGTH(4) END-EXEC
```

```partner toml
{partner}
```

```partner file tables.sql
CREATE TABLE CALLS (WHO CHAR(4) NOT NULL);
```

```partner csd
DEFINE FILE(KEPT) GROUP(T) DSNAME(T.KEPT) READ(YES) ADD(YES) UPDATE(YES)
DEFINE TRANSACTION(LATE) GROUP(T) PROGRAM(LATE)
```

```partner idcams
 DEFINE CLUSTER (NAME(T.KEPT) INDEXED KEYS(4 0) RECORDSIZE(80 80))
```

```partner data T.KEPT
0001
```

```partner cobol THERE
77 K PIC X(4) VALUE '0001'.
77 MANY PIC S9(8) COMP.
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(80).
EXEC CICS READ FILE('KEPT') INTO(REC) RIDFLD(K) END-EXEC
{sql}
```

```partner cobol LATE
DISPLAY 'LATE'
```
"#;

/// A statement of the program that runs at the partner, where there is a PostgreSQL.
const STATEMENT: &str = "EXEC SQL SELECT COUNT(*) INTO :MANY FROM CALLS END-EXEC\nMOVE MANY TO N";

/// Returns true if the partner can have a PostgreSQL of its own.
fn has_postgres() -> bool {
    let servers = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let found = servers.flatten().any(|version| version.path().join("bin/initdb").is_file());
    if !found {
        eprintln!(
            "no PostgreSQL here (apt-get install postgresql): the tree is shown without a statement of SQL"
        );
    }
    found
}

#[test]
fn a_request_is_one_tree_through_regions_servers_and_databases() {
    // One test at a time has the process's timeline.
    let _turn = turn();
    on_loop(async {
        let collector = Collector::new(Mood::Takes);
        collector.comes().await;
        let with_sql = has_postgres();
        let sql = if with_sql { "[sql]\nscripts = [\"tables.sql\"]\n" } else { "" };
        let text = TWO
            .replace("{own}", &collector.section("users = true\nheaders = { x-tenant = \"bank\" }\n"))
            .replace("{partner}", &format!("{sql}{}", collector.section("service = \"ledger\"\n")))
            .replace("{sql}", if with_sql { STATEMENT } else { "MOVE 1 TO MANY" });
        let document = Document::parse("spans-tree", &text).expect("blocks");
        let partner = testkit::terms::partner(&document).expect("a partner");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spans-tree");
        let links = tempfile::tempdir().expect("a folder");
        let written = Application::write_two((&document, &partner), &folder, links.path());
        let [own, partner] = written.expect("applications");
        let states = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        Timeline::of_process().clear();
        let partner = partner.start(states[1].path()).await.expect("a partner");
        let asker = own.start(states[0].path()).await.expect("an asker");
        until("the link is there", || said("PART to PARTNER is acquired") > 0).await;
        let (port, served) = peer().await;
        let parent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\ntracestate: a=1\r\ntracestate: b=2\r\n");
        let answer = get(web(&asker), &format!("/pay?port={port:05}"), &parent).await;
        assert!(answer.ends_with("DONE"), "{answer}");
        let came = served.await.expect("a request");
        until("the started task is told", || collector.spans().iter().any(|span| span.name == "LATE")).await;
        until("the first task is told", || collector.spans().iter().any(|span| span.name == "PAYT")).await;
        asker.running.shut_down().await;
        partner.running.shut_down().await;
        let spans = collector.spans();
        shows_the_tree(&spans, with_sql);
        let pays = named(&spans, "PAYT").span.to_string();
        assert_eq!(recorded(states[0].path(), "PAYT"), [format!("{TRACE} {PARENT} {pays}")]);
        let asked = named(&spans, "GET");
        assert_eq!(header(&came.head, "traceparent"), Some(format!("00-{TRACE}-{}-01", asked.span)));
        assert_eq!(header(&came.head, "tracestate").as_deref(), Some("a=1,b=2"));
        let first = collector.shared.came.borrow()[0].clone();
        assert!(first.head.starts_with("POST /otlp/v1/traces HTTP/1.1\r\n"), "{}", first.head);
        let is_of_bank = |head: &str| header(head, "x-tenant").as_deref() == Some("bank");
        assert!(collector.shared.came.borrow().iter().any(|came| is_of_bank(&came.head)));
        judged_by_python(&collector);
    });
}

/// The place in a trace that each performance record of a transaction tells. A record names its unit of work, too.
fn recorded(state: &Path, transaction: &str) -> Vec<String> {
    let entries = std::fs::read_dir(state.join(region::RECORD_FOLDER)).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let files = paths.filter(|path| path.display().to_string().contains("performance-"));
    let mut places = Vec::new();
    for bytes in files.map(|path| std::fs::read(path).expect("a file")) {
        for entry in Reader::new(&bytes).expect("a file of ours") {
            let FileEntry::Record(record) = entry.expect("a whole record") else { continue };
            if record.text("TRAN").trim_end() == transaction {
                let unit = record.text("RMUOWID");
                assert!(u64::from_str_radix(&unit, 16).is_ok_and(|unit| unit > 0), "{unit}");
                places.push(
                    ["OTELTID", "OTELPID", "OTELSID"].map(|field| record.text(field).into_owned()).join(" "),
                );
            }
        }
    }
    places
}

/// The only span of a name below another one, of this kind.
fn below<'a>(spans: &'a [Read], name: &str, parent: &Read, kind: i32) -> &'a Read {
    let is_child = |span: &&Read| span.name == name && span.parent == Some(parent.span);
    let mut all = spans.iter().filter(is_child);
    let (Some(span), None) = (all.next(), all.next()) else {
        panic!("not one {name} below {}: {spans:#?}", parent.name)
    };
    assert_eq!((span.kind, span.trace), (kind, parent.trace), "{name}");
    assert!(span.times.0 >= parent.times.0 && span.times.0 <= span.times.1, "{name}: {:?}", span.times);
    span
}

/// Each span is there once, below the one that has asked for it.
fn shows_the_tree(spans: &[Read], with_sql: bool) {
    let (server, client, consumer) = (2, 3, 5);
    let below = |name: &str, parent: &Read, kind: i32| below(spans, name, parent, kind);
    let pays = named(spans, "PAYT");
    assert_eq!(pays.trace.to_string(), TRACE);
    assert_eq!(pays.parent.map(|parent| parent.to_string()).as_deref(), Some(PARENT));
    let link = below("LINK", pays, client);
    let mirror = below("CSMI", link, server);
    below("CSMI", below("READ", pays, client), server);
    let late = below("LATE", below("CSM2", below("START", pays, client), server), consumer);
    let asked = below("GET", pays, client);
    if with_sql {
        let select = below("SELECT", mirror, client);
        assert_eq!(told(select, "db.query.text"), Some("SELECT COUNT(*) INTO :MANY FROM CALLS"));
        assert_eq!(told(select, "cics.sqlcode"), Some("0"));
    }
    let facts = [
        ("http.request.method", "GET"),
        ("url.path", "/pay"),
        ("http.response.status_code", "200"),
        ("http.route", "/pay"),
        ("cics.tranid", "PAYT"),
        ("service.name", "TESTKIT"),
        ("user.name", "CICSUSER"),
    ];
    for (key, value) in facts {
        assert_eq!(told(pays, key), Some(value), "{key}: {pays:#?}");
    }
    assert!(!pays.attributes.iter().any(|(_, value)| value.contains("port=")), "{pays:#?}");
    assert_eq!((pays.kind, pays.state.as_str(), &pays.error), (server, "a=1,b=2", &None));
    assert_eq!((told(late, "service.name"), told(late, "user.name")), (Some("ledger"), None));
    assert_eq!(told(asked, "http.response.status_code"), Some("200"));
    assert_eq!((told(link, "cics.program"), told(link, "server.address")), (Some("THERE"), Some("PARTNER")));
}

/// Prints each span of a request by the messages of OpenTelemetry's own package.
const JUDGE: &str = "
import sys
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
request = ExportTraceServiceRequest()
request.ParseFromString(sys.stdin.buffer.read())
assert not request.DiscardUnknownFields() and request.IsInitialized()
for source in request.resource_spans:
    names = [a.value.string_value for a in source.resource.attributes if a.key == 'service.name']
    for scope in source.scope_spans:
        for span in scope.spans:
            print(span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex(), span.kind, span.name, span.flags, *names)
";

/// The outside judge: OpenTelemetry's messages for Python read what was sent as this test does.
fn judged_by_python(collector: &Collector) {
    let Some(python) = python("opentelemetry.proto", "otlp", &["opentelemetry-proto"]) else { return };
    let mut judged = 0;
    for came in &*collector.shared.came.borrow() {
        let mut child = Command::new(&python)
            .args(["-c", JUDGE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python");
        child.stdin.take().expect("its input").write_all(&came.body).expect("written");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success());
        let read = otlp::request::decode(&came.body).expect("spans");
        let own: String = read
            .iter()
            .map(|span| {
                let parent = span.parent.map(|parent| parent.to_string()).unwrap_or_default();
                let service = told(span, "service.name").unwrap_or_default();
                format!("{} {} {parent} {} {} 1 {service}\n", span.trace, span.span, span.kind, span.name)
            })
            .collect();
        assert_eq!(String::from_utf8_lossy(&output.stdout), own);
        judged += read.len();
    }
    assert!(judged > 0);
    eprintln!("opentelemetry-proto has read {judged} spans as they were meant");
}

/// A region alone, with programs that fail, that ask a server, and that write the header themselves.
const ONE: &str = r#"
```toml
[security]
default-rights = ["run", "inquire", "operate"]
[web.services]
SHOP = "127.0.0.1:0"
{own}
```

```csd
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(1)
DEFINE URIMAP(BAD) GROUP(T) HOST(*) PATH(/bad) PROGRAM(FAIL)
DEFINE URIMAP(ASK) GROUP(T) HOST(*) PATH(/ask) PROGRAM(ASKS)
DEFINE URIMAP(OWN) GROUP(T) HOST(*) PATH(/own) PROGRAM(OWNS)
```

```cobol FAIL threadsafe
EXEC CICS ABEND ABCODE('OOPS') END-EXEC
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
MOVE 80 TO L
EXEC CICS WEB SEND SESSTOKEN(TOK) GET
    PATH('/rates') PATHLENGTH(6) END-EXEC
EXEC CICS WEB RECEIVE SESSTOKEN(TOK)
    INTO(REC) LENGTH(L) MAXLENGTH(80) STATUSCODE(STAT) END-EXEC
EXEC CICS WEB SEND FROM('DONE') FROMLENGTH(4) END-EXEC
```

```cobol OWNS threadsafe
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
EXEC CICS WEB WRITE HTTPHEADER('traceparent') NAMELENGTH(11)
    VALUE('my own') VALUELENGTH(6) SESSTOKEN(TOK) END-EXEC
MOVE 80 TO L
EXEC CICS WEB CONVERSE SESSTOKEN(TOK) GET
    PATH('/rates') PATHLENGTH(6)
    INTO(REC) TOLENGTH(L) MAXLENGTH(80) STATUSCODE(STAT) END-EXEC
EXEC CICS WEB SEND FROM('DONE') FROMLENGTH(4) END-EXEC
```
"#;

/// The region of these programs, with this section.
fn one(section: &str) -> Site {
    Site::new("spans-one", &ONE.replace("{own}", section))
}

#[test]
fn an_abend_is_an_error_with_an_event_and_malformed_headers_begin_a_new_trace() {
    on_a_site("", async |house, collector| {
        let malformed =
            format!("traceparent: 00-{TRACE}-{PARENT}-01\r\ntraceparent: 00-{TRACE}-{PARENT}-01\r\n");
        let answer = get(web(house), "/bad?secret=1", &malformed).await;
        assert!(answer.starts_with("HTTP/1.1 500"), "{answer}");
        until("it is told", || collector.spans().iter().any(|span| span.name == "CWBA")).await;
        let spans = collector.spans();
        let failed = named(&spans, "CWBA");
        assert_eq!(failed.error.as_deref(), Some("abend OOPS"));
        assert_eq!(failed.events, ["exception"]);
        assert_eq!(
            (told(failed, "cics.abend.code"), told(failed, "cics.abend.program")),
            (Some("OOPS"), Some("DFHWBA"))
        );
        assert_eq!(told(failed, "http.response.status_code"), Some("500"));
        assert_eq!((failed.parent, told(failed, "user.name")), (None, None));
        assert_ne!(failed.trace.to_string(), TRACE);
    });
}

#[test]
fn a_send_and_its_receive_are_one_span_and_a_header_of_the_programs_own_stays() {
    on_a_site("", async |house, collector| {
        let (port, served) = peer().await;
        let answer = get(web(house), &format!("/ask?port={port:05}"), "").await;
        assert!(answer.ends_with("DONE"), "{answer}");
        let came = served.await.expect("a request");
        until("it is told", || collector.spans().len() == 2).await;
        let spans = collector.spans();
        let (asked, task) = (named(&spans, "GET"), named(&spans, "CWBA"));
        assert_eq!((asked.parent, task.parent, asked.trace), (Some(task.span), None, task.trace));
        assert_eq!(header(&came.head, "traceparent"), Some(format!("00-{}-{}-01", asked.trace, asked.span)));
        assert_eq!(
            (header(&came.head, "tracestate"), told(asked, "http.response.status_code")),
            (None, Some("200"))
        );
        let (port, served) = peer().await;
        assert!(get(web(house), &format!("/own?port={port:05}"), "").await.ends_with("DONE"));
        let came = served.await.expect("a request");
        let lines = came.head.lines().filter(|line| line.to_ascii_lowercase().starts_with("traceparent"));
        assert_eq!(lines.collect::<Vec<_>>().len(), 1, "{}", came.head);
        assert_eq!(header(&came.head, "traceparent").as_deref(), Some("my own"));
    });
}

#[test]
fn a_trace_that_is_not_sampled_is_passed_on_and_not_told() {
    on_a_site("sampling = 0\n", async |house, collector| {
        let (port, served) = peer().await;
        let parent = format!("traceparent: 00-{TRACE}-{PARENT}-00\r\n");
        assert!(get(web(house), &format!("/ask?port={port:05}"), &parent).await.ends_with("DONE"));
        let came = served.await.expect("a request");
        let passed = header(&came.head, "traceparent").expect("it is passed on");
        assert!(passed.starts_with(&format!("00-{TRACE}-")) && passed.ends_with("-00"), "{passed}");
        // A client that wants spans has its own, whatever becomes of new ones.
        let (port, served) = peer().await;
        let parent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
        assert!(get(web(house), &format!("/ask?port={port:05}"), &parent).await.ends_with("DONE"));
        drop(served.await);
        until("it is told", || collector.spans().len() == 2).await;
    });
}

#[test]
fn without_the_section_nothing_is_passed_on() {
    one("").run(async |run| {
        let (port, served) = peer().await;
        let parent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
        assert!(get(web(&run.house), &format!("/ask?port={port:05}"), &parent).await.ends_with("DONE"));
        let came = served.await.expect("a request");
        assert_eq!(header(&came.head, "traceparent"), None);
        assert_eq!(kernel::spans::Spans::of(&run.house.running.region).figures(false), None);
        true
    });
}

/// Has something done with the region of these programs and its collector.
fn on_a_site(more: &str, work: impl AsyncFnOnce(&mut House, &Collector)) {
    let collector = Collector::new(Mood::Takes);
    one(&collector.section(more)).run(async |run| {
        collector.comes().await;
        work(&mut run.house, &collector).await;
        true
    });
}
