//! All definitions, arranged for finding.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::definition::{Definition, Redirect, Scheme, Usage};
use crate::prefixes::Prefixes;

/// The definitions of a region. It never changes: a new one takes its place.
#[derive(Clone, Debug, Default)]
pub struct Table {
    definitions: Vec<Definition>,
    hosts: HashMap<String, Paths, RandomState>,
}

/// The definitions of one host, as numbers in the table's list.
#[derive(Clone, Debug, Default)]
struct Paths {
    exact: HashMap<Box<[u8]>, Vec<usize>, RandomState>,
    begins: Prefixes<Vec<usize>>,
}

/// A request, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The TCPIPSERVICE through which it comes.
    pub service: &'a str,
    /// True if it came over TLS, the region's own or that of a proxy.
    pub tls: bool,
    /// The host it names, without a port; `None` in HTTP/1.0.
    pub host: Option<&'a str>,
    /// Its path, unescaped once.
    pub path: &'a [u8],
    /// Its query string as it came.
    pub query: Option<&'a str>,
}

/// The treatment of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// This definition answers.
    Matched {
        /// The definition.
        definition: &'a Definition,
        /// The part of the path (and query, if the definition has one) that matched `*`; empty without one.
        rest: &'a [u8],
    },
    /// It is sent elsewhere.
    Redirected(&'a Definition, &'a Redirect),
    /// The definition or its host is disabled: 503.
    Disabled(&'a Definition),
    /// It needs TLS: 403.
    NeedsTls(&'a Definition),
    /// No definition matches: the analyzer of the service decides.
    Unmatched,
}

impl Table {
    /// Arranges definitions. Those for clients are left out. Of two that match alike, the one with a TCPIPSERVICE goes
    /// before the one without, and then the first in the list.
    pub fn new(definitions: impl IntoIterator<Item = Definition>) -> Self {
        let definitions = definitions.into_iter().filter(|it| it.usage != Usage::Client).collect();
        let mut table = Self { definitions, hosts: HashMap::default() };
        for (at, definition) in table.definitions.iter().enumerate() {
            let paths = table.hosts.entry(Definition::host_key(&definition.host)).or_default();
            let numbers = match definition.path.strip_suffix('*') {
                Some(prefix) => paths.begins.entry(prefix.as_bytes()),
                None => paths.exact.entry(definition.path.as_bytes().into()).or_default(),
            };
            numbers.push(at);
        }
        table
    }

    /// The verdict on a request: host before `*`, exact path before a prefix, a longer prefix before a shorter one.
    pub fn find<'a>(&'a self, request: &Request<'a>, whole: &'a mut Vec<u8>) -> Verdict<'a> {
        whole.clear();
        whole.extend_from_slice(request.path);
        let path = whole.len();
        if let Some(query) = request.query {
            whole.push(b'?');
            whole.extend_from_slice(query.as_bytes());
        }
        let whole: &'a [u8] = whole;
        let hosts = [request.host.map(Definition::host_key), Some("*".to_owned())];
        for paths in hosts.iter().flatten().filter_map(|host| self.hosts.get(host)) {
            if let Some((definition, rest)) = self.of_host(paths, request, whole, path) {
                return verdict(definition, rest, request.tls);
            }
        }
        Verdict::Unmatched
    }

    fn of_host<'a>(
        &'a self,
        paths: &'a Paths,
        request: &Request<'_>,
        whole: &'a [u8],
        path: usize,
    ) -> Option<(&'a Definition, &'a [u8])> {
        let pick = |numbers: &[usize]| -> Option<&'a Definition> {
            let fitting = || {
                let all = numbers.iter().map(|at| &self.definitions[*at]);
                all.filter(|it| it.service.as_deref().is_none_or(|service| service == request.service))
            };
            fitting().find(|it| it.service.is_some()).or_else(|| fitting().next())
        };
        // A path with a query string says more than one without.
        for text in [whole, &whole[..path]] {
            if let Some(definition) = paths.exact.get(text).and_then(|numbers| pick(numbers)) {
                return Some((definition, &[]));
            }
        }
        // Beginnings without a question mark are as long in either text; the longer text has those with one, too.
        paths.begins.of(whole).find_map(|(prefix, numbers)| {
            let has_query = prefix.len() > path;
            let rest = if has_query { &whole[prefix.len()..] } else { &whole[prefix.len()..path] };
            pick(numbers).map(|definition| (definition, rest))
        })
    }

    /// The definitions, in the order they came in.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }
}

fn verdict<'a>(definition: &'a Definition, rest: &'a [u8], tls: bool) -> Verdict<'a> {
    if !definition.enabled {
        return Verdict::Disabled(definition);
    }
    if definition.scheme == Scheme::Https && !tls {
        return Verdict::NeedsTls(definition);
    }
    // It counts before everything else that the definition says.
    match &definition.redirect {
        Some(redirect) => Verdict::Redirected(definition, redirect),
        None => Verdict::Matched { definition, rest },
    }
}
