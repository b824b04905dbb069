import { readdirSync, readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { recipe, slotRecipe } from '../theme/plain-recipe'
import { recipeModule } from './generated-recipe'
import { repositoryPath } from './repository-path'
import { plainRecipe } from './plain-recipes'

const folder = repositoryPath('styled-system/recipes')
const files = readdirSync(folder).filter((file) => recipeModule.test(`${folder}/${file}`))

type Dressed = ((props?: Record<string, string>) => unknown) & { variantMap: Record<string, string[]> }

const pandas = async (file: string) => {
  const made: Record<string, Dressed> = await import(/* @vite-ignore */ `${folder}/${file}`)
  return Object.entries(made)[0] ?? expect.fail(`${file} exports nothing`)
}

const ours = (file: string, name: string): Dressed => {
  const code = plainRecipe(readFileSync(`${folder}/${file}`, 'utf8'))
  const [, made] = new RegExp(`export const ${name} = ([^]+)`).exec(code ?? '') ?? []
  return runInNewContext(made ?? '', { recipe, slotRecipe })
}

describe('a recipe in one line', () => {
  it('does not exist for one with compound variants, and for code of another form', () => {
    const button = readFileSync(`${folder}/button.mjs`, 'utf8')
    expect(plainRecipe(button)).toMatch(/^import \{ recipe \}/)
    expect(plainRecipe(button.replace('}, [])', "}, [{ size: 'md' }])"))).toBeUndefined()
    expect(plainRecipe(button.replace('createRecipe(', 'defineRecipe('))).toBeUndefined()
  })

  it.each(files)('%s returns the classes that Panda returns, with every variant', async (file) => {
    const [name, panda] = await pandas(file)
    const plain = ours(file, name)
    expect(plain()).toEqual(panda())
    for (const [variant, values] of Object.entries(panda.variantMap))
      for (const value of values) expect(plain({ [variant]: value })).toBe(panda({ [variant]: value }))
  })
})
