import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * A part with fake tools that keep its fuses in files: a bit that is set stays set. Each write counts twice, before and after it;
 * at the count KILL_AT the whole process group of the script is killed.
 */
export type FakePart = { folder: string; tools: string; fuses: string; bundle: string }

const head = `#!/bin/sh
set -euf
moment() {
  count=$(($(cat "$FUSES/.count" 2>/dev/null || echo 0) + 1))
  echo "$count" > "$FUSES/.count"
  if [ "$count" = "\${KILL_AT:-0}" ]; then kill -9 0; fi
}
get() { cat "$FUSES/$1" 2>/dev/null || echo "\${2:-0}"; }
# A file appears as a whole, like a fuse that is burned.
put() {
  moment
  printf '%s\\n' "$2" > "$FUSES/.new"
  mv "$FUSES/.new" "$FUSES/$1"
  moment
}
burn() { put "$1" $(($(get "$1") | $2)); }
`

const tools: Record<string, string> = {
  // The U-Boot prompt: cmd/fuse.c, hab_status, ahab_status, ahab_close.
  'u-boot': `set -- $1
case "$1 \${2:-}" in
  'fuse prog')
    [ "$3" = -y ] || exit 1
    echo "Programming bank $4 word $5 to $6..."
    burn "$4-$5" "$6"
    ;;
  'fuse sense' | 'fuse read')
    printf 'Reading bank %s:\\n\\nWord 0x%08x: %08x\\n' "$3" "$4" "$(get "$3-$4")"
    ;;
  'hab_status '*)
    if [ $(($(get 1-3) & 0x2000000)) -ne 0 ]; then echo 'Secure boot enabled'; else echo 'Secure boot disabled'; fi
    echo 'No HAB Events Found!'
    ;;
  'ahab_status '*)
    if [ "$(get lifecycle)" = 1 ]; then echo 'Lifecycle: 0x00000020, OEM closed'; else echo 'Lifecycle: 0x00000008, OEM Open'; fi
    echo '	No Events Found!'
    ;;
  'ahab_close '*) burn lifecycle 1 ;;
  *) echo "Unknown command '$1'" && exit 1 ;;
esac
`,
  espefuse: `shift 2
[ "$1" != --do-not-confirm ] || shift
case $1 in
  burn-key)
    bytes=$(od -An -v -tx1 "$3" | tr -d '\\n')
    [ "$(get "$2" "$bytes")" = "$bytes" ] || exit 2
    put "$2" "$bytes"
    put "KEY_PURPOSE_\${2#BLOCK_KEY}" "$4"
    ;;
  burn-efuse) burn "$2" "$3" ;;
  write-protect-efuse) burn WR_DIS 1 ;;
  summary)
    echo 'espefuse v5.0'
    echo 'Connecting....'
    case $4 in
      BLOCK_KEY*) get "$4" '00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00' ;;
      KEY_PURPOSE*) get "$4" USER ;;
      SECURE_VERSION | WR_DIS) get "$4" ;;
      *) if [ "$(get "$4")" = 1 ]; then echo True; else echo False; fi ;;
    esac
    ;;
esac
`,
  // A signed update is its header, here of 12 bytes, and the list.
  'efi-updatevar': `put "efi-$3" "$(tail -c +13 "$2")"
if [ "$3" = PK ]; then put setup-mode 0; fi
`,
  'efi-readvar': `[ -f "$FUSES/efi-$2" ] && cp "$FUSES/efi-$2" "$4"
`,
  // Reads the flags of the firmware instead of those of this machine.
  od: `eval "last=\\\${$#}"
case $last in
  /sys/firmware/efi/efivars/SetupMode-*) get setup-mode 1 ;;
  /sys/firmware/efi/efivars/SecureBoot-*) if [ "$(get setup-mode 1)" = 0 ]; then echo 1; else echo 0; fi ;;
  *) exec /usr/bin/od "$@" ;;
esac
`,
  rpiboot: `if grep -q '^program_pubkey=1' "$2/config.txt"; then put key-hash "$KEY_HASH"; fi
if grep -q '^revoke_devkey=1' "$2/config.txt"; then burn devkey 1; fi
`,
  sudo: `exec "$@"
`,
  'odmfuse.sh': `test=no
for word in "$@"; do
  [ "$word" != --test ] || test=yes
done
while [ "$1" != -X ]; do shift; done
[ "$test" = no ] || exit 0
if grep -q PublicKeyHash "$2"; then put key-hash "$KEY_HASH"; fi
if grep -q SecurityMode "$2"; then burn SecurityMode 1; fi
`,
}

export const makePart = (folder: string): FakePart => {
  const part = { folder, tools: join(folder, 'tools'), fuses: join(folder, 'fuses'), bundle: join(folder, 'a bundle') }
  for (const one of [part.tools, part.fuses, part.bundle, join(folder, 'recovery')]) mkdirSync(one, { recursive: true })
  for (const [name, body] of Object.entries(tools)) {
    const path = name.endsWith('.sh') ? join(folder, name) : join(part.tools, name)
    writeFileSync(path, head + body)
    chmodSync(path, 0o755)
  }
  return part
}

/** The fuses by name, without the counter. */
export const fusesOf = ({ fuses }: FakePart): Record<string, string> =>
  Object.fromEntries(
    readdirSync(fuses)
      .filter((name) => !name.startsWith('.'))
      .toSorted()
      .map((name) => [name, readFileSync(join(fuses, name), 'utf8').trim()]),
  )

/** How many moments there were to be killed at. */
export const momentsOf = ({ fuses }: FakePart): number => {
  const path = join(fuses, '.count')
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
}

export type Run = { code: number | null; signal: NodeJS.Signals | null; steps: string[]; output: string }

/** Runs a script with the real `sh`; `respond` is asked for every line that a person types, and null ends the input. */
export const runScript = (
  part: FakePart,
  script: string,
  respond: (prompt: string) => string | null,
  environment: Record<string, string> = {},
): Promise<Run> =>
  new Promise((resolve, reject) => {
    const path = join(part.folder, 'fuse.sh')
    writeFileSync(path, script)
    const child = spawn('sh', [path], {
      cwd: part.folder,
      // Its own process group, so that only the script and its tools are killed.
      detached: true,
      env: {
        PATH: [part.tools, process.env['PATH']].join(delimiter),
        FUSES: part.fuses,
        BUNDLE: part.bundle,
        PORT: '/dev/ttyUSB0',
        RECOVERY: join(part.folder, 'recovery'),
        CHIP_ID: '0x23',
        TARGET: 'jetson-agx-orin-devkit',
        PKC_KEY_FILE: 'pkc.pem',
        ...environment,
      },
    })
    let [out, all, pending] = ['', '', '']
    child.stdin.on('error', () => {})
    // The prompts have no line end: steps are read from the output alone.
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes.toString()
      all += bytes.toString()
    })
    child.stderr.on('data', (bytes: Buffer) => {
      all += bytes.toString()
      pending += bytes.toString()
      if (!pending.endsWith('\n? ')) return
      const typed = respond(pending)
      pending = ''
      if (typed === null) child.stdin.end()
      else child.stdin.write(`${typed}\n`)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const steps = out.split('\n').filter((line) => line.startsWith('step '))
      resolve({ code, signal, steps, output: all })
    })
  })
