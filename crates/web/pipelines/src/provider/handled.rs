//! A request behind handlers: it passes them to the end of the pipeline, and its reply passes them backwards.

use http::media::MediaType;
use kernel::name::Name8;
use kernel::raise::Abend;
use mapping::encoding;

use super::{Reply, Request, failed, finish};
use crate::characters::without_declaration;
use crate::configuration::{Configuration, Form};
use crate::passage::{
    Containers, Failed, Forth, Left, Mode, PROCESS, Passage, REQUEST, RESPONSE, TRANSACTION, URI, USER, Wrong,
};
use crate::programs::Programs;
use crate::webservice::WebService;

/// Runs a request through the handlers to the end, and back.
pub(super) async fn run(
    programs: &mut impl Programs,
    pipeline: &Configuration,
    service: Option<&WebService>,
    mut request: Request,
) -> Reply {
    if matches!(pipeline.form, Form::Soap(_)) {
        in_utf8(&mut request);
    }
    let handlers = pipeline.handlers.as_slice();
    let containers = Containers::new();
    let mut passage = Passage { programs, handlers, containers, mode: Mode::Provider };
    match pass(&mut passage, pipeline, service, request).await {
        Ok(reply) => reply.saying(passage.containers.said()),
        Err(wrong) => {
            let end = if let Form::Program(program) = pipeline.form { program } else { Name8::BLANK };
            failed(pipeline, &passage.fails(wrong, end).await)
        }
    }
}

/// Containers have UTF-8: a message in other characters is put into these, so that handlers read what the end reads. One that is
/// no text is left for the end to refuse.
fn in_utf8(request: &mut Request) {
    let media = request.media.as_deref().and_then(MediaType::parse);
    let Ok(text) = encoding::text(&request.body, media.as_ref().and_then(MediaType::charset)) else { return };
    if text.as_bytes() == request.body {
        return;
    }
    let body = without_declaration(&text).as_bytes().to_vec();
    request.body = body;
    request.media = Some(String::from("text/xml; charset=UTF-8"));
}

async fn pass<P: Programs>(
    passage: &mut Passage<'_, P>,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: Request,
) -> Result<Reply, Failed> {
    let begun = begin(passage.programs, &passage.containers, pipeline, service, &request).await;
    begun.map_err(|abend| (0, Wrong::from(abend)))?;
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
pub(super) async fn begin(
    programs: &mut impl Programs,
    containers: &Containers,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: &Request,
) -> Result<(), Abend> {
    let name = service.map_or(String::new(), |service| service.name.to_string());
    let shown = [
        (URI, request.uri.as_str()),
        ("DFHWS-WEBSERVICE", &name),
        (USER, &request.user),
        (TRANSACTION, &request.transaction),
        ("DFHWS-SOAPACTION", request.action.as_deref().unwrap_or_default()),
        ("DFH-SERVICEPLIST", &pipeline.parameters),
    ];
    containers.show(programs, &shown).await?;
    match &request.method {
        Some(method) if !matches!(pipeline.form, Form::Soap(_)) => {
            containers.show(programs, &asked(service, request, method)).await
        }
        _ => Ok(()),
    }
}

/// Operation that the method and the address of a request for a JSON service mean.
fn asked<'a>(
    service: Option<&'a WebService>,
    request: &'a Request,
    method: &'a str,
) -> [(&'static str, &'a str); 4] {
    let path = request.path();
    let own = service.map_or("", |it| it.service.path().trim_end_matches('/'));
    let rest = path.strip_prefix(own).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    // At an address that is none of the service's own there is nothing behind that.
    let (before, rest) = rest.map_or((path, ""), |rest| (own, rest.trim_start_matches('/')));
    [
        ("DFHHTTPMETHOD", method),
        ("DFHWS-URIMAPPATH", before),
        ("DFHWS-URI-RESID", rest),
        ("DFHWS-URI-QUERY", request.query()),
    ]
}

/// A reply that a program has made, in the form of the pipeline's messages.
fn reply(pipeline: &Configuration, status: u16) -> Reply {
    match pipeline.form {
        Form::Soap(level) => Reply::soap(level, status, Vec::new()),
        Form::Json | Form::Bare => Reply::json(status, Vec::new()),
        Form::Program(_) => Reply::of(status, "text/xml; charset=UTF-8", Vec::new()),
    }
}
