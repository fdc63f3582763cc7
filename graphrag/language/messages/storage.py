"""What files, the index, the graph, the ontology and Git say: English -> Chinese."""

MESSAGES = {
    "it has no `key: value`": "没有 `key: value`",
    "no closing `---`": "没有结尾的 `---`",
    "the vault holds no notes (.md or .canvas files). Name the right folder with --vault.": (
        "笔记库里没有笔记（.md 或 .canvas 文件）。请用 --vault 指定正确的文件夹。"
    ),
    "notes that were indexed are now left out: their text is purged": "有已索引的笔记现在被排除：其文本已清除",
    "asked for": "按要求",
    "the {part} changed": "{part}变了",
    "outside the limit of this index": "不在这个索引的范围内",
    "left out by its front matter (private: true or rag: false)": "被属性排除（private: true 或 rag: false）",
    "left out by its tag #{tag} ([vault] exclude_tags)": "被标签 #{tag} 排除（[vault] exclude_tags）",
    "utf-8 with damage": "UTF-8，但有损坏",
    "not text in a known encoding": "不是已知编码的文本",
    "looks like a binary file": "看起来是二进制文件",
    "read as {encoding}; save it as UTF-8": "按 {encoding} 读取；请存为 UTF-8",
    "front matter is not valid YAML ({reason}); read line by line": "属性不是有效的 YAML（{reason}），已逐行读取",
    "not a canvas: {error}": "不是 canvas：{error}",
    "cannot be read: {error}": "无法读取：{error}",
    "more follows from the notes than can be kept: {count} facts of '{name}' alone": (
        "由笔记推出的关系太多，无法保存：仅“{name}”就有 {count} 条"
    ),
    "'{short}' is not followed from link to link: that leads to more than {most} facts": (
        "“{short}”不再逐级推导：会推出超过 {most} 条事实"
    ),
    "'{name}' already names the {kind} '{short}', and '{short2}' too": (
        "“{name}”已经是{kind}“{short}”的名称，又用作“{short2}”的名称"
    ),
    "the text '{value}'": "文本“{value}”",
    "{found} is not supported in {where}, which takes a named {kind} here": (
        "{where} 里不支持{found}，这里要用有名称的{kind}"
    ),
    "'{short}' is not declared as a {kind}": "“{short}”没有声明为{kind}",
    "'{short}' is a {known}, not the {kind} that {where} takes here": ("“{short}”是{known}，而 {where} 这里要用{kind}"),
    "{short} needs a text that is not empty": "{short} 需要一段不为空的文本",
    "'{short}' has a label, but nothing says what it is": "“{short}”有标签，但没有说明它是什么",
    "'{short}' is a {known}, and cannot be a {kind} too": "“{short}”是{known}，不能同时是{kind}",
    "{kind} without a name is not supported here": "这里不支持没有名称的{kind}",
    "is not supported": "不受支持",
    "is not declared as a property": "没有声明为属性",
    "{short} needs a list of two or more properties": "{short} 需要一个含两个以上属性的列表",
    "{short} needs owl:members with a list of two or more": "{short} 需要 owl:members，即含两项以上的列表",
    "{short} needs a text": "{short} 需要一段文本",
    "'{name}' joins too many notes to tell all of it: graphrag ontology check": (
        "“{name}”关联的笔记太多，无法全部列出：graphrag ontology check"
    ),
    "the file ends inside a statement": "文件在一个语句中间结束",
    "a text has no end": "有一段文本没有结尾",
    "not valid Turtle: {message}": "不是有效的 Turtle：{message}",
    "<{args}> is no IRI": "<{args}> 不是 IRI",
    "a subject is a text, or a predicate has no name": "主语是文本，或者谓语没有名称",
    "takes a whole number": "只能是整数",
    "takes a number": "只能是数字",
    "takes a finite number": "只能是有限的数字",
    "takes true or false": "只能是 true 或 false",
    "takes text": "只能是文本",
    "is no day. Write it like 2024-06-16": "不是日期。请写成 2024-06-16 这样",
    'takes a list, like ["a", "b"]': '只能是列表，例如 ["a", "b"]',
    'takes names with values, like {"name": "value"}': '只能是名称和值，例如 {"name": "value"}',
    "is required": "必须给出",
    "is empty": "是空的",
    "takes {max_length} {unit} at most": "最多 {max_length} {unit}",
    "takes {ge} or more": "不能小于 {ge}",
    "takes {le} at most": "不能大于 {le}",
    "takes more than {gt}": "必须大于 {gt}",
    "takes less than {lt}": "必须小于 {lt}",
    "cannot be used": "不能用",
    "min_size is larger than max_size": "min_size 大于 max_size",
    "{path}: not valid TOML: {error}. Mend that line, or move the file away.": (
        "{path}：不是有效的 TOML：{error}。请修正那一行，或者移走这个文件。"
    ),
    "{path}: cannot be read: {error}. Mend the file, or move it away.": (
        "{path}：无法读取：{error}。请修正这个文件，或者移走它。"
    ),
    "{where}: unknown setting '{name}'. Known ones: {keys}.": "{where}：未知设置“{name}”。可用的有：{keys}。",
    "is unknown": "是未知的",
    "{where}: under [{name}], {wrong}. Mend one of the values, or remove its line for the default.": (
        "{where}：[{name}] 里 {wrong}。请修正其中一个值，或者删掉它那一行以使用默认值。"
    ),
    "{where}: '{name}' is the name of a section. Write its settings below a line [{name2}].": (
        "{where}：“{name}”是一节的名称。请把它的设置写在 [{name2}] 一行下面。"
    ),
    " is {given}, but {wrong}": "为 {given}，但{wrong}",
    "{where}: setting '{name}'{what}. Mend the value, or remove the line for the default.": (
        "{where}：设置“{name}”{what}。请修正这个值，或者删掉这一行以使用默认值。"
    ),
    "{file}: the request cannot be written down: {strerror}. Free some space, or mend its permissions.": (
        "{file}：请求无法记录：{strerror}。请腾出一些空间，或者修正权限。"
    ),
    "{file}: the tokens cannot be read or written: {error}. Mend its permissions, or delete the file and "
    "make the tokens anew.": ("{file}：令牌无法读写：{error}。请修正权限，或者删除这个文件并重新建立令牌。"),
    "{file}: cannot be read: {error}. Delete it, or run: graphrag calibrate": (
        "{file}：无法读取：{error}。请删除它，或者运行：graphrag calibrate"
    ),
    "{file}: cannot be read: {strerror}. The conversation begins anew.": (
        "{file}：无法读取：{strerror}。对话重新开始。"
    ),
    "{file}: cannot be written: {strerror}. This conversation is not remembered.": (
        "{file}：无法写入：{strerror}。这段对话不会被记住。"
    ),
    "This conversation is not remembered: {error}": "这段对话不会被记住：{error}",
    "{file}: cannot be deleted: {strerror}. Delete it by hand.": "{file}：无法删除：{strerror}。请手动删除。",
    "{file}: damaged, and cannot be moved away: {strerror}. Delete it by hand.": (
        "{file}：已损坏，又无法移走：{strerror}。请手动删除。"
    ),
    "{file}: damaged; it is now {name}, and the conversation begins anew.": (
        "{file}：已损坏；已改名为 {name}，对话重新开始。"
    ),
    "{file}: the embedding cache cannot be used: {error}. It is only a cache: delete the file and run "
    "`graphrag index` again.": (
        "{file}：嵌入缓存不能用：{error}。它只是缓存：请删除这个文件，再运行 `graphrag index`。"
    ),
    "{path}: reading is not allowed there. Check its permissions.": "{path}：没有读取权限。请检查权限。",
    "no space is left. Free some, or put the index on another disk with --index-dir or `dir` under [index]": (
        "没有剩余空间。请腾出一些，或者用 --index-dir 或 [index] 里的 `dir` 把索引放到别的磁盘"
    ),
    "writing is not allowed there. Name a writable folder with --index-dir or GRAPHRAG_INDEX_DIR": (
        "没有写入权限。请用 --index-dir 或 GRAPHRAG_INDEX_DIR 指定一个可写的文件夹"
    ),
    "{path}: the index is damaged or incomplete: {cause}. Run `graphrag index --full` to rebuild it.": (
        "{path}：索引已损坏或不完整：{cause}。请运行 `graphrag index --full` 重建。"
    ),
    "{parent}: {other} is watching this vault already. Stop it, or leave it to it.": (
        "{parent}：{other}已经在监视这个笔记库。请停止它，或者就交给它。"
    ),
    "process {pid} on {host}": "{host} 上的进程 {pid}",
    "another process": "另一个进程",
    "Name a new or empty folder, by `dir` under [index] in graphrag.toml or by --index-dir.": (
        "请用 graphrag.toml 的 [index] 里的 `dir` 或 --index-dir 指定一个新的或空的文件夹。"
    ),
    "{directory}: no folder can be there. {name_another}": "{directory}：那里不能有文件夹。{name_another}",
    "{mark}: damaged. If this is your index, delete that file and run: graphrag index": (
        "{mark}：已损坏。如果这是你的索引，请删除这个文件，再运行：graphrag index"
    ),
    "{directory}: the index of another vault ({found}). {name_another}": (
        "{directory}：是另一个笔记库（{found}）的索引。{name_another}"
    ),
    "{directory}: not an index, and not empty. {name_another}": "{directory}：不是索引，也不是空的。{name_another}",
    "{directory}: no folder can be made there. {name_another}": "{directory}：无法在那里建立文件夹。{name_another}",
    "The graph engine '{name}' is not installed. Run `pip install 'vault-graphrag[{name2}]'`, or remove "
    "`graph_engine` under [index] in graphrag.toml.": (
        "没有安装图引擎“{name}”。请运行 `pip install 'vault-graphrag[{name2}]'`，或者从 graphrag.toml 的 "
        "[index] 里删掉 `graph_engine`。"
    ),
    "the embedder {now} weights of tokens, which the index {before}: another model answers under the same "
    "name now. Delete embeddings.sqlite in the index folder and run: graphrag index --full": (
        "嵌入模型现在{now}词元权重，而索引{before}：同一个名称下换了模型。请删除索引文件夹里的 "
        "embeddings.sqlite，再运行：graphrag index --full"
    ),
    "the embedder's vectors have {dimension} numbers, those of the index {held}: another model answers under "
    "the same name now. Name the old one under [embedding], or delete embeddings.sqlite in the index folder "
    "and run: graphrag index --full": (
        "嵌入模型的向量有 {dimension} 维，索引里的有 {held} 维：同一个名称下换了模型。请在 [embedding] 里写回"
        "旧模型，或者删除索引文件夹里的 embeddings.sqlite，再运行：graphrag index --full"
    ),
    "{file}: the index was made by a newer version (format {found}, this one reads {format}). Upgrade "
    "vault-graphrag, or run `graphrag index --full` to rebuild it.": (
        "{file}：索引由更新的版本生成（格式 {found}，本版本读取 {format}）。请升级 vault-graphrag，或者运行 "
        "`graphrag index --full` 重建。"
    ),
    "{file}: the index was made by an older version (format {found}, this one reads {format}). Run `graphrag "
    "index --full` to rebuild it.": (
        "{file}：索引由更旧的版本生成（格式 {found}，本版本读取 {format}）。请运行 `graphrag index --full` 重建。"
    ),
    "{manifest_file}: the published manifest is missing. Run `graphrag index --full` to rebuild it.": (
        "{manifest_file}：已发布的清单不见了。请运行 `graphrag index --full` 重建。"
    ),
    "the graph file is not what was published": "图文件不是发布时的那一个",
    "{directory}: process {pid} is writing this index. Wait for it to end, or stop it.": (
        "{directory}：进程 {pid} 正在写这个索引。请等它结束，或者停止它。"
    ),
    "{file}: damaged, it names no snapshot. Run `graphrag index --full` to rebuild the index.": (
        "{file}：已损坏，没有指向任何快照。请运行 `graphrag index --full` 重建索引。"
    ),
    "its text is in Git LFS and not on this machine. Run: git lfs pull && graphrag index --full": (
        "它的文本在 Git LFS 里，不在这台机器上。请运行：git lfs pull && graphrag index --full"
    ),
    "this shallow clone does not reach back to {since}. Give a later date, or run: git fetch --unshallow": (
        "这个浅克隆回溯不到 {since}。请给出更晚的日期，或者运行：git fetch --unshallow"
    ),
    "'{since}' is no day. Write it like 2024-06-16.": "“{since}”不是日期。请写成 2024-06-16 这样。",
    "{vault}: not in a Git repository, so there is nothing to hook into. Use: graphrag watch": (
        "{vault}：不在 Git 仓库里，没有可以挂钩子的地方。请用：graphrag watch"
    ),
    "{folder}: the hooks of this repository (core.hooksPath) lie outside it, where other repositories may "
    "share them, so nothing was changed. Use `graphrag watch`, or: git config core.hooksPath .git/hooks": (
        "{folder}：这个仓库的钩子（core.hooksPath）在仓库之外，可能有别的仓库共用，所以没有改动。请用 "
        "`graphrag watch`，或者：git config core.hooksPath .git/hooks"
    ),
    "{hook}: serves another vault of this repository ({other}). Take it out first: graphrag init {folder} --unhook": (
        "{hook}：服务于这个仓库里的另一个笔记库（{other}）。请先移除：graphrag init {folder} --unhook"
    ),
    "{hook}: another program's, and so is {name}. Remove one of them first.": (
        "{hook}：是别的程序的，{name} 也是。请先移除其中一个。"
    ),
    "its text is encrypted by git-crypt. Run: git-crypt unlock && graphrag index --worktree": (
        "它的文本由 git-crypt 加密。请运行：git-crypt unlock && graphrag index --worktree"
    ),
    "a submodule: its notes are another repository's. Run: graphrag index --worktree": (
        "子模块：其中的笔记属于另一个仓库。请运行：graphrag index --worktree"
    ),
    "outside the sparse checkout. Run: git sparse-checkout add FOLDER": (
        "不在稀疏检出的范围内。请运行：git sparse-checkout add 文件夹"
    ),
    "{vault}: the repository belongs to another user, so Git does not read it. "
    "If you trust it, run: git config --global --add safe.directory '{folder}'": (
        "{vault}：这个仓库属于另一个用户，所以 Git 不读取它。若信任它，请运行："
        "git config --global --add safe.directory '{folder}'"
    ),
    "{vault}: Git cannot read the history: {reason}": "{vault}：Git 无法读取历史：{reason}",
    "this shallow clone does not reach back to {date}. Run: git fetch --unshallow": (
        "这个浅克隆回溯不到 {date}。请运行：git fetch --unshallow"
    ),
    "the vault has no commit from {date} or earlier.": "笔记库没有 {date} 或更早的提交。",
    "Git does not hold it: {reason}": "Git 里没有它：{reason}",
    "no file events ({reason}): looking every {between_looks} s instead. On Linux, raise "
    "fs.inotify.max_user_watches and max_user_instances.": (
        "没有文件事件（{reason}）：改为每 {between_looks} 秒查看一次。在 Linux 上，请调大 "
        "fs.inotify.max_user_watches 和 max_user_instances。"
    ),
    "cannot be read": "无法读取",
    "a template: it lies in the folder that .obsidian names for templates": "是模板：位于 .obsidian 指定的模板文件夹中",
    "a copy that a sync tool made of '{original}'; move what it alone holds there, then delete it": (
        "是同步工具为“{original}”生成的副本；请把其中独有的内容移过去，再删除它"
    ),
    "a symbolic link; links are not followed": "是符号链接；不跟随链接",
    "its name is not valid UTF-8; rename it": "名称不是有效的 UTF-8；请改名",
    "another file has the same name in another Unicode form": "有另一个文件，名称相同而 Unicode 形式不同",
    "left out by {ignore_file} or [vault] exclude": "被 {ignore_file} 或 [vault] exclude 排除",
    "larger than [vault] max_file_bytes ({size} bytes)": "大于 [vault] max_file_bytes（{size} 字节）",
    "{ignore_file} or [vault] exclude: {error}. Mend or remove that line.": (
        "{ignore_file} 或 [vault] exclude：{error}。请修正或删除那一行。"
    ),
    "{path}: cannot be read: {error}. Mend or remove it.": "{path}：无法读取：{error}。请修正或删除它。",
    "{vault}: no such folder. Name your vault with --vault.": "{vault}：没有这个文件夹。请用 --vault 指定笔记库。",
    "{vault}: not a folder. Name the folder that holds your notes with --vault.": (
        "{vault}：不是文件夹。请用 --vault 指定存放笔记的文件夹。"
    ),
    "{vault}: cannot be listed. Check its permissions.": "{vault}：无法列出。请检查权限。",
    "did not find expected ',' or ']'": "缺少“,”或“]”",
    "did not find expected ',' or '}'": "缺少“,”或“}”",
    "did not find expected key": "缺少键",
    "did not find expected '-' indicator": "缺少“-”",
    "did not find expected alphabetic or numeric character": "缺少字母或数字",
    "did not find expected <document start>": "缺少文档开头",
    "did not find expected node content": "缺少内容",
    "could not find expected ':'": "缺少“:”",
    "mapping values are not allowed in this context": "这里不能再有“键: 值”",
    "block sequence entries are not allowed in this context": "这里不能有列表项",
    "found character that cannot start any token": "有不能作为开头的字符",
    "found a tab character that violates indentation": "缩进里有制表符",
    "found unexpected end of stream": "意外结束，可能缺少引号",
    "found unexpected document indicator": "有意外的文档分隔符",
    "found unknown escape character": "有未知的转义字符",
    "found undefined alias": "引用了没有定义的别名",
    "found duplicate anchor": "锚点重复",
    "control characters are not allowed": "不允许控制字符",
    "a key is a list or a map": "键是列表或映射",
    "scan": "扫描",
    "parse": "解析",
    "text": "文本",
    "graph": "图",
    "walk": "关联",
    "vectors": "向量",
    "notes": "笔记",
    "questions": "提问",
    "embedder": "嵌入模型",
    "tokenizer": "分词规则",
    "chunker": "分段规则",
    "cleaner": "清洗规则",
    "parser": "解析规则",
    "No such file or directory": "没有这个文件或文件夹",
    "Permission denied": "没有权限",
    "No space left on device": "没有剩余空间",
    "Read-only file system": "文件系统是只读的",
    "Is a directory": "是文件夹",
    "Not a directory": "不是文件夹",
    "File exists": "文件已存在",
    "Connection refused": "连接被拒绝",
    "Address already in use": "地址已被占用",
    "File name too long": "文件名太长",
    "Too many open files": "打开的文件太多",
    "Cannot assign requested address": "无法使用这个地址",
    "idle": "空闲",
    "indexing": "正在索引",
    "failing": "出错",
    "individual": "个体",
    "class": "类",
    "gives": "给出",
    "lacks": "没有",
    "holds": "有",
    "'{name}' is private: {message}": "“{name}”是私密的：{message}",
    "'{name}' is not supported": "“{name}”不受支持",
    "'{name}' is not declared as a property": "“{name}”没有声明为属性",
    "{place}: the index is damaged or incomplete: {reason}. {hint}": "{place}：索引损坏或不完整：{reason}。{hint}",
    "{file}: damaged, it names no snapshot. Run `graphrag index`; if that does not help, `graphrag index --full` to rebuild the index.": "{file}：已损坏，没有指明任何快照。请运行 `graphrag index`；如果不行，再运行 `graphrag index --full` 重建索引。",
    "none: {reason}": "无：{reason}",
}
