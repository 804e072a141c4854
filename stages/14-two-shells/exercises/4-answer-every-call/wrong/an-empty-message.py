"""Rejected by: test_without_a_call_there_is_no_message

Nothing was asked, and you send something. What would the model answer to it?

没人问什么，你却发了东西。模型该怎么回？
"""


def answer_calls(content, tools):
    results = [answer(block, tools) for block in content if block["type"] == "tool_use"]
    return {"role": "user", "content": results}


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
