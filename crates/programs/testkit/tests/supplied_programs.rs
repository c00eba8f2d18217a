//! A supplied program does what a COBOL program does: it has a COMMAREA, LINKs and goes on, issues commands, takes syncpoints.

mod common;

use areas::Area;
use common::{Site, attach, displayed};
use kernel::dispatcher::{Context, SuppliedFunction, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::programs::{Program, Programs};
use kernel::raise::Raise;
use spec::{cond, opt};
use testkit::commands::{answered, command};

const APPLICATION: &str = "
```csd
DEFINE TSMODEL(ALL) GROUP(T) PREFIX(Q) RECOVERY(YES)
```

```cobol ADDS
LINKAGE SECTION.
01 DFHCOMMAREA PIC 9(4).
PROCEDURE DIVISION.
ADD 1 TO DFHCOMMAREA
```

```cobol FAIL
EXEC CICS WRITEQ TS QUEUE('Q') FROM('UNDONE') END-EXEC
EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC
```

```cobol ASKS
01 AREA-OF-MINE.
   05 COUNTER PIC 9(4) VALUE 40.
   05 SAID    PIC X(4) VALUE 'NONE'.
EXEC CICS LINK PROGRAM('NATIVE') COMMAREA(AREA-OF-MINE) END-EXEC
DISPLAY 'COMMAREA ' COUNTER ' ' SAID
EXEC CICS LINK PROGRAM('NATIVE') RESP(R) END-EXEC
DISPLAY 'WITHOUT ' R
```
";

/// Counts twice by a COBOL program, with a unit of work that is committed and one that is backed out, and tells what has
/// become of the program that abends.
fn native<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Some(given) = context.commarea()? else { return Ok(Flow::Return) };
        let area = Area::with(&given);
        for _ in 0..2 {
            context
                .link(Name8::from("ADDS"), Some(&area), None)
                .await
                .map_err(|abend| Raise::Abend(abend.code))?;
        }
        context
            .issue(&command("WRITEQ TS QUEUE(Q) FROM(KEPT)"))
            .await
            .map_err(|abend| Raise::Abend(abend.code))?;
        context.syncpoint().await?;
        let code = context.link(Name8::from("FAIL"), None, None).await.err().map(|abend| abend.code);
        context.rollback().await;
        let nobody = command("LINK PROGRAM(NOBODY)");
        context.issue(&nobody).await.map_err(|abend| Raise::Abend(abend.code))?;
        assert_eq!(nobody.response(), Some((cond::PGMIDERR, 1)));
        let mut answer = area.to_vec();
        answer[4..].copy_from_slice(code.map_or(*b"NONE", |code| *code.as_bytes()).as_slice());
        context.set_commarea(&answer)?;
        Ok(Flow::Return)
    })
}

#[test]
fn a_native_program_links_and_goes_on() {
    Site::new("natives", APPLICATION).run(async |run| {
        let region = &run.house.running.region;
        Programs::of(region).install(Program::supplied(Name8::from("NATIVE"), native as SuppliedFunction));
        attach(region, "ASKS");
        run.until("the supplied program's answer", || displayed("WITHOUT ").is_some()).await;
        assert_eq!(displayed("COMMAREA ").as_deref(), Some("0042 OOPS"));
        assert_eq!(displayed("WITHOUT ").as_deref(), Some("0000000000"));
        let asked = vec![command("READQ TS QUEUE(Q) ITEM(1)"), command("READQ TS QUEUE(Q) ITEM(2)")];
        let answers = answered(region, asked).await.expect("answers");
        assert_eq!(answers[0].text(opt::INTO), "KEPT");
        assert_eq!(answers[1].response().0, cond::ITEMERR);
        true
    });
}
