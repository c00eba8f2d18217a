//! The screen of CECI and CECS: the command, its options with what they have, and how it ended.

use spec::Condition;

use crate::supplied::command_rows::Rows;
use crate::supplied::panel::{Panel, Place, wrapped};
use kernel::exec::Parcel;

/// Where a command is typed.
pub(super) const COMMAND: Place = (1, 2);
const COMMAND_LENGTH: usize = 78;
const FIRST_ROW: u16 = 3;
const LAST_ROW: u16 = 20;
/// Rows between head and foot.
pub(super) const ROWS: usize = (LAST_ROW - FIRST_ROW + 1) as usize;
/// Characters of a row.
const WIDTH: usize = 76;

/// How far a command has come.
pub(super) enum Stage<'s> {
    /// It is none.
    Wrong(&'s [String]),
    /// It is one, and nothing is done with it: CECS.
    Right(&'s Parcel),
    /// ENTER has it carried out.
    Ready(&'s Parcel),
    /// It was carried out.
    Answered(&'s Parcel, Condition, i32),
}

/// What is seen.
pub(super) struct View<'s> {
    pub text: &'s str,
    pub stage: Stage<'s>,
    /// The bytes of the EXEC interface block, where that is looked at.
    pub eib: Option<Vec<u8>>,
    pub hexadecimal: bool,
    /// Rows that lie above the screen.
    pub above: usize,
    pub region: String,
    /// A program's character.
    pub character: &'s dyn Fn(u8) -> char,
}

/// The screen, and how many rows there are.
pub(super) fn draw(view: &View<'_>) -> (Panel, usize) {
    let rows = Rows { hexadecimal: view.hexadecimal, character: view.character };
    let lines = match (&view.eib, &view.stage) {
        (Some(eib), _) => rows.block(eib),
        (None, Stage::Wrong(mistakes)) => {
            mistakes.iter().flat_map(|mistake| wrapped(mistake, WIDTH)).collect()
        }
        (None, Stage::Right(parcel) | Stage::Ready(parcel) | Stage::Answered(parcel, ..)) => {
            rows.command(parcel)
        }
    };
    let mut panel = Panel::default();
    panel.entry(COMMAND, COMMAND_LENGTH, view.text).text((2, 2), "STATUS: ").bright((2, 11), status(view));
    for (row, line) in (FIRST_ROW..=LAST_ROW).zip(lines.iter().skip(view.above)) {
        panel.text((row, 3), line);
    }
    if view.above > 0 {
        panel.text((2, 79), "+");
    }
    if lines.len() > view.above + ROWS {
        panel.text((21, 2), "+");
    }
    panel
        .text((22, 52), &view.region)
        .text((23, 3), &response(&view.stage))
        .text((24, 2), "PF 2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD")
        .cursor(COMMAND);
    (panel, lines.len())
}

fn status(view: &View<'_>) -> &'static str {
    match (&view.eib, &view.stage) {
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

    use super::*;
    use crate::supplied::panel::tests::check;

    fn shows(text: &str, stage: Stage<'_>, eib: Option<Vec<u8>>, expected: Expect) {
        let region = String::from("SYSID=SYNC APPLID=BANK");
        let character: &dyn Fn(u8) -> char = &char::from;
        check(&draw(&View { text, stage, eib, hexadecimal: false, above: 0, region, character }).0, expected);
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
                | PF 2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD
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
                | PF 2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD
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
            | PF 2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD
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
            | PF 2 HEXADECIMAL   3 END   4 EIB   7 BACK   8 FORWARD
        "#]],
        );
    }
}
