//! A protected START whose task cannot begin or fails for a cause that may pass is not lost.

mod common;

use std::sync::Arc;

use common::{Site, attach, displayed};
use domains::interval::IntervalControl;
use kernel::name::TransactionName;
use kernel::transactions::Transactions;

/// TRYS fails until the third time, through its own fault, and has RESTART(YES). LOST fails in the same way without. LATE is
/// disabled when its time comes. BUSY is STARTed twice under one REQID by two units of work.
const APPLICATION: &str = "
```csd
DEFINE TRANSACTION(LOAD) GROUP(T) PROGRAM(NOTTHERE)
DEFINE TRANSACTION(TRYS) GROUP(T) PROGRAM(TRYS) RESTART(YES)
DEFINE FILE(SMALL) GROUP(T) TABLE(CF) CFDTPOOL(POOL) MAXNUMRECS(1)
       KEYLENGTH(1) RECORDSIZE(80) RECORDFORMAT(F) ADD(YES) UPDATEMODEL(LOCKING)
DEFINE TSMODEL(RECOV) GROUP(T) PREFIX(REC) RECOVERY(YES)
```

```cobol FEED
EXEC CICS DEFINE COUNTER('TRYS') VALUE(1) NOHANDLE END-EXEC
EXEC CICS START TRANSID('TRYS') FROM('TRIED') PROTECT END-EXEC
EXEC CICS START TRANSID('LOST') FROM('TRIED') PROTECT END-EXEC
MOVE '1' TO REC(1:1)
EXEC CICS WRITE FILE('SMALL') FROM(REC) LENGTH(80) RIDFLD('1') END-EXEC
EXEC CICS START TRANSID('FULL') FROM('TRIED') PROTECT END-EXEC
EXEC CICS START TRANSID('LOAD') FROM('TRIED') PROTECT END-EXEC
EXEC CICS START TRANSID('LATE') FROM('TRIED') PROTECT
    REQID('LATER') END-EXEC
EXEC CICS SET TRANSACTION('LATE') STATUS(DFHVALUE(DISABLED))
    END-EXEC
EXEC CICS START TRANSID('LATE') FROM('AGAIN') PROTECT
    REQID('LATER') RESP(R) END-EXEC
DISPLAY 'THE SAME NAME ' R
```

```cobol TRYS
77 TRIES PIC S9(8) COMP.
MOVE 5 TO LEN
EXEC CICS RETRIEVE INTO(REC) LENGTH(LEN) END-EXEC
EXEC CICS GET COUNTER('TRYS') VALUE(TRIES) END-EXEC
IF TRIES < 3
    EXEC CICS ABEND ABCODE('FAIL') NODUMP END-EXEC
END-IF
DISPLAY 'TRYS HAS ' REC(1:5) ' AT ' TRIES
```

```cobol FULL
MOVE '2' TO REC(1:1)
EXEC CICS WRITE FILE('SMALL') FROM(REC) LENGTH(80) RIDFLD('2') NOHANDLE END-EXEC
IF EIBRESP = DFHRESP(NOSPACE)
    EXEC CICS ABEND ABCODE('OWN1') NODUMP END-EXEC
END-IF
```

```cobol LOST
EXEC CICS ABEND ABCODE('FAIL') NODUMP END-EXEC
```

```cobol LATE
MOVE 5 TO LEN
EXEC CICS RETRIEVE INTO(REC) LENGTH(LEN) END-EXEC
DISPLAY 'LATE HAS ' REC(1:5)
```
";

#[test]
fn what_may_pass_is_waited_for() {
    let site = Site::new("starts_again", APPLICATION);
    site.run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        attach(&region, "FEED");
        run.until("its third try", || displayed("TRYS HAS ").is_some()).await;
        assert_eq!(displayed("TRYS HAS ").as_deref(), Some("TRIED AT 0000000003"));
        assert_eq!(
            displayed("THE SAME NAME ").as_deref(),
            Some("0000000017"),
            "IOERR, and not at the syncpoint"
        );
        run.until("they are to be tried again", || IntervalControl::of(&region).list().len() == 3).await;
        // FULL has met NOSPACE, and abends by a code of its own; the program of LOAD cannot be loaded, as where the disk is full.
        for name in ["LATE", "FULL", "LOAD"] {
            let transaction = Some(TransactionName::from(name));
            assert!(
                IntervalControl::of(&region).list().iter().any(|p| p.transaction == transaction),
                "{name}"
            );
        }
        true
    });
    assert_eq!(displayed("LATE HAS "), None);
    site.run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let kept = &run.house.running.recovered.kept;
        assert!(kept.contains(&("STARTs", 3)), "those three, and not that of LOST: {kept:?}");
        // What SET has changed is there again after a warm start.
        let late = Transactions::of(&region).get(TransactionName::from("LATE")).expect("a transaction");
        late.enabled.store(true, std::sync::atomic::Ordering::Relaxed);
        true
    });
    site.run(async |run| {
        run.until("LATE", || displayed("LATE HAS ").is_some()).await;
        assert_eq!(displayed("LATE HAS ").as_deref(), Some("TRIED"));
        true
    });
}
