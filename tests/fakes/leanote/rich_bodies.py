"""Rich text notes that hold each residue of TinyMCE, as stored; the marks are those of `markdown_bodies.py`."""

from base64 import b64encode

from tests.fakes.leanote.markdown_bodies import Sample
from tests.fakes.leanote.pictures import png

_INLINE = b64encode(png(0x00FF00)).decode()
_MIND = '{"root":{"data":{"text":"中心ЖsЖ"},"children":[{"data":{"text":"分支"}}]}}'

RICH_SAMPLES = (
    Sample(
        "代码",
        "Java 并发代码片段",
        '<p>示例：</p><pre id="pre_1" class="brush:java ace-tomorrow ace-to-pre" style="height:80px">int a = 1;'
        "<br>if (a &lt; 2) {\n"
        '&nbsp;&nbsp;<span class="k">return</span>;\n}</pre><pre class="brush:convert">纯文本</pre>'
        '<pre class="brush:">无语言</pre>'
        '<pre class="prettyprint linenums"><ol><li>第一行</li><li>第二行</li></ol></pre><p>行内 <code>a_b*c</code></p>',
        "后端",
        ("代码",),
    ),
    Sample(
        "表格",
        "季度预算表",
        '<table class="mce-item-table" style="width: 500px;"><tbody><tr><td style="width:50%"><b>项目</b></td>'
        "<td>金额|元</td></tr>"
        '<tr><td rowspan="2">服务器</td><td>1200</td></tr><tr><td>1300<br>含税</td></tr></tbody></table>',
        "work",
        ("预算",),
    ),
    Sample(
        "富图",
        "西湖游记",
        '<p><img id="__LEANOTE_D_IMG_1" src="/api/file/getImage?fileId={{png:西湖.png}}" alt="" width="500" '
        'data-mce-src="/file/outputImage?fileId={{gone}}" style="float:left;margin:3px"></p>'
        f'<p><img src="data:image/png;base64,{_INLINE}" data-mce-selected="1"></p>'
        "<p>"
        '<img src="/file/outputImage?fileId={{jpeg:断桥.jpg}}" data-mce-src="/file/outputImage?fileId={{gone}}"/>'
        "</p>"
        '<p><img id="__LEANOTE_IMAGE_9" src=""><img src="blob:abc"><img src="file:///C:/a.png"></p>'
        '<p><img src="https://pic.example.net/a.png" data-src="https://pic.example.net/b.png"></p>',
        "life",
        ("旅行",),
    ),
    Sample(
        "脑图",
        "产品脑图",
        f'<p><img src="data:image/png;base64,{_INLINE}" data-mce-src="-" data-mind-json=\'{_MIND}\'></p>',
        "work",
        ("产品",),
    ),
    Sample(
        "样式",
        "带样式的会议记录",
        '<h1>会议</h1><p style="padding-left: 30px;">一级缩进</p><p style="padding-left: 60px;">二级缩进</p>'
        '<p><span style="text-decoration: underline;" data-mce-style="text-decoration: underline;">下划线</span> '
        '<span style="text-decoration: line-through;">删除线</span> <span style="background-color:#ff0;">高亮</span> '
        '<font color="red">红</font> <b>粗</b><i>斜</i> H<sub>2</sub>O x<sup>2</sup></p>'
        '<p style="text-align:center">居中</p>'
        "<h5>五级</h5><h6>六级</h6><div>块一</div><div>块二</div><section>节</section><p>a&nbsp;&nbsp;&nbsp;b</p>",
        "work",
        ("会议",),
    ),
    Sample(
        "列表",
        "嵌套的购物清单",
        "<ul><li>水果<ul><li>苹果</li></ul></li><ul><li>直接套着的</li></ul></ul><ol><li>一</li><li><p>二</p><p>"
        "第二段</p></li></ol>"
        '<p>☐ 未做</p><p>☑ 做了</p><p>□ 也未做</p><p>√ 也做了</p><p><input type="checkbox" checked="checked"> 框</p>',
        "life",
        ("购物",),
    ),
    Sample(
        "剪藏",
        "剪藏的网页",
        '<script>alert("不要执行")</script><pinit class="x"></pinit><iframe src="https://ad.example.net"></iframe>'
        '<h2><a class="anchor" href="#a"></a>标题</h2><p><a href="javascript:void(0)">点我</a> '
        '<a href="https://example.org/a b(c)">外链</a></p>'
        '<p onclick="x()">一段 *星号* 与 _下划线_ 和 # 井号 [方括号] &lt;标签&gt;</p><p>1. 不是列表</p><style>'
        "p{color:red}</style>",
        "随笔",
        ("剪藏",),
    ),
    Sample(
        "富附件",
        "带附件的合同",
        '<p><a target="_blank" href="https://notes.example.org/api/file/getAttach?fileId={{attach:合同.pdf}}" '
        'data-mce-href="/attach/download?attachId={{gone}}">合同.pdf</a></p>'
        '<p><a href="/attach/download?attachId={{attach:旧合同.doc}}">旧合同.doc</a></p>'
        '<p><a href="/api/file/getAttach?x=1&amp;fileId={{attach:补充.txt}}">补充.txt</a></p>'
        '<p><a href="http://localhost:9000/note/{{note:边城}}">边城</a></p>',
        "work",
        ("合同",),
    ),
    Sample("空段落", "空的富文本", '<p><br data-mce-bogus="1"></p>', "life"),
    Sample("空段落二", "也是空的富文本", "<p><br></p>", "life"),
    Sample("无标题富", "", "<p>没有标题的富文本。</p>", "work"),
    Sample("残缺", "残缺的标签", "<p>没有关上<b>粗体<table><tr><td>格子</p></div>", "work"),
    Sample(
        "引用块",
        "读书摘录",
        "<blockquote><p>边城里没有坏人。</p></blockquote><hr><dl><dt>词</dt><dd>义</dd></dl>",
        "小说",
    ),
)
