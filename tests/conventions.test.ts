import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../server/core/root'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** Code in backticks with a slash and no space; line breaks of the text are spaces. */
const pathsIn = (text: string) => [...text.matchAll(/`([\w.$-]+(?:\/[\w.$-]+)+\/?)`/g)].map(([, path = '']) => path)
const symbolsIn = (text: string) =>
  [...text.replace(/\s+/g, ' ').matchAll(/`(\w+)` in `([^`]+)`/g)].map(([, symbol = '', path = '']) => ({ symbol, path }))
const isIn = ({ symbol, path }: { symbol: string; path: string }) =>
  existsSync(join(root, path)) && new RegExp(`\\b${symbol}\\b`).test(read(path))

describe.each(['docs/conventions.md', 'docs/glossary.md'])('%s', (page) => {
  it('names only paths that exist', () => {
    const paths = pathsIn(read(page))
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

describe('docs/conventions.md', () => {
  it('names only symbols that their files have', () => {
    const symbols = symbolsIn(read('docs/conventions.md'))
    expect(symbols.length).toBeGreaterThan(20)
    expect(symbols.filter((symbol) => !isIn(symbol))).toEqual([])
  })
})
