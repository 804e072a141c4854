"""Rejected by: test_a_tool_that_raises_is_a_failed_call
Also: test_an_unknown_tool_is_a_failed_call

After the call that failed there were others. Who is still waiting for an answer?

失败的调用后面还有别的调用。谁还在等回答？
"""


def answer_calls(content, tools):
    results = []
    for block in content:
        if block["type"] == "tool_use":
            results.append(answer(block, tools))
            if "is_error" in results[-1]:
                break
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
