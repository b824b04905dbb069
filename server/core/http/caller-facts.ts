import type { DeviceActor } from './actors'

/** Gives the facts once: they may be old at a second try, which has to read them again. */
export type TakeFacts<F> = () => F | undefined

/** A device with facts that were read together with its token, for the handler of the same request. */
export type DeviceWithFacts<F> = DeviceActor & { takeFacts: TakeFacts<F> }

export const withFacts = <F>(device: DeviceActor, facts: F): DeviceWithFacts<F> => {
  let left: F | undefined = facts
  const takeFacts = () => {
    const taken = left
    left = undefined
    return taken
  }
  return { ...device, takeFacts }
}
