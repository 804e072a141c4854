# The top of a scheduled prompt: say which shell this is, and stop where no workspace is.
WS=; for d in /sessions/*/mnt/Workspace "${HOME:-.}/mnt/Workspace"; do if [ -z "$WS" ] && [ -d "$d" ] && [ "${d#/}" != "$d" ]; then WS=$d; fi; done
echo "shell=$(uname -n 2>/dev/null || echo unknown) py=$(python3 -c 'import platform; print(platform.python_version())' 2>/dev/null || echo none) ws=[${WS:+found}]"
: "${WS:?no workspace in this shell}"
