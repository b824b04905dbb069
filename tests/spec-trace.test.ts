import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../server/core/root'
import { onlyInFull } from './e2e/only-in-full'

const docs = join(root, 'docs')
const page = readFileSync(join(docs, 'spec-trace.md'), 'utf8')

type Row = { number: string; done: string; proof: string }

const rows: Row[] = page
  .split('\n')
  .filter((line) => /^\| (\d|[RTF]-?\d)/.test(line))
  .map((line) => {
    const [number = '', , done = '', proof = ''] = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim())
    return { number, done, proof }
  })

const linksOf = (text: string) =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, label = '', target = '']) => ({
    target,
    title: /“(.+)”/.exec(label)?.[1],
  }))
/** A title is a complete string of the file, so that a renamed test is detected. */
const hasTitle = (target: string, title: string) => {
  const source = readFileSync(join(docs, target), 'utf8')
  return ["'", '"', '`'].some((quote) => source.includes(quote + title + quote))
}
const isThere = (target: string) => existsSync(join(docs, target))
const numbered = (form: RegExp) => rows.flatMap(({ number }) => form.exec(number)?.[1] ?? [])
const counted = (upTo: number) => Array.from({ length: upTo }, (_, n) => String(n + 1))

describe('the trace of the specification', () => {
  it('names only existing files', () => {
    const targets = linksOf(page).map(({ target }) => target)
    expect(targets.length).toBeGreaterThan(300)
    expect([...new Set(targets)].filter((target) => !isThere(target))).toEqual([])
  })

  it('names only existing tests', () => {
    const titled = linksOf(page).flatMap(({ target, title }) =>
      title !== undefined && isThere(target) ? [{ target, title }] : [],
    )
    expect(titled.length).toBeGreaterThan(100)
    expect(titled.filter(({ target, title }) => !hasTitle(target, title))).toEqual([])
  })

  it('has rows for every section and for every ruling', () => {
    expect([...new Set(numbered(/^(\d+)\.\d+$/))]).toEqual(counted(9))
    expect(numbered(/^R(\d+)$/)).toEqual(counted(26))
  })

  it('gives for each row its code and its proof, or that it comes later', () => {
    const open = /\blater\b|\bnone yet\b/
    const silent = rows.filter(
      ({ done, proof }) => (linksOf(done).length === 0 && done !== 'later') || (linksOf(proof).length === 0 && !open.test(proof)),
    )
    expect(silent).toEqual([])
  })

  it('has a proof of each row that `npm test` runs', () => {
    const runs = (target: string) => !(target.replace(/^\.\.\//, '') in onlyInFull)
    const left = rows.filter(({ proof }) => linksOf(proof).length > 0 && !linksOf(proof).some(({ target }) => runs(target)))
    expect(left.map(({ number }) => number)).toEqual([])
    expect(Object.keys(onlyInFull).filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it('uses only tests as proof', () => {
    const proofs = rows.flatMap(({ proof }) => linksOf(proof)).map(({ target }) => target)
    expect(proofs.filter((target) => !/\.test\.tsx?$|\/tests\/model\/behaviour\/|\.gestures\.ts$/.test(target))).toEqual([])
  })
})
