import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Id } from '../../contract/core/shapes'
import { is } from 'superstruct'
import { idFromText, nextId, nextRequestId } from './ids'
import { root } from './root'

const at = new Date('2026-03-01T10:00:00.123Z')

it('ids of one instant sort in the order in which they were made, and so do those after the clock went back', () => {
  const ids = Array.from({ length: 10_000 }, () => nextId(at))
  ids.push(nextId(new Date(at.getTime() - 60_000)), nextId(new Date(at.getTime() + 1)))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every((id) => is(id, Id))).toBe(true)
})

it('the id of a request carries no row id into the time of the process', () => {
  const past = new Date(at.getTime() + 1000)
  const before = nextId(past)
  expect(is(nextRequestId(), Id)).toBe(true)
  expect(nextId(past).slice(0, 10)).toBe(before.slice(0, 10))
})

it('an id from a text is the same for the same text and time, and another one for every other', () => {
  const id = idFromText(at, 'a')
  expect(is(id, Id)).toBe(true)
  expect(idFromText(at, 'a')).toBe(id)
  expect(idFromText(at, 'b')).not.toBe(id)
  expect(idFromText(new Date(at.getTime() + 1), 'a')).not.toBe(id)
})

it('no other file of the server makes ids', async () => {
  const files = (await readdir(join(root, 'server'), { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const makers = await Promise.all(
    files.map(async (file) => (/from 'ulid'/.test(await readFile(join(root, 'server', file), 'utf8')) ? [file] : [])),
  )
  expect(makers.flat()).toEqual(['core/ids.ts'])
})
