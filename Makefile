# The ways in. Each one first installs what this machine lacks, and says so.

CARGO ?= cargo
# The application that `make run` starts.
APPLICATION ?= samples/bank

.PHONY: help run check test lint advisories release deb export arm64 bench accept strangers demo-authenticator demo-regions benchmark-authenticator

help:
	@echo 'make run                      start a region with the sample bank'
	@echo 'make run APPLICATION=path     start a region with another application'
	@echo 'make check APPLICATION=path   compile an application, start nothing'
	@echo 'make test                     run all tests'
	@echo 'make lint                     formatting and clippy'
	@echo 'make advisories               look for known weaknesses of what Syncpoint is built with'
	@echo 'make release                  build what is released: binary, bill of materials, VS Code extension, package, tarball'
	@echo 'make deb                      pack a built binary (BINARY=path): a Debian package, a tarball, checksums; compiles nothing'
	@echo 'make export                   build syncpoint-export, which writes records as Parquet and CSV; docs/queries.md'
	@echo 'make arm64                    build the same for arm64 on another machine; docs/arm64.md'
	@echo 'make bench                    measure every promise beside its floor'
	@echo 'make demo-authenticator       card authentication under load, with its report: two minutes'
	@echo 'make demo-regions             four regions of it behind one port, killed and replaced under load: a minute'
	@echo 'make benchmark-authenticator  the same at more rates, beside a bare server and the published figures'
	@echo 'make accept CARDDEMO=path     run the open application CardDemo, driven by real terminals; GENAPP=path, CBSA=path,'
	@echo '                              ZECS=path, ZFAM=path: these, too; LIBERTY=path: a SOAP request beside Open Liberty;'
	@echo '                              MINIMAL=path: the bank in a Debian that has nothing but its base;'
	@echo '                              a small region, managed by Zowe CLI and Ansible, bundles deployed by Maven, a program edited by Neovim,'
	@echo '                              the image of a container, by podman, where these can be installed; GALASA=path: by the CICS managers of Galasa, too'
	@echo "make strangers CHECKOUTS='path …'  check and drive other applications, and say what the compiler takes"

run:
	@scripts/install run
	@echo 'Building Syncpoint: some minutes the first time.'
	$(CARGO) build --profile quick --package syncpoint
	target/quick/syncpoint run $(APPLICATION)

check:
	@scripts/install region
	$(CARGO) build --profile quick --package syncpoint
	target/quick/syncpoint check $(APPLICATION)

test:
	@scripts/install test
	$(CARGO) test --workspace --no-fail-fast

lint:
	@scripts/install lint
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- --deny warnings

# The list of weaknesses comes from the network; licences and sources are looked at by every `cargo xtask tidy`.
advisories:
	@$(CARGO) deny --version >/dev/null 2>&1 || $(CARGO) install --locked cargo-deny
	$(CARGO) deny check

# All lie in target/release: the binary, what it is made of (CycloneDX), the extension for VS Code, the package and the tarball.
release:
	@scripts/install region
	$(CARGO) build --release --locked --package syncpoint
	$(CARGO) xtask materials
	@scripts/vsix target/release/syncpoint.vsix
	@scripts/package

# The binary that is packed.
BINARY ?= target/release/syncpoint

deb:
	@scripts/package --binary $(BINARY)

# The binary lies in target/release.
export:
	@scripts/install region
	$(CARGO) build --release --locked --package export

# The binary lies in target/aarch64-unknown-linux-gnu/release. On an arm64 machine it is `make release`.
arm64:
	@scripts/install arm64
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	$(CARGO) build --release --locked --target aarch64-unknown-linux-gnu --package syncpoint

bench:
	@scripts/install region
	$(CARGO) build --release --package syncpoint --package bench
	$(CARGO) run --release --quiet --package bench

demo-authenticator:
	@scripts/install region
	$(CARGO) build --release --package syncpoint --package bench
	target/release/bench authenticator

demo-regions:
	@scripts/install region
	$(CARGO) build --release --package syncpoint
	@scripts/demo-regions

benchmark-authenticator:
	@scripts/install region
	$(CARGO) build --release --package syncpoint --package bench
	target/release/bench authenticator --rates 500,1000,2000,3000,4000 --seconds 15 --log both --floor

accept:
	@test -d "$(CARDDEMO)" || { echo 'say where CardDemo is: make accept CARDDEMO=path' >&2; exit 2; }
	@scripts/install accept
	$(CARGO) build --release --package syncpoint
	target/clients/bin/python acceptance/carddemo/run.py --carddemo "$(abspath $(CARDDEMO))"
	target/clients/bin/python acceptance/cmci/run.py
	target/clients/bin/python acceptance/bundles/run.py
	target/clients/bin/python acceptance/editor/run.py
	target/clients/bin/python acceptance/image/run.py
	target/clients/bin/python acceptance/galasa/run.py $(if $(GALASA),--galasa "$(abspath $(GALASA))")
	$(if $(GENAPP),target/clients/bin/python acceptance/genapp/run.py --genapp "$(abspath $(GENAPP))")
	$(if $(CBSA),target/clients/bin/python acceptance/cbsa/run.py --cbsa "$(abspath $(CBSA))")
	$(if $(ZECS),target/clients/bin/python acceptance/zecs/run.py --zecs "$(abspath $(ZECS))")
	$(if $(LIBERTY),target/clients/bin/python acceptance/liberty/run.py --liberty "$(abspath $(LIBERTY))")
	$(if $(ZFAM),target/clients/bin/python acceptance/zfam/run.py --zfam "$(abspath $(ZFAM))")
	$(if $(MINIMAL),target/clients/bin/python acceptance/minimal/run.py --root "$(abspath $(MINIMAL))")

strangers:
	@scripts/install test
	$(CARGO) build --release --package syncpoint
	python3 acceptance/strangers/run.py $(CHECKOUTS)
	python3 acceptance/strangers/survey.py --syncpoint target/release/syncpoint $(CHECKOUTS)
