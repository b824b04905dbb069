import { expect, it } from 'vitest'
import { earlyTheme } from './early-theme'

type Tag = { tag: string; attrs: Record<string, string>; injectTo: string }
type Emitted = { type: string; fileName: string; source: string }
type Hooks = { transformIndexHtml: () => Tag[]; generateBundle: () => void }

it('puts a script that blocks the first paint into the head, under the name of the file that the build emits', () => {
  const emitted: Emitted[] = []
  const { transformIndexHtml, generateBundle } = earlyTheme() as unknown as Hooks
  generateBundle.call({ emitFile: (file: Emitted) => emitted.push(file) })
  const [tag] = transformIndexHtml()
  // Neither `type=module` nor `async` nor `defer`: each of them lets the page be painted before.
  expect(tag).toEqual({ tag: 'script', attrs: { src: `/${emitted[0]?.fileName}` }, injectTo: 'head' })
  expect(emitted).toHaveLength(1)
  expect(emitted[0]?.source).toContain('theme')
})
