# HapCo. `make run` and `make test` install what is missing first (.ci/setup).
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export GOTOOLCHAIN ?= auto
OUT ?= out

.PHONY: lib install deb deb-check reference pictures run build test test-slow race bench lint fmt clean

# Opens the window with the liver. Without a display: the same window on a
# virtual display, a scripted stylus, a summary table, $(OUT)/liver.png and
# $(OUT)/liver.csv.
run: build
	@if [ -n "$${DISPLAY:-}" ]; then \
		bin/hapco run liver; \
	else \
		mkdir -p $(OUT) && \
		bin/hapco run liver --headless --seconds 8 --screenshot $(OUT)/liver.png --csv $(OUT)/liver.csv; \
	fi

# The program: bin/hapco.
build:
	@go=$$(.ci/setup run); $$go build -o bin/hapco ./cmd/hapco

# Tests need nothing for a debugger: a tenth of the time. One package more than there are processors is tested at
# once, since some tests wait.
bare = -count=1 -ldflags=-w -p $$(($$(nproc) + 1))

# The library for C and Python: bin/libhapco.so.0, with its header beside it.
lib:
	@packaging/lib bin "$$(.ci/setup run)"

# The packages whose tests take longest begin, so that all processors end together.
longest = ./physics/worlds/tissue ./cmd/hapco ./physics/worlds/rigid ./physics/measure/bench/probing ./physics/worlds/finitestrain

# Format, vet, and every test that takes seconds.
test:
	@go=$$(.ci/setup test); \
	unformatted=$$($$($$go env GOROOT)/bin/gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted" >&2; exit 1; fi; \
	$$go test -vet=all $(bare) -short -timeout 30m $(longest) ./...

# Packages that start goroutines, and need no window: first those that are quick under
# the race detector, then those of which only the tests of threads are.
concurrent = ./collision/... ./cmd/hapco/internal/door ./haptics/... ./telemetry/... ./assets/... ./physics \
	$(addprefix ./physics/,files/export machinery/... measure/batch measure/sweep numerics/flex worlds/bead)
computing = $(addprefix ./physics/,numerics/contact/solvers $(addprefix worlds/,finitestrain floe grain rigid tissue))
threads = Thread|Live|Runner|Shadow|Shapes|Abandons|OpensAtOnce|OnDemand|TurnsWithout|Panic|Cache|Islands|Watch

# Every test, and what is concurrent again under the race detector.
test-slow:
	@go=$$(.ci/setup test); \
	$$go test -vet=off $(bare) -timeout 60m $(longest) ./...; \
	$$go test -race -count=1 -short -timeout 30m $(concurrent); \
	$$go test -race -count=1 -short -timeout 30m -run '$(threads)' $(computing)

# The race detector over everything, windows included.
race:
	@go=$$(.ci/setup test); HAPCO_RACE_SECONDS=60 $$go test -race -timeout 60m ./...

# A program that does not say where it was built, and says from what.
facts = -X hapco/cmd/hapco/internal/app.revision=$$(git rev-parse HEAD 2>/dev/null) -X hapco/cmd/hapco/internal/app.revisionTime=$$(git log -1 --format=%cI 2>/dev/null)
release = go=$$(.ci/setup run); $$go build -trimpath -buildvcs=false -ldflags "$(facts)" -o bin/hapco ./cmd/hapco

# The program with its desktop entry, manual pages, completion and udev rules, under
# $(DESTDIR)$(PREFIX).
PREFIX ?= /usr/local
install:
	@$(release)
	packaging/install bin/hapco "$(DESTDIR)$(PREFIX)" "$(DESTDIR)$(if $(filter /usr,$(PREFIX)),,$(PREFIX))/lib/udev/rules.d"

# Packages for Debian and Ubuntu in $(OUT): hapco, libhapco0, libhapco-dev, python3-hapco. The same
# sources give the same bytes.
deb: lib
	@$(release)
	@package=$$(packaging/deb bin/hapco "$(OUT)"); echo "$$package"; \
	packaging/deb-lib bin "$(OUT)" "$$(dpkg-deb -f "$$package" Version)"

# The packages on a bare Debian 12, in a folder: they install, plot and start. As root, with debootstrap and a mirror.
deb-check: deb
	packaging/deb-check "$(OUT)"

# docs/reference.md, from the commands and keys of the program.
reference: build
	@d=$$(mktemp -d) && bin/hapco docs --write "$$d" && cp "$$d/reference.md" docs/reference.md && rm -r "$$d"

# The pictures of README, tutorial and gallery. The moving one needs ffmpeg.
pictures: build
	bin/hapco run liver --headless --seconds 8 --screenshot docs/images/liver.png
	bin/hapco scenes --pictures assets/pictures
	bin/hapco scenes snowfall stream --seconds 9 --pictures assets/pictures
	@d=$$(mktemp -d) && bin/hapco study thesis-haptics --out "$$d/answers" --screenshot docs/images/study.png && rm -r "$$d"
	bin/hapco indent liver --depth "5 mm" --speed "10 mm/s" --plot docs/images/indent.png
	@d=$$(mktemp -d) && sed -n '/^scene =/,/^```/{/^```/!p}' docs/tutorial.md >"$$d/friction.toml" && \
	bin/hapco sweep "$$d/friction.toml" --out "$$d/out" && cp "$$d/out/sweep.png" docs/images/sweep.png && rm -r "$$d"
	@d=$$(mktemp -d) && bin/hapco scenes liver --pictures "$$d" --frames 60 && \
	ffmpeg -y -loglevel error -framerate 12 -i "$$d/liver-%04d.jpg" \
		-vf "split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle" docs/images/liver.gif && rm -r "$$d"

# Go's benchmarks.
bench:
	@go=$$(.ci/setup run); $$go test -run '^$$' -bench . -benchmem ./...

lint:
	@go=$$(.ci/setup run); $$go vet ./... && $$go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fmt:
	@go=$$(.ci/setup run); $$go fmt ./...

clean:
	rm -rf bin $(OUT)
