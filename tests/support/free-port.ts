import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { randomInt } from 'node:crypto'

/** The ports that Linux gives to outgoing connections, both ends included; the default if the file is missing. */
const ephemeral = (): [number, number] => {
  try {
    const [low = 0, high = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/).map(Number)
    return [low, high]
  } catch {
    return [32_768, 60_999]
  }
}

const lowest = 10_000
const [low, high] = ephemeral()
/** The larger range outside the ephemeral ports: an outgoing connection cannot take a port of it before the server listens. */
const [from, to] = low - lowest > 65_536 - high ? [lowest, low] : [high + 1, 65_536]
/** Concurrent test files use separate ranges of ports. */
const width = Math.floor((to - from) / 4)
const first = from + (Number(process.env.VITEST_POOL_ID ?? 0) % 4) * width

const given = new Set<number>()

const isFree = async (port: number, host: string) => {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    // On a machine without IPv6, ::1 cannot be in use.
    return error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL'
  }
  server.close()
  await once(server, 'close')
  return true
}

/** The first of so many free loopback ports in a row. */
export const freePorts = async (count: number): Promise<number> => {
  const lowest = await freePort()
  for (let port = lowest + 1; port < lowest + count; port++) {
    if (given.has(port) || !(await isFree(port, '127.0.0.1')) || !(await isFree(port, '::1'))) return freePorts(count)
    given.add(port)
  }
  return lowest
}

/** A free loopback port. The same one is never returned twice, because its server may not listen yet. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(first, first + width)
  if (given.has(port) || !(await isFree(port, '127.0.0.1')) || !(await isFree(port, '::1'))) return freePort()
  given.add(port)
  return port
}
