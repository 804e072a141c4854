"""The same requests in each shell's words.

A check is written once and asked in either dialect. In a phrase, `{0}` and `{1}`
are for words, which are quoted before they are put in, and `{words}` for any number
of them; a brace of the shell's own is doubled.
"""

from __future__ import annotations

BASH_PHRASES = {
    "print": r"printf '%s\n' {0}",
    "complain": r"printf '%s\n' {0} >&2",
    "count to": r"printf '%s\n' {{1..{0}}}",
    "fail with": "exit {0}",
    "where": "pwd",
    "go to": "cd {0}",
    "set": "MARK={0}",
    "get": r"""printf '%s\n' "${{MARK-unset}}" """.rstrip(),
    "define": r"greet() {{ printf '%s\n' {0}; }}",
    "call": "greet",
    "home": r"""printf '%s\n' "$HOME" """.rstrip(),
    "read": "cat",
    "write a file": r"printf '%s\n' {1} > {0}",
    "swallow": r"{{ printf '%s\n' {1} > {0}; }} 2>/dev/null || echo refused",
    "run": "{words}",
    "sleep": "sleep {0}",
    "spawn": "{{ sleep {0} & }}",
    "die": "kill -9 $$",
}

PWSH_PHRASES = {
    "print": "Write-Output {0}",
    "complain": "[Console]::Error.WriteLine({0})",
    "count to": "1..{0}",
    "fail with": "exit {0}",
    "where": "(Get-Location).Path",
    "go to": "Set-Location -LiteralPath {0}",
    "set": "$MARK = {0}",
    "get": "if (Test-Path variable:MARK) {{ $MARK }} else {{ 'unset' }}",
    "define": "function greet {{ Write-Output {0} }}",
    "call": "greet",
    "home": "$env:HOME",
    "read": "[Console]::In.ReadToEnd()",
    "write a file": "Set-Content -LiteralPath {0} -Value {1}",
    # What a catch leaves behind counts as a failure, unless something succeeds there.
    "swallow": "try {{ Set-Content -LiteralPath {0} -Value {1} -ErrorAction Stop }} "
    "catch {{ Write-Output 'refused' }}",
    "run": "& {words}",
    "sleep": "Start-Sleep -Seconds {0}",
    "spawn": "Start-Process -FilePath sleep -ArgumentList {0}",
    "die": "Stop-Process -Id $PID -Force",
}
