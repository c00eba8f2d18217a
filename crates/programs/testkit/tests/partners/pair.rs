//! Two regions, and a wire between them.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kernel::region::Region;
use spec::Condition;
use testkit::application::Application;
use testkit::commands::{answered, command};
use testkit::document::Document;
use testkit::house::House;
use testkit::timeline::{Happening, Timeline};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::LocalSet;

const APPLICATION: &str = "
```toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
```

```partner csd
DEFINE TSMODEL(KEPT) GROUP(T) PREFIX(KEPT) RECOVERY(YES)
DEFINE CONNECTION(REGX) GROUP(T) NETNAME(REGX) ACCESSMETHOD(IRC)
DEFINE SESSIONS(REGX) GROUP(T) CONNECTION(REGX) PROTOCOL(LU61) SENDCOUNT(9) RECEIVECOUNT(9)
```

```partner cobol CHAT threadsafe
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(4).
MOVE 80 TO LEN
EXEC CICS RECEIVE INTO(REC) LENGTH(LEN) NOHANDLE END-EXEC
EXEC CICS SEND FROM('TOLD') LENGTH(4) ERASE NOHANDLE END-EXEC
EXEC CICS RECEIVE INTO(REC) LENGTH(LEN) NOHANDLE END-EXEC
EXEC CICS SEND FROM('AGAIN') LENGTH(5) ERASE NOHANDLE END-EXEC
EXEC CICS RETURN TRANSID('CHAT') COMMAREA('AREA') LENGTH(4) END-EXEC
```

```csd
DEFINE TRANSACTION(CHAT) GROUP(T) REMOTESYSTEM(PART)
```

```cobol HERE threadsafe
DISPLAY 'HERE'
```
";

/// Bytes of a frame's head, which begins with the length of its body; the place of its kind.
const HEAD: usize = 12;
const KIND: usize = 8;
/// The kinds of a request and of a reply.
pub const REQUEST: u8 = 3;
pub const REPLY: u8 = 4;
/// The longest wait.
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval between looks at a state without an event.
const LOOK: Duration = Duration::from_millis(2);

/// A change of a frame.
pub type Change = Box<dyn FnMut(&mut Vec<u8>)>;

/// The wire from the asker to its partner.
#[derive(Default)]
pub struct Wire {
    /// The number of each connection that has carried a request, in the order of requests.
    pub asked: RefCell<Vec<usize>>,
    /// Connections so far.
    pub connections: Cell<usize>,
    /// Done with each request and reply.
    pub change: RefCell<Option<Change>>,
}

impl Wire {
    fn passes(&self, connection: usize, frame: &mut Vec<u8>) {
        if frame[KIND] == REQUEST {
            self.asked.borrow_mut().push(connection);
        }
        if [REQUEST, REPLY].contains(&frame[KIND])
            && let Some(change) = &mut *self.change.borrow_mut()
        {
            change(frame);
        }
    }
}

async fn pass(wire: Rc<Wire>, connection: usize, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    loop {
        let mut frame = vec![0; HEAD];
        if from.read_exact(&mut frame).await.is_err() {
            return;
        }
        let body = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]) as usize;
        frame.resize(HEAD + body.min(1 << 20), 0);
        if from.read_exact(&mut frame[HEAD..]).await.is_err() {
            return;
        }
        wire.passes(connection, &mut frame);
        if to.write_all(&frame).await.is_err() {
            return;
        }
    }
}

/// Carries what comes to a socket to another one.
async fn carry(wire: Rc<Wire>, from: PathBuf, to: PathBuf) {
    let listener = UnixListener::bind(&from).expect("a socket");
    while let Ok((comes, _)) = listener.accept().await {
        let Ok(goes) = UnixStream::connect(&to).await else { continue };
        let connection = wire.connections.get();
        wire.connections.set(connection + 1);
        let ((asks, answers), (answered, asked)) = (comes.into_split(), goes.into_split());
        let wire = Rc::clone(&wire);
        tokio::task::spawn_local(async move {
            tokio::select! {
                () = pass(Rc::clone(&wire), connection, asks, asked) => {}
                () = pass(wire, connection, answered, answers) => {}
            }
        });
    }
}

/// Two regions that run.
pub struct Pair {
    pub asker: House,
    pub partner: House,
    pub wire: Rc<Wire>,
    /// The folder in which the partner's own socket is.
    pub folder: PathBuf,
}

static TURN: Mutex<()> = Mutex::new(());

/// Has something done with two regions that are linked; then both end in order.
pub fn with_both(name: &str, work: impl AsyncFnOnce(&mut Pair)) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Timeline::of_process().clear();
    let document = Document::parse(name, APPLICATION).expect("blocks");
    let partner = testkit::terms::partner(&document).expect("a partner");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("partners");
    let links = tempfile::tempdir().expect("a folder");
    let (asks, real) = (links.path().join("a"), links.path().join("p"));
    for folder in [&asks, &real] {
        std::fs::create_dir(folder).expect("a folder");
        std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .expect("rights");
    }
    let written =
        |links| Application::write_two((&document, &partner), &folder, links).expect("applications");
    let ([own, _], [_, partner]) = (written(&asks), written(&real));
    let states = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
    LocalSet::new().block_on(&runtime, async {
        let wire = Rc::<Wire>::default();
        let partner = partner.start(states[1].path()).await.expect("a partner");
        tokio::task::spawn_local(carry(Rc::clone(&wire), asks.join("PARTNER"), real.join("PARTNER")));
        tokio::task::spawn_local(carry(Rc::default(), real.join("TESTKIT"), asks.join("TESTKIT")));
        let asker = own.start(states[0].path()).await.expect("an asker");
        until("the link is there", || said("PART to PARTNER is acquired")).await;
        let mut pair = Pair { asker, partner, wire, folder: real };
        work(&mut pair).await;
        pair.wire.change.replace(None);
        assert!(!said("panicked") && !said("a task of it has failed"), "{}", told());
        pair.asker.end().await;
        pair.partner.end().await;
    });
}

/// Everything that has happened.
pub fn told() -> String {
    Timeline::of_process().since(0).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Returns true if the log has said something.
pub fn said(text: &str) -> bool {
    let happenings = Timeline::of_process().since(0);
    happenings
        .iter()
        .any(|happening| matches!(happening, Happening::Message(message) if message.contains(text)))
}

/// Waits until something is so.
pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(LOOK).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, waiting).await.is_ok(), "in vain: {what}\n{}", told());
}

/// The response of a command; `None`: its task has abended.
pub async fn response(region: &Arc<Region>, text: &str) -> Option<Condition> {
    let told = answered(region, vec![command(text)]).await?;
    Some(told[0].response().0)
}

/// Asks until a command is answered like this.
pub async fn answers(region: &Arc<Region>, text: &str, wanted: Condition) {
    let begun = std::time::Instant::now();
    loop {
        let got = response(region, text).await;
        if got == Some(wanted) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}: {got:?}\n{}", told());
        tokio::time::sleep(LOOK).await;
    }
}
