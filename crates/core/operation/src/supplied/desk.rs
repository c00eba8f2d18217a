//! A supplied program at its terminal.

use std::sync::Arc;

use spec::cond;
use tn3270::datastream::{Address, Aid, Command, Inbound, Input, Size};

use super::panel::{Panel, PanelPlace};
use domains::commands::terminals::receive_input;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};
use kernel::terminals::Terminal;

/// A task and the terminal it talks to.
pub struct Desk<'t> {
    /// The task.
    pub task: &'t mut Task,
    /// Its terminal.
    pub terminal: Arc<Terminal>,
    /// Its screens have the terminal's whole size, not the default one.
    whole: bool,
}

/// The user's input.
pub(super) struct Reply {
    /// The key.
    pub aid: Aid,
    /// The cursor's position.
    pub cursor: PanelPlace,
    fields: Vec<(PanelPlace, String)>,
}

impl Reply {
    /// The text typed into the field of a place; `None` if nothing was typed.
    pub fn at(&self, place: PanelPlace) -> Option<&str> {
        self.typed(place).map(str::trim)
    }

    /// The same with the blanks around it.
    pub fn typed(&self, place: PanelPlace) -> Option<&str> {
        self.fields.iter().find(|(at, _)| *at == place).map(|(_, text)| text.as_str())
    }
}

impl<'t> Desk<'t> {
    /// The desk of a task.
    ///
    /// # Errors
    /// NOTALLOC for a task without a terminal.
    pub fn of(task: &'t mut Task) -> Outcome<Self> {
        let terminal = task.terminal().cloned().ok_or_else(|| cond::NOTALLOC.raise(0))?;
        Ok(Self { task, terminal, whole: false })
    }

    /// The same, with screens of the terminal's whole size: for those that have much to show.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn whole(task: &'t mut Task) -> Outcome<Self> {
        Ok(Self { whole: true, ..Self::of(task)? })
    }

    /// The desk of a task at any terminal, with screens of its whole size.
    pub(super) fn at(task: &'t mut Task, terminal: Arc<Terminal>) -> Self {
        Self { task, terminal, whole: true }
    }

    /// The text with which the transaction was called, its own name first; empty if it was started otherwise.
    pub fn opening(&mut self) -> String {
        if let Some(message) = self.task.take_input_message() {
            return self.characters(&message);
        }
        match self.terminal.take_input().map(|input| input.input) {
            Some(Input::Unformatted { data, .. }) => self.decoded(&data),
            Some(Input::Fields { fields, .. }) => {
                let texts: Vec<String> = fields.iter().map(|field| self.decoded(&field.data)).collect();
                texts.join(" ")
            }
            Some(Input::None | Input::Structured(_)) | None => String::new(),
        }
    }

    /// The size of its screens.
    pub fn size(&self) -> Size {
        let parts = &self.terminal.parts;
        if self.whole { parts.alternate_size } else { parts.default_size }
    }

    /// Shows a screen.
    ///
    /// # Errors
    /// The abend of a task whose terminal is gone, or that was purged.
    pub(super) async fn show(&self, panel: &Panel) -> Outcome {
        self.send(panel, self.size()).await
    }

    async fn send(&self, panel: &Panel, size: Size) -> Outcome {
        let command = match size == self.terminal.parts.default_size {
            true => Command::EraseWrite,
            false => Command::EraseWriteAlternate,
        };
        let stream = panel.stream(command, size, self.task.region.options.terminal_code_page);
        let sent = self.task.wait(WaitKind::TERMINAL, self.terminal.send(stream)).await?;
        if sent { Ok(()) } else { Err(Raise::abend("ATNI")) }
    }

    /// Clears the screen, which has its default size then, and says one thing.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub async fn say(&self, text: &str) -> Outcome {
        let size = self.terminal.parts.default_size;
        self.send(&Panel::message(text, size), size).await
    }

    /// Waits for the user's next input.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub(super) async fn read(&mut self) -> Outcome<Reply> {
        let terminal = Arc::clone(&self.terminal);
        let input = receive_input(self.task, &terminal).await?;
        Ok(self.reply(&input))
    }

    /// The key that the user presses next; the task gets nothing of this input.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub(super) async fn key(&mut self) -> Outcome<Reply> {
        let input = self.task.wait(WaitKind::TERMINAL, self.terminal.wait_input()).await?;
        let input = input.ok_or_else(|| Raise::abend("ATNI"))?;
        Ok(self.reply(&input))
    }

    /// Shows a screen that was drawn before, until a key is pressed.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub(super) async fn show_drawn(&mut self, drawn: Vec<u8>) -> Outcome {
        self.task.wait(WaitKind::TERMINAL, self.terminal.send(drawn)).await?;
        self.key().await.map(drop)
    }

    fn reply(&self, input: &Inbound) -> Reply {
        let columns = self.size().columns;
        let place = |at: Address| (at.0 / columns + 1, at.0 % columns + 1);
        let fields = match &input.input {
            Input::Fields { fields, .. } => {
                fields.iter().map(|field| (place(field.address), self.decoded(&field.data))).collect()
            }
            Input::Unformatted { .. } | Input::None | Input::Structured(_) => Vec::new(),
        };
        Reply { aid: input.aid, cursor: place(input.cursor().unwrap_or_default()), fields }
    }

    fn decoded(&self, data: &[u8]) -> String {
        self.characters(&self.task.region.options.terminal_code_page.to_program(data))
    }

    fn characters(&self, program: &[u8]) -> String {
        program.iter().map(|byte| self.task.region.options.terminal_code_page.character(*byte)).collect()
    }
}
