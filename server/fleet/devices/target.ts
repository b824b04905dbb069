import type { Target } from '../../../contract/rollout-plans'

export const some = <T>(list: readonly T[] | undefined): list is readonly [T, ...T[]] => list !== undefined && list.length > 0

/** Whether a target selects anything explicitly. `tags_none` alone would select almost a whole fleet by accident. */
export const isExplicitTarget = ({ everything, device_ids, tags_all, tags_any }: Target): boolean =>
  everything === true || some(device_ids) || some(tags_all) || some(tags_any)
