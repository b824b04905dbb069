import { isOfOneCall } from './database-errors'

type Grouping<In, Out> = {
  /** Answers one call by itself. */
  one: (input: In) => Promise<Out>
  /** Answers several calls together, in their order. If it fails, none of them has taken place. */
  all: (inputs: readonly In[]) => Promise<readonly Out[]>
  /** Calls with the same key run one after another, never in one group. */
  keyOf?: (input: In) => string
  /** The number of rows that a call adds to the statement; 1 by default. */
  sizeOf?: (input: In) => number
}

type Waiting<In, Out> = {
  input: In
  key: string | undefined
  size: number
  /** Another call with its key ran while it waited: what it was made from may have changed. */
  isLate: boolean
  resolve: (out: Out) => void
  reject: (error: unknown) => void
}

/** Of a group: all of its calls wait until it has ended. */
const MOST_CALLS = 64
const MOST_ROWS = 4000
/** With two, one is on its way while the database works at the other. */
const MOST_RUNNING = 2
const MOST_WAITING = 2000

/** As PostgreSQL refuses a connection too many: answered with 503, and not the fault of a token that is looked up. */
const tooMany = () => Object.assign(new Error('Too many requests wait for the database'), { code: '53300' })

/**
 * Answers calls in groups: those that arrive while others run are answered together by the next run. Nothing waits for others when
 * nothing runs. A group that fails by what may be the fault of one of its calls is run again call by call.
 */
export const groupCalls = <In, Out>({ one, all, keyOf, sizeOf }: Grouping<In, Out>): ((input: In) => Promise<Out>) => {
  let waiting: Waiting<In, Out>[] = []
  let running = 0
  let isPlanned = false
  const busy = new Set<string>()

  /** The next calls, in the order of their arrival; a late one alone, because it is likely to fail. */
  const takeGroup = () => {
    const group: Waiting<In, Out>[] = []
    const rest: Waiting<In, Out>[] = []
    const passed = new Set<string>()
    let rows = 0
    const isRoom = ({ isLate, size }: Waiting<In, Out>) =>
      group.length < MOST_CALLS && rows + size <= MOST_ROWS && !isLate && group[0]?.isLate !== true
    for (const call of waiting) {
      const { key, size } = call
      const isBusy = key !== undefined && busy.has(key)
      if (isBusy) call.isLate = true
      // A call of the same key must not overtake one that finds no room.
      const isPassed = key !== undefined && passed.has(key)
      if (isBusy || isPassed || (group.length > 0 && !isRoom(call))) {
        rest.push(call)
        if (key !== undefined) passed.add(key)
      } else {
        group.push(call)
        rows += size
        if (key !== undefined) busy.add(key)
      }
    }
    waiting = rest
    return group
  }

  const runOne = ({ input, resolve, reject }: Waiting<In, Out>) => one(input).then(resolve, reject)

  const runGroup = async (group: readonly Waiting<In, Out>[]) => {
    const [first] = group
    if (first && group.length === 1) return runOne(first)
    try {
      const outs = await all(group.map(({ input }) => input))
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one for each input
      for (const [n, { resolve }] of group.entries()) resolve(outs[n] as Out)
    } catch (error) {
      if (isOfOneCall(error)) await Promise.all(group.map(runOne))
      else for (const { reject } of group) reject(error)
    }
  }

  const start = () => {
    isPlanned = false
    while (running < MOST_RUNNING) {
      const group = takeGroup()
      if (group.length === 0) return
      running += 1
      void runGroup(group).finally(() => {
        running -= 1
        for (const { key } of group) if (key !== undefined) busy.delete(key)
        plan()
      })
    }
  }

  // Requests whose bytes have arrived together are in one group.
  const plan = () => {
    if (isPlanned || running >= MOST_RUNNING || waiting.length === 0) return
    isPlanned = true
    setImmediate(start)
  }

  return async (input) => {
    if (waiting.length >= MOST_WAITING) throw tooMany()
    return new Promise((resolve, reject) => {
      waiting.push({ input, key: keyOf?.(input), size: sizeOf?.(input) ?? 1, isLate: false, resolve, reject })
      plan()
    })
  }
}
