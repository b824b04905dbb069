import { Link, useMatch } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import type { Failure } from '../../../contract/core/errors'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { openPalette } from '../palette-state'
import { lazyPart } from '../page/lazy'

// Phrasing content: it stands in a paragraph.
const ways = css({ display: 'flex', flexWrap: 'wrap', gap: '8', mt: '16', _empty: { display: 'none' } })
const look = button()

const AskForAccess = lazyPart(() => import('../scope/ask-for-access').then((part) => part.AskForAccess))

const project = '/organizations/$organizationId/projects/$projectId'
/** What the last parameter of an address names, and the lists that have it. */
const things: Readonly<Record<string, { noun: string; lists: readonly { label: string; to: string }[] }>> = {
  deviceId: {
    noun: 'device',
    lists: [
      { label: 'Devices', to: `${project}/devices/list` },
      { label: 'Deleted Devices', to: `${project}/devices/list/deleted` },
    ],
  },
  jobId: { noun: 'bulk change', lists: [{ label: 'Bulk changes', to: `${project}/devices/jobs` }] },
  releaseId: { noun: 'release', lists: [{ label: 'Releases', to: `${project}/releases/list` }] },
  rolloutId: { noun: 'rollout', lists: [{ label: 'Rollouts', to: `${project}/releases/rollouts` }] },
  artifactsBundleId: { noun: 'bundle', lists: [{ label: 'Secure Boot', to: `${project}/secure-boot/list` }] },
  tagId: { noun: 'tag', lists: [{ label: 'Tags', to: `${project}/tags/list` }] },
  memberId: { noun: 'person', lists: [{ label: 'Members', to: `${project}/members/list` }] },
  projectId: { noun: 'project', lists: [{ label: 'Projects', to: '/organizations/$organizationId/projects' }] },
  organizationId: {
    noun: 'organization',
    lists: [{ label: 'Organizations', to: '/account/settings/organizations/list' }],
  },
}

/** What the page that failed is about: of an address within a project that fails as a whole, the project. */
const useThing = () => {
  const { fullPath, params } = useMatch({ strict: false })
  const [name = ''] = fullPath.split('$').at(-1)?.split('/') ?? []
  return { thing: things[name], params }
}

type Props = { failure: Failure | undefined; permission: string | undefined; page: boolean | undefined; children: ReactNode }

/** Why something was refused, and where to go on: another try would not change it. */
export const WaysOn = ({ failure, permission, page, children }: Props) => {
  const { thing, params } = useThing()
  return (
    <>
      {page && thing && failure?.status === 404 && `This ${thing.noun} was not found. `}
      {children}
      <span className={ways}>
        {failure?.code === 'second_factor_required' && (
          <Link to="/account/settings/security" className={look}>
            Security
          </Link>
        )}
        {failure?.status === 402 && (
          <Link to="/account/settings/subscriptions" className={look}>
            Subscriptions
          </Link>
        )}
        {permission !== undefined && (
          <Suspense>
            <AskForAccess permission={permission} />
          </Suspense>
        )}
        {page && (
          <>
            {thing?.lists.map(({ label, to }) => (
              <Link key={to} to={to} params={params} className={look}>
                {label}
              </Link>
            ))}
            <Button icon={<Icon name="search" />} onClick={openPalette}>
              Search
            </Button>
          </>
        )}
      </span>
    </>
  )
}
