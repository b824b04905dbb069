/** Numbers from 1, as of the elements of an array of PostgreSQL, for texts in the order of their arrival. */
export const createDictionary = () => {
  const numbers = new Map<string, number>()
  return {
    texts: () => [...numbers.keys()],
    numberOf: (of: string | null) => {
      if (of === null) return null
      const known = numbers.get(of)
      if (known !== undefined) return known
      numbers.set(of, numbers.size + 1)
      return numbers.size
    },
  }
}

export type Numbers = readonly (number | null)[]

/** An array of numbers as PostgreSQL reads it: the driver would quote each of them. */
export const numbersLiteral = (numbers: Numbers): string => `{${numbers.map((n) => n ?? 'null').join(',')}}`
