import {
  bootStep,
  checkStep,
  closeStep,
  type Draft,
  installStep,
  keyHashOf,
  lines,
  onceOnly,
  pathOf,
  type PlanContext,
  type PlatformSteps,
  refuseWords,
  verifyClosed,
  verifyKeyHash,
  writeKeyHash,
} from './draft'

/** esptool's documentation of espefuse (summary, burn-key, burn-efuse), and ESP-IDF's enablement workflow. */
const tool = 'espefuse --port "$PORT" --do-not-confirm'
const show = (name: string) => `espefuse --port "$PORT" summary --format value_only ${name}`
/** The bits of SECURE_VERSION are counted: 3 is 0x7. */
const versionBits = 16

const fuseStep = (
  context: PlanContext,
  action: Draft['action'],
  title: string,
  text: string,
  [command, name, expected]: readonly [string, string, string],
): Draft => ({
  action,
  title,
  text: `${text} ${onceOnly}`,
  reversible: false,
  command: `${tool} ${command}`,
  verify_command: show(name),
  expected,
  word: null,
  reading: context.report === null ? 'incomplete' : context.report.state === 'closed' ? 'matched' : 'unknown',
})

const digestOf = (context: PlanContext) => context.files.find(({ role }) => role === 'key_hash')

const rollbackSteps = (context: PlanContext): Draft[] => {
  const { report, bundle } = context
  if (bundle.rollbackVersion === 0 || bundle.rollbackVersion > versionBits) return []
  const bits = `0x${(2 ** bundle.rollbackVersion - 1).toString(16)}`
  const step = fuseStep(
    context,
    'write_rollback',
    'Write SECURE_VERSION',
    `Apps with a secure version below ${bundle.rollbackVersion} no longer boot.`,
    [`burn-efuse SECURE_VERSION ${bits}`, 'SECURE_VERSION', `${bits} of 0xffff`],
  )
  const reading = report === null || report.rollback_version < bundle.rollbackVersion ? 'incomplete' : 'matched'
  return [{ ...step, reading }]
}

export const espressifSteps = (context: PlanContext): PlatformSteps => {
  const { bundle } = context
  const digest = digestOf(context)
  const verify = {
    verify_command: lines([show('BLOCK_KEY0'), show('KEY_PURPOSE_0')]),
    expected: lines([keyHashOf(context), 'SECURE_BOOT_DIGEST0']),
  }
  const revoked = bundle.keys.filter(({ revoked: isRevoked, slot }) => isRevoked && slot > 0 && slot < 3)
  const enabled = { verify_command: show('SECURE_BOOT_EN'), expected: 'True' }
  return {
    check: [
      checkStep(context, {
        title: 'Check that the part is open',
        text: 'The commands of this plan are for the machine that the part is connected to. PORT names its serial port.',
        verify_command: show('SECURE_BOOT_EN'),
        expected: 'False',
      }),
      ...(digest
        ? [
            checkStep(context, {
              title: 'Check the digest file',
              text: 'The bytes of the digest file are the key hash of the bundle.',
              verify_command: `od -An -v -tx1 ${pathOf(digest)} | tr -d ' \\n'`,
              expected: keyHashOf(context),
            }),
          ]
        : []),
    ],
    install: [installStep(context, 'Write the signed bootloader, the partition table and the signed app with esptool.')],
    keys: [
      writeKeyHash(context, {
        text: `Writes the digest of the public key into BLOCK_KEY0 with the purpose SECURE_BOOT_DIGEST0. ${onceOnly}`,
        command: digest ? `${tool} burn-key BLOCK_KEY0 ${pathOf(digest)} SECURE_BOOT_DIGEST0` : null,
        ...verify,
      }),
      verifyKeyHash(context, { text: 'Reads the block and its purpose. The part is closed only after this.', ...verify }),
      fuseStep(
        context,
        'write_word',
        'Protect the digest from being made unreadable',
        'Write-protects RD_DIS, so that nobody can read-protect the digest later. A key for flash encryption must be burned before.',
        ['write-protect-efuse RD_DIS', 'WR_DIS', '0x1 of 0x1'],
      ),
    ],
    boot: [bootStep(context, { text: 'Reset the part. The signed bootloader must start the signed app.' })],
    revoke: revoked.map(({ slot }) =>
      fuseStep(context, 'revoke_key', `Revoke key ${slot}`, `Images that are signed with key ${slot} no longer boot.`, [
        `burn-efuse SECURE_BOOT_KEY_REVOKE${slot} 1`,
        `SECURE_BOOT_KEY_REVOKE${slot}`,
        'True',
      ]),
    ),
    rollback: rollbackSteps(context),
    debug:
      bundle.fuseConfig.debug_lock === 'closed'
        ? [
            fuseStep(context, 'lock_debug', 'Disable JTAG', 'Disables the JTAG pins; failure analysis needs them.', [
              'burn-efuse DIS_PAD_JTAG 1',
              'DIS_PAD_JTAG',
              'True',
            ]),
          ]
        : [],
    close:
      bundle.fuseConfig.close_step === null
        ? []
        : [
            closeStep(context, {
              title: 'Enable secure boot',
              text: `From then on the part boots only a bootloader that is signed with this key. ${onceOnly} With a wrong key it never boots again.`,
              command: `${tool} burn-efuse SECURE_BOOT_EN 1`,
              ...enabled,
            }),
            verifyClosed(context, { text: 'Reads the fuse again. Then reset the part: it must boot.', ...enabled }),
          ],
    refusals: [
      ...(digest ? [] : [{ code: 'key_file_missing', text: 'The bundle has no file with the digest of the public key' }]),
      ...(bundle.rollbackVersion > versionBits
        ? [
            {
              code: 'rollback_range',
              text: `SECURE_VERSION has ${versionBits} bits: a rollback version above ${versionBits} cannot be written`,
            },
          ]
        : []),
      ...(bundle.keys.some(({ slot, revoked: isRevoked }) => slot === 0 && isRevoked)
        ? [{ code: 'key_revoked', text: 'The key of slot 0 is revoked, and its digest is what would be written' }]
        : []),
      ...(bundle.fuseConfig.debug_lock === 'auth'
        ? [
            {
              code: 'debug_auth',
              text: 'Debugging with authentication needs a secret key on the part: set it up with the tools of the vendor',
            },
          ]
        : []),
      ...refuseWords(context, 'This platform writes fuses by their names'),
    ],
    recovery:
      'Until secure boot is enabled the part also boots unsigned images: write a working bootloader and app with esptool. The digest itself stays; two further key blocks can take another one.',
  }
}
