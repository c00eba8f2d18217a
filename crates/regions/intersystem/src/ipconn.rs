//! IPCONN: a region of another machine, reached by TCP and TLS.

use std::sync::Arc;

use csd::{Definition, ResourceType};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Key, Kind, Resource, Setting};
use spec::{cmd, cond, opt};

use crate::connection::{pending, released, settings};
use crate::partner::{Partner, Sort};
use crate::systems::Systems;

/// RESP2 of NOTFND: no such IPCONN.
const NOT_FOUND: i32 = 1;
/// Characters of the published fields.
const NAME: usize = 8;
const LABEL: usize = 56;
const HOST: usize = 116;
const ADDRESS: usize = 39;
const PARTNER: usize = 32;

/// The thing: what an IPCONN definition becomes.
pub(crate) static DEFINED: Defined = Defined {
    resource: ResourceType::Ipconn,
    create: cmd::CREATE_IPCONN,
    discard: cmd::DISCARD_IPCONN,
    reads: &[
        "APPLID",
        "AUTOCONNECT",
        "HOST",
        "INSERVICE",
        "MAXQTIME",
        "MIRRORLIFE",
        "NETWORKID",
        "PORT",
        "QUEUELIMIT",
        "RECEIVECOUNT",
        "SECURITYNAME",
        "SENDCOUNT",
        "USERAUTH",
        "XLNACTION",
    ],
    without_effect: &[
        ("CERTIFICATE", "`certificate` of [links] in region.toml is shown to all partners"),
        ("CIPHERS", "both ends choose the suite of TLS"),
        ("HA", "a link leads to one region"),
        ("LINKAUTH", "the link user is whose certificate the partner shows"),
        ("SSL", "a link to another machine has TLS at both ends, whatever SSL says"),
        ("TCPIPSERVICE", "`listen` of [links] in region.toml says where partners come"),
    ],
    elsewhere: None,
    needs: &[],
    refuses: check,
    install: |region, definition| Systems::of(region).add(Sort::Ipconn, definition),
    may_replace: |region, name| match found(region, name) {
        Some(partner) => released(&partner),
        None => Ok(()),
    },
    may_discard: |region, name| released(&*found(region, name).ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))?),
    remove: |region, name| Systems::of(region).remove(Sort::Ipconn, Name8::new(name)),
    status: None,
};

fn check(definition: &Definition) -> Result<(), String> {
    let has_host = definition.get("HOST").is_some_and(|host| !host.is_empty());
    match definition.number("PORT") {
        Some(port) if u16::try_from(port).is_err() || port == 0 => Err(format!("PORT({port}) is none")),
        Some(_) if !has_host => Err(String::from("PORT needs HOST: where the partner listens")),
        _ => Ok(()),
    }
}

fn found(region: &Region, name: &[u8]) -> Option<Arc<Partner>> {
    Systems::of(region).partner(Sort::Ipconn, name)
}

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_IPCONN, Handler::Now(|task, call| IPCONNS.inquire(task, call))),
    (cmd::SET_IPCONN, Handler::Waits(|task, call| Box::pin(IPCONNS.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "IPCONN",
    table: &IPCONNS,
    inquire: cmd::INQUIRE_IPCONN,
    set: Some(cmd::SET_IPCONN),
    defined: Some(&DEFINED),
};

static SETTINGS: [Setting<Arc<Partner>>; 6] = settings();

/// A number of an attribute; `NO` is as the published field has it.
fn number(partner: &Partner, attribute: &str, no: i64) -> Value {
    Value::Number(
        partner.definition.number(attribute).and_then(|number| number.try_into().ok()).unwrap_or(no),
    )
}

/// The options of INQUIRE IPCONN, and those of SET.
static IPCONNS: Resource<Arc<Partner>> = Resource {
    name: opt::IPCONN,
    key: Key::Name,
    names: |by| {
        let partners = Systems::of(&by.region).partners(Sort::Ipconn);
        partners.iter().map(|partner| partner.name.as_bytes().to_vec()).collect()
    },
    find: |by, name| found(&by.region, name),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::APPLID, |_, p| Value::text(p.applid)),
        (opt::AUTOCONNECT, |_, p| Value::either(p.definition.flag("AUTOCONNECT"), "AUTOCONN", "NONAUTOCONN")),
        (opt::CERTIFICATE, |_, p| Value::padded(p.text("CERTIFICATE"), LABEL)),
        (opt::CIPHERS, |_, p| Value::padded(p.text("CIPHERS"), LABEL)),
        (opt::CLIENTLOC, |_, _| Value::padded("", LABEL)),
        (opt::CONNSTATUS, |_, p| Value::Cvda(p.state.lock().status.cvda())),
        (opt::HA, |_, p| Value::either(p.definition.flag("HA"), "REQUIRED", "NOTREQUIRED")),
        (opt::HOST, |_, p| Value::padded(p.text("HOST"), HOST)),
        (opt::HOSTTYPE, |_, p| {
            Value::Cvda(match p.text("HOST") {
                "" => "NOTAPPLIC",
                host => match host.parse::<std::net::IpAddr>() {
                    Ok(address) if address.is_ipv4() => "IPV4",
                    Ok(_) => "IPV6",
                    Err(_) => "HOSTNAME",
                },
            })
        }),
        (opt::IDPROP, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::IPFAMILY, |_, p| {
            Value::Cvda(match p.state.lock().address {
                Some(address) if address.is_ipv4() => "IPV4",
                Some(_) => "IPV6",
                None => "NOTAPPLIC",
            })
        }),
        (opt::IPRESOLVED, |_, p| {
            let address = p.state.lock().address;
            Value::padded(&address.map_or_else(String::new, |address| address.ip().to_string()), ADDRESS)
        }),
        (opt::LINKAUTH, |_, p| Value::either(p.definition.is("LINKAUTH", "CERTUSER"), "CERTUSER", "SECUSER")),
        (opt::MAXQTIME, |_, p| number(p, "MAXQTIME", -1)),
        (opt::MIRRORLIFE, |_, p| {
            Value::Cvda(match p.text("MIRRORLIFE") {
                "TASK" => "TASK",
                "UOW" => "UOW",
                _ => "REQUEST",
            })
        }),
        (opt::NETWORKID, |_, p| Value::padded(p.text("NETWORKID"), NAME)),
        (opt::NUMCIPHERS, |_, _| Value::Number(0)),
        (opt::PARTNER, |_, _| Value::padded("", PARTNER)),
        (opt::PENDSTATUS, |by, p| pending(by, p)),
        (opt::PORT, |_, p| number(p, "PORT", -1)),
        (opt::QUEUELIMIT, |_, p| number(p, "QUEUELIMIT", -1)),
        (opt::RECEIVECOUNT, |_, p| number(p, "RECEIVECOUNT", 1)),
        (opt::RECOVSTATUS, |_, _| Value::Cvda("NORECOVDATA")),
        (opt::SECURITYNAME, |_, p| Value::padded(p.text("SECURITYNAME"), NAME)),
        (opt::SENDCOUNT, |_, p| number(p, "SENDCOUNT", 1)),
        (opt::SERVSTATUS, |_, p| Value::either(p.state.lock().in_service, "INSERVICE", "OUTSERVICE")),
        // TLS at both ends, whatever the definition says.
        (opt::SSLTYPE, |_, _| Value::Cvda("SSL")),
        (opt::TCPIPSERVICE, |_, p| Value::padded(p.text("TCPIPSERVICE"), NAME)),
        (opt::USERAUTH, |_, p| {
            Value::Cvda(match p.text("USERAUTH") {
                "DEFAULTUSER" => "DEFAULTUSER",
                "IDENTIFY" => "IDENTIFY",
                "VERIFY" => "VERIFY",
                _ => "LOCAL",
            })
        }),
    ],
    settings: &SETTINGS,
};
