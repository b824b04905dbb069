import { formatCount } from './amounts'

/** A count with its noun: "1 device", "1,284 devices". */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
