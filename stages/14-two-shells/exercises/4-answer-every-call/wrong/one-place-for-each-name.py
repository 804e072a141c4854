"""Rejected by: test_a_tool_can_be_called_twice

Two calls of one tool: how many places have you kept for their results?

同一个工具调用了两次：你给结果留了几个位置？
"""


def answer_calls(content, tools):
    calls = {block["name"]: block for block in content if block["type"] == "tool_use"}
    results = [answer(block, tools) for block in calls.values()]
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
    except Exception as error:
        return {**result, "content": type(error).__name__, "is_error": True}
