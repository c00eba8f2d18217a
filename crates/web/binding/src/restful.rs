//! Which operation of a service is meant where method and path say it: a JSON service in the manner of REST.

use crate::service::{Operation, Service};

/// The method of a message that says itself what is meant.
const MESSAGE: &str = "POST";

/// The operation that a method and a path ask for.
#[derive(Clone, Debug)]
pub enum Asked<'a> {
    /// An operation.
    Operation(&'a Operation),
    /// At this path there are only other methods.
    OtherMethods(Vec<&'a str>),
    /// Nothing is at this path.
    Nothing,
}

impl Service {
    /// Returns true if method and path select the operation: it is asked for otherwise than by POST at the service's
    /// own path.
    pub fn is_restful(&self) -> bool {
        let is_plain = |it: &Operation| it.path.is_empty() && it.methods().eq([MESSAGE]);
        !self.operations.iter().all(is_plain)
    }

    /// The path of the service on its server; empty where its address has none.
    pub fn path(&self) -> &str {
        let uri = self.uri.as_str();
        uri.split_once("://").map_or(uri, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]))
    }

    /// The path of an operation: that of the service, and its own, in which `{name}` stands for any one segment.
    pub fn path_of(&self, operation: &Operation) -> String {
        format!("{}{}", self.path().trim_end_matches('/'), operation.path)
    }

    /// Returns the operation that a method and a path ask for. At a path that is none of the service's (a URIMAP leads
    /// there) the method alone selects it.
    pub fn asked(&self, method: &str, path: &str) -> Asked<'_> {
        // HEAD is a GET whose body is not sent.
        let method = if method == "HEAD" { "GET" } else { method };
        let here = |it: &&Operation| fits(&self.path_of(it), path);
        let mut found: Vec<&Operation> = self.operations.iter().filter(here).collect();
        if found.is_empty() {
            let all = &self.operations;
            if !all.iter().all(|it| it.path == all[0].path) {
                return Asked::Nothing;
            }
            found = all.iter().collect();
        }
        // `/orders/open` is more than `/orders/{number}`.
        found.sort_by_key(|it| it.path.matches('{').count());
        match found.iter().find(|it| it.methods().any(|own| own.eq_ignore_ascii_case(method))) {
            Some(operation) => Asked::Operation(operation),
            None => Asked::OtherMethods(found.iter().flat_map(|it| it.methods()).collect()),
        }
    }
}

impl Operation {
    /// The methods by which it is asked for.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.method.as_str()).chain(self.further.iter().map(String::as_str))
    }
}

/// Returns true if a path matches a template.
pub fn fits(template: &str, path: &str) -> bool {
    let (mut wanted, mut has) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), has.next()) {
            (None, None) => return true,
            (Some(wanted), Some(has))
                if wanted.starts_with('{') && wanted.ends_with('}') && !has.is_empty() => {}
            (Some(wanted), Some(has)) if wanted == has => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(name: &str, method: &str, path: &str) -> Operation {
        Operation {
            name: name.to_owned(),
            action: String::new(),
            request: None,
            response: None,
            method: method.to_owned(),
            further: Vec::new(),
            path: path.to_owned(),
        }
    }

    #[test]
    fn a_template_takes_one_segment_for_each_name() {
        for (template, path, is_it) in [
            ("/orders/{id}", "/orders/7", true),
            ("/orders/{id}", "/orders/", false),
            ("/orders/{id}", "/orders/7/lines", false),
            ("/orders/{id}/lines/{line}", "/orders/7/lines/2", true),
            ("/orders", "/orders", true),
            ("/orders", "/orders/7", false),
        ] {
            assert_eq!(fits(template, path), is_it, "{template} {path}");
        }
    }

    #[test]
    fn method_and_path_say_which_operation_is_meant() {
        let parameters =
            crate::Parameters { uri: "http://h/shop".to_owned(), ..crate::Parameters::default() };
        let mut service = Service::of(&parameters);
        service.operations = vec![
            operation("list", "GET", "/orders"),
            operation("one", "GET", "/orders/{id}"),
            operation("open", "GET", "/orders/open"),
            Operation { further: vec!["PUT".to_owned()], ..operation("add", "POST", "/orders") },
        ];
        let name = |method, path| match service.asked(method, path) {
            Asked::Operation(it) => it.name.clone(),
            Asked::OtherMethods(methods) => methods.join(" "),
            Asked::Nothing => String::from("-"),
        };
        assert!(service.is_restful());
        assert_eq!(name("GET", "/shop/orders"), "list");
        assert_eq!(name("HEAD", "/shop/orders/7"), "one");
        assert_eq!(name("GET", "/shop/orders/open"), "open");
        assert_eq!(name("PUT", "/shop/orders"), "add");
        assert_eq!(name("DELETE", "/shop/orders"), "GET POST PUT");
        assert_eq!(name("GET", "/shop"), "-");
    }
}
