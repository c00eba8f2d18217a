//! Requests whose program is not called from here: it waits for records already. Their server gets the record, and hands back
//! what the program has left.
//!
//! The way of a request through its pipeline is the same as elsewhere (`provider`); it rests where it would call the program.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use binding::{Interface, Operation};
use kernel::channels::{Channel, DataType};
use kernel::name::{Name8, Name16};
use kernel::raise::Abend;
use kernel::region::Region;
use mapping::Mapping;
use parking_lot::Mutex;
use soap::SoapFault;

use crate::configuration::{Configuration, Form};
use crate::pipeline::Pipelines;
use crate::programs::{Errand, Left, Listening, Programs, Switch};
use crate::provider::{Reply, Request, provide};
use crate::statistics::count;
use crate::webservice::{ServiceName, WebService, WebServices};

/// A request that rests while a program has its record.
pub struct Handed {
    work: Mutex<Pin<Box<dyn Future<Output = Reply> + Send>>>,
    desk: Arc<Desk>,
}

/// The outcome of a request's beginning.
pub enum Begun {
    /// A program is to have this record.
    Record(Handed, Vec<u8>),
    /// It is answered: nothing of it is for a program.
    Answered(Reply),
}

/// The place of a record between the pipeline and the side that has the program.
#[derive(Default)]
struct Desk(Mutex<Lies>);

/// The thing that lies there.
#[derive(Default)]
enum Lies {
    #[default]
    Nothing,
    /// The program is to have it.
    Record(Vec<u8>),
    /// The program has left it, or has failed.
    Left(Result<Vec<u8>, Abend>),
}

/// The abend of a pipeline that wants more of its task than one program with a COMMAREA.
const NOT_HERE: &str = "APIA";

/// Begins with a request for a WEBSERVICE.
pub fn begin(region: &Region, name: ServiceName, request: Request) -> Begun {
    let Some(service) = WebServices::of(region).get(name) else { return Begun::Answered(unavailable()) };
    let pipeline = if service.pipeline.is_blank() {
        None
    } else {
        match Pipelines::of(region).get(service.pipeline).filter(|pipeline| pipeline.is_enabled()) {
            Some(pipeline) => Some(pipeline),
            None => return Begun::Answered(unavailable()),
        }
    };
    count(&service.uses);
    if let Some(pipeline) = &pipeline {
        count(&pipeline.uses);
    }
    let desk = Arc::<Desk>::default();
    let mut programs = Elsewhere(Arc::clone(&desk));
    let work = Box::pin(async move {
        match &pipeline {
            Some(pipeline) => provide(&mut programs, &pipeline.configuration, Some(&service), request).await,
            None => provide(&mut programs, &Configuration::plain(Form::Bare), Some(&service), request).await,
        }
    });
    let handed = Handed { work: Mutex::new(work), desk };
    match handed.goes_on() {
        Some(reply) => Begun::Answered(reply),
        None => match handed.desk.take() {
            Lies::Record(record) => Begun::Record(handed, record),
            Lies::Nothing | Lies::Left(_) => Begun::Answered(unavailable()),
        },
    }
}

impl Handed {
    /// The reply, from what the program has left in its record.
    pub fn ends(self, left: Result<Vec<u8>, Abend>) -> Reply {
        *self.desk.0.lock() = Lies::Left(left);
        self.goes_on().unwrap_or_else(|| Reply { backs_out: true, ..unavailable() })
    }

    /// Goes on until the reply is there; `None` where a program is wanted. Nothing else has to be waited for.
    fn goes_on(&self) -> Option<Reply> {
        match self.work.lock().as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(reply) => Some(reply),
            Poll::Pending => None,
        }
    }
}

impl Desk {
    fn take(&self) -> Lies {
        std::mem::take(&mut *self.0.lock())
    }

    /// The record as the program has left it.
    fn left(&self) -> Poll<Result<Vec<u8>, Abend>> {
        let mut lies = self.0.lock();
        match std::mem::take(&mut *lies) {
            Lies::Left(left) => Poll::Ready(left),
            other => {
                *lies = other;
                Poll::Pending
            }
        }
    }
}

/// The reply where there is no such service, or its PIPELINE is not in use.
fn unavailable() -> Reply {
    Reply::of(503, "text/plain", b"the service is not in use".to_vec())
}

/// A program in the hands of another task.
struct Elsewhere(Arc<Desk>);

impl Programs for Elsewhere {
    type Second = ();

    async fn with_commarea(&mut self, _: Name8, commarea: &mut Vec<u8>) -> Result<(), Abend> {
        let length = commarea.len();
        *self.0.0.lock() = Lies::Record(std::mem::take(commarea));
        *commarea = poll_fn(|_| self.0.left()).await?;
        // Bytes that the program has not answered are zeros.
        commarea.resize(length, 0);
        Ok(())
    }

    async fn with_channel(&mut self, _: Name8, _: &Arc<Channel>) -> Result<(), Abend> {
        Err(Abend::from(kernel::raise::AbendCode::from(NOT_HERE)))
    }

    async fn put(&mut self, _: &Channel, _: Name16, _: Vec<u8>, _: DataType) -> Result<(), Abend> {
        Err(Abend::from(kernel::raise::AbendCode::from(NOT_HERE)))
    }

    fn listen_for_faults(&mut self, _: Option<Listening>) -> Option<SoapFault> {
        None
    }

    fn begin_task(&mut self, _: &Switch) -> Result<(), String> {
        Err(String::from("its program runs in no other task"))
    }

    async fn in_task(&mut self, (): &mut (), _: Errand) -> Result<Left, Abend> {
        Err(Abend::from(kernel::raise::AbendCode::from(NOT_HERE)))
    }

    async fn end_task(&mut self, (): (), _: bool) -> Result<(), Abend> {
        Ok(())
    }
}

/// A WEBSERVICE, as far as it can be served so.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The path at which it is served.
    pub path: String,
    /// Bytes of the longest record of its operations.
    pub record: usize,
}

/// Finds out if a WEBSERVICE can be served by a program that waits for records.
///
/// # Errors
/// The reason why it cannot, to stand behind its name.
pub fn fit(region: &Region, name: ServiceName) -> Result<Fit, String> {
    let Some(service) = WebServices::of(region).get(name) else {
        return Err(String::from("is not installed"));
    };
    if let Interface::Channel(_) = service.service.interface {
        return Err(String::from("passes its program a channel, and a waiting program has a record"));
    }
    if !service.pipeline.is_blank() {
        let Some(pipeline) = Pipelines::of(region).get(service.pipeline) else {
            return Err(format!("is of PIPELINE {}, which is not installed", service.pipeline));
        };
        let configuration = &pipeline.configuration;
        let has_programs = !configuration.handlers.is_empty()
            || !configuration.headers.is_empty()
            || configuration.application.is_some()
            || matches!(configuration.form, Form::Program(_));
        if has_programs {
            let why = format!("is of PIPELINE {}, which has handlers: they need a task", service.pipeline);
            return Err(why);
        }
    }
    Ok(Fit { path: service.service.path().to_owned(), record: longest(&service) })
}

fn longest(service: &WebService) -> usize {
    let of = |mapping: &Option<Mapping>| mapping.as_ref().map_or(0, Mapping::length);
    let both = |operation: &Operation| of(&operation.request).max(of(&operation.response));
    service.service.operations.iter().map(both).max().unwrap_or_default()
}
