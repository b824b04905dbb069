import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mount = (path: string, kib: number) =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', path], { stdio: 'ignore' })
const unmount = (path: string) => execFileSync('umount', ['--lazy', path], { stdio: 'ignore' })

const works = (() => {
  const path = mkdtempSync(join(tmpdir(), 'teasel-mount-'))
  try {
    mount(path, 64)
    unmount(path)
    return true
  } catch {
    return false
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
})()

/**
 * A disk of so many KiB, for tests of a full one. Needs the right to mount; if `works` is false such tests are reported as
 * skipped.
 */
export const mountSmallDisk = Object.assign(
  (kib: number) => {
    const path = mkdtempSync(join(tmpdir(), 'teasel-small-'))
    mount(path, kib)
    return {
      path,
      unmount: () => {
        unmount(path)
        rmSync(path, { recursive: true, force: true })
      },
    }
  },
  { works },
)
