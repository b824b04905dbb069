import { parseAst } from 'vite'
import { expect, it } from 'vitest'
import { replaceCalls } from './static-css'

const names = (styles: unknown) => JSON.stringify(styles).replaceAll('"', '')
const replaced = (code: string) => replaceCalls(code, parseAst(code) as never, names)

it('inserts class names where they were computed, keeps the lines, and removes unused imports', () => {
  const code = `import { css, cx } from 'styled-system/css'\nconst a = css({\n  p: '8',\n  m: -1,\n})\nconst b = cx(a, css({ '&:hover': { w: ['full', '2'] } }))\n`
  expect(replaced(code)).toBe(
    `import { cx } from 'styled-system/css'\nconst a = "{p:8,m:-1}"\n\n\n\nconst b = cx(a, "{&:hover:{w:[full,2]}}")\n`,
  )
  expect(replaced(`import { css } from "styled-system/css";css({p:'1'})`)).toBe('"{p:1}"')
})

it.each(['css({ p: gap })', 'css({ [side]: 1 })', 'css({ ...base })', 'css(base)'])(
  'refuses %s, which Panda cannot evaluate',
  (call) => expect(() => replaced(call)).toThrow('more than literals'),
)
