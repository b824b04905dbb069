import { readFileSync } from 'node:fs'
import { arch, cpus, hostname, machine, networkInterfaces, release, totalmem, type } from 'node:os'
import type { Attributes } from '../../contract/device/api'
import { type Installable, installsAttribute } from '../../contract/device/installs'
import { spaceOf } from '../core/files'
import { plainText } from '../core/plain-text'
import { client } from '../core/version'

/** A field of /etc/os-release. */
const osRelease = (key: string): string | undefined => {
  try {
    return new RegExp(`^${key}="?([^"\n]*)"?$`, 'm').exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** The first address that is not a loopback address. */
const externalAddress = () =>
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address !== undefined && !address.internal && address.family === 'IPv4')

const maxLength = 512
const clean = (value: string) => plainText(value.replace(/\s+/g, ' '), maxLength).trim()

/** The attributes of this machine; those that cannot be read are left out. The storage size is that of the directory's file system. */
export const readAttributes = (directory: string, slot: string | null, installs?: Installable): Attributes => {
  const address = externalAddress()
  const space = spaceOf(directory)
  const attributes: Record<string, string | number | undefined> = {
    os_name: osRelease('NAME') ?? type(),
    os_version: osRelease('VERSION_ID'),
    kernel_version: release(),
    arch: arch(),
    machine: machine(),
    cpu_model: cpus()[0]?.model.trim(),
    cpu_count: cpus().length,
    memory_total_bytes: totalmem(),
    storage_total_bytes: space ? space.blocks * space.bsize : undefined,
    hostname: hostname(),
    ip_address: address?.address,
    mac_eth0: address?.mac,
    rootfs_slot: slot ?? undefined,
    client_version: client.version,
    [installsAttribute]: installs,
  }
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, typeof value === 'string' ? clean(value) : value]],
    ),
  )
}
