import { secondsOf, secondsOfTree } from './processor'

export type Spent = { wallS: number; nodeS: number; postgresS: number }
type Pids = { node: number; postgres: number }

/** The time of some work, and the processor time that Node and PostgreSQL spent meanwhile. */
export const spend = async ({ node, postgres }: Pids, work: () => Promise<void>): Promise<Spent> => {
  const before = [performance.now() / 1000, await secondsOf(node), await secondsOfTree(postgres)] as const
  await work()
  return {
    wallS: performance.now() / 1000 - before[0],
    nodeS: (await secondsOf(node)) - before[1],
    postgresS: (await secondsOfTree(postgres)) - before[2],
  }
}
export const add = (a: Spent, b: Spent): Spent => ({
  wallS: a.wallS + b.wallS,
  nodeS: a.nodeS + b.nodeS,
  postgresS: a.postgresS + b.postgresS,
})
export const nothing: Spent = { wallS: 0, nodeS: 0, postgresS: 0 }
