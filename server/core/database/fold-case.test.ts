import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../tests/support/database'
import { createClient } from './clients'

const migration =
  readFileSync(join(import.meta.dirname, 'migrations/0046_case_folding.sql'), 'utf8').split('--> statement')[0] ?? ''

let own: TestDatabase
let client: Client
beforeAll(async () => {
  own = await createDatabase()
  client = createClient({ connectionString: own.ownerUrl })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await own.drop()
})

const fold = async (texts: readonly string[], by = client): Promise<string[]> => {
  const { rows } = await by.query<{ folded: string }>(
    'select fold_case(value) as folded from unnest($1::text[]) with ordinality as given (value, place) order by place',
    [texts],
  )
  return rows.map(({ folded }) => folded)
}

// Up to the first symbols: of the letters there, none gets another case in later versions of Unicode.
const letters = Array.from({ length: 0x2000 }, (_, n) => String.fromCodePoint(n)).filter((one) => /\p{L}/u.test(one))
// Their other case is several letters, or by Unicode they are folded in Turkish texts only.
const alone = /[ŉǰΐΰևẖẗẘẙẚὐὒὔὖİı]|[\u1f80-\u1faf\u1fb2-\u1fff]/u

it('two letters that differ in case only are the same, and all others stay distinct', async () => {
  const upper = letters.map((one) => one.toUpperCase())
  const [folded, ofUpper] = [await fold(letters), await fold(upper)]
  const apart = letters.filter((one, n) => folded[n] !== ofUpper[n] && !alone.test(one))
  expect(apart).toEqual([])
  const classes = new Map<string, Set<string>>()
  for (const [n, one] of letters.entries()) {
    const known = classes.get(folded[n] ?? '') ?? new Set()
    classes.set(folded[n] ?? '', known.add(one.toUpperCase().toLowerCase().replace('ß', 'ss')))
  }
  const joined = [...classes].filter(([, { size }]) => size > 1)
  expect(joined).toEqual([])
})

it.each([
  ['МОСКВА 1', 'москва 1'],
  ['Straße', 'STRASSE'],
  ['GROẞ', 'gross'],
  ['ΟΔΟΣ', 'οδος'],
  ['Ŝtelo ÀÉ', 'ŝtelo àé'],
  ['Ⴀ Ꭰ 𐐀', 'ⴀ ꭰ 𐐨'],
])('%s and %s are the same', async (one, other) => {
  const [first, second] = await fold([one, other])
  expect(first).toBe(second)
})

it.each([
  ['МОСКВА', 'MOCKBA'],
  ['Öl', 'Ol'],
  ['ё', 'е'],
])('%s and %s stay distinct', async (one, other) => {
  const [first, second] = await fold([one, other])
  expect(first).not.toBe(second)
})

it('a database of Turkish or of another locale folds the same', async () => {
  const texts = ['IRMAK I', 'İstanbul ı', 'МОСКВА', 'Straße', ...letters]
  const here = await fold(texts)
  for (const locale of ["locale_provider icu icu_locale 'tr' locale 'C'", "locale 'C.UTF-8'"]) {
    const name = `fold_${process.pid}`
    await client.query(`create database ${name} template template0 ${locale}`)
    const url = new URL(own.ownerUrl)
    url.pathname = `/${name}`
    const other = createClient({ connectionString: url.href })
    await other.connect()
    await other.query(migration)
    expect(await fold(texts, other)).toEqual(here)
    await other.end()
    await client.query(`drop database ${name}`)
  }
})

it('no statement of the server compares text by the locale of the cluster', () => {
  const folder = join(import.meta.dirname, '../..')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  expect(files.filter((name) => /\bilike\b|like lower\(/i.test(readFileSync(join(folder, name), 'utf8')))).toEqual([])
})
