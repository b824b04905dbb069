import { existsSync } from 'node:fs'
import { say, timed } from '../../server/start/run.mjs'
import { canInstall, installPackages } from './debian.mjs'

/** Programs of Debian that tests start. Without one its tests are named as not run. */
const programs = [
  { name: 'swupdate', path: '/usr/bin/swupdate', packages: ['swupdate', 'openssl'] },
  { name: 'RAUC', path: '/usr/bin/rauc', packages: ['rauc', 'squashfs-tools', 'openssl'] },
  { name: 'haproxy', path: '/usr/sbin/haproxy', packages: ['haproxy', 'openssl'] },
  {
    name: 'Swift',
    path: '/usr/bin/swift-proxy-server',
    packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'python3-swift'],
  },
  { name: 'Prometheus', path: '/usr/bin/prometheus', packages: ['prometheus'] },
  { name: 'podman-compose', path: '/usr/bin/podman-compose', packages: ['podman-compose'] },
  { name: 'systemd-analyze', path: '/usr/bin/systemd-analyze', packages: ['systemd'] },
]
/** Only `npm run test:full` starts these. */
const programsOfFull = [
  { name: 'Patroni', path: '/usr/bin/patroni', packages: ['patroni', 'etcd-server', 'postgresql-15'] },
  { name: 'buildah', path: '/usr/bin/buildah', packages: ['buildah', 'mmdebstrap'] },
]

const install = async ({ name, path, packages }) => {
  if (!existsSync(path) && (await canInstall()))
    await timed(`Installing ${name} from Debian`, () => installPackages(...packages)).catch((error) => say(error.message))
  say(existsSync(path) ? `${name}: ${path}` : `${name}: not installed, so the tests with it do not run`)
}

export const findDebianPrograms = async (full) => {
  // One after another: apt locks its database.
  for (const program of [...programs, ...(full ? programsOfFull : [])]) await install(program)
  if (!full) for (const { name } of programsOfFull) say(`${name}: the tests with it run only in npm run test:full`)
}
