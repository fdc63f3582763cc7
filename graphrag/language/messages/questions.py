"""What is wrong with a question, a name, a setting or a request: English -> Chinese."""

MESSAGES = {
    "the question holds nothing to search for. Ask in words; filters come besides, e.g. tag:支付.": (
        "问题里没有可以检索的内容。请用文字提问；筛选条件另外写，例如 tag:支付。"
    ),
    "{vault}: the vault cannot be written ({error}), nothing was saved. {advice}.": (
        "{vault}：笔记库无法写入（{error}），什么也没有保存。{advice}。"
    ),
    "[answer] save_dir '{folder}': name a folder inside the vault, such as 问答, not a hidden one.": (
        "[answer] save_dir“{folder}”：请填笔记库里的一个文件夹，例如 问答，不能是隐藏文件夹。"
    ),
    "{location}: a symbolic link. Nothing is written through it; change [answer] save_dir.": (
        "{location}：是符号链接，不会透过它写入；请修改 [answer] save_dir。"
    ),
    "{location}: a file, not a folder. Change [answer] save_dir, or move the file.": (
        "{location}：是文件，不是文件夹。请修改 [answer] save_dir，或者移走这个文件。"
    ),
    "imported into": "导入笔记",
    "a limited part of a vault cannot be {what}. Use the whole vault.": (
        "只开放一部分的笔记库不能{what}。请使用整个笔记库。"
    ),
    "limited anew": "再次缩小范围",
    "written to": "写入",
    "no note passes the filters. `graphrag tags` and `graphrag categories` list what there is; --since and "
    "--until leave out notes without a date.": (
        "没有笔记符合筛选条件。`graphrag tags` 和 `graphrag categories` 可列出现有的标签和分类；--since 和 "
        "--until 会排除没有日期的笔记。"
    ),
    "--at asks for the past and --fresh for the present: give one of them.": (
        "--at 查的是过去，--fresh 查的是现在：只能选一个。"
    ),
    "Without --fresh, the last snapshot answers.": "不加 --fresh 则由上一个快照回答。",
    "No note holds “{word}”; “{near}” is like it.": "没有笔记写到“{word}”；与它相近的有“{near}”。",
    "not up to date after {patience} s: {reason}": "{patience} 秒内没能更新到最新：{reason}",
    "--out: there is no folder '{parent}'. Make it first, or name another.": (
        "--out：没有文件夹“{parent}”。请先建立，或者换一个。"
    ),
    "--out: '{out}' is there already. --force overwrites it.": "--out：“{out}”已经存在。加 --force 可覆盖。",
    "Obsidian shows the file on disk, which does not say this: graphrag open '{name}' prints it, --in editor "
    "shows that version.": (
        "Obsidian 打开的是磁盘上的文件，其中没有这段内容：graphrag open '{name}' 可打印这一版，--in editor 可"
        "查看这一版。"
    ),
    "nothing on this machine opens {url}": "这台机器上没有程序能打开 {url}",
    "the editor '{command}' cannot be started: {strerror}. Set $VISUAL.": (
        "编辑器“{command}”无法启动：{strerror}。请设置 $VISUAL。"
    ),
    "no editor is set. Set $VISUAL or $EDITOR, as in: VISUAL='code --wait'": (
        "没有设置编辑器。请设置 $VISUAL 或 $EDITOR，例如：VISUAL='code --wait'"
    ),
    "--background needs --vault, and cannot be combined with --full.": (
        "--background 需要 --vault，并且不能与 --full 一起用。"
    ),
    "--hook and --unhook exclude each other: give one of them.": "--hook 与 --unhook 互相排斥：只能选一个。",
    "two vaults are named, {folder} and --vault {vault}: give one of them.": (
        "指定了两个笔记库，{folder} 和 --vault {vault}：只能选一个。"
    ),
    "{target} is not a folder. Name the folder that holds your notes.": (
        "{target} 不是文件夹。请给出存放笔记的文件夹。"
    ),
    "{path} is already there; nothing was written.": "{path} 已经存在，没有写入任何内容。",
    'the question is empty. Write it after the command, as in: graphrag ask "why Saga?"': (
        '问题是空的。请写在命令后面，例如：graphrag ask "为什么选 Saga？"'
    ),
    "--since {first} is later than --until {last}: no note can match.": (
        "--since {first} 晚于 --until {last}：不可能有笔记符合。"
    ),
    "the query is empty. Write it after the command, as in: {command}": ("查询是空的。请写在命令后面，例如：{command}"),
    "{chosen} exclude each other: give one of them.": "{chosen} 互相排斥：只能选一个。",
    "{option} is empty. Give a name, or leave the option out.": "{option} 是空的。请给出名称，或者去掉这个选项。",
    "{option}: '{value}' is not a date. Write it like 2024-06-16.": (
        "{option}：“{value}”不是日期。请写成 2024-06-16 这样。"
    ),
    "--tls-cert and --tls-key go together: give both.": "--tls-cert 和 --tls-key 要一起给出。",
    "{file}: no such file.": "{file}：没有这个文件。",
    "--host {host} opens the vault to other machines. Give --tls-cert and --tls-key, or --insecure-http if "
    "nobody can listen on the way (tokens and notes would be readable there).": (
        "--host {host} 会把笔记库开放给其他机器。请给出 --tls-cert 和 --tls-key；如果途中不可能有人窃听，可用"
        " --insecure-http（令牌和笔记会以明文传输）。"
    ),
    "cannot listen at {where}: {reason}. Choose others by --host and --port.": (
        "无法在 {where} 上监听：{reason}。请用 --host 和 --port 另选。"
    ),
    "{tls_cert}, {tls_key}: not a certificate with its private key, in PEM: {error}.": (
        "{tls_cert}，{tls_key}：不是 PEM 格式的证书和私钥：{error}。"
    ),
    "'{unit}' is unknown here. Units are printed by: graphrag watch --print-unit systemd|launchd": (
        "这里没有“{unit}”。打印服务单元用：graphrag watch --print-unit systemd|launchd"
    ),
    "waiting for the vault": "等待笔记库出现",
    "Nothing is indexed yet. On the machine that holds the vault, run: graphrag index": (
        "还没有建立索引。请在存放笔记库的机器上运行：graphrag index"
    ),
    "The index cannot be used now. The server's log says why; `graphrag doctor` looks further.": (
        "索引现在不能用。原因见服务器日志；`graphrag doctor` 可进一步检查。"
    ),
    "Something went wrong inside. The server's log says what.": "内部出错，详情见服务器日志。",
    "since {since} is later than until {until}: no note can match": (
        "since {since} 晚于 until {until}：不可能有笔记符合"
    ),
    "'{uri}' is not the address of a note. They look like {scheme}folder/name.md": (
        "“{uri}”不是笔记的地址。地址形如 {scheme}folder/name.md"
    ),
    "quotation marks and arrows cannot stand in a name here. Give the note's alias instead.": (
        "名称里不能有引号和箭头。请改用笔记的别名。"
    ),
    "No {kind} is called '{name}'{like}.": "没有叫“{name}”的{kind}{like}。",
    "list_notes without a filter counts the tags and categories; since and until leave out notes without a date.": (
        "list_notes 不带筛选条件可列出标签和分类的数量；since 和 until 会排除没有日期的笔记。"
    ),
    "no note passes the filter.": "没有笔记符合筛选条件。",
    "; like it: {near}": "；相近的：{near}",
    "Notes that changed since they were indexed: {notes}. `graphrag index` takes them in.": (
        "有 {notes} 篇笔记在索引之后变过。`graphrag index` 可将其纳入。"
    ),
    "This server does not go by that name. Start it with --allow-host to add one.": (
        "这台服务器没有这个名称。启动时用 --allow-host 可添加。"
    ),
    "Requests from pages of other sites are refused.": "不接受其他网站的页面发来的请求。",
    "The rest of the request did not come in time.": "请求的其余部分没有及时到达。",
    "A request may have {most} KB at most.": "一个请求最多 {most} KB。",
    "This needs a token of scope {needed}.": "这需要权限为 {needed} 的令牌。",
    "Too many requests without a valid token.": "没有有效令牌的请求太多。",
    "A valid token is needed: Authorization: Bearer grag_…": "需要有效的令牌：Authorization: Bearer grag_…",
    "This installation has no page.": "这个安装里没有页面。",
    "since {since} is later than until {until}: no note can match.": (
        "since {since} 晚于 until {until}：不可能有笔记符合。"
    ),
    "is given {times} times; it takes one value": "给出了 {times} 次；只能有一个值",
    "there is no such name. GET /openapi.json lists what there is": "没有这个名称。GET /openapi.json 可列出全部",
    "It took too long. Ask for less at once, or try again later.": "用时太长。请减少一次请求的内容，或者稍后再试。",
    "The body is nested too deeply: it has more brackets inside one another than can be read.": (
        "请求正文嵌套太深：括号层数超出可读取的范围。"
    ),
    "The body is not UTF-8. Send JSON in UTF-8.": "请求正文不是 UTF-8。请用 UTF-8 发送 JSON。",
    'The body cannot be read. Send JSON like {"question": "…"}.': (
        '请求正文无法读取。请发送 {"question": "…"} 这样的 JSON。'
    ),
    "is not JSON from character {where} on": "从第 {where} 个字符起不是 JSON",
    "is not said to be JSON. Send it with the header Content-Type: application/json": (
        "没有注明是 JSON。发送时请带上 Content-Type: application/json"
    ),
    "There is nothing at this address. GET /openapi.json lists what there is.": (
        "这个地址没有内容。GET /openapi.json 可列出全部。"
    ),
    "This address does not take this method.": "这个地址不接受这种方法。",
    "The part of the vault that this token opens is being indexed. Try again in a moment.": (
        "这个令牌所开放的部分正在建立索引。请稍后再试。"
    ),
    "the snapshot before goes on answering": "继续由之前的快照回答",
    "the index of a limited token is not up to date": "受限令牌的索引不是最新",
    "the vault is not followed": "没有在跟踪笔记库",
    "the settings changed: they count when graphrag serve is started anew": (
        "设置变了：重新启动 graphrag serve 后生效"
    ),
    "Too many requests at once. Try again in a moment.": "同时的请求太多。请稍后再试。",
    "the question has {asked} characters; at most {max_question} are taken. Shorten it.": (
        "问题有 {asked} 个字符，最多 {max_question} 个。请缩短。"
    ),
    "the question is empty. Ask in words; filters come besides, e.g. tag:支付.": (
        "问题是空的。请用文字提问；筛选条件另外写，例如 tag:支付。"
    ),
    "'{rest}' is no filter. Write them like tag:支付 path:会议 since:2024-01-01.": (
        "“{rest}”不是筛选条件。请写成 tag:支付 path:会议 since:2024-01-01 这样。"
    ),
    "'{text}' is not a day. Write it as 2024-03-01.": "“{text}”不是日期。请写成 2024-03-01 这样。",
    "this run": "本次运行",
    "'{name}' is no name of a token. Use up to 64 letters, digits, spaces, and . @ _ -": (
        "“{name}”不能用作令牌的名称。最多 64 个字母、数字、空格，以及 . @ _ -"
    ),
    "'{name}' is what `graphrag serve` calls its own token. Choose another name.": (
        "“{name}”是 `graphrag serve` 自己的令牌的名称。请换一个。"
    ),
    "the token would expire in the past ({expires}). Give a later time.": (
        "令牌的到期时间已经过去（{expires}）。请给出以后的时间。"
    ),
    "a token of scope admin sees the whole vault. Leave the limit out, or choose read or ask.": (
        "权限为 admin 的令牌能看到整个笔记库。请去掉范围，或者选择 read 或 ask。"
    ),
    "there is a token '{name}' already. Choose another name, or delete that one first.": (
        "已经有令牌“{name}”。请换一个名称，或者先删除那一个。"
    ),
    "Did you mean: {near}?": "是不是：{near}？",
    "graphrag token list shows them.": "graphrag token list 可列出令牌。",
    "there is no token '{name}'. {advice}": "没有令牌“{name}”。{advice}",
    "'{text}' is no time to expire at. Write 30d, 12h or 2026-12-31.": (
        "“{text}”不是到期时间。请写成 30d、12h 或 2026-12-31 这样。"
    ),
    "'{text}' is no limit. Write it like category:工作 tag:支付.": (
        "“{text}”不是范围。请写成 category:工作 tag:支付 这样。"
    ),
    "'{text}' is no limit, since a name in it is empty. Write it like category:工作 tag:支付.": (
        "“{text}”不是范围，其中有一个名称是空的。请写成 category:工作 tag:支付 这样。"
    ),
    "'{text}' is no limit. Only category: and tag: limit a token.": (
        "“{text}”不是范围。只有 category: 和 tag: 能限定令牌。"
    ),
    "no commit touched '{path}' since this shallow clone begins. Run: git fetch --unshallow": (
        "在这个浅克隆的范围内，没有提交涉及“{path}”。请运行：git fetch --unshallow"
    ),
    "'{path}' is in no commit yet, so it has no history.": "“{path}”还没有提交过，所以没有历史。",
    "no note is or was called '{path}'. Give its path in the vault.": (
        "没有笔记叫过“{path}”。请给出它在笔记库里的路径。"
    ),
    "the citation is empty. Write it like note.md:12-20@3f2a91c": "引用是空的。请写成 note.md:12-20@3f2a91c 这样",
    "there is no note '{indexed}' {where}.": "没有笔记“{indexed}”（{where}）。",
    "on disk": "磁盘上",
    "no note is called so, and {error}": "没有笔记叫这个名称，而且{error}",
    "'{path}' has the lines 1 to {lines} in that version, not {first} to {last}.": (
        "“{path}”在那一版里有第 1 到 {lines} 行，没有第 {first} 到 {last} 行。"
    ),
    "'{path}' was deleted just now.": "“{path}”刚刚被删除。",
    "a note that said so was changed or is gone since it was indexed. Run: graphrag index": (
        "写有这一点的笔记在索引之后被改动或已不在。请运行：graphrag index"
    ),
    "'{text}' is no fact. Write a subject, a relation and an object, like {examples}": (
        "“{text}”不是一个事实。请写主语、关系和宾语，例如 {examples}"
    ),
    "graphrag ontology check lists what notes use.": "graphrag ontology check 可列出笔记用到的名称。",
    "no relation of the ontology is named in '{text}'. {advice}": "“{text}”里没有本体中的关系名。{advice}",
    "{vault}: not there, or empty; waiting for it": "{vault}：不在或为空；等待它出现",
    "{vault}: there again": "{vault}：又有了",
    "not indexed, will try again: {message}": "未能索引，会再试：{message}",
    "the settings before stay in force: {error}": "沿用之前的设置：{error}",
    "{settings_file} changed: reading it again": "{settings_file} 变了：重新读取",
    "'{name}' joins too many notes to tell: graphrag ontology check": (
        "“{name}”关联的笔记太多，无法列出：graphrag ontology check"
    ),
    "'{path}' is not in the graph. Run: graphrag index --full": "“{path}”不在图里。请运行：graphrag index --full",
    "'{found}' changed since it was indexed, and is kept back.": "“{found}”在索引之后变过，现在不公开。",
    "'{id}' is in the index, but no longer in the vault, or kept back now.": (
        "“{id}”在索引里，但已不在笔记库中，或者现在不公开。"
    ),
    "{reason} Run: graphrag index": "{reason}请运行：graphrag index",
    "'{path}' is in the index, but kept back now, or gone. Run: graphrag index": (
        "“{path}”在索引里，但现在不公开或已不在。请运行：graphrag index"
    ),
    "'{name}' names {found} notes. Give one of these paths: {found2}": (
        "“{name}”对应 {found} 篇笔记。请给出其中一个路径：{found2}"
    ),
    "'{path}' is not in the index: {message}": "“{path}”不在索引里：{message}",
    "graphrag search finds notes by their text.": "graphrag search 可按内容查找笔记。",
    "no note is called '{name}'. {advice}": "没有叫“{name}”的笔记。{advice}",
    "{vault}: nothing is indexed yet. Run: graphrag index": "{vault}：还没有建立索引。请运行：graphrag index",
    "moved, and private now": "已移动，现在是私密的",
    "{vault}: not in a Git repository, so it has no history. Run: git init": (
        "{vault}：不在 Git 仓库里，所以没有历史。请运行：git init"
    ),
    "{vault}: nothing is committed yet, so it has no history. Run: git commit": (
        "{vault}：还没有提交过，所以没有历史。请运行：git commit"
    ),
    "'{revision}' is no commit, branch, tag or date (YYYY-MM-DD) of this vault.": (
        "“{revision}”不是这个笔记库的提交、分支、标签或日期（YYYY-MM-DD）。"
    ),
    "left out: the note is private today": "已排除：这篇笔记现在是私密的",
    "{vault}: not in a Git repository, so there is no past to ask.": "{vault}：不在 Git 仓库里，所以没有过去可查。",
    "{cwd}: lies in no vault. Go into the folder of your notes, or name it with --vault.": (
        "{cwd}：不在任何笔记库里。请进入存放笔记的文件夹，或者用 --vault 指定。"
    ),
    "{folder}: the index cannot lie in the vault's own folder or above it. Change [index] dir.": (
        "{folder}：索引不能放在笔记库自己的文件夹或它的上级。请修改 [index] dir。"
    ),
    "--param: '{given}' is not NAME=VALUE. Write it like --param name=张三.": "--param：“{given}”不是 NAME=VALUE 的形式。请写成 --param name=张三。",
    "a {kind} to filter by is empty. Give a name, or leave it out.": "筛选用的 {kind} 是空的。请给出名称，或去掉它。",
    "'{what}' is refused: {reason}. {hint}": "“{what}”被拒绝：{reason}。{hint}",
    "the query has {length} characters; at most {most} are read.": "查询有 {length} 个字符，最多读 {most} 个。",
    "the query is empty. Write one like: MATCH (n:Entity) RETURN n.title LIMIT 5. {hint}": "查询是空的。请写成：MATCH (n:Entity) RETURN n.title LIMIT 5。{hint}",
    "only one statement at a time is run. Leave out what follows the first ';'.": "一次只运行一条语句。请去掉第一个“;”后面的内容。",
    "the parameter {name} has no value. Give one with --param {again}=VALUE.": "参数 {name} 没有值。请用 --param {again}=VALUE 给出。",
    "character {place} of the query, {sign}, is no Cypher that is understood here: an open quotation mark, an unknown escape, or a full-width sign? {hint}": "查询的第 {place} 个字符 {sign} 不是这里能识别的 Cypher：引号没有关上、转义不认识，还是用了全角符号？{hint}",
    "the query cannot be run: {reason}. {hint}": "查询无法运行：{reason}。{hint}",
    "the limit is {limit}; it may be 1 to {most} rows.": "上限是 {limit}；可以是 1 到 {most} 行。",
    "the time limit is {seconds} s; it may be up to {most} s.": "时限是 {seconds} 秒；最多 {most} 秒。",
    "the query took longer than {seconds} s and was stopped. {hint}": "查询超过 {seconds} 秒，已停止。{hint}",
    "the query needed too much memory and was stopped. Narrow it down with WHERE or LIMIT.": "查询需要的内存太多，已停止。请用 WHERE 或 LIMIT 缩小范围。",
    "this graph takes no Cypher. Run: graphrag index --full": "这个图不支持 Cypher。请运行：graphrag index --full",
    "'{text}' is not a day. Write it as 2024-03-01, 7d, 上周 or last Friday.": "“{text}”不是日期。请写成 2024-03-01、7d、上周 或 last Friday。",
    "'{text}' is not a day: it is open on that side. Write a day like 2024-03-01.": "“{text}”不是日期：它在这一侧没有边界。请写成 2024-03-01 这样的日期。",
    "The question names {day}, a day that no calendar has.": "问题里的 {day} 在日历上不存在。",
    "No such option: {option}": "没有 {option} 这个选项",
    "No such option: {option} {hint}": "没有 {option} 这个选项{hint}",
    "(Possible options: {options})": "（也许是：{options}）",
    "No such option: {option}. A text that starts with a dash stands behind --, as in: {command}": (
        "没有 {option} 这个选项。以减号开头的文字要写在 -- 之后，例如：{command}"
    ),
    "No such command '{name}'.": "没有“{name}”这个命令。",
    "Did you mean {names}?": "是不是：{names}？",
    "Missing argument '{name}'.": "缺少参数“{name}”。",
    "Missing option '{name}'.": "缺少选项“{name}”。",
    "Missing command.": "缺少命令。",
    "Missing parameter: {name}": "缺少参数：{name}",
    "Got unexpected extra argument(s) ({words})": "多出的参数：{words}",
    "Got unexpected extra argument ({words})": "多出的参数：{words}",
    "Got unexpected extra arguments ({words})": "多出的参数：{words}",
    "Option '{name}' requires an argument.": "选项“{name}”需要一个值。",
    "Option '{name}' does not take a value.": "选项“{name}”不带值。",
    "Invalid value for '{name}': {reason}": "“{name}”的值不可用：{reason}",
    "Input should be a valid integer, unable to parse string as an integer": "应为整数",
    "Input should be a valid number, unable to parse string as a number": "应为数字",
    "Input should be greater than or equal to {number}": "应不小于 {number}",
    "Input should be less than or equal to {number}": "应不大于 {number}",
    "Input should be {choices}": "应为 {choices}",
    "'{text}' is not a day: the calendar has no {day}.": "“{text}”不是日期：日历上没有 {day}。",
    "there is no such day as {day}. Ask with a day of the calendar, like 2024-03-01.": "没有 {day} 这一天。请用日历上有的日期提问，如 2024-03-01。",
    "'{text}' is no time to expire at. Write 30d, 12h, 2026-12-31 or 下个月底.": "“{text}”不能作为到期时间。请写成 30d、12h、2026-12-31 或 下个月底。",
    "'{text}' is no day: the calendar has no {day}. Write it like 2024-06-16.": "“{text}”不是日期：日历上没有 {day}。请写成 2024-06-16 这样。",
    "docs/graph.md shows the schema and examples.": "结构和例子见 docs/graph.md。",
    "docs/graph.md shows the schema.": "结构见 docs/graph.md。",
    "a query begins with MATCH, OPTIONAL MATCH, UNWIND, WITH, RETURN or CALL": "查询要以 MATCH、OPTIONAL MATCH、UNWIND、WITH、RETURN 或 CALL 开头",
    "CALL is for show_tables() and table_info('Entity')": "CALL 只能用于 show_tables() 和 table_info('Entity')",
    "the graph is only read, and so is no file; a name that is called so goes in `…`": "图只能读，文件也读不到；这样的名称请写在 `…` 里",
    "it is not among the functions on values that are allowed": "它不在允许的取值函数之列",
}
