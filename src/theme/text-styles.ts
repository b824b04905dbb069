import { defineTextStyles } from '@pandacss/dev'

const rem = (pixels: number) => `${pixels / 16}rem`

/**
 * Between 500 and 600: from a typeface without 500 every font matcher then takes the next bolder weight. For 500 it would take 400
 * (CSS Fonts 4, 5.2), and so would fontconfig for any weight that is nearer to it.
 */
export const medium = 560

const style = (size: number, line: number, weight: number, letterSpacing?: string) => ({
  value: { fontSize: rem(size), lineHeight: rem(line), fontWeight: weight, ...(letterSpacing && { letterSpacing }) },
})

const mono = (size: number, line: number, weight = 400) => ({
  value: {
    fontFamily: 'mono',
    fontSize: rem(size),
    lineHeight: rem(line),
    fontWeight: weight,
    letterSpacing: '-0.01em',
    fontVariantNumeric: 'tabular-nums slashed-zero',
    fontVariantLigatures: 'none',
  },
})

/** Sizes are set only with these: a style sets size, line height and weight together. */
export const textStyles = defineTextStyles({
  figure: style(24, 32, 600, '-0.02em'),
  title: style(20, 28, 600, '-0.012em'),
  dialogTitle: style(16, 24, 600),
  heading: style(14, 20, 600),
  body: style(13, 20, 400),
  strong: style(13, 20, medium),
  bold: style(13, 20, 600),
  small: style(12, 16, 400),
  smallStrong: style(12, 16, medium),
  smallButton: style(12, 20, medium),
  caption: style(11, 16, medium, '0.01em'),
  wordmark: style(16, 24, 600, '-0.01em'),
  field: { value: { fontSize: { base: rem(16), md: rem(13) }, lineHeight: rem(20) } },
  monoTitle: mono(18, 28, 600),
  mono: mono(12, 20),
  monoSmall: mono(11.5, 16),
})
