//! No protected START is lost or done twice, however often the region ends, in order or not, while they are in flight.

mod common;

use common::{Site, attach, displayed};
use domains::interval::IntervalControl;
use kernel::dispatcher::Dispatcher;

/// The number of times that the region ends.
const ENDS: usize = 12;
/// Tasks that make STARTs at the same time.
const FEEDERS: usize = 3;
/// Tasks that have begun when the region begins to end.
const IN_FLIGHT: u64 = 25;

/// FEED notes a number and STARTs, in the same unit of work, a task that notes it in a file: half of them at once, half
/// of them in a second. MXT keeps many of them waiting.
const APPLICATION: &str = "
```toml
[sit]
MXT = 6
```

```csd
DEFINE TSMODEL(RECOV) GROUP(T) PREFIX(REC) RECOVERY(YES)
DEFINE FILE(NOTED) GROUP(T) DSNAME(T.NOTED) READ(YES) ADD(YES)
       RECOVERY(BACKOUTONLY)
```

```idcams
 DEFINE CLUSTER (NAME(T.NOTED) INDEXED KEYS(8 0) RECORDSIZE(80 80))
```

```cobol FEED threadsafe
77 SEQ PIC S9(8) COMP.
EXEC CICS DEFINE COUNTER('FEED') VALUE(1) NOHANDLE END-EXEC
PERFORM 60 TIMES
    EXEC CICS GET COUNTER('FEED') VALUE(SEQ) END-EXEC
    EXEC CICS WRITEQ TS QUEUE('RECSENT') FROM(SEQ) END-EXEC
    IF FUNCTION MOD(SEQ 2) = 0
        EXEC CICS START TRANSID('NOTE') FROM(SEQ) PROTECT END-EXEC
    ELSE
        EXEC CICS START TRANSID('NOTE') FROM(SEQ) PROTECT
            AFTER SECONDS(1) END-EXEC
    END-IF
    EXEC CICS SYNCPOINT END-EXEC
END-PERFORM
```

```cobol NOTE threadsafe
77 SEQ PIC S9(8) COMP.
77 DIGITS PIC 9(8).
MOVE 4 TO LEN
EXEC CICS RETRIEVE INTO(SEQ) LENGTH(LEN) END-EXEC
MOVE SEQ TO DIGITS
MOVE SPACES TO REC
MOVE DIGITS TO REC(1:8)
EXEC CICS WRITE FILE('NOTED') FROM(REC) LENGTH(80) RIDFLD(DIGITS)
    NOHANDLE END-EXEC
IF EIBRESP = DFHRESP(DUPREC) DISPLAY 'TWICE ' DIGITS END-IF
EXEC CICS WRITEQ TS QUEUE('RECNOTE') FROM(SEQ) END-EXEC
```

```cobol LOOK threadsafe
77 ITEMS-SENT PIC S9(4) COMP.
77 ITEMS-NOTED PIC S9(4) COMP.
EXEC CICS INQUIRE TSQUEUE('RECSENT') NUMITEMS(ITEMS-SENT) END-EXEC
EXEC CICS INQUIRE TSQUEUE('RECNOTE') NUMITEMS(ITEMS-NOTED) END-EXEC
DISPLAY 'SENT ' ITEMS-SENT ' NOTED ' ITEMS-NOTED
```
";

#[test]
fn each_protected_start_is_done_once_through_orderly_ends_and_crashes() {
    let site = Site::new("protected_starts", APPLICATION);
    for end in 0..ENDS {
        site.run(async |house| {
            let region = &house.running.region;
            let before = Dispatcher::of(region).attached();
            for _ in 0..FEEDERS {
                attach(region, "FEED");
            }
            house.until("tasks in flight", || Dispatcher::of(region).attached() > before + IN_FLIGHT).await;
            // Two orderly ends for each crash: a crash was never wrong.
            end % 3 != 2
        });
    }
    site.run(async |house| {
        let region = &house.running.region;
        house.until("no START waits", || IntervalControl::of(region).list().is_empty()).await;
        Dispatcher::of(region).idle().await;
        attach(region, "LOOK");
        house.until("a look", || displayed("SENT ").is_some()).await;
        true
    });
    let told = displayed("SENT ").expect("a look");
    let (sent, noted) = told.split_once(" NOTED ").expect("both numbers");
    assert_eq!(sent, noted, "numbers that were sent, and those that were noted");
    assert_eq!(displayed("TWICE "), None, "no START is done twice");
}
