import { allows, type Grants } from '../core/permissions'

/** `owner`: an id of the organization or person; `ownerName`: of the organization, null for a person. */
type From = { name: string; owner: string; ownerName: string | null; requiresApproval: boolean; grants: Grants }
type Goal = { name: string; owner: string; requiresApproval: boolean; hasUnapprovedRollout: boolean }

/**
 * Why a person may not move devices from one project to another, although they may manage devices in both; undefined if they may. A
 * person alone must not bring a device to where their releases need no second person (decision 80).
 */
export const movingOutRefusal = (from: From, goal: Goal): string | undefined => {
  if (allows(from.grants, ['project:manage_members'])) return undefined
  const { name, ownerName } = from
  const somebody = `Somebody who may manage the members of ${name} can move its devices`
  if (from.owner !== goal.owner)
    return ownerName === null
      ? `${goal.name} does not belong to the owner of ${name}. Only the owner of ${name} can move its devices out`
      : `${goal.name} does not belong to ${ownerName}. ${somebody} out of ${ownerName}`
  if (!from.requiresApproval) return undefined
  if (!goal.requiresApproval)
    return `Rollouts of ${name} need the approval of a second person, those of ${goal.name} do not. ${somebody} there`
  return goal.hasUnapprovedRollout
    ? `${goal.name} has an open rollout that was started without the approval of a second person. ${somebody} there`
    : undefined
}
