import type { Plugin } from 'vite'
import { recipeModule, slotsOf } from './generated-recipe.ts'
import { repositoryPath } from './repository-path.ts'

const helper = JSON.stringify(repositoryPath('src/theme/plain-recipe.ts'))
const line = (maker: string, name: string, ...given: string[]) =>
  `import { ${maker} } from ${helper}\nexport const ${name} = /* @__PURE__ */ ${maker}(${given.join(', ')})\n`

/** The one line that makes the same classes as this recipe of Panda's; nothing for a recipe that can do more than a line. */
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

/** What Panda writes for a recipe can do compound variants and more; one that has none needs a line of it, and all are such. */
export const plainRecipes = (): Plugin => ({
  name: 'plain-recipes',
  apply: 'build',
  transform: {
    filter: { id: recipeModule },
    handler: (code) => {
      const plain = plainRecipe(code)
      return plain === undefined ? undefined : { code: plain, map: { mappings: '' } }
    },
  },
})
