import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { pages } from './pages'
import { charts } from './charts'
import { within } from '../../tests/support/machine-load'

test(
  'all diagrams and the overview page are up to date; if not, run `npm run charts`',
  { timeout: within(120_000) },
  async () => {
    for (const { path, text } of await pages('machines')) expect(await readFile(path, 'utf8'), path).toBe(text)
  },
)

test('every chart has a diagram', async () => {
  const files = await readdir('machines', { recursive: true })
  const drawn = charts.map(({ folder }) => `${folder}/${folder.split('/').at(-1)}.machine.ts`)
  expect(files.filter((file) => file.endsWith('.machine.ts')).toSorted()).toEqual(drawn.toSorted())
})

test('every chart README shows its diagram and has an introduction', async () => {
  for (const { folder } of charts) {
    const readme = await readFile(`machines/${folder}/README.md`, 'utf8')
    expect(readme, folder).toContain(`(${folder.split('/').at(-1)}.svg)`)
    expect(readme.split('\n\n')[1]?.length, folder).toBeGreaterThan(80)
  }
})
