#!/bin/sh
# What `make demo` shows. BIN is the folder of the commands, DEMO a folder for a copy of the example vault.
set -eu

mkdir -p "$DEMO"
cp -R examples/vault/. "$DEMO/"
export GRAPHRAG_VAULT="$DEMO"

show() {
  printf '\n\033[1m$ graphrag'
  for word in "$@"; do
    case "$word" in
      *\ *) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\033[0m\n'
  "$BIN/graphrag" "$@"
}

show index
show ask '渠道超时应该设多少秒，重试几次？'
show ask 'processTransaction 遇到 ReadTimeoutException 会重试吗？'
show ask 'Who is on call for payments and what do they check first?'
show ask '火星上有没有液态水？'
show search 消息积压 --tag 消息队列 --top-k 3
show near 支付模块 --hops 1 --limit 12
show path 张三 消息队列
show status

printf '\nYour own notes: cd into your vault, then: %s/graphrag ask 你的问题\n' "$(cd "$BIN" && pwd)"
