import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { css } from 'styled-system/css'
import type { ListedCommand } from '../../../../contract/fleet/device-commands'
import { cancelCommandMutation } from '../../../api/mutations/fleet/devices'
import { commandQuery } from '../../../api/queries/fleet/devices'
import { formatBytes } from '../../../lib/bytes'
import { saveFile } from '../../../lib/save-file'
import { commandDisplay, readable } from '../../../lib/status-display'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Status } from '../../../ui/text/chip'
import { Code } from '../../../ui/text/code'
import { Icon } from '../../../ui/icon/icon'
import { Skeleton } from '../../../ui/layout/skeleton'
import { RelativeTime, useNow } from '../../../ui/text/time'
import { formatQueuedCommand } from '../../../lib/queued-command-text'
import { notifyFailed } from '../../../system/failure/notify-failed'

const classes = {
  entry: css({
    px: '16',
    py: '12',
    borderTop: 'line',
    _first: { borderTop: 'none' },
    display: 'grid',
    gap: '8',
    gridTemplateColumns: { base: 'minmax(0, 1fr)', sm: 'minmax(0, 1fr) auto' },
  }),
  line: css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: '12', rowGap: '4' }),
  name: css({ fontWeight: 'medium', minW: { sm: '180' } }),
  quiet: css({ color: 'muted' }),
  end: css({ display: 'flex', gap: '8', gridArea: { sm: '1 / 2 / span 2' }, alignSelf: 'start', _empty: { display: 'none' } }),
  output: css({
    gridColumn: '1 / -1',
    display: 'grid',
    gap: '8',
    gridTemplateColumns: 'minmax(0, 1fr)',
    '& pre': { maxH: '320', overflow: 'auto' },
  }),
}

const Output = ({ deviceId, command: { id, command } }: { deviceId: string; command: ListedCommand }) => {
  const { api } = useSystem()
  const { data, error, refetch } = useQuery(commandQuery(api, deviceId, id))
  if (data === undefined)
    return error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <Skeleton width="full" height="bar" />
  const text = data.output ?? ''
  return (
    <>
      <Code code={text} label={`Output of ${readable(command)}`} />
      <div>
        <Button
          size="small"
          icon={<Icon name="dl" size={14} />}
          onClick={() => saveFile(`${command}-${id}.txt`, text, 'text/plain')}
        >
          Download
        </Button>
      </div>
    </>
  )
}

const Cancel = ({ deviceId, command, nameId }: { deviceId: string; command: ListedCommand; nameId: string }) => {
  const ownId = useId()
  const { api } = useSystem()
  const refused = useRefusal('device:remote_command')
  const { mutate, isPending } = useMutation({ ...cancelCommandMutation(api, deviceId), onError: notifyFailed })
  return (
    <Button
      id={ownId}
      aria-labelledby={`${ownId} ${nameId}`}
      size="small"
      refused={refused}
      busy={isPending}
      busyLabel="Cancelling..."
      onClick={() => mutate(command.id)}
    >
      Cancel
    </Button>
  )
}

/** What has happened to it last, and when. */
const Progress = ({ command: { state, ...command } }: { command: ListedCommand }): ReactNode => {
  const now = useNow()
  if (state === 'queued') return formatQueuedCommand(command.expected_at, now)
  if (state === 'expired') return 'The device has not fetched it for a day'
  if (state === 'delivered')
    return (
      <>
        Fetched <RelativeTime value={command.delivered_at} />, no result yet
      </>
    )
  return <RelativeTime value={command.done_at} />
}

/** One command: what was sent by whom, its state, and its output on demand. */
export const CommandEntry = ({ deviceId, command }: { deviceId: string; command: ListedCommand }) => {
  const [open, setOpen] = useState(false)
  const [nameId, openId, outputId] = [useId(), useId(), useId()]
  const { shape, word } = commandDisplay(command.state)
  return (
    <li className={classes.entry}>
      <div className={classes.line}>
        <span id={nameId} className={classes.name}>
          {readable(command.command)}
        </span>
        <Status shape={shape}>{word}</Status>
        <span className={classes.quiet}>
          <Progress command={command} />
        </span>
      </div>
      <div className={classes.quiet}>
        Sent <RelativeTime value={command.created_at} />
        {command.created_by !== null && ` by ${command.created_by}`}
      </div>
      <span className={classes.end}>
        {command.output_bytes > 0 && (
          <Button
            id={openId}
            aria-labelledby={`${openId} ${nameId}`}
            size="small"
            aria-expanded={open}
            aria-controls={outputId}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Hide output' : `Show output (${formatBytes(command.output_bytes)})`}
          </Button>
        )}
        {command.state === 'queued' && <Cancel deviceId={deviceId} command={command} nameId={nameId} />}
      </span>
      <div id={outputId} className={classes.output} hidden={!open}>
        {open && <Output deviceId={deviceId} command={command} />}
      </div>
    </li>
  )
}
