import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, chown } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../../server/core/root'
import { freePort } from './free-port'

const programs = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/lib/postgresql/15/bin/postgres', '/usr/bin/psql']
/** Debian's Patroni, etcd and PostgreSQL 15. As root, because PostgreSQL runs as the user of its package. */
export const hasPatroni = process.getuid?.() === 0 && programs.every((it) => existsSync(it))

type Member = { name: string; role: string; state: string }
/** Addresses for its clients and for the other members. */
type Etcd = { name: string; client: string; peer: string }
type Server = { name: string; port: number; restPort: number; etcd: Etcd; running?: Record<'etcd' | 'patroni', ChildProcess> }

const postgresUser = () => {
  const [, , uid = '', gid = ''] = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/** A member of a cluster that `all` begin together. One that was killed continues with its folder. */
const startEtcd = ({ name, client, peer }: Etcd, all: readonly Etcd[], directory: string) => {
  const [clientUrl, peerUrl] = [`http://${client}`, `http://${peer}`]
  const listen = ['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl, '--listen-peer-urls', peerUrl]
  const cluster = all.map((one) => `${one.name}=http://${one.peer}`).join()
  const own = ['--name', name, '--initial-advertise-peer-urls', peerUrl, '--initial-cluster', cluster]
  return spawn('etcd', ['--data-dir', join(directory, 'etcd'), ...listen, ...own], { stdio: 'ignore' })
}

const endProcess = async (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL') => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

/** Three servers on loopback with docs/deploy/patroni.yml, each in a folder of its own with a member of etcd. */
export const startPatroni = async (directory: string) => {
  const user = postgresUser()
  await chmod(directory, 0o755)
  const text = readFileSync(join(root, 'docs/deploy/patroni.yml'), 'utf8')
  const servers: Server[] = []
  const address = async () => `127.0.0.1:${await freePort()}`
  for (const name of ['db-1', 'db-2', 'db-3']) {
    const etcd = { name, client: await address(), peer: await address() }
    servers.push({ name, port: await freePort(), restPort: await freePort(), etcd })
  }
  const members = servers.map(({ etcd }) => etcd)

  const configOf = ({ name, port, restPort }: Server) =>
    text
      .replace('name: db-1', `name: ${name}`)
      .replaceAll('10.0.0.11:8008', `127.0.0.1:${restPort}`)
      .replaceAll('10.0.0.11:5432', `127.0.0.1:${port}`)
      .replace(/hosts: \[.*\]/, `hosts: [${members.map(({ client }) => client).join()}]`)
      .replaceAll('10.0.0.0/24', '127.0.0.1/32')
      .replaceAll('/var/lib/postgresql/15/teasel', join(directory, name, 'data'))
      .replaceAll('/var/lib/postgresql', join(directory, name))

  const start = async (server: Server) => {
    const folder = join(directory, server.name)
    const config = join(folder, 'patroni.yml')
    mkdirSync(folder, { recursive: true })
    writeFileSync(config, configOf(server), { mode: 0o600 })
    for (const path of [folder, config]) await chown(path, user.uid, user.gid)
    const log = join(folder, 'log')
    const command = `exec setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups patroni ${config} >> ${log} 2>&1`
    server.running = {
      etcd: startEtcd(server.etcd, members, folder),
      patroni: spawn('sh', ['-c', command], { cwd: folder, stdio: 'ignore' }),
    }
  }

  const find = async ({ restPort }: Server): Promise<Member[]> =>
    fetch(`http://127.0.0.1:${restPort}/cluster`).then(
      async (answer) => ((await answer.json()) as { members: Member[] }).members,
      () => [],
    )

  const findMembers = async () => {
    for (const server of servers) {
      const found = await find(server)
      if (found.length > 0) return found
    }
    return []
  }

  /** Waits until one server is the primary, another one has acknowledged to be synchronous, and so many run. */
  const settled = async (count: number): Promise<Server> => {
    for (;;) {
      const found = await findMembers()
      const leader = found.find(({ role }) => role === 'leader')
      const running = found.filter(({ state }) => ['running', 'streaming'].includes(state))
      const server = servers.find(({ name }) => name === leader?.name)
      if (server && running.length >= count && found.some(({ role }) => role === 'sync_standby')) return server
      await pause(200)
    }
  }

  /** kill -9 of Patroni, PostgreSQL and etcd: the machine is gone. */
  const kill = async ({ name, running }: Server) => {
    const pid = Number(readFileSync(join(directory, name, 'data/postmaster.pid'), 'utf8').split('\n')[0])
    const ended = Object.values(running ?? {}).map((child) => endProcess(child, 'SIGKILL'))
    process.kill(pid, 'SIGKILL')
    await Promise.all(ended)
  }

  for (const server of servers) await start(server)
  return {
    servers,
    start,
    kill,
    settled,
    stop: async () => {
      const end = (program: 'etcd' | 'patroni') =>
        Promise.all(servers.map(async ({ running }) => running && endProcess(running[program], 'SIGTERM')))
      // Patroni ends PostgreSQL, and needs etcd for it.
      await end('patroni')
      await end('etcd')
    },
  }
}

/** Creates the roles and the database with docs/deploy/create-database.sql. */
export const createDeployedDatabase = async (url: string, passwords: { owner: string; host: string }): Promise<void> => {
  const file = join(root, 'docs/deploy/create-database.sql')
  const env = { ...process.env, TEASEL_OWNER_PASSWORD: passwords.owner, TEASEL_HOST_PASSWORD: passwords.host }
  await promisify(execFile)('psql', ['--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '--file', file, url], { env })
}
