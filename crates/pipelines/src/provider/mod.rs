//! A provider pipeline: the body of a request becomes a program's record, and what the program leaves the reply.
//!
//! Without handlers this is three steps: read, call, write. Handlers see containers, which are made only for them
//! ([`handled`]).

mod handled;
mod json;
mod soap;
mod target;

use ::soap::Level;
use kernel::raise::Abend;

use crate::configuration::{Configuration, Form};
use crate::passage::Containers;
use crate::programs::Programs;
use crate::webservice::WebService;

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The path, with its query.
    pub uri: String,
    /// Its Content-Type.
    pub media: Option<String>,
    /// Its SOAPAction.
    pub action: Option<String>,
    /// On whose behalf.
    pub user: String,
    /// The transaction that serves.
    pub transaction: String,
    /// Its body.
    pub body: Vec<u8>,
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status of HTTP.
    pub status: u16,
    /// Its Content-Type.
    pub media: String,
    /// Its body.
    pub body: Vec<u8>,
    /// The changes of the program are to be backed out: it has ended abnormally, or nobody hears its answer.
    pub backs_out: bool,
}

/// Media types of replies in JSON.
const JSON: &str = "application/json";

impl Reply {
    fn soap(level: Level, status: u16, body: Vec<u8>) -> Self {
        Self { status, media: level.content_type().to_owned(), body, backs_out: false }
    }

    fn json(status: u16, body: Vec<u8>) -> Self {
        Self { status, media: JSON.to_owned(), body, backs_out: false }
    }

    /// No answer: the message was taken.
    fn nothing() -> Self {
        Self { status: 202, media: String::new(), body: Vec::new(), backs_out: false }
    }

    /// The same, with the changes backed out.
    fn backed_out(self) -> Self {
        Self { backs_out: true, ..self }
    }
}

/// Serves a request. Whatever it is, there is a reply: a fault where it is wrong or the program fails.
pub async fn provide(
    programs: &mut impl Programs,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: Request,
) -> Reply {
    if pipeline.handlers.is_empty() && !matches!(pipeline.form, Form::Program(_)) {
        return finish(programs, pipeline, service, &request, &request.body, None).await;
    }
    handled::run(programs, pipeline, service, request).await
}

/// What stands at the end of a pipeline: a program, or the mapping.
async fn finish(
    programs: &mut impl Programs,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: &Request,
    body: &[u8],
    containers: Option<&Containers>,
) -> Reply {
    match pipeline.form {
        Form::Soap(most) => {
            soap::Soap { pipeline, service, request, most, containers }.serve(programs, body).await
        }
        Form::Json => json::serve(programs, service, request, body, true).await,
        Form::Bare => json::serve(programs, service, request, body, false).await,
        // It stands in the passage.
        Form::Program(_) => Reply::nothing(),
    }
}

/// The reply of a pipeline that cannot go on, in the form of its messages.
fn failed(pipeline: &Configuration, why: &str) -> Reply {
    match pipeline.form {
        Form::Soap(level) => soap::fault(level, &::soap::SoapFault::new(::soap::Code::Receiver, why)),
        _ => Reply::json(500, ::soap::fault::in_json("The pipeline has failed", why)),
    }
    .backed_out()
}

/// What a caller learns of an abend, and the log.
fn abended(program: impl std::fmt::Display, abend: &Abend) -> String {
    tracing::warn!(target: "PI", "DFHPI0504 program {program} of a web service has ended with abend {}", abend.code);
    format!("program {program} has ended with abend {}", abend.code)
}
