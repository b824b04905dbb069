import { BlockList, isIPv6 } from 'node:net'

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

/** Whether an address is one of these addresses or in one of these networks; an empty list allows any. */
export const isAllowedAddress = (allowed: readonly string[], ip: string): boolean => {
  if (allowed.length === 0) return true
  const list = new BlockList()
  for (const network of allowed) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  const [address = ''] = ip.split('%')
  // An IPv4 client of a socket for both families: `BlockList` compares it with the rules for IPv4.
  return list.check(address, familyOf(address))
}
