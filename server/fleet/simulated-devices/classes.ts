import type { ProjectSettings } from '../../../contract/accounts/projects'

/** The classes of the fleet (`--classes`) and their hardware models. */
export const fleetClasses = {
  gateway: 'gw-imx8m',
  camera: 'cam-rk3566',
  panel: 'hmi-am62x',
  sensor: 'sens-esp32s3',
  controller: 'ctl-mpfs',
} as const

/** The classes whose hardware model the project accepts. */
export const listAcceptedClasses = ({ hardware_models }: ProjectSettings): string[] =>
  Object.entries(fleetClasses).flatMap(([name, model]) =>
    hardware_models.length === 0 || hardware_models.some(({ id }) => id === model) ? [name] : [],
  )
