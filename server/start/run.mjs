import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export const say = (text) => process.stdout.write(`${text}\n`)

/** Runs a program to its end, for `timeoutMs` at most. Its output is shown only when it fails, unless `loud`. */
export const run = (command, args, { loud = false, env = {}, timeoutMs = 0 } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: loud ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      timeout: timeoutMs,
    })
    const printed = []
    child.stdout?.on('data', (chunk) => printed.push(chunk))
    child.stderr?.on('data', (chunk) => printed.push(chunk))
    child.once('error', reject).once('close', (code, signal) => {
      if (code === 0) return resolve(undefined)
      process.stderr.write(Buffer.concat(printed))
      reject(new Error(`${[command, ...args].join(' ')} ended with ${code ?? signal}`))
    })
  })

/** Runs a program of an installed package, without a shell and on every system. */
export const runPackage = (file, args, options) => run(process.execPath, [join(root, 'node_modules', file), ...args], options)

/** Prints what is done and how long it took. */
export const timed = async (label, work) => {
  const before = performance.now()
  say(`${label} …`)
  const result = await work()
  say(`${label}: ${((performance.now() - before) / 1000).toFixed(1)} s`)
  return result
}
