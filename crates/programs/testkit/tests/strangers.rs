//! No client sees what belongs to another: each marks its bytes, programs say lengths that are wrong, and every answer is
//! looked through for the marks of others. `SYNCPOINT_SEED` asks for another seed, `SYNCPOINT_ROUNDS` for more rounds.

mod common;

use std::env;

use common::Site;
use fastrand::Rng;
use testkit::answer::shown;
use testkit::request::ask;

/// Every program here hands the region more bytes than it has.
const REGION: &str = r#"
```csd
DEFINE TCPIPSERVICE(SHOP) GROUP(T) PORTNUMBER(1)
DEFINE TCPIPSERVICE(SEEN) GROUP(T) PORTNUMBER(2) URM(ANALYZE)
DEFINE URIMAP(CONV) GROUP(T) HOST(*) PATH(/converted) PROGRAM(LEAVES) CONVERTER(CONVERT)
DEFINE URIMAP(SEND) GROUP(T) HOST(*) PATH(/sent) PROGRAM(SENDS)
DEFINE URIMAP(CHAN) GROUP(T) HOST(*) PATH(/container) PROGRAM(CHANS)
DEFINE URIMAP(DOCS) GROUP(T) HOST(*) PATH(/document) PROGRAM(DOCS)
DEFINE URIMAP(QUEU) GROUP(T) HOST(*) PATH(/queue) PROGRAM(QUEUES)
DEFINE URIMAP(CALL) GROUP(T) HOST(*) PATH(/linked) PROGRAM(CALLER)
DEFINE URIMAP(FAIL) GROUP(T) HOST(*) PATH(/failed) PROGRAM(FAILS)
```

```toml
[web.services]
SHOP = "127.0.0.1:0"
SEEN = "127.0.0.1:0"

[services]
SERVES = "SERVES.cpy"
```

```file SERVES.cpy
       01  SERVES-REC.
           05  WORD     PIC X(40).
```

```cobol SERVES threadsafe
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(40).
PROCEDURE DIVISION.
CONTINUE
```

```cobol ANALYZE threadsafe
LINKAGE SECTION.
01 DFHCOMMAREA.
   COPY DFHWBTDO.
PROCEDURE DIVISION.
MOVE 30000 TO WBRA-USER-DATA-LENGTH
MOVE 'SENDS' TO WBRA-SERVER-PROGRAM
```

```cobol CONVERT threadsafe
LINKAGE SECTION.
01 DFHCOMMAREA.
   COPY DFHWBCDO.
01 GIVEN PIC X(8).
01 GIVES.
   05 GIVES-LENGTH PIC 9(8) COMP.
   05 GIVES-TEXT PIC X(8).
PROCEDURE DIVISION.
IF DECODE-FUNCTION = 1
    SET ADDRESS OF GIVEN TO DECODE-DATA-PTR
    IF GIVEN = 'TOO LONG'
        MOVE 30000 TO DECODE-OUTPUT-DATA-LEN
    END-IF
ELSE
    EXEC CICS GETMAIN SET(ADDRESS OF GIVES) FLENGTH(12) END-EXEC
    MOVE 30000 TO GIVES-LENGTH
    MOVE '<p>' TO GIVES-TEXT
    SET ENCODE-DATA-PTR TO ADDRESS OF GIVES
END-IF
```

```cobol LEAVES threadsafe
CONTINUE
```

```cobol SENDS threadsafe
77 ROOM PIC S9(8) COMP VALUE 64.
LINKAGE SECTION.
01 GOT PIC X(64).
PROCEDURE DIVISION.
EXEC CICS GETMAIN SET(ADDRESS OF GOT) FLENGTH(ROOM) END-EXEC
MOVE 30000 TO ROOM
EXEC CICS WEB SEND FROM(GOT) FROMLENGTH(ROOM) MEDIATYPE('text/plain') END-EXEC
```

```cobol CHANS threadsafe
77 ROOM PIC S9(8) COMP VALUE 64.
LINKAGE SECTION.
01 GOT PIC X(64).
PROCEDURE DIVISION.
EXEC CICS GETMAIN SET(ADDRESS OF GOT) FLENGTH(ROOM) END-EXEC
MOVE 30000 TO ROOM
EXEC CICS PUT CONTAINER('C') CHANNEL('CH') FROM(GOT) FLENGTH(ROOM) END-EXEC
EXEC CICS WEB SEND CONTAINER('C') CHANNEL('CH') MEDIATYPE('text/plain') END-EXEC
```

```cobol DOCS threadsafe
77 ROOM PIC S9(8) COMP VALUE 64.
77 TOKEN PIC X(16).
LINKAGE SECTION.
01 GOT PIC X(64).
PROCEDURE DIVISION.
EXEC CICS GETMAIN SET(ADDRESS OF GOT) FLENGTH(ROOM) END-EXEC
MOVE 30000 TO ROOM
EXEC CICS DOCUMENT CREATE DOCTOKEN(TOKEN) FROM(GOT) LENGTH(ROOM) END-EXEC
EXEC CICS WEB SEND DOCTOKEN(TOKEN) MEDIATYPE('text/plain') END-EXEC
```

```cobol QUEUES threadsafe
77 ROOM PIC S9(8) COMP VALUE 64.
77 SHORT PIC S9(4) COMP VALUE 30000.
77 QNAME PIC X(8).
LINKAGE SECTION.
01 GOT PIC X(64).
PROCEDURE DIVISION.
EXEC CICS GETMAIN SET(ADDRESS OF GOT) FLENGTH(ROOM) END-EXEC
MOVE EIBTASKN TO QNAME
EXEC CICS WRITEQ TS QUEUE(QNAME) FROM(GOT) LENGTH(SHORT) END-EXEC
EXEC CICS READQ TS QUEUE(QNAME) SET(ADDRESS OF GOT) LENGTH(SHORT) ITEM(1) END-EXEC
EXEC CICS DELETEQ TS QUEUE(QNAME) END-EXEC
MOVE SHORT TO ROOM
EXEC CICS WEB SEND FROM(GOT) FROMLENGTH(ROOM) MEDIATYPE('text/plain') END-EXEC
```

```cobol CALLER threadsafe
77 ROOM PIC S9(8) COMP VALUE 64.
77 SHORT PIC S9(4) COMP VALUE 30000.
LINKAGE SECTION.
01 GOT PIC X(64).
PROCEDURE DIVISION.
EXEC CICS GETMAIN SET(ADDRESS OF GOT) FLENGTH(ROOM) END-EXEC
EXEC CICS LINK PROGRAM('CALLED') COMMAREA(GOT) LENGTH(SHORT) END-EXEC
```

```cobol CALLED threadsafe
77 ROOM PIC S9(8) COMP.
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(64).
PROCEDURE DIVISION.
MOVE EIBCALEN TO ROOM
EXEC CICS WEB SEND FROM(DFHCOMMAREA) FROMLENGTH(ROOM) MEDIATYPE('text/plain') END-EXEC
```

```cobol FAILS threadsafe
EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC
```

```cobol DFHWBEP threadsafe
77 ROOM PIC S9(8) COMP VALUE 40.
LINKAGE SECTION.
01 DFHCOMMAREA.
   COPY DFHWBEPO.
01 GOT PIC X(40).
PROCEDURE DIVISION.
EXEC CICS GETMAIN SET(ADDRESS OF GOT) FLENGTH(ROOM) END-EXEC
SET WBEP-RESPONSE-PTR TO ADDRESS OF GOT
MOVE 30000 TO WBEP-RESPONSE-LEN
```
"#;

/// Things to ask for: a service, a path, and true for a body that is a message in JSON.
const WAYS: [(&str, &str, bool); 10] = [
    ("SHOP", "/converted", false),
    ("SHOP", "/sent", false),
    ("SHOP", "/container", false),
    ("SHOP", "/document", false),
    ("SHOP", "/queue", false),
    ("SHOP", "/linked", false),
    ("SHOP", "/failed", false),
    ("SHOP", "/nowhere", false),
    ("SEEN", "/analyzed", false),
    ("SHOP", "/services/serves", true),
];
/// The beginning of every mark.
const MARK: &str = "MARK-OF-";
/// Bytes of a mark.
const MARK_LENGTH: usize = MARK.len() + 16;
/// Clients that ask at a time.
const CLIENTS: usize = 12;
const ROUNDS: usize = 12;

fn number(variable: &str, default: usize) -> usize {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Makes a client's request: its mark is in all that it sends.
fn request(rng: &mut Rng, mark: &str) -> (Vec<String>, Vec<String>) {
    let (service, path, is_json) = WAYS[rng.usize(..WAYS.len())];
    let times = rng.usize(1..40);
    let body = match is_json {
        true => format!("{{\"word\":\"{mark}\"}}"),
        false => format!("{}{}", if rng.bool() { "TOO LONG" } else { "" }, mark.repeat(times)),
    };
    let mut lines = vec![format!("POST {path}"), format!("X-Own: {}", mark.repeat(times))];
    if is_json {
        lines.push(String::from("Content-Type: application/json"));
    }
    (vec![service.to_owned()], [lines, vec![String::new(), body]].concat())
}

/// Returns the marks in an answer.
fn marks(answer: &str) -> impl Iterator<Item = &str> {
    answer.match_indices(MARK).filter_map(|(at, _)| answer.get(at..at + MARK_LENGTH))
}

#[test]
fn no_answer_has_bytes_of_another_client() {
    let seed = number("SYNCPOINT_SEED", 0x5EED) as u64;
    let mut rng = Rng::with_seed(seed);
    let mut statuses = std::collections::BTreeMap::<String, usize>::new();
    Site::new("strangers", REGION).run(async |run| {
        for round in 0..number("SYNCPOINT_ROUNDS", ROUNDS) {
            let asked: Vec<_> = (0..CLIENTS)
                .map(|_| {
                    let mark = format!("{MARK}{:016x}", rng.u64(..));
                    let request = request(&mut rng, &mark);
                    (mark, request)
                })
                .collect();
            let running = &run.running;
            let answers = asked.iter().map(|(_, (words, lines))| ask(running, words, lines));
            let mut answers: Vec<_> = answers.map(Box::pin).collect();
            for ((mark, (_, lines)), answer) in asked.iter().zip(together(&mut answers).await) {
                let answer = answer.unwrap_or_else(|why| panic!("{}: {why}", lines[0]));
                let answer = shown(&answer).join("\n");
                *statuses.entry(format!("{} {}", lines[0], &answer[..12])).or_default() += 1;
                let other = marks(&answer).find(|found| found != mark);
                assert_eq!(other, None, "seed {seed}, round {round}: {} has another's bytes", lines[0]);
            }
        }
        true
    });
    // Each way was gone, and none ends in silence.
    eprintln!("{statuses:#?}");
    for (_, path, _) in WAYS {
        assert!(statuses.keys().any(|asked| asked.contains(path)), "nobody asks for {path}");
    }
}

/// Waits for all answers, in whatever order they come.
async fn together<F: Future + Unpin>(asked: &mut [F]) -> Vec<F::Output> {
    let mut done: Vec<Option<F::Output>> = asked.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, place) in asked.iter_mut().zip(&mut done).filter(|(_, place)| place.is_none()) {
            if let std::task::Poll::Ready(output) = std::pin::Pin::new(future).poll(context) {
                *place = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
