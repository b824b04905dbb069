import { expect, it } from 'vitest'
import { firstScreenProblems } from './first-screen'
import { repositoryPath } from './repository-path'

const recipe = (name: string) => repositoryPath(`styled-system/recipes/${name}.mjs`)
const whole = [repositoryPath('src/features/projects/projects-page.tsx'), recipe('cards'), recipe('button')]

it('accepts a first script with the first page and recipes of the first sheet', () => {
  expect(firstScreenProblems(whole)).toEqual([])
})

it.each([
  ['the page is elsewhere', whole.slice(1), /does not contain the page/],
  ['no recipe is recognized', whole.slice(0, 1), /contains no recipe/],
  ['a recipe comes with the second sheet', [...whole, recipe('code-block')], /uses code:/],
  ['css() is called in the browser', [...whole, repositoryPath('styled-system/css/css.mjs')], /css\.mjs: a css\(\)/],
  ["Panda's recipes run in the browser", [...whole, recipe('create-recipe')], /create-recipe\.mjs: a css\(\)/],
])('refuses a first script when %s', (_, ids, problem) => {
  const problems = firstScreenProblems(ids)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(problem)
})
