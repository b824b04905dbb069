import type { ModelCount } from '../../contract/fleet/model-counts'
import { pluralize } from './pluralize'

const countDevices = (devices: number) => (devices === 0 ? 'no devices' : pluralize(devices, 'device'))

/** "1.5.0, 3 devices": a name, if there is one, and how many devices have what it names. */
export const noteDevices = (name: string | null, devices: number): string =>
  name === null ? countDevices(devices) : `${name}, ${countDevices(devices)}`

/** "Gateway A, 12 devices": what is said beside the id of a model. */
export const noteModel = ({ id, name, devices }: ModelCount): string => noteDevices(name === id ? null : name, devices)

/** "Gateway A (gw-a), 12 devices": a model in a list. */
export const labelModel = ({ id, name, devices }: ModelCount): string =>
  `${name === null || name === id ? id : `${name} (${id})`}, ${countDevices(devices)}`
