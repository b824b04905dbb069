import { execFile } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientBinary } from '../../../contract/fleet/client-binaries'
import { stepsOf, systemOf } from './commands'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const bytes = Buffer.from('console.log("a client")\n')
const spki = publicKey.export({ type: 'spki', format: 'der' })
const binary: ClientBinary = {
  name: 'teasel-agent',
  file_name: 'teasel-agent.mjs',
  kind: 'device_client',
  version: '0.1.0',
  runtime: 'Node.js',
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  signature: {
    algorithm: 'ed25519',
    signer: 'installation',
    public_key: spki.toString('base64'),
    fingerprint: createHash('sha256').update(spki).digest('hex'),
    value: sign(null, bytes, privateKey).toString('base64'),
    url: 'http://localhost:1/client_binaries/teasel-agent.mjs.sig',
  },
  url: 'http://localhost:1/client_binaries/teasel-agent.mjs',
  released_at: '2026-06-01T12:00:00+00:00',
  platforms: [],
}

let bench: string
beforeAll(async () => {
  bench = await mkdtemp(join(tmpdir(), 'teasel-commands-'))
})
afterAll(() => rm(bench, { recursive: true, force: true }))

const shell = (command: string) => promisify(execFile)('/bin/sh', ['-c', command], { cwd: bench })
const commandOf = (label: string) => stepsOf(binary, 'linux').find((step) => step.label === label)?.command ?? ''

describe('the commands that people copy', () => {
  it('report in a shell that the file is signed, and fail when it was changed', async () => {
    await writeFile(join(bench, binary.file_name), bytes)
    expect((await shell(commandOf('Verify the signature'))).stdout).toBe('teasel-agent.mjs: signed by this key\n')
    await writeFile(join(bench, binary.file_name), 'console.log("another")\n')
    await expect(shell(commandOf('Verify the signature'))).rejects.toMatchObject({
      code: 3,
      stdout: 'teasel-agent.mjs: NOT signed by this key\n',
    })
  })

  it('stop when the checksum differs', async () => {
    const check = commandOf('Download and check').split(' && ')[1] ?? ''
    await writeFile(join(bench, binary.file_name), bytes)
    expect((await shell(check)).stdout).toBe('teasel-agent.mjs: OK\n')
    await writeFile(join(bench, binary.file_name), 'console.log("another")\n')
    await expect(shell(check)).rejects.toMatchObject({ code: 1 })
  })

  it.each(['linux', 'macos', 'windows'] as const)('contain nothing on %s that a shell would interpret', (system) => {
    const node = stepsOf(binary, system).find(({ command }) => command.startsWith('node -e'))?.command ?? ''
    expect(node.slice('node -e "'.length, -1)).not.toMatch(/["$`!\\]/)
  })

  it('leave out the signature where there is none', () =>
    expect(stepsOf({ ...binary, signature: null }, 'linux').map(({ label }) => label)).toEqual(['Download and check', 'Run']))

  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'macos'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'linux'],
    ['', 'linux'],
  ])('%s begins with %s', (userAgent, system) => expect(systemOf(userAgent)).toBe(system))
})
