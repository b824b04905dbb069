import { defineRecipe } from '@pandacss/dev'

/** §9: 26 px. The initial is above a marble pattern, the picture above both. */
export const avatar = defineRecipe({
  className: 'avatar',
  base: {
    position: 'relative',
    display: 'inline-grid',
    placeItems: 'center',
    flexShrink: 0,
    w: 'avatar',
    h: 'avatar',
    borderRadius: 'full',
    overflow: 'hidden',
    bg: 'muted',
    color: 'white',
    textStyle: 'caption',
    fontWeight: 'semibold',
    '&[data-large]': { w: '64', h: '64', textStyle: 'figure' },
    '& > *': { gridArea: '1 / 1' },
    '& > i': { w: 'full', h: 'full' },
    '& svg, & > img': { w: 'full', h: 'full', objectFit: 'cover' },
    // The initial has its own stacking level: the picture is above it.
    '& > img': { position: 'relative', zIndex: 'content' },
    '& > span': { position: 'relative', textShadow: '0 0 3px rgb(0 0 0 / .6)' },
  },
})
