import { isDeployable, type Release } from '../../../../contract/updates/releases'

/** Why no new rollout can be started. */
export const restartRefusal = ({ state }: Release) =>
  isDeployable(state) ? undefined : `The release is ${state.replaceAll('_', ' ')}: no device can get it.`
