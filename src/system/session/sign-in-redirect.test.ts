import { describe, expect, it } from 'vitest'
import { ownPath } from './sign-in-redirect'

const origin = 'https://console.example'
describe('T-08 the way back after sign-in stays on this origin', () => {
  it('keeps path and query', () =>
    expect(ownPath('/organizations/x/projects?q=1e3&a=%2F', origin)).toBe('/organizations/x/projects?q=1e3&a=%2F'))
  it('drops a fragment', () => expect(ownPath('/a?b#c', origin)).toBe('/a?b'))
  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/a',
    'http://console.example/a',
    'https://console.example.evil.example/',
    'https://console.example@evil.example/',
    'https://console.example:444/',
    'javascript:alert(1)',
    'data:text/html,x',
    '/\t/evil.example',
    '/\n/evil.example',
    '\u0000//evil.example',
    'https:evil.example',
    '////evil.example',
    'http://[',
    '/..//evil.example',
    '/.//evil.example',
  ])('%j never leaves it', (wanted) => {
    const path = ownPath(wanted, origin)
    expect(new URL(path, origin).origin).toBe(origin)
    expect(path).toMatch(/^\/(?![/\\])/)
  })
})
