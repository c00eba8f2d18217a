//! A service: a program, and what its records have to do with messages.

use std::sync::Arc;

use copybook::{Layout, parse};
use diagnostics::{Diagnostic, Source, any_error};
use ebcdic::CodePage;
use mapping::{Mapping, compile};

use crate::parameters::Parameters;

const NOTHING: &str = "SPWB010";

/// A service.
#[derive(Clone, Debug)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// The program that serves; empty for a service of others.
    pub program: String,
    /// The way in which the program gets its record.
    pub interface: Interface,
    /// The path at which it is served, or the URL at which others serve it.
    pub uri: String,
    /// The namespace of its WSDL.
    pub namespace: String,
    /// True for SOAP 1.1, and true for SOAP 1.2, if they are spoken.
    pub soap: (bool, bool),
    /// Its operations.
    pub operations: Vec<Operation>,
    /// The transaction under which it runs, if it says so.
    pub transaction: Option<String>,
    /// The user under whom it runs, if it says so.
    pub user: Option<String>,
    /// The code page of its records: CCSID.
    pub page: CodePage,
    /// The WSDL document that it was made from, where that is whole.
    pub original: Option<Arc<str>>,
}

/// The way in which a program gets its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interface {
    /// As its COMMAREA.
    Commarea,
    /// In a container of its channel.
    Channel(String),
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Its SOAPAction; empty for none.
    pub action: String,
    /// The request; in JSON without a body, none.
    pub request: Option<Mapping>,
    /// The answer; none for a message that gets none.
    pub response: Option<Mapping>,
    /// As JSON: method and path behind the service's URI.
    pub method: String,
    /// As JSON: further methods of the same operation.
    pub further: Vec<String>,
    /// As above; empty: the service's own.
    pub path: String,
}

impl Operation {
    /// A message that gets no answer: what a transformer knows.
    pub(crate) fn of_request(name: &str, request: Mapping) -> Self {
        Self {
            name: name.to_owned(),
            action: String::new(),
            request: Some(request),
            response: None,
            method: "POST".to_owned(),
            further: Vec::new(),
            path: String::new(),
        }
    }
}

impl Service {
    /// Makes a service from the options alone.
    pub(crate) fn of(parameters: &Parameters) -> Self {
        Self {
            name: "Service".to_owned(),
            program: parameters.program.clone(),
            interface: match parameters.channel {
                true => Interface::Channel(parameters.container.clone()),
                false => Interface::Commarea,
            },
            uri: parameters.uri.clone(),
            namespace: String::new(),
            soap: (false, false),
            operations: Vec::new(),
            transaction: parameters.transaction.clone(),
            user: parameters.user.clone(),
            page: parameters.page,
            original: None,
        }
    }

    /// An operation by the root of its requests.
    pub fn operation(&self, root: &str) -> Option<&Operation> {
        self.operations
            .iter()
            .find(|operation| operation.request.as_ref().is_some_and(|it| it.root() == root))
    }
}

/// A service with one operation, from the descriptions of its program's records: `response` may be the same text.
///
/// # Errors
/// All that is wrong with descriptions and options. Notes about them come with the service.
pub fn from_copybook(
    parameters: &Parameters,
    request: &Arc<Source>,
    response: &Arc<Source>,
) -> Result<(Service, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (wanted_request, wanted_response) = match &parameters.structures {
        Some((request, response)) => (Some(request.as_str()), Some(response.as_str())),
        None => (None, None),
    };
    let mut messages = Vec::new();
    let program = if parameters.program.is_empty() { "SERVICE" } else { &parameters.program };
    let operation = parameters.operation.clone().unwrap_or_else(|| format!("{program}Operation"));
    let members =
        [member(&parameters.request_member, request), member(&parameters.response_member, response)];
    let namespace = |given: &Option<String>, what: &str| {
        given.clone().unwrap_or_else(|| format!("http://www.{program}.{what}com"))
    };
    let request_namespace = namespace(&parameters.request_namespace, &format!("{}.Request.", members[0]));
    let response_namespace = namespace(&parameters.response_namespace, &format!("{}.Response.", members[1]));
    let mut mapped = |source, wanted, root: &str, namespace: &str| {
        let layout = layout(source, wanted, &mut messages)?;
        let options = mapping::Options {
            qualified: parameters.qualified.unwrap_or(true),
            ..parameters.options(namespace)
        };
        match compile(&layout, root, &options) {
            Ok(mapping) => {
                messages.extend(mapping::notes(&layout, &options));
                Some(mapping)
            }
            Err(problems) => {
                messages.extend(problems);
                None
            }
        }
    };
    let requests = mapped(request, wanted_request, &operation, &request_namespace);
    let responses = mapped(response, wanted_response, &format!("{operation}Response"), &response_namespace);
    let (Some(requests), Some(responses), false) = (requests, responses, any_error(&messages)) else {
        return Err(messages);
    };
    let service = Service {
        name: format!("{program}Service"),
        namespace: namespace(&parameters.wsdl_namespace, &format!("{}.", members[0])),
        soap: parameters.soap,
        operations: vec![Operation {
            action: String::new(),
            request: Some(requests),
            response: Some(responses),
            method: parameters.methods.first().cloned().unwrap_or_else(|| "POST".to_owned()),
            further: parameters.methods.iter().skip(1).cloned().collect(),
            path: String::new(),
            name: operation,
        }],
        ..Service::of(parameters)
    };
    Ok((service, messages))
}

/// The member that a description is: as the options name it, or its file.
fn member(named: &str, source: &Source) -> String {
    let name = if named.is_empty() { source.name.as_str() } else { named };
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    file.split('.').next().unwrap_or_default().to_ascii_uppercase()
}

/// A transformer from the description of a record: PDSMEM. Its root has the record's name.
///
/// # Errors
/// All that is wrong with the description and the options.
pub fn from_record(
    parameters: &Parameters,
    source: &Arc<Source>,
) -> Result<(Service, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut messages = Vec::new();
    let wanted = parameters.structures.as_ref().map(|(wanted, _)| wanted.as_str());
    let Some(layout) = layout(source, wanted, &mut messages) else { return Err(messages) };
    let record = layout.root.name.clone().unwrap_or_default();
    let root = parameters.operation.clone().unwrap_or_else(|| mapping::names::element(&record));
    let namespace =
        parameters.request_namespace.clone().unwrap_or_else(|| format!("http://www.{record}.com"));
    let options = parameters.options(&namespace);
    match compile(&layout, &root, &options) {
        Ok(mapping) if !any_error(&messages) => {
            messages.extend(mapping::notes(&layout, &options));
            let operations = vec![Operation::of_request(&root, mapping)];
            Ok((Service { name: record, namespace, operations, ..Service::of(parameters) }, messages))
        }
        Ok(_) => Err(messages),
        Err(problems) => {
            messages.extend(problems);
            Err(messages)
        }
    }
}

/// The record that is wanted: by its name, or the first.
fn layout(source: &Arc<Source>, wanted: Option<&str>, messages: &mut Vec<Diagnostic>) -> Option<Layout> {
    let parsed = parse(source);
    messages.extend(parsed.messages);
    let wanted = wanted.filter(|name| !name.is_empty());
    let is_wanted = |layout: &Layout| wanted.is_none_or(|name| layout.root.is_named(name));
    let found = parsed.layouts.into_iter().find(is_wanted);
    if found.is_none() {
        let problem = match wanted {
            Some(name) => format!("{} describes no record {name}", source.name),
            None => format!("{} describes no record", source.name),
        };
        messages.push(Diagnostic::error(NOTHING, problem).help("give a copybook with a level 01"));
    }
    found
}
