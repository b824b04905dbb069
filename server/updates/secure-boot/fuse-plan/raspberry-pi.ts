import {
  bootStep,
  checkStep,
  closeStep,
  installStep,
  onceOnly,
  type PlanContext,
  type PlatformSteps,
  refuseWords,
  verifyClosed,
  verifyKeyHash,
  writeKeyHash,
} from './draft'

/** usbboot, secure-boot-recovery: README.md and config.txt. RECOVERY names a copy of that folder with the signed EEPROM image. */
const run = (...settings: string[]) =>
  `printf '%s\\n' ${['uart_2ndstage=1', ...settings].join(' ')} > "$RECOVERY/config.txt" && rpiboot -d "$RECOVERY"`

const rows = 'On the device, `vcgencmd otp_dump` shows the hash in rows 47 to 54.'

export const raspberryPiSteps = (context: PlanContext): PlatformSteps => {
  const { debug_lock, close_step } = context.bundle.fuseConfig
  const lock = debug_lock === 'closed' ? ['program_jtag_lock=1'] : []
  const jtag = lock.length > 0 ? ' VideoCore JTAG is disabled with it.' : ''
  return {
    check: [
      checkStep(context, {
        title: 'Prepare the board',
        text: 'Set the nRPIBOOT jumper, or the GPIO for it, and remove the write protection of the EEPROM. RECOVERY names a copy of the folder secure-boot-recovery of usbboot with pieeprom.bin and pieeprom.sig of the bundle.',
      }),
    ],
    install: [
      {
        ...installStep(context, 'Flashes the signed EEPROM image; copy boot.img and boot.sig to the boot file system.'),
        command: run(),
      },
    ],
    boot: [bootStep(context, { text: 'Boot the board. With SIGNED_BOOT=1 in its EEPROM it boots only a signed boot.img.' })],
    keys: [
      writeKeyHash(context, {
        text: `Writes the hash of the public key. ${onceOnly} From then on the bootloader starts only images of this key, and the ROM no longer loads recovery.bin from a card. ${rows}`,
        command: run('program_pubkey=1'),
      }),
      verifyKeyHash(context, { text: `${rows} Type the hash that it shows.` }),
    ],
    close:
      close_step === null
        ? []
        : [
            closeStep(context, {
              title: 'Revoke the development key',
              text: `Older bootloaders without secure boot no longer start.${jtag} ${onceOnly}`,
              command: run('program_pubkey=1', 'revoke_devkey=1', ...lock),
            }),
            verifyClosed(context, { text: 'Boot the board. The device reports that it is closed at its next check-in.' }),
          ],
    refusals: [
      ...(debug_lock === 'auth' ? [{ code: 'debug_auth', text: 'This platform has no debugging with authentication' }] : []),
      ...(debug_lock === 'closed' && close_step === null
        ? [
            {
              code: 'debug_needs_close',
              text: 'JTAG is locked only together with the revocation of the development key: add the closing step',
            },
          ]
        : []),
      ...refuseWords(context, 'This platform writes its OTP by rpiboot'),
    ],
    recovery:
      'Until the key hash is written, SIGNED_BOOT can be reverted: flash the former EEPROM image with rpiboot. Afterwards an EEPROM image that is signed with the same key can still be flashed.',
    bootsFirst: true,
  }
}
