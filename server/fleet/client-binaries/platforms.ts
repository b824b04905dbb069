import type { ClientPlatform } from '../../../contract/client-binaries'

/** One file for all platforms: where Node.js runs it, and with which limits. */
export const platforms: ClientPlatform[] = [
  { os: 'linux', arch: 'x86_64', support: 'tested', notes: 'Everything, with slots a and b, hooks and reboots.' },
  { os: 'linux', arch: 'aarch64', support: 'expected', notes: 'Everything: Node.js publishes builds for it.' },
  {
    os: 'linux',
    arch: 'armv7',
    support: 'expected',
    notes: 'Everything, with Node.js 20 or 22: later ones come without builds for it.',
  },
  {
    os: 'macos',
    arch: 'aarch64',
    support: 'expected',
    notes: 'To try updates at a desk. Nothing keeps a second agent off the same state.',
  },
  { os: 'macos', arch: 'x86_64', support: 'expected', notes: 'As on Apple silicon.' },
  { os: 'windows', arch: 'x86_64', support: 'commands', notes: 'keygen, sign and verify. Hooks and reboots need a POSIX shell.' },
]
