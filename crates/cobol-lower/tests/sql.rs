//! EXEC SQL: the calls of blocks, and WHENEVER behind them. What the blocks ask for comes from elsewhere.

mod support;

use cobol_check::{Options, check};
use cobol_ir::{Program, verify};
use cobol_lower::lower_with_sql;
use cobol_run::{Answer, Call, Fault, Host, Machine, Moment, Passed, Task};
use cobol_source::{Format, NoLibrary};
use db2::Event;
use db2::blocks::{Area, Argument, Block};
use db2::call::Descriptor;
use diagnostics::Source;

/// A database that answers each statement with the next SQLCODE, and fills the last argument.
struct Database {
    codes: Vec<i32>,
    asked: Vec<String>,
    shown: String,
}

impl Host for Database {
    fn display(&mut self, text: &[u8], _: bool) {
        self.shown.push_str(&String::from_utf8_lossy(text));
        self.shown.push('\n');
    }

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, Fault> {
        let [Passed::Copy(descriptor), Passed::Area(sqlca, 136), rest @ ..] = &call.arguments[..] else {
            return Err(Fault::Host);
        };
        let statement = Descriptor::new(descriptor).expect("it is one").statement;
        let code = self.codes.remove(0);
        call.task.bytes_mut(sqlca + 12, 4).copy_from_slice(&code.to_be_bytes());
        call.task.bytes_mut(sqlca + 131, 5).copy_from_slice(b"02000");
        let mut said = format!("{statement}");
        for argument in rest {
            let Passed::Area(at, length) = argument else { return Err(Fault::Host) };
            said += &format!(" {}", String::from_utf8_lossy(call.task.bytes(*at, *length as usize)));
            call.task.bytes_mut(*at, *length as usize).fill(b'*');
        }
        self.asked.push(said);
        Ok(Answer::Continue)
    }
}

fn block(line: u32, statement: u16, names: &[&[&str]], go_to: &[(Event, &str)], area: Area) -> Block {
    let descriptor = Descriptor { token: 7, statement, native: false };
    let argument =
        |names: &&[&str]| Argument { names: names.iter().map(|n| (*n).to_owned()).collect(), length: 3 };
    let arguments = names.iter().map(argument).collect();
    let call = db2::blocks::Call { descriptor, arguments };
    let go_to = go_to.iter().map(|(event, label)| (*event, (*label).to_owned())).collect();
    Block { line, column: 1, call: (statement > 0).then_some(call), go_to, area }
}

#[track_caller]
fn lowered(text: &str, blocks: &[Vec<Block>]) -> Result<Vec<Program>, String> {
    let source = Source::new("T.cbl", text);
    let checked = check(&source, &NoLibrary, &Options { format: Format::Free, ..Options::default() });
    assert!(checked.messages.is_empty(), "{:?}", checked.messages);
    let programs = lower_with_sql(&checked, Moment { unix_ms: 0, offset_s: 0 }, blocks)
        .map_err(|told| told[0].message.clone())?;
    programs.iter().for_each(|program| verify(program).expect("it is sound"));
    Ok(programs)
}

#[track_caller]
fn run(text: &str, blocks: Vec<Block>, codes: &[i32]) -> Result<Database, String> {
    let programs = lowered(text, &[blocks])?;
    let mut task = Task::new(1 << 16);
    let activation = task.enter(&programs[0], &[]).expect("there is room for it");
    let mut host = Database { codes: codes.to_vec(), asked: Vec::new(), shown: String::new() };
    Machine::new(&programs[0], &mut task, activation).run(&mut host).expect("it ends in order");
    Ok(host)
}

const PROGRAM: &str = "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 G. 05 A PIC X(3) VALUE 'ABC'.\n\
    01 H. 05 A PIC X(3) VALUE 'DEF'.\nPROCEDURE DIVISION.\nEXEC SQL WHENEVER NOT FOUND GO TO GONE END-EXEC\n\
    EXEC SQL SELECT 1 INTO :H.A FROM T WHERE X = :G.A END-EXEC\nDISPLAY SQLCODE ' ' A OF H.\nEXEC SQL FETCH C INTO :G.A END-EXEC.\n\
    DISPLAY 'FOUND' GOBACK.\nBAD. DISPLAY 'BAD' GOBACK.\nGONE. DISPLAY 'GONE' GOBACK.\n";

#[test]
fn calls_and_whenever() {
    let events = [(Event::Error, "BAD"), (Event::NotFound, "GONE"), (Event::Warning, "GONE")];
    let blocks = || {
        let first: &[&[&str]] = &[&["A", "H"], &["A", "G"]];
        vec![
            block(8, 0, &[], &[], Area::Record),
            block(9, 1, first, &events, Area::Record),
            block(11, 2, &[&["A", "G"]], &events, Area::Record),
        ]
    };
    let shown = |codes: &[i32]| run(PROGRAM, blocks(), codes).expect("it is lowered").shown;
    assert_eq!(shown(&[0, 0]), "000000000 ***\nFOUND\n");
    assert_eq!(shown(&[0, 100]), "000000000 ***\nGONE\n");
    assert_eq!(shown(&[-911]), "BAD\n");
    assert_eq!(shown(&[20]), "GONE\n");
    assert_eq!(run(PROGRAM, blocks(), &[0, 100]).expect("it is lowered").asked, ["1 DEF ABC", "2 ***"]);
}

#[test]
fn a_contained_program_has_its_own_area_and_sees_what_is_global() {
    let contained = "ID DIVISION.\nPROGRAM-ID. INNER.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 A PIC X(3) VALUE 'INN'.\n\
        PROCEDURE DIVISION.\nEXEC SQL SELECT 1 INTO :A FROM T END-EXEC\nDISPLAY SQLCODE ' ' A\n\
        EXEC SQL SELECT 1 INTO :B FROM T END-EXEC\nDISPLAY SQLCODE ' ' B\nGOBACK.\nEND PROGRAM INNER.\nEND PROGRAM T.\n";
    let text = format!(
        "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 A PIC X(3) VALUE 'OUT'.\n\
        01 B GLOBAL PIC X(3) VALUE 'GLO'.\nPROCEDURE DIVISION.\nEXEC SQL SELECT 1 INTO :A FROM T END-EXEC\n\
        CALL 'INNER'\nDISPLAY SQLCODE ' ' A ' ' B\nGOBACK.\n{contained}"
    );
    let outer = vec![block(8, 1, &[&["A"]], &[], Area::Record)];
    let inner = vec![block(18, 2, &[&["A"]], &[], Area::Record), block(20, 3, &[&["B"]], &[], Area::Record)];
    let programs = lowered(&text, &[outer, inner]).expect("both are lowered");
    assert_eq!(programs.iter().map(|program| &*program.name).collect::<Vec<_>>(), ["T", "INNER"]);
}

#[test]
fn an_area_of_items() {
    let text = PROGRAM.replace(
        "PROCEDURE DIVISION.",
        "01 SQLCODE PIC S9(9) COMP. 01 SQLSTATE PIC X(5).\nPROCEDURE DIVISION.",
    );
    let text = text.replace("DISPLAY SQLCODE ' ' A OF H", "DISPLAY SQLCODE ' ' SQLSTATE");
    let area = Area::Items { code: true, state: true };
    let blocks = vec![
        block(9, 0, &[], &[], area),
        block(10, 1, &[&["A", "H"]], &[(Event::NotFound, "GONE")], area),
        block(12, 2, &[], &[(Event::NotFound, "GONE")], area),
    ];
    assert_eq!(run(&text, blocks, &[7, 100]).expect("it is lowered").shown, "000000007 02000\nGONE\n");
}

#[test]
fn what_does_not_fit_is_refused() {
    let one = |block: Block| run(PROGRAM, vec![block], &[]).err().expect("it is refused");
    assert!(one(block(8, 1, &[&["A"]], &[], Area::Record)).contains("the host variable A"));
    assert!(one(block(8, 1, &[&["G"]], &[], Area::Record)).contains("EXEC SQL"));
    assert!(one(block(8, 1, &[], &[(Event::Error, "NOWHERE")], Area::Record)).contains("GO TO NOWHERE"));
    assert!(one(block(9, 1, &[], &[], Area::Record)).contains("EXEC SQL"), "another place");
}
