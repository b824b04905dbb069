import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { modeBytes, usualMode } from './file-modes'

const elf = (type: number, order: 'little' | 'big' = 'little') => {
  const head = new Uint8Array(modeBytes)
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, order === 'little' ? 1 : 2, 1])
  new DataView(head.buffer).setUint16(16, type, order === 'little')
  return head
}
const text = (content: string) => new TextEncoder().encode(content)

it.each<[what: string, name: string, head: Uint8Array, mode: string]>([
  ['a script', 'start', text('#!/bin/sh\nexec app\n'), '0755'],
  ['a program', 'app', elf(2), '0755'],
  ['a program of a processor with the other byte order', 'app', elf(2, 'big'), '0755'],
  ['a program that can be loaded anywhere', 'app', elf(3), '0755'],
  ['a library', 'libapp.so', elf(3), '0644'],
  ['a library with its version', 'libapp.so.1.2', elf(3), '0644'],
  ['a kernel module', 'app.ko', elf(1), '0644'],
  ['a configuration', 'app.conf', text('# not a script\n'), '0644'],
  ['an empty file', 'empty', new Uint8Array(), '0644'],
  ['the start of an ELF file', 'cut', elf(2).slice(0, 6), '0644'],
])('%s is added to a release with its mode', (_, name, head, mode) => {
  expect(usualMode(name, head)).toBe(mode)
})

it('the program that runs this test would be one on a device', () => {
  expect(usualMode('node', readFileSync(process.execPath).subarray(0, modeBytes))).toBe('0755')
})
