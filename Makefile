# Entry points of the project. They need Node 20 or later with npm; the install adds Node 24.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export PNPM := npx --yes pnpm@12.21.0
RUN := PATH="$(CURDIR)/node_modules/.bin:$$PATH"
export npm_config_loglevel ?= error

.PHONY: help demo test up down check servers servers-stop test-unit test-integration test-e2e test-faults test-image bench docs admin-ui migration crawlers openapi client client-baseline client-package client-platforms provider-types manifests chart format ci build base-images image release release-check

help: ## list of commands
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/' | expand -t 26

node_modules/.modules.yaml: package.json pnpm-lock.yaml pnpm-workspace.yaml $(wildcard libs/*/package.json services/*/package.json $(wildcard deploy/*/package.json) test-e2e/package.json)
	@$(PNPM) install --frozen-lockfile --reporter=append-only > .install.log 2>&1 || { cat .install.log; exit 1; }
	@touch $@

demo: node_modules/.modules.yaml ## start the system on this machine and show one message in each direction
	@$(RUN) node deploy/local/src/demo.ts

up: node_modules/.modules.yaml .local/admin-ui/manifest.json ## start the system on localhost; addresses and a token in .local/posthorn.env
	@$(RUN) node deploy/local/src/up.ts

down: node_modules/.modules.yaml ## stop the system of `make up`
	@$(RUN) node deploy/local/src/down.ts

test: node_modules/.modules.yaml ## all checks and tests with their servers; FILE=… for one file
	@$(RUN) node libs/tooling/src/test.ts $(FILE)

check: node_modules/.modules.yaml ## types, lint, format, import rules, wording, OpenAPI, manifests, dependencies; needs no server
	@$(RUN) node libs/tooling/src/check.ts

servers: node_modules/.modules.yaml ## start Postgres, pgbouncer, RabbitMQ, Dovecot, Cyrus, Postfix, OpenSMTPD and a mail hub for tests
	@$(RUN) node deploy/local/src/servers.ts start

servers-stop: node_modules/.modules.yaml ## stop the servers of `make servers`
	@$(RUN) node deploy/local/src/servers.ts stop

test-unit: node_modules/.modules.yaml ## tests next to the code; need no server
	@$(RUN) node libs/tooling/src/test.ts --kind unit

test-integration: node_modules/.modules.yaml ## tests of one library or service against real servers
	@$(RUN) node libs/tooling/src/test.ts --kind integration

test-e2e: node_modules/.modules.yaml ## tests of the whole system, one story per file
	@$(RUN) node libs/tooling/src/test.ts --kind e2e test-e2e/stories test-e2e/client test-e2e/cli test-e2e/admin

test-faults: node_modules/.modules.yaml ## tests under kills and restarts, and all tests that `make test` runs in a smaller size, in full size
	@$(RUN) TEST_FAULTS=full node libs/tooling/src/test.ts test-e2e/faults test-e2e/admin $$(grep -rlE --include='*.test.ts' --exclude-dir=node_modules 'faultSize|isFullFaultRun' libs services test-e2e)

test-image: node_modules/.modules.yaml ## build the image and run the demo's story in containers; skipped without an engine
	@$(RUN) node test-e2e/image/main.ts

bench: node_modules/.modules.yaml ## measurements, each with a reference in the same run
	@$(RUN) node test-e2e/bench/main.ts

libs/docs/site/node_modules/.modules.yaml: libs/docs/site/package.json libs/docs/site/pnpm-lock.yaml libs/docs/site/pnpm-workspace.yaml
	@$(PNPM) --dir libs/docs/site install --frozen-lockfile --reporter=append-only > .install.log 2>&1 || { cat .install.log; exit 1; }
	@touch $@

docs: node_modules/.modules.yaml libs/docs/site/node_modules/.modules.yaml ## build the documentation site into .local/docs; api-gateway serves it below /docs/
	@$(RUN) node libs/docs/src/build-main.ts

services/admin-ui/web/node_modules/.modules.yaml: services/admin-ui/web/package.json services/admin-ui/web/pnpm-lock.yaml services/admin-ui/web/pnpm-workspace.yaml
	@$(PNPM) --dir services/admin-ui/web install --frozen-lockfile --reporter=append-only > .install.log 2>&1 || { cat .install.log; exit 1; }
	@touch $@

ADMIN_WEB := services/admin-ui/web
ADMIN_WEB_SOURCES := $(wildcard $(ADMIN_WEB)/*.js $(ADMIN_WEB)/*.json $(ADMIN_WEB)/*.html) $(shell find $(ADMIN_WEB)/src $(ADMIN_WEB)/build libs/advice/src libs/client/src libs/contracts/src -type f)

admin-ui: .local/admin-ui/manifest.json ## check and build the administration pages into .local/admin-ui; admin-ui serves them

.local/admin-ui/manifest.json: node_modules/.modules.yaml $(ADMIN_WEB)/node_modules/.modules.yaml $(ADMIN_WEB_SOURCES)
	@PATH="$(CURDIR)/$(ADMIN_WEB)/node_modules/.bin:$(CURDIR)/node_modules/.bin:$$PATH" && cd $(ADMIN_WEB) && tsc && vite build || { rm -f $(CURDIR)/$@; exit 1; }

migration: node_modules/.modules.yaml ## create the next numbered migration: make migration NAME=add-labels
	@$(RUN) node libs/tooling/src/new-migration.ts $(NAME)

crawlers: node_modules/.modules.yaml ## update the crawler addresses from the lists of their operators
	@$(RUN) node services/api-gateway/src/automated/refresh-main.ts

openapi: node_modules/.modules.yaml ## write the OpenAPI document from the contracts
	@$(RUN) node libs/contracts/src/openapi/write.ts

client: node_modules/.modules.yaml ## write the types and operations of the typed client from the contracts
	@$(RUN) node libs/client/src/generator/generate-main.ts

client-baseline: node_modules/.modules.yaml ## record the types with which later contracts must be compatible
	@$(RUN) node libs/client/src/generator/generate-main.ts baseline

client-package: node_modules/.modules.yaml ## build the package of the typed client into .local/client
	@$(RUN) node libs/client/src/package/build-main.ts

client-platforms: node_modules/.modules.yaml ## run the package of the typed client in Node 20, Deno and Bun, which are installed for this
	@$(RUN) node libs/client/test/platforms-main.ts

provider-types: node_modules/.modules.yaml ## write the types of the provider APIs from their descriptions
	@$(RUN) node libs/backends/src/provider-types/generate-main.ts

manifests: node_modules/.modules.yaml ## write the manifests of network policies and RabbitMQ users from the code
	@$(RUN) node deploy/permissions/src/write-main.ts

chart: node_modules/.modules.yaml ## write the Helm chart into .local/chart/posthorn; IMAGE=… DIGEST=… of a release
	@$(RUN) node deploy/manifests/src/chart/write-main.ts

format: node_modules/.modules.yaml ## format all sources
	@$(RUN) oxfmt -c libs/tooling/oxfmtrc.json --write libs services deploy test-e2e package.json '!**/*.md' '!libs/contracts/openapi.json' '!**/generated/**'

build: docs admin-ui ## bundle all processes into .local/dist: node .local/dist/posthorn.js <process>
	@$(RUN) node deploy/image/src/build-main.ts

base-images: node_modules/.modules.yaml ## record the digests of the images that others publish; needs Docker with buildx
	@$(RUN) node libs/tooling/src/base-images-main.ts record

image: node_modules/.modules.yaml ## build the image of all processes; needs Docker and recorded digests
	@$(RUN) node libs/tooling/src/base-images-main.ts check
	docker build -f deploy/Dockerfile -t posthorn --build-arg VERSION="$$(sed -n 's/^  "version": "\(.*\)",$$/\1/p' package.json)" --build-arg REVISION="$$(git rev-parse HEAD)" .

release: node_modules/.modules.yaml ## check the clone and write a version: make release VERSION=1.0.0-rc.1
	@$(RUN) node libs/tooling/src/release/prepare-main.ts "$(VERSION)"

release-check: node_modules/.modules.yaml ## check the tagged commit of a release: make release-check VERSION=1.0.0-rc.1
	@$(RUN) node libs/tooling/src/release/check-main.ts "$(VERSION)"

ci: ## run the command of CI
	@bash .ci/run
