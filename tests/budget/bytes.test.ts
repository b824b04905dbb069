import { describe, expect, it } from 'vitest'
import { brotliBytes, closure, manifest, scripts, total } from './build'

const kB = 1000
const chunks = manifest()
const pages = Object.keys(chunks).filter((key) => key.endsWith('-page.tsx'))
const entry = closure(chunks, ['index.html'])
const without = (files: Set<string>, known: Set<string>) => [...files].filter((file) => !known.has(file))

describe('bytes of the production build (house: load plan)', () => {
  it('sends the first useful screen in at most 137 kB of script and 150 kB in all', () => {
    const all = total(entry) + brotliBytes('index.html')
    const script = total(scripts(entry))
    process.stdout.write(`first screen: ${(script / kB).toFixed(1)} kB script, ${(all / kB).toFixed(1)} kB in all\n`)
    for (const file of [...entry].toSorted((a, b) => brotliBytes(b) - brotliBytes(a)))
      process.stdout.write(`  ${(brotliBytes(file) / kB).toFixed(1).padStart(6)} kB  ${file}\n`)
    expect(script).toBeLessThanOrEqual(137 * kB)
    expect(all).toBeLessThanOrEqual(150 * kB)
  })

  it('there are pages to measure', () => expect(pages.length).toBeGreaterThan(5))

  it.each(pages)('%s adds at most 40 kB on arrival', (page) => {
    expect(total(without(closure(chunks, [page]), entry))).toBeLessThanOrEqual(40 * kB)
  })

  it.each(pages)('%s adds at most 100 kB with what it loads on use', (page) => {
    const used = closure(chunks, [page, ...(chunks[page]?.dynamicImports ?? [])])
    expect(total(without(used, entry))).toBeLessThanOrEqual(100 * kB)
  })
})
