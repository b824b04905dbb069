import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createAccessToken, type NewAccessToken, tokenPermissions } from '../contract/access-tokens'
import { generateSigningKey } from '../contract/device/private-key'
import { pemOf } from '../contract/device/public-key'
import { createSigningKey } from '../contract/keys'
import { type Release, release, releases } from '../contract/releases'
import { createTestApi, type TestApi } from '../tests/support/api'
import { openBrokenLine } from '../tests/support/broken-line'
import { freePort } from '../tests/support/free-port'
import type { Person } from '../tests/support/people'
import { buildCommandLine, runCommandLine } from './testing/program'

let api: TestApi
let program: string
let owner: Person
let folder: string
let projectId: string
let token: string
let projects = 0

const makeToken = async (as: Person, permissions: NewAccessToken['permissions'] = tokenPermissions) => {
  const body = { name: `ci ${Math.random()}`, permissions, lifetime_days: 30 as const }
  const made = await api.call(createAccessToken, { projectId }, { as, body })
  expect(made.status, made.text).toBe(201)
  return made.body.token
}

beforeAll(async () => {
  const port = await freePort()
  const [built, started] = await Promise.all([buildCommandLine(), createTestApi({ TEASEL_API_PORT: String(port) })])
  program = built
  api = started
  await api.app.listen({ port, host: '127.0.0.1' })
  owner = await api.person()
}, 120_000)
afterAll(() => api.close())

beforeEach(async () => {
  projectId = await api.project({ ownerId: owner.id }, `Gateways ${++projects}`)
  token = await makeToken(owner)
  folder = mkdtempSync(join(tmpdir(), 'teasel-cli-'))
})

const teasel = (args: string[], variables: Record<string, string | undefined> = {}) =>
  runCommandLine(program, args, { TEASEL_URL: api.config.urls.api, TEASEL_TOKEN: token, ...variables })
const parsed = <T>(text: string): T => JSON.parse(text) as T

const fileOf = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const addKey = async (name = 'release') => {
  const key = await generateSigningKey('ed25519')
  const body = { name, algorithm: 'ed25519' as const, public_key_pem: pemOf(key.publicKey) }
  const made = await api.call(createSigningKey, { projectId }, { as: owner, body })
  expect(made.status, made.text).toBe(201)
  return { ...key, path: fileOf(`${name}.key.pem`, key.privateKeyPem) }
}
const pushing = (path: string, version: number, ...more: string[]) => [
  ...['release', 'push', `${path}=/opt/${basename(path)}`, '--name', 'Gateway', '--version', String(version)],
  ...['--model', 'gw', ...more],
]

it('whoami says what the token is, and of which project', async () => {
  token = await makeToken(owner, ['project:view', 'device:view'])
  const people = await teasel(['whoami'])
  expect(people).toMatchObject({ status: 0, stderr: '' })
  expect(people.stdout).toContain(projectId)
  expect(people.stdout).toContain('project:view, device:view')
  // No colour without a terminal.
  expect(people.stdout).not.toContain('\u001b')
  const { stdout } = await teasel(['whoami', '--json'])
  expect(parsed(stdout)).toMatchObject({ project: { id: projectId }, access_token: { state: 'active' } })
})

it('without a token, an address or an option it ends with code 2; a token as an argument is refused and not repeated', async () => {
  const usage = async (args: string[], variables: Record<string, string | undefined>, words: string) => {
    const { status, stdout, stderr } = await teasel(args, variables)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
    return stderr
  }
  await usage(['whoami'], { TEASEL_TOKEN: undefined }, 'TEASEL_TOKEN is required')
  await usage(['whoami'], { TEASEL_TOKEN: 'hunter2' }, 'not an access token')
  await usage(['whoami'], { TEASEL_URL: undefined }, '--server or TEASEL_URL is required')
  await usage(['whoami', '--server', 'http://api.example.com'], {}, 'plain http')
  await usage(['release', 'push', 'a.bin'], {}, "required option '--name")
  await usage(['release', 'push', 'a.bin', '--name', 'a', '--version', '1.2', '--model', 'gw'], {}, 'whole number')
  await usage(['release', 'dance'], {}, 'unknown command')
  await usage(pushing('a.bin', 1).with(2, 'a.bin'), {}, 'needs the path on the device')
  expect(await usage(['whoami', '--server', token], {}, 'must not be an argument')).not.toContain(token)
})

it('without a network it says so in one line and ends with code 1', async () => {
  const { status, stdout, stderr } = await teasel(['whoami'], { TEASEL_URL: `http://127.0.0.1:${await freePort()}` })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^teasel: http:\S+ cannot be reached: connect ECONNREFUSED \S+\n$/)
})

it('a project that is not that of the token is refused', async () => {
  const { status, stderr } = await teasel(['release', 'list', '--project', 'Elsewhere'])
  expect([status, stderr]).toEqual([1, expect.stringContaining('the token belongs to the project')])
  expect((await teasel(['release', 'list', '--project', projectId])).status).toBe(0)
})

it('release push makes a signed release, and run again it changes nothing', async () => {
  const { path: key, publicKey } = await addKey()
  const file = fileOf('app.bin', randomBytes(300_000))
  const sbom = fileOf('sbom.json', JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [] }))
  const notes = fileOf('notes.md', '# Better\n')
  const more = ['--display-version', '1.0.0', '--notes-file', notes, '--sbom', sbom, '--sign-with', key]
  const first = await teasel(pushing(file, 7, ...more, '--json'))
  expect(first.status, first.stderr).toBe(0)
  expect(first.stderr).toContain('app.bin  100 %')
  const made = parsed<Release>(first.stdout)
  expect(made).toMatchObject({
    version: 7,
    state: 'ready',
    notes: '# Better',
    signatures: [{ fingerprint: publicKey.fingerprint }],
  })
  expect(made.assets.map(({ name, kind, install_location: at }) => [name, kind, at])).toEqual([
    ['app.bin', 'payload', '/opt/app.bin'],
    ['sbom.json', 'sbom', null],
  ])
  const again = await teasel(pushing(file, 7, ...more))
  expect(again.status, again.stderr).toBe(0)
  expect(again.stderr).toBe('')
  const { body } = await api.call(release, { releaseId: made.id }, { as: owner })
  expect(body.revision).toBe(made.revision)
  writeFileSync(file, randomBytes(300_000))
  const other = await teasel(pushing(file, 7, ...more))
  expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('its app.bin has other bytes')])
})

it('release push over a line that breaks goes on from the byte that arrived; when the line is dead, the next run does', async () => {
  const file = fileOf('app.bin', randomBytes(3_000_000))
  const line = await openBrokenLine(api.config.urls.api, 700_000)
  try {
    const whole = await teasel(pushing(file, 1), { TEASEL_URL: line.url })
    expect(whole.status, whole.stderr).toBe(0)
    expect(line.breaks).toBe(4)
    expect(whole.stderr).toContain('Awaits a signature')

    const cut = await openBrokenLine(api.config.urls.api, 700_000)
    const dying = teasel(pushing(file, 2), { TEASEL_URL: cut.url })
    await expect.poll(() => cut.breaks, { interval: 5 }).toBeGreaterThan(0)
    cut.isDown = true
    const dead = await dying
    expect([dead.status, dead.stderr]).toEqual([1, expect.stringContaining('Run the command again to go on from there')])
    await cut.close()
    const resumed = await teasel(pushing(file, 2))
    expect(resumed.status, resumed.stderr).toBe(0)
    expect(resumed.stderr).toMatch(/app\.bin: goes on after \d{6,7} of 3000000 bytes/)
    const { body } = await api.call(releases, { projectId }, { as: owner })
    expect(body.releases.map(({ version, state }) => [version, state])).toEqual([
      [2, 'awaiting_signature'],
      [1, 'awaiting_signature'],
    ])
  } finally {
    await line.close()
  }
}, 120_000)

it('release push replaces a file of a draft that was built anew, and changes its facts', async () => {
  const made = await teasel(pushing(fileOf('app.bin', 'one'), 3, '--sign-with', fileOf('no.pem', 'no key'), '--json'))
  expect([made.status, made.stderr]).toEqual([1, expect.stringContaining('is not an Ed25519 or P-256 private key')])
  // The manifest is built: its files are fixed.
  const fixed = await teasel(pushing(fileOf('app.bin', 'two'), 3))
  expect([fixed.status, fixed.stderr]).toEqual([
    1,
    expect.stringContaining('awaiting signature, and its app.bin has other bytes'),
  ])

  const line = await openBrokenLine(api.config.urls.api, 100_000)
  const breaking = teasel(pushing(fileOf('app.bin', randomBytes(300_000)), 4), { TEASEL_URL: line.url })
  await expect.poll(() => line.breaks, { interval: 5 }).toBeGreaterThan(0)
  line.isDown = true
  expect((await breaking).status).toBe(1)
  await line.close()
  const bytes = randomBytes(200_000)
  const replaced = await teasel(pushing(fileOf('app.bin', bytes), 4, '--display-version', '4.0', '--json'))
  expect(replaced.status, replaced.stderr).toBe(0)
  expect(replaced.stderr).toContain('app.bin has changed since it was uploaded, and replaces it')
  expect(parsed(replaced.stdout)).toMatchObject({ display_version: '4.0', assets: [{ size: 200_000, state: 'ready' }] })
}, 120_000)

it('release push attaches a signature that was made elsewhere, and names what is wrong with another', async () => {
  await addKey()
  const other = await generateSigningKey('ed25519')
  const file = fileOf('app.bin', 'bytes')
  const unknown = await teasel(pushing(file, 1, '--sign-with', fileOf('other.key.pem', other.privateKeyPem)))
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining(`no key ${other.publicKey.fingerprint}`)])
  const bad = await teasel(pushing(file, 1, '--signature', fileOf('bad.sig', Buffer.alloc(64).toString('base64'))))
  expect([bad.status, bad.stderr]).toEqual([1, expect.stringContaining('no key of the project made this signature')])
})

it('a refusal names the field and its rule, also as JSON', async () => {
  const file = fileOf('app.bin', 'bytes')
  expect((await teasel(pushing(file, 5))).status).toBe(0)
  const lower = await teasel(pushing(file, 4))
  expect(lower.status).toBe(1)
  expect(lower.stderr).toContain('  version: Version must be higher than 5 (not_higher)')
  const { stdout, status } = await teasel(pushing(file, 4, '--json'))
  expect([status, parsed(stdout)]).toMatchObject([
    1,
    { error: { status: 422, details: [{ field: 'version', code: 'not_higher' }] } },
  ])
  token = await makeToken(owner, ['project:view'])
  const denied = await teasel(pushing(file, 6))
  expect([denied.status, denied.stderr]).toEqual([1, expect.stringContaining('needs project:manage_releases')])
})
