//! CWXN: the task in which a service's analyzer says what is to become of a request, and which then attaches the alias.
//!
//! It runs where a URI map asks for it by ANALYZER(YES), where no URI map matches and the service has an analyzer of the
//! application, and where the application's DFHWBEP is to see what has gone wrong in the door.

use std::sync::Arc;

use kernel::dispatcher::{Context, SuppliedFunction, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::transactions::{Transaction, Transactions};

use crate::alias::{self, CWBA};
use crate::exchange::{Chosen, Exchange};
use crate::record::{ANALYZER, Record};
use crate::report::say;
use crate::service::{DEFAULT_ANALYZER, Service, TRANSACTION, TRANSACTION_OF_USER};
use crate::trouble::{Trouble, What};
use crate::{address, sample};

/// The program of CWXN.
const DFHWBXN: &str = "DFHWBXN";
/// Eyecatcher of an analyzer's COMMAREA, and its only function.
const EYECATCHER: &str = ">analyze";
const ANALYZE: i64 = 1;
/// WBRA-REQUEST-TYPE of HTTP, and of others.
const HTTP: &[u8] = b"H";
const OTHER: &[u8] = b"N";
/// The response that lets a request go on.
const OK: i64 = 0;
/// Response and reason that say that bytes which are no HTTP are no whole request yet.
const EXCEPTION: i64 = 4;
const OUTSTANDING: i64 = 16;
/// A converter that is none.
const NO_CONVERTER: &str = "CICS";

/// Installs transaction and programs, unless the application has defined the transaction.
pub(crate) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(DFHWBXN), listens as SuppliedFunction));
    sample::install(region);
    for name in [TRANSACTION, TRANSACTION_OF_USER].map(TransactionName::from) {
        if Transactions::of(region).get(name).is_none() {
            Transactions::of(region).install(Transaction::new(name, Name8::from(DFHWBXN)));
        }
    }
}

/// The analyzer of a service, if it has one: the default one does nothing, unless the application has its own.
pub(crate) fn of_service(region: &Region, service: &Service) -> Option<Name8> {
    let named = service.analyzer();
    let is_ours = named == Name8::from(DEFAULT_ANALYZER);
    let is_there = || Programs::of(region).get(named).is_some();
    (named != Name8::from("NO") && (!is_ours || is_there())).then_some(named)
}

/// The program of CWXN.
fn listens<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        // A user has typed its name.
        let Some(exchange) = Exchange::of(context) else { return Ok(Flow::Return) };
        let trouble = match exchange.trouble.clone() {
            Some(trouble) => trouble,
            None => match analyzed(context, &exchange).await {
                Ok(()) => return Ok(Flow::Return),
                Err(trouble) => trouble,
            },
        };
        let said = say(context, &exchange, &trouble).await;
        exchange.excuse(said.answer, false);
        Ok(Flow::Return)
    })
}

/// Has the analyzer say what is to become of a request, and attaches the task that does it.
async fn analyzed(context: &mut Context<'_>, exchange: &Arc<Exchange>) -> Result<(), Trouble> {
    let analyzer = exchange.service.analyzer();
    let unable = |why: Raise| Trouble::abended(analyzer, why.into());
    let mut record = described(context, exchange).map_err(unable)?;
    // That it is not there is no business of the client's.
    record.link(context, analyzer).await.map_err(|trouble| Trouble { status: 500, ..trouble })?;
    let answered = (record.number("WBRA-RESPONSE"), record.number("WBRA-REASON"));
    if answered == (EXCEPTION, OUTSTANDING) && !exchange.is_http() {
        exchange.needs_more();
        return Ok(());
    }
    if answered.0 != OK {
        let message = format!(
            "DFHWB0523 analyzer {analyzer} of TCPIPSERVICE {} has answered {}, reason {}",
            exchange.service.name, answered.0, answered.1
        );
        let trouble = Trouble::new(What::Analyzer, 400, "the request is not understood");
        return Err(Trouble { message, program: Some(analyzer), analyzer: answered, ..trouble });
    }
    let converter = record.name("WBRA-CONVERTER-PROGRAM");
    exchange.choose(Chosen {
        program: record.name("WBRA-SERVER-PROGRAM"),
        converter: converter.filter(|name| *name != Name8::from(NO_CONVERTER)),
        token: record.bytes("WBRA-USER-TOKEN").try_into().unwrap_or_default(),
    });
    let transaction = TransactionName::new(record.bytes("WBRA-ALIAS-TRANID"));
    let transaction = if transaction.is_blank() { TransactionName::from(CWBA) } else { transaction };
    let user = user(context, exchange, record.name("WBRA-USERID"))?;
    alias::attach(&context.region, exchange, transaction, user).map_err(|why| {
        exchange.forgive();
        let (status, text) = alias::refused(why);
        let message = format!("DFHWB0361 a request has no task of {transaction}: {why:?}");
        Trouble { message, ..Trouble::new(What::NoTask, status, text) }
    })?;
    Ok(())
}

/// The user of the alias: whom the client has proved to be, else whom the analyzer names, else the default one.
fn user(context: &Context<'_>, exchange: &Exchange, named: Option<Name8>) -> Result<Arc<User>, Trouble> {
    if let Some(user) = &exchange.user {
        return Ok(Arc::clone(user));
    }
    let users = Users::of(&context.region);
    let Some(id) = named else { return Ok(Arc::clone(&users.default)) };
    users.file.user(&id.to_string()).map(Arc::new).ok_or_else(|| {
        let message = format!("DFHWB0361 user {id} of a request is not known");
        Trouble { message, ..Trouble::new(What::NoTask, 403, "not for this user") }
    })
}

/// The COMMAREA of an analyzer: the request, and what its URI map says already.
fn described(context: &mut Context<'_>, exchange: &Exchange) -> Result<Record, Raise> {
    let mut record = Record::new(&ANALYZER);
    let client = exchange.peer.client.ip();
    let server = exchange.peer.server.unwrap_or(exchange.peer.client).ip();
    let (head, map) = (&exchange.head, exchange.map.as_deref());
    record.put_text("WBRA-EYECATCHER", EYECATCHER);
    record.put_number("WBRA-FUNCTION", ANALYZE);
    record.put_text("WBRA-REQUEST-TYPE", if exchange.is_http() { HTTP } else { OTHER });
    record.put_bytes("WBRA-CLIENT-IP-ADDRESS", &address::four(client));
    record.put_bytes("WBRA-SERVER-IP-ADDRESS", &address::four(server));
    record.put_bytes("WBRA-CLIENT-IPV6-ADDRESS", &address::six(client));
    record.put_bytes("WBRA-SERVER-IPV6-ADDRESS", &address::six(server));
    record.put_number("WBRA-CONTENT-LENGTH", exchange.body.len() as i64);
    let mut fields = Vec::new();
    http::write::fields(head.fields(), &mut fields);
    let parts: [(&str, &[u8]); 7] = [
        ("WBRA-METHOD", head.method().as_bytes()),
        ("WBRA-HTTP-VERSION", if exchange.is_http() { head.version().text().as_bytes() } else { b"" }),
        ("WBRA-RESOURCE", head.path().as_bytes()),
        ("WBRA-QUERYSTRING", head.query().unwrap_or_default().as_bytes()),
        ("WBRA-REQUEST-HEADER", &fields),
        ("WBRA-HOSTNAME", head.host().unwrap_or_default().as_bytes()),
        ("WBRA-USER-DATA", &exchange.body),
    ];
    for (name, data) in parts {
        record.put_data(context, (&format!("{name}-PTR"), &format!("{name}-LENGTH")), data)?;
    }
    let user = exchange.user.as_ref().map(|user| user.id);
    record.put_text("WBRA-URIMAP", map.map(|map| map.name).unwrap_or_default());
    record.put_text("WBRA-ALIAS-TRANID", map.and_then(|map| map.transaction).unwrap_or_default());
    record.put_text("WBRA-SERVER-PROGRAM", map.and_then(|map| map.program).unwrap_or_default());
    record.put_text("WBRA-CONVERTER-PROGRAM", map.and_then(|map| map.converter).unwrap_or_default());
    record.put_text("WBRA-USERID", user.or(map.and_then(|map| map.user)).unwrap_or_default());
    Ok(record)
}
