//! The screen of CECI and CECS: the command, its options with their values, and its outcome.

use spec::Condition;

use crate::supplied::command_rows::Rows;
use crate::supplied::frame::{FIRST_ROW, Frame};
use crate::supplied::panel::{Panel, Place, wrapped};
use kernel::exec::Parcel;

/// The place where a command is typed.
pub(super) const COMMAND: Place = (1, 2);
/// Characters of a row.
const WIDTH: usize = 76;

/// The stage that a command has reached.
pub(super) enum Stage<'s> {
    /// It is not a command.
    Wrong(&'s [String]),
    /// It is a command, and is only checked: CECS.
    Right(&'s Parcel),
    /// ENTER has it carried out.
    Ready(&'s Parcel),
    /// It was carried out.
    Answered(&'s Parcel, Condition, i32),
}

/// A view in place of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// A list of the commands that may be typed, and of the keys.
    Help,
    /// The EXEC interface block.
    Block,
    /// The mistakes of the text.
    Messages,
}

/// The help.
const HELP: &[&str] = &[
    "Type a command as a program has it, without EXEC CICS:",
    "READQ TS QUEUE(ABC) ITEM(1)",
    "",
    "ENTER checks the command and shows it; ENTER again carries it out, and shows what it",
    "has given and its response. What a command fills may be left out.",
    "LINK goes to the program and back; XCTL and RETURN leave this transaction.",
    "",
    "PF1 help   PF2 hexadecimal   PF3 end   PF4 EXEC interface block   PF7 back",
    "PF8 forward   PF9 messages",
];

/// The content of the screen.
pub(super) struct View<'s> {
    pub text: &'s str,
    pub stage: Stage<'s>,
    /// The bytes of the EXEC interface block, where that is looked at.
    pub eib: Option<Vec<u8>>,
    pub hexadecimal: bool,
    /// The view in place of the command.
    pub aside: Option<Aside>,
    /// Rows that lie above the screen.
    pub above: usize,
    pub region: String,
    /// A program's character.
    pub character: &'s dyn Fn(u8) -> char,
}

/// The screen, and how many rows there are.
pub(super) fn draw(view: &View<'_>, frame: Frame) -> (Panel, usize) {
    let rows = Rows { hexadecimal: view.hexadecimal, character: view.character };
    let messages = || match &view.stage {
        Stage::Wrong(mistakes) => mistakes.to_vec(),
        _ => vec![String::from("THERE ARE NO MESSAGES")],
    };
    let lines = match (&view.eib, &view.stage) {
        _ if view.aside == Some(Aside::Help) => HELP.iter().map(|line| (*line).to_owned()).collect(),
        _ if view.aside == Some(Aside::Messages) => {
            messages().iter().flat_map(|message| wrapped(message, WIDTH)).collect()
        }
        (Some(eib), _) => rows.block(eib),
        (None, Stage::Wrong(mistakes)) => {
            mistakes.iter().flat_map(|mistake| wrapped(mistake, WIDTH)).collect()
        }
        (None, Stage::Right(parcel) | Stage::Ready(parcel) | Stage::Answered(parcel, ..)) => {
            rows.command(parcel)
        }
    };
    let mut panel = Panel::default();
    let [names, response_row, keys] = frame.foot();
    panel
        .entry(COMMAND, frame.command_length(), view.text)
        .text((2, 2), "STATUS: ")
        .bright((2, 11), status(view));
    for (row, line) in (FIRST_ROW..=frame.last_row()).zip(lines.iter().skip(view.above)) {
        panel.text((row, 3), line);
    }
    if view.above > 0 {
        panel.text(frame.more_above(), "+");
    }
    if lines.len() > view.above + frame.rows() {
        panel.text(frame.more_below(), "+");
    }
    panel
        .text((names, 52), &view.region)
        .text((response_row, 3), &response(&view.stage))
        .text((keys, 2), "PF 1 HELP   2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD   9 MESSAGES")
        .cursor(COMMAND);
    (panel, lines.len())
}

fn status(view: &View<'_>) -> &'static str {
    match (&view.eib, &view.stage) {
        _ if view.aside == Some(Aside::Help) => "GENERAL HELP INFORMATION",
        _ if view.aside == Some(Aside::Messages) => "SYNTAX MESSAGES",
        (Some(_), _) => "EXEC INTERFACE BLOCK",
        (None, Stage::Wrong(_)) => "NOT A COMMAND TO BE CARRIED OUT",
        (None, Stage::Right(_)) => "SYNTAX IS RIGHT",
        (None, Stage::Ready(_)) => "READY - ENTER CARRIES IT OUT",
        (None, Stage::Answered(..)) => "CARRIED OUT",
    }
}

fn response(stage: &Stage<'_>) -> String {
    match stage {
        Stage::Answered(_, condition, resp2) => {
            format!("RESPONSE: {}   EIBRESP={}   EIBRESP2={resp2}", condition.name(), condition.resp())
        }
        Stage::Wrong(mistakes) => format!("MISTAKES: {}", mistakes.len()),
        Stage::Right(_) | Stage::Ready(_) => String::from("RESPONSE:"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use spec::cond;
    use tn3270::datastream::Size;

    use super::*;
    use crate::supplied::panel::tests::check;

    fn shows(text: &str, stage: Stage<'_>, eib: Option<Vec<u8>>, expected: Expect) {
        let region = String::from("SYSID=SYNC APPLID=BANK");
        let character: &dyn Fn(u8) -> char = &char::from;
        let view = View { text, stage, eib, hexadecimal: false, aside: None, above: 0, region, character };
        check(&draw(&view, Frame(Size::MODEL_2)).0, expected);
    }

    #[test]
    fn a_command_that_is_ready() {
        let text = "READQ TS QUEUE(ABC) ITEM(1)";
        let parcel = Parcel::read(text).expect("a command");
        shows(
            text,
            Stage::Ready(&parcel),
            None,
            expect![[r#"
                | READQ TS QUEUE(ABC) ITEM(1)
                | STATUS:  READY - ENTER CARRIES IT OUT
                |  EXEC CICS READQ TS
                |    QUEUE( ABC )
                |    ITEM( 1 )
                |    INTO(  )
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
                | PF 1 HELP   2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD   9 MESSAGES
            "#]],
        );
    }

    #[test]
    fn one_that_was_carried_out_has_long_values_in_rows() {
        let value = "0123456789".repeat(7);
        let text = format!("WRITEQ TS QUEUE(ABC) MAIN FROM({value})");
        let parcel = Parcel::read(&text).expect("a command");
        shows(
            &text,
            Stage::Answered(&parcel, cond::INVREQ, 4),
            None,
            expect![[r#"
                | WRITEQ TS QUEUE(ABC) MAIN FROM(01234567890123456789012345678901234567890123456
                | STATUS:  CARRIED OUT
                |  EXEC CICS WRITEQ TS
                |    QUEUE( ABC )
                |    FROM( 012345678901234567890123456789012345678901234567
                |          8901234567890123456789 )
                |    MAIN
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
                |  RESPONSE: INVREQ   EIBRESP=16   EIBRESP2=4
                | PF 1 HELP   2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD   9 MESSAGES
            "#]],
        );
    }

    #[test]
    fn mistakes() {
        let text = "READQ TS QUEUE(ABC) COLOUR(RED)";
        let mistakes = Parcel::read(text).expect_err("none");
        shows(
            text,
            Stage::Wrong(&mistakes),
            None,
            expect![[r#"
            | READQ TS QUEUE(ABC) COLOUR(RED)
            | STATUS:  NOT A COMMAND TO BE CARRIED OUT
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
            |                                                   SYSID=SYNC APPLID=BANK
            |  MISTAKES: 1
            | PF 1 HELP   2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD   9 MESSAGES
        "#]],
        );
    }

    #[test]
    fn the_exec_interface_block_by_its_table() {
        let mut eib = vec![0; 85];
        eib[..4].copy_from_slice(&[0x01, 0x02, 0x03, 0x4c]);
        eib[8..12].copy_from_slice(b"CECI");
        eib[80..84].copy_from_slice(&80u32.to_be_bytes());
        let text = "ASKTIME";
        let parcel = Parcel::read(text).expect("a command");
        shows(
            text,
            Stage::Ready(&parcel),
            Some(eib),
            expect![[r#"
            | ASKTIME
            | STATUS:  EXEC INTERFACE BLOCK
            |  EIBTIME   0102034                   EIBDATE   0000000
            |  EIBTRNID  CECI                      EIBTASKN  0000000
            |  EIBTRMID  X'00000000'               EIBCPOSN  0
            |  EIBCALEN  0                         EIBAID    X'00'
            |  EIBFN     X'0000'                   EIBRCODE  X'000000000000'
            |  EIBDS     X'0000000000000000'       EIBREQID  X'0000000000000000'
            |  EIBRSRCE  X'0000000000000000'       EIBSYNC   X'00'
            |  EIBFREE   X'00'                     EIBRECV   X'00'
            |  EIBFIL01  X'00'                     EIBATT    X'00'
            |  EIBEOC    X'00'                     EIBFMH    X'00'
            |  EIBCOMPL  X'00'                     EIBSIG    X'00'
            |  EIBCONF   X'00'                     EIBERR    X'00'
            |  EIBERRCD  X'00000000'               EIBSYNRB  X'00'
            |  EIBNODAT  X'00'                     EIBRESP   0
            |  EIBRESP2  80                        EIBRLDBK  X'00'
            |
            |
            |
            |
            |                                                   SYSID=SYNC APPLID=BANK
            |  RESPONSE:
            | PF 1 HELP   2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD   9 MESSAGES
        "#]],
        );
    }
}
