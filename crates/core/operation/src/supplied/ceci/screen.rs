//! The screen of CECI and CECS: the command, its options with their values, and its outcome; what may be looked at in its place.

use spec::{CommandId, Condition, Kind, OptionId};
use tn3270::datastream::Size;

use super::expansion::{self, Of};
use super::listing;
use super::value::Value;
use super::variables::Variables;
use crate::supplied::command_rows::Rows;
use crate::supplied::frame::{FIRST_ROW, Frame};
use crate::supplied::panel::{Panel, PanelPlace, wrapped};
use kernel::exec::{Content, Parcel};

/// The place where a command is typed.
pub(super) const COMMAND: PanelPlace = (1, 2);
/// The place of a name that makes the command a variable.
pub(super) const NAME: PanelPlace = (2, 67);
/// Characters of a row.
const WIDTH: usize = 76;
/// Characters of a value in a row: after them come dots.
const VALUE_WIDTH: usize = 48;

/// The stage that a command has reached.
pub(super) enum Stage<'s> {
    /// The words do not name one: those that may come next.
    Choose(Vec<String>),
    /// It has mistakes.
    Wrong,
    /// It is a command, and is only checked: CECS.
    Right(&'s Parcel),
    /// ENTER has it carried out.
    Ready(&'s Parcel),
    /// It was carried out.
    Answered(&'s Parcel, &'s Outcome),
}

/// The outcome of a command.
pub(super) enum Outcome {
    Response(Condition, i32),
    /// The program to which it has LINKed has abended.
    Abend(String),
}

/// The page that is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Page {
    /// The command.
    Command,
    /// A list of what may be typed, and of the keys.
    Help,
    /// The EXEC interface block.
    Block,
    /// The variables.
    Variables,
    /// The mistakes of the text.
    Messages,
    /// One value.
    Expanded(Of),
}

/// The help.
const HELP: &[&str] = &[
    "Type a command as a program has it, without EXEC CICS; words may be cut short:",
    "READQ TS QUEUE(ABC) ITEM(1)",
    "",
    "ENTER checks the command and shows it; ENTER again carries it out, and shows what",
    "it has given and its response. What a command fills may be left out.",
    "LINK goes to the program and back; XCTL and RETURN leave this transaction.",
    "",
    "With the cursor at an option ENTER shows the whole of its value, which may be typed",
    "over until the command is carried out.",
    "&NAME is a variable: in an option, or as the whole command. PF5 shows them all. A",
    "name typed at NAME= makes a variable of the command, or of a value.",
    "",
    "PF1 help   PF2 hexadecimal   PF3 end   PF4 EXEC interface block   PF5 variables",
    "PF6 the user's screen   PF7 half a page back   PF8 half a page forward",
    "PF9 messages   PF10 a page back   PF11 a page forward",
];

/// The keys, behind the field that stands before them.
const KEYS: &str = "1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF";

/// The content of the screen.
pub(super) struct View<'s> {
    pub text: &'s str,
    pub stage: Stage<'s>,
    pub mistakes: &'s [String],
    pub page: &'s Page,
    /// The bytes of the EXEC interface block.
    pub eib: &'s [u8],
    pub variables: &'s Variables,
    /// The value that is looked at.
    pub value: Option<Value>,
    pub hexadecimal: bool,
    /// Rows that lie above the screen.
    pub above: usize,
    pub message: &'s str,
    pub region: String,
    /// A program's character.
    pub character: &'s dyn Fn(u8) -> char,
}

/// A screen, the places of its options, and how many rows there are in all.
pub(super) struct Drawn {
    pub panel: Panel,
    pub options: Vec<(PanelPlace, OptionId)>,
    pub rows: usize,
}

/// Draws it.
pub(super) fn draw(view: &View<'_>, size: Size) -> Drawn {
    let frame = Frame(size);
    let mut drawn = Drawn { panel: Panel::default(), options: Vec::new(), rows: 0 };
    drawn.panel.entry(COMMAND, frame.command_length(), view.text).cursor(COMMAND);
    match (view.page, &view.value) {
        (Page::Expanded(of), Some(value)) => {
            drawn.rows = expansion::rows_of(value, view.hexadecimal);
            expansion::draw(&mut drawn.panel, of, value, view.hexadecimal, view.above, size);
            // The value has the row of the region's names, too.
            let [_, response_row, keys] = frame.foot();
            let told = if view.message.is_empty() { response(&view.stage) } else { view.message.to_owned() };
            drawn.panel.text((response_row, 3), &told);
            draw_keys(&mut drawn.panel, keys);
            return drawn;
        }
        (Page::Variables, _) => {
            // A page behind the last variable would be of no use.
            drawn.rows = view.variables.all().len() + 1;
            listing::draw(&mut drawn.panel, view.variables, view.above, frame);
        }
        _ => drawn.in_rows(view, frame),
    }
    drawn.foot(view, frame);
    drawn
}

fn draw_keys(panel: &mut Panel, row: u16) {
    panel.entry((row, 2), 2, "PF").text((row, 5), KEYS);
}

impl Drawn {
    fn in_rows(&mut self, view: &View<'_>, frame: Frame) {
        let lines = lines(view);
        self.rows = lines.len();
        self.panel.text((2, 2), "STATUS: ").bright((2, 11), status(view));
        let is_command = *view.page == Page::Command;
        if is_command && !matches!(view.stage, Stage::Choose(_)) {
            self.panel.text((2, 61), "NAME=").entry(NAME, 10, "");
        }
        for (row, line) in (FIRST_ROW..=frame.last_row()).zip(lines.into_iter().skip(view.above)) {
            if let Some(option) = line.option {
                self.options.push(((row, 2), option));
                self.panel.entry((row, 2), 1, "").text((row, 4), &line.text);
            } else {
                self.panel.text((row, 3), &line.text);
            }
        }
    }

    fn foot(&mut self, view: &View<'_>, frame: Frame) {
        let [names, response_row, keys] = frame.foot();
        if view.above > 0 {
            self.panel.text(frame.more_above(), "+");
        }
        if self.rows > view.above + frame.rows() {
            self.panel.text(frame.more_below(), "+");
        }
        let told = Some(view.message).filter(|message| !message.is_empty());
        let told = told.or(view.mistakes.first().map(String::as_str)).unwrap_or_default();
        let told: String = told.chars().take(REGION - 4).collect();
        self.panel
            .bright((names, 3), &told)
            .text((names, REGION as u16), &view.region)
            .text((response_row, 3), &response(&view.stage));
        draw_keys(&mut self.panel, keys);
    }
}

/// The column of the region's names.
const REGION: usize = 52;

/// A row of the screen.
struct Line {
    text: String,
    /// The option whose value it has.
    option: Option<OptionId>,
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self { text, option: None }
    }
}

fn lines(view: &View<'_>) -> Vec<Line> {
    let texts = |texts: Vec<String>| texts.into_iter().map(Line::from).collect();
    let told = || view.mistakes.iter().flat_map(|mistake| wrapped(mistake, WIDTH)).collect();
    match (view.page, &view.stage) {
        (Page::Help, _) => texts(HELP.iter().map(|line| (*line).to_owned()).collect()),
        (Page::Messages, _) if view.mistakes.is_empty() => texts(vec!["THERE ARE NO MESSAGES".to_owned()]),
        (Page::Messages, _) | (_, Stage::Wrong) => texts(told()),
        (Page::Block, _) => {
            let rows = Rows { hexadecimal: view.hexadecimal, character: view.character };
            texts(rows.fields(view.eib))
        }
        (_, Stage::Choose(choices)) => texts(in_columns(choices)),
        (_, Stage::Right(parcel) | Stage::Ready(parcel) | Stage::Answered(parcel, _)) => {
            command(parcel, view)
        }
    }
}

/// Words in as many columns as fit.
fn in_columns(words: &[String]) -> Vec<String> {
    let longest = words.iter().map(String::len).max().unwrap_or(1) + 2;
    let columns = (WIDTH / longest).max(1);
    let row = |row: &[String]| -> String { row.iter().map(|word| format!("{word:<longest$}")).collect() };
    words.chunks(columns).map(|words| row(words).trim_end().to_owned()).collect()
}

/// The command, a row for each option.
fn command(parcel: &Parcel, view: &View<'_>) -> Vec<Line> {
    let mut lines = vec![Line::from(format!("EXEC CICS {}", parcel.command().name))];
    for (option, content) in parcel.contents() {
        let text = format!("{}( {} )", option.name(), value(parcel.command().id, option, &content, view));
        lines.push(Line { text, option: Some(option) });
    }
    lines.extend(parcel.keywords().map(|keyword| Line::from(format!(" {}", keyword.name()))));
    lines
}

/// A value as it is published: text in quotes, a number with its sign and all digits.
fn value(command: CommandId, option: OptionId, content: &Content, view: &View<'_>) -> String {
    let is_cvda = || spec::command(command).options.iter().any(|o| o.id == option && o.kind == Kind::Cvda);
    let cvda = |number: i64| {
        i32::try_from(number).ok().filter(|_| is_cvda()).and_then(|n| spec::cvda_name_in(option, n))
    };
    match content {
        Content::Nothing => String::new(),
        Content::Number(number) => cvda(*number).map_or_else(|| format!("{number:+011}"), str::to_owned),
        Content::Pointer(address) => format!("{address:?}"),
        Content::Bytes(bytes) => {
            let rows = Rows { hexadecimal: view.hexadecimal, character: view.character };
            let room = if view.hexadecimal { VALUE_WIDTH / 2 } else { VALUE_WIDTH };
            let first = rows.bytes(&bytes[..bytes.len().min(room)]).concat();
            let before = if view.hexadecimal { "X" } else { "" };
            let behind = if bytes.len() > room { " ..." } else { "" };
            format!("{before}'{first}'{behind}")
        }
    }
}

fn status(view: &View<'_>) -> &'static str {
    match (view.page, &view.stage) {
        (Page::Help, _) => "GENERAL HELP INFORMATION",
        (Page::Messages, _) => "SYNTAX MESSAGES",
        (Page::Block, _) => "EXEC INTERFACE BLOCK",
        (_, Stage::Choose(_)) => "ENTER ONE OF THE FOLLOWING",
        (_, Stage::Wrong | Stage::Right(_)) => "COMMAND SYNTAX CHECK",
        (_, Stage::Ready(_)) => "ABOUT TO EXECUTE COMMAND",
        (_, Stage::Answered(..)) => "COMMAND EXECUTION COMPLETE",
    }
}

fn response(stage: &Stage<'_>) -> String {
    let all = |word: &str, resp: i64, resp2: i32| {
        format!("RESPONSE: {word:<18} EIBRESP={resp:+011} EIBRESP2={resp2:+011}")
    };
    match stage {
        Stage::Answered(_, Outcome::Response(condition, resp2)) => {
            all(condition.name(), condition.resp().into(), *resp2)
        }
        Stage::Answered(_, Outcome::Abend(code)) => all(&format!("ABEND {code}"), 0, 0),
        Stage::Choose(_) | Stage::Wrong | Stage::Right(_) | Stage::Ready(_) => String::from("RESPONSE:"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use spec::cond;

    use super::*;
    use crate::supplied::panel::tests::check;

    fn shows(text: &str, stage: Stage<'_>, mistakes: &[String], page: &Page, eib: &[u8], expected: Expect) {
        let region = String::from("SYSID=SYNC APPLID=BANK");
        let character: &dyn Fn(u8) -> char = &char::from;
        let variables = Variables::of_terminal("T001");
        let value = match page {
            Page::Expanded(_) => Some(Value::Text(b"VALUE".to_vec())),
            _ => None,
        };
        let view = View {
            text,
            stage,
            mistakes,
            page,
            eib,
            variables: &variables,
            value,
            hexadecimal: false,
            above: 0,
            message: "",
            region,
            character,
        };
        check(&draw(&view, Size::MODEL_2).panel, expected);
    }

    #[test]
    fn a_command_that_is_ready() {
        let text = "READQ TS QUEUE(ABC) ITEM(1)";
        let parcel = Parcel::read(text).expect("a command");
        shows(
            text,
            Stage::Ready(&parcel),
            &[],
            &Page::Command,
            &[],
            expect![[r#"
            | READQ TS QUEUE(ABC) ITEM(1)
            | STATUS:  ABOUT TO EXECUTE COMMAND                          NAME=
            |  EXEC CICS READQ TS
            |   QUEUE( 'ABC' )
            |   ITEM( '1' )
            |   INTO(  )
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |                                                   SYSID=SYNC APPLID=BANK
            |  RESPONSE:
            | PF 1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF
        "#]],
        );
    }

    #[test]
    fn one_that_was_carried_out_shows_the_first_of_a_long_value() {
        let value = "0123456789".repeat(7);
        let text = format!("WRITEQ TS QUEUE(ABC) MAIN FROM({value})");
        let parcel = Parcel::read(&text).expect("a command");
        let outcome = Outcome::Response(cond::INVREQ, 4);
        shows(
            &text,
            Stage::Answered(&parcel, &outcome),
            &[],
            &Page::Command,
            &[],
            expect![[r#"
            | WRITEQ TS QUEUE(ABC) MAIN FROM(01234567890123456789012345678901234567890123456
            | STATUS:  COMMAND EXECUTION COMPLETE                        NAME=
            |  EXEC CICS WRITEQ TS
            |   QUEUE( 'ABC' )
            |   FROM( '012345678901234567890123456789012345678901234567' ... )
            |   MAIN
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |                                                   SYSID=SYNC APPLID=BANK
            |  RESPONSE: INVREQ             EIBRESP=+0000000016 EIBRESP2=+0000000004
            | PF 1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF
        "#]],
        );
    }

    #[test]
    fn mistakes() {
        let text = "READQ TS QUEUE(ABC) COLOUR(RED)";
        let mistakes = Parcel::read(text).expect_err("none");
        shows(
            text,
            Stage::Wrong,
            &mistakes,
            &Page::Command,
            &[],
            expect![[r#"
            | READQ TS QUEUE(ABC) COLOUR(RED)
            | STATUS:  COMMAND SYNTAX CHECK                              NAME=
            |  READQ TS has no option COLOUR.
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |  READQ TS has no option COLOUR.                   SYSID=SYNC APPLID=BANK
            |  RESPONSE:
            | PF 1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF
        "#]],
        );
    }

    #[test]
    fn words_that_may_come_next() {
        let choices = ["DEFINE ACTIVITY", "DEFINE COUNTER", "DEFINE TIMER", "DELETE", "DELETEQ TS"];
        let stage = Stage::Choose(choices.map(str::to_owned).to_vec());
        shows(
            "DE",
            stage,
            &["DE may be DEFINE, DELETE, DELETEQ.".to_owned()],
            &Page::Command,
            &[],
            expect![[r#"
                | DE
                | STATUS:  ENTER ONE OF THE FOLLOWING
                |  DEFINE ACTIVITY  DEFINE COUNTER   DEFINE TIMER     DELETE
                |  DELETEQ TS
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |
                |  DE may be DEFINE, DELETE, DELETEQ.               SYSID=SYNC APPLID=BANK
                |  RESPONSE:
                | PF 1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF
            "#]],
        );
    }

    #[test]
    fn the_exec_interface_block_by_its_table() {
        let mut eib = vec![0; 85];
        eib[..4].copy_from_slice(&[0x01, 0x02, 0x03, 0x4c]);
        eib[8..12].copy_from_slice(b"CECI");
        eib[27..29].copy_from_slice(&[0x0a, 0x04]);
        eib[76..80].copy_from_slice(&27u32.to_be_bytes());
        eib[80..84].copy_from_slice(&80u32.to_be_bytes());
        let text = "ASKTIME";
        let parcel = Parcel::read(text).expect("a command");
        shows(
            text,
            Stage::Ready(&parcel),
            &[],
            &Page::Block,
            &eib,
            expect![[r#"
            | ASKTIME
            | STATUS:  EXEC INTERFACE BLOCK
            |  EIBTIME      = +0102034
            |  EIBDATE      = +0000000
            |  EIBTRNID     = 'CECI'
            |  EIBTASKN     = +0000000
            |  EIBTRMID     = '....'
            |  EIBCPOSN     = +00000
            |  EIBCALEN     = +00000
            |  EIBAID       = X'00'
            |  EIBFN        = X'0A04' (READQ TS)
            |  EIBRCODE     = X'000000000000'
            |  EIBDS        = '........'
            |  EIBREQID     = '........'
            |  EIBRSRCE     = '........'
            |  EIBSYNC      = X'00'
            |  EIBFREE      = X'00'
            |  EIBRECV      = X'00'
            |  EIBFIL01     = X'00'
            |  EIBATT       = X'00'
            | +
            |                                                   SYSID=SYNC APPLID=BANK
            |  RESPONSE:
            | PF 1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF
        "#]],
        );
    }

    #[test]
    fn variables_and_empty_rows_for_more() {
        let parcel = Parcel::read("ASKTIME").expect("a command");
        shows(
            "ASKTIME",
            Stage::Ready(&parcel),
            &[],
            &Page::Variables,
            &[],
            expect![[r#"
            | ASKTIME
            | VARIABLES   LENGTH   DATA
            | &DFHC       +00016   THIS IS A SAMPLE
            | &DFHW       +00037   WRITEQ TS QUEUE('CIT001') FROM(&DFHC)
            | &DFHR       +00036   READQ TS QUEUE('CIT001') INTO(&DFHC)
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |                                                   SYSID=SYNC APPLID=BANK
            |  RESPONSE:
            | PF 1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF
        "#]],
        );
    }

    #[test]
    fn one_value() {
        let parcel = Parcel::read("ASKTIME").expect("a command");
        let page = Page::Expanded(Of::Variable("&V".to_owned()));
        shows(
            "ASKTIME",
            Stage::Ready(&parcel),
            &[],
            &page,
            &[],
            expect![[r#"
            | ASKTIME
            | EXPANSION OF: &V                      LENGTH= +00005
            | VALUE
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |  RESPONSE:
            | PF 1 HELP 2 HEX 3 END 4 EIB 5 VAR 6 USER 7 SBH 8 SFH 9 MSG 10 SB 11 SF
        "#]],
        );
    }
}
