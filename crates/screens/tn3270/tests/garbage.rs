//! Whatever comes from outside: nothing panics, and everything keeps its limits.

use ebcdic::CodePage;
use proptest::prelude::*;
use tn3270::datastream::{
    Aid, Capabilities, Inbound, Input, Order, Outbound, Size, code, orders, read_query_reply,
};
use tn3270::screen::Screen;
use tn3270::telnet::{
    Client, Decoder, DeviceType, Event, Functions, Item, NEGOTIATION_LEN_MAX, Offer, Server, Wish,
    put_record, read, show,
};

/// Bytes of which many are telnet commands, options and small codes.
fn telnet_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(255u8), 239u8..=255, 0u8..=8, Just(24), Just(25), Just(40), any::<u8>()];
    prop::collection::vec(byte, 0..400)
}

/// Bytes of which many are orders, commands and small addresses.
fn stream_bytes() -> impl Strategy<Value = Vec<u8>> {
    let order = prop::sample::select(vec![
        code::PT,
        code::GE,
        code::SBA,
        code::EUA,
        code::IC,
        code::SF,
        code::SA,
        code::SFE,
        code::MF,
        code::RA,
    ]);
    let byte = prop_oneof![order, 0x40u8..=0x7F, 0u8..=4, Just(0xC0u8), any::<u8>()];
    prop::collection::vec(byte, 0..200)
}

fn commands() -> impl Strategy<Value = u8> {
    prop::sample::select(vec![0xF1u8, 0xF5, 0x7E, 0x6F, 0xF3, 0xF2, 0xF6, 0x6E])
}

proptest! {
    #[test]
    fn a_server_survives_any_client(packets in prop::collection::vec(telnet_bytes(), 0..8), ready in any::<bool>()) {
        let mut server = Server::new(Offer::default());
        if ready {
            let all = "WILL TN3270E\nSB TN3270E DEVICE-TYPE REQUEST 'IBM-DYNAMIC'\nSB TN3270E FUNCTIONS REQUEST RESPONSES";
            server.receive(&read(all).expect("a trace"));
        }
        for packet in packets {
            server.receive(&packet);
            while let Some(event) = server.event() {
                if let Event::Request(_) = event {
                    server.assign("T001");
                }
            }
        }
        prop_assert!(server.output().len() < 2 * NEGOTIATION_LEN_MAX);
    }

    #[test]
    fn a_client_survives_any_server(packets in prop::collection::vec(telnet_bytes(), 0..8)) {
        let device = DeviceType::new("IBM-3278-2-E");
        let mut client = Client::new(Wish { device, lu: None, functions: Some(Functions::DISPLAY) });
        for packet in packets {
            if client.receive(&packet).is_err() {
                break;
            }
            while client.event().is_some() {}
        }
    }

    #[test]
    fn a_trace_of_anything_can_be_shown(bytes in telnet_bytes()) {
        let text = show(&bytes);
        prop_assert!(text.is_empty() || text.ends_with('\n'));
    }

    #[test]
    fn records_come_out_as_they_went_in_however_they_are_cut(
        record in prop::collection::vec(any::<u8>(), 0..300),
        cut in 1usize..50,
    ) {
        let mut sent = Vec::new();
        put_record(&mut sent, &[], &record);
        let mut decoder = Decoder::default();
        let mut items = Vec::new();
        for mut packet in sent.chunks(cut) {
            while let Some(item) = decoder.next(&mut packet).expect("a good record") {
                items.push(item);
            }
        }
        prop_assert_eq!(items, vec![Item::Record(record)]);
    }

    #[test]
    fn any_record_is_read_or_refused(first in any::<u8>(), mut rest in stream_bytes()) {
        rest.insert(0, first);
        if let Ok(Inbound { input: Input::Structured(fields), .. }) = Inbound::read(&rest) {
            let mut capabilities = Capabilities::unqueried(Size::MODEL_2);
            read_query_reply(&mut capabilities, &fields);
            prop_assert!(capabilities.alternate_size.positions() > 0);
        }
    }

    #[test]
    fn any_answer_to_a_query_leaves_a_usable_terminal(fields in prop::collection::vec(stream_bytes(), 0..6)) {
        let mut capabilities = Capabilities::unqueried(Size::MODEL_2);
        let parts: Vec<Vec<u8>> = fields.into_iter().map(|field| [vec![0x81, 0xA6], field].concat()).collect();
        read_query_reply(&mut capabilities, &parts);
        prop_assert!(capabilities.default_size.positions() > 0);
    }

    #[test]
    fn a_screen_survives_any_stream_and_any_keys(
        streams in prop::collection::vec((commands(), stream_bytes()), 1..6),
        typed in "[ -~]{0,30}",
    ) {
        let wide = Size { rows: 27, columns: 132 };
        let mut screen = Screen::new(Capabilities::unqueried(wide), CodePage::Ibm037);
        for (command, mut stream) in streams {
            stream.insert(0, command);
            let _ = screen.apply(&stream);
            let _ = screen.type_text(&typed);
            let _ = screen.erase_end_of_field();
            screen.tab();
            screen.back_tab();
            screen.new_line();
            screen.reset();
            if let Ok(record) = screen.press(Aid::Enter) {
                prop_assert!(Inbound::read(&record).is_ok());
            }
            prop_assert_eq!(screen.rows().len(), usize::from(screen.size().rows));
            prop_assert!(screen.cursor().0 < screen.size().addresses());
        }
    }

    #[test]
    fn text_is_never_taken_for_orders(text in prop::collection::vec(any::<u8>(), 1..100)) {
        let mut stream = Outbound::write(tn3270::datastream::Command::Write, Default::default());
        stream.text(&text);
        let stream = stream.finish();
        let found: Vec<_> = orders(&stream, 2).collect();
        prop_assert!(matches!(found.as_slice(), [Ok(Order::Text(shown))] if shown.len() == text.len()));
    }
}
