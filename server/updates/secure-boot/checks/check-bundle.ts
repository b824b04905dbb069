import { type ArtifactRole, type PlatformId, platformRules } from '../../../../contract/updates/secure-boot/platforms'
import { listArchive } from '../formats/archives'
import { isPrivateKeyName } from '../formats/private-keys'
import { FormatError } from '../formats/reader'
import type { CheckBundle } from '../types'
import { checkEsp32 } from './esp32'
import { createFindings, type Findings, type Part } from './findings'
import { checkMcuboot } from './mcuboot'
import { checkNvidiaJetson } from './nvidia-jetson'
import { checkNxpAhab } from './nxp-ahab'
import { checkNxpHab } from './nxp-hab'
import { checkPrivateKey } from './private-keys'
import { checkRiscvPolarfire } from './riscv-polarfire'
import { checkRpi } from './rpi'
import { checkStm32mp } from './stm32mp'
import { checkTiK3 } from './ti-k3'
import { checkUBootFit } from './u-boot-fit'
import { checkUefi } from './uefi'

const platformChecks: Readonly<Record<PlatformId, (findings: Findings) => Promise<void>>> = {
  'nxp-hab': checkNxpHab,
  'nxp-ahab': checkNxpAhab,
  'ti-k3': checkTiK3,
  esp32: checkEsp32,
  stm32mp: checkStm32mp,
  rpi: checkRpi,
  'nvidia-jetson': checkNvidiaJetson,
  'riscv-polarfire': checkRiscvPolarfire,
  uefi: checkUefi,
  'u-boot-fit': checkUBootFit,
  mcuboot: checkMcuboot,
}

const describeRoles = (roles: readonly ArtifactRole[]) => roles.map((role) => role.replaceAll('_', ' ')).join(' or ')

const checkCompleteness = (findings: Findings) => {
  for (const roles of platformRules[findings.bundle.platform].required) {
    const rule = `part_${roles.join('_or_')}`
    if (findings.first(...roles)) findings.add('ok', rule, `There is a ${describeRoles(roles)}`)
    else findings.add('error', rule, `Add a file of the role ${describeRoles(roles)}: the platform requires it`)
  }
}

/** Names in an archive; what they contain is not unpacked. A name alone is an error, and no reason to delete the bytes. */
const checkArchive = async (findings: Findings, part: Part) => {
  const archive = await findings.attempt('archive', part, () => listArchive(part.reader))
  const found = archive?.entries.filter(({ name }) => isPrivateKeyName(name)) ?? []
  for (const { name, offset } of found)
    findings.add(
      'error',
      'private_key_name',
      `The archive has ${JSON.stringify(name.slice(0, 200))}, the name of a private key. Remove the entry and upload the archive again`,
      part,
      { offset, length: 1 },
    )
}

/** See `CheckBundle`. */
export const checkBundle: CheckBundle = async (bundle, artifacts, onArtifact) => {
  const findings = await createFindings(bundle, artifacts)
  checkCompleteness(findings)
  let done = 0
  let hasPrivateKey = false
  for (const artifact of artifacts) {
    const part = findings.parts[done]
    if (part && (await checkPrivateKey(findings, part, artifact.bytes))) hasPrivateKey = true
    else if (part) await checkArchive(findings, part)
    done++
    await onArtifact?.(done)
  }
  // Bytes with a private key are to be deleted: nothing else reads them.
  if (!hasPrivateKey)
    try {
      await platformChecks[bundle.platform](findings)
    } catch (error) {
      // A limit of the reader, met outside of the check of one part.
      if (!(error instanceof FormatError)) throw error
      findings.add('error', `file_${error.rule}`, error.message)
    }
  return { checks: findings.list(), parsed: findings.parsed }
}
