import { product } from '../../../contract/core/limits'
import { formatUserAgent } from '../../../contract/accounts/user-agent'
import type { NotificationFacts } from './facts'

type Described = { title: string; text: string }
type Place = { publicId: string; projectId: string }

const day = (timestamp: string | null) => (timestamp ?? '').slice(0, 10)
const nameOf = ({ name, serial_number }: { name: string; serial_number: string | null }) => name || (serial_number ?? '')

/** What has happened, and what to do. */
export const describeNotification = (facts: NotificationFacts): Described => {
  switch (facts.kind) {
    case 'rollout.approval_requested': {
      const { rollout, by } = facts.data
      const who = by === null ? 'Approval is wanted' : `${by} asks for approval`
      return {
        title: `Approval wanted: ${rollout.name}`,
        text: `${who}. The rollout starts after another person has approved it.`,
      }
    }
    case 'rollout.approved':
    case 'rollout.denied': {
      const { rollout, text, by } = facts.data
      const [word, then] =
        facts.kind === 'rollout.approved'
          ? ['approved', 'It starts at its start time, or has started.']
          : ['denied', 'Its devices get nothing from it. Create another one after what was said is mended.']
      return { title: `Rollout ${word}: ${rollout.name}`, text: `${by === null ? text : `${text} (${by})`}. ${then}` }
    }
    case 'rollout.rolled_back': {
      const { rollout, text } = facts.data
      // Some devices may keep the release, or return later: the text says so.
      return { title: `Rollback ended: ${rollout.name}`, text }
    }
    case 'rollout.halted': {
      const { rollout, text, by } = facts.data
      return { title: `Rollout halted: ${rollout.name}`, text: by === null ? text : `${text} (${by})` }
    }
    case 'rollout.waiting_for_user':
      return {
        title: `Rollout waits: ${facts.data.rollout.name}`,
        text: `${facts.data.text}. Open the next wave, or halt the rollout.`,
      }
    case 'release.revoked': {
      const { release, reason } = facts.data
      const version = release.display_version ?? `v${release.version}`
      return {
        title: `Release revoked: ${release.name} ${version}`,
        text: `It is no longer offered, and its rollouts were cancelled.${reason === null ? '' : ` Reason: ${reason}`}`,
      }
    }
    case 'key.expiring': {
      const { key, expires_at } = facts.data
      return {
        title: `Signing key expires on ${day(expires_at)}: ${key.name}`,
        text: 'Add its successor and publish a key list, so that devices trust the new key before this one ends.',
      }
    }
    case 'access_token.expiring': {
      const { access_token, expires_at } = facts.data
      return {
        title: `Access token expires on ${day(expires_at)}: ${access_token.name}`,
        text: 'Rotate it, and give its program the new one. The former one works for as long as you choose.',
      }
    }
    case 'devices.offline': {
      const { count, sample } = facts.data
      const names = sample.map(nameOf).join(', ')
      return {
        title: `${count} devices went offline`,
        text: `Within a quarter of an hour${names && `, among them ${names}`}.`,
      }
    }
    case 'devices.moved_out': {
      const { by, from, owner, to, count, device } = facts.data
      const [what, them, they] = count === 1 ? [`${device} was`, 'it', 'it gets'] : [`${count} devices were`, 'them', 'they get']
      return {
        title: `${what} moved out of ${owner}`,
        text: `${by} moved ${them} from ${from} to ${to}, which does not belong to ${owner}. From now on ${they} the releases of that project.`,
      }
    }
    case 'project.moved_out': {
      const { by, project, owner, to } = facts.data
      return {
        title: `The project ${project} was moved out of ${owner}`,
        text: `${by} transferred it to ${to ?? 'their personal space'}, with its devices and releases.`,
      }
    }
    case 'member.account_deleted': {
      const { by, organization, tokens } = facts.data
      const ended =
        tokens === 0 ? '' : tokens === 1 ? ' An access token of theirs ended.' : ` ${tokens} access tokens of theirs ended.`
      return {
        title: `${by} deleted their account`,
        text: `They are no longer a member of ${organization}.${ended} What they scheduled waits until somebody starts it.`,
      }
    }
    case 'invite.received': {
      const { inviter, target, role, expires_at } = facts.data
      return {
        title: `${inviter} invites you to ${target.name}`,
        text: `You would join the ${target.kind} as ${role}. Answer with the link in the mail to you. It is valid until ${day(expires_at)}.`,
      }
    }
    case 'sign_in.new_browser': {
      const { ip, user_agent, at } = facts.data
      return {
        title: 'New sign-in to your account',
        text: `${formatUserAgent(user_agent)} signed in to your account for the first time, on ${at.slice(0, 16).replace('T', ' ')} UTC from ${ip}. If it was not you, change your password and end the other sessions.`,
      }
    }
  }
}

/** The path of the console where it is handled; `publicId` is "none" in the personal space. */
export const linkOf = (facts: NotificationFacts, place: Place | null): string | null => {
  if (facts.kind === 'sign_in.new_browser') return '/account/settings/security'
  if (place === null) return null
  const project = `/organizations/${place.publicId}/projects/${place.projectId}`
  switch (facts.kind) {
    case 'rollout.approval_requested':
    case 'rollout.approved':
    case 'rollout.denied':
    case 'rollout.halted':
    case 'rollout.waiting_for_user':
    case 'rollout.rolled_back':
      return `${project}/releases/rollouts/${facts.data.rollout.id}`
    case 'release.revoked':
      return `${project}/releases/list/${facts.data.release.id}/status`
    case 'key.expiring':
      return `${project}/access/key-rotation`
    case 'access_token.expiring':
      return `${project}/access?rotate=${facts.data.access_token.id}`
    case 'devices.offline':
      return `${project}/devices/list?connectivity=offline`
    default:
      return null
  }
}

/** The subject of a mail; `others`: how many more it contains. */
export const subjectOf = (title: string, others: number): string =>
  `${product.name}: ${title}${others === 0 ? '' : ` (and ${others} more)`}`
