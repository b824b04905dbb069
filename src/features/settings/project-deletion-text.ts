import type { AccessToken } from '../../../contract/accounts/access-tokens'
import type { Project } from '../../../contract/accounts/projects'
import { pluralize } from '../../lib/pluralize'

const namedAtMost = 5
type Token = Pick<AccessToken, 'name' | 'state'>

const describeTokens = (tokens: readonly Token[]) => {
  const working = tokens.filter(({ state }) => state === 'active' || state === 'expiring')
  const names = working.slice(0, namedAtMost).map(({ name }) => name)
  const rest = working.length - names.length
  const all = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
  return working.length > 0 && `${pluralize(working.length, 'access token stops', 'access tokens stop')} working at once: ${all}.`
}

/** What is deleted with a project, and what stops with it. `tokens` is undefined while they are not known. */
export const describeDeletion = (
  { devices, releases, open_rollouts: rollouts }: Pick<Project['counts'], 'devices' | 'releases' | 'open_rollouts'>,
  tokens: readonly Token[] | undefined,
): string =>
  [
    `${pluralize(devices, 'device')} and ${pluralize(releases, 'release')} are deleted too.`,
    rollouts > 0 && `${pluralize(rollouts, 'open rollout stops where it is', 'open rollouts stop where they are')}.`,
    tokens && describeTokens(tokens),
    'This cannot be undone.',
  ]
    .filter((part) => typeof part === 'string')
    .join(' ')
