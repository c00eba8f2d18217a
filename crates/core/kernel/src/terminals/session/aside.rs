//! A screen that is put aside while another transaction shows screens at the terminal and reads keys: CEDF.

use std::collections::VecDeque;

use ebcdic::CodePage;
use tn3270::datastream::{Address, Aid, Capabilities, Inbound};
use tn3270::screen::Screen;

use super::Terminal;
use crate::terminals::fields::Fields;
use crate::terminals::streams::empty_screen;

/// A task's state at its terminal, to be given back as it was.
pub struct Aside {
    fields: Fields,
    first_input: Option<Inbound>,
    inputs: VecDeque<Inbound>,
    last_key: (Aid, Address),
    locked: bool,
}

impl Terminal {
    /// Puts aside what the terminal shows and has sent. What its task has written and the terminal does not have yet is part of
    /// what it shows.
    pub fn put_aside(&self) -> Aside {
        let mut state = self.state.lock();
        Aside {
            fields: std::mem::take(&mut state.fields),
            first_input: state.first_input.take(),
            inputs: std::mem::take(&mut state.inputs),
            last_key: state.last_key,
            locked: state.locked,
        }
    }

    /// The terminal is again as it was when this was put aside; keys that were pressed since come behind those of before.
    /// The bytes that it returns draw the screen once they are sent.
    #[must_use]
    pub fn restore(&self, aside: Aside, code_page: CodePage) -> Vec<u8> {
        let drawn = self.drawn(&aside, code_page);
        let mut state = self.state.lock();
        let mut inputs = aside.inputs;
        inputs.append(&mut state.inputs);
        state.inputs = inputs;
        state.first_input = aside.first_input;
        state.last_key = aside.last_key;
        state.locked = aside.locked;
        drawn
    }

    /// Draws the screen again for a client on whose screen something else was written. A screen that had too long a history
    /// stays as it is.
    pub fn draw_again(&self, code_page: CodePage) {
        let capabilities = self.capabilities();
        let state = self.state.lock();
        let screen = state.fields.screen(capabilities, code_page);
        let stream = screen.map(|screen| screen.redraw(!state.locked));
        drop(state);
        if let Some(stream) = stream {
            // A client that does not read misses no more than this.
            let _ = self.line.try_send(stream);
        }
    }

    /// The stream that draws the screen as it is now, its keyboard free; a screen that had too long a history is empty.
    pub fn drawn_now(&self, code_page: CodePage) -> Vec<u8> {
        let capabilities = self.capabilities();
        let screen = self.state.lock().fields.screen(capabilities, code_page);
        screen.map_or_else(empty_screen, |screen: Screen| screen.redraw(true))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            default_size: self.parts.default_size,
            ..Capabilities::unqueried(self.parts.alternate_size)
        }
    }

    /// The stream that draws it; a screen that had too long a history is empty.
    pub fn drawn(&self, aside: &Aside, code_page: CodePage) -> Vec<u8> {
        let capabilities = self.capabilities();
        let screen = aside.fields.screen(capabilities, code_page);
        screen.map_or_else(empty_screen, |screen: Screen| screen.redraw(!aside.locked))
    }
}
