import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../server/core/root'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const cases = ['by the tool of others', 'at its limit', 'one above it', 'stored and answered'] as const

const rows = read('docs/foreign-files.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [parser = '', ...cells] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    return { parser: parser.replaceAll('`', ''), cells }
  })

/** Readers of bytes in general, which know no format. */
const general = ['reader.ts']

it('every parser of secure-boot files, SBOMs, lists of devices and update bundles has a row', () => {
  const folder = 'server/updates/secure-boot/formats'
  const formats = readdirSync(join(root, folder)).filter((file) => !file.endsWith('.test.ts') && !general.includes(file))
  const others = ['server/updates/releases/components/parse.ts', 'server/fleet/imports/parse-csv.ts', 'contract/ddi/bundle.ts']
  expect(rows.map(({ parser }) => parser).toSorted()).toEqual(
    [...others, ...formats.map((file) => `${folder}/${file}`)].toSorted(),
  )
  expect(others.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

/** Whether a title or a row of the file begins with this text. */
const isTitle = (file: string, title: string) => ["'", '"', '`'].some((quote) => read(file).includes(quote + title))

it('each of the four cases names a test that exists, or says why there is none', () => {
  const wrong = rows.flatMap(({ parser, cells }) =>
    cases.flatMap((name, n) => {
      const cell = cells[n] ?? ''
      const isLimit = name === 'at its limit' || name === 'one above it'
      if (isLimit && cell.startsWith('No limit of its own')) return []
      if (name === 'by the tool of others' && cell.startsWith('None yet: ')) return []
      const named = [...cell.matchAll(/`([^`]+)`: ([^;]+)/g)]
      if (named.length === 0) return [`${parser} ${name}: no test`]
      return named
        .filter(([, file = '', title = '']) => !existsSync(join(root, file)) || !isTitle(file, title.trim()))
        .map(([text]) => `${parser} ${name}: ${text}`)
    }),
  )
  expect(wrong).toEqual([])
})

it('seven parsers still lack a file by the tool that usually writes it, and no other does', () => {
  const missing = rows.filter(({ cells }) => cells[0]?.startsWith('None yet')).map(({ parser }) => parser.split('/').at(-1))
  expect(missing).toEqual(['ahab.ts', 'esp32.ts', 'hab.ts', 'jetson.ts', 'mcuboot.ts', 'polarfire.ts', 'raspberry-pi.ts'])
})
