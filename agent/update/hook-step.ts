import type { Manifest } from '../../contract/device/manifest'
import type { FailureCode } from '../../contract/device/update-events'
import { type Device, previousVersion } from '../device'
import { UpdateFailure } from './failure'
import { type HookName, runHook } from './hooks'
import { attemptOf, step } from './steps'

/** Runs one hook as a step of the update: reported, run once, and recorded as done. */
export const hook = async (device: Device, manifest: Manifest, name: HookName, code: FailureCode): Promise<void> => {
  const { done, slot } = attemptOf(device)
  if (manifest.hooks[name] === null || done.includes(name)) return
  step(device, {}, `${name}_started`)
  const facts = { slot, previousVersion: previousVersion(device) }
  const { ok, output } = await runHook(device.config, manifest, name, facts, (line) => device.log.info(line, `hook.${name}`))
  if (!ok) throw new UpdateFailure(code, output === '' ? `The hook ${name} failed` : output)
  step(device, { done: [...done, name] }, `${name}_completed`)
}
