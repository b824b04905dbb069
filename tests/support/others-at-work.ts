import { checkIn } from '../../contract/device/endpoints'
import { pathOf } from '../../contract/core/endpoint'
import { project as readProject } from '../../contract/accounts/projects'
import { authorization, type As } from './api'
import { checkInBody } from './devices'
import { within } from './machine-load'

type World = { origin: string; devices: readonly string[]; person: As; projectId: string }
type Turns = { health: number; devices: number; person: number }
export type Others = { stop: () => Promise<{ failures: string[]; turns: Turns }> }

/** A call is given up after so long, and listed as failed. */
const deviceTimeoutMs = within(30_000)
/** Of each at a time; more would only measure how fast the host is. */
const lanes = 5

/**
 * What others do at a host until they are stopped: whoever asks for its health, devices that check in, each in turn, and a person who
 * reads a page. Each has at least one more turn when `stop` is called. Whatever fails is listed.
 */
export const startOthers = ({ origin, devices, person, projectId }: World): Others => {
  const failures: string[] = []
  const turns: Turns = { health: 0, devices: 0, person: 0 }
  let isOver = false

  const ask = async (who: string, path: string, init: RequestInit) => {
    try {
      const answer = await fetch(`${origin}${path}`, { ...init, signal: AbortSignal.timeout(deviceTimeoutMs) })
      const text = await answer.text()
      if (answer.status !== 200) failures.push(`${who}: ${answer.status} ${text.slice(0, 200)}`)
    } catch (error) {
      failures.push(`${who}: ${String(error)}`)
    }
  }
  const health = () => ask('health', '/healthz', {})
  const visit = () => ask('person', pathOf(readProject.path, { projectId }), { headers: authorization(person) })
  const report = (token: string) =>
    ask('device', checkIn.path, {
      method: checkIn.method,
      headers: { ...authorization(token), 'content-type': 'application/json' },
      body: JSON.stringify(checkInBody()),
    })
  const repeat = async (who: keyof Turns, work: () => Promise<void>) => {
    let isLast = false
    while (!isLast) {
      isLast = isOver
      await work()
      turns[who] += 1
    }
  }
  const lane = async (own: readonly string[]) => {
    for (const token of own) await report(token)
  }
  const all = async () => {
    const parts = Array.from({ length: lanes }, (_, n) => devices.filter((_token, at) => at % lanes === n))
    await Promise.all(parts.map(lane))
  }
  const running = [repeat('health', health), repeat('person', visit), repeat('devices', all)]
  return {
    stop: async () => {
      isOver = true
      await Promise.all(running)
      return { failures, turns }
    },
  }
}
