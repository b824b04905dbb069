import { flapping, type Overview } from '../../../contract/monitor'
import { Panel } from '../../ui/panel'
import { DeviceEntry } from './device-entry'

const words = { connectivity: 'Off and on', health: 'Healthy and unhealthy' }

/** Devices that changed often in the last hours, those that just did first. */
export const FlappingPanel = ({ items }: { items: Overview['flapping'] }) => (
  <Panel flush title="Flapping" aside={String(items.length)}>
    {items.map((item) => (
      <DeviceEntry
        key={`${item.device_id}:${item.kind}`}
        device={item}
        shape="warning"
        kind={item.kind}
        at={item.last_at}
        says={`${words[item.kind]} ${item.times} times in ${flapping.hours} h`}
      />
    ))}
  </Panel>
)
