import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fleetMetrics } from '../contract/fleet/fleet-metrics'
import { permissions } from '../contract/core/permissions'

const root = join(import.meta.dirname, '..')
const ids = [...permissions, ...fleetMetrics.map(({ name }) => name)]
const literal = /'[^'\n]*'|`[^`]*`|>[^<>{}\n]*</g
const comment = /^\s*(?:\/?\*|\/\/).*$/gm

/** Texts with an id beside other words, and versions that are written as their internal number alone. */
const findIds = (source: string): string[] =>
  (source.replace(comment, '').match(literal) ?? []).filter((text) => {
    const inner = text.slice(1, -1).trim()
    return inner.includes(' ') && (ids.some((id) => inner.includes(id)) || /\bv\$\{[\w.?]*[vV]ersion\}/.test(inner))
  })

// The demo sends metrics by name. A secure-boot bundle has no version but its number.
const isRead = (path: string) => /\.tsx?$/.test(path) && !/\.test\.|seed\/|secure-boot\/|\.gen\./.test(path)

it('no text of the console, the hosts or the command line names a permission or a metric by its id, or a version by its number', () => {
  const found = ['src', 'server', 'cli'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter(isRead)
      .flatMap((path) => findIds(readFileSync(join(root, top, path), 'utf8')).map((text) => `${top}/${path}: ${text}`)),
  )
  expect(found).toEqual([])
  expect(findIds("a('Needs project:update, ask')\nb(`v${release.version} replaced it`)")).toHaveLength(2)
})
