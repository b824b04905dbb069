import type { FusePlan, PlanStep } from '../../../../contract/updates/secure-boot/fuses'
import type { PlatformId } from '../../../../contract/updates/secure-boot/platforms'
import { quote } from './draft'
import type { PlanBundle, PlanTarget } from './facts'
import { library, runInLoader, runOnHost } from './script-library'

const loaders: readonly PlatformId[] = ['nxp-hab', 'nxp-ahab', 'stm32mp']

const linesOf = (text: string | null): string[] => (text === null ? [] : text.split('\n'))

/** The variables that the commands of the plan use. */
const variablesOf = (plan: readonly PlanStep[]): string[] => {
  const commands = plan.map(({ command, verify_command }) => `${command} ${verify_command}`).join('\n')
  return ['BUNDLE', 'PORT', 'RECOVERY', 'CHIP_ID', 'TARGET', 'PKC_KEY_FILE'].filter((name) => commands.includes(`$${name}"`))
}

const call = (name: string, ...words: readonly (string | null)[]) => [name, ...words.map((word) => quote(word ?? ''))].join(' ')

const bodyOf = ({ command, verify_command, expected, phrase, reversible }: PlanStep): string[] => {
  const [commands, verifies, values] = [linesOf(command), linesOf(verify_command), linesOf(expected)]
  const isWrite = commands.length > 0 || !reversible
  if (!isWrite && verifies.length === 0 && values.length === 0) return ['by_hand']
  if (!isWrite) {
    const readings = Math.max(verifies.length, values.length)
    return [...Array.from({ length: readings }, (_, at) => call('expect', verifies[at] ?? '', values[at] ?? '')), 'log verified']
  }
  const paired = commands.length > 1
  const groups = paired
    ? commands.map((one, at) => ({ one, reads: [[verifies[at] ?? '', values[at] ?? ''] as const] }))
    : [
        {
          one: commands[0] ?? '',
          reads: Array.from(
            { length: Math.max(verifies.length, values.length, 1) },
            (_, at) => [verifies[at] ?? '', values[at] ?? ''] as const,
          ),
        },
      ]
  const isRead = values.length > 0
  return [
    ...groups.flatMap(({ one, reads }) => [
      'fresh',
      ...reads.map(([verify, value]) => call('look', verify, value)),
      call('apply', one, phrase),
      ...reads.map(([verify, value]) => call('must', verify, value)),
    ]),
    ...(isRead ? ['log verified'] : []),
  ]
}

/** A closed part has passed these, and shows them differently. */
const isBeforeClose = ({ action }: PlanStep) => ['check_device', 'install_images', 'boot_signed'].includes(action)

const stepOf = (step: PlanStep): string => {
  const all = [call('begin', String(step.n), step.title, step.text), ...bodyOf(step)]
  return isBeforeClose(step)
    ? ['if [ "$closed" = no ]; then', ...all.map((line) => `  ${line}`), 'fi'].join('\n')
    : all.join('\n')
}

const comment = (text: string) => `# ${text.replaceAll(/\s+/g, ' ')}`

/**
 * The plan as a script for any POSIX shell. It reads before it writes, so it may be stopped at any moment and run again. It has no
 * secrets: files stay in the folder of the bundle.
 */
export const writeFuseScript = (
  bundle: Pick<PlanBundle, 'name' | 'version' | 'platform'>,
  { plan, refusals, recovery, irreversible_count }: FusePlan,
  target: PlanTarget,
): string => {
  if (refusals.length > 0) throw new Error(`A refused plan has no script: ${refusals.map(({ code }) => code).join(', ')}`)
  const isLoader = loaders.includes(bundle.platform)
  const closing = plan.find(({ action, verify_command, expected }) => action === 'close' && verify_command && expected)
  const isLast = plan.at(-1)
  const isUnread = isLast?.action === 'verify_closed' && isLast.verify_command === null
  return [
    '#!/bin/sh',
    comment(`Fuse plan of ${bundle.name}, version ${bundle.version} (${bundle.platform})`),
    comment(target.kind === 'device' ? `For the device ${target.name}` : 'For a blank part'),
    comment(`${plan.length} steps, ${irreversible_count} of them cannot be undone.`),
    comment(recovery),
    'set -euf',
    'exec 3<&0',
    'n=0',
    `steps=${plan.length}`,
    'closed=no',
    `loader=${isLoader ? 'yes' : 'no'}`,
    ...variablesOf(plan).map((name) => `: "\${${name}:?Set ${name}: the steps of the plan say what it names}"`),
    'WORK=$(mktemp -d)',
    'trap \'rm -rf "$WORK"\' EXIT',
    '',
    isLoader ? runInLoader : runOnHost,
    library,
    call('answer', `Type the name of the bundle to start: ${bundle.name}`),
    `[ "$typed" = ${quote(bundle.name)} ] || fail 'another name was typed'`,
    '',
    ...(closing
      ? [
          call('look_at', closing.verify_command!, closing.expected!),
          'if [ "$state" = matched ]; then',
          '  closed=yes',
          "  printf 'The part is closed: its values are only read.\\n'",
          'fi',
          '',
        ]
      : []),
    ...plan.flatMap((step) => [stepOf(step), '']),
    isUnread
      ? "printf '\\nAll steps are done. The report of the device shows whether it is closed.\\n'"
      : "printf '\\nAll steps are done and read back.\\n'",
    '',
  ].join('\n')
}
