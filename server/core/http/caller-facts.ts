import type { DeviceActor } from './actors'

/** Facts of a device that were read together with its token, for the handler of the same request. */
export const createCallerFacts = <T>() => {
  const facts = new WeakMap<DeviceActor, T>()
  return {
    keep: (actor: DeviceActor, value: T): void => void facts.set(actor, value),
    /** The facts, once: whoever asks again has to read them again. */
    take: (actor: DeviceActor): T | undefined => {
      const value = facts.get(actor)
      facts.delete(actor)
      return value
    },
  }
}
