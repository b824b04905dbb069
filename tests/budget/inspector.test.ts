import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../server/core/root'

const dist = join(root, 'dist/console')
const built = readdirSync(dist, { recursive: true, encoding: 'utf8' })
const read = (folder: string, files: readonly string[]) =>
  files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')

const marks = ['#inspector', 'inspect.dock', 'Pause the clock', 'Close the inspector', 'Sample events', '--inspector']

it('the inspector contains its marker texts', () => {
  const folders = ['src/app/inspector', 'src/ui'].map((folder) => join(root, folder))
  const sources = folders
    .map((folder) =>
      read(
        folder,
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file)),
      ),
    )
    .join('\n')
  for (const mark of marks) expect(sources).toContain(mark)
})

it('builds the console without the inspector, its styles and the layout library', () => {
  const text = read(
    dist,
    built.filter((file) => /\.(js|css|html)$/.test(file)),
  )
  expect(text.length).toBeGreaterThan(100_000)
  expect([...marks, 'org.eclipse.elk', 'elk.layered'].filter((mark) => text.includes(mark))).toEqual([])
})

it('builds the console from none of their files', () => {
  const maps = built.filter((file) => file.endsWith('.js.map'))
  const sources = maps.flatMap((file) => (JSON.parse(read(dist, [file])) as { sources: string[] }).sources)
  expect(sources.length).toBeGreaterThan(100)
  expect(
    sources.filter((source) =>
      /app\/inspector|stepped-clock|elkjs|machines\/draw|\.model\.ts|@xstate\/(test|graph)/.test(source),
    ),
  ).toEqual([])
})
