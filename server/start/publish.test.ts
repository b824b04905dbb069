import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { publish } from './publish.mjs'

let home: string
let served: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-publish-'))
  served = join(home, 'console')
})
afterEach(() => rm(home, { recursive: true, force: true }))

const build = async (name: string) => {
  const fresh = join(home, 'fresh')
  await mkdir(join(fresh, 'assets'), { recursive: true })
  await mkdir(join(fresh, '.vite'))
  await writeFile(join(fresh, 'index.html'), `<script src="/assets/${name}.js"></script>`)
  await writeFile(join(fresh, `assets/${name}.js`), `say('${name}')`)
  await writeFile(join(fresh, '.vite/manifest.json'), '{}')
  await publish(fresh, served)
}

const assets = async () => (await readdir(join(served, 'assets'))).filter((file) => file.endsWith('.js')).toSorted()
const age = async (name: string, days: number) => {
  const then = new Date(Date.now() - days * 24 * 3600 * 1000)
  for (const file of await readdir(join(served, 'assets')))
    if (file.startsWith(name)) await utimes(join(served, 'assets', file), then, then)
}

it('compresses what it serves', async () => {
  await build('one')
  expect(brotliDecompressSync(await readFile(join(served, 'assets/one.js.br'))).toString()).toBe(`say('one')`)
  expect(gunzipSync(await readFile(join(served, 'assets/one.js.gz'))).toString()).toBe(`say('one')`)
  expect(await readdir(home)).toEqual(['console'])
})

it('F-10: keeps the files of the previous build for seven days after it was replaced', async () => {
  await build('one')
  await age('one', 30)
  await build('two')
  expect(await readFile(join(served, 'index.html'), 'utf8')).toContain('two.js')
  expect(await assets()).toEqual(['one.js', 'two.js'])
  await age('one', 6)
  await build('three')
  expect(await assets()).toEqual(['one.js', 'three.js', 'two.js'])
  await age('one', 8)
  await build('four')
  expect(await readdir(join(served, 'assets'))).not.toContain('one.js.br')
  expect(await assets()).toEqual(['four.js', 'three.js', 'two.js'])
})

it('a build that is made again without a change stays as it is', async () => {
  await build('one')
  await age('one', 30)
  await build('one')
  expect(await assets()).toEqual(['one.js'])
})
