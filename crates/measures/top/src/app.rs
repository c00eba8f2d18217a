//! The view, its row and its question, as a value: keys change it.

use crate::snapshot::{Between, Snapshot};
use crate::table::Table;
use crate::views::{TASK, TRANSACTION, View, attribute};

/// A key that means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Character(char),
    Up,
    Down,
    PageUp,
    PageDown,
    Enter,
    Next,
    Before,
    Escape,
}

/// The way in which a task is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purge {
    Purge,
    Force,
}

impl Purge {
    fn word(self) -> &'static str {
        match self {
            Self::Purge => "PURGE",
            Self::Force => "FORCEPURGE",
        }
    }
}

/// Something that is to be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Quit,
    /// A command of CEMT whose answer is shown.
    Operate(String),
    /// Another look at once.
    Look,
}

/// Rows by which a page moves.
const PAGE: usize = 20;

/// All that the screen is made of.
#[derive(Default)]
pub(crate) struct App {
    before: Option<Snapshot>,
    now: Option<Snapshot>,
    /// The reason why there is nothing newer.
    pub trouble: Option<String>,
    view: usize,
    /// The row that is chosen.
    pub row: usize,
    /// The tasks' figures stand still.
    pub paused: bool,
    /// An answer of the region, over the table.
    pub answer: Option<String>,
    asks: Option<(Purge, String, String)>,
}

impl App {
    /// The view.
    pub fn view(&self) -> View {
        View::ALL[self.view]
    }

    /// The two moments; `None` before the first look.
    pub fn between(&self) -> Option<Between<'_>> {
        Some(Between { before: self.before.as_ref(), now: self.now.as_ref()? })
    }

    /// The table of the view.
    pub fn table(&self) -> Table {
        self.between().map(|between| self.view().table(&between)).unwrap_or_default()
    }

    /// The region as it is now, or why it does not say.
    pub fn sees(&mut self, seen: Result<Snapshot, String>) {
        match seen {
            Ok(snapshot) => {
                self.before = self.now.replace(snapshot);
                self.trouble = None;
            }
            Err(why) => self.trouble = Some(why),
        }
        self.stays_within();
    }

    fn stays_within(&mut self) {
        self.row = self.row.min(self.table().rows.len().saturating_sub(1));
    }

    /// The question that waits for an answer.
    pub fn question(&self) -> Option<String> {
        let (purge, task, transaction) = self.asks.as_ref()?;
        Some(format!("{} task {task} ({transaction})?  y: yes   any other key: no", purge.word()))
    }

    /// A key is pressed.
    pub fn presses(&mut self, key: Key) -> Option<Wish> {
        if let Some((purge, task, _)) = self.asks.take() {
            let yes = matches!(key, Key::Character('y' | 'Y'));
            return yes.then(|| Wish::Operate(format!("SET TASK({task}) {}", purge.word())));
        }
        if self.answer.take().is_some() {
            return None;
        }
        match key {
            Key::Character('q') | Key::Escape => return Some(Wish::Quit),
            Key::Character(' ') => self.paused = !self.paused,
            Key::Character('r') => return Some(Wish::Look),
            Key::Character('p') => self.asks = self.chosen(Purge::Purge),
            Key::Character('f') => self.asks = self.chosen(Purge::Force),
            Key::Character(digit) => self.turns_to(digit),
            Key::Next => self.moves_view(1),
            Key::Before => self.moves_view(View::ALL.len() - 1),
            Key::Up => self.row = self.row.saturating_sub(1),
            Key::Down => self.row += 1,
            Key::PageUp => self.row = self.row.saturating_sub(PAGE),
            Key::PageDown => self.row += PAGE,
            Key::Enter => return self.details(),
        }
        self.stays_within();
        None
    }

    fn turns_to(&mut self, digit: char) {
        let place = digit.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1));
        if let Some(place) = place.filter(|place| *place < View::ALL.len()) {
            (self.view, self.row) = (place, 0);
        }
    }

    fn moves_view(&mut self, by: usize) {
        (self.view, self.row) = ((self.view + by) % View::ALL.len(), 0);
    }

    /// The task of the row that is chosen, and its transaction.
    fn chosen_task(&self) -> Option<(String, String)> {
        let task = self.now.as_ref().filter(|_| self.view() == View::Tasks)?.tasks.get(self.row)?;
        Some((attribute(task, TASK).to_owned(), attribute(task, TRANSACTION).to_owned()))
    }

    fn chosen(&self, purge: Purge) -> Option<(Purge, String, String)> {
        let (task, transaction) = self.chosen_task()?;
        Some((purge, task, transaction))
    }

    /// More of the resource of the row that is chosen.
    fn details(&self) -> Option<Wish> {
        let kind = match self.view() {
            View::Tasks => "TASK",
            View::Transactions => "TRANSACTION",
            View::Files => "FILE",
            View::Services => "TCPIPSERVICE",
            View::Sql => "DB2ENTRY",
            View::Waits | View::Tcbs => return None,
        };
        let table = self.table();
        let name = table.rows.get(self.row)?.first()?.text();
        Some(Wish::Operate(format!("INQUIRE {kind}({name})")))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::snapshot::Attributes;

    fn with_tasks() -> App {
        let task = |number: &str, transaction: &str| {
            let attributes = [("Task", number), ("Transaction", transaction), ("Runstatus", "Suspended")];
            attributes
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into_iter()
                .collect::<Attributes>()
        };
        let mut app = App::default();
        app.sees(Ok(Snapshot::new(
            Duration::ZERO,
            Vec::new(),
            vec![task("00031", "PAY1"), task("00032", "PAY2")],
        )));
        app
    }

    #[test]
    fn a_purge_needs_a_second_key() {
        let mut app = with_tasks();
        assert_eq!(app.presses(Key::Down), None);
        assert_eq!(app.presses(Key::Character('p')), None);
        assert_eq!(app.question().as_deref(), Some("PURGE task 00032 (PAY2)?  y: yes   any other key: no"));
        assert_eq!(app.presses(Key::Enter), None, "not confirmed");
        assert_eq!(app.question(), None);
        app.presses(Key::Character('f'));
        let wish = Wish::Operate(String::from("SET TASK(00032) FORCEPURGE"));
        assert_eq!(app.presses(Key::Character('y')), Some(wish));
    }

    #[test]
    fn keys_do_not_leave_the_table_and_only_tasks_are_purged() {
        let mut app = with_tasks();
        app.presses(Key::PageDown);
        assert_eq!(app.row, 1);
        assert_eq!(app.presses(Key::Enter), Some(Wish::Operate(String::from("INQUIRE TASK(00032)"))));
        app.presses(Key::Before);
        assert_eq!((app.view(), app.row), (View::Tcbs, 0));
        app.presses(Key::Character('p'));
        assert_eq!(app.question(), None);
        app.presses(Key::Character('9'));
        assert_eq!(app.view(), View::Tcbs, "there is no ninth view");
    }

    #[test]
    fn a_region_that_does_not_answer_is_said_and_the_last_figures_stay() {
        let mut app = with_tasks();
        app.sees(Err(String::from("no region runs")));
        assert_eq!(app.trouble.as_deref(), Some("no region runs"));
        assert_eq!(app.table().rows.len(), 2);
        app.sees(Ok(Snapshot::default()));
        assert_eq!((app.trouble.as_deref(), app.table().rows.len()), (None, 0));
    }
}
