//! Two regions of different builds on one link. A wire between them gives names in the Hello of the asker that its partner does not
//! know: what has such a name is ISCINVREQ, what has none goes on.

mod common;

use std::path::{Path, PathBuf};
use std::time::Duration;

use spec::{Condition, cond};
use testkit::application::Application;
use testkit::commands::{answered, command};
use testkit::document::Document;
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
DEFINE TSMODEL(KEPT) GROUP(T) PREFIX(KEPT)
```

```cobol HERE
DISPLAY 'HERE'
```
";

/// Bytes of a frame's head, which begins with the length of its body; the place of its kind, and the kind of a Hello.
const HEAD: usize = 12;
const KIND: usize = 8;
const HELLO: u8 = 1;
/// The longest wait for a link.
const PATIENCE: Duration = Duration::from_secs(60);

/// The names of this build, and what the asker says instead: they are as the Hello of a later build may have them.
const RENAMED: [(&str, &str); 2] = [("REWRITE", "RENEWED"), ("NUMITEMS", "NUMTHINGS")];

/// Fields that a later build may say behind its Hello.
const MORE: &[u8] = b"\x05LATER\x01";

/// A Hello of another build: its name, names of commands and options, and fields that are not known here. A text stands behind its
/// length.
fn of_another_build(hello: &mut Vec<u8>) {
    let ours = format!("{}-", env!("CARGO_PKG_VERSION"));
    if let Some(at) = hello.windows(ours.len()).position(|bytes| bytes == ours.as_bytes()) {
        hello[at] = b'9';
    }
    for (ours, theirs) in RENAMED {
        let counted = |name: &str| [&[name.len() as u8], name.as_bytes()].concat();
        let (ours, theirs) = (counted(ours), counted(theirs));
        if let Some(at) = hello.windows(ours.len()).position(|bytes| bytes == ours) {
            hello.splice(at..at + ours.len(), theirs);
        }
    }
    hello.extend(MORE);
    let body = u32::try_from(hello.len() - HEAD).expect("a length");
    hello[..4].copy_from_slice(&body.to_le_bytes());
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_asker: bool) {
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
        if is_asker && frame[KIND] == HELLO {
            of_another_build(&mut frame);
        }
        if to.write_all(&frame).await.is_err() {
            return;
        }
    }
}

/// Carries what comes to a socket to another one. `is_asker`: those who come are the asker.
async fn carry(from: PathBuf, to: PathBuf, is_asker: bool) {
    let listener = UnixListener::bind(&from).expect("a socket");
    while let Ok((comes, _)) = listener.accept().await {
        let Ok(goes) = UnixStream::connect(&to).await else { continue };
        let ((asks, answers), (answered, asked)) = (comes.into_split(), goes.into_split());
        tokio::task::spawn_local(async move {
            tokio::select! {
                () = pass(asks, asked, is_asker) => {}
                () = pass(answered, answers, !is_asker) => {}
            }
        });
    }
}

/// Waits for a message of the log.
async fn message(text: &str) {
    let is_there = || {
        let all = Timeline::of_process().since(0);
        all.iter().any(|happening| matches!(happening, Happening::Message(message) if message.contains(text)))
    };
    let waiting = async {
        while !is_there() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, waiting).await.is_ok(), "in vain: {text}");
}

#[test]
fn a_name_that_the_partner_does_not_know_is_iscinvreq_and_others_go_on() {
    let document = Document::parse("two-builds", APPLICATION).expect("blocks");
    let partner = testkit::terms::partner(&document).expect("a partner");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-builds");
    let links = tempfile::tempdir().expect("a folder");
    let (asks, real) = (links.path().join("asks"), links.path().join("real"));
    for folder in [&asks, &real] {
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .expect("a mode");
    }
    let written =
        |links| Application::write_two((&document, &partner), &folder, links).expect("applications");
    let ([own, _], [_, partner]) = (written(&asks), written(&real));
    let states = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
    LocalSet::new().block_on(&runtime, async {
        let partner = partner.start(states[1].path()).await.expect("a partner");
        tokio::task::spawn_local(carry(asks.join("PARTNER"), real.join("PARTNER"), true));
        tokio::task::spawn_local(carry(real.join("TESTKIT"), asks.join("TESTKIT"), false));
        let asker = own.start(states[0].path()).await.expect("an asker");
        message("PART to PARTNER is acquired").await;
        message(&format!("it is of another build (9{}", &env!("CARGO_PKG_VERSION")[1..])).await;
        let table: [(&str, Condition); 6] = [
            ("WRITEQ TS QUEUE(KEPT) SYSID(PART) FROM('ONE')", cond::NORMAL),
            // An option that only the asker has.
            ("READQ TS QUEUE(KEPT) SYSID(PART) INTO(A) LENGTH(9) ITEM(1) NUMITEMS(B)", cond::ISCINVREQ),
            ("READQ TS QUEUE(KEPT) SYSID(PART) INTO(A) LENGTH(9) ITEM(1)", cond::NORMAL),
            // A command that only the asker has.
            ("REWRITE FILE(NONE) SYSID(PART) FROM('X') LENGTH(1)", cond::ISCINVREQ),
            ("READ FILE(NONE) SYSID(PART) INTO(A) LENGTH(9) RIDFLD('X') KEYLENGTH(1)", cond::FILENOTFOUND),
            ("DELETEQ TS QUEUE(KEPT) SYSID(PART)", cond::NORMAL),
        ];
        for (text, expected) in table {
            let told = answered(&asker.running.region, vec![command(text)]).await.expect("an answer");
            assert_eq!(told[0].response().0, expected, "{text}");
        }
        asker.end().await;
        partner.end().await;
    });
}
