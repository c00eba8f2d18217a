//! CEBR's screen: the user's place, the command, the items, a message and the keys.

use tn3270::datastream::Size;

use crate::supplied::panel::{Panel, PanelPlace};

/// The place of a command.
pub(super) const COMMAND: PanelPlace = (2, 21);
const COMMAND_LENGTH: usize = 58;
const FIRST_ROW: u16 = 3;
/// Rows of the foot: the message and the keys.
const FOOT: u16 = 5;
/// The column of the items, after their numbers.
const ITEM_COLUMN: u16 = 8;

/// The keys.
const KEYS: [&str; 4] = [
    "PF1 : HELP               PF2 : SWITCH HEX/CHAR     PF3 : TERMINATE BROWSE",
    "PF4 : VIEW TOP           PF5 : VIEW BOTTOM         PF6 : REPEAT LAST FIND",
    "PF7 : SCROLL BACK HALF   PF8 : SCROLL FORWARD HALF PF9 : UNDEFINED",
    "PF10: SCROLL BACK FULL   PF11: SCROLL FORWARD FULL PF12: UNDEFINED",
];

/// The help.
const HELP: &[&str] = &[
    "QUEUE name     looks at another queue         TERMINAL name  at that of a terminal",
    "TOP, BOTTOM    to the first, the last item    LINE number    to an item",
    "COLUMN number  from a column on               FIND /text     to the next item with it",
    "PURGE          deletes the queue",
    "GET name       takes the records of a transient data queue",
    "PUT name       copies the items to a transient data queue",
];

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

    /// Characters of an item that a row has.
    fn width(self) -> usize {
        usize::from(self.0.columns.saturating_sub(ITEM_COLUMN))
    }
}

/// A view of a queue.
pub(super) struct View<'v> {
    pub queue: &'v str,
    pub sysid: &'v str,
    pub items: i64,
    /// The items from the head of the screen on.
    pub shown: &'v [Vec<u8>],
    /// The row at the head of the screen: 0 is the line above the first item.
    pub top: i64,
    /// The first column, from 1.
    pub column: usize,
    pub hexadecimal: bool,
    pub help: bool,
    pub message: &'v str,
    /// A program's character.
    pub character: &'v dyn Fn(u8) -> char,
}

/// The screen.
pub(super) fn draw(view: &View<'_>, places: Places) -> Panel {
    let mut panel = Panel::default();
    let widest = view.shown.iter().map(Vec::len).max().unwrap_or(0);
    let head = format!(
        "CEBR  TSQ {:<16} SYSID {:<4} REC {:>5} OF {:>5}    COL {:>5} OF {:>5}",
        view.queue, view.sysid, view.top, view.items, view.column, widest
    );
    panel
        .text((1, 2), &head)
        .text((2, 2), "ENTER COMMAND ===>")
        .entry(COMMAND, COMMAND_LENGTH, "")
        .cursor(COMMAND);
    let rows = if view.help {
        HELP.iter().map(|row| (None, (*row).to_owned())).collect()
    } else {
        rows(view, places)
    };
    for (row, (number, text)) in (FIRST_ROW..=places.last_row()).zip(rows) {
        match number {
            Some(number) => {
                panel.text((row, 2), &format!("{number:05}")).text((row, ITEM_COLUMN), &text);
            }
            None => drop(panel.text((row, 2), &text)),
        }
    }
    panel.bright((places.last_row() + 1, 2), view.message);
    for (row, keys) in (places.last_row() + 2..).zip(KEYS) {
        panel.text((row, 2), keys);
    }
    panel
}

/// The items with their numbers, and the lines above and below them.
fn rows(view: &View<'_>, places: Places) -> Vec<(Option<i64>, String)> {
    let edge = |text: &str| (None, format!("      {text:*^66}"));
    let mut rows = Vec::new();
    if view.top == 0 {
        rows.push(edge("  TOP OF QUEUE  "));
    }
    for (number, item) in (view.top.max(1)..).zip(view.shown) {
        rows.push((Some(number), text(item, view, places.width())));
    }
    if view.top.max(1) + view.shown.len() as i64 > view.items {
        rows.push(edge("  BOTTOM OF QUEUE  "));
    }
    rows
}

/// An item from the first column on, as characters or as hexadecimal digits.
fn text(item: &[u8], view: &View<'_>, width: usize) -> String {
    let seen = item.iter().skip(view.column - 1);
    if view.hexadecimal {
        return seen.take(width / 2).map(|byte| format!("{byte:02X}")).collect();
    }
    let printing = |character: char| if character.is_control() { '.' } else { character };
    seen.take(width).map(|byte| printing((view.character)(*byte))).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::supplied::panel::tests::check;

    #[test]
    fn a_queue_of_two_items() {
        let items = [b"FIRST".to_vec(), b"SE\x00OND".to_vec()];
        let view = View {
            queue: "CEBRT001",
            sysid: "SYNC",
            items: 2,
            shown: &items,
            top: 0,
            column: 1,
            hexadecimal: false,
            help: false,
            message: "",
            character: &char::from,
        };
        check(
            &draw(&view, Places(Size::MODEL_2)),
            expect![[r#"
            | CEBR  TSQ CEBRT001         SYSID SYNC REC     0 OF     2    COL     1 OF     6
            | ENTER COMMAND ===>
            |       *************************  TOP OF QUEUE  *************************
            | 00001 FIRST
            | 00002 SE.OND
            |       ***********************  BOTTOM OF QUEUE  ************************
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
            | PF1 : HELP               PF2 : SWITCH HEX/CHAR     PF3 : TERMINATE BROWSE
            | PF4 : VIEW TOP           PF5 : VIEW BOTTOM         PF6 : REPEAT LAST FIND
            | PF7 : SCROLL BACK HALF   PF8 : SCROLL FORWARD HALF PF9 : UNDEFINED
            | PF10: SCROLL BACK FULL   PF11: SCROLL FORWARD FULL PF12: UNDEFINED
        "#]],
        );
    }
}
