/** Idempotency keys of one form: the same value keeps its key until there is an answer. */
export const createKeys = (make: () => string = () => crypto.randomUUID()) => {
  let held: { body: string; key: string } | undefined
  return {
    of: (value: unknown): string => {
      const body = JSON.stringify(value)
      if (held?.body !== body) held = { body, key: make() }
      return held.key
    },
    spend: () => {
      held = undefined
    },
  }
}
