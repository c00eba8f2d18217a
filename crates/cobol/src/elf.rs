//! Shared objects: private copies of them on disk, their segments and imports in memory.

use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::mem::offset_of;
use std::ops::Range;
use std::path::Path;

use crate::error::Error;

/// The name by which modules ask for the runtime.
const SONAME: &[u8] = b"libcob.so.4\0";

/// Page size of x86-64, to which the loader rounds protections.
pub const PAGE: usize = 4096;

/// Bytes behind an object's writable data that can be read. COBOL programs read past the end of their tables, and on
/// z/OS what lies there is somebody's storage, not a hole.
const MARGIN: u64 = 64 * 1024;

/// A runtime's private name: as long as [`SONAME`], so that it can stand in its place.
pub type PrivateName = [u8; SONAME.len()];

/// The private name with this number: four base-36 digits behind `libcob.`.
pub fn private_name(number: u32) -> PrivateName {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut name = *b"libcob.----\0";
    let mut rest = number as usize;
    for at in (7..11).rev() {
        name[at] = DIGITS[rest % DIGITS.len()];
        rest /= DIGITS.len();
    }
    name
}

/// Copies a shared object with the runtime's name replaced by a private one, and with a [`MARGIN`]; returns the copy.
pub fn copy_with_name(from: &Path, to: &Path, name: &PrivateName) -> Result<Vec<u8>, Error> {
    let mut bytes = fs::read(from).map_err(Error::system(format!("reading {}", from.display())))?;
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, SONAME).collect();
    if places.is_empty() {
        let why = "does not name libcob.so.4: it is not a module compiled by cobc".to_owned();
        return Err(Error::Unsuitable { path: from.to_owned(), why });
    }
    for place in places {
        bytes[place..place + SONAME.len()].copy_from_slice(name);
    }
    add_margin(&mut bytes);
    fs::write(to, &bytes).map_err(Error::system(format!("writing {}", to.display())))?;
    Ok(bytes)
}

/// Some bytes of an object; zeros where it has none.
fn read<const N: usize>(object: &[u8], at: usize) -> [u8; N] {
    object.get(at..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or([0; N])
}

/// Lets the loader map more zeros behind the writable segment than the object asks for.
fn add_margin(object: &mut [u8]) {
    /// Places in the file header, and in a program header, as in `<elf.h>`.
    const HEADERS: usize = 32;
    const HEADER_SIZE: usize = 54;
    const HEADER_COUNT: usize = 56;
    const FLAGS: usize = 4;
    const MEMORY_SIZE: usize = 40;
    let first = u64::from_le_bytes(read(object, HEADERS)) as usize;
    let size = usize::from(u16::from_le_bytes(read(object, HEADER_SIZE)));
    for number in 0..usize::from(u16::from_le_bytes(read(object, HEADER_COUNT))) {
        let header = first + number * size;
        let is_load = u32::from_le_bytes(read(object, header)) == libc::PT_LOAD;
        let is_writable = u32::from_le_bytes(read(object, header + FLAGS)) & libc::PF_W != 0;
        if is_load && is_writable {
            let memory = u64::from_le_bytes(read(object, header + MEMORY_SIZE)) + MARGIN;
            object[header + MEMORY_SIZE..][..size_of::<u64>()].copy_from_slice(&memory.to_le_bytes());
        }
    }
}

/// The variables in which a module of cobc keeps the addresses that its CALLs of literals go to, by the names that are
/// called, as virtual addresses: none if the module was stripped of its symbols.
pub fn call_variables(object: &[u8]) -> Vec<(String, usize)> {
    picked(object, SYMBOL_TABLE, call_variable)
}

/// The items of a program's storage in a module of cobc, by the compiler's numbers: virtual address and length.
pub fn storage_items(object: &[u8]) -> Vec<(u32, usize, usize)> {
    picked(object, SYMBOL_TABLE, storage_item)
}

/// The names that an object has from others.
pub fn imports(object: &[u8]) -> Vec<String> {
    picked(object, DYNAMIC_SYMBOLS, |symbol, names| {
        let is_undefined = read(symbol, offset_of!(Symbol, section)) == [0; size_of::<u16>()];
        let name = symbol_name(symbol, names).filter(|name| is_undefined && !name.is_empty())?;
        Some(name.to_owned())
    })
}

/// Kinds of sections that have symbols.
const SYMBOL_TABLE: u32 = 2;
const DYNAMIC_SYMBOLS: u32 = 11;

/// What is picked of the symbols of an object's tables of a kind: none if it was stripped of them.
fn picked<T>(
    object: &[u8],
    kind: u32,
    pick: impl Fn(&[u8; size_of::<Symbol>()], &[u8]) -> Option<T>,
) -> Vec<T> {
    /// Places in the file header, and in a section header, as in `<elf.h>`.
    const SECTIONS: usize = 40;
    const SECTION_SIZE: usize = 58;
    const SECTION_COUNT: usize = 60;
    const KIND: usize = 4;
    const CONTENT: usize = 24;
    const CONTENT_SIZE: usize = 32;
    const LINK: usize = 40;
    let number = |at| u64::from_le_bytes(read(object, at)) as usize;
    let first = number(SECTIONS);
    let size = usize::from(u16::from_le_bytes(read(object, SECTION_SIZE)));
    let section = |index: usize| first.saturating_add(index * size);
    let content = |header: usize| {
        let start = number(header + CONTENT);
        object.get(start..start.saturating_add(number(header + CONTENT_SIZE))).unwrap_or_default()
    };
    let mut found = Vec::new();
    for header in (0..usize::from(u16::from_le_bytes(read(object, SECTION_COUNT)))).map(section) {
        if u32::from_le_bytes(read(object, header + KIND)) == kind {
            let names = content(section(u32::from_le_bytes(read(object, header + LINK)) as usize));
            let (symbols, _) = content(header).as_chunks::<{ size_of::<Symbol>() }>();
            found.extend(symbols.iter().filter_map(|symbol| pick(symbol, names)));
        }
    }
    found
}

fn symbol_name<'a>(symbol: &[u8; size_of::<Symbol>()], names: &'a [u8]) -> Option<&'a str> {
    let name = u32::from_le_bytes(read(symbol, offset_of!(Symbol, name))) as usize;
    CStr::from_bytes_until_nul(names.get(name..)?).ok()?.to_str().ok()
}

/// A symbol that is such a variable: a static pointer `call_NAME`; the C compiler puts a number behind a dot.
fn call_variable(symbol: &[u8; size_of::<Symbol>()], names: &[u8]) -> Option<(String, usize)> {
    let (name, address, length) = variable(symbol, names)?;
    let called = name.strip_prefix("call_").filter(|_| length == size_of::<usize>())?;
    Some((called.to_owned(), address))
}

/// A symbol that is such an item: a static variable `b_NUMBER`.
fn storage_item(symbol: &[u8; size_of::<Symbol>()], names: &[u8]) -> Option<(u32, usize, usize)> {
    let (name, address, length) = variable(symbol, names)?;
    Some((name.strip_prefix("b_")?.parse().ok()?, address, length))
}

/// A static variable: its name, virtual address and length.
fn variable<'n>(symbol: &[u8; size_of::<Symbol>()], names: &'n [u8]) -> Option<(&'n str, usize, usize)> {
    /// A local object.
    const STATIC_VARIABLE: u8 = 1;
    if symbol[offset_of!(Symbol, info)] != STATIC_VARIABLE {
        return None;
    }
    let number = |at| u64::from_le_bytes(read(symbol, at)) as usize;
    let name = symbol_name(symbol, names)?.split('.').next()?;
    Some((name, number(offset_of!(Symbol, value)), number(offset_of!(Symbol, size))))
}

/// The addresses of a mapping that the C library allocates from, by its line in the kernel's list: one of no file, and where
/// the kernel puts such.
pub fn heap(line: &str) -> Option<Range<usize>> {
    const LOWEST: usize = 1 << 40;
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let is_file = words.nth(4).is_some_and(|name| name.starts_with('/'));
    let range = address(start)?..address(end)?;
    (!is_file && range.start >= LOWEST).then_some(range)
}

/// Where a loaded object lies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segments {
    /// Address to which its virtual addresses are relative.
    pub base: usize,
    /// Its code: first address and the one behind the last.
    pub text: (usize, usize),
    /// Its writable data without what is read-only after relocation, and without the margin.
    pub data: (usize, usize),
    dynamic: usize,
    relro: (usize, usize),
}

/// Finds the loaded object that contains an address.
pub fn segments(address: usize) -> Option<Segments> {
    struct Search {
        address: usize,
        found: Option<Segments>,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: dl_iterate_phdr passes a valid info and our own pointer, for the length of this call.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        // SAFETY: the loader says how many program headers it has there.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let base = info.dlpi_addr as usize;
        let range = |h: &libc::Elf64_Phdr| {
            let start = base + h.p_vaddr as usize;
            (start, start + h.p_memsz as usize)
        };
        let loads = || headers.iter().filter(|h| h.p_type == libc::PT_LOAD);
        if !loads().any(|h| (range(h).0..range(h).1).contains(&search.address)) {
            return 0;
        }
        let mut found = Segments { base, ..Segments::default() };
        for header in headers {
            match header.p_type {
                libc::PT_LOAD if header.p_flags & libc::PF_X != 0 => found.text = range(header),
                libc::PT_LOAD if header.p_flags & libc::PF_W != 0 => {
                    let (start, end) = range(header);
                    found.data = (start, end - MARGIN as usize);
                }
                libc::PT_DYNAMIC => found.dynamic = range(header).0,
                _ => {}
            }
        }
        if let Some(relro) = headers.iter().find(|h| h.p_type == libc::PT_GNU_RELRO) {
            let (start, end) = range(relro);
            // As the loader rounds it.
            found.relro = (start & !(PAGE - 1), end & !(PAGE - 1));
            found.data.0 = found.data.0.max(end.next_multiple_of(PAGE));
            found.data.1 = found.data.1.max(found.data.0);
        }
        search.found = Some(found);
        1
    }
    let mut search = Search { address, found: None };
    // SAFETY: the callback has the declared signature and `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

/// One relocation with an addend, as in `<elf.h>`.
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

/// One symbol, as in `<elf.h>`.
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

/// Tags of the dynamic section that lead to the imports.
mod tag {
    pub const NULL: i64 = 0;
    pub const PLT_SIZE: i64 = 2;
    pub const STRINGS: i64 = 5;
    pub const SYMBOLS: i64 = 6;
    pub const RELOCATIONS: i64 = 7;
    pub const RELOCATIONS_SIZE: i64 = 8;
    pub const PLT: i64 = 23;
}

/// Relocation types that hold the bare address of a symbol.
const ADDRESS_RELOCATIONS: [u64; 3] = [1, 6, 7];

impl Segments {
    /// Sets a pointer in the object's writable data, by its virtual address.
    ///
    /// # Safety
    /// The object stays loaded and nobody runs its code; a pointer of this type stands there.
    pub unsafe fn set(&self, virtual_address: usize, value: usize) {
        let place = self.base + virtual_address;
        if (self.data.0..self.data.1.saturating_sub(size_of::<usize>())).contains(&place) {
            // SAFETY: within the writable data, as the caller says.
            unsafe { (place as *mut usize).write_unaligned(value) };
        }
    }

    /// Binds imports of the loaded object again: each of `names` that it refers to is set to the given address.
    /// Returns how many places were written.
    ///
    /// # Safety
    /// The object stays loaded and nobody runs its code; each address has the type of the symbol it replaces.
    pub unsafe fn bind(&self, names: &[(&CStr, usize)]) -> Result<usize, Error> {
        let mut bound = 0;
        let entry = |wanted: i64| {
            let mut at = self.dynamic as *const [i64; 2];
            loop {
                // SAFETY: the loader keeps the dynamic section readable; it ends with a NULL entry.
                match unsafe { *at } {
                    [tag::NULL, _] => return 0,
                    [tag, value] if tag == wanted => return value as usize,
                    // SAFETY: not the last entry.
                    _ => at = unsafe { at.add(1) },
                }
            }
        };
        let symbols = entry(tag::SYMBOLS) as *const Symbol;
        let strings = entry(tag::STRINGS);
        let tables = [
            (entry(tag::RELOCATIONS), entry(tag::RELOCATIONS_SIZE)),
            (entry(tag::PLT), entry(tag::PLT_SIZE)),
        ];
        for (table, bytes) in tables.into_iter().filter(|(table, _)| *table != 0) {
            let count = bytes / size_of::<Relocation>();
            // SAFETY: the dynamic section says that the table is there, with this many entries.
            let relocations = unsafe { std::slice::from_raw_parts(table as *const Relocation, count) };
            for relocation in relocations {
                let (index, kind) = (relocation.info >> 32, relocation.info & 0xffff_ffff);
                if index == 0 || !ADDRESS_RELOCATIONS.contains(&kind) {
                    continue;
                }
                // SAFETY: the loader resolved this relocation, so its symbol and name exist.
                let name = unsafe {
                    CStr::from_ptr((strings + (*symbols.add(index as usize)).name as usize) as *const _)
                };
                if let Some((_, address)) = names.iter().find(|(wanted, _)| *wanted == name) {
                    // SAFETY: the relocation names a pointer-sized place in the object's data.
                    unsafe { write_protected(self.base + relocation.offset as usize, *address)? };
                    bound += 1;
                }
            }
        }
        let (start, end) = self.relro;
        if end > start {
            // SAFETY: exactly the pages that the loader had made read-only.
            unsafe { libc::mprotect(start as *mut c_void, end - start, libc::PROT_READ) };
        }
        Ok(bound)
    }
}

/// Writes a pointer to a place that may be read-only.
///
/// # Safety
/// The place is a pointer in a loaded object's data.
unsafe fn write_protected(place: usize, value: usize) -> Result<(), Error> {
    let page = place & !(PAGE - 1);
    // SAFETY: the page belongs to the object's data; making it writable changes nothing that its code sees.
    if unsafe { libc::mprotect(page as *mut c_void, PAGE, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
        return Err(Error::system("binding the imports of a module")(std::io::Error::last_os_error()));
    }
    // SAFETY: the caller says that the place is a pointer; it is aligned, as relocations of this kind are.
    unsafe { (place as *mut usize).write(value) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_module_says_where_it_keeps_what_it_calls() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = [
            "IDENTIFICATION DIVISION.",
            "PROGRAM-ID. CALLER.",
            "PROCEDURE DIVISION.",
            "    CALL 'DFHEI1'.",
            "    CALL 'CEEDAYS'.",
            "    CALL 'DFHEI1'.",
        ];
        let text: String = lines.map(|line| format!("       {line}\n")).concat();
        fs::write(folder.path().join("CALLER.cbl"), text).expect("a program");
        for (options, expected) in [(&["-O"][..], &["CEEDAYS", "DFHEI1"][..]), (&["-Q", "-s"], &[])] {
            let mut compiler = Command::new("cobc");
            let compiler = compiler.current_dir(&folder).arg("-m").args(options).arg("CALLER.cbl");
            assert!(compiler.status().expect("cobc").success());
            let object = fs::read(folder.path().join("CALLER.so")).expect("a module");
            let mut found = call_variables(&object);
            found.sort();
            assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected);
            assert!(imports(&object).iter().any(|name| name == "cob_resolve_cobol"));
            // Whatever a file holds, nothing but what is in it is read.
            (0..object.len()).step_by(97).for_each(|length| drop(call_variables(&object[..length])));
        }
    }
}
