import { readFileSync } from 'node:fs'
import type { AtRule, Plugin, Root, Rule } from 'postcss'
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

const isIn = (rule: Rule, test: (parent: AtRule) => boolean) => rule.parent?.type === 'atrule' && test(rule.parent as AtRule)
const isKeyframe = (rule: Rule) => isIn(rule, ({ name }) => name.endsWith('keyframes'))
const isTokens = (rule: Rule) => isIn(rule, ({ name, params }) => name === 'layer' && params === 'tokens')

const keepRules = (root: Root, keep: (recipe: string | undefined) => boolean) => {
  root.walkRules((rule) => {
    if (isKeyframe(rule) || isTokens(rule)) return
    const kept = rule.selectors.filter((selector) => keep(recipeOf(selector)))
    if (kept.length === 0) rule.remove()
    else if (kept.length < rule.selectors.length) rule.selectors = kept
  })
}

/** From the innermost outward, so that rules that become empty are removed too. */
const removeEmpty = (root: Root) => {
  for (let empty = true; empty;) {
    empty = false
    root.walk((rule) => {
      if (!('nodes' in rule) || rule.nodes?.length !== 0) return
      rule.remove()
      empty = true
    })
  }
}

const recipesIn = (root: Root) => {
  const names = new Set<string | undefined>()
  root.walkRules((rule) => {
    if (!isTokens(rule)) rule.selectors.forEach((selector) => names.add(recipeOf(selector)))
  })
  return names
}

const tokenRulesIn = (root: Root) => {
  const rules: Rule[] = []
  root.walkRules((rule) => void (isTokens(rule) && rules.push(rule)))
  return rules
}

/** Scripts name these, so they belong to the first sheet even if no rule uses them. */
const namedByScripts = /^--(colors|fonts)-/
const variablesIn = (css: string) => [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name)

/** The variables that the rules of a sheet use, and those that the values of its tokens use in turn. */
const variablesOf = (root: Root): Set<string> => {
  const tokens = new Map<string, string>()
  const used = new Set<string>()
  const add = (name: string) => {
    if (used.has(name)) return
    used.add(name)
    variablesIn(tokens.get(name) ?? '').forEach(add)
  }
  tokenRulesIn(root).forEach((rule) => rule.walkDecls(({ prop, value }) => void tokens.set(prop, value)))
  root.walkRules((rule) => {
    if (!isTokens(rule)) variablesIn(rule.toString()).forEach(add)
  })
  for (const name of tokens.keys()) if (namedByScripts.test(name)) add(name)
  return used
}

const keepTokens = (root: Root, keep: (name: string) => boolean) =>
  tokenRulesIn(root).forEach((rule) =>
    rule.walkDecls((token) => {
      if (!keep(token.prop)) token.remove()
    }),
  )

/**
 * Splits Panda's style sheet, which contains everything: `theme.css` keeps what the first screen needs, `rest.css` the other
 * slot recipes and the tokens that only they use. Fails when the sheet has no rule of a recipe that is named, or of no other one.
 */
export const twoSheets = (first = firstRecipes): Plugin => ({
  postcssPlugin: 'two-sheets',
  OnceExit: (root) => {
    const file = root.source?.input.file ?? ''
    const isFirst = file.endsWith('/theme/theme.css')
    if (!isFirst && !file.endsWith('/theme/rest.css')) return
    const found = recipesIn(root)
    for (const name of first) if (!found.has(name)) throw root.error(`two-sheets: there is no rule of the recipe ${name}`)
    const firstSheet = isFirst ? root : root.clone()
    keepRules(firstSheet, (name) => name === undefined || first.includes(name))
    const early = variablesOf(firstSheet)
    if (isFirst) keepTokens(root, (name) => early.has(name))
    else {
      root.walkAtRules(/keyframes$/, (rule) => void rule.remove())
      keepRules(root, (name) => name !== undefined && !first.includes(name))
      if (recipesIn(root).size === 0) throw root.error('two-sheets: there is no rule of any other recipe')
      const late = variablesOf(root)
      keepTokens(root, (name) => late.has(name) && !early.has(name))
    }
    removeEmpty(root)
  },
})
