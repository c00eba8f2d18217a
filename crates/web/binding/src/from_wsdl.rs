//! A service from a WSDL 1.1 document, or from a schema, with the documents that it imports.

mod document;
mod simple;
mod types;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};
use mapping::Mapping;

use crate::cobol::{Generated, generate};
use crate::from_openapi::Made;
use crate::items::refused;
use crate::limits::DESCRIPTION_MAX;
use crate::parameters::Parameters;
use crate::service::{Operation, Service};
use document::Node;
use types::{Message, Types};

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const XS: &str = "http://www.w3.org/2001/XMLSchema";
const SOAP_11: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
const SOAP_12: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";

/// Returns the locations of the documents that a document imports or includes, as written.
///
/// # Errors
/// A document that is no XML.
pub fn imports(source: &Arc<Source>) -> Result<Vec<String>, Vec<Diagnostic>> {
    let root = read(source)?;
    let mut locations = Vec::new();
    collect(&root, &mut locations);
    Ok(locations)
}

fn collect(node: &Node, into: &mut Vec<String>) {
    let is_import = (node.is(WSDL, "import") || node.is(XS, "import"))
        || node.is(XS, "include")
        || node.is(XS, "redefine");
    if is_import {
        let location = match node.attribute("schemaLocation") {
            "" => node.attribute("location"),
            location => location,
        };
        if !location.is_empty() && !into.iter().any(|known| known == location) {
            into.push(location.to_owned());
        }
    }
    node.all().iter().for_each(|child| collect(child, into));
}

fn read(source: &Arc<Source>) -> Result<Node, Vec<Diagnostic>> {
    if source.text.len() > DESCRIPTION_MAX {
        return Err(vec![refused(
            &source.name,
            "the document is too long",
            "describe a part of the service",
        )]);
    }
    Node::read(source).map_err(|fault| vec![refused(&source.name, &fault.to_string(), "mend the document")])
}

/// Makes a service of a document and of those that it imports.
///
/// # Errors
/// All parts of it that have no place in records.
pub fn from_wsdl(
    parameters: &Parameters,
    source: &Arc<Source>,
    imported: &[Arc<Source>],
) -> Result<Made, Vec<Diagnostic>> {
    let documents = documents(source, imported)?;
    let root = &documents[0];
    if !root.is(WSDL, "definitions") {
        return Err(vec![refused(
            &source.name,
            "this is no WSDL 1.1 document",
            "convert it to WSDL 1.1 first",
        )]);
    }
    let mut maker = Maker {
        documents: &documents,
        types: Types::of(&documents, parameters.fraction),
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
        name: maker.services().next().map_or("Service", |it| it.attribute("name")).to_owned(),
        uri: if parameters.uri.is_empty() { maker.location() } else { parameters.uri.clone() },
        namespace: root.attribute("targetNamespace").to_owned(),
        soap: (maker.speaks(SOAP_11), maker.speaks(SOAP_12)),
        operations,
        original: imported.is_empty().then(|| source.text.as_str().into()),
        ..Service::of(parameters)
    };
    Ok(Made { service, copybooks: maker.copybooks, messages: Vec::new() })
}

/// Makes a transformer of a schema: an operation without an answer for each of its global elements.
///
/// # Errors
/// All parts of it that have no place in records.
pub fn from_schema(
    parameters: &Parameters,
    source: &Arc<Source>,
    imported: &[Arc<Source>],
) -> Result<Made, Vec<Diagnostic>> {
    let documents = documents(source, imported)?;
    let root = &documents[0];
    if !root.is(XS, "schema") {
        return Err(vec![refused(&source.name, "this is no XML schema", "name a schema by SCHEMA")]);
    }
    let types = Types::of(&documents, parameters.fraction);
    let own = root.attribute("targetNamespace");
    let (mut operations, mut copybooks, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (namespace, element) in types.elements().filter(|(namespace, _)| *namespace == own) {
        let name = element.attribute("name");
        let wanted = &parameters.elements;
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        match types.message(namespace, name).map_err(|problem| vec![problem]).and_then(|message| {
            let Message { item, root_type, qualified, others } = message;
            let made = generate(&item, name, (namespace, &others), qualified, parameters)?;
            Ok(Generated { mapping: made.mapping.of_type(root_type), ..made })
        }) {
            Ok(Generated { text, mapping }) => {
                copybooks.push((format!("{name} request"), text));
                operations.push(Operation::of_request(name, mapping));
            }
            Err(more) => problems.extend(more),
        }
    }
    if operations.is_empty() && problems.is_empty() {
        problems.push(refused(&source.name, "it declares none of the elements", "look at ELEMENTS"));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let service = Service { namespace: own.to_owned(), operations, ..Service::of(parameters) };
    Ok(Made { service, copybooks, messages: Vec::new() })
}

fn documents(source: &Arc<Source>, imported: &[Arc<Source>]) -> Result<Vec<Node>, Vec<Diagnostic>> {
    std::iter::once(source).chain(imported).map(read).collect()
}

struct Maker<'a> {
    documents: &'a [Node],
    types: Types<'a>,
    parameters: &'a Parameters,
    problems: Vec<Diagnostic>,
    copybooks: Vec<(String, String)>,
}

impl<'a> Maker<'a> {
    /// Elements of a name in all documents.
    fn all(&self, local: &'static str) -> impl Iterator<Item = &'a Node> {
        self.documents.iter().flat_map(move |document| document.children(WSDL, local))
    }

    fn named(&self, kind: &'static str, name: &str) -> Option<&'a Node> {
        let name = types::local(name);
        self.all(kind).find(|it| it.attribute("name") == name)
    }

    /// Services, or the one that WSDL-SERVICE names.
    fn services(&self) -> impl Iterator<Item = &'a Node> {
        let wanted = self.parameters.wsdl_service.as_deref();
        self.all("service").filter(move |it| wanted.is_none_or(|wanted| it.attribute("name") == wanted))
    }

    /// Bindings over SOAP, or the one that BINDING names; of a service that is named, its own.
    fn bindings(&self) -> impl Iterator<Item = (&'a Node, &'static str)> {
        let of_service: Option<Vec<&str>> = self.parameters.wsdl_service.as_ref().map(|_| {
            let ports = self.services().flat_map(|service| service.children(WSDL, "port"));
            ports.map(|port| types::local(port.attribute("binding"))).collect()
        });
        let wanted = self.parameters.binding.as_deref();
        let is_wanted = move |binding: &&Node| {
            let name = binding.attribute("name");
            wanted.is_none_or(|wanted| name == wanted)
                && of_service.as_ref().is_none_or(|own| own.contains(&name))
        };
        let all: Vec<&Node> = self.all("binding").filter(is_wanted).collect();
        [SOAP_11, SOAP_12].into_iter().flat_map(move |soap| {
            let spoken: Vec<_> = all
                .iter()
                .filter(|it| it.children(soap, "binding").next().is_some())
                .map(|it| (*it, soap))
                .collect();
            spoken
        })
    }

    fn speaks(&self, soap: &str) -> bool {
        self.bindings().any(|(_, has)| has == soap)
    }

    fn location(&self) -> String {
        let bindings: Vec<&str> = self.bindings().map(|(binding, _)| binding.attribute("name")).collect();
        let ports = self.services().flat_map(|service| service.children(WSDL, "port"));
        let own = ports.filter(|port| bindings.contains(&types::local(port.attribute("binding"))));
        let addresses = own.flat_map(|port| {
            [SOAP_11, SOAP_12].into_iter().flat_map(move |soap| port.children(soap, "address"))
        });
        addresses.map(|address| address.attribute("location").to_owned()).next().unwrap_or_default()
    }

    fn operations(&mut self) -> Vec<Operation> {
        let Some((binding, soap)) = self.bindings().next() else {
            let wanted = self.parameters.binding.as_deref().or(self.parameters.wsdl_service.as_deref());
            self.problems.push(refused(
                wanted.unwrap_or("binding"),
                "the document has no such binding over SOAP",
                "name one of SOAP 1.1 or 1.2",
            ));
            return Vec::new();
        };
        let port_type = self.named("portType", binding.attribute("type"));
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
            let style =
                styles.into_iter().flatten().map(|it| it.attribute("style")).find(|it| !it.is_empty());
            let of = Of { operation, name, soap, binding, is_call: style == Some("rpc") };
            let request = self.message(&of, "input", "request");
            let response = self.message(&of, "output", "response");
            operations.push(Operation {
                name: name.to_owned(),
                action: bound.map(|it| it.attribute("soapAction").to_owned()).unwrap_or_default(),
                request,
                response,
                method: "POST".to_owned(),
                further: Vec::new(),
                path: String::new(),
            });
        }
        operations
    }

    fn message(&mut self, of: &Of<'a>, direction: &'static str, what: &str) -> Option<Mapping> {
        let named = of.operation.children(WSDL, direction).next()?;
        let message = self.named("message", named.attribute("message"));
        let body = of.body(direction);
        let parts = parts(message, body);
        let made = self
            .read_message(of, named, &parts, body, direction)
            .map_err(|problem| vec![problem])
            .and_then(|(Message { item, root_type, qualified, others }, namespace)| {
                let record = format!("{}-{what}", of.name);
                let made = generate(&item, &record, (&namespace, &others), qualified, self.parameters)?;
                Ok(Generated { mapping: made.mapping.of_type(root_type), ..made })
            });
        match made {
            Ok(Generated { text, mapping }) => {
                self.copybooks.push((format!("{} {what}", of.name), text));
                Some(mapping)
            }
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    /// A message as items, and its namespace.
    fn read_message(
        &self,
        of: &Of<'a>,
        at: &Node,
        parts: &[&'a Node],
        body: Option<&Node>,
        direction: &str,
    ) -> Result<(Message, String), Diagnostic> {
        if body.is_some_and(|body| body.attribute("use") == "encoded") {
            return Err(at.refused(of.name, "encoded messages are not built", "offer it as literal"));
        }
        if of.is_call {
            let namespace = body.map(|body| body.attribute("namespace")).unwrap_or_default();
            let name = if direction == "input" { of.name.to_owned() } else { format!("{}Response", of.name) };
            return Ok((self.types.call(namespace, &name, parts)?, namespace.to_owned()));
        }
        let [part] = parts else {
            let help = "put its parts into one element";
            return Err(at.refused(of.name, "a message has exactly one part", help));
        };
        if part.attribute("element").is_empty() {
            let help = "declare an element, or offer it in rpc style";
            return Err(part.refused(of.name, "the part of a document has an element, not a type", help));
        }
        let (namespace, local) = part.resolve(part.attribute("element"));
        let message = self.types.message(&namespace, &local);
        Ok((message?, namespace))
    }
}

/// An operation, and its binding.
struct Of<'a> {
    operation: &'a Node,
    name: &'a str,
    soap: &'static str,
    binding: &'a Node,
    is_call: bool,
}

impl<'a> Of<'a> {
    /// Returns the binding of a direction.
    fn bound(&self, direction: &'static str) -> Option<&'a Node> {
        let bound = self.binding.children(WSDL, "operation").find(|it| it.attribute("name") == self.name)?;
        bound.children(WSDL, direction).next()
    }

    /// Returns the binding of its body.
    fn body(&self, direction: &'static str) -> Option<&'a Node> {
        let bound = self.bound(direction)?;
        let direct = bound.children(self.soap, "body").next();
        // With attachments the body stands in their first part.
        direct.or_else(|| bound.all().iter().find_map(|it| find_body(it, self.soap)))
    }
}

fn find_body<'a>(node: &'a Node, soap: &str) -> Option<&'a Node> {
    if node.is(soap, "body") {
        return Some(node);
    }
    node.all().iter().find_map(|it| find_body(it, soap))
}

/// The parts of a message that stand in the body: those that the binding names, or all.
fn parts<'a>(message: Option<&'a Node>, body: Option<&Node>) -> Vec<&'a Node> {
    let named: Vec<&str> =
        body.map(|body| body.attribute("parts").split_ascii_whitespace().collect()).unwrap_or_default();
    let all = message.into_iter().flat_map(|it| it.children(WSDL, "part"));
    all.filter(|part| named.is_empty() || named.contains(&part.attribute("name"))).collect()
}
