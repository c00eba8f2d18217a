//! Two regions and one unit of work, which changes a record in each: whatever ends at whichever message between them, both changes are
//! there or none, as its task has heard.

mod common;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use common::attach;
use kernel::exec::{Content, Parcel};
use kernel::region::Region;
use records::{Decision, Standing};
use spec::opt;
use testkit::application::Application;
use testkit::commands::{answered, command};
use testkit::document::Document;
use testkit::house::House;
use testkit::timeline::{Happening, Timeline};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::LocalSet;

const APPLICATION: &str = "
```toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
[links]
answer-seconds = 1
```

```partner csd
DEFINE FILE(THERE) GROUP(T) DSNAME(T.THERE) READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
```

```partner csd
DEFINE TRANSACTION(MIRX) GROUP(T) PROGRAM(DFHMIRS) WAIT(NO) ACTION(COMMIT)
DEFINE TRANSACTION(MIRQ) GROUP(T) PROGRAM(DFHMIRS) WAIT(YES) ACTION(COMMIT)
DEFINE TDQUEUE(MAYN) GROUP(T) TYPE(INTRA) RECOVSTATUS(LOGICAL) WAIT(NO)
```

```partner cobol PUTS
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(80).
EXEC CICS WRITE FILE('THERE') FROM(DFHCOMMAREA) LENGTH(80) RIDFLD(DFHCOMMAREA) END-EXEC.
```

```partner cobol ADDS
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(80).
EXEC CICS WRITE FILE('THERE') FROM(DFHCOMMAREA) LENGTH(80) RIDFLD(DFHCOMMAREA) END-EXEC.
EXEC CICS WRITEQ TD QUEUE('MAYN') FROM(DFHCOMMAREA) LENGTH(4) END-EXEC.
```

```partner idcams
 DEFINE CLUSTER (NAME(T.THERE) INDEXED KEYS(4 0) RECORDSIZE(80 80))
```

```partner cobol LOOK
77 K PIC 9(4) VALUE 0.
PERFORM 40 TIMES
   ADD 1 TO K
   MOVE K TO REC
   EXEC CICS READ FILE('THERE') INTO(REC) RIDFLD(REC) RESP(N) END-EXEC
   IF N = 0 DISPLAY 'THERE ' K END-IF
   IF N NOT = 0 AND N NOT = 13 DISPLAY 'LOCKED ' K END-IF
END-PERFORM
DISPLAY 'LOOKED THERE'
```

```csd
DEFINE FILE(HERE) GROUP(T) DSNAME(T.HERE) READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(THERE) GROUP(T) REMOTESYSTEM(PART)
DEFINE PROGRAM(PUTS) GROUP(T) REMOTESYSTEM(PART) TRANSID(MIRX)
DEFINE PROGRAM(ADDS) GROUP(T) REMOTESYSTEM(PART) TRANSID(MIRQ)
```

```idcams
 DEFINE CLUSTER (NAME(T.HERE) INDEXED KEYS(4 0) RECORDSIZE(80 80))
```

```cobol LOOK
77 K PIC 9(4) VALUE 0.
PERFORM 40 TIMES
   ADD 1 TO K
   MOVE K TO REC
   EXEC CICS READ FILE('HERE') INTO(REC) RIDFLD(REC) RESP(N) END-EXEC
   IF N = 0 DISPLAY 'HERE ' K END-IF
END-PERFORM
DISPLAY 'LOOKED HERE'
```

```cobol BOTH
77 K PIC 9(4).
EXEC CICS READQ TS QUEUE('NUMBER') INTO(K) LENGTH(LENGTH OF K) END-EXEC
MOVE K TO REC
EXEC CICS WRITE FILE('HERE') FROM(REC) LENGTH(80) RIDFLD(K) END-EXEC
EXEC CICS WRITE FILE('THERE') FROM(REC) LENGTH(80) RIDFLD(K) END-EXEC
EXEC CICS SYNCPOINT RESP(N) END-EXEC
IF N = 0 DISPLAY 'COMMITTED ' K END-IF
DISPLAY 'ENDED ' K
```

```cobol LINX
77 K PIC 9(4).
EXEC CICS READQ TS QUEUE('NUMBER') INTO(K) LENGTH(LENGTH OF K) END-EXEC
MOVE K TO REC
EXEC CICS WRITE FILE('HERE') FROM(REC) LENGTH(80) RIDFLD(K) END-EXEC
EXEC CICS LINK PROGRAM('PUTS') COMMAREA(REC) LENGTH(80) END-EXEC
EXEC CICS SYNCPOINT RESP(N) END-EXEC
IF N = 0 DISPLAY 'COMMITTED ' K END-IF
DISPLAY 'ENDED ' K
```

```cobol LINQ
77 K PIC 9(4).
EXEC CICS READQ TS QUEUE('NUMBER') INTO(K) LENGTH(LENGTH OF K) END-EXEC
MOVE K TO REC
EXEC CICS WRITE FILE('HERE') FROM(REC) LENGTH(80) RIDFLD(K) END-EXEC
EXEC CICS LINK PROGRAM('ADDS') COMMAREA(REC) LENGTH(80) END-EXEC
EXEC CICS SYNCPOINT RESP(N) END-EXEC
IF N = 0 DISPLAY 'COMMITTED ' K END-IF
DISPLAY 'ENDED ' K
```

```cobol READ
77 K PIC 9(4).
EXEC CICS READQ TS QUEUE('NUMBER') INTO(K) LENGTH(LENGTH OF K) END-EXEC
MOVE K TO REC
EXEC CICS WRITE FILE('HERE') FROM(REC) LENGTH(80) RIDFLD(K) END-EXEC
MOVE 1 TO K
EXEC CICS READ FILE('THERE') INTO(REC) RIDFLD(K) END-EXEC
EXEC CICS SYNCPOINT END-EXEC
DISPLAY 'ENDED'
```

```cobol HOLD
77 K PIC 9(4).
EXEC CICS READQ TS QUEUE('NUMBER') INTO(K) LENGTH(LENGTH OF K) END-EXEC
MOVE K TO REC
EXEC CICS WRITE FILE('HERE') FROM(REC) LENGTH(80) RIDFLD(K) END-EXEC
MOVE 1 TO K
EXEC CICS READ FILE('THERE') INTO(REC) RIDFLD(K) UPDATE END-EXEC
EXEC CICS SYNCPOINT END-EXEC
DISPLAY 'ENDED'
```

```cobol ONLY
77 K PIC 9(4).
EXEC CICS READQ TS QUEUE('NUMBER') INTO(K) LENGTH(LENGTH OF K) END-EXEC
MOVE K TO REC
EXEC CICS WRITE FILE('THERE') FROM(REC) LENGTH(80) RIDFLD(K) END-EXEC
EXEC CICS SYNCPOINT RESP(N) END-EXEC
IF N = 0 DISPLAY 'COMMITTED ' K END-IF
DISPLAY 'ENDED ' K
```
";

/// Bytes of a frame's head, which begins with the length of its body; the place of its kind.
const HEAD: usize = 12;
const KIND: usize = 8;

/// The wire between the two, from the asker to its partner.
struct Wire {
    /// Messages that still pass; `None`: all.
    left: Cell<Option<usize>>,
    /// It was cut.
    is_cut: Cell<bool>,
    /// A cut wire stays open and carries nothing more, as that of a process that is stopped.
    is_silent: Cell<bool>,
    /// The kinds of frames that have passed.
    passed: RefCell<Vec<u8>>,
    /// Tasks that have ended though the partner was silent.
    ended_in_silence: Cell<usize>,
}

impl Wire {
    fn new(is_silent: bool) -> Rc<Self> {
        Rc::new(Self {
            left: Cell::new(None),
            is_cut: Cell::new(false),
            is_silent: Cell::new(is_silent),
            passed: RefCell::default(),
            ended_in_silence: Cell::new(0),
        })
    }
}

/// Carries what comes to the socket of the partner as the asker sees it, and counts messages.
async fn carry(wire: Rc<Wire>, from: PathBuf, to: PathBuf) {
    let _ = std::fs::remove_file(&from);
    let listener = UnixListener::bind(&from).expect("a socket");
    loop {
        let Ok((asker, _)) = listener.accept().await else { return };
        let Ok(partner) = UnixStream::connect(&to).await else { continue };
        let ((asks, answers), (answered, asked)) = (asker.into_split(), partner.into_split());
        let there = tokio::task::spawn_local(pass(Rc::clone(&wire), asks, asked));
        let back = tokio::task::spawn_local(pass(Rc::clone(&wire), answered, answers));
        tokio::task::spawn_local(async move {
            let (there_ends, back_ends) = (there.abort_handle(), back.abort_handle());
            tokio::select! { _ = there => {}, _ = back => {} }
            there_ends.abort();
            back_ends.abort();
        });
    }
}

async fn pass(
    wire: Rc<Wire>,
    mut from: tokio::net::unix::OwnedReadHalf,
    mut to: tokio::net::unix::OwnedWriteHalf,
) {
    loop {
        let mut frame = vec![0; HEAD];
        if from.read_exact(&mut frame).await.is_err() {
            return;
        }
        let length = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]) as usize;
        let body = length.min(1 << 20);
        frame.resize(HEAD + body, 0);
        if from.read_exact(&mut frame[HEAD..]).await.is_err() {
            return;
        }
        let kind = frame[KIND];
        // A request or a reply.
        if kind == 3 || kind == 4 {
            wire.passed.borrow_mut().push(kind);
            match wire.left.get() {
                Some(0) => {
                    wire.is_cut.set(true);
                    while wire.is_silent.get() && wire.left.get().is_some() {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    return;
                }
                left => wire.left.set(left.map(|left| left - 1)),
            }
        }
        if to.write_all(&frame).await.is_err() {
            return;
        }
    }
}

/// The side that ends when the wire is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Link,
    /// The partner says nothing more; the link is cut only when it has had more than the time for an answer.
    Silence,
    Partner,
    Asker,
}

/// The published number of the CVDA.
const NOTPENDING: i64 = 127;

/// Longer than the time for an answer that the application gives to partners.
const SILENCE: Duration = Duration::from_millis(1_600);

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(40), waiting).await.is_err() {
        let told = Timeline::of_process().since(0);
        let last: Vec<_> = told.iter().rev().take(30).map(ToString::to_string).collect();
        panic!("in vain: {what}; the last that happened, backwards:\n{}", last.join("\n"));
    }
}

fn said(from: usize, line: &str) -> bool {
    Timeline::of_process().since(from).iter().any(|happening| match happening {
        Happening::Display(text) => text.trim_end() == line,
        Happening::Message(text) => text.contains(line),
        Happening::Abend(..) | Happening::Outcome(_) | Happening::Shipped(_) => false,
    })
}

/// Returns true if a task of a transaction has abended.
fn abended(from: usize, name: &str) -> bool {
    let happenings = Timeline::of_process().since(from);
    happenings
        .iter()
        .any(|happening| matches!(happening, Happening::Abend(transaction, ..) if transaction == name))
}

/// Starts a region; the last run may still let go of its data.
async fn started(application: &Application, state: &Path) -> House {
    let begun = std::time::Instant::now();
    loop {
        match application.start(state).await {
            Ok(house) => return house,
            Err(why) => assert!(begun.elapsed() < Duration::from_secs(20), "{why}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until nothing goes over the wire.
async fn quiet(wire: &Wire) {
    let mut passed = None;
    while passed.replace(wire.passed.borrow().len()) != Some(wire.passed.borrow().len()) {
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
}

/// Has a number written where the programs find it.
async fn number(region: &std::sync::Arc<Region>, number: usize) {
    let text = format!("WRITEQ TS QUEUE(NUMBER) FROM('{number:04}')");
    let _ = answered(region, vec![command("DELETEQ TS QUEUE(NUMBER)")]).await;
    let _ = answered(region, vec![command(&text)]).await;
}

struct Site {
    own: Application,
    partner: Application,
    states: [tempfile::TempDir; 2],
}

impl Site {
    async fn asker(&self) -> House {
        started(&self.own, self.states[0].path()).await
    }

    async fn partner(&self) -> House {
        started(&self.partner, self.states[1].path()).await
    }
}

/// Tries a unit of work, whose wire is cut behind so many messages: whether it was cut.
async fn attempt(
    site: &Site,
    wire: &Wire,
    houses: (House, House),
    transaction: &str,
    at: usize,
    k: usize,
    ends: Ends,
) -> (House, House, bool) {
    let (mut asker, mut partner) = houses;
    number(&asker.running.region, k).await;
    quiet(wire).await;
    let place = Timeline::of_process().end();
    wire.is_cut.set(false);
    wire.left.set(Some(at));
    attach(&asker.running.region, transaction);
    let ended = format!("ENDED {k:04}");
    until("the end of the task, or of the wire", || {
        said(place, &ended) || abended(place, transaction) || wire.is_cut.get()
    })
    .await;
    let was_cut = wire.is_cut.get();
    if was_cut && ends == Ends::Silence {
        tokio::time::sleep(SILENCE).await;
        let has_ended = said(place, &ended) || abended(place, transaction);
        wire.ended_in_silence.set(wire.ended_in_silence.get() + usize::from(has_ended));
    }
    wire.left.set(None);
    if was_cut {
        match ends {
            Ends::Link | Ends::Silence => {}
            Ends::Partner => {
                partner.crash().await;
                partner = site.partner().await;
            }
            Ends::Asker => {
                asker.crash().await;
                asker = site.asker().await;
            }
        }
        if ends != Ends::Asker {
            until("the end of the task", || said(place, &ended) || abended(place, transaction)).await;
        }
        until("the link is there again", || said(place, "PART to PARTNER is acquired")).await;
    }
    // What is in doubt is settled when the link is there.
    let region = std::sync::Arc::clone(&partner.running.region);
    until("nothing is in doubt", || region.records.indoubt().is_ok_and(|units| units.is_empty())).await;
    look(place, &asker, &partner).await;
    let (here, there) = (said(place, &format!("HERE {k:04}")), said(place, &format!("THERE {k:04}")));
    let committed = said(place, &format!("COMMITTED {k:04}"));
    assert!(!said(place, &format!("LOCKED {k:04}")), "{transaction} {at} {ends:?}: locked");
    if transaction == "BOTH" {
        assert_eq!(here, there, "{transaction} cut behind {at} messages, {ends:?}");
    }
    assert!(
        there || !committed,
        "{transaction} cut behind {at} messages, {ends:?}: it was told to be committed"
    );
    (asker, partner, was_cut)
}

/// Reads what both have.
async fn look(place: usize, asker: &House, partner: &House) {
    attach(&asker.running.region, "LOOK");
    attach(&partner.running.region, "LOOK");
    until("both have looked", || said(place, "LOOKED HERE") && said(place, "LOOKED THERE")).await;
}

/// Two regions that run, and the wire between them.
struct Linked {
    site: Site,
    wire: Rc<Wire>,
    houses: (House, House),
}

/// Has something done with two regions that are linked.
fn with_both<Done: Future<Output = ()>>(name: &str, is_silent: bool, work: impl FnOnce(Linked) -> Done) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    Timeline::of_process().clear();
    let document = Document::parse(name, APPLICATION).expect("blocks");
    let partner = testkit::terms::partner(&document).expect("a partner");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-regions");
    let links = tempfile::tempdir().expect("a folder");
    let (asks, real) = (links.path().join("a"), links.path().join("p"));
    for folder in [&asks, &real] {
        std::fs::create_dir(folder).expect("a folder");
        std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .expect("rights");
    }
    let [own, _] =
        Application::write_two((&document, &partner), &folder, &asks).unwrap_or_else(|why| panic!("{why}"));
    let [_, partner] =
        Application::write_two((&document, &partner), &folder, &real).unwrap_or_else(|why| panic!("{why}"));
    let states = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let site = Site { own, partner, states };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
    LocalSet::new().block_on(&runtime, async {
        let wire = Wire::new(is_silent);
        let place = Timeline::of_process().end();
        let partner = site.partner().await;
        // The asker finds the partner through the wire, and the partner the asker directly.
        tokio::task::spawn_local(carry(Rc::clone(&wire), asks.join("PARTNER"), real.join("PARTNER")));
        tokio::task::spawn_local(carry(Wire::new(false), real.join("TESTKIT"), asks.join("TESTKIT")));
        let asker = site.asker().await;
        until("the link is there", || said(place, "PART to PARTNER is acquired")).await;
        work(Linked { site, wire, houses: (asker, partner) }).await;
    });
}

fn all_ends(transaction: &'static str, ends: Ends) {
    let name = format!("two-regions-{transaction}-{ends:?}");
    with_both(&name, ends == Ends::Silence, |linked| async move {
        let Linked { site, wire, mut houses } = linked;
        let mut k = 0;
        loop {
            let at = k;
            k += 1;
            assert!(k < 40, "a unit of work has that many messages?");
            let (asker, partner, was_cut) = attempt(&site, &wire, houses, transaction, at, k, ends).await;
            houses = (asker, partner);
            if !was_cut {
                break;
            }
        }
        assert!(k > 3, "{k} messages");
        // A request and its reply at the end of the unit of work.
        assert!(ends != Ends::Silence || wire.ended_in_silence.get() >= 2, "no answer was given up");
        houses.0.end().await;
        houses.1.end().await;
    });
}

/// Cuts the wire behind more and more messages until the partner is in doubt; it stays cut. Returns the number of the unit of work.
async fn bring_into_doubt(wire: &Wire, asker: &House, partner: &House, transaction: &str) -> usize {
    for at in 0..40 {
        let k = at + 1;
        number(&asker.running.region, k).await;
        quiet(wire).await;
        let place = Timeline::of_process().end();
        wire.is_cut.set(false);
        wire.left.set(Some(at));
        attach(&asker.running.region, transaction);
        let ended = format!("ENDED {k:04}");
        until("the end of the task", || said(place, &ended) || abended(place, transaction)).await;
        assert!(wire.is_cut.get(), "it was never in doubt");
        if !partner.running.region.records.indoubt().expect("a list").is_empty() {
            return k;
        }
        wire.left.set(None);
        until("the link is there again", || said(place, "PART to PARTNER is acquired")).await;
    }
    panic!("a unit of work has that many messages?");
}

static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[test]
fn the_link_is_cut_at_each_message_of_a_unit_of_work_of_both() {
    all_ends("BOTH", Ends::Link);
}

#[test]
fn the_partner_is_killed_at_each_message_of_a_unit_of_work_of_both() {
    all_ends("BOTH", Ends::Partner);
}

#[test]
fn the_asker_is_killed_at_each_message_of_a_unit_of_work_of_both() {
    all_ends("BOTH", Ends::Asker);
}

#[test]
fn the_link_is_cut_at_each_message_of_a_unit_of_work_of_the_partner_alone() {
    all_ends("ONLY", Ends::Link);
}

#[test]
fn a_silent_partner_holds_the_end_of_a_unit_of_work_of_its_own_no_longer_than_it_may() {
    all_ends("ONLY", Ends::Silence);
}

#[test]
fn a_silent_partner_holds_the_end_of_a_unit_of_work_of_both_no_longer_than_it_may() {
    all_ends("BOTH", Ends::Silence);
}

/// Checks what INQUIRE tells at the partner of a unit of work that is in doubt because the asker is not there.
async fn look_at_what_is_in_doubt(region: &std::sync::Arc<Region>) {
    let cvda = |name: &str| i64::from(spec::cvda(name).expect("a CVDA"));
    let commands = [
        "INQUIRE UOWLINK START",
        "INQUIRE UOWLINK(AAAA) NEXT ROLE(B) TYPE(C) LINK(D) SYSID(E) RESYNCSTATUS(F) PROTOCOL(G) NETUOWID(H)",
        "INQUIRE UOWLINK(AAAA) NEXT",
        "INQUIRE UOWDSNFAIL START",
        "INQUIRE UOWDSNFAIL NEXT DSNAME(A) CAUSE(B) NETNAME(C) SYSID(D)",
        "INQUIRE UOWENQ START RESOURCE('T.THERE') RESLEN(7)",
        "INQUIRE UOWENQ NEXT STATE(A) RELATION(B) QUALIFIER(C)",
    ];
    let told = answered(region, commands.into_iter().map(command).collect()).await.expect("answers");
    let said: Vec<_> = told.iter().map(|one| one.response().0).collect();
    use spec::cond::{END, NORMAL};
    assert_eq!(said, [NORMAL, NORMAL, END, NORMAL, NORMAL, NORMAL, NORMAL]);
    let (link, failure, lock) = (&told[1], &told[4], &told[6]);
    assert_eq!(link.number(opt::ROLE), cvda("COORDINATOR"));
    assert_eq!(link.number(opt::TYPE), cvda("CONNECTION"));
    assert_eq!(link.number(opt::PROTOCOL), cvda("IRC"));
    assert_eq!((link.text(opt::LINK).trim(), link.text(opt::SYSID).trim()), ("TESTKIT", "TEST"));
    assert!(link.text(opt::NETUOWID).contains("TESTKIT"), "the region that decides");
    assert_eq!(failure.number(opt::CAUSE), cvda("CONNECTION"));
    assert_eq!((failure.text(opt::DSNAME).trim(), failure.text(opt::SYSID).trim()), ("T.THERE", "TEST"));
    assert_eq!(lock.number(opt::STATE), cvda("RETAINED"));
    assert_eq!(lock.number(opt::RELATION), cvda("OWNER"));
    let mut browse = vec![command("INQUIRE UOW START")];
    browse.extend((0..4).map(|_| {
        command("INQUIRE UOW(A) NEXT UOWSTATE(B) WAITSTATE(C) WAITCAUSE(D) LINK(E) SYSID(F) NETUOWID(H)")
    }));
    let units = answered(region, browse).await.expect("answers");
    let units = units.iter().skip(1).filter(|one| one.response().0 == NORMAL);
    let indoubt: Vec<_> = units.filter(|one| one.number(opt::UOWSTATE) == cvda("INDOUBT")).collect();
    assert_eq!(indoubt.len(), 1, "one is in doubt");
    assert_eq!(indoubt[0].number(opt::WAITSTATE), cvda("SHUNTED"));
    assert_eq!(indoubt[0].number(opt::WAITCAUSE), cvda("CONNECTION"));
    assert_eq!((indoubt[0].text(opt::LINK).trim(), indoubt[0].text(opt::SYSID).trim()), ("TESTKIT", "TEST"));
    assert_eq!(indoubt[0].text(opt::NETUOWID), link.text(opt::NETUOWID));
    // The field of a typed command is longer than an identifier.
    let id: Vec<u8> = link.text(opt::UOWLINK).chars().take(4).map(|one| one as u8).collect();
    let mut delete = Parcel::new(spec::cmd::SET_UOWLINK);
    delete.give(opt::UOWLINK, Content::Bytes(id)).expect("a field");
    delete.keyword(opt::DELETE).expect("a keyword");
    let told = answered(region, vec![delete]).await.expect("an answer");
    assert_eq!(told[0].response(), (spec::cond::INVREQ, 2), "a coordinator is not given up");
}

/// An operator commits what the coordinator, which is not there, has backed out: the damage is reported when it is there again.
#[test]
fn an_operator_decides_what_a_partner_that_is_not_there_leaves_in_doubt() {
    with_both("two-regions-operator", false, |linked| async move {
        let Linked { wire, houses: (asker, partner), .. } = linked;
        let place = Timeline::of_process().end();
        let k = bring_into_doubt(&wire, &asker, &partner, "BOTH").await;
        let region = std::sync::Arc::clone(&partner.running.region);
        let told = answered(&region, vec![command("INQUIRE CONNECTION(TEST) PENDSTATUS(A)")]).await;
        let told = told.expect("an answer");
        assert_eq!(told[0].number(opt::PENDSTATUS), NOTPENDING, "the partner's log is the one of before");
        until("its task is gone", || {
            let units = region.records.indoubt().expect("a list");
            units.iter().all(|unit| unit.standing == Standing::Shunted)
        })
        .await;
        look_at_what_is_in_doubt(&region).await;
        let set = answered(&region, vec![command("SET CONNECTION(TEST) UOWACTION(COMMIT)")]).await;
        assert_eq!(set.expect("an answer")[0].response().1, 0);
        let units = region.records.indoubt().expect("a list");
        let forced = Standing::Forced(Decision::Commit);
        assert!(units.iter().all(|unit| unit.standing == forced), "{units:?}");
        wire.left.set(None);
        until("nothing is in doubt", || region.records.indoubt().is_ok_and(|units| units.is_empty())).await;
        look(place, &asker, &partner).await;
        assert!(said(place, &format!("THERE {k:04}")), "the operator has committed it");
        assert!(!said(place, &format!("HERE {k:04}")), "the vote was lost");
        assert!(said(place, "does not fit what it has changed elsewhere"), "the damage is reported");
        asker.end().await;
        partner.end().await;
    });
}

/// The transaction of the mirror task has WAIT(NO): its ACTION is done at once, and the damage is reported when the coordinator, which
/// has backed out, is there again.
#[test]
fn a_unit_of_work_that_may_not_wait_ends_by_its_action_and_the_damage_is_reported() {
    ends_by_its_action("LINX", "has waited for its coordinator as long as WAIT and WAITTIME allow");
}

/// The transaction of the mirror task has WAIT(YES), and a queue that it has changed WAIT(NO): the same.
#[test]
fn a_queue_that_may_not_wait_ends_the_unit_of_work_that_has_changed_it() {
    ends_by_its_action("LINQ", "WAIT of a TDQUEUE that it has changed is NO");
}

fn ends_by_its_action(transaction: &'static str, why: &'static str) {
    with_both(&format!("two-regions-no-wait-{transaction}"), false, |linked| async move {
        let Linked { wire, houses: (asker, partner), .. } = linked;
        let place = Timeline::of_process().end();
        let k = bring_into_doubt(&wire, &asker, &partner, transaction).await;
        let region = std::sync::Arc::clone(&partner.running.region);
        let forced = Standing::Forced(Decision::Commit);
        let is_forced =
            || region.records.indoubt().is_ok_and(|units| units.iter().all(|one| one.standing == forced));
        until("ACTION is done", is_forced).await;
        look(place, &asker, &partner).await;
        assert!(said(place, &format!("THERE {k:04}")), "it is committed, and free");
        assert!(!said(place, &format!("LOCKED {k:04}")), "nothing is locked");
        assert!(said(place, why));
        wire.left.set(None);
        until("nothing is in doubt", || region.records.indoubt().is_ok_and(|units| units.is_empty())).await;
        assert!(said(place, "does not fit what it has changed elsewhere"), "the damage is reported");
        asker.end().await;
        partner.end().await;
    });
}

/// A message and its answer for each command and each step of the end; none for a step that can be left out.
#[test]
fn units_of_work_end_with_as_few_messages_as_they_can() {
    with_both("two-regions-messages", false, |linked| async move {
        let Linked { wire, houses: (asker, partner), .. } = linked;
        for (k, (transaction, messages, what)) in [
            ("ONLY", 2 * 2, "a single updater: WRITE, and its commit in one phase"),
            ("BOTH", 3 * 2, "two updaters: WRITE, prepare, commit"),
            ("READ", 2, "a READ leaves nothing behind: no message at the end"),
            ("HOLD", 2 * 2, "READ UPDATE, and the end of what it holds, without a vote"),
        ]
        .into_iter()
        .enumerate()
        {
            number(&asker.running.region, k + 1).await;
            quiet(&wire).await;
            let (place, before) = (Timeline::of_process().end(), wire.passed.borrow().len());
            attach(&asker.running.region, transaction);
            until("the end of the task", || {
                said(place, &format!("ENDED {:04}", k + 1))
                    || said(place, "ENDED")
                    || abended(place, transaction)
            })
            .await;
            quiet(&wire).await;
            assert!(!abended(place, transaction), "{transaction}");
            assert_eq!(wire.passed.borrow().len() - before, messages, "{transaction}: {what}");
        }
        asker.end().await;
        partner.end().await;
    });
}
