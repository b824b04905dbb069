import { readFile } from 'node:fs/promises'
import { run } from '../../server/start/run.mjs'

const isDebian = () =>
  readFile('/etc/os-release', 'utf8').then(
    (text) => /^ID=debian$/m.test(text),
    () => false,
  )

/** Whether this process may install packages of Debian. */
export const canInstall = async () => process.getuid?.() === 0 && (await isDebian())

// A server that does not answer, or another installation, ends the attempt.
const limits = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1', '-o', 'DPkg::Lock::Timeout=30']
const mostMs = 180_000

/** Installs packages of Debian; throws when they cannot be had in time. */
export const installPackages = async (...names) => {
  const bounded = { env: { DEBIAN_FRONTEND: 'noninteractive' }, timeoutMs: mostMs }
  await run('apt-get', [...limits, 'update'], bounded)
  await run('apt-get', [...limits, 'install', '-y', '--no-install-recommends', ...names], bounded)
}
