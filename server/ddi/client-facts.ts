import type { DeviceChanges } from '../fleet/devices/repository'

/** The client as its User-Agent names it. Zephyr sends none: then nothing is known. */
export const clientFacts = (agent: string | undefined): Pick<DeviceChanges, 'clientName' | 'clientVersion'> => {
  const [, name, version = ''] = /^([\x21-\x2e\x30-\x7e]{1,64})(?:\/([\x21-\x7e]{1,64}))?/.exec(agent ?? '') ?? []
  return name === undefined ? {} : { clientName: name, clientVersion: version }
}
