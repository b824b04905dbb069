import { type Device, unusedLifecycles } from '../../../../contract/fleet/devices'
import { connectivityDisplay, lifecycleDisplay, type StatusDisplay } from '../../../lib/status-display'

/** Whether a device is heard of, or that it is out of use. */
export const contactDisplay = ({ lifecycle, connectivity }: Pick<Device, 'lifecycle' | 'connectivity'>): StatusDisplay =>
  unusedLifecycles.includes(lifecycle) ? lifecycleDisplay(lifecycle) : connectivityDisplay(connectivity)
