import { execFile } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientBinaries } from '../../../contract/fleet/client-binaries'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { root } from '../../core/root'
import { openPrograms } from './binaries'

let api: TestApi
let bench: string
beforeAll(async () => {
  api = await createTestApi()
  bench = await mkdtemp(join(tmpdir(), 'teasel-binaries-'))
})
afterAll(async () => {
  await api.close()
  await rm(bench, { recursive: true, force: true })
})

const built = join(root, 'dist/agent/teasel-agent.mjs')
const download = (fileName: string, headers: Record<string, string> = {}) =>
  api.app.inject({ url: `/client_binaries/${fileName}`, headers: { host: new URL(api.config.urls.api).host, ...headers } })
const listed = async () => {
  const ines = await api.person()
  const { body } = await api.call(clientBinaries, {}, { as: ines })
  const [agent, commandLine] = body.client_binaries
  if (!agent?.signature) throw new Error('nothing is listed, or it is not signed')
  return { ...agent, signature: agent.signature, commandLine }
}

describe('client binaries', () => {
  it('are listed to people who are signed in, with what the file really is', async () => {
    expect((await api.call(clientBinaries, {})).status).toBe(401)
    const agent = await listed()
    const bytes = await readFile(built)
    expect(agent).toMatchObject({ name: 'teasel-agent', kind: 'device_client', version: '0.1.0', size: bytes.length })
    expect(agent.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(agent.platforms.map(({ os, arch }) => `${os} ${arch}`)).toContain('linux armv7')
  })

  it('come without a session as an attachment, whole, by their hash, and not again when they are known', async () => {
    const agent = await listed()
    const answer = await download('teasel-agent.mjs')
    expect(answer.statusCode).toBe(200)
    expect(createHash('sha256').update(answer.rawPayload).digest('hex')).toBe(agent.sha256)
    expect(answer.headers).toMatchObject({
      etag: `"sha256-${agent.sha256}"`,
      'content-disposition': 'attachment; filename="teasel-agent.mjs"',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-length': String(agent.size),
    })
    const again = await download('teasel-agent.mjs', { 'if-none-match': `"sha256-${agent.sha256}"` })
    expect([again.statusCode, again.payload]).toEqual([304, ''])
  })

  it('contain the command line, signed by the same key', async () => {
    const { commandLine, signature } = await listed()
    expect(commandLine).toMatchObject({ name: 'teasel', file_name: 'teasel.mjs', kind: 'cli', version: '0.1.0' })
    expect(commandLine?.signature?.fingerprint).toBe(signature.fingerprint)
    const answer = await download('teasel.mjs')
    expect(createHash('sha256').update(answer.rawPayload).digest('hex')).toBe(commandLine?.sha256)
    const key = createPublicKey({ key: Buffer.from(signature.public_key, 'base64'), format: 'der', type: 'spki' })
    expect(verify(null, answer.rawPayload, key, (await download('teasel.mjs.sig')).rawPayload)).toBe(true)
  })

  it.each(['fleet.mjs', 'main.mjs', 'teasel-agent.mjs.map', 'teasel-agent', '..%2Fserver%2Fmain.mjs', 'client-binaries.key.pem'])(
    '%s is not available for download',
    async (name) => expect((await download(name)).statusCode).toBe(404),
  )

  it('carry a signature that anyone can check with the key, and that a changed file fails', async () => {
    const agent = await listed()
    const { rawPayload: bytes } = await download('teasel-agent.mjs')
    const { rawPayload: signature } = await download('teasel-agent.mjs.sig')
    expect(signature.toString('base64')).toBe(agent.signature.value)
    const der = Buffer.from(agent.signature.public_key, 'base64')
    expect(createHash('sha256').update(der).digest('hex')).toBe(agent.signature.fingerprint)
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    expect(verify(null, bytes, key, signature)).toBe(true)
    expect(verify(null, Buffer.concat([bytes, Buffer.from(' ')]), key, signature)).toBe(false)
    const [file, sig, pub] = ['file', 'sig', 'pub.pem'].map((name) => join(bench, name)) as [string, string, string]
    await Promise.all([writeFile(file, bytes), writeFile(sig, signature)])
    await writeFile(pub, key.export({ type: 'spki', format: 'pem' }))
    const command = ['verify', '--public-key', pub, '--signature', sig, '--file']
    expect((await promisify(execFile)(process.execPath, [built, ...command, file])).stderr).toContain('signed by this key')
    await expect(promisify(execFile)(process.execPath, [built, ...command, pub])).rejects.toMatchObject({ code: 3 })
  })

  it('are signed by a permanent key of the installation that only its owner can read and no answer contains', async () => {
    const before = await listed()
    const place = join(api.config.dataDirectory, 'client-binaries')
    expect((await readdir(place)).toSorted()).toEqual(['client-binaries.key.pem', 'client-binaries.pub.pem'])
    expect((await stat(place)).mode & 0o777).toBe(0o700)
    expect((await stat(join(place, 'client-binaries.key.pem'))).mode & 0o777).toBe(0o600)
    const [again] = await openPrograms(api.deps)()
    expect(again?.signed?.publicKey.toString('base64')).toBe(before.signature.public_key)
    expect(before.signature.signer).toBe('installation')
    expect(JSON.stringify(before)).not.toContain('PRIVATE')
  })

  it("carry the publisher's signature where it is stored beside the file; a new build is read again", async () => {
    const directory = join(bench, 'agent')
    await mkdir(directory)
    const path = join(directory, 'teasel-agent.mjs')
    const programs = openPrograms(api.deps, bench)
    expect(await programs()).toEqual([])
    await copyFile(built, path)
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    await writeFile(join(directory, 'publisher.pub.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    await writeFile(`${path}.sig`, sign(null, await readFile(path), privateKey))
    const [first] = await programs()
    expect(first?.signed).toMatchObject({ signer: 'publisher' })
    await writeFile(path, `${await readFile(path, 'utf8')}\n// one line more\n`)
    const [second] = await programs()
    expect(second?.sha256).not.toBe(first?.sha256)
    // Not signed by the publisher: an invalid signature counts as none.
    expect(second?.signed?.signer).toBe('installation')
  })
})
