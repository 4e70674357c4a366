"""A million malformed lines."""

import pytest

from tests.core.test_line import hurt


@pytest.mark.soak
def test_a_million_malformed_lines_change_nothing():
    assert hurt(1_000_000, 2) > 500_000
