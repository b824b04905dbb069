import type { AtRule, Plugin, Root } from 'postcss'
import { slotRecipes } from './recipes'

/** The slot recipes of the first screen. The build fails when a module of the first screen asks for another. */
export const firstRecipes: readonly string[] = ['cards', 'chip', 'hint', 'input', 'nav', 'notice', 'page', 'progress']

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const recipeModule = /\/styled-system\/recipes\/([a-z-]+)\.m?js$/

/** Which of these modules is a slot recipe that the first sheet does not hold. */
export const strangersAmong = (ids: Iterable<string>): string[] => {
  const later = Object.keys(slotRecipes).filter((name) => !firstRecipes.includes(name))
  const names = new Map(later.map((name) => [kebab(name), name]))
  return [...ids].flatMap((id) => names.get(recipeModule.exec(id)?.[1] ?? '') ?? [])
}

/** `.cards__card:hover` is about `cards`; what is about no slot recipe belongs to the first sheet. */
const recipeOf = (selector: string) => /\.([a-zA-Z]+)__/.exec(selector)?.[1]

const keepRules = (root: Root, keep: (recipe: string | undefined) => boolean) => {
  root.walkRules((rule) => {
    if (rule.parent?.type === 'atrule' && (rule.parent as AtRule).name.endsWith('keyframes')) return
    const kept = rule.selectors.filter((selector) => keep(recipeOf(selector)))
    if (kept.length === 0) rule.remove()
    else if (kept.length < rule.selectors.length) rule.selectors = kept
  })
  // From the innermost outward, so that what becomes empty goes too.
  for (let empty = true; empty;) {
    empty = false
    root.walkAtRules((rule) => {
      if (rule.nodes?.length !== 0) return
      rule.remove()
      empty = true
    })
  }
}

/** Panda writes everything into every sheet; `theme.css` keeps what the first screen needs, `rest.css` the other slot recipes. */
export const twoSheets = (): Plugin => ({
  postcssPlugin: 'two-sheets',
  OnceExit: (root) => {
    const file = root.source?.input.file ?? ''
    if (file.endsWith('/theme/theme.css')) keepRules(root, (name) => name === undefined || firstRecipes.includes(name))
    if (!file.endsWith('/theme/rest.css')) return
    root.walkAtRules(/keyframes$/, (rule) => void rule.remove())
    keepRules(root, (name) => name !== undefined && !firstRecipes.includes(name))
  },
})
