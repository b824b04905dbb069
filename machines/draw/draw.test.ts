import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { pages } from './pages'
import { charts } from './charts'

test('every picture and the page of all charts are fresh; if not, run `npm run charts`', { timeout: 120_000 }, async () => {
  for (const { path, text } of await pages('machines')) expect(await readFile(path, 'utf8'), path).toBe(text)
})

test('every room is drawn', async () => {
  const files = await readdir('machines', { recursive: true })
  const drawn = charts.map(({ room }) => `${room}/${room.split('/').at(-1)}.machine.ts`)
  expect(files.filter((file) => file.endsWith('.machine.ts')).toSorted()).toEqual(drawn.toSorted())
})

test('every room shows its picture and says what it is', async () => {
  for (const { room } of charts) {
    const readme = await readFile(`machines/${room}/README.md`, 'utf8')
    expect(readme, room).toContain(`(${room.split('/').at(-1)}.svg)`)
    expect(readme.split('\n\n')[1]?.length, room).toBeGreaterThan(80)
  }
})
