//! CALL within code: whoever runs the caller sees the first one from a place, and none that comes after it.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::program::{BlockId, Leave};
use cobol_run::{Answer, Fault, Frame, Task};
use native::{Calls, Interface, Reached, Unit, Within};
use support::{Kept, lowered};

/// The caller, and the program that it calls. `N` counts there; with `REST` it asks the host for something.
const SOURCE: &str = "ID DIVISION.\nPROGRAM-ID. A.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n\
    01 N PIC 9(4) VALUE 0.\n01 W PIC X(4) VALUE SPACE.\n01 AT-1 PIC S9(8) COMP VALUE 1.\n\
    PROCEDURE DIVISION.\nPERFORM 3 TIMES CALL 'B' USING N W\nMOVE 'REST' TO W END-PERFORM.\nDISPLAY N. GOBACK.\n\
    END PROGRAM A.\n\
    ID DIVISION.\nPROGRAM-ID. B.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 OWN PIC 9 VALUE 0.\n\
    LINKAGE SECTION.\n01 L PIC 9(4).\n01 M PIC X(4).\nPROCEDURE DIVISION USING L M.\n\
    ADD 1 TO L OWN. IF M = 'REST' AND OWN = 3 CALL 'C' END-IF. GOBACK.\nEND PROGRAM B.\n";

const STORAGE: usize = 1 << 17;

/// The programs, and what they run in.
struct Stage {
    unit: Arc<Unit>,
    task: Task,
    calls: Calls,
    host: Kept,
    flag: AtomicU32,
}

impl Stage {
    fn new() -> Self {
        let compiler = Compiler::new().expect("this machine has a compiler");
        let programs = lowered(SOURCE).expect("it is in order");
        let unit = compiler.unit("T.cbl".to_owned(), programs).expect("it is compiled");
        let (task, calls) = (Task::new(STORAGE), Calls::default());
        Self { unit: Arc::new(unit), task, calls, host: Kept::default(), flag: AtomicU32::new(0) }
    }

    fn frame(&mut self, place: usize, arguments: &[u32]) -> Frame {
        let program = self.unit.program(place).expect("there are two").program();
        let activation = self.task.enter(program, arguments).expect("there is room");
        Frame::new(program, activation)
    }

    /// Runs one of them from a block on; `depth`: how many programs may stand above it.
    fn run(
        &mut self,
        (place, number): (usize, usize),
        frame: &mut Frame,
        at: BlockId,
        depth: usize,
    ) -> Reached {
        let Self { unit, task, calls, host, flag } = self;
        let code = unit.program(place).expect("there are two");
        let within = Within { calls, number, depth };
        code.resume_within(task, frame, at, (host, flag), Some(within)).expect("it goes on")
    }

    /// The caller at its first CALL, which has been made from outside and is known: its number, its frame, and where it goes on.
    fn known(&mut self) -> (usize, Frame, BlockId) {
        let unit = Arc::clone(&self.unit);
        let number = self.calls.number_of(&unit, 0);
        let mut caller = self.frame(0, &[]);
        let Reached::Host(block) = self.run((0, number), &mut caller, BlockId(0), 9) else {
            panic!("an unknown place leaves code");
        };
        let code = unit.program(0).expect("there are two");
        let working = caller.activation.working;
        let mut called = self.frame(1, &[working, working + 8]);
        let of_called = self.calls.number_of(&unit, 1);
        let site = code.site(block).expect("a call of the host");
        let place = (number, site);
        assert!(self.calls.learn(place, of_called, None, &called.activation, Interface::default()));
        let left = self.run((1, of_called), &mut called, BlockId(0), 8);
        assert_eq!(left, Reached::Left(Leave::Return));
        self.calls.give(of_called, Box::new(called));
        (number, caller, code.behind(block, Answer::Continue).expect("a place behind it"))
    }
}

#[test]
fn a_program_that_rests_stands_above_its_caller() {
    let mut stage = Stage::new();
    let (number, mut caller, behind) = stage.known();
    // The second CALL is made within code; the third one's program rests, and so does its caller.
    let Reached::Host(block) = stage.run((0, number), &mut caller, behind, 9) else {
        panic!("the program of the third CALL rests");
    };
    assert!(stage.calls.has_unfinished());
    let unfinished = stage.calls.take_unfinished().expect("one");
    let Ok(Reached::Host(rests)) = unfinished.reached else { panic!("it rests at a call of the host") };
    assert!(unfinished.program == 1 && stage.calls.take_unfinished().is_none());
    let (unit, mut called) = (Arc::clone(&unfinished.unit), unfinished.frame);
    let code = unit.program(1).expect("there are two");
    let behind = code.behind(rests, Answer::Continue).expect("a place behind it");
    let left = stage.run((1, unfinished.number), &mut called, behind, 8);
    assert_eq!(left, Reached::Left(Leave::Return));
    let code = unit.program(0).expect("there are two");
    let behind = code.behind(block, Answer::Continue).expect("a place behind it");
    let left = stage.run((0, number), &mut caller, behind, 9);
    assert_eq!((left, stage.host.shown.as_str()), (Reached::Left(Leave::Return), "0003\n"));
}

#[test]
fn it_leaves_code_where_no_program_may_stand_above_it_and_when_nothing_is_known() {
    for forgets in [false, true] {
        let mut stage = Stage::new();
        let (number, mut caller, behind) = stage.known();
        if forgets {
            stage.calls.forget_places();
        }
        let reached = stage.run((0, number), &mut caller, behind, if forgets { 9 } else { 0 });
        assert!(matches!(reached, Reached::Host(_)) && !stage.calls.has_unfinished());
    }
}

#[test]
fn a_segment_beyond_the_storage_is_a_protection_exception_of_the_program_that_is_called() {
    let mut stage = Stage::new();
    let (number, mut caller, behind) = stage.known();
    let program = stage.unit.program(1).expect("there are two").program();
    let mut activation = stage.task.enter(program, &[]).expect("there is room");
    activation.working = u32::MAX - 8;
    let of_called = stage.calls.number_of(&Arc::clone(&stage.unit), 1);
    stage.calls.give(of_called, Box::new(Frame::new(program, activation)));
    assert!(matches!(stage.run((0, number), &mut caller, behind, 9), Reached::Host(_)));
    let unfinished = stage.calls.take_unfinished().expect("one");
    assert_eq!(unfinished.reached.expect_err("it cannot go on").fault, Fault::Protection);
}
