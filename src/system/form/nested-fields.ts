import type { Fields } from './edit-conflict'

/** The values of an object as fields of their own, so that a conflict is about one of them: `settings.require_mfa`. */
export const flattenFields = (name: string, object: object): Fields =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [`${name}.${key}`, value]))

/** The body of a change again: the flattened fields of `name` are one object, which is absent without them. */
export const nestFields = (name: string, fields: Fields): Fields => {
  const isInside = ([key]: [string, unknown]) => key.startsWith(`${name}.`)
  const entries = Object.entries(fields)
  const inside = entries.filter((entry) => isInside(entry))
  return {
    ...Object.fromEntries(entries.filter((entry) => !isInside(entry))),
    ...(inside.length > 0 && { [name]: Object.fromEntries(inside.map(([key, value]) => [key.slice(name.length + 1), value])) }),
  }
}
