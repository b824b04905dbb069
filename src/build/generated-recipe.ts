/** Modules that Panda generates, one recipe each. */
export const recipeModule = /\/styled-system\/recipes\/(?!(?:index|create-recipe)\.mjs)[\w-]+\.mjs$/

/** `cards__root` and `cards__card` are two slots of the family `cards`. Without slots it is no slot recipe. */
export const slotsOf = (code: string): { family: string; slots: string[] } | undefined => {
  const [, list] = /SlotNames = (\[[\s\S]*?\n\])\n/.exec(code) ?? []
  if (list === undefined) return undefined
  const pairs: [slot: string, name: string][] = JSON.parse(list)
  const [family = ''] = pairs[0]?.[1].split('__') ?? []
  return { family, slots: pairs.map(([slot]) => slot) }
}
