"""What is said by its template: words around answers, and what commands print. English -> Chinese."""

# The stages of a search, what measures it, and what cleans a note, each by its name in JSON.
_NAMES_TEXT = """full_text 全文检索 embed 嵌入 vector 向量检索 sparse 稀疏检索 fuse 融合 expand 扩展 rerank 重排 select 筛选
filter 过滤 assess 评估 generate 生成 extract 摘取原句 conflict 查冲突 cite 引用 verify 核对 plan 规划 group 归组 total 合计
settings 按设置 vectors 向量 fused 融合 walk 关联 answers 回答 known_item 已知笔记 alias 别名 link_pair 链接对
unanswerable 无答案 mode 方式 kind 类别 all 全部 metric 指标 n 数量 before 之前 now 现在 difference 差值 worse 变差 better 变好
right 正确 interval 区间 precision 精确率 refused 拒答 answered 已回答 evid 依据 faithful 忠实 relevant 相关 accuracy 正确率
not_in_notes 笔记里没有 no_hit 没有找到 low_relevance 不够相关 extractive 笔记原句 rules 规则 front_matter 属性 conflicts 冲突标记
comments 注释 templater 模板语句 dataview 查询语句 scripts 脚本 images 图片 html_tables HTML表格 html HTML highlights 高亮
emphasis 强调 callouts 标注块 block_ids 块标识 entities 字符实体 escapes 转义 spaces 空格 trailing_spaces 行尾空格
blank_lines 空行"""
NAMES = dict(zip(*[iter(_NAMES_TEXT.split())] * 2, strict=True))
NAMES |= {"ms p50/p95": "毫秒 p50/p95", "refusals P": "拒答 P", "refus. P": "拒答 P"}

ANSWERS = {
    "{n} row|{n} rows": "{n} 行",
    "{rows}; cut: there are more, or longer values. --limit goes up to 10,000 (now {limit}).": "{rows}；已截断：还有更多行，或有更长的值。--limit 最多 10,000（现在是 {limit}）。",
    "a fact": "一个事实",
    "a person": "人",
    "a time": "时间",
    "a number": "数值",
    "a place": "地点",
    "a reason": "原因",
    "steps": "步骤",
    "a comparison": "比较",
    "a definition": "定义",
    "a list": "列表",
    "yes or no": "是或否",
    "asks for {what}": "问的是{what}",
    "by a rule": "由规则判定",
    "by the trained router, {percent} % sure": "由训练的分类器判定，把握 {percent} %",
    "taken for {route} {by}": "当作“{route}”，{by}",
    "ways, in order: {ways}": "依次：{ways}",
    "period: {first} to {last}": "时段：{first} 至 {last}",
    "names: {notes}": "提到的笔记：{notes}",
    "Understood: {parts}": "理解为：{parts}",
    "This needs no notes but a chat model, and there is none to ask.": (
        "这件事不用查笔记，但需要聊天模型；现在没有可用的模型。"
    ),
    "No source matches what the model wrote, so it was set aside; the answer is the notes' own sentences.": (
        "模型的回答没能和任何来源对上，没有采用；上面是笔记原文。"
    ),
    "The model answered nothing; the answer is the notes' own sentences.": "模型什么也没有回答；上面是笔记原文。",
    "The model did not come to an end: it was stopped after {length} characters.": (
        "模型的回答太长，写到第 {length} 个字时被叫停，后面的没有读。"
    ),
    "… {n} more line in the note|… {n} more lines in the note": "…… 笔记里还有 {n} 行",
    "No sentence that the model wrote matches a source, so all of them were dropped.": (
        "模型的回答没有一句能和来源对上，都已去掉。"
    ),
    "My notes do not hold this.": "我笔记里没有相关内容。",
    "No note states this relation by a link or a property, so the text was searched.": (
        "没有笔记用链接或属性写明这层关系，只能按内容查找。"
    ),
    "Free some space": "请腾出一些空间",
    "Make it writable, or name another folder as [answer] save_dir": (
        "请改成可写，或者在 [answer] save_dir 里另指定一个文件夹"
    ),
    "Nothing in my notes matches this question.": "我笔记里没有相关内容。",
    "My notes hold nothing close enough to this question.": "我笔记里没有与这个问题足够相关的内容。",
    "The answer is not in my notes.": "我笔记里没有这个问题的答案。",
    "reading the notes …": "正在查阅笔记……",
    "The nearest passages:": "最接近的内容：",
    "the notes' own sentences, no model": "笔记原句，未经模型改写",
    "written by {model}": "由 {model} 撰写",
    "snapshot {name}": "快照 {name}",
    "{percent} % embedded so far": "已嵌入 {percent} %",
    "behind the vault, commits: {commits}, notes: {notes} (--fresh takes them in)": (
        "落后 {commits} 次提交、{notes} 篇笔记（--fresh 可先更新）"
    ),
    "behind the vault, notes: {notes} (--fresh takes them in)": "落后 {notes} 篇笔记（--fresh 可先更新）",
    "notes changed and not committed: {notes}": "{notes} 篇笔记有未提交的修改",
    "Nothing found.": "没有找到。",
    "Nothing close enough; passages dropped: {count} (--explain shows them).": (
        "没有足够相关的内容：{count} 段被舍弃（--explain 可查看）。"
    ),
    "results: {count}": "{count} 条结果",
    "token weights": "词元权重",
    "Dropped: {count}": "舍弃 {count} 段",
    "in neither list": "两个列表里都没有",
    "no longer in the vault": "笔记里已经没有",
    "its note already gave its share": "所在笔记的名额已满",
    "says what a better one says": "与更好的一段重复",
    "too far from the question": "与问题相距太远",
    "below the last result": "排在最后一条结果之后",
    "evidence: {coverage} % of the words in one passage": "依据：单段覆盖 {coverage} % 的词语",
    "confidence that the notes hold the answer {confidence}": "笔记里有答案的把握 {confidence}",
    "similarity {similarity}": "相似度 {similarity}",
    "shared term": "共有术语",
    "mentions without a link": "提及（无链接）",
    "shared tags": "共有标签",
    "notes that hold it": "出现在这些笔记里",
    "shared terms": "共有术语",
    "also searched for: {questions}": "另外检索：{questions}",
    "read from the relations in the notes, no model": "读自笔记里的关系，未经模型",
    "The sources disagree: {subject}": "来源说法不一：{subject}",
    "number not in its source": "数字不在来源里",
    "name not in its source": "来源没有提到",
    "identifier not in its source": "标识符不在来源里",
    "its source says the opposite": "来源的说法相反",
    "no source says this": "没有来源这样说",
    "left out": "已去掉",
    "inferred": "由笔记推出",
    "similar": "内容相近",
    "words": "词语",
    "meaning": "语义",
    "links": "链接",
    "reranked": "重排",
    "link": "链接",
    "embed": "嵌入",
    "tag": "标签",
    "property": "属性",
    "mention": "提及",
    "worktree": "工作区",
    "hybrid": "综合检索",
    "lookup": "按名称查找",
    "multi_hop": "多步检索",
    "direct": "直接回答",
    "relation": "按关系查找",
    "list": "列表",
    "overview": "总览",
    '"{first}" is a kind of "{second}"': "“{first}”是一种“{second}”",
    '"{first}" is the same as "{second}"': "“{first}”就是“{second}”",
    '"{first}" is also "{second}"': "“{first}”也是“{second}”",
    'what has "{first}" is a "{second}"': "有“{first}”的是“{second}”",
    'what "{first}" leads to is a "{second}"': "被“{first}”所指的是“{second}”",
    '"{first}" is "{second}" the other way round': "“{first}”反过来是“{second}”",
    '"{first}" is mutual': "“{first}”是相互的",
    '"{first}" carries over': "“{first}”可以传递",
    '{second} make "{first}"': "{second}，合起来是“{first}”",
    'there is only one "{first}"': "“{first}”只能有一个",
    'a "{first}" belongs to one only': "同一个“{first}”只能属于一个",
    '"{first}" cannot be mutual': "“{first}”不能是相互的",
    '"{first}" cannot lead to itself': "“{first}”不能指自己",
    "{first} exclude one another": "{first}互不相容",
    "two names mean the same": "两个名字指同一个",
    "Yes: {fact}": "是：{fact}",
    " {marks}.": " {marks}。",
    ", which follows from {grounds}.": "，由{grounds}推出。",
    '"{title}" links to {count}:': "“{title}”链接到 {count} 处：",
    'Notes that link to "{title}": {count}': "链接到“{title}”的笔记有 {count} 篇：",
    "The notes state no relation between the two; a path of links connects them:": (
        "笔记没有直接写明两者的关系，只有一条链接相连的路径："
    ),
    "{count} found:": "共 {count} 项：",
    "and {count} more": "另有 {count} 项",
    "without {names}": "不带 {names}",
    "with {names}": "带 {names}",
    "{n} note|{n} notes": "共 {n} 篇笔记",
    "There is none.": "没有这样的。",
    "Not sure: these lines come nearest, and may not answer.": "不确定：以下是最接近的内容，未必是答案。",
    "{n} open task|{n} open tasks": "未完成的待办共 {n} 项",
    "{n} done task|{n} done tasks": "已完成的待办共 {n} 项",
    "{n} name is linked and has no note|{n} names are linked and have no note": "被链接但还没有笔记的名称共 {n} 个",
    "and {n} more link|and {n} more links": "另有 {n} 处链接",
    "No note has the type {type}.": "没有类型为 {type} 的笔记。",
    " There are: {types}.": "现有的类型：{types}。",
    "No note is like that": "没有这样的笔记",
    " ({told})": "（{told}）",
    "These notes have no tags.": "这些笔记没有标签。",
    "These notes have no categories.": "这些笔记没有分类。",
    "These notes have no folders.": "这些笔记没有文件夹。",
    "{n} tag|{n} tags": "{n} 个标签",
    "{n} category|{n} categories": "{n} 个分类",
    "{n} folder|{n} folders": "{n} 个文件夹",
    "{n} note, {held}|{n} notes, {held}": "{n} 篇笔记里有 {held}",
    "{name} ({n} note)|{name} ({n} notes)": "{name}（{n} 篇）",
    ", {first} to {last}": "，第 {first} 到 {last} 条",
    ", none at {first}": "，没有第 {first} 条",
    '{rest} more; add "{first} to {last}" to the question to see them': (
        "后面还有 {rest} 条；在问题里加上“第 {first} 到 {last} 条”就能看到"
    ),
    " Tags like it: {near}.": "相近的标签：{near}。",
    "No note has the tag #{tag}.": "没有笔记带标签 #{tag}。",
    '{notes} notes about "{topic}"': "关于“{topic}”的 {notes} 篇笔记",
    "{n} notes": "{n} 篇笔记",
    "{about}, in {n} group by how they link to, name and are tagged like one another:|{about}, in {n} groups "
    "by how they link to, name and are tagged like one another:": (
        "{about}，按彼此的链接、提及和标签大致分为 {n} 组："
    ),
    " ({n} note): | ({n} notes): ": "（{n} 篇）：",
    "{n} more group with {notes} notes in all|{n} more groups with {notes} notes in all": (
        "另有 {n} 组，共 {notes} 篇"
    ),
    "{n} note in no group|{n} notes in no group": "{n} 篇不属于任何一组",
    "## Sources": "## 来源",
    "## To check": "## 待核对",
    "source {key}": "来源{key}",
    "line {span}": "第 {span} 行",
    "lines {span}": "第 {span} 行",
    "Made by graphrag on {date}": "{date} 由 graphrag 依据笔记写成",
    "from commit {version}": "提交 {version}",
    "inferred relations": "推出的关系",
    "You are welcome.": "不客气。",
    "Goodbye.": "再见。",
    "Hello! Ask me about anything you wrote down.": "你好！问我你笔记里写过的东西吧。",
    "All right.": "好的。",
    "I answer from your notes: ask a question, a list (by tag, folder, date), a relation (who owns, what "
    "depends on), or an overview. Every sentence names its source.": (
        "我在你的笔记里找答案：提问题、列笔记（标签、分类、日期）、问关系（谁负责、依赖什么）、要总览。每句话"
        "都注明出处。"
    ),
    "It is {time}.": "现在是 {time}。",
    "{days} days.": "{days} 天。",
    "{number} {unit}.": "{number} {unit}。",
    "{count} better chunks of its note": "所在笔记已有 {count} 段更好的",
    "{count} results are better": "有 {count} 条结果更好",
    "says what {note} says": "与 {note} 说的相同",
    "no term of the question, and similarity {similarity} is below {floor}": (
        "不含问题的词语，相似度 {similarity} 低于 {floor}"
    ),
    "it is result {rank}": "是第 {rank} 条结果",
    "it has no text that is indexed": "没有编入索引的文字",
    "the filters leave it out": "被筛选条件排除",
    "of the question's terms its best chunk holds {terms}, which others hold more of": (
        "它最好的一段含有问题的词语：{terms}，别的段落含得更多"
    ),
    "its similarity is {similarity}": "相似度 {similarity}",
    "it is not embedded yet": "尚未嵌入",
    "its note is no longer in the vault, or left out now": "所在笔记已不在库中，或现在被排除",
    "its note is private now": "所在笔记现在是私密的",
    "its note no longer says this": "所在笔记已不再这样写",
}

COMMANDS = {
    "Saved: {saved}": "已保存：{saved}",
    "Nothing was saved: the notes gave no answer to this question.": "没有保存：笔记没有给出这个问题的答案。",
    "{notes} notes, {embeddings_made} of {chunks} chunks embedded anew": (
        "{notes} 篇笔记，{chunks} 个片段中新嵌入 {embeddings_made} 个"
    ),
    "Made the snapshot of {report}: {made}; {seconds} s": "已生成 {report} 的快照：{made}；{seconds} 秒",
    "The {stale} changed since the index was made. Run: graphrag index": (
        "建立索引之后，{stale}变了。请运行：graphrag index"
    ),
    "No index of {vault} yet: making it now.": "{vault} 还没有索引，现在开始建立。",
    "Words and links answer now; for the meaning of the rest, run: graphrag index": (
        "词语和链接现在已可检索；其余内容要按语义检索，请运行：graphrag index"
    ),
    "The last answer has no sources.": "上一个回答没有来源。",
    "also asked": "另外检索",
    "… {more} more: graphrag open {ref}": "……还有 {more} 行：graphrag open {ref}",
    "chosen for the answer, not found by the search": "为回答选取，并非检索所得",
    "the lines behind the last answer": "上一个回答所依据的原文",
    "how the last question was read, and why each source is there": "上一个问题是怎样理解的，每个来源为什么在那里",
    "show the filters; set them: /filter tag:x category:y path:z since:2024-01-01; /filter clear": (
        "显示筛选条件；设置：/filter tag:x category:y path:z since:2024-01-01；清除：/filter clear"
    ),
    "write the last answer as a new note: /save [NAME]": "把上一个回答写成新笔记：/save [NAME]",
    "forget the conversation": "忘掉这段对话",
    "this list": "显示这份列表",
    "end; so does Ctrl-D": "结束，Ctrl-D 也可以",
    "Ask in your own words. /help lists the commands; Ctrl-D ends.": (
        "直接用自己的话提问。/help 列出命令，Ctrl-D 结束。"
    ),
    "The conversation is forgotten.": "对话已忘掉。",
    "/{name} is no command. There are: {help}": "没有 /{name} 这个命令。可用的有：{help}",
    "no filters": "没有筛选条件",
    "There is no answer yet in this session: ask a question first.": "这次还没有回答：请先提问。",
    "unknown: the notes do not say": "笔记里没有说",
    "Problems in ontology files": "本体文件中的问题",
    "Contradictions": "矛盾",
    "Relation names that the ontology does not know": "本体不认识的关系名",
    "Types that the ontology does not know": "本体不认识的类型",
    "Properties of the vault's ontology that no note uses": "笔记库本体中没有笔记用到的属性",
    "Classes of the vault's ontology without notes": "笔记库本体中没有笔记的类",
    "Nothing to mend: every name is known, and nothing contradicts the ontology.": (
        "没有要改的：名称都认识，也没有与本体矛盾之处。"
    ),
    "if it were so": "如果是这样",
    "  did you mean: {suggestions}?": "  是不是：{suggestions}？",
    "  {uses}, first at ": "  {uses}，首见于 ",
    "This version is not the one on disk: a read-only copy is in {file}": "这一版与磁盘上的不同：只读副本在 {file}",
    "before the first heading": "第一个标题之前",
    "            from {previous_path}": "            原为 {previous_path}",
    "the note is no longer on disk": "磁盘上已没有这篇笔记",
    ", now {note_now},": "（现为 {note_now}）",
    "    {rows} more (--all shows them)": "    还有 {rows} 条（--all 全部显示）",
    "front matter": "属性",
    "the beginning": "最初",
    "No note changed since {start}": "自 {start} 以来没有笔记变动",
    "; {left_out} left out, private or ignored": "；另有 {left_out} 篇私密或被忽略的未列出",
    "User or e-mail": "用户名或邮箱",
    "Password": "密码",
    "Conflicts": "冲突",
    "Failed": "失败",
    "Moved": "已移动",
    "Removed at Leanote": "在 Leanote 已删除",
    "Files that no note uses any more": "不再有笔记使用的文件",
    "Kept from answers from now on": "今后不参与回答",
    "Skipped": "已跳过",
    "Empty": "空笔记",
    "Missing files": "缺少的文件",
    "Links to notes that are not here": "指向不在这里的笔记的链接",
    "Warnings": "警告",
    "New": "新增",
    "Updated": "更新",
    "{would} from {source}": "{source}：{would}",
    "Would import": "将会导入",
    "Imported": "已导入",
    " ({unchanged} notes)": "（{unchanged} 篇笔记）",
    "nothing has changed since the last import{notes}": "自上次导入以来没有变化{notes}",
    "no longer used": "不再使用",
    "in conflict": "有冲突",
    "no notes": "没有笔记",
    "commit {report}": "提交 {report}",
    "not committed: {not_committed}": "未提交：{not_committed}",
    "  {items} more (--all shows them)": "  还有 {items} 条（--all 全部显示）",
    "Leanote not imported, will try again in {minutes} min: {text}": "Leanote 未能导入，{minutes} 分钟后重试：{text}",
    "\ninterrupted: what came in stays; the same command goes on from there": (
        "\n已中断：导入的内容已保留；用同一条命令可继续"
    ),
    "Waiting (Ctrl-C stops): {conflict}": "正在等待（按 Ctrl-C 停止）：{conflict}",
    "rebuilt: {reason}": "重建：{reason}",
    "{notes} notes, {chunks} chunks": "{notes} 篇笔记，{chunks} 个片段",
    "Up to date: {size}": "已是最新：{size}",
    "{added} added, {changed} changed, {deleted} deleted": "新增 {added}，修改 {changed}，删除 {deleted}",
    ", {renamed} renamed": "，重命名 {renamed}",
    "no vectors": "没有向量",
    "{embeddings_made} embedded": "已嵌入 {embeddings_made}",
    "{missing} not embedded yet": "{missing} 个尚未嵌入",
    "with warnings": "有警告",
    " (graphrag status shows why)": "（graphrag status 可查看原因）",
    "Wrote {path}. Next: graphrag index --vault {folder}": "已写入 {path}。下一步：graphrag index --vault {folder}",
    "Git's hooks in {hooks} bring the index up to date. They write to hook.log in the index folder.": (
        "{hooks} 里的 Git 钩子会更新索引，并记录到索引文件夹里的 hook.log。"
    ),
    "Took out: {names}.": "已移除：{names}。",
    "There were no hooks of vault-graphrag.": "没有 vault-graphrag 的钩子。",
    "⋯ {row} unchanged lines": "⋯ {row} 行未变",
    "{rule} ×{edits} ({removed_characters} characters)": "{rule} ×{edits}（{removed_characters} 个字符）",
    "no rule changed anything": "没有规则改动任何内容",
    "Links to": "链接到",
    "Linked from": "被链接",
    "line {line}: ": "第 {line} 行：",
    "\nChunks ({chunks})": "\n片段（{chunks}）",
    "  line {line}": "  第 {line} 行",
    "    {relations} more (graphrag near shows them)": "    还有 {relations} 条（graphrag near 可查看）",
    "The vault holds no notes.": "笔记库里没有笔记。",
    "no links from or to it": "没有链接指向它，它也没有链接",
    "{omitted} more (--limit shows them)": "还有 {omitted} 条（--limit 可多显示）",
    "Both names mean {start}.": "两个名称都指 {start}。",
    "{title} and {title2}": "{title} 和 {title2}",
    "Nothing connects {ends} within {hops} (--hops widens the search).": (
        "{hops}之内，{ends} 没有联系（--hops 可扩大范围）。"
    ),
    "1 hop": "1 步",
    "{count} hops": "{count} 步",
    "{sum} ms": "{sum} 毫秒",
    "Waiting for an MCP client on stdin; Ctrl-C ends it.": "正在 stdin 上等待 MCP 客户端；按 Ctrl-C 结束。",
    "warning: without HTTPS, tokens and notes can be read by whoever is on the way.": (
        "警告：没有 HTTPS，途中的任何人都能读到令牌和笔记。"
    ),
    "Others reach it by the names and addresses that --allow-host gives only, e.g. --allow-host 192.168.1.7": (
        "其他机器只能通过 --allow-host 给出的名称和地址访问，例如 --allow-host 192.168.1.7"
    ),
    "Nothing is indexed yet. Run: graphrag index": "还没有建立索引。请运行：graphrag index",
    "error: {text}": "错误：{text}",
    "\ninterrupted: the last published snapshot still answers": "\n已中断：上一个发布的快照仍可回答",
    "{what}{where}. Free some space and run the command again; the last snapshot still answers.": (
        "{what}{where}。请腾出一些空间再运行；上一个快照仍可回答。"
    ),
    "{what}{where}. --index-dir puts the index somewhere writable.": (
        "{what}{where}。--index-dir 可把索引放到可写的地方。"
    ),
    "no Git": "没有 Git",
    " + changes in no commit": " + 未提交的修改",
    " ({status} × the notes' text)": "（笔记文本的 {status} 倍）",
    "Vault": "笔记库",
    "{vault}  {size} of text": "{vault}  文本 {size}",
    "Index": "索引",
    "Snapshot": "快照",
    "Notes": "笔记",
    "{notes} in {chunks} chunks": "{notes} 篇，{chunks} 个片段",
    "Vectors": "向量",
    "{percent} % of the chunks, by {embedder}": "{percent} % 的片段，嵌入模型 {embedder}",
    "Graph": "图",
    "{links} links, {topics} topics without a note, {tags} tags": (
        "{links} 条链接，{topics} 个没有笔记的主题，{tags} 个标签"
    ),
    "Watcher": "监视",
    "{state} (process {pid} on {host})": "{state}（{host} 上的进程 {pid}）",
    "last change {moment}": "最近变动 {moment}",
    "indexed {last}": "已索引 {last}",
    "{events} events": "{events} 个事件",
    "{chunks} chunks to embed": "{chunks} 个片段待嵌入",
    "queue: {parts}": "队列：{parts}",
    "last error: {last_error}": "最近的错误：{last_error}",
    "Pending": "待处理",
    "Outdated": "已过时",
    "Embedder": "嵌入模型",
    "graphrag index --full makes vectors by {embedder}, the fastest here": (
        "graphrag index --full 改用 {embedder} 生成向量，这里最快"
    ),
    "{stale} → graphrag index rebuilds": "{stale} → graphrag index 会重建",
    "last use": "最近使用",
    "whole vault": "整个笔记库",
    "There are no tokens. Make one: graphrag token create NAME": "没有令牌。新建一个：graphrag token create NAME",
    "This is shown once: keep it now. `graphrag token delete` takes it back.": (
        "令牌只显示这一次，请现在保存。`graphrag token delete` 可收回。"
    ),
    "warning: nothing is indexed yet, so nobody knows whether any note lies within --only.": (
        "警告：还没有建立索引，无法知道 --only 范围内有没有笔记。"
    ),
    "warning: no note has the {kind} '{name}'. Until one has, the token shows nothing by it.": (
        "警告：没有笔记有{kind}“{name}”。在有之前，令牌凭它看不到任何内容。"
    ),
    "no note changed": "没有笔记变动",
    "{report} not embedded yet": "{report} 个尚未嵌入",
    "Read as: {question}": "理解为：{question}",
    "route": "路线",
    "filters": "筛选条件",
    "stages": "各步用时",
    "Going on with the last conversation ({n} question, the last one: {asked}). /new begins anew.|Going on "
    "with the last conversation ({n} questions, the last one: {asked}). /new begins anew.": (
        "继续上次的对话（{n} 个问题，最后一个是：{asked}）。/new 重新开始。"
    ),
    "stopped": "已停止",
    "{question}": "{question}",
    "since {rule}": "因为{rule}",
    "stated": "笔记里写明",
    "contradicted": "与笔记矛盾",
    "with the note     answered {now} (before: {before})": "保留笔记时：回答 {now}（之前：{before}）",
    "with it hidden    refused  {now} (before: {before})": "隐藏笔记时：拒答 {now}（之前：{before}）",
    "empty": "空",
    "{count} added": "新增 {count}",
    "{count} changed": "修改 {count}",
    "{count} deleted": "删除 {count}",
    "{count} renamed": "重命名 {count}",
    "{count} removed": "移除 {count}",
    "{count} unread": "未读 {count}",
    "aliases": "别名",
    "tags": "标签",
    "category": "分类",
    "created": "创建",
    "updated": "修改",
    "No tags.": "没有标签。",
    "No categories.": "没有分类。",
    "{n} commit since {start}; notes: {counts}|{n} commits since {start}; notes: {counts}": (
        "自 {start} 以来 {n} 次提交；笔记：{counts}"
    ),
    "{n} section|{n} sections": "{n} 节",
    "{n} link|{n} links": "{n} 条链接",
    "Added": "新增",
    "Changed": "修改",
    "Removed": "移除",
    "Renamed": "重命名",
    "added": "新增",
    "changed": "修改",
    "removed": "移除",
    "renamed": "重命名",
    "the file on disk{where} says the same here": "磁盘上的文件{where}在这里的内容相同",
    "the file on disk{where} no longer says this here": "磁盘上的文件{where}在这里已不是这样写",
    "new": "新增",
    "moved": "移动",
    "unchanged": "未变",
    "skipped": "跳过",
    "failed": "失败",
    "{start}: {words}": "{start}：{words}",
    "{seconds} s": "{seconds} 秒",
    "{step}: {amount}": "{step}：{amount}",
    "{done}/{total} notes": "{done}/{total} 篇笔记",
    "{done}/{total} files": "{done}/{total} 个文件",
    "{done}/{total} links": "{done}/{total} 条链接",
    "{done}/{total} chunks": "{done}/{total} 个片段",
    ", {rate}/s": "，每秒 {rate}",
    "{pace}, about {duration} left": "{pace}，约剩 {duration}",
    "{minutes} min": "{minutes} 分钟",
    "{hours} h {minutes} min": "{hours} 小时 {minutes} 分钟",
    "{n} note has changes that are in no commit: graphrag index --worktree takes them in.|{n} notes have "
    "changes that are in no commit: graphrag index --worktree takes them in.": (
        "有 {n} 篇笔记的修改尚未提交：graphrag index --worktree 可将其纳入。"
    ),
    "name": "名称",
    "scope": "权限",
    "only": "范围",
    "expires": "到期",
    "from": "来自",
    "never": "从未",
    "disabled": "已停用",
    "expired": "已到期",
    "files": "文件",
    "{count} skipped": "{count} 篇跳过",
    "{count} failed": "{count} 篇失败",
    "{count} with warnings": "{count} 篇有警告",
    ", {rate}/s, about {duration} left": "，每秒 {rate}，约剩 {duration}",
    "  was line {line_number}": "  原为第 {line_number} 行",
    "  line {line_number}": "  第 {line_number} 行",
}

REPORTS = {
    "{pairs} notes asked about, each with its note and with it hidden.": (
        "用 {pairs} 篇笔记提问，每篇各问两次：保留该笔记和隐藏该笔记。"
    ),
    "with the note     answered {answered} (before: {answered_before})": (
        "保留笔记：已回答 {answered}（之前：{answered_before}）"
    ),
    "with it hidden    refused  {refused} (before: {refused_before})": (
        "隐藏笔记：已拒答 {refused}（之前：{refused_before}）"
    ),
    "Below a confidence of {min_confidence}, a question is not answered.": (
        "把握低于 {min_confidence} 的问题不予回答。"
    ),
    "warning: min_confidence under [search] in graphrag.toml is set, and goes before this.": (
        "警告：graphrag.toml 的 [search] 里设置了 min_confidence，以那里的为准。"
    ),
    "warning: {line}": "警告：{line}",
    "--gate: the two runs measure no case in common. Compare runs of the same cases and --mode.": (
        "--gate：两次运行没有共同测到的用例。请比较用例和 --mode 相同的运行。"
    ),
    "; worse in all: {found} figures": "；变差的指标共 {found} 个",
    "--gate: {regression_line}{more}": "--gate：{regression_line}{more}",
    "warning: {kind}: the vault gives {counts} of {count}": "警告：{kind}：笔记库只够出 {counts} 个，要求 {count} 个",
    "{made} cases written to {out}. Measure with: graphrag eval {out2}": (
        "已把 {made} 个用例写入 {out}。测量请运行：graphrag eval {out2}"
    ),
    "Compared with {run}": "与 {run} 比较",
    "Differences are now - before over the cases that both runs hold. Brackets: 95 % paired bootstrap "
    "interval, {resamples} resamples.": (
        "差值为本次减去之前，只计两次运行都有的用例。方括号内：95 % 成对自助法区间，重采样 {resamples} 次。"
    ),
    "all cases": "全部用例",
    "{metric} of {kind} ({section}) fell by {change} from {before} to {now}, {interval} over {cases} cases": (
        "{kind}（{section}）的 {metric} 下降 {change}，从 {before} 到 {now}，{interval}，{cases} 个用例"
    ),
    "the two runs have nothing in common that could be compared": "两次运行没有可以比较的共同部分",
    "only in the kept run": "只在保存的运行里",
    "only in this one": "只在本次运行里",
    "of the same id, but asking for something else now": "编号相同，但现在问的不同",
    "{name}: {both} cases in both{rest}; p50 {old} ms before, {new} ms now": (
        "{name}：两次都有的用例 {both} 个{rest}；p50 之前 {old} 毫秒，现在 {new} 毫秒"
    ),
    "all alike": "全部相同",
    "{figures} more alike": "另有 {figures} 项相同",
    "chosen instead": "实际选择",
    "direct against the rest: {with_interval}; right: share of the cases that want the route.": (
        "直接回答对其余：{with_interval}；正确：应走该路线的用例所占比例。"
    ),
    "direct, though the notes are asked ({wrong}): {wrongly_direct_shown}{more}": (
        "判为直接回答，其实问的是笔记（{wrong}）：{wrongly_direct_shown}{more}"
    ),
    "milliseconds: p50 {p}, p95 {p2}": "毫秒：p50 {p}，p95 {p2}",
    "Faithfulness and relevance by: {checked_by}. Written by: {listed}.": (
        "忠实度与相关性的评判：{checked_by}。撰写：{listed}。"
    ),
    "Statuses: {listed}.": "状态：{listed}。",
    "Notice ({count}): {notice}": "提示（{count}）：{notice}",
    "No verdict ({count}), which counts neither way: {failure}": "没有判定（{count}），两边都不计：{failure}",
    "milliseconds, p50 / p95: whole answer {p} / {p2}; {spent}": "毫秒，p50 / p95：整个回答 {p} / {p2}；{spent}",
    "relevant notes that the index does not hold count as lost ({unknown}): {names}": (
        "索引里没有的相关笔记按未找到计（{unknown}）：{names}"
    ),
    "the index has no vectors: mode vectors finds nothing. Set [index] embedder, then: graphrag index": (
        "索引没有向量：vectors 模式什么也找不到。请设置 [index] embedder，然后运行：graphrag index"
    ),
    "only {share} % of the passages have a vector yet; graphrag index adds the rest": (
        "目前只有 {share} % 的片段有向量；graphrag index 可补上其余"
    ),
    **NAMES,
    "Usage:": "用法：",
    "Try '{command}' for help.": "查看帮助：{command}",
    "{step}: {done}/{total} cases": "{step}：{done}/{total} 个用例",
    "R recall, H hit, nDCG@10: of notes, each at its first passage; {top_k} passages, {max_per_note} a note at most.": (
        "R 召回率，H 命中率，nDCG@10：按笔记计，每篇取其最靠前的片段；{top_k} 段，每篇笔记至多 {max_per_note} 段。"
    ),
    "evid: share of the evidence sentences in the first 5 passages.": "依据：依据句出现在前 5 段中的比例。",
    "Refusals: precision over the refused questions, recall over those that have no answer in the notes.": (
        "拒答：精确率按被拒答的问题计，召回率按笔记里没有答案的问题计。"
    ),
    "Intervals, .73-.90 or in brackets: 95 % bootstrap over the cases, {resamples} resamples, one fixed seed.": (
        "区间（.73-.90 或方括号内）：95 % 自助法，按用例重采样 {resamples} 次，种子固定。"
    ),
}
