//! Tasks that start, wait, link, call, fail, recover and vanish in any order: by seed, each checked at every step.

mod support;

use cobol::{Host, Program, Run, Step, Task};
use support::{Source, Workshop};

/// Counts in WORKING-STORAGE, marks a table with its number, calls TALLY at every third round, and shows all of it at
/// each command. Reply 9 makes it fault; label 2 goes on with the next round.
const PROBE: Source<'_> = Source {
    name: "",
    storage: "01 WS-ID PIC 9(9) COMP-5 VALUE 0.\n\
              01 WS-N PIC S9(4) COMP VALUE 0.\n\
              01 WS-TALLY PIC S9(5) COMP-3 VALUE 0.\n\
              01 WS-PTR USAGE POINTER VALUE NULL.\n\
              01 WS-ROWS.\n   05 WS-ROW PIC 9(9) OCCURS 100 TIMES.",
    local: "01 LS-MARK PIC X(500) VALUE 'L'.",
    linkage: "01 LK-AREA PIC X(10).",
    using: "",
    code: "CALL 'DFHEI1' USING X'010001000000000000' WS-ID WS-N WS-TALLY\n\
             RETURNING DFHEIGO.\n\
           LABEL-2.\n\
           ADD 1 TO WS-N MOVE WS-ID TO WS-ROW(WS-N).\n\
           IF WS-N > 1 AND WS-ROW(WS-N - 1) NOT = WS-ID\n\
             MOVE 99 TO RETURN-CODE GOBACK.\n\
           IF FUNCTION MOD(WS-N 3) = 0 CALL 'TALLY' USING WS-TALLY.\n\
           CALL 'DFHEI1' USING X'010001000000000000' WS-ID WS-N WS-TALLY\n\
             RETURNING DFHEIGO.\n\
           IF DFHEIGO = 9\n\
             SET ADDRESS OF LK-AREA TO WS-PTR MOVE 'X' TO LK-AREA.\n\
           IF WS-N < 20 GO TO LABEL-2.\n\
           MOVE 7 TO RETURN-CODE GOBACK.",
};

const TALLY: Source<'_> = Source {
    name: "TALLY",
    storage: "01 WS-COUNT PIC S9(4) COMP VALUE 0.",
    local: "",
    linkage: "01 LK-TALLY PIC S9(5) COMP-3.",
    using: "LK-TALLY",
    code: "ADD 1 TO WS-COUNT MOVE WS-COUNT TO LK-TALLY GOBACK.",
};

/// A reproducible sequence of choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A link level and what its program must hold.
struct Level {
    run: Run,
    id: i64,
    rounds: i64,
}

/// A task: dropped from its innermost level outwards.
struct Probe {
    task: Task,
    levels: Vec<Level>,
}

impl Drop for Probe {
    fn drop(&mut self) {
        while self.levels.pop().is_some() {}
    }
}

struct Soak<'a> {
    host: &'a Host,
    probes: [Program; 2],
    tally: Program,
    choices: Choices,
    next_id: i64,
    faults: u32,
    returns: u32,
}

const DEPTH_MAX: usize = 4;
const FAULT: i32 = 9;

impl Soak<'_> {
    /// Enters a level; its program is at its first command then, and has its number.
    fn enter(&mut self, probe: &mut Probe) {
        let program = &self.probes[self.choices.below(2) as usize];
        let mut run = probe.task.start(program, 0, 0).expect("a stack");
        self.next_id += 1;
        let Step::Exec(call) = run.resume(0) else { panic!("a first command") };
        let shown: Vec<_> = (0..3).map(|i| call.arg(i).expect("an argument").number()).collect();
        assert_eq!(shown, [Ok(0), Ok(0), Ok(0)], "fresh storage");
        call.arg(0).expect("an argument").write_number(self.next_id).expect("storage");
        probe.levels.push(Level { run, id: self.next_id, rounds: 0 });
    }

    /// Does something with a task; returns whether it goes on.
    fn step(&mut self, probe: &mut Probe) -> bool {
        if probe.levels.len() < DEPTH_MAX && self.choices.one_in(6) {
            self.enter(probe);
            return true;
        }
        if self.choices.one_in(60) {
            return false;
        }
        let fail = self.choices.one_in(12);
        let level = probe.levels.last_mut().expect("a level");
        let mut reply = if fail && level.rounds > 0 { FAULT } else { 0 };
        loop {
            match level.run.resume(reply) {
                Step::NeedProgram(name) => {
                    assert_eq!(name, "TALLY");
                    level.run.provide(&self.tally);
                }
                Step::Exec(call) => {
                    level.rounds += 1;
                    let shown: Vec<_> = (0..3).map(|i| call.arg(i).expect("an argument").number()).collect();
                    assert_eq!(shown, [Ok(level.id), Ok(level.rounds), Ok(level.rounds / 3)]);
                    return true;
                }
                Step::Fault(_) => {
                    self.faults += 1;
                    if self.choices.one_in(2) {
                        probe.levels.pop();
                        return !probe.levels.is_empty();
                    }
                    level.run.restart(2).expect("a stack");
                }
                Step::Returned(7) => {
                    self.returns += 1;
                    assert!(level.rounds >= 20);
                    probe.levels.pop();
                    return !probe.levels.is_empty();
                }
                other => panic!("{other:?}"),
            }
            reply = 0;
        }
    }
}

#[test]
fn tasks_in_any_order_keep_their_storage() {
    let workshop = Workshop::new();
    let host = workshop.host();
    let load = |name| workshop.load(&host, &Source { name, ..PROBE });
    let probes = [load("PROBEA"), load("PROBEB")];
    let tally = workshop.load(&host, &TALLY);
    let mut soak =
        Soak { host: &host, probes, tally, choices: Choices(1), next_id: 0, faults: 0, returns: 0 };
    for seed in 1..=10 {
        soak.choices = Choices(seed);
        let mut tasks: Vec<Probe> = Vec::new();
        for _ in 0..3000 {
            if tasks.len() < 12 && soak.choices.one_in(4) || tasks.is_empty() {
                let mut probe = Probe { task: soak.host.task(), levels: Vec::new() };
                soak.enter(&mut probe);
                tasks.push(probe);
            }
            let at = soak.choices.below(tasks.len() as u64) as usize;
            if !soak.step(&mut tasks[at]) {
                tasks.swap_remove(at);
            }
        }
    }
    assert!(soak.faults > 100 && soak.returns > 100, "{} faults, {} returns", soak.faults, soak.returns);
}
