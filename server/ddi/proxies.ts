import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** What a proxy says of a client certificate that it has verified: its common name, and SHA-256 of its authority's certificate. */
type Verified = { controllerId: string; authority: string }

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

const listOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

/** Also in the form in which openssl prints it: upper case, with colons. */
const readHash = (text: string): string | undefined => {
  const hash = text.replaceAll(':', '').toLowerCase()
  return /^[\da-f]{64}$/.test(hash) ? hash : undefined
}

/**
 * Reads the headers of trusted proxies only. The address is that of the socket: clients can claim another one. Node joins a
 * header that was sent twice with a comma and a space, which neither value may contain.
 */
export const createProxyReader = (networks: readonly string[]) => {
  const trusted = listOf(networks)
  return ({ socket, headers }: FastifyRequest): Verified | undefined => {
    const [address = ''] = (socket.remoteAddress ?? '').split('%')
    if (isIP(address) === 0 || !trusted.check(address, familyOf(address))) return undefined
    const { 'x-controller-id': controllerId, 'x-authority': claimed } = headers
    if (typeof controllerId !== 'string' || typeof claimed !== 'string') return undefined
    const authority = readHash(claimed)
    return authority === undefined ? undefined : { controllerId, authority }
  }
}
