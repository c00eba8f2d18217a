//! A request behind handlers: it passes them to the end of the pipeline, and its reply passes them backwards.

use kernel::name::Name8;
use kernel::raise::Abend;

use super::{Reply, Request, failed, finish};
use crate::configuration::{Configuration, Form};
use crate::passage::{
    Containers, Failed, Forth, Left, Mode, PROCESS, Passage, REQUEST, RESPONSE, URI, Wrong,
};
use crate::programs::Programs;
use crate::webservice::WebService;

/// Runs a request through the handlers to the end, and back.
pub(super) async fn run(
    programs: &mut impl Programs,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: Request,
) -> Reply {
    let handlers = pipeline.handlers.as_slice();
    let containers = Containers::new();
    let mut passage = Passage { programs, handlers, containers, mode: Mode::Provider };
    match pass(&mut passage, pipeline, service, request).await {
        Ok(reply) => reply,
        Err(wrong) => {
            let end = if let Form::Program(program) = pipeline.form { program } else { Name8::BLANK };
            failed(pipeline, &passage.fails(wrong, end).await)
        }
    }
}

async fn pass<P: Programs>(
    passage: &mut Passage<'_, P>,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: Request,
) -> Result<Reply, Failed> {
    begin(passage, pipeline, service, &request).await.map_err(|abend| (0, Wrong::from(abend)))?;
    let body = match passage.forth(request.body.clone()).await? {
        Forth::Through(body) => body,
        Forth::Over => return Ok(Reply::nothing()),
        Forth::Turned(at) => return back(passage, at, reply(pipeline, 200)).await,
    };
    let end = passage.handlers.len();
    let reply = match pipeline.form {
        Form::Program(program) => {
            let left = passage.request(program, PROCESS, &[], &body).await;
            match left.map_err(|wrong| (end, wrong))? {
                Left::Response => reply(pipeline, 200),
                Left::Request(_) => return Err((end, Wrong::Missing)),
                Left::Nothing => return Ok(Reply::nothing()),
            }
        }
        _ => {
            let containers = passage.containers.clone();
            let reply = finish(passage.programs, pipeline, service, &request, &body, Some(&containers)).await;
            if reply.body.is_empty() {
                return Ok(reply);
            }
            passage.put(RESPONSE, &reply.body).await.map_err(|wrong| (end, wrong))?;
            passage.containers.remove(REQUEST);
            reply
        }
    };
    back(passage, end, reply).await
}

/// The reply goes back past the handlers before a place.
async fn back<P: Programs>(passage: &mut Passage<'_, P>, from: usize, reply: Reply) -> Result<Reply, Failed> {
    Ok(Reply { body: passage.back(from).await?, ..reply })
}

/// Containers that every handler sees.
async fn begin<P: Programs>(
    passage: &mut Passage<'_, P>,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: &Request,
) -> Result<(), Abend> {
    let name = service.map_or(String::new(), |service| service.name.to_string());
    let shown = [
        (URI, request.uri.as_str()),
        ("DFHWS-WEBSERVICE", &name),
        ("DFHWS-USERID", &request.user),
        ("DFHWS-TRANID", &request.transaction),
        ("DFHWS-SOAPACTION", request.action.as_deref().unwrap_or_default()),
        ("DFH-SERVICEPLIST", &pipeline.parameters),
    ];
    passage.containers.show(passage.programs, &shown).await
}

/// A reply that a program has made, in the form of the pipeline's messages.
fn reply(pipeline: &Configuration, status: u16) -> Reply {
    match pipeline.form {
        Form::Soap(level) => Reply::soap(level, status, Vec::new()),
        Form::Json | Form::Bare => Reply::json(status, Vec::new()),
        Form::Program(_) => Reply {
            status,
            media: String::from("text/xml; charset=UTF-8"),
            body: Vec::new(),
            backs_out: false,
        },
    }
}
