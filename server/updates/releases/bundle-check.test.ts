import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mcubootImage, raucBundle, softwareDescription, swuArchive } from '../../../contract/ddi/bundle.fixture'
import type { NewHardwareModel } from '../../../contract/fleet/hardware-model-changes'
import { updateProject } from '../../../contract/accounts/project-changes'
import { project } from '../../../contract/accounts/projects'
import { createAsset } from '../../../contract/updates/release-assets'
import { finalizeRelease, reopenRelease } from '../../../contract/updates/release-signing'
import { createRelease, release } from '../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { uploadFile } from '../../../tests/support/upload-file'

let api: TestApi
let ann: Person
let projectId: string
let version = 0

const model = (id: string, kind: NonNullable<NewHardwareModel['client']>['kind']): NewHardwareModel => ({
  id,
  name: id,
  platform: 'linux',
  slots: 'single',
  client: { kind },
})

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  const { revision } = (await api.call(project, { projectId }, { as: ann })).body
  const hardware_models = [
    model('swu', 'swupdate'),
    model('swu-b', 'swupdate'),
    model('rauc', 'rauc'),
    model('sens', 'zephyr'),
    model('own', 'other'),
    model('agent', 'teasel'),
  ]
  const headers = { 'if-match': `"${revision}"` }
  const changed = await api.call(updateProject, { projectId }, { as: ann, headers, body: { settings: { hardware_models } } })
  expect(changed.status, changed.text).toBe(200)
})
afterAll(() => api.close())

type Wanted = { models: string[]; display?: string | null; files: Uint8Array[]; name?: string; deltas?: string[] }

/** Creates a draft of a bundle release with its files, and builds its manifest. */
const finalized = async ({ models, display = '1.0.1', files, name = 'update.swu', deltas = [] }: Wanted) => {
  version += 1
  const facts = { name: `Bundle ${version}`, version, type: 'bundle' as const, hardware_models: models, display_version: display }
  const made = await api.call(createRelease, { projectId }, { as: ann, body: facts })
  expect(made.status, made.text).toBe(201)
  for (const [n, bytes] of files.entries()) {
    const body = { name: n === 0 ? name : `${n}.${name}`, kind: 'bundle' as const, size: bytes.length }
    const asset = await api.call(createAsset, { releaseId: made.body.id }, { as: ann, body })
    expect(asset.status, asset.text).toBe(201)
    await uploadFile(api, ann, asset.body.id, Buffer.from(bytes))
  }
  for (const delta of deltas) {
    const body = { name: delta, kind: 'delta' as const, size: 5 }
    const asset = await api.call(createAsset, { releaseId: made.body.id }, { as: ann, body })
    expect(asset.status, asset.text).toBe(201)
    await uploadFile(api, ann, asset.body.id, Buffer.from('delta'))
  }
  const answer = await api.call(finalizeRelease, { releaseId: made.body.id }, { as: ann, body: {} })
  return { answer, reboot: made.body.reboot, problem: answer.status === 422 ? answer.error.details[0] : undefined }
}

const swu = (own: string) => swuArchive(softwareDescription(own))

it.each([
  ['SWUpdate, which may be of two models', ['swu', 'swu-b'], swu('2.0.0'), '2.0.0'],
  ['RAUC', ['rauc'], raucBundle(1500), '2.0.0'],
  ['Zephyr', ['sens'], mcubootImage(2, 0, 0, 0), '2.0.0'],
  ['a client of an unknown kind', ['own'], new Uint8Array(100).fill(7), '2.0.0'],
])('a bundle for %s is finalized, and restarts its devices', async (_, models, file, display) => {
  const { answer, reboot } = await finalized({ models, display, files: [file] })
  expect([answer.status, reboot]).toEqual([200, 'after_install'])
})

const formats = ['plain', 'verity', 'crypt', 'crypt, encrypted for a device'] as const
it.runIf(existsSync('/usr/bin/rauc')).each(formats)('a bundle that RAUC made in the format %s is finalized', async (format) => {
  const directory = await mkdtemp(join(tmpdir(), 'rauc-'))
  const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd: directory })
  try {
    const subject = ['-subj', '/CN=Sample', '-days', '30', '-keyout', 'key.pem', '-out', 'cert.pem']
    await run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject)
    await mkdir(join(directory, 'contents'))
    await writeFile(join(directory, 'contents', 'rootfs.img'), randomBytes(20_000))
    const [name] = format.split(',')
    const manifest = `[update]\ncompatible=gw\nversion=1\n\n[bundle]\nformat=${name}\n\n[image.rootfs]\nfilename=rootfs.img\n`
    await writeFile(join(directory, 'contents', 'manifest.raucm'), manifest)
    await run('rauc', 'bundle', '--cert=cert.pem', '--key=key.pem', 'contents', 'made.raucb')
    const isEncrypted = format !== name
    if (isEncrypted) await run('rauc', 'encrypt', '--to=cert.pem', '--keyring=cert.pem', 'made.raucb', 'encrypted.raucb')
    const bundle = await readFile(join(directory, isEncrypted ? 'encrypted.raucb' : 'made.raucb'))
    const display = `9.${formats.indexOf(format)}.0`
    const { answer } = await finalized({ models: ['rauc'], display, files: [bundle], name: 'update.raucb' })
    expect(answer.status, answer.text).toBe(200)
    const cut = await finalized({
      models: ['rauc'],
      display: `${display}-cut`,
      files: [bundle.subarray(0, -1)],
      name: 'update.raucb',
    })
    expect(cut.problem).toMatchObject({ field: 'assets', code: 'misfit' })
  } finally {
    await rm(directory, { recursive: true })
  }
})

const refusals: [string, Wanted, { field: string; code: string; message: string }][] = [
  [
    'of the wrong format, naming each model that it does not fit',
    { models: ['swu', 'rauc', 'sens'], files: [swu('1.0.1')] },
    {
      field: 'assets',
      code: 'misfit',
      message:
        'rauc needs a RAUC bundle (.raucb), and the file is an SWUpdate image (.swu). sens needs an MCUboot image, and the file is an SWUpdate image (.swu)',
    },
  ],
  [
    'for a model of our agent',
    { models: ['agent'], files: [swu('1.0.1')] },
    { field: 'assets', code: 'misfit', message: 'agent runs the Teasel agent, which installs no bundles' },
  ],
  [
    'with a second bundle',
    { models: ['swu'], files: [swu('1.0.1'), swu('1.0.1')] },
    { field: 'assets', code: 'one_bundle', message: 'A bundle release needs exactly one bundle' },
  ],
  [
    'without a display version',
    { models: ['swu'], display: null, files: [swu('1.0.1')] },
    {
      field: 'display_version',
      code: 'required',
      message: 'Enter a display version: devices confirm a bundle by reporting it',
    },
  ],
  [
    'with another version inside',
    { models: ['sens'], files: [mcubootImage(1, 0, 2, 0)] },
    {
      field: 'display_version',
      code: 'mismatch',
      message: 'update.swu contains version 1.0.2: devices would report that, and confirm nothing',
    },
  ],
  [
    'with a name that its clients do not take',
    { models: ['swu'], files: [swu('1.0.1')], name: 'my update.swu' },
    {
      field: 'assets',
      code: 'name',
      message: 'my update.swu: hawkBit clients take names of letters, digits, dots, dashes, plus and underscores',
    },
  ],
  [
    'with a name that SWUpdate ignores',
    { models: ['swu'], files: [swu('1.0.1')], name: 'update.img' },
    { field: 'assets', code: 'name', message: 'update.img: SWUpdate installs only files whose name ends in .swu' },
  ],
]
it.each(refusals)('a bundle is refused %s', async (_, wanted, problem) => {
  expect((await finalized(wanted)).problem).toEqual(problem)
})

it('a display version is refused while another release of a common model has it, since evidence could not tell them apart', async () => {
  const first = await finalized({ models: ['swu', 'swu-b'], display: '3.1.0', files: [swu('3.1.0')] })
  expect(first.answer.status, first.answer.text).toBe(200)
  const second = await finalized({ models: ['swu-b'], display: '3.1.0', files: [swu('3.1.0')] })
  expect([second.problem?.field, second.problem?.code]).toEqual(['display_version', 'taken'])
  const other = await finalized({ models: ['rauc'], display: '3.1.0', files: [raucBundle(900)] })
  expect(other.answer.status, other.answer.text).toBe(200)
})

it('a bundle of SWUpdate may have up to 16 deltas in files that end in .zck, and other clients take none', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `chunks-${n}.zck`)
  const tried = async (deltas: string[], models = ['swu'], display = '7.0.0') =>
    (await finalized({ models, display, files: [swu(display)], deltas })).problem
  expect(await tried(['chunks.bin'])).toMatchObject({ field: 'assets', code: 'name' })
  expect(await tried(names(17))).toMatchObject({ field: 'assets', code: 'too_many' })
  const mixed = await finalized({ models: ['own'], display: '7.0.0', files: [swu('7.0.0')], deltas: names(1) })
  expect(mixed.problem).toMatchObject({ field: 'assets', code: 'misfit' })
  expect(await tried(names(2))).toBeUndefined()
})

it('a bundle of SWUpdate without a signature file is finalized with a warning, which goes when the manifest is discarded', async () => {
  const unsigned = swuArchive(softwareDescription('8.0.0'), { isSigned: false })
  const { answer } = await finalized({ models: ['swu'], display: '8.0.0', files: [unsigned] })
  expect(answer.status, answer.text).toBe(200)
  const { id } = answer.body.release
  const read = async () => (await api.call(release, { releaseId: id }, { as: ann })).body
  expect((await read()).warnings).toEqual([expect.stringMatching(/^update\.swu has no sw-description\.sig/)])
  await api.call(reopenRelease, { releaseId: id }, { as: ann })
  expect(await read()).toMatchObject({ state: 'draft', warnings: [] })
  const signed = await finalized({ models: ['swu'], display: '8.0.1', files: [swu('8.0.1')] })
  expect(signed.answer.body.release.warnings).toEqual([])
})
