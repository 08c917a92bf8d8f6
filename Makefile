# hpcbench: see README.md. `make demo` runs the main job on this machine, `make test` passes the tests.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unstamped)
ALLTAGS := cluster,fault,engine,page
LDFLAGS := -s -w -X main.version=$(VERSION)
BUILD   := CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)'
GOTEST  := .ci/gotest

include slurm/slurmtest/slurm.mk
include engine/engine.mk

.PHONY: build demo test test-unit test-cluster test-fault test-fault-runs test-engine test-page test-full bench fuzz lint deps release clean

build: ## one static binary: bin/hpcbench
	$(BUILD) -o bin/hpcbench ./cmd/hpcbench

demo: build ## the main job on the embedded default: no Slurm, no container, no GPU, no network
	bin/hpcbench submit --site local --plan demo --wait

test: deps ## everything, in levels; the engine's install starts in the background at once
	@mkdir -p .cache
	@$(MAKE) --no-print-directory engine > .cache/engine-install.log 2>&1 & install=$$!; \
	  $(MAKE) --no-print-directory test-unit; \
	  $(MAKE) --no-print-directory test-cluster; \
	  $(MAKE) --no-print-directory test-fault; \
	  wait $$install || { cat .cache/engine-install.log; exit 1; }; \
	  $(MAKE) --no-print-directory test-engine; \
	  $(MAKE) --no-print-directory test-page

test-unit: lint ## vet, staticcheck, -race, short fuzzing; needs Go only
	$(GOTEST) -race ./...
	$(MAKE) --no-print-directory fuzz FUZZTIME=200x

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt wants changes in:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet -tags $(ALLTAGS) ./...
	go tool staticcheck ./...
	go tool staticcheck -tags $(ALLTAGS) ./...

FUZZTIME ?= 30s
fuzz: ## every fuzz target for FUZZTIME each: a time, or a number of tries such as 200x
	.ci/fuzz $(FUZZTIME)

# One test binary at a time has the cluster, and the real engine has the machine: hence -p 1.
test-cluster: build slurm-up ## both sites through the real test Slurm
	$(GOTEST) -p 1 -tags cluster -count 1 -timeout 20m ./templates/ ./slurm/slurmtest/ ./cmd/hpcbench/clustertest/

test-fault: build slurm-up ## faults put in on purpose: daemons, nodes, lost answers (slurm-faults)

test-fault-runs: build slurm-up ## faults put into whole runs; writes nothing, but holds docs/faults.md to what was seen
	$(GOTEST) -tags fault -count 1 -timeout 40m ./cmd/hpcbench/faulttest/

test-engine: build slurm-up engine ## a real vLLM on the CPU
	$(GOTEST) -p 1 -tags engine -count 1 -timeout 25m ./engine/vllm/ ./engine/stub/ ./cmd/hpcbench/enginetest/
	$(GOTEST) -tags engine -count 1 -timeout 10m -run RealEngine ./load/

test-page: build ## the report in headless Chromium
	$(GOTEST) -tags page -count 1 -timeout 5m ./collect/report/

test-full: test ## what needs more minutes: longer faults, the Hugging Face tool's settings at full length
	$(GOTEST) -p 1 -tags fault,full -count 1 -parallel 8 -timeout 60m ./cmd/hpcbench/faulttest/
	$(GOTEST) -tags engine -count 1 -timeout 60m -run HuggingFace ./load/

bench: ## speed of the load generator, as ratios to a bare drain of the same minute; a few minutes, alone on two cores
	go test -run '^$$' -bench . -benchtime 1x -count 1 -timeout 20m ./load/wire/wirebench
	go test -run '^$$' -bench . -benchtime 1x -count 1 -timeout 20m ./load/bench

release: ## static binaries for linux (amd64, arm64) and darwin, with digests
	@mkdir -p dist
	for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do \
	  CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build -trimpath -ldflags '$(LDFLAGS)' \
	    -o dist/hpcbench-$(VERSION)-$${target%/*}-$${target#*/} ./cmd/hpcbench; \
	done
	cd dist && sha256sum hpcbench-$(VERSION)-* > SHA256SUMS && cat SHA256SUMS

deps: ## what the tests need, from Debian's packages (as root), or their names
	.ci/deps

clean: slurm-down
	rm -rf bin dist .cache
