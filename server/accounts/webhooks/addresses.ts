import { lookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

/** Which receivers are allowed beside public addresses. */
export type ReceiverRules = {
  /** The networks of TEASEL_WEBHOOK_ALLOW. */
  networks: readonly string[]
  /** The local environment: also this machine, by HTTP too. */
  loopback: boolean
}

/** Azure answers requests of its virtual machines here, with their secrets. It looks like a public address. */
const ofClouds = ['168.63.129.16']
const globalUnicast = ipaddr.parseCIDR('2000::/3')

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, network: string) => {
  const cidr = network.includes('/') ? network : `${network}/${network.includes(':') ? 128 : 32}`
  const range = ipaddr.parseCIDR(cidr)
  return range[0].kind() === address.kind() && address.match(range)
}

/** Whether events may be sent to an address: a public one, whatever its form, or an exception. */
const isAllowedReceiver = (text: string, { networks, loopback }: ReceiverRules): boolean => {
  if (!ipaddr.isValid(text)) return false
  // An IPv4 address that is mapped into IPv6 reaches the same machine.
  const address = ipaddr.process(text)
  if (networks.some((network) => isWithin(address, network))) return true
  if (address.range() === 'loopback') return loopback
  const isPublic = address.kind() === 'ipv4' || address.match(globalUnicast)
  return isPublic && address.range() === 'unicast' && !ofClouds.includes(address.toString())
}

type Address = { address: string; family: number }

/** The addresses of a host name, asked for once. Empty if it has none, or the answer takes too long. */
export type Resolve = (host: string) => Promise<readonly Address[]>

const limitMs = 5000
const resolveHost: Resolve = (host) => {
  const asked = lookup(host, { all: true, verbatim: true }).catch(() => [])
  return Promise.race([asked, pause(limitMs, [], { ref: false })])
}

/** The address to connect to. All addresses of the host must be allowed: it could answer with another one the next time. */
type Receiver = { ok: true; to: Address } | { ok: false; reason: 'private_address' | 'unresolved' | 'insecure' }

export const findReceiver = async (url: URL, rules: ReceiverRules, resolve: Resolve = resolveHost): Promise<Receiver> => {
  // An IPv6 address is in brackets.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const found = ipaddr.isValid(host) ? [{ address: host, family: host.includes(':') ? 6 : 4 }] : await resolve(host)
  const [to] = found
  if (!to) return { ok: false, reason: 'unresolved' }
  if (!found.every(({ address }) => isAllowedReceiver(address, rules))) return { ok: false, reason: 'private_address' }
  // Loopback is allowed in the local environment only.
  const isLocal = rules.loopback && found.every(({ address }) => ipaddr.process(address).range() === 'loopback')
  return url.protocol === 'https:' || isLocal ? { ok: true, to } : { ok: false, reason: 'insecure' }
}
