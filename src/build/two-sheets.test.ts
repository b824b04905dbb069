import { readdirSync } from 'node:fs'
import postcss from 'postcss'
import { describe, expect, it } from 'vitest'
import { repositoryPath } from './repository-path'
import { lateRecipesIn, twoSheets } from './two-sheets'

const source = `
@layer tokens {
  :where(:root) {
    --colors-line: gray;
    --spacing-1: 1px;
    --spacing-2: 2px;
    --borders-line: var(--spacing-1) solid var(--colors-line);
    --sizes-dialog: 30rem;
    --sizes-unused: 9rem
  }
}
@layer recipes {
  .button { border: var(--borders-line) }
  .cards__card:hover, .dialog__content:hover { color: green }
  .dialog__title { width: var(--sizes-dialog); padding: var(--spacing-1) }
  @media (width < 48rem) { .dialog__title { color: gray } }
}
@keyframes turn { from { rotate: 0deg } }`

const sheet = async (name: string, first = ['cards']) => {
  const { css } = await postcss([twoSheets(first)]).process(source, { from: repositoryPath(`src/theme/${name}.css`) })
  return css.replace(/\s+/g, ' ').trim()
}

describe('the two style sheets', () => {
  it('contain each rule and each used token once: the first what the first screen needs, the second the rest', async () => {
    expect(await sheet('theme')).toBe(
      '@layer tokens { :where(:root) { --colors-line: gray; --spacing-1: 1px; --borders-line: var(--spacing-1) solid var(--colors-line)} } ' +
        '@layer recipes { .button { border: var(--borders-line) } .cards__card:hover { color: green } } @keyframes turn { from { rotate: 0deg } }',
    )
    expect(await sheet('rest')).toBe(
      '@layer tokens { :where(:root) { --sizes-dialog: 30rem} } ' +
        '@layer recipes { .dialog__content:hover { color: green } ' +
        '.dialog__title { width: var(--sizes-dialog); padding: var(--spacing-1) } ' +
        '@media (width < 48rem) { .dialog__title { color: gray } } }',
    )
  })

  it('fail when the sheet has no rule of a named recipe, or of no other one', async () => {
    await expect(sheet('theme', ['cards', 'chip'])).rejects.toThrow('no rule of the recipe chip')
    await expect(sheet('rest', ['cards', 'dialog'])).rejects.toThrow('no rule of any other recipe')
  })

  it('leave every other sheet unchanged', async () => {
    expect(await sheet('other')).toBe(source.replace(/\s+/g, ' ').trim())
  })

  it('tell which recipes of a screen come with the second sheet', () => {
    const recipe = (name: string) => repositoryPath(`styled-system/recipes/${name}.mjs`)
    expect(readdirSync(repositoryPath('styled-system/recipes'))).toContain('code-block.mjs')
    expect(lateRecipesIn(['cards', 'code-block', 'button', 'index'].map(recipe))).toEqual(['code'])
    expect(lateRecipesIn([repositoryPath('src/main.tsx')])).toEqual([])
  })
})
