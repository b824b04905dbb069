import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readConfig } from '../../core/config'
import { moveParts } from './move-parts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-parts-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const configOf = (data: string, storage?: string) =>
  readConfig({
    TEASEL_DATA_DIR: join(directory, data),
    ...(storage !== undefined && { TEASEL_STORAGE: join(directory, storage) }),
  })

it('unfinished uploads are stored beside shared artifacts, and in the data directory where nothing is shared', () => {
  expect(configOf('data', 'shared').uploadsDirectory).toBe(join(directory, 'shared', 'uploads'))
  expect(configOf('data').uploadsDirectory).toBe(join(directory, 'data', 'uploads'))
})

it('uploads that were open before the update are moved to the shared storage with all their bytes', async () => {
  const config = configOf('data', 'shared')
  await mkdir(join(directory, 'data', 'uploads'), { recursive: true })
  await writeFile(join(directory, 'data', 'uploads', 'A.part'), 'first half')
  await writeFile(join(directory, 'data', 'uploads', 'B.part'), 'old bytes')
  await mkdir(config.uploadsDirectory, { recursive: true })
  await writeFile(join(config.uploadsDirectory, 'B.part'), 'begun anew elsewhere')
  expect(await moveParts(config)).toBe(2)
  const read = (name: string) => readFile(join(config.uploadsDirectory, name), 'utf8')
  expect([await read('A.part'), await read('B.part')]).toEqual(['first half', 'begun anew elsewhere'])
  expect(await readdir(join(directory, 'data', 'uploads'))).toEqual([])
  expect(await moveParts(config)).toBe(0)
})

it('uploads stay in the data directory while the storage is not mounted, and its directory is not created', async () => {
  const config = configOf('data', 'nas/shared')
  await mkdir(join(directory, 'data', 'uploads'), { recursive: true })
  await writeFile(join(directory, 'data', 'uploads', 'A.part'), 'first half')
  expect(await moveParts(config)).toBe(0)
  expect(await readdir(directory)).toEqual(['data'])
  await mkdir(join(directory, 'nas/shared'), { recursive: true })
  expect(await moveParts(config)).toBe(1)
  expect(await readFile(join(config.uploadsDirectory, 'A.part'), 'utf8')).toBe('first half')
})

it('where nothing is shared no upload is moved', async () => {
  const config = configOf('data')
  await mkdir(config.uploadsDirectory, { recursive: true })
  await writeFile(join(config.uploadsDirectory, 'A.part'), 'first half')
  expect(await moveParts(config)).toBe(0)
  expect(await readdir(config.uploadsDirectory)).toEqual(['A.part'])
})
