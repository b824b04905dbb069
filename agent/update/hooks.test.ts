import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeviceConfig } from '../../contract/device/config'
import type { Manifest } from '../../contract/device/manifest'
import { runHook } from './hooks'
import { agentPaths } from './paths'

let config: DeviceConfig
const background: number[] = []
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'teasel-hooks-'))
  config = {
    hardware_model: 'gw',
    persistent_directory: join(folder, 'state'),
    temporary_directory: folder,
    install_root: join(folder, 'root'),
  } as DeviceConfig
})
afterEach(() => {
  for (const pid of background.splice(0)) process.kill(pid, 'SIGKILL')
})

/** Runs a shell script as a hook; returns its result and the lines that it has logged. */
const run = async (script: string) => {
  const text = `#!/bin/sh\n${script}\n`
  const sha256 = createHash('sha256').update(text).digest('hex')
  const path = agentPaths(config).blob(sha256)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  const manifest = { id: 'r', version: 2, hooks: { pre_install: null, post_install: sha256, post_reboot: null } } as Manifest
  const lines: string[] = []
  const result = await runHook(config, manifest, 'post_install', { slot: null, previousVersion: null }, (line) => {
    lines.push(line)
    const pid = /^background (\d+)$/.exec(line)?.[1]
    if (pid !== undefined) background.push(Number(pid))
  })
  return { ...result, lines }
}

const isRunning = (pid: number | undefined) => pid !== undefined && process.kill(pid, 0)

describe('a hook', () => {
  it.each([
    ['in its own group', 'sleep 1000 &'],
    ['in another session', 'setsid sleep 1000 &'],
  ])('that starts a program in the background, %s, ends when it exits itself, and the program goes on', async (_, start) => {
    const { ok, lines } = await run(`${start}\necho "background $!"\nseq 1 3000\necho done`)
    expect([ok, lines.length, lines.at(-1)]).toEqual([true, 3002, 'done'])
    expect(isRunning(background[0])).toBe(true)
  })

  it('that fails beside a program in the background is reported with its output', async () => {
    const { ok, output } = await run('sleep 1000 &\necho "background $!"\necho no room >&2\nexit 3')
    expect(ok).toBe(false)
    expect(output).toContain('The hook ended with code 3')
    expect(output).toContain('no room')
  })
})
