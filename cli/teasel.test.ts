import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { and, eq, inArray } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  accessTokens,
  createAccessToken,
  type NewAccessToken,
  revokeAccessToken,
  tokenPermissions,
} from '../contract/accounts/access-tokens'
import { generateSigningKey } from '../contract/device/private-key'
import { pemOf } from '../contract/device/public-key'
import { createSigningKey, revokeSigningKey, signingKeys } from '../contract/fleet/keys'
import { releaseToSign } from '../contract/updates/release-signing'
import { type Release, release, releases } from '../contract/updates/releases'
import { createEnrollmentToken } from '../contract/fleet/enrollment-tokens'
import { enroll, logs } from '../contract/device/endpoints'
import { type DeviceJob, deviceJobs } from '../contract/fleet/device-jobs'
import { createTag } from '../contract/fleet/tags'
import { runDeviceJobs } from '../server/fleet/device-jobs/run'
import { formatTimestamp } from '../server/core/timestamps'
import { devices } from '../server/fleet/schema/devices'
import { rolloutDevices } from '../server/updates/schema/rollouts'
import { updateProject } from '../contract/accounts/project-changes'
import { project } from '../contract/accounts/projects'
import { denyRollout, rollBackRollout, submitRollout } from '../contract/updates/rollout-steps'

import { softwareDescription, swuArchive } from '../contract/ddi/bundle.fixture'
import { createTestApi, type TestApi } from '../tests/support/api'
import { openBrokenLine } from '../tests/support/broken-line'
import { enrollBody } from '../tests/support/devices'
import { fleet } from '../tests/support/fleet'
import { freePort } from '../tests/support/free-port'
import type { Person } from '../tests/support/people'
import { createReleaseFixture } from '../tests/support/release-fixture'
import { createRolloutFixture } from '../tests/support/rollout-fixture'
import { createTestObjects } from '../tests/support/test-objects'
import { connect } from './core/api'
import { uploadAsset } from './release/upload'
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
})
afterAll(() => api.close())

beforeEach(async () => {
  projectId = await api.project({ ownerId: owner.id }, `Gateways ${++projects}`)
  token = await makeToken(owner)
  folder = mkdtempSync(join(tmpdir(), 'teasel-cli-'))
})

const teasel = (args: string[], variables: Record<string, string | undefined> = {}, signal?: AbortSignal) =>
  runCommandLine(
    program,
    args,
    { TEASEL_URL: api.config.urls.api, TEASEL_TOKEN: token, ...variables },
    { ...(signal && { signal }) },
  )
/** Runs the program until its line has broken after so many bytes, and kills it then. */
const runUntilCut = async (args: string[], bytes: number) => {
  const line = await openBrokenLine(api.config.urls.api, bytes, true)
  const killing = new AbortController()
  const running = teasel(args, { TEASEL_URL: line.url }, killing.signal)
  await expect.poll(() => line.isDown, { interval: 5 }).toBe(true)
  killing.abort()
  expect((await running).status).toBeNull()
  await line.close()
}
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test says what the program prints
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
  'release',
  'push',
  `${path}=/opt/${basename(path)}`,
  '--name',
  'Gateway',
  '--version',
  String(version),
  '--model',
  'gw',
  ...more,
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

    await runUntilCut(pushing(file, 2), 700_000)
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
})

it('release push whose token is revoked meanwhile says so and ends with code 1; with another token it goes on from there', async () => {
  const file = fileOf('app.bin', randomBytes(3_000_000))
  const line = await openBrokenLine(api.config.urls.api, 700_000)
  const running = teasel(pushing(file, 1), { TEASEL_URL: line.url })
  await expect.poll(() => line.breaks, { interval: 5 }).toBeGreaterThan(0)
  const [current] = (await api.call(accessTokens, { projectId }, { as: owner })).body.access_tokens
  await api.call(revokeAccessToken, { accessTokenId: current?.id ?? '' }, { as: owner })
  const ended = await running
  await line.close()
  expect([ended.status, ended.stdout]).toEqual([1, ''])
  expect(ended.stderr).toContain('teasel: This access token was revoked (401 token_revoked)\n')
  token = await makeToken(owner)
  const again = await teasel(pushing(file, 1))
  expect(again.status, again.stderr).toBe(0)
  expect(again.stderr).toMatch(/app\.bin: goes on after \d{6,7} of 3000000 bytes/)
})

it('an upload over a dead line ends after its last attempt, and says how to go on', async () => {
  const bytes = randomBytes(3_000_000)
  const path = fileOf('app.bin', bytes)
  await runUntilCut(pushing(path, 1), 700_000)
  const { body } = await api.call(releases, { projectId }, { as: owner })
  const [asset] = (await api.call(release, { releaseId: body.releases[0]?.id ?? '' }, { as: owner })).body.assets
  const line = await openBrokenLine(api.config.urls.api, 700_000, true)
  const file = { path, name: 'app.bin', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  // The program itself waits 19 s in all between its attempts.
  const sent = uploadAsset(connect(line.url, token), file, asset?.id ?? '', [1, 1])
  await expect(sent).rejects.toThrow(/^The upload broke after \d{6,7} bytes: .+\. Run the command again to go on from there$/)
  expect(line.breaks).toBe(1)
  await line.close()
})

it('release push adds programs and scripts with a mode by which a device can run them', async () => {
  const script = fileOf('start.sh', '#!/bin/sh\n')
  const data = fileOf('data.bin', 'data')
  const { status, stdout, stderr } = await teasel([...pushing(script, 2, '--json'), `${data}=/opt/data.bin`])
  expect(status, stderr).toBe(0)
  const modes = parsed<Release>(stdout).assets.map(({ name, mode }) => [name, mode])
  expect(Object.fromEntries(modes)).toEqual({ 'start.sh': '0755', 'data.bin': '0644' })
})

it('release push replaces a file of a draft that was built anew, and changes its facts', async () => {
  const made = await teasel(pushing(fileOf('app.bin', 'one'), 3, '--sign-with', fileOf('no.pem', 'no key'), '--json'))
  expect([made.status, made.stderr]).toEqual([1, expect.stringContaining('is not an Ed25519 or P-256 private key')])
  // The manifest is built: its files are fixed.
  const fixed = await teasel(pushing(fileOf('app.bin', 'two'), 3))
  expect([fixed.status, fixed.stderr]).toEqual([
    1,
    expect.stringContaining('awaiting signature, and its app.bin has other bytes'),
  ])

  await runUntilCut(pushing(fileOf('app.bin', randomBytes(300_000)), 4), 100_000)
  const bytes = randomBytes(200_000)
  const replaced = await teasel(pushing(fileOf('app.bin', bytes), 4, '--display-version', '4.0', '--json'))
  expect(replaced.status, replaced.stderr).toBe(0)
  expect(replaced.stderr).toContain('app.bin has changed since it was uploaded, and replaces it')
  expect(parsed(replaced.stdout)).toMatchObject({ display_version: '4.0', assets: [{ size: 200_000, state: 'ready' }] })
})

it('release push makes a release with other files after its manifest was reopened', async () => {
  const { path: key } = await addKey()
  expect((await teasel(pushing(fileOf('app.bin', 'one'), 3))).status).toBe(0)
  const fixed = await teasel(pushing(fileOf('app.bin', 'two'), 3))
  expect([fixed.status, fixed.stderr]).toEqual([
    1,
    expect.stringContaining('Push another version, or make it a draft again with: teasel release reopen 3\n'),
  ])
  expect(await valueOf('release', 'reopen', '3')).toMatchObject({ state: 'draft', manifest: null })
  const again = await teasel(pushing(fileOf('app.bin', 'two'), 3, '--sign-with', key, '--json'))
  expect(again.status, again.stderr).toBe(0)
  expect(parsed(again.stdout)).toMatchObject({ state: 'ready', assets: [{ size: 3, state: 'ready' }] })
  const signed = await teasel(['release', 'reopen', '3'])
  expect([signed.status, signed.stderr]).toEqual([1, expect.stringContaining('(409 conflict)')])
})

it('release delete takes back a push with a wrong version, which would refuse all lower ones, but no signed release', async () => {
  const { path: key } = await addKey()
  const file = fileOf('app.bin', 'bytes')
  expect((await teasel(pushing(file, 70))).status).toBe(0)
  expect((await teasel(pushing(file, 7))).stderr).toContain('Version must be higher than 70')
  const unasked = await teasel(['release', 'delete', '70'])
  expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining('--yes is required')])
  expect(await printed('release', 'delete', '70', '--yes')).toBe('Deleted Gateway, version 70\n')
  expect((await teasel(pushing(file, 7, '--sign-with', key))).status).toBe(0)
  const signed = await teasel(['release', 'delete', '7', '--yes'])
  expect([signed.status, signed.stderr]).toEqual([
    1,
    'teasel: A signed release cannot be deleted. Revoke it instead (409 not_a_draft)\n',
  ])
})

it('release push signs a ready release again whose only key was revoked, and says so until another key has signed it', async () => {
  const first = await addKey('first')
  const second = await addKey('second')
  const file = fileOf('app.bin', 'bytes')
  const push = (...more: string[]) => teasel(pushing(file, 1, ...more))
  expect((await push('--sign-with', first.path)).status).toBe(0)
  const keys = (await api.call(signingKeys, { projectId }, { as: owner })).body.signing_keys
  const signingKeyId = keys.find(({ name }) => name === 'first')?.id ?? ''
  await api.call(revokeSigningKey, { signingKeyId }, { as: owner, body: { reason: 'Lost' } })
  for (const more of [[], ['--sign-with', first.path]]) {
    const refused = await push(...more)
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('The keys that signed this release were revoked: run again with --sign-with'),
    ])
  }
  const again = await push('--sign-with', second.path, '--json')
  expect(again.status, again.stderr).toBe(0)
  expect(again.stderr).toContain('Signed with second')
  expect(parsed<Release>(again.stdout).signatures.map(({ key_name: name }) => name)).toEqual(['first', 'second'])
  const last = await push('--sign-with', second.path)
  expect([last.status, last.stderr]).toEqual([0, ''])
})

it('release push attaches a signature that was made elsewhere, and names what is wrong with another', async () => {
  await addKey()
  const other = await generateSigningKey('ed25519')
  const file = fileOf('app.bin', 'bytes')
  const unknown = await teasel(pushing(file, 1, '--sign-with', fileOf('other.key.pem', other.privateKeyPem)))
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining(`no key ${other.publicKey.fingerprint}`)])
  const bad = await teasel(pushing(file, 1, '--signature', fileOf('bad.sig', Buffer.alloc(64).toString('base64'))))
  expect([bad.status, bad.stderr]).toEqual([1, expect.stringContaining('no key of the project made this signature')])
})

it('the command that the API gives for a release makes a signature that it accepts', async () => {
  await addKey()
  const file = fileOf('app.bin', 'bytes')
  const pushed = await teasel(pushing(file, 3, '--json'))
  expect(pushed.status, pushed.stderr).toBe(0)
  const releaseId = parsed<Release>(pushed.stdout).id
  const { command: given } = (await api.call(releaseToSign, { releaseId }, { as: owner })).body
  // The command names files of the folder in which a person runs it.
  const command = given.replace(' teasel.mjs ', ` ${program} `)
  expect(command).not.toBe(given)
  const signature = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
  const attached = await teasel(pushing(file, 3, '--signature', fileOf('release.sig', signature), '--json'))
  expect(attached.status, attached.stderr).toBe(0)
  expect(parsed(attached.stdout)).toMatchObject({ state: 'ready' })
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

/** The output of a command that must end with 0. */
const printed = async (...args: string[]) => {
  const { status, stdout, stderr } = await teasel(args)
  expect(status, stderr).toBe(0)
  return stdout
}
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
const valueOf = async <T>(...args: string[]) => parsed<T>(await printed(...args, '--json'))

it('lists, shows, compares and revokes releases', async () => {
  const maker = await createReleaseFixture(api, owner, projectId)
  await maker.signed({ version: 1, bytes: Buffer.from('one') })
  await maker.signed({ version: 2, bytes: Buffer.from('two, longer') })
  const list = await valueOf<Release[]>('release', 'list', '--state', 'ready', '--model', 'gw')
  expect(list.map(({ version }) => version)).toEqual([2, 1])
  expect(await printed('release', 'list', '--limit', '1')).toMatch(/^Version .*\n +2 .*Firmware 2 .*ready .*\n$/)
  expect(await printed('release', 'show', '2')).toMatch(/app\.bin +payload +11 bytes +\/opt\/app\.bin/)
  expect(await printed('release', 'diff', '1', '2')).toMatch(/\/opt\/app\.bin +\w+ +3 bytes +11 bytes/)
  await printed('release', 'revoke', '1', '--reason', 'It does not start on cold boards')
  expect(await valueOf('release', 'show', '1')).toMatchObject({ state: 'revoked' })
  const unknown = await teasel(['release', 'show', '9'])
  expect([unknown.status, unknown.stderr]).toEqual([1, 'teasel: This project has no release with the version 9\n'])
})

it('lists, shows, tags, exports and imports devices, and says why one does not update', async () => {
  await fleet(api, projectId).add({ count: 3, trustedKeys: [] })
  await api.call(createTag, { projectId }, { as: owner, body: { name: 'canary', colour: 'sky' } })
  type Shown = { name: string; tags: { name: string }[] }
  expect(await valueOf<Shown[]>('devices', 'list', '--limit', '2')).toHaveLength(2)
  expect(await printed('devices', 'list', '--model', 'other')).toMatch(/^Name .*\n$/)
  expect(await printed('devices', 'show', 'device 1')).toMatch(/^Device +device 1\n/)
  const tagged = await valueOf<Shown>('devices', 'tag', 'device 1', '--add', 'canary')
  expect(tagged.tags.map(({ name }) => name)).toEqual(['canary'])
  const canaries = await valueOf<Shown[]>('devices', 'list', '--tag', 'canary')
  expect(canaries.map(({ name }) => name)).toEqual(['device 1'])
  expect(await valueOf('devices', 'tag', 'device 1', '--remove', 'canary')).toMatchObject({ tags: [] })
  expect((await printed('devices', 'export')).split('\r\n')).toHaveLength(5)
  expect((await printed('devices', 'export', '--format', 'ndjson')).split('\n')).toHaveLength(4)
  const checks = await printed('why', 'device 1')
  expect(checks).toMatch(/^Check +Result +Observed/m)
  expect(checks).toContain('No update available')
  const missing = await teasel(['why', 'device 9'])
  expect([missing.status, missing.stderr]).toEqual([1, 'teasel: No device has the id, serial number or name device 9\n'])

  const rows = 'controller_id,name,security_token,hardware_model\npump-1,Pump 1,0123456789abcdef0123456789abcdef,gw\n'
  const file = fileOf('devices.csv', rows)
  expect(await valueOf('devices', 'import', file, '--dry-run')).toMatchObject({ dry_run: true, created: 1, failed: 0 })
  const imported = await teasel(['devices', 'import', file, '--json'])
  const { import_id: id } = parsed<{ import_id: string }>(imported.stdout)
  expect([imported.status, imported.stderr]).toEqual([0, `To undo it: teasel devices undo-import ${id}\n`])
  const unasked = await teasel(['devices', 'undo-import', id])
  expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining('--yes is required')])
  expect(await printed('devices', 'undo-import', id, '--yes')).toBe('1 device deleted\n')
  expect(await valueOf('devices', 'undo-import', id, '--yes')).toEqual({ deleted: 0 })
  expect((await teasel(['devices', 'show', 'Pump 1'])).status).toBe(1)
})

/** Works off the jobs of the project once one was started. */
const workOffJobs = async (running: number) => {
  const jobs = async () => (await api.call(deviceJobs, { projectId }, { as: owner })).body.jobs
  await expect.poll(async () => (await jobs()).length, { interval: 20 }).toBe(running)
  await runDeviceJobs(api.deps, { copyClientState: async () => {}, hasUnapprovedRollout: async () => false })
}

it('tags all devices of a filter by a job, after a count and a question, and undoes it', async () => {
  await fleet(api, projectId).add({ count: 3, trustedKeys: [] })
  await api.call(createTag, { projectId }, { as: owner, body: { name: 'canary', colour: 'sky' } })
  await printed('devices', 'tag', 'device 1', '--add', 'canary')
  const many = ['devices', 'tag', '--all-matching', '--add', 'canary', '--tag', 'canary', '--tag-mode', 'none']
  expect(await printed(...many, '--dry-run')).toMatch(/^2 devices match\nName .*\ndevice 0 .*\ndevice 2 .*\n$/)
  for (const [args, text] of [
    [many, '--yes is required where nobody can be asked'],
    [['devices', 'tag', '--add', 'canary'], 'Name a device, or use --all-matching with filters'],
    [['devices', 'tag', 'device 1', '--add', 'canary', '--model', 'gw'], 'Filters are for --all-matching'],
    [['devices', 'tag', 'device 1', '--all-matching', '--add', 'canary'], 'Name a device or use --all-matching, not both'],
    [[...many, '--remove', 'roof'], 'With --all-matching either --add or --remove'],
  ] as const) {
    const { status, stderr } = await teasel([...args])
    expect([status, stderr], args.join(' ')).toEqual([2, expect.stringContaining(text)])
  }
  const none = await teasel(['devices', 'tag', '--all-matching', '--add', 'canary', '--model', 'other', '--yes'])
  expect([none.status, none.stderr]).toEqual([1, 'teasel: No device matches\n'])

  const [tagging] = await Promise.all([teasel([...many, '--yes', '--json']), workOffJobs(1)])
  expect(tagging.status, tagging.stderr).toBe(0)
  const { id, counts } = parsed<DeviceJob>(tagging.stdout)
  expect(counts).toMatchObject({ done: 2, unchanged: 0, failed: 0 })
  expect(tagging.stderr).toMatch(/100 % {2}2 of 2\n/)
  expect(tagging.stderr).toContain(`2 of 2 devices changed\nTo undo it: teasel jobs undo ${id}\n`)
  expect(await valueOf<unknown[]>('devices', 'list', '--tag', 'canary')).toHaveLength(3)
  expect(await printed('jobs', 'list')).toMatch(/^Job .*\nadd tags canary +done +2 +2 +0 .*\n$/)
  expect(await printed('jobs', 'show', id)).toMatch(/^Job +add tags canary\n[^]*\nDevices +2\nDone +2\n$/)

  const [undoing] = await Promise.all([teasel(['jobs', 'undo', id, '--yes']), workOffJobs(2)])
  expect([undoing.status, undoing.stdout]).toEqual([0, expect.stringMatching(/^Job +undo: add tags canary\n/)])
  expect(await valueOf<unknown[]>('devices', 'list', '--tag', 'canary')).toHaveLength(1)
  const twice = await teasel(['jobs', 'undo', id, '--yes'])
  expect([twice.status, twice.stderr]).toEqual([1, expect.stringContaining('The job was undone already (409 conflict)')])
})

it('Ctrl-C cancels the job that tags devices, says how many were changed and how to undo it, and ends with code 1', async () => {
  await fleet(api, projectId).add({ count: 3, trustedKeys: [] })
  await api.call(createTag, { projectId }, { as: owner, body: { name: 'canary', colour: 'sky' } })
  const [held] = await valueOf<{ id: string }[]>('devices', 'list')
  const variables = { TEASEL_URL: api.config.urls.api, TEASEL_TOKEN: token }
  const args = ['devices', 'tag', '--all-matching', '--add', 'canary', '--yes']
  // The job leaves a device that somebody else holds.
  const ended = await api.db.transaction(async (tx) => {
    await tx
      .select()
      .from(devices)
      .where(eq(devices.id, held?.id ?? ''))
      .for('update')
    const [result] = await Promise.all([runCommandLine(program, args, variables, { until: '60 %' }), workOffJobs(1)])
    return result
  })
  expect(ended.status, ended.stderr).toBe(1)
  const [id] = /(?<=jobs undo )\w+/.exec(ended.stderr) ?? []
  expect(ended.stderr).toContain(`Cancelled\n2 of 3 devices changed\nTo undo it: teasel jobs undo ${id}\n`)
  expect(ended.stdout).toMatch(/\nState +cancelled\n[^]*\nDone +2\nCancelled +1\n$/)
  const over = await teasel(['jobs', 'cancel', id ?? ''])
  expect([over.status, over.stderr]).toEqual([1, expect.stringContaining('The job has ended (409 conflict)')])
})

it('prints the log lines of a device and follows them; what a device wrote cannot control the terminal', async () => {
  const facts = { name: 'Line 1', auto_accept: true, max_uses: 1 }
  const { body: enrollment } = await api.call(createEnrollmentToken, { projectId }, { as: owner, body: facts })
  const enrolled = await api.call(enroll, {}, { as: enrollment.token, body: enrollBody({ name: 'pump' }) })
  expect(enrolled.status, enrolled.text).toBe(201)
  const write = async (sequence: number, message: string) => {
    const line = { sequence, ts_ms: api.deps.clock().getTime(), level: 'err', unit: 'valved', message, boot_id: randomUUID() }
    const sent = { text: JSON.stringify(line), type: 'application/x-ndjson' as const }
    const { status, text } = await api.call(logs, {}, { as: enrolled.body.device_token, rows: sent })
    expect(status, text).toBe(logs.status)
  }
  await write(1, 'Valve 3 \u001b[31mopened')
  expect(await printed('logs', 'pump')).toMatch(/^\S+Z err +valved: Valve 3 \\e\[31mopened\n$/)
  const following = runCommandLine(
    program,
    ['logs', 'pump', '--follow'],
    { TEASEL_URL: api.config.urls.api, TEASEL_TOKEN: token },
    { until: 'Valve 4', onOutput: () => void write(2, 'Valve 4 opened') },
  )
  expect((await following).stdout).toMatch(/opened\n\S+Z err +valved: Valve 4 opened\n$/)
})

it('prints as many of the last log lines as asked, also more than a page of the API', async () => {
  const { id, token: device } = await createTestObjects(api.deps).device(projectId)
  const at = api.deps.clock().getTime()
  const boot_id = randomUUID()
  const line = (sequence: number) =>
    JSON.stringify({ sequence, ts_ms: at, level: 'info', unit: 'valved', message: `line ${sequence}`, boot_id })
  const text = Array.from({ length: 450 }, (_, n) => line(n + 1)).join('\n')
  const sent = await api.call(logs, {}, { as: device, rows: { text, type: 'application/x-ndjson' } })
  expect(sent.body, sent.text).toMatchObject({ accepted: 450 })
  const numbers = async (limit: number) =>
    (await printed('logs', id, '--limit', String(limit))).match(/(?<=: line )\d+/g)?.map(Number)
  const last = (count: number) => Array.from({ length: count }, (_, n) => 451 - count + n)
  expect(await numbers(430)).toEqual(last(430))
  expect(await numbers(1000)).toEqual(last(450))
  expect(await numbers(200)).toEqual(last(200))
})

it('explains an update in 18 checks, starts a rollout once by its name, takes its steps, and ends with the code of its outcome', async () => {
  const { things, ids, tick } = await createRolloutFixture(api, owner, projectId, 8)
  const starting = ['rollout', 'start', '2', '--target', 'all', '--name', 'June']
  const asked = await teasel(starting)
  expect([asked.status, asked.stderr]).toEqual([2, expect.stringContaining('--yes is required')])
  const reasons = await printed('why', 'device 1', '--release', '2')
  // A line of the outcome, one of the columns, and one of each check.
  const named = reasons
    .split('\n')
    .filter((line) => line !== '')
    .slice(2)
  expect(named).toHaveLength(18)
  const decision = await valueOf<{ checks: { id: string }[] }>('why', 'device 1', '--release', '2')
  expect(named.map((line) => line.split(' ')[0])).toEqual(decision.checks.map(({ id }) => id))
  // A check that passes has no text of the one that stops the update.
  for (const line of named.filter((one) => one.includes('✓ pass'))) expect(line).not.toMatch(/ (?:The|This|No) /)
  for (const line of named) expect(line).toMatch(/^\S+ +(?:✓ pass|✗ fail|· not reached|· not applicable) /)
  type Shown = { id: string; state: string }
  const begun = await valueOf<Shown>(...starting, '--yes')
  expect(begun).toMatchObject({ state: 'running', counts: { targeted: 8 } })
  expect((await valueOf<Shown>(...starting, '--yes')).id).toBe(begun.id)
  expect(await printed('rollout', 'list', '--group', 'open')).toContain('June')
  expect(await printed('rollout', 'show', begun.id)).toMatch(/^Wave +Devices/m)
  const step = async (name: string, ...more: string[]) => (await valueOf<Shown>('rollout', name, begun.id, ...more)).state
  const waiting = async () => (await teasel(['rollout', 'wait', begun.id, '--timeout', '1s'])).status
  expect(await waiting()).toBe(4)
  expect(await step('pause')).toBe('paused')
  expect(await step('resume')).toBe('running')
  expect(await step('halt', '--reason', 'Support asked to wait')).toBe('halted')
  expect(await waiting()).toBe(3)
  const repeated = await teasel([...starting, '--yes'])
  expect([repeated.status, repeated.stderr]).toEqual([
    3,
    expect.stringContaining(`June (${begun.id}) exists and has ended: halted: `),
  ])
  expect(repeated.stderr).toContain(`another --name; to go on with this one: teasel rollout resume ${begun.id} --reason`)
  expect((await teasel(['rollout', 'resume', begun.id])).status).toBe(1)
  expect(await step('resume', '--reason', 'Support has agreed to go on')).toBe('running')
  const gated = await teasel(['rollout', 'continue', begun.id])
  expect([gated.status, gated.stderr]).toEqual([1, expect.stringContaining('409')])
  expect(await step('retry')).toBe('running')
  for (const id of ids) {
    const offer = await things.ask(id)
    if ('envelope' in offer) await things.install(id, offer.rolloutId)
  }
  await tick()
  expect(await step('roll-back', '--reason', 'Valves stay open with it', '--yes')).toBe('rolling_back')
  const other = await valueOf<Shown>('rollout', 'start', '2', '--target', 'all', '--name', 'July', '--yes')
  expect(await valueOf('rollout', 'cancel', other.id, '--mode', 'abort-all')).toMatchObject({ state: 'cancelling' })
  await tick()
  expect((await teasel(['rollout', 'wait', other.id])).status).toBe(1)
})

it('the rollout that the README starts begins without a terminal to ask on', async () => {
  await createRolloutFixture(api, owner, projectId, 1)
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const args = /teasel\.mjs (rollout start .*)/.exec(readme)?.[1]?.split(' ') ?? []
  // The version of the fixture. Its device does not ask, so the command waits until the end of its time.
  const begun = await teasel([...args.map((one) => (/^\d+$/.test(one) ? '2' : one)), '--timeout', '1s'])
  expect(begun.status, begun.stderr).toBe(4)
  expect(await valueOf<unknown[]>('rollout', 'list')).toMatchObject([{ state: 'running' }])
})

it('the code of a rollout that has ended says what happened to its devices, awaited or named again', async () => {
  const { ids, start, tick, round, read } = await createRolloutFixture(api, owner, projectId, 4)
  const [failing = '', ...others] = ids
  const wave = (most: number) => [
    {
      kind: 'percent' as const,
      value: 100,
      gate: { min_success_percent: 0, max_failure_percent: most, min_sample: 1, soak_s: 0, then: 'continue' as const },
    },
  ]
  let earlier = ''
  const steps = {
    'completed, a device failed': async () => {
      const { id } = await start({ waves: wave(100), retries: 0 })
      await round([failing], 'install_failed')
      await round(others)
      earlier = id
      return id
    },
    'completed, all succeeded': async () => {
      const { id } = await start({ target: { failed_in: earlier }, waves: wave(0) })
      await round([failing])
      return id
    },
  }
  const codes: Record<string, [number | null, string | undefined][]> = {}
  for (const [name, begin] of Object.entries(steps)) {
    const id = await begin()
    await tick()
    await tick()
    const waited = await teasel(['rollout', 'wait', id, '--timeout', '1s'])
    const again = await teasel(['rollout', 'start', '2', '--target', 'all', '--name', (await read(id)).name, '--yes'])
    expect(again.stderr).toContain(
      `(${id}) exists and has ended: completed\nNothing was started. Another rollout needs another --name\n`,
    )
    codes[name] = [waited, again].map(({ status, stderr }) => [status, /^\d of .*/m.exec(stderr)?.[0]])
  }
  const failed = [6, '3 of 4 devices have succeeded, 1 failed']
  expect(codes).toEqual({
    'completed, a device failed': [failed, failed],
    'completed, all succeeded': [
      [0, undefined],
      [0, undefined],
    ],
  })
})

it('a rollout that is denied, has expired or was rolled back ends `rollout wait` and `rollout start --wait` with its code', async () => {
  const organization = await api.organization(owner)
  projectId = await api.project({ organizationId: organization.id }, 'Approved gateways')
  token = await makeToken(owner)
  const { ids, maker, release: old, things, make, start, tick, read } = await createRolloutFixture(api, owner, projectId, 1)
  const codes: Record<string, (number | null)[]> = {}
  const note = async (id: string, version = '2') => {
    const { name, state } = await read(id)
    const wait = ['--timeout', '1s']
    const starting = ['rollout', 'start', version, '--target', 'all', '--name', name, '--yes', ...wait]
    const ran = [['rollout', 'wait', id, ...wait], [...starting, '--wait'], starting]
    const statuses = []
    for (const args of ran) statuses.push((await teasel(args)).status)
    codes[state] = statuses
    expect((await read(id)).state).toBe(state)
  }
  const expiring = await start({ name: 'Expiring', end_at: formatTimestamp(new Date(api.deps.clock().getTime() + 3_600_000)) })
  api.advance(3601)
  await tick()
  await note(expiring.id)

  await api.db.execute(`update projects set settings = settings || '{"require_approval": true}' where id = '${projectId}'`)
  const asked = await make({ name: 'Denied' })
  const submitted = await api.call(submitRollout, { rolloutId: asked.id }, { as: owner, body: {} })
  expect(submitted.status, submitted.text).toBe(200)
  await note(asked.id)
  const approver = await api.member(organization.id, 'admin')
  const denied = await api.call(denyRollout, { rolloutId: asked.id }, { as: approver, body: { comment: 'Not on a Friday' } })
  expect(denied.status, denied.text).toBe(200)
  await note(asked.id)
  await api.db.execute(`update projects set settings = settings || '{"require_approval": false}' where id = '${projectId}'`)

  const bad = await maker.signed({ version: 3, bytes: randomBytes(8) })
  const [returning = ''] = await things.add({
    count: 1,
    version: 2,
    releaseId: old.id,
    trustedKeys: [maker.key.publicKey.fingerprint],
  })
  const take = async () => {
    const offer = await things.ask(returning)
    if (!('envelope' in offer)) throw new Error(`no offer: ${offer.text}`)
    await things.install(returning, offer.rolloutId)
  }
  const leaking = await start({ name: 'Leaking' }, bad.id)
  expect(leaking.counts.targeted).toBe(ids.length + 1)
  await take()
  await tick()
  const back = { as: owner, body: { reason: 'It leaks memory' } }
  expect((await api.call(rollBackRollout, { rolloutId: leaking.id }, back)).body.state).toBe('rolling_back')
  await note(leaking.id, '3')
  await take()
  for (let round = 0; round < 3; round++) await tick()
  await note(leaking.id, '3')
  expect(codes).toEqual({
    expired: [1, 1, 1],
    pending_approval: [5, 5, 5],
    denied: [1, 1, 1],
    rolling_back: [4, 4, 3],
    rolled_back: [3, 3, 3],
  })
})

it('release push takes .zck files beside a bundle as deltas', async () => {
  const { revision } = (await api.call(project, { projectId }, { as: owner })).body
  const models = [{ id: 'gw', name: 'Gateway', platform: 'linux', slots: 'ab' as const, client: { kind: 'swupdate' as const } }]
  const headers = { 'if-match': `"${revision}"` }
  const body = { settings: { hardware_models: models } }
  const set = await api.call(updateProject, { projectId }, { as: owner, body, headers })
  expect(set.status, set.text).toBe(200)
  const bundle = fileOf('update.swu', Buffer.from(swuArchive(softwareDescription('3.0.0'))))
  const delta = fileOf('rootfs.zck', randomBytes(5000))
  const args = ['release', 'push', bundle, delta, '--kind', 'bundle', '--name', 'Image', '--version', '3', '--model', 'gw']
  const pushed = await valueOf<Release>(...args, '--display-version', '3.0.0')
  expect(pushed.state).toBe('awaiting_signature')
  expect(Object.fromEntries(pushed.assets.map(({ name, kind }) => [name, kind]))).toEqual({
    'update.swu': 'bundle',
    'rootfs.zck': 'delta',
  })
})

it('a draft of a rollout that exists is not started without a question', async () => {
  const { make, read } = await createRolloutFixture(api, owner, projectId, 2)
  const { id } = await make({ name: 'June' })
  const starting = ['rollout', 'start', '2', '--target', 'tag=canary', '--name', 'June']
  const asked = await teasel(starting)
  expect([asked.status, asked.stderr]).toEqual([2, expect.stringContaining('--yes is required')])
  expect((await read(id)).state).toBe('draft')
  expect(await valueOf(...starting, '--yes')).toMatchObject({ id, state: 'running' })
})

it('a rollout takes the devices that failed in an earlier one, and a target that names two of them is refused', async () => {
  const { ids, make } = await createRolloutFixture(api, owner, projectId, 4)
  const { id: earlier } = await make()
  await api.db
    .update(rolloutDevices)
    .set({ state: 'failed' })
    .where(and(eq(rolloutDevices.rolloutId, earlier), inArray(rolloutDevices.deviceId, ids.slice(0, 3))))
  const starting = ['rollout', 'start', '2', '--yes', '--target', `failed-in=${earlier}`]
  expect(await valueOf(...starting)).toMatchObject({ state: 'running', counts: { targeted: 3 }, target: { failed_in: earlier } })
  for (const target of [`failed-in=${earlier}`, 'search=device 1'])
    expect((await teasel(['rollout', 'start', '2', '--yes', '--target', target, '--target', target])).status).toBe(2)
})

it('keys: makes a pair, signs a file and verifies it, and the completion of bash knows commands and values', async () => {
  await printed('keys', 'generate', '--out', folder, '--name', 'pair')
  const file = fileOf('app.bin', 'bytes')
  const [key, signature] = [join(folder, 'pair.key.pem'), join(folder, 'app.bin.sig')]
  const verify = ['keys', 'verify', '--public-key', join(folder, 'pair.pub.pem'), '--file', file, '--signature', signature]
  await printed('keys', 'sign', '--key', key, '--file', file, '--out', signature)
  await printed(...verify)
  writeFileSync(file, 'other')
  expect((await teasel(verify)).status).toBe(1)

  const script = fileOf('completion.bash', await printed('completion', 'bash'))
  const complete = (...words: string[]) => {
    const run = [
      `teasel() { ${process.execPath} ${program} "$@"; }`,
      `source ${script}`,
      `COMP_WORDS=(teasel "$@"); COMP_CWORD=$#`,
      `_teasel; echo "\${COMPREPLY[@]}"`,
    ].join('\n')
    return execFileSync('bash', ['-c', run, 'bash', ...words], { encoding: 'utf8' }).trim()
  }
  expect(complete('rollout', 'pa')).toBe('pause')
  expect(complete('release', 'list', '--state', 're')).toBe('rejected ready released revoked')
  expect(complete('why', '--rel')).toBe('--release')
})

it.each(['zsh', 'fish'])(
  'the completion script of %s asks the program for the words, and its shell can read it',
  async (shell) => {
    const script = await printed('completion', shell)
    expect(script).toContain('teasel complete -- ')
    expect(script).toContain({ zsh: '#compdef teasel\n', fish: 'complete -c teasel ' }[shell])
    // Without the shell only the text is tested.
    if (spawnSync(shell, ['--version']).status === 0)
      expect(spawnSync(shell, ['-n', fileOf(`completion.${shell}`, script)], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      })
  },
)

it.skipIf(spawnSync('fish', ['--version']).status !== 0)('fish completes commands and values with its script', async () => {
  const script = fileOf('completion.fish', await printed('completion', 'fish'))
  const complete = (line: string) => {
    const run = `function teasel; ${process.execPath} ${program} $argv; end; source ${script}; complete -C "${line}"`
    return execFileSync('fish', ['--no-config', '-c', run], { encoding: 'utf8' }).split('\n')
  }
  // Besides names of files.
  expect(complete('teasel rollout pa')).toContain('pause')
  expect(complete('teasel release list --state re')).toEqual(expect.arrayContaining(['ready', 'rejected', 'released', 'revoked']))
})
