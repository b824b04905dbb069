import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSigningKey } from '../contract/device/private-key'
import { makeDirectory } from './core/files'
import { holdLock } from './core/lock'
import { wait } from './core/wait'
import { quietWarnings } from './core/warnings'
import { type Arguments, help, readArguments, Usage } from './simulate/arguments'
import { type DeviceProfile, fleetOf } from './simulate/classes'
import { runHostile } from './simulate/hostile'
import type { HostileKind } from './simulate/hostile-kinds'
import { followKeysFile } from './simulate/keys-file'
import { runDevice } from './simulate/run-device'
import { openMemory } from './simulate/memory'
import type { FleetOptions } from './simulate/options'
import { randomOf } from './simulate/random'
import { type SimulatedDevice, simulatedDevice } from './simulate/simulated-device'
import { newState } from './state/store'

const note = (what: string) => void process.stderr.write(`fleet: ${what}\n`)

type Hostile = { device: SimulatedDevice; kind: HostileKind; copied: SimulatedDevice | undefined }

const devicesOf = async (
  { among, count, directory, factory, hostile }: Arguments,
  options: FleetOptions,
  stopping: AbortSignal,
): Promise<{ devices: SimulatedDevice[]; others: Hostile[] }> => {
  const make = async (profile: DeviceProfile, name: string) => {
    const { privateKeyPem } = await generateSigningKey('ed25519')
    const memory = openMemory(join(directory, `${name}.json`), () => ({
      schema: 1,
      state: { ...newState(), installed: factory(profile.kind.model) },
      identity: null,
      private_key: privateKeyPem,
      born_ms: Date.now(),
    }))
    return simulatedDevice(profile, memory, options, stopping)
  }
  const profiles = fleetOf(options.seed, count + hostile.length, among, (name) => randomOf(options.seed, name))
  const devices: SimulatedDevice[] = []
  const others: Hostile[] = []
  for (const [at, profile] of profiles.entries()) {
    const kind = hostile[at - count]
    if (kind === undefined) devices.push(await make(profile, profile.serial))
    else {
      const copied = kind === 'duplicate_serial' ? devices[0] : undefined
      const serial = copied?.serial ?? profile.serial
      others.push({ kind, copied, device: await make({ ...profile, serial }, `${profile.serial}-${kind}`) })
    }
  }
  return { devices, others }
}

const stopSignal = (): AbortSignal => {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort())
  // Started by the server: when it has ended, nothing else could stop this process.
  if (process.channel) process.once('disconnect', () => stop.abort())
  return stop.signal
}

const main = async (): Promise<number> => {
  const given = await readArguments(process.argv.slice(2))
  if (!given) {
    process.stdout.write(help)
    return 0
  }
  makeDirectory(given.directory)
  await holdLock(given.directory)
  const stopping = stopSignal()
  const record = (file: string, entry: object) => appendFileSync(join(given.directory, file), `${JSON.stringify(entry)}\n`)
  const followed = await followKeysFile(given.keys, given.keysFile)
  const options: FleetOptions = {
    ...given.options,
    keys: followed.keys,
    recordIncident: (serial, incident, ts_ms) => record('ground-truth.ndjson', { serial, incident, ts_ms }),
    recordHostile: (serial, kind, statuses) => record('hostile.ndjson', { serial, kind, statuses, ts_ms: Date.now() }),
    recordAnswer: (serial, told) => record('answers.ndjson', { serial, told, ts_ms: Date.now() }),
  }
  const { devices, others } = await devicesOf(given, options, stopping)
  const all = [...devices, ...others.map(({ device }) => device)]
  note(`${all.length} devices for ${options.server}`)
  const saving = setInterval(() => all.forEach(({ memory }) => memory.save()), 2000)
  const runs = [
    ...devices.map((device) => () => runDevice(device, note)),
    ...others.map(
      ({ device, kind, copied }) =>
        () =>
          runHostile(device, kind, copied),
    ),
  ]
  await Promise.all(
    runs.map(async (run, at) => {
      // Staggered: the devices of a fleet start over a few seconds.
      await wait(at * 250, stopping)
      await run()
    }),
  )
  clearInterval(saving)
  followed.close()
  for (const { memory } of all) memory.save()
  return 0
}

const isUsage = (error: unknown) =>
  error instanceof Usage || (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

quietWarnings()
process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(
    `fleet: ${error instanceof Error ? error.message : String(error)}\n${isUsage(error) ? 'Try --help\n' : ''}`,
  )
  return isUsage(error) ? 2 : 1
})
process.exit()
