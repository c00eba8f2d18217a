//! One application at two regions of different builds: its program works at both, in units of work of both, and goes on when the
//! earlier build is replaced by a later one.

use std::sync::Arc;
use std::time::Duration;

use kernel::region::Region as Kernel;
use region::Build;
use spec::{Condition, cond, opt};
use testkit::commands::{answered, command};
use testkit::house::House;
use testkit::timeline::{Happening, Timeline};

use crate::common::{attach, turn};
use crate::{PATIENCE, Pair, on_loop, said, until};

/// A region's part of the application; `{mark}`: what its blocks begin with, `{other}`: its partner's SYSID.
const APPLICATION: &str = "
```{mark}toml
[security]
default-rights = [\"run\", \"inquire\", \"operate\"]
```

```{mark}csd
DEFINE FILE(OWN) GROUP(T) DSNAME(T.OWN) READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(FAR) GROUP(T) REMOTESYSTEM({other}) REMOTENAME(OWN)
DEFINE PROGRAM(THERE) GROUP(T) REMOTESYSTEM({other}) REMOTENAME(ADDS)
DEFINE PROGRAM(ADDS) GROUP(T)
```

```{mark}idcams
 DEFINE CLUSTER (NAME(T.OWN) INDEXED KEYS(5 0) RECORDSIZE(80 80))
```

```{mark}cobol ADDS
77 KEY-LINKED PIC X(5).
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(80).
MOVE DFHCOMMAREA(1:5) TO KEY-LINKED
MOVE 'L' TO KEY-LINKED(1:1)
MOVE KEY-LINKED TO REC
EXEC CICS WRITE FILE('OWN') FROM(REC) LENGTH(80) RIDFLD(KEY-LINKED)
    END-EXEC
MOVE 'ADDED' TO DFHCOMMAREA(6:5)
```

```{mark}cobol WORK
77 SY PIC X(4).
77 KEY-OF PIC X(5).
77 MANY PIC S9(4) COMP.
EXEC CICS ASSIGN SYSID(SY) END-EXEC
EXEC CICS READQ TS QUEUE('NUMBER') INTO(KEY-OF) ITEM(1) END-EXEC
MOVE KEY-OF TO REC
EXEC CICS WRITE FILE('OWN') FROM(REC) LENGTH(80) RIDFLD(KEY-OF) END-EXEC
EXEC CICS WRITE FILE('FAR') FROM(REC) LENGTH(80) RIDFLD(KEY-OF) END-EXEC
EXEC CICS LINK PROGRAM('THERE') COMMAREA(REC) LENGTH(80) END-EXEC
DISPLAY SY ' LINKED ' REC(1:10)
EXEC CICS WRITEQ TS QUEUE('KEPT') SYSID('{other}') FROM(KEY-OF) END-EXEC
MOVE 80 TO LEN
EXEC CICS READQ TS QUEUE('KEPT') SYSID('{other}') INTO(REC) LENGTH(LEN)
    ITEM(1) NUMITEMS(MANY) RESP(R) END-EXEC
DISPLAY SY ' NUMITEMS ' KEY-OF R
EXEC CICS READ FILE('FAR') INTO(REC) RIDFLD(KEY-OF) UPDATE END-EXEC
MOVE 'CHANGED' TO REC(11:7)
EXEC CICS REWRITE FILE('FAR') FROM(REC) LENGTH(80) RESP(R) END-EXEC
DISPLAY SY ' REWRITE ' KEY-OF R
EXEC CICS WRITE FILE('FAR') FROM(REC) LENGTH(80) RIDFLD(KEY-OF) RESP(R)
    END-EXEC
DISPLAY SY ' TWICE ' KEY-OF R
EXEC CICS SYNCPOINT RESP(R) END-EXEC
IF R = 0 DISPLAY SY ' COMMITTED ' KEY-OF END-IF
DISPLAY SY ' ENDED ' KEY-OF
```
";

/// The application of both.
fn application() -> String {
    let part = |mark: &str, other: &str| APPLICATION.replace("{mark}", mark).replace("{other}", other);
    part("", "PART") + &part("partner ", "TEST")
}

/// The earlier build, which does not know a command, an option and a condition.
fn earlier() -> Build {
    Build::another("0.7.0-earlier", &[], (&["REWRITE"], &["NUMITEMS"], &[cond::DUPREC]))
}

/// A build with a command that no other build has: all its numbers are others.
fn later(name: &str) -> Build {
    Build::another(name, &["ABSOLVE"], (&[], &[], &[]))
}

/// One of the two regions, by its SYSID.
struct Side<'h> {
    house: &'h House,
    system: &'static str,
}

impl Side<'_> {
    fn region(&self) -> &Arc<Kernel> {
        &self.house.running.region
    }

    async fn asks(&self, text: &str) -> Condition {
        let told = answered(self.region(), vec![command(text)]).await.expect("an answer");
        told[0].response().0
    }

    /// Waits until the partner answers again.
    async fn is_answered(&self) {
        let asks = async {
            while self.asks("WRITEQ TS QUEUE(PING) SYSID(PART) FROM('HERE')").await != cond::NORMAL {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, asks).await.is_ok(), "the link is not made again");
    }

    /// Begins a unit of work of both with this key.
    async fn begins(&self, key: &str) {
        self.asks("DELETEQ TS QUEUE(NUMBER)").await;
        self.asks(&format!("WRITEQ TS QUEUE(NUMBER) FROM('{key}')")).await;
        attach(self.region(), "WORK");
    }

    /// Runs the program once, and looks at what it has come to.
    async fn works(&self, key: &str, [items, rewrite, twice]: [Condition; 3]) {
        let place = Timeline::of_process().end();
        self.begins(key).await;
        let system = self.system;
        until("the unit of work has ended", || said(place, &format!("{system} ENDED {key}"))).await;
        for line in [
            format!("{system} LINKED {key}ADDED"),
            format!("{system} NUMITEMS {key}{:010}", items.0),
            format!("{system} REWRITE {key}{:010}", rewrite.0),
            format!("{system} TWICE {key}{:010}", twice.0),
            format!("{system} COMMITTED {key}"),
        ] {
            assert!(said(place, &line), "{line}: {:#?}", Timeline::of_process().since(place));
        }
    }

    /// The first bytes of a record; blank: it is not there.
    async fn record(&self, key: &str) -> String {
        let read = format!("READ FILE(OWN) INTO(A) LENGTH(80) RIDFLD('{key}') KEYLENGTH(5)");
        let told = answered(self.region(), vec![command(&read)]).await.expect("an answer");
        match told[0].response().0 {
            cond::NORMAL => {
                told[0].text(opt::INTO).chars().take(17).collect::<String>().trim_end().to_owned()
            }
            cond::NOTFND => String::new(),
            other => panic!("{key}: {}", other.name()),
        }
    }
}

/// Cuts the wire behind more and more messages of a unit of work until the partner is in doubt: its key.
async fn bring_into_doubt(pair: &Pair, asker: &Side<'_>, partner: &Side<'_>) -> String {
    for at in 0..60 {
        let (place, key) = (Timeline::of_process().end(), format!("D{:04}", 100 + at));
        pair.wire.lets_pass(Some(at));
        asker.begins(&key).await;
        until("the end of its task", || said(place, &format!("TEST ENDED {key}")) || has_abended(place))
            .await;
        assert!(pair.wire.is_cut(), "it was never in doubt");
        until("the partner has missed it", || is_settled(partner.region())).await;
        if !partner.region().records.indoubt().expect("a list").is_empty() {
            return key;
        }
        pair.wire.lets_pass(None);
        asker.is_answered().await;
    }
    panic!("a unit of work has that many messages?");
}

/// Returns true if a task has abended, from a place of the timeline on.
fn has_abended(place: usize) -> bool {
    Timeline::of_process().since(place).iter().any(|it| matches!(it, Happening::Abend(..)))
}

/// Returns true if no mirror task has something under way: each unit of work is over or in doubt.
fn is_settled(region: &Kernel) -> bool {
    kernel::dispatcher::Dispatcher::of(region).running() == 0
}

const ALL_KNOWN: [Condition; 3] = [cond::NORMAL, cond::NORMAL, cond::DUPREC];

#[test]
fn one_program_works_at_two_builds_and_over_the_replacement_of_one_of_them() {
    let _turn = turn();
    let mut pair = Pair::new("rolling-builds", &application());
    (pair.own.build, pair.partner.build) = (Some(later("9.0.0-later")), Some(earlier()));
    on_loop(async {
        let (asker, partner) = pair.start().await;
        let (here, there) =
            (Side { house: &asker, system: "TEST" }, Side { house: &partner, system: "PART" });
        assert!(said(
            0,
            "TEST to TESTKIT: it is of another build (9.0.0-later): 3 commands and options of it"
        ));
        // From the later build: the earlier one has neither option nor command, and nothing of them was done.
        let refused = [cond::ISCINVREQ, cond::ISCINVREQ, cond::DUPREC];
        here.works("A0001", refused).await;
        for names in ["NUMITEMS of READQ TS", "REWRITE"] {
            let line = format!(
                "PARTNER is of another build (0.7.0-earlier), which does not know {names}: ISCINVREQ"
            );
            assert!(said(0, &line), "{line}");
        }
        assert_eq!(there.record("A0001").await, "A0001", "it is not changed");
        assert_eq!(
            (there.record("L0001").await.as_str(), here.record("A0001").await.as_str()),
            ("L0001", "A0001")
        );
        // From the earlier build, which does not know what it hears of a second record of one key either.
        there.works("B0002", [cond::ISCINVREQ; 3]).await;
        assert_eq!(
            (here.record("B0002").await.as_str(), here.record("L0002").await.as_str()),
            ("B0002", "L0002")
        );
        assert_eq!(here.asks("WRITEQ TS QUEUE(KEPT) SYSID(PART) FROM('MORE ')").await, cond::NORMAL);

        let in_doubt = bring_into_doubt(&pair, &here, &there).await;
        partner.crash().await;
        let place = Timeline::of_process().end();
        pair.partner.build = Some(later("9.0.0-later"));
        pair.wire.lets_pass(None);
        let partner = pair.start_partner().await;
        let there = Side { house: &partner, system: "PART" };
        let is_linked =
            || said(place, "PART to PARTNER is acquired") && said(place, "TEST to TESTKIT is acquired");
        until("they are linked again", is_linked).await;
        here.is_answered().await;
        let nothing_is_left = || there.region().records.indoubt().is_ok_and(|units| units.is_empty());
        until("what was in doubt is settled", nothing_is_left).await;
        assert_eq!(here.record(&in_doubt).await, there.record(&in_doubt).await, "both or none");
        // What the earlier build has kept is there, and both know all.
        assert_eq!(there.record("A0001").await, "A0001");
        here.works("A0003", ALL_KNOWN).await;
        there.works("B0004", ALL_KNOWN).await;
        assert_eq!(there.record("A0003").await, "A0003     CHANGED");
        assert_eq!(here.record("B0004").await, "B0004     CHANGED");
        assert!(!said(place, "which does not know"));
        asker.end().await;
        partner.end().await;
    });
}
