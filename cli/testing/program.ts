import { spawn } from 'node:child_process'
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
