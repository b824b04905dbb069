import type { UpdateEvent } from '../../../../contract/updates/device-updates'
import { readable } from '../../../lib/status-display'
import { Code } from '../../../ui/text/code'
import * as Drawer from '../../../ui/overlay/drawer'

/** An update event as the API gives it. */
export const EventDrawer = ({ event, onClose }: { event: UpdateEvent; onClose: () => void }) => (
  <Drawer.Root open onOpenChange={({ open }) => !open && onClose()}>
    <Drawer.Panel title={readable(event.type)}>
      <Code json label="Event" code={JSON.stringify(event, null, 2)} />
    </Drawer.Panel>
  </Drawer.Root>
)
