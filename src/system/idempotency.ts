/** Idempotency keys of one form: the same value keeps its key until an answer has spent it (product 4.1). */
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
