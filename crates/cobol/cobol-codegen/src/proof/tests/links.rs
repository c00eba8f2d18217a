//! Entering another program by a link.

use native::{BUSY, Link};

use super::*;

/// The context to which a link leads, and the link.
fn link(hand: &mut Hand<'_>) -> (Value, Value) {
    let links = hand.field(I64, offset_of!(Context, links));
    (hand.b.ins().load(I64, MemFlagsData::trusted(), links, 0), links)
}

fn of_called(hand: &mut Hand<'_>, called: Value, at: usize) -> Value {
    hand.b.ins().load(I64, MemFlagsData::trusted(), called, at as i32)
}

/// Goes on where the program may be entered through a link; else leaves.
fn compare(hand: &mut Hand<'_>, called: Value, link: Value) {
    let from = of_called(hand, called, offset_of!(Context, called_from));
    let is_another = hand.b.ins().icmp(IntCC::NotEqual, from, link);
    hand.unless(is_another);
}

fn enter(hand: &mut Hand<'_>, called: Value, context: Value) {
    let own = hand.b.import_signature(signature(CallConv::SystemV));
    let code = of_called(hand, called, offset_of!(Context, code));
    hand.b.ins().call_indirect(own, code, &[context]);
}

fn set_from(hand: &mut Hand<'_>, called: Value, value: Value) {
    hand.b.ins().store(MemFlagsData::trusted(), value, called, offset_of!(Context, called_from) as i32);
}

const OF_CALLED: &str = "an offset in what another program is given that was not compared";
const NOT_ENTERED: &str = "a program that may not be entered";

#[test]
fn a_program_is_entered_through_its_own_link() {
    proved(|hand| {
        let (called, link) = link(hand);
        compare(hand, called, link);
        let busy = hand.b.ins().iconst(I64, BUSY as i64);
        set_from(hand, called, busy);
        enter(hand, called, called);
        set_from(hand, called, link);
        of_called(hand, called, offset_of!(Context, touched));
        let code = of_called(hand, called, offset_of!(Context, return_code));
        hand.b.ins().load(cranelift_codegen::ir::types::I16, MemFlagsData::trusted(), code, 0);
    });
    // Nothing was compared.
    refused(OF_CALLED, |hand| {
        let (called, _) = link(hand);
        enter(hand, called, called);
    });
    // Another link was compared than that from which the context comes, or something else.
    refused(OF_CALLED, |hand| {
        let (called, link) = link(hand);
        let another = hand.b.ins().iadd_imm_s(link, size_of::<Link>() as i64);
        compare(hand, called, another);
        enter(hand, called, called);
    });
    refused(OF_CALLED, |hand| {
        let ((called, _), number) = (link(hand), hand.anything());
        compare(hand, called, number);
        enter(hand, called, called);
    });
    // The context of another link was compared.
    refused(OF_CALLED, |hand| {
        let ((called, _), (other, link)) = (link(hand), link(hand));
        compare(hand, other, link);
        enter(hand, called, called);
    });
    // It was compared the wrong way round.
    refused(OF_CALLED, |hand| {
        let (called, link) = link(hand);
        let from = of_called(hand, called, offset_of!(Context, called_from));
        let is_it = hand.b.ins().icmp(IntCC::Equal, from, link);
        hand.unless(is_it);
        enter(hand, called, called);
    });
}

#[test]
fn a_program_is_entered_with_its_own_context() {
    for own in [true, false] {
        refused("a program with the context of another one", |hand| {
            let (called, link) = link(hand);
            compare(hand, called, link);
            let context = if own { hand.context } else { hand.b.ins().iadd_imm_s(called, 8) };
            enter(hand, called, context);
        });
    }
}

#[test]
fn what_was_compared_before_something_was_called() {
    let around = |field: usize| {
        move |hand: &mut Hand<'_>| {
            let (called, link) = link(hand);
            compare(hand, called, link);
            call(hand, field);
            enter(hand, called, called);
        }
    };
    proved(around(offset_of!(Context, step)));
    refused(NOT_ENTERED, around(offset_of!(Context, host)));
    refused(NOT_ENTERED, around(offset_of!(Context, renew)));
    // It is entered once, and says then whether it may be entered again.
    refused(NOT_ENTERED, |hand| {
        let (called, link) = link(hand);
        compare(hand, called, link);
        enter(hand, called, called);
        enter(hand, called, called);
    });
    // What comes of the program's own context is old behind another program as it is behind a call of the host.
    refused(OLD, |hand| {
        let working = hand.field(I64, offset_of!(Context, working_at));
        let (called, link) = link(hand);
        compare(hand, called, link);
        enter(hand, called, called);
        hand.store(working, 0);
    });
}

#[test]
fn what_another_program_is_given() {
    let changes = |at: usize| {
        move |hand: &mut Hand<'_>| {
            let (called, link) = link(hand);
            compare(hand, called, link);
            hand.b.ins().store(MemFlagsData::trusted(), link, called, at as i32);
        }
    };
    proved(changes(offset_of!(Context, called_from)));
    refused(OF_CALLED, changes(offset_of!(Context, memory)));
    refused(OF_CALLED, changes(offset_of!(Context, called_from) + 4));
    // Its link becomes the same one, or that of no program.
    let becomes = |value: fn(&mut Hand<'_>, Value) -> Value| {
        move |hand: &mut Hand<'_>| {
            let (called, link) = link(hand);
            compare(hand, called, link);
            let value = value(hand, link);
            set_from(hand, called, value);
        }
    };
    proved(becomes(|hand, _| hand.b.ins().iconst(I64, BUSY as i64)));
    refused(OF_CALLED, becomes(|hand, _| hand.b.ins().iconst(I64, 4096)));
    refused(OF_CALLED, becomes(|hand, link| hand.b.ins().iadd_imm_s(link, size_of::<Link>() as i64)));
    refused(OF_CALLED, becomes(|hand, _| hand.anything()));
    refused(OF_CALLED, |hand| {
        let (called, link) = link(hand);
        set_from(hand, called, link);
    });
    // Beyond its end there is nothing.
    let looks = |at: usize| {
        move |hand: &mut Hand<'_>| {
            let (called, link) = link(hand);
            compare(hand, called, link);
            of_called(hand, called, at);
        }
    };
    proved(looks(size_of::<Context>() - 8));
    refused(OF_CALLED, looks(size_of::<Context>() - 7));
}

#[test]
fn links_and_addresses_have_an_end() {
    // The program has one CALL, and two records.
    let link = |at: usize| {
        move |hand: &mut Hand<'_>| {
            let links = hand.field(I64, offset_of!(Context, links));
            hand.load(links, at as i32);
        }
    };
    proved(link(size_of::<Link>() - 8));
    refused("an offset in the links", link(size_of::<Link>() - 7));
    let address = |at: i32| {
        move |hand: &mut Hand<'_>| {
            let addresses = hand.field(I64, offset_of!(Context, linkage));
            hand.b.ins().load(I32, MemFlagsData::trusted(), addresses, at);
        }
    };
    proved(address(4));
    refused("an offset in the addresses of linkage records", address(8));
    refused("a store into the links", |hand| {
        let links = hand.field(I64, offset_of!(Context, links));
        hand.store(links, 0);
    });
    refused("a store into the addresses of linkage records", |hand| {
        let addresses = hand.field(I64, offset_of!(Context, linkage));
        hand.store(addresses, 0);
    });
    refused("a store into RETURN-CODE of another program", |hand| {
        let (called, link) = self::link(hand);
        compare(hand, called, link);
        let code = of_called(hand, called, offset_of!(Context, return_code));
        let value = hand.b.ins().iconst(I8, 1);
        hand.b.ins().store(MemFlagsData::trusted(), value, code, 0);
    });
}
