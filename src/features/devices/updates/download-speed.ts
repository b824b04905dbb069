import type { UpdateEvent } from '../../../../contract/updates/device-updates'

export type DownloadSpeed = {
  /** Bytes a second from the first report to the last, without the time between an interruption and its end. */
  mean: number
  /** The speed up to each report, by the clock of the device. */
  points: { at: number; speed: number }[]
}

type Report = Pick<UpdateEvent, 'type' | 'ts_ms' | 'bytes_done'>

/** The speed of a download by its reports (oldest first); null if there are fewer than two. */
export const downloadSpeedOf = (events: readonly Report[]): DownloadSpeed | null => {
  const points: DownloadSpeed['points'] = []
  let [before, bytes, ms]: [Report | undefined, number, number] = [undefined, 0, 0]
  for (const event of events) {
    if (!event.type.startsWith('download_') || event.bytes_done === null) continue
    const took = before === undefined ? 0 : event.ts_ms - before.ts_ms
    const gained = event.bytes_done - (before?.bytes_done ?? 0)
    // After an interruption the download resumes at a former byte.
    if (before !== undefined && event.type !== 'download_resumed' && took > 0 && gained >= 0) {
      points.push({ at: event.ts_ms, speed: (gained * 1000) / took })
      bytes += gained
      ms += took
    }
    before = event
  }
  return ms === 0 ? null : { mean: (bytes * 1000) / ms, points }
}
