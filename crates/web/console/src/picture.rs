//! A screen for a browser: rows of text with their looks, of which only those go out that have changed.

use serde_json::{Value, json};
use tn3270::emulator::Emulator;
use tn3270::screen::{Keyboard, Refused, Screen};

use crate::keys::Modes;
use crate::looks;

/// The screen as the browser has it.
#[derive(Default)]
pub(crate) struct Picture {
    size: (u16, u16),
    rows: Vec<Value>,
    state: Value,
}

impl Picture {
    /// The changes since the last time; `None`: there are none.
    pub fn update(&mut self, emulator: &Emulator, modes: Modes) -> Option<Value> {
        let screen = emulator.screen();
        let size = (screen.size().rows, screen.size().columns);
        let rows = rows(screen);
        if size != self.size {
            self.rows = vec![Value::Null; rows.len()];
            self.size = size;
        }
        let old = self.rows.iter().zip(&rows).enumerate();
        let changed: Vec<Value> =
            old.filter(|(_, (old, new))| old != new).map(|(at, (_, new))| json!([at, new])).collect();
        let state = state(emulator, modes);
        if changed.is_empty() && state == self.state {
            return None;
        }
        (self.rows, self.state) = (rows, state.clone());
        Some(json!({ "rows": size.0, "columns": size.1, "state": state, "changed": changed }))
    }
}

fn state(emulator: &Emulator, modes: Modes) -> Value {
    let screen = emulator.screen();
    json!({
        "cursor": screen.cursor().0,
        "keyboard": keyboard(screen.keyboard()),
        "insert": modes.insert,
        "alarms": screen.alarms(),
        "writes": screen.writes(),
        "lu": emulator.lu(),
        "service": modes.service,
    })
}

/// The word for the state of the keyboard.
fn keyboard(keyboard: Keyboard) -> &'static str {
    match keyboard {
        Keyboard::Unlocked => "free",
        Keyboard::SystemLocked | Keyboard::OperatorError(Refused::SystemLocked) => "system",
        Keyboard::OperatorError(Refused::Protected) => "protected",
        Keyboard::OperatorError(Refused::Numeric) => "numeric",
        Keyboard::OperatorError(Refused::Overflow) => "full",
        Keyboard::OperatorError(Refused::NoSuchCharacter) => "character",
    }
}

/// The rows, each a list of runs: a text and its look.
fn rows(screen: &Screen) -> Vec<Value> {
    let columns = usize::from(screen.size().columns);
    let looks = looks::words(screen);
    let rows = screen.rows();
    rows.iter().zip(looks.chunks(columns)).map(|(text, looks)| row(text, looks)).collect()
}

fn row(text: &str, looks: &[String]) -> Value {
    let characters: Vec<(char, &String)> = text.chars().zip(looks).collect();
    let run = |run: &[(char, &String)]| {
        let text: String = run.iter().map(|(character, _)| character).collect();
        json!([text, run[0].1])
    };
    characters.chunk_by(|a, b| a.1 == b.1).map(run).collect()
}

#[cfg(test)]
mod tests {
    use ebcdic::CodePage;
    use tn3270::datastream::{
        Address, Capabilities, Command, FieldAttribute, Outbound, Size, Visibility, Wcc,
    };

    use super::*;

    fn screen() -> Screen {
        let mut screen = Screen::new(Capabilities::unqueried(Size::MODEL_2), CodePage::Ibm037);
        let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
        stream
            .set_buffer_address(Address(0))
            .start_field(FieldAttribute::default().protected(true).visibility(Visibility::Bright))
            .text(&CodePage::Ibm037.encode("<script>"))
            .start_field(FieldAttribute::default().numeric(true))
            .text(&CodePage::Ibm037.encode("12"))
            .start_field(FieldAttribute::default().visibility(Visibility::Dark))
            .text(&CodePage::Ibm037.encode("SECRET"))
            .start_field(FieldAttribute::default().protected(true));
        screen.apply(&stream.finish()).expect("it is a stream");
        screen
    }

    #[test]
    fn a_row_is_runs_of_text_with_their_looks() {
        let rows = rows(&screen());
        let first = rows[0].to_string();
        assert!(first.starts_with("[[\" \",\"n\"],[\"<script>\",\"nH\"],"), "{first}");
        assert!(first.contains("[\"12\",\"gEN\"]"), "{first}");
        assert!(!first.contains("SECRET"), "what is dark does not go out: {first}");
        assert_eq!(rows.len(), 24);
    }
}
