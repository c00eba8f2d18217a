//! EZAO: the operator starts and stops listeners.

use std::sync::Arc;

use kernel::dispatcher::{Context, SuppliedProgram, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::TransactionName;
use kernel::region::Region;
use operation::supplied::desk::Desk;

use super::{Listeners, Status};

/// The program of EZAO.
pub struct Operator(pub Arc<Listeners>);

impl SuppliedProgram for Operator {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        let task = context.task();
        Box::pin(async move {
            let region = Arc::clone(&task.region);
            let mut desk = Desk::of(task)?;
            let text = desk.opening().to_ascii_uppercase();
            let answer = self.obey(&region, &text);
            desk.say(&answer).await?;
            Ok(Flow::Return)
        })
    }
}

const HELP: &str =
    "EZAO START or STOP, then CICS for all listeners, or LISTENER(name). EZAO INQUIRE shows them.";

impl Operator {
    fn obey(&self, region: &Arc<Region>, text: &str) -> String {
        let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || ",()".contains(c)).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).skip(1).collect();
        match words.as_slice() {
            ["START" | "STA", "CICS"] => self.all(|name| self.0.start(region, name)),
            ["STOP" | "STO", "CICS"] => self.all(|name| self.0.stop(name)),
            ["START" | "STA", "LISTENER" | "LIS", name] => self.0.start(region, TransactionName::from(*name)),
            ["STOP" | "STO", "LISTENER" | "LIS", name] => self.0.stop(TransactionName::from(*name)),
            ["INQUIRE" | "INQ", ..] => self.all(|name| self.shown(name)),
            _ => HELP.to_owned(),
        }
    }

    fn all(&self, what: impl Fn(TransactionName) -> String) -> String {
        let told: Vec<String> = self.0.names().into_iter().map(what).collect();
        if told.is_empty() { "No listener is defined.".to_owned() } else { told.join(" ") }
    }

    fn shown(&self, name: TransactionName) -> String {
        let Some(state) = self.0.get(name) else { return String::new() };
        match state.status() {
            Status::Running(address) => {
                let waiting = state.counts().waiting.present();
                format!("Listener {name} listens on port {}; {waiting} clients wait.", address.port())
            }
            Status::Stopped => format!("Listener {name} is stopped."),
        }
    }
}
