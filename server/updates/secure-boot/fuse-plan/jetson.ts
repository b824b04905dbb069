import {
  bootStep,
  checkFiles,
  checkStep,
  closeStep,
  installStep,
  onceOnly,
  pathOf,
  type PlanContext,
  type PlatformSteps,
  refuseWords,
  verifyClosed,
  verifyKeyHash,
  writeKeyHash,
} from './draft'

/** NVIDIA Jetson Linux Developer Guide, Secure Boot and Fuse Operations. The working folder is Linux_for_Tegra. */
const burn = (xml: string, ...options: string[]) =>
  `sudo ./odmfuse.sh ${[...options, `-X ${xml}`, '-i "$CHIP_ID"'].join(' ')} "$TARGET"`

const closing = '<genericfuse MagicId="0x45535546" version="1.0.0"><fuse name="SecurityMode" size="4" value="0x1"/></genericfuse>'

export const jetsonSteps = (context: PlanContext): PlatformSteps => {
  const file = context.files.find(({ role }) => role === 'config')
  const xml = file ? pathOf(file) : ''
  const { close_step } = context.bundle.fuseConfig
  return {
    check: [
      ...checkFiles(context, [file]),
      checkStep(context, {
        title: 'Check the fuse file',
        text: 'The fuse file must not contain SecurityMode: it closes the part before the key hash is verified. CHIP_ID and TARGET name the module, such as 0x23 and jetson-agx-orin-devkit.',
        verify_command: `if grep -q 'name="SecurityMode"' ${xml}; then echo closes; else echo stays-open; fi`,
        expected: 'stays-open',
      }),
      checkStep(context, {
        title: 'Test the fuse file',
        text: 'Prepares everything and burns nothing.',
        command: burn(xml, '--test'),
      }),
    ],
    install: [installStep(context, 'Flash the signed images with flash.sh and the options -u and -v for the keys.')],
    keys: [
      writeKeyHash(context, {
        text: `Burns all fuses of the fuse file. ${onceOnly} Secrets of that file stay on this machine.`,
        command: burn(xml),
      }),
      verifyKeyHash(context, { text: 'Read the fuse PublicKeyHash with the tools of your release of Jetson Linux and type it.' }),
    ],
    boot: [bootStep(context, { text: 'Boot the signed images.' })],
    close:
      close_step === null
        ? []
        : [
            closeStep(context, {
              title: 'Burn SecurityMode',
              text: `From then on no fuse can be burned and only signed images boot. ${onceOnly} With a wrong key it never boots again. PKC_KEY_FILE names the key file; it stays on this machine.`,
              command: `printf '%s\\n' '${closing}' > "$WORK/close.xml" && ${burn('"$WORK/close.xml"', '-k "$PKC_KEY_FILE"')}`,
            }),
            verifyClosed(context, { text: 'Boot the module. The device reports that it is closed at its next check-in.' }),
          ],
    refusals: [
      ...(file ? [] : [{ code: 'key_file_missing', text: 'The bundle has no fuse file' }]),
      ...refuseWords(context, 'This platform burns the fuses of its fuse file'),
    ],
    recovery:
      'Until SecurityMode is burned, further fuses can be burned and the module can be flashed in recovery mode with images of the same key. The key hash itself stays.',
  }
}
