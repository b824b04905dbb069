import { useMutation, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { AccessRequest } from '../../../contract/accounts/access-requests'
import { permissionWords } from '../../../contract/core/permissions'
import { type BaseRole, baseRoles, rolePermissions } from '../../../contract/core/roles'
import { decideAccessRequestMutation } from '../../api/mutations/accounts/members'
import { openRequestsQuery } from '../../api/queries/accounts/members'
import { FailureBox } from '../../system/failure/failure-box'
import { lazyPart } from '../../system/page/lazy'
import { notify } from '../../system/failure/notify'
import { describeError } from '../../system/failure/describe-error'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Panel, PanelRow } from '../../ui/layout/panel'
import { RelativeTime } from '../../ui/text/time'
import { useGrantable, useManageRefusal } from './member-scope'

const RoleSelect = lazyPart(() => import('./role-select').then((part) => part.RoleSelect))
const line = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8', w: 'full' })
// Under 768 px the buttons have their own line.
const text = css({ flex: '1', minW: { base: 'full', md: '200' } })
const quiet = css({ color: 'muted', overflowWrap: 'anywhere' })
const room = css({ pb: '16' })

const Request = ({ request, organizationId }: { request: AccessRequest; organizationId: string }) => {
  const { api } = useSystem()
  const grantable = useGrantable()
  const fitting = baseRoles.filter((role) => grantable.includes(role) && rolePermissions[role].includes(request.permission))
  const [chosen, setChosen] = useState<BaseRole>()
  const role = chosen ?? fitting.at(-1)
  const name = request.user.name || request.user.email
  const { mutate, isPending } = useMutation({
    ...decideAccessRequestMutation(api, organizationId),
    onSuccess: (_done, decision) =>
      void notify({
        kind: 'success',
        text: decision.role === null ? `Request of ${name} denied` : `${name} is now ${decision.role}`,
      }),
    onError: (error) => void notify({ kind: 'error', text: describeError(error, 'The decision was not saved') }),
  })
  return (
    <PanelRow>
      <div className={line}>
        <div className={text}>
          <p>
            <strong>{name}</strong> asks for “{permissionWords(request.permission)}”{' '}
            <span className={quiet}>
              <RelativeTime value={request.created_at} />
            </span>
          </p>
          {request.reason !== '' && <p className={quiet}>{request.reason}</p>}
        </div>
        {role !== undefined && (
          <Suspense>
            <RoleSelect
              label={`Role for ${name}`}
              roles={fitting}
              value={role}
              onChange={(value) => setChosen(fitting.find((one) => one === value))}
            />
          </Suspense>
        )}
        <Button
          size="small"
          disabled={isPending}
          {...(role === undefined && { refused: 'No role that you can assign has this permission.' })}
          onClick={() => role && mutate({ accessRequestId: request.id, role })}
        >
          Grant
        </Button>
        <Button
          size="small"
          variant="ghost"
          disabled={isPending}
          onClick={() => mutate({ accessRequestId: request.id, role: null })}
        >
          Deny
        </Button>
      </div>
    </PanelRow>
  )
}

/** Open access requests, above the list of members; only for users who may decide, and only if there are any. */
export const AccessRequests = ({ organizationId }: { organizationId: string }) => {
  const { api } = useSystem()
  const mayDecide = useManageRefusal() === undefined
  const { data: requests, error, refetch } = useQuery({ ...openRequestsQuery(api, organizationId), enabled: mayDecide })
  if (!requests && error)
    return (
      <div className={room}>
        <Panel title="Access requests">
          <FailureBox error={error} onRetry={() => void refetch()}>
            Access requests could not be loaded. The members below are not affected.
          </FailureBox>
        </Panel>
      </div>
    )
  if (!requests || requests.length === 0) return null
  return (
    <div className={room}>
      <Panel flush title="Access requests" aside={String(requests.length)}>
        {requests.map((request) => (
          <Request key={request.id} request={request} organizationId={organizationId} />
        ))}
      </Panel>
    </div>
  )
}
