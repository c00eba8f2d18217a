//! CALL by a link: code enters by itself a program that was entered from the same place before, and what differs sends it to a helper.

#[path = "../../cobol-lower/tests/support/mod.rs"]
mod support;

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use cobol_codegen::Compiler;
use cobol_ir::program::{BlockId, Leave, Service};
use cobol_run::{Answer, Call, Frame, Host, Machine, Passed, ProgramFault, Task};
use native::{Calls, CodeHost, Interface, Parts, Reached, Standing, Unit, Within, give_back_code};
use support::lowered;

const STORAGE: usize = 1 << 17;
/// Programs that may stand above one another.
const DEPTH: usize = 12;

/// Keeps what is shown, and what a call asks for.
#[derive(Default)]
struct Shown {
    text: String,
    name: String,
    arguments: Vec<Passed>,
}

impl Host for Shown {
    fn display(&mut self, text: &[u8], advancing: bool) {
        assert!(!text.starts_with(b"PANIC"), "as it was asked for");
        self.text.push_str(&String::from_utf8_lossy(text));
        self.text.push_str(if advancing { "\n" } else { "" });
    }

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        self.name = match call.service {
            Service::Call(name) => name.clone(),
            _ => String::from_utf8_lossy(&call.name).trim_end().to_owned(),
        };
        self.arguments = std::mem::take(&mut call.arguments);
        Ok(Answer::Continue)
    }
}

/// A host that answers CALL 'MOVES' where code stands: the storage moves meanwhile. It counts how often it was asked for anything.
struct Counting<'s> {
    task: &'s mut Task,
    calls: &'s mut Calls,
    shown: &'s mut Shown,
    asked: &'s mut usize,
}

impl CodeHost for Counting<'_> {
    type Cells = Vec<bool>;

    fn cells(program: &cobol_ir::Program) -> Option<Vec<bool>> {
        let moves = |service: &Service| matches!(service, Service::Call(name) if name == "MOVES");
        Some(program.sites.iter().map(|site| moves(&site.service)).collect())
    }

    fn parts(&mut self) -> Option<Parts<'_>> {
        *self.asked += 1;
        Some(Parts { storage: self.task, host: self.shown, calls: Some(self.calls) })
    }

    fn answer(&mut self, cells: &Vec<bool>, at: Standing<'_>) -> bool {
        let moves = cells[at.site() as usize];
        if moves {
            let before = self.task.clone();
            self.task.memory_mut().fill(0xEE);
            *self.task = before;
            self.task.lengthen(self.task.memory().len() * 2);
        }
        moves
    }

    fn failed(&mut self, panic: Box<dyn Any + Send>) {
        std::panic::resume_unwind(panic);
    }
}

struct Active {
    program: usize,
    again: Option<usize>,
    frame: Box<Frame>,
    at: BlockId,
}

/// A run unit: its first program is CALLed, and all that come of it.
struct RunUnit {
    unit: Arc<Unit>,
    task: Task,
    calls: Calls,
    shown: Shown,
    flag: AtomicU32,
    stack: Vec<Active>,
    working: HashMap<usize, u32>,
    asked: usize,
    /// CALLs for which code was left, and programs that rested.
    left: usize,
}

impl RunUnit {
    fn of(source: &str) -> Self {
        let compiler = Compiler::new().expect("this machine has a compiler");
        let programs = lowered(source).expect("it is in order");
        let unit = Arc::new(compiler.unit("T.cbl".to_owned(), programs).expect("it is compiled"));
        Self {
            unit,
            task: Task::new(STORAGE),
            calls: Calls::default(),
            shown: Shown::default(),
            flag: AtomicU32::new(0),
            stack: Vec::new(),
            working: HashMap::new(),
            asked: 0,
            left: 0,
        }
    }

    fn enter(&mut self, program: usize, arguments: &[u32]) {
        let code = self.unit.program(program).expect("it is there").program();
        let mut activation = self.task.enter(code, arguments).expect("there is room");
        activation.working = *self.working.entry(program).or_insert(activation.working);
        let frame = Box::new(Frame::new(code, activation));
        self.stack.push(Active { program, again: None, frame, at: BlockId(0) });
    }

    /// Runs the code of the innermost program, and unfolds what was left within it.
    fn stretch(&mut self) -> Result<Reached, String> {
        let depth = DEPTH.saturating_sub(self.stack.len());
        let active = self.stack.last_mut().expect("one runs");
        let within = active.again.map(|number| Within { number, depth });
        let Self { unit, task, calls, shown, flag, asked, .. } = self;
        let mut host = Counting { task, calls, shown, asked };
        let place = (active.program, within);
        let mut reached = unit.resume(place, &mut active.frame, active.at, &mut host, flag);
        let block = |reached: &Result<Reached, _>| match reached {
            Ok(Reached::Host(block)) => *block,
            _ => BlockId(0),
        };
        active.at = block(&reached);
        while let Some(unfinished) = self.calls.take_unfinished() {
            reached = unfinished.reached;
            let (program, again) = (unfinished.program, Some(unfinished.number));
            self.stack.push(Active { program, again, frame: unfinished.frame, at: block(&reached) });
        }
        reached.map_err(|abend| format!("{} {} {}", abend.program, abend.fault, abend.line.line))
    }

    fn behind(&mut self) {
        let active = self.stack.last_mut().expect("one runs");
        let code = self.unit.program(active.program).expect("it is there");
        active.at = code.behind(active.at, Answer::Continue).expect("there is a place behind it");
    }

    fn returns(&mut self) {
        let called = self.stack.pop().expect("one runs");
        if let Some(caller) = self.stack.last() {
            let program = |active: &Active| self.unit.program(active.program).expect("it is there").program();
            let (from, to) = ((program(&called), &*called.frame), (program(caller), &*caller.frame));
            give_back_code(&mut self.task, from, to);
            self.behind();
        }
        if let Some(number) = called.again {
            self.calls.give(number, called.frame);
        }
    }

    /// A CALL for which code was left.
    fn call(&mut self, block: BlockId) -> Result<(), String> {
        self.left += 1;
        let unit = Arc::clone(&self.unit);
        let active = self.stack.last_mut().expect("one runs");
        let (caller, code) = (active.program, unit.program(active.program).expect("it is there"));
        let site = code.site(block).expect("a call of the host");
        let mut machine = Machine::resumed(code.program(), &mut self.task, &mut active.frame);
        machine.host_call(site, &mut self.shown).map_err(|fault| fault.to_string())?;
        let name = self.shown.name.clone();
        let Some(program) = unit.beside(&name) else {
            self.behind();
            return Ok(());
        };
        if self.stack.iter().any(|active| active.program == program) {
            return Err(format!("recursive CALL of {name}"));
        }
        let address = |passed: &Passed| if let Passed::Area(at, _) = passed { *at } else { 0 };
        let arguments: Vec<u32> = self.shown.arguments.iter().map(address).collect();
        self.enter(program, &arguments);
        let (number, own) = (self.calls.number_of(&unit, program), self.calls.number_of(&unit, caller));
        let name = matches!(code.program().sites[site as usize].service, Service::CallNamed(_))
            .then(|| format!("{name:8}").into_bytes());
        let [.., caller, called] = self.stack.as_mut_slice() else { return Ok(()) };
        caller.again = Some(own);
        let activation = &called.frame.activation;
        let learned =
            self.calls.learn((own, site), number, name.as_deref(), activation, Interface::default());
        called.again = learned.then_some(number);
        Ok(())
    }

    /// Runs the first program to its end: what was shown, or why it did not come to its end behind that.
    fn run(mut self) -> (Self, Result<(), String>) {
        self.enter(0, &[]);
        let mut outcome = Ok(());
        while outcome.is_ok() && !self.stack.is_empty() {
            outcome = match self.stretch() {
                Ok(Reached::Left(Leave::Return)) => {
                    self.returns();
                    Ok(())
                }
                Ok(Reached::Left(Leave::StopRun)) => {
                    self.stack.clear();
                    Ok(())
                }
                Ok(Reached::Host(block)) => self.call(block),
                Err(why) => Err(why),
            };
        }
        (self, outcome)
    }
}

/// A program with WORKING-STORAGE, LINKAGE SECTION and statements.
fn program(name: &str, working: &str, linkage: &str, using: &str, statements: &str) -> String {
    format!(
        "ID DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{working}\n\
         LINKAGE SECTION.\n{linkage}\nPROCEDURE DIVISION{using}.\n{statements}\nEND PROGRAM {name}.\n"
    )
}

#[track_caller]
fn shows(programs: &[String], expected: &str) -> RunUnit {
    let (ran, outcome) = RunUnit::of(&programs.concat()).run();
    assert_eq!((outcome, ran.shown.text.as_str()), (Ok(()), expected));
    ran
}

const COUNTER: &str = "01 L PIC 9(5).";

#[test]
fn no_host_is_asked_for_anything() {
    let run = |times: usize| {
        let caller = format!("PERFORM {times} TIMES CALL 'B' USING N END-PERFORM. DISPLAY N. GOBACK.");
        let programs = [
            program("A", "01 N PIC 9(5) VALUE 0.", "", "", &caller),
            program(
                "B",
                "01 OWN PIC 9(5) VALUE 0.",
                COUNTER,
                " USING L",
                "ADD 1 TO OWN. MOVE OWN TO L. GOBACK.",
            ),
        ];
        shows(&programs, &format!("{times:05}\n")).asked
    };
    assert_eq!(run(10), run(10_000));
}

#[test]
fn arguments_that_lie_elsewhere_the_next_time() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.\n01 Y PIC 9(5) VALUE 0.",
            "",
            "",
            "PERFORM 5 TIMES CALL 'B' USING X CALL 'B' USING X CALL 'B' USING Y END-PERFORM. DISPLAY X ' ' Y. GOBACK.",
        ),
        program("B", "01 OWN PIC 9.", COUNTER, " USING L", "CALL 'C' USING L. CALL 'C' USING L. GOBACK."),
        program("C", "", COUNTER, " USING L", "ADD 1 TO L. GOBACK."),
    ];
    shows(&programs, "00020 00010\n");
}

#[test]
fn fewer_arguments_the_next_time() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.",
            "",
            "",
            "PERFORM 3 TIMES CALL 'B' USING X X CALL 'B' USING X END-PERFORM. DISPLAY X. GOBACK.",
        ),
        program(
            "B",
            "",
            "01 L PIC 9(5).\n01 M PIC 9(5).",
            " USING L M",
            "IF ADDRESS OF M = NULL ADD 100 TO L ELSE ADD 1 TO L END-IF. GOBACK.",
        ),
    ];
    shows(&programs, "00303\n");
}

#[test]
fn a_name_in_an_item_that_changes() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.\n01 W PIC X(8) VALUE 'B'.\n01 I PIC 9(2) VALUE 0.",
            "",
            "",
            "PERFORM VARYING I FROM 1 BY 1 UNTIL I > 12\n IF I = 4 OR 9 MOVE 'C' TO W END-IF\n\
             IF I = 7 MOVE 'B' TO W END-IF\n CALL W USING X END-PERFORM. DISPLAY X. GOBACK.",
        ),
        program("B", "", COUNTER, " USING L", "ADD 1 TO L. GOBACK."),
        program("C", "", COUNTER, " USING L", "ADD 100 TO L. GOBACK."),
    ];
    shows(&programs, "00705\n");
}

#[test]
fn return_code_is_the_callers() {
    let programs = [
        program(
            "A",
            "01 I PIC 9 VALUE 0.",
            "",
            "",
            "PERFORM 3 TIMES ADD 1 TO I CALL 'B' DISPLAY RETURN-CODE CALL 'C' DISPLAY RETURN-CODE END-PERFORM. GOBACK.",
        ),
        program("B", "01 N PIC 9 VALUE 0.", "", "", "ADD 1 TO N. MOVE N TO RETURN-CODE. GOBACK."),
        program("C", "", "", "", "GOBACK."),
    ];
    let (ran, outcome) = RunUnit::of(&programs.concat()).run();
    let codes: Vec<i32> = ran.shown.text.lines().filter_map(|line| line.trim().parse().ok()).collect();
    assert_eq!((outcome, codes), (Ok(()), vec![1, 0, 2, 0, 3, 0]));
}

/// A paragraph that was left by GOBACK is not gone back from the next time.
#[test]
fn a_program_begins_with_nothing_performed() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.\n01 I PIC 9(2).",
            "",
            "",
            "PERFORM VARYING I FROM 1 BY 1 UNTIL I > 6 CALL 'B' USING X I END-PERFORM. DISPLAY X. GOBACK.",
        ),
        program(
            "B",
            "",
            "01 L PIC 9(5).\n01 I PIC 9(2).",
            " USING L I",
            "IF FUNCTION MOD(I 2) = 1 PERFORM P1 END-IF.\nP1.\n ADD 1 TO L.\n IF FUNCTION MOD(I 2) = 1 GOBACK END-IF.\nP2.\n ADD 100 TO L.\n GOBACK.",
        ),
    ];
    shows(&programs, "00306\n");
}

#[test]
fn a_recursive_call_is_not_made() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.",
            "",
            "",
            "PERFORM 4 TIMES CALL 'B' USING X END-PERFORM. GOBACK.",
        ),
        program("B", "", COUNTER, " USING L", "ADD 1 TO L. DISPLAY L. CALL 'C' USING L. GOBACK."),
        program("C", "", COUNTER, " USING L", "IF L = 3 CALL 'B' USING L END-IF. GOBACK."),
    ];
    let (ran, outcome) = RunUnit::of(&programs.concat()).run();
    let expected = (Err(String::from("recursive CALL of B")), "00001\n00002\n00003\n");
    assert_eq!((outcome, ran.shown.text.as_str()), expected);
    let names: Vec<usize> = ran.stack.iter().map(|active| active.program).collect();
    assert_eq!(names, [0, 1, 2]);
}

/// The innermost of three rests in one of its turns: all of them are left, and go on where they stood.
#[test]
fn a_program_that_rests_leaves_all_below_it() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.",
            "",
            "",
            "PERFORM 9 TIMES CALL 'B' USING X END-PERFORM. DISPLAY X. GOBACK.",
        ),
        program("B", "", COUNTER, " USING L", "CALL 'C' USING L. ADD 100 TO L. GOBACK."),
        program(
            "C",
            "01 N PIC 9(5) VALUE 0.",
            COUNTER,
            " USING L",
            "ADD 1 TO N. IF FUNCTION MOD(N 4) = 0 CALL 'REST' ADD 1000 TO L END-IF. ADD 1 TO L. GOBACK.",
        ),
    ];
    let ran = shows(&programs, "02909\n");
    assert_eq!(ran.left, 4, "the first CALLs of B and C, and two rests");
}

/// An answer to the innermost of three moves the storage: the others find it where it is.
#[test]
fn storage_that_moves_in_a_program_that_was_called() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.\n01 BESIDE PIC X(20) VALUE SPACE.",
            "",
            "",
            "PERFORM 9 TIMES MOVE 'BEFORE' TO BESIDE CALL 'B' USING X MOVE 'BEHIND' TO BESIDE END-PERFORM. DISPLAY X BESIDE. GOBACK.",
        ),
        program(
            "B",
            "01 OWN PIC 9(5) VALUE 0.",
            COUNTER,
            " USING L",
            "CALL 'C' USING L. ADD 1 TO OWN. ADD 100 TO L. GOBACK.",
        ),
        program(
            "C",
            "01 N PIC 9(5) VALUE 0.",
            COUNTER,
            " USING L",
            "ADD 1 TO N. IF N = 4 OR 7 CALL 'MOVES' END-IF. ADD 1 TO L. GOBACK.",
        ),
    ];
    shows(&programs, "00909BEHIND              \n");
}

#[test]
fn an_abend_has_the_statement_of_the_program_in_which_it_comes() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.",
            "",
            "",
            "PERFORM 9 TIMES CALL 'B' USING X END-PERFORM. GOBACK.",
        ),
        program("B", "01 P PIC 9 VALUE 0.", COUNTER, " USING L", "CALL 'C' USING L. GOBACK."),
        program(
            "C",
            "01 P PIC S9(5) COMP-3 VALUE 0.\n01 Q REDEFINES P PIC X(3).",
            COUNTER,
            " USING L",
            "ADD 1 TO L. IF L = 5 MOVE 'ABC' TO Q END-IF.\nADD 1 TO P. GOBACK.",
        ),
    ];
    let (ran, outcome) = RunUnit::of(&programs.concat()).run();
    let why = outcome.expect_err("it is no number");
    assert!(why.starts_with("C "), "{why}");
    assert_eq!(ran.stack.iter().map(|active| active.program).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_mistake_of_ours_in_a_program_that_was_called_is_not_lost() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.",
            "",
            "",
            "PERFORM 9 TIMES CALL 'B' USING X END-PERFORM. GOBACK.",
        ),
        program("B", "", COUNTER, " USING L", "ADD 1 TO L. IF L = 5 DISPLAY 'PANIC' END-IF. GOBACK."),
    ];
    let failed = catch_unwind(AssertUnwindSafe(|| RunUnit::of(&programs.concat()).run()));
    assert!(failed.is_err());
}

/// A program that sets the address of a record begins without one each time.
#[test]
fn a_program_that_sets_addresses_begins_without_them() {
    let programs = [
        program(
            "A",
            "01 X PIC 9(5) VALUE 0.",
            "",
            "",
            "PERFORM 4 TIMES CALL 'B' USING X END-PERFORM. DISPLAY X. GOBACK.",
        ),
        program(
            "B",
            "",
            "01 L PIC 9(5).\n01 M PIC 9(5).",
            " USING L",
            "IF ADDRESS OF M = NULL ADD 1 TO L END-IF. SET ADDRESS OF M TO ADDRESS OF L. ADD 100 TO M. GOBACK.",
        ),
    ];
    shows(&programs, "00404\n");
}

/// Programs in a row, each of which calls the next: beyond the depth that is allowed code is left.
#[test]
fn no_more_programs_than_may_stand_above_one_another() {
    let mut programs = vec![program(
        "P0",
        "01 X PIC 9(5) VALUE 0.",
        "",
        "",
        "PERFORM 3 TIMES CALL 'P1' USING X END-PERFORM. DISPLAY X. GOBACK.",
    )];
    let count = DEPTH - 1;
    for number in 1..count {
        let statements = format!("CALL 'P{}' USING L. ADD 1 TO L. GOBACK.", number + 1);
        programs.push(program(&format!("P{number}"), "01 W PIC X.", COUNTER, " USING L", &statements));
    }
    programs.push(program(&format!("P{count}"), "", COUNTER, " USING L", "ADD 1 TO L. GOBACK."));
    shows(&programs, &format!("{:05}\n", 3 * count));
}
