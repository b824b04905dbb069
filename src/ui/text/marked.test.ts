import { expect, it } from 'vitest'
import { marked } from './marked'

const shown = (name: string, typed: string) =>
  marked(name, typed)
    .map(({ text, hit }) => (hit ? `[${text}]` : text))
    .join('')

it.each([
  ['gw-0433-ridge', '0433', 'gw-[0433]-ridge'],
  ['Add Release', 'REL', 'Add [Rel]ease'],
  ['Orchard Gateways', 'gate orch', '[Orch]ard [Gate]ways'],
  ['Monitor', '', 'Monitor'],
  ['Monitor', 'x', 'Monitor'],
  ['İzmir', 'mir', 'İzmir'],
  ['', 'x', ''],
])('%s, typed %s: %s', (name, typed, expected) => {
  expect(shown(name, typed)).toBe(expected)
})
