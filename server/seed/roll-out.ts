import { setTimeout as pause } from 'node:timers/promises'
import { devices as listDevices, updateDevice } from '../../contract/fleet/devices'
import { previewRollout, type Wave } from '../../contract/updates/rollout-plans'
import { startRollout, submitRollout } from '../../contract/updates/rollout-steps'
import { createRollout } from '../../contract/updates/rollouts'
import type { Deps } from '../core/deps'
import { countDevices, countRollouts } from './fleet.repository'
import { type SeedApi, openSeedApi } from './seed-api'
import type { Demo } from './demo-directory'

const gate = { min_success_percent: 75, max_failure_percent: 40, min_sample: 1, soak_s: 60, then: 'continue' } as const
/**
 * The first wave passes within minutes. The second soaks for four hours and then waits for a person, so that later visitors
 * still find a running rollout.
 */
export const demoWaves: Wave[] = [
  { kind: 'percent', value: 20, gate },
  { kind: 'percent', value: 60, gate: { ...gate, soak_s: 4 * 3600, then: 'wait_for_user' } },
  { kind: 'percent', value: 100, gate },
]

const tagsOf = (index: number, model: string): string[] => [
  ...(index === 0 ? ['canary'] : []),
  index % 2 === 0 ? 'north-slope' : 'south-slope',
  ...(model === 'gw-imx8m' && index % 3 === 0 ? ['lte'] : []),
]

const tagDevices = async ({ ask, actAs }: SeedApi, { projectId, people }: Demo) => {
  const as = await actAs(people.operator)
  const { devices: found } = await ask(listDevices, { projectId }, { as, query: { limit: 200, sort: 'name' } })
  for (const [index, device] of found.entries()) {
    const body = { tags: tagsOf(index, device.hardware_model) }
    // A device that reports at this moment has another revision: it gets no tags.
    await ask(updateDevice, { deviceId: device.id }, { as, body, revision: device.revision }).catch(() => undefined)
  }
}

const plan = async ({ ask, actAs }: SeedApi, { people }: Demo, releaseId: string, model: string) => {
  const as = await actAs(people.developer)
  const asked = { target: { everything: true }, waves: demoWaves, membership: 'dynamic' as const }
  const { preview_hash } = await ask(previewRollout, { releaseId }, { as, body: asked })
  const made = await ask(createRollout, { releaseId }, { as, body: { ...asked, preview_hash } })
  // One runs, the other waits for approval.
  if (model === 'gw-imx8m') await ask(startRollout, { rolloutId: made.id }, { as })
  else
    await ask(
      submitRollout,
      { rolloutId: made.id },
      { as, body: { comment: 'Counts blossoms. Please look at the pilot first.' } },
    )
}

/** Waits until the fleet has enrolled: as many devices as expected, or no new one for a while. */
const fleetIsUp = async (deps: Deps, { projectId }: Demo, expected: number, signal: AbortSignal) => {
  for (let quiet = 0, seen = 0; quiet < 20; quiet++) {
    const now = await countDevices(deps.db, projectId)
    if (now >= expected) return true
    if (now > seen) quiet = 0
    seen = now
    await pause(1000, undefined, { signal })
  }
  return (await countDevices(deps.db, projectId)) > 0
}

/**
 * Rolls out the demo's next releases once its fleet has enrolled: one runs in waves, one waits for approval. Does nothing if
 * that was done before.
 */
export const rollOutDemo = async (deps: Deps, demo: Demo, expected: number, signal: AbortSignal): Promise<void> => {
  if ((await countRollouts(deps.db, demo.projectId)) > 0) return
  if (!(await fleetIsUp(deps, demo, expected, signal))) return
  const bench = openSeedApi(deps)
  try {
    await tagDevices(bench, demo)
    for (const { releaseId, model } of demo.next) await plan(bench, demo, releaseId, model)
  } finally {
    await bench.close()
  }
}
