//! EXEC SQL: the calls of blocks, and WHENEVER behind them. The requests of the blocks come from `cobol-exec`.

mod support;

use cobol_check::{CheckedProgram, Options, check};
use cobol_data::ItemId;
use cobol_exec::{Area, Asked, Call, Request};
use cobol_ir::{Program, verify};
use cobol_lower::lower_asked;
use cobol_run::{Answer, Call as HostCall, Host, Machine, Moment, Passed, ProgramFault, Task};
use cobol_source::{Format, NoLibrary};
use db2::Event;
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

    fn call(&mut self, call: &mut HostCall<'_>) -> Result<Answer, ProgramFault> {
        let [Passed::Copy(descriptor), Passed::Area(sqlca, 136), rest @ ..] = &call.arguments[..] else {
            return Err(ProgramFault::Host);
        };
        let statement = Descriptor::new(descriptor).expect("it is one").statement;
        let code = self.codes.remove(0);
        call.task.bytes_mut(sqlca + 12, 4).copy_from_slice(&code.to_be_bytes());
        call.task.bytes_mut(sqlca + 131, 5).copy_from_slice(b"02000");
        let mut said = format!("{statement}");
        for argument in rest {
            let Passed::Area(at, length) = argument else { return Err(ProgramFault::Host) };
            said += &format!(" {}", String::from_utf8_lossy(call.task.bytes(*at, *length as usize)));
            call.task.bytes_mut(*at, *length as usize).fill(b'*');
        }
        self.asked.push(said);
        Ok(Answer::Continue)
    }
}

/// A block of a program: its statement, the names of its items with those of the groups around them, WHENEVER, and the area.
struct Given<'t>(u16, &'t [&'t [&'t str]], &'t [(Event, &'t str)], Area);

fn item(program: &CheckedProgram, names: &[&str]) -> ItemId {
    let items = &program.items;
    let is_it = |id: &ItemId| {
        let around = std::iter::once(*id).chain(items.groups(*id));
        let own = around.filter_map(|id| items.get(id).name.as_ref()).map(|name| &*name.text);
        own.eq(names.iter().copied())
    };
    items.all().map(|(id, _)| id).find(is_it).expect("there is such an item")
}

fn request(program: &CheckedProgram, given: &Given<'_>) -> Request {
    let Given(statement, names, go_to, area) = *given;
    let call = Call {
        descriptor: Descriptor { token: 7, statement },
        arguments: names.iter().map(|names| item(program, names)).collect(),
    };
    let go_to = go_to.iter().map(|(event, label)| (*event, (*label).to_owned())).collect();
    Request { call: (statement > 0).then_some(call), go_to, area }
}

/// The programs of a text, of each of which these blocks are given.
#[track_caller]
fn lowered(text: &str, blocks: &[&[Given<'_>]]) -> Result<Vec<Program>, String> {
    let source = Source::new("T.cbl", text);
    let checked = check(&source, &NoLibrary, &Options { format: Format::Free, ..Options::default() });
    assert!(checked.messages.is_empty(), "{:?}", checked.messages);
    let programs = checked.all_programs();
    let of_program = |(program, given): (&&CheckedProgram, &&[Given<'_>])| {
        given.iter().map(|given| Some(Asked::Sql(request(program, given)))).collect::<Vec<_>>()
    };
    let asked: Vec<_> = programs.iter().zip(blocks).flat_map(of_program).collect();
    let programs = lower_asked(&checked, Moment { unix_ms: 0, offset_s: 0 }, &asked)
        .map_err(|told| told[0].message.clone())?;
    programs.iter().for_each(|program| verify(program).expect("it is sound"));
    Ok(programs)
}

#[track_caller]
fn run(text: &str, blocks: &[Given<'_>], codes: &[i32]) -> Result<Database, String> {
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
    let blocks = [
        Given(0, &[], &[], Area::Record),
        Given(1, &[&["A", "H"], &["A", "G"]], &events, Area::Record),
        Given(2, &[&["A", "G"]], &events, Area::Record),
    ];
    let shown = |codes: &[i32]| run(PROGRAM, &blocks, codes).expect("it is lowered").shown;
    assert_eq!(shown(&[0, 0]), "000000000 ***\nFOUND\n");
    assert_eq!(shown(&[0, 100]), "000000000 ***\nGONE\n");
    assert_eq!(shown(&[-911]), "BAD\n");
    assert_eq!(shown(&[20]), "GONE\n");
    assert_eq!(run(PROGRAM, &blocks, &[0, 100]).expect("it is lowered").asked, ["1 DEF ABC", "2 ***"]);
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
    let outer = [Given(1, &[&["A"]], &[], Area::Record)];
    let inner = [Given(2, &[&["A"]], &[], Area::Record), Given(3, &[&["B"]], &[], Area::Record)];
    let programs = lowered(&text, &[&outer, &inner]).expect("both are lowered");
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
    let blocks = [
        Given(0, &[], &[], area),
        Given(1, &[&["A", "H"]], &[(Event::NotFound, "GONE")], area),
        Given(2, &[], &[(Event::NotFound, "GONE")], area),
    ];
    assert_eq!(run(&text, &blocks, &[7, 100]).expect("it is lowered").shown, "000000007 02000\nGONE\n");
}

#[test]
fn what_does_not_fit_is_refused() {
    let one = |given: &[Given<'_>]| run(PROGRAM, given, &[]).err().expect("it is refused");
    let nowhere = Given(1, &[], &[(Event::Error, "NOWHERE")], Area::Record);
    assert!(one(&[nowhere]).contains("GO TO NOWHERE"));
    assert!(one(&[]).contains("this EXEC"), "nobody has read it");
}
