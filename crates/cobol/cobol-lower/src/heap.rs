//! ALLOCATE and FREE: storage that the host gives and takes back.

use std::slice;

use cobol_data::Type;
use cobol_source::At;
use cobol_syntax::tree::{Expression, Operand, Reference};

use super::initialize::Scope;
use super::numbers::WHOLE_WORD;
use super::{Lowered, Lowering};
use cobol_ir::program::{
    Argument, BytePlace, End, Function, Number, Operation, Relation, Service, Site, Test,
};

/// Bytes of the address that the host answers; it is zero where there is no storage.
const ANSWER: u32 = 4;

impl<'a> Lowering<'a> {
    /// ALLOCATE of a number of characters.
    pub(super) fn allocate_characters(
        &mut self,
        at: At,
        characters: &'a Expression,
        returning: Option<&'a Reference>,
    ) -> Lowered<()> {
        let bytes = self.expression(characters, None)?;
        let Some(pointer) = returning else { return self.refuse(at, "ALLOCATE without RETURNING") };
        let answer = self.allocated(rounded_up(bytes));
        self.store_plain(pointer, Number::Field(answer, WHOLE_WORD))
    }

    /// ALLOCATE of a record of the linkage section: it has the address then, and its initial values if INITIALIZED stands there.
    pub(super) fn allocate_item(
        &mut self,
        at: At,
        item: &'a Reference,
        initialized: bool,
        returning: Option<&'a Reference>,
    ) -> Lowered<()> {
        let Some((linkage, length)) = self.linkage_record(item) else {
            return self.refuse(item.at(), format_args!("ALLOCATE {}", item.name.text));
        };
        let answer = self.allocated(Number::whole(length as i64));
        let address = Number::Field(answer, WHOLE_WORD);
        self.emit(Operation::SetAddress { linkage, value: address.clone() });
        if let Some(pointer) = returning {
            self.store_plain(pointer, address.clone())?;
        }
        if !initialized {
            return Ok(());
        }
        let [there, done] = std::array::from_fn(|_| self.new_block());
        self.branch(Test::Numbers(Relation::Unequal, address, Number::whole(0)), there, done);
        self.continue_in(there);
        let scope = Scope { filler: true, value: Some(&[]), replacing: &[], others: true };
        let lowered = self.initialize(at, slice::from_ref(item), scope);
        self.fall_into(done);
        lowered
    }

    /// So many bytes: where the host's answer lies.
    fn allocated(&mut self, bytes: Number) -> BytePlace {
        let answer = self.hidden_storage(ANSWER);
        let arguments = vec![Argument::Number(bytes)];
        self.ask(Site { service: Service::Allocate, arguments, returning: Some(answer.clone()) });
        answer
    }

    /// FREE: the pointer is NULL afterwards.
    pub(super) fn free(&mut self, pointers: &'a [Operand]) -> Lowered<()> {
        for pointer in pointers {
            let Operand::Reference(reference) = pointer else {
                return self.refuse(pointer.at(), "FREE of what is no pointer");
            };
            if self.item(reference.id).is_none_or(|(_, item)| item.kind != Type::Pointer) {
                return self.refuse(pointer.at(), "FREE of what is no pointer");
            }
            let address = self.item_number(reference)?;
            let arguments = vec![Argument::Number(address)];
            self.ask(Site { service: Service::Free, arguments, returning: None });
            self.store_plain(reference, Number::whole(0))?;
        }
        Ok(())
    }

    /// A call of the host that always goes on.
    fn ask(&mut self, site: Site) {
        self.out.sites.push(site);
        let site = self.out.sites.len() as u32 - 1;
        let next = self.new_block();
        self.end(End::Host { site, next, failed: None }, next);
    }
}

/// The least whole number that is not below a number.
fn rounded_up(number: Number) -> Number {
    let shape = number.shape();
    if shape.decimals <= 0 && !matches!(number, Number::Real(_)) {
        return number;
    }
    let below = Number::Function(Function::Integer, vec![Number::Negative(Box::new(number))], {
        let mut whole = shape;
        (whole.integers, whole.decimals) = (shape.integers + 1, 0);
        whole
    });
    Number::Negative(Box::new(below))
}
