import { readdirSync } from 'node:fs'
import postcss from 'postcss'
import { describe, expect, it } from 'vitest'
import { repositoryPath } from './repository-path'
import { strangersAmong, twoSheets } from './two-sheets'

const source = `
@layer recipes {
  .button { color: red }
  .cards__card:hover, .dialog__content:hover { color: green }
  .dialog__title { color: blue }
  @media (width < 48rem) { .dialog__title { color: gray } }
}
@keyframes turn { from { rotate: 0deg } }`

const sheet = async (name: string) => {
  const { css } = await postcss([twoSheets()]).process(source, { from: repositoryPath(`src/theme/${name}.css`) })
  return css.replace(/\s+/g, ' ').trim()
}

describe('the two style sheets', () => {
  it('hold each rule once: the first what the first screen wears, the second the rest', async () => {
    expect(await sheet('theme')).toBe(
      '@layer recipes { .button { color: red } .cards__card:hover { color: green } } @keyframes turn { from { rotate: 0deg } }',
    )
    expect(await sheet('rest')).toBe(
      '@layer recipes { .dialog__content:hover { color: green } .dialog__title { color: blue } ' +
        '@media (width < 48rem) { .dialog__title { color: gray } } }',
    )
  })

  it('leave every other sheet as it is', async () => {
    expect(await sheet('other')).toBe(source.replace(/\s+/g, ' ').trim())
  })

  it('tell which recipes of a screen come late', () => {
    const recipe = (name: string) => repositoryPath(`styled-system/recipes/${name}.mjs`)
    expect(readdirSync(repositoryPath('styled-system/recipes'))).toContain('code-block.mjs')
    expect(strangersAmong(['cards', 'code-block', 'button', 'index'].map(recipe))).toEqual(['code'])
    expect(strangersAmong([repositoryPath('src/main.tsx')])).toEqual([])
  })
})
