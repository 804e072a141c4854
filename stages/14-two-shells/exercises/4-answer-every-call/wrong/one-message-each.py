"""Rejected by: test_one_message_answers_all_calls_in_order
Also: test_a_result_carries_the_id_of_its_call, test_a_tool_can_be_called_twice,
    test_only_tool_use_is_a_call, test_an_unknown_tool_is_a_failed_call,
    test_an_input_that_is_no_object_is_a_failed_call,
    test_a_command_that_is_no_text_is_a_failed_call,
    test_a_tool_that_raises_is_a_failed_call, test_the_words_of_an_exception_stay_here

Roles take turns: after the assistant comes one user message. Where do all the results
have to be, then?

角色要轮流：助手说完，是一条用户消息。那么所有结果该放在哪里？
"""


def answer_calls(content, tools):
    results = [answer(block, tools) for block in content if block["type"] == "tool_use"]
    return [{"role": "user", "content": [one]} for one in results] or None


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
