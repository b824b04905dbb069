import { expect, it } from 'vitest'
import { downloadSpeedOf } from './download-speed'

const report = (type: string, seconds: number, bytes_done: number | null) => ({ type, ts_ms: seconds * 1000, bytes_done })

it('is the growth between the reports of a download, by the clock of the device', () => {
  const speed = downloadSpeedOf([
    report('update_offered', 0, null),
    report('download_started', 2, 0),
    report('download_progress', 4, 1000),
    report('download_completed', 5, 4000),
    report('verification_passed', 9, null),
  ])
  expect(speed).toEqual({
    mean: 4000 / 3,
    points: [
      { at: 4000, speed: 500 },
      { at: 5000, speed: 3000 },
    ],
  })
})

it('does not count the time of an interruption', () => {
  const speed = downloadSpeedOf([
    report('download_started', 0, 0),
    report('download_progress', 1, 1000),
    report('download_resumed', 100, 800),
    report('download_completed', 101, 1800),
  ])
  expect(speed?.mean).toBe(1000)
})

it('is not known from one report, or from several of the same moment', () => {
  expect(downloadSpeedOf([report('download_started', 0, 0)])).toBeNull()
  expect(downloadSpeedOf([report('download_started', 0, 0), report('download_completed', 0, 900)])).toBeNull()
})
