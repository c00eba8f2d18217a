//! Pipeline configuration files, as published: which handlers a message passes, and what stands at the end.

use kernel::name::Name8;
use soap::Level;

use crate::element::{Element, name};
use crate::limits::PROGRAMS_MAX;
use crate::mtom::Mtom;
use crate::policy::{self, Policy};

/// The program that is the mapping of a WEBSERVICE, by its published names.
const MAPPING: [&str; 2] = ["DFHPITP", "DFHPIRT"];
/// The terminal handler for messages in JSON.
const JSON: &str = "DFHPIJT";

/// A configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// True if messages come in; else they go out.
    pub provides: bool,
    /// Form of the messages.
    pub form: Form,
    /// Handlers that a request passes, in its order. A reply passes them backwards.
    pub handlers: Vec<Handler>,
    /// Programs for headers of SOAP.
    pub headers: Vec<HeaderProgram>,
    /// Program that gets the message, if not the mapping of its WEBSERVICE.
    pub application: Option<Name8>,
    /// Text of `service_parameter_list`, as it was written.
    pub parameters: String,
    /// Messages may have attachments.
    pub mtom: Option<Mtom>,
}

/// Forms of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// SOAP; a handler of 1.2 takes 1.1, too.
    Soap(Level),
    /// JSON: an object with one member of the operation's name.
    Json,
    /// JSON, without that: what a gateway serves.
    Bare,
    /// Whatever this terminal handler makes of them.
    Program(Name8),
}

/// A handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Its program.
    pub program: Name8,
    /// Text of `handler_parameter_list`, as it was written.
    pub parameters: String,
}

/// A header-processing program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderProgram {
    /// The program.
    pub program: Name8,
    /// The namespace of its headers.
    pub namespace: String,
    /// Their name; none: all of the namespace.
    pub local: Option<String>,
    /// True if it runs where there is no such header, too.
    pub is_mandatory: bool,
}

impl HeaderProgram {
    /// Returns true if it handles a header of this name.
    pub fn handles(&self, namespace: &str, local: &str) -> bool {
        self.namespace == namespace && self.local.as_deref().is_none_or(|own| own == local)
    }
}

impl Configuration {
    /// A pipeline of nothing but the mapping, for messages of a form.
    pub fn plain(form: Form) -> Self {
        Self {
            provides: true,
            form,
            handlers: Vec::new(),
            headers: Vec::new(),
            application: None,
            parameters: String::new(),
            mtom: None,
        }
    }

    /// Reads a configuration file.
    ///
    /// # Errors
    /// It is wrong, or asks for something that is not built.
    pub fn read(text: &str) -> Result<Self, String> {
        let root = Element::read(text).map_err(|fault| format!("it is not well formed: {fault}"))?;
        let mut read = Self::plain(Form::Program(Name8::BLANK));
        read.provides = match root.name.as_str() {
            "provider_pipeline" => true,
            "requester_pipeline" => false,
            other => return Err(format!("it is a {other}, and no provider_pipeline or requester_pipeline")),
        };
        let (mut transport, mut service) = (Vec::new(), Vec::new());
        for part in &root.parts {
            match part.name.as_str() {
                "service" => service = read.service(part)?,
                "transport" => transport = read.transport(part)?,
                "apphandler" => read.application = Some(part.program()?),
                // A class of Java in whose place the mapping stands.
                "apphandler_class" => {}
                "cics_mtom_handler" | "cics_mtom_handler_java" => {
                    let mtom = Mtom::read(part).map_err(|why| format!("in its {} {why}", part.name))?;
                    read.mtom = Some(mtom);
                }
                "service_parameter_list" => read.parameters.clone_from(&part.raw),
                other => return Err(unknown(other, &root.name)),
            }
        }
        if read.application.is_some_and(|program| MAPPING.iter().any(|own| program == Name8::from(*own))) {
            read.application = None;
        }
        if !read.provides {
            std::mem::swap(&mut transport, &mut service);
        }
        read.handlers = transport.into_iter().chain(service).collect();
        if read.form == Form::Program(Name8::BLANK) {
            return Err(String::from("it has no terminal handler, nor a handler of SOAP"));
        }
        if read.handlers.len() + read.headers.len() > PROGRAMS_MAX {
            return Err(format!("it has more than {PROGRAMS_MAX} handlers"));
        }
        Ok(read)
    }

    /// Handlers of `service`; what stands at the end is noted.
    fn service(&mut self, service: &Element) -> Result<Vec<Handler>, String> {
        let mut handlers = Vec::new();
        for part in &service.parts {
            match part.name.as_str() {
                "service_handler_list" => handlers = self.handlers(part)?,
                "terminal_handler" => {
                    let own = self.handlers(part)?;
                    if let [handler] = own.as_slice() {
                        let is_json = handler.program == Name8::from(JSON);
                        self.form = if is_json { Form::Json } else { Form::Program(handler.program) };
                    }
                }
                other => return Err(unknown(other, &service.name)),
            }
        }
        Ok(handlers)
    }

    /// Handlers of `transport`: those of named resources are for resources that a message does not name here.
    fn transport(&mut self, transport: &Element) -> Result<Vec<Handler>, String> {
        let mut handlers = Vec::new();
        for part in &transport.parts {
            match part.name.as_str() {
                "default_transport_handler_list" | "default_http_transport_handler_list" => {
                    handlers.extend(self.handlers(part)?);
                }
                "default_mq_transport_handler_list" | "default_target" => {}
                "named_transport_entry" => self.named_transport(part)?,
                other => return Err(unknown(other, &transport.name)),
            }
        }
        Ok(handlers)
    }

    /// Handlers for messages that come by a resource of a name: a mistake in them is reported, though no message
    /// names one.
    fn named_transport(&mut self, entry: &Element) -> Result<(), String> {
        let kind = entry.attribute("type");
        if !matches!(kind, "http" | "mq" | "tcpipservice" | "queue") {
            return Err(format!("a named_transport_entry is of type http or mq, not '{kind}'"));
        }
        if entry.part("name").is_none_or(|name| name.text.trim().is_empty()) {
            return Err(String::from("a named_transport_entry has no name"));
        }
        let mut trial = Self::plain(self.form);
        for list in entry.parts.iter().filter(|part| part.name == "transport_handler_list") {
            trial.handlers(list)?;
        }
        Ok(())
    }

    /// A list of handlers.
    fn handlers(&mut self, list: &Element) -> Result<Vec<Handler>, String> {
        let mut handlers = Vec::new();
        for part in &list.parts {
            match part.name.as_str() {
                "handler" => handlers.push(Handler {
                    program: part.program()?,
                    parameters: part
                        .part("handler_parameter_list")
                        .map_or_else(String::new, |it| it.raw.clone()),
                }),
                "cics_soap_1.1_handler" | "cics_soap_1.1_handler_java" => self.soap(part, Level::Soap11)?,
                "cics_soap_1.2_handler" | "cics_soap_1.2_handler_java" => self.soap(part, Level::Soap12)?,
                "cics_json_handler" | "cics_json_handler_java" => self.form = Form::Json,
                "wsse_handler" => {
                    Policy::read(part, self.provides).map_err(|why| format!("in its wsse_handler {why}"))?;
                    handlers.push(Handler {
                        program: Name8::from(policy::PROGRAM),
                        parameters: part.raw.clone(),
                    });
                }
                other => return Err(unknown(other, &list.name)),
            }
        }
        Ok(handlers)
    }

    /// A handler of SOAP, with the programs of headers.
    fn soap(&mut self, handler: &Element, level: Level) -> Result<(), String> {
        self.form = Form::Soap(level);
        for part in handler.parts.iter().filter(|part| part.name == "headerprogram") {
            let text = |name: &str| part.part(name).map_or("", |it| it.text.trim()).to_owned();
            let local = text("localname");
            self.headers.push(HeaderProgram {
                program: name(&text("program_name"))?,
                namespace: text("namespace"),
                local: (local != "*").then_some(local),
                is_mandatory: text("mandatory") == "true",
            });
        }
        Ok(())
    }
}

fn unknown(what: &str, within: &str) -> String {
    format!("{what} is not known in {within}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROVIDER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
        <provider_pipeline xmlns="http://www.ibm.com/software/htp/cics/pipeline">
          <transport><default_http_transport_handler_list>
            <handler><program>FIRST</program><handler_parameter_list/></handler>
          </default_http_transport_handler_list></transport>
          <service>
            <service_handler_list>
              <handler><program>SECOND</program><handler_parameter_list><a b="1">x</a></handler_parameter_list></handler>
            </service_handler_list>
            <terminal_handler><cics_soap_1.2_handler><headerprogram>
              <program_name>HEADS</program_name><namespace>urn:h</namespace><localname>*</localname>
              <mandatory>true</mandatory></headerprogram></cics_soap_1.2_handler></terminal_handler>
          </service>
          <apphandler>DFHPITP</apphandler>
          <service_parameter_list><p>1</p></service_parameter_list>
        </provider_pipeline>"#;

    #[test]
    fn a_provider_has_handlers_headers_and_an_end() {
        let read = Configuration::read(PROVIDER).expect("a configuration");
        assert!(read.provides);
        assert_eq!((read.form, read.application), (Form::Soap(Level::Soap12), None));
        let names: Vec<_> = read.handlers.iter().map(|it| it.program.to_string()).collect();
        assert_eq!(names, ["FIRST", "SECOND"]);
        assert_eq!(read.handlers[1].parameters, "<a b=\"1\">x</a>");
        assert_eq!(read.parameters, "<p>1</p>");
        let [header] = read.headers.as_slice() else { panic!("one program of headers") };
        assert!(header.is_mandatory && header.handles("urn:h", "any") && !header.handles("urn:i", "any"));
    }

    #[test]
    fn json_and_programs_stand_at_the_end_and_requesters_send() {
        let ending = |handler: &str| {
            let text = format!(
                "<provider_pipeline><service><terminal_handler>{handler}</terminal_handler></service></provider_pipeline>"
            );
            Configuration::read(&text).expect("a configuration").form
        };
        let handler = |name: &str| ending(&format!("<handler><program>{name}</program></handler>"));
        assert_eq!(handler("DFHPIJT"), Form::Json);
        assert_eq!(handler("MINE"), Form::Program(Name8::from("MINE")));
        assert_eq!(ending("<cics_soap_1.1_handler/>"), Form::Soap(Level::Soap11));
        let requester = "<requester_pipeline><service><service_handler_list><cics_soap_1.1_handler/>\
                         <handler><program>LOGS</program></handler></service_handler_list></service></requester_pipeline>";
        let read = Configuration::read(requester).expect("a configuration");
        assert!(!read.provides && read.handlers.len() == 1);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, why) in [
            ("<x/>", "it is a x, and no provider_pipeline or requester_pipeline"),
            ("<provider_pipeline/>", "it has no terminal handler, nor a handler of SOAP"),
            ("<provider_pipeline><serv/></provider_pipeline>", "serv is not known in provider_pipeline"),
            (
                "<provider_pipeline><service><service_handler_list><wsse_handler><dfhwsse_configuration><encrypt_body/></dfhwsse_configuration></wsse_handler></service_handler_list></service></provider_pipeline>",
                "in its wsse_handler its encrypt_body is not built: messages are not encrypted",
            ),
            (
                "<provider_pipeline><apphandler>MUCHTOOLONG</apphandler></provider_pipeline>",
                "'MUCHTOOLONG' is no name of a program",
            ),
        ] {
            assert_eq!(Configuration::read(text).expect_err("refused"), why);
        }
        let bomb = "<!DOCTYPE a [<!ENTITY b \"b\">]><provider_pipeline/>";
        assert!(Configuration::read(bomb).expect_err("refused").starts_with("it is not well formed"));
    }

    #[test]
    fn an_entry_of_a_named_resource_is_looked_at() {
        let with = |entry: &str| {
            Configuration::read(&PROVIDER.replace("<transport>", &format!("<transport>{entry}"))).map(|_| ())
        };
        let fine = "<named_transport_entry type=\"http\"><name>SHOP</name><transport_handler_list><handler>\
                    <program>ONE</program></handler></transport_handler_list></named_transport_entry>";
        assert_eq!(with(fine), Ok(()));
        for (from, to, why) in [
            ("type=\"http\"", "type=\"x\"", "a named_transport_entry is of type http or mq, not 'x'"),
            ("<name>SHOP</name>", "", "a named_transport_entry has no name"),
            ("ONE", "MUCHTOOLONG", "'MUCHTOOLONG' is no name of a program"),
        ] {
            assert_eq!(with(&fine.replace(from, to)), Err(why.to_owned()));
        }
    }
}
