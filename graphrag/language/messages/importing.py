"""What an import from Leanote says: English -> Chinese."""

MESSAGES = {
    "A server needs a login: a user with a password file or LEANOTE_PASSWORD, or a token file or LEANOTE_TOKEN.": (
        "服务器需要登录：用户名加密码文件或 LEANOTE_PASSWORD，或者令牌文件或 LEANOTE_TOKEN。"
    ),
    "{file} is empty.": "{file} 是空的。",
    "--leanote: the settings name no source. Write [leanote] and source into graphrag.toml.": (
        "--leanote：设置里没有写来源。请在 graphrag.toml 里写上 [leanote] 和 source。"
    ),
    "{filename}: {strerror}. Mend [leanote] in graphrag.toml.": (
        "{filename}：{strerror}。请修正 graphrag.toml 里的 [leanote]。"
    ),
    "--zone: '{name}' is not a time zone. Write it like Asia/Shanghai.": (
        "--zone：“{name}”不是时区。请写成 Asia/Shanghai 这样。"
    ),
    "{vault}: another import is under way. Run the command again later.": (
        "{vault}：另一次导入正在进行。请稍后再运行。"
    ),
    "--into {given}: not a folder of the vault. Name it from the vault's own folder, like Leanote.": (
        "--into {given}：不是笔记库里的文件夹。请从笔记库的文件夹写起，例如 Leanote。"
    ),
    "the vault is in no Git repository": "笔记库不在 Git 仓库里",
    "{shown}{more}: you have staged another version; commit or unstage it, and import again": (
        "{shown}{more}：你暂存了另一个版本；请提交或取消暂存，再导入一次"
    ),
    "a picture whose upload was never finished was left out ({address})": "有一张图片没有上传完，已略去（{address}）",
    "no address": "没有地址",
    "nested too deeply: the innermost parts are kept as plain text": "嵌套太深：最里面的部分按纯文本保留",
    "the server {fault} for it; the file is probably gone from its disk": "服务器{fault}；文件可能已不在它的磁盘上",
    "{ref}: larger than {file_bytes} bytes, which is not read.": "{ref}：大于 {file_bytes} 字节，不读取。",
    "{ref}: the server does not answer with a file ({status}).": "{ref}：服务器没有返回文件（{status}）。",
    "log out": "退出登录",
    "the login stays open at the server: {error}": "服务器上的登录没有退出：{error}",
    "{label}: fails on this note alone; look at it in a browser.": "{label}：只有这篇笔记出错；请用浏览器查看。",
    "{label}: does not have this note any more.": "{label}：已经没有这篇笔记。",
    "{label}: {failures} notes failed one after the other, the last so: {reason} Look at the log of the server.": (
        "{label}：连续 {failures} 篇笔记出错，最后一次是：{reason}请查看服务器的日志。"
    ),
    "a row without a {id_field} was left out": "有一行没有 {id_field}，已略去",
    "The server's address cannot be read. Give it as https://host or https://host/path.": (
        "服务器地址无法识别。请写成 https://host 或 https://host/path。"
    ),
    "{host}: the address holds a user or password. Give the address alone.": (
        "{host}：地址里带有用户名或密码。请只给出地址。"
    ),
    "{host}: http would send the password and the notes unencrypted. Use https, or allow plain http.": (
        "{host}：http 会以明文发送密码和笔记。请用 https，或者允许明文 http。"
    ),
    "{label}: {silence}. Try again later; the import goes on where it was.": (
        "{label}：{silence}。请稍后再试；导入会从停下的地方继续。"
    ),
    "no connection within {connect_seconds} seconds": "{connect_seconds} 秒内没有连上",
    "no connection: {error}": "没有连上：{error}",
    "it takes the request and does not answer in time": "它收下了请求，但没有及时应答",
    "the connection broke off": "连接中断",
    "another place": "另一个地方",
    "{label}: {action} is refused ({code}).": "{label}：{action} 被拒绝（{code}）。",
    "no reason given": "没有给出原因",
    "{label}: forgets the login at once. Log in there with a browser and look.": (
        "{label}：登录马上就失效。请用浏览器登录看看。"
    ),
    "{label}: {action} does not answer with a list. Is it Leanote 2?": (
        "{label}：{action} 返回的不是列表。它是 Leanote 2 吗？"
    ),
    "the token is not accepted": "令牌不被接受",
    "a login is needed": "需要登录",
    "{label}: {what}. Give the user and the password.": "{label}：{what}。请给出用户名和密码。",
    "{label}: the user or the password is wrong. Check both and try again.": (
        "{label}：用户名或密码错误。请检查后再试。"
    ),
    "{label}: redirects to {redirect}, which is not followed. Give its own address.": (
        "{label}：重定向到 {redirect}，不会跟随。请直接给出那个地址。"
    ),
    "{label}: {action} answers more than {reply_bytes} bytes, which is not read.": (
        "{label}：{action} 返回超过 {reply_bytes} 字节，不读取。"
    ),
    "{label}: {action} {fault}. Try again later; the import goes on where it was.": (
        "{label}：{action} {fault}。请稍后再试；导入会从停下的地方继续。"
    ),
    "{label}: not a Leanote server: {action} {came}. Check the address and its path.": (
        "{label}：不是 Leanote 服务器：{action} {came}。请检查地址和路径。"
    ),
    "answers with nothing": "没有返回内容",
    "answers with a web page": "返回的是网页",
    "answers with something that is not JSON": "返回的不是 JSON",
    "an absolute path": "绝对路径",
    "a backslash in the name": "名称里有反斜杠",
    "a drive letter": "带盘符",
    "a control character in the name": "名称里有控制字符",
    "`..` in the path": "路径里有 `..`",
    "{reason}: this entry of the archive was left out": "{reason}：压缩包里的这一项已略去",
    "{archive}: {reason}. If you trust it, unpack it yourself and give the folder.": (
        "{archive}：{reason}。如果信任它，请自行解压，再给出文件夹。"
    ),
    "more than {entries} entries": "超过 {entries} 项",
    "unpacks to more than {total_bytes} bytes": "解压后超过 {total_bytes} 字节",
    "unpacks to more than {ratio} times its size": "解压后超过原大小的 {ratio} 倍",
    "a file has this name": "有同名的文件",
    "another entry has this name": "有同名的另一项",
    "no name": "没有名称",
    "{printable} is larger than {entry_bytes} bytes": "{printable} 大于 {entry_bytes} 字节",
    "{name}: a damaged zip ({error}). Copy or export it again.": "{name}：zip 已损坏（{error}）。请重新复制或导出。",
    "a symbolic link": "符号链接",
    "not a regular file": "不是普通文件",
    "packed by method {compress_type}, which is not supported": "压缩方法 {compress_type} 不受支持",
    "its list of entries is longer than {max_list_bytes} bytes": "列表超过 {max_list_bytes} 字节",
    "{name}: a damaged tar ({error}). Copy or export it again.": "{name}：tar 已损坏（{error}）。请重新复制或导出。",
    "no entry at {offset}, and not the end": "{offset} 处没有条目，也不是结尾",
    "a header of {size} bytes": "文件头有 {size} 字节",
    "{path}: neither a folder nor a zip, tar or tar.gz. Give the folder or archive itself.": (
        "{path}：既不是文件夹，也不是 zip、tar 或 tar.gz。请给出文件夹或压缩包本身。"
    ),
    "{path}: {strerror}. Check the name of the source.": "{path}：{strerror}。请检查来源的名称。",
    "{name}: cannot be unpacked: {reason}. Check space and rights.": "{name}：无法解压：{reason}。请检查空间和权限。",
    "{name}: nothing in it can be used. {where}: {message}.": "{name}：里面没有可用的内容。{where}：{message}。",
    "{name}: more than {max_values} values, which no note has; left out.": (
        "{name}：超过 {max_values} 个值，不像笔记；已略去。"
    ),
    "{name}: not JSON ({error}). Export the note again.": "{name}：不是 JSON（{error}）。请重新导出这篇笔记。",
    "{name}: no `notes` in it. Give files that Leanote's desktop app exported.": (
        "{name}：里面没有 `notes`。请给出 Leanote 桌面应用导出的文件。"
    ),
    "{name}: larger than {max_file_bytes} bytes, which is not read.": "{name}：大于 {max_file_bytes} 字节，不读取。",
    "{name}: damaged in the export ({error}). Export the note again.": (
        "{name}：在导出文件里已损坏（{error}）。请重新导出这篇笔记。"
    ),
    "its text was not on the computer that exported it; open the note in the app and export it again": (
        "导出它的电脑上没有它的文本；请在应用里打开这篇笔记，再重新导出"
    ),
    "its bytes are not those that the app exported; look whether it opens": (
        "内容与应用导出的不一致；请看看能不能打开"
    ),
    "{path}: has changed since it was listed. Import again.": "{path}：列出之后变过。请重新导入。",
    "an earlier export of the note in {path}; left out": "是 {path} 里那篇笔记较早的导出；已略去",
    "a mongodump with notes.bson, .leanote files, Markdown from an exporter, HTML or .enex of the desktop "
    "app, each as a folder, zip, tar or tar.gz": (
        "带有 notes.bson 的 mongodump、.leanote 文件、导出工具的 Markdown、桌面应用的 HTML 或 .enex，可以是文"
        "件夹、zip、tar 或 tar.gz"
    ),
    "{label}: no notes of Leanote in it. Accepted are {accepted}.": (
        "{label}：里面没有 Leanote 的笔记。可接受的有：{accepted}。"
    ),
    "a dump holds the most of an account": "数据库备份包含的内容最全",
    "there are most of it": "它的数量最多",
    "also holds {others}; only {name} is read, as {reason}. Import the rest from its own folder": (
        "还有 {others}；只读取 {name}，因为{reason}。其余的请从各自的文件夹导入"
    ),
    "database dump": "数据库备份",
    "{name}: cannot be read: {strerror}. Check its permissions.": "{name}：无法读取：{strerror}。请检查权限。",
    "{name}: larger than {limit} bytes, which is not read.": "{name}：大于 {limit} 字节，不读取。",
    "the dump gives a path that leads out of the server's folder; it is not followed.": (
        "备份里给出的路径指向服务器的文件夹之外，不会跟随。"
    ),
    "{name}: a symbolic link on the way to the file, which is not followed.": (
        "{name}：通往文件的路上有符号链接，不会跟随。"
    ),
    "{parts}: cannot be looked up: {strerror}.": "{parts}：无法查看：{strerror}。",
    "a symbolic link, which is not followed": "是符号链接，不会跟随",
    "cannot be read to its end: {error}": "无法读到结尾：{error}",
    "no document can start at byte {offset}; what follows is left out": (
        "第 {offset} 字节处不可能是文档的开头；其后的内容已略去"
    ),
    "the document at byte {offset} is cut off": "第 {offset} 字节处的文档不完整",
    "the document at byte {offset} is damaged and was left out": "第 {offset} 字节处的文档已损坏，已略去",
    "the document at byte {offset} holds text that is not UTF-8": "第 {offset} 字节处的文档含有不是 UTF-8 的文本",
    "{database}: no note_contents.bson, so there are no texts. Make the dump again.": (
        "{database}：没有 note_contents.bson，所以没有正文。请重新备份。"
    ),
    "{name} is damaged, and has no readable text of this note.": "{name} 已损坏，读不出这篇笔记的文本。",
    "{name} has changed while it was read. Import again.": "{name} 在读取时变了。请重新导入。",
    "{name}: unpacks to more than {largest_copy} bytes.": "{name}：解压后超过 {largest_copy} 字节。",
    "{name}: not read as XML ({error}). Export the note as .leanote instead.": (
        "{name}：无法按 XML 读取（{error}）。请改用 .leanote 导出这篇笔记。"
    ),
    "{name}: no Evernote export, as it starts with <{root}>.": "{name}：不是 Evernote 导出文件，开头是 <{root}>。",
    "{name}: more than {max_tags} tags around its notes; left out.": (
        "{name}：笔记外围的标签超过 {max_tags} 个；已略去。"
    ),
    "the times in Evernote files of Leanote are those of the export; the notes come without times": (
        "Leanote 导出的 Evernote 文件里的时间是导出时间；笔记不带时间"
    ),
    "the app turns `$$` into `$` in Evernote files; check its formulas, or export the note as .leanote": (
        "应用在 Evernote 文件里把 `$$` 变成 `$`；请检查其中的公式，或者改用 .leanote 导出"
    ),
    "not UTF-8; read as GB18030, check its text": "不是 UTF-8；已按 GB18030 读取，请检查文本",
    "{name}: neither UTF-8 nor GB18030 text. Save it as UTF-8 and import again.": (
        "{name}：既不是 UTF-8 也不是 GB18030 文本。请存为 UTF-8 再导入。"
    ),
    "not read as JSON ({error}); notebooks are taken from the folders": (
        "无法按 JSON 读取（{error}）；笔记本取自文件夹"
    ),
    "{path}: cannot be read: {strerror}.": "{path}：无法读取：{strerror}。",
    "{path}: larger than {limit} bytes, which is not read.": "{path}：大于 {limit} 字节，不读取。",
    "{path}: {strerror}; the folder is changing. Import again later.": (
        "{path}：{strerror}；文件夹正在变动。请稍后再导入。"
    ),
    "{root}: more than {max_files} files. Give the folder of the export.": (
        "{root}：超过 {max_files} 个文件。请给出导出的文件夹。"
    ),
    "{root}: cannot be listed: {strerror}.": "{root}：无法列出：{strerror}。",
    "cannot be listed: {strerror}": "无法列出：{strerror}",
    "{source}: no such file or folder. Check the name of the source.": (
        "{source}：没有这个文件或文件夹。请检查来源的名称。"
    ),
    "its name is not Unicode; rename it": "名称不是 Unicode；请改名",
    "a symbolic link is not followed": "不跟随符号链接",
    "the app turns `$$` into `$` in HTML; check its formulas, or export the note as .leanote": (
        "应用在 HTML 里把 `$$` 变成 `$`；请检查其中的公式，或者改用 .leanote 导出"
    ),
    "{name}: not a note that Leanote's desktop app exported; left out.": (
        "{name}：不是 Leanote 桌面应用导出的笔记；已略去。"
    ),
    "no note links this attachment; left out, copy it by hand": "没有笔记链接到这个附件；已略去，请手动复制",
    "plain text that no exporter has marked as a note; left out, rename it to .md to take it in": (
        "是纯文本，没有导出工具标明它是笔记；已略去，改名为 .md 可导入"
    ),
    "has the id of {path}; taken as a new note": "与 {path} 的编号相同；作为新笔记导入",
    "no header tells when notes were made; the times of their files do": "没有写明笔记的时间，改用文件的时间",
    "{parent}: no user {wanted} in this dump. {listed}": "{parent}：备份里没有用户 {wanted}。{listed}",
    "{parent}: holds the notes of several users. {listed}": "{parent}：含有多个用户的笔记。{listed}",
    "Name one of: {users}{more}.": "请指定其中一个：{users}{more}。",
    "It has no notes at all.": "里面没有任何笔记。",
    "{folder}: no notes.bson in it. Name the folder that mongodump wrote.": (
        "{folder}：里面没有 notes.bson。请给出 mongodump 写出的文件夹。"
    ),
    "{folder}: holds several dumps ({names}). Name the folder of one of them.": (
        "{folder}：含有多个备份（{names}）。请给出其中一个的文件夹。"
    ),
    "{place}: cannot be listed: {strerror}. Check its permissions.": "{place}：无法列出：{strerror}。请检查权限。",
    "the row at byte {offset} has no id and was left out": "第 {offset} 字节处的一行没有编号，已略去",
    "no files/ and no public/upload/: pictures and attachments are left out": (
        "没有 files/，也没有 public/upload/：图片和附件已略去"
    ),
    "{row}: what lies there is not a picture.": "{row}：那里的不是图片。",
    "not read as JSON ({error}); its notes come without what it says": (
        "无法按 JSON 读取（{error}）；它的笔记不带其中的信息"
    ),
    "{vault}: not in a Git repository, so nothing was committed.": "{vault}：不在 Git 仓库里，所以没有提交。",
    "{vault}: a merge or rebase is under way, so nothing was committed. End it, and import again.": (
        "{vault}：合并或变基正在进行，所以没有提交。请先结束它，再导入。"
    ),
    "git {arguments} ended with {returncode}": "git {arguments} 以 {returncode} 结束",
    "another Git command is at work. If none is, remove {lock} from .git, and import again.": (
        "另一个 Git 命令正在运行。如果没有，请从 .git 里删除 {lock}，再导入。"
    ),
    "{vault}: the files are there, but not committed: {reason}": "{vault}：文件已写入，但没有提交：{reason}",
    "{option} {name}: no notebook is called so. There are: {known}. Give {option2} anew, or {option3} '' for none.": (
        "{option} {name}：没有叫这个名称的笔记本。有：{known}。请重新给出 {option2}，或者用 {option3} '' 表示没有。"
    ),
    "{file}: written by another version. Move it away; notes are found again by their ids.": (
        "{file}：由另一个版本写成。请移走它；笔记会按编号重新找到。"
    ),
    ", and --private is taken to be {private}": "，--private 取为 {private}",
    "nothing is remembered, but {found} notes are here; they go on in {into}{kept}": (
        "没有留下导入记录，但这里已有 {found} 篇笔记；它们继续放在{into}{kept}"
    ),
    "the vault": "笔记库",
    "the import's own state": "导入自己的状态",
    "{damaged} damaged lines were left out": "有 {damaged} 行损坏，已略去",
    "{error} {done} of {due} notes are done; the same command goes on from there.": (
        "{error}{due} 篇笔记已完成 {done} 篇；用同一条命令可继续。"
    ),
    "deleted here": "在这里已删除",
    "{done} here and changed at Leanote: Leanote's was taken": "{done}，在 Leanote 也改过：已采用 Leanote 的",
    "{done} here and changed at Leanote: yours stays": "{done}，在 Leanote 也改过：保留你的",
    "{done} here and changed at Leanote: yours stays, Leanote's is {copy}": (
        "{done}，在 Leanote 也改过：保留你的，Leanote 的是 {copy}"
    ),
    "it is not kept from answers: {error}": "它仍参与回答：{error}",
    "its notebook is private, but its front matter is not as expected: write `{line}` into it": (
        "它的笔记本是私密的，但属性的写法出乎意料：请写入 `{line}`"
    ),
    "its notebook is private; `{line}` was added to it": "它的笔记本是私密的；已加上 `{line}`",
    "the source has an older version; --theirs takes it": "来源里的版本更旧；--theirs 可采用它",
    "deleted at Leanote": "在 Leanote 已删除",
    "in Leanote's trash": "在 Leanote 的回收站里",
    "no longer at Leanote": "Leanote 里已经没有",
    "no note uses it any more": "不再有笔记使用它",
    "{reason}; file deleted": "{reason}；文件已删除",
    "{reason}; moved to {moved}": "{reason}；已移到 {moved}",
    "it has none of the {missing} notes that came in before; none of them was removed": (
        "之前导入的 {missing} 篇笔记，它一篇也没有；没有移除其中任何一篇"
    ),
    "it lacks {missing} of the {notes} notes that came in before; none of them was removed. If they are to "
    "go, say so: --trash move, or --trash delete": (
        "之前导入的 {notes} 篇笔记，它缺少 {missing} 篇；没有移除其中任何一篇。如果要移除，请注明：--trash "
        "move 或 --trash delete"
    ),
    "the source's listing": "来源的列表",
    "{reason}, but changed here: kept": "{reason}，但在这里改过：保留",
    "; {path} came in before and stays": "；{path} 是之前导入的，保留",
    "its notebook is left out{stays}": "它的笔记本被排除{stays}",
    "{new}: another file is in the way of {old}. Move it, and import again.": (
        "{new}：另一个文件挡住了 {old}。请移走它，再导入。"
    ),
    "{folder}: a file, not a folder. Name another one with --into.": (
        "{folder}：是文件，不是文件夹。请用 --into 另指定一个。"
    ),
    "{path} leads out of the vault; it was not written.": "{path} 指向笔记库之外，没有写入。",
    "{path} has a hidden name; it was not written.": "{path} 是隐藏名称，没有写入。",
    "{location}: a symbolic link. Nothing is written through it; put a folder there.": (
        "{location}：是符号链接，不会透过它写入；请改放一个文件夹。"
    ),
    "{location}: not accessible: {strerror}. Mend its permissions, and import again.": (
        "{location}：无法访问：{strerror}。请修正权限，再导入。"
    ),
    "{path}: cannot be read: {strerror}. Mend its permissions, and import again.": (
        "{path}：无法读取：{strerror}。请修正权限，再导入。"
    ),
    "{path}: {name} is a file, not a folder. Move it away, and import again.": (
        "{path}：{name} 是文件，不是文件夹。请移走它，再导入。"
    ),
    "{path}: nothing may be written into {folder}. Mend its permissions, and import again.": (
        "{path}：不能写入 {folder}。请修正权限，再导入。"
    ),
    "{reason}, but {error}": "{reason}，但是{error}",
    "watching {vault}": "正在监视 {vault}",
    "from {path}": "原为 {path}",
    "{reason}; kept": "{reason}；保留",
    "changed here and changed at Leanote: Leanote's was taken": "在这里和 Leanote 都改过：已采用 Leanote 的",
    "changed here and changed at Leanote: yours stays": "在这里和 Leanote 都改过：保留你的",
    "changed here and changed at Leanote: yours stays, Leanote's is {copy}": (
        "在这里和 Leanote 都改过：保留你的，Leanote 的是 {copy}"
    ),
    "deleted here and changed at Leanote: Leanote's was taken": "在这里已删除，在 Leanote 改过：已采用 Leanote 的",
    "deleted here and changed at Leanote: yours stays": "在这里已删除，在 Leanote 改过：仍保持删除",
    "deleted here and changed at Leanote: yours stays, Leanote's is {copy}": (
        "在这里已删除，在 Leanote 改过：仍保持删除，Leanote 的是 {copy}"
    ),
    "answers {status}": "返回 {status}",
    "{shown} and {n} more": "{shown} 等，另有 {n} 项",
}
