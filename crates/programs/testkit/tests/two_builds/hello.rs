//! A Hello of another version of the protocol, and one of an earlier build that ends sooner.

use spec::cond;
use testkit::commands::{answered, command};

use crate::common::turn;
use crate::wire::Change;
use crate::{Pair, on_loop, said, until};

const APPLICATION: &str = "
```toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
```

```partner cobol THERE
DISPLAY 'THERE'
```
";

/// The partner tells the number of hops of its mirror task.
const HOPS: &str = "
```toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
```

```partner cobol THERE
77 TASKN PIC S9(7) COMP-3.
77 HOPS PIC S9(8) COMP.
77 H PIC 9.
MOVE EIBTASKN TO TASKN
EXEC CICS INQUIRE ASSOCIATION(TASKN) PHCOUNT(HOPS) END-EXEC
MOVE HOPS TO H
DISPLAY 'HOPS ' H
```
";

/// The version stands first.
fn of_version_0(hello: &mut Vec<u8>) {
    drop(hello.splice(..2, 0_u16.to_le_bytes()));
}

/// The first builds said nothing behind the names.
fn of_the_first_build(hello: &mut Vec<u8>) {
    hello.truncate(hello.len() - 2);
}

/// The build before said nothing of origins.
fn of_the_build_before(hello: &mut Vec<u8>) {
    hello.pop();
}

#[test]
fn a_partner_gets_the_origin_of_a_task_if_its_hello_says_that_it_takes_it() {
    let _turn = turn();
    let cases: [(_, Option<Change>, _); 3] = [
        ("origins-taken", None, "HOPS 1"),
        ("origins-not-known", Some(of_the_build_before), "HOPS 0"),
        ("first-build", Some(of_the_first_build), "HOPS 0"),
    ];
    for (name, change, hops) in cases {
        let pair = Pair::new(name, HOPS);
        pair.wire.changes_answers(change);
        on_loop(async {
            let (asker, partner) = pair.start().await;
            let told =
                answered(&asker.running.region, vec![command("LINK PROGRAM(THERE) SYSID(PART)")]).await;
            assert_eq!(told.expect("an answer")[0].response().0, cond::NORMAL, "{name}");
            assert!(said(0, hops), "{name}");
            asker.end().await;
            partner.end().await;
        });
    }
}

#[test]
fn another_version_is_refused_with_a_message_and_an_earlier_hello_is_good() {
    let _turn = turn();
    let pair = Pair::new("two-versions", APPLICATION);
    pair.wire.changes(Some(of_version_0));
    on_loop(async {
        let partner = pair.start_partner().await;
        pair.wire.begins();
        let asker = pair.own.start(pair.states[0].path()).await.expect("an asker");
        let why = "it speaks version 0 of links, and this region 1";
        until("the partner refuses it", || said(0, &format!("a link is refused: {why}"))).await;
        until("the asker has heard why", || {
            said(0, &format!("PART to PARTNER: the partner refuses the link: {why}"))
        })
        .await;
        let write = || vec![command("WRITEQ TS QUEUE(KEPT) SYSID(PART) FROM('ONE')")];
        let told = answered(&asker.running.region, write()).await.expect("an answer");
        assert_eq!(told[0].response().0, cond::SYSIDERR);
        pair.wire.changes(Some(of_the_first_build));
        until("the link is there by itself", || said(0, "PART to PARTNER is acquired")).await;
        let told = answered(&asker.running.region, write()).await.expect("an answer");
        assert_eq!(told[0].response().0, cond::NORMAL);
        asker.end().await;
        partner.end().await;
    });
}
