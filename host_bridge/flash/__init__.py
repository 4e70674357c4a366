"""Getting the firmware onto a board, and never leaving one that does not start."""


class FlashError(Exception):
    """Something a person has to do something about; the text says what."""
