"""Rejected by: test_one_message_answers_all_calls_in_order
Also: test_a_tool_can_be_called_twice, test_a_result_carries_the_id_of_its_call,
    test_an_unknown_tool_is_a_failed_call, test_a_tool_that_raises_is_a_failed_call

How many answers does your function give at most? How many calls can a message hold?

你的函数最多给出几个回答？一条消息里可以有几个调用？
"""


def answer_calls(content, tools):
    results = []
    for block in content:
        if block["type"] == "tool_use":
            results.append(answer(block, tools))
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
