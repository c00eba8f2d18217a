//! The resources of a region from outside: what INQUIRE, SET and CEMT use is there without a task, for every type.

mod common;

use std::sync::Arc;

use common::Site;
use kernel::catalog;
use kernel::exec::value::Value;
use kernel::registry::{Given, Kind, Manager};
use kernel::security::User;
use operation::definitions;
use spec::opt;
use testkit::script::Act;
use tn3270::datastream::Aid;

const APPLICATION: &str = "
```csd
DEFINE FILE(KEPT) GROUP(T) DSNAME(T.KEPT) READ(YES)
DEFINE TRANCLASS(FEW) GROUP(T) MAXACTIVE(3)
DEFINE TSMODEL(SOON) GROUP(T) PREFIX(SOON) EXPIRYINTMIN(90)
DEFINE JOURNALMODEL(AUDIT) GROUP(T) JOURNALNAME(AUDIT)
DEFINE ENQMODEL(PAY) GROUP(T) ENQNAME(PAY*)
DEFINE PROFILE(OURS) GROUP(T) UCTRAN(YES)
DEFINE DOCTEMPLATE(PAGE) GROUP(T) TEMPLATENAME(welcome)
DEFINE TCPIPSERVICE(PORT) GROUP(T) PORTNUMBER(80) STATUS(CLOSED)
DEFINE DB2CONN(MAIN) GROUP(T)
DEFINE DB2ENTRY(ONE) GROUP(T)
DEFINE DB2TRAN(FILL) GROUP(T) ENTRY(ONE) TRANSID(FILL)
DEFINE URIMAP(FILL) GROUP(T) HOST(*) PATH(/fill) PROGRAM(FILL)
```

```idcams
 DEFINE CLUSTER (NAME(T.KEPT) INDEXED KEYS(1 0) RECORDSIZE(80 80))
```

```cobol FILL
EXEC CICS WRITEQ TS QUEUE('SOONER') FROM('X') END-EXEC
EXEC CICS WRITE JOURNALNAME('AUDIT') JTYPEID('XX') FROM('X') END-EXEC
EXEC CICS START TRANSID('FILL') HOURS(10) AFTER END-EXEC
EXEC CICS ENQ RESOURCE('FILLED') LENGTH(6) END-EXEC
EXEC CICS SEND TEXT FROM('FILLED') LENGTH(6) ERASE END-EXEC
EXEC CICS RECEIVE END-EXEC
```
";

/// Types of which this region has no resource.
const EMPTY: [&str; 17] = [
    "BUNDLE",
    "CFDTPOOL",
    "CONNECTION",
    "EPADAPTER",
    "EPADAPTERSET",
    "EVENTBINDING",
    "EXCI",
    "IPCONN",
    "JVMSERVER",
    "OSGIBUNDLE",
    "OSGISERVICE",
    "PIPELINE",
    "POLICY",
    "POLICYRULE",
    "UOWDSNFAIL",
    "UOWLINK",
    "WEBSERVICE",
];

/// A resource's values: as many as the type has options, and no CVDA without a number.
fn told(kind: &Kind, by: &Manager, name: &[u8]) {
    let shown = String::from_utf8_lossy(name);
    let values = kind.table.tell(by, name).unwrap_or_else(|| panic!("{}({shown}) is gone", kind.name));
    let options: Vec<_> = values.iter().map(|(option, _)| *option).collect();
    assert_eq!(options, kind.table.options(), "{}({shown})", kind.name);
    for (option, value) in values {
        if let Value::Cvda(cvda) = value {
            assert!(spec::cvda(cvda).is_some(), "{}({shown}) {}: {cvda}", kind.name, option.name());
        }
    }
}

#[test]
fn every_type_is_told_without_a_task() {
    Site::new("management", APPLICATION).run(async |run| {
        let typed = [Act::Press(Aid::Clear), Act::Type("FILL".to_owned()), Act::Press(Aid::Enter)];
        let acts = typed.into_iter().chain([Act::Wait("FILLED".to_owned())]);
        for act in acts {
            run.house.act("A", &act).await.unwrap_or_else(|error| panic!("{error}"));
        }
        let by = Manager::new(&run.house.running.region, &User::region());
        for kind in catalog::kinds() {
            let names = kind.table.names(&by);
            assert_eq!(names.is_empty(), EMPTY.contains(&kind.name), "{}", kind.name);
            names.iter().for_each(|name| told(kind, &by, name));
            let named = names.iter().all(|name| !name.is_empty());
            assert!(!named || kind.table.tell(&by, b"NO SUCH").is_none(), "{}", kind.name);
        }
        true
    });
}

#[test]
fn a_change_needs_no_task() {
    Site::new("management-set", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let by = Manager::new(&region, &User::region());
        let changes = [
            ("TRANCLASS", "FEW     ", opt::MAXACTIVE, Given::Number(7), Value::Number(7)),
            ("FILE", "KEPT    ", opt::OPENSTATUS, Given::Cvda("OPEN"), Value::Cvda("OPEN")),
            ("FILE", "KEPT    ", opt::OPENSTATUS, Given::Cvda("CLOSED"), Value::Cvda("CLOSED")),
            ("PROGRAM", "FILL    ", opt::STATUS, Given::Cvda("DISABLED"), Value::Cvda("DISABLED")),
        ];
        for (kind, name, option, given, expected) in changes {
            let table = catalog::kind(kind).expect("a type").table;
            let change = [(option, given)];
            assert_eq!(table.change(&by, name.as_bytes(), &change).await, Ok(()), "{kind}");
            let values = table.tell(&by, name.as_bytes()).expect("it is there");
            assert!(values.contains(&(option, expected)), "{kind} {}", option.name());
        }
        true
    });
}

/// CREATE and DISCARD without a task: a definition becomes a resource, and goes.
#[test]
fn a_definition_needs_no_task() {
    Site::new("management-create", APPLICATION).run(async |run| {
        let by = Manager::new(&run.house.running.region, &User::region());
        let kind = catalog::kind("TSMODEL").expect("a type");
        let definition = csd::read_attributes(csd::ResourceType::Tsmodel, "NEW", "PREFIX(NEW)");
        let definition = definition.expect("legal");
        assert_eq!(definitions::create(&by, &definition).await, Ok(()));
        assert!(kind.table.tell(&by, b"NEW").is_some());
        assert_eq!(definitions::discard(&by, kind, b"NEW").await, Ok(()));
        assert!(kind.table.tell(&by, b"NEW").is_none());
        assert!(definitions::discard(&by, kind, b"NEW").await.is_err());
        let incomplete = csd::read_attributes(csd::ResourceType::Tsmodel, "NEW", "LOCATION(MAIN)");
        assert!(definitions::create(&by, &incomplete.expect("legal")).await.is_err());
        true
    });
}
