import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, verify as verifyWithOpenSsl } from 'node:crypto'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToSign, type Manifest, manifestBytes } from '../contract/device/manifest'
import { publicKeyFromPem } from '../contract/device/public-key'
import { buildAgent } from './testing/agent-process'
import { newKey, release } from './testing/releases'

let agent: string, folder: string, manifest: Manifest, manifestPath: string
beforeAll(async () => {
  agent = await buildAgent()
  manifest = (await release(await newKey(), { version: 3, files: [{ bytes: 'x', location: '/x' }] })).manifest
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teasel-commands-'))
  manifestPath = join(folder, 'manifest.json')
  writeFileSync(manifestPath, JSON.stringify(manifest, null, 2))
})

const run = (parameters: string[], input?: string) =>
  spawnSync(process.execPath, [agent, ...parameters], { encoding: 'utf8', ...(input === undefined ? {} : { input }) })
const keygen = (...more: string[]) => run(['keygen', '--out', folder, ...more])
const keyPath = () => join(folder, 'release.key.pem')
const publicPath = () => join(folder, 'release.pub.pem')

describe('teasel-agent keygen', () => {
  it.each(['ed25519', 'ecdsa-p256'])('creates a key pair of %s that only its owner can read', async (algorithm) => {
    const { status, stdout, stderr } = keygen('--algorithm', algorithm)
    expect([status, stderr]).toEqual([0, ''])
    expect(statSync(keyPath()).mode & 0o777).toBe(0o600)
    const key = await publicKeyFromPem(readFileSync(publicPath(), 'utf8'))
    expect(key?.algorithm).toBe(algorithm)
    expect(stdout).toContain(`fingerprint: ${key?.fingerprint}`)
    expect(stdout).toContain(JSON.stringify(key))
    expect(stdout).not.toContain('PRIVATE KEY')
  })

  it('never overwrites a key file', () => {
    keygen()
    const before = readFileSync(keyPath(), 'utf8')
    expect(keygen().status).toBe(1)
    expect(readFileSync(keyPath(), 'utf8')).toBe(before)
  })
})

describe('teasel-agent sign', () => {
  it('signs the canonical bytes, whatever the spelling, so that others can check it', () => {
    keygen()
    const { status, stdout } = run(['sign', '--key', keyPath(), '--manifest', manifestPath])
    expect(status).toBe(0)
    const fromInput = run(['sign', '--key', keyPath(), '--manifest', '-'], Buffer.from(manifestBytes(manifest)).toString('utf8'))
    expect(fromInput.stdout).toBe(stdout)
    const publicKey = createPublicKey(readFileSync(publicPath(), 'utf8'))
    expect(verifyWithOpenSsl(null, bytesToSign(manifestBytes(manifest)), publicKey, Buffer.from(stdout.trim(), 'base64'))).toBe(
      true,
    )
  })

  it('writes an envelope that verify accepts with this key and refuses with any other', () => {
    keygen()
    keygen('--name', 'other')
    const envelopePath = join(folder, 'envelope.json')
    expect(run(['sign', '--key', keyPath(), '--manifest', manifestPath, '--envelope', '--out', envelopePath]).status).toBe(0)
    const good = run(['verify', '--public-key', publicPath(), '--envelope', envelopePath])
    expect([good.status, JSON.parse(good.stdout)]).toEqual([0, manifest])
    const wrong = run(['verify', '--public-key', join(folder, 'other.pub.pem'), '--envelope', envelopePath])
    expect([wrong.status, wrong.stdout]).toEqual([3, ''])
    expect(wrong.stderr).toContain('key_unknown')
  })

  it.each([
    ['what is no manifest', () => writeFileSync(manifestPath, '{"version":1}'), 'is not a manifest'],
    ['with a public key', () => writeFileSync(keyPath(), readFileSync(publicPath())), 'is not an Ed25519 or P-256 private key'],
  ])('refuses to sign %s', (_, spoil, words) => {
    keygen()
    spoil()
    const { status, stdout, stderr } = run(['sign', '--key', keyPath(), '--manifest', manifestPath])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain(words)
  })
})

describe('teasel-agent', () => {
  it('prints its help', () => {
    const text = execFileSync(process.execPath, [agent, '--help'], { encoding: 'utf8' })
    for (const word of ['--config', 'keygen', 'sign', 'verify', 'Exit codes']) expect(text).toContain(word)
  })

  it.each([
    [[], '--config is required'],
    [['dance'], 'no command'],
    [['keygen'], '--out is required'],
    [['--colour'], 'colour'],
    [['keygen', '--out', '/x', '--key', 'y'], '--key is not an option of this command'],
  ])('exits with code 2 for %j', (parameters, words) => {
    const { status, stderr } = run(parameters)
    expect(status).toBe(2)
    expect(stderr).toContain(words)
  })

  it('runs as a single file without node_modules', () => {
    expect(readFileSync(agent, 'utf8')).not.toMatch(/from ?["'](?!node:)/)
  })
})
