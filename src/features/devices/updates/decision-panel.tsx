import { useQuery } from '@tanstack/react-query'
import type { UpdateState } from '../../../../contract/device/update-events'
import type { UpdateDecision } from '../../../../contract/updates/device-updates'
import type { Device } from '../../../../contract/fleet/devices'
import { updateDecisionQuery } from '../../../api/queries/fleet/devices'
import { every, paces } from '../../../api/refresh'
import { parseTime } from '../../../lib/dates'
import { formatDue } from '../../../lib/due'
import { FailureBox } from '../../../system/failure/failure-box'
import { useSystem } from '../../../system/system'
import { IconButton } from '../../../ui/icon/icon-button'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import { useNow } from '../../../ui/text/time'
import { type Check, Trace } from '../../../ui/layout/trace'

const marks = {
  pass: 'passed',
  fail: 'stopped',
  not_reached: 'notreached',
  not_applicable: 'notreached',
} as const satisfies Record<string, Check['mark']>

const looks = {
  offer: { kind: 'info', shape: 'running', answer: 'The device gets the release at its next check-in' },
  wait: { kind: 'warning', shape: 'waiting', answer: 'Waiting' },
  none: { kind: 'neutral', shape: 'none', answer: 'No update available' },
} as const

const names: Record<UpdateDecision['checks'][number]['id'], string> = {
  lifecycle_active: 'Device is active',
  project_active: 'Project is active',
  updates_enabled: 'Updates are on',
  not_quarantined: 'Not in quarantine',
  rollout_matches: 'A rollout matches',
  hardware_matches: 'Hardware is compatible',
  not_already_installed: 'Not installed yet',
  version_newer: 'Version is newer',
  min_version_met: 'Minimum version met',
  rollback_number_ok: 'Rollback number allows it',
  key_trusted: 'Key is trusted',
  signature_valid_and_unexpired: 'Signature is valid',
  rollout_running: 'Rollout is running',
  wave_open: 'Its wave is open',
  window_open: 'Maintenance window',
  retries_left_and_backoff_over: 'Retries left',
  slot_free: 'A slot is free',
  rate_ok: 'Start rate allows it',
}

/** From the first byte to the confirmation. */
const underWay: ReadonlySet<string> = new Set<UpdateState>([
  'downloading',
  'downloaded',
  'verifying',
  'installing',
  'rebooting',
  'validating',
  'claimed',
])

const question = 'Why is this device not updating?'

/** The server's decision, check by check, by the same code that answers the device. */
export const DecisionPanel = ({ device: { id: deviceId, update } }: { device: Device }) => {
  const { api } = useSystem()
  const now = useNow()
  const { data, error, refetch } = useQuery({
    ...updateDecisionQuery(api, deviceId),
    refetchInterval: every(paces.fleet),
  })
  if (error && !data) return <FailureBox error={error} onRetry={() => void refetch()} />
  if (!data)
    return (
      <Panel flush title={question}>
        <PanelSkeletons rows={4} />
      </Panel>
    )
  const { kind, shape, answer } = looks[data.outcome]
  // By the same checks the server answers a repeated request with the same release.
  const isUnderWay = data.outcome === 'offer' && update?.rollout_id === data.rollout_id && underWay.has(update.state)
  const stopped = data.checks.find((check) => check.result === 'fail')
  const until = stopped?.until ?? data.next_check_at
  return (
    <Panel
      flush
      title={question}
      aside={<IconButton icon="refresh" label="Check again" variant="ghost" size="small" onClick={() => void refetch()} />}
    >
      <Trace
        kind={kind}
        shape={shape}
        answer={stopped?.text ?? (isUnderWay ? `The update is under way: ${update.state}` : answer)}
        until={until === null ? undefined : `Next check ${formatDue(parseTime(until), now)}.`}
        checks={data.checks.map((check) => ({
          name: names[check.id] ?? check.id,
          mark: marks[check.result],
          observed: check.observed ?? undefined,
        }))}
      />
    </Panel>
  )
}
