import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSigningKey } from '../contract/device/private-key'
import { makeDirectory } from './core/files'
import { holdLock } from './core/lock'
import { wait } from './core/wait'
import { quietWarnings } from './core/warnings'
import { type Arguments, help, readArguments, Usage } from './simulate/arguments'
import { fleetOf } from './simulate/classes'
import { runDevice } from './simulate/run-device'
import { openMemory } from './simulate/memory'
import type { FleetOptions } from './simulate/options'
import { randomOf } from './simulate/random'
import { type SimulatedDevice, simulatedDevice } from './simulate/simulated-device'
import { newState } from './state/store'

const note = (what: string) => void process.stderr.write(`fleet: ${what}\n`)

const devicesOf = async (given: Arguments, options: FleetOptions, stopping: AbortSignal): Promise<SimulatedDevice[]> => {
  const { among, count, directory, factory } = given
  const devices: SimulatedDevice[] = []
  for (const profile of fleetOf(options.seed, count, among, (name) => randomOf(options.seed, name))) {
    const { privateKeyPem } = await generateSigningKey('ed25519')
    const memory = openMemory(join(directory, `${profile.serial}.json`), () => ({
      schema: 1,
      state: { ...newState(), installed: factory(profile.kind.model) },
      identity: null,
      private_key: privateKeyPem,
      born_ms: Date.now(),
    }))
    devices.push(simulatedDevice(profile, memory, options, stopping))
  }
  return devices
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
  const options: FleetOptions = {
    ...given.options,
    recordIncident: (serial, incident, ts_ms) => record('ground-truth.ndjson', { serial, incident, ts_ms }),
    recordAnswer: (serial, told) => record('answers.ndjson', { serial, told, ts_ms: Date.now() }),
  }
  const devices = await devicesOf(given, options, stopping)
  note(`${devices.length} devices for ${options.server}`)
  const saving = setInterval(() => devices.forEach(({ memory }) => memory.save()), 2000)
  await Promise.all(
    devices.map(async (device, at) => {
      // Staggered: the devices of a fleet start over a few seconds.
      await wait(at * 250, stopping)
      await runDevice(device, note)
    }),
  )
  clearInterval(saving)
  for (const { memory } of devices) memory.save()
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
