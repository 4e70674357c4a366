"""What the host says about this board."""

import json
import os

CONFIG = json.loads(os.getenv("AORA_VIRTUAL"))
