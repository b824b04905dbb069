import type { Plugin } from 'vite'
import { recipeModule } from './generated-recipe.ts'
import { lateRecipesIn } from './two-sheets.ts'

const page = /\/src\/features\/projects\/projects-page\.tsx$/
/** What Panda's `css()` and its recipes would need in the browser. */
const runtime = /\/styled-system\/(?:helpers|css\/(?:css|cva|sva)|recipes\/create-recipe)\.mjs$/

/** What is wrong with the modules of the first script. */
export const firstScreenProblems = (ids: readonly string[]): string[] => {
  const late = lateRecipesIn(ids)
  return [
    ...(ids.some((id) => page.test(id)) ? [] : ['The first script does not contain the page of the projects.']),
    ...(ids.some((id) => recipeModule.test(id))
      ? []
      : ['The first script contains no recipe: Panda names their files otherwise.']),
    ...(late.length === 0
      ? []
      : [`The first screen uses ${late.join(', ')}: add them to firstRecipes in src/build/two-sheets.ts.`]),
    ...ids.filter((id) => runtime.test(id)).map((id) => `The first script contains ${id}: a css() or a recipe was not replaced.`),
  ]
}

/** Fails the build when the first script lacks the first page, or contains what the other plugins keep out of it. */
export const checkFirstScreen = (): Plugin => ({
  name: 'check-first-screen',
  apply: 'build',
  generateBundle(_, bundle) {
    const entries = Object.values(bundle).flatMap((output) =>
      output.type === 'chunk' && output.isEntry ? [output.moduleIds] : [],
    )
    const problems = firstScreenProblems(entries.flat())
    if (problems.length > 0) this.error(problems.join('\n'))
  },
})
