import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HostileKind, hostileKinds } from '../../agent/simulate/hostile-kinds'
import { buildAgent, start } from '../../agent/testing/agent-process'
import { type PublicKey, pemOf } from '../../contract/device/public-key'

/** What a hostile device did once, and the statuses of all answers to it. */
export type Attack = { serial: string; kind: HostileKind; statuses: number[] }

/** A fleet process with one ordinary gateway and one hostile device of each kind. */
export const startHostileFleet = async (server: string, token: string, key: PublicKey) => {
  const program = await buildAgent('fleet')
  const folder = mkdtempSync(join(tmpdir(), 'teasel-hostile-'))
  const state = join(folder, 'state')
  const keyPath = join(folder, 'key.pem')
  writeFileSync(keyPath, pemOf(key))
  const options = {
    server,
    'enrollment-token': token,
    'public-key': keyPath,
    state,
    devices: '1',
    classes: 'gateway',
    speed: '600',
    'fastest-poll': '1',
    'metrics-interval': '1',
    outcome: 'success',
    hostile: 'all',
  }
  const fleet = start(
    program,
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  )
  const attacks = (): Attack[] => {
    const path = join(state, 'hostile.ndjson')
    if (!existsSync(path)) return []
    return readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Attack)
  }
  const count = (kind: HostileKind) => attacks().filter((one) => one.kind === kind).length
  return {
    kill: fleet.kill,
    attacks,
    of: (kind: HostileKind) => attacks().filter((one) => one.kind === kind),
    /** The kinds that have not attacked so often since. */
    idle: (times: number, since: ReadonlyMap<HostileKind, number> = new Map()) =>
      hostileKinds.filter((kind) => count(kind) < (since.get(kind) ?? 0) + times),
    counts: () => new Map(hostileKinds.map((kind) => [kind, count(kind)])),
  }
}
export type HostileFleet = Awaited<ReturnType<typeof startHostileFleet>>
