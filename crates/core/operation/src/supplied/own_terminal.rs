//! CEOT: the user's own terminal.

use tn3270::datastream::Aid;

use super::desk::Desk;
use super::panel::Panel;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::terminals::{Terminal, UpperCase};

/// The words that change the terminal, the part of its input that is translated to upper case then, and the word's
/// display.
const WORDS: [(&str, UpperCase, &str); 3] = [
    ("UCTRAN", UpperCase::Yes, "Uct"),
    ("NOUCTRAN", UpperCase::No, "   "),
    ("TRANIDONLY", UpperCase::Transaction, "Tra"),
];
/// Letters that a word needs.
const ABBREVIATION: usize = 2;

/// CEOT: shows the terminal, until PF3 or CLEAR.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let mut desk = Desk::of(task)?;
        let mut text = desk.opening().split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        loop {
            let wrong = obey(&desk.terminal, &text);
            desk.show(&screen(&desk, &wrong)).await?;
            let reply = desk.read().await?;
            if matches!(reply.aid, Aid::Pf(3 | 15) | Aid::Clear) {
                desk.say("STATUS:  SESSION ENDED").await?;
                return Ok(Flow::Return);
            }
            text = reply.at((1, 2)).unwrap_or_default().to_owned();
        }
    })
}

/// Obeys the words; returns a message about a word that is not valid.
fn obey(terminal: &Terminal, text: &str) -> Option<String> {
    let mut wrong = None;
    for word in text.split_whitespace() {
        match meaning(word) {
            Some(upper_case) => terminal.set_upper_case(upper_case),
            None => wrong = Some(format!("E '{word}' is not valid and is ignored.")),
        }
    }
    wrong
}

fn meaning(word: &str) -> Option<UpperCase> {
    let word = word.to_ascii_uppercase();
    let fits = |name: &str| word.len() >= ABBREVIATION && name.starts_with(&word);
    WORDS.iter().find(|(name, ..)| fits(name)).map(|(_, meaning, _)| *meaning)
}

fn screen(desk: &Desk<'_>, wrong: &Option<String>) -> Panel {
    let terminal = &desk.terminal;
    let translation = terminal.upper_case();
    let translated = WORDS.iter().find(|(_, t, _)| *t == translation).map_or("", |(.., shown)| shown);
    let mut panel = Panel::default();
    panel
        .entry((1, 2), 78, "")
        .text((2, 2), "STATUS: ")
        .text((2, 11), "RESULTS")
        .text((3, 3), &format!("Ter({})", terminal.name))
        .text((3, 14), &format!("Tra({})", desk.task.transaction.name))
        .text((3, 25), "Ins")
        .text((3, 29), translated)
        .text((3, 33), &format!("Net({})", terminal.netname))
        .bright((22, 2), wrong.as_deref().unwrap_or_default())
        .text((23, 2), if wrong.is_some() { "RESPONSE: 1 ERROR" } else { "RESPONSE: NORMAL" })
        .text((24, 2), "PF 3 END")
        .cursor((1, 2));
    panel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_be_cut_short() {
        assert_eq!(meaning("UC"), Some(UpperCase::Yes));
        assert_eq!(meaning("nouctran"), Some(UpperCase::No));
        assert_eq!(meaning("TR"), Some(UpperCase::Transaction));
        assert_eq!(meaning("X"), None);
    }
}
