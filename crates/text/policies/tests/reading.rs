//! Policies as text, and what is read of them.

use policies::task_rule::{Owner, StoragePlace};
use policies::{
    Action, Condition, HealthStatus, Occurrence, Policy, Quantity, SystemKind, SystemRule, TaskRule,
};

fn policy(rules: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <p:policy xmlns:p=\"http://www.ibm.com/xmlns/prod/cics/managedplatform/policy\" policySchemaVersion=\"1\" policySchemaRelease=\"0\">\n\
         <description>Rules</description>\n<userTag>tag_1</userTag>\n{rules}\n</p:policy>"
    )
}

fn rule(kind: &str, condition: &str, action: &str) -> String {
    policy(&format!(
        "<rule type=\"{kind}\">\n<name>one</name>\n{condition}\n<action>{action}</action>\n</rule>"
    ))
}

fn task_rule(kind: &str, condition: &str) -> TaskRule {
    let read = Policy::read(&rule(kind, condition, "<message/>")).expect("a policy");
    match read.rules.into_iter().next().map(|rule| rule.condition) {
        Some(Condition::Task(rule)) => rule,
        other => panic!("{other:?}"),
    }
}

#[test]
fn thresholds_have_their_units() {
    for (kind, condition, quantity, most) in [
        (
            "filerequest",
            r#"<fileRequestCondition item="readupdate" operator="GT" unit="K" value="2"/>"#,
            Quantity::ReadUpdate,
            2_000,
        ),
        (
            "storage",
            r#"<storageUsedCondition item="task24" operator="GT" unit="M" value="2"/>"#,
            Quantity::Storage(Owner::Task, StoragePlace::Bits24),
            2 << 20,
        ),
        (
            "time",
            r#"<timeCondition item="cpulimit" operator="GT" unit="M" value="5"/>"#,
            Quantity::Processor,
            5_000_000,
        ),
        (
            "time",
            r#"<timeCondition item="elapsed" operator="GT" unit="O" value="5"/>"#,
            Quantity::Elapsed,
            5_000,
        ),
        (
            "syncpointrequest",
            r#"<syncpointRequestCondition item="syncpoint" operator="GT" unit="" value="0"/>"#,
            Quantity::Syncpoint,
            0,
        ),
    ] {
        let read = task_rule(kind, condition);
        assert_eq!((read.kind, read.quantity, read.most), (kind, quantity, most));
    }
}

#[test]
fn a_rule_has_its_action() {
    let condition = r#"<programRequestCondition item="link" operator="GT" unit="" value="9"/>"#;
    for (action, expected) in [
        ("<message/>", Action::Message),
        ("<abend/>", Action::Abend("AMPB".into())),
        ("<abend><abendCode>LOTS</abendCode></abend>", Action::Abend("LOTS".into())),
        (
            "<event><epAdapter>ALARM</epAdapter></event>",
            Action::Event { adapter: "ALARM".into(), is_set: false },
        ),
    ] {
        let read = Policy::read(&rule("programrequest", condition, action)).expect("a policy");
        assert_eq!((read.user_tag.as_str(), &read.rules[0].action), ("tag_1", &expected));
    }
}

#[test]
fn what_is_not_known_is_named_with_its_line() {
    let good = r#"<programRequestCondition item="link" operator="GT" unit="" value="9"/>"#;
    for (text, line, why) in [
        (rule("programrequests", good, "<message/>"), 5, "the rule type 'programrequests' is not known"),
        (
            rule("programrequest", &good.replace("link", "xctl"), "<message/>"),
            7,
            "the item 'xctl' of the rule type 'programrequest' is not known",
        ),
        (rule("programrequest", &good.replace("GT", "LT"), "<message/>"), 7, "the operator 'LT' is not GT"),
        (
            rule("programrequest", &good.replace("unit=\"\"", "unit=\"M\""), "<message/>"),
            7,
            "the unit 'M' is none of the rule type 'programrequest': K, or none",
        ),
        (
            rule(
                "programrequest",
                &good.replace("\"9\"", "\"4294968\"").replace("unit=\"\"", "unit=\"K\""),
                "<message/>",
            ),
            7,
            "the threshold 4294968K is too high for 'link'",
        ),
        (rule("programrequest", good, "<purge/>"), 8, "<purge> is not known in <action>"),
        (
            rule("programrequest", good, "<setWlmHealth/>"),
            8,
            "the action 'setWlmHealth' is one of rules about the region alone",
        ),
        (
            rule("programrequest", good, "<reject/>"),
            8,
            "only a rule of the type 'aidThreshold' has a request to refuse",
        ),
        (
            rule("programrequest", good, "<abend><abendCode>TOOLONG</abendCode></abend>"),
            8,
            "the abend code 'TOOLONG' is none",
        ),
        (
            rule("dbctlConnectionStatus", "", "<message/>"),
            5,
            "the rule type 'dbctlConnectionStatus' is not built: there is no DL/I",
        ),
        (policy("<extra/>"), 5, "<extra> is not known in <policy>"),
        (policy(""), 2, "a policy has 1 to 1000 rules"),
    ] {
        let wrong = Policy::read(&text).expect_err(why);
        assert_eq!((wrong.why.as_str(), wrong.line), (why, line));
    }
}

#[test]
fn a_percentage_is_passed_in_one_direction() {
    let threshold = |operator: &str| {
        let condition = format!(
            "<taskThresholdCondition><contextFilter><TRANSACTION_ID filterOperator=\"OFF\" filterValue=\"\"/></contextFilter>\
             <taskThresholdFilter><PERCENT_MAXTASKS filterFieldLength=\"4\" filterOperator=\"{operator}\" filterValue=\"90\" \
             keyword=\"PERCENT_MAXTASKS\"/></taskThresholdFilter></taskThresholdCondition>"
        );
        let text = rule("taskThreshold", &condition, "<message/>")
            .replace("<rule type", "<rule group=\"SYSTEM\" type");
        match Policy::read(&text).expect("a policy").rules.remove(0).condition {
            Condition::System(rule) => rule,
            other => panic!("{other:?}"),
        }
    };
    let occurrence = |from: u32, to: u32| Occurrence {
        kind: SystemKind::Tasks,
        transaction: "WORK".into(),
        user: "SOMEBODY".into(),
        name: String::new(),
        from: from.to_string(),
        to: to.to_string(),
        inserts: Vec::new(),
    };
    let (above, below) = (threshold("GHT"), threshold("GLT"));
    for (from, to, is_above, is_below) in [
        (90, 91, true, false),
        (91, 92, false, false),
        (89, 90, false, false),
        (91, 89, false, true),
        (50, 100, true, false),
    ] {
        let seen = occurrence(from, to);
        assert_eq!((above.is_about(&seen), below.is_about(&seen)), (is_above, is_below), "{from} to {to}");
    }
}

#[test]
fn filters_name_resources_and_their_statuses() {
    let condition = "<fileOpenStatusCondition><contextFilter><USER_ID filterOperator=\"NEQ\" filterValue=\"BATCH\"/></contextFilter>\
        <fileOpenStatusFilter><FILE filterOperator=\"STW\" filterValue=\"CUST\"/>\
        <TO_OPENSTATUS filterOperator=\"EQ\" filterValue=\"CLOSED\"/></fileOpenStatusFilter></fileOpenStatusCondition>";
    let text = rule("fileOpenStatus", condition, "<message/>");
    let Condition::System(rule) = Policy::read(&text).expect("a policy").rules.remove(0).condition else {
        panic!("a rule about the region")
    };
    let seen = |name: &str, to: &str, user: &str| Occurrence {
        kind: SystemKind::FileOpen,
        transaction: "CEMT".into(),
        user: user.into(),
        name: name.into(),
        from: "OPEN".into(),
        to: to.into(),
        inserts: Vec::new(),
    };
    assert!(rule.is_about(&seen("CUSTOMER", "CLOSED", "ANN")));
    assert!(!rule.is_about(&seen("CUSTOMER", "CLOSING", "ANN")));
    assert!(!rule.is_about(&seen("ORDERS", "CLOSED", "ANN")));
    assert!(!rule.is_about(&seen("CUSTOMER", "CLOSED", "BATCH")));
}

fn system_rule(kind: &str, filter: &str) -> Result<SystemRule, String> {
    let condition = format!("<{kind}Condition><{kind}Filter>{filter}</{kind}Filter></{kind}Condition>");
    let read = Policy::read(&rule(kind, &condition, "<message/>")).map_err(|wrong| wrong.why)?;
    match read.rules.into_iter().next().map(|rule| rule.condition) {
        Some(Condition::System(rule)) => Ok(rule),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_is_named_by_its_number_and_its_inserts() {
    let failed = "<MESSAGE_ID filterOperator=\"EQ\" filterValue=\"DFHAC2206\"/><INSERT5 filterOperator=\"STW\" filterValue=\"BAD\"/>";
    let rule = system_rule("message", failed).expect("a rule");
    let seen = |id: &str, inserts: &[&str]| Occurrence {
        kind: SystemKind::Message,
        transaction: String::new(),
        user: String::new(),
        name: id.into(),
        from: String::new(),
        to: String::new(),
        inserts: inserts.iter().map(|insert| (*insert).to_owned()).collect(),
    };
    let common = ["12/31/2026", "23:59:59", "BANK", "PAYS"];
    let with = |code: &'static str| [&common[..], &[code]].concat();
    assert!(rule.is_about(&seen("DFHAC2206", &with("BAD1"))));
    assert!(!rule.is_about(&seen("DFHAC2206", &with("ASRA"))));
    assert!(!rule.is_about(&seen("DFHAC2206", &common)));
    assert!(!rule.is_about(&seen("DFHAC2001", &with("BAD1"))));
}

#[test]
fn filters_that_can_never_hold_are_refused() {
    for (kind, filter, why) in [
        (
            "message",
            "<MESSAGE_ID filterOperator=\"EQ\" filterValue=\"DFHSI1517\"/>",
            "the message 'DFHSI1517' is none that a region here writes and tells",
        ),
        (
            "message",
            "<INSERT23 filterOperator=\"EQ\" filterValue=\"A\"/>",
            "the filter <INSERT23> is not known here",
        ),
        (
            "transactionDump",
            "<INSERT1 filterOperator=\"EQ\" filterValue=\"A\"/>",
            "the filter <INSERT1> is not known here",
        ),
        (
            "aidThreshold",
            "<AID_COUNT filterOperator=\"GLT\" filterValue=\"5\"/>",
            "<AID_COUNT> cannot be compared so with '5'",
        ),
        (
            "aidThreshold",
            "<AID_COUNT filterOperator=\"GHT\" filterValue=\"-5\"/>",
            "<AID_COUNT> cannot be compared so with '-5'",
        ),
        (
            "healthPercentage",
            "<PERCENT_HEALTH filterOperator=\"GLT\" filterValue=\"101\"/>",
            "<PERCENT_HEALTH> cannot be compared so with '101'",
        ),
    ] {
        assert_eq!(system_rule(kind, filter).expect_err(filter), why);
    }
    assert!(system_rule("aidThreshold", "<AID_COUNT filterOperator=\"GHT\" filterValue=\"1000\"/>").is_ok());
}

#[test]
fn the_health_of_a_region_is_set_by_rules_about_the_region() {
    let condition = "<transactionDumpCondition><transactionDumpFilter>\
        <DUMP_CODE filterOperator=\"EQ\" filterValue=\"ASRA\"/></transactionDumpFilter></transactionDumpCondition>";
    let action = |action: &str| {
        let read = Policy::read(&rule("transactionDump", condition, action));
        read.map(|policy| policy.rules[0].action.clone()).map_err(|wrong| (wrong.why, wrong.line))
    };
    for (status, expected) in
        [("OPEN", HealthStatus::Open), ("CLOSED", HealthStatus::Closed), ("IMMCLOSE", HealthStatus::ImmClose)]
    {
        let within = format!("<setWlmHealth><openStatus>{status}</openStatus></setWlmHealth>");
        assert_eq!(action(&within), Ok(Action::Health(expected)));
        assert_eq!(action(&format!("<setHealth openStatus=\"{status}\"/>")), Ok(Action::Health(expected)));
    }
    let none = "the openStatus 'SHUT' is none: OPEN, CLOSED or IMMCLOSE";
    assert_eq!(action("<setWlmHealth openStatus=\"SHUT\"/>"), Err((none.into(), 8)));
}
