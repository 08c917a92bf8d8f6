# A real vLLM for machines without a GPU, for the tests of level `engine`. It is
# kept between runs; HPCBENCH_TEST_ENGINE_DIR puts it elsewhere.
ifeq ($(HPCBENCH_TEST_ENGINE_DIR),)
HPCBENCH_TEST_ENGINE_DIR := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/hpcbench/engine
endif
export HPCBENCH_TEST_ENGINE_DIR

.PHONY: engine engine-model
engine: engine-model ## a real vLLM (CPU build) and a tiny model, installed once into a cache folder
engine-model:
	engine/realtest/install.sh model '$(HPCBENCH_TEST_ENGINE_DIR)'
