import type { LogLine, LogsAnswer } from '../../contract/device/api'
import type { LogLevel } from '../../contract/device/config-fields'
import type { DeviceApi } from '../api-client/device-api'
import type { Store } from '../state/store'

const maxLines = 2000
const batchSize = 500

/** A server that asks to wait has stored only the first lines of a batch. */
export const countTaken = ({ accepted, next_allowed_ms }: LogsAnswer, sent: number): number =>
  next_allowed_ms > 0 ? Math.min(accepted, sent) : sent

/** Log lines of a device until they are sent. While they are held they get no number: those of the past come before them. */
export const createLogBuffer = (store: Store, bootId: () => string, isHeld: () => boolean) => {
  let held: Omit<LogLine, 'sequence'>[] = []
  let lines: LogLine[] = []
  let isSending = false
  const release = () => {
    const first = store.state.next_log
    store.change({ next_log: first + held.length })
    lines = [...lines, ...held.map((line, index) => ({ ...line, sequence: first + index }))].slice(-maxLines)
    held = []
  }
  return {
    add: (level: LogLevel, unit: string, message: string): void => {
      held = [...held, { ts_ms: Date.now(), level, unit, message, boot_id: bootId() }].slice(-maxLines)
      if (!isHeld()) release()
    },
    send: async (api: DeviceApi): Promise<void> => {
      if (isHeld() || isSending) return
      release()
      const part = lines.slice(0, batchSize)
      if (part.length === 0) return
      isSending = true
      try {
        const last = part[countTaken(await api.logs(part), part.length) - 1]
        if (last) lines = lines.filter(({ sequence }) => sequence > last.sequence)
      } finally {
        isSending = false
      }
    },
  }
}
