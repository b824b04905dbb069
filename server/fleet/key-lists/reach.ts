type KeySet = { keys: readonly string[]; n: number }
type List = { counter: number; signedBy: string; fingerprints: readonly string[] }

const isSame = (list: List, keys: readonly string[]) =>
  keys.length === list.fingerprints.length && keys.every((key) => list.fingerprints.includes(key))

const newest = (lists: readonly List[]) =>
  lists.reduce<List | undefined>((a, b) => (a && a.counter > b.counter ? a : b), undefined)

/**
 * What devices with these keys trust now, and after each list that they take by themselves. Devices report their keys and a counter,
 * and only the keys are counted: a device that trusts exactly the keys of a list is taken for a holder of it.
 */
const trustedInTurn = (keys: readonly string[], lists: readonly List[]): (readonly string[])[] => {
  const next = (trusted: readonly string[], counter: number): (readonly string[])[] => {
    const taken = newest(lists.filter((list) => list.counter > counter && trusted.includes(list.signedBy)))
    return taken ? [trusted, ...next(taken.fingerprints, taken.counter)] : [trusted]
  }
  return next(keys, newest(lists.filter((list) => isSame(list, keys)))?.counter ?? 0)
}

export type Reach = {
  fingerprint: string
  /** The devices that take a list by this key. */
  devices: number
  /** The keys of those that do not, and would take one by another of the signers. */
  leftBehind: KeySet[]
}

const sum = (sets: readonly KeySet[]) => sets.reduce((all, { n }) => all + n, 0)

/** Which devices would take a next list, by the key that signs it. */
export const reachOf = (sets: readonly KeySet[], lists: readonly List[], signers: readonly string[]): Reach[] => {
  const taken = sets.map((set) => ({ set, trusted: new Set(trustedInTurn(set.keys, lists).flat()) }))
  const some = taken.filter(({ trusted }) => signers.some((signer) => trusted.has(signer)))
  return signers.map((fingerprint) => ({
    fingerprint,
    devices: sum(some.flatMap(({ set, trusted }) => (trusted.has(fingerprint) ? [set] : []))),
    leftBehind: some.flatMap(({ set, trusted }) => (trusted.has(fingerprint) ? [] : [set])),
  }))
}

/** How many devices never take the newest list, and would take a next one by one of the signers. */
export const countStranded = (sets: readonly KeySet[], lists: readonly List[], signers: readonly string[]): number => {
  const last = newest(lists)
  if (!last) return 0
  return sum(
    sets.filter(({ keys }) => {
      const trusted = trustedInTurn(keys, lists)
      return !isSame(last, trusted.at(-1) ?? []) && signers.some((signer) => trusted.flat().includes(signer))
    }),
  )
}
