import type { FuseWord } from '../../../../contract/updates/secure-boot/fuses'
import {
  bootStep,
  closeStep,
  type Draft,
  installStep,
  onceOnly,
  type PlanContext,
  type PlatformSteps,
  verifyClosed,
  verifyKeyHash,
  wordsFor,
  wordStep,
  writeKeyHash,
} from './draft'

/** Platforms without a confirmed public command that writes: the vendor's tool is used by hand, and what it shows is typed. */
const byHand = { command: null, verify_command: null }

type Texts = { install: string; keys: string; read: string; boot: string; close: string; recovery: string }

const wordSteps = (context: PlanContext, purpose: FuseWord['purpose'], action: Draft['action']) =>
  wordsFor(context, purpose).map((word) => wordStep(context, action, word, 'Write it with the tool of the vendor.', byHand))

const stepsOf =
  (texts: Texts) =>
  (context: PlanContext): PlatformSteps => {
    const { keyHash, fuseConfig } = context.bundle
    const { close_step } = fuseConfig
    return {
      install: [installStep(context, texts.install)],
      keys:
        keyHash === null
          ? []
          : [writeKeyHash(context, { text: `${texts.keys} ${onceOnly}` }), verifyKeyHash(context, { text: texts.read })],
      boot: [bootStep(context, { text: texts.boot })],
      revoke: wordSteps(context, 'key_revoke', 'revoke_key'),
      rollback: wordSteps(context, 'rollback', 'write_rollback'),
      features: wordSteps(context, 'feature', 'write_word'),
      debug: wordSteps(context, 'debug', 'lock_debug'),
      close:
        close_step === null
          ? []
          : [
              closeStep(context, { text: `${texts.close} ${onceOnly} With a wrong key it never boots again.` }),
              verifyClosed(context, { text: 'Boot the device. It reports that it is closed at its next check-in.' }),
            ],
      recovery: texts.recovery,
    }
  }

export const tiSteps = stepsOf({
  install: 'Write tiboot3.bin, tispl.bin and u-boot.img to the boot medium.',
  keys: 'Boot the OTP key writer image of the bundle with a certificate that programs SMPKH and BMPKH and leaves KEYREV alone. Supply VPP only for this step.',
  read: 'Read SMPKH with the tools of the vendor and type it. The key writer answers with debug response 0x0 when it has programmed the keys.',
  boot: 'Boot the signed images. The part is still HS-FS.',
  close:
    'Boot the OTP key writer image with a certificate that programs KEYREV: HS-FS becomes HS-SE, and the part boots only images that are signed with the SMPK.',
  recovery: 'While the part is HS-FS it boots images of any key: boot a working image. The key hashes themselves stay.',
})

export const polarFireSteps = stepsOf({
  install: 'Program the HSS image into eNVM and the payload onto the boot medium with the tools of Libero SoC or SoftConsole.',
  keys: 'Program the key of user secure boot into sNVM with Libero SoC, and mark its pages as ROM.',
  read: 'Read the key hash with the tools of the vendor and type it.',
  boot: 'Boot the device with the signed payload before the boot mode and the locks are programmed.',
  close: 'Program the boot mode of user secure boot (U_MSS_BOOTMODE=2) and the security locks with Libero SoC.',
  recovery: 'Until the security locks are programmed, program boot mode 1 and the former images over JTAG.',
})

export const mcubootSteps = stepsOf({
  install: 'Flash MCUboot and the signed app.',
  keys: 'Write the key hash into the OTP slot of the microcontroller with the tool of its vendor.',
  read: 'Read the OTP slot with the tool of the vendor and type it.',
  boot: 'Reset the device. MCUboot must start the signed app; an app with a changed byte must not start.',
  close: 'Set the read-out protection with the tool of the vendor.',
  recovery: 'Until read-out protection is set, flash MCUboot and the app again over the debug port.',
})
