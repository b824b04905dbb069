import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tarOf } from './tar'

it('writes an archive whose files tar extracts with their permissions and times', async () => {
  const entries = [
    { path: 'etc/swupdate/swupdate.cfg', mode: 0o600, text: 'a "quoted" ü\n' },
    { path: 'usr/lib/prepare', mode: 0o755, text: 'x'.repeat(512) },
    { path: 'empty', mode: 0o644, text: '' },
  ]
  const folder = mkdtempSync(join(tmpdir(), 'teasel-tar-'))
  const archive = join(folder, 'set.tar')
  const blob = tarOf(entries, new Date('2026-06-01T12:00:00Z'))
  writeFileSync(archive, new Uint8Array(await blob.arrayBuffer()))
  expect(blob.size % 512).toBe(0)
  execFileSync('tar', ['-xpf', archive, '-C', folder])
  for (const { path, mode, text } of entries) {
    const file = join(folder, path)
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([text, mode])
    expect(statSync(file).mtime).toEqual(new Date('2026-06-01T12:00:00Z'))
  }
})
