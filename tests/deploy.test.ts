import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../server/core/config'
import { root } from '../server/core/root'
import { hasPrometheus } from './support/prometheus'

const folder = mkdtempSync(join(tmpdir(), 'teasel-deploy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (name: string) => join(root, 'docs/deploy', name)
const read = (name: string) => readFileSync(pathOf(name), 'utf8')
const secretKey = Buffer.alloc(32).toString('base64')

describe('the files in docs/deploy', () => {
  it('have variables that the server accepts', () => {
    const lines = read('common.env').split('\n')
    const pairs = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string])
    const variables = { ...Object.fromEntries(pairs), TEASEL_SECRET_KEY: secretKey }
    const config = readConfig(variables)
    expect(config).toMatchObject({
      environment: 'production',
      loopbackOnly: false,
      trustedProxies: ['127.0.0.1'],
      urls: { api: 'https://api.example.com' },
      drainMs: 5000,
    })
    expect(config.databaseOwnerUrl).not.toBe(config.databaseUrl)
  })

  it('name only variables that docs/operating.md describes', () => {
    const known = readFileSync(join(root, 'docs/operating.md'), 'utf8')
    const own = /^TEASEL_(OWNER|HOST)_PASSWORD$/
    for (const name of ['common.env', 'compose.yaml', 'teasel@.service', 'Containerfile']) {
      const names = [...new Set(read(name).match(/\b(TEASEL_[A-Z_]+|DATABASE_[A-Z_]+|SMTP_URL)\b/g))]
      expect(names.length, name).toBeGreaterThan(0)
      expect(names.filter((it) => !own.test(it) && !known.includes(`\`${it}\``))).toEqual([])
    }
  })

  const copied = [...read('Containerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))

  it('copy only files that exist into the image, and the ones that the server reads at run time', () => {
    expect(copied.length).toBeGreaterThan(10)
    expect(copied.filter((name) => !existsSync(join(root, name)))).toEqual([])
    expect(read('Containerfile')).toContain('/build/server/core/database/migrations server/core/database/migrations')
  })

  it('give the build of the image what it copies, and neither data nor packages nor tests of this folder', () => {
    const [everything, ...patterns] = read('Containerfile.dockerignore')
      .split('\n')
      .filter((line) => /^[^#]/.test(line))
    expect(everything).toBe('*')
    expect(patterns.filter((line) => line.startsWith('!'))).toEqual(copied.map((name) => `!${name}`))
    expect(patterns.filter((line) => !line.startsWith('!')).toSorted()).toEqual(['**/*.test.ts', '**/*.test.tsx', '**/.DS_Store'])
  })
})

const composer = '/usr/bin/podman-compose'

describe.skipIf(!existsSync(composer))('the compose file', () => {
  const secrets = { OWNER_PASSWORD: 'own', HOST_PASSWORD: 'host', POSTGRES_PASSWORD: 'super', SECRET_KEY: secretKey }

  /** The containers that podman-compose would create: the arguments of podman, by service. */
  const compose = (variables: Record<string, string>) => {
    const podman = join(folder, 'podman')
    const calls = join(folder, 'podman.log')
    const script = ['#!/bin/sh', '[ "$1" = --version ] && echo podman version 4.3.1', `echo "$@" >> ${calls}`]
    writeFileSync(podman, script.join('\n'), { mode: 0o755 })
    writeFileSync(calls, '')
    const args = ['--podman-path', podman, '--project-name', 'teasel', '--file', pathOf('compose.yaml'), 'up', '--detach']
    const { status } = spawnSync(composer, args, { env: { PATH: process.env.PATH, ...variables }, encoding: 'utf8' })
    const created = [...readFileSync(calls, 'utf8').matchAll(/^(?:create|run)(?: -d)? --name=teasel_(\w+)_1 .*$/gm)]
    return { status, containers: Object.fromEntries(created.map(([text, service]) => [service, text])) }
  }

  it('creates PostgreSQL, the proxy and a server that can write only to its data, with the secrets of the environment', () => {
    const { containers } = compose({ ...secrets, SMTP_URL: 'smtps://mail.example.com' })
    expect(Object.keys(containers).toSorted()).toEqual(['database', 'proxy', 'teasel'])
    expect(Object.values(containers).join('\n')).not.toContain('${')
    expect(containers.database).toContain('-e POSTGRES_PASSWORD=super -e TEASEL_OWNER_PASSWORD=own -e TEASEL_HOST_PASSWORD=host')
    expect(containers.proxy).toContain('--sysctl net.ipv4.ip_unprivileged_port_start=0')
    expect(containers.teasel).toMatch(/--security-opt no-new-privileges.* --read-only .*--cap-drop ALL .*--tmpfs \/tmp .*:\/data/)
    const named = [...(containers.teasel ?? '').matchAll(/ -e (\w+)=(\S+)/g)].map(([, name, value]) => [name, value])
    expect(readConfig(Object.fromEntries(named))).toMatchObject({ environment: 'production', trustedProxies: ['127.0.0.1'] })
  })

  it('is refused while a secret is missing', () => {
    expect(compose(secrets)).toMatchObject({ status: 1, containers: {} })
  })
})

const analyzer = '/usr/bin/systemd-analyze'
const analyze = (...args: string[]) => spawnSync(analyzer, args, { encoding: 'utf8' })

describe.skipIf(!existsSync(analyzer))('the unit of systemd', () => {
  const unit = join(folder, 'teasel@main.service')

  it('is accepted by systemd-analyze', () => {
    // The program itself need not be here.
    writeFileSync(unit, read('teasel@.service').replace('/usr/bin/node', '/bin/true'))
    expect(analyze('verify', '--man=no', '--recursive-errors=no', unit)).toMatchObject({ status: 0, stderr: '' })
    writeFileSync(
      unit,
      read('teasel@.service').replace('/usr/bin/node', '/bin/true').replace('ProtectHome=yes', 'ProtectHome=sure'),
    )
    expect(analyze('verify', '--man=no', '--recursive-errors=no', unit).stderr).toContain('Failed to parse')
  })

  it('has an exposure of at most 2 of 10, and far more without its restrictions', () => {
    copyFileSync(pathOf('teasel@.service'), unit)
    expect(analyze('security', '--offline=yes', '--threshold=20', unit).status).toBe(0)
    writeFileSync(unit, read('teasel@.service').replace(/NoNewPrivileges[^]+?(?=\[Install\])/, ''))
    expect(analyze('security', '--offline=yes', '--threshold=20', unit).status).not.toBe(0)
  })
})

describe.skipIf(!hasPrometheus)('the alerts of Prometheus', () => {
  const cases = join(root, 'tests/support/alert-rules.yml')

  it('each fires at its limit and not before', () => {
    const run = spawnSync('promtool', ['test', 'rules', cases], { encoding: 'utf8' })
    expect([run.status, run.stdout + run.stderr]).toEqual([0, expect.stringContaining('SUCCESS')])
  })

  it('each is shown firing and not firing', () => {
    const alerts = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    expect(alerts.length).toBeGreaterThan(5)
    const shown = [...readFileSync(cases, 'utf8').matchAll(/alertname: (\w+)(\s+exp_alerts:)?/g)]
    const named = (isFiring: boolean) =>
      new Set(shown.flatMap(([, name, fires]) => ((fires !== undefined) === isFiring ? name : [])))
    expect(named(true)).toEqual(new Set(alerts))
    expect(named(false)).toEqual(new Set(alerts))
  })
})
