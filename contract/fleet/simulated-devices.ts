import { boolean, type Infer, integer, type } from 'superstruct'
import { endpoint, inProject, requires } from '../core/endpoint'

/** How many devices one press of the button adds. */
export const simulatedDeviceCount = 20
/** The tag of these devices. It is made if the project has none of this name. */
export const simulatedTag = 'simulated'

/** The simulated devices of a project on a local installation. */
export const SimulatedDevices = type({
  /** How many are or will be there; 0 before the first were added, and after all were deleted or decommissioned. */
  devices: integer(),
  /** Those that have enrolled. */
  added: integer(),
  online: integer(),
  /** Those that wait to be accepted. */
  waiting: integer(),
  /** Whether some have not enrolled, or have never checked in. */
  starting: boolean(),
})
export type SimulatedDevices = Infer<typeof SimulatedDevices>

export const simulatedDevices = endpoint({
  method: 'GET',
  path: '/projects/:projectId/simulated_devices',
  summary:
    'Count the simulated devices of a project. Only an installation that serves this machine alone has them; others answer 404.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: SimulatedDevices,
})

/** 402 if the plan has no room for all of them. */
export const addSimulatedDevices = endpoint({
  method: 'POST',
  path: '/projects/:projectId/simulated_devices',
  summary:
    'Add 20 simulated devices to a project of a local installation. They enroll and update as other devices do. Changes nothing while the project has some.',
  needs: requires(inProject, 'project:manage_devices'),
  audit: 'device.simulate',
  rate: 'write',
  needsSpace: true,
  answer: SimulatedDevices,
})
