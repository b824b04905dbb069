import { describe, expect, it } from 'vitest'
import { formatZoom, parseZoom, shift, zoomIn, zoomOut, zoomTo } from './zoom'

const hour = 3_600_000
const now = 1_780_000_000_000
const whole = 24 * hour
const last = { from: now - whole, to: now }

describe('a zoom', () => {
  it('is read from the address as it was written there', () => {
    const zoom = { from: now - 2 * hour, to: now - hour }
    expect(parseZoom(formatZoom(zoom))).toEqual(zoom)
  })

  it.each([undefined, '', 'x', '1-2', '1780000000-1780000000', '1780003600-1780000000', '1780000000-1780000299'])(
    'is none where the address has %s',
    (text) => expect(parseZoom(text)).toBeUndefined(),
  )

  it('in is half as long around the same middle, down to five minutes', () => {
    expect(zoomIn(last, now)).toEqual({ from: now - 18 * hour, to: now - 6 * hour })
    let zoom = last
    for (let n = 0; n < 20; n++) zoom = zoomIn(zoom, now)
    expect(zoom.to - zoom.from).toBe(300_000)
  })

  it('out is twice as long, and the whole range in the end', () => {
    const once = zoomIn(last, now)
    const twice = zoomIn(once, now)
    expect(zoomOut(twice, whole, now)).toEqual(once)
    expect(zoomOut(once, whole, now)).toBeUndefined()
  })

  it('moves by half of its length, and never into the future', () => {
    const zoom = { from: now - 3 * hour, to: now - hour }
    expect(shift(zoom, -1, now)).toEqual({ from: now - 4 * hour, to: now - 2 * hour })
    expect(shift(shift(zoom, 1, now), 1, now)).toEqual({ from: now - 2 * hour, to: now })
  })

  it('that was dragged over a few seconds has five minutes', () => {
    expect(zoomTo({ from: now - hour, to: now - hour + 1000 }, now)).toEqual({
      from: now - hour + 500 - 150_000,
      to: now - hour + 500 + 150_000,
    })
  })
})
