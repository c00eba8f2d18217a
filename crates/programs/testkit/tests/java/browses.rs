//! Browses of Java programs read ahead, and no program sees it.

use super::{enabled, site, told_each};
use crate::compile;

/// A transaction that runs the Java program with the words of its name, and shows what it says.
fn transaction(name: &str, words: &str) -> String {
    format!(
        "```cobol {name} threadsafe\n77 CA PIC X(100).\nMOVE '{words}' TO CA\nEXEC CICS LINK PROGRAM('JBROWSE') COMMAREA(CA) END-EXEC\n\
         DISPLAY 'BROWSE ' CA\nEXEC CICS SYNCPOINT ROLLBACK END-EXEC\n```\n\n"
    )
}

/// The file, with another way to its records by a key that several have.
const FILES: &str = "
```idcams
 DEFINE CLUSTER(NAME(T.ACCT) INDEXED KEYS(4 0) RECORDSIZE(20 20))
 DEFINE CLUSTER(NAME(T.LOCKED) INDEXED KEYS(4 0) RECORDSIZE(20 20))
 DEFINE AIX(NAME(T.ACCT.CITY) RELATE(T.ACCT) KEYS(8 4) NONUNIQUEKEY UPGRADE RECORDSIZE(30 2000))
 DEFINE PATH(NAME(T.ACCT.PATH) PATHENTRY(T.ACCT.CITY))
```

```csd
DEFINE FILE(ACCT) GROUP(T) DSNAME(T.ACCT) ADD(YES) BROWSE(YES) DELETE(YES) READ(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(LOCKED) GROUP(T) DSNAME(T.LOCKED) ADD(YES) BROWSE(YES) READ(YES) RECOVERY(BACKOUTONLY) RLSACCESS(YES) READINTEG(REPEATABLE)
DEFINE FILE(CITY) GROUP(T) DSNAME(T.ACCT.PATH) BROWSE(YES) READ(YES)
DEFINE PROGRAM(JBROWSE) GROUP(T) JVM(YES) JVMSERVER(JVM1) JVMCLASS(work.Browses)
```
";

/// Seeds of ways through a file.
const SEEDS: usize = 4;

#[test]
fn what_is_read_ahead_is_what_is_read_one_by_one() {
    let mut more = FILES.to_owned()
        + &transaction("COUN", "COUNT ACCT")
        + &transaction("WORK", "WORKS")
        + &transaction("LOCK", "COUNT LOCKED");
    for seed in 0..SEEDS {
        more += &transaction(&format!("KEY{seed}"), &format!("WAYS ACCT {seed}"));
        more += &transaction(&format!("CIT{seed}"), &format!("WAYS CITY {seed}"));
    }
    let (site, classes) = site("java-browses", &more);
    let state = site.state().to_owned();
    site.run(async |run| {
        enabled(run).await;
        compile(&state, &classes);
        // STARTBR, 4 + 20 + the rest, ENDBR.
        let counted = told_each(run, "COUN", "BROWSE ", 1).await;
        assert_eq!(counted, ["42 records, 5 exchanges"]);
        // Where a read takes a lock, only what the program asks for is read.
        assert_eq!(told_each(run, "LOCK", "BROWSE ", 1).await, ["42 records, 45 exchanges"]);
        assert_eq!(told_each(run, "WORK", "BROWSE ", 1).await, ["new new new"]);
        for seed in 0..SEEDS {
            for transaction in [format!("KEY{seed}"), format!("CIT{seed}")] {
                let said = told_each(run, &transaction, "BROWSE ", 1).await;
                assert_eq!(said, ["the same"], "{transaction}");
            }
        }
        true
    });
}
