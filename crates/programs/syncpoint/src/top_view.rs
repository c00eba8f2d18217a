//! `syncpoint top`: a region that runs, asked over its private socket again and again.

use std::io::IsTerminal;
use std::time::Duration;

use access::{Client, Operation, Reply, Request};
use clap::Args;
use diagnostics::Diagnostic;
use serde_json::Value;
use top::{Attributes, Figure, Source};

use crate::application::{Application, Messages};
use crate::region_command::{RegionPlace, STATUS_PATIENCE};
use crate::{codes, operated};

/// Seconds between two looks, at most.
const INTERVAL_MAX: u64 = 3_600;
/// The words of CEMT's lists for the attributes of a task; one that stands alone is its state.
const LISTED: [(&str, &str); 8] = [
    ("Tas", "Task"),
    ("Tra", "Transaction"),
    ("Fac", "Facility"),
    ("Use", "Userid"),
    ("Hty", "Suspendtype"),
    ("Hva", "Suspendvalue"),
    ("Hol", "Owner"),
    ("Runstatus", "Runstatus"),
];

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    place: RegionPlace,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=INTERVAL_MAX))]
    interval: u64,
    /// Print all views once, with the rates of one interval, and end
    #[arg(long)]
    once: bool,
}

/// Shows the region until the user ends it.
pub(crate) fn show(arguments: &Arguments) -> Result<(), Messages> {
    let application = arguments.place.load()?;
    let mut region = Asked { application: &application, client: None };
    let interval = Duration::from_secs(arguments.interval);
    let refused = |why: String| vec![Diagnostic::error(codes::NO_RUNNING_REGION, why)];
    if arguments.once {
        print!("{}", top::once(&mut region, interval).map_err(refused)?);
        return Ok(());
    }
    if !std::io::stdout().is_terminal() {
        let text = "standard output is no terminal";
        return Err(vec![
            Diagnostic::error(codes::NO_TERMINAL, text).help("`--once` prints all views as text"),
        ]);
    }
    // Where no region runs there is nothing to see.
    region.look().map_err(refused)?;
    top::run(&mut region, interval).map_err(|error| refused(format!("the terminal: {error}")))
}

/// The region of an application, on a connection that is made again when it is lost.
struct Asked<'a> {
    application: &'a Application,
    client: Option<Client>,
}

impl Asked<'_> {
    fn ask(&mut self, operation: Operation) -> Result<Reply, String> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => {
                let state = &self.application.state;
                let client = Client::of_region(state, "syncpoint top", Some(STATUS_PATIENCE));
                let client = client.map_err(|error| error.to_string())?;
                client.ok_or_else(|| format!("no region runs on {}", state.display()))?
            }
        };
        let reply = client.ask(Request::Region(operation)).map_err(|error| error.to_string())?;
        self.client = Some(client);
        Ok(reply)
    }
}

impl Source for Asked<'_> {
    fn look(&mut self) -> Result<(Vec<Figure>, Vec<Attributes>), String> {
        let Reply::Figures(figures) = self.ask(Operation::Figures)? else { return Err(unexpected()) };
        let figure = |access::Figure { name, labels, value }| Figure { name, labels, value };
        let text = self.operate("INQUIRE TASK")?;
        Ok((figures.into_iter().map(figure).collect(), tasks(&text)))
    }

    fn operate(&mut self, command: &str) -> Result<String, String> {
        match self.ask(Operation::Cemt { command: command.to_owned() })? {
            Reply::Operated { text, .. } => Ok(text),
            _ => Err(unexpected()),
        }
    }
}

fn unexpected() -> String {
    String::from("the region answers something else than was asked")
}

/// The tasks of an answer of INQUIRE TASK, but for those that carry out commands from outside, as the one that has answered.
fn tasks(text: &str) -> Vec<Attributes> {
    let answer = operated::as_json(text, 0);
    let resources = answer["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
    let tasks = resources.iter().filter_map(Value::as_object).map(|resource| {
        let mut task = Attributes::new();
        for (name, value) in resource {
            let long = LISTED.iter().find(|(short, _)| short == name).map_or(name.as_str(), |(_, long)| long);
            match value {
                Value::String(text) => task.insert(long.to_owned(), text.clone()),
                _ => task.insert(String::from("Runstatus"), name.clone()),
            };
        }
        task
    });
    let is = |task: &Attributes, name: &str, value: &str| task.get(name).is_some_and(|own| own == value);
    tasks.filter(|task| !(is(task, "Transaction", "CEMT") && is(task, "Facility", ""))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_a_list_and_a_task_alone_have_the_same_attributes() {
        let listed = tasks(
            "Tas(00031) Tra(PAY1) Fac(T001) Sus Use(ANNA) Hty(ENQUEUE)\nTas(00032) Tra(PAY2) Run\nTas(00033) Tra(CEMT) Fac() Run Use(OPER)\nTas(00034) Tra(CEMT) Fac(T002) Run\n",
        );
        let alone = tasks("Task(00031)\n  Transaction(PAY1)\n  Runstatus(Suspended)\n");
        let of = |task: &Attributes, name: &str| task.get(name).cloned().unwrap_or_default();
        let transactions: Vec<_> = listed.iter().map(|task| of(task, "Transaction")).collect();
        assert_eq!(transactions, ["PAY1", "PAY2", "CEMT"], "an operator at a terminal is shown");
        assert_eq!(
            (of(&listed[0], "Runstatus"), of(&listed[0], "Suspendtype")),
            ("Sus".into(), "ENQUEUE".into())
        );
        assert_eq!((of(&alone[0], "Task"), of(&alone[0], "Runstatus")), ("00031".into(), "Suspended".into()));
    }
}
