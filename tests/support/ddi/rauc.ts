import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { within } from '../machine-load'

const run = promisify(execFile)

/** rauc-hawkbit-updater, which Debian 12 does not package. */
export const updater = process.env.TEASEL_RHU ?? ''
const programs = ['/usr/bin/rauc', '/usr/bin/dbus-daemon', '/usr/bin/mksquashfs']

const findObstacle = (): string | null => {
  if (updater === '') return 'TEASEL_RHU names no program'
  const missing = [updater, ...programs].filter((path) => !existsSync(path))
  if (missing.length > 0) return `${missing.join(', ')} does not exist`
  // RAUC mounts the bundle.
  return process.getuid?.() === 0 ? null : 'RAUC needs root'
}

/** Why rauc-hawkbit-updater and RAUC cannot run here; null if they can. */
export const obstacle = findObstacle()

const compatible = 'gateway'

type Bundle = { directory: string; signer: { cert: string; key: string }; version: string; content: Buffer }

/** A signed bundle that writes its content into the other slot. Returns its path. */
export const createRaucBundle = async ({ directory, signer: { cert, key }, version, content }: Bundle): Promise<string> => {
  const contents = join(directory, 'contents')
  const bundle = join(directory, 'update.raucb')
  await mkdir(contents, { recursive: true })
  await writeFile(join(contents, 'rootfs.img'), content)
  // The format `verity` needs a device mapper.
  await writeFile(
    join(contents, 'manifest.raucm'),
    `[update]\ncompatible=${compatible}\nversion=${version}\n\n[bundle]\nformat=plain\n\n[image.rootfs]\nfilename=rootfs.img\n`,
  )
  await run('rauc', ['bundle', `--cert=${cert}`, `--key=${key}`, contents, bundle])
  return bundle
}

/** The file of a slot. */
export const slotFile = (directory: string, slot: 'A' | 'B') => join(directory, `slot-${slot}`)
const slotBytes = 1_048_576

const writeSettings = async (directory: string, cert: string) => {
  const slot = (name: 'A' | 'B', index: number) =>
    `[slot.rootfs.${index}]\ndevice=${slotFile(directory, name)}\ntype=raw\nbootname=${name}\n`
  await mkdir(join(directory, 'mounts'), { recursive: true })
  for (const name of ['A', 'B'] as const) {
    const path = slotFile(directory, name)
    if (existsSync(path)) continue
    await writeFile(path, '')
    await truncate(path, slotBytes)
  }
  await writeFile(
    join(directory, 'system.conf'),
    `[system]\ncompatible=${compatible}\nbootloader=noop\nmountprefix=${join(directory, 'mounts')}\n\n[keyring]\npath=${cert}\n\n${slot('A', 0)}\n${slot('B', 1)}`,
  )
  await writeFile(
    join(directory, 'bus.conf'),
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${join(directory, 'bus')}</listen>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
`,
  )
}

type Settings = {
  directory: string
  url: string
  id: string
  token: string
  cert: string
  /** The slot that has been started. */
  slot: 'A' | 'B'
  version: string
  bootId: string
  /** For so long at most. */
  withinMs?: number
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

/**
 * Runs the real updater and RAUC as one boot of a device until `isDone`. They meet on a bus of their own. Returns what they printed.
 */
export const runUpdater = async (
  { directory, url, id, token, cert, slot, version, bootId, withinMs = 45_000 }: Settings,
  isDone: () => Promise<boolean>,
): Promise<string> => {
  await writeSettings(directory, cert)
  const config = join(directory, 'config.conf')
  await writeFile(
    config,
    `[client]
hawkbit_server = ${new URL(url).host}
ssl = false
tenant_id = DEFAULT
target_name = ${id}
gateway_token = ${token}
bundle_download_location = ${join(directory, 'download.raucb')}
resume_downloads = true
retry_wait = 1

[device]
sw_version = ${version}
boot_id = ${bootId}
`,
  )
  const env = {
    ...process.env,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(directory, 'bus')}`,
    // Both programs use the session bus then.
    DBUS_STARTER_BUS_TYPE: 'session',
  }
  let printed = ''
  const children: ChildProcess[] = []
  const begin = (program: string, args: string[]) => {
    const child = spawn(program, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    children.push(child)
    return child
  }
  const deadline = performance.now() + within(withinMs)
  const waitFor = async (condition: () => Promise<boolean>) => {
    while (children.every(isRunning) && !(await condition()) && performance.now() < deadline) await pause(50)
  }
  try {
    begin('dbus-daemon', [`--config-file=${join(directory, 'bus.conf')}`, '--nofork', '--nopidfile'])
    await waitFor(async () => existsSync(join(directory, 'bus')))
    begin('rauc', ['service', `--conf=${join(directory, 'system.conf')}`, `--override-boot-slot=${slot}`])
    // It asks the service.
    await waitFor(() =>
      run('rauc', ['status'], { env }).then(
        () => true,
        () => false,
      ),
    )
    begin(updater, ['-c', config])
    await waitFor(isDone)
  } finally {
    // RAUC unmounts what it has mounted when it ends by SIGTERM.
    for (const child of children.toReversed()) {
      const ended = new Promise((resolve) => child.once('close', resolve))
      if (!isRunning(child)) continue
      child.kill('SIGTERM')
      await ended
    }
  }
  return printed
}
