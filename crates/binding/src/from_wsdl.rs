//! A service from a WSDL 1.1 document: document/literal, with its schemas in it.

mod document;
mod types;

use diagnostics::{Diagnostic, Source};
use mapping::Mapping;

use crate::cobol::{Generated, generate};
use crate::from_openapi::Made;
use crate::items::refused;
use crate::limits::DESCRIPTION_MAX;
use crate::parameters::Parameters;
use crate::service::{Interface, Operation, Service};
use document::Node;
use types::Types;

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const SOAP_11: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
const SOAP_12: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";

/// Makes a service of a document.
///
/// # Errors
/// All parts of it that have no place in records.
pub fn from_wsdl(parameters: &Parameters, source: &Source) -> Result<Made, Vec<Diagnostic>> {
    if source.text.len() > DESCRIPTION_MAX {
        return Err(vec![refused(
            &source.name,
            "the document is too long",
            "describe a part of the service",
        )]);
    }
    let root = Node::read(&source.text)
        .map_err(|fault| vec![refused(&source.name, &fault.to_string(), "mend the document")])?;
    if !root.is(WSDL, "definitions") {
        return Err(vec![refused(
            &source.name,
            "this is no WSDL 1.1 document",
            "convert it to WSDL 1.1 first",
        )]);
    }
    let mut maker = Maker {
        root: &root,
        types: Types::of(&root),
        parameters,
        problems: Vec::new(),
        copybooks: Vec::new(),
    };
    let operations = maker.operations();
    if operations.is_empty() && maker.problems.is_empty() {
        maker.problems.push(refused(&source.name, "it has none of the operations", "look at OPERATIONS"));
    }
    if !maker.problems.is_empty() {
        return Err(maker.problems);
    }
    let service = Service {
        name: root.children(WSDL, "service").next().map_or("Service", |it| it.attribute("name")).to_owned(),
        program: parameters.program.clone(),
        interface: match parameters.channel {
            true => Interface::Channel(parameters.container.clone()),
            false => Interface::Commarea,
        },
        uri: if parameters.uri.is_empty() { maker.location() } else { parameters.uri.clone() },
        namespace: root.attribute("targetNamespace").to_owned(),
        soap: (maker.speaks(SOAP_11), maker.speaks(SOAP_12)),
        operations,
        transaction: parameters.transaction.clone(),
        user: parameters.user.clone(),
    };
    Ok(Made { service, copybooks: maker.copybooks, messages: Vec::new() })
}

struct Maker<'a> {
    root: &'a Node,
    types: Types<'a>,
    parameters: &'a Parameters,
    problems: Vec<Diagnostic>,
    copybooks: Vec<(String, String)>,
}

impl<'a> Maker<'a> {
    /// Bindings over SOAP.
    fn bindings(&self) -> impl Iterator<Item = (&'a Node, &'static str)> {
        let root = self.root;
        [SOAP_11, SOAP_12].into_iter().flat_map(move |soap| {
            root.children(WSDL, "binding")
                .filter(move |it| it.children(soap, "binding").next().is_some())
                .map(move |it| (it, soap))
        })
    }

    fn speaks(&self, soap: &str) -> bool {
        self.bindings().any(|(_, has)| has == soap)
    }

    fn location(&self) -> String {
        let ports = self.root.children(WSDL, "service").flat_map(|service| service.children(WSDL, "port"));
        let addresses = ports.flat_map(|port| {
            [SOAP_11, SOAP_12].into_iter().flat_map(move |soap| port.children(soap, "address"))
        });
        addresses.map(|address| address.attribute("location").to_owned()).next().unwrap_or_default()
    }

    fn operations(&mut self) -> Vec<Operation> {
        let Some((binding, soap)) = self.bindings().next() else {
            self.problems.push(refused(
                "binding",
                "the document has no binding over SOAP",
                "name one of SOAP 1.1 or 1.2",
            ));
            return Vec::new();
        };
        let port_type = types::local(binding.attribute("type"));
        let port_type = self.root.children(WSDL, "portType").find(|it| it.attribute("name") == port_type);
        let mut operations = Vec::new();
        for operation in port_type.into_iter().flat_map(|it| it.children(WSDL, "operation")) {
            let name = operation.attribute("name");
            let wanted = &self.parameters.operations;
            if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
                continue;
            }
            let bound = binding.children(WSDL, "operation").find(|it| it.attribute("name") == name);
            let bound = bound.and_then(|bound| bound.children(soap, "operation").next());
            let styles = [bound, binding.children(soap, "binding").next()];
            if styles.into_iter().flatten().any(|it| it.attribute("style") == "rpc") {
                let problem = refused(name, "the style rpc is not built", "offer it as document/literal");
                self.problems.push(problem);
                continue;
            }
            let request = self.message(operation, "input", name, "request");
            let response = self.message(operation, "output", name, "response");
            operations.push(Operation {
                name: name.to_owned(),
                action: bound.map(|it| it.attribute("soapAction").to_owned()).unwrap_or_default(),
                request,
                response,
                method: "POST".to_owned(),
                path: String::new(),
            });
        }
        operations
    }

    fn message(&mut self, operation: &'a Node, direction: &str, name: &str, what: &str) -> Option<Mapping> {
        let message = types::local(operation.children(WSDL, direction).next()?.attribute("message"));
        let message = self.root.children(WSDL, "message").find(|it| it.attribute("name") == message);
        let parts: Vec<_> = message.into_iter().flat_map(|it| it.children(WSDL, "part")).collect();
        let [part] = parts.as_slice() else {
            let problem = refused(name, "a message has exactly one part", "put its parts into one element");
            self.problems.push(problem);
            return None;
        };
        let (namespace, local) = part.resolve(part.attribute("element"));
        let made = self.types.message(&namespace, &local).map_err(|problem| vec![problem]).and_then(
            |(item, qualified)| {
                generate(&item, &format!("{name}-{what}"), &namespace, qualified, self.parameters)
            },
        );
        match made {
            Ok(Generated { text, mapping }) => {
                self.copybooks.push((format!("{name} {what}"), text));
                Some(mapping)
            }
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }
}
