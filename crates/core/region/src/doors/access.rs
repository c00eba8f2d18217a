//! The private socket in the state folder: data sets for programs outside, and an operator's requests, for the owner of
//! that folder alone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use access::{
    External, ExternalAnswer, ExternalDone, ExternalLink, Failure, Figure, Findable, Gauge, HeldTables,
    Operated, Operation, Operator, Pipe, RegionStatus, Reply, Server,
};
use attachment::OwnTables;
use config::RegionConfig;
use diagnostics::Diagnostic;
use exec_sql::{Attachment, Held};
use intersystem::JobSession;
use intersystem::external::{self, Came};
use kernel::dispatcher::AttachError;
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::security::{Change, User, Users};
use metrics::Value;
use operation::outside::{Ran, Status, operate, run, status};
use pipelines::gateway::{self, Unserved};

use super::{Door, Inside, Step, WithWarnings, operate as watched};
use crate::codes;

/// The door: it reads where programs of other regions' jobs find this region.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let links = config.links.folder.as_ref().map(|folder| root.join(&folder.value));
    Ok((Box::new(Access { server: None, links, found: None }), Vec::new()))
}

/// The socket.
struct Access {
    /// Once it is open.
    server: Option<Server>,
    /// The folder of links.
    links: Option<PathBuf>,
    /// As long as it is open.
    found: Option<Findable>,
}

impl Door for Access {
    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            let operator = Arc::new(Outside::new(inside.region));
            let opened = access::serve(inside.state, Arc::clone(inside.site), Some(operator));
            self.server = Some(opened.map_err(|error| no_socket(inside.state, &error))?);
            if let Some(links) = &self.links {
                let applid = inside.region.options.applid.to_string();
                match access::make_findable(links, &applid, inside.state) {
                    Ok(found) => self.found = Some(found),
                    Err(error) => tracing::warn!(
                        target: "FC",
                        "jobs of other regions do not find {applid} in {}: {error}", links.display()
                    ),
                }
            }
            Ok(())
        })
    }

    /// Sessions end at once: tasks may wait for records that they have locked.
    fn close(&mut self) -> Step<'_> {
        Box::pin(async {
            self.found = None;
            if let Some(server) = &mut self.server {
                server.close().await;
            }
        })
    }

    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(mut server) = self.server.take() {
                server.stop().await;
            }
        })
    }
}

/// Error: the private socket cannot be made.
fn no_socket(state: &Path, error: &std::io::Error) -> Vec<Diagnostic> {
    let message = format!("the region's private socket in {} cannot be made: {error}", state.display());
    vec![
        Diagnostic::error(codes::UNWRITABLE, message)
            .help("mend what it says, or name another folder with --data DIR"),
    ]
}

/// A region that runs, for programs outside of it.
struct Outside {
    region: Weak<Region>,
    started: Instant,
}

impl Outside {
    /// The region, which has just started.
    fn new(region: &Arc<Region>) -> Self {
        Self { region: Arc::downgrade(region), started: Instant::now() }
    }

    async fn answer(&self, operation: Operation) -> Result<Reply, Failure> {
        let region = self.region.upgrade().ok_or_else(|| Failure::Other("the region has ended".into()))?;
        match operation {
            Operation::Status => Ok(Reply::Status(described(status(&region, self.started)))),
            Operation::Figures => Ok(Reply::Figures(figures(&region, self.started))),
            Operation::Cemt { command } => {
                let operated = operate(&region, &command).await.map_err(|why| refused("CEMT", why))?;
                Ok(Reply::Operated { text: operated.text, errors: operated.errors as u64 })
            }
            Operation::Start { transaction, user, data } => {
                let user = known(&region, user)?;
                let ran = run(&region, TransactionName::from(transaction.as_str()), user, data).await;
                let Ran { task, abend } = ran.map_err(|why| refused(&transaction, why))?;
                Ok(Reply::Ran { task, abend: abend.map(|(code, reason)| (code.to_string(), reason)) })
            }
            Operation::External(_) => {
                Err(Failure::Protocol("the external interface has pipes of its own".into()))
            }
            Operation::Service { name, user, media, body } => {
                let user = known(&region, user)?;
                let called = gateway::call(&region, user, &name, media.as_deref(), &body).await;
                let reply = called.map_err(|why| unserved(&name, why))?;
                Ok(Reply::Served { status: reply.status, media: reply.media, body: reply.body })
            }
        }
    }
}

/// The figures of `/metrics`, under names without the prefix of the product; of response times their sum alone.
fn figures(region: &Region, started: Instant) -> Vec<Figure> {
    let mut figures = Vec::new();
    for family in watched::families(region, started) {
        let name = family.name.strip_prefix("syncpoint_").unwrap_or(family.name);
        for sample in family.samples {
            let value = match sample.value {
                Value::Count(number) => number as f64,
                Value::Number(number) | Value::Buckets(_, number) => number,
            };
            let labels = sample.labels.iter().map(|(key, text)| ((*key).to_owned(), text.to_string()));
            figures.push(Figure { name: name.to_owned(), labels: labels.collect(), value });
        }
    }
    figures
}

/// A pipe of a program outside.
struct Outsider {
    region: Weak<Region>,
    /// The job, from its first request on.
    job: OnceLock<JobSession>,
    program: String,
}

impl Pipe for Outsider {
    fn ask(&self, asked: External) -> Operated<'_> {
        Box::pin(async {
            let region =
                self.region.upgrade().ok_or_else(|| Failure::Other("the region has ended".into()))?;
            let job = self.job.get_or_init(|| JobSession::new(&region, &self.program));
            outside(&region, job, asked).await.map(Reply::External)
        })
    }
}

/// A request of a program outside by the external interface.
async fn outside(region: &Arc<Region>, job: &JobSession, asked: External) -> Result<ExternalAnswer, Failure> {
    let link = match asked {
        External::Open { applid } => {
            let (own, wanted) = (region.options.applid, Name8::new(applid));
            return Ok(match wanted.is_blank() || wanted == own {
                true => ExternalAnswer::Opened,
                false => ExternalAnswer::Elsewhere(own.to_string()),
            });
        }
        External::Link(link) => link,
    };
    let ExternalLink { client, user, program, transaction, commarea, channel } = link;
    let client = match known(region, client) {
        Ok(client) => client,
        Err(why) => return Ok(ExternalAnswer::NoMirror(why.to_string())),
    };
    let asked = external::External { client, user, program, transaction, commarea, channel };
    Ok(match external::run(region, job, asked).await {
        Came::Done { condition, resp2, commarea, channel } => {
            ExternalAnswer::Done(ExternalDone { condition, resp2, commarea, channel })
        }
        Came::Abended(code) => ExternalAnswer::Abended(code),
        Came::NotSurrogate => ExternalAnswer::NotSurrogate,
        Came::NoMirror(why) => ExternalAnswer::NoMirror(why),
    })
}

/// A user by name; without a name: the default user.
fn known(region: &Region, user: Option<String>) -> Result<Arc<User>, Failure> {
    let Some(user) = user else { return Ok(Arc::clone(&Users::of(region).default)) };
    let id = user.to_ascii_uppercase();
    let found = Users::of(region).file.user(&id);
    Ok(Arc::new(found.ok_or_else(|| Failure::Other(format!("there is no user {id}")))?))
}

/// Reason why a service has not answered.
fn unserved(name: &str, why: Unserved) -> Failure {
    match why {
        Unserved::Unknown => Failure::Other(format!(
            "there is no service {name}: [services] of region.toml and WEBSERVICE definitions name them"
        )),
        Unserved::NotAttached(why) => refused("CPIH", why),
        Unserved::Abended(code) => {
            Failure::Other(format!("the task of service {name} has ended with abend {code}"))
        }
    }
}

impl Operator for Outside {
    fn operate(&self, operation: Operation) -> Operated<'_> {
        Box::pin(self.answer(operation))
    }

    fn pipe(&self, program: &str) -> Box<dyn Pipe> {
        let (region, program) = (Weak::clone(&self.region), program.to_owned());
        Box::new(Outsider { region, job: OnceLock::new(), program })
    }

    fn hold_tables(&self) -> Result<Option<Box<dyn HeldTables>>, Failure> {
        let region = self.region.upgrade().ok_or_else(|| Failure::Other("the region has ended".into()))?;
        let held = Held::of(&region).map_err(Failure::Other)?;
        Ok(Some(Box::new(Tables(held))))
    }

    fn tables(&self) -> Option<Arc<OwnTables>> {
        Attachment::of(&*self.region.upgrade()?).tables()
    }

    fn key_changed(&self) {
        let Some(region) = self.region.upgrade() else { return };
        Users::of(&region).file.changed(&Change {
            user: User::region().id.to_string(),
            transaction: String::new(),
            command: String::from("KEY ROTATE"),
            resource: String::from("DATA"),
            given: String::new(),
        });
    }
}

/// The tables of the region, held.
struct Tables(Held);

impl HeldTables for Tables {
    fn servers(&self) -> &[String] {
        self.0.servers()
    }

    fn go_on(&self) {
        self.0.go_on();
    }

    fn dump(&self, server: usize, out: Box<dyn Write + Send>) -> Result<(), Failure> {
        self.0.dump(server, out).map_err(Failure::Other)
    }
}

fn refused(transaction: &str, why: AttachError) -> Failure {
    Failure::Other(match why {
        AttachError::Unknown => format!("transaction {transaction} is not defined"),
        AttachError::Remote => {
            format!(
                "transaction {transaction} is defined as one of another system, and input is not routed there"
            )
        }
        AttachError::Disabled => format!("transaction {transaction} is disabled"),
        AttachError::NotAuthorized => {
            format!("the user may not run transaction {transaction}; --user names another one")
        }
        AttachError::QueueFull => {
            format!("transaction {transaction} was not started: too many tasks wait already")
        }
        AttachError::Closing => String::from("the region shuts down: it takes no new tasks"),
        AttachError::TerminalBusy => String::from("the terminal has a task already"),
    })
}

fn described(status: Status) -> RegionStatus {
    let gauge = |name: &str, meaning: &str, grows: bool, value: u64| Gauge {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        grows,
        value,
    };
    RegionStatus {
        gauges: vec![
            gauge("uptime_seconds", "seconds since the region started", true, status.seconds),
            gauge("tasks", "tasks that run or wait for something", false, status.tasks),
            gauge("tasks_queued", "tasks that wait for MXT or their class", false, status.queued),
            gauge("tasks_max", "MXT", false, status.tasks_max),
            gauge("tasks_max_reached", "times that MXT was reached", true, status.tasks_max_reached),
            gauge("tasks_attached", "tasks attached since the start", true, status.attached),
            gauge("tasks_abended", "tasks that ended with an abend", true, status.abends),
            gauge("terminals", "terminals", false, status.terminals),
            gauge("tcbs", "TCBs, QR counted", false, status.tcbs),
            gauge("health", "health, from 0 to 100", false, status.health),
        ],
        applid: status.applid,
        sysid: status.sysid,
        serves: status.serves,
    }
}
