import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../../server/core/root'
import { freePort } from './free-port'

const program = '/usr/bin/prometheus'
/** Debian's Prometheus; without it its tests are named as not run. */
export const hasPrometheus = existsSync(program)

type Answered<T> = { status: string; error?: string; data: T }

/**
 * Runs Prometheus in a directory until `stop`, with docs/deploy/prometheus.yml and its alerts, but with these ports of the metrics, and each
 * second.
 */
export const startPrometheus = async (directory: string, metricsPorts: readonly number[]) => {
  const text = await readFile(join(root, 'docs/deploy/prometheus.yml'), 'utf8')
  const targets = [...text.matchAll(/127\.0\.0\.1:\d+/g)].map(([target]) => target)
  const changed = targets
    .reduce((config, target, n) => config.replace(target, `127.0.0.1:${metricsPorts[n]}`), text)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s\n  evaluation_interval: 1s')
  const config = join(directory, 'prometheus.yml')
  await writeFile(config, changed)
  await copyFile(join(root, 'docs/deploy/alerts.yml'), join(directory, 'alerts.yml'))
  const address = `127.0.0.1:${await freePort()}`
  const data = `--storage.tsdb.path=${join(directory, 'prometheus')}`
  const child = spawn(program, [`--config.file=${config}`, data, `--web.listen-address=${address}`, '--log.level=warn'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (printed += part))
  const ended = once(child, 'exit')
  const ask = async <T>(path: string, parameters: Record<string, string> = {}) => {
    const answer = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const { status, error, data: found } = (await answer.json()) as Answered<T>
    if (status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${error}`)
    return found
  }
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(printed)
    await pause(50)
  }
  return {
    ask,
    /** The series of a query now, with their values. */
    query: async (query: string) =>
      (await ask<{ result: { metric: Record<string, string>; value: [number, string] }[] }>('query', { query })).result,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
