"""What an evaluation says of its cases and runs: English -> Chinese."""

MESSAGES = {
    "name a file of cases, or make one: graphrag eval --make --out cases.jsonl": (
        "请给出用例文件，或者生成一个：graphrag eval --make --out cases.jsonl"
    ),
    "--gate needs a run to compare with. Add --compare RUN, a report that --out kept.": (
        "--gate 需要一次可比较的运行。请加上 --compare RUN，即之前用 --out 保存的报告。"
    ),
    "--make writes a file. Add --out cases.jsonl": "--make 会写文件。请加上 --out cases.jsonl",
    "{out} exists already. Name another file, or add --force to replace it.": (
        "{out} 已存在。请换一个文件名，或者加 --force 覆盖。"
    ),
    "the vault gives no question of these kinds: its notes are too few, too short, or without such names.": (
        "笔记库里找不到这几类问题：笔记太少、太短，或者没有这样的名称。"
    ),
    "--kinds: '{unknown}' is no kind. Known ones: {kinds}.": "--kinds：没有“{unknown}”这一类。可用的有：{kinds}。",
    "--out: {out} exists and is no report. Name another file, or add --force.": (
        "--out：{out} 已存在，而且不是报告。请换一个文件名，或者加 --force。"
    ),
    "{names} cannot go with {partner}.": "{names} 不能和 {partner} 一起用。",
    "{cases} notes have a sentence to ask by, and {fewest} are needed. The default stays.": (
        "{cases} 篇笔记有可以用来提问的句子，至少需要 {fewest} 篇。沿用默认值。"
    ),
    "it is not UTF-8": "不是 UTF-8",
    "{path}: the cases cannot be read: {reason}.": "{path}：用例无法读取：{reason}。",
    "the id '{id}' is taken by an earlier line": "编号“{id}”与前面的一行重复",
    "{path}: holds no case. Write one JSON object a line: {required}.": (
        "{path}：没有用例。请每行写一个 JSON 对象：{required}。"
    ),
    "not valid JSON: {msg} at column {colno}": "不是有效的 JSON：{msg}，第 {colno} 列",
    "not a JSON object": "不是 JSON 对象",
    "the key '{key}' is missing": "缺少键“{key}”",
    "it says nothing to measure the search by. Add 'relevant', 'evidence' or 'route', or measure only the "
    "answers, with --answers": (
        "没有写明用什么来衡量检索。请加上 'relevant'、'evidence' 或 'route'，或者用 --answers 只测回答"
    ),
    "'{key}' is not a text": "“{key}”不是文本",
    "'{key}' is neither a text nor a list of texts": "“{key}”既不是文本，也不是文本的列表",
    "unknown route '{name}'; known ones are {route}": "未知路线“{name}”；可用的有 {route}",
    "'filters' is not a JSON object": "'filters' 不是 JSON 对象",
    "unknown filter '{key}'; known ones are {filters}": "未知筛选条件“{key}”；可用的有 {filters}",
    "{path}: the run cannot be read: {strerror}.": "{path}：之前的运行无法读取：{strerror}。",
    "{path}: not a report of this version's graphrag eval. Make one with: graphrag eval CASES --out {path2}": (
        "{path}：不是这个版本的 graphrag eval 的报告。请生成一份：graphrag eval CASES --out {path2}"
    ),
    ", with uncommitted changes": "，有未提交的修改",
    "no commit": "没有提交",
    "file of cases": "用例文件",
    "share of passages with a vector": "有向量的片段比例",
    "passages of one note": "每篇笔记的片段数",
    "passages asked for": "要求的片段数",
    "{name}: {old} before, {new} now": "{name}：之前 {old}，现在 {new}",
    "only the kept run has {name}": "只有保存的运行有 {name}",
    "the kept run has no {name}": "保存的运行没有 {name}",
    "{faithfulness} and {relevance} are not compared: {checked_by} before, {checked_by2} now": (
        "{faithfulness} 和 {relevance} 不作比较：之前由 {checked_by} 评判，现在由 {checked_by2} 评判"
    ),
    "citation check, no judge model": "核对引用，没有评判模型",
    "nothing is measured with a part missing: {notice}": "缺少一个部件时什么也不测：{notice}",
    "--judge {name}: [answer] chat is none. Name the provider too, as in: --judge ollama:{name2}": (
        "--judge {name}：[answer] chat 为 none。请连同提供方一起写，例如：--judge ollama:{name2}"
    ),
    "the verdict is not the JSON that was asked for": "评判结果不是要求的 JSON",
    "judge model {model_id}": "评判模型 {model_id}",
    "the key '{key}' is missing; is '{near}' a misspelling of it": "缺少键“{key}”；是不是误写成了“{near}”",
}
