//! An orderly end begins nothing more: tasks that wait to be let in do not run, their STARTs are kept, and the end stays an
//! orderly one.

mod common;

use std::sync::Arc;

use common::{Site, attach, displayed};
use domains::interval::IntervalControl;
use kernel::dispatcher::Dispatcher;
use operation::restart::StartKind;
use testkit::script::Act;
use tn3270::datastream::Aid;

/// HOLD keeps the only place. KEEP has made three STARTs before that: a protected one, one that is not, and one for a
/// terminal that has gone when its time comes.
const APPLICATION: &str = "
```toml
[sit]
MXT = 1
```

```cobol KEEP
77 TERM PIC X(4).
EXEC CICS RECEIVE INTO(REC) NOHANDLE END-EXEC
MOVE EIBTRMID TO TERM
EXEC CICS START TRANSID('LATE') FROM('PROTECTED') PROTECT END-EXEC
EXEC CICS START TRANSID('LATE') FROM('PLAIN    ') END-EXEC
EXEC CICS START TRANSID('LATE') FROM('TERMINAL ') TERMID(TERM)
    PROTECT END-EXEC
EXEC CICS SYNCPOINT END-EXEC
EXEC CICS RECEIVE INTO(REC) NOHANDLE END-EXEC
EXEC CICS RECEIVE INTO(REC) NOHANDLE END-EXEC
```

```cobol LATE
MOVE 9 TO LEN
EXEC CICS RETRIEVE INTO(REC) LENGTH(LEN) END-EXEC
DISPLAY 'LATE ' REC(1:9) ' ' EIBTRMID
```
";

#[test]
fn what_waits_to_be_let_in_is_kept_and_the_end_is_orderly() {
    let site = Site::new("orderly_end", APPLICATION);
    site.run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        for act in [Act::Press(Aid::Clear), Act::Type(String::from("KEEP")), Act::Press(Aid::Enter)] {
            run.house.act("A", &act).await.unwrap_or_else(|error| panic!("{error}"));
        }
        run.until("it waits for its user", || {
            let tasks = Dispatcher::of(&region).tasks();
            tasks.iter().any(|task| task.waits_for() == Some(kernel::task::WaitKind::TERMINAL))
        })
        .await;
        attach(&region, "LATE");
        assert_eq!(displayed("LATE"), None, "MXT is reached");
        true
    });
    assert_eq!(displayed("LATE"), None, "nothing begins at the end");
    site.run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        assert_eq!(run.house.running.recovered.kind, StartKind::Warm);
        run.until("the START with PROTECT", || displayed("LATE PROTECTED").is_some()).await;
        run.until("the START without", || displayed("LATE PLAIN").is_some()).await;
        assert_eq!(displayed("LATE TERMINAL"), None, "its terminal is not there");
        assert_eq!(IntervalControl::of(&region).list().len(), 1, "the one for the terminal waits");
        // A terminal comes, and has the first name as the one before had.
        run.house.act("A", &Act::Press(Aid::Clear)).await.unwrap_or_else(|error| panic!("{error}"));
        run.until("the START for the terminal", || displayed("LATE TERMINAL").is_some()).await;
        assert_eq!(IntervalControl::of(&region).list(), []);
        true
    });
}
