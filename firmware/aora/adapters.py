"""The documents' plain event maps: what `agent_id` + `event` mean, by name alone.

A code is two digits as sent; "end" ends the session. What needs a payload to be
understood is the bridge's business, not the board's.
"""

ADAPTERS = {
    "claude-code": {
        "SessionStart": "01",
        "UserPromptSubmit": "31",
        "PreToolUse": "32",
        "PostToolUse": "30",
        "PostToolUseFailure": "11",
        "PostCompact": "30",
        "PermissionRequest": "35",
        "PermissionDenied": "38",
        "Notification": "35",
        "Elicitation": "35",
        "SubagentStart": "48",
        "SubagentStop": "30",
        "PreCompact": "37",
        "MessageDisplay": "39",
        "Stop": "33",
        "StopFailure": "34",
        "SessionEnd": "end",
    },
    "cursor": {
        "toolCall": "32",
        "fileEdit": "43",
        "shellCommand": "44",
        "webSearch": "40",
        "awaitingApproval": "35",
        "responding": "39",
        "taskComplete": "33",
        "error": "34",
    },
}
