import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { shellLine } from './shell-line'

const folder = mkdtempSync(join(tmpdir(), 'teasel-shell-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('the shell one-liner writes the same text, readable by its owner only', () => {
  const content = JSON.stringify({ name: "O'Neil $HOME `id` \\n %s", reboot_command: 'sh -c "reboot"' })
  execFileSync('/bin/sh', ['-c', shellLine('device.json', content)], { cwd: folder })
  expect(readFileSync(join(folder, 'device.json'), 'utf8')).toBe(`${content}\n`)
  expect(statSync(join(folder, 'device.json')).mode & 0o777).toBe(0o600)
})
