import type { ClientPlatform } from '../../../contract/fleet/client-binaries'

/** One file for all platforms: where Node.js runs it, and with which limits. */
export const agentPlatforms: ClientPlatform[] = [
  { os: 'linux', arch: 'x86_64', support: 'tested', notes: 'Everything, with slots a and b, hooks and reboots.' },
  { os: 'linux', arch: 'aarch64', support: 'expected', notes: 'Everything: Node.js publishes builds for it.' },
  {
    os: 'linux',
    arch: 'armv7',
    support: 'expected',
    notes: 'Everything, with Node.js 20 or 22. Later versions have no builds for it.',
  },
  {
    os: 'macos',
    arch: 'aarch64',
    support: 'expected',
    notes: 'For trying out updates. A second agent on the same state is not prevented.',
  },
  { os: 'macos', arch: 'x86_64', support: 'expected', notes: 'Same as on Apple silicon.' },
  { os: 'windows', arch: 'x86_64', support: 'commands', notes: 'keygen, sign and verify. Hooks and reboots need a POSIX shell.' },
]

export const commandLinePlatforms: ClientPlatform[] = [
  { os: 'linux', arch: 'x86_64', support: 'tested', notes: 'Everything. Completion for bash, zsh and fish.' },
  { os: 'linux', arch: 'aarch64', support: 'expected', notes: 'Everything: Node.js publishes builds for it.' },
  { os: 'macos', arch: 'aarch64', support: 'expected', notes: 'Everything.' },
  { os: 'macos', arch: 'x86_64', support: 'expected', notes: 'Same as on Apple silicon.' },
  { os: 'windows', arch: 'x86_64', support: 'expected', notes: 'Everything, without completion.' },
]
