import { defineRecipe } from '@pandacss/dev'

const quiet = { bg: 'hover', color: 'faint', borderColor: 'line' } as const
// Also on hover.
const off = '&&:is(:disabled, [aria-disabled=true])'

export const button = defineRecipe({
  className: 'button',
  base: {
    display: 'inline-flex',
    verticalAlign: 'middle',
    alignItems: 'center',
    justifyContent: 'center',
    gap: '8',
    flexShrink: 0,
    border: 'clear',
    borderRadius: '4',
    whiteSpace: 'nowrap',
    userSelect: 'none',
    transitionProperty: 'background-color, border-color, color',
    transitionDuration: 'hover',
    // An icon's box is wider than its drawing.
    '& > svg:first-child:not(:only-child)': { ml: '-2', mr: '-2' },
    '&[aria-busy=true]': { cursor: 'progress' },
    // Where a small screen has space for one word only, the second button shows its icon; screen readers still read the word.
    '&[data-tight]': { mdDown: { px: '0', aspectRatio: '1', '& > span': { srOnly: true } } },
  },
  variants: {
    variant: {
      primary: {
        bg: 'bloom',
        color: 'white',
        _hover: { bg: 'bloom.hover' },
        _active: { bg: 'bloom.active' },
        [off]: quiet,
      },
      secondary: {
        bg: 'surface',
        color: 'text',
        borderColor: 'lineStrong',
        _hover: { bg: 'hover' },
        _active: { bg: 'track' },
        '&[aria-haspopup][aria-expanded=true]': { bg: 'hover' },
        [off]: quiet,
      },
      ghost: {
        color: 'text2',
        _hover: { bg: 'hover', color: 'text' },
        _active: { bg: 'track' },
        '&[aria-haspopup][aria-expanded=true]': { bg: 'hover' },
        [off]: { color: 'faint', bg: 'hover' },
      },
      danger: {
        bg: 'danger',
        color: 'white',
        _hover: { bg: 'danger.hover' },
        [off]: quiet,
      },
      dangerOutline: {
        bg: 'surface',
        color: 'error.text',
        borderColor: 'error.line',
        _hover: { bg: 'error.bg' },
        [off]: quiet,
      },
    },
    size: {
      md: { h: { base: 'controlTouch', md: 'control' }, px: '12', textStyle: 'strong' },
      small: { h: { base: 'controlTouch', md: 'controlSmall' }, px: '8', gap: '6', textStyle: 'smallButton' },
    },
    square: { true: { px: '0', aspectRatio: '1' } },
  },
  defaultVariants: { variant: 'secondary', size: 'md' },
  // Variants also come from values that the extractor cannot see.
  staticCss: ['*'],
})
