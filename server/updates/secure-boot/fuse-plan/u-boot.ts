import type { FuseWord } from '../../../../contract/updates/secure-boot/fuses'
import {
  bootStep,
  checkStep,
  closeStep,
  type Draft,
  expectedWord,
  installStep,
  keyHashOf,
  lines,
  onceOnly,
  type PlanContext,
  type PlatformSteps,
  refuseWords,
  verifyClosed,
  verifyKeyHash,
  wordsFor,
  wordStep,
  writeKeyHash,
} from './draft'
import { wordHex } from './bits'

/** Commands of U-Boot: cmd/fuse.c, arch/arm/mach-imx/hab.c and ele_ahab.c, and ST's article on stm32key. */
type Loader = {
  /** `read` of the shadow registers shows a new value only after a reset on HAB and STM32 parts; `sense` reads the fuses. */
  read: 'sense' | 'read'
  order: 'little' | 'big'
  status: string | null
  openText: string | null
  bootedText: string | null
  closedText: string | null
  /** A command that closes the part where no fuse word does. */
  closeCommand: string | null
  recovery: string
}

const prog = ({ bank, word, value_hex }: FuseWord) => `fuse prog -y ${bank} ${word} ${wordHex(value_hex)}`
const readCommand = ({ read }: Loader, { bank, word }: FuseWord) => `fuse ${read} ${bank} ${word}`

/** The words as `fuse prog` takes them, from the bytes of the hash. */
const hashWords = (hash: string, order: Loader['order']): string[] =>
  (hash.match(/.{8}/g) ?? []).map((hex) => (order === 'big' ? hex : hex.match(/../g)!.toReversed().join('')))

const keySteps = (context: PlanContext, loader: Loader): Draft[] => {
  const words = wordsFor(context, 'key_hash')
  const verify = {
    verify_command: lines(words.map((word) => readCommand(loader, word))),
    expected: lines(words.map(expectedWord)),
  }
  return [
    writeKeyHash(context, {
      text: `Writes ${words.length === 1 ? '1 word' : `${words.length} words`}. ${onceOnly} While the part is open it still boots other images.`,
      command: lines(words.map(prog)),
      ...verify,
    }),
    verifyKeyHash(context, {
      text: 'Reset the board, then read all words again. The part is closed only after this.',
      ...verify,
    }),
  ]
}

const wordSteps = (context: PlanContext, loader: Loader, purpose: FuseWord['purpose'], action: Draft['action'], text: string) =>
  wordsFor(context, purpose).map((word) =>
    wordStep(context, action, word, text, { command: prog(word), verify_command: readCommand(loader, word) }),
  )

const closeText = `From then on the part boots only images that are signed with these keys. ${onceOnly} With a wrong key it never boots again.`

const closeSteps = (context: PlanContext, loader: Loader): Draft[] => {
  const { close_step } = context.bundle.fuseConfig
  if (close_step === null) return []
  const { word } = close_step
  const closing: Partial<Draft> = word
    ? { command: prog(word), verify_command: readCommand(loader, word), expected: expectedWord(word), word }
    : { command: loader.closeCommand, verify_command: loader.closedText && loader.status, expected: loader.closedText }
  return [
    closeStep(context, { text: closeText, ...closing }),
    verifyClosed(
      context,
      loader.closedText === null
        ? { text: 'Reset the board and boot the signed images. The device reports that it is closed at its next check-in.' }
        : { text: 'Reset the board, then read its status.', verify_command: loader.status, expected: loader.closedText },
    ),
  ]
}

const stepsOf =
  (loader: Loader) =>
  (context: PlanContext): PlatformSteps => {
    const words = wordsFor(context, 'key_hash')
    const { close_step } = context.bundle.fuseConfig
    const hash = keyHashOf(context)
    const expected = hashWords(hash, loader.order)
    const differs = words.map(({ value_hex }) => value_hex.padStart(8, '0')).join() !== expected.join()
    const first = words[0]
    return {
      check: [
        checkStep(context, {
          title: 'Check that the part is open',
          text: 'The commands of this plan are for the U-Boot prompt of the board.',
          verify_command: loader.status ?? (first ? readCommand(loader, first) : null),
          expected: loader.openText,
        }),
      ],
      install: [installStep(context, 'Write the images to the boot medium of the board and boot them.')],
      keys: keySteps(context, loader),
      boot: [
        bootStep(
          context,
          loader.bootedText === null
            ? { text: 'Reset the board. Its boot log must name no authentication error.' }
            : {
                text: 'Reset the board, then read its status. An event means that the closed part would not boot.',
                verify_command: loader.status,
                expected: loader.bootedText,
              },
        ),
      ],
      revoke: wordSteps(
        context,
        loader,
        'key_revoke',
        'revoke_key',
        'Images that are signed with the revoked key no longer boot.',
      ),
      rollback: wordSteps(context, loader, 'rollback', 'write_rollback', 'Images with a lower rollback version no longer boot.'),
      features: wordSteps(context, loader, 'feature', 'write_word', 'Sets a feature of the part.'),
      debug: wordSteps(context, loader, 'debug', 'lock_debug', 'Locks the debug port; failure analysis needs it.'),
      close: closeSteps(context, loader),
      refusals: [
        ...(words.length === 0
          ? [
              {
                code: 'key_words_missing',
                text: 'The bundle has no fuse words for the key hash: their bank and word differ by part',
              },
            ]
          : differs
            ? [
                {
                  code: 'key_words_differ',
                  text: `The fuse words of the key hash are not the key hash: expected ${expected.map(wordHex).join(' ')}`,
                },
              ]
            : []),
        ...(words.some(({ mask_hex }) => !/^f{8}$/.test(mask_hex))
          ? [{ code: 'key_words_masked', text: 'A fuse word of the key hash is written as a whole: its mask is ffffffff' }]
          : []),
        ...(close_step && !close_step.word && !loader.closeCommand
          ? [{ code: 'close_word_missing', text: 'This platform is closed by a fuse word: add it to the closing step' }]
          : []),
        ...(close_step?.word && loader.closeCommand && loader.status
          ? [{ code: 'close_by_command', text: `This platform is closed by ${loader.closeCommand}, not by a fuse word` }]
          : []),
      ],
      recovery: loader.recovery,
    }
  }

export const habSteps = stepsOf({
  read: 'sense',
  order: 'little',
  status: 'hab_status',
  openText: 'Secure boot disabled',
  bootedText: 'No HAB Events Found!',
  closedText: 'Secure boot enabled',
  closeCommand: null,
  recovery:
    'Until the part is closed it also boots unsigned images: load a working U-Boot over the serial download mode and correct the images. The key hash itself stays.',
})

export const ahabSteps = stepsOf({
  read: 'read',
  order: 'little',
  status: 'ahab_status',
  openText: 'OEM Open or NXP closed',
  bootedText: 'No Events Found!',
  closedText: 'OEM closed',
  closeCommand: 'ahab_close',
  recovery:
    'Until the lifecycle is OEM closed the part also boots unsigned containers: load a working U-Boot over the serial download mode and correct the images. The key hash itself stays.',
})

export const stm32Steps = stepsOf({
  read: 'sense',
  order: 'big',
  status: null,
  openText: null,
  bootedText: null,
  closedText: null,
  closeCommand: 'stm32key close -y',
  recovery:
    'Until the part is closed it also boots unsigned images: load a working first stage over USB or UART with STM32CubeProgrammer and correct the images. The key hash itself stays.',
})

/** The key is in the device tree of U-Boot: nothing is fused, and the stage before U-Boot decides whether U-Boot is trusted. */
export const fitSteps = (context: PlanContext): PlatformSteps => ({
  install: [installStep(context, 'Write U-Boot with the key in its device tree, and the FIT image, to the boot medium.')],
  keys: [],
  boot: [
    bootStep(context, {
      text: 'Boot the FIT image. U-Boot verifies the signature of its configuration before it starts the kernel, and refuses a changed image. The boot log must show the configuration with the name of the key.',
    }),
  ],
  refusals: [
    ...refuseWords(context, 'This platform keeps its key in the device tree of U-Boot'),
    ...(context.bundle.fuseConfig.close_step
      ? [
          {
            code: 'close_unsupported',
            text: 'This platform has no closing step: the stage before U-Boot is closed by its own platform',
          },
        ]
      : []),
  ],
  recovery: 'Nothing is fused: write the former U-Boot and FIT image again.',
})
