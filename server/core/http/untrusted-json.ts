/** Deeper than any body of the contract; keeps recursion over the value from a stack overflow. */
const maxDepth = 64

const isSafe = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  if (depth > maxDepth || Object.hasOwn(value, '__proto__')) return false
  // An own `toString` or `valueOf` makes `${value}` throw, also in the validator's messages.
  if (Object.hasOwn(value, 'toString') || Object.hasOwn(value, 'valueOf'))
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => '[object Object]' })
  return Object.values(value).every((inner) => isSafe(inner, depth + 1))
}

/**
 * Parses JSON from outside that is safe to validate and to print; undefined if it is no JSON, too deep, or has a key
 * `__proto__`.
 */
export const parseUntrusted = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return isSafe(value, 1) ? value : undefined
  } catch {
    return undefined
  }
}
