import { readFileSync } from 'node:fs'
import type { AtRule, Plugin, Root } from 'postcss'
import { recipeModule, slotsOf } from './generated-recipe.ts'

/** The slot recipes of the first screen. The build fails when a module of the first screen uses another. */
const firstRecipes: readonly string[] = ['cards', 'chip', 'hint', 'input', 'nav', 'notice', 'page', 'progress']

/** The slot recipes among these modules that come with the second sheet. */
export const lateRecipesIn = (ids: Iterable<string>): string[] =>
  [...ids]
    .filter((id) => recipeModule.test(id))
    .flatMap((id) => slotsOf(readFileSync(id, 'utf8'))?.family ?? [])
    .filter((family) => !firstRecipes.includes(family))

/** `.cards__card:hover` belongs to `cards`; rules of no slot recipe belong to the first sheet. */
const recipeOf = (selector: string) => /\.([a-zA-Z]+)__/.exec(selector)?.[1]

const keepRules = (root: Root, keep: (recipe: string | undefined) => boolean) => {
  root.walkRules((rule) => {
    if (rule.parent?.type === 'atrule' && (rule.parent as AtRule).name.endsWith('keyframes')) return
    const kept = rule.selectors.filter((selector) => keep(recipeOf(selector)))
    if (kept.length === 0) rule.remove()
    else if (kept.length < rule.selectors.length) rule.selectors = kept
  })
  // From the innermost outward, so that rules that become empty are removed too.
  for (let empty = true; empty;) {
    empty = false
    root.walkAtRules((rule) => {
      if (rule.nodes?.length !== 0) return
      rule.remove()
      empty = true
    })
  }
}

const recipesIn = (root: Root) => {
  const names = new Set<string | undefined>()
  root.walkRules(({ selectors }) => selectors.forEach((selector) => names.add(recipeOf(selector))))
  return names
}

/**
 * Splits Panda's style sheet, which contains everything: `theme.css` keeps what the first screen needs, `rest.css` the other
 * slot recipes. Fails when the sheet has no rule of a recipe that is named, or of no other one.
 */
export const twoSheets = (first = firstRecipes): Plugin => ({
  postcssPlugin: 'two-sheets',
  OnceExit: (root) => {
    const file = root.source?.input.file ?? ''
    const isFirst = file.endsWith('/theme/theme.css')
    if (!isFirst && !file.endsWith('/theme/rest.css')) return
    const found = recipesIn(root)
    for (const name of first) if (!found.has(name)) throw root.error(`two-sheets: there is no rule of the recipe ${name}`)
    if (isFirst) return keepRules(root, (name) => name === undefined || first.includes(name))
    root.walkAtRules(/keyframes$/, (rule) => void rule.remove())
    keepRules(root, (name) => name !== undefined && !first.includes(name))
    if (recipesIn(root).size === 0) throw root.error('two-sheets: there is no rule of any other recipe')
  },
})
