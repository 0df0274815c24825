# Short names for common commands. CONTRIBUTING.md explains when to use which. Each line of `make help` is the comment
# behind "##" of its target.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help quick module test it docs pictures format

# The recipes read these variables from the environment, so the shell does not interpret a quote or "#" in a value.
export T M MVN_ARGS

# The module of `make it`, and the one below tony-core of `make module`.
M ?= cluster-tests

MVN := ./mvnw -B --no-transfer-progress
# Other modules that are built as dependencies have no test of this name.
ONE_TEST := -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
# Several tests may be separated by spaces or commas.
TESTS := "$$(tr -s ' ' ',' <<<"$$T")"
NEED_T = @[[ -n $$T ]] || { echo 'error: name the test, as in: make $@ T=$(1)' >&2; exit 2; }

help: ## say what each target does (the default)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo "Extra arguments for Maven: MVN_ARGS, as in: make quick MVN_ARGS='-o'"

quick: ## compile, check format and package boundaries, run all unit and document tests
	$(MVN) test $$MVN_ARGS

module: ## test a module of tony-core and all modules that depend on it: make module M=am
	@[[ -f tony-core/$$M/pom.xml ]] || { echo 'error: name a module of tony-core, as in: make $@ M=am' >&2; exit 2; }
	$(MVN) -q install -DskipTests $$MVN_ARGS
	$(MVN) test -pl "tony-core/$$M" -amd $$MVN_ARGS

test: ## run unit tests of tony-core: make test T=RestartTest, or T='RestartTest StopTest#shouldEnd*'
	$(call NEED_T,RestartTest)
	$(MVN) test -pl tony-core -am -Dtest=$(TESTS) $(ONE_TEST) $$MVN_ARGS

it: ## run cluster tests: make it T=FailoverIT; with M=azkaban-mini those of another module
	$(call NEED_T,FailoverIT)
	$(MVN) verify -pl "$$M" -am -Dtest=None -Dit.test=$(TESTS) $(ONE_TEST) $$MVN_ARGS

docs: ## write the generated documents: options, commands, migration tables
	$(MVN) test -pl tony-core -am -Dtest='*DocsTest' $(ONE_TEST) -Dtony.docs.write=true $$MVN_ARGS

pictures: ## draw the documents' pictures of pages that have changed, in Chromium
	$(MVN) verify -pl cluster-tests -am -Dtest=None -Dit.test=DocsPicturesIT $(ONE_TEST) -Dtony.docs.write=true $$MVN_ARGS

format: ## format the Java code
	$(MVN) spotless:apply $$MVN_ARGS
