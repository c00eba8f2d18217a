//! The start of sessions, as conversations.
//!
//! A test gives the terminal's messages (`terminal`) and the decisions of the owner of the region's end (`assign`,
//! `refuse`, `turn-away`, `tls`); it expects the whole conversation. The first three were recorded from real clients.

use expect_test::{Expect, expect};
use tn3270::telnet::{Event, Functions, Offer, Reject, RequestedLu, Server, StartTls, read, show};

/// Runs a script against a new server and compares all that was said and all that happened.
fn check(offer: Offer, script: &str, expected: &Expect) {
    let mut server = Server::new(offer);
    let mut log = String::new();
    note(&mut server, &mut log);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        log.push_str(&format!("{line}\n"));
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "terminal" => server.receive(&read(rest).expect("a line of a trace")),
            "assign" => server.assign(rest),
            "refuse" => server.refuse(Reject::DeviceInUse, rest),
            "turn-away" => server.turn_away(rest),
            "tls" => server.tls_established(),
            other => panic!("'{other}' is not a line of a script"),
        }
        note(&mut server, &mut log);
    }
    expected.assert_eq(&log);
}

/// Appends the server's output and events.
fn note(server: &mut Server, log: &mut String) {
    let mut events = String::new();
    while let Some(event) = server.event() {
        events.push_str(&format!("  event {}\n", describe(&event)));
    }
    for line in show(&std::mem::take(server.output())).lines() {
        log.push_str(&format!("    region {line}\n"));
    }
    log.push_str(&events);
}

fn describe(event: &Event) -> String {
    match event {
        Event::Request(request) => match &request.lu {
            None => format!("{} wants any LU", request.device),
            Some(RequestedLu::Connect(lu)) => format!("{} wants LU {lu}", request.device),
            Some(RequestedLu::Associate(lu)) => format!("{} wants the printer of {lu}", request.device),
        },
        Event::Ended(ending) => format!("ended: {ending}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn s3270_negotiates_tn3270e_and_is_bound_before_any_data() {
    check(
        Offer { application: vec![0xC3, 0xC9, 0xC3, 0xE2], ..Offer::default() },
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-4-E'
         assign T001
         terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE RESPONSES SYSREQ
         terminal RECORD 00 00 00 00 00 7D 40 40",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-4-E'
              event IBM-3278-4-E wants any LU
            assign T001
                region SB TN3270E DEVICE-TYPE IS 'IBM-3278-4-E' CONNECT 'T001'
            terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE RESPONSES SYSREQ
                region SB TN3270E FUNCTIONS IS BIND-IMAGE RESPONSES SYSREQ
                region RECORD 03 00 00 00 00 31 01 03 03 B1 90 30 80 00 00 87 F8 00 00 02 80 00 00 00 00 00 00 00 00 03 00 00 04 C3 C9 C3 E2 00
              event Ready(Enhanced(Functions[0, 2, 4]))
            terminal RECORD 00 00 00 00 00 7D 40 40
              event Record([125, 64, 64])
        "#]],
    );
}

#[test]
fn tnz_is_queried_for_its_size_and_never_bound() {
    check(
        Offer::default(),
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-DYNAMIC' CONNECT 'LU42'
         assign LU42
         terminal SB TN3270E FUNCTIONS REQUEST RESPONSES
         terminal RECORD 02 00 00 00 00 00",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-DYNAMIC' CONNECT 'LU42'
              event IBM-DYNAMIC wants LU LU42
            assign LU42
                region SB TN3270E DEVICE-TYPE IS 'IBM-DYNAMIC' CONNECT 'LU42'
            terminal SB TN3270E FUNCTIONS REQUEST RESPONSES
                region SB TN3270E FUNCTIONS IS RESPONSES
              event Ready(Enhanced(Functions[2]))
            terminal RECORD 02 00 00 00 00 00
              event Response { sequence: 0, outcome: Positive }
        "#]],
    );
}

#[test]
fn galasa_may_ask_again_when_its_device_type_is_refused() {
    check(
        Offer::default(),
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-DYNAMIC'
         refuse no such device type
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2'
         assign T001
         terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE SYSREQ",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-DYNAMIC'
              event IBM-DYNAMIC wants any LU
            refuse no such device type
                region SB TN3270E DEVICE-TYPE REJECT REASON DEVICE-IN-USE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2'
              event IBM-3278-2 wants any LU
            assign T001
                region SB TN3270E DEVICE-TYPE IS 'IBM-3278-2' CONNECT 'T001'
            terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE SYSREQ
                region SB TN3270E FUNCTIONS IS BIND-IMAGE SYSREQ
                region RECORD 03 00 00 00 00 31 01 03 03 B1 90 30 80 00 00 87 F8 00 00 02 80 00 00 00 00 18 50 18 50 7F 00 00 00 00
              event Ready(Enhanced(Functions[0, 4]))
        "#]],
    );
}

#[test]
fn a_client_without_tn3270e_gets_plain_tn3270_in_adjacent_pairs() {
    check(
        Offer::default(),
        "terminal WONT TN3270E
         terminal WILL TERMINAL-TYPE
         terminal SB TERMINAL-TYPE IS 'IBM-3279-2-E@LU7'
         assign LU7
         terminal WILL EOR
         terminal DO EOR
         terminal WILL BINARY
         terminal DO BINARY
         terminal RECORD 7D 40 40 FF",
        &expect![[r#"
                region DO TN3270E
            terminal WONT TN3270E
                region DO TERMINAL-TYPE
            terminal WILL TERMINAL-TYPE
                region SB TERMINAL-TYPE SEND
            terminal SB TERMINAL-TYPE IS 'IBM-3279-2-E@LU7'
              event IBM-3279-2-E wants LU LU7
            assign LU7
                region DO EOR
                region WILL EOR
                region DO BINARY
                region WILL BINARY
            terminal WILL EOR
            terminal DO EOR
            terminal WILL BINARY
            terminal DO BINARY
              event Ready(Plain)
            terminal RECORD 7D 40 40 FF
              event Record([125, 64, 64, 255])
        "#]],
    );
}

#[test]
fn answers_may_come_before_the_question() {
    check(
        Offer { tn3270e: false, ..Offer::default() },
        "terminal WILL TERMINAL-TYPE
         terminal WILL EOR
         terminal DO EOR
         terminal WILL BINARY
         terminal DO BINARY
         terminal SB TERMINAL-TYPE IS 'IBM-3278-2'
         assign T001",
        &expect![[r#"
                region DO TERMINAL-TYPE
            terminal WILL TERMINAL-TYPE
                region SB TERMINAL-TYPE SEND
            terminal WILL EOR
            terminal DO EOR
            terminal WILL BINARY
            terminal DO BINARY
            terminal SB TERMINAL-TYPE IS 'IBM-3278-2'
              event IBM-3278-2 wants any LU
            assign T001
                region DO EOR
                region WILL EOR
                region DO BINARY
                region WILL BINARY
              event Ready(Plain)
        "#]],
    );
}

#[test]
fn a_name_in_use_is_rejected_and_the_fallback_does_not_get_around_it() {
    check(
        Offer::default(),
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E' CONNECT 'TAKEN'
         refuse LU TAKEN is in use
         terminal WONT TN3270E",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E' CONNECT 'TAKEN'
              event IBM-3278-2-E wants LU TAKEN
            refuse LU TAKEN is in use
                region SB TN3270E DEVICE-TYPE REJECT REASON DEVICE-IN-USE
            terminal WONT TN3270E
                region DONT TN3270E
                region TEXT 'LU TAKEN is in use\r\n'
              event ended: refused: LU TAKEN is in use
        "#]],
    );
}

#[test]
fn only_functions_that_were_asked_for_are_agreed() {
    check(
        Offer { functions: Functions::from_codes(&[0, 2]), ..Offer::default() },
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E'
         assign T001
         terminal SB TN3270E FUNCTIONS REQUEST RESPONSES SYSREQ CONTENTION-RESOLUTION
         terminal SB TN3270E FUNCTIONS IS RESPONSES",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E'
              event IBM-3278-2-E wants any LU
            assign T001
                region SB TN3270E DEVICE-TYPE IS 'IBM-3278-2-E' CONNECT 'T001'
            terminal SB TN3270E FUNCTIONS REQUEST RESPONSES SYSREQ CONTENTION-RESOLUTION
                region SB TN3270E FUNCTIONS REQUEST RESPONSES
            terminal SB TN3270E FUNCTIONS IS RESPONSES
              event Ready(Enhanced(Functions[2]))
        "#]],
    );
}

#[test]
fn a_line_mode_client_is_told_what_this_is() {
    check(
        Offer::default(),
        "terminal WONT TN3270E
         terminal WONT TERMINAL-TYPE",
        &expect![[r#"
                region DO TN3270E
            terminal WONT TN3270E
                region DO TERMINAL-TYPE
            terminal WONT TERMINAL-TYPE
                region TEXT 'This is a TN3270 server: it serves 3270 terminals and their emulators only.\r\n'
              event ended: the client is no 3270: it has no terminal type
        "#]],
    );
}

#[test]
fn a_terminal_type_that_repeats_is_the_last_one() {
    check(
        Offer::default(),
        "terminal WONT TN3270E
         terminal WILL TERMINAL-TYPE
         terminal SB TERMINAL-TYPE IS 'XTERM-256COLOR'
         terminal SB TERMINAL-TYPE IS 'XTERM-256COLOR'",
        &expect![[r#"
                region DO TN3270E
            terminal WONT TN3270E
                region DO TERMINAL-TYPE
            terminal WILL TERMINAL-TYPE
                region SB TERMINAL-TYPE SEND
            terminal SB TERMINAL-TYPE IS 'XTERM-256COLOR'
                region SB TERMINAL-TYPE SEND
            terminal SB TERMINAL-TYPE IS 'XTERM-256COLOR'
                region TEXT 'This is a TN3270 server: it serves 3270 terminals and their emulators only.\r\n'
              event ended: the client is no 3270: terminal type XTERM-256COLOR
        "#]],
    );
}

#[test]
fn text_before_a_session_comes_from_no_3270() {
    check(
        Offer::default(),
        "terminal TEXT 'GET / HTTP/1.1'",
        &expect![[r#"
            region DO TN3270E
        terminal TEXT 'GET / HTTP/1.1'
            region TEXT 'This is a TN3270 server: it serves 3270 terminals and their emulators only.\r\n'
          event ended: the client is no 3270: it sends plain text
    "#]],
    );
}

#[test]
fn options_that_were_not_asked_for_are_declined() {
    check(
        Offer::default(),
        "terminal WILL NEW-ENVIRON
         terminal DO SUPPRESS-GO-AHEAD
         terminal DONT ECHO
         terminal WONT ECHO
         terminal DO TIMING-MARK",
        &expect![[r#"
                region DO TN3270E
            terminal WILL NEW-ENVIRON
                region DONT NEW-ENVIRON
            terminal DO SUPPRESS-GO-AHEAD
                region WONT SUPPRESS-GO-AHEAD
            terminal DONT ECHO
            terminal WONT ECHO
            terminal DO TIMING-MARK
                region WILL TIMING-MARK
        "#]],
    );
}

#[test]
fn a_refused_client_reads_why() {
    check(
        Offer::default(),
        "turn-away The region has reached its limit of 500 terminals.",
        &expect![[r#"
            region DO TN3270E
        turn-away The region has reached its limit of 500 terminals.
            region TEXT 'The region has reached its limit of 500 terminals.\r\n'
          event ended: refused: The region has reached its limit of 500 terminals.
    "#]],
    );
}

#[test]
fn tls_by_negotiation_starts_the_conversation_anew() {
    check(
        Offer { start_tls: StartTls::Required, ..Offer::default() },
        "terminal WILL START-TLS
         terminal SB START-TLS FOLLOWS
         tls
         terminal WILL TN3270E",
        &expect![[r#"
                region DO START-TLS
            terminal WILL START-TLS
                region SB START-TLS FOLLOWS
            terminal SB START-TLS FOLLOWS
              event StartTls
            tls
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
        "#]],
    );
    check(
        Offer { start_tls: StartTls::Required, ..Offer::default() },
        "terminal WONT START-TLS",
        &expect![[r#"
                region DO START-TLS
            terminal WONT START-TLS
                region TEXT 'This TN3270 server speaks TLS only, and the client has refused it.\r\n'
              event ended: the client refuses TLS
        "#]],
    );
}

#[test]
fn pr3287_is_bound_as_a_printer_of_the_data_stream() {
    check(
        Offer::default(),
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3287-1' CONNECT 'LUPRT1'
         assign LUPRT1
         terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE DATA-STREAM-CTL RESPONSES SCS-CTL-CODES SYSREQ
         terminal SB TN3270E FUNCTIONS IS BIND-IMAGE DATA-STREAM-CTL RESPONSES SCS-CTL-CODES
         terminal RECORD 02 00 00 00 00 00
         terminal RECORD 02 00 01 00 01 01
         terminal RECORD 06 00 00 00 00",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3287-1' CONNECT 'LUPRT1'
              event IBM-3287-1 wants LU LUPRT1
            assign LUPRT1
                region SB TN3270E DEVICE-TYPE IS 'IBM-3287-1' CONNECT 'LUPRT1'
            terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE DATA-STREAM-CTL RESPONSES SCS-CTL-CODES SYSREQ
                region SB TN3270E FUNCTIONS REQUEST BIND-IMAGE DATA-STREAM-CTL RESPONSES SCS-CTL-CODES
            terminal SB TN3270E FUNCTIONS IS BIND-IMAGE DATA-STREAM-CTL RESPONSES SCS-CTL-CODES
                region RECORD 03 00 00 00 00 31 01 03 03 B1 90 30 80 00 00 87 F8 00 00 03 00 00 00 00 00 18 50 18 50 7F 00 00 00 00
              event Ready(Enhanced(Functions[0, 1, 2, 3]))
            terminal RECORD 02 00 00 00 00 00
              event Response { sequence: 0, outcome: Positive }
            terminal RECORD 02 00 01 00 01 01
              event Response { sequence: 1, outcome: Negative(1) }
            terminal RECORD 06 00 00 00 00
              event ErrorCleared
        "#]],
    );
}

#[test]
fn a_printer_that_takes_scs_only_is_bound_as_one() {
    check(
        Offer::default(),
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3287-1' ASSOCIATE 'T001'
         assign LUPRT2
         terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE SCS-CTL-CODES",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3287-1' ASSOCIATE 'T001'
              event IBM-3287-1 wants the printer of T001
            assign LUPRT2
                region SB TN3270E DEVICE-TYPE IS 'IBM-3287-1' CONNECT 'LUPRT2'
            terminal SB TN3270E FUNCTIONS REQUEST BIND-IMAGE SCS-CTL-CODES
                region SB TN3270E FUNCTIONS IS BIND-IMAGE SCS-CTL-CODES
                region RECORD 03 00 00 00 00 31 01 03 03 B1 90 30 80 00 00 87 F8 00 00 01 00 00 00 00 00 18 50 18 50 7F 00 00 00 00
              event Ready(Enhanced(Functions[0, 3]))
        "#]],
    );
}

#[test]
fn what_is_typed_behind_sysreq_is_no_input_of_the_session() {
    check(
        Offer::default(),
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E'
         assign T001
         terminal SB TN3270E FUNCTIONS REQUEST SYSREQ
         terminal AO
         terminal RECORD 07 00 00 00 00 D3 D6 C7 D6 C6 C6
         terminal AO",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E'
              event IBM-3278-2-E wants any LU
            assign T001
                region SB TN3270E DEVICE-TYPE IS 'IBM-3278-2-E' CONNECT 'T001'
            terminal SB TN3270E FUNCTIONS REQUEST SYSREQ
                region SB TN3270E FUNCTIONS IS SYSREQ
              event Ready(Enhanced(Functions[4]))
            terminal AO
              event SystemRequest
            terminal RECORD 07 00 00 00 00 D3 D6 C7 D6 C6 C6
              event ServiceText([211, 214, 199, 214, 198, 198])
            terminal AO
              event SystemRequest
        "#]],
    );
}

#[test]
fn without_the_function_sysreq_is_nothing() {
    check(
        Offer::default(),
        "terminal WILL TN3270E
         terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E'
         assign T001
         terminal SB TN3270E FUNCTIONS REQUEST RESPONSES
         terminal AO
         terminal RECORD 07 00 00 00 00 D3 D6 C7 D6 C6 C6",
        &expect![[r#"
                region DO TN3270E
            terminal WILL TN3270E
                region SB TN3270E SEND DEVICE-TYPE
            terminal SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2-E'
              event IBM-3278-2-E wants any LU
            assign T001
                region SB TN3270E DEVICE-TYPE IS 'IBM-3278-2-E' CONNECT 'T001'
            terminal SB TN3270E FUNCTIONS REQUEST RESPONSES
                region SB TN3270E FUNCTIONS IS RESPONSES
              event Ready(Enhanced(Functions[2]))
            terminal AO
            terminal RECORD 07 00 00 00 00 D3 D6 C7 D6 C6 C6
        "#]],
    );
}
