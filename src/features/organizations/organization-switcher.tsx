import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { nav } from 'styled-system/recipes'
import { satisfies } from '../../../contract/accounts/plans'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { selfQuery } from '../../api/queries/accounts/self'
import { useCurrentScope } from '../../system/scope/current-scope'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'

const load = () => import('./organization-list').then((part) => part.OrganizationList)
const OrganizationList = lazyPart(load)
const name = css({ maxW: '280', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' })

/** §2: only with the production plan or at least one organization, and not before both are known (R19). */
export const OrganizationSwitcher = () => {
  const { api } = useSystem()
  const { data: user } = useQuery(selfQuery(api))
  const { data: organizations } = useQuery(organizationsQuery(api))
  const scope = useCurrentScope()
  const [used, setUsed] = useState(false)
  if (!user || !organizations || scope === undefined) return null
  if (!satisfies(user.pricing_plan, 'production') && organizations.length === 0) return null
  const current = scope === null ? 'No Organization' : organizations.find((one) => one.public_id === scope)?.name
  const trigger = (
    <Button
      variant="ghost"
      icon={<Icon name={scope === null ? 'user' : 'org'} />}
      aria-haspopup="listbox"
      data-analytics-name="Choose an organization"
      aria-label={`Organization: ${current ?? 'none chosen'}`}
      onPointerEnter={() => void load().catch(() => {})}
      onClick={() => setUsed(true)}
    >
      <span className={name}>{current ?? 'Choose an organization'}</span>
      <Icon name="down" />
    </Button>
  )
  return (
    <>
      <span className={nav().slash} aria-hidden />
      {used ? (
        <Suspense fallback={trigger}>
          <OrganizationList organizations={organizations} scope={scope}>
            {trigger}
          </OrganizationList>
        </Suspense>
      ) : (
        trigger
      )}
    </>
  )
}
