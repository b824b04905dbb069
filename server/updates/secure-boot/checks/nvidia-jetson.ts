import { parseFuseConfiguration } from '../formats/jetson'
import { checkKeyHash, readKeyHash } from './common'
import type { Findings } from './findings'

export const checkNvidiaJetson = async (findings: Findings): Promise<void> => {
  const hash = await readKeyHash(findings, [32, 64])
  const container = findings.first('boot_container')
  if (container)
    findings.add(
      'ok',
      'container_present',
      'The header of the signed image is not in public documents: format and signature are not checked',
      container,
    )
  const part = findings.first('config')
  const fuses = part && (await findings.attempt('fuses', part, () => parseFuseConfiguration(part.reader)))
  if (!part || !fuses) return
  findings.describe(
    part,
    'Jetson fuse configuration',
    fuses.map(({ name, size, value, offset }) => ({
      name,
      value: value === null ? `(hidden, ${size} bytes)` : `0x${value}`,
      offset,
    })),
  )
  const unknown = fuses.filter(({ isKnown }) => !isKnown)
  for (const fuse of unknown) findings.add('error', 'fuse_name', `The fuse ${fuse.name} is not known`, part, fuse)
  if (unknown.length === 0) findings.add('ok', 'fuse_name', `All ${fuses.length} fuses are known`, part)
  const wrong = fuses.filter(({ size, valueBytes }) => size === 0 || valueBytes > size)
  for (const fuse of wrong)
    findings.add(
      'error',
      'fuse_size',
      `The value of ${fuse.name} has ${fuse.valueBytes} bytes, the fuse has ${fuse.size}`,
      part,
      fuse,
    )
  const twice = fuses.find(({ name }, n) => fuses.findIndex((other) => other.name === name) < n)
  if (twice) findings.add('error', 'fuse_twice', `The fuse ${twice.name} is written twice`, part, twice)
  const last = fuses.findIndex(({ name }) => name === 'SecurityMode')
  if (last >= 0)
    findings.rule(
      'security_mode_last',
      last === fuses.length - 1,
      ['SecurityMode is written last', 'SecurityMode is not the last fuse: after it no other fuse can be written'],
      part,
      fuses[last],
    )
  const keyHash = fuses.find(({ name }) => name === 'PublicKeyHash')
  if (!keyHash) findings.add('error', 'public_key_hash_missing', 'The configuration has no PublicKeyHash', part)
  else if (!wrong.includes(keyHash))
    checkKeyHash(findings, hash, Buffer.from(keyHash.value ?? '', 'hex'), 'PublicKeyHash in the fuse configuration')
  // A fuse configuration with secrets is as secret as they are.
  for (const fuse of fuses.filter(({ isKnown, isSecret }) => isKnown && isSecret))
    findings.add(
      'warning',
      'fuse_secret',
      `${fuse.name} is a secret in clear. Keep this file encrypted outside the console`,
      part,
      fuse,
    )
}
