import { readdir, readFile } from 'node:fs/promises'

// Of Linux: 100 ticks a second on every usual platform.
const TICK_S = 1 / 100

/** The fields of /proc/<pid>/stat after the name, which may contain spaces; the first is the state. */
const statOf = async (pid: number | string): Promise<string[]> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

const ticks = (stat: readonly string[], fields: readonly number[]) =>
  fields.reduce((sum, field) => sum + Number(stat[field] ?? 0), 0)

/** Processor time of a process so far, in seconds. */
export const secondsOf = async (pid: number): Promise<number> => ticks(await statOf(pid), [11, 12]) * TICK_S

/** Processor time of a process and its children, ended ones included, in seconds. */
export const secondsOfTree = async (pid: number): Promise<number> => {
  const others = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(others.map(statOf))
  const children = stats.filter((stat) => stat[1] === `${pid}`)
  const own = ticks(await statOf(pid), [11, 12, 13, 14])
  return children.reduce((sum, stat) => sum + ticks(stat, [11, 12]), own) * TICK_S
}
