import { Struct, type union } from 'superstruct'
import { listFailures } from './field-errors'
import { oneOf } from './rules'

/**
 * A value that one of the structs accepts, in the body of a request: `union` lists every failure of each struct, and this the first
 * ones.
 */
export const boundedOneOf: typeof union = (structs) =>
  new Struct({
    ...oneOf(structs),
    *validator(value, context) {
      if (structs.some((struct) => struct.is(value))) return
      yield `Expected the value to satisfy one of ${structs.length} forms`
      for (const struct of structs)
        for (const failure of listFailures(value, struct))
          yield {
            ...failure,
            path: [...context.path, ...(failure.path as unknown[])],
            branch: [...context.branch, ...failure.branch.slice(1)] as unknown[],
          }
    },
  })
