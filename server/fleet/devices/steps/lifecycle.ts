import type { Device } from '../../../../contract/fleet/devices'

type Lifecycle = Device['lifecycle']
export type LifecycleAction = 'accept' | 'reject' | 'restore' | 'disable' | 'enable' | 'decommission'

const steps: Record<LifecycleAction, { from: readonly Lifecycle[]; to: Lifecycle }> = {
  accept: { from: ['pending'], to: 'active' },
  reject: { from: ['pending'], to: 'rejected' },
  restore: { from: ['rejected'], to: 'pending' },
  disable: { from: ['active'], to: 'disabled' },
  enable: { from: ['disabled'], to: 'active' },
  decommission: { from: ['pending', 'rejected', 'active', 'disabled'], to: 'decommissioned' },
}

/** The next lifecycle state; null if the action is not possible in this one. `decommissioned` is final: the token is revoked. */
export const nextLifecycle = (lifecycle: Lifecycle, step: LifecycleAction): Lifecycle | null =>
  steps[step].from.includes(lifecycle) ? steps[step].to : null
