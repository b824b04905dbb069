import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DeviceConfig } from '../../contract/device/config'
import { rebootBySystem } from './reboot'

const reboot = (reboot_command: string, stopping: AbortSignal) => rebootBySystem({ reboot_command } as DeviceConfig, stopping)
afterEach(() => void vi.useRealTimers())

describe('a reboot command that hangs', () => {
  it('does not keep the agent from being stopped', async () => {
    const stop = new AbortController()
    const rebooting = reboot('exec sleep 1000', stop.signal)
    stop.abort()
    expect(await rebooting).toBe(true)
  })

  it('counts as failed after 15 minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const rebooting = reboot('exec sleep 1000', new AbortController().signal)
    vi.advanceTimersByTime(900_000)
    expect(await rebooting).toBe(false)
  })
})

it('a reboot command that fails is reported at once', async () => {
  expect(await reboot('exit 3', new AbortController().signal)).toBe(false)
})
