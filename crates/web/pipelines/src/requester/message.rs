//! Messages of a requester: SOAP of a version, or JSON.

use http::media::MediaType;
use kernel::dispatcher::Context;
use kernel::meters::Figure;
use kernel::notices::Notices;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use mapping::xml::Way;
use mapping::{Filled, MappingFault, encoding, json, xml};
use soap::addressing::Addressing;
use soap::envelope::{self, Problem};
use soap::{Envelope, Level, SoapFault};
use spec::cond;

use binding::Operation;

use super::conversion;
use crate::addressing::{self, Of};
use crate::configuration;
use crate::invocation::Invocation;
use crate::passage::Containers;
use crate::resp2;
use crate::transport::Incoming;

/// Forms of messages.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Soap(Level),
    /// Without the operation's name round it: as servers of others want it.
    Json,
}

/// Answers of a server.
pub(super) enum Answer {
    Nothing,
    Record(Filled),
    /// A fault, as it was written.
    Fault(Vec<u8>),
}

/// Level in DFHWS-SOAPLEVEL of what is no SOAP.
const NO_SOAP: i32 = 10;
const JSON: &str = "application/json";

impl Form {
    /// That of a pipeline's messages. One for SOAP 1.2 sends 1.1 to a service that is bound to nothing else.
    pub fn of(invocation: &Invocation) -> Self {
        match invocation.pipeline.configuration.form {
            configuration::Form::Soap(Level::Soap12) if invocation.service.service.soap != (true, false) => {
                Self::Soap(Level::Soap12)
            }
            configuration::Form::Soap(_) => Self::Soap(Level::Soap11),
            _ => Self::Json,
        }
    }

    pub fn number(self) -> i32 {
        match self {
            Self::Soap(level) => level.number(),
            Self::Json => NO_SOAP,
        }
    }

    /// The Content-Type of its messages.
    pub fn media(self) -> &'static str {
        match self {
            Self::Soap(level) => level.content_type(),
            Self::Json => JSON,
        }
    }

    /// Content-Type and SOAPAction of a request.
    pub fn envelope_of(self, action: &str) -> (String, Option<String>) {
        let media = self.media().to_owned();
        match self {
            Self::Soap(Level::Soap11) => (media, Some(format!("\"{action}\""))),
            Self::Soap(Level::Soap12) if !action.is_empty() => {
                (format!("{media}; action=\"{action}\""), None)
            }
            _ => (media, None),
        }
    }

    /// Runs the programs of headers that a request always passes: the headers that they make.
    pub async fn headers(
        self,
        context: &mut Context<'_>,
        invocation: &Invocation,
        containers: &Containers,
    ) -> Outcome<Vec<u8>> {
        let mut made = Vec::new();
        for program in invocation
            .pipeline
            .configuration
            .headers
            .iter()
            .filter(|it| it.is_mandatory && !addressing::is_ours(it.program))
        {
            made.extend(header(context, containers, "SEND-REQUEST", program.program, "").await?);
        }
        Ok(made)
    }

    /// A record as a message.
    pub fn write(
        self,
        operation: &Operation,
        record: &[u8],
        apart: &dyn Fn(&str) -> Option<Vec<u8>>,
        headers: &[u8],
    ) -> Result<Vec<u8>, MappingFault> {
        let mut message = Vec::new();
        match (self, &operation.request) {
            (Self::Soap(level), Some(mapping)) => {
                envelope::write(
                    level,
                    headers,
                    |into| xml::write_apart(mapping, record, apart, into),
                    &mut message,
                )?;
            }
            (Self::Json, Some(mapping)) => json::write_apart(mapping, record, apart, false, &mut message)?,
            (_, None) => {}
        }
        Ok(message)
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// INVREQ: it is no message, or not that of the operation.
    pub async fn read(
        self,
        context: &mut Context<'_>,
        invocation: &Invocation,
        containers: &Containers,
        incoming: &Incoming,
    ) -> Outcome<Answer> {
        let is_well = (200..300).contains(&incoming.status);
        if incoming.body.is_empty() && is_well && invocation.operation().response.is_none() {
            return Ok(Answer::Nothing);
        }
        match self {
            Self::Json if is_well => {
                let Some(mapping) = &invocation.operation().response else { return Ok(Answer::Nothing) };
                let record = json::read_apart(mapping, &incoming.body, false);
                record.map(Answer::Record).map_err(|fault| conversion(invocation, &fault))
            }
            Self::Json => Ok(Answer::Fault(incoming.body.clone())),
            Self::Soap(level) => soap(context, invocation, containers, incoming, level).await,
        }
    }
}

/// Runs a program of headers.
async fn header(
    context: &mut Context<'_>,
    containers: &Containers,
    function: &str,
    program: kernel::name::Name8,
    header: &str,
) -> Outcome<Vec<u8>> {
    let run = async {
        containers.function(context, function).await?;
        containers.header(context, program, header).await
    };
    run.await.map_err(|abend: kernel::raise::Abend| {
        tracing::warn!(target: "PI", "DFHPI0504 header program {program} has ended with abend {}", abend.code);
        cond::INVREQ.raise(resp2::PIPELINE)
    })
}

/// Reads an envelope.
async fn soap(
    context: &mut Context<'_>,
    invocation: &Invocation,
    containers: &Containers,
    incoming: &Incoming,
    level: Level,
) -> Outcome<Answer> {
    let media = incoming.media.as_deref().and_then(MediaType::parse);
    let wrong = |fault: &MappingFault| conversion(invocation, fault);
    let text = encoding::text(&incoming.body, media.as_ref().and_then(MediaType::charset));
    let text = text.map_err(|fault| refused(invocation, incoming, &fault.to_string()))?;
    let envelope = match Envelope::read(&text) {
        Ok(envelope) if envelope.level == level => envelope,
        Ok(_) => return Err(refused(invocation, incoming, "the envelope is of another version of SOAP")),
        Err(Problem::VersionMismatch(namespace)) => {
            return Err(refused(invocation, incoming, &format!("the envelope is of {namespace}")));
        }
        Err(Problem::Malformed(fault)) => return Err(refused(invocation, incoming, &fault.to_string())),
    };
    headers(context, invocation, containers, &envelope).await?;
    if let Some(fault) = SoapFault::read(&envelope).map_err(|fault| wrong(&fault))? {
        context.adds(Figure::SoapFaultsReceived, 1);
        let reason = fault.reason.escape_debug();
        let by = &context.control;
        Notices::message(&context.region, Some(by), "DFHPI1010", &[&by.transaction.name, &reason]);
        tracing::warn!(target: "PI", "DFHPI1010 WEBSERVICE {}: the server answers by a fault: {reason}", invocation.service.name);
        let payload = envelope.payload.as_ref().map(|payload| payload.alone());
        let raw = payload.transpose().map_err(|fault| wrong(&fault))?.unwrap_or_default();
        return Ok(Answer::Fault(raw.into_bytes()));
    }
    let (Some(mut payload), Some(mapping)) = (envelope.payload, &invocation.operation().response) else {
        return Ok(Answer::Nothing);
    };
    let start = payload.start.clone();
    let record = xml::read_content(mapping, &mut payload.reader, &start, Way::Quick)
        .and_then(|record| payload.finish().map(|()| record));
    record.map(Answer::Record).map_err(|fault| wrong(&fault))
}

/// Runs the programs of an answer's headers. A header that must be understood and that no program handles is refused.
async fn headers(
    context: &mut Context<'_>,
    invocation: &Invocation,
    containers: &Containers,
    envelope: &Envelope<'_>,
) -> Outcome {
    let programs = &invocation.pipeline.configuration.headers;
    let handles = |program: &configuration::HeaderProgram, header: &envelope::Header<'_>| {
        program.handles(header.start.namespace.as_deref().unwrap_or_default(), header.start.local)
    };
    let missed = envelope.not_understood(|header| programs.iter().any(|program| handles(program, header)));
    if let Some(missed) = missed.first() {
        let why = format!("header {} must be understood, and no program handles it", missed.start.local);
        let fault = MappingFault::new(mapping::FaultKind::UndefinedElement, why);
        return Err(conversion(invocation, &fault));
    }
    if addressing::is_addressed(&invocation.pipeline.configuration)
        && let Some(channel) = &context.level().channel
        && let Some(said) = Addressing::read(envelope).map_err(|fault| conversion(invocation, &fault))?
    {
        addressing::save(channel, Of::Response, &said);
    }
    for program in programs.iter().filter(|it| !addressing::is_ours(it.program)) {
        let own = envelope.headers.iter().filter(|header| handles(program, header));
        let mut raw: Vec<&str> = own.map(|header| header.raw).collect();
        if raw.is_empty() && program.is_mandatory {
            raw.push("");
        }
        for text in raw {
            header(context, containers, "RECEIVE-RESPONSE", program.program, text).await?;
        }
    }
    Ok(())
}

/// An answer that is no message, and the log.
fn refused(invocation: &Invocation, incoming: &Incoming, why: &str) -> Raise {
    let (name, status) = (invocation.service.name, incoming.status);
    tracing::warn!(target: "PI", "WEBSERVICE {name}: the server answers {status}, and no message: {why}");
    let is_well = (200..300).contains(&status);
    cond::INVREQ.raise(if is_well { resp2::CONVERSION } else { resp2::TRANSPORT })
}
