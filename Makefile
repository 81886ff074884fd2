.PHONY: demo test check sim bench format docs setup

setup:
	@scripts/setup.sh

test: setup
	swift test

demo: setup
	swift run holdfast demo
