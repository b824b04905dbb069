import type { Config } from '@pandacss/dev'

const conditions = new Set(
  (
    'hover focus focusWithin focusVisible active disabled readOnly empty checked indeterminate invalid expanded highlighted open closed ' +
    'pressed selected current currentPage before after first last only even odd placeholder placeholderShown motionReduce print'
  ).split(' '),
)

/** Style properties for which no part uses tokens; they remain available as plain CSS. */
const unused = new RegExp(
  [
    '^(scroll|mask|gradient|backdrop|divide|space[XY]|focus.*Ring|boxDecoration|mixBlend|debug|overscroll.+[YXke]$|overflow[ABCI])',
    '^(brightness|contrast|grayscale|hueRotate|invert|saturate|sepia|dropShadow|blur|filter|hyphens|float|cursor|caretColor|appearance)$',
    '^(rotate|scale|translate)[XYZ]$',
    '^(transform|backface|list|object|column(?!Gap)|container|vertical)',
    '^background(Attachment|Clip|Origin|Blend|Gradient|Linear|Radial|Conic|Image|Position.|Position|Repeat|Size)',
    '^border(Spacing|Inline|Block|Start|End|Collapse)',
    '^text(Gradient|Emphasis|Shadow|Size|Indent|Transform|Wrap)',
    '^font(Size.|Palette|Kerning|Feature|Smoothing|Variant.+|Variation)',
    '^animation(Range|Timeline|Composition|State|Play|Fill|Direction|Iteration|Timing)',
    '^(min|max)?(Inline|Block)Size$|^(inline|block)Size$',
    '^(margin|padding|inset)(Inline|Block)(Start|End)$',
    '^(Webkit|stroke|grid(Gap|Row.+|ColumnGap|ColumnStart|ColumnEnd))',
  ].join('|'),
)

const kept = <V>(record: object | undefined, keep: (name: string) => boolean): Record<string, V> =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => keep(name)))

/** Panda's base preset without unused entries: its names are part of the first script. */
export const trimmed = <P extends Pick<Config, 'conditions' | 'utilities' | 'globalCss'>>(preset: P): P => ({
  ...preset,
  globalCss: {},
  conditions: kept(preset.conditions, (name) => conditions.has(name)),
  utilities: kept(preset.utilities, (name) => !unused.test(name)),
})
