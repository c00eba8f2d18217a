//! The hostile requests over sockets: each is answered with its status and its connection ends, and nothing behind it is
//! a request.

#[path = "../../http/tests/hostile/cases.rs"]
mod cases;
mod common;

use cases::{Case, Wanted};
use web::{Limits, Welcome};

/// Checks that the answers to a case are the wanted ones.
fn judge(case: &Case, answer: &str) {
    let statuses = answer.lines().filter_map(|line| line.split_once("HTTP/1.1 "));
    let answers: Vec<_> = statuses
        .filter_map(|(_, status)| status.split(' ').next())
        .filter(|status| status.len() == 3 && status.parse::<u16>().is_ok())
        .collect();
    match case.wanted {
        Wanted::Taken(count) => assert_eq!(answers, vec!["200"; count], "{}", case.name),
        Wanted::Refused(status) => {
            assert_eq!(answers, [status.to_string()], "{}: {answer}", case.name);
            assert!(answer.contains("Connection: close\r\n"), "{}", case.name);
        }
    }
}

/// A refused client has no place any more.
async fn is_left_by_all(open: &common::Open) {
    while open.door.connections() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn hostile_requests_are_answered_and_their_connections_end() {
    common::local(async {
        let open = common::open(Limits::default(), Welcome::default());
        for case in cases::all() {
            judge(&case, &open.exchange(&case.bytes).await);
        }
        is_left_by_all(&open).await;
    })
    .await;
}

#[tokio::test]
async fn hostile_requests_are_answered_over_tls_as_without() {
    common::local(async {
        let (certificate, client) = common::certificate(&["h2", "http/1.1"]);
        let welcome = Welcome { certificate: Some(certificate), http2: true, ..Welcome::default() };
        let open = common::open(Limits::default(), welcome);
        for case in cases::all() {
            judge(&case, &open.exchange_by_tls(&client, &case.bytes).await);
        }
        is_left_by_all(&open).await;
    })
    .await;
}
