import type { LogLine } from '../../contract/device/api'
import type { LogLevel } from '../../contract/device/config-fields'
import type { DeviceApi } from '../api-client/device-api'
import type { Store } from '../state/store'

const maxLines = 2000
const batchSize = 500

/** Log lines of a device until they are sent. */
export const createLogBuffer = (store: Store, bootId: () => string) => {
  let lines: LogLine[] = []
  return {
    add: (level: LogLevel, unit: string, message: string, ts_ms = Date.now()): void => {
      const sequence = store.state.next_log
      store.change({ next_log: sequence + 1 })
      lines = [...lines, { sequence, ts_ms, level, unit, message, boot_id: bootId() }].slice(-maxLines)
    },
    send: async (api: DeviceApi): Promise<void> => {
      const part = lines.slice(0, batchSize)
      if (part.length === 0) return
      await api.logs(part)
      lines = lines.slice(part.length)
    },
  }
}
