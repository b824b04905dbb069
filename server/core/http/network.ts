/**
 * The unit of limits by address: an IPv4 address, or the first 64 bits of an IPv6 address, since one subscriber has all 2^64
 * addresses of such a network.
 */
export const networkOf = (ip: string): string => {
  const [address = ''] = ip.split('%')
  if (!address.includes(':') || address.includes('.')) return ip
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}
