import type { Overview } from '../../../contract/overview/monitor'
import { Panel, PanelSkeletons } from '../../ui/layout/panel'
import type { ShapeName } from '../../ui/layout/shape'
import { AllLink } from './all-link'
import { AttentionAction } from './attention-action'
import { DeviceEntry } from './device-entry'
import { LogsLink } from './logs-link'
import { ReleaseLink } from './release-link'

const shapes: Record<Overview['attention'][number]['kind'], ShapeName> = {
  critical: 'error',
  failed: 'error',
  revoked: 'error',
  warning: 'warning',
  offline: 'offline',
  pending: 'waiting',
}

type Props = { items: Overview['attention'] | undefined; total: number | undefined }

/** Problems that need attention, worst first, each with what can be done about it at once. */
export const AttentionPanel = ({ items, total }: Props) => (
  <Panel
    flush
    title="Attention"
    aside={total !== undefined && <AllLink attention="any" total={total} of="devices that need attention" />}
  >
    {items === undefined ? (
      <PanelSkeletons rows={4} />
    ) : (
      items.map((item) => (
        <DeviceEntry
          key={`${item.device_id}:${item.kind}`}
          device={item}
          shape={shapes[item.kind]}
          kind={item.kind}
          at={item.since}
          says={item.text}
        >
          {item.action === 'open_logs' && <LogsLink device={item} />}
          {item.action === 'open_release' && item.release_id !== null && <ReleaseLink item={item} releaseId={item.release_id} />}
          {item.action !== null && item.action !== 'open_logs' && item.action !== 'open_release' && (
            <AttentionAction item={item} action={item.action} />
          )}
        </DeviceEntry>
      ))
    )}
  </Panel>
)
