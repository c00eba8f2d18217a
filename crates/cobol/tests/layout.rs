//! The mirrors of libcob's structures against its installed header.

use std::process::Command;

/// Prints what `src/layout.rs` says, from the header.
const PROBE: &str = r#"
#include <stdio.h>
#include <stddef.h>
#include <gmp.h>
#include <libcob.h>
#define AT(s, m) printf(#s "." #m " %zu\n", offsetof(s, m))
int main(void) {
    printf("cob_module %zu\n", sizeof(cob_module));
    printf("cob_global %zu\n", sizeof(cob_global));
    printf("cob_field %zu\n", sizeof(cob_field));
    printf("cob_field_attr %zu\n", sizeof(cob_field_attr));
    AT(cob_module, next); AT(cob_module, cob_procedure_params); AT(cob_module, module_active);
    AT(cob_module, module_num_params); AT(cob_module, module_stmt); AT(cob_module, module_sources);
    AT(cob_global, cob_current_module); AT(cob_global, cob_exception_code); AT(cob_global, cob_call_params);
    AT(cob_field, data); AT(cob_field, attr); AT(cob_field_attr, flags); AT(cob_decimal, scale);
    AT(FCD3, fileStatus); AT(FCD3, fileOrg); AT(FCD3, accessFlags); AT(FCD3, openMode); AT(FCD3, recordMode);
    AT(FCD3, otherFlags); AT(FCD3, fnameLen); AT(FCD3, refKey); AT(FCD3, effKeyLen); AT(FCD3, opt);
    AT(FCD3, curRecLen); AT(FCD3, minRecLen); AT(FCD3, maxRecLen); AT(FCD3, relKey);
    printf("FCD3.fileHandle %zu\n", offsetof(FCD3, _fileHandle)); printf("FCD3.recPtr %zu\n", offsetof(FCD3, _recPtr));
    printf("FCD3.fnamePtr %zu\n", offsetof(FCD3, _fnamePtr)); printf("FCD3.kdbPtr %zu\n", offsetof(FCD3, _kdbPtr));
    printf("FCD3 %zu\n", sizeof(FCD3));
    AT(KDB, nkeys); AT(KDB, key); printf("KDB_KEY %zu\n", sizeof(KDB_KEY)); AT(KDB_KEY, count);
    AT(KDB_KEY, offset); AT(KDB_KEY, keyFlags); printf("EXTKEY %zu\n", sizeof(EXTKEY));
    AT(cob_file, keys); AT(cob_file_key, field); AT(EXTKEY, pos); AT(EXTKEY, len);
    return 0;
}
"#;

#[test]
fn the_mirrors_are_those_of_the_installed_header() {
    let directory = tempfile::tempdir().expect("a directory");
    let (source, probe) = (directory.path().join("probe.c"), directory.path().join("probe"));
    std::fs::write(&source, PROBE).expect("a C file");
    let compiled = Command::new("gcc").arg("-o").args([&probe, &source]).output().expect("gcc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&probe).output().expect("the probe");
    assert_eq!(String::from_utf8_lossy(&output.stdout), cobol::layout_summary() + &cobol::file_summary());
}
