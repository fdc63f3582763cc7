"""Markdown notes that hold each habit of Leanote's Markdown, as stored.

In a body `{{png:NAME}}`, `{{jpeg:NAME}}`, `{{gif:NAME}}` stand for the id of a new image, `{{gone}}` for an id without
a row, `{{lost:NAME}}` for an image whose file is not on the disk, `{{attach:NAME}}` for a new attachment of the note,
and `{{note:KEY}}` for the id of another note of this account.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """A note that shows something."""

    key: str
    title: str
    body: str
    notebook: str  # its key
    tags: tuple[str, ...] | None = ()


MARKDOWN_SAMPLES = (
    Sample(
        "边城",
        "《边城》笔记",
        "#翠翠\n##  渡口与白塔\n第一行\n第二行是硬换行\n\n"
        "![渡口](/api/file/getImage?fileId={{png:渡口.png}})\n\n"
        "[书单.pdf](/api/file/getAttach?fileId={{attach:书单.pdf}})\n\n"
        "沈从文写湘西的茶峒，小溪、白塔、老船夫与黄狗。\n",
        "小说",
        ("读书", "沈从文"),
    ),
    Sample(
        "数学",
        "高斯积分推导",
        "行内 $e^{i\\pi}+1=0$ 与 \\\\(a^2+b^2=c^2\\\\)。\n\n$$\n\\int e^{-x^2}dx=\\sqrt{\\pi}\n$$\n\n"
        "\\\\[ \\sum_{n=1}^{\\infty} \\frac{1}{n^2} \\\\]\n\n\\[ x = y \\]\n\n价格是 \\$5，另一个是 $5 和 $6。\n\n"
        "\\begin{align}\na &= b\n\\end{align}\n\n`\\\\(不是公式\\\\)`\n",
        "study",
        ("数学", "数学", " 公式 ", ""),
    ),
    Sample(
        "流程图",
        "登录流程图",
        "[TOC]\n\n#流程\n```flow\nst=>start: 开始\nop=>operation: 校验密码\ncond=>condition: 正确?\ne=>end: 结束\n"
        "st->op->cond\ncond(yes)->e\ncond(no)->op\n```\n\n##时序\n```sequence\n甲->乙: 你好\n"
        "Note right of 乙: 思考\n乙-->甲: 收到\n```\n",
        "后端",
        ("图",),
    ),
    Sample(
        "待办",
        "本周待办",
        "- [ ] 买菜\n* [x] 交水电费\n- [X] 给妈妈打电话\n\n<!--- 重要 -->\n<!-- 看不见的话 -->\n\n下面接着列表\n"
        "- 甲\n- 乙\n    - 丙\n\t- 丁\n",
        "life",
        ("生活",),
    ),
    Sample(
        "空白字符",
        "从网页粘贴的段落",
        "\r\n\ufeff第一段\u00a0带\u00a0不断行空格\r\n零\u200b宽\u200b字\r\n\r\n    代码块\r\n\r\n```Shell\r\n"
        "#不是标题\r\necho 你好\r\n```\r\n",
        "随笔",
        ("剪藏",),
    ),
    Sample(
        "引用图",
        "参考式图片与旧链接",
        "![图一][1]\n![](/file/outputImage?fileId={{jpeg:旧图.jpg}})\n"
        '![带标题](/api/file/getImage?fileId={{gif:动图}} "猫")\n'
        '<img src="/api/file/getImage?fileId={{png:原样.png}}" width="320">\n'
        "[旧附件](/attach/download?attachId={{attach:旧附件.doc}})\n"
        "[全部附件](/attach/downloadAll?noteId={{note:边城}})\n\n[1]: /api/file/getImage?fileId={{png:参考.png}}\n",
        "技术",
        ("图",),
    ),
    Sample(
        "外域",
        "换过域名的链接",
        "![旧域](http://old.example.com/api/file/getImage?fileId={{png:旧域.png}})\n"
        "![带令牌](https://notes.example.org/file/outputImage?token=x&fileId={{png:令牌.png}})\n"
        "![客户端](leanote://file/getImage?fileId={{png:客户端.png}})\n"
        "![桌面](http://127.0.0.1:8912/api/file/getImage?fileId={{png:桌面.png}})\n"
        "[附件](http://old.example.com/api/file/getAttach?fileId={{attach:预算 2021.xlsx}})\n"
        "![真外链](https://pic.example.net/file/abc.png)\n![没有了](/api/file/getImage?fileId={{gone}})\n",
        "技术",
        None,
    ),
    Sample(
        "互链",
        "互相链接的笔记",
        "见 [边城](http://localhost:9000/note/{{note:边城}})，[公式](/note/{{note:数学}})，"
        "[公开版](http://localhost:9000/blog/post/lin/{{note:流程图}})，[没有了](/note/{{gone}})。\n"
        "[按标题](http://localhost:9000/blog/post/lin/%E6%9C%AC%E5%91%A8%E5%BE%85%E5%8A%9E)\n",
        "读书",
        ("索引",),
    ),
    Sample(
        "扩展语法",
        "Markdown Extra 的样子",
        "##接口说明 {#api .note}\n\n苹果\n: 一种水果\n\n脚注[^1] 与 ~~删去~~ 和 snake_case_name。\n\n| 名 | 值 |\n"
        "|---|---|\n| 甲 | 1 |\n\n"
        '[^1]: 脚注正文\n\n第一行<br>第二行 <font color="red">红字</font>&nbsp;&nbsp;空格\n<center>居中</center>\n',
        "技术",
        ("语法",),
    ),
    Sample(
        "像标题",
        "开头像元数据",
        "---\ntitle: 不是元数据\ntags: [甲, 乙]\n---\n正文从这里开始。\n\n[[不是链接]] 和 #不是标签 %%不是注释%%\n",
        "随笔",
        ("a/b", "含 空格", "#井号"),
    ),
    Sample(
        "失图",
        "磁盘上没有的图",
        "![丢了](/api/file/getImage?fileId={{lost:丢失.png}})\n\n![还在](/api/file/getImage?fileId={{png:还在.png}})\n",
        "work",
        ("图",),
    ),
    Sample(
        "老图",
        "早年的上传图片",
        "![老图](http://localhost:9000/upload/65f0a1b2c3d4e5f600000001/images/old-photo.png)\n",
        "life",
        ("图",),
    ),
    Sample("重复标题", "重复标题", "#重复标题\n正文第一次。\n", "life", ("重复",)),
    Sample("重复标题二", "重复标题", "正文第二次。\n", "life", ("重复",)),
    Sample("大小写", "Readme", "小写的一个。\n", "work"),
    Sample("大小写二", "README", "大写的一个。\n", "work"),
    Sample("无题", "", "没有标题的笔记，第一行就是正文。\n", "life"),
    Sample("无题二", "", "另一篇没有标题的。\n", "life"),
    Sample("全是空格", " \t ", "标题只有空白。\n", "life"),
    Sample("只有点", "...", "标题只有点。\n", "life"),
    Sample("两点", "..", "标题是上级目录。\n", "life"),
    Sample("长标题", "很长的标题" * 60, "三百个字的标题。\n", "study"),
    Sample("长标题二", "很长的标题" * 60 + "二", "比三百个字还多一个。\n", "study"),
    Sample("路径标题", "../../etc/passwd", "标题像路径。\n", "work"),
    Sample("设备名", "CON", "标题是设备名。\n", "work"),
    Sample("怪字符", 'a<b>:"c"/d\\e|f?g*h\u0001', "标题里有文件系统不要的字符。\n", "work"),
    Sample("换行标题", "第一行\n第二行", "标题里有换行。\n", "work"),
    Sample("链接字符", "数组[0] ^块 #井 |管", "标题里有双链不要的字符。\n", "技术"),
    Sample("表情", "🎉 新年计划 👨‍👩‍👧", "标题里有表情。\n", "life"),
    Sample("引号", '他说: "好" #1', "标题要在元数据里加引号。\n", "life"),
    Sample("组合", "cafe\u0301 与 café", "组合字符。\n", "life"),
    Sample("空正文", "空的笔记", "", "life"),
    Sample("单空标签", "没有标签", "标签是一个空串。\n", "life", ("",)),
    Sample("空标签值", "标签为空值", "标签是 null。\n", "life", None),
)
