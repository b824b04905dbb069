import { flapping, type Overview } from '../../../contract/overview/monitor'
import { Panel } from '../../ui/layout/panel'
import { AllLink } from './all-link'
import { DeviceEntry } from './device-entry'
import { LogsLink } from './logs-link'

const words = { connectivity: 'Off and on', health: 'Healthy and unhealthy' }

type Props = { items: Overview['flapping']; total: number | null }

/** Devices that changed often in the last hours, those that just did first. */
export const FlappingPanel = ({ items, total }: Props) => (
  <Panel flush title="Flapping" aside={<AllLink attention="flapping" total={total} of="flapping devices" />}>
    {items.map((item) => (
      <DeviceEntry
        key={`${item.device_id}:${item.kind}`}
        device={item}
        shape="warning"
        kind={item.kind}
        at={item.last_at}
        says={`${words[item.kind]} ${item.times} times in ${flapping.hours} h`}
      >
        <LogsLink device={item} />
      </DeviceEntry>
    ))}
  </Panel>
)
