"""Rejected by: test_a_tool_that_raises_is_a_failed_call
Also: test_the_words_of_an_exception_stay_here

One call failed, and the whole message is lost. Where would you have to stand to catch
that?

一个调用失败，整条消息都没了。要在哪里接住它？
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
    return {**result, "content": tools[call["name"]](arguments["command"])}
