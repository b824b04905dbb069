import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { css } from 'styled-system/css'
import { link as linkStyle } from 'styled-system/recipes'
import type { Notification } from '../../../../contract/accounts/notifications'
import { readNotificationMutation, readNotificationsMutation } from '../../../api/mutations/accounts/notifications'
import { FailureBox } from '../../../system/failure/failure-box'
import type { List } from '../../../system/list/list'
import { notify } from '../../../system/failure/notify'
import { describeError } from '../../../system/failure/describe-error'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Popover from '../../../ui/overlay/popover'
import { Shape } from '../../../ui/layout/shape'
import { RelativeTime } from '../../../ui/text/time'

const box = css({ p: '0', w: { base: '320', md: '404' }, maxW: '404' })
const head = css({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: '12',
  px: '12',
  py: '8',
  borderBottom: 'line',
})
const title = css({ textStyle: 'heading' })
const rows = css({ maxH: '400', overflowY: 'auto' })
const row = css({
  display: 'grid',
  gridTemplateColumns: '{sizes.16} minmax(0, 1fr)',
  gap: '8',
  w: 'full',
  px: '12',
  py: '8',
  textAlign: 'left',
  borderBottom: 'line',
  _last: { borderBottom: 'none' },
  color: 'text2',
  _hover: { bg: 'raisedHover' },
  '&[data-unread] strong': { color: 'text' },
})
const name = css({ display: 'block', fontWeight: 'medium', overflowWrap: 'anywhere' })
const text = css({ display: 'block', textStyle: 'small', color: 'muted', overflowWrap: 'anywhere' })
const foot = css({
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: '12',
  px: '12',
  py: '8',
  borderTop: 'line',
})
const failure = css({ p: '8' })
const none = css({ px: '12', py: '16', color: 'muted' })

const failed = (error: unknown) =>
  void notify({ kind: 'error', text: describeError(error, 'The notification could not be marked as read') })

const About = ({ notification: { read, title: what, text: more, project, at } }: { notification: Notification }) => (
  <>
    <span>{!read && <Shape name="info" label="Unread" />}</span>
    <span>
      <strong className={name}>{what}</strong>
      <span className={text}>{more}</span>
      <small className={text}>
        {project && `${project.name}, `}
        <RelativeTime value={at} />
      </small>
    </span>
  </>
)

type RowProps = { notification: Notification; onUse: () => void; onRead: () => void }

/** Leads to where it is handled; without such a page it is marked as read. */
const Row = ({ notification, onUse, onRead }: RowProps) => {
  const { link, read } = notification
  const [path = '', query] = (link ?? '').split('?')
  const marks = { className: row, 'data-unread': read ? undefined : true }
  return link === null ? (
    <button type="button" {...marks} onClick={onRead}>
      <About notification={notification} />
    </button>
  ) : (
    <Link
      to={path}
      search={Object.fromEntries(new URLSearchParams(query))}
      {...marks}
      onClick={() => {
        onRead()
        onUse()
      }}
    >
      <About notification={notification} />
    </Link>
  )
}

type Props = { list: List<Notification, { unread: number }>; children: ReactNode }

/** What the person was told in the last 30 days, newest first. */
export const NotificationList = ({ list, children }: Props) => {
  const { api } = useSystem()
  const [open, setOpen] = useState(true)
  const read = useMutation({ ...readNotificationMutation(api), onError: failed })
  const readAll = useMutation({ ...readNotificationsMutation(api), onError: failed })
  const newest = list.rows[0]?.id
  return (
    <Popover.Root
      open={open}
      onOpenChange={(change) => setOpen(change.open)}
      positioning={{ placement: 'bottom-end', gutter: 4, strategy: 'fixed' }}
    >
      <Popover.Trigger asChild>{children}</Popover.Trigger>
      <Popover.Content className={box} aria-label="Notifications">
        <div className={head}>
          <h2 className={title}>Notifications</h2>
          {newest !== undefined && (list.first?.unread ?? 0) > 0 && (
            <Button size="small" busy={readAll.isPending} busyLabel="Marking..." onClick={() => readAll.mutate(newest)}>
              Mark all as read
            </Button>
          )}
        </div>
        <div className={rows}>
          {list.error && list.rows.length === 0 && (
            <div className={failure}>
              <FailureBox error={list.error} onRetry={list.retry} />
            </div>
          )}
          {list.isEmpty && <p className={none}>No notifications</p>}
          {list.rows.map((notification) => (
            <Row
              key={notification.id}
              notification={notification}
              onUse={() => setOpen(false)}
              onRead={() => notification.read || read.mutate(notification.id)}
            />
          ))}
        </div>
        <div className={foot}>
          <Link to="/account/settings/notifications" search className={linkStyle()} onClick={() => setOpen(false)}>
            Notification settings
          </Link>
          {list.hasMore && (
            <Button size="small" busy={list.isLoadingMore} onClick={list.loadMore}>
              Show more
            </Button>
          )}
        </div>
      </Popover.Content>
    </Popover.Root>
  )
}
