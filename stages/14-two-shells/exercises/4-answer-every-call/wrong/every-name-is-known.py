"""Rejected by: test_an_unknown_tool_is_a_failed_call

The model made up a name. What does your look-up do with it, and who answers then?

名字是模型编出来的。你去查的时候会怎么样？那时谁来回答？
"""


def answer_calls(content, tools):
    results = [answer(block, tools) for block in content if block["type"] == "tool_use"]
    return {"role": "user", "content": results} if results else None


def answer(call, tools):
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    tool = tools[call["name"]]
    arguments = call["input"]
    if not isinstance(arguments, dict):
        return {**result, "content": "the input is no object", "is_error": True}
    if not isinstance(arguments.get("command"), str):
        return {**result, "content": "`command` is no text", "is_error": True}
    try:
        return {**result, "content": tool(arguments["command"])}
    except Exception as error:
        return {**result, "content": type(error).__name__, "is_error": True}
