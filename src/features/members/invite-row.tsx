import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { inviteLimits } from '../../../contract/accounts/invites'
import { resendInviteMutation, revokeInviteMutation } from '../../api/mutations/accounts/members'
import type { AnyInvite } from '../../api/queries/accounts/members'
import { inviteDisplay } from '../../lib/status-display'
import { useHeldMutation } from '../../system/form/held-mutation'
import { lazyPart } from '../../system/page/lazy'
import { notify } from '../../system/failure/notify'
import { notifyHeldFailed } from '../../system/failure/notify-failed'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import * as Table from '../../ui/list/table'
import { DateTime } from '../../ui/text/time'
import { useMemberScope, useManageRefusal } from './member-scope'
import { roomyOnly, wideOnly } from './member-row'

const Confirm = lazyPart(() => import('./confirm').then((part) => part.Confirm))
const narrowEnd = css({ mdDown: { textAlign: 'right' } })
const row = css({ display: 'inline-flex', gap: '4', justifyContent: 'flex-end', mr: '-8', mdDown: { minH: '40' } })

const SendAgain = ({ invite }: { invite: AnyInvite }) => {
  const { api } = useSystem()
  const refused = useManageRefusal()
  const resend = useHeldMutation({
    ...resendInviteMutation(api, useMemberScope()),
    onSuccess: ({ email }) =>
      void notify({ kind: 'success', text: `Sent again to ${email}`, detail: 'The previous link no longer works.' }),
    onError: notifyHeldFailed,
  })
  const spent = invite.send_count >= inviteLimits.sends ? `Sent ${inviteLimits.sends} times, which is the maximum.` : undefined
  const why = refused ?? spent
  return (
    <Button
      size="small"
      variant="ghost"
      aria-label={`Send again to ${invite.email}`}
      busy={resend.isPending}
      {...(why !== undefined && { refused: why })}
      onClick={() => void resend.send({ inviteId: invite.id }).catch(() => {})}
    >
      Send again
    </Button>
  )
}

const Revoke = ({ invite }: { invite: AnyInvite }) => {
  const { api } = useSystem()
  const refused = useManageRefusal()
  const [asked, setAsked] = useState(false)
  const { mutate, isPending, error } = useMutation(revokeInviteMutation(api, useMemberScope()))
  return (
    <>
      <Button
        size="small"
        variant="ghost"
        aria-label={`Revoke the invite of ${invite.email}`}
        {...(refused !== undefined && { refused })}
        onClick={() => setAsked(true)}
      >
        Revoke
      </Button>
      {asked && (
        <Suspense>
          <Confirm
            title={`Revoke the invite of ${invite.email}?`}
            verb="Revoke invite"
            busyLabel="Revoking..."
            busy={isPending}
            error={error}
            onConfirm={() => mutate(invite, { onSuccess: () => setAsked(false) })}
            onClose={() => setAsked(false)}
          >
            Their link stops working now. They are not notified.
          </Confirm>
        </Suspense>
      )}
    </>
  )
}

/** One invite, its state, and its expiry. */
export const InviteRow = ({ invite }: { invite: AnyInvite }) => {
  const { shape, word } = inviteDisplay(invite.state)
  const open = invite.state === 'pending'
  return (
    <Table.Row dimmed={!open}>
      <Table.Cell at="lead" title={invite.email}>
        {invite.email}
      </Table.Cell>
      <Table.Cell at="end" className={narrowEnd}>
        {invite.base_role}
      </Table.Cell>
      <Table.Cell at="sub">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell quiet className={wideOnly} title={invite.invited_by.name}>
        {invite.invited_by.name}
      </Table.Cell>
      <Table.Cell quiet className={roomyOnly}>
        {open ? <DateTime value={invite.expires_at} /> : '–'}
      </Table.Cell>
      <Table.Cell menu align="end" at="subEnd">
        <span className={row}>
          {(open || invite.state === 'expired') && <SendAgain invite={invite} />}
          {open && <Revoke invite={invite} />}
        </span>
      </Table.Cell>
    </Table.Row>
  )
}
