//! Forms of values: a trusted base, one thing that varies, and a constant; and the greatest value.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::offset_of;

use cobol_run::Record;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Function, Inst, InstructionData, Opcode, Value, ValueDef};

use native::{Context, Link};

/// An address that is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The context that the function is given.
    Context,
    /// The storage of the task.
    Memory,
    /// The frame.
    Slots,
    /// The list of the places of linkage records.
    Records,
    /// One of them, as this load has found it.
    Record(Inst),
    /// The same of what is only looked at: it may be zeros that everybody sees.
    Zeros(Inst),
    /// Literals.
    Constants,
    /// The tables of digits and signs.
    Tables,
    /// The flag.
    Flag,
    /// A helper.
    Helper,
    /// The links of the program's CALLs.
    Links,
    /// The context of another program, as this load has found it in a link.
    Called(Inst),
    /// The code of that one.
    Code(Inst),
    /// Its RETURN-CODE.
    ReturnCode(Inst),
    /// The addresses of linkage records.
    Addresses,
    /// The counters of the program's statements.
    Counters,
}

impl Base {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Context => "the context",
            Self::Memory => "the storage",
            Self::Slots => "the frame",
            Self::Records => "the places of linkage records",
            Self::Record(_) => "a linkage record",
            Self::Zeros(_) => "what is only looked at",
            Self::Constants => "the literals",
            Self::Tables => "the tables",
            Self::Flag => "the flag",
            Self::Helper => "a helper",
            Self::Links => "the links",
            Self::Called(_) => "what another program is given",
            Self::Code(_) => "the code of another program",
            Self::ReturnCode(_) => "RETURN-CODE of another program",
            Self::Addresses => "the addresses of linkage records",
            Self::Counters => "the counters",
        }
    }

    pub(super) fn may_be_written(self) -> bool {
        matches!(self, Self::Memory | Self::Slots | Self::Record(_) | Self::Called(_) | Self::Counters)
    }
}

/// The part of a value that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// Nothing.
    Nothing,
    /// Start of WORKING-STORAGE: from there on its bytes are the program's.
    Working,
    /// Start of LOCAL-STORAGE.
    Local,
    /// The length of the storage.
    Length,
    /// The number of bytes of the record whose place this load has found.
    Limit(Inst),
    /// The link through which the program whose context this load has found may be entered.
    CalledFrom(Inst),
    /// Anything else.
    Value(Value),
}

/// Base + root + constant, in 64 bits that wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) base: Option<Base>,
    pub(super) root: Root,
    pub(super) plus: i64,
}

impl Form {
    fn constant(plus: i64) -> Self {
        Self { base: None, root: Root::Nothing, plus }
    }

    fn base(base: Base) -> Self {
        Self { base: Some(base), ..Self::constant(0) }
    }

    fn root(root: Root) -> Self {
        Self { root, ..Self::constant(0) }
    }

    /// The sum, if it has one base and one root at most.
    fn plus(self, other: Self) -> Option<Self> {
        let base = match (self.base, other.base) {
            (one, None) | (None, one) => one,
            _ => return None,
        };
        let root = match (self.root, other.root) {
            (one, Root::Nothing) | (Root::Nothing, one) => one,
            _ => return None,
        };
        Some(Self { base, root, plus: self.plus.checked_add(other.plus)? })
    }
}

/// The forms of the values of a function.
pub(super) struct Forms<'f> {
    function: &'f Function,
    /// Records of the linkage section.
    records: usize,
    known: RefCell<HashMap<Value, Form>>,
}

/// Operations that are looked through for the greatest value, one behind the other.
const DEPTH_MAX: usize = 16;

impl<'f> Forms<'f> {
    pub(super) fn new(function: &'f Function, records: usize) -> Self {
        Self { function, records, known: RefCell::default() }
    }

    pub(super) fn of(&self, value: Value) -> Form {
        let value = self.function.dfg.resolve_aliases(value);
        if let Some(form) = self.known.borrow().get(&value) {
            return *form;
        }
        let form = self.found(value);
        self.known.borrow_mut().insert(value, form);
        form
    }

    fn found(&self, value: Value) -> Form {
        let dfg = &self.function.dfg;
        let other = Form::root(Root::Value(value));
        let inst = match dfg.value_def(value) {
            ValueDef::Result(inst, _) => inst,
            ValueDef::Param(block, 0) if self.function.layout.entry_block() == Some(block) => {
                return Form::base(Base::Context);
            }
            _ => return other,
        };
        match dfg.insts[inst] {
            _ if dfg.value_type(value) != I64 => other,
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Form::constant(imm.bits()),
            InstructionData::Binary { opcode: Opcode::Iadd, args: [one, two] } => {
                self.of(one).plus(self.of(two)).unwrap_or(other)
            }
            InstructionData::Load { opcode: Opcode::Load, .. } => {
                let field = self.context_field(value).and_then(field_of_64);
                let field = field.or_else(|| self.of_record(inst));
                field.or_else(|| self.of_link(inst)).or_else(|| self.of_called(inst)).unwrap_or(other)
            }
            InstructionData::Unary { opcode: Opcode::Uextend, arg } if dfg.value_type(arg) == I32 => {
                self.context_field(arg).and_then(segment_of).map_or(other, Form::root)
            }
            _ => other,
        }
    }

    /// The place of a record, or the number of its bytes. The latter counts only if it is loaded right behind the former, from the
    /// same list: so both are of one moment, whatever a helper does.
    fn of_record(&self, inst: Inst) -> Option<Form> {
        let (list, at) = self.record_field(inst)?;
        let (index, field) = (at / size_of::<Record>(), at % size_of::<Record>());
        if field == offset_of!(Record, base) {
            return Some(Form::base(if index < self.records {
                Base::Record(inst)
            } else {
                Base::Zeros(inst)
            }));
        }
        let before = self.function.layout.prev_inst(inst)?;
        let is_pair =
            field == offset_of!(Record, limit) && self.record_field(before) == Some((list, at - field));
        is_pair.then(|| Form::root(Root::Limit(before)))
    }

    /// The context of the program that a link leads to.
    fn of_link(&self, inst: Inst) -> Option<Form> {
        self.link_of(inst).map(|_| Form::base(Base::Called(inst)))
    }

    /// The offset of the link whose context an instruction loads.
    pub(super) fn link_of(&self, inst: Inst) -> Option<i64> {
        let (base, at) = self.loaded_from(inst)?;
        let is_context = at.rem_euclid(size_of::<Link>() as i64) == offset_of!(Link, context) as i64;
        (base == Base::Links && is_context).then_some(at - offset_of!(Link, context) as i64)
    }

    /// A part of the context of another program.
    fn of_called(&self, inst: Inst) -> Option<Form> {
        let (Base::Called(called), at) = self.loaded_from(inst)? else { return None };
        match usize::try_from(at).ok()? {
            _ if at == offset_of!(Context, called_from) as i64 => Some(Form::root(Root::CalledFrom(called))),
            _ if at == offset_of!(Context, code) as i64 => Some(Form::base(Base::Code(called))),
            _ if at == offset_of!(Context, return_code) as i64 => Some(Form::base(Base::ReturnCode(called))),
            _ => None,
        }
    }

    /// The base and the offset from which eight bytes are loaded.
    fn loaded_from(&self, inst: Inst) -> Option<(Base, i64)> {
        let dfg = &self.function.dfg;
        let InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } = dfg.insts[inst] else {
            return None;
        };
        let from = self.of(arg);
        let at = from.plus.checked_add(i64::from(offset))?;
        let is_whole = dfg.value_type(dfg.first_result(inst)) == I64;
        from.base.filter(|_| is_whole && from.root == Root::Nothing).map(|base| (base, at))
    }

    /// The offset from which eight bytes are loaded among the places of records, and the list.
    fn record_field(&self, inst: Inst) -> Option<(Value, usize)> {
        let dfg = &self.function.dfg;
        let InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } = dfg.insts[inst] else {
            return None;
        };
        let from = self.of(arg);
        let is_list = from.base == Some(Base::Records) && from.root == Root::Nothing;
        let at = usize::try_from(from.plus.checked_add(i64::from(offset))?).ok()?;
        let is_whole = dfg.value_type(dfg.first_result(inst)) == I64;
        (is_list && is_whole).then_some((dfg.resolve_aliases(arg), at))
    }

    /// The offset in the context from which a value is loaded.
    pub(super) fn context_field(&self, value: Value) -> Option<usize> {
        let dfg = &self.function.dfg;
        let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(value)) else { return None };
        let InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } = dfg.insts[inst] else {
            return None;
        };
        let from = self.of(arg);
        let is_context = from.base == Some(Base::Context) && from.root == Root::Nothing;
        let at = from.plus.checked_add(i64::from(offset))?;
        usize::try_from(at).ok().filter(|_| is_context)
    }

    /// Greatest value, without a sign.
    pub(super) fn most(&self, value: Value) -> u64 {
        self.most_within(value, DEPTH_MAX)
    }

    fn most_within(&self, value: Value, depth: usize) -> u64 {
        let dfg = &self.function.dfg;
        let value = dfg.resolve_aliases(value);
        let all = u64::MAX >> (64 - dfg.value_type(value).bits().clamp(1, 64));
        let (ValueDef::Result(inst, _), Some(depth)) = (dfg.value_def(value), depth.checked_sub(1)) else {
            return all;
        };
        let most = |value| self.most_within(value, depth);
        let found = match dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => imm.bits() as u64,
            InstructionData::IntCompare { .. } => 1,
            InstructionData::Unary { opcode: Opcode::Uextend, arg } => most(arg),
            InstructionData::Unary { opcode: Opcode::Clz, arg } => dfg.value_type(arg).bits().into(),
            InstructionData::Ternary { opcode: Opcode::Select, args: [_, one, two] } => {
                most(one).max(most(two))
            }
            InstructionData::Load { opcode: Opcode::Uload8, .. } => 0xFF,
            InstructionData::Binary { opcode, args: [one, two] } => match opcode {
                Opcode::Band => most(one).min(most(two)),
                Opcode::Iadd => most(one).checked_add(most(two)).unwrap_or(all),
                Opcode::Bor => ones(most(one) | most(two)),
                Opcode::Ushr => self.constant(two).map_or(all, |by| most(one) >> by),
                Opcode::Ishl => self.constant(two).map_or(all, |by| shifted(most(one), by)),
                _ => all,
            },
            _ => all,
        };
        found.min(all)
    }

    /// A constant that 64 bits may be shifted by.
    fn constant(&self, value: Value) -> Option<u32> {
        let dfg = &self.function.dfg;
        let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(value)) else { return None };
        match dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => {
                u32::try_from(imm.bits()).ok().filter(|by| *by < 64)
            }
            _ => None,
        }
    }
}

/// The least number of ones only that is not below a number.
fn ones(number: u64) -> u64 {
    u64::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

/// Greatest of the numbers up to one, shifted to the left; the greatest of all if bits are lost.
fn shifted(most: u64, by: u32) -> u64 {
    if by <= most.leading_zeros() { most.checked_shl(by).unwrap_or(0) } else { u64::MAX }
}

/// Form of the eight bytes at an offset of the context.
fn field_of_64(at: usize) -> Option<Form> {
    const HELPERS: [usize; 10] = [
        offset_of!(Context, step),
        offset_of!(Context, test),
        offset_of!(Context, select),
        offset_of!(Context, call),
        offset_of!(Context, moved),
        offset_of!(Context, tested),
        offset_of!(Context, appended),
        offset_of!(Context, host),
        offset_of!(Context, renew),
        offset_of!(Context, left),
    ];
    let bases = [
        (offset_of!(Context, links), Base::Links),
        (offset_of!(Context, linkage), Base::Addresses),
        (offset_of!(Context, memory), Base::Memory),
        (offset_of!(Context, slots), Base::Slots),
        (offset_of!(Context, records), Base::Records),
        (offset_of!(Context, constants), Base::Constants),
        (offset_of!(Context, tables), Base::Tables),
        (offset_of!(Context, flag), Base::Flag),
        (offset_of!(Context, counters), Base::Counters),
    ];
    if at == offset_of!(Context, length) {
        return Some(Form::root(Root::Length));
    }
    if at == offset_of!(Context, working_at) {
        return Some(Form { base: Some(Base::Memory), ..Form::root(Root::Working) });
    }
    if HELPERS.contains(&at) {
        return Some(Form::base(Base::Helper));
    }
    bases.iter().find(|(own, _)| *own == at).map(|(_, base)| Form::base(*base))
}

/// Which segment's beginning lies there in four bytes.
fn segment_of(at: usize) -> Option<Root> {
    match at {
        _ if at == offset_of!(Context, working) => Some(Root::Working),
        _ if at == offset_of!(Context, local) => Some(Root::Local),
        _ => None,
    }
}
