import { css } from 'styled-system/css'
import type { SentInvite } from '../../api/mutations/accounts/members'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/text/copy-button'
import { Panel } from '../../ui/layout/panel'
import { Shape } from '../../ui/layout/shape'

const list = css({ display: 'grid' })
const line = css({
  display: 'flex',
  alignItems: 'center',
  gap: '8',
  px: '16',
  py: '4',
  borderBottom: 'line',
  '& > span': { flex: '1', minW: '0', overflow: 'hidden', textOverflow: 'ellipsis' },
})
const foot = css({ px: '16', py: '12', color: 'muted', textStyle: 'small' })

/** The sent invites. The links are shown here once: the server stores only their hashes. */
export const SentInvites = ({ sent, onDone }: { sent: readonly SentInvite[]; onDone: () => void }) => (
  <div role="status" className={css({ maxW: 'form' })}>
    <Panel
      flush
      title={sent.length === 1 ? '1 invite sent' : `${sent.length} invites sent`}
      aside={
        <Button size="small" onClick={onDone}>
          Done
        </Button>
      }
    >
      <ul className={list}>
        {sent.map(({ id, email, accept_url: url }) => (
          <li key={id} className={line}>
            <Shape name="success" />
            <span title={email}>{email}</span>
            <CopyButton value={url} label={`Copy the link for ${email}`} />
          </li>
        ))}
      </ul>
      <p className={foot}>The links were sent by mail. To share a link yourself, copy it now. It is not shown again.</p>
    </Panel>
  </div>
)
