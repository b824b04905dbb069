import type { Plugin } from 'vite'
import { recipeModule, slotsOf } from './generated-recipe.ts'
import { repositoryPath } from './repository-path.ts'

const helper = JSON.stringify(repositoryPath('src/theme/plain-recipe.ts'))
const line = (maker: string, name: string, ...given: string[]) =>
  `import { ${maker} } from ${helper}\nexport const ${name} = /* @__PURE__ */ ${maker}(${given.join(', ')})\n`

/** The one line that creates the same classes as this Panda recipe; undefined for a recipe with compound variants, or for code of another form. */
export const plainRecipe = (code: string): string | undefined => {
  const [, name = ''] = /export const (\w+) =/.exec(code) ?? []
  const parts = slotsOf(code)
  if (parts && code.includes('VariantKeys = []\n'))
    return line('slotRecipe', name, `'${parts.family}'`, `'${parts.slots.join(' ')}'`)
  const [, family, defaults = ''] = /createRecipe\('([\w-]+)', (\{[^}]*\}), \[\]\)/.exec(code) ?? []
  const [, variants = ''] = /VariantMap = (\{[\s\S]*?\})\n/.exec(code) ?? []
  if (family === undefined) return undefined
  return line('recipe', name, `'${family}'`, JSON.stringify(Object.keys(JSON.parse(variants))), defaults)
}

/** Replaces Panda's generated recipe code, which supports compound variants and more, by one line per recipe. */
export const plainRecipes = (): Plugin => ({
  name: 'plain-recipes',
  apply: 'build',
  transform: {
    filter: { id: recipeModule },
    handler(code, id) {
      const plain = plainRecipe(code)
      if (plain === undefined) this.error(`plain-recipes: ${id} is not a recipe that one line can create`)
      return { code: plain, map: { mappings: '' } }
    },
  },
})
