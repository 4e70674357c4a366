"""From a tool's name, an activity's verb or a roster's facts to a state's name."""

# Keys are lower case without `_`, `-` and blanks.
TOOL_STATES = {
    "grep": "searching",
    "glob": "searching",
    "websearch": "searching",
    "rg": "searching",
    "find": "searching",
    "codesearch": "searching",
    "grepsearch": "searching",
    "searchfilecontent": "searching",
    "codebasesearch": "searching",
    "filesearch": "searching",
    "searchfiles": "searching",
    "searchcodebase": "searching",
    "grepfiles": "searching",
    "googlewebsearch": "searching",
    "toolsearch": "searching",
    "read": "reading",
    "ls": "reading",
    "notebookread": "reading",
    "list": "reading",
    "listdirectory": "reading",
    "listdir": "reading",
    "listfiles": "reading",
    "listcodedefinitionnames": "reading",
    "readfile": "reading",
    "readfiles": "reading",
    "readmanyfiles": "reading",
    "view": "reading",
    "viewimage": "reading",
    "readmcpresource": "reading",
    "accessmcpresource": "reading",
    "lsp": "reading",
    "webfetch": "loading",
    "fetchurl": "loading",
    "fetchwebcontent": "loading",
    "browseraction": "loading",
    "edit": "editing",
    "multiedit": "editing",
    "write": "editing",
    "notebookedit": "editing",
    "patch": "editing",
    "applypatch": "editing",
    "replace": "editing",
    "writefile": "editing",
    "strreplacefile": "editing",
    "strreplaceeditor": "editing",
    "create": "editing",
    "editor": "editing",
    "replaceinfile": "editing",
    "writetofile": "editing",
    "applydiff": "editing",
    "editfile": "editing",
    "searchreplace": "editing",
    "strreplace": "editing",
    "delete": "editing",
    "deletefile": "editing",
    "bash": "running",
    "powershell": "running",
    "bashoutput": "running",
    "killshell": "running",
    "monitor": "running",
    "shell": "running",
    "shellcommand": "running",
    "localshell": "running",
    "execcommand": "running",
    "writestdin": "running",
    "runshellcommand": "running",
    "runterminalcmd": "running",
    "executecommand": "running",
    "runcommands": "running",
    "todowrite": "planning",
    "taskcreate": "planning",
    "taskget": "planning",
    "taskupdate": "planning",
    "tasklist": "planning",
    "taskstop": "planning",
    "enterplanmode": "planning",
    "exitplanmode": "planning",
    "updateplan": "planning",
    "writetodos": "planning",
    "todoread": "planning",
    "updatetodolist": "planning",
    "settodolist": "planning",
    "focuschain": "planning",
    "planenter": "planning",
    "planexit": "planning",
    "planmoderespond": "planning",
    "agent": "delegating",
    "task": "delegating",
    "spawnagent": "delegating",
    "sendinput": "delegating",
    "waitagent": "delegating",
    "invokeagent": "delegating",
    "codebaseinvestigator": "delegating",
    "newtask": "delegating",
    "usesubagents": "delegating",
    "workflow": "delegating",
    "requestuserinput": "listening",
    "askuserquestion": "listening",
    "askquestion": "listening",
    "askuser": "listening",
    "question": "listening",
    "askfollowupquestion": "listening",
    "savememory": "recalling",
    "skill": "recalling",
    "useskill": "recalling",
    "activateskill": "recalling",
    "getinternaldocs": "recalling",
    "attemptcompletion": "celebrate",
    "completetask": "celebrate",
    "submitandexit": "celebrate",
}

ACTIVITY_VERBS = {
    "thinking": "thinking",
    "reasoning": "thinking",
    "planning": "planning",
    "searching": "searching",
    "exploring": "searching",
    "browsing": "loading",
    "fetching": "loading",
    "downloading": "loading",
    "reading": "reading",
    "reviewing": "reading",
    "coding": "editing",
    "editing": "editing",
    "writing": "composing",
    "composing": "composing",
    "replying": "composing",
    "responding": "composing",
    "summarizing": "composing",
    "running": "running",
    "executing": "running",
    "building": "running",
    "debugging": "running",
    "testing": "testing",
    "committing": "syncing",
    "pushing": "syncing",
    "installing": "syncing",
    "deploying": "syncing",
    "delegating": "delegating",
    "waiting": "listening",
    "asking": "listening",
    "recalling": "recalling",
    "remembering": "recalling",
    "compacting": "recalling",
    "indexing": "progress",
}


def bare_tool(name):
    """A tool's own name, without the MCP server in front of it."""
    lowered = name.lower()
    if lowered.startswith("mcp__"):
        return name[5:].partition("__")[2]
    if lowered.startswith("mcp_"):
        return name[4:].partition("_")[2]
    if lowered.startswith("mcp:"):
        return name[4:]
    return name


def state_for_tool(name):
    """State while the tool of this name runs; working for what nobody knows."""
    if not isinstance(name, str):
        return "working"
    key = bare_tool(name).lower().replace("_", "").replace("-", "").replace(" ", "")
    return TOOL_STATES.get(key, "working")


def state_for_activity(verb):
    """State for the sentence that a person is shown; only its first word counts."""
    words = verb.split(None, 1) if isinstance(verb, str) else ()
    if not words:
        return "working"
    return ACTIVITY_VERBS.get(words[0].lower().strip(".,:;!?\u2026"), "working")


def character_state_for_roster(facts, surface):
    """State of a roster's row; composing shows on the `chat` surface only."""
    if not isinstance(facts, dict) or not facts.get("running"):
        return "idle"
    if surface == "chat" and facts.get("composing"):
        return "composing"
    return state_for_activity(facts.get("activity"))
