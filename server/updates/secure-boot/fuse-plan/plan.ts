import type { FuseDifference, FusePlan, FuseWord, PlanStep } from '../../../../contract/updates/secure-boot/fuses'
import type { PlatformId } from '../../../../contract/updates/secure-boot/platforms'
import { fuseStepMoves } from '../../../../machines/secure-boot/fuse-step/fuse-step.machine'
import { findReported, isBlankHash, moveOfReading, type Reading, readFuseWord, wordHex } from './bits'
import { mcubootSteps, polarFireSteps, tiSteps } from './by-hand'
import { type Draft, keyReading, type PlanContext, type PlatformSteps } from './draft'
import { espressifSteps } from './espressif'
import type { PlanBundle, PlanFile, PlanOptions, PlanTarget } from './facts'
import { jetsonSteps } from './jetson'
import { raspberryPiSteps } from './raspberry-pi'
import { refusalsOf } from './refusals'
import { ahabSteps, fitSteps, habSteps, stm32Steps } from './u-boot'
import { uefiSteps } from './uefi'

const platforms: Readonly<Record<PlatformId, (context: PlanContext) => PlatformSteps>> = {
  'nxp-hab': habSteps,
  'nxp-ahab': ahabSteps,
  'ti-k3': tiSteps,
  esp32: espressifSteps,
  stm32mp: stm32Steps,
  rpi: raspberryPiSteps,
  'nvidia-jetson': jetsonSteps,
  'riscv-polarfire': polarFireSteps,
  uefi: uefiSteps,
  'u-boot-fit': fitSteps,
  mcuboot: mcubootSteps,
}

/** The only order: everything is written and read before the part is closed. */
const inOrder = ({ check = [], install, keys, boot, revoke = [], rollback = [], ...rest }: PlatformSteps): Draft[] => {
  const { features = [], debug = [], close = [], bootsFirst = false } = rest
  const proof = bootsFirst ? [...boot, ...keys] : [...keys, ...boot]
  return [...check, ...install, ...proof, ...revoke, ...rollback, ...features, ...debug, ...close]
}

const phraseOf = ({ action, reversible, word }: Draft, name: string): string | null => {
  if (reversible) return null
  if (action === 'close') return `close ${name}`
  return word ? `write ${word.name}` : action.replaceAll('_', ' ')
}

const numbered = (drafts: readonly Draft[], name: string): PlanStep[] => {
  let isVerified = true
  return drafts.map(({ reading, ...draft }, at) => {
    let state: PlanStep['state'] = 'blocked'
    if (isVerified) state = fuseStepMoves.next(state, 'steps.verified')
    if (reading !== 'unknown') state = fuseStepMoves.next(state, moveOfReading[reading])
    isVerified &&= state === 'verified'
    return { n: at + 1, ...draft, state, phrase: phraseOf({ reading, ...draft }, name) }
  })
}

const changeOf = { matched: 'none', incomplete: 'write', differed: 'conflict', unknown: 'unknown' } as const satisfies Record<
  Reading,
  FuseDifference['change']
>

const wordRow = (context: PlanContext, word: FuseWord): FuseDifference => {
  const reported = context.report === null ? '0' : findReported(context.report, word)
  return {
    field: word.name,
    reported: reported === undefined ? null : wordHex(reported),
    planned: wordHex(word.value_hex),
    change: changeOf[readFuseWord(context.report, word)],
    irreversible: true,
  }
}

/** What is written, beside what the device has. */
const differencesOf = (context: PlanContext, drafts: readonly Draft[]): FuseDifference[] => {
  const { bundle, report } = context
  const { words, close_step } = bundle.fuseConfig
  const closing = drafts.find(({ action }) => action === 'close')
  const version = report?.rollback_version ?? 0
  const reportedHash = report === null ? null : (report.key_hash ?? null)
  return [
    ...(bundle.keyHash === null
      ? []
      : [
          {
            field: 'Key hash',
            reported: reportedHash !== null && isBlankHash(reportedHash) ? null : reportedHash,
            planned: bundle.keyHash,
            change: changeOf[keyReading(context)],
            irreversible: true,
          },
        ]),
    {
      field: 'Rollback version',
      reported: String(version),
      planned: String(bundle.rollbackVersion),
      change: bundle.rollbackVersion < version ? 'conflict' : bundle.rollbackVersion > version ? 'write' : 'none',
      irreversible: drafts.some(({ action }) => action === 'write_rollback'),
    },
    ...words.map((word) => wordRow(context, word)),
    ...(close_step?.word ? [wordRow(context, close_step.word)] : []),
    ...(closing
      ? [
          {
            field: 'State',
            reported: report === null ? 'open' : report.state === 'unknown' ? null : report.state,
            planned: 'closed',
            change: changeOf[closing.reading],
            irreversible: !closing.reversible,
          },
        ]
      : []),
  ]
}

/** The steps that write a bundle into a part. A plan with refusals must not be run: its steps have no commands. */
export const makeFusePlan = (
  bundle: PlanBundle,
  files: readonly PlanFile[],
  target: PlanTarget,
  options: PlanOptions,
): FusePlan => {
  const context: PlanContext = { bundle, files, report: target.kind === 'device' ? target.report : null }
  const steps = platforms[bundle.platform](context)
  const drafts = inOrder(steps)
  const refusals = [...refusalsOf(context, drafts, options), ...(steps.refusals ?? [])]
  const plan = numbered(drafts, bundle.name)
  return {
    plan: refusals.length === 0 ? plan : plan.map((step) => ({ ...step, command: null, verify_command: null })),
    diff: differencesOf(context, drafts),
    irreversible_count: plan.filter(({ reversible }) => !reversible).length,
    recovery: steps.recovery,
    refusals,
  }
}
