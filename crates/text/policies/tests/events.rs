//! Event bindings and adapters as text, and what is read of them.

use policies::capture_specification::{CapturePoint, ItemSource};
use policies::ep_adapter::{AdapterKind, AdapterUser, DataFormat, read_set};
use policies::event_binding::AdapterOf;
use policies::event_values::{FieldType, Operator};
use policies::{EpAdapter, EventBinding, SystemKind};

const NAMESPACE: &str = "http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding";

const POLICY: &str = "<eventDispatcherPolicy><dispatchPriority>high</dispatchPriority>\
     <eventsTransactional>true</eventsTransactional><adapterUserid useContextUserid=\"false\"></adapterUserid>\
     <adapterTranId></adapterTranId></eventDispatcherPolicy>";

fn dispatcher(policy: &str, adapter: &str) -> String {
    format!(
        "<eventDispatcherSpecification><eventDispatcher>{policy}\n\
         <eventDispatcherAdapter>{adapter}</eventDispatcherAdapter>\
         </eventDispatcher></eventDispatcherSpecification>"
    )
}

fn queue() -> String {
    dispatcher(
        POLICY,
        "<cicsTSQueueAdapter><queueName>CATMAN</queueName><sysid></sysid>\
         <useAuxTempStorage>false</useAuxTempStorage><format>CFE</format></cicsTSQueueAdapter>",
    )
}

fn adapter(inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<e:EPAdapter xmlns:e=\"{NAMESPACE}\" CICSEPSchemaVersion=\"4\" CICSEPSchemaRelease=\"0\">\
         \n{inside}\n</e:EPAdapter>"
    )
}

fn binding(filter: &str, items: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n\
         <e:eventBinding xmlns:e=\"{NAMESPACE}\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"{NAMESPACE} CicsEventBinding.xsd\" CICSEPSchemaVersion=\"1\" CICSEPSchemaRelease=\"0\">\n\
         <description></description><userTag>ebref001</userTag>\n\
         <eventSpecification><name>Low</name><eventInformation>\
         <eventInformationItem name=\"First\" dataType=\"numeric\" dataPrecision=\"0\" length=\"4\" description=\"\"/>\
         <eventInformationItem name=\"Second\" dataType=\"text\" dataPrecision=\"0\" length=\"8\"/>\
         </eventInformation></eventSpecification>\n\
         <eventCaptureSpecification><name>On_rewrite</name><eventIdentifier>Low</eventIdentifier>\n\
         <filter>{filter}</filter>\n<dataCapture>{items}</dataCapture>\n</eventCaptureSpecification>\n{}\n</e:eventBinding>",
        queue()
    )
}

const LOCATION: &str = "<contextFilter><transactionId filterOperator=\"EQ\" filterValue=\"EGUI\"/>\
     <EIBAID filterOperator=\"OFF\" value=\"DFHENTER\"/></contextFilter>\
     <locationFilter filterType=\"CICS_API\"><rewriteCommand verb=\"REWRITE\" adVerb=\"\" isPre=\"false\">\
     <FILE keyword=\"FILE\" filterOperator=\"EQ\" filterValue=\"EXMPCAT\"/></rewriteCommand></locationFilter>";

fn data(attributes: &str) -> String {
    format!("{LOCATION}\n<dataFilter><filterItem><dataFilter {attributes}/></filterItem></dataFilter>")
}

#[test]
fn a_binding_of_the_published_form_is_read() {
    let filter = data(
        "source=\"FROM\" container=\"\" offset=\"53\" length=\"4\" dataType=\"ZONED\" dataPrecision=\"1\" \
         languageVariableName=\"STOCK\" filterOperator=\"LT\" filterValue=\"2.4\"",
    );
    let items = "<captureItem><contextCaptureItem source=\"PROGRAM\" eventItemName=\"Second\" formatlength=\"8\" \
                 formatdataType=\"text\"/></captureItem>\
                 <captureItem><dataCaptureItem source=\"FROM\" container=\"\" offset=\"0\" captureLength=\"4\" \
                 captureDataType=\"CHAR\" captureDataPrecision=\"0\" eventItemName=\"First\" formatlength=\"4\" \
                 formatdataType=\"text\" formatPrecision=\"0\"/></captureItem>";
    let read = EventBinding::read(&binding(&filter, items)).expect("a binding");
    assert_eq!((read.user_tag.as_str(), read.schema, read.events.len()), ("ebref001", (1, 0), 1));
    let [capture] = read.captures.as_slice() else { panic!("{:?}", read.captures) };
    assert_eq!(capture.point, CapturePoint::Command { words: "REWRITE".to_owned(), before: false });
    assert_eq!(
        (capture.context.len(), capture.options[0].value.as_str()),
        (1, "EXMPCAT"),
        "OFF is no filter"
    );
    let [filter] = capture.data.as_slice() else { panic!("{:?}", capture.data) };
    assert_eq!(
        (filter.operator, filter.number, filter.field.kind),
        (Operator::LessThan, 24, FieldType::Zoned)
    );
    let names: Vec<_> = capture.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["First", "Second"], "in the order of the event");
    assert!(matches!(&capture.items[0].source, ItemSource::Field(field) if field.length == 4));
    let AdapterOf::Own(own) = read.adapter else { panic!("{:?}", read.adapter) };
    assert!(own.is_urgent && own.transactional && !own.synchronous && own.user == AdapterUser::Region);
    assert_eq!(own.format, DataFormat::Cfe);
    assert_eq!(own.kind, AdapterKind::TsQueue { queue: "CATMAN".to_owned(), auxiliary: false });
}

fn system(words: &str, predicates: &str, context: &str) -> String {
    let (verb, more) = words.split_once(' ').unwrap_or((words, ""));
    format!(
        "{context}<locationFilter filterType=\"SYSTEM\"><systemEvent verb=\"{verb}\" adVerb=\"{more}\">{predicates}\
         </systemEvent></locationFilter>"
    )
}

fn option(keyword: &str) -> String {
    format!("<captureItem><locationCaptureItem keyword=\"{keyword}\" eventItemName=\"First\"/></captureItem>")
}

#[test]
fn system_events_have_the_published_predicates_and_items() {
    for (words, predicate, item, kind, primary) in [
        ("DB2 CONNECTION STATUS", "TO_CONNECTST", "DB2RELEASE", SystemKind::Db2Connection, ""),
        ("FILE ENABLE STATUS", "OPENSTATUS", "DSNAME", SystemKind::FileEnable, "FILE"),
        ("FILE OPEN STATUS", "FROM_OPENSTATUS", "ENABLESTATUS", SystemKind::FileOpen, "FILE"),
        ("MESSAGE", "MESSAGE_ID", "INSERT22", SystemKind::Message, "MESSAGE_ID"),
        ("MESSAGE", "INSERT5", "MESSAGE_ID", SystemKind::Message, "MESSAGE_ID"),
        ("TRANCLASS TASK THRESHOLD", "TRANCLASS", "MAXACTIVE", SystemKind::ClassTasks, "TRANCLASS"),
        ("TRANSACTION_ABEND", "ABCODE", "PROGRAM", SystemKind::Abend, "TRANSACTION"),
        ("UNHANDLED TRANSACTION ABEND", "TRANSACTION", "TRANSACTION", SystemKind::Abend, "TRANSACTION"),
    ] {
        let filter =
            format!("<{predicate} keyword=\"{predicate}\" filterOperator=\"SW\" filterValue=\"A\"/>");
        let read =
            EventBinding::read(&binding(&system(words, &filter, ""), &option(item))).expect("a binding");
        let CapturePoint::System(point) = &read.captures[0].point else { panic!("{:?}", read.captures) };
        assert_eq!((point.kind, point.primary), (kind, primary));
        assert_eq!(read.captures[0].options[0].keyword, predicate);
    }
    let above = "<PERCENT_MAXTASKS keyword=\"PERCENT_MAXTASKS\" filterOperator=\"GHT\" filterValue=\"80\"/>";
    let read = binding(&system("TASK THRESHOLD", above, ""), &option("FROM_TASKS"));
    let operator = EventBinding::read(&read).expect("a binding").captures[0].options[0].operator;
    assert_eq!((operator, operator.cvda()), (Operator::GoesAbove, "GOHIGHERTHAN"));
    for (from, to, above, below) in
        [(80, 81, true, false), (79, 80, false, false), (80, 79, false, true), (90, 95, false, false)]
    {
        assert_eq!(Operator::GoesAbove.accepts_change(from, to, 80), above, "{from} {to}");
        assert_eq!(Operator::GoesBelow.accepts_change(from, to, 80), below, "{from} {to}");
    }
}

#[test]
fn what_a_system_event_has_not_is_refused() {
    let data = "<dataFilter><filterItem><dataFilter source=\"FROM\" filterOperator=\"EX\"/></filterItem></dataFilter>";
    let percent = |operator: &str, value: &str| {
        format!("<PERCENT_MAXTASKS filterOperator=\"{operator}\" filterValue=\"{value}\"/>")
    };
    let user = "<contextFilter><userId filterOperator=\"EQ\" filterValue=\"X\"/></contextFilter>";
    let full = |predicates: &str| system("TASK THRESHOLD", predicates, "");
    for (filter, items, why) in [
        (
            system("MESSAGE", "<MESSAGE_ID filterOperator=\"EQ\" filterValue=\"DFHSI1517\"/>", ""),
            String::new(),
            "the message 'DFHSI1517' is none that a region here writes and tells",
        ),
        (system("MESSAGE", "", ""), option("INSERT23"), "the system event MESSAGE has no option 'INSERT23'"),
        (system("FILE SIZE", "", ""), String::new(), "there is no system event 'FILE SIZE'"),
        (
            full(&percent("GT", "50")),
            String::new(),
            "PERCENT_MAXTASKS cannot be compared so: GHT and GLT are for percentages alone",
        ),
        (
            full(&percent("GHT", "101")),
            String::new(),
            "the filterValue '101' of PERCENT_MAXTASKS is no percentage",
        ),
        (
            full("<FILE filterOperator=\"EQ\" filterValue=\"X\"/>"),
            String::new(),
            "the system event TASK THRESHOLD has no predicate 'FILE'",
        ),
        (full(""), option("DSNAME"), "the system event TASK THRESHOLD has no option 'DSNAME'"),
        (system("TASK THRESHOLD", "", user), String::new(), "the system event TASK THRESHOLD has no USERID"),
        (full("") + data, String::new(), "the system event TASK THRESHOLD has no storage of a program"),
    ] {
        let wrong = EventBinding::read(&binding(&filter, &items)).expect_err("refused");
        assert_eq!((wrong.line, wrong.why.as_str()), (6, why));
    }
}

#[test]
fn what_is_wrong_in_a_binding_is_named_with_its_line() {
    let wrong = |filter: &str, items: &str| EventBinding::read(&binding(filter, items)).expect_err("refused");
    let operator = LOCATION.replacen("\"EQ\"", "\"LIKE\"", 1);
    let system = LOCATION.replace("CICS_API", "SYSTEM");
    let other = LOCATION.replace("CICS_API", "DATABASE");
    let threshold = LOCATION.replace(
        "filterOperator=\"EQ\" filterValue=\"EXMPCAT\"",
        "filterOperator=\"GHT\" filterValue=\"50\"",
    );
    let item = "<captureItem><contextCaptureItem source=\"PROGRAM\" eventItemName=\"Third\"/></captureItem>";
    for (filter, items, line, why) in [
        (operator.as_str(), "", 6, "the filterOperator 'LIKE' of <transactionId> is not known"),
        (&system, "", 6, "there is no system event 'REWRITE'"),
        (&other, "", 6, "the filterType DATABASE is not known"),
        (&threshold, "", 6, "GHT and GLT are for the thresholds of system events"),
        (LOCATION, item, 5, "the event Low has no item 'Third'"),
        (&data("source=\"TWA\""), "", 7, "the source 'TWA' of <dataFilter> is not known"),
        (
            &data("source=\"FROM\" dataType=\"BFPSHORT\""),
            "",
            7,
            "the type 'BFPSHORT' of <dataFilter> is not built",
        ),
        (&data("source=\"CHANNEL\""), "", 7, "<dataFilter> names no container of the channel"),
        (
            &data(
                "source=\"FROM\" dataType=\"PACKED\" length=\"3\" filterOperator=\"GT\" filterValue=\"much\"",
            ),
            "",
            7,
            "the filterValue 'much' is no number of this field",
        ),
        (
            &data("source=\"FROM\" offset=\"99999\""),
            "",
            7,
            "offset of <dataFilter> is no number up to 32768: '99999'",
        ),
        (&data("source=\"FROM\" colour=\"red\""), "", 7, "the attribute colour of <dataFilter> is not known"),
    ] {
        let wrong = wrong(filter, items);
        assert_eq!((wrong.line, wrong.why.as_str()), (line, why));
    }
}

#[test]
fn hostile_text_is_refused() {
    let bomb =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]>\n<a>&c;</a>";
    let deep = format!("<e:eventBinding xmlns:e=\"{NAMESPACE}\">{}", "<a>".repeat(100_000));
    let long = format!("<e:eventBinding xmlns:e=\"{NAMESPACE}\">{}</e:eventBinding>", " ".repeat(2 << 20));
    let many = binding(LOCATION, "").replace(
        "<eventInformation>",
        &format!("<eventInformation>{}", "<eventInformationItem name=\"A\"/>".repeat(1_001)),
    );
    for (text, what) in
        [(bomb, "bomb"), (&deep, "deep"), (&long, "long"), (&many, "many"), ("", "empty"), ("<a", "cut")]
    {
        assert!(EventBinding::read(text).is_err(), "{what}");
        assert!(EpAdapter::read(text).is_err(), "{what}");
    }
}

#[test]
fn adapters_say_what_goes_together() {
    let read = |policy: &str, inside: &str| EpAdapter::read(&adapter(&dispatcher(policy, inside)));
    let start = "<cicsTransactionAdapter><transactionId>LGST</transactionId><sysid></sysid>\
                 <userid useContextUserid=\"true\"></userid><format>CCE</format></cicsTransactionAdapter>";
    let started = read(POLICY, start).expect("an adapter").kind;
    assert_eq!(started, AdapterKind::Transaction { name: "LGST".to_owned(), user: AdapterUser::Context });
    let together = POLICY.replace(
        "</eventDispatcherPolicy>",
        "<emissionMode>synchronous</emissionMode></eventDispatcherPolicy>",
    );
    for (policy, inside, why) in [
        (POLICY, "<wmqAdapter/>", "the adapter <wmqAdapter> is not built"),
        (
            POLICY,
            "<cicsTDQueueAdapter><queueName>TDQ1</queueName><sysid>SYS2</sysid><format>CFE</format></cicsTDQueueAdapter>",
            "events to another system (<sysid> SYS2) are not built",
        ),
        (
            POLICY,
            "<cicsTDQueueAdapter><format>CFE</format></cicsTDQueueAdapter>",
            "<cicsTDQueueAdapter> has no <queueName>",
        ),
        (
            POLICY,
            "<cicsTDQueueAdapter><queueName>TDQ1</queueName><format>XYZ</format></cicsTDQueueAdapter>",
            "the format 'XYZ' of events is not known",
        ),
        (
            &together,
            start,
            "<cicsTransactionAdapter> cannot be backed out, so that its events are not transactional and synchronous",
        ),
        (POLICY, "<customAdapter/>", "a custom adapter needs its transaction, <adapterTranId>"),
    ] {
        let wrong = read(policy, inside).expect_err("refused");
        assert_eq!(wrong.why, why);
    }
}

#[test]
fn a_set_has_names() {
    let set = |inside: &str| {
        read_set(&format!(
            "<e:EPAdapterSet xmlns:e=\"{NAMESPACE}\" CICSEPSchemaVersion=\"3\" CICSEPSchemaRelease=\"0\">{inside}</e:EPAdapterSet>"
        ))
    };
    let name = |name: &str| format!("<eventAdapterName>{name}</eventAdapterName>");
    assert_eq!(set(&(name("A") + &name("B"))), Ok(vec!["A".to_owned(), "B".to_owned()]));
    assert!(set("").is_err() && set(&(name("A") + &name("A"))).is_err() && set(&name("9")).is_err());
}
