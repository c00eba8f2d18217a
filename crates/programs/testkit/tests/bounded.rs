//! Limits of things that wait: started tasks at one terminal, programs of the shutdown list.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{Site, displayed};
use kernel::dispatcher::{Attach, Dispatcher};
use kernel::limits::STARTS_AT_TERMINAL_MAX;
use kernel::name::{Name8, TransactionName};
use kernel::security::User;
use kernel::task::{StartCode, WaitKind};
use kernel::terminal_control::start_at;
use kernel::terminals::Terminals;
use operation::program_lists;
use testkit::script::Act;
use testkit::timeline::Timeline;
use tn3270::datastream::Aid;

/// HOLD keeps its terminal until a user types; SHOW is started there meanwhile. EVER waits for ever, and NEXT stands behind
/// it in a program list.
const APPLICATION: &str = "
```cobol HOLD
EXEC CICS SEND TEXT FROM('HOLDS') LENGTH(5) ERASE END-EXEC
EXEC CICS RECEIVE INTO(REC) LENGTH(LEN) NOHANDLE END-EXEC
```

```cobol SHOW
CONTINUE
```

```cobol EVER
EXEC CICS DELAY FOR HOURS(90) END-EXEC
```

```cobol NEXT
DISPLAY 'NEXT RUNS'
```
";

async fn does(run: &mut common::Run, acts: &[Act]) {
    for act in acts {
        run.house.act("A", act).await.unwrap_or_else(|error| panic!("{error}"));
    }
}

fn messages(text: &str) -> usize {
    let happenings = Timeline::of_process().since(0);
    happenings.iter().filter(|happening| happening.to_string().contains(text)).count()
}

#[test]
fn started_tasks_that_wait_for_a_terminal_have_a_limit() {
    Site::new("bounded", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let start = [Act::Press(Aid::Clear), Act::Type(String::from("HOLD")), Act::Press(Aid::Enter)];
        does(run, &start).await;
        does(run, &[Act::Wait(String::from("HOLDS"))]).await;
        run.until("HOLD waits", || {
            Dispatcher::of(&region).tasks().iter().any(|task| task.waits_for() == Some(WaitKind::TERMINAL))
        })
        .await;
        let terminal = Terminals::of(&region).list().pop().expect("a terminal");
        for _ in 0..STARTS_AT_TERMINAL_MAX + 3 {
            let attach = Attach::new(TransactionName::from("SHOW"), StartCode::Start, User::region());
            start_at(&region, &terminal, attach);
        }
        assert_eq!(messages("transaction SHOW is not started: QueueFull"), 3, "those beyond it, at once");
        let before = Dispatcher::of(&region).attached();
        does(run, &[Act::Press(Aid::Enter)]).await;
        let all = before + STARTS_AT_TERMINAL_MAX as u64;
        run.until("the others have run", || Dispatcher::of(&region).attached() == all).await;
        Dispatcher::of(&region).idle().await;
        true
    });
}

#[test]
fn a_program_of_the_shutdown_list_that_waits_for_ever_keeps_no_region_from_its_end() {
    Site::new("bounded", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let list = ["EVER", "NEXT"].map(Name8::from);
        program_lists::run(&region, &list, Some(Duration::from_millis(200))).await;
        assert_eq!(messages("program EVER of the program list does not end: it is purged"), 1);
        assert_eq!(displayed("NEXT"), None, "what stands behind it does not begin");
        run.until("it is gone", || Dispatcher::of(&region).running() == 0).await;
        // Without a limit, as when a region starts, and within one.
        program_lists::run(&region, &list[1..], None).await;
        program_lists::run(&region, &list[1..], Some(Duration::from_secs(60))).await;
        assert!(displayed("NEXT").is_some());
        true
    });
}
