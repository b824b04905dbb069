import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the command line as delivered, one file, into its own folder. */
export const buildCommandLine = async (): Promise<string> => {
  const outDir = mkdtempSync(join(tmpdir(), 'teasel-build-'))
  await build({ root, mode: 'cli', logLevel: 'silent', build: { outDir, emptyOutDir: false } })
  return join(outDir, 'teasel.mjs')
}

type Ended = { status: number | null; stdout: string; stderr: string }

type Following = { until: string; onOutput: () => void }
/** Kills the program, as the end of its machine does. */
type Killing = { signal: AbortSignal }

/**
 * Runs the program without a terminal, with these variables besides the system's. One that would not end by itself is interrupted
 * when it has printed `until`; `onOutput` is called at its first output.
 */
export const runCommandLine = async (
  program: string,
  args: readonly string[],
  variables: Record<string, string | undefined> = {},
  { signal, ...following }: Partial<Following & Killing> = {},
): Promise<Ended> => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TEASEL_'))
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...Object.fromEntries(own), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  // It reports the kill, which `close` does too.
  child.once('error', () => {})
  let stdout = ''
  let stderr = ''
  const { until } = following
  let isInterrupted = false
  const interruptAfter = (printed: string) => {
    if (until === undefined || isInterrupted || !printed.includes(until)) return
    isInterrupted = child.kill('SIGINT')
  }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (stdout === '') following.onOutput?.()
    stdout += chunk
    interruptAfter(stdout)
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
    interruptAfter(stderr)
  })
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, stdout, stderr }
}

/** `script` of util-linux, which Debian always has, can run a program on a terminal of its own. */
export const hasTerminals = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

/** What is typed once the terminal shows `until`. */
type Typing = { until: RegExp; text: string }

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Runs the program on a terminal; `shown` is everything that it wrote there, to both outputs. */
export const runOnTerminal = async (
  program: string,
  args: readonly string[],
  variables: Record<string, string> = {},
  { until, text }: Typing = { until: /^$/, text: '' },
): Promise<{ status: number | null; shown: string }> => {
  const own = Object.entries(process.env).filter(([name]) => !/^(TEASEL_|NO_COLOR$|FORCE_COLOR$)/.test(name))
  const command = [process.execPath, program, ...args].map(quoted).join(' ')
  const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
    env: { ...Object.fromEntries(own), TERM: 'xterm-256color', ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
    // A question that nobody answers would wait for ever.
    timeout: 60_000,
  })
  let shown = ''
  let isTyped = false
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    if (isTyped || !until.test(shown)) return
    isTyped = true
    child.stdin.write(text)
  })
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, shown }
}
