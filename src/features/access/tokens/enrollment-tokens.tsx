import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { EnrollmentToken } from '../../../../contract/fleet/enrollment-tokens'
import { revokeEnrollmentTokenMutation } from '../../../api/mutations/fleet/enrollment-tokens'
import { enrollmentTokensQuery, tokenRevocationQuery } from '../../../api/queries/fleet/enrollment-tokens'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { every, paces } from '../../../api/refresh'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { fetchPart, lazyPart } from '../../../system/page/lazy'
import { MoreMenu } from '../../../system/page/more-menu'
import { notify } from '../../../system/failure/notify'
import { RefreshFailed } from '../../../system/refresh/refresh-failed'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Status } from '../../../ui/text/chip'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { Freshness } from '../../../system/refresh/freshness'
import { Icon } from '../../../ui/icon/icon'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { DateTime } from '../../../ui/text/time'

const AddAuthority = lazyPart(() => import('./add-token-dialog').then((part) => part.AddAuthorityDialog))
const AddToken = lazyPart(() => import('./add-token-dialog').then((part) => part.AddTokenDialog))

const looks = { active: 'success', expired: 'none', used_up: 'none', revoked: 'error' } as const
const words = { active: 'Active', expired: 'Expired', used_up: 'Used up', revoked: 'Revoked' } as const

const narrowOnly = css({ hideFrom: 'md' })
const besides = css({ display: 'flex', alignItems: 'center', justifyContent: 'flex-end', flexWrap: 'wrap', gap: '8' })

/** The actions of one token that still admits devices. */
const TokenMenu = ({ token }: { token: EnrollmentToken }) => {
  const { api, modals } = useSystem()
  const refused = useRefusal('project:manage_access')
  const { mutateAsync, isPending } = useMutation(revokeEnrollmentTokenMutation(api, token.project_id))
  const client = useQueryClient()
  const revoke = async () => {
    try {
      const { confirm } = await fetchPart(() => import('../../../system/modals/confirm'))
      const { revokeTokenText } = await fetchPart(() => import('./revoke-token-text'))
      // A token that leaked is revoked also where its devices cannot be loaded.
      const refusedDevices = await client.fetchQuery(tokenRevocationQuery(api, token.id)).catch(() => undefined)
      const question = {
        title: `Revoke ${token.name}?`,
        text: revokeTokenText(token, refusedDevices),
        accept: 'Revoke',
        decline: 'Cancel',
        danger: true,
      }
      if (!(await confirm(modals, question))) return
      await mutateAsync(token.id)
      void notify({ kind: 'success', text: `${token.name} was revoked` })
    } catch (error) {
      notifyFailed(error)
    }
  }
  return (
    <MoreMenu
      small
      label={`Actions of ${token.name}`}
      entries={[{ value: 'revoke', label: 'Revoke…', danger: true }]}
      onChoose={() => void revoke()}
      refused={refused}
      disabled={isPending}
    />
  )
}

type Props = {
  projectId: string
  /** The token that a link asks to renew, until `onClose`. */
  renew: string | undefined
  onClose: () => void
}

/** The enrollment tokens without their secrets, which were shown once. */
export const EnrollmentTokens = ({ projectId, renew, onClose }: Props) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_access')
  const [adding, setAdding] = useState<'token' | 'authority'>()
  const [renewing, setRenewing] = useState<EnrollmentToken>()
  const close = () => setAdding(undefined)
  const closeRenewal = () => {
    setRenewing(undefined)
    onClose()
  }
  const query = useQuery({
    ...enrollmentTokensQuery(api, projectId),
    refetchInterval: every(paces.list),
  })
  const { data: tokens, error, refetch } = query
  const { data: project } = useSuspenseQuery(projectQuery(api, projectId))
  const [opened, setOpened] = useState<string>()
  if (renew === undefined && opened !== undefined) setOpened(undefined)
  if (renew !== undefined && opened !== renew && tokens && refused === undefined) {
    setOpened(renew)
    setRenewing(tokens.find((token) => token.id === renew && token.state !== 'revoked' && token.authority === null))
  }
  // The stricter of the two settings counts (server/fleet/enrollment/enroll.ts).
  const isLetIn = (token: EnrollmentToken) => token.auto_accept && project.settings.auto_accept_devices
  return (
    <Panel
      flush
      title="Enrollment tokens"
      aside={
        <span className={besides}>
          <Freshness query={query} />
          <Button size="small" refused={refused} onClick={() => setAdding('authority')}>
            Add authority
          </Button>
          <Button size="small" icon={<Icon name="plus" size={14} />} refused={refused} onClick={() => setAdding('token')}>
            Add token
          </Button>
        </span>
      }
    >
      {!tokens &&
        (error ? (
          <PanelBody>
            <FailureBox error={error} onRetry={() => void refetch()} />
          </PanelBody>
        ) : (
          <PanelSkeletons rows={2} />
        ))}
      {tokens && <RefreshFailed query={query} />}
      {tokens?.length === 0 && <PanelRow>Not Found. The config generator creates one for each group configuration.</PanelRow>}
      {tokens && tokens.length > 0 && (
        <Table.Root caption="Enrollment tokens" auto scroll stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Begins with</Table.Th>
            <Table.Th>Model</Table.Th>
            <Table.Th>New devices</Table.Th>
            <Table.Th align="end">Uses</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Head>
          <Table.Body>
            {tokens.map((token) => (
              <Table.Row key={token.id} dimmed={token.state !== 'active'}>
                <Table.Cell at="lead">{token.name}</Table.Cell>
                <Table.Cell>
                  <Status shape={looks[token.state]}>{words[token.state]}</Status>
                </Table.Cell>
                <Table.Cell mono quiet at="sub">
                  <span className={narrowOnly}>{words[token.state]}, </span>
                  {token.authority !== null && 'SHA-256 '}
                  {token.prefix}…
                  <span className={narrowOnly}>{isLetIn(token) ? ', accepted automatically' : ', accepted manually'}</span>
                </Table.Cell>
                <Table.Cell mono quiet>
                  {token.hardware_model ?? 'any'}
                </Table.Cell>
                <Table.Cell quiet>{isLetIn(token) ? 'Accepted automatically' : 'Accepted manually'}</Table.Cell>
                <Table.Cell align="end" at="subEnd">
                  <span className={narrowOnly}>Used </span>
                  {token.max_uses === null ? token.uses : `${token.uses} of ${token.max_uses}`}
                </Table.Cell>
                <Table.Cell>
                  <DateTime value={token.expires_at} never="Never" />
                </Table.Cell>
                <Table.Cell menu align="end" at="end">
                  {(token.state === 'active' || token.state === 'used_up') && <TokenMenu token={token} />}
                </Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table.Root>
      )}
      <Suspense>
        {adding === 'token' && <AddToken projectId={projectId} onClose={close} />}
        {renewing && <AddToken projectId={projectId} former={renewing} onClose={closeRenewal} />}
        {adding === 'authority' && <AddAuthority projectId={projectId} onClose={close} />}
      </Suspense>
    </Panel>
  )
}
