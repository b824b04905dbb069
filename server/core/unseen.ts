import type { FieldError } from '../../contract/core/field-errors'

/**
 * Characters without a shape of their own, where they are written: flags of regions and emoji (UTS #51), variations of Han (UTS #37)
 * and Mongolian, joiners in words of the scripts that join (UAX #31, A1 to B). In this order: a selector may stand before a joiner.
 */
const needed = [
  /(?<=\u{1f3f4})[\u{e0020}-\u{e007e}]{1,8}\u{e007f}/gu,
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})/gu,
  /(?<=\p{Emoji})[\ufe0e\ufe0f]/gu,
  /(?<=\p{scx=Hani})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/gu,
  /(?<=\p{scx=Mong})[\u180b-\u180d\u180f]/gu,
  /(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}])[\u200c\u200d](?=[\p{L}\p{M}])/gu,
]

/** The other ones: they let a name read backwards, or look like another one or like none. U+2800 is the blank of Braille. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\u2800]/u

/** The first character of a name that cannot be seen, as `U+202E`; undefined if there is none. */
export const findUnseen = (name: string): string | undefined => {
  const rest = needed.reduce((left, form) => left.replace(form, ''), name)
  const [found] = unseen.exec(rest) ?? []
  return found && `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
}

/** The fields by which people know something, or find a device of a model. `unseen.test.ts` looks for others in the contract. */
const nameFields: readonly string[] = [
  'name',
  'full_name',
  'first_name',
  'last_name',
  'company_name',
  'file_name',
  'hardware_model',
  'hardware_models',
]

/** The names of a body, or of a row, that have characters which cannot be seen; undefined if there are none. */
export const checkNames = (body: unknown): FieldError[] | undefined => {
  const errors = nameFields.flatMap((field): FieldError[] => {
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, field) : undefined
    const [found] = [value].flat().flatMap((one) => (typeof one === 'string' ? (findUnseen(one) ?? []) : []))
    if (found === undefined) return []
    return [{ field, code: 'unseen', message: `Remove characters that cannot be seen, like ${found}` }]
  })
  return errors.length === 0 ? undefined : errors
}
