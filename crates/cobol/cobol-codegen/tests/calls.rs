//! CALL within code: the caller's host sees the first one from a place, and none that comes after it.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::program::{BlockId, Leave};
use cobol_run::{Answer, Frame, ProgramFault, Task};
use native::{Calls, CodeHost, Interface, Parts, Reached, Standing, Unit, Within};
use support::{KeptHost, lowered};

/// The caller, and the program that it calls. `N` counts there; with `REST` it asks the host for something, and counts once more.
const SOURCE: &str = "ID DIVISION.\nPROGRAM-ID. A.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n\
    01 N PIC 9(4) VALUE 0.\n01 W PIC X(4) VALUE SPACE.\n01 AT-1 PIC S9(8) COMP VALUE 1.\n\
    PROCEDURE DIVISION.\nPERFORM 3 TIMES CALL 'B' USING N W\nMOVE 'REST' TO W END-PERFORM.\nDISPLAY N. GOBACK.\n\
    END PROGRAM A.\n\
    ID DIVISION.\nPROGRAM-ID. B.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 OWN PIC 9 VALUE 0.\n\
    LINKAGE SECTION.\n01 L PIC 9(4).\n01 M PIC X(4).\nPROCEDURE DIVISION USING L M.\n\
    ADD 1 TO L OWN. IF M = 'REST' AND OWN = 3 CALL 'C' ADD 1 TO L END-IF. GOBACK.\nEND PROGRAM B.\n";

const STORAGE: usize = 1 << 17;

/// A host that answers calls where code stands if it is to, and moves the storage meanwhile.
struct Answering<'s> {
    task: &'s mut Task,
    calls: &'s mut Calls,
    host: &'s mut KeptHost,
    answers: bool,
    /// The answer gives the first record of the linkage section this address.
    readdresses: Option<u32>,
    panics: bool,
    failed: bool,
}

impl CodeHost for Answering<'_> {
    type Cells = u32;

    fn cells(program: &cobol_ir::Program) -> Option<u32> {
        Some(program.sites.len() as u32)
    }

    fn parts(&mut self) -> Option<Parts<'_>> {
        Some(Parts { storage: self.task, host: self.host, calls: Some(self.calls) })
    }

    fn answer(&mut self, cells: &u32, mut at: Standing<'_>) -> bool {
        assert!(at.site() < *cells);
        assert!(!self.panics, "as it was asked for");
        if self.answers {
            // What code knew of the storage is wrong from here on.
            let before = self.task.clone();
            self.task.memory_mut().fill(0xEE);
            *self.task = before;
            self.task.lengthen(self.task.memory().len() * 2);
        }
        if let Some(to) = self.readdresses {
            at.linkage_mut()[0] = to;
        }
        self.answers
    }

    fn failed(&mut self, _: Box<dyn Any + Send>) {
        self.failed = true;
    }
}

/// The programs, and what they run in.
struct Stage {
    unit: Arc<Unit>,
    task: Task,
    calls: Calls,
    host: KeptHost,
    flag: AtomicU32,
    /// Calls of the host are answered where code stands.
    answers: bool,
    readdresses: Option<u32>,
    panics: bool,
    failed: bool,
}

impl Stage {
    fn new() -> Self {
        let compiler = Compiler::new().expect("this machine has a compiler");
        let programs = lowered(SOURCE).expect("it is in order");
        let unit = compiler.unit("T.cbl".to_owned(), programs).expect("it is compiled");
        let (task, calls) = (Task::new(STORAGE), Calls::default());
        let (host, flag) = (KeptHost::default(), AtomicU32::new(0));
        let unit = Arc::new(unit);
        let (answers, readdresses, panics, failed) = (false, None, false, false);
        Self { unit, task, calls, host, flag, answers, readdresses, panics, failed }
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
        let Self { unit, task, calls, host, flag, .. } = self;
        let (answers, readdresses, panics, failed) = (self.answers, self.readdresses, self.panics, false);
        let mut answering = Answering { task, calls, host, answers, readdresses, panics, failed };
        let within = Some(Within { number, depth });
        let reached = unit.resume((place, within), frame, at, &mut answering, flag).expect("it goes on");
        self.failed = answering.failed;
        reached
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
    assert_eq!((left, stage.host.shown.as_str()), (Reached::Left(Leave::Return), "0004\n"));
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
    assert_eq!(unfinished.reached.expect_err("it cannot go on").fault, ProgramFault::Protection);
}

#[test]
fn a_call_that_is_answered_where_code_stands_may_move_the_storage() {
    let mut stage = Stage::new();
    let (number, mut caller, behind) = stage.known();
    stage.answers = true;
    // The program of the third CALL asks for something, is answered, and comes to its end; so does its caller.
    let left = stage.run((0, number), &mut caller, behind, 9);
    assert_eq!((left, stage.host.shown.as_str()), (Reached::Left(Leave::Return), "0004\n"));
}

/// SET of a command: code finds the record where it is from then on, whatever it has loaded before.
#[test]
fn a_call_that_is_answered_where_code_stands_may_give_a_record_another_address() {
    let mut stage = Stage::new();
    let (number, mut caller, behind) = stage.known();
    let to = stage.task.allocate(8).expect("there is room");
    stage.task.bytes_mut(to, 4).copy_from_slice(b"0700");
    (stage.answers, stage.readdresses) = (true, Some(to));
    let left = stage.run((0, number), &mut caller, behind, 9);
    assert_eq!((left, stage.host.shown.as_str()), (Reached::Left(Leave::Return), "0003\n"));
    assert_eq!(stage.task.bytes(to, 4), b"0701");
    // Without an address there is nothing any more.
    let mut stage = Stage::new();
    let (number, mut caller, behind) = stage.known();
    (stage.answers, stage.readdresses) = (true, Some(0));
    assert!(matches!(stage.run((0, number), &mut caller, behind, 9), Reached::Host(_)));
    let unfinished = stage.calls.take_unfinished().expect("one");
    assert_eq!(unfinished.reached.expect_err("it cannot go on").fault, ProgramFault::Protection);
}

#[test]
fn a_mistake_of_ours_in_an_answer_leaves_code() {
    let mut stage = Stage::new();
    let (number, mut caller, behind) = stage.known();
    stage.panics = true;
    assert!(matches!(stage.run((0, number), &mut caller, behind, 9), Reached::Host(_)));
    assert!(stage.failed && stage.calls.has_unfinished());
}
