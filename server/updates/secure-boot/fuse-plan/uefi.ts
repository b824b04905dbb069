import type { ArtifactRole } from '../../../../contract/updates/secure-boot/platforms'
import {
  bootStep,
  checkFiles,
  checkStep,
  closeStep,
  type Draft,
  installStep,
  pathOf,
  type PlanContext,
  type PlatformSteps,
  refuseWords,
  verifyClosed,
} from './draft'

/** efitools: efi-updatevar(1), efi-readvar(1). */
const globals = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
/** Four bytes of attributes, then the value. */
const flag = (name: string) => `od -An -tu1 -j4 -N1 /sys/firmware/efi/efivars/${name}-${globals}`

const variables: readonly (readonly [ArtifactRole, string])[] = [
  ['uefi_db', 'db'],
  ['uefi_dbx', 'dbx'],
  ['uefi_kek', 'KEK'],
]

/** A signed update ends with the list that the variable then contains. */
const compareCommand = (name: string, path: string) =>
  `efi-readvar -v ${name} -o "$WORK/${name}.esl" && [ -s "$WORK/${name}.esl" ] && tail -c "$(wc -c < "$WORK/${name}.esl")" ${path} | cmp - "$WORK/${name}.esl" && echo same`

const fileOf = ({ files }: PlanContext, role: ArtifactRole) => files.find((file) => file.role === role)
const isClosed = ({ report }: PlanContext) => report?.state === 'closed' || report?.state === 'enforcing'
const reading = (context: PlanContext): Draft['reading'] =>
  isClosed(context) ? 'matched' : context.report === null ? 'incomplete' : 'unknown'

export const uefiSteps = (context: PlanContext): PlatformSteps => {
  const enroll = variables.flatMap(([role, name]): Draft[] => {
    const file = fileOf(context, role)
    if (!file) return []
    return [
      {
        action: 'enroll_keys',
        title: `Enroll ${name}`,
        text: `Writes the variable ${name}. The set-up menu of the firmware can clear it.`,
        reversible: true,
        command: `efi-updatevar -f ${pathOf(file)} ${name}`,
        verify_command: compareCommand(name, pathOf(file)),
        expected: 'same',
        word: null,
        reading: reading(context),
      },
    ]
  })
  const platformKey = fileOf(context, 'uefi_pk')
  return {
    check: [
      ...checkFiles(
        context,
        [...variables.map(([role]) => role), 'uefi_pk' as const].map((role) => fileOf(context, role)),
      ).map((step) => ({ ...step, reading: reading(context) })),
      checkStep(context, {
        title: 'Check that the firmware is in setup mode',
        text: 'Run the commands of this plan as root on the device. In user mode, clear the platform key in the set-up menu of the firmware first.',
        verify_command: flag('SetupMode'),
        expected: '1',
        reading: reading(context),
      }),
    ],
    install: [
      {
        ...installStep(context, 'Copy the signed boot loader and kernel to the EFI system partition.'),
        reading: reading(context),
      },
    ],
    keys: enroll,
    boot: [
      bootStep(context, {
        text: 'The firmware verifies nothing before the platform key is enrolled: check the signatures with sbverify, and that the device boots these files.',
        reading: reading(context),
      }),
    ],
    close:
      context.bundle.fuseConfig.close_step === null || !platformKey
        ? []
        : [
            closeStep(context, {
              title: 'Enroll the platform key',
              text: 'The firmware leaves setup mode: from the next boot on it starts only signed files. The set-up menu of the firmware can clear the platform key again.',
              reversible: true,
              command: `efi-updatevar -f ${pathOf(platformKey)} PK`,
              verify_command: flag('SetupMode'),
              expected: '0',
              reading: reading(context),
            }),
            verifyClosed(context, {
              text: 'Reboot the device, then read whether the firmware enforces signatures.',
              verify_command: flag('SecureBoot'),
              expected: '1',
              reading: reading(context),
            }),
          ],
    refusals: [
      ...(platformKey ? [] : [{ code: 'key_file_missing', text: 'The bundle has no platform key' }]),
      ...refuseWords(context, 'This platform keeps its keys in variables'),
    ],
    recovery:
      'Nothing is fused: clear the platform key in the set-up menu of the firmware, then correct the variables or the signed files.',
  }
}
