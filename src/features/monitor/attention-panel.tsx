import { css } from 'styled-system/css'
import type { Overview } from '../../../contract/monitor'
import { useRefusal } from '../../system/grants'
import { Panel, PanelSkeletons } from '../../ui/panel'
import type { ShapeName } from '../../ui/shape'
import { AttentionAction } from './attention-action'
import { DeviceEntry } from './device-entry'

const shapes: Record<Overview['attention'][number]['kind'], ShapeName> = {
  critical: 'error',
  failed: 'error',
  warning: 'warning',
  offline: 'offline',
  pending: 'waiting',
}
const deed = css({ gridColumn: '2 / -1', mt: '4' })

/** Problems that need attention, worst first, each with what can be done about it at once. */
export const AttentionPanel = ({ items }: { items: Overview['attention'] | undefined }) => {
  const refused = useRefusal('project:manage_devices')
  return (
    <Panel flush title="Attention" aside={items && items.length > 0 ? String(items.length) : undefined}>
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
            {item.action && (
              <span className={deed}>
                <AttentionAction item={item} action={item.action} refused={refused} />
              </span>
            )}
          </DeviceEntry>
        ))
      )}
    </Panel>
  )
}
