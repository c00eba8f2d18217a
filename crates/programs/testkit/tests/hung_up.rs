//! No client of a listener is hung up on without a word: it has its answer, or a message that says why there is none; where only a
//! program closes, statistics and the log know of it.

mod common;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use common::{Run, Site};
use domains::statistics::Statistics;
use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use kernel::task::WaitKind;
use spec::measures::{StatisticId, stat};
use testkit::script::Act;
use testkit::timeline::Timeline;
use tn3270::datastream::Aid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Clients of CSKN that no child has taken, at most.
const PLACES: u64 = 49;

/// CHLD answers as its client asks: WELL answers, FAIL abends with the client's request, SHUT closes without an answer, FULL has no
/// socket number left at first. CSKN has places for 49 clients that no child has taken.
const APPLICATION: &str = "
```toml
[sockets]
listeners = \"listeners.txt\"

[[conversation]]
program = \"SLOW\"
receive = \"127.0.0.1:0\"
framing = \"as-received\"
commarea = 20

[security]
default-rights = [\"run\", \"inquire\", \"operate\"]

[sit]
MXT = 3
```

```file listeners.txt
         EZACICD TYPE=LISTENER,TRANID=CSKM,PORT=0,FORMAT=ENHANCED,
               CSTRANID=CHLD,MSGLEN=4,APPLID=TESTKIT
         EZACICD TYPE=LISTENER,TRANID=CSKN,PORT=0,FORMAT=ENHANCED,
               CSTRANID=CHLD,MSGLEN=4,NUMSOCK=50
```

```cobol CHLD threadsafe
01  TIM.
    05  GIVEN-SOCKET      PIC 9(8) COMP.
    05  LSTN-NAME         PIC X(8).
    05  LSTN-SUBNAME      PIC X(8).
    05  FILLER            PIC X(132).
    05  ASKED-LENGTH      PIC 9(4) COMP.
    05  ASKED             PIC X(4).
01  S          PIC 9(4) BINARY.
01  ANY-SOCKET PIC 9(4) BINARY.
01  AF         PIC 9(8) BINARY VALUE 2.
01  STREAM     PIC 9(8) BINARY VALUE 1.
01  PROTO      PIC 9(8) BINARY VALUE 0.
01  ERRNO      PIC 9(8) BINARY.
01  RETCODE    PIC S9(8) BINARY.
01  NBYTE      PIC 9(8) BINARY VALUE 4.
01  MAXDESC    PIC 9(4) BINARY VALUE 50.
01  MAXSNO     PIC 9(8) BINARY.
01  CLIENTID.
    05  CID-DOMAIN  PIC 9(8) BINARY VALUE 2.
    05  CID-NAME    PIC X(8).
    05  CID-TASK    PIC X(8).
    05  FILLER      PIC X(20) VALUE LOW-VALUES.
MOVE 158 TO LEN
EXEC CICS RETRIEVE INTO(TIM) LENGTH(LEN) END-EXEC
MOVE LSTN-NAME TO CID-NAME
MOVE LSTN-SUBNAME TO CID-TASK
MOVE GIVEN-SOCKET TO S
IF ASKED = 'FULL'
   CALL 'EZASOKET' USING 'INITAPI' MAXDESC CLIENTID CID-TASK MAXSNO
      ERRNO RETCODE
   PERFORM 50 TIMES
      CALL 'EZASOKET' USING 'SOCKET' AF STREAM PROTO ERRNO RETCODE
   END-PERFORM
   CALL 'EZASOKET' USING 'TAKESOCKET' S CLIENTID ERRNO RETCODE
   MOVE ERRNO TO NUM
   DISPLAY 'NO ROOM ' NUM
   MOVE 7 TO ANY-SOCKET
   CALL 'EZASOKET' USING 'CLOSE' ANY-SOCKET ERRNO RETCODE
END-IF
CALL 'EZASOKET' USING 'TAKESOCKET' S CLIENTID ERRNO RETCODE
MOVE RETCODE TO S
IF ASKED = 'FAIL' EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC END-IF
IF ASKED NOT = 'SHUT'
   CALL 'EZASOKET' USING 'WRITE' S NBYTE 'DONE' ERRNO RETCODE
END-IF
CALL 'EZASOKET' USING 'CLOSE' S ERRNO RETCODE
```

```cobol SLOW threadsafe
LINKAGE SECTION.
01  DFHCOMMAREA  PIC X(20).
PROCEDURE DIVISION.
EXEC CICS DELAY FOR SECONDS(1) END-EXEC
INSPECT DFHCOMMAREA CONVERTING 'abc' TO 'ABC'
```

```cobol HOLD
EXEC CICS RECEIVE INTO(REC) NOHANDLE END-EXEC
EXEC CICS RECEIVE INTO(REC) NOHANDLE END-EXEC
```
";

fn figure(region: &Region, id: StatisticId) -> u64 {
    Statistics::of(region).now(region).iter().find_map(|statistic| statistic.number(id)).unwrap_or_default()
}

fn told(words: &str) -> bool {
    Timeline::of_process().since(0).iter().any(|happening| happening.to_string().contains(words))
}

/// The addresses of CSKM and CSKN.
fn listeners(run: &Run) -> [SocketAddr; 2] {
    let addresses = run.house.running.addresses("listener");
    addresses.try_into().expect("two listeners")
}

async fn connected(to: SocketAddr, says: &str) -> TcpStream {
    let mut client = TcpStream::connect(to).await.expect("a connection");
    client.write_all(says.as_bytes()).await.expect("sent");
    client
}

/// All that a client hears until its connection ends, and whether that is in order.
async fn hears(mut client: TcpStream) -> (String, bool) {
    let mut heard = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, client.read_to_end(&mut heard)).await.expect("an end");
    (String::from_utf8_lossy(&heard).into_owned(), ended.is_ok())
}

/// The same of a client that has outlived its region.
fn hears_now(client: Option<std::net::TcpStream>) -> String {
    let mut client = client.expect("a client");
    client.set_nonblocking(false).expect("it waits");
    let mut heard = String::new();
    std::io::Read::read_to_string(&mut client, &mut heard).expect("an end in order");
    heard
}

async fn asks(to: SocketAddr, says: &str) -> (String, bool) {
    hears(connected(to, says).await).await
}

async fn types(run: &mut Run, line: &str) {
    for act in [Act::Press(Aid::Clear), Act::Type(line.to_owned()), Act::Press(Aid::Enter)] {
        run.house.act("A", &act).await.unwrap_or_else(|error| panic!("{error}"));
    }
}

fn heard(text: &str) -> (String, bool) {
    (text.to_owned(), true)
}

#[test]
fn a_client_has_its_answer_or_statistics_and_the_log_know_of_it() {
    Site::new("hung_up", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let [at, _] = listeners(run);
        assert_eq!(asks(at, "WELL").await, heard("DONE"));
        assert_eq!(
            asks(at, "WELL, AND MORE THAN THE CHILD READS").await,
            heard("DONE"),
            "no reset behind it"
        );
        assert_eq!(asks(at, "FULL").await, heard("DONE"), "the socket stays until there is room");
        assert_eq!(common::displayed("NO ROOM ").as_deref().map(str::trim), Some("24"), "EMFILE");
        assert_eq!(figure(&region, stat::SPSNOANS), 0);
        assert_eq!(asks(at, "FAIL").await.0, "");
        run.until("the log has the abend", || told("CHLD abended OOPS")).await;
        assert_eq!(figure(&region, stat::SPSNOANS), 1);
        assert!(told("CSKM: client 127.0.0.1") && told("is hung up on without an answer, task"));
        assert_eq!(asks(at, "SHUT").await.0, "");
        assert_eq!(figure(&region, stat::SPSNOANS), 2);
        true
    });
}

#[test]
fn a_listener_that_stops_tells_those_whom_it_has_accepted_and_those_who_wait() {
    Site::new("hung_up_stopped", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let [_, at] = listeners(run);
        let mut clients = Vec::new();
        for _ in 0..PLACES {
            clients.push(connected(at, "").await);
        }
        run.until("they have all places", || figure(&region, stat::SOG_CURR_INBOUND_SOCKETS) == PLACES).await;
        clients.extend([connected(at, "WELL").await, connected(at, "").await]);
        types(run, "EZAO STOP LISTENER(CSKN)").await;
        let ends = heard("LISTENER CSKN: the listener ends\n");
        for client in clients {
            assert_eq!(hears(client).await, ends);
        }
        assert_eq!(figure(&region, stat::SPSNOANS), 0);
        true
    });
}

#[test]
fn a_message_that_a_conversation_has_had_when_the_region_ends_is_answered() {
    let mut client = None;
    Site::new("hung_up_between", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let at = run.house.running.addresses("conversation")[0];
        let mut talks = connected(at, "abc").await;
        run.until("the program works", || {
            let tasks = Dispatcher::of(&region).tasks();
            tasks.iter().any(|task| task.waits_for() == Some(WaitKind::INTERVAL))
        })
        .await;
        talks.write_all(b"cab").await.expect("sent");
        client = Some(talks.into_std().expect("a socket"));
        true
    });
    assert_eq!(hears_now(client), "ABCCAB");
}

#[test]
fn a_region_that_ends_tells_clients_whose_children_have_not_begun() {
    let mut client = None;
    Site::new("hung_up_queued", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let [at, _] = listeners(run);
        types(run, "HOLD").await;
        run.until("the listeners and it have all places", || Dispatcher::of(&region).is_full()).await;
        client = Some(connected(at, "WELL").await.into_std().expect("a socket"));
        run.until("it was given", || figure(&region, stat::SPKGIVEN) == 1).await;
        true
    });
    assert_eq!(hears_now(client), "LISTENER CSKM: transaction CHLD has not begun: the region ends\n");
}
