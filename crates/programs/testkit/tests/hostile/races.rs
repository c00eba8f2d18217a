//! Two tasks on two TCBs at one record of shared storage: stores beside one another, the record freed and given out again while it is
//! used, commands on it meanwhile. Each ends in order or with ASRA; what is not theirs holds what it held.

use std::fmt::Write as _;
use std::sync::Arc;

use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use testkit::commands::{answered, command};
use testkit::timeline::{Happening, Timeline};

use crate::common::{Run, Site, attach};
use crate::{NEIGHBOUR, is_shown};

/// The work that two tasks do again and again.
struct Race {
    rule: &'static str,
    times: u32,
    one: &'static str,
    other: &'static str,
}

/// Frees the record, and gets another one, of this or another length.
const FREES: &str = "\
SET ADDRESS OF T TO AREA-P
EXEC CICS FREEMAIN DATAPOINTER(AREA-P) NOHANDLE END-EXEC
EXEC CICS GETMAIN SHARED SET(ADDRESS OF T) FLENGTH(80) INITIMG(NUL) END-EXEC
SET AREA-P TO ADDRESS OF T";

/// The same; the next one is longer than a page, and the one behind it is as before.
const FREES_LONG: &str = "\
SET ADDRESS OF T TO AREA-P
EXEC CICS FREEMAIN DATAPOINTER(AREA-P) NOHANDLE END-EXEC
EXEC CICS GETMAIN SHARED SET(ADDRESS OF T) FLENGTH(200000) INITIMG(NUL) END-EXEC
SET AREA-P TO ADDRESS OF T
EXEC CICS FREEMAIN DATAPOINTER(AREA-P) NOHANDLE END-EXEC
EXEC CICS GETMAIN SHARED SET(ADDRESS OF T) FLENGTH(80) INITIMG(NUL) END-EXEC
SET AREA-P TO ADDRESS OF T";

/// The races.
const RACES: &[Race] = &[
    Race {
        rule: "bytes of one word, each task its own",
        times: 200_000,
        one: "MOVE TXT(1:3) TO T(3:3)\nIF T(3:3) NOT = TXT(1:3) DISPLAY 'SPOILT PART' END-IF",
        other: "MOVE TXT(1:3) TO T(6:3)\nIF T(6:3) NOT = TXT(1:3) DISPLAY 'SPOILT PART' END-IF",
    },
    Race {
        rule: "bytes of one word, by statements that are routines",
        times: 5_000,
        one: "STRING TXT(1:3) DELIMITED BY SIZE INTO T(3:3)\nINSPECT T(3:3) CONVERTING 'AB' TO 'CD'\nIF T(3:3) NOT = 'CDC' DISPLAY 'SPOILT PART' END-IF",
        other: "INSPECT T(6:3) REPLACING CHARACTERS BY '*'\nMOVE TXT(1:3) TO T(6:3)\nIF T(6:3) NOT = TXT(1:3) DISPLAY 'SPOILT PART' END-IF",
    },
    Race {
        rule: "bytes of one word, by commands",
        times: 500,
        one: "MOVE 3 TO L3\nEXEC CICS READQ TS QUEUE('KEPT') INTO(T(3:3)) LENGTH(L3) ITEM(1) NOHANDLE END-EXEC\nIF T(3:3) NOT = 'KEP' DISPLAY 'SPOILT PART' END-IF",
        other: "MOVE 3 TO L3\nEXEC CICS READQ TS QUEUE('KEPT') INTO(T(6:3)) LENGTH(L3) ITEM(1) NOHANDLE END-EXEC\nIF T(6:3) NOT = 'KEP' DISPLAY 'SPOILT PART' END-IF",
    },
    Race {
        rule: "one number, to which both add",
        times: 200_000,
        one: "ADD 1 TO B(3)",
        other: "SUBTRACT 1 FROM B(3)",
    },
    Race {
        rule: "one number, and text in its place",
        times: 20_000,
        one: "ADD 1 TO B(3)\nMULTIPLY 3 BY B(4)",
        other: "MOVE ALL 'X' TO T\nMOVE LOW-VALUES TO T",
    },
    Race {
        rule: "stores to a record that is freed and given out again",
        times: 2_000,
        one: "SET ADDRESS OF T TO AREA-P\nMOVE TXT TO T(1:8)\nMOVE 3 TO I\nADD 1 TO B(I)\nMOVE ALL 'R' TO T",
        other: FREES,
    },
    Race {
        rule: "stores to a record that becomes a longer one, and the longer one a shorter one",
        times: 500,
        one: "SET ADDRESS OF T TO AREA-P\nPERFORM 20 TIMES MOVE ALL 'R' TO T END-PERFORM",
        other: FREES_LONG,
    },
    Race {
        rule: "an address kept from before the record was freed",
        times: 2_000,
        one: "MOVE TXT TO T(1:8)\nADD 1 TO B(10)\nEXEC CICS ASKTIME END-EXEC\nMOVE TXT TO T(73:8)",
        other: FREES,
    },
    Race {
        rule: "wild subscripts in a record that is freed",
        times: 2_000,
        one: "SET ADDRESS OF T TO AREA-P\nMULTIPLY 7 BY I\nADD 11 TO I\nADD 1 TO B(I)\nMOVE TXT TO A(I)",
        other: FREES,
    },
    Race {
        rule: "routines over a record that is freed",
        times: 2_000,
        one: "SET ADDRESS OF T TO AREA-P\nINSPECT T REPLACING ALL 'R' BY 'S'\nINITIALIZE T\nSTRING TXT TXT DELIMITED BY SIZE INTO T(60:16)",
        other: FREES,
    },
    Race {
        rule: "commands with a record that is freed",
        times: 1_000,
        one: "SET ADDRESS OF T TO AREA-P\nEXEC CICS WRITEQ TS QUEUE('RACEQ') FROM(T) LENGTH(80) NOHANDLE END-EXEC\nEXEC CICS READQ TS QUEUE('RACEQ') INTO(T) LENGTH(L80) ITEM(1) NOHANDLE END-EXEC\nEXEC CICS DELETEQ TS QUEUE('RACEQ') NOHANDLE END-EXEC",
        other: FREES,
    },
    Race {
        rule: "a LINK with a COMMAREA that is freed",
        times: 500,
        one: "SET ADDRESS OF T TO AREA-P\nEXEC CICS LINK PROGRAM('TAKES') COMMAREA(T) LENGTH(80) NOHANDLE END-EXEC",
        other: FREES,
    },
    Race {
        rule: "a CALL with a record that is freed",
        times: 1_000,
        one: "SET ADDRESS OF T TO AREA-P\nCALL 'TAKES' USING T",
        other: FREES,
    },
    Race { rule: "a FREEMAIN of one record by both", times: 2_000, one: FREES, other: FREES },
    Race {
        rule: "a record as long as a page, freed by one while the other clears it",
        times: 300,
        one: "SET ADDRESS OF LONG-1 TO AREA-P\nMOVE ALL 'L' TO LONG-1\nMOVE LOW-VALUES TO LONG-1",
        other: FREES_LONG,
    },
];

/// A program that does something again and again; `AREA-P` in the CWA is the address of the record that all tasks have.
fn program(text: &mut String, name: &str, times: u32, statements: &str) {
    writeln!(
        text,
        "\n```csd\nDEFINE TRANSACTION({name}) GROUP(T) PROGRAM({name}) RUNAWAY(60000)\n```\n\n```cobol {name} required
01 I PIC S9(9) COMP-5 VALUE 0.
01 L3 PIC S9(4) COMP VALUE 3.
01 L80 PIC S9(4) COMP VALUE 80.
01 TXT PIC X(8) VALUE 'ABABABAB'.
01 NUL PIC X VALUE LOW-VALUE.
LINKAGE SECTION.
01 CW. 05 AREA-P POINTER. 05 FILLER PIC X(508).
01 T. 05 RW OCCURS 10. 10 A PIC X(4). 10 B PIC S9(8) COMP.
01 LONG-1 PIC X(60000).
PROCEDURE DIVISION.
EXEC CICS ADDRESS CWA(ADDRESS OF CW) END-EXEC
SET ADDRESS OF T TO AREA-P
PERFORM {times} TIMES
{statements}
END-PERFORM
DISPLAY '{name} IS OVER'
```"
    )
    .expect("text");
}

/// NEAR, the programs of the races, and the one that gets the record.
fn application() -> String {
    let mut text = NEIGHBOUR.replace("[sit]", "[sit]\nMAXOPENTCBS = 4");
    program(
        &mut text,
        "GETS",
        1,
        "EXEC CICS GETMAIN SHARED SET(ADDRESS OF T) FLENGTH(80) INITIMG(NUL) END-EXEC\nSET AREA-P TO ADDRESS OF T",
    );
    for (number, race) in RACES.iter().enumerate() {
        program(&mut text, &format!("A{number:03}"), race.times, race.one);
        program(&mut text, &format!("B{number:03}"), race.times, race.other);
    }
    text
}

/// Waits for the end of tasks.
async fn ended(run: &Run, region: &Arc<Region>, tasks: &[u32]) {
    let is_over = || Dispatcher::of(region).tasks().iter().all(|other| !tasks.contains(&other.number));
    run.until("the end of a race", is_over).await;
}

/// The mistake of a race, if there is one: each of its tasks ends in order or with ASRA, and nothing is spoilt.
fn wrong(number: usize, race: &Race) -> Option<String> {
    let happened: Vec<String> = Timeline::of_process()
        .since(0)
        .into_iter()
        .filter(|one| !matches!(one, Happening::Outcome(_) | Happening::Shipped(_)))
        .map(|one| one.to_string())
        .collect();
    let ends = |name: &str| {
        let (over, abended) = (format!("{name} IS OVER"), format!("{name} abended "));
        let in_order = happened.iter().filter(|line| line.trim_end() == over).count();
        let abends: Vec<&String> = happened.iter().filter(|line| line.contains(&abended)).collect();
        in_order + abends.len() == 1 && abends.iter().all(|line| line.contains("abended ASRA in"))
    };
    let is_spoilt = happened.iter().any(|line| line.contains("SPOILT"));
    let is_right = !is_spoilt && ends(&format!("A{number:03}")) && ends(&format!("B{number:03}"));
    (!is_right).then(|| format!("{}\n  {}", race.rule, happened.join("\n  ")))
}

#[test]
fn races_for_a_shared_record_harm_no_other_task() {
    Site::new("races", &application()).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        attach(&region, "NEAR");
        run.until("the neighbour", || is_shown("NEIGHBOUR IS THERE")).await;
        let mut all = Vec::new();
        for (number, race) in RACES.iter().enumerate() {
            ended(run, &region, &[attach(&region, "GETS")]).await;
            Timeline::of_process().clear();
            let tasks = ["A", "B"].map(|task| attach(&region, &format!("{task}{number:03}")));
            ended(run, &region, &tasks).await;
            all.extend(wrong(number, race));
        }
        assert!(all.is_empty(), "{} of {}:\n{}", all.len(), RACES.len(), all.join("\n"));
        let over = vec![command("WRITEQ TS QUEUE(ALLOVER) FROM(YES)")];
        answered(&region, over).await.expect("an answer");
        run.until("the neighbour's end", || is_shown("NEIGHBOUR IS UNHARMED")).await;
        Dispatcher::of(&region).idle().await;
        true
    });
}
