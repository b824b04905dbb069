import { spawn } from 'node:child_process'
import type { DeviceConfig } from '../../contract/device/config'
import { wait } from '../core/wait'

const limitMs = 900_000

/** Asks the system to restart and waits for the end of this process; returns false if the restart did not happen. */
export const rebootBySystem = async (config: DeviceConfig, stopping: AbortSignal): Promise<boolean> => {
  const child = spawn('/bin/sh', ['-c', config.reboot_command ?? 'true'], { stdio: 'inherit' })
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', (code) => resolve(code ?? 1))
  })
  if ((await Promise.race([ended, wait(limitMs, stopping)])) !== 0) {
    child.kill('SIGKILL')
    return stopping.aborted
  }
  await wait(limitMs, stopping)
  return stopping.aborted
}
