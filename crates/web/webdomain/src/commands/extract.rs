//! WEB EXTRACT and EXTRACT TCPIP: what a request says of itself, and how it came.

use std::net::SocketAddr;

use http::Fields;
use http::media::MediaType;
use http::url::{Scheme, split_port};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::Outcome;
use kernel::storage::StorageAddress;
use kernel::task::Task;
use spec::{OptionId, cmd, opt};

use super::{client, exchange};
use crate::address::{four, host_type, six};
use crate::area::{Area, all};
use crate::exchange::Exchange;
use crate::resp2;
use crate::session::Sessions;
use crate::x509::{Names, Whose};

/// These commands. WEB EXTRACT and EXTRACT WEB are one.
pub(super) const HANDLERS: Answers = &[
    (cmd::WEB_EXTRACT, Handler::Now(web)),
    (cmd::EXTRACT_WEB, Handler::Now(web)),
    (cmd::EXTRACT_TCPIP, Handler::Now(tcpip)),
    (cmd::EXTRACT_CERTIFICATE, Handler::Now(certificate)),
];

const METHOD: Area = Area::new(opt::HTTPMETHOD, opt::METHODLENGTH, resp2::METHOD_CUT);
const VERSION: Area = Area::new(opt::HTTPVERSION, opt::VERSIONLEN, resp2::VERSION_CUT);
const PATH: Area = Area::new(opt::PATH, opt::PATHLENGTH, resp2::PATH_CUT);
const QUERY: Area = Area::new(opt::QUERYSTRING, opt::QUERYSTRLEN, resp2::QUERY_CUT);
const HOST: Area = Area::new(opt::HOST, opt::HOSTLENGTH, resp2::HOST_CUT);

/// WEB EXTRACT: all that there is room for is given, whatever was cut.
fn web(task: &mut Task, call: &Call<'_>) -> Outcome {
    if call.has(opt::SESSTOKEN) {
        return of_session(task, call);
    }
    let exchange = exchange(task)?;
    let head = &exchange.head;
    let scheme = if exchange.is_secure() { Scheme::Https } else { Scheme::Http };
    let host = head.host().unwrap_or_default();
    let port = head.authority().and_then(|authority| split_port(authority).1);
    let port = port.or(exchange.peer.server.map(|server| server.port())).unwrap_or(scheme.port());
    let map = exchange.map.as_ref().map(|map| map.name).unwrap_or_default();
    put(call, opt::SCHEME, &Value::either(scheme == Scheme::Https, "HTTPS", "HTTP"))?;
    put(call, opt::HOSTTYPE, &Value::Cvda(host_type(host)))?;
    put(call, opt::REQUESTTYPE, &Value::either(exchange.is_http(), "HTTPYES", "HTTPNO"))?;
    put(call, opt::PORTNUMBER, &Value::Number(port.into()))?;
    put(call, opt::URIMAP, &Value::text(map))?;
    all([
        METHOD.give(call, head.method().as_bytes()),
        VERSION.give(call, version(&exchange)),
        PATH.give(call, head.path().as_bytes()),
        QUERY.give(call, head.query().unwrap_or_default().as_bytes()),
        HOST.give(call, host.as_bytes()),
    ])
}

const REALM: Area = Area::new(opt::REALM, opt::REALMLEN, resp2::REALM_CUT);

/// The realm for which a server wants a user and a password.
fn realm(fields: &Fields) -> Option<String> {
    let basic = fields.all("WWW-Authenticate").find_map(|value| {
        let value = std::str::from_utf8(value).ok()?;
        value.get(..6).filter(|scheme| scheme.eq_ignore_ascii_case("basic "))?;
        Some(value[6..].trim())
    })?;
    // A parameter of it as one of a media type.
    MediaType::parse(&format!("a/a;{basic}"))?.parameter("realm").map(str::to_owned)
}

/// WEB EXTRACT of a connection to a server.
fn of_session(task: &mut Task, call: &Call<'_>) -> Outcome {
    let token = client::token(call)?;
    let session = Sessions::of(task).get(&token)?;
    let (server, map) = (session.server.clone(), session.map.clone());
    let realm = session.answer.as_ref().and_then(|answer| realm(answer.answer.head.fields()));
    let realm = realm.unwrap_or_default();
    put(call, opt::SCHEME, &Value::either(server.scheme == Scheme::Https, "HTTPS", "HTTP"))?;
    put(call, opt::HOSTTYPE, &Value::Cvda(host_type(&server.host)))?;
    put(call, opt::PORTNUMBER, &Value::Number(server.port.into()))?;
    put(call, opt::URIMAP, &Value::text(map.as_ref().map(|map| map.name).unwrap_or_default()))?;
    let path = map.as_ref().map_or("/", |map| map.matches.path.as_str());
    all([
        VERSION.give(call, b"1.1"),
        PATH.give(call, path.as_bytes()),
        HOST.give(call, server.host.as_bytes()),
        REALM.give(call, realm.as_bytes()),
    ])
}

/// Gives a value where the command asks for it.
fn put(call: &Call<'_>, option: OptionId, value: &Value) -> Outcome {
    if call.has(option) { call.put_value(option, value) } else { Ok(()) }
}

fn version(exchange: &Exchange) -> &'static [u8] {
    match exchange.head.version() {
        _ if !exchange.is_http() => b"",
        http::Version::Http10 => b"1.0",
        http::Version::Http11 => b"1.1",
        http::Version::Http2 => b"2.0",
    }
}

const CLIENT_NAME: Area = Area::new(opt::CLIENTNAME, opt::CNAMELENGTH, resp2::NAME_CUT);
const SERVER_NAME: Area = Area::new(opt::SERVERNAME, opt::SNAMELENGTH, resp2::VALUE_CUT);
const CLIENT_ADDRESS: Area = Area::new(opt::CLIENTADDR, opt::CADDRLENGTH, resp2::NAME_CUT);
const SERVER_ADDRESS: Area = Area::new(opt::SERVERADDR, opt::SADDRLENGTH, resp2::VALUE_CUT);

/// Characters of a port as text.
const PORT: usize = 5;
/// Bytes of a KB.
const KB: u64 = 1024;

/// EXTRACT TCPIP: names are addresses, since no name server is asked.
fn tcpip(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    let service = &exchange.service;
    let client = exchange.peer.client;
    let server = exchange.peer.server.unwrap_or(client);
    let ssl = service.said.ssl;
    put(call, opt::AUTHENTICATE, &Value::Cvda(service.said.authenticate.cvda()))?;
    put(call, opt::SSLTYPE, &Value::Cvda(ssl.name()))?;
    put(call, opt::PRIVACY, &Value::either(exchange.is_secure(), "REQUIRED", "NOTSUPPORTED"))?;
    put(call, opt::TCPIPSERVICE, &Value::text(service.name))?;
    put(call, opt::PORTNUMNU, &Value::Number(server.port().into()))?;
    put(call, opt::PORTNUMBER, &Value::padded(&server.port().to_string(), PORT))?;
    put(call, opt::MAXDATALEN, &Value::Number((service.said.body_max / KB) as i64))?;
    put(call, opt::CLNTIPFAMILY, &family(client))?;
    put(call, opt::SRVRIPFAMILY, &family(server))?;
    for (option, option6, address) in
        [(opt::CLIENTADDRNU, opt::CLNTADDR6NU, client), (opt::SERVERADDRNU, opt::SRVRADDR6NU, server)]
    {
        put(call, option, &Value::Number(i32::from_be_bytes(four(address.ip())).into()))?;
        put(call, option6, &Value::text(six(address.ip())))?;
    }
    let (client, server) = (client.ip().to_string(), server.ip().to_string());
    all([
        CLIENT_NAME.give(call, client.as_bytes()),
        SERVER_NAME.give(call, server.as_bytes()),
        CLIENT_ADDRESS.give(call, client.as_bytes()),
        SERVER_ADDRESS.give(call, server.as_bytes()),
    ])
}

fn family(address: SocketAddr) -> Value {
    Value::either(address.is_ipv4(), "IPV4", "IPV6")
}

/// EXTRACT CERTIFICATE: pointers to storage of the task. Without a certificate they point nowhere, and lengths are 0.
fn certificate(task: &mut Task, call: &Call<'_>) -> Outcome {
    let exchange = exchange(task)?;
    let whose = if call.keyword(opt::ISSUER) { Whose::Issuer } else { Whose::Owner };
    let shown = exchange.peer.certificate();
    let names = match (shown, whose) {
        (Some(certificate), whose) => Names::read(certificate, whose),
        (None, Whose::Owner) => Names { common: exchange.peer.common_name().to_owned(), ..Names::default() },
        (None, Whose::Issuer) => Names::default(),
    };
    let user = if shown.is_some() { task.user.id } else { Default::default() };
    put(call, opt::USERID, &Value::text(user))?;
    let parts = [
        (opt::CERTIFICATE, opt::LENGTH, shown.unwrap_or_default()),
        (opt::SERIALNUM, opt::SERIALNUMLEN, names.serial.as_bytes()),
        (opt::COMMONNAME, opt::COMMONNAMLEN, names.common.as_bytes()),
        (opt::COUNTRY, opt::COUNTRYLEN, names.country.as_bytes()),
        (opt::STATE, opt::STATELEN, names.state.as_bytes()),
        (opt::LOCALITY, opt::LOCALITYLEN, names.locality.as_bytes()),
        (opt::ORGANIZATION, opt::ORGANIZATLEN, names.organization.as_bytes()),
        (opt::ORGUNIT, opt::ORGUNITLEN, names.unit.as_bytes()),
    ];
    for (pointer, length, bytes) in parts {
        call.put_number(length, bytes.len() as i64)?;
        if call.has(pointer) {
            let address = if bytes.is_empty() { StorageAddress::NULL } else { task.hold(bytes)? };
            call.put_pointer(pointer, address)?;
        }
    }
    Ok(())
}
