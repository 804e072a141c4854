"""Rejected by: test_only_tool_use_is_a_call

Some tools run at the service, and their blocks look much like yours. Which key tells
them apart?

有些工具在服务那一边执行，它们的块和你的很像。哪个键能区分？
"""


def answer_calls(content, tools):
    results = [answer(block, tools) for block in content if "name" in block]
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
