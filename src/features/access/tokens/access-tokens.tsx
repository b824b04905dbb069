import { useMutation, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { AccessToken } from '../../../../contract/accounts/access-tokens'
import { permissionWords } from '../../../../contract/core/permissions'
import { revokeAccessTokenMutation } from '../../../api/mutations/accounts/access-tokens'
import { accessTokensQuery } from '../../../api/queries/accounts/access-tokens'
import { every, paces } from '../../../api/refresh'
import { pluralize } from '../../../lib/pluralize'
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

const AddAccessToken = lazyPart(() => import('./access-token-dialogs').then((part) => part.AddAccessTokenDialog))
const RotateAccessToken = lazyPart(() => import('./access-token-dialogs').then((part) => part.RotateAccessTokenDialog))

const looks = { active: 'success', expiring: 'warning', expired: 'none', revoked: 'error' } as const
const words = { active: 'Active', expiring: 'Expires soon', expired: 'Expired', revoked: 'Revoked' } as const

const narrowOnly = css({ hideFrom: 'md' })
// A name without spaces would otherwise get one letter a line beside wide columns.
const breaks = css({ overflowWrap: 'anywhere', minW: { md: '160' } })

const isUsable = ({ state }: AccessToken) => state === 'active' || state === 'expiring'

/** What the token may do now, and what its maker has lost. */
const rightsOf = ({ permissions, effective_permissions: now }: AccessToken) => {
  if (now.length === permissions.length) return pluralize(now.length, 'permission')
  return `${now.length} of ${pluralize(permissions.length, 'permission')}: its maker no longer holds ${now.length === 0 ? 'any' : 'the others'}`
}

type MenuProps = { token: AccessToken; onRotate: () => void }

/** The actions of one token that was not revoked. */
const TokenMenu = ({ token, onRotate }: MenuProps) => {
  const { api, modals } = useSystem()
  const refused = useRefusal('project:manage_access')
  const { mutateAsync, isPending } = useMutation(revokeAccessTokenMutation(api, token.project_id))
  const revoke = async () => {
    const { confirm } = await fetchPart(() => import('../../../system/modals/confirm'))
    const question = {
      title: `Revoke ${token.name}?`,
      text: 'Programs that use it are refused from then on. This cannot be undone: create another token instead.',
      accept: 'Revoke',
      decline: 'Cancel',
      danger: true,
    }
    if (!(await confirm(modals, question))) return
    try {
      await mutateAsync(token.id)
      void notify({ kind: 'success', text: `${token.name} was revoked` })
    } catch (error) {
      notifyFailed(error)
    }
  }
  const rotate = token.replaced_at === null ? [{ value: 'rotate', label: 'Rotate…' }] : []
  return (
    <MoreMenu
      small
      label={`Actions of ${token.name}`}
      entries={[...rotate, { value: 'revoke', label: 'Revoke…', danger: true }]}
      onChoose={(value) => (value === 'rotate' ? onRotate() : void revoke())}
      refused={refused}
      disabled={isPending}
    />
  )
}

const Row = ({ token, onRotate }: MenuProps) => (
  <Table.Row dimmed={!isUsable(token)}>
    <Table.Cell at="lead" wrap className={breaks}>
      {token.name}
    </Table.Cell>
    <Table.Cell>
      <Status shape={looks[token.state]}>{words[token.state]}</Status>
    </Table.Cell>
    <Table.Cell mono quiet at="sub">
      <span className={narrowOnly}>{words[token.state]}, </span>
      {token.prefix}…{token.replaced_at !== null && <span className={narrowOnly}>, replaced</span>}
    </Table.Cell>
    <Table.Cell quiet title={token.permissions.map(permissionWords).join('\n')}>
      {rightsOf(token)}
    </Table.Cell>
    <Table.Cell quiet>{token.maker.name}</Table.Cell>
    <Table.Cell at="subEnd" title={token.last_used_ip ?? undefined}>
      {token.last_used_at !== null && <span className={narrowOnly}>Used </span>}
      <DateTime value={token.last_used_at} never="never" />
      {token.last_used_at === null && <span className={narrowOnly}> used</span>}
    </Table.Cell>
    <Table.Cell>
      <DateTime value={token.expires_at} never="No end" />
    </Table.Cell>
    <Table.Cell menu align="end" at="end">
      {isUsable(token) && <TokenMenu token={token} onRotate={onRotate} />}
    </Table.Cell>
  </Table.Row>
)

type Props = {
  projectId: string
  /** The token whose rotation a link asks for, until `onClose`. */
  rotate: string | undefined
  onClose: () => void
}

/** The access tokens of programs, without their secrets, which were shown once. */
export const AccessTokens = ({ projectId, rotate, onClose }: Props) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_access')
  const [adding, setAdding] = useState(false)
  const [rotating, setRotating] = useState<AccessToken>()
  const query = useQuery({ ...accessTokensQuery(api, projectId), refetchInterval: every(paces.list) })
  const { data: tokens, error, refetch } = query
  const [opened, setOpened] = useState<string>()
  if (rotate === undefined && opened !== undefined) setOpened(undefined)
  if (rotate !== undefined && opened !== rotate && tokens && refused === undefined) {
    setOpened(rotate)
    setRotating(tokens.find((token) => token.id === rotate && token.state !== 'revoked' && token.replaced_at === null))
  }
  const closeRotation = () => {
    setRotating(undefined)
    if (rotate !== undefined) onClose()
  }
  return (
    <Panel
      flush
      title="Access tokens"
      aside={
        <span className={css({ display: 'flex', alignItems: 'center', justifyContent: 'flex-end', flexWrap: 'wrap', gap: '8' })}>
          <Freshness query={query} />
          <Button size="small" icon={<Icon name="plus" size={14} />} refused={refused} onClick={() => setAdding(true)}>
            Add access token
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
      {tokens?.length === 0 && (
        <PanelRow>Not Found. A program, such as a build server, calls the API of this project with an access token.</PanelRow>
      )}
      {tokens && tokens.length > 0 && (
        <Table.Root caption="Access tokens" auto scroll stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Begins with</Table.Th>
            <Table.Th>Rights</Table.Th>
            <Table.Th>Made by</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Head>
          <Table.Body>
            {tokens.map((token) => (
              <Row key={token.id} token={token} onRotate={() => setRotating(token)} />
            ))}
          </Table.Body>
        </Table.Root>
      )}
      <Suspense>
        {adding && <AddAccessToken projectId={projectId} onClose={() => setAdding(false)} />}
        {rotating && <RotateAccessToken accessToken={rotating} onClose={closeRotation} />}
      </Suspense>
    </Panel>
  )
}
