//! `syncpoint status`, `cemt` and `start`: what a region that runs is asked from outside, over its private socket.

use ebcdic::Characters;
use std::path::PathBuf;
use std::time::Duration;

use access::{Client, Operation, RegionStatus, Reply, Request};
use clap::Args;
use diagnostics::Diagnostic;

use crate::application::{Application, ApplicationFolder, Messages};
use crate::{codes, data_files, operated};

/// A region that has not answered a question about itself for so long is not well.
pub(crate) const STATUS_PATIENCE: Duration = Duration::from_secs(10);
/// Before the names of a region's numbers, where other software's stand beside them.
const METRIC: &str = "syncpoint_";

#[derive(Args)]
pub(crate) struct Status {
    #[command(flatten)]
    application: ApplicationFolder,
    /// As a JSON object
    #[arg(long, conflicts_with = "metrics")]
    json: bool,
    /// As text for Prometheus
    #[arg(long)]
    metrics: bool,
}

#[derive(Args)]
pub(crate) struct Cemt {
    #[command(flatten)]
    place: RegionPlace,
    /// As a JSON object: each resource with its attributes, what was done, and the number of errors
    #[arg(long)]
    json: bool,
    /// The command, as in 'INQUIRE TASK' or 'SET FILE(CUSTOMER) CLOSED'
    #[arg(value_name = "COMMAND", required = true, num_args = 1..)]
    command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Start {
    #[command(flatten)]
    place: RegionPlace,
    /// The transaction
    #[arg(value_name = "TRANSID")]
    transaction: String,
    /// Data that RETRIEVE gives it
    #[arg(value_name = "DATA")]
    data: Option<String>,
    /// On whose behalf it runs; the region's default user if it is left out
    #[arg(long, value_name = "USERID")]
    user: Option<String>,
}

/// The folder of an application, where something stands behind it.
#[derive(Args)]
pub(crate) struct RegionPlace {
    /// The folder that holds region.toml
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Folder of the data, if not the one that region.toml names
    #[arg(long = "data", value_name = "DIR", id = "state")]
    state: Option<PathBuf>,
}

impl RegionPlace {
    pub(crate) fn load(&self) -> Result<Application, Messages> {
        let (folder, data) = (self.folder.clone(), self.state.clone());
        ApplicationFolder { folder, data, settings: Vec::new() }.load()
    }
}

/// Says how the region is. It fails where none runs, or it takes no new tasks: a health check.
pub(crate) fn status(arguments: &Status) -> Result<(), Messages> {
    let application = arguments.application.load()?;
    let reply = ask(&application, "syncpoint status", Operation::Status, Some(STATUS_PATIENCE))?;
    let Reply::Status(status) = reply else { return Ok(()) };
    match (arguments.json, arguments.metrics) {
        (true, _) => println!("{}", as_json(&status)),
        (_, true) => print!("{}", as_metrics(&status)),
        _ => print!("{}", as_text(&status)),
    }
    if status.serves {
        Ok(())
    } else {
        Err(vec![Diagnostic::error(codes::NOT_WELL, "the region shuts down")])
    }
}

/// Carries a command of CEMT out, and fails if any part of it was not done.
pub(crate) fn cemt(arguments: &Cemt) -> Result<(), Messages> {
    let application = arguments.place.load()?;
    let command = arguments.command.join(" ");
    let reply = ask(&application, "syncpoint cemt", Operation::Cemt { command }, None)?;
    let Reply::Operated { text, errors } = reply else { return Ok(()) };
    match arguments.json {
        true => println!("{}", operated::as_json(&text, errors)),
        false => print!("{text}"),
    }
    match errors {
        0 => Ok(()),
        1 => Err(vec![Diagnostic::error(codes::NOT_OPERATED, "the command has one error")]),
        errors => {
            Err(vec![Diagnostic::error(codes::NOT_OPERATED, format!("the command has {errors} errors"))])
        }
    }
}

/// Runs a transaction without a terminal, and fails where that ends with an abend.
pub(crate) fn start(arguments: &Start) -> Result<(), Messages> {
    let application = arguments.place.load()?;
    let Start { transaction, user, data, .. } = arguments;
    let operation = Operation::Start {
        transaction: transaction.clone(),
        user: user.clone(),
        data: data.as_deref().map(|data| Characters::default().bytes(data)),
    };
    match ask(&application, "syncpoint start", operation, None)? {
        Reply::Ran { task, abend: None } => {
            println!("task {task} ({transaction}) has ended normally");
            Ok(())
        }
        Reply::Ran { task, abend: Some((code, reason)) } => {
            let text = format!("task {task} ({transaction}) has ended with abend {code}");
            let help =
                reason.unwrap_or_else(|| format!("the region's log says more; syncpoint explain {code}"));
            Err(vec![Diagnostic::error(codes::ABENDED, text).help(help)])
        }
        _ => Ok(()),
    }
}

/// Asks the region that runs on the state of an application.
pub(crate) fn ask(
    application: &Application,
    name: &str,
    operation: Operation,
    patience: Option<Duration>,
) -> Result<Reply, Messages> {
    let client = Client::of_region(&application.state, name, patience).map_err(data_files::failed)?;
    let Some(mut client) = client else {
        let text = format!("no region runs on {}", application.state.display());
        let help = format!("start one: syncpoint run {}", application.root.display());
        return Err(vec![Diagnostic::error(codes::NO_RUNNING_REGION, text).help(help)]);
    };
    client.ask(Request::Region(operation)).map_err(data_files::failed)
}

fn as_text(status: &RegionStatus) -> String {
    let state = if status.serves { "serves" } else { "shuts down" };
    let mut text = format!("Region {} ({}) {state}.\n", status.applid, status.sysid);
    for gauge in &status.gauges {
        text += &format!("{:>12}  {}\n", gauge.value, gauge.meaning);
    }
    text
}

fn as_json(status: &RegionStatus) -> serde_json::Value {
    let mut object = serde_json::Map::new();
    object.insert("applid".into(), status.applid.clone().into());
    object.insert("sysid".into(), status.sysid.clone().into());
    object.insert("serves".into(), status.serves.into());
    for gauge in &status.gauges {
        object.insert(gauge.name.clone(), gauge.value.into());
    }
    serde_json::Value::Object(object)
}

/// The text format that Prometheus reads, version 0.0.4.
fn as_metrics(status: &RegionStatus) -> String {
    let labels = format!("{{applid=\"{}\",sysid=\"{}\"}}", escaped(&status.applid), escaped(&status.sysid));
    let mut text = String::new();
    let mut metric = |name: &str, meaning: &str, kind: &str, value: u64| {
        text += &format!("# HELP {METRIC}{name} {meaning}\n# TYPE {METRIC}{name} {kind}\n");
        text += &format!("{METRIC}{name}{labels} {value}\n");
    };
    metric("serves", "whether the region takes new tasks", "gauge", status.serves.into());
    for gauge in &status.gauges {
        // What only grows is called a total there.
        let (suffix, kind) = if gauge.grows { ("_total", "counter") } else { ("", "gauge") };
        metric(&format!("{}{suffix}", gauge.name), &gauge.meaning, kind, gauge.value);
    }
    text
}

/// A label's value.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use access::Gauge;

    use super::*;

    #[test]
    fn a_status_is_text_json_and_metrics() {
        let gauge = |name: &str, meaning: &str, grows| Gauge {
            name: name.into(),
            meaning: meaning.into(),
            grows,
            value: 7,
        };
        let status = RegionStatus {
            applid: "BANK".into(),
            sysid: "BNK1".into(),
            serves: true,
            gauges: vec![gauge("tasks", "tasks that run", false), gauge("abends", "tasks that failed", true)],
        };
        assert_eq!(
            as_text(&status),
            "Region BANK (BNK1) serves.\n           7  tasks that run\n           7  tasks that failed\n"
        );
        assert_eq!(
            as_json(&status).to_string(),
            r#"{"applid":"BANK","sysid":"BNK1","serves":true,"tasks":7,"abends":7}"#
        );
        let metrics = as_metrics(&status);
        let labels = r#"{applid="BANK",sysid="BNK1"}"#;
        assert!(metrics.contains(&format!("# TYPE syncpoint_tasks gauge\nsyncpoint_tasks{labels} 7\n")));
        assert!(metrics.contains(&format!("syncpoint_abends_total{labels} 7\n")), "{metrics}");
    }
}
