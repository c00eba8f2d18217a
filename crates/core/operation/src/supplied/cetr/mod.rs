//! CETR: the trace of a region: its destinations and flags, the levels of components, and the tracing of transactions and
//! terminals.

mod components;
mod main_page;
mod tasks;

use tn3270::datastream::Aid;

use super::desk::{Desk, Reply};
use super::panel::Panel;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::registry::Manager;

/// Pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    /// Destinations and flags.
    Main,
    /// Levels of components.
    Components,
    /// Tracing of transactions and terminals.
    Tasks,
}

/// CETR: shows the trace and changes it, until PF3 or CLEAR.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let by = Manager::of(task);
        let mut desk = Desk::of(task)?;
        // The input that has begun the task is no key.
        let _ = desk.opening();
        let (mut page, mut said) = (Page::Main, Said::default());
        loop {
            desk.show(&panel(page, &by, &said)).await?;
            let reply = desk.read().await?;
            let before = std::mem::take(&mut said);
            match (reply.aid, page) {
                (Aid::Clear, _) | (Aid::Pf(3 | 15), Page::Main) => break,
                (Aid::Pf(3 | 15), _) => page = Page::Main,
                (Aid::Pf(4 | 16), Page::Main) => page = Page::Components,
                (Aid::Pf(5 | 17), Page::Main) => page = Page::Tasks,
                (Aid::Enter, _) => said = change(page, &by, &reply, before),
                _ => said.message = "THIS KEY HAS NO MEANING HERE".to_owned(),
            }
        }
        desk.say("CETR HAS ENDED").await?;
        Ok(Flow::Return)
    })
}

/// The answer to what was typed.
#[derive(Default)]
struct Said {
    message: String,
    /// The transaction and the terminal that were named.
    named: [String; 2],
}

fn change(page: Page, by: &Manager, reply: &Reply, before: Said) -> Said {
    match page {
        Page::Main => main_page::change(by, reply),
        Page::Components => components::change(by, reply),
        Page::Tasks => tasks::change(by, reply, before),
    }
}

fn panel(page: Page, by: &Manager, said: &Said) -> Panel {
    let (title, keys) = match page {
        Page::Main => {
            ("TRACE CONTROL", "ENTER CHANGE   PF3 END   PF4 COMPONENTS   PF5 TERMINALS AND TRANSACTIONS")
        }
        Page::Components => ("COMPONENT TRACE OPTIONS", "ENTER CHANGE   PF3 BACK"),
        Page::Tasks => ("TRANSACTION AND TERMINAL TRACE", "ENTER CHANGE   PF3 BACK"),
    };
    let mut panel = Panel::default();
    panel
        .text((1, 2), "CETR")
        .text((1, 20), title)
        .text((1, 62), &by.region.options.applid.to_string())
        .bright((23, 2), &said.message)
        .text((24, 2), keys);
    match page {
        Page::Main => main_page::show(&mut panel, by),
        Page::Components => components::show(&mut panel, by),
        Page::Tasks => tasks::show(&mut panel, by, said),
    }
    panel
}

/// The choice that a word means by its first letters.
fn chosen<T: Copy>(word: &str, choices: &[(&str, usize, T)]) -> Option<T> {
    let word = word.to_ascii_uppercase();
    let is = |(name, least, _): &&(&str, usize, T)| word.len() >= *least && name.starts_with(&word);
    choices.iter().find(is).map(|(.., choice)| *choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_needs_as_many_letters_as_tell_it_from_the_others() {
        let choices = [("STARTED", 3, 1), ("STOPPED", 3, 2), ("PAUSED", 1, 3)];
        for (word, expected) in [
            ("sta", Some(1)),
            ("STOP", Some(2)),
            ("P", Some(3)),
            ("ST", None),
            ("STARTEDX", None),
            ("", None),
        ] {
            assert_eq!(chosen(word, &choices), expected, "{word}");
        }
    }
}
