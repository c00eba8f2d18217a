//! The screen of CEDF: the place of a task, the command with its options, its outcome, and the keys.

use tn3270::datastream::Size;

use crate::supplied::panel::{Panel, PanelPlace};

const FIRST_ROW: u16 = 3;
/// Rows of the foot.
const FOOT: u16 = 8;
const REPLY_LENGTH: usize = 8;
/// The places where the conditions of a stop are typed.
pub(super) const STOP_COMMAND: PanelPlace = (5, 26);
pub(super) const STOP_CONDITION: PanelPlace = (7, 26);
const STOP_COMMAND_LENGTH: usize = 30;
const STOP_CONDITION_LENGTH: usize = 12;

/// The places of a screen of a size.
#[derive(Clone, Copy)]
pub(super) struct Places(pub Size);

impl Places {
    /// The number of rows between head and foot.
    pub fn rows(self) -> usize {
        usize::from(self.last_row().saturating_sub(FIRST_ROW) + 1)
    }

    fn last_row(self) -> u16 {
        self.0.rows.saturating_sub(FOOT).max(FIRST_ROW)
    }

    /// The place of a reply.
    pub fn reply(self) -> PanelPlace {
        (self.last_row() + 3, 10)
    }
}

/// The head of all screens of a stop.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub transaction: String,
    pub program: String,
    pub task: u32,
    pub applid: String,
    /// The number of screens of this task before this one.
    pub display: u32,
}

/// The content of the screen.
pub(super) struct View<'v> {
    pub head: &'v Head,
    pub status: &'v str,
    pub rows: &'v [String],
    /// Rows that lie above the screen.
    pub above: usize,
    /// The place of the command in the program.
    pub line: &'v str,
    pub response: &'v str,
    /// The question of a reply, and its answer unless the user types another.
    pub question: Option<(&'v str, &'v str)>,
    /// The content of the two fields of the stop conditions, if these are shown.
    pub stops: Option<(&'v str, &'v str)>,
    /// The effect of ENTER.
    pub enter: &'v str,
}

/// The keys, three in a row.
const KEYS: [&str; 4] = [
    "PF1 : UNDEFINED          PF2 : SWITCH HEX/CHAR    PF3 : END EDF SESSION",
    "PF4 : SUPPRESS DISPLAYS  PF5 : WORKING STORAGE    PF6 : USER DISPLAY",
    "PF7 : SCROLL BACK        PF8 : SCROLL FORWARD     PF9 : STOP CONDITIONS",
    "PF10: PREVIOUS DISPLAY   PF11: EIB DISPLAY        PF12: ABEND USER TASK",
];

/// The screen.
pub(super) fn draw(view: &View<'_>, places: Places) -> Panel {
    let Head { transaction, program, task, applid, display } = view.head;
    let mut panel = Panel::default();
    let head = format!(
        "TRANSACTION: {transaction:<4} PROGRAM: {program:<8} TASK: {task:07} APPLID: {applid:<8} DISPLAY: {display:02}"
    );
    panel.text((1, 2), &head).text((2, 2), "STATUS: ").bright((2, 11), view.status);
    match view.stops {
        Some((command, condition)) => stops(&mut panel, command, condition),
        None => body(&mut panel, view, places),
    }
    let foot = places.last_row() + 1;
    panel.text((foot, 2), view.line).text((foot + 1, 2), view.response);
    let (row, reply) = (foot + 2, places.reply());
    match view.question {
        Some((question, answer)) => {
            panel.text((row, 2), "REPLY:").entry(reply, REPLY_LENGTH, answer).text((row, 20), question);
            panel.cursor(reply);
        }
        None => drop(panel.text((row, 2), "")),
    }
    panel.text((foot + 3, 2), &format!("ENTER:  {}", view.enter));
    for (row, keys) in (foot + 4..).zip(KEYS) {
        panel.text((row, 2), keys);
    }
    panel
}

fn body(panel: &mut Panel, view: &View<'_>, places: Places) {
    let column = places.0.columns.saturating_sub(1);
    for (row, line) in (FIRST_ROW..=places.last_row()).zip(view.rows.iter().skip(view.above)) {
        panel.text((row, 3), line);
    }
    if view.above > 0 {
        panel.text((2, column), "+");
    }
    if view.rows.len() > view.above + places.rows() {
        panel.text((places.last_row() + 1, column), "+");
    }
}

fn stops(panel: &mut Panel, command: &str, condition: &str) {
    panel
        .text((3, 3), "Displays that are suppressed come again at:")
        .text((5, 3), "COMMAND: EXEC CICS")
        .entry(STOP_COMMAND, STOP_COMMAND_LENGTH, command)
        .text((7, 3), "CONDITION:")
        .entry(STOP_CONDITION, STOP_CONDITION_LENGTH, condition)
        .text((7, 40), "ERROR stands for any but NORMAL")
        .text((9, 3), "and at the end of the task, and at its abend.")
        .cursor(STOP_COMMAND);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::supplied::panel::tests::check;

    #[test]
    fn a_command_before_it_is_executed() {
        let rows = ["EXEC CICS READ", "  FILE( ACCT )", "  RIDFLD( 000017 )"].map(String::from);
        let head = Head {
            transaction: String::from("ACCT"),
            program: String::from("ACCTMENU"),
            task: 42,
            applid: String::from("BANK"),
            display: 3,
        };
        let view = View {
            head: &head,
            status: "ABOUT TO EXECUTE COMMAND",
            rows: &rows,
            above: 0,
            line: "LINE: 00017 OF acctmenu.cbl",
            response: "RESPONSE:",
            question: None,
            stops: None,
            enter: "CONTINUE",
        };
        check(
            &draw(&view, Places(Size::MODEL_2)),
            expect![[r#"
                | TRANSACTION: ACCT PROGRAM: ACCTMENU TASK: 0000042 APPLID: BANK     DISPLAY: 03
                | STATUS:  ABOUT TO EXECUTE COMMAND
                |  EXEC CICS READ
                |    FILE( ACCT )
                |    RIDFLD( 000017 )
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
                | LINE: 00017 OF acctmenu.cbl
                | RESPONSE:
                |
                | ENTER:  CONTINUE
                | PF1 : UNDEFINED          PF2 : SWITCH HEX/CHAR    PF3 : END EDF SESSION
                | PF4 : SUPPRESS DISPLAYS  PF5 : WORKING STORAGE    PF6 : USER DISPLAY
                | PF7 : SCROLL BACK        PF8 : SCROLL FORWARD     PF9 : STOP CONDITIONS
                | PF10: PREVIOUS DISPLAY   PF11: EIB DISPLAY        PF12: ABEND USER TASK
            "#]],
        );
    }
}
