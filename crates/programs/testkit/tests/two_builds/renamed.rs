//! A wire gives names in the Hello of the asker that its partner does not know, and of which the asker knows nothing: what has such a
//! name is ISCINVREQ, what has none goes on.

use spec::{Condition, cond};
use testkit::commands::{answered, command};

use crate::common::turn;
use crate::{Pair, on_loop, said, until};

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
}

#[test]
fn a_name_that_the_partner_does_not_know_is_iscinvreq_and_others_go_on() {
    let _turn = turn();
    let pair = Pair::new("two-builds", APPLICATION);
    pair.wire.changes(Some(of_another_build));
    on_loop(async {
        let (asker, partner) = pair.start().await;
        let build = format!("it is of another build (9{}", &env!("CARGO_PKG_VERSION")[1..]);
        until("the partner has seen it", || said(0, &build)).await;
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
