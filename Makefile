# HapCo. `make run` and `make test` install what is missing first (.ci/setup).
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export GOTOOLCHAIN ?= auto
OUT ?= out

.PHONY: run build test test-slow race bench lint fmt clean

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

# Format, vet, and every test that takes seconds.
test:
	@go=$$(.ci/setup test); \
	unformatted=$$($$($$go env GOROOT)/bin/gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted" >&2; exit 1; fi; \
	$$go vet ./...; \
	$$go test -short -timeout 30m ./...

# Every test, and the headless packages again under the race detector.
test-slow:
	@go=$$(.ci/setup test); \
	$$go test -timeout 40m ./...; \
	$$go test -race -short -timeout 30m ./collision/... ./physics/... ./haptics/... ./assets/...

# The race detector over everything, windows included.
race:
	@go=$$(.ci/setup test); HAPCO_RACE_SECONDS=60 $$go test -race -timeout 60m ./...

# Go's benchmarks.
bench:
	@go=$$(.ci/setup run); $$go test -run '^$$' -bench . -benchmem ./...

lint:
	@go=$$(.ci/setup run); $$go vet ./... && $$go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fmt:
	@go=$$(.ci/setup run); $$go fmt ./...

clean:
	rm -rf bin $(OUT)
