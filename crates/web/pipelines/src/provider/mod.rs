//! A provider pipeline: the body of a request becomes a program's record, and what the program leaves the reply.
//!
//! Without handlers this is three steps: read, call, write. Handlers see containers, which are made only for them
//! ([`handled`]).

mod handled;
mod json;
mod soap;
mod target;

use ::soap::Level;
use binding::Interface;
use kernel::raise::Abend;

use crate::configuration::{Configuration, Form};
use crate::mtom;
use crate::passage::{Containers, Said};
use crate::programs::Programs;
use crate::webservice::WebService;

pub use crate::messages::{Reply, Request};

/// The number of the message about a program that has ended with an abend.
const ABENDED: u16 = 504;
/// Media types of replies in JSON.
const JSON: &str = "application/json";

impl Reply {
    /// The same with what programs have said of it. If it backs out, they do not count.
    fn saying(mut self, said: Said) -> Self {
        if self.backs_out {
            return self;
        }
        if let Some((status, phrase)) = said.status {
            (self.status, self.phrase) = (status, phrase);
        }
        if let Some(media) = said.media {
            self.media = media;
        }
        self
    }

    fn soap(level: Level, status: u16, body: Vec<u8>) -> Self {
        Self::of(status, level.content_type(), body)
    }

    fn json(status: u16, body: Vec<u8>) -> Self {
        Self::of(status, JSON, body)
    }

    /// No answer: the message was taken.
    fn nothing() -> Self {
        Self::of(202, "", Vec::new())
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
    let came = request.body.len();
    let reply = answered(programs, pipeline, service, request).await;
    match pipeline.form {
        Form::Soap(_) => programs.has_answered(false, (came, reply.body.len())),
        Form::Json | Form::Bare => programs.has_answered(true, (came, reply.body.len())),
        // It knows alone in which form its messages are.
        Form::Program(_) => {}
    }
    if let Some((number, text)) = &reply.message {
        programs.has_refused(*number, text);
    }
    reply
}

/// The reply to a message that may have parts.
async fn answered(
    programs: &mut impl Programs,
    pipeline: &Configuration,
    service: Option<&WebService>,
    mut request: Request,
) -> Reply {
    let Some(mtom) = &pipeline.mtom else { return provided(programs, pipeline, service, request).await };
    match mtom::unpacked(&mut request.media, &mut request.body) {
        Ok(came) => {
            let reply = provided(programs, pipeline, service, request).await;
            mtom.reply(reply, came, service)
        }
        Err(fault) => refused(pipeline, &fault),
    }
}

/// The reply to a message that has no parts.
async fn provided(
    programs: &mut impl Programs,
    pipeline: &Configuration,
    service: Option<&WebService>,
    request: Request,
) -> Reply {
    if !pipeline.handlers.is_empty() || matches!(pipeline.form, Form::Program(_)) {
        return handled::run(programs, pipeline, service, request).await;
    }
    // Containers cost as much as a small message: they are made where a program can look at them.
    let has_channel = service.is_some_and(|it| matches!(it.service.interface, Interface::Channel(_)));
    if !has_channel && pipeline.headers.is_empty() && pipeline.application.is_none() {
        return finish(programs, pipeline, service, &request, &request.body, None).await;
    }
    let containers = Containers::new();
    match handled::begin(programs, &containers, pipeline, service, &request).await {
        Ok(()) => {
            let reply = finish(programs, pipeline, service, &request, &request.body, Some(&containers)).await;
            reply.saying(containers.said())
        }
        Err(abend) => failed(pipeline, &abended("of the pipeline", &abend)),
    }
}

/// Runs the end of a pipeline: a program, or the mapping.
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
        Form::Json => json::serve(programs, service, request, body, true, containers).await,
        Form::Bare => json::serve(programs, service, request, body, false, containers).await,
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
    .telling(ABENDED, &why)
    .backed_out()
}

/// The reply to a message whose parts are none.
fn refused(pipeline: &Configuration, fault: &mapping::MappingFault) -> Reply {
    tracing::warn!(target: "PI", "DFHPI{} {fault}", fault.kind.message());
    let from = ::soap::fault::Direction::From;
    match pipeline.form {
        Form::Soap(level) => soap::fault(level, &::soap::SoapFault::of_conversion(from, fault)),
        _ => Reply::json(400, ::soap::fault::conversion_in_json(from, fault)),
    }
    .telling(fault.kind.message(), fault)
}

/// Text about an abend for the caller and the log.
fn abended(program: impl std::fmt::Display, abend: &Abend) -> String {
    tracing::warn!(target: "PI", "DFHPI{ABENDED:04} program {program} of a web service has ended with abend {}", abend.code);
    format!("program {program} has ended with abend {}", abend.code)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    use ::soap::SoapFault;
    use binding::{Parameters, from_copybook};
    use diagnostics::Source;
    use kernel::channels::{Channel, DataType};
    use kernel::name::{Name8, Name16};

    use super::*;
    use crate::programs::{Errand, Left, Listening, Switch};
    use crate::webservice;

    /// Programs that leave what they get, and every container that is put for them.
    #[derive(Default)]
    struct Watched {
        containers: Vec<String>,
    }

    impl Programs for Watched {
        type Second = ();

        async fn with_commarea(&mut self, _: Name8, _: &mut Vec<u8>) -> Result<(), Abend> {
            Ok(())
        }

        async fn with_channel(&mut self, _: Name8, _: &Arc<Channel>) -> Result<(), Abend> {
            Ok(())
        }

        async fn put(
            &mut self,
            channel: &Channel,
            name: Name16,
            bytes: Vec<u8>,
            data_type: DataType,
        ) -> Result<(), Abend> {
            channel.put(name, kernel::channels::Bytes::own(&bytes), data_type);
            self.containers.push(name.to_string());
            Ok(())
        }

        fn listen_for_faults(&mut self, _: Option<Listening>) -> Option<SoapFault> {
            None
        }

        fn begin_task(&mut self, _: &Switch) -> Result<(), String> {
            Err(String::from("there are no tasks here"))
        }

        async fn in_task(&mut self, (): &mut (), _: Errand) -> Result<Left, Abend> {
            panic!("there are no tasks here")
        }

        async fn end_task(&mut self, (): (), _: bool) -> Result<(), Abend> {
            Ok(())
        }
    }

    const BODY: &str = "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>\
        <echo xmlns=\"urn:e\"><item>A</item></echo></e:Body></e:Envelope>";

    /// The containers that a request makes in a pipeline, by a program with such an interface.
    fn made(pipeline: &Configuration, interface: &str) -> Vec<String> {
        let options = format!(
            "PGMNAME=ECHO\nPGMINT={interface}\nURI=/echo\nOPERATION-NAME=echo\nREQUEST-NAMESPACE=urn:e\nRESPONSE-NAMESPACE=urn:e\n"
        );
        let (parameters, _) = Parameters::read(&Source::new("options", options));
        let record = Source::new("ECHO.cpy", "       01  ECHO-IN.\n           05  ITEM  PIC X(4).\n");
        let (service, _) = from_copybook(&parameters, &record, &record).expect("a service");
        let service = webservice::of("ECHO", Name8::BLANK, service, "");
        let request = Request { body: BODY.as_bytes().to_vec(), ..Request::default() };
        let mut programs = Watched::default();
        let reply = {
            let mut provided = pin!(provide(&mut programs, pipeline, Some(&service), request));
            match provided.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(reply) => reply,
                Poll::Pending => panic!("nothing here waits"),
            }
        };
        assert!(String::from_utf8_lossy(&reply.body).contains("<item>A</item>"), "{reply:?}");
        programs.containers
    }

    #[test]
    fn containers_are_made_only_where_a_program_can_see_them() {
        let plain = Configuration::plain(Form::Soap(Level::Soap11));
        assert_eq!(made(&plain, "COMMAREA"), Vec::<String>::new());
        assert!(made(&plain, "CHANNEL").iter().any(|name| name.trim() == "DFHWS-DATA"));
        let text = "<provider_pipeline><service><terminal_handler><cics_soap_1.1_handler><headerprogram>\
                    <program_name>HEADS</program_name><namespace>urn:h</namespace><localname>*</localname>\
                    <mandatory>false</mandatory></headerprogram></cics_soap_1.1_handler></terminal_handler></service>\
                    </provider_pipeline>";
        let watched = Configuration::read(text).expect("a pipeline");
        assert!(made(&watched, "COMMAREA").iter().any(|name| name.trim() == "DFHFUNCTION"));
    }
}
