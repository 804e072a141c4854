"""Rejected by: test_an_interrupt_goes_through

Lin presses Ctrl-C. What does your program make of it?

林按下了 Ctrl-C。你的程序会把它当成什么？
"""


def answer_calls(content, tools):
    results = [answer(block, tools) for block in content if block["type"] == "tool_use"]
    return {"role": "user", "content": results} if results else None


def answer(call, tools):
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    if call["name"] not in tools:
        return {**result, "content": f"no tool {call['name']}", "is_error": True}
    arguments = call["input"]
    if not isinstance(arguments, dict):
        return {**result, "content": "the input is no object", "is_error": True}
    if not isinstance(arguments.get("command"), str):
        return {**result, "content": "`command` is no text", "is_error": True}
    try:
        return {**result, "content": tools[call["name"]](arguments["command"])}
    except BaseException as error:
        return {**result, "content": type(error).__name__, "is_error": True}
