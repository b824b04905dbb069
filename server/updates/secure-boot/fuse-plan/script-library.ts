/** The functions of a fuse script, for any POSIX shell. Bits and texts are compared as `expected` of the contract says. */
export const library = `fail() {
  printf '\\nStopped at step %s: %s\\n' "$n" "$1" >&2
  exit 1
}

log() {
  printf 'step %s: %s\\n' "$n" "$1"
}

# A line that a person types. Commands never read it.
answer() {
  printf '%s\\n? ' "$1" >&2
  IFS= read -r typed <&3 || fail 'no answer'
}

begin() {
  n=$1
  confirmed=no
  written=no
  printf '\\n[%s of %s] %s\\n%s\\n' "$1" "$steps" "$2" "$3"
  log pending
}

squeeze() {
  printf '%s' "$1" | tr -d '[:space:]' | tr 'A-Z' 'a-z'
}

# number: the last word of the output.
find_number() {
  number=
  for number in $1; do :; done
  if [ "$loader" = yes ] && [ -n "$by_tool" ]; then
    case $number in
      *[!0-9a-fA-F]*) return 1 ;;
      ????????) number=0x$number ;;
      *) return 1 ;;
    esac
    return 0
  fi
  case $number in
    True) number=1 ;;
    False) number=0 ;;
    0x*[!0-9a-fA-F]* | 0x | '') return 1 ;;
    0x*) ;;
    *[!0-9]*) return 1 ;;
  esac
  # A leading zero would make it octal.
  case $number in
    0x*) ;;
    *)
      while [ "\${number#0}" != "$number" ] && [ "$number" != 0 ]; do number=\${number#0}; done
      ;;
  esac
}

compare_bits() {
  wanted=\${2%% of *}
  mask=0xffffffff
  case $2 in
    *' of '*) mask=\${2##* of } ;;
  esac
  find_number "$1" || fail "no value in: $1"
  if [ $((number & mask & ~wanted)) -ne 0 ]; then
    state=differed
  elif [ $((number & mask)) -eq $((wanted & mask)) ]; then
    state=matched
  else
    state=incomplete
  fi
}

compare_hash() {
  shown=$(squeeze "$(printf '%s\\n' "$1" | tail -n 1)")
  shown=\${shown#0x}
  case $shown in
    "$2") state=matched ;;
    '' | *[!0-9a-f]*) fail "no hash in: $1" ;;
    *[!0]*) state=differed ;;
    *) state=incomplete ;;
  esac
}

compare_text() {
  shown=$(squeeze "$1")
  rest=$2
  state=incomplete
  while :; do
    one=$(squeeze "\${rest%% or *}")
    case $shown in
      *"$one"*)
        state=matched
        return 0
        ;;
    esac
    case $rest in
      *' or '*) rest=\${rest#* or } ;;
      *) return 0 ;;
    esac
  done
}

# Sets state to matched, incomplete or differed: what the device has ($1 reads it) against the expected value $2.
look_at() {
  by_tool=$1
  if [ -n "$1" ]; then
    output=$(run "$1") || true
  else
    answer "Type the value that the device has now (0 if nothing is written). Expected in the end: $2"
    output=$typed
  fi
  case $2 in
    0x*) compare_bits "$output" "$2" ;;
    *[!0-9a-f]*) compare_text "$output" "$2" ;;
    ????????????????????????????????*) compare_hash "$output" "$2" ;;
    *) compare_text "$output" "$2" ;;
  esac
}

fresh() {
  todo=no
}

# Before a write: what is there already?
look() {
  if [ -z "$2" ]; then
    todo=yes
    return 0
  fi
  look_at "$1" "$2"
  case $state in
    incomplete) todo=yes ;;
    differed)
      log mismatch
      fail "the device has another value, which cannot be changed to $2. It shows: $output"
      ;;
  esac
}

confirm() {
  if [ "$confirmed" = no ] && [ -n "$1" ]; then
    answer "This cannot be undone. Type \\"$1\\" to continue."
    [ "$typed" = "$1" ] || fail 'not confirmed. Nothing of this step was written.'
  fi
  if [ "$confirmed" = no ]; then log confirmed; fi
  confirmed=yes
}

apply() {
  [ "$todo" = yes ] || return 0
  [ "$closed" = no ] || fail 'the part is closed, and this was not written'
  confirm "$2"
  if [ -n "$1" ]; then
    run "$1" >&2 || fail 'the command failed. Run this script again: it reads the device before it writes.'
  else
    answer 'Do it now, as described above. Then press Enter.'
  fi
  if [ "$written" = no ]; then log written; fi
  written=yes
}

# After a write: is it there?
must() {
  if [ "$todo" = no ] || [ -z "$2" ]; then return 0; fi
  look_at "$1" "$2"
  case $state in
    matched) ;;
    incomplete) fail "the value is not there. Expected $2, the device shows: $output" ;;
    differed)
      log mismatch
      fail "the device has another value. Expected $2, it shows: $output"
      ;;
  esac
}

# A step that only reads. The part is never closed past one that does not match.
expect() {
  if [ -z "$2" ]; then
    run "$1" >&2 || fail 'the command failed'
    return 0
  fi
  todo=yes
  must "$1" "$2"
}

by_hand() {
  answer 'Type "done" when this is so.'
  [ "$typed" = done ] || fail 'not done'
  log confirmed
}
`

export const runOnHost = `run() {
  (eval "$1") </dev/null
}
`

export const runInLoader = `# DEVICE_RUN may name a program that types one command at the U-Boot prompt of the board and prints what it shows.
run() {
  if [ -n "\${DEVICE_RUN:-}" ]; then
    "$DEVICE_RUN" "$1" </dev/null
    return
  fi
  printf '\\nType at the U-Boot prompt:\\n\\n  %s\\n\\nPaste what it shows, then a line with a dot:\\n? ' "$1" >&2
  while IFS= read -r line <&3 && [ "$line" != . ]; do
    printf '%s\\n' "$line"
  done
}
`
