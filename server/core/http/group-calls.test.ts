import { expect, it } from 'vitest'
import { groupCalls } from './group-calls'

type Run = { inputs: readonly string[]; end: (error?: unknown) => void }

/** A grouping whose runs end when the test says so; the key of a call is its first letter, its size the number behind it. */
const createGrouping = () => {
  const runs: Run[] = []
  const run = (inputs: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: unknown) =>
        error === undefined ? resolve(inputs.map((input) => input.toUpperCase())) : reject(error as Error)
      runs.push({ inputs, end })
    })
  const call = groupCalls<string, string>({
    one: async (input) => (await run([input]))[0] ?? '',
    all: run,
    keyOf: ([key = '']) => key,
    sizeOf: (input) => Number(input.slice(1)) || 1,
  })
  const inputs = () => runs.map((one) => one.inputs.join(' '))
  return { call, runs, inputs, begun: (count: number) => expect.poll(() => runs.length).toBe(count) }
}

const error = (code: string) => Object.assign(new Error(code), { code })

it('calls that arrive while others run are answered together by the next run', async () => {
  const { call, runs, inputs, begun } = createGrouping()
  const first = call('a')
  await begun(1)
  const second = call('b')
  await begun(2)
  const rest = ['c', 'd', 'e'].map(call)
  runs[0]?.end()
  await begun(3)
  runs[1]?.end()
  runs[2]?.end()
  expect(await Promise.all([first, second, ...rest])).toEqual(['A', 'B', 'C', 'D', 'E'])
  expect(inputs()).toEqual(['a', 'b', 'c d e'])
})

it('calls with one key run one after another, and one that has waited for another runs alone', async () => {
  const { call, runs, inputs, begun } = createGrouping()
  const calls = ['a1', 'b1', 'a2', 'c1', 'a3'].map(call)
  await begun(1)
  // The second run has only what does not wait for the first.
  expect(inputs()).toEqual(['a1 b1 c1'])
  runs[0]?.end()
  await begun(2)
  runs[1]?.end()
  await begun(3)
  runs[2]?.end()
  await Promise.all(calls)
  expect(inputs()).toEqual(['a1 b1 c1', 'a2', 'a3'])
})

it('a call that finds no room in a group is not overtaken by a later one with its key', async () => {
  const { call, runs, inputs, begun } = createGrouping()
  const calls = ['b3000', 'a2000', 'a1', 'c1'].map(call)
  await begun(2)
  expect(inputs()).toEqual(['b3000 c1', 'a2000'])
  for (const run of runs) run.end()
  await begun(3)
  runs[2]?.end()
  await Promise.all(calls)
  expect(inputs()).toEqual(['b3000 c1', 'a2000', 'a1'])
})

it('a group that one of its calls may have made fail is run call by call, and only that call fails', async () => {
  const { call, runs, inputs, begun } = createGrouping()
  const calls = Promise.allSettled(['a', 'b', 'c'].map(call))
  await begun(1)
  runs[0]?.end(error('40001'))
  await begun(4)
  runs[1]?.end()
  runs[2]?.end(error('40001'))
  runs[3]?.end()
  expect((await calls).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(inputs()).toEqual(['a b c', 'a', 'b', 'c'])
})

it('a group that lost its connection is not run again', async () => {
  const { call, runs, inputs, begun } = createGrouping()
  const calls = Promise.allSettled(['a', 'b'].map(call))
  await begun(1)
  runs[0]?.end(error('ECONNRESET'))
  expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(inputs()).toEqual(['a b'])
})

it('at most 64 calls are in a group, and more than 2000 do not wait', async () => {
  const { call, runs, begun } = createGrouping()
  const keys = Array.from({ length: 2000 }, (_, n) => String.fromCodePoint(0x4e00 + n))
  const calls = keys.map(call)
  await expect(call('x')).rejects.toMatchObject({ code: '53300' })
  await begun(2)
  expect(runs.map(({ inputs }) => inputs.length)).toEqual([64, 64])
  for (let n = 0; n < Math.ceil(2000 / 64); n++) {
    await expect.poll(() => runs.length).toBeGreaterThan(n)
    runs[n]?.end()
  }
  await Promise.all(calls)
})
