"""Rejected by: test_a_command_that_is_no_text_is_a_failed_call

Everything can be made into text. Is it then still what the model asked for?

什么都可以变成文本。可变完以后，还是模型要的那条命令吗？
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
    try:
        return {**result, "content": tools[call["name"]](str(arguments.get("command")))}
    except Exception as error:
        return {**result, "content": type(error).__name__, "is_error": True}
